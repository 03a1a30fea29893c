"""Frontier of score and cost: which models are significantly worse than another model in both."""

from __future__ import annotations

from dataclasses import dataclass

from .. import arguments
from ..errors import InvalidInput
from ..items.cost_per_solved import CostPerSolved
from ..readers.evaluation import EvaluationData
from ..results import MetricInterval
from .cost import per_trial, unit_of
from .measure import Request, only_benchmark, require_models, target_of, value
from .pairs import compare_pairs


@dataclass(frozen=True)
class Point:
    """Score of a model, the cost of its trials, and the models that dominate it.

    Attributes
    ----------
    model, unit : str
        The name of the model, and the unit of the costs, such as "tokens".
    score : MetricInterval
        The average score of the model.
    cost : CostPerSolved
        The mean cost of a trial: value, lo and hi.
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
    e : Evaluation
        One benchmark whose log states what each trial cost; models without these costs are left out.
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
