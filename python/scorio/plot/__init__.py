"""Plots of results, drawn with Matplotlib (``pip install matplotlib``).

Every function returns the Axes that it drew on: ``ax``, or those of a new figure. Nothing is shown or saved, and no
setting of Matplotlib is changed. No plot relies on colour alone, and every one says what its intervals account for.

``models`` is what :func:`scorio.io.read` returns, a mapping of names to outcomes (M, N) or :class:`scorio.Counts`, or
an array (L, M, N). Models of a log are put side by side by the ids of their questions; others row by row.
"""

from .comparisons import comparisons
from .convergence import convergence, tau_curve
from .difficulty import difficulty, missing
from .extrapolation import pass_at_k
from .forest import forest
from .items import items
from .power import power
from .schemata import schemata
from .suite import suite

__all__ = [
    "comparisons", "convergence", "difficulty", "forest", "items", "missing", "pass_at_k", "power", "schemata", "suite",
    "tau_curve",
]  # fmt: skip
