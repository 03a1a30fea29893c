"""The rules of decisions, of today and earlier, in NumPy: runs in rows and questions in columns.

tests/test_decisions.py compares them with the package ("now"). `earlier` asks for the rule that the one of fixed
questions replaced ("before"): the normal distribution.
Below B is the number of runs, M that of questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, ndtr, stdtr, stdtrit

Array = np.ndarray


class Tables(NamedTuple):
    """Arrays by successes 0..n: metric u, its variance v over trials; s: what a further trial adds to their sum."""

    u: Array
    v: Array
    s: float


@cache
def tables(n: int, k: int) -> Tables:
    """Tables of Pass@k for n trials; k = 1 is the mean."""
    if n < 2 * k:
        raise ValueError("the variance of Pass@k needs n >= 2k trials")
    u, both = (np.array([comb(n - x, j) / comb(n, j) for x in range(n + 1)]) for j in (k, 2 * k))
    return Tables(1 - u, u**2 - both, k / n * k / (n + k - 1))


class Runs(NamedTuple):
    """Runs of one model: the metric of each question, and the terms of the variance over trials."""

    u: Array  # (B, M)
    v: Array  # (B, M)
    s: float
    largest: Array | float = 1.0  # the largest difference between two trials of a question


def binary_runs(c: Array, n: Sequence[int], k: int = 1) -> Runs:
    """Runs of Pass@k from successes (B, M) in n trials of each question."""
    by_question = [tables(x, k) for x in n]
    if len(set(n)) == 1:
        return Runs(by_question[0].u[c], by_question[0].v[c], by_question[0].s)
    u, v = (np.column_stack([x[i][c[:, j]] for j, x in enumerate(by_question)]) for i in range(2))
    return Runs(u, v, max(t.s for t in by_question))


def largest_difference(counts: Array, scores: Sequence[float]) -> Array:
    """The largest difference between two trials of a question in each run; scores rise."""
    seen, w = counts > 0, np.asarray(scores)
    first, last = seen.argmax(2), len(w) - 1 - seen[..., ::-1].argmax(2)
    return (w[last] - w[first]).max(1)


def graded_runs(counts: Array, scores: Sequence[float]) -> Runs:
    """Runs of the mean, from counts (B, M, categories) of n trials each."""
    w, n = np.asarray(scores), int(counts[0, 0].sum())
    u = counts @ w / n
    v = np.einsum("bmc,bmc->bm", counts, (w - u[..., None]) ** 2) / (n * (n - 1))
    return Runs(u, v, 1 / n**2, largest_difference(counts, scores))


def max_at_k_runs(counts: Array, scores: Sequence[float], k: int) -> Runs:
    """Runs of Max@k, from counts (B, M, categories) of n >= 2k trials each; Max@1 is the mean."""
    if k == 1:
        return graded_runs(counts, scores)
    n, below = int(counts[0, 0].sum()), np.cumsum(counts, axis=2)[..., :-1]
    miss = np.array([comb(b, k) / comb(n, k) for b in range(n + 1)])
    rest = np.array([comb(max(b - k, 0), k) / comb(n - k, k) for b in range(n + 1)])
    gaps = np.diff(scores)
    u, v = (gaps * (1 - miss[below])).sum(2), 0.0
    for i, g in enumerate(gaps):
        for j, h in enumerate(gaps):
            low, high = below[..., min(i, j)], below[..., max(i, j)]
            v = v + g * h * miss[low] * (miss[high] - rest[high])
    return Runs(u, v, k / n * k / (n + k - 1), largest_difference(counts, scores))


class Differences(NamedTuple):
    """Differences with their standard errors and degrees of freedom (inf: the normal distribution).

    flips: the two-sided p-values by signs, 0 where there is none.
    """

    D: Array
    error: Array
    freedom: Array
    flips: Array | float = 0.0

    def p(self) -> Array:
        """Two-sided p-values; 1 where D is 0."""
        with np.errstate(all="ignore"):
            p = 2 * upper_tail(np.abs(self.D) / self.error, self.freedom)
        return np.where(self.D == 0, 1.0, np.maximum(p, self.flips))

    def half(self, level: float = 0.05) -> Array:
        """Half the widths of the intervals, where the standard errors are not 0."""
        wide = -stdtrit(np.minimum(self.freedom, 1e9), level / 2) * self.error
        return np.maximum(wide, np.where(self.flips > level, np.abs(self.D), 0.0))


def upper_tail(t: Array, freedom: Array) -> Array:
    """Probability P(T >= t); freedom inf: the normal distribution."""
    return np.where(np.isinf(freedom), ndtr(-t), stdtr(np.where(np.isinf(freedom), 1.0, freedom), -t))


def sign_flips(x: Array) -> Array:
    """Two-sided p-values of the sums of x by their signs; 0 if there is none: more than 14 are not 0, of both signs."""
    total = np.abs(x).sum(1, keepdims=True)
    e = np.rint(x / np.where(total > 0, total, 1.0) * 2.0**48)
    m, same = (e != 0).sum(1), np.abs(e.sum(1)) == np.abs(e).sum(1)
    p = np.where(same, np.minimum(1.0, 2.0 ** (1 - np.minimum(m, 60))), 0.0)
    for size in np.unique(m[~same & (m <= 14)]).tolist():
        which = np.flatnonzero(~same & (m == size))
        signs = 1.0 - 2.0 * ((np.arange(2 ** (size - 1)) >> np.arange(size)[:, None]) & 1)
        for rows in np.array_split(which, which.size * 2**size // 2**23 + 1):
            few = np.take_along_axis(e[rows], np.argsort(-np.abs(e[rows]), axis=1)[:, :size], 1)
            p[rows] = (np.abs(few @ signs) >= np.abs(few.sum(1))[:, None] - 2.0**8).mean(1)
    return p


def fixed_differences(a: Runs, b: Runs, earlier: bool = False) -> Differences:
    """Differences on this question set."""
    M, largest = a.u.shape[1], np.maximum(a.largest, b.largest)
    s = max(a.s, b.s) * np.where(largest > 0, largest, 1.0) ** 2
    total = np.maximum(a.v.sum(1), 0) + np.maximum(b.v.sum(1), 0) + s
    freedom = np.full_like(total, np.inf) if earlier else 2 * total**2 / ((a.v**2 + b.v**2).sum(1) + s * s)
    return Differences(a.u.mean(1) - b.u.mean(1), np.sqrt(total) / M, freedom)


def sampled_differences(d: Array, sizes: Sequence[int] | None = None, guard: float = 0.0) -> Differences:
    """Differences for the population of questions, from those of each question.

    sizes: of the clusters (default 1), whose questions are adjacent.
    """
    M, m = d.shape[1], np.asarray((1,) * d.shape[1] if sizes is None else sizes)
    means = np.add.reduceat(d, np.append(0, np.cumsum(m)[:-1]), axis=1) / m
    D, w = d.mean(1), m / M
    Q = float(w @ w)
    Z, c = (w**2 / (1 - 2 * w + Q) * (means - D[:, None]) ** 2).sum(1), guard**2 * Q / (2 * M)
    freedom = np.full_like(D, bell_mccaffrey(w) if sizes is not None else M - 1)
    if guard:
        freedom = np.minimum(freedom, (Z + c) ** 2 / (Z**2 / freedom + c * c / 2))
    return Differences(D, np.sqrt(Z + c), freedom, sign_flips(means * w))


def unpaired_differences(a: Array, b: Array) -> Differences:
    """Differences on different questions, from the metric of each question."""
    (A, v, f, _), (B, w, g, _) = (sampled_differences(x, guard=1.0) for x in (a, b))
    V = v**2 + w**2
    return Differences(A - B, np.sqrt(V), V**2 / (v**4 / f + w**4 / g))


def gate_p_values(
    x: Differences, margin: float, unit: float, guard: float, d: Array | None = None
) -> tuple[Array, Array]:
    """p-values (worse, better) of a gate with 1/unit independent trials; d: the differences of sampled questions."""
    D, gap, V = x.D, x.D + margin, x.error**2
    with np.errstate(all="ignore"):
        p = np.maximum(
            upper_tail(np.abs(gap) / x.error, x.freedom), (sign_flips(d + margin) if d is not None else 0.0) / 2
        )
        if d is not None and guard:
            terms = ((d - D[:, None]) / d.shape[1]) ** 3
            skew = np.abs(gap) * np.sqrt((terms**2).sum(1)) - gap * terms.sum(1)
            p = np.maximum(p, upper_tail(np.abs(gap) / np.sqrt(V + np.maximum(skew, 0) / V), x.freedom))
        if guard:
            p = np.where(x.error > 0, np.maximum(p, exact_bound(D / guard, margin / guard, 1 / unit, d is None)), p)
    p = np.where(gap == 0, 0.5, p)
    other = np.maximum(1 - p, 0.5)  # not exact: it decides nothing
    return np.where(gap > 0, p, other), np.where(gap < 0, p, other)


def exact_bound(D: Array, margin: float, U: float, by_trials: bool) -> Array:
    """The probability that U independent trials show D although it is -margin."""
    if margin >= 1:
        above = np.zeros_like(D)
    else:
        above = ((1 - margin) / np.maximum(1 + D, 1e-300)) ** U
        if by_trials:
            lost = np.clip(-D * U, 0, U - 1e-9)
            above = np.where(D < 0, betainc(U - lost, lost + 1, 1 - margin), above)
    return np.where(D + margin > 0, above, ((1 + margin) / np.maximum(1 - D, 1e-300)) ** U)


def bell_mccaffrey(w: Array) -> float:
    """Bell and McCaffrey's degrees of freedom; w: shares of the questions in each cluster."""
    Q = w @ w
    a = w**2 / (1 - 2 * w + Q)
    return float(Q**2 / (np.outer(a, a) * (np.eye(len(w)) - w[:, None] - w[None, :] + Q) ** 2).sum())


def holm(p: Array) -> Array:
    """Holm's adjusted p-values, of each row."""
    order, m = np.argsort(p, axis=1), p.shape[1]
    steps = np.minimum(1, np.take_along_axis(p, order, 1) * (m - np.arange(m)))
    out = np.empty_like(p)
    np.put_along_axis(out, order, np.maximum.accumulate(steps, axis=1), 1)
    return out


def satterthwaite(parts: Sequence[Differences], weights: Sequence[float]) -> Differences:
    """Weighted mean of differences over benchmarks."""
    V = [(w * x.error) ** 2 for w, x in zip(weights, parts, strict=True)]
    total = sum(V)
    D = sum(w * x.D for w, x in zip(weights, parts, strict=True))
    return Differences(D, np.sqrt(total), total**2 / sum(v**2 / x.freedom for v, x in zip(V, parts, strict=True)))
