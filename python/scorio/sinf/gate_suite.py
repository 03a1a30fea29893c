"""Whether a candidate may replace a baseline over several benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple, SupportsIndex, get_args

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import error_rate, normal_z, one_sided_z
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, mul, sub, value
from ..inference import suite as suites
from ..inference.decision import (
    margin_decision,
    p_values_at_margin,
    rescaled_interval,
    tilted_error,
    to_unit_scale,
    trials_of_unsampled,
)
from ..inference.difference import Difference
from ..inference.estimate import MetricRequest, pair
from ..inference.multiplicity import holm
from ..inference.pairs import Contrast
from ..inference.variance import larger
from ..metrics.metric import Metric
from ..outcomes.models import check_same_names
from ..outcomes.tally import Outcomes
from ..results import Decision, MetricName, RateModel, Rule, SuiteRuns, Target, VarianceSource, shown_as_table
from .gate import check_margin, parse_gate_request


@shown_as_table
class GateRow(NamedTuple):
    """The gate of one benchmark, or of the whole suite (benchmark None).

    ``p_adjusted`` is p_better adjusted by Holm's method over the benchmarks (p_better itself for the suite): fail
    depends on it. ``growth``: the factor by which trials, or questions, must grow to decide with the stated power; None
    if the verdict is not inconclusive, or if the factor is infinite.
    """

    benchmark: Any
    verdict: Decision
    mu: float
    sigma: float
    lo: float
    hi: float
    p_worse: float
    p_better: float
    p_adjusted: float
    df: float
    worse: bool
    growth: float | None
    variance_source: VarianceSource


@shown_as_table
class GateOverSuite(NamedTuple):
    """The verdict; the gate of the weighted mean and that of each benchmark; the weights."""

    verdict: Decision
    mean: GateRow
    each: list[GateRow]
    weights: list[float]


def gate_suite(
    candidate: Mapping[Any, Outcomes],
    baseline: Mapping[Any, Outcomes],
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    margin: float,
    rule: Rule = "mean",
    weights: Mapping[Any, float] | None = None,
    questions: Target,
    runs: SuiteRuns = "fixed",
    confidence: float = 0.95,
    clusters: Mapping[Any, Labels] | None = None,
    guard: float = 1.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
    power: float = 0.8,
) -> GateOverSuite:
    """Whether a candidate is non-inferior to a baseline by a margin over several benchmarks.

    Parameters
    ----------
    candidate, baseline : mapping of benchmark to outcomes
        Outcomes of both in the same benchmarks on the same questions, by id or row by row as in :func:`compare`.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`, for all benchmarks.
    margin : float > 0
        The loss, in units of w, that is acceptable for the mean and in each benchmark.
    rule : {"mean", "each"}
        "mean": pass if the weighted mean passes and no benchmark fails. "each": pass if every benchmark passes, which
        takes far more data.
    weights, questions, runs, clusters, missing
        As in :func:`suite`.
    guard : float in [0, 1]
        As in :func:`gate`.
    confidence : float in (0, 1)
        Level of each two-sided interval. A wrong pass has the nominal probability (1 - confidence)/2, a wrong fail
        1 - confidence (with rule "each" also (1 - confidence)/2).
    power : float in [1/2, 1)
        Power that growth is computed for.

    Returns
    -------
    GateOverSuite
        (verdict, mean, each, weights). mean, and every row of each, is (benchmark, verdict, mu, sigma, lo, hi, p_worse,
        p_better, p_adjusted, df, worse, growth, variance_source); mean has benchmark None. A benchmark fails if
        p_adjusted <= (1 - confidence)/2, p_adjusted being p_better adjusted by Holm's method over the benchmarks (of
        mean, p_better itself). The verdict is "fail" if a benchmark fails or, under "mean", the mean fails; else "pass"
        by the rule, or "inconclusive".

    Raises
    ------
    InvalidInput
        As :func:`gate`, with the benchmark's name; choice: baseline, weights or clusters of other benchmarks.

    Notes
    -----
    spec/families/suites.md. A suite of one benchmark is decided as :func:`gate` decides. growth is
    (z_(1 - alpha/2) + z_power)^2 s^2 / (mu + margin)^2, at least 1 and at least what the exact bound of :func:`gate`
    needs, with alpha = 1 - confidence and s the standard error at the margin: for the observed difference, if the
    variance shrinks with the number of trials (fixed) or questions (sampled) of every benchmark. The level is for one
    look. The verdict on the mean also allows for questions that the samples of the benchmarks may lack. In 102 cells of
    suites with small benchmarks the worst rate of wrong verdicts was 2.6%, where 2.5% is nominal.

    Examples
    --------
    >>> from scorio import sinf
    >>> base = {"easy": [[1, 1, 1, 0]] * 20, "hard": [[0, 1, 0, 0]] * 20}
    >>> new = {"easy": [[1, 1, 1, 1]] * 20, "hard": [[0, 1, 0, 0]] * 20}
    >>> result = sinf.gate_suite(new, base, margin=0.1, questions="fixed")
    >>> result.verdict, result.mean.mu, round(result.mean.lo, 4), [(x.benchmark, x.verdict) for x in result.each]
    ('pass', 0.125, 0.0276, [('easy', 'pass'), ('hard', 'inconclusive')])
    """
    confidence = arguments.confidence(confidence)
    request = parse_gate_request(metric, k, tau, w, questions, model, guard)
    delta, rule = check_margin(margin, request.m), arguments.choice(rule, "rule", get_args(Rule))
    z = normal_z(confidence)
    z_required = add(z, _power_z(arguments.power(power)))
    contrasts = _contrasts(request, candidate, baseline, clusters, missing, runs)
    shares = suites.shares(weights, list(contrasts), list(contrasts))
    mean = suites.combined(list(contrasts.values()), shares, Fraction(max(request.m.w)) - Fraction(min(request.m.w)))
    differences = [x.difference for x in contrasts.values()]
    tail, unit_margin = error_rate(confidence, 2), to_unit_scale(delta, request.m)
    p_adjusted = holm([p_values_at_margin(d, unit_margin)[1] for d in differences])

    def row(name: Any, d: Difference, p: Triple) -> GateRow:
        return _row(name, d, p, unit_margin, tail, (z, z_required), request.m)

    overall = row(None, mean, p_values_at_margin(mean, unit_margin)[1])
    each = [row(name, d, p) for name, d, p in zip(contrasts, differences, p_adjusted, strict=True)]
    return GateOverSuite(_verdict(rule, overall, each), overall, each, [value(x) for x in shares.rounded])


def _power_z(power: float) -> Triple:
    """The normal quantile of a power of at least 1/2."""
    return one_sided_z(power) if power > 0.5 else ZERO


def _contrasts(
    request: MetricRequest, candidate: Any, baseline: Any, clusters: Any, missing: Any, runs: Any
) -> dict[Any, Contrast]:
    """The contrast of the two models in each benchmark; an error names its benchmark."""
    new, base = suites.by_name(candidate, "candidate"), suites.by_name(baseline, "baseline")
    rule = "baseline must have the benchmarks of candidate, by the same names"
    check_same_names(base, list(new), "baseline", rule)
    labels, runs_of_benchmark = suites.labels_of(clusters, new), suites.runs_of(runs, new)
    out = {}
    for name in new:
        with suites.naming_benchmark(name):
            both, names, clusters_of_name = (new[name], base[name]), ("candidate", "baseline"), labels.get(name)
            its_request = request.with_runs(runs_of_benchmark[name], list(zip(names, both, strict=True)), missing)
            x = pair(its_request, *both, names, paired=True, missing=missing, clusters=clusters_of_name)
            out[name] = Contrast(0, 1, x.difference(its_request, "candidate"), x.dropped, (x.a, x.b))
    return out


def _row(
    name: Any, d: Difference, p: Triple, unit_margin: Triple, tail: Triple, quantiles: tuple[Triple, Triple], m: Metric
) -> GateRow:
    """The row of one benchmark, or of the mean; p: its p_adjusted, on which "fail" depends.

    quantiles: the normal quantile of the confidence, and its sum with that of the power.
    """
    z, z_required = quantiles
    verdict, p_worse, p_better = margin_decision(d, unit_margin, tail)
    if verdict != "pass":
        verdict = "fail" if sub(tail, p)[0] >= 0.0 else "inconclusive"
    mu, sigma, lo, hi = rescaled_interval(d, tail, m, unit_margin)
    growth, distance = None, add(d.D, unit_margin)
    if verdict == "inconclusive" and distance[0] != 0.0:
        error = tilted_error(d, unit_margin)
        error = larger(error, d.over_runs[0]) if d.over_runs else error
        t = div(mul(z_required, error), distance)
        n0 = trials_of_unsampled(d, unit_margin, tail, div(z, z_required))
        growth = value(larger(larger(mul(t, t), ONE), mul(n0, d.unit) if n0 else ZERO))
        growth = growth if growth < inf else None
    p_values, df = (value(p_worse), value(p_better), value(p)), value(d.reported(tail)[1])
    return GateRow(name, verdict, mu, sigma, lo, hi, *p_values, df, bool(hi < 0.0), growth, d.variance_source)


def _verdict(rule: str, mean: GateRow, each: Sequence[GateRow]) -> Decision:
    """The verdict on the suite by a rule, from the rows of its mean and of each benchmark."""
    deciding = [mean] if rule == "mean" else each
    if any(x.verdict == "fail" for x in (*deciding, *each)):
        return "fail"
    return "pass" if all(x.verdict == "pass" for x in deciding) else "inconclusive"
