"""The rules of decisions, of today and earlier, in NumPy: runs in rows and questions in columns.

tests/test_decisions.py compares them with the package ("now"). `earlier` asks for the rules that these replaced
("before"): the normal distribution for fixed questions, M - 1 degrees of freedom for sampled ones, clusters ignored.
Below B is the number of runs, M that of questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

Array = np.ndarray


class Tables(NamedTuple):
    """Arrays by successes 0..n: metric u, its variance v over trials, variance e of v.

    The stabiliser s is added to the sum of v over the questions, which may be 0.
    """

    u: Array
    v: Array
    e: Array
    s: float


@cache
def tables(n: int, k: int) -> Tables:
    """Tables of Pass@k for n trials; k = 1 is the mean."""
    c = range(n + 1)
    u = np.array([1 - comb(n - x, k) / comb(n, k) for x in c])
    s = k / n * k / (n + k - 1)
    if n < 2 * k:
        raise ValueError("the variance of Pass@k needs n >= 2k trials")
    both = np.array([comb(n - x, 2 * k) / comb(n, 2 * k) for x in c])
    v = (1 - u) ** 2 - both
    e = np.zeros(n + 1)
    for x in range(1, n):
        g, slope, curvature = x * (n - x) / (n - 1), (v[x + 1] - v[x - 1]) / 2, v[x + 1] - 2 * v[x] + v[x - 1]
        e[x] = min(v[x] ** 2, g * slope**2 + g * g * curvature**2 / 2)
    return Tables(u, v, e, s)


class Runs(NamedTuple):
    """Runs of one model: the metric of each question, and the terms of the variance over trials."""

    u: Array  # (B, M)
    S: Array  # (B,): the sum of v
    E: Array  # (B,): variance of S
    s: float  # the stabiliser


def binary_runs(c: Array, n: Sequence[int], k: int = 1) -> Runs:
    """Runs of Pass@k from successes (B, M) in n trials of each question."""
    by_question = [tables(x, k) for x in n]
    if len(set(n)) == 1:
        t = by_question[0]
        u, v, e = t.u[c], t.v[c], t.e[c]
    else:
        u, v, e = (np.column_stack([x[i][c[:, j]] for j, x in enumerate(by_question)]) for i in range(3))
    return sum_questions(u, v, e, max(t.s for t in by_question))


def graded_runs(counts: Array, scores: Sequence[float]) -> Runs:
    """Runs of the mean, from counts (B, M, categories) of n trials each."""
    w, n = np.asarray(scores), int(counts[0, 0].sum())
    u = counts @ w / n
    off = w - u[..., None]
    m2, m4 = (np.einsum("bmc,bmc->bm", counts, off**p) / n for p in (2, 4))
    v = m2 / (n - 1)
    e = np.minimum(v**2, np.maximum(m4 - m2**2 * (n - 3) / (n - 1), 0) / (n - 1) ** 3)
    return sum_questions(u, v, e, 1 / n**2)


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
    return sum_questions(u, v, v**2, k / n * k / (n + k - 1))


def sum_questions(u: Array, v: Array, e: Array, s: float) -> Runs:
    """Runs with the variances of their questions summed."""
    S = np.maximum(v.sum(1), 0)
    return Runs(u, S, np.minimum(e.sum(1), (v**2).sum(1) - S**2 / (u.shape[1] + 1)), s)


class Differences(NamedTuple):
    """Differences with their standard errors and degrees of freedom; inf: the normal distribution."""

    D: Array
    error: Array
    freedom: Array

    def p(self) -> Array:
        """Two-sided p-values."""
        return 2 * upper_tail(np.abs(self.D) / self.error, self.freedom)


def upper_tail(t: Array, freedom: Array) -> Array:
    """Probability P(T >= t); freedom inf: the normal distribution."""
    return np.where(np.isinf(freedom), ndtr(-t), stdtr(np.where(np.isinf(freedom), 1.0, freedom), -t))


def fixed_differences(a: Runs, b: Runs, earlier: bool = False) -> Differences:
    """Differences on this question set."""
    M, s = a.u.shape[1], max(a.s, b.s)
    total = a.S + b.S + s
    freedom = np.full_like(total, np.inf) if earlier else 2 * total**2 / (a.E + b.E + s * s)
    return Differences(a.u.mean(1) - b.u.mean(1), np.sqrt(total) / M, freedom)


def sampled_differences(a: Runs, b: Runs, sizes: Sequence[int] | None = None, earlier: bool = False) -> Differences:
    """Differences for the population of questions; sizes: of the clusters (default 1), whose questions are adjacent."""
    d, M = a.u - b.u, a.u.shape[1]
    D, least = d.mean(1), fixed_differences(a, b).error ** 2
    if sizes is None or earlier:
        sizes = (1,) * M
    m = np.asarray(sizes)
    means = np.add.reduceat(d, np.append(0, np.cumsum(m)[:-1]), axis=1) / m
    w, G = m / M, len(m)
    Q = float(w @ w)
    a_g = w**2 / (1 - 2 * w + Q)
    z, c = a_g * (means - D[:, None]) ** 2, Q / ((3 if earlier else 2) * M)
    Z = z.sum(1)
    V = np.maximum(Z + c, least)
    if earlier:
        return Differences(D, np.sqrt(V), np.full_like(Z, M - 1))
    freedom = 2 * (Z + c) ** 2 / ((z**2).sum(1) - Z**2 * (G - 3) / (G * (G - 1)) + c * c)
    return Differences(D, np.sqrt(V), np.minimum(freedom, bell_mccaffrey(w)))


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
