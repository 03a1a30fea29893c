"""Stability of rankings as trials are added: trajectories, convergence@n, its bootstrap, Kendall tau curves.

convergence@n is the number of trials from which the ranking equals the gold one: the caller's, or by default that by
the average of all trials, whatever the metric.
Every function takes R for many models with complete outcomes: a tensor (L, M, N), or a mapping of model to matrix.
The ranking after n trials is by the metric of the first n, ties as in :mod:`scorio.rank`. Bootstrap draws depend on
(seed, replicate, position) alone: they are the same in every language, with any number of threads, and for
all models.
"""

from .bootstrap import Convergence, Curve, bootstrap_convergence, tau_curve
from .trajectory import Trajectory, convergence_at_n, rank_trajectory

__all__ = [
    "Convergence", "Curve", "Trajectory", "bootstrap_convergence", "convergence_at_n", "rank_trajectory", "tau_curve",
]  # fmt: skip
