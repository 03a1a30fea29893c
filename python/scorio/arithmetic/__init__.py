"""Numbers: double-doubles, fractions, distribution functions, counter-based random bits, compilation, threads."""
