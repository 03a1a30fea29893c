"""Plots of results, drawn with Matplotlib (``pip install matplotlib``).

Every function returns the Axes that it drew on: ``ax``, or those of a new figure. Nothing is shown or saved, and no
setting of Matplotlib is changed. Colours stay distinct for the colour-blind. A label says whether the intervals of
models are on these questions or on similar ones; those of :func:`pass_at_k` are always on similar questions.

``models`` is an evaluation of :func:`scorio.read`, a mapping of names to outcomes (M, N) or :class:`scorio.Counts`, or
an array (L, M, N). Models are paired by the ids of their questions; outcomes without ids are paired row by row.
"""

from __future__ import annotations

from .curves import convergence, pass_at_k, power, tau_curve
from .forest import forest, pareto
from .maps import comparisons, suite
from .questions import difficulty, items, missing
from .runs import runs
from .schemata import schemata

__all__ = [
    "comparisons", "convergence", "difficulty", "forest", "items", "missing", "pareto", "pass_at_k", "power",
    "runs", "schemata", "suite", "tau_curve",
]  # fmt: skip
