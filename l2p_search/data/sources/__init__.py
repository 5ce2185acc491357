"""Readers: one file per format, each of which hands over a RawGraph."""
