"""Gates of many builds against a floor that is a margin below a pinned build.

The formulas: spec/families/ledger.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.distributions import error_rate, normal_quantile
from ..arithmetic.double_double import (
    HALF,
    ONE,
    ZERO,
    Triple,
    add,
    div,
    ext,
    get,
    mul,
    put,
    root,
    sub,
    value,
)
from ..arithmetic.rational import from_fraction
from ..outcomes.counts import Counts
from .decision import p_values_at_margin
from .degrees_of_freedom import df_of_trials
from .difference import Difference, over_runs, paired_difference, quantile
from .estimate import Measurement, MetricRequest, measure_counts, parse_request
from .estimator import Estimator
from .history import History, is_at_most, read_runs
from .run_effects import Dispersion
from .variance import (
    REST,
    THETA,
    TRIALS,
    fixed_pair,
    larger,
    size_and_q,
    unit_of_trials,
    wilson_ends,
)

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
        x: Triple = div(self.alpha, ext(float(4 * k * (k + 1))))
        return x

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
