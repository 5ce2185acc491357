"""One file per command: parse, one call of the library, print."""
