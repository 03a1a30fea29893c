"""A map of the differences between the averages of all pairs of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..analysis.measure import Request, in_every_benchmark, macro, target_of
from ..analysis.pairs import compare_pairs
from ..choices import Correction, MetricName, RateModel
from ..display.colours import BETTER, WORSE
from ..display.names import short_names
from ..display.terms import ON, level
from ..display.text import score_format, width
from ..errors import InvalidInput
from ..inference.pairs import checked_correction
from ..results import Target
from ..sinf.suite import SuitePair
from .canvas import LONGEST, NOTE, axes, footnotes, hide_spines, text_width, title_of, without_leading_zero
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 12  # the most models whose cells have space for numbers
GAP = "\u2002"  # a space that renderers do not merge with others
PER_INCH = 13  # characters of a footnote for each inch of the map's width
PALER = 0.4  # extension of the colour scale beyond the largest difference, so that black text stays readable


def comparisons(
    models: Any,
    metric: MetricName = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    *,
    questions: Target | None = None,
    confidence: float = 0.95,
    correction: Correction = "holm",
    model: RateModel = "mixture",
    missing: str | int = "raise",
    ax: Any = None,
) -> Axes:
    """A map of the differences of all pairs, row less column; models with the highest values come first.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (L, M, N)
        Two models or more, see :mod:`scorio.plot`. A pair is compared on the questions that both answered; of several
        benchmarks by the macro-average.
    metric, k, tau, w, model, missing
        As in :func:`scorio.sinf.compare`; w and missing are not used for an Evaluation.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        A pair differs significantly where its p-value is at most 1 - confidence, as in
        :func:`scorio.sinf.compare_all`.
    correction : {"holm", None}
        Holm's adjustment of the p-values for the number of pairs, or none.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        Its image shows each pair once, above the diagonal; NaN elsewhere, and (in grey) where two models share too few
        questions. Columns have the numbers of the rows. With up to 12 models, in a figure wide enough, the cells
        show the differences, and pairs that do not differ significantly are framed; otherwise a small square marks
        these.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: a single model.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> R = {"large": [[1, 1, 1, 1], [1, 0, 1, 1]], "small": [[1, 0, 0, 1], [0, 0, 1, 0]]}
    >>> ax = plot.comparisons(R, questions="fixed")
    >>> [x.get_text() for x in ax.texts]
    ['+.500']
    """
    e = evaluation_of(models, w, missing).on_one_scale()
    if len(e.models) < 2:
        raise InvalidInput("shape", "models", "models has one model: at least two are needed")
    checked_correction(correction)
    request = Request(metric, k, tau, target_of(e, questions), arguments.confidence(confidence), model)
    pairs = compare_pairs(e, request, correction).overall
    averages = {m: macro(e, m, request).mu for m in e.models if in_every_benchmark(e, m)}
    if len(averages) < 2:
        where, hint = (" in every benchmark", "task") if len(e.benchmarks) > 1 else ("", None)
        raise InvalidInput("no_trials", "models", f"fewer than two models have a trial{where}", hint)
    scale = next(iter(e.scales.values()))
    return draw_comparisons(averages, pairs, f"{title_of(e, request)}\n{ON[request.questions]}", confidence, scale, ax)


def draw_comparisons(
    averages: Mapping[str, float], pairs: Iterable[SuitePair], title: str, confidence: float,
    scale: tuple[float, float], ax: Any,
) -> Axes:  # fmt: skip
    """Draw compared pairs; models are sorted by their averages, and models with equal averages keep their order."""
    names = list(averages)
    scores, index = list(averages.values()), {name: i for i, name in enumerate(names)}
    D, p = np.full((2, len(names), len(names)), np.nan)  # differences and adjusted p-values, row less column
    for x in pairs:
        i, j = index[x.a], index[x.b]
        D[i, j], D[j, i], p[i, j], p[j, i] = x.mu, -x.mu, x.p_adjusted, x.p_adjusted
    L = len(names)
    order = sorted(range(L), key=lambda i: -scores[i])
    D, p = (x[np.ix_(order, order)] for x in (D, p))
    numbered = L <= MOST_NUMBERED
    size = 0.46 if numbered else max(0.15, 5.0 / L)  # inches of a cell
    longest = max(map(width, short_names(names, LONGEST).short))
    # inches: the map, margins, and 0.085 for each character of the names and numbers of rows
    ax = axes(ax, max(2.8, size * L) + 0.6 + 0.085 * (longest + 3), size * L + 1.3)
    short = short_names((names[i] for i in order), min(LONGEST, text_width(ax, 0.4)))
    rows = [f"{name}{GAP}{i}" for i, name in enumerate(short.short, 1)]
    fits = numbered and text_width(ax, 0.6) >= 6 * (L - 1)  # six characters for each column
    upper = np.triu(np.ones((L, L), bool), 1)
    D, p = (np.where(upper, x, np.nan) for x in (D, p))
    limit = (1.0 + PALER) * float(np.nanmax(np.abs(D), initial=0.0)) or 1.0
    from matplotlib.colors import LinearSegmentedColormap

    cmap = LinearSegmentedColormap.from_list("worse to better", [WORSE, "white", BETTER])
    ax.imshow(D, cmap=cmap, vmin=-limit, vmax=limit, aspect="auto")
    not_significant = p > 1.0 - confidence  # False where p is NaN
    form = score_format(scale)
    for i, j in np.argwhere(~np.isnan(D)).tolist() if fits else []:
        text = without_leading_zero(D[i, j], f"+{form}")
        ax.text(
            j, i, text, ha="center", va="center", fontsize="x-small", color="black",
            fontweight="normal" if not_significant[i, j] else "bold",
        )  # fmt: skip
    half_side = 0.42 if fits else 0.2
    _squares(ax, np.argwhere(not_significant), half_side, facecolors="none", edgecolors="#444444", linewidths=0.8)
    _squares(ax, np.argwhere(upper & np.isnan(D)), 0.5, facecolors="#DDDDDD")
    largest_font = 55.0 * size  # points; a row is 72 * size high
    ax.set_yticks(range(L), rows, parse_math=False, fontsize=min(float(ax.xaxis.label.get_fontsize()), largest_font))
    ticks = range(1, L) if numbered else [*range(4, L, 5)]
    ax.set_xticks(ticks, [str(i + 1) for i in ticks])
    ax.set_xlim(0.5, L - 0.5)  # the first column has no cell
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    mark = "framed" if fits else "small square"
    ax.set_xlabel(f"row less column: {title}")
    legend = f"{mark}: not significantly different at {level(1 - confidence)}"
    line_width = min(NOTE, int(PER_INCH * max(2.8, size * L)), text_width(ax, 0.55))
    footnotes(ax, [], [*([legend] if not_significant.any() else []), *short.shared], line_width)
    hide_spines(ax, "top", "right", "bottom", "left")
    return ax


def _squares(ax: Axes, cells: npt.NDArray[np.int64], half_side: float, **style: Any) -> None:
    """Draw a square in each of some cells."""
    from matplotlib.collections import PolyCollection

    square = half_side * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]])
    corners = [square + np.array([j, i]) for i, j in cells.tolist()]
    ax.add_collection(PolyCollection(corners, **style), autolim=False)
