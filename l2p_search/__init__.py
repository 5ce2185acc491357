"""Search for how far messages should travel on a graph: L2P (KDD '21), tuned and told honestly."""

__version__ = "0.1.0"
