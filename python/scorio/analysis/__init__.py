"""Analyses of an evaluation: a function and a frozen result for each; all their numbers are computed here."""
