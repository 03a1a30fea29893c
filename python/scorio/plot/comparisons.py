"""Every pair of models: the probability that one is better than the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import arguments, eval, sinf
from ..display.names import short_names
from ..display.terms import SCOPE, level
from ..display.text import percents, width
from ..errors import InvalidInput
from ..inference.multiplicity import checked_correction, holm_doubles
from ..metrics.metric import FACTS, read_metric
from .align import Lineup, lineup
from .canvas import LONGEST, NOTE, axes, bare, columns, footnotes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 12  # models for which a cell has room for its number
GAP = "\u2002"  # that no renderer takes for one space of several
PER_INCH = 13  # characters of a footnote under the map
PALER = 0.4  # how much of the ends of the colour map is left out, so that black text stays readable
HEADING = "P(row better than column) in %\n{title}\n{scope}"


def comparisons(
    models: Any,
    metric: str = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    correction: str | None = "holm",
    law: str | None = "mixture",
    missing: str | int = "raise",
    ax: Any = None,
) -> Axes:
    """A map of P(row better than column) for every pair, models from best to worst.

    Parameters
    ----------
    models : mapping or array_like, shape (L, M, N)
        Outcomes of two models or more; see :mod:`scorio.plot`. A pair is compared on the questions that both have.
    metric, k, tau, w, questions, law, missing
        As in :func:`scorio.sinf.compare`.
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
        Its image shows the probabilities, NaN on the diagonal and where two models share no question. Columns carry the
        numbers of the rows. Up to 12 models the cells show percentages. Pairs that do not differ significantly are
        framed; with more models they are marked by a small square.

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
    ['96', '4']
    """
    confidence, by_holm = arguments.confidence(confidence), checked_correction(correction)
    m = read_metric(metric, k, tau, w)
    aligned = lineup(models, w, missing)
    if len(aligned.names) < 2:
        raise InvalidInput("shape", "models", "models has one model: at least two are needed")
    given = {"metric": metric, "k": k, "tau": tau, "w": w, "questions": questions, "law": law}
    P, p = probabilities(aligned, given, by_holm)
    best = [eval.interval(x, **given).mu for x in aligned.counts]
    title = HEADING.format(title=FACTS[m.name].title.format(k=m.k, tau=tau), scope=SCOPE[questions])
    return draw_comparisons(aligned.names, best, P, p, title, confidence, ax)


def probabilities(
    aligned: Lineup, given: dict[str, Any], by_holm: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """P(i better than j) of :func:`scorio.sinf.compare`, and p-values; NaN for pairs without a common question."""
    L = len(aligned.names)
    P, p = np.full((L, L), np.nan), np.full((L, L), np.nan)
    by_pair = {}
    for i in range(L):
        for j in range(i + 1, L):
            pair = aligned.pair(i, j)
            if pair is not None:
                clusters = aligned.pair_clusters(i, j) if given["questions"] == "sampled" else None
                by_pair[i, j] = sinf.compare(*pair, **given, clusters=clusters)
    values = [x.p_value for x in by_pair.values()]
    for (i, j), q in zip(by_pair, holm_doubles(values) if by_holm else values, strict=True):
        P[i, j], P[j, i] = by_pair[i, j].p_above, 1.0 - by_pair[i, j].p_above
        p[i, j] = p[j, i] = q
    return P, p


def draw_comparisons(
    names: Sequence[Any], scores: Sequence[float], P: npt.NDArray[np.float64], p: npt.NDArray[np.float64], title: str,
    confidence: float, ax: Any,
) -> Axes:  # fmt: skip
    """Draw known probabilities, framed by their p-values; models by their scores, equal ones in the order given."""
    L = len(names)
    order = sorted(range(L), key=lambda i: -scores[i])
    P, p = (x[np.ix_(order, order)] for x in (P, p))
    numbered = L <= MOST_NUMBERED
    size = 0.46 if numbered else max(0.15, 5.0 / L)  # of a cell, in inches
    longest = max(map(width, short_names(names, LONGEST).short))
    ax = axes(ax, max(2.8, size * L) + 0.6 + 0.085 * (longest + 3), size * L + 1.3)
    short = short_names((names[i] for i in order), min(LONGEST, columns(ax, 0.4)))
    rows = [f"{name}{GAP}{i}" for i, name in enumerate(short.short, 1)]
    numbered = numbered and columns(ax, 0.6) >= 5 * L
    ax.imshow(P, cmap="PuOr_r", vmin=-PALER, vmax=1.0 + PALER, aspect="auto")
    ax.set_facecolor("#DDDDDD")
    undecided = p > 1.0 - confidence  # NaN is not
    cells = np.argwhere(~np.isnan(P)).tolist() if numbered else []
    for (i, j), text in zip(cells, percents([P[i, j] for i, j in cells], ""), strict=True):
        ax.text(
            j, i, text, ha="center", va="center", fontsize="small", color="black",
            fontweight="normal" if undecided[i, j] else "bold",
        )  # fmt: skip
    _frames(ax, np.argwhere(undecided), 0.42 if numbered else 0.2)
    ax.set_yticks(range(L), rows, parse_math=False, fontsize=min(float(ax.xaxis.label.get_fontsize()), 55.0 * size))
    ticks = range(L) if numbered else [0, *range(4, L, 5)]
    ax.set_xticks(ticks, [str(i + 1) for i in ticks])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    mark = "framed" if numbered else "small square"
    ax.set_xlabel(title)
    said = f"{mark}: not significantly different at {level(1 - confidence)}"
    room = min(NOTE, int(PER_INCH * max(2.8, size * L)), columns(ax, 0.55))
    footnotes(ax, [*([said] if undecided.any() else []), *short.shared], room)
    bare(ax, "top", "right", "bottom", "left")
    return ax


def _frames(ax: Axes, cells: npt.NDArray[np.int64], reach: float) -> None:
    """A square in each of these cells."""
    from matplotlib.collections import PolyCollection

    square = reach * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]])
    corners = [square + np.array([j, i]) for i, j in cells.tolist()]
    ax.add_collection(PolyCollection(corners, facecolors="none", edgecolors="#444444", linewidths=0.8), autolim=False)
