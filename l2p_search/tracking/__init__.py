"""Tracking: searches and trials as MLflow runs, written by one process, never by workers."""
