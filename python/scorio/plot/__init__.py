"""Plots of results, drawn with Matplotlib (``pip install matplotlib``).

Every function returns the Axes that it drew on: ``ax``, or those of a new figure. Nothing is shown or saved, and no
setting of Matplotlib is changed. Colours stay distinct for the colour-blind. A label says whether the intervals of
models are on these questions or on similar ones; those of :func:`pass_at_k` are always on similar questions.

``models`` is an evaluation of :func:`scorio.read`, a mapping of names to outcomes (M, N) or :class:`scorio.Counts`, or
an array (L, M, N). Models are paired by the ids of their questions; outcomes without ids are paired row by row.
"""

from __future__ import annotations

from .comparisons import comparisons
from .convergence import convergence, tau_curve
from .difficulty import difficulty, missing
from .extrapolation import pass_at_k
from .forest import forest
from .items import items
from .pareto import pareto
from .power import power
from .runs import runs
from .schemata import schemata
from .suite import suite

__all__ = [
    "comparisons", "convergence", "difficulty", "forest", "items", "missing", "pareto", "pass_at_k", "power",
    "runs", "schemata", "suite", "tau_curve",
]  # fmt: skip
