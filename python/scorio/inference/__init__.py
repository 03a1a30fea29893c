"""Variance components, estimators, differences of two models and error rates."""
