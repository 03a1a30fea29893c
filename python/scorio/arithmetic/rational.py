"""Exact fractions of integers of any size, and their rounding to double-doubles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm, ldexp

from .double_double import LARGE, ZERO, Triple, norm

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
    x: Triple = norm(h, l, float(e + 1))
    return x


def from_fraction(x: Fraction | int) -> Triple:
    """The fraction x as a triple, by from_ratio()."""
    return from_ratio(x.numerator, x.denominator)


def fraction(x: Triple) -> Fraction:
    """The exact value of a triple."""
    return (Fraction(x[0]) + Fraction(x[1])) * Fraction(2) ** (256 * int(x[2]))
