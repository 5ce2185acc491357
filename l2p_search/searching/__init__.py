"""The search: a space in, trials proposed by Optuna and run by Ray Tune, the best config out."""
