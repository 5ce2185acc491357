"""The network of the paper's section 4, for all seeds of a trial at once."""
