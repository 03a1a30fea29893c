"""Plot of score against cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..analysis.pareto import Point
from ..analysis.pareto import pareto as frontier
from ..display import terms
from ..display.colours import BETTER, WORSE
from ..display.names import short_names
from .canvas import axes, footnotes, hide_spines, label_y, text_width
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _below_a_decade(points: Sequence[Point]) -> bool:
    """Whether all intervals of costs are within a factor of 8, so that ticks between powers of ten have space."""
    return max(x.cost.hi for x in points) < 8 * min(x.cost.lo for x in points)


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
    models : Evaluation
        One benchmark whose log states what each trial cost.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    confidence : float
        Nominal coverage of the intervals; 1 - confidence is the family-wise level of the frontier.
    ax : Axes, optional
        Where to draw; default a new figure.

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
        ax.xaxis.set_minor_formatter("{x:,g}" if _below_a_decade(points) else NullFormatter())
    _label_points(ax, points, names.short)
    ax.set_xlabel(f"mean {points[0].unit} of a trial, {terms.interval(confidence)}")
    label_y(ax, f"average score, {terms.interval(confidence)} {terms.ON[points[0].score.questions]}")
    legend = "hollow squares: another model scores significantly more and costs significantly less"
    footnotes(ax, [legend] if any(x.dominated_by for x in points) else [], names.shared)
    ax.grid(alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax)
    return ax
