"""Extrapolation of Pass@k or Pass^k to k above the number of trials: the identified band, and a fitted model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments, eval
from ..choices import MetricName
from ..errors import InvalidInput, shown
from ..io.evaluation import Benchmark, EvaluationData
from ..metrics.metric import metric_and_k
from ..outcomes.counts import Counts
from ..outcomes.identity import rows_by_id
from ..results import ModelExtrapolation
from .result import Result, about_of


@dataclass(frozen=True)
class Row:
    """Extrapolated Pass@k or Pass^k of a model in a benchmark.

    Attributes
    ----------
    benchmark, model : str
    k : int
        Number of trials.
    lower, upper, low, high, unsolved : number
        As in :class:`scorio.results.Extrapolation`.
    value, lo, hi, fitted, alpha, beta, atom, ratio, fit, trials_needed, n_questions
        As in :class:`scorio.results.ModelExtrapolation`, where the field fitted is called model; None where no model
        can be fitted.
    """

    benchmark: str
    model: str
    k: int
    lower: float
    upper: float
    low: float
    high: float
    unsolved: int
    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    fitted: str | None = None
    alpha: float | None = None
    beta: float | None = None
    atom: float | None = None
    ratio: float | None = None
    fit: float | None = None
    trials_needed: int | None = None
    n_questions: int | None = None


@dataclass(frozen=True, kw_only=True)
class Extrapolations(Result):
    """Extrapolated Pass@k or Pass^k of every model in every benchmark.

    Attributes
    ----------
    table : tuple of Row
    metric : str
        "pass@k" or "pass^k".
    width : float or None
        The requested width of the limits, which ``trials_needed`` is about; None if none was requested.
    """

    schema: ClassVar[str] = "scorio.extrapolate/4"
    table: tuple[Row, ...]
    metric: str
    width: float | None


def extrapolate(
    e: EvaluationData,
    k: int | None = None,
    *,
    metric: MetricName = "pass@k",
    width: float | None = None,
    confidence: float = 0.95,
    more: EvaluationData | None = None,
) -> Extrapolations:
    """Extrapolate Pass@k or Pass^k to more trials per question than the log has.

    Parameters
    ----------
    e : Evaluation
        Binary outcomes.
    k : int, optional
        Larger than the smallest number of trials of a question, for every model. Default, in each benchmark: twice the
        smallest number of trials of a question, of the model for which this number is largest.
    metric : {"pass@k", "pass^k"}
    width : float in (0, 1), optional
        Also compute how many more trials would narrow the limits to this width.
    confidence : float in (0, 1)
        Nominal coverage of the limits.
    more : Evaluation, optional
        Further trials of the questions with few successes, which ``n_questions`` counts, run in response to the trials
        of e. All its benchmarks, models and questions are in e. Use it for extrapolation alone: an average over both
        is biased.

    Returns
    -------
    Extrapolations

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.eval.extrapolate`, such as range: k is not above the trials; category: there are scores
        other than 0 and 1; choice: more has a benchmark, model or question that e does not have.
    """
    confidence, (metric, k) = arguments.confidence(confidence), metric_and_k(metric, k)
    options: dict[str, Any] = {"metric": metric, "width": width, "confidence": confidence}
    more_counts = {} if more is None else _more_counts(e, more)
    if k is None and more_counts:
        reason = "state k: the default rests on the trials of e alone, and there are more"
        raise InvalidInput("type", "k", reason, "k")
    table = tuple(
        _row(part, model, _default_k(part) if k is None else k, more=more_counts.get((part.name, model)), **options)
        for part in e.benchmarks.values()
        for model in part.logs
    )
    return Extrapolations(about=about_of(e, confidence=confidence), table=table, metric=metric, width=width)


def _default_k(part: Benchmark) -> int:
    """Default k: twice the smallest number of trials of a question, of the model for which this number is largest."""
    return 2 * max(int(part.answered(model).counts.trials.min()) for model in part.logs)


def _more_counts(e: EvaluationData, more: EvaluationData) -> dict[tuple[str, str], Counts]:
    """Counts of further trials by benchmark and model, with a row for every question that the model has answered."""
    if not isinstance(more, EvaluationData):
        raise InvalidInput("type", "more", f"more is {shown(more)}, not an evaluation: scorio.read(LOG)")
    further = {}
    for part in more.benchmarks.values():
        for model in part.logs:
            before, added = e.benchmark(part.name).answered(model).counts, part.answered(model).counts
            known = rows_by_id(before.ids)
            if unknown := [q for q in added.ids or () if q not in known]:
                reason = f"further trials of question {shown(unknown[0])}, of which {shown(model)} has no earlier trial"
                raise InvalidInput("choice", "more", reason)
            further[part.name, model] = added._reindexed(before.ids or ())
    return further


def _row(part: Benchmark, model: str, k: int, *, metric: MetricName, width: float | None, **options: Any) -> Row:
    counts = part.answered(model).counts
    if counts.C > 1 or part.scores != (0.0, 1.0):
        where = f" in {shown(part.name)}" if part.name else ""
        what = f"extrapolation takes the outcomes 0 and 1, and model {shown(model)}{where} has other scores"
        raise InvalidInput("category", "outcome", what, "binary")
    band = eval.extrapolate(counts, metric, k, **options)
    try:
        fitted: ModelExtrapolation | None = eval.extrapolate_model(counts, metric, k, width=width, **options)
    except InvalidInput as error:
        if error.code != "undefined":
            raise
        fitted = None
    # Row has lower to unsolved of Extrapolation, then all of ModelExtrapolation, each in its order
    return Row(part.name, model, k, *band[:5], *(fitted or ()))
