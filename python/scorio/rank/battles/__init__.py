"""Battles: counts, the existence of strengths, the likelihood, and contrasts with their variances."""
