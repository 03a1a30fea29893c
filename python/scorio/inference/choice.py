"""Estimator of the metrics that choose one answer from k trials, by plurality or by a score.

The formulas: spec/families/answers.md. A state is the Votes or the Levels that some question has. u is the metric of a
question, v its variance over the trials.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..arithmetic.distributions import normal_quantile
from ..arithmetic.double_double import ZERO, Table, Triple, add, div, ext, get, mul, neg, ratio, root, sub, times_2_to
from ..arithmetic.rational import from_ratio
from ..metrics import choice, hypergeometric
from ..metrics.metric import Metric, metric_weights, steepest
from ..metrics.weights import majority
from ..outcomes.answers import Detailed
from ..outcomes.states import Array
from . import variance
from .degrees_of_freedom import sum_of_squares
from .u_statistic import Blocks, Mask, unidentified
from .variance import THETA, Parts

# Gauss-Legendre quadrature of six points: the positive nodes, and their weights over pi
NODES = (
    ((0.2386191860831969, 3.917524250872457e-18, 0.0), (0.14894163125764295, 8.741838128666738e-18, 0.0)),
    ((0.6612093864662645, 3.212031102377179e-17, 0.0), (0.11483397525643828, 6.2736499450620816e-18, 0.0)),
    ((0.932469514203152, -2.22457639152902e-17, 0.0), (0.054534279669709425, 3.0477062483546964e-22, 0.0)),
)  # fmt: skip


class Choice(Blocks):
    """Estimator of Plurality@k or best-of-k: exact value of each state; variance by the jackknife or a probit model."""

    def __init__(self, m: Metric, answers: Detailed) -> None:
        self.m = m
        self.states = sorted({*answers.items}, key=lambda x: (x.n, x))
        places = {x: i for i, x in enumerate(self.states)}
        self.which = np.array([places[x] for x in answers.items])
        self.n, self.mult = np.array([x.n for x in self.states]), np.bincount(self.which)
        self.exact_choices = [value(m, x) for x in self.states]
        self.u, rest = _table(self.exact_choices), _table([1 - x for x in self.exact_choices])
        self._v = np.array([trials_variance(m, x) for x in self.states])
        unknown = unidentified(self.n, m.k, m.name != "best_of_k")
        self.parts = self._parts(rest, unknown)
        variance.fill_unknown(self.u, unknown, get(self.parts.x, THETA), self.parts.M, self._v)

    def _parts(self, rest: Table, unknown: Mask) -> Parts:
        m, M, x = self.m, int(self.mult.sum()), np.empty((variance.ROWS, 3))
        variance.fill(self.u, rest, self._v, unknown, self.mult, M, x)
        min_trials = int(self.n[0])
        variance.fill_trials(min_trials, largest_step(m, min_trials), m.k, x)
        short = min_trials < 2 * m.k
        return Parts(M, m.k, x, bool(unknown.all()), bool(unknown.any()), short, m.name != "best_of_k", "probit")

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared trial-to-trial variances."""
        x: Triple = sum_of_squares(self._v, self.mult)
        return x

    def trials(self) -> Array:
        """The number of trials of each question."""
        return self.n[self.which]

    def exact(self) -> Fraction:
        """The metric theta as an exact fraction."""
        terms = (x * m for x, m in zip(self.exact_choices, self.mult.tolist(), strict=True))
        return sum(terms, Fraction(0)) / self.parts.M

    def exact_difference(self, other: Any) -> Triple:
        """The difference of two models' metrics, from the exact values."""
        return _triple(self.exact() - other.exact())


def value(m: Metric, x: Any) -> Fraction:
    """The metric of one question as an exact fraction."""
    return choice.best_of_k(x, m.k) if m.name == "best_of_k" else choice.plurality(x, m.k, m.name == "plurality_at_k")


def mean(m: Metric, answers: Detailed) -> Triple:
    """The metric averaged over questions, rounded once."""
    value_of = {x: value(m, x) for x in {*answers.items}}
    return _triple(sum((value_of[x] for x in answers.items), Fraction(0)) / answers.M)


def largest_step(m: Metric, n: int) -> Triple:
    """The most that one more correct trial can add to the metric; for a vote, with two possible answers."""
    if m.name == "best_of_k":
        x: Triple = ratio(float(m.k), float(n))
        return x
    k = m.k - 1 if m.name == "plurality_at_k" and m.k % 2 == 0 else m.k  # with ties split, an even k is like k - 1
    vote_of_two = Metric("maj_at_k", k, majority(k), m.w)
    y: Triple = hypergeometric.step(n, steepest(vote_of_two, n), k, metric_weights(vote_of_two))
    return y


def trials_variance(m: Metric, x: Any) -> Triple:
    """The variance of the metric over the trials of a question.

    With n >= 2k trials it is the jackknife variance J. With fewer it is, for a choice by score, J, an upper bound (0 if
    n = k, where J is unknown). For a vote it is ((n-k) J + (2k-n) L)/k, where L comes from a probit model; for a
    single trial 0, since its variance is unknown.
    """
    n, k = x.n, m.k
    J = _triple(choice.jackknife(x, partial(value, m))) if n > k else ZERO
    if n >= 2 * k or n == 1 or m.name == "best_of_k":
        return J
    g = choice.expected_plurality(x, k, m.name == "plurality_at_k")
    L = probit(_triple(g), _triple(1 - g), n, k)
    y: Triple = div(add(mul(ext(float(n - k)), J), mul(ext(float(2 * k - n)), L)), ext(float(k)))
    return y


def probit(g: Triple, rest: Triple, n: int, k: int) -> Triple:
    """Bivariate normal probability at (h, h) with correlation 2k/(n+k), minus that with correlation k/(n+k).

    P(Z <= h) = g = 1 - rest. The difference is the integral of e^(-h^2/(2-s^2)) / (pi sqrt(2-s^2)) over s, with the
    correlation 1 - s^2. It is computed by Gauss-Legendre quadrature of six points.
    """
    # h or -h, whichever has the smaller tail: only h^2 is used
    low, centre = (g, sub((0.5, 0.0, 0.0), g)) if g[0] <= rest[0] else (rest, sub((0.5, 0.0, 0.0), rest))
    h = normal_quantile(centre, low)
    a, b = root(ratio(float(n - k), float(n + k))), root(ratio(float(n), float(n + k)))
    middle, half = times_2_to(add(a, b), -1.0), times_2_to(sub(b, a), -1.0)
    square, total = mul(h, h), ZERO
    for node, weight in NODES:
        for x in (neg(node), node):
            total = add(total, mul(weight, variance.probit_integrand(square, add(middle, mul(half, x)))))
    y: Triple = mul(half, total)
    return y


def _triple(x: Fraction) -> Triple:
    return from_ratio(x.numerator, x.denominator)


def _table(x: list[Fraction]) -> Table:
    return np.array([_triple(y) for y in x])
