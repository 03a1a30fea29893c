"""What all pictures share: axes, colours that the colour-blind and a black-and-white printer tell apart, labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..display.text import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"  # of Okabe and Ito
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*Xph"
STYLES = ("-", "--", ":", "-.")
LONGEST = 30  # characters of a name
HEAD, FOOT = 0.25, 0.85  # inches over and under the axes of a list
UNSHOWN = object()  # given as ax: a figure that no window or notebook shows
NEEDS = "pictures need Matplotlib: pip install matplotlib"


def axes(ax: Any, width: float = 7.0, height: float = 4.0) -> Axes:
    """The axes given, or those of a new figure of this size in inches."""
    if ax is not None and ax is not UNSHOWN:
        return ax
    try:
        from matplotlib.figure import Figure

        if ax is UNSHOWN:
            return Figure((width, height), layout="constrained").add_subplot()
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(NEEDS, name="matplotlib") from None
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def name_rows(ax: Axes, names: Sequence[Any], room: int = LONGEST) -> None:
    """One row for each name, the first on top."""
    ax.set_yticks(range(len(names)), labels(names, room), parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def bare(ax: Axes, *sides: str) -> None:
    """Without the lines at these sides."""
    for side in sides or ("top", "right"):
        ax.spines[side].set_visible(False)


def ink(ax: Axes) -> Any:
    """The colour of text, whatever the style in use."""
    return ax.xaxis.label.get_color()


def footnote(ax: Axes, text: str) -> None:
    """A line under the label of the x axis."""
    ax.set_xlabel(f"{ax.get_xlabel()}\n{text}" if ax.get_xlabel() else text)
