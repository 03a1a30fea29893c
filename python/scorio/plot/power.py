"""Plot of the power of a comparison against trials per question, for several numbers of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import arguments, sinf
from ..analysis.sample_size import POWER, power_at
from ..display.names import short_names
from ..display.terms import alpha, level
from ..display.text import number, score, score_format
from ..errors import InvalidInput
from .canvas import COLOURS, MARKERS, STYLES, axes, footnotes, hide_spines
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUESTION_MULTIPLES = (1, 2, 4)  # a line for each of these multiples of the observed number of questions
MOST_TRIAL_MULTIPLE = 16  # the axis ends at this multiple of the fewest trials of a question


def power(
    models: Any, w: Any = None, *, confidence: float = 0.95, target: float = POWER, missing: str | int = "raise",
    ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot the power of a comparison of two models against the trials per question, at their observed difference.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (2, M, N)
        Two models, see :mod:`scorio.plot`. They are compared on the questions that both answered.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1). Not used for an Evaluation.
    confidence : float in (0, 1)
        The comparison is two-sided, at the level 1 - confidence.
    target : float in (0, 1)
        The power that is marked by a horizontal line.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        A line for this question set, and a line each for as many similar questions, twice and four times as many. The
        observed difference is itself an estimate: the power at the observed number of trials has no more information
        than the p-value of the comparison.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: not two models, or fewer than two shared questions; undefined: equal averages.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> R = {"large": [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 0, 1]], "small": [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]}
    >>> ax = plot.power(R)
    >>> [line.get_label() for line in ax.lines[:2]], round(float(ax.lines[0].get_ydata()[3]), 3)
    (['these questions', '3 similar questions'], 0.251)
    """
    confidence, target = arguments.confidence(confidence), arguments.confidence(target, name="target")
    part = evaluation_of(models, w, missing).pooled()
    counts = part.aligned() if len(part.logs) == 2 else {}
    shared = np.flatnonzero(np.all([x.trials > 0 for x in counts.values()], axis=0)) if counts else np.zeros(0, int)
    if not shared.size:
        raise InvalidInput("shape", "models", "models must be two models that share questions")
    A, B = (x.select(shared) for x in counts.values())
    w = part.w
    if A.M < 2:
        raise InvalidInput("shape", "models", "models must share two questions that have trials")
    difference = sinf.compare(A, B, w=w, questions="fixed").mu
    if difference == 0.0:
        raise InvalidInput("undefined", "models", "models have equal averages: there is no difference to detect")
    n_trials = min(A.min_trials, B.min_trials)
    at_least = "at least " if max(int(x.trials.max()) for x in (A, B)) > n_trials else ""
    trials, questions = _trial_numbers(MOST_TRIAL_MULTIPLE * n_trials), [i * A.M for i in QUESTION_MULTIPLES]
    points = power_at(A, B, trials, questions, w, confidence)
    ax = axes(ax, 6.4, 3.8)
    lines = [("these questions", [x.fixed for x in points])]
    lines += [(f"{Q:,} similar questions", [x.sampled[i] for x in points]) for i, Q in enumerate(questions)]
    for i, (label, y) in enumerate(lines):
        ax.plot(trials, y, STYLES[i % 4], color=COLOURS[i], marker=MARKERS[i], markersize=3.5, label=label)
    ax.axhline(target, color="0.6", lw=0.8, zorder=0)
    ax.axvline(n_trials, color="0.6", lw=0.8, zorder=0)
    short = short_names(counts, 30)
    ax.set(xlabel="trials per question", ylabel="power", ylim=(0.0, 1.02))
    ax.set_xscale("log", base=2)
    _ticks(ax)
    ax.legend(frameon=False, loc="best", fontsize="small")
    size = score(abs(difference), score_format(part.scores))
    footnotes(ax, [
        f"{short.short[0]} and {short.short[1]}: probability that a difference of the size seen, {size}, is "
        f"significant at {alpha(confidence)} (two-sided). There {'is' if n_trials == 1 else 'are'} "
        f"{at_least}{number(n_trials, 'trial per question')} of {number(A.M, 'question')}; the lines mark this and "
        f"{level(target)}.",
    ], short.shared)  # fmt: skip
    ax.grid(alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax)
    return ax


def _trial_numbers(largest: int) -> list[int]:
    """The numbers 1, 2, 3, 4, 6, 8, 12, 16, ... up to largest, and largest."""
    return sorted(
        {x for i in range(largest.bit_length() + 1) for x in (2**i, 3 * 2**i // 2) if 0 < x <= largest} | {largest}
    )


def _ticks(ax: Axes) -> None:
    """Label the ticks: whole numbers of trials, power as a percentage."""
    from matplotlib.ticker import NullLocator

    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_yticks([x / 4 for x in range(5)], [level(x / 4) for x in range(5)])
