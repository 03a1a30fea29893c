"""Requests (checked arguments of an interval or a comparison), and estimates with their variance components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ONE, ZERO, Triple, add, ext, from_ratio, get, mul
from ..display.text import number
from ..errors import InvalidInput
from ..metrics.metric import ENTRIES, Metric, metrics_for, read_metric
from ..outcomes.answers import Answers, Detailed, ScoredTrials
from ..outcomes.checks import answered, check_trials, population
from ..outcomes.counts import Counts
from ..outcomes.identity import paired as pair_questions
from ..outcomes.models import check_flat, split_models
from ..outcomes.tally import count
from ..results import VarianceSource
from . import variance
from .choice import Choice, MaxAtK
from .clusters import Units, variance_terms
from .degrees_of_freedom import MOST, dependent, smaller
from .difference import Difference, paired_difference, unpaired_difference
from .estimator import Credit, Estimator, Mean
from .runs import NO_RUNS, Dispersion, RunEffects, WithRuns, dispersion

ONE_TWELFTH = from_ratio(1, 12)
# hints of the error for a question with fewer than k trials
NO_INTERVAL = "an interval needs k trials per question; eval.extrapolate() gives bounds for larger k"
NO_DIFFERENCE = "a comparison needs k trials per question"
COUNT_METRICS = metrics_for("interval")  # the metrics that need only counts
ALL_METRICS = metrics_for("interval", "vote", "score")  # also the metrics that choose one of k trials


class MetricRequest(NamedTuple):
    """A metric of one model or two, and the variance that its interval accounts for."""

    m: Metric
    has_scores: bool
    use_mixture: bool  # with fewer than 2k trials, variances are taken from a mixture of success rates
    sampled: bool
    guard: Triple = ZERO  # the largest difference of a question that was not sampled, on the scale 0..1
    runs: Dispersion | RunEffects | None = None  # how much more runs differ than chance explains; None: they are fixed

    def with_runs(self, runs: Any, outcomes: Sequence[tuple[str, Any]], missing: Any) -> MetricRequest:
        """The request with the argument `runs` of a call on these outcomes, each with the name of its argument."""
        if isinstance(runs, str) and runs == "fixed":
            return self
        return self._replace(runs=dispersion(runs, outcomes, self.m.C, self.m.w, missing, self.has_scores))

    def runs_about(self, *models: int) -> Any:
        """The ratio of variances for a statement about these models of the call, by index; None: runs are fixed."""
        return None if self.runs is None else self.runs.about(*models)

    def with_runs_of(self, models: Any, runs: Any, missing: Any) -> MetricRequest:
        """The request with the argument `runs` of a call on many models."""
        outcomes = split_models(models, "models", 1).items if isinstance(runs, str) and runs != "fixed" else ()
        return self.with_runs(runs, [("models", x) for x in outcomes], missing)

    def read_outcomes(self, R: Any, missing: Any, name: str) -> Counts | Detailed:
        """Outcomes as the metric needs them: their counts, or the answer or score of each trial."""
        where = ENTRIES[self.m.name].where
        counts = count(R, self.m.C, missing, name=name, has_scores=self.has_scores)
        for group, kind in (("vote", Answers), ("score", ScoredTrials)):
            if group in where:
                if not isinstance(R, kind):
                    raise InvalidInput("type", name, f"{self.m.name} needs {name} as scorio.{kind.__name__}(...)")
                return R
        return counts

    def completions(self, R: Any, name: str) -> tuple[Counts, Counts, Counts]:
        """Counts without the missing outcomes, counts with these at the lowest score, and at the highest."""
        if self.m.flips or "interval" not in ENTRIES[self.m.name].where:
            what = f"{self.m.name} has no bounds: one score for all missing outcomes gives neither its lowest nor its"
            raise InvalidInput("conflict", "missing", f"{what} highest value", "drop")
        counts = count(R, self.m.C, "drop", name=name, has_scores=self.has_scores)
        return counts, *counts.completions(self.m.w)

    def estimator(self, counts: Counts | Detailed) -> Estimator:
        """The estimator of the metric; every question has k trials or more."""
        if isinstance(counts, Detailed):
            return Choice(self.m, counts)
        kind = {"mean": Mean, "max_at_k": MaxAtK}.get(self.m.name, Credit)
        return kind(self.m, counts, self.use_mixture)


class Pair(NamedTuple):
    """Two models under a metric, and the clusters of the questions of both."""

    a: Estimator
    b: Estimator
    paired: bool
    dropped: list[int]  # questions without a trial of both, if paired
    units: Units | None = None

    def difference(self, request: MetricRequest, name: str) -> Difference:
        """The difference of both, the models of the call; name: of the argument, for errors."""
        runs = request.runs_about(0, 1)
        if self.paired:
            return paired_difference(self.a, self.b, request.sampled, request.guard, name, self.units, runs)
        return unpaired_difference(self.a, self.b, request.guard, runs)


class Measurement(NamedTuple):
    """A metric of one model, and what its interval is computed from.

    Its variance is share times the variance over trials, plus rest times that over the sampling of questions.
    If no question shows the variance of its trials, only the latter is used.
    """

    estimator: Estimator
    units: int  # how many questions, or clusters of them, count as independent
    sampling_variance: Triple  # the variance over the sampling of units
    unit: Triple  # the sum of the squared shares of the units: 1/M without clusters
    freedom: Triple  # of the t distribution; ZERO: the normal distribution
    freedom_of_units: Triple  # of the t distribution where n0 bounds the variance: fewer for clusters of unequal sizes
    share: Triple
    rest: Triple
    variance_source: VarianceSource
    dropped: list[int]  # questions without a trial
    over_runs: WithRuns = NO_RUNS
    unit_of_runs: Triple = ZERO  # 1 / n0 with runs

    @property
    def interval_parts(self) -> variance.IntervalParts:
        """The arguments of the kernels of an interval."""
        p, (V, _), unit = self.estimator.parts, self.over_runs, self.unit_of_runs
        of_sampling = self.sampling_variance, self.unit, p.single, self.share, self.rest
        return variance.IntervalParts(p.x, p.M, p.k, *of_sampling, V, unit)

    def with_runs(self, runs: Dispersion | None) -> Measurement:
        """The measurement with a variance over runs."""
        if runs is None:
            return self
        p, (V, unit) = self.estimator.parts, variance.variance_and_unit(self.interval_parts)
        over_trials = None if self.share == ONE or p.single else variance.fixed(p.x, p.M)
        over_runs = runs.with_runs(V, self.freedom, over_trials)
        more = mul(runs.excess, variance.unit_of_trials(p.x, p.M, p.k))
        return self._replace(over_runs=over_runs or NO_RUNS, unit_of_runs=add(unit, more))


def parse_request(
    metric: Any,
    k: Any,
    tau: Any,
    w: Any,
    questions: Any,
    model: Any = "mixture",
    allowed: Sequence[str] = COUNT_METRICS,
    guard: float = 0.0,
) -> MetricRequest:
    """Check the arguments that describe a metric and its variance, and return them as a request."""
    m = read_metric(metric, k, tau, w, allowed)
    use_mixture = model is not None and arguments.choice(model, "model", ("mixture",)) == "mixture"
    sampled = arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    return MetricRequest(m, w is not None, use_mixture, sampled, ext(arguments.within(guard, "guard", 0.0, 1.0)))


def measure_counts(
    request: MetricRequest, counts: Counts | Detailed, pool: Any, clusters: Any, model: int = 0
) -> Measurement:
    """The metric of one model from its counts, with the components of its variance; model: its index in the call."""
    pool, labels = population(pool, clusters, request.sampled, counts)
    check_trials(counts, request.m.k, "R", NO_INTERVAL, skip_empty=True, flips=request.m.flips)
    (with_trials,), dropped = answered("R", counts)
    estimator = request.estimator(with_trials)
    p = estimator.parts
    share, rest = ZERO if request.sampled else ONE, ONE if request.sampled else ZERO
    if pool is not None:
        share, rest = from_ratio(p.M, pool), from_ratio(pool - p.M, pool)
    units = units_of(labels, dropped) or Units(p.M)
    sampling_variance, freedom, freedom_of_units = variance_of_sampling(estimator, units, request.sampled or p.single)
    if not request.sampled and not p.single:
        freedom = estimator.interval_freedom()
    elif pool is not None and not p.single:
        over_trials, over_questions = (
            mul(share, variance.fixed(p.x, p.M)),
            mul(rest, sampling_variance),
        )
        freedom = dependent(over_trials, estimator.interval_freedom(), over_questions, freedom)
    is_bound = request.sampled and units.G == 1
    source = "upper bound" if is_bound else "measured" if request.sampled and pool is None else p.variance_source()
    measurement = Measurement(
        estimator,
        units.G,
        sampling_variance,
        units.squared_shares(),
        freedom,
        freedom_of_units,
        share,
        rest,
        source,
        dropped,
    )
    return measurement.with_runs(request.runs_about(model))


def variance_of_sampling(x: Estimator, units: Units, sampled: bool) -> tuple[Triple, Triple, Triple]:
    """The variance over the sampling of units, its degrees of freedom, and those by cluster sizes alone.

    Both degrees of freedom are ZERO for a single unit, whose variance is only bounded. Without clusters the latter are
    ZERO, and so are the former unless `sampled`.
    """
    p = x.parts
    freedom = smaller(units.freedom, MOST)
    if units.labels is None:
        return variance.sampling_of_questions(p.x, p.M), freedom if sampled and p.M > 1 else ZERO, ZERO
    if units.G == 1:
        return ONE_TWELFTH, ZERO, ZERO
    u, which = x.values()
    Z = variance_terms(units, units.means(which, u), get(p.x, variance.THETA))
    return add(Z, units.stabiliser()), freedom, freedom


def pair(
    request: MetricRequest, A: Any, B: Any, names: tuple[str, str], paired: Any, missing: Any, clusters: Any = None
) -> Pair:
    """Two models under a metric; if `paired`, both answered the same questions, matched by id or else by row."""
    paired = arguments.flag(paired, "paired")
    if not paired and not request.sampled:
        raise InvalidInput("conflict", "paired", 'paired=False, different questions, needs questions="sampled"')
    if not paired and clusters is not None and clusters is not False:
        raise _unpaired_clusters()
    for x, name in zip((A, B), names, strict=True):
        check_flat(x, name)
    a, b = (request.read_outcomes(x, missing, n) for x, n in zip((A, B), names, strict=True))
    if not paired and clusters is not False and (a.clusters or b.clusters):
        raise _unpaired_clusters()
    dropped: list[int] = []
    units = None
    if paired:
        use_own_clusters = request.sampled and clusters is None
        a, b = pair_questions([a, b], names, names.__getitem__, missing, use_own_clusters)
        labels = population(None, clusters, request.sampled, a)[1]
        (a, b), dropped = answered(names[0], a, b)
        units = units_of(labels, dropped)
    else:
        a, b = (answered(n, x)[0][0] for x, n in zip((a, b), names, strict=True))
    for x, name in zip((a, b), names, strict=True):
        check_trials(x, request.m.k, name, NO_DIFFERENCE, flips=request.m.flips)
    return Pair(request.estimator(a), request.estimator(b), paired, dropped, units)


def _unpaired_clusters() -> InvalidInput:
    """The error for clusters of questions where each model answered its own questions."""
    what = "clusters group questions that both models answered: with paired=False pass clusters=False to ignore them"
    return InvalidInput("conflict", "clusters", what)


def units_of(labels: Any, dropped: list[int]) -> Units | None:
    """The clusters of the questions that were not dropped."""
    if labels is None:
        return None
    used = np.delete(labels, dropped)
    if (unknown := int((used < 0).sum())) > 0:  # negative: a question that has no cluster in any model
        what = f"no model has the cluster of {number(unknown, 'question')}: give clusters, or clusters=False for none"
        raise InvalidInput("conflict", "clusters", what)
    return Units(int(used.size), used)
