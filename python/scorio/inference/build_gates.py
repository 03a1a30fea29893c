"""Gates of many builds against a floor below a pinned build, and the noise floor: the margins that gates can hold.

The formulas: spec/families/ledger.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.distributions import beta_high, error_rate, normal_quantile, one_sided_z
from ..arithmetic.double_double import (
    HALF,
    ONE,
    ZERO,
    Ratio,
    Triple,
    add,
    div,
    ext,
    from_fraction,
    from_ratio,
    get,
    mul,
    neg,
    put,
    root,
    sub,
    times_2_to,
    total,
    value,
)
from ..outcomes.by_run import ByRun, Entries
from ..outcomes.counts import Counts
from ..outcomes.states import score_sums
from . import mean
from .decision import p_values_at_margin, reach_of_unsampled
from .degrees_of_freedom import MOST, df_of_trials, satterthwaite, smaller
from .difference import Difference, over_runs, paired_difference, quantile
from .estimate import Measurement, MetricRequest, measure_counts, parse_request
from .estimator import Estimator
from .history import History, Tally, at_least_one, is_at_most, read_runs, spread
from .runs import Dispersion, run_test
from .variance import REST, THETA, TRIALS, fixed_pair, larger, over_square, size_and_q, unit_of_trials, wilson_ends

QUARTER, THREE_QUARTERS = (0.25, 0.0, 0.0), (0.75, 0.0, 0.0)


class Floor(NamedTuple):
    """A floor on the scale 0..1; exact where it is known as a fraction."""

    F: Triple
    exact: Fraction | None = None

    def below(self, theta: Fraction) -> Triple:
        """How far the floor is below a score; 0 exactly if it is equal."""
        return sub(from_fraction(theta), self.F) if self.exact is None else from_fraction(theta - self.exact)


def ends(x: Measurement, tail: Triple) -> tuple[Triple, Triple]:
    """The ends of the interval of a mean on the scale 0..1, each of which errs in `tail`."""
    z = normal_quantile(sub(HALF, tail), tail)
    t, u = (quantile(tail, df) if df[0] else z for df in (x.freedom, x.freedom_of_units))
    of_runs = quantile(tail, x.over_runs.freedom) if x.over_runs.V[0] else ZERO
    theta, rest = get(x.estimator.parts.x, THETA), get(x.estimator.parts.x, REST)
    lo, _, hi, _ = wilson_ends(theta, rest, size_and_q(x.interval_parts, theta, rest, t, u, of_runs)[1])
    return lo, hi


def against_pin(A: Estimator, pin: Estimator, guard: Triple, runs: Dispersion | None) -> Difference:
    """The difference of a build and the pin, which is taken as known where every question of the build has two trials.

    The uncertainty of the pin is then that of the floor. Signs of questions are not used.
    """
    p, q = A.parts, pin.parts
    if p.some_single:
        return paired_difference(A, pin, False, guard, "builds", runs=runs)._replace(signs=None)
    largest, known = from_fraction(A.joint_range(pin)), q.x.copy()
    put(known, TRIALS, ZERO)
    V = fixed_pair(p.x, known, p.M, largest)
    freedom = df_of_trials(p.x, A.squared_variances, known, ZERO, largest)
    units = unit_of_trials(p.x, p.M, 1), unit_of_trials(q.x, q.M, 1)
    d = Difference(A.difference(pin), root(V), freedom, p.variance_source(), larger(*units), guard)
    if runs is None:
        return d
    return d._replace(unit=runs.unit(*units), over_runs=over_runs(runs, V, freedom))


class Gates:
    """The gate: its floor, and the number of builds in doubt so far."""

    def __init__(self, h: History, margin: float, confidence: float, runs: Dispersion | None) -> None:
        request = parse_request("mean", None, None, h.w, "fixed", guard=1.0)
        self.request: MetricRequest = request._replace(runs=runs)
        low, high = Fraction(min(h.w)), Fraction(max(h.w))
        self.low, self.span, self.runs = from_fraction(low), from_fraction(high - low), runs
        self.delta = Fraction(margin) / (high - low)
        self.margin = from_fraction(self.delta)
        # the levels of a verdict "fail", and of each end of an interval
        self.alpha, self.tail = error_rate(confidence, 2), error_rate(confidence, 4)
        assert h.pin is not None
        measured = self.measured(h.pin)
        self.pin = measured.estimator
        hi = ends(measured, self.tail)[1]
        # theta = 1 has the end 1
        exact = None if get(self.pin.parts.x, REST)[0] else 1 - self.delta
        self.floor = Floor(sub(hi, self.margin) if exact is None else from_fraction(exact), exact)
        self.pin_hi = ONE if exact is not None else hi
        self.doubtful = 0

    def measured(self, counts: Counts) -> Measurement:
        """The mean score of a build and the parts of its variance."""
        return measure_counts(self.request, counts, None, None)

    def level(self) -> Triple:
        """The level of the next build."""
        k = self.doubtful + 1
        return div(self.alpha, ext(float(4 * k * (k + 1))))

    def scored(self, x: Triple) -> float:
        """A score on the scale 0..1 in units of w."""
        return value(add(self.low, mul(self.span, x))) + 0.0

    def build(self, counts: Counts) -> tuple[Any, ...]:
        """The fields of the next build, without its name."""
        x, floor, level = self.measured(counts), self.floor, self.level()
        theta = Fraction(*self.pin.average.theta)  # type: ignore[attr-defined]
        d = against_pin(x.estimator, self.pin, self.request.guard, self.runs)
        worse, better = p_values_at_margin(d, floor.below(theta))
        verdict = "pass" if is_at_most(worse, level) else "fail" if is_at_most(better, self.alpha) else "inconclusive"
        doubtful = not is_at_most(worse, QUARTER) and is_at_most(worse, THREE_QUARTERS)
        self.doubtful += doubtful
        raised = False
        if verdict == "pass":
            proven = sub(ends(x, self.tail)[0], self.margin)
            raised = bool(sub(proven, floor.F)[0] > 0.0)
            self.floor = Floor(proven) if raised else floor
        p = value(worse), value(better)
        return (value(x.estimator.mu()) + 0.0, self.scored(floor.F), *p, value(level), doubtful, raised, verdict)


def gates(
    h: History, margin: Any, confidence: float, runs: Any
) -> tuple[list[tuple[Any, ...]], tuple[float, float, float, float]]:
    """The fields of each build; the score of the pin, its upper end, the floor and the level of the next build."""
    kind = read_runs(runs, ("fixed",))
    delta = arguments.gap(margin, "margin", max(h.w) - min(h.w))
    g = Gates(h, delta, confidence, None if isinstance(kind, str) else kind)
    rows = [(name, *g.build(x)) for name, x in zip(h.names, h.builds, strict=True)]
    return rows, (value(g.pin.mu()) + 0.0, g.scored(g.pin_hi), g.scored(g.floor.F), value(g.level()))


# --- the noise floor: how much evaluations of one build differ --------------------------------------

Test = tuple[Triple, Triple, Triple]  # a variance, its degrees of freedom, what it grows by for a unit of distance


def distance(level: Triple, V: Triple, freedom: Triple, tilt: Triple) -> Triple:
    """The distance from the floor whose p-value is the level."""
    q = quantile(level, freedom)
    square = mul(q, q)
    half = times_2_to(mul(square, tilt), -1.0)
    return add(half, root(add(mul(half, half), mul(square, V))))


def parts_of(x: Estimator) -> tuple[Triple, Triple]:
    """The sums over questions of the variances of trials, and of their squares."""
    return get(x.parts.x, TRIALS), x.squared_variances


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


class Unchanged:
    """An unchanged build at a gate: what the margin follows from, of each evaluation and of all pooled."""

    def __init__(self, h: History, V: Fraction, both: Counts, span: Fraction, power: float, confidence: float) -> None:
        self.V, self.span, self.confidence, self.E = from_fraction(V), from_fraction(span), confidence, len(h.builds)
        self.z = one_sided_z(power)
        self.request = parse_request("mean", None, None, h.w, "fixed", guard=1.0)
        self.counts, self.both, self.w = h.builds, both, h.w
        self.each = [self._measured(x, None).estimator for x in h.builds]
        self.pooled = self._measured(both, None).estimator
        self.M, self.n = self.pooled.parts.M, min(x.min_trials for x in h.builds)
        self.by_units = all(x.parts.single for x in self.each)
        self.r = Fraction(self.pooled.joint_range(self.pooled))
        trials = [(m, int(n)) for x in h.builds for n, m in zip(*np.unique(x.trials, return_counts=True), strict=True)]
        self.h = self.r * Fraction(*total([(int(m), n * self.E * self.M**2) for m, n in trials]))
        self.theta = Fraction(*self.pooled.average.theta)  # type: ignore[attr-defined]

    def _measured(self, counts: Counts, runs: Dispersion | None) -> Measurement:
        return measure_counts(self.request._replace(runs=runs), counts, None, None)

    def margin(self, p: int, parts: int, of_ledger: bool, runs: Dispersion | None) -> float | None:
        """The margin of a gate at the level (1 - confidence)/parts against p evaluations; None: the span or more."""
        if not self.span[0] or not self.V[0]:
            return 0.0 if self.span[0] else None
        level = error_rate(self.confidence, parts)
        d = self._below(p, runs)
        if sub(d, ONE)[0] >= 0.0:
            return None
        tests = self._by_units(d, p) if self.by_units else self._by_trials(d, p, of_ledger and self.n > 1)
        most = ZERO
        for V, df, tilt in tests:
            most = larger(most, distance(level, V, df, tilt))
            if more := runs and runs.with_runs(V, df):
                most = larger(most, distance(level, more.V, more.freedom, ZERO))
        x = add(larger(most, self._exact(level, d, runs)), d)
        if of_ledger:
            x = add(x, self._width(p, runs))
        return value(mul(self.span, x)) if sub(x, ONE)[0] < 0.0 else None

    def _exact(self, level: Triple, d: Triple, runs: Dispersion | None) -> Triple:
        """The distance by the exact bound."""
        if self.by_units:
            return mul(sub(ONE, d), beta_high(level, ONE, ext(float(self.M))))
        unit = from_ratio(1, self.M * self.n)
        low = Difference(neg(d), ONE, ONE, "measured", runs.unit(unit) if runs else unit, ONE)
        return reach_of_unsampled(low, level, -1.0)

    def _below(self, p: int, runs: Dispersion | None) -> Triple:
        """How far the build's score is below that of the pin."""
        V = mul(self.V, at_least_one(runs.ratio)) if runs else self.V
        both = mul(add(V, from_fraction(self.h**2 / 2)), from_ratio(p + 1, p))
        return add(mul(self.z, root(both)), from_fraction(self.h / 2))

    def _width(self, p: int, runs: Dispersion | None) -> Triple:
        """How far the upper end of the pin's interval is above its score."""
        tail, out = error_rate(self.confidence, 4), ZERO
        for x in self.counts if p == 1 else [self.both]:
            measured = self._measured(x, runs)
            out = add(out, sub(ends(measured, tail)[1], get(measured.estimator.parts.x, THETA)))
        return div(out, ext(float(self.E))) if p == 1 else mul(out, root(from_ratio(self.E, p)))

    def _by_trials(self, d: Triple, p: int, is_known: bool) -> list[Test]:
        """Tests by trials: the variance of a build with the low score, and of one whose trials vary little."""
        S, E = (div(reduce(add, x), ext(float(self.E))) for x in zip(*map(parts_of, self.each), strict=True))
        of_pin, share = (ZERO, ZERO), from_ratio(self.E, p)
        if not is_known:
            T, F = parts_of(self.pooled)
            of_pin = (S, E) if p == 1 else (mul(share, T), mul(mul(share, share), F))
        s = from_fraction(self.r**2 / self.n**2)
        rest, squares = add(of_pin[0], s), add(of_pin[1], mul(s, s))
        score = sub(from_fraction(self.theta), d)
        more = div(mul(score, sub(ONE, score)), from_fraction(self.theta * (1 - self.theta)))
        few = sub(S, mul(self.z, root(E)))
        few = few if few[0] > 0.0 else ZERO
        of_few = div(mul(E, few), S) if S[0] else ZERO
        out = []
        for own, x, y in ((mul(S, at_least_one(more)), S, E), (few, few, of_few)):
            out.append((over_square(add(own, rest), self.M), satterthwaite(add(x, rest), add(y, squares)), ZERO))
        return out

    def _by_units(self, d: Triple, p: int) -> list[Test]:
        """Tests by units: the differences of each evaluation from all stand for those of a build from its pin."""
        M, E, z = self.M, self.E, from_fraction
        m2, m4, m6 = (Fraction(x) * (Fraction(p + 1, p) * Fraction(E, E - 1)) ** k for k, x in self.moments.items())
        Z, c = m2 / (M - 1), Fraction(1, 2 * M * M)
        if not m2:  # each evaluation differs from the others by the same on every question
            return [(z(c), smaller(ext(2.0), ext(float(M - 1))), ZERO)]
        K = mul(z((1 - 2 * self.theta) * Z * (1 - Fraction(1, p)) / M), root(z(m4 / m2)))
        most = add(z(Z), div(mul(d, neg(K)), z(Z))) if K[0] < 0.0 else z(Z)
        few = sub(z(Z), mul(self.z, root(z(m4 / M**3))))
        few = few if few[0] > 0.0 else ZERO
        skew = sub(K, mul(d, z((m4 - 3 * m2**2) / (m2 * M**2))))
        tilt = sub(root(mul(z(m6 / M**5), div(most, z(Z)))), skew)
        out = []
        for x, t in ((most, tilt if tilt[0] > 0.0 else ZERO), (few, ZERO)):
            V = add(x, z(c))
            squares = add(div(mul(x, x), ext(float(M - 1))), z(c * c / 2))
            df = smaller(smaller(div(mul(V, V), squares), ext(float(M - 1))), MOST)
            out.append((V, df, div(t, V)))
        return out

    @cached_property
    def moments(self) -> dict[int, Fraction]:
        """The mean powers 2, 4 and 6 of the differences of evaluations from all, less their mean, by half the power."""
        scale, M, E = mean.scale(self.w), self.M, self.E
        sums = dict.fromkeys((1, 2, 3), 0)
        S = [score_sums(x.cells, scale.U)[0].astype(object) for x in self.counts]
        for x in S:
            d = E * x - sum(S)
            for t, m in zip(*np.unique(M * d - d.sum(), return_counts=True), strict=True):
                for k in sums:
                    sums[k] += int(m) * int(t) ** (2 * k)
        return {k: Fraction(y, E * M * (M * E * scale.span) ** (2 * k)) for k, y in sums.items()}


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
    V = Fraction(*total(terms))
    flaky = np.flatnonzero(spreads != 0).tolist()
    unchanged = Unchanged(h, V, both, t.span, power, confidence)
    stated = Dispersion(ext(runs.ratio), ext(runs.df))
    gates = ((1, 2, False), (pooled, 16, True))
    margins = (unchanged.margin(*gate, of_runs) for of_runs in (None, stated) for gate in gates)
    sigma = value(mul(from_fraction(t.span), root(from_fraction(V))))
    fields = (t.in_units_of_w(t.mean(x)), sigma, runs.ratio, runs.df, runs.p_value, runs.sd, flaky)
    return (*fields, value(from_fraction(flips(both, t))), *margins)
