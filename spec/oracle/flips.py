"""The exact test of a difference by the signs of the units that were sampled."""
from itertools import product

from exact import Fraction, double

MOST_SIGNS = 14  # units whose signs are enumerated
MOST_SAME = 60  # units of the same sign: more count as so many
SCALE, TOLERANCE = 2**48, 2**8


def sign_flips(x):
    """Two-sided p-value of the sum of x if the sign of each is as likely as the other; None if it is not computed."""
    size = sum(map(abs, x))
    if not size:
        return Fraction(1)
    e = [round(Fraction(double(y / size)) * SCALE) for y in x]
    e = [y for y in e if y]
    if min(e) > 0 or max(e) < 0:
        return Fraction(2, 2 ** min(len(e), MOST_SAME))
    if len(e) > MOST_SIGNS:
        return None
    least = abs(sum(e)) - TOLERANCE
    return Fraction(sum(abs(sum(s * y for s, y in zip(signs, e))) >= least for signs in product((1, -1), repeat=len(e))), 2 ** len(e))
