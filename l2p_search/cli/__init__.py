"""The command line: it parses, calls one function, prints."""
