"""The beta-binomial model of a benchmark: how its questions' success rates spread, from all of their counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic.double_double import ONE, Table, Triple, put
from ..arithmetic.rational import from_ratio, total
from ..metrics import hypergeometric, posterior
from ..metrics.metric import Metric, credits, values
from ..outcomes.states import States, binary_groups

NEARLY_ALL = 10**6  # the model's share of the variance of trials is at most 1 - 1/NEARLY_ALL


class Law(NamedTuple):
    """Success rates as draws from Beta(a, b), fitted by moments."""

    a: Triple
    b: Triple


def fit(states: States) -> Law | None:
    """a = m s, b = (1 - m) s with s = d / (1 - d); None where all outcomes are equal, which fits no spread.

    m = mean x, x = c/n; d = (sum of x (1-x) n / (n-1) over n > 1, + mean 1/n) / (M m (1-m)), at most 1 - 10^-6.
    """
    groups = binary_groups(states)
    M = sum(g.M for g in groups)
    x, each = total([(g.sums[1], g.n) for g in groups])  # M m = x / each
    other = each * M - x
    if x == 0 or other == 0:
        return None
    within = [(g.pairs[0, 1], g.n * (g.n - 1)) for g in groups if g.n > 1]
    y, unit = total([*within, *((g.M, g.n * M) for g in groups)])
    num, den = y * each * each * M, unit * x * other  # d
    if num * NEARLY_ALL >= den * (NEARLY_ALL - 1):
        num, den = NEARLY_ALL - 1, NEARLY_ALL
    whole = each * M * (den - num)
    return Law(from_ratio(x * num, whole), from_ratio(other * num, whole))


def variances(m: Metric, s: States, law: Law) -> Table:
    """E[U(X)^2] - E[B_Y] of each state: the variance of U(X) given the rate, averaged over the rates.

    X successes of n trials, Y of 2k, both under the law updated by (n, c); B_l is what l successes of 2k say of the
    product of the credits of two disjoint draws.
    """
    out, B = np.empty((s.n.size, 3)), products(m)
    for n in np.unique(s.n).tolist():
        rows, all_c = np.flatnonzero(s.n == n), np.arange(n + 1)
        squares = values(m, np.full(n + 1, n), all_c)
        posterior.squared(squares)
        found = np.empty((rows.size, 3))
        posterior.variance_of_trials(n, s.c[rows], law.a, law.b, squares, B, found)
        out[rows] = found
    return out


def products(m: Metric) -> Table:
    """B_l, l = 0..2k."""
    B = np.zeros((2 * m.k + 1, 3))
    if m.name == "pass_hat_k":
        put(B, 2 * m.k, ONE)
    else:
        hypergeometric.products(m.k, credits(m)[0], B)
    return B
