"""The searches behind the paper's tables and figures, and our numbers beside its own."""
