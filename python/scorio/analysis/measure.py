"""Metrics of models in benchmarks and their macro-averages, computed in one place for all analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import arguments, eval
from ..display.text import number
from ..errors import InvalidInput
from ..eval.intervals import interval_of
from ..inference import suite as inference
from ..inference.estimate import ALL_METRICS, COUNT_METRICS, Measurement, measure_counts, parse_request
from ..metrics.metric import Metric, lower_is_better, metric_and_k
from ..outcomes.checks import too_few_to_flip, too_few_trials
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log
from ..results import MetricInterval, MetricName, RateModel, RunTarget, Target, bounded_interval


@dataclass(frozen=True)
class Request:
    """A metric and the target of its intervals.

    Attributes
    ----------
    metric : str
        A metric of :func:`scorio.eval.interval`; its name may contain k, as in "pass@4". Pass@k is Max@k in a benchmark
        with scores.
    k, tau : number or None; parameters of the metric
    questions : {"fixed", "sampled"}; on these questions, or on similar ones
    confidence : float; nominal coverage
    model : "mixture" or None
        Whether variances that the trials do not show are taken from a mixture of success rates fitted to all questions
        with as many trials.
    runs : {"fixed", "sampled"}; whether intervals also account for the differences between runs
    guard : float in [0, 1]
        The largest difference of a question that was not sampled, as a share of the scale, as in
        :func:`scorio.sinf.compare`.
    """

    metric: MetricName = "mean"
    k: int | None = None
    tau: float | None = None
    questions: str = "fixed"
    confidence: float = 0.95
    model: RateModel = "mixture"
    guard: float = 0.0
    runs: str = "fixed"

    def __post_init__(self) -> None:
        for name, x in zip(("metric", "k"), metric_and_k(self.metric, self.k), strict=True):
            object.__setattr__(self, name, x)

    @property
    def interval_arguments(self) -> dict[str, Any]:
        """The arguments of intervals, which comparisons share."""
        return {"questions": self.questions, "confidence": self.confidence, "model": self.model}

    def name_in(self, part: Benchmark) -> MetricName:
        """Name of the metric in a benchmark: Pass@k is the best of k scores where outcomes are scores."""
        at_k = self.metric in ("pass@k", "pass_at_k")
        return "max_at_k" if at_k and part.w is not None else self.metric


def value(part: Benchmark, model: str, request: Request) -> MetricInterval:
    """Metric of a model in a benchmark, with its interval; clusters are the sampling units of sampled questions."""
    if part.bounds:
        log, w = part.answered(model), part.w
        check_k(part, model, log, request)
        metric = (request.name_in(part), request.k, request.tau, w)
        runs = part.sampled_runs(request.runs, [model])
        counts = part.log(model).with_missing()
        return eval.interval(counts, *metric, **request.interval_arguments, runs=runs, missing="bounds")
    confidence = arguments.confidence(request.confidence)
    m, measured = _measured(part, model, request, ALL_METRICS)
    return interval_of(measured, m, request.questions, confidence)


def _measured(part: Benchmark, model: str, request: Request, allowed: Sequence[str]) -> tuple[Metric, Measurement]:
    """Metric, and its estimate for a model in a benchmark, computed once for intervals and macro-averages."""
    log, w = part.answered(model), part.w
    check_k(part, model, log, request)
    name = request.name_in(part)
    estimand = parse_request(name, request.k, request.tau, w, request.questions, request.model, allowed)
    estimand = estimand.with_runs(part.sampled_runs(request.runs, [model]), (), "raise")
    key = (model, name, request.k, request.tau, w, request.questions, request.model, request.runs)
    if key not in part.measured:
        part.measured[key] = measure_counts(
            estimand, estimand.read_outcomes(log.counts, "raise", "R"), pool=None, clusters=None
        )
    return estimand.m, part.measured[key]


def check_k(part: Benchmark, model: str, log: Log, request: Request) -> None:
    """Check that every question with a trial has at least k trials (flip rate: 2); the error names the others."""
    is_flip_rate = lower_is_better(request.metric)  # true of no other metric
    k = 2 if is_flip_rate else request.k
    trials = zip(log.ids, log.counts.trials.tolist(), strict=True)
    if k is not None and (too_few := {repr(question): n for question, n in trials if 0 < n < k}):
        most = min(too_few.values())
        hint = f"k up to {most} works" if most > 1 else "only k = 1 works"
        where = f"model {model!r}" + (f" in {part.name!r}" if part.name else "")
        if is_flip_rate:
            raise too_few_to_flip(list(too_few), where)
        # the mean has a k where metrics() checks the largest k of all its metrics
        hint_beyond = f"beyond:{k}" if request.metric in ("pass@k", "pass_at_k", "mean") and part.w is None else None
        raise too_few_trials(k, too_few, where, hint, hint_beyond)


def macro(e: EvaluationData, model: str, request: Request) -> MetricInterval:
    """Macro-average of a model: the plain mean over all benchmarks, which must be on one scale if there are several."""
    parts = list(e.benchmarks.values())
    if len(parts) == 1:
        return value(parts[0], model, request)
    if e.bounds:
        selected = e.select([model])
        values = (macro(selected.filled(favoured), model, request) for favoured in (None, (), (model,)))
        return bounded_interval(*values)
    measured = [_measured(part, model, request, COUNT_METRICS)[1] for part in parts]
    weights = inference.shares(None, range(len(parts)), range(len(parts)))  # equal weights
    (mu, sigma, lo, hi, n_eff), source = inference.average(measured, weights, request.confidence, *parts[0].scale)
    return MetricInterval(mu, sigma, lo, hi, request.questions, source, n_eff, sum(x.units for x in measured), [])


def in_every_benchmark(e: EvaluationData, model: str) -> bool:
    """Whether a model has a trial in every benchmark, so that it has a macro-average."""
    return all(model in part.logs and part.logs[model].counts.trials.any() for part in e.benchmarks.values())


def checked_ks(k: int | Iterable[int] | None) -> list[int] | None:
    """Validated list of one k or several; None, for the default of the caller, stays None."""
    if k is None:
        return None
    values = arguments.sequence(k, "k") if isinstance(k, Iterable) else [k]
    return list(dict.fromkeys(map(arguments.number_of_trials, values)))


def ranks_by_value(values: Mapping[str, float]) -> dict[str, int]:
    """Ranks by value, highest first, in the order of the ranking; equal values share the better rank (1, 2, 2, 4)."""
    order = sorted(values, key=lambda name: (-values[name], name))
    first: dict[float, int] = {}
    return {name: first.setdefault(values[name], i) for i, name in enumerate(order, 1)}


def require_models(e: EvaluationData, min_models: int) -> None:
    """Refuse an evaluation that has too few models to compare in a benchmark."""
    for name, part in e.benchmarks.items():
        if len(part.logs) < min_models:
            where = f"benchmark {name!r}" if len(e.benchmarks) > 1 else "the log"
            needed = f"at least {('two', 'three')[min_models - 2]} are needed"
            raise InvalidInput("shape", "logs", f"{where} has {number(len(part.logs), 'model')}: {needed}")


@contextmanager
def naming_benchmark(part: Benchmark) -> Iterator[None]:
    """Context manager that names the benchmark in errors."""
    try:
        yield
    except InvalidInput as error:
        raise error.of(f"benchmark {part.name!r}") if part.name else error from None


def only_benchmark(e: EvaluationData, what: str) -> Benchmark:
    """Only benchmark of an evaluation; if there are several, the error says that ``what`` is about one benchmark."""
    if len(e.benchmarks) > 1:
        raise InvalidInput("conflict", "task", f"{what} is about one benchmark, and there are several", "task")
    return e.benchmark()


def refuse_bounds(e: EvaluationData) -> None:
    """Refuse missing outcomes that are bounded, for an analysis that has no bounds."""
    if e.provenance.missing == "bounds":
        raise arguments.no_bounds()


def answered_ids(log: Any) -> set[str]:
    """Ids of the questions of a log that have a trial."""
    return {log.ids[i] for i in np.flatnonzero(log.counts.trials).tolist()}


def other_request(e: EvaluationData, request: Request) -> Request | None:
    """Request for the other target; None for fixed questions if no question has two trials."""
    other: Target = "sampled" if request.questions == "fixed" else "fixed"
    return replace(request, questions=other) if other == "sampled" or target_of(e, None) == "fixed" else None


@contextmanager
def where_variance_shows(request: Request) -> Iterator[None]:
    """Skip a computation for similar questions that fails since there is a single question or cluster."""
    try:
        yield
    except InvalidInput as error:
        if request.questions != "sampled" or error.code != "shape":
            raise


def checked_runs(runs: object) -> RunTarget:
    """The argument runs, checked; None, as of a command without the option, means fixed."""
    return "fixed" if runs is None else arguments.choice(runs, "runs", ("fixed", "sampled", "shared"))


def target_of(e: EvaluationData, questions: str | None) -> Target:
    """Target of intervals: the stated one; else "fixed", or "sampled" where no question has two trials.

    One trial per question does not show the trial-to-trial variance, on which intervals for these questions rest.
    """
    if questions is not None:
        return arguments.choice(questions, "questions", ("fixed", "sampled"))
    return "sampled" if all_single(e) else "fixed"


def all_single(e: EvaluationData) -> bool:
    """Whether no question has more than one trial of a model."""
    logs = [log for part in e.benchmarks.values() for log in part.logs.values()]
    return all(log.counts.trials.max(initial=0) <= 1 for log in logs)
