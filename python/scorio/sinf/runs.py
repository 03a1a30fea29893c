"""Averages of runs: the mean of a model, or the difference of two, where only the average of each run is known."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from .. import arguments
from ..arguments import Bounds, Reals
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import ONE, Triple, add, clip, div, mul, root, sub, times_2_to, value
from ..arithmetic.rational import from_fraction
from ..errors import InvalidInput
from ..inference.difference import is_significant, lower_tail, quantile
from ..results import Interval, shown_as_table

LARGEST_AVERAGE = 1e100


@shown_as_table
class RunComparison(NamedTuple):
    """The difference of two models, its standard error and interval, degrees of freedom, p-value, and the decision."""

    mu: float
    sigma: float
    lo: float
    hi: float
    df: float
    p_value: float
    significant: bool


def mean_of_runs(averages: Reals, confidence: float = 0.95, bounds: Bounds | None = None) -> Interval:
    """The mean of the averages of several runs of one model, with the t interval over runs.

    Parameters
    ----------
    averages : array_like, shape (N,), N >= 2
        The average of each run on the same questions, such as one for each seed.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    bounds : (lo, hi), optional
        The ends of the scale, such as (0, 100): averages are within, and the interval is clipped to it.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): the mean, its standard error, and the interval with N - 1 degrees of freedom.

    Raises
    ------
    InvalidInput
        An argument is invalid; length: one run; undefined: all averages are equal.

    Notes
    -----
    The interval is for these questions, and covers the mean over further runs if averages are roughly normal. It does
    not account for the sampling of questions, which averages do not show: with the outcomes of the questions,
    :func:`scorio.eval.interval` does. Equal averages are refused: most likely the runs are one run (temperature 0, a
    cache), and an interval without width would be wrong.

    Examples
    --------
    >>> from scorio import sinf
    >>> x = sinf.mean_of_runs([71.2, 70.8, 71.5], bounds=(0, 100))
    >>> round(x.mu, 3), round(x.lo, 3), round(x.hi, 3)
    (71.167, 70.294, 72.039)
    """
    confidence, ends = arguments.confidence(confidence), arguments.bounds(bounds)
    mean, V, n = _moments(averages, "averages", ends)
    _check_varies(V)
    lo, hi = _ends(mean, V, from_fraction(n - 1), confidence)
    return Interval(value(from_fraction(mean)) + 0.0, value(root(from_fraction(V))), clip(lo, *ends), clip(hi, *ends))


def compare_runs(
    averages: Reals, others: Reals, confidence: float = 0.95, bounds: Bounds | None = None
) -> RunComparison:
    """The difference of two models in the averages of their runs, by Welch's t test.

    Parameters
    ----------
    averages, others : array_like, shapes (N,) and (N',), each with two runs or more
        The average of each run of the first and of the second model, on the same questions and the same scale.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    bounds : (lo, hi), optional
        The ends of the scale: averages are within, and the interval is clipped to differences that are possible.

    Returns
    -------
    RunComparison
        (mu, sigma, lo, hi, df, p_value, significant): the first mean minus the second, its standard error and interval,
        Welch's degrees of freedom, the two-sided p-value, and whether the interval excludes 0.

    Raises
    ------
    InvalidInput
        An argument is invalid; length: one run; undefined: all averages of both models are equal.

    Notes
    -----
    As for :func:`mean_of_runs`, the result is for these questions. With the outcomes of the questions
    :func:`scorio.sinf.compare` pairs them, and finds smaller differences.

    Examples
    --------
    >>> from scorio import sinf
    >>> x = sinf.compare_runs([71.2, 70.8, 71.5], [69.9, 70.1, 70.3], bounds=(0, 100))
    >>> round(x.mu, 3), round(x.p_value, 4), x.significant
    (1.067, 0.0174, True)
    """
    confidence, (low, high) = arguments.confidence(confidence), arguments.bounds(bounds)
    (mean, v, n), (other, w, m) = (
        _moments(x, name, (low, high)) for x, name in ((averages, "averages"), (others, "others"))
    )
    _check_varies(v + w)
    D, V = mean - other, v + w
    df = from_fraction(V**2 / (v**2 / (n - 1) + w**2 / (m - 1)))
    t = div(from_fraction(-abs(D)), root(from_fraction(V)))
    p: Triple = times_2_to(lower_tail(t, df), 1.0) if D else ONE
    largest = high - low  # the largest possible difference
    lo, hi = (clip(x, -largest, largest) for x in _ends(D, V, df, confidence))
    sigma = value(root(from_fraction(V)))
    mu = value(from_fraction(D)) + 0.0
    return RunComparison(mu, sigma, lo, hi, value(df), value(p), is_significant(p, confidence))


def _moments(averages: Reals, name: str, bounds: Bounds) -> tuple[Fraction, Fraction, int]:
    """The mean of averages, its variance and their number."""
    values = arguments.at_least_two(averages, name)
    low, high = max(bounds[0], -LARGEST_AVERAGE), min(bounds[1], LARGEST_AVERAGE)
    for i, x in enumerate(values):
        if not low <= x <= high:
            raise InvalidInput("range", name, f"{name}[{i}] = {x!r} is not from {low!r} to {high!r}")
    exact, n = [Fraction(x) for x in values], len(values)
    mean = sum(exact) / n
    return Fraction(mean), Fraction(sum((x - mean) ** 2 for x in exact)) / (n * (n - 1)), n


def _check_varies(V: Fraction) -> None:
    """Refuse averages without variance: the runs are most likely one run."""
    if not V:
        what = "all averages of a model are equal, so that the variance between runs is unknown: are they one run?"
        raise InvalidInput("undefined", "averages", what)


def _ends(mean: Fraction, V: Fraction, df: Triple, confidence: float) -> tuple[float, float]:
    """The ends of the t interval."""
    x, half = from_fraction(mean), mul(quantile(error_rate(confidence, 2), df), root(from_fraction(V)))
    return value(sub(x, half)) + 0.0, value(add(x, half)) + 0.0
