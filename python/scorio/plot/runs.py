"""Plot of the average of each run, with what chance explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..analysis.runs import RunScore, run_scores
from ..display.colours import BLUE, VERMILION
from ..display.terms import level
from .canvas import FOOT, HEAD, axes, footnotes, hide_spines, name_rows
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Z = 1.959963984540054  # the band covers 95% of runs that differ only by chance


def runs(models: Any, *, ax: Any = None) -> Axes:
    """Plot the average of each run of each model, around the model's average, and the band that chance explains.

    Parameters
    ----------
    models : Evaluation, whose log states runs
    ax : Axes, optional; default: a new figure

    Returns
    -------
    Axes

    Raises
    ------
    InvalidInput
        conflict: the log does not state runs, or has several benchmarks.

    Examples
    --------
    >>> import scorio
    >>> from scorio import plot
    >>> ax = plot.runs(scorio.read("spec/examples/coins.csv"))
    """
    e = evaluation_of(models)
    part = e.benchmark()  # refuses several benchmarks
    part.sampled_runs("sampled")  # refuses a log without runs
    return draw_runs([*run_scores(part)], ax)


def draw_runs(scores: Sequence[RunScore], ax: Any) -> Axes:
    """Draw the average of each run, a row for each model; runs outside of the band are orange."""
    names = list(dict.fromkeys(x.model for x in scores))
    ax = axes(ax, 7.0, HEAD + FOOT + 0.32 * len(names) + 0.1)
    for row, name in enumerate(names):
        own = [x for x in scores if x.model == name]
        centre = sum(x.average - x.deviation for x in own) / len(own)
        chance = sum(x.chance for x in own) / len(own)
        ax.barh(row, 2 * Z * chance, left=centre - Z * chance, height=0.62, color=BLUE, alpha=0.15, lw=0, zorder=1)
        ax.plot([centre, centre], [row - 0.31, row + 0.31], color=BLUE, lw=1.2, zorder=2)
        for x in own:
            colour = VERMILION if abs(x.z) > Z else BLUE
            ax.plot(centre + x.deviation, row, "o", color=colour, markersize=4.5, alpha=0.8, zorder=3, clip_on=False)
    name_notes = name_rows(ax, names)
    ax.set_xlabel("average of each run, on the model's questions")
    ax.margins(x=0.03)
    ax.autoscale_view()
    footnotes(ax, [f"band: {level(0.95)} of runs, if they differ only by chance"], name_notes)
    ax.grid(axis="x", alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax, "top", "right", "left")
    return ax
