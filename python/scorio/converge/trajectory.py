"""Rankings along one series of trials."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex, get_args

import numpy as np

from .. import arguments
from ..arguments import Reals
from ..outcomes.states import Array
from ..outcomes.tally import Models
from ..results import MetricName, Scheme
from . import kernels
from .inputs import Problem, problem

SCHEMES = get_args(Scheme)
LARGEST_REPLICATE = 2**31 - 1  # also the largest number of replicates


class Trajectory(NamedTuple):
    """Competition ranks of all models after each number of trials."""

    trials: list[int]
    ranks: list[list[int]]


def scores_of(p: Problem, scheme: str, replicate: int, seed: int) -> Array:
    """Scores after every number of trials, in the original order or in one bootstrap replicate."""
    p, rows, key = p.resampled(scheme, seed)
    N, M, L = p.R.shape
    index: Array = np.tile(np.arange(N), (rows, 1))
    if scheme != "original":
        kernels.draw_trials(key, replicate, index)
    out = np.empty((len(p.trials), L), np.int64)
    kernels.running_scores(p.R, index, p.table, p.first, np.empty((M, L), np.int64), out)
    return out


def ranks_of(p: Problem, scores: Array) -> list[list[int]]:
    """Competition ranks after every number of trials."""
    order, ranks = np.arange(scores.shape[1]), np.empty_like(scores)
    for i, n in enumerate(p.trials):
        kernels.rank(scores[i], p.tol[n], order, ranks[i])
    by_trials: list[list[int]] = ranks.tolist()
    return by_trials


def gold_order(gold: list[float]) -> tuple[Array, Array]:
    """The models in gold order, and whether each begins a tie group."""
    order = sorted(range(len(gold)), key=lambda i: gold[i])
    starts = [i == 0 or gold[order[i]] != gold[order[i - 1]] for i in range(len(order))]
    return np.array(order), np.array(starts)


def rank_trajectory(
    R: Models,
    metric: MetricName = "mean",
    *,
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    scheme: Scheme = "original",
    replicate: int = 0,
    seed: int = 0,
) -> Trajectory:
    """Ranks of models after every number of trials.

    Parameters
    ----------
    R : array_like, shape (L, M, N), or mapping
        Complete outcomes of L >= 2 models.
    metric : str
        "mean", "bayes" (the same order), "pass_at_k", "pass_hat_k", "naive_pass_hat_k" (the paper's name;
        it estimates Pass@k, by 1 - (1 - c/n)^k), "g_pass_at_k_tau", "maj_at_k", "mg_pass_at_k" or "auc_at_k"; also
        "avg", "pass@k", "pass^k" and so on, as in
        :func:`scorio.eval.interval`.
    k : int, 1 <= k <= N
        Required by all metrics but bayes and mean; the rankings then start at k trials.
    tau : float in [0, 1]
        For g_pass_at_k_tau.
    w : array_like, shape (C+1,), optional
        Score of each category, for bayes and mean.
    scheme : {"original", "columns", "rows"}
        "original": the original trials. A bootstrap replicate otherwise: "columns" draws whole trials, "rows" the
        trials of each question separately.
    replicate : int, 0 <= replicate < 2^31
        Number of the replicate.
    seed : int, 0 <= seed < 2^64
        Seed of the bootstrap replicates.

    Returns
    -------
    Trajectory
        (trials, ranks): competition ranks of the L models after each number of trials.

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: an outcome is missing, and all trials are needed.

    Notes
    -----
    Section 3.3 of arXiv:2510.04265, figure 5.

    Examples
    --------
    >>> from scorio import converge
    >>> converge.rank_trajectory([[[0, 1, 1], [0, 1, 1]], [[1, 0, 0], [0, 1, 0]]])
    Trajectory(trials=[1, 2, 3], ranks=[[2, 1], [1, 1], [1, 2]])
    """
    scheme = arguments.choice(scheme, "scheme", SCHEMES)
    replicate, seed = arguments.integer(replicate, "replicate", 0, LARGEST_REPLICATE), arguments.seed(seed)
    p = problem(R, metric, k, tau, w)
    return Trajectory(list(p.trials), ranks_of(p, scores_of(p, scheme, replicate, seed)))


def convergence_at_n(
    R: Models,
    metric: MetricName = "mean",
    *,
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    gold: Any = None,
) -> int | None:
    """convergence@n: the number of trials from which the ranking is the gold one and never changes.

    Parameters
    ----------
    R, metric, k, tau, w
        As in :func:`rank_trajectory`.
    gold : array_like, shape (L,), or mapping of model to rank, optional
        The gold ranking, low is best; only order and ties count. Default: by the average of all trials.

    Returns
    -------
    int or None
        The smallest n <= N - 1; None if there is none.

    Raises
    ------
    InvalidInput
        As :func:`rank_trajectory`; length: gold does not have one rank for each model.

    Notes
    -----
    Appendix F.1 of arXiv:2510.04265. A single series of trials says little: see :func:`bootstrap_convergence`.

    Examples
    --------
    >>> from scorio import converge
    >>> converge.convergence_at_n([[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]])
    3
    """
    p = problem(R, metric, k, tau, w, gold)
    n = int(kernels.convergence_point(scores_of(p, "original", 0, 0), *gold_order(p.gold), p.first, p.tol))
    return n or None
