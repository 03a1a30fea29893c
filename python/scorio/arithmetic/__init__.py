"""Arithmetic: double-doubles, fractions, distribution functions, counter-based random bits; compilation and threads."""
