"""Reproducing the L2P paper: the searches behind its tables and figures, and our numbers."""
