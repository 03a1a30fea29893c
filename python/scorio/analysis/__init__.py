"""Analyses that several commands and plots share: metrics of evaluations, pairs of models, sample sizes, curves."""
