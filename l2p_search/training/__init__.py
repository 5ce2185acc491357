"""Bi-level learning of one configuration over all its seeds (the paper's section 5)."""
