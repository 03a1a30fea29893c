"""Whether a candidate may replace a baseline, in one benchmark or over several: non-inferiority by a margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, inf
from typing import Any, NamedTuple, SupportsIndex, get_args

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import error_rate, normal_z, one_sided_z
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, fraction, mul, sub, value
from ..errors import InvalidInput
from ..inference import suite as suites
from ..inference.clusters import Units
from ..inference.decision import (
    margin_decision,
    p_values_at_margin,
    rescaled_interval,
    tilted_error,
    to_unit_scale,
    trials_of_unsampled,
)
from ..inference.difference import Difference
from ..inference.estimate import MetricRequest, Pair, pair, parse_request
from ..inference.pairs import Contrast, holm
from ..inference.variance import larger
from ..metrics.metric import Metric, lower_is_better, metrics_for
from ..outcomes.models import check_same_names
from ..outcomes.tally import Outcomes
from ..results import (
    Decision,
    MetricName,
    RateModel,
    Rule,
    Runs,
    Spending,
    SuiteRuns,
    Target,
    VarianceSource,
    shown_as_table,
)
from .boundaries import one_sided_level
from .sample_size import questions_needed, trials_needed


@shown_as_table
class Gate(NamedTuple):
    """The verdict of a gate, and the difference candidate - baseline with its interval and two p-values.

    ``p_worse`` is the p-value against a candidate that is worse by the margin or more: pass depends on it. ``p_better``
    is the p-value against a candidate that loses at most the margin: fail depends on it. ``worse`` is true if the whole
    interval is below 0. ``trials_needed`` or ``questions_needed``: how many, in all, would decide with the stated
    power.
    """

    verdict: Decision
    mu: float
    sigma: float
    lo: float
    hi: float
    p_worse: float
    p_better: float
    df: float
    worse: bool
    trials_needed: int | None
    questions_needed: int | None
    variance_source: VarianceSource
    dropped: list[int]


def gate(
    candidate: Outcomes,
    baseline: Outcomes,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    margin: float,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    paired: bool = True,
    clusters: Labels | None = None,
    guard: float = 1.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
    looks: Reals | None = None,
    spending: Spending = "obrien-fleming",
    power: float = 0.8,
) -> Gate:
    """Whether a candidate is non-inferior to a baseline by a margin: pass, fail or inconclusive.

    Parameters
    ----------
    candidate, baseline : array_like, shapes (M, N), or Counts
        Outcomes of both on the same questions, by id or row by row as in :func:`compare`. The numbers of trials may
        differ.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`.
    margin : float > 0
        The loss, in units of w, that is acceptable: below the difference of the highest and the lowest score.
    questions, runs, paired, clusters, missing
        As in :func:`compare`, but missing cannot be "bounds".
    guard : float in [0, 1]
        The largest difference of a question that was not sampled, as a share of the scale; with "fixed", of a trial
        that was not run. 0: the t test alone, if trials are equal.
    confidence : float in (0, 1), with looks [1/2, 1 - 1e-12]
        Level of the two-sided interval over all looks: a wrong verdict has the nominal probability (1 - confidence)/2.
    looks : array_like, shape (K,), optional
        Fractions of the planned information at the looks so far, the last one this look, as in :func:`boundaries`:
        (0.2, 0.4) is the second of five equal steps. Default: the only look.
    spending : {"obrien-fleming", "pocock"}
        How the looks share the error rate.
    power : float in [1/2, 1)
        Power of the plan of an inconclusive gate.

    Returns
    -------
    Gate
        (verdict, mu, sigma, lo, hi, p_worse, p_better, df, worse, trials_needed, questions_needed, variance_source,
        dropped). verdict is "pass" if the whole interval is above -margin, "fail" if it is below, else "inconclusive".
        An inconclusive gate needs trials_needed (fixed questions) or questions_needed (sampled ones), in all, to decide
        with the stated power in one look, if the difference is the observed one; None where none can be computed, as
        where runs are sampled.

    Raises
    ------
    InvalidInput
        As :func:`compare` and :func:`boundaries`; range: a margin that is not between 0 and the span of the scores.

    Notes
    -----
    spec/families/looks.md. The verdict, the interval and the p-values are those of a t test at the margin, and allow
    for failures that the sample may lack: by an exact bound, the probability that all questions (on fixed questions:
    trials) of the sample are like these although enough others differ by ``guard``; and on similar questions by a
    variance that is larger the more the differences are skewed towards the margin. With outcomes 0 and 1 the worst rate
    of wrong passes that searches found is 2.8%, nominal 2.5%, where the t test errs in up to 57%. Scores of which few
    questions differ by much need a smaller guard: with 1, 50 questions hardly pass a margin of .03. A guard below the
    largest difference that occurs is wrong in up to 9% of runs. That the interval is below 0 (worse) is no reason to
    fail: at a difference of -margin this occurs in 7% to 92% of runs.

    Examples
    --------
    >>> from scorio import sinf
    >>> base = [[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    >>> new = [[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
    >>> r = sinf.gate(new, base, margin=0.1, questions="fixed")
    >>> r.verdict, round(r.mu, 4), round(r.lo, 4), round(r.p_worse, 4)
    ('pass', 0.125, -0.0974, 0.0239)
    """
    confidence, paired = arguments.confidence(confidence), arguments.flag(paired, "paired")
    request = parse_gate_request(metric, k, tau, w, questions, model, guard)
    delta = check_margin(margin, request.m)
    tail, power = one_sided_level(confidence, looks, spending), arguments.power(power)
    request = request.with_runs(runs, [("candidate", candidate), ("baseline", baseline)], missing)
    x = pair(request, candidate, baseline, ("candidate", "baseline"), paired, missing, clusters)
    d = x.difference(request, "candidate")
    unit_margin = to_unit_scale(delta, request.m)
    verdict, p_worse, p_better = margin_decision(d, unit_margin, tail)
    mu, sigma, lo, hi = rescaled_interval(d, tail, request.m, unit_margin)
    plan: tuple[int | None, int | None] = (None, None)
    if verdict == "inconclusive" and d.over_runs is None:
        metric_arguments = {"metric": metric, "k": k, "tau": tau, "w": w}
        plan = _plan(x, d, abs(mu + delta), unit_margin, metric_arguments, request, confidence, power)
    results = (value(p_worse), value(p_better), value(d.reported(tail)[1]), bool(hi < 0.0))
    return Gate(verdict, mu, sigma, lo, hi, *results, *plan, d.variance_source, x.dropped)


def parse_gate_request(metric: Any, k: Any, tau: Any, w: Any, questions: Any, model: Any, guard: Any) -> MetricRequest:
    """The checked request of a gate; raises for a metric of which lower values are better."""
    if lower_is_better(metric):
        why = f"metric = {metric!r}: lower is better, a gate needs one of which higher is better"
        raise InvalidInput("choice", "metric", why, f"lower:{metric}")
    return parse_request(metric, k, tau, w, questions, model, metrics_for("gate"), guard)


def check_margin(margin: Any, m: Metric) -> float:
    """The margin, checked to be above 0 and below the span of the scores."""
    return arguments.gap(margin, "margin", max(m.w) - min(m.w))


def _plan(
    x: Pair,
    d: Difference,
    distance: float,
    margin: Triple,
    metric_arguments: dict[str, Any],
    request: MetricRequest,
    confidence: float,
    power: float,
) -> tuple[int | None, int | None]:
    """(trials, questions) that decide, also by p_value_of_unsampled(); None where not computed.

    distance: from mu to -margin.
    """
    if not x.paired or distance == 0.0:
        return None, None
    rule = {**metric_arguments, "difference": distance, "confidence": confidence, "power": power}
    z, z_of_power = normal_z(confidence), one_sided_z(power)
    n0 = trials_of_unsampled(d, margin, error_rate(confidence, 2), div(z, add(z, z_of_power)))
    units_needed = Fraction(0) if n0 is None else fraction(n0)
    if request.sampled:
        units = x.units or Units(x.a.parts.M)
        options: dict[str, Any] = {"clusters": False if units.labels is None else units.labels.tolist()}
        options["model"] = "mixture" if request.use_mixture else None
        needed = questions_needed(x.a.counts, x.b.counts, **rule, **options)
        by_bound = ceil(units_needed * Fraction(units.squared, units.M))
        return None, None if needed is None else max(needed, by_bound)
    if request.m.name != "mean" and (x.a.parts.short or x.b.parts.short):
        return None, None  # fewer than 2k trials do not identify the variance at more trials
    needed = trials_needed(x.a.counts, x.b.counts, **rule)
    return None if needed is None else max(needed, ceil(units_needed * Fraction(request.m.k, x.a.parts.M))), None


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
    z_required = add(z, one_sided_z(arguments.power(power)))
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
