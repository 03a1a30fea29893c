"""The best of k trials: Max@k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import bank, checks, numerics, posterior
from ..checks import Bounds
from ..counts import Counts, distinct, states_of
from ..exact import Ratio, Triple, from_ratio, whole
from ..results import Interval
from .bayes import bayes_ci
from .steps import Outcomes, Policy, interval, rubric

CANCELLED = 2.0**-40  # below this share of its terms a signed sum is redone in exact fractions


def _reward_levels(counts: Counts, w: Sequence[float]) -> tuple[list[float], list[npt.NDArray[np.int64]], list[int]]:
    """Distinct rewards, increasing; for all but the last, each question's trials at or below it, and the categories."""
    levels, table, values = sorted(set(w)), counts.table, np.array(w)
    columns = [np.flatnonzero(values <= r) for r in levels[:-1]]
    return levels, [table[:, c].sum(axis=1) for c in columns], [c.size for c in columns]


def _above_lowest(levels: Sequence[float], means: Sequence[Triple], exact: Callable[[list[int]], Ratio]) -> Triple:
    """r_1 + sum_l (r_{l+1} - r_l) means[l]; redone exactly where positive and negative terms cancel."""
    total: Triple = numerics.ext(levels[0])
    for (low, high), mean in zip(pairwise(levels), means, strict=True):
        gap = numerics.sub(numerics.ext(high), numerics.ext(low))
        total = numerics.add(total, numerics.mul(gap, mean))
    if levels[0] < 0.0 and abs(numerics.value(total)) < CANCELLED * max(map(abs, levels)):
        W, D = whole(levels)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    return total


def max_at_k(R: Outcomes, k: int, w: Any = None, *, missing: Policy = "raise") -> float:
    """Max@k: expected best score among k trials drawn from the N, averaged over questions.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    k : int, 1 <= k <= N
        Trials drawn; with unequal trials at most the smallest N.
    w : array_like, shape (C+1,), optional
        Score of each category, in any order; default (0, 1), which makes this Pass@k.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    float
        In [min w, max w], in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, k or w.

    Notes
    -----
    Bagirov et al. 2025, arXiv:2510.23393. A score of the best of k, not of a model that must choose.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.max_at_k([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0]), 6)
    0.85
    """
    k = checks.draws(k)
    counts, w = rubric(R, w, None, missing)
    checks.trials_at_least(counts, k)
    levels, below, _ = _reward_levels(counts, w)
    states = [states_of(counts.trials, b) for b in below]
    means = []
    for s in states:
        out = np.empty((s.n.size, 3))
        bank.pass_at_k(s.n, s.n - s.c, k, out)
        means.append(numerics.mean(out, s.mult, counts.M))
    return numerics.value(_above_lowest(levels, means, lambda W: bank.exact_max(W, states, k, 0))) + 0.0


def max_at_k_ci(
    R: Outcomes,
    k: int,
    w: Any = None,
    R0: Outcomes = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the expected best score among k new trials; any k >= 1.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    k : int >= 1
        New trials; may exceed N. k = 1 is :func:`bayes_ci`.
    confidence : float in (0, 1)
        Credibility of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: the smallest and largest score for k >= 2, none for k = 1.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma, in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    Dirichlet posterior per question, as in :func:`bayes`. A uniform prior on every question: with k large it
    credits scores that were never seen.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.max_at_k_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0])
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.75, 0.08812, 0.5773, 0.9227)
    """
    k = checks.draws(k)
    if k == 1:
        return bayes_ci(R, w, R0, confidence, bounds, missing=missing)
    confidence = checks.confidence(confidence)
    counts, w = rubric(R, w, R0, missing)
    clip = checks.bounds(bounds, (min(w), max(w)))
    levels, below, ones = _reward_levels(counts, w)
    T = counts.trials + len(w)
    A = [b + one for b, one in zip(below, ones, strict=True)]
    mu, var = _dirichlet_max(T, A, levels, k) if A else (numerics.ext(levels[0]), numerics.ZERO)
    return interval(mu, var, confidence, clip)


def _dirichlet_max(
    T: npt.NDArray[np.int64], A: Sequence[npt.NDArray[np.int64]], levels: Sequence[float], k: int
) -> tuple[Triple, Triple]:
    """Mean and variance of r_L - sum_l gap_l A_l^k, averaged over questions; Cov by pairs of levels."""
    M, states = T.size, [states_of(T, a) for a in A]
    table, index = distinct(np.concatenate([T] * len(A)), np.concatenate(A))
    pass_, power_, var = (np.empty((table.n.size, 3)) for _ in range(3))
    posterior.lower_tail_powers(table.c, table.n, k, pass_, power_, var)
    at = [index[l * M : (l + 1) * M] for l in range(len(A))]
    means = []
    for i in at:
        rows, mult = np.unique(i, return_counts=True)
        means.append(numerics.mean(pass_[rows], mult, M))
    mu = _above_lowest(levels, means, lambda W: bank.exact_max(W, states, k, k - 1))
    gaps = [numerics.sub(numerics.ext(b), numerics.ext(a)) for a, b in pairwise(levels)]
    total = numerics.ZERO
    for m in range(len(A)):
        for l in range(m + 1):
            pair = states_of(at[l], at[m])
            cov = posterior.level_covariance(pair.n, pair.c, pair.mult, power_, var)
            cov = numerics.mul(numerics.mul(gaps[l], gaps[m]), cov)
            total = numerics.add(total, cov if l == m else numerics.add(cov, cov))
    count_ = numerics.ext(float(M))
    return mu, numerics.div(numerics.div(total, count_), count_)
