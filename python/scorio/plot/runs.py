"""Plots of runs and builds: the average of each run with what chance explains, and the history of a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..analysis.runs import RunScore, run_scores
from ..display.terms import interval, level
from ..display.text import short_names
from ..page.markup import BLUE, GREEN, VERMILION
from .canvas import FOOT, HEAD, axes, evaluation_of, finished, footnotes, label_y, name_rows

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
    return finished(ax, "x", "top", "right", "left")


MOST_BARS, MOST_NAMES = 60, 12  # builds with an interval each; names of builds at the axis


def draw_history(x: Any, ax: Any = None) -> Axes:
    """Draw a :class:`scorio.commands.history.History`."""
    ax = axes(ax, 7.0, 3.8)
    rows = x.table
    place = {row.build: i for i, row in enumerate(rows)}
    if len(rows) > MOST_BARS:
        ax.fill_between(
            range(len(rows)), [row.lo for row in rows], [row.hi for row in rows], color=BLUE, alpha=0.2, lw=0
        )
    else:
        ax.vlines(range(len(rows)), [row.lo for row in rows], [row.hi for row in rows], color=BLUE, alpha=0.4, lw=1.5)
    kinds = (
        ("pin", GREEN, "s", [row.pinned for row in rows]),
        ("pass", BLUE, "o", [row.verdict == "pass" for row in rows]),
        ("inconclusive", "white", "o", [row.verdict == "inconclusive" for row in rows]),
        ("fail", VERMILION, "v", [row.verdict == "fail" for row in rows]),
    )
    for name, colour, marker, chosen in kinds:
        where = [i for i, here in enumerate(chosen) if here]
        if where:
            edge = BLUE if colour == "white" else colour
            ax.plot(where, [rows[i].mu for i in where], marker, color=colour, markeredgecolor=edge, markersize=4.5,
                    label=name, zorder=3)  # fmt: skip
    gated = [(i, row.floor) for i, row in enumerate(rows) if row.floor is not None]
    if gated:
        ax.step(*zip(*gated, strict=True), where="mid", color="black", lw=1.0, ls="--", label="floor", zorder=2)
    for i, row in enumerate(rows):
        if row.step is not None:
            first, last = place[row.step_first], place[row.step_last]
            ax.axvspan(first - 0.5, last + 0.5, color=VERMILION, alpha=0.12, lw=0, label="step", zorder=0)
        if row.alarm:
            ax.axvline(i, color=VERMILION, lw=1.0, ls=":", label=f"alarm ({row.alarm})", zorder=1)
    every = max(1, -(-len(rows) // MOST_NAMES))
    shown = list(range(0, len(rows), every))
    fitting = short_names([row.build for row in rows], 12)
    ax.set_xticks(shown, [fitting.short[i] for i in shown], rotation=35, ha="right", parse_math=False)
    ax.set_xlabel("builds, in the order of time")
    label_y(ax, f"score, {interval(x.about.confidence)}")
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))  # one of each kind
    ax.legend(handles.values(), handles.keys(), frameon=False, fontsize="small", ncols=3)
    footnotes(
        ax, [f"baseline {x.baseline}, margin {x.margin:.10g}; the floor is what a build must exceed"], fitting.shared
    )
    return finished(ax, "y", "top", "right")
