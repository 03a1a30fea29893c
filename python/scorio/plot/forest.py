"""Plots of the models: the estimate and the interval of each, and score against cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import arguments
from ..analysis.cost import Point
from ..analysis.cost import pareto as frontier
from ..analysis.measure import Request, in_every_benchmark, macro, target_of
from ..display import terms
from ..display.text import score_format, short_names
from ..errors import InvalidInput
from ..page.markup import BETTER, BLUE, WORSE
from ..results import MetricInterval, MetricName, RateModel, Target
from .canvas import (
    FOOT,
    HEAD,
    axes,
    evaluation_of,
    finished,
    footnotes,
    label_y,
    name_rows,
    text_width,
    title_of,
    without_leading_zero,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = {"measured": "o", "modelled": "s", "upper bound": "D"}  # by how the variance was obtained
WIDTH_FOR_LIMITS = 64  # characters that fit in a figure that is wide enough to write the limits of intervals
SHAPES = {"modelled": "hollow square", "upper bound": "hollow diamond"}


def forest(
    models: Any, metric: MetricName = "mean", k: int | None = None, tau: float | None = None, w: Any = None, *,
    questions: Target | None = None, confidence: float = 0.95, model: RateModel = "mixture",
    missing: str | int = "raise", ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot the estimate and interval of each model, highest first, with the numbers at the right.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (L, M, N)
        One model or more, in any form that :mod:`scorio.plot` describes; of several benchmarks it shows the
        macro-averages.
    metric, k, tau, w, confidence, model
        As in :func:`scorio.eval.interval`; w is not used for an Evaluation.
    missing : {"raise", "drop"} or int
        As in :func:`scorio.eval.interval`, without "bounds". Not used for an Evaluation.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        Filled circles where the variance is measured, hollow squares (~) where it comes from a fitted model,
        hollow diamonds (*) where it is an upper bound. Two of them are the lowest and the highest value where missing
        outcomes are bounded.

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Notes
    -----
    Intervals of two models may overlap where their difference is significant: see :func:`comparisons`.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> R = {"large": [[1, 1, 1, 1], [1, 0, 1, 1]], "small": [[1, 0, 0, 1], [0, 0, 1, 0]]}
    >>> ax = plot.forest(R, questions="fixed")
    >>> [x.get_text() for x in ax.get_yticklabels()], ax.get_xlabel()
    (['large', 'small'], 'average score, 95% CI on these questions')
    """
    e = evaluation_of(models, w, missing, paired=False).on_one_scale()
    request = Request(metric, k, tau, target_of(e, questions), arguments.confidence(confidence), model)
    intervals = {m: macro(e, m, request) for m in e.models if in_every_benchmark(e, m)}
    if not intervals:
        where, hint = (" in every benchmark", "task") if len(e.benchmarks) > 1 else ("", None)
        raise InvalidInput("no_trials", "models", f"no model has a trial{where}", hint)
    return draw_forest(intervals, title_of(e, request), confidence, next(iter(e.scales.values())), ax)


