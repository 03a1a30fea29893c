"""Exact numbers: rationals, reals known to any precision, and their two printed forms.

A result is a Fraction, or a Real: a function that mpmath evaluates at its current precision. A Real is approximated at p
and at p + 20 digits, p growing until both values agree to 45 digits, so that cancellation does no harm.
"""
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isqrt

from mpmath import mp, mpf

MAX_RELATIVE_DIFFERENCE = mpf(10) ** -45
DIGITS = 40


class Refused(Exception):
    """Raised where the definitions give no number; `code` is from errors.json."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Real:
    """A number not known as a fraction: `f()` is its value at mpmath's current precision."""

    def __init__(self, f):
        self.f, self.cache, self.approximation = f, {}, None

    def evaluate(self):
        if mp.prec not in self.cache:
            self.cache[mp.prec] = self.f()
        return self.cache[mp.prec]


def to_mpf(x):
    """The number x as an mpf at the current precision."""
    return x.evaluate() if isinstance(x, Real) else mpf(x.numerator) / x.denominator


def to_fraction(x):
    """The exact rational value of a JSON number."""
    return Fraction(x)


def approximate(x):
    """The number x as a Fraction: exact if x is rational, else to at least 45 digits."""
    if isinstance(x, Fraction):
        return x
    digits = 60
    while x.approximation is None:
        if digits > 2000:
            raise ArithmeticError("no agreement; the number may be zero")
        with mp.workdps(digits):
            low = x.evaluate()
        with mp.workdps(digits + 20):
            high = x.evaluate()
            if high and abs(low - high) <= MAX_RELATIVE_DIFFERENCE * abs(high):
                x.approximation = fraction_of_mpf(high)
        digits *= 2
    return x.approximation


def fraction_of_mpf(v):
    """The exact value of an mpf."""
    sign, man, exp, _ = v._mpf_
    return Fraction(int(-man if sign else man)) * Fraction(2) ** int(exp)  # int() converts integers of gmpy2


def total(xs):
    """The sum of numbers; rational if every term is."""
    xs = list(xs)
    if not any(isinstance(x, Real) for x in xs):
        return sum(xs, Fraction(0))
    return Real(lambda: mp.fsum(to_mpf(x) for x in xs))


def scale(c, x):
    """The product c x for a rational c."""
    if isinstance(x, Fraction):
        return c * x
    return Real(lambda: to_mpf(c) * x.evaluate()) if c else Fraction(0)


def product(x, y):
    """The product of two numbers."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    return Real(lambda: to_mpf(x) * to_mpf(y))


def quotient(x, y):
    """The quotient of two numbers."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    return Real(lambda: to_mpf(x) / to_mpf(y))


def divide(x, y):
    """The quotient x / y for rational x."""
    if isinstance(y, Fraction):
        return x / y
    return Real(lambda: to_mpf(x) / y.evaluate()) if x else Fraction(0)


def larger(x, y):
    """The larger of two numbers; for two Reals without a comparison, since they may be equal."""
    if isinstance(x, Real) and isinstance(y, Real):
        return Real(lambda: max(x.evaluate(), y.evaluate()))
    try:
        return y if exceeds(y, x) else x
    except ArithmeticError:  # a rational and a Real that are equal
        return x if isinstance(x, Fraction) else y


def smaller(x, y):
    """The smaller of two numbers; for two Reals without a comparison, since they may be equal."""
    if isinstance(x, Real) and isinstance(y, Real):
        return Real(lambda: min(x.evaluate(), y.evaluate()))
    return x if larger(x, y) is y else y


def root(x):
    """The square root; rational if x is the square of a rational."""
    if isinstance(x, Fraction):
        p, q = isqrt(x.numerator), isqrt(x.denominator)
        if p * p == x.numerator and q * q == x.denominator:
            return Fraction(p, q)
    return Real(lambda: mp.sqrt(to_mpf(x)))


def power(x, y):
    """The power x^y for rationals x > 0 and y; rational for |y| <= 64 in quarters if the square roots are rational."""
    if y.denominator in (1, 2, 4) and abs(y) <= 64:
        r = x
        for _ in range(y.denominator.bit_length() - 1):
            r = root(r)
            if isinstance(r, Real):
                break
        else:
            return r ** y.numerator
    return Real(lambda: mp.exp(to_mpf(y) * mp.log(to_mpf(x))))


def exceeds(x, y):
    """Whether x > y, decided on their difference, however small."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x > y
    return approximate(Real(lambda: to_mpf(x) - to_mpf(y))) > 0


def clip(x, bounds):
    """The number x clipped to [lo, hi]; bounds of None, or an end of None, do not clip."""
    lo, hi = bounds or (None, None)
    if lo is not None and exceeds(lo, x):
        return lo
    return hi if hi is not None and exceeds(x, hi) else x


def equals_printed(got, printed):
    """Whether a result equals the printed digits, to half a unit of the last place; always where "-" is printed."""
    if printed == "-":
        return True
    places = len(printed.split(".")[1])
    return abs(approximate(got) - Fraction(printed)) <= Fraction(1, 2 * 10**places)


def double(x):
    """The nearest double (subnormals included, never -0.0)."""
    v = approximate(x)
    try:
        d = v.numerator / v.denominator
    except OverflowError:
        raise Refused("overflow") from None
    if isinstance(x, Real) and v:
        neighbours = {(w.numerator / w.denominator) for w in (v - v / 10**42, v + v / 10**42)}
        if neighbours != {d}:
            raise ArithmeticError("too close to a tie between doubles")
    return d + 0.0


def text(x):
    """The text 'p/q' of a rational if it has at most 64 characters, else 40 (or x.digits) significant digits."""
    if isinstance(x, Fraction) and x.numerator.bit_length() + x.denominator.bit_length() < 220:  # 64 digits have fewer bits
        s = f"{x.numerator}/{x.denominator}"
        if len(s) <= 64:
            return s
    v = approximate(x)
    digits = getattr(x, "digits", DIGITS)
    q = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).divide(Decimal(v.numerator), Decimal(v.denominator))
    return format(q, f".{digits - 1}e")


def number(x):
    """The pair (value, exact) of a vector file. A float argument is nan or inf."""
    if isinstance(x, float):
        return {"value": str(x), "exact": str(x)}
    return {"value": double(x), "exact": text(x)}
