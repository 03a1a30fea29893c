"""Numbers: double-doubles, fractions, distribution functions, counter-based draws, compilation, threads."""
