"""What is taken away from searches: comparisons and exported configurations."""
