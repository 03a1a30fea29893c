"""Estimators of the metrics that choose from k trials: Max@k, and one answer by plurality or by a score.

The formulas: spec/families/answers.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.distributions import normal_quantile
from ..arithmetic.double_double import (
    ZERO,
    Table,
    Triple,
    add,
    div,
    ext,
    from_fraction,
    from_ratio,
    get,
    mul,
    neg,
    over_common_denominator,
    put,
    ratio,
    root,
    sub,
    times_2_to,
)
from ..metrics import choice, hypergeometric, rewards
from ..metrics.metric import Metric, metric_weights, steepest
from ..metrics.rewards import Levels, Stretches
from ..metrics.weights import majority
from ..outcomes.answers import Detailed
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, distinct, distinct_rows, states_of
from . import estimator, variance
from .degrees_of_freedom import sum_of_squares
from .estimator import Blocks, Mask, unidentified
from .variance import RANGE, THETA, TRIALS, Parts

# --- Max@k, from the number of trials of each question below each level of reward -------------------


class MaxAtK(estimator.Blocks):
    """Estimator of Max@k: u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l.

    The gaps between levels are shares of the range of rewards.
    """

    def __init__(self, m: Metric, counts: Counts, use_mixture: bool) -> None:
        self.m, self.counts = m, counts
        self.levels = rewards.read(counts, m.w)  # below: the trials under each reward but the lowest, the levels
        self._steps = steps = _steps(counts, self.levels)
        n, mult, self.which = steps.n, steps.mult, steps.which
        self.u, rest, v = (np.zeros((n.size, 3)) for _ in range(3))
        if len(self.levels.rewards) > 1:
            _fill_tables(m, steps, self.levels.rewards, self.u, rest, v)
        else:
            rest[:, 0] = 1.0
        self.parts = estimator.parts_of(m, n, mult, self.u, rest, v, use_mixture)
        put(self.parts.x, RANGE, from_fraction(self.joint_range(self)))
        self._states, self._v = States(n, np.zeros_like(n), mult), v
        if self.parts.short and len(self.levels.rewards) > 1:
            put(self.parts.x, TRIALS, self._bound())

    def _pass_at_k_of_levels(self) -> Iterator[tuple[Metric, States, tuple[variance.Parts, Table, Table]]]:
        """For each level, Pass@k of rewards at or above it: the metric, the states, (variance components, u, v)."""
        metric = self.m._replace(name="pass_at_k")
        for b in self.levels.each_below():
            s = states_of(self.counts.trials, self.counts.trials - b.astype(np.int64))
            yield metric, s, estimator.parts_of_states(metric, s, self.parts.use_mixture)

    def _bound(self) -> Triple:
        """Upper bound (sum_l gap_l sqrt(S_l))^2 of the sum of the variances over trials, S_l this sum for level l."""
        total = ZERO
        for gap, (_, _, (p, _, _)) in zip(_gaps(self.levels.rewards), self._pass_at_k_of_levels(), strict=True):
            total = add(total, mul(gap, root(get(p.x, TRIALS))))
        return mul(total, total)

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared variances; where their sum is a bound, from the level at which it is largest."""
        if not self.parts.short:
            known = estimator.known_variances(self.m, self._states, self.parts, self.u, self._v)
            return sum_of_squares(known, self._steps.mult)
        largest, S = ZERO, get(self.parts.x, TRIALS)
        for metric, s, (p, u, v) in self._pass_at_k_of_levels():
            if (T := get(p.x, TRIALS))[0] > 0.0:
                squares = sum_of_squares(estimator.known_variances(metric, s, p, u, v), s.mult)
                largest = variance.larger(largest, div(squares, mul(T, T)))
        return mul(largest, mul(S, S))

    def mu(self) -> Triple:
        """Max@k, as eval.max_at_k returns it."""
        return rewards.max_at_k(self.counts, self.levels, self.m.k)

    def exact(self) -> Fraction:
        """Max@k as an exact fraction, from the trials below each level; needs two different rewards."""
        W, unit = over_common_denominator(self.levels.rewards)
        x, d = rewards.exact_max_at_k(self.counts, self.levels, self.m.k, W)
        return Fraction(x, d * unit)

    def exact_difference(self, other: MaxAtK) -> Triple:
        """The difference of two models' Max@k from exact fractions."""
        W, _ = over_common_denominator(self.levels.rewards)
        (x, d), (y, e) = (rewards.exact_max_at_k(z.counts, z.levels, self.m.k, W) for z in (self, other))
        return from_ratio(x * e - y * d, d * e * (W[-1] - W[0]))

    def exact_steps(self) -> Iterator[tuple[int, int, list[tuple[Fraction, int]]]]:
        """For each distinct row: n, how many questions have it, and its (gap, b) from the lowest reward up."""
        W, _ = over_common_denominator(self.levels.rewards)
        s, span = self._steps, max(W[-1] - W[0], 1)
        by_row: list[list[tuple[Fraction, int]]] = [[] for _ in range(s.n.size)]
        for row, low, high, b in zip(*(x.tolist() for x in (s.row, s.low, s.high, s.below)), strict=True):
            by_row[row].append((Fraction(W[high] - W[low], span), b))
        return zip(s.n.tolist(), s.mult.tolist(), by_row, strict=True)


