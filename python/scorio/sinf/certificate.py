"""How many missing outcomes, and how many wrong answer keys, the order of two averages survives."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import NamedTuple

import numpy as np

from ..arguments import Policy, Reals
from ..arithmetic.double_double import value
from ..arithmetic.rational import from_ratio, whole
from ..metrics.metric import read_metric
from ..outcomes.checks import answered
from ..outcomes.counts import Counts
from ..outcomes.models import check_flat
from ..outcomes.pairing import paired
from ..outcomes.tally import Outcomes, count
from ..results import shown_as_table

NAMES = ("A", "B")


@shown_as_table
class Certificate(NamedTuple):
    """avg(A) - avg(B), the outcomes that are missing, and the fewest changes of each kind that could end the lead."""

    mu: float
    missing: int
    missing_needed: int | None
    inverted_needed: int
    rescored_needed: int


def certificate(A: Outcomes, B: Outcomes, w: Reals | None = None, *, missing: Policy = "raise") -> Certificate:
    """How many missing outcomes, and how many wrong answer keys, the order of two averages survives.

    Parameters
    ----------
    A, B : array_like, shape (M, N), or Counts
        Outcomes of two models on the same questions, as in :func:`compare`. Numbers of trials may differ.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes; "drop" to ask what they could change. Trials that were not planned (the end of a
        short row) are not missing.

    Returns
    -------
    Certificate
        (mu, missing, missing_needed, inverted_needed, rescored_needed). mu is avg(A) - avg(B) over the questions that
        both answered. The model with the higher average leads; the lead ends where the averages are equal. The smallest
        numbers that could end it, 0 where the averages are equal:

        - missing_needed: of the missing outcomes, in number missing, those that would have to go against the leader
          (lowest score for it, highest for the other model), all others for it; None if all of them cannot end it;
        - inverted_needed: questions whose outcomes would have to be inverted, for both models (success for failure; a
          score is mirrored on the scale of w): yes-or-no questions with a wrong answer key;
        - rescored_needed: questions whose outcomes would have to be scored anew, however that turns out.

        So the order survives any inverted_needed - 1 wrong keys of yes-or-no questions, and any rescored_needed - 1
        wrong keys of all others.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has trials of both models; shape: A and B of other numbers of
        questions; conflict, missing: ids of one only, questions of one only.

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
    scores, unit = whole(read_metric("mean", None, None, w).w)
    for x, name in zip((A, B), NAMES, strict=True):
        check_flat(x, name)
    both = [
        count(x, len(scores) - 1, missing, name=name, w_given=w is not None)
        for x, name in zip((A, B), NAMES, strict=True)
    ]
    a, b = paired(both, NAMES, NAMES.__getitem__, missing)
    return certificate_of(a, b, scores, unit)


def certificate_of(A: Counts, B: Counts, scores: list[int], unit: int) -> Certificate:
    """The certificate of counts of the same questions; scores are integers in units of 1/unit."""
    (a, b), _ = answered("A", A, B)
    common = lcm(*(int(n) for x in (a, b) for n in np.unique(x.trials)))
    gaps = [x - y for x, y in zip(*(_averages(x, scores, common) for x in (a, b)), strict=True)]
    total, span = sum(gaps), (max(scores) - min(scores)) * common
    if total < 0:
        A, B, gaps = B, A, [-x for x in gaps]
    planned = (A.trials + A.absent > 0) & (B.trials + B.absent > 0)
    lost, needed = _missing(A.select(planned), B.select(planned), scores, total != 0)
    inverted = _fewest(sum(gaps), ((2 * x, 1) for x in gaps))
    rescored = _fewest(sum(gaps), ((x + span, 1) for x in gaps))
    assert inverted is not None  # all inverted, or scored anew, end every lead
    assert rescored is not None
    return Certificate(value(from_ratio(total, common * unit * a.M)), lost, needed, inverted, rescored)


def _averages(x: Counts, scores: list[int], common: int) -> list[int]:
    """The average score of each question, in units of 1/common."""
    return [
        sum(n * s for n, s in zip(row, scores, strict=True)) * (common // sum(row)) for row in x.table.tolist()
    ]  # fmt: skip


def _missing(A: Counts, B: Counts, scores: list[int], lead: bool) -> tuple[int, int | None]:
    """How many outcomes are missing, and the fewest of them that must go against A to end its lead."""
    low, high = min(scores), max(scores)
    full = A.completions(scores)[1], B.completions(scores)[0]
    common = lcm(*(int(n) for x in full for n in np.unique(x.trials)))
    total = sum(_averages(full[0], scores, common)) - sum(_averages(full[1], scores, common))
    gains = (
        ((high - low) * (common // n), lost)
        for x, y in zip((A, B), full, strict=True)
        for n, lost in zip(y.trials.tolist(), x.absent.tolist(), strict=True)
    )
    return A.missing + B.missing, _fewest(total, gains) if lead else 0


def _fewest(total: int, gains: Iterable[tuple[int, int]]) -> int | None:
    """The fewest gains, each of them so many times, that add up to the total; None if all of them do not."""
    used = 0
    for gain, times in sorted((x for x in gains if x[0] > 0 and x[1]), reverse=True):
        if total <= 0:
            break
        take = min(times, -(-total // gain))
        used, total = used + take, total - take * gain
    return used if total <= 0 else None
