"""Parts of all plots: their argument `models`, axes, colours that stay distinct for the colour-blind, labels."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .. import arguments
from ..analysis.measure import Request
from ..display.text import short_names
from ..errors import InvalidInput
from ..metrics.metric import ENTRIES, read_metric
from ..outcomes.counts import Counts
from ..outcomes.models import Models, check_flat, is_matrix
from ..outcomes.tally import count
from ..page.markup import BLUE, GREEN, PURPLE, VERMILION
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log

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


def finished(ax: Axes, grid: Literal["x", "y", "both"] = "both", *sides: str) -> Axes:
    """The axes with a grid, and without the lines at these sides."""
    ax.grid(axis=grid, alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    hide_spines(ax, *sides)
    return ax


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


def evaluation_of(models: Any, w: Any = None, missing: str | int = "raise", paired: bool = True) -> EvaluationData:
    """Convert a mapping of names to outcomes or logs, or an array (L, M, N), to an evaluation; return one unchanged.

    paired: whether to refuse models (other than logs) whose questions differ: in number where they have no ids; in ids,
    unless missing is "drop".
    """
    if isinstance(models, EvaluationData):
        return models
    return EvaluationData({"": _benchmark("", models, w, missing, paired)})


def suite_of(benchmarks: Any, w: Any = None, missing: str | int = "raise") -> EvaluationData:
    """Convert {benchmark: models}, with models as in evaluation_of(), to an evaluation.

    An evaluation of several benchmarks is returned unchanged.
    """
    if isinstance(benchmarks, EvaluationData):
        if len(benchmarks.benchmarks) < 2:
            raise InvalidInput("empty", "benchmarks", "benchmarks is an evaluation of one benchmark: two are needed")
        return benchmarks
    if not isinstance(benchmarks, Mapping) or not benchmarks:
        what = "benchmarks must be an evaluation, or a mapping of a benchmark to its models"
        raise InvalidInput("type", "benchmarks", what)
    parts = dict[str, Benchmark]()
    for name, x in benchmarks.items():
        if str(name) in parts:
            raise InvalidInput("duplicate", "benchmarks", f"two names of benchmarks are {str(name)!r} as text")
        try:
            parts[str(name)] = _benchmark(str(name), x, w, missing, paired=False)
        except InvalidInput as error:
            if error.argument in ("w", "missing"):
                raise
            raise error.of(f"benchmarks[{name!r}]", "benchmarks") from None
    return EvaluationData(parts)


def _benchmark(name: str, models: Any, w: Any, missing: str | int, paired: bool) -> Benchmark:
    w = getattr(models, "w", None) if w is None else w
    scores = None if w is None else tuple(arguments.category_scores(w))
    split = Models(None, [])
    if isinstance(models, Mapping):
        split = Models(list(models), list(models.values()))
    elif isinstance(models, (list, tuple)) or getattr(models, "ndim", 0) == 3:
        split = Models(None, list(models))
    if (
        isinstance(models, Counts) or getattr(models, "ndim", 3) == 2
        or not all(map(is_matrix, split.items if split.names is None else []))
    ):  # fmt: skip
        raise InvalidInput("shape", "models", "models must be a mapping or (L, M, N); for one model {name: outcomes}")
    if not split.items:
        raise InvalidInput("empty", "models", "models is neither a mapping nor a 3-D array (L, M, N), or has no models")
    are_logs = [isinstance(x, Log) for x in split.items]
    if any(are_logs) and not all(are_logs):
        raise InvalidInput("type", "models", "models mixes logs with other forms of outcomes: give all in one form")

    C = len(arguments.category_scores(w)) - 1

    def log(x: Any) -> Log:
        if isinstance(x, Log):
            return x._replace(counts=count(x.counts, C, missing, name="models", has_scores=w is not None))
        check_flat(x, "models")
        counts = count(x, C, missing, name="models", has_scores=w is not None)
        return Log([str(i) for i in range(counts.M)] if counts.ids is None else list(counts.ids), counts)

    logs = split.each(["models"], log)
    if paired and not any(are_logs):
        split.paired([x.counts for x in logs], "models", missing)
    names = [f"model {i}" for i in range(len(logs))] if split.names is None else [str(x) for x in split.names]
    if repeated := [x for x in names if names.count(x) > 1]:
        raise InvalidInput("duplicate", "models", f"two names of models are {repeated[0]!r} as text")
    return Benchmark(name, dict(zip(names, logs, strict=True)), w=scores)
