"""Double-double arithmetic with every bit fixed: + - * / sqrt on doubles, in the written order.

A number is a triple (h, l, e) that stands for (h + l) * 2^(256 e): a double-double with an exponent
of its own, |h| in [2^-128, 2^128) or all zero, |l| <= ulp(h)/2. Products of thousands of factors
neither overflow nor underflow, and one operation errs by less than 2^-101 of its result.
References: Knuth 1969 (two_sum), Dekker 1971 (two_prod), Joldes, Muller & Popescu 2017 (mul, div).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor, frexp, lcm, ldexp, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .jit import jit

Triple: TypeAlias = tuple[float, float, float]
Table: TypeAlias = npt.NDArray[np.float64]  # shape (S, 3): a triple for each state, such as each (trials, successes)

SPLIT = 134217729.0  # 2^27 + 1
UP, DOWN = 2.0**256, 2.0**-256
LARGE, SMALL = 2.0**128, 2.0**-128
ZERO, HALF, ONE = (0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (1.0, 0.0, 0.0)
LN2 = (0.6931471805599453, 2.3190468138462996e-17, 0.0)
INV_SQRT_2PI = (0.3989422804014327, -2.49232720227773e-17, 0.0)
HALF_LOG_2PI = (0.9189385332046728, -3.8782941580672414e-17, 0.0)
SQRT_HALF = 0.7071067811865476
SHRINK, GROW = 1.0 - 2.0**-42, 1.0 + 2.0**-42  # factors of the low part in nearest()


# --- the four operations and the square root -----------------------------------------------------


@jit
def two_sum(a, b):
    """The sum a + b as a double and its exact rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@jit
def fast_two_sum(a, b):
    """The sum a + b as a double and its exact rounding error, for |a| >= |b|."""
    s = a + b
    return s, b - (s - a)


@jit
def two_prod(a, b):
    """The product a * b as a double and its exact rounding error."""
    p = a * b
    t = SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@jit
def norm(h, l, e):
    """Bring (h + l) * 2^(256 e) back into the range of a triple."""
    if h == 0.0:
        return ZERO
    while abs(h) >= LARGE:
        h, l, e = h * DOWN, l * DOWN, e + 1.0
    while abs(h) < SMALL:
        h, l, e = h * UP, l * UP, e - 1.0
    return h, l, e


@jit
def ext(a):
    """The triple of a finite double."""
    return norm(a, 0.0, 0.0)


@jit
def neg(x):
    """The negative -x."""
    return -x[0], -x[1], x[2]


@jit
def add(x, y):
    """The sum x + y."""
    if x[0] == 0.0:
        return y
    if y[0] == 0.0:
        return x
    if x[2] < y[2]:
        x, y = y, x
    h, l = y[0], y[1]
    if x[2] != y[2]:
        if x[2] - y[2] > 1.0:  # |y| < 2^-256 |x|
            return x
        h, l = h * DOWN, l * DOWN
    s, t = two_sum(x[0], h)
    u, v = two_sum(x[1], l)
    s, t = fast_two_sum(s, t + u)
    s, t = fast_two_sum(s, t + v)
    return norm(s, t, x[2])


@jit
def sub(x, y):
    """The difference x - y."""
    return add(x, neg(y))


@jit
def mul(x, y):
    """The product x * y."""
    p, q = two_prod(x[0], y[0])
    h, l = fast_two_sum(p, q + (x[0] * y[1] + x[1] * y[0]))
    return norm(h, l, x[2] + y[2])


@jit
def div(x, y):
    """The quotient x / y."""
    q = x[0] / y[0]
    p, r = two_prod(q, y[0])
    h, l = fast_two_sum(q, (((x[0] - p) - r) + (x[1] - q * y[1])) / y[0])
    return norm(h, l, x[2] - y[2])


@jit
def root(x):
    """The square root of x; 0 for x <= 0."""
    if x[0] <= 0.0:
        return ZERO
    half = float(floor(0.5 * x[2]))
    r = sqrt(x[0])
    p, q = two_prod(r, r)
    h, l = fast_two_sum(r, (((x[0] - p) - q) + x[1]) / (2.0 * r))
    if 2.0 * half != x[2]:
        h, l = h * LARGE, l * LARGE  # the root of the factor 2^256 that an odd exponent leaves
    return norm(h, l, half)


