"""Bradley-Terry models of battles: counts, existence of estimates, likelihood, and contrasts with variances."""
