"""Text, names, terms and progress bars of results. It imports nothing about metrics, and any module may use it."""