class Steps(NamedTuple):
    """Distinct rows (n, b_1, b_2, ...) of questions; and for each row the gaps between rewards, and b there."""

    n: Array  # the trials of each distinct row, increasing
    mult: Array  # how many questions have the row
    which: Array  # the distinct row of each question
    row: Array  # the distinct row of each gap
    low: Array  # the indices of the rewards at the ends of the gap
    high: Array
    below: Array  # the trials under the gap


def _steps(counts: Counts, levels: Levels | Stretches) -> Steps:
    """The distinct rows of questions; of many rewards each question has a row of its own, with joined gaps."""
    if isinstance(levels, Stretches):
        order = np.argsort(counts.trials, kind="stable")
        which = np.empty_like(order)
        which[order] = np.arange(order.size)
        at = np.argsort(which[levels.question], kind="stable")
        row, low, high, below = (x[at] for x in (which[levels.question], levels.low, levels.high, levels.below))
        return Steps(counts.trials[order], np.ones_like(order), which, row, low, high, below)
    (n, *b), mult, which = distinct_rows([counts.trials, *(x.astype(np.int64) for x in levels.below)])
    row, low = np.repeat(np.arange(n.size), len(b)), np.tile(np.arange(len(b)), n.size)
    below = np.stack(b, axis=1).reshape(-1) if b else n[:0]
    return Steps(n, mult, which, row, low, low + 1, below)


def _gaps(r: list[float]) -> list[Triple]:
    """The gaps between rewards as shares of their range."""
    gaps_of_levels = rewards.gaps(r)
    if not gaps_of_levels:
        return []
    full = rewards.gaps([r[0], r[-1]])[0]
    return [div(gap, full) for gap in gaps_of_levels]


def _fill_tables(m: Metric, x: Steps, r: list[float], u: Table, rest: Table, v: Table) -> None:
    """Fill u, 1 - u and, where every question has 2k trials or more, the trial-to-trial variance of each row."""
    s, at = distinct(x.n[x.row], x.below)
    estimator.check_work(m, s, False)
    P, Z, D = (np.zeros((s.n.size, 3)) for _ in range(3))  # the tables of variance.fill_rows()
    hypergeometric.pass_at_k(s.n, s.n - s.c, m.k, P)
    if x.n[0] >= 2 * m.k:
        hypergeometric.fill_two_samples(s.n, s.c, m.k, Z, D)
    else:
        hypergeometric.pass_hat_k(s.n, s.c, m.k, Z)
    variance.fill_rows(x.row, at, x.low, x.high, np.array(r), P, Z, D, u, rest, v)


# --- one answer; a state is the Votes or the Levels of a question -----------------------------------

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
        return sum_of_squares(self._v, self.mult)

    def trials(self) -> Array:
        """The number of trials of each question."""
        return self.n[self.which]

    def exact(self) -> Fraction:
        """The metric theta as an exact fraction."""
        terms = (x * m for x, m in zip(self.exact_choices, self.mult.tolist(), strict=True))
        return sum(terms, Fraction(0)) / self.parts.M

    def exact_difference(self, other: Any) -> Triple:
        """The difference of two models' metrics, from the exact values."""
        return from_fraction(self.exact() - other.exact())


def value(m: Metric, x: Any) -> Fraction:
    """The metric of one question as an exact fraction."""
    return choice.best_of_k(x, m.k) if m.name == "best_of_k" else choice.plurality(x, m.k, m.name == "plurality_at_k")


def mean(m: Metric, answers: Detailed) -> Triple:
    """The metric averaged over questions, rounded once."""
    value_of = {x: value(m, x) for x in {*answers.items}}
    return from_fraction(sum((value_of[x] for x in answers.items), Fraction(0)) / answers.M)


def largest_step(m: Metric, n: int) -> Triple:
    """The most that one more correct trial can add to the metric; for a vote, with two possible answers."""
    if m.name == "best_of_k":
        return ratio(float(m.k), float(n))
    k = m.k - 1 if m.name == "plurality_at_k" and m.k % 2 == 0 else m.k  # with ties split, an even k is like k - 1
    vote_of_two = Metric("maj_at_k", k, majority(k), m.w)
    return hypergeometric.step(n, steepest(vote_of_two, n), k, metric_weights(vote_of_two))


def trials_variance(m: Metric, x: Any) -> Triple:
    """The variance of the metric over the trials of a question.

    With n >= 2k trials it is the jackknife variance J. With fewer it is, for a choice by score, J, an upper bound (0 if
    n = k, where J is unknown). For a vote it is ((n-k) J + (2k-n) L)/k, where L comes from a probit model; for a
    single trial 0, since its variance is unknown.
    """
    n, k = x.n, m.k
    J = from_fraction(choice.jackknife(x, partial(value, m))) if n > k else ZERO
    if n >= 2 * k or n == 1 or m.name == "best_of_k":
        return J
    g = choice.expected_plurality(x, k, m.name == "plurality_at_k")
    L = probit(from_fraction(g), from_fraction(1 - g), n, k)
    return div(add(mul(ext(float(n - k)), J), mul(ext(float(2 * k - n)), L)), ext(float(k)))


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
    return mul(half, total)


def _table(x: list[Fraction]) -> Table:
    return np.array([from_fraction(y) for y in x])
