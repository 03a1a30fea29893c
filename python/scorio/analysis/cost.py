"""Cost per solved task and per trial, with intervals."""

from __future__ import annotations

from ..arithmetic.double_double import over_common_denominator
from ..items.cost_per_solved import CostPerSolved, cost_from_sums, question_sums
from ..readers.evaluation import Benchmark, EvaluationData


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
