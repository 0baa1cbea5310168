"""What the figures mean: front, selection, lock, evaluation, bootstrap."""
