"""Analyses: one function and one frozen result for each question about an evaluation; all numbers are computed here."""
