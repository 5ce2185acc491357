"""What is known of a search: settings, trials, outcome, and the journal that keeps them."""
