"""What may vary: search spaces and the files that hold them."""
