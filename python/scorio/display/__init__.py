"""Text, names, terms and progress bars of results. Knows nothing of metrics; any room may use it."""
