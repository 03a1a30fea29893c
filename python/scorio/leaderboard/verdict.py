"""The decision between two models, computed and said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import sinf
from ..arithmetic.distributions import one_sided_z
from ..arithmetic.double_double import value
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..sinf.compare import Comparison
from .sentences import significant, two

POWER = 0.8


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
    result: Comparison | None = None,
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
    confidence : float in (1/2, 1)
        One-sided level of the comparison.
    power : float in [0.5, 1)
        Probability of detecting a difference of the observed size, for the sample size.
    weights : sequence of C+1 floats, optional
        Score of each category.
    result : Comparison, optional
        Of these two at the level 2 confidence - 1, if it is known already.

    Examples
    --------
    >>> from scorio import tally
    >>> from scorio.leaderboard.verdict import verdict
    >>> A, B = tally([[1, 1, 1, 1], [1, 0, 1, 1]]), tally([[1, 0, 0, 1], [0, 0, 1, 0]])
    >>> print(verdict("large", "small", A, B, questions="fixed"))
    large is significantly better than small at the one-sided 5% level (difference 0.500, 90% CI 0.072 to 0.928; probability that large is better 97%).
    """  # noqa: E501
    if result is None:
        result = sinf.compare(A, B, w=weights, questions=questions, confidence=2 * confidence - 1)
    how: dict[str, Any] = {"questions": questions, "confidence": confidence, "weights": weights}
    if significant(result.p_above, confidence):
        return two(a, b, result, **how)
    z = critical_sum(confidence, power)
    now: int | None
    if questions == "sampled":
        now, needed = A.M, sinf.questions_needed(A, B, weights, z=z)
    else:
        trials = {*A.trials.tolist(), *B.trials.tolist()}
        now, needed = trials.pop() if len(trials) == 1 else None, sinf.trials_needed(A, B, weights, z=z)
    return two(a, b, result, **how, power=power, now=now, needed=needed)


def critical_sum(confidence: float, power: float) -> float:
    """Normal quantiles of a one-sided level and of a power, added: how many standard errors a difference must be.

    Examples
    --------
    >>> from scorio.leaderboard.verdict import critical_sum
    >>> round(critical_sum(0.95, 0.8), 3), round(critical_sum(0.95, 0.5), 3)
    (2.486, 1.645)
    """
    if not 0.5 <= power < 1.0:
        raise InvalidInput("range", "power", f"power = {power!r} is not in [0.5, 1)")
    return sum(value(one_sided_z(p)) for p in (confidence, power) if p > 0.5)