@jit
def ratio(a, b):
    """The quotient a / b of integers in doubles, 0 <= a, 0 < b, both below 2^53."""
    q = a / b
    p, r = two_prod(q, b)
    h, l = fast_two_sum(q, ((a - p) - r) / b)
    return norm(h, l, 0.0)


@jit
def product(a, b):
    """The exact product a * b of integers below 2^53 in doubles."""
    p, r = two_prod(a, b)
    return norm(p, r, 0.0)


@jit
def nearest(h, l):
    """The double nearest to h + l. A sum within 2^-95 |h| of an exact tie is rounded as that tie, to even.

    The probability that a sum is so close to a tie without being one is about 2^-42.
    """
    a, b = h + l * SHRINK, h + l * GROW
    return a if a == b else a + 0.5 * (b - a)


@jit
def value(x):
    """The double nearest to x: correctly rounded, also among the subnormals; infinite if it overflows."""
    h, l, e = x
    if e == 0.0:
        return nearest(h, l)
    if e > -4.0 or abs(h) >= 4.0:  # at least 2^-1022: not subnormal
        h = nearest(h, l)
    if e > 0.0:
        for _ in range(int(min(e, 5.0))):
            h = h * UP
        return h
    if e > -4.0:
        for _ in range(int(-e)):
            h = h * DOWN
        return h
    if e < -4.0:
        return 0.0
    if abs(h) >= 4.0:
        return h * DOWN * DOWN * DOWN * DOWN
    sign = 1.0 if h > 0.0 else -1.0
    h, l = sign * h, sign * l
    base = 2.0 if h >= 2.0 else 0.0
    s, t = two_sum(6.0, h - base)  # ulp(6) = 2^-50, the spacing of the subnormals times 2^1024
    s = (nearest(s, t + l) - 6.0) + base
    return sign * (s * DOWN * DOWN * DOWN * DOWN)


# --- tables over states ---------------------------------------------------------------------------


@jit
def put(table, i, x):
    """Write a triple into row i of a table."""
    table[i, 0], table[i, 1], table[i, 2] = x


@jit
def get(table, i):
    """The triple in row i of a table."""
    return float(table[i, 0]), float(table[i, 1]), float(table[i, 2])


@jit
def weighted_sum(table, mult):
    """The sum of table[i] * mult[i], i increasing. table: (S, 3) triples; mult: (S,) positive integers."""
    total = ZERO
    for i in range(mult.size):
        total = add(total, mul(get(table, i), ext(float(mult[i]))))
    return total


@jit
def mean(table, mult, M):
    """The mean over M questions of a table with a row for each state; mult[i] questions are in state i."""
    return div(weighted_sum(table, mult), ext(float(M)))


@jit
def clip(x, lo, hi):
    """The double x, clipped into [lo, hi]."""
    if x < lo:
        x = lo
    if x > hi:
        x = hi
    return x + 0.0  # no negative zero


@jit
def normal_interval(mu, var, z, lo, hi):
    """The doubles (mu, sigma, mu - z sigma, mu + z sigma), with both ends clipped into [lo, hi]."""
    sigma = root(var)
    d = mul(z, sigma)
    low, high = clip(value(sub(mu, d)), lo, hi), clip(value(add(mu, d)), lo, hi)
    return value(mu) + 0.0, value(sigma), low, high


@jit
def summary(mu, var, mult, M, z, lo, hi):
    """The normal_interval() of a mean over M questions, from tables of the means and variances of their states."""
    count = ext(float(M))
    return normal_interval(mean(mu, mult, M), div(mean(var, mult, M), count), z, lo, hi)


# --- exp, log, powers -----------------------------------------------------------------------------


@jit
def times_2_to(x, n):
    """The product x * 2^n, for an integer n in a double."""
    e = floor(n / 256.0)
    f = ldexp(1.0, int(n - 256.0 * e))
    return norm(x[0] * f, x[1] * f, x[2] + e)


