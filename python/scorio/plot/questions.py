"""Plots of the questions: every model on each, their difficulty, and how many trials they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..analysis.questions import MIN_MODELS_FOR_QUARTILES, QuestionTable, questions
from ..display.text import number, short_names
from ..page.markup import BLUE, GREEN, VERMILION
from .canvas import (
    FOOT,
    HEAD,
    LONGEST,
    axes,
    evaluation_of,
    finished,
    footnotes,
    hide_spines,
    label_y,
    name_rows,
    text_width,
)

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
    w : array_like, shape (C+1,), optional; score of each category; default (0, 1). Not used for an Evaluation.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation.
    ax : Axes, optional; where to draw; default a new figure

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
    x = questions(e.pooled())
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


MOST_SHADES = 6  # distinct shades for numbers of trials


def difficulty(models: Any, w: Any = None, *, missing: str | int = "raise", ax: Any = None) -> Axes:
    """Plot the average of every question over the models, hardest first, with the spread of the models.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (L, M, N)
        One model or more, see :mod:`scorio.plot`; the questions of several benchmarks are shown together.
    w : array_like, shape (C+1,), optional; score of each category; default (0, 1). Not used for an Evaluation.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Not used for an
        Evaluation. A question is averaged over the models that have a trial.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        A marker for each question: a triangle down where no trial of any model got more than the lowest score, a
        triangle up where every trial got the highest. The line through it spans the middle half of the models, or all
        models if there are fewer than five.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has a trial.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.difficulty([[[1, 1], [0, 1], [0, 0]], [[1, 1], [1, 1], [0, 0]]])
    >>> [(x.get_label(), x.get_ydata().tolist()) for x in ax.lines]
    [('mixed (1)', [0.75]), ('never solved (1)', [0.0]), ('always solved (1)', [1.0])]
    """
    e = evaluation_of(models, w, missing)
    return draw_difficulty(questions(e.pooled()), ax)


def draw_difficulty(questions: QuestionTable, ax: Any) -> Axes:
    """Draw the average of each question, hardest first, with a line for the middle half of the models, or for all."""
    ranked = questions.table
    ax = axes(ax, 7.0, 3.8)
    y = np.array([q.mean for q in ranked])
    x = np.arange(1, y.size + 1)
    marker_size = 5.0 if y.size <= 60 else 3.0 if y.size <= 250 else 2.0
    ax.vlines(x, [q.low for q in ranked], [q.high for q in ranked], color=BLUE, alpha=0.35, lw=min(2.0, 300 / y.size))
    binary = questions.scores == (0.0, 1.0)
    labels = ("never solved", "always solved") if binary else ("always the lowest score", "always the highest score")
    for solved, marker, colour, label in (
        ("mixed", "o", BLUE, "mixed"), ("never", "v", VERMILION, labels[0]), ("always", "^", GREEN, labels[1])
    ):  # fmt: skip
        selected = np.array([q.solved == solved for q in ranked])
        ax.plot(
            x[selected], y[selected], marker, ls="", color=colour, markersize=marker_size,
            label=f"{label} ({selected.sum()})", clip_on=False, zorder=3,
        )  # fmt: skip
    names, show_names = short_names((q.name for q in ranked), 14), y.size <= min(MOST_NAMED, text_width(ax, 0.5))
    if show_names:
        ax.set_xticks(x, names.short, rotation=90, fontsize="small", parse_math=False)
    L = max(q.models for q in ranked)
    few_models = len(questions.models) < MIN_MODELS_FOR_QUARTILES
    lines = "" if L < 2 else "; lines: all models" if few_models else "; lines: the middle half of the models"
    ax.set_xlabel(f"{number(y.size, 'question')}, hardest first{lines}")
    footnotes(ax, [], names.shared if show_names else [])
    label_y(
        ax,
        "average score"
        if L < 2
        else f"average score over {'up to ' if np.isnan(questions.values).any() else ''}{L} models",
    )
    ax.set_xlim(0.2, y.size + 0.8)
    ax.legend(
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        ncols=3 if text_width(ax) > 60 else 1,
        fontsize="small",
    )
    return finished(ax, "y")


def missing(models: Any, w: Any = None, *, missing: str | int = "drop", ax: Any = None) -> Axes:
    """Plot the numbers of trials: a bar for each model, divided by the number of trials of its questions.

    Parameters
    ----------
    models : Evaluation, mapping or array_like, shape (L, M, N)
        One model or more, see :mod:`scorio.plot`; the questions of several benchmarks are shown together.
    w : array_like, shape (C+1,), optional
        Score of each category, where outcomes are not 0 and 1. Not used for an Evaluation.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Default "drop",
        since this plot is about them. Not used for an Evaluation.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        A bar of questions for each model; each part that is wide enough is labelled with its number of trials per
        question. The text at the right gives the total of a model, and by how many it falls short of an equal number of
        trials of every question: the largest number, missing ones included, of any question of that model.

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from scorio import plot
    >>> ax = plot.missing({"a": [[1, 0], [1, None]], "b": [[1, 1], [0, 0]]})
    >>> [x.get_text() for x in ax.texts]
    ['1', '2', '3 trials, 1 fewer than 2 per question', '2', '4 trials']
    """
    models = evaluation_of(models, w, missing, paired=False).pooled().counts()
    from matplotlib.ticker import MaxNLocator

    names, counts = list(models), list(models.values())
    ax = axes(ax, 7.0, HEAD + FOOT + 0.32 * len(names) + 0.1)
    trial_ranges = _trial_ranges(np.concatenate([x.trials for x in counts]))
    shades = [
        0.85 - 0.7 * i / max(1, len(trial_ranges) - 1) for i in range(len(trial_ranges))
    ]  # fewer trials are lighter
    n_questions = max(x.M for x in counts)
    for row, x in enumerate(counts):
        start = 0
        for (low, high), shade in zip(trial_ranges, shades, strict=True):
            size = int(((low <= x.trials) & (x.trials <= high)).sum())
            if not size:
                continue
            ax.barh(
                row, size, 0.7, start, color=(0.85 * shade, 0.9 * shade, shade), edgecolor="white", lw=0.5,
                hatch="//" if high == 0 else None,
            )  # fmt: skip
            text = str(low) if low == high else f"{low}–{high}"
            if size >= n_questions * 0.02 * (len(text) + 1):  # 2% of the axis for each character
                ax.text(
                    start + size / 2, row, text, ha="center", va="center", fontsize="small",
                    color="black" if shade > 0.5 else "white",
                )  # fmt: skip
            start += size
        trials, longest = int(x.trials.sum()), int((x.trials + x.absent).max())
        n_missing = x.M * longest - trials
        total = number(trials, "trial") + (f", {n_missing:,} fewer than {longest:,} per question" if n_missing else "")
        ax.text(1.02, row, total, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    name_notes = name_rows(ax, names)
    ax.set_xlim(0, n_questions)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.set_xlabel("questions, by their number of trials")
    footnotes(ax, [], name_notes)
    hide_spines(ax, "top", "right", "left")
    return ax


def _trial_ranges(trials: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of numbers of trials, few enough for distinct shades; 0 is a separate range."""
    distinct = np.unique(trials).tolist()
    if len(distinct) <= MOST_SHADES:
        return [(n, n) for n in distinct]
    zero, positive = [(0, 0)] * (distinct[0] == 0), [n for n in distinct if n]
    groups = np.array_split(positive, MOST_SHADES - len(zero))
    return zero + [(int(x[0]), int(x[-1])) for x in groups]
