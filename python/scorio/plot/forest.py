"""Forest plot: the estimate and the interval of every model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import arguments
from ..analysis.measure import Request, in_every_benchmark, macro, target_of
from ..choices import MetricName, RateModel
from ..display import terms
from ..display.colours import BLUE
from ..display.text import score_format
from ..errors import InvalidInput
from ..results import MetricInterval, Target
from .canvas import FOOT, HEAD, axes, footnotes, hide_spines, name_rows, text_width, title_of, without_leading_zero
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = {"measured": "o", "modelled": "s", "upper bound": "D"}  # by how the variance was obtained
WIDTH_FOR_LIMITS = 64  # characters that fit in a figure that is wide enough to write the limits of intervals
SHAPES = {"modelled": "hollow square", "upper bound": "hollow diamond"}


def forest(
    models: Any,
    metric: MetricName = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    *,
    questions: Target | None = None,
    confidence: float = 0.95,
    model: RateModel = "mixture",
    missing: str | int = "raise",
    ax: Any = None,
) -> Axes:
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
    ax : Axes, optional
        Where to draw; default a new figure.

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
    ax.grid(axis="x", alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax, "top", "right", "left")
    return ax
