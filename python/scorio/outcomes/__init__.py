"""Outcomes in any form that a user may have for R, read and checked once, as integer counts."""
