"""The noise floor: how much evaluations of one build differ, and the margins that gates of them can hold.

The formulas: spec/families/ledger.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic.distributions import error_rate, normal_quantile, one_sided_z
from ..arithmetic.double_double import HALF, ONE, ZERO, Triple, add, ext, mul, root, sub, times_2_to, value
from ..arithmetic.rational import Ratio, from_fraction, from_ratio, total
from ..outcomes.by_run import ByRun, Entries
from ..outcomes.counts import Counts
from .difference import quantile
from .history import History, Tally, at_least_one, spread
from .runs import run_test


def by_evaluation(h: History, pooled: Counts) -> ByRun:
    """The outcomes, a run for each evaluation."""
    question, category, times, run = [], [], [], []
    for e, x in enumerate(h.builds):
        start, c, t = x.cells
        question.append(np.repeat(np.arange(x.M), np.diff(start)))
        category.append(c)
        times.append(t)
        run.append(np.full(c.size, e))
    entries = Entries(*(np.concatenate(y) for y in (question, run, category, times)))
    return ByRun(pooled, [str(x) for x in h.names], None, entries, once=False)


def flips(pooled: Counts, t: Tally) -> Fraction:
    """The mean share of pairs of trials of a question whose scores differ."""
    start, category, times = pooled.cells
    n = pooled.trials.astype(object)
    u = np.unique(np.array(t.scale.U, object)[category], return_inverse=True)[1].reshape(-1)
    question = np.repeat(np.arange(pooled.M), np.diff(start))
    same: dict[tuple[int, int], int] = {}
    for q, score, m in zip(question.tolist(), u.tolist(), times.tolist(), strict=True):
        same[q, score] = same.get((q, score), 0) + m
    pairs = n * n
    for (q, _), m in same.items():
        pairs[q] -= m * m
    return Fraction(*total([(x, m * (m - 1) * pooled.M) for x, m in zip(pairs.tolist(), n.tolist(), strict=True)]))


class Margins:
    """The smallest margins by a variance V, in units of w."""

    def __init__(self, span: Fraction, pooled: int, power: float, confidence: float) -> None:
        self.span, self.confidence = from_fraction(span), confidence
        self.z = one_sided_z(power) if power > 0.5 else ZERO
        share = from_ratio(1, pooled)
        self.root_of_share, self.root_of_both = root(share), root(add(ONE, share))

    def of(self, V: Triple, freedom: Triple) -> tuple[float | None, float | None]:
        """The margins of one gate and of gate_builds; freedom: ZERO, the normal distribution."""
        once, pin, here = (self._quantile(error_rate(self.confidence, parts), freedom) for parts in (2, 4, 16))
        single = mul(add(once, self.z), root(times_2_to(V, 1.0)))
        many = add(add(mul(pin, self.root_of_share), here), mul(self.z, self.root_of_both))
        return self._margin(single), self._margin(mul(many, root(V)))

    def _quantile(self, tail: Triple, freedom: Triple) -> Triple:
        x: Triple = quantile(tail, freedom) if freedom[0] else normal_quantile(sub(HALF, tail), tail)
        return x

    def _margin(self, x: Triple) -> float | None:
        """A margin on the scale 0..1 in units of w; None if it is the span or more."""
        return value(mul(self.span, x)) if self.span[0] and sub(x, ONE)[0] < 0.0 else None


def noise(h: History, pooled: int, power: float, confidence: float) -> tuple[Any, ...]:
    """The fields of the noise floor."""
    t, E = Tally(h), len(h.builds)
    both = sum(h.builds[1:], h.builds[0])
    runs = run_test([by_evaluation(h, both)], h.w, "evaluations")
    x = t.scores(both)
    spreads = spread(both.trials.astype(object) if t.is_wide else both.trials, x.S, x.Q)
    terms: list[Ratio] = []
    inverses = [Fraction(*total([(1, int(y.trials[a])) for y in h.builds])) for a in t.first.tolist()]
    for N, s, inverse in zip(x.n.tolist(), t.grouped(spreads).tolist(), inverses, strict=True):
        r = Fraction(s, N * (N - 1) * (t.M * t.scale.span) ** 2 * E) * inverse
        terms.append(r.as_integer_ratio())
    V = from_fraction(Fraction(*total(terms)))
    flaky = np.flatnonzero(spreads != 0).tolist()
    margins = Margins(t.span, pooled, power, confidence)
    of_runs = margins.of(mul(V, at_least_one(ext(runs.ratio))), ext(runs.df))
    sigma = value(mul(from_fraction(t.span), root(V)))
    fields = (t.in_units_of_w(t.mean(x)), sigma, runs.ratio, runs.df, runs.p_value, runs.sd, flaky)
    return (*fields, value(from_fraction(flips(both, t))), *margins.of(V, ZERO), *of_runs)
