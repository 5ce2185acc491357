"""Tracking: what a search found, written to MLflow by the driver alone."""
