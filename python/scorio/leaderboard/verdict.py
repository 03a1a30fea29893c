"""The decision between two models, computed and said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import sinf
from ..analysis.ranking import POWER, sample_size
from ..arguments import Labels
from ..outcomes.counts import Counts
from ..sinf.compare import Comparison
from .sentences import significant, two


def verdict(
    a: str,
    b: str,
    A: Counts,
    B: Counts,
    *,
    questions: str,
    confidence: float = 0.95,
    power: float = POWER,
    weights: Sequence[float] | None = None,
    clusters: Labels | None = None,
    result: Comparison | None = None,
    adjusted: float | None = None,
    planned: float | None = None,
) -> str:
    """Whether one model is significantly better than another; if not, the sample size that would show it.

    Parameters
    ----------
    a, b : str
        Names of the models.
    A, B : Counts, shape (M, C+1)
        Their outcomes on the same questions.
    questions : {"fixed", "sampled"}
        On this question set, or over the population of similar questions.
    confidence : float in (0, 1)
        1 - confidence is the two-sided level of the comparison.
    power : float in [0.5, 1)
        Probability of detecting a difference of the observed size, for the sample size.
    weights : sequence of C+1 floats, optional
        Score of each category.
    clusters : sequence of M labels, optional
        The cluster of each question; used where questions are sampled.
    result : Comparison, optional
        Of these two, if it is known already.
    adjusted : float, optional
        The p-value, adjusted for the number of pairs that are compared: it decides then.
    planned : float, optional
        The confidence at which the sample size shall detect the difference: one of many pairs has to pass a stricter
        level. Default: that of this comparison.

    Examples
    --------
    >>> from scorio import tally
    >>> from scorio.leaderboard.verdict import verdict
    >>> A, B = tally([[1, 1, 1, 1], [1, 0, 1, 1]]), tally([[1, 0, 0, 1], [0, 0, 1, 0]])
    >>> print(verdict("large", "small", A, B, questions="fixed"))
    With 4 trials per question large and small are not significantly different at the 5% level (difference 0.500, 95% CI -0.057 to 1.000; p = 0.075; probability that large is better 96%). About 8 trials per question would detect a difference of this size with 80% power.
    """  # noqa: E501
    if questions != "sampled":
        clusters = None
    if result is None:
        result = sinf.compare(A, B, w=weights, questions=questions, confidence=confidence, clusters=clusters)
    how: dict[str, Any] = {"questions": questions, "confidence": confidence, "weights": weights, "adjusted": adjusted}
    if significant(result.p_value if adjusted is None else adjusted, confidence):
        return two(a, b, result, **how)
    plan: dict[str, Any] = {"power": power, "weights": weights, "clusters": clusters}
    plan["confidence"] = confidence if planned is None else planned
    now, needed = sample_size(A, B, questions=questions, **plan)
    return two(a, b, result, **how, power=power, now=now, needed=needed)
