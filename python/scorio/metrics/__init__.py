"""Metrics of k trials: the table of metrics, and their closed forms over counts."""
