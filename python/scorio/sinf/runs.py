"""Whether runs differ more than chance explains; and averages of runs, where only these are known."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Bounds, Labels, Missing, Reals
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import ONE, Triple, add, clip, div, from_fraction, mul, root, sub, times_2_to, value
from ..errors import InvalidInput
from ..inference.difference import is_significant, lower_tail, quantile
from ..inference.runs import run_test
from ..outcomes.by_run import by_run
from ..outcomes.models import Models as NamedModels
from ..outcomes.models import holds_matrices, split_models
from ..outcomes.tally import Models, Outcomes
from ..results import Interval, RunVariation, shown_as_table

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


def run_variation(
    R: Models | Outcomes, w: Reals | None = None, *, sessions: Labels | None = None, shared: bool = False,
    missing: Missing = "raise",
) -> RunVariation:  # fmt: skip
    """Whether the runs of one or more models differ more than chance explains, and by how much.

    A run is what trials of different questions share: a pass over the benchmark, a seed, a prompt, a server. The result
    is also an argument: ``runs=run_variation(...)`` of :func:`scorio.eval.interval`, :func:`compare` and others.

    Parameters
    ----------
    R : array_like, shape (M, N) or (L, M, N), or mapping
        Outcomes of one model or of several, of which column j is run j; with unequal or missing trials see `missing`.
        Not :class:`scorio.Counts`, which do not know the run of a trial.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    sessions : sequence of N labels, optional
        The session of each column, such as a day, a server or a prompt: columns with equal labels are one run.
    shared : bool
        Whether the runs are the same for both of two models, such as prompts or sessions: ratio and df are then those
        of the difference of the models, as ``runs="shared"`` has them.
    missing : {"raise", "drop"} or int
        As in :func:`scorio.eval.interval`.

    Returns
    -------
    RunVariation
        (ratio, df, p_value, sd, model, run, deviation, p_run). ratio is the variance between the averages of runs over
        that which the trials of each question explain, pooled over models: 1 where runs do not differ; df its degrees
        of freedom, p_value that of the test of ratio 1, sd the estimated standard deviation of a run's average beyond
        chance, in units of w (0 where the ratio is below 1). ``run`` of ``model`` stands out most: its average is off
        by ``deviation``, with p_run its p-value, by Bennett's bound, times the number of runs.

    Raises
    ------
    InvalidInput
        An argument is invalid; type: counts; length: one run; shape: one question; conflict: shared runs of more than
        two models.

    Notes
    -----
    Defined in spec/families/runs.md. For outcomes 0 and 1 and complete runs df times ratio is Cochran's Q (1950). Where
    no question varies between runs, ratio is 1 and nothing stands out. One session says nothing about other sessions:
    give sessions only if there are several.

    Examples
    --------
    >>> from scorio import sinf
    >>> x = sinf.run_variation([[1, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]])
    >>> round(x.ratio, 3), x.df, round(x.p_value, 3), x.run, x.deviation
    (2.0, 3.0, 0.082, 1, 0.375)
    """
    scores, shared = arguments.category_scores(w), arguments.flag(shared, "shared")
    models = split_models(R, "R", 1) if holds_matrices(R) or np.isscalar(R) else NamedModels(None, [R])
    each = models.each(["R"], lambda x: by_run(x, len(scores) - 1, missing, "R", w is not None, sessions))
    if sessions is not None and all(x.runs < 2 for x in each):
        raise InvalidInput("length", "sessions", "one session says nothing about other sessions")
    if shared and len(each) > 2:
        what = f"shared runs of {len(each)} models: the ratio is about one model, or the difference of two"
        raise InvalidInput("conflict", "shared", what)
    x = run_test(each, scores, "R", shared)
    return x._replace(model=x.model if models.names is None else models.names[x.model])


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
