"""``scorio interval``: rates from bare counts, or means of the averages of runs, of one group or of two."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .. import arguments, eval, sinf
from ..analysis.sample_size import POWER, REALISTIC, growth
from ..display.terms import alpha, level, p_value
from ..display.terms import interval as interval_term
from ..display.text import score
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..page.columns import with_ends
from ..page.document import Column, Document, Table
from ..results import MetricInterval
from . import options
from .base import PRIMARY, Result, about_file

MOST_TRIALS = 10**7  # most trials of a group
FORM = ".3f"


@dataclass(frozen=True)
class Row:
    """The success rate of a group.

    Attributes
    ----------
    group : str, successes and trials, such as "47/50"
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

    def document(self) -> Document:
        ci, share = interval_term(self.about.confidence), level(self.about.confidence)
        meaning = (
            f"{ci}: a range that covers the rate of the population of which the trials are a sample in about {share} "
            "of samples. Trials are taken as independent: for several trials of a question use scorio leaderboard LOG."
        )
        rates = [(row.rate.mu, row.rate.lo, row.rate.hi) for row in self.table]
        table = _table("group", f"success rate\n{ci}", [row.group for row in self.table], rates, "Success rates")
        return Document("Success rates from counts", [table], sentences(self), (), [meaning])


def interval(*groups: Sequence[int], confidence: float = 0.95, power: float = POWER) -> CountIntervals:
    """Compute the interval of a success rate from counts, or compare two rates.

    Parameters
    ----------
    *groups : (int, int)
        Successes and trials of one group or of two. Trials are independent, such as one trial of each question.
    confidence : float in (0, 1); nominal coverage of the intervals
    power : float in [1/2, 1); power with which the stated sample size would detect the difference

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
    >>> from scorio.commands.interval import interval
    >>> x = interval((47, 50), (52, 60))
    >>> [round(row.rate.lo, 3) for row in x.table], round(x.p_value, 2)
    ([0.838, 0.758], 0.21)
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


@dataclass(frozen=True)
class RunRow:
    """The mean of a model's runs.

    Attributes
    ----------
    group : str, the averages, such as "71.2,70.8"
    runs : int
    mean, sigma, lo, hi : float
    """

    group: str
    runs: int
    mean: float
    sigma: float
    lo: float
    hi: float


@dataclass(frozen=True, kw_only=True)
class RunAverages(Result):
    """The means of the runs of one model, or of two models with their difference.

    Attributes
    ----------
    table : tuple of RunRow
    scale : (float, float)
    difference, lo, hi, df, p_value : float or None
        The first mean minus the second, its interval, Welch's degrees of freedom and p-value; None for one model.
    significant : bool or None
    """

    schema: ClassVar[str] = "scorio.averages/1"
    table: tuple[RunRow, ...]
    scale: tuple[float, float]
    difference: float | None = None
    lo: float | None = None
    hi: float | None = None
    df: float | None = None
    p_value: float | None = None
    significant: bool | None = None

    def document(self) -> Document:
        ci, share = interval_term(self.about.confidence), level(self.about.confidence)
        meaning = (
            f"{ci}: a range that covers the mean of all possible runs on these questions in about {share} of cases, "
            "from the variance between runs (t distribution). The sampling of questions is not in it: for that, and "
            "for smaller differences, use their outcomes, scorio compare LOG."
        )
        means = [(row.mean, row.lo, row.hi) for row in self.table]
        table = _table("averages of runs", f"mean\n{ci}", [row.group for row in self.table], means, "Means of runs")
        return Document("Means of the averages of runs", [table], sentences(self), (), [meaning])


def averages(*groups: Sequence[float], scale: Sequence[float], confidence: float = 0.95) -> RunAverages:
    """Compute the interval of the mean over runs from their averages, or compare two models.

    Parameters
    ----------
    *groups : sequence of float; the average of each run of one model or of two, on the same questions: two runs or more
    scale : (float, float); the lowest and the highest possible average
    confidence : float in (0, 1); nominal coverage of the intervals

    Returns
    -------
    RunAverages

    Raises
    ------
    InvalidInput
        An argument is invalid; length: a model of one run; undefined: all averages of a model are equal.

    Notes
    -----
    The results are those of :func:`scorio.sinf.mean_of_runs` and :func:`scorio.sinf.compare_runs`.

    Examples
    --------
    >>> from scorio.commands.interval import averages
    >>> x = averages([71.2, 70.8, 71.5], [69.9, 70.1, 70.3], scale=(0, 100))
    >>> round(x.table[0].lo, 2), round(x.p_value, 3)
    (70.29, 0.017)
    """
    confidence, (low, high) = arguments.confidence(confidence), arguments.bounds(scale)
    if not 1 <= len(groups) <= 2:
        raise InvalidInput("length", "groups", "state the averages of one model or of two")
    means = [sinf.mean_of_runs(x, confidence, (low, high)) for x in groups]
    names = [",".join(f"{float(y):.10g}" for y in x) for x in groups]
    rows = tuple(RunRow(name, len(x), *mean) for name, x, mean in zip(names, groups, means, strict=True))
    about = about_file("interval", (), confidence)
    if len(groups) == 1:
        return RunAverages(about=about, table=rows, scale=(low, high))
    x = sinf.compare_runs(groups[0], groups[1], confidence, (low, high))
    return RunAverages(
        about=about, table=rows, scale=(low, high), difference=x.mu, lo=x.lo, hi=x.hi, df=x.df, p_value=x.p_value,
        significant=x.significant,
    )  # fmt: skip


def _table(
    lead: str, header: str, names: Sequence[str], values: Sequence[tuple[float, float, float]], caption: str
) -> Table:
    """Table of groups: the name of each, and its estimate with its interval."""
    return Table([Column(lead, names, "left")], [[Column(header, with_ends(FORM, values), "left")]], caption)


def sentences(x: CountIntervals | RunAverages) -> list[str]:
    """Sentence on whether two groups differ; if rates do not, the trials that would detect the difference."""
    if x.difference is None or x.lo is None or x.hi is None or x.p_value is None:
        return []
    counted, alpha_text = isinstance(x, CountIntervals), alpha(x.about.confidence)
    a, b = (row.group for row in x.table) if counted else ("the first", "the second")
    sign = 1.0 if x.difference >= 0.0 else -1.0
    if sign < 0.0:
        a, b = b, a
    gap, low, high = (score(y, FORM) for y in (sign * x.difference, *sorted((sign * x.lo, sign * x.hi))))
    size = f"difference {gap}, {interval_term(x.about.confidence)} {low} to {high}; {p_value(x.p_value)}"
    if x.significant:
        higher, lower = (a, b) if counted else (f"The mean of {a}", f"that of {b}")
        return [f"{higher} is significantly higher than {lower} at {alpha_text} ({size})."]
    both = f"{a} and {b}" if counted else "The means"
    out = f"{both} are not significantly different at {alpha_text} ({size})."
    if isinstance(x, RunAverages) or x.times is None:
        return [out]
    if x.times > REALISTIC:
        return [f"{out} No realistic number of trials decides (about {x.times:,.0f} times as many would)."]
    # a factor below 1.1 would be shown as 1.0, which is no growth
    return [f"{out} About {max(x.times, 1.1):.1f} times as many trials of both would detect a difference of this size "
            f"with {level(x.power)} power."]  # fmt: skip


EXAMPLES = """examples:
  scorio interval 47/50                    a rate with its interval
  scorio interval 47/50 52/60              do two rates differ?
  scorio interval 47/50 52/60 --confidence 0.99 --json
  scorio interval 71.2,70.8,71.5 69.9,70.1,70.3 --scale 0,100
                                           do two models differ in runs?

