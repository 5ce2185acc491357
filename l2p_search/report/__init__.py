"""What searches leave behind for people: figures, pages, comparisons, exported configurations."""
