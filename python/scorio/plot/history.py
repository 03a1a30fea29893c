"""Plot of the builds of a ledger: scores with their bands, the floor, the pin, alarms and steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..display.colours import BLUE, GREEN, VERMILION
from ..display.names import short_names
from ..display.terms import interval
from .canvas import axes, footnotes, hide_spines, label_y

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    ax.grid(axis="y", alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax, "top", "right")
    return ax
