"""Weights w_r of g = sum_r w_r P(at least r of k succeed): of named metrics, and those that the caller gives."""

from fractions import Fraction
from typing import Any

import numpy as np

from ..arguments import vector
from ..arithmetic import double_double
from ..arithmetic.double_double import Table, div, ext, get, product, put
from ..arithmetic.jit import jit
from ..errors import InvalidInput
from . import hypergeometric

THRESHOLD, UPPER_HALF, TRAPEZOIDS, FLIPS = 0, 1, 2, 3  # "at least r of k"; mG-Pass@k; AUC@k; the flip rate


@jit
def weight(kind, k, least, r):
    """The weight w_r as integers (x, a, b), w_r = x / (a b).

    THRESHOLD: 1 at r = least, else 0. UPPER_HALF: 2/k for r > ceil(k/2), else 0. TRAPEZOIDS, the trapezoid rule over
    Pass@1..k: the sum over j of C(k-r, j-1) / C(k, j), which is (k+1) / (r (r+1)), less half of its first and last
    terms, divided by k - 1. FLIPS: w_1 = 1 and w_2 = -1.
    """
    if kind == THRESHOLD:
        return (1 if r == least else 0), 1, 1
    if kind == UPPER_HALF:
        return (2 if 2 * r > k + k % 2 else 0), k, 1
    if kind == FLIPS:
        return 3 - 2 * r, 1, 1
    if r == 1:
        return k + 1, 2 * k, 1
    return 2 * k * (k + 1) - r * (r + 1), 2 * k * r, (r + 1) * (k - 1)


def majority(k: int) -> int:
    """The threshold for more than half of k trials."""
    return k // 2 + 1


def complement_at_k(kind: int, k: int) -> int:
    """The complement 1 - A_k, A_k the sum of the weights, in units of 1/k."""
    return k if kind == FLIPS else k % 2 if kind == UPPER_HALF else 0


@jit
def fill_weights(kind, k, least, w):
    """Fill w with the weights as triples. w: (k+1, 3) zeros, row 0 unused."""
    for r in range(1, k + 1):
        x, a, b = weight(kind, k, least, r)
        if x:
            put(w, r, div(ext(float(x)), product(float(a), float(b))))


def weight_table(kind: int, k: int, least: int = 1) -> Table:
    """The weights as triples, (k+1, 3), row 0 unused."""
    w = np.zeros((k + 1, 3))
    fill_weights(kind, k, least, w)
    return w


def exact_weights(kind: int, k: int, least: int = 1) -> list[Fraction]:
    """The weights w_1..w_k as fractions."""
    return [Fraction(x, a * b) for x, a, b in (map(int, weight(kind, k, least, r)) for r in range(1, k + 1))]


def spectrum_weights(x: Any, k: int) -> Table:
    """Check that the k weights are not negative and sum to at most 1; returns triples, (k+1, 3), row 0 unused."""
    values = vector(x, "weights")
    if len(values) != k:
        raise InvalidInput("length", "weights", f"weights has {len(values)} entries for k = {k}")
    w, A = np.zeros((k + 1, 3)), np.zeros((k + 1, 3))
    for r, item in enumerate(values):
        if item < 0.0:
            raise InvalidInput("range", "weights", f"weights[{r}] = {item!r} is negative")
        put(w, r + 1, ext(item))
    hypergeometric.credits(w, A)
    if double_double.value(get(A, k)) > 1.0 + 1e-12:  # weights such as 1/3 are rounded
        raise InvalidInput("sum", "weights", f"weights sum to {sum(values)!r}, above 1")
    return w


def threshold(k: int, tau: float) -> int:
    """The smallest r >= 1 with double(r / k) >= tau: ceil(tau k) without rounding errors."""
    r = max(1, min(k, int(tau * k)))
    while r > 1 and (r - 1) / k >= tau:
        r -= 1
    while r / k < tau:
        r += 1
    return r
