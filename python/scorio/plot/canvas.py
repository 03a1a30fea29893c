"""Parts of all plots: axes, colours that stay distinct for the colour-blind and in print, labels."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..analysis.measure import Request
from ..display.colours import BLUE, GREEN, PURPLE, VERMILION
from ..display.names import short_names
from ..metrics.metric import ENTRIES, read_metric
from ..readers.evaluation import EvaluationData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*Xph"
STYLES = ("-", "--", ":", "-.")
LONGEST = 30  # most characters of a name
NOTE = 78  # most characters of a line of a footnote
COLUMN = 4.5  # inches: a narrower figure is for a column of a page, with its sentences in the caption
CAPTION = "caption"  # label of a narrow figure that shows its sentences
HEAD, FOOT = 0.25, 0.85  # inches above and below axes that have a row for each model
UNSHOWN = object()  # passed as ax: draw a figure that no window or notebook shows
NEEDS_MATPLOTLIB = "plots need Matplotlib: pip install matplotlib"


def title_of(e: EvaluationData, request: Request) -> str:
    """The title of an axis that shows a metric, such as "average score"; a macro-average is named as such."""
    part = next(iter(e.benchmarks.values()))
    m = read_metric(request.name_in(part), request.k, request.tau, part.w)
    title = ENTRIES[m.name].title.format(k=m.k, tau=request.tau)
    return title if len(e.benchmarks) == 1 else f"macro-average, {title}"


def axes(ax: Any, width: float = 7.0, height: float = 4.0) -> Axes:
    """The given axes, or those of a new figure of this size in inches."""
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
        raise ModuleNotFoundError(NEEDS_MATPLOTLIB, name="matplotlib") from None
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def text_width(ax: Axes, share: float = 1.0) -> int:
    """The number of characters that fit in a share of the figure's width, 6 or more; each is 0.56 of the font size."""
    points = 72 * share * float(ax.figure.bbox.width / ax.figure.dpi)
    return max(6, int(points / (0.56 * float(ax.xaxis.label.get_fontsize()))))


def name_rows(ax: Axes, names: Sequence[Any]) -> list[str]:
    """Label the rows with names, the first on top, and return sentences on the parts of names that were left out."""
    fitting = short_names(names, min(LONGEST, text_width(ax, 0.35)))
    ax.set_yticks(range(len(names)), fitting.short, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    return fitting.shared


def label_y(ax: Axes, text: str) -> None:
    """Label the y axis, in as many lines as the height of the figure needs."""
    height = 0.8 * float(ax.figure.bbox.height / ax.figure.bbox.width)  # as a share of the width
    ax.set_ylabel("\n".join(textwrap.wrap(text, text_width(ax, height), break_on_hyphens=False)), parse_math=False)


def hide_spines(ax: Axes, *sides: str) -> None:
    """Hide the lines at these sides of the axes."""
    for side in sides or ("top", "right"):
        ax.spines[side].set_visible(False)


def footnotes(ax: Axes, sentences: Sequence[str], names: Sequence[str] = (), width: int = NOTE) -> None:
    """Write sentences under the label of the x axis, all broken into lines of at most width characters.

    A figure narrower than COLUMN omits the sentences, which belong in its caption, unless the figure has the label
    CAPTION. Sentences on names are in every figure.
    """
    captioned, inches = ax.figure.get_label() == CAPTION, float(ax.figure.bbox.width / ax.figure.dpi)
    texts = [*ax.get_xlabel().splitlines(), *(sentences if captioned or inches >= COLUMN else ()), *names]
    width = min(width, text_width(ax, 0.9))
    lines = [line for x in texts for line in textwrap.wrap(x, width, break_on_hyphens=False)]
    ax.set_xlabel("\n".join(lines), parse_math=False)


def without_leading_zero(x: float, form: str) -> str:
    """A formatted number without the zero before the decimal point."""
    text = format(x, form)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.", "+0.")) else text
