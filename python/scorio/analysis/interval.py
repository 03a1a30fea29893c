"""Intervals from bare counts: successes of independent trials, of one group or of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .. import arguments, eval, sinf
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..results import MetricInterval
from .records import PRIMARY
from .result import Result, about_file
from .sample_size import POWER, growth

MOST_TRIALS = 10**7  # most trials of a group


@dataclass(frozen=True)
class Row:
    """The success rate of a group.

    Attributes
    ----------
    group : str
        Successes and trials, such as "47/50".
    successes, trials : int
    rate : MetricInterval
    """

    group: str
    successes: int
    trials: int
    rate: MetricInterval = field(metadata={PRIMARY: "rate"})


@dataclass(frozen=True, kw_only=True)
class CountIntervals(Result):
    """The success rates of one group, or of two groups with their difference.

    Attributes
    ----------
    table : tuple of Row
    difference, lo, hi, p_value : float or None
        The first rate minus the second, its interval and its p-value; None for one group.
    significant : bool or None
    times : float or None
        How many times as many trials of both groups would detect the difference with ``power``; None for one group,
        for a significant difference and for equal rates.
    power : float
    """

    schema: ClassVar[str] = "scorio.interval/2"
    table: tuple[Row, ...]
    difference: float | None = None
    lo: float | None = None
    hi: float | None = None
    p_value: float | None = None
    significant: bool | None = None
    times: float | None = None
    power: float = POWER


def interval(*groups: Sequence[int], confidence: float = 0.95, power: float = POWER) -> CountIntervals:
    """Compute the interval of a success rate from counts, or compare two rates.

    Parameters
    ----------
    *groups : (int, int)
        Successes and trials of one group or of two. Trials are independent, such as one trial of each question.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.
    power : float in [1/2, 1)
        Power with which the stated sample size would detect the difference.

    Returns
    -------
    CountIntervals

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: two groups, one of a single trial.

    Notes
    -----
    The results are those of :func:`scorio.eval.interval`, and of :func:`scorio.sinf.compare` with ``paired=False``,
    for questions with one trial each and ``questions="sampled"``.

    Examples
    --------
    >>> from scorio.analysis.interval import interval
    >>> x = interval((47, 50), (52, 60))
    >>> [round(row.rate.lo, 3) for row in x.table], round(x.p_value, 2)
    ([0.838, 0.758], 0.22)
    """
    confidence, power = arguments.confidence(confidence), arguments.power(power)
    if not 1 <= len(groups) <= 2:
        reason = "state one group or two; for more, make a leaderboard of a table with model, question and outcome"
        raise InvalidInput("length", "groups", reason)
    counts = [_counts(*pair) for pair in groups]
    rates = [eval.interval(x, questions="sampled", confidence=confidence) for x in counts]
    rows = tuple(Row(f"{c}/{n}", c, n, rate) for (c, n), rate in zip(groups, rates, strict=True))
    about = about_file("interval", (), confidence)
    if len(counts) == 1:
        return CountIntervals(about=about, table=rows, power=power)
    if 1 in (counts[0].M, counts[1].M):
        raise InvalidInput("shape", "groups", "a group of one trial has no variance: a comparison needs two or more")
    comparison = sinf.compare(counts[0], counts[1], questions="sampled", paired=False, confidence=confidence)
    times = None if comparison.significant else growth(comparison.mu, comparison.sigma, confidence, power)
    return CountIntervals(
        about=about, table=rows, difference=comparison.mu, lo=comparison.lo, hi=comparison.hi,
        p_value=comparison.p_value, significant=comparison.significant, times=times, power=power,
    )  # fmt: skip


def _counts(successes: int, trials: int) -> Counts:
    """Counts of independent trials, with one question for each trial."""
    n = arguments.integer(trials, "trials", 1, MOST_TRIALS)
    c = arguments.integer(successes, "successes", 0)
    if c > n:
        raise InvalidInput("range", "successes", f"{c} successes of {n} trials: did you mean {n}/{c}?")
    return Counts.from_successes((np.arange(n) < c).astype(np.int64), np.ones(n, np.int64))
