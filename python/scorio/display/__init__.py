"""Text, names, terms and progress bars of results; this package imports no other part of scorio."""
