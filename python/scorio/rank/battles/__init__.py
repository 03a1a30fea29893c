"""Battles: how they are counted, when strengths exist, the likelihood, and contrasts with their variances."""
