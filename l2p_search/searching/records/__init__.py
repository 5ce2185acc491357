"""What a search has recorded: its settings, trials and outcome, and the journal on disk."""
