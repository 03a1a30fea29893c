"""Sample sizes: how much more data would decide between two models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from .. import sinf
from ..errors import InvalidInput
from ..inference.estimate import pair, parse_request
from ..inference.planning import Powers, powers
from ..outcomes.counts import Counts
from ..readers.evaluation import EvaluationData
from .measure import Request
from .pairs import aligned

POWER = 0.8  # default power of a sample size
REALISTIC = 20  # a plan that needs more than this many times the present data is not realistic


def times_as_many(needed: float, now: float) -> float:
    """Ratio of two sample sizes, at most 10^15: that for a margin of 1e-300 is no double."""
    return min(needed, now * 10**15) / now


@dataclass(frozen=True)
class SampleSize:
    """Trials per question (for fixed questions) or questions (for sampled ones) that detect a difference.

    Attributes
    ----------
    unit : {"trial per question", "question"}
    now : int or None
        Present number; None for trials if questions have different numbers of them, and with several benchmarks.
    needed : int or None
        Needed number in all; None for equal averages, several benchmarks, or a single sampled question or cluster.
    times : float or None; how many times as much data in every benchmark is needed; None for equal averages
    power : float; power with which the difference would be detected
    bound : bool; whether the variance is an upper bound, so that fewer may suffice
    """

    unit: str
    now: int | None
    needed: int | None
    times: float | None
    power: float
    bound: bool


def sample_size(
    e: EvaluationData, a: str, b: str, request: Request, difference: float, sigma: float, power: float, bound: bool
) -> SampleSize:
    """Sample size that would detect the observed difference of the averages of two models.

    difference, sigma: the observed difference and its standard error; bound: as in SampleSize.
    """
    unit = "trial per question" if request.questions == "fixed" else "question"
    times = growth(difference, sigma, request.confidence, power)
    if len(e.benchmarks) > 1:
        return SampleSize(unit, None, None, times, power, bound)
    now, needed = present_and_needed(e, a, b, request, power)
    if now and needed:
        times = times_as_many(needed, now)
    return SampleSize(unit, now, needed, times, power, bound)


def present_and_needed(
    e: EvaluationData, a: str, b: str, request: Request, power: float, difference: float | None = None
) -> tuple[int | None, int | None]:
    """Present and needed number of trials per question (for fixed questions) or of questions (for sampled ones).

    They are those of two models in the only benchmark; either may be None, see SampleSize.
    difference: the difference to detect; default: the observed one.
    """
    (counts,) = aligned(e).values()
    part, A, B = e.benchmark(), counts[a], counts[b]
    shared = (A.trials > 0) & (B.trials > 0)
    options: dict[str, Any] = {"power": power, "confidence": request.confidence, "difference": difference}
    if request.questions == "sampled":
        return int(shared.sum()), questions_needed(A, B, part.w, **options)
    trials = {*A.trials[shared].tolist(), *B.trials[shared].tolist()}
    return trials.pop() if len(trials) == 1 else None, sinf.trials_needed(A, B, part.w, **options)


def questions_needed(A: Counts, B: Counts | None, w: Any, **options: Any) -> int | None:
    """Number of questions that are needed; None for a single question or cluster, which shows no variance."""
    try:
        return sinf.questions_needed(A, B, w, **options)
    except InvalidInput as error:
        if error.code != "shape":
            raise
        return None


def power_at(
    A: Counts, B: Counts, trials: Sequence[int], questions: Sequence[int], w: Any, confidence: float,
    difference: Fraction | None = None,
) -> list[Powers]:  # fmt: skip
    """Power of the comparison of two models for several numbers of trials per question.

    Each entry has the trials, the power on these questions, and that on each number of similar questions. difference:
    the true difference, on the scale 0..1; default: the observed one.
    """
    comparison = pair(parse_request("mean", None, None, w, "fixed"), A, B, ("A", "B"), paired=True, missing="drop")
    return powers(comparison.a, comparison.b, confidence, trials, questions, difference)


def growth(difference: float, sigma: float, confidence: float, power: float) -> float | None:
    """Factor by which data must grow to detect a difference with standard error sigma, by the normal approximation.

    None if the difference is 0.
    """
    return (detectable(sigma, confidence, power) / difference) ** 2 if difference else None


def detectable(sigma: float, confidence: float, power: float) -> float:
    """Difference that is detected with this power if its standard error is sigma, by the normal approximation."""
    z = NormalDist().inv_cdf
    return (z(power) - z((1.0 - confidence) / 2)) * sigma
