"""Plot of the ranks of models under several rubric schemata: figure 7 of arXiv:2510.04265."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..display.text import short_names
from ..errors import InvalidInput
from .canvas import COLOURS, LONGEST, MARKERS, STYLES, axes, finished, footnotes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def schemata(scores: Any, *, ax: Any = None) -> Axes:
    """Plot the ranks of models under rubric schemata: a line for each model, with its name at the end.

    Parameters
    ----------
    scores : object
        A result of :func:`scorio.rubric.score`, or any object with its attributes models (L names), schemata (S names),
        mu (L, S), the scores, and ranks (L, S), 1 the best. Only the ranks are drawn; mu orders the names of models
        with equal ranks under the last schema.
    ax : Axes, optional; where to draw; default a new figure

    Returns
    -------
    Axes
        One line for each model, in the order of models.

    Raises
    ------
    InvalidInput
        shape: mu or ranks are not (L, S); empty: no model or no schema.
    ModuleNotFoundError
        Matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from types import SimpleNamespace
    >>> from scorio import plot
    >>> ranks, mu = [[1, 2], [2, 1]], [[0.8, 0.4], [0.7, 0.6]]
    >>> ax = plot.schemata(SimpleNamespace(models=["a", "b"], schemata=["exact", "format"], mu=mu, ranks=ranks))
    >>> [line.get_ydata().tolist() for line in ax.lines[:2]]
    [[1.0, 2.0], [2.0, 1.0]]
    """
    models, names = list(scores.models), list(scores.schemata)
    L, S = len(models), len(names)
    if not L or not S:
        raise InvalidInput("empty", "scores", "scores has no model or no schema")
    ranks, mu = (np.asarray(x, float) for x in (scores.ranks, scores.mu))
    for x, what in ((ranks, "ranks"), (mu, "mu")):
        if x.shape != (L, S):
            raise InvalidInput("shape", "scores", f"{what} of scores is {x.shape}, not {L} models by {S} schemata")
    ax = axes(ax, 3.0 + 0.9 * max(S, 2), 1.5 + 0.27 * L)
    order = sorted(range(L), key=lambda i: (ranks[i, -1], -mu[i, -1]))
    # heights of the names at the right: evenly spaced, in the order of the last ranks
    slots = np.linspace(ranks.min(), max(ranks.max(), ranks.min() + L - 1), L) if L > 1 else ranks[:, -1]
    for i in range(L):
        ax.plot(
            range(S), ranks[i], STYLES[i // len(COLOURS) % len(STYLES)], marker=MARKERS[i % len(MARKERS)],
            color=COLOURS[i % len(COLOURS)], markersize=6, lw=1.5,
        )  # fmt: skip
    short, columns = short_names((models[i] for i in order), LONGEST), short_names(names, 18)
    for slot, i, name in zip(slots, order, short.short, strict=True):
        ax.annotate(
            name, (S - 1, ranks[i, -1]), (S - 1 + 0.25, slot), va="center", fontsize="small", parse_math=False,
            annotation_clip=False, arrowprops={"arrowstyle": "-", "color": COLOURS[i % len(COLOURS)], "lw": 0.7},
        )  # fmt: skip
    ax.set_xticks(range(S), columns.short, parse_math=False, rotation=35, ha="right", rotation_mode="anchor")
    step = 1 if L <= 20 else 5
    ax.set_yticks([1, *range(step if step > 1 else 2, L + 1, step)])
    ax.set_ylabel("rank")
    footnotes(ax, [], [*short.shared, *columns.shared])
    ax.set_xlim(-0.2, S - 1 + 0.15)
    ax.set_ylim(max(slots.max(), ranks.max()) + 0.6, ranks.min() - 0.6)
    return finished(ax, "x")
