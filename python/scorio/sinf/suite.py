"""Many models, in one or several benchmarks: every pair with adjusted p-values, and macro-averages with ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import ZERO, value
from ..display.terms import p_value
from ..errors import InvalidInput
from ..inference import suite as suites
from ..inference.difference import is_significant
from ..inference.estimate import MetricRequest, parse_request
from ..inference.pairs import (
    Contrast,
    adjusted,
    checked_correction,
    contrasts,
    positive_if_better,
    possible_ranks,
    possibly_best,
)
from ..metrics.metric import Metric
from ..outcomes.tally import Models, Outcomes
from ..results import (
    Correction,
    Listing,
    MetricName,
    RateModel,
    Runs,
    SuiteRuns,
    Target,
    VarianceSource,
    shown_as_table,
)
from .compare import comparison_fields


@shown_as_table
class PairComparison(NamedTuple):
    """The models a and b; metric(a) - metric(b) with the results of :func:`compare`; the adjusted p-value."""

    a: Any
    b: Any
    mu: float
    sigma: float
    lo: float
    hi: float
    p_value: float
    df: float
    p_above: float
    significant: bool
    variance_source: VarianceSource
    dropped: list[int]
    p_adjusted: float

    def shown(self) -> dict[str, Any]:
        """The cells of this pair in a table of pairs."""
        p = p_value(self.p_adjusted)  # "p = 0.031" or "p < 0.0001"; the heading of the column says p
        return {
            "a": str(self.a),
            "b": str(self.b),
            "difference": f"{self.mu:.3f}",
            "interval": f"{self.lo:.3f} to {self.hi:.3f}",
            "p adjusted": p.removeprefix("p ").removeprefix("= "),
            "significant": "yes" if self.significant else "no",
        }


def compare_all(
    models: Models,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    correction: Correction = "holm",
    clusters: Labels | None = None,
    guard: float = 0.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> list[PairComparison]:
    """Comparisons of every pair of models, by default with a family-wise error rate of 1 - confidence.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of names to outcomes in any form that
        :func:`scorio.eval.interval` takes.
    metric, k, tau, w, questions, runs, clusters, guard, model
        As in :func:`compare`.
    confidence : float in (0, 1)
        With the correction, 1 - confidence is the nominal probability that some pair of equal models differs
        significantly.
    correction : {"holm", None}
        Holm's step-down adjustment over all L (L - 1) / 2 pairs, or each pair by itself.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A pair is
        compared on the questions that both answered; where models have ids of different questions, this requires
        "drop".

    Returns
    -------
    list of PairComparison
        (a, b, mu, sigma, lo, hi, p_value, df, p_above, significant, variance_source, dropped, p_adjusted) of each pair,
        in the order of the models; a and b are names, or indices where models have none. significant is p_adjusted <= 1
        - confidence. With the correction the intervals cover all differences at once with the nominal probability
        confidence; they are a little wider than Holm's decisions need: a significant pair's interval may contain 0.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: models on different numbers of questions, or a pair with a single
        question in common where questions are the sampling units; range: k above the trials of a question.

    Notes
    -----
    Holm (1979). The error rate is kept under any dependence of the p-values, so models may share questions.

    Examples
    --------
    >>> from scorio import sinf
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> [(x.a, x.b, round(x.p_adjusted, 5), x.significant) for x in sinf.compare_all(R, questions="fixed")]
    [('a', 'b', 0.00998, True), ('a', 'c', 0.0, True), ('b', 'c', 0.00038, True)]
    """
    confidence, by_holm = arguments.confidence(confidence), checked_correction(correction)
    request = parse_request(metric, k, tau, w, questions, model, guard=guard)
    request = request.with_runs_of(models, runs, missing)
    named_models, pairs = contrasts(request, models, w, clusters, missing)
    names = named_models.names or range(len(named_models.items))
    tail = error_rate(confidence, 2 * len(pairs) if by_holm else 2)
    out: Listing[PairComparison] = Listing()
    for x, p in zip(pairs, adjusted(pairs, by_holm), strict=True):
        comparison = comparison_fields(x.difference, request.m, tail, x.dropped)
        pair = PairComparison(*(names[x.a], names[x.b], *comparison, value(p)))
        out.append(pair._replace(significant=is_significant(p, confidence)))
    return out


Benchmarks: TypeAlias = Mapping[Any, Mapping[Any, Outcomes]]


@shown_as_table
class SuiteModel(NamedTuple):
    """A model's macro-average with its interval, the ranks that it may have, and whether it may be the best."""

    model: Any
    mu: float
    sigma: float
    lo: float
    hi: float
    n_eff: float
    variance_source: VarianceSource
    best: int
    worst: int
    possibly_best: bool


