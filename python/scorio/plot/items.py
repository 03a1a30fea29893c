"""Every model on every question: which questions part the models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..display.names import short_names
from ..display.text import number
from ..errors import InvalidInput
from .align import Lineup, lineup
from .canvas import LONGEST, axes, bare, columns, footnotes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 40  # questions whose names have room under the axis
MOST_MODELS = 40  # whose names have room beside it
ROOM = 14  # characters of the name of a question
WIDE = 8.0  # inches


def items(models: Any, w: Any = None, *, missing: str | int = "raise", ax: Any = None) -> Axes:
    """The average of every model on every question: models from best to worst, questions from hard to easy.

    Parameters
    ----------
    models : mapping or array_like, shape (L, M, N)
        Outcomes of one model or more; see :mod:`scorio.plot`.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        Its image holds the averages, dark for low and light for high; grey where a model has no trial of a question.
        Questions of equal difficulty stand in the order in which they are met.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: there is no trial at all.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.items({"a": [[1, 1], [0, 1], [0, 0]], "b": [[1, 1], [1, 1], [0, 0]]})
    >>> ax.images[0].get_array().tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]]
    """
    scores = [0.0, 1.0] if w is None else arguments.weights(w)
    return draw_items(lineup(models, w, missing), scores, ax)


def averages(aligned: Lineup, scores: Sequence[float]) -> npt.NDArray[np.float64]:
    """Of each model on each question; NaN where it has no trial of it."""
    names, w = aligned.questions(), np.asarray(scores, float)
    out = np.full((len(aligned.counts), len(names)), np.nan)
    for x, counts, rows in zip(out, aligned.counts, aligned.rows(names), strict=True):
        there = (rows >= 0) & (counts.trials[rows] > 0)
        x[there] = counts.padded(w.size - 1).table[rows[there]] @ w / counts.trials[rows[there]]
    return out


def draw_items(aligned: Lineup, scores: Sequence[float], ax: Any) -> Axes:
    """Draw models that stand side by side already."""
    values, names = averages(aligned, scores), aligned.questions()
    asked = np.flatnonzero(~np.isnan(values).all(axis=0))
    if not asked.size:
        raise InvalidInput("no_trials", "models", "no question of models has a trial")
    hardest = asked[np.argsort(np.nanmean(values[:, asked], axis=0), kind="stable")]
    best = np.argsort(-np.nanmean(values, axis=1), kind="stable")
    L, M = len(aligned.names), asked.size
    ax = axes(ax, WIDE, 1.5 + max(0.6, min(0.24, 7.0 / L) * L))
    image = ax.imshow(
        values[np.ix_(best, hardest)], cmap="cividis", vmin=min(scores), vmax=max(scores), aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    ax.set_facecolor("#BBBBBB")
    models, questions = (
        short_names([aligned.names[i] for i in best], min(LONGEST, columns(ax, 0.35))),
        short_names((names[i] for i in hardest), ROOM),
    )
    ax.set_yticks(range(L), models.short, parse_math=False, fontsize="small")
    if L > MOST_MODELS:
        ax.set_yticks([0, L - 1], [models.short[0], models.short[-1]], parse_math=False, fontsize="small")
    if min(MOST_NAMED, columns(ax, 0.5)) >= M:
        ax.set_xticks(range(M), questions.short, rotation=90, fontsize="small", parse_math=False)
    ax.set_xlabel(f"{number(M, 'question')}, hardest first")
    footnotes(ax, [*models.shared, *(questions.shared if min(MOST_NAMED, columns(ax, 0.5)) >= M else [])])
    ax.figure.colorbar(image, ax=ax, label="average score", pad=0.01, fraction=0.03)
    ax.tick_params(length=0)
    bare(ax, "top", "right", "bottom", "left")
    return ax
