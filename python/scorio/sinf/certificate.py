"""How many missing outcomes, and how many wrong answer keys, the order of two averages survives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm
from typing import NamedTuple, TypeAlias

import numpy as np

from ..arguments import Missing, Reals
from ..arithmetic.double_double import value
from ..arithmetic.rational import from_ratio, over_common_denominator
from ..metrics.metric import read_metric
from ..outcomes.checks import answered
from ..outcomes.counts import Counts
from ..outcomes.models import check_flat
from ..outcomes.pairing import paired
from ..outcomes.states import score_sums
from ..outcomes.tally import Outcomes, count
from ..results import shown_as_table

NAMES = ("A", "B")
Pair: TypeAlias = tuple[Counts, Counts]  # counts of the same questions


@shown_as_table
class Certificate(NamedTuple):
    """avg(A) - avg(B), the outcomes that are missing, and the fewest changes of each kind that could end the lead."""

    mu: float
    missing: int
    missing_needed: int | None
    inverted_needed: int
    rescored_needed: int


def certificate(A: Outcomes, B: Outcomes, w: Reals | None = None, *, missing: Missing = "raise") -> Certificate:
    """How many missing outcomes, and how many wrong answer keys, the order of two averages survives.

    Parameters
    ----------
    A, B : array_like, shape (M, N), or Counts
        Outcomes of two models on the same questions, as in :func:`compare`. Numbers of trials may differ.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop": the certificate then says what they could
        change), or count as this category (int). Trials that were not planned (the end of a short row) are not missing.

    Returns
    -------
    Certificate
        (mu, missing, missing_needed, inverted_needed, rescored_needed). mu is avg(A) - avg(B) over the questions that
        both answered. The model with the higher average leads; the lead ends where the averages are equal. The smallest
        numbers that could end it, 0 where the averages are equal:

        - missing_needed: how many of the missing outcomes (missing is their number) would have to go against the leader
          (lowest score for it, highest for the other model), with all others for it; None if all of them cannot end it;
        - inverted_needed: how many questions would have to have their outcomes inverted, for both models (success for
          failure; a score is mirrored on the scale of w): yes-or-no questions with a wrong answer key;
        - rescored_needed: how many questions would have to have their outcomes replaced by any other scores.

        So the order survives any inverted_needed - 1 wrong keys of yes-or-no questions, and any rescored_needed - 1
        wrong keys of other questions.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has trials of both models; shape: A and B of different numbers of
        questions; conflict: only one of them has ids; missing: one of them lacks a question.

    Notes
    -----
    Source: spec/families/comparisons.md. These are statements about the observed order, in exact arithmetic, and
    not about significance: see :func:`compare` for that.

    Examples
    --------
    >>> from scorio import sinf
    >>> A = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, 0, 0], [1, 0, 0, None]]
    >>> B = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, None, None, 0]]
    >>> sinf.certificate(A, B, missing="drop")
    Certificate(mu=0.20833333333333334, missing=4, missing_needed=None, inverted_needed=1, rescored_needed=1)
    """
    scores, unit = over_common_denominator(read_metric("mean", None, None, w).w)
    for x, name in zip((A, B), NAMES, strict=True):
        check_flat(x, name)
    counts = [
        count(x, len(scores) - 1, missing, name=name, has_scores=w is not None)
        for x, name in zip((A, B), NAMES, strict=True)
    ]
    a, b = paired(counts, NAMES, NAMES.__getitem__, missing)
    return certificate_of([(a, b)], scores, unit)


def certificate_of(pairs: Sequence[Pair], scores: list[int], unit: int) -> Certificate:
    """The certificate from counts of the same questions: a pair for each of several benchmarks of equal weight.

    Scores are integers in units of 1/unit.
    """
    with_trials = [(a, b) for (a, b), _ in (answered("A", *pair) for pair in pairs)]
    scales, span = _scales(with_trials), max(scores) - min(scores)
    # the difference of the models on each question, and the largest difference that one question can have
    gaps = [
        (gap, span * scale)
        for pair, scale in zip(with_trials, scales, strict=True)
        for gap in _gaps(pair, scores, scale)
    ]
    total = sum(gap for gap, _ in gaps)
    if total < 0:
        pairs, gaps = [(b, a) for a, b in pairs], [(-gap, largest) for gap, largest in gaps]
    missing, needed = _missing_needed([_planned(*pair) for pair in pairs], scores, total != 0)
    inverted = _fewest_gains(abs(total), ((2 * gap, 1) for gap, _ in gaps))
    rescored = _fewest_gains(abs(total), ((gap + largest, 1) for gap, largest in gaps))
    assert inverted is not None  # every lead ends if all questions are inverted, or rescored
    assert rescored is not None
    mu = value(from_ratio(total, scales[0] * with_trials[0][0].M * len(with_trials) * unit))
    return Certificate(mu, missing, needed, inverted, rescored)


def _scales(pairs: Sequence[Pair]) -> list[int]:
    """A common denominator of average scores for each benchmark, so that benchmarks have equal weights in sums."""
    trials = lcm(*(int(n) for pair in pairs for x in pair for n in np.unique(x.trials)))
    questions = lcm(*(a.M for a, _ in pairs))
    return [trials * (questions // a.M) for a, _ in pairs]


def _planned(A: Counts, B: Counts) -> Pair:
    """Counts of the questions that have outcomes, or missing ones, of both models."""
    keep = (A.trials + A.absent > 0) & (B.trials + B.absent > 0)
    return A.select(keep), B.select(keep)


def _gaps(pair: Pair, scores: list[int], scale: int) -> list[int]:
    """The difference of the average scores of the two models on each question, in units of 1/scale."""
    averages = [score_sums(x.cells, scores)[0] * (scale // x.trials.astype(object)) for x in pair]
    gaps: list[int] = (averages[0] - averages[1]).tolist()
    return gaps


def _missing_needed(pairs: Sequence[Pair], scores: list[int], lead: bool) -> tuple[int, int | None]:
    """Number of missing outcomes, and the fewest of them that must go against the first model to end its lead.

    lead: whether the first model leads.
    """
    # with all missing outcomes for the first model
    full = [(a.completions(scores)[1], b.completions(scores)[0]) for a, b in pairs]
    scales, span = _scales(full), max(scores) - min(scores)
    total = sum(sum(_gaps(pair, scores, scale)) for pair, scale in zip(full, scales, strict=True))
    gains = (
        (span * (scale // n), absent)
        for pair, full_pair, scale in zip(pairs, full, scales, strict=True)
        for x, y in zip(pair, full_pair, strict=True)
        for n, absent in zip(y.trials.tolist(), x.absent.tolist(), strict=True)
    )
    return sum(x.missing for pair in pairs for x in pair), _fewest_gains(total, gains) if lead else 0


def _fewest_gains(total: int, gains: Iterable[tuple[int, int]]) -> int | None:
    """The fewest gains that reach a total; None if all together do not. gains: pairs (gain, how many there are)."""
    used = 0
    for gain, times in sorted((x for x in gains if x[0] > 0 and x[1]), reverse=True):
        if total <= 0:
            break
        take = min(times, -(-total // gain))
        used, total = used + take, total - take * gain
    return used if total <= 0 else None