"""
MEANING = """Successes of trials that are independent of each other: one trial of each
question, or 50 users. Two groups are compared as independent samples; two
models on the same questions are compared more precisely by scorio compare LOG.
Where only the average of each run (seed) is known, list them with commas and
state the ends of their scale: intervals are then those of the t distribution
over runs (Welch's for two models), for these questions.

"""


def parse_group(text: str) -> tuple[int, int] | list[float]:
    """Parse counts such as 47/50 into successes and trials, or averages of runs such as 71.2,70.8 into a list."""
    if match := re.fullmatch(r"([0-9]{1,15})/([0-9]{1,15})", text):
        return int(match[1]), int(match[2])
    try:
        averages = [float(x) for x in text.split(",")]
    except ValueError:
        averages = []
    if len(averages) < 2:
        what = "neither a count such as 47/50 (47 successes of 50 trials) nor averages of two runs or more: 71.2,70.8"
        raise ArgumentTypeError(f"{text!r} is {what}")
    return averages


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, MEANING, run)
    parser.add_argument(
        "groups", nargs="+", type=parse_group, metavar="C/N",
        help="successes and trials of one group or of two; or the averages of runs: 71.2,70.8,71.5"
    )  # fmt: skip
    parser.add_argument(
        "--scale", type=options.list_of(float, "0,100"), metavar="LO,HI", help="the ends of the scale of averages"
    )
    options.add(parser, "confidence", power="power of the sample size that would detect the difference")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> CountIntervals | RunAverages:
    are_averages = {isinstance(x, list) for x in args.groups}
    if are_averages == {False} and args.scale is None:
        return interval(*args.groups, confidence=args.confidence, power=args.power)
    if are_averages == {True} and args.scale is not None:
        return averages(*args.groups, scale=args.scale, confidence=args.confidence)
    if len(are_averages) > 1:
        raise InvalidInput("conflict", "groups", "counts beside averages of runs: state the same for both")
    what = "averages of runs need the ends of their scale, such as --scale 0,100; counts such as 47/50 have none"
    raise InvalidInput("conflict", "scale", what)