def draw_forest(
    intervals: Mapping[str, MetricInterval], title: str, confidence: float, scale: tuple[float, float], ax: Any
) -> Axes:
    """Draw intervals, the highest estimate first; models with equal estimates keep the order of the mapping."""
    names, results = list(intervals), list(intervals.values())
    order = sorted(range(len(names)), key=lambda i: -results[i].mu)
    ax = axes(ax, 7.0, HEAD + FOOT + 0.27 * len(names) + 0.1)
    form = score_format(scale)
    for row, i in enumerate(order):
        x, measured = results[i], results[i].variance_source == "measured"
        ax.plot([x.lo, x.hi], [row, row], color=BLUE, lw=1.6, solid_capstyle="butt", zorder=2)
        values = list(dict.fromkeys(x.bounds or (x.mu,)))  # two ends where missing outcomes are bounded
        ax.plot(
            values, [row] * len(values), MARKERS[x.variance_source], color=BLUE, markersize=6, markeredgewidth=1.4,
            zorder=3, clip_on=False, markerfacecolor=BLUE if measured else ax.get_facecolor(),
        )  # fmt: skip
        limits = (
            f" [{without_leading_zero(x.lo, form)}, {without_leading_zero(x.hi, form)}]"
            if text_width(ax) >= WIDTH_FOR_LIMITS
            else ""
        )
        estimate = " to ".join(without_leading_zero(y, form) for y in values)
        value = terms.marked(estimate + limits, terms.MARKS[x.variance_source])
        ax.text(1.02, row, value, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    name_notes = name_rows(ax, [names[i] for i in order])
    ax.set_xlabel(f"{title}, {terms.interval(confidence)} {terms.ON[results[0].questions]}")
    sources = {x.variance_source for x in results}
    footnotes(ax, [*(f"{SHAPES[x]} {terms.legend(x)}" for x in SHAPES if x in sources)], name_notes)
    low, high = scale
    edge = 0.03 * (max(x.hi for x in results) - min(x.lo for x in results) or 1.0)
    ax.set_xlim(max(low, min(x.lo for x in results)) - edge, min(high, max(x.hi for x in results)) + edge)
    return finished(ax, "x", "top", "right", "left")


def _label_points(ax: Axes, points: Sequence[Point], names: Sequence[str]) -> None:
    """Write names beside points: below right in the left half, above left in the right half, away from a frontier."""
    for x, name in zip(points, names, strict=True):
        at = (x.cost.value, x.score.mu)
        share = (ax.transScale + ax.transLimits).transform(at)[0]
        style: Any = {"xytext": (4, -4), "va": "top"} if share < 0.5 else {"xytext": (-4, 4), "ha": "right"}
        ax.annotate(name, at, textcoords="offset points", fontsize="small", parse_math=False, **style)


def pareto(models: Any, *, questions: str | None = None, confidence: float = 0.95, ax: Any = None) -> Axes:
    r"""Plot the average of each model against the mean cost of a trial, with both intervals.

    The axis of costs is logarithmic, unless the interval of a cost reaches 0.

    Parameters
    ----------
    models : Evaluation; one benchmark whose log states what each trial cost
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    confidence : float; nominal coverage of the intervals; 1 - confidence is the family-wise level of the frontier
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        Filled circles for models that no other model dominates, hollow squares for dominated ones: see
        :meth:`scorio.Evaluation.pareto`.

    Raises
    ------
    InvalidInput
        missing: the costs of trials are not known, or a single question was sampled; shape: only one model has costs;
        conflict: several benchmarks.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import io, scorio
    >>> rows = [f"{m},q{q},{int(q % 4 < s)},{c + q % 3}" for m, s, c in (("a", 3, 5), ("b", 1, 90)) for q in range(40)]
    >>> table = io.BytesIO("\n".join(["model,question,outcome,tokens", *rows]).encode())
    >>> ax = scorio.read(table).plot("pareto")
    >>> [text.get_text() for text in ax.texts], ax.get_xlabel().splitlines()[0]
    (['a', 'b'], 'mean tokens of a trial, 95% CI')
    """
    from matplotlib.ticker import NullFormatter

    points = frontier(evaluation_of(models, paired=False), questions=questions, confidence=confidence)
    ax = axes(ax, 6.0, 4.0)
    names = short_names([x.model for x in points], min(24, text_width(ax, 0.3)))
    for x in points:
        colour, marker = (WORSE, "s") if x.dominated_by else (BETTER, "o")
        ax.plot([x.cost.lo, x.cost.hi], [x.score.mu] * 2, color=colour, lw=1.2, zorder=2)
        ax.plot([x.cost.value] * 2, [x.score.lo, x.score.hi], color=colour, lw=1.2, zorder=2)
        ax.plot(x.cost.value, x.score.mu, marker, color=colour, zorder=3,
                markerfacecolor=ax.get_facecolor() if x.dominated_by else colour)  # fmt: skip
    if all(x.cost.lo > 0 for x in points):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,g}")
        # within a factor of 8, ticks between powers of ten have space
        below_a_decade = max(x.cost.hi for x in points) < 8 * min(x.cost.lo for x in points)
        ax.xaxis.set_minor_formatter("{x:,g}" if below_a_decade else NullFormatter())
    _label_points(ax, points, names.short)
    ax.set_xlabel(f"mean {points[0].unit} of a trial, {terms.interval(confidence)}")
    label_y(ax, f"average score, {terms.interval(confidence)} {terms.ON[points[0].score.questions]}")
    legend = "hollow squares: another model scores significantly more and costs significantly less"
    footnotes(ax, [legend] if any(x.dominated_by for x in points) else [], names.shared)
    return finished(ax)
