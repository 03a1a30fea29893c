"""The decision between two models, computed and said."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

from .. import sinf
from ..outcomes.counts import Counts
from ..sinf.compare import Comparison
from .sentences import apart, two


def verdict(
    a: str,
    b: str,
    A: Counts,
    B: Counts,
    *,
    questions: str,
    confidence: float = 0.95,
    weights: Sequence[float] | None = None,
    found: Comparison | None = None,
) -> str:
    """Whether one model is ahead of another; if that is open, what would tell.

    Parameters
    ----------
    a, b : str
        Their names.
    A, B : Counts, shape (M, C+1)
        On the same questions.
    questions : {"fixed", "sampled"}
        On these questions, or on questions like these.
    confidence : float in (1/2, 1)
        Level, one-sided, at which they are told apart.
    weights : sequence of C+1 floats, optional
        Score of each category.
    found : Comparison, optional
        Of these, at the level 2 confidence - 1, if it is known.

    Examples
    --------
    >>> from scorio import tally
    >>> from scorio.leaderboard.verdict import verdict
    >>> A, B = tally([[1, 1, 1, 1], [1, 0, 1, 1]]), tally([[1, 0, 0, 1], [0, 0, 1, 0]])
    >>> verdict("large", "small", A, B, questions="fixed")
    'large is ahead of small with 97 % (by 0.500, 90% interval 0.072 to 0.928).'
    """
    if found is None:
        found = sinf.compare(A, B, w=weights, questions=questions, confidence=2 * confidence - 1)
    if apart(found.p_above, confidence):
        return two(a, b, found, questions=questions, confidence=confidence, weights=weights)
    z = NormalDist().inv_cdf(confidence)
    now: int | None
    if questions == "sampled":
        now, needed = A.M, sinf.questions_needed(A, B, weights, z=z)
    else:
        trials = {*A.trials.tolist(), *B.trials.tolist()}
        now, needed = trials.pop() if len(trials) == 1 else None, sinf.trials_needed(A, B, weights, z=z)
    return two(a, b, found, questions=questions, confidence=confidence, now=now, needed=needed, weights=weights)