@shown_as_table
class SuitePair(NamedTuple):
    """Models a and b in a benchmark, or over the suite (benchmark None): the difference a - b and its test."""

    benchmark: Any
    a: Any
    b: Any
    mu: float
    sigma: float
    lo: float
    hi: float
    p_value: float
    df: float
    p_above: float
    significant: bool
    variance_source: VarianceSource
    p_adjusted: float


@shown_as_table
class Suite(NamedTuple):
    """Macro-averages of the models, their pairs over the suite and in each benchmark, and the benchmarks' weights."""

    models: list[SuiteModel]
    pairs: list[SuitePair]
    each: list[SuitePair]
    benchmarks: list[Any]
    weights: list[float]
    left_out: list[Any]


def suite(
    benchmarks: Benchmarks,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    weights: Mapping[Any, float] | None = None,
    questions: Target,
    runs: SuiteRuns = "fixed",
    confidence: float = 0.95,
    correction: Correction = "holm",
    common: bool = False,
    clusters: Mapping[Any, Labels] | None = None,
    guard: float = 0.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> Suite:
    """Models over several benchmarks: macro-averages with intervals and ranks, and every pair, also per benchmark.

    Parameters
    ----------
    benchmarks : mapping of benchmark to mapping of model to outcomes
        Outcomes of each model in each benchmark, as in :func:`compare_all`. A model need not be in all of them.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`, for all benchmarks.
    weights : mapping of benchmark to float > 0, optional
        The weight of each benchmark in the macro-average, divided by their sum; default: equal weights.
    questions : {"fixed", "sampled"}
        On these questions of each benchmark, or in the populations of similar questions.
    runs : {"fixed", "sampled", "shared"} or RunVariation, or mapping of benchmark to RunVariation
        As in :func:`scorio.rank.ranges`, in each benchmark by itself.
    confidence : float in (0, 1)
        Nominal coverage of the intervals of models. With the correction, 1 - confidence is the nominal probability
        that some pair of equal models differs significantly over the suite; and, for ``each``, in some benchmark.
    correction : {"holm", None}
        Holm's adjustment over all pairs; in ``each`` over all pairs of all benchmarks; or each pair by itself. With
        Holm's, intervals of pairs have Bonferroni's level: that of a significant difference may contain 0.
    common : bool
        True: macro-averages of all models, over the benchmarks that every model has. False: macro-averages over all
        benchmarks, of the models that have all of them. The weights are the same for all models in either case.
    clusters : mapping of benchmark to a sequence of labels, optional
        With "sampled": clusters of related questions, the units that were sampled. Default: those that the counts
        carry; False: none.
    guard : float in [0, 1]
        As in :func:`compare`, also for possibly_best.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A pair is
        compared on the questions that both answered; where models have ids of different questions, this requires
        "drop".

    Returns
    -------
    Suite
        (models, pairs, each, benchmarks, weights, left_out). models: (model, mu, sigma, lo, hi, n_eff, variance_source,
        best, worst, possibly_best) of each model with a macro-average; pairs: (benchmark, a, b, mu, sigma, lo, hi,
        p_value, df, p_above, significant, variance_source, p_adjusted) of every pair of these models, with benchmark
        None; each: the same fields of the pairs in every benchmark. benchmarks and weights are those of the
        macro-average, left_out the models without one. All have the order in which names first appear.

    Raises
    ------
    InvalidInput
        As :func:`compare_all`, with the benchmark's name; choice: weights or clusters of other benchmarks; range: a
        weight that is not above 0; empty: no benchmarks, or with common none that all models have.

    Notes
    -----
    Source: spec/families/suites.md. Variances add with the squares of the weights; degrees of freedom follow by
    Satterthwaite's formula. The questions of different benchmarks are assumed to be independent. The pairs (with ranks
    and possibly_best) are one family of tests, ``each`` is another: both together err with nominal probability 2 (1 -
    confidence) at most. The level is for one look at the data (:func:`boundaries`). A mean over benchmarks of very
    different difficulty hides the differences in each.

    Examples
    --------
    >>> from scorio import sinf
    >>> easy = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9}
    >>> hard = {"a": [[0, 1, 1, 0]] * 9, "b": [[0, 0, 1, 0]] * 9}
    >>> result = sinf.suite({"easy": easy, "hard": hard}, questions="fixed")
    >>> [(x.model, x.mu, round(x.lo, 4), round(x.hi, 4), x.best, x.worst) for x in result.models]
    [('a', 0.75, 0.6391, 0.8356, 1, 1), ('b', 0.5, 0.3875, 0.6125, 2, 2)]
    >>> [(x.benchmark, x.mu, round(x.p_adjusted, 4)) for x in result.each]
    [('easy', 0.25, 0.02), ('hard', 0.25, 0.0627)]
    """
    confidence, by_holm = arguments.confidence(confidence), checked_correction(correction)
    common, request = arguments.flag(common, "common"), parse_request(metric, k, tau, w, questions, model, guard=guard)
    parts_by_name = suites.read_benchmarks(request, benchmarks, w, clusters, missing, runs)
    all_models = list(dict.fromkeys(name for x in parts_by_name.values() for name in x.values))
    used = [name for name, x in parts_by_name.items() if not common or len(x.values) == len(all_models)]
    if not used:
        what = "benchmarks: common=True keeps those that have all models, and none has"
        raise InvalidInput("empty", "benchmarks", what)
    shares = suites.shares(weights, list(parts_by_name), used)
    complete = [x for x in all_models if all(x in parts_by_name[name].values for name in used)]
    parts = [parts_by_name[name] for name in used]
    rows = [(name, x) for name, y in parts_by_name.items() for x in y.pairs.values()]
    pairs = suites.contrasts_over_benchmarks(request, parts, complete, shares)
    return Suite(
        _models(request, parts, complete, shares, pairs, by_holm, confidence),
        _comparisons([(None, x) for x in pairs], [complete] * len(pairs), request.m, by_holm, confidence),
        _comparisons(rows, [parts_by_name[name].models.names for name, _ in rows], request.m, by_holm, confidence),
        used,
        [value(x) for x in shares.rounded],
        [x for x in all_models if x not in complete],
    )


def _models(
    request: MetricRequest,
    parts: Sequence[suites.Benchmark],
    complete: Sequence[Any],
    weights: suites.Weights,
    pairs: list[Contrast],
    by_holm: bool,
    confidence: float,
) -> list[SuiteModel]:
    """The rows of the models in `complete`, from their results in each benchmark and their pairs over the suite."""
    pairs = positive_if_better(request.m, pairs)
    ranks = possible_ranks(len(complete), pairs, adjusted(pairs, by_holm), confidence)
    winners = possibly_best(len(complete), pairs, confidence, ZERO)
    ends_of_scale, out = (min(request.m.w), max(request.m.w)), []
    for i, model in enumerate(complete):
        averages, source = suites.average([x.values[model] for x in parts], weights, confidence, *ends_of_scale)
        best, worst = ranks[i]
        out.append(SuiteModel(*(model, *averages, source, best, worst, i in winners)))
    return out


def _comparisons(
    pairs: Sequence[tuple[Any, Contrast]], names: Sequence[Any], m: Metric, by_holm: bool, confidence: float
) -> list[SuitePair]:
    """The rows of a family of pairs; by_holm: p-values and intervals are adjusted for the number of pairs.

    pairs: the benchmark and the contrast of each pair; names: the names of the models of its benchmark.
    """
    tail, out = error_rate(confidence, 2 * max(len(pairs), 1) if by_holm else 2), []
    p_values = adjusted([x for _, x in pairs], by_holm)
    for (benchmark, x), model_names, p in zip(pairs, names, p_values, strict=True):
        comparison = comparison_fields(x.difference, m, tail, [])[:-1]  # without dropped
        pair = SuitePair(*(benchmark, model_names[x.a], model_names[x.b], *comparison, value(p)))
        out.append(pair._replace(significant=is_significant(p, confidence)))
    return out
