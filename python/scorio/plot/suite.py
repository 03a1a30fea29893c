"""Heat map of every model on every benchmark, with its macro-average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import arguments
from ..analysis.measure import Request, in_every_benchmark, macro, target_of, value
from ..choices import MetricName
from ..display.names import short_names
from ..display.terms import MACRO, ON, interval
from ..display.text import score_format
from ..readers.evaluation import Scale
from ..results import MetricInterval, Target
from .canvas import LONGEST, axes, footnotes, hide_spines, text_width, without_leading_zero
from .models import suite_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_BENCHMARK = 16  # most characters of the name of a benchmark
CELL = 0.62, 0.3  # inches: a unit of width and of height from which cells are sized
MOST_LIMITS = 12  # the most models whose cells have space for limits under the value


def suite(
    benchmarks: Any,
    k: int | None = None,
    w: Any = None,
    *,
    questions: Target | None = None,
    confidence: float = 0.95,
    missing: str | int = "raise",
    ax: Any = None,
) -> Axes:
    """Plot models by benchmarks as a heat map, with the macro-average first; models are sorted by it.

    Parameters
    ----------
    benchmarks : Evaluation, or mapping of benchmark to mapping of model to outcomes
        An evaluation of several benchmarks, or what :func:`scorio.sinf.suite` takes. A model that is not
        in all of them has no macro-average.
    k : int, optional
        Pass@k (Max@k of scores) instead of the mean.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1). An evaluation has its own scores, and does not use w.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones; default "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional
        Where to draw; default a new figure.

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
