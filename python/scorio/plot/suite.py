"""Every model on every benchmark, and its macro-average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import arguments
from ..display.names import short_names
from ..display.terms import SCOPE, interval
from ..display.text import digits
from ..errors import InvalidInput
from ..io import Log, Logs
from ..leaderboard.suite import MACRO, Board, board
from .align import lineup
from .canvas import LONGEST, axes, bare, columns, footnotes, point_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 16  # characters of the name of a benchmark
CELL = 0.62, 0.3  # inches
MOST_LIMITS = 12  # models whose cells have room for limits under the value


def suite(
    benchmarks: Any,
    k: int | None = None,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    missing: str | int = "raise",
    ax: Any = None,
) -> Axes:
    """Models by benchmarks as a heat map, the macro-average first; models from best to worst by it.

    Parameters
    ----------
    benchmarks : Logs, or mapping of benchmark to mapping of model to outcomes
        What :func:`scorio.io.read` returns of a log with several benchmarks; or what :func:`scorio.sinf.suite` takes.
        A model need not be in all of them; then it has no macro-average.
    k : int, optional
        Pass@k (Max@k of scores) instead of the mean.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1). Logs have their own.
    questions : {"fixed", "sampled"}
        What the intervals are about.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        Its image holds the averages as shares of the scale of their benchmark, dark for low and light for high; grey
        where a model is not in a benchmark. Where there is room, cells say the average, and below it the interval.

    Raises
    ------
    InvalidInput
        An argument is invalid; empty: there is one benchmark, or none.
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
    logs = benchmarks if isinstance(benchmarks, Logs) else _logs(benchmarks, w, missing)
    found = board(logs, k=k, questions=questions, confidence=arguments.confidence(confidence))
    return draw_suite(logs, found, questions, confidence, ax)


def _logs(benchmarks: Any, w: Any, missing: str | int) -> Logs:
    """Outcomes as logs."""
    if not isinstance(benchmarks, Mapping) or not benchmarks:
        raise InvalidInput("type", "benchmarks", "benchmarks must be Logs, or a mapping of a benchmark to its models")
    weights = None if w is None else arguments.weights(w)
    parts = {}
    for name, models in benchmarks.items():
        x = lineup(models, w, missing, paired=False)
        ids = x.ids or [[str(i) for i in range(counts.M)] for counts in x.counts]
        logs = (Log(list(q), counts) for q, counts in zip(ids, x.counts, strict=True))
        parts[str(name)] = Logs(dict(zip(map(str, x.names), logs, strict=True)), weights)
    whole = Logs(dict.fromkeys(m for part in parts.values() for m in part))  # type: ignore[arg-type]
    whole.benchmarks = parts
    return whole


def draw_suite(logs: Logs, found: Board, questions: str, confidence: float, ax: Any) -> Axes:
    """Draw a board that is known."""
    parts = logs.benchmarks
    scales = {name: (min(x), max(x)) for name, x in ((n, part.weights or [0.0, 1.0]) for n, part in parts.items())}
    models = [*found.macro, *(m for m in logs if m not in found.macro)]
    names = [*([MACRO] if found.macro else []), *parts]
    scales |= {MACRO: next(iter(scales.values()))} if found.macro else {}
    cells = [[found.macro.get(m) if x == MACRO else found.cells.get((x, m)) for x in names] for m in models]
    shares = np.array([[np.nan if c is None else _share(c.value.mu, scales[x]) for x, c in zip(names, row, strict=True)]
                       for row in cells])  # fmt: skip
    L, B = shares.shape
    limits = L <= MOST_LIMITS
    ax = axes(ax, 2.6 + (1.9 if limits else 1.0) * CELL[0] * B, 1.6 + (1.4 if limits else 0.75) * CELL[1] * L)
    image = ax.imshow(shares, cmap="cividis", vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")
    ax.set_facecolor("#BBBBBB")
    rows = short_names(models, min(LONGEST, columns(ax, 0.35)))
    heads = short_names((x or "(no name)" for x in names), ROOM)
    room = columns(ax, 0.62) / B
    for i, row in enumerate(cells):
        for j, (cell, name) in enumerate(zip(row, names, strict=True)):
            if cell is not None and room >= 5:
                form, x = digits(scales[name]), cell.value
                said = point_first(x.mu, form)
                if limits and room >= 11:
                    said += f"\n[{point_first(x.lo, form)}, {point_first(x.hi, form)}]"
                dark = shares[i, j] < 0.5
                ax.text(j, i, said, ha="center", va="center", color="white" if dark else "black", fontsize="x-small")
    if found.macro:
        ax.axvline(0.5, color=ax.figure.get_facecolor(), lw=3)
    ax.set_yticks(range(L), rows.short, parse_math=False, fontsize="small" if L <= 40 else 4)
    ax.set_xticks(range(B), heads.short, rotation=45, ha="left", rotation_mode="anchor", fontsize="small",
                  parse_math=False)  # fmt: skip
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    best = "Pass" if all(part.weights is None for part in parts.values()) else "Max"
    about = f", {interval(confidence)} for {SCOPE[questions]}" if limits and room >= 11 else ""
    ax.set_xlabel(("average score" if found.k is None else f"{best}@{found.k}") + about)
    footnotes(ax, [*([found.why] if found.why else []), *rows.shared, *heads.shared])
    ax.figure.colorbar(image, ax=ax, label="share of the scale", pad=0.01, fraction=0.03)
    bare(ax, "top", "right", "bottom", "left")
    return ax


def _share(x: float, ends: tuple[float, float]) -> float:
    return (x - ends[0]) / ((ends[1] - ends[0]) or 1.0)
