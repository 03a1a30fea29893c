"""Expectations over k trials drawn without replacement from a question's n: tables over states.

A state is (n, c): c successes in n trials. Each kernel fills out[i] with the metric of state i.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb

from ._jit import jit
from .counts import States
from .exact import total
from .numerics import ONE, ZERO, add, div, ext, get, mul, power, product, put, ratio, sub


@jit
def pass_at_k(n, c, k, out):
    """1 - C(n-c, k) / C(n, k), as P += (1 - P) m / (n - i): every term positive."""
    for s in range(n.size):
        low, high = min(c[s], k), max(c[s], k)
        P = ZERO
        for i in range(low):
            P = add(P, mul(sub(ONE, P), ratio(float(high), float(n[s] - i))))
        put(out, s, ONE if high > n[s] - low else P)


@jit
def pass_hat_k(n, c, k, out):
    """C(c, k) / C(n, k), as the shorter of its two products."""
    for s in range(n.size):
        top, steps = (c[s], k) if k <= n[s] - c[s] else (n[s] - k, n[s] - c[s])
        P = ONE if c[s] >= k else ZERO
        for i in range(steps if c[s] >= k else 0):
            P = mul(P, ratio(float(top - i), float(n[s] - i)))
        put(out, s, P)


@jit
def blend(x, y, alpha, beta):
    """(x^alpha y^beta with 0^0 = 1, and which base is 0 to a negative power: 0 none, 1 x, 2 y).

    0 to a negative power is 0 beside a 0 to a positive one.
    """
    if (x[0] == 0.0 and alpha[0] > 0.0) or (y[0] == 0.0 and beta[0] > 0.0):
        return ZERO, 0
    if x[0] == 0.0 and alpha[0] < 0.0:
        return ZERO, 1
    if y[0] == 0.0 and beta[0] < 0.0:
        return ZERO, 2
    return mul(power(x, alpha), power(y, beta)), 0


@jit
def blends(x, y, alpha, beta, out):
    """Blends of two tables; the first code that is not 0, or 0."""
    for i in range(x.shape[0]):
        G, undefined = blend(get(x, i), get(y, i), alpha, beta)
        if undefined > 0:
            return undefined
        put(out, i, G)
    return 0


@jit
def naive_pass_hat_k(n, c, k, out):
    """1 - (1 - c/n)^k: drawn with replacement, so biased."""
    for s in range(n.size):
        P, p = ZERO, ratio(float(c[s]), float(n[s]))
        for _ in range(k):
            P = add(P, mul(sub(ONE, P), p))
        put(out, s, P)


@jit
def credit_at_k(n, c, k, A, out):
    """E[A_J], J successes among the k drawn. A: (k+1, 3) triples.

    J is hypergeometric: w(j+1) / w(j) = (c-j)(k-j) / ((j+1)(n-c-k+j+1)).
    """
    for s in range(n.size):
        first, last = max(0, k - (n[s] - c[s])), min(c[s], k)
        w, total, credit = ONE, ONE, get(A, first)
        for j in range(first, last):
            up = product(float(c[s] - j), float(k - j))
            w = mul(w, div(up, product(float(j + 1), float(n[s] - c[s] - k + j + 1))))
            total = add(total, w)
            credit = add(credit, mul(w, get(A, j + 1)))
        put(out, s, div(credit, total))


@jit
def credits(w, A):
    """The credit A_j = w_1 + ... + w_j of j successes. w: (k+1, 3), row 0 unused; A: (k+1, 3)."""
    total = ZERO
    for j in range(w.shape[0]):
        if j > 0:
            total = add(total, get(w, j))
        put(A, j, total)


# --- the spectra w_r, r = 1..k, of the named metrics: g = sum_r w_r P(at least r of k succeed) -----


@jit
def threshold_weights(k, r, w):
    """All weight on "at least r of k"."""
    put(w, r, ONE)


@jit
def upper_half_weights(k, w):
    """mG-Pass@k: 2/k on every r > m = ceil(k/2)."""
    for r in range((k + 1) // 2 + 1, k + 1):
        put(w, r, ratio(2.0, float(k)))


@jit
def auc_weights(k, w):
    """AUC@k, the trapezoids of Pass@1..k.

    sum_j C(k-r, j-1) / C(k, j) = (k+1) / (r (r+1)), less half of its first and last terms, over k - 1.
    """
    put(w, 1, ratio(float(k + 1), float(2 * k)))
    for r in range(2, k + 1):
        up = float(2 * k * (k + 1) - r * (r + 1))
        put(w, r, div(ext(up), product(float(2 * k * r), float((r + 1) * (k - 1)))))


@jit
def given_weights(values, w):
    """Weights from the caller: values[r-1] is w_r."""
    for r in range(1, w.shape[0]):
        put(w, r, ext(values[r - 1]))


def exact_max(levels: Sequence[int], states: Sequence[States], k: int, shift: int) -> tuple[int, int]:
    """r_L - sum_l (r_{l+1} - r_l) mean C(c + shift, k) / C(n + shift, k), where doubles would cancel.

    levels: the rewards as integers, increasing; states[l]: (trials, trials at or below level l).
    shift: 0 for the bank; k - 1 for the posterior, whose rising factorials are these binomials.
    """
    M = int(states[0].mult.sum())
    terms = [(levels[-1] * M, 1)]
    for (low, high), s in zip(pairwise(levels), states, strict=True):
        for n, c, m in zip(s.n.tolist(), s.c.tolist(), s.mult.tolist(), strict=True):
            terms.append(((low - high) * m * comb(c + shift, k), comb(n + shift, k)))
    num, den = total(terms)
    return num, den * M