@jit
def exp(x):
    """The exponential e^x: x = n ln2 + r, eleven Taylor terms at r/512, then s <- 2s + s^2 nine times."""
    if x[2] < 0.0 or x[0] == 0.0:
        return add(ONE, x)
    if x[2] > 0.0 or abs(x[0]) > 1e8:  # 2^(256 * 1e6), or its inverse, stands for all results so far beyond the doubles
        return 1.0, 0.0, (1e6 if x[0] > 0.0 else -1e6)
    n = floor(x[0] / LN2[0] + 0.5)
    r = times_2_to(sub(x, mul(ext(n), LN2)), -9.0)
    s = ZERO
    for i in range(11, 0, -1):
        s = mul(div(r, ext(float(i))), add(ONE, s))
    for _ in range(9):
        s = add(add(s, s), mul(s, s))
    return times_2_to(add(ONE, s), n)


@jit
def log(x):
    """The natural log of x > 0: y by twelve terms of the atanh series, then y + d - d^2/2, d = x exp(-y) - 1."""
    m, n = frexp(x[0])
    if m < SQRT_HALF:
        m, n = 2.0 * m, n - 1
    t = (m - 1.0) / (m + 1.0)
    s = 0.0
    for i in range(11, -1, -1):
        s = 1.0 / (2.0 * i + 1.0) + t * t * s
    y = ext(2.0 * t * s)
    d = sub(mul(times_2_to((x[0], x[1], 0.0), float(-n)), exp(neg(y))), ONE)
    y = add(y, sub(d, times_2_to(mul(d, d), -1.0)))
    return add(y, mul(ext(float(n) + 256.0 * x[2]), LN2))


@jit
def power(x, y):
    """The power x^y for x >= 0, with 0^0 = 1; the caller refuses 0 to a negative power."""
    if y[0] == 0.0:
        return ONE
    if x[0] == 0.0:
        return ZERO
    if y == (0.5, 0.0, 0.0):
        return root(x)
    if y == ONE:
        return x
    if y == (2.0, 0.0, 0.0):
        return mul(x, x)
    return exp(mul(y, log(x)))


# --- exact fractions of integers of any size, and their rounding to double-doubles ------------------

Ratio = tuple[int, int]  # numerator, positive denominator; not always in lowest terms


def total(terms: Sequence[Ratio]) -> Ratio:
    """The exact sum of fractions."""
    if len(terms) == 1:
        return terms[0]
    if len(terms) > 64:  # halves, as most of their integers are far shorter than the common denominator
        middle = len(terms) // 2
        terms = total(terms[:middle]), total(terms[middle:])
    den = lcm(*(d for _, d in terms))
    return sum(x * (den // d) for x, d in terms), den


def over_common_denominator(w: Sequence[float]) -> tuple[list[int], int]:
    """Integers W and a power of two D with w_j = W_j / D exactly."""
    ratios = [x.as_integer_ratio() for x in w]
    D = max(d for _, d in ratios)
    return [x * (D // d) for x, d in ratios], D


@lru_cache(1 << 10)  # calls on many matrices need the same ratios: 1/M, 1/N
def from_ratio(num: int, den: int) -> Triple:
    """The quotient num / den as a triple, from its first 160 bits; integers of any size, den > 0, maybe not reduced."""
    if num == 0:
        return ZERO
    sign = 1.0 if num > 0 else -1.0
    num = abs(num)
    shift = 160 - (num.bit_length() - den.bit_length())
    q = (num << shift) // den if shift >= 0 else num // (den << -shift)
    if q >> 160:  # 160 bits of the quotient in either case
        q, shift = q >> 1, shift - 1
    h = float(q)
    l = float(q - int(h))
    e, remainder = divmod(-shift, 256)
    h, l = sign * ldexp(h, remainder - 256), sign * ldexp(l, remainder - 256)
    if abs(h) < LARGE:
        return h, l, float(e + 1)
    return norm(h, l, float(e + 1))


def from_fraction(x: Fraction | int) -> Triple:
    """The fraction x as a triple, by from_ratio()."""
    return from_ratio(x.numerator, x.denominator)


def fraction(x: Triple) -> Fraction:
    """The exact value of a triple."""
    return (Fraction(x[0]) + Fraction(x[1])) * Fraction(2) ** (256 * int(x[2]))
