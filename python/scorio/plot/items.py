"""Heat map of every model on every question, which shows the questions that separate the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.questions import QuestionTable, questions
from ..display.names import short_names
from ..display.text import number
from .canvas import LONGEST, axes, footnotes, hide_spines, text_width
from .models import evaluation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 40  # the most questions whose names fit under the axis
MOST_MODELS = 40  # the most models whose names fit beside the axis
LONGEST_ID = 14  # most characters of the name of a question
FIGURE_WIDTH = 8.0  # inches


def items(models: Any, w: Any = None, *, missing: str | int = "raise", ax: Any = None) -> Axes:
    """Plot the average of every model on every question: models from best to worst, questions from hard to easy.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (L, M, N)
        One model or more, see :mod:`scorio.plot`; the questions of several benchmarks are shown together.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1). Not used for an Evaluation.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
        Its image holds the averages, dark for low and light for high; grey where a model has no trial of a question.
        Questions of equal difficulty are in the order of the log.

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
    e = evaluation_of(models, w, missing)
    return draw_items(questions(e.pooled()), ax)


def draw_items(x: QuestionTable, ax: Any) -> Axes:
    """Draw the averages of all models on all questions as a heat map, the best model on top."""
    order = np.argsort(-np.nanmean(x.values, axis=1), kind="stable")
    L, M = x.values.shape
    # inches: 1.5 for the margins; a row for each model, all of them from 0.6 to 7 high
    ax = axes(ax, FIGURE_WIDTH, 1.5 + max(0.6, min(0.24, 7.0 / L) * L))
    image = ax.imshow(
        x.values[order], cmap="cividis", vmin=min(x.scores), vmax=max(x.scores), aspect="auto", interpolation="nearest"
    )
    ax.set_facecolor("#BBBBBB")
    models = short_names([x.models[i] for i in order], min(LONGEST, text_width(ax, 0.35)))
    ids, show_ids = short_names((q.name for q in x.table), LONGEST_ID), min(MOST_NAMED, text_width(ax, 0.5)) >= M
    shown = range(L) if L <= MOST_MODELS else [0, L - 1]
    ax.set_yticks(shown, [models.short[i] for i in shown], parse_math=False, fontsize="small")
    ax.set_xticks([])
    if show_ids:
        ax.set_xticks(range(M), ids.short, rotation=90, fontsize="small", parse_math=False)
    ax.set_xlabel(f"{number(M, 'question')}, hardest first")
    footnotes(ax, [], [*models.shared, *(ids.shared if show_ids else [])])
    ax.figure.colorbar(image, ax=ax, label="average score", pad=0.01, fraction=0.03)
    ax.tick_params(length=0)
    hide_spines(ax, "top", "right", "bottom", "left")
    return ax
