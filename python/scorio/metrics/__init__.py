"""What k trials are worth: the table of metrics, and their closed forms over counts."""
