"""Cost per solved task and per trial with intervals, and the frontier of score and cost."""

from __future__ import annotations

from dataclasses import dataclass

from .. import arguments
from ..arithmetic.double_double import over_common_denominator
from ..errors import InvalidInput
from ..items.cost_per_solved import CostPerSolved, cost_from_sums, question_sums
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import MetricInterval
from .measure import Request, only_benchmark, require_models, target_of, value
from .pairs import compare_pairs


def unit_of(e: EvaluationData) -> str:
    """Unit of the costs, such as "tokens"; "" where no log states costs."""
    logs = (log for part in e.benchmarks.values() for log in part.logs.values())
    return next((log.costs.unit for log in logs if log.costs is not None), "")


def per_solved(part: Benchmark, model: str, questions: str, confidence: float) -> CostPerSolved | None:
    """Cost per solved task; None for scores, without a success, and where :func:`per_trial` is None."""
    log = part.answered(model)
    if part.w is not None or not log.counts.table[:, 1].any():
        return None
    return _ratio(part, model, questions, confidence, all_succeed=False)


def per_trial(part: Benchmark, model: str, questions: str, confidence: float) -> CostPerSolved | None:
    """Mean cost of a trial, averaged over questions: the cost per solved task if every trial were a success.

    None where the cost of a trial is unknown, for a single sampled question, and for a model with missing outcomes that
    are bounded.
    """
    return _ratio(part, model, questions, confidence, all_succeed=True)


def _ratio(part: Benchmark, model: str, questions: str, confidence: float, all_succeed: bool) -> CostPerSolved | None:
    """Cost per solved task, with the trials' outcomes or, if ``all_succeed``, as if every trial were a success."""
    log = part.answered(model)
    # the cost of a missing outcome is unknown, and has no bounds
    costs = None if part.bounds and part.logs[model].missing else log.costs
    sampled = questions == "sampled"
    if costs is None or not (costs.cost >= 0).all() or (sampled and log.counts.M < 2):  # NaN is an unknown cost
        return None
    amounts, unit = over_common_denominator(costs.cost.tolist())
    trials: list[list[tuple[int, int]]] = [[] for _ in range(log.counts.M)]
    for q, amount, x in zip(costs.question.tolist(), amounts, costs.outcome.tolist(), strict=True):
        trials[q].append((amount, 1 if all_succeed else x))
    return cost_from_sums([question_sums(x) for x in trials if x], unit, sampled, confidence)


@dataclass(frozen=True)
class Point:
    """Score of a model, the cost of its trials, and the models that dominate it.

    Attributes
    ----------
    model, unit : str; the name of the model, and the unit of the costs, such as "tokens"
    score : MetricInterval; the average score of the model
    cost : CostPerSolved; the mean cost of a trial: value, lo and hi
    dominated_by : tuple of str
        Models that score significantly more and cost significantly less. If there are none, the model may be
        on the frontier.
    """

    model: str
    unit: str
    score: MetricInterval
    cost: CostPerSolved
    dominated_by: tuple[str, ...]


def pareto(e: EvaluationData, *, questions: str | None = None, confidence: float = 0.95) -> tuple[Point, ...]:
    """Score and cost of each model, cheapest first, and which models are dominated.

    Parameters
    ----------
    e : Evaluation; one benchmark whose log states what each trial cost; models without these costs are left out
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones. Default: "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        Nominal coverage of the intervals; 1 - confidence is the family-wise level of the frontier.

    Returns
    -------
    tuple of Point

    Raises
    ------
    InvalidInput
        missing: the log states no cost; shape: only one model has costs; conflict: there are several benchmarks.

    Notes
    -----
    A model is dominated by one that scores significantly more **and** costs significantly less. Of L models there are
    L(L - 1) ordered pairs, and each half of this claim is tested at level (1 - confidence) / (L(L - 1)): the score by
    the paired comparison, the cost by intervals that do not overlap. A model that is on the frontier is at least as
    good as each rival in score or in cost, so that one of the two halves is false; whatever the dependence, the
    probability of calling any model of the frontier dominated is at most 1 - confidence (Bonferroni over
    intersection-union tests). The rule "as good in one, significantly better in the other" has no such level: a rival
    that is far better and costs slightly more looks cheaper in almost half of all runs.
    """
    confidence, target = arguments.confidence(confidence), target_of(e, questions)
    part, unit = only_benchmark(e, "the frontier of score and cost"), unit_of(e)
    costs = {m: x for m in e.models if (x := per_trial(part, m, target, confidence)) is not None}
    if not unit or not costs:
        raise InvalidInput("missing", "cost", "the log does not state what each trial cost", "cost")
    data = e.select(list(costs))
    require_models(data, 2)
    mean = Request(questions=target, confidence=confidence)
    level = (1.0 - confidence) / (len(costs) * (len(costs) - 1))
    intervals = {m: x for m in costs if (x := per_trial(part, m, target, 1.0 - level)) is not None}
    dominating: dict[str, list[str]] = {m: [] for m in costs}
    for pair in compare_pairs(data, mean, None).overall:
        above, below = (pair.a, pair.b) if pair.mu > 0.0 else (pair.b, pair.a)
        # p_value is two-sided, level the one-sided level of each half of the claim
        if pair.p_value <= 2.0 * level and intervals[above].hi < intervals[below].lo:
            dominating[below].append(above)
    points = [Point(m, unit, value(part, m, mean), x, tuple(dominating[m])) for m, x in costs.items()]
    return tuple(sorted(points, key=lambda p: (p.cost.value, -p.score.mu)))
