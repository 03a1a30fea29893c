"""Maps: the differences of all pairs of models, and every model on every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..analysis.measure import Request, in_every_benchmark, macro, target_of, value
from ..analysis.pairs import compare_pairs
from ..display.terms import MACRO, ON, interval, level
from ..display.text import score_format, short_names, width
from ..errors import InvalidInput
from ..inference.pairs import checked_correction
from ..page.markup import BETTER, WORSE
from ..readers.evaluation import Scale
from ..results import Correction, MetricInterval, MetricName, RateModel, Target
from .canvas import (
    LONGEST,
    NOTE,
    axes,
    evaluation_of,
    footnotes,
    hide_spines,
    suite_of,
    text_width,
    title_of,
    without_leading_zero,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 12  # the most models whose cells have space for numbers
GAP = "\u2002"  # a space that renderers do not merge with others
PER_INCH = 13  # characters of a footnote for each inch of the map's width
PALER = 0.4  # extension of the colour scale beyond the largest difference, so that black text stays readable


def comparisons(
    models: Any, metric: MetricName = "mean", k: int | None = None, tau: float | None = None, w: Any = None, *,
    questions: Target | None = None, confidence: float = 0.95, correction: Correction = "holm",
    model: RateModel = "mixture", missing: str | int = "raise", ax: Any = None,
) -> Axes:  # fmt: skip
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
    correction : {"holm", None}; Holm's adjustment of the p-values for the number of pairs, or none
    ax : Axes, optional; where to draw; default a new figure

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
    title = f"{title_of(e, request)}\n{ON[request.questions]}"
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


LONGEST_BENCHMARK = 16  # most characters of the name of a benchmark
CELL = 0.62, 0.3  # inches: a unit of width and of height from which cells are sized
MOST_LIMITS = 12  # the most models whose cells have space for limits under the value


def suite(
    benchmarks: Any, k: int | None = None, w: Any = None, *, questions: Target | None = None, confidence: float = 0.95,
    missing: str | int = "raise", ax: Any = None,
) -> Axes:  # fmt: skip
    """Plot models by benchmarks as a heat map, with the macro-average first; models are sorted by it.

    Parameters
    ----------
    benchmarks : Evaluation, or mapping of benchmark to mapping of model to outcomes
        An evaluation of several benchmarks, or what :func:`scorio.sinf.suite` takes. A model that is not
        in all of them has no macro-average.
    k : int, optional; Pass@k (Max@k of scores) instead of the mean
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1). An evaluation has its own scores, and does not use w.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1); nominal coverage of the intervals
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        Its image holds the values as shares of the scale of their benchmark, dark for the lowest and light for the
        highest; grey where a model is not in a benchmark. Where there is space, cells show the value, and below it the
        interval.

    Raises
    ------
    InvalidInput
        An argument is invalid; type: there is no benchmark; empty: an evaluation of one benchmark.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> parts = {"easy": {"a": [[1, 1], [1, 0]], "b": [[1, 0], [1, 0]]}, "hard": {"a": [[0, 1]], "b": [[0, 0]]}}
    >>> ax = plot.suite(parts, questions="fixed")
    >>> [x.get_text() for x in ax.get_yticklabels()], ax.images[0].get_array().tolist()
    (['a', 'b'], [[0.625, 0.75, 0.5], [0.25, 0.5, 0.0]])
    """
    e = suite_of(benchmarks, w, missing)
    metric: MetricName = "mean" if k is None else "pass@k"
    request = Request(metric, k, None, target_of(e, questions), arguments.confidence(confidence))
    cells = {(name, m): value(part, m, request) for name, part in e.benchmarks.items() for m in part.logs
             if part.logs[m].counts.trials.any()}  # fmt: skip
    averages = {m: macro(e, m, request) for m in e.models if in_every_benchmark(e, m)} if e.comparable else {}
    metric_name = "Pass" if all(part.w is None for part in e.benchmarks.values()) else "Max"
    title = "average score" if k is None else f"{metric_name}@{k}"
    return draw_suite(e.models, e.scales, cells, averages, title, request.questions, confidence, ax)


def draw_suite(
    names: Sequence[str], scales: Mapping[str, Scale], intervals: Mapping[tuple[str, str], MetricInterval],
    averages: Mapping[str, MetricInterval], title: str, questions: str, confidence: float, ax: Any,
) -> Axes:  # fmt: skip
    """Draw intervals by benchmark and model, and the macro-averages if there are any."""
    order = sorted(averages, key=lambda m: (-averages[m].mu, m))
    models = [*order, *(m for m in names if m not in averages)]
    columns_of = [*([MACRO] if averages else []), *scales]
    scales = {**scales, **({MACRO: next(iter(scales.values()))} if averages else {})}
    cells = [[averages.get(m) if x == MACRO else intervals.get((x, m)) for x in columns_of] for m in models]
    shares = np.array([[np.nan if c is None else _share(c.mu, scales[x]) for x, c in zip(columns_of, row, strict=True)]
                       for row in cells])  # fmt: skip
    ends = (float(np.nanmin(shares)), float(np.nanmax(shares)))
    L, B = shares.shape
    limits = L <= MOST_LIMITS  # whether limits are written under the values, if the cells are wide enough
    # inches: margins, and cells, which are larger if they may show limits
    ax = axes(ax, 2.6 + (1.9 if limits else 1.0) * CELL[0] * B, 1.6 + (1.4 if limits else 0.75) * CELL[1] * L)
    image = ax.imshow(
        shares, cmap="cividis", vmin=ends[0], vmax=max(ends[1], ends[0] + 1e-9), aspect="auto", interpolation="nearest"
    )
    ax.set_facecolor("#BBBBBB")
    rows = short_names(models, min(LONGEST, text_width(ax, 0.35)))
    heads = short_names((x or "(no name)" for x in columns_of), LONGEST_BENCHMARK)
    cell_width = text_width(ax, 0.62) / B  # in characters: 5 for a value, 11 for limits
    for i, row in enumerate(cells):
        for j, (cell, name) in enumerate(zip(row, columns_of, strict=True)):
            if cell is not None and cell_width >= 5:
                form = score_format(scales[name])
                text = without_leading_zero(cell.mu, form)
                if limits and cell_width >= 11:
                    text += f"\n[{without_leading_zero(cell.lo, form)}, {without_leading_zero(cell.hi, form)}]"
                dark = shares[i, j] < sum(ends) / 2
                ax.text(j, i, text, ha="center", va="center", color="white" if dark else "black", fontsize="x-small")
    if averages:
        ax.axvline(0.5, color=ax.figure.get_facecolor(), lw=3)
    ax.set_yticks(range(L), rows.short, parse_math=False, fontsize="small" if L <= 40 else 4)
    ax.set_xticks(range(B), heads.short, rotation=45, ha="left", rotation_mode="anchor", fontsize="small",
                  parse_math=False)  # fmt: skip
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    about = f", {interval(confidence)} {ON[questions]}" if limits and cell_width >= 11 else ""
    ax.set_xlabel(title + about)
    reasons = (
        []
        if averages or len(set(scales.values())) < 2
        else ["No macro-average: the benchmarks are on different scales."]
    )
    footnotes(ax, reasons, [*rows.shared, *heads.shared])
    ax.figure.colorbar(image, ax=ax, label="share of the scale", pad=0.01, fraction=0.03)
    hide_spines(ax, "top", "right", "bottom", "left")
    return ax


def _share(x: float, ends: tuple[float, float]) -> float:
    """The position of a score on its scale, from 0 to 1."""
    return (x - ends[0]) / ((ends[1] - ends[0]) or 1.0)
