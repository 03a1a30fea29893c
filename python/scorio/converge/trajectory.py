"""Rankings along one series of trials, and the checked arguments of the convergence functions."""

from __future__ import annotations

from math import floor
from typing import Any, NamedTuple, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Reals
from ..arithmetic import counter_rng
from ..arithmetic.double_double import over_common_denominator
from ..errors import InvalidInput
from ..metrics.metric import Metric, metrics_for, read_metric, values
from ..outcomes.checks import too_few_trials
from ..outcomes.models import in_order, tensor
from ..outcomes.states import Array
from ..outcomes.tally import Models
from ..rank.scores import TOL, by_score
from ..results import MetricName, Scheme
from . import kernels

# --- arguments, converted to the integers that the kernels use --------------------------------------

STATES_AT_ONCE = 2**20  # most states (n, c) whose scores are computed at once
SCALE = 2**52  # points of a score of 1 in the tables if M < 1024; _unit(M) is smaller for more questions


class Problem(NamedTuple):
    """Points of the outcomes as (N, M, L) integers, and the metric as a function of their running sums.

    The score after n trials is the sum over questions of table[n, c], where c is the running sum of a question; with a
    table of a single entry it is the total of the running sums.
    """

    R: npt.NDArray[Any]
    table: Array
    first: int  # the fewest trials after which there is a ranking
    tol: Array  # by n: scores at most this far apart tie
    gold: list[float]  # the rank of each model in the gold ranking, with which others are compared

    @property
    def trials(self) -> range:
        """The numbers of trials after which there is a ranking."""
        return range(self.first, self.R.shape[0] + 1)

    def resampled(self, scheme: str, seed: int) -> tuple[Problem, int, np.uint64]:
        """The problem, the number of draws for each trial (1, or one per question), and the key of the random stream.

        If all questions share the draws and the score is a total, the outcomes are summed over questions beforehand.
        """
        if scheme == "rows":
            return self, int(self.R.shape[1]), counter_rng.stream_key(seed, counter_rng.ROWS)
        summed = self.R.sum(axis=1, keepdims=True, dtype=np.int64) if self.table.size == 1 else self.R
        return self._replace(R=summed), 1, counter_rng.stream_key(seed, counter_rng.COLUMNS)


def problem(R: Any, metric: Any, k: Any, tau: Any, w: Any, gold: Any = None) -> Problem:
    """Check all arguments except those of the bootstrap, and build the problem."""
    m = read_metric(metric, k, tau, w, metrics_for("order"))
    outcomes, names = tensor(R, w)
    _, M, N = outcomes.shape
    if m.k > N:
        few: dict[Any, int] = dict.fromkeys(range(M), int(N))
        raise too_few_trials(m.k, few, "R")
    gold_ranks = _gold(in_order(gold, names, "gold"), outcomes, w)
    by_trial = np.ascontiguousarray(outcomes.transpose(2, 1, 0))
    if m.name in ("bayes", "mean"):
        points, tol = _points(w, M, N)
        return Problem(points[by_trial], np.zeros((1, 1), np.int64), 1, tol, gold_ranks)
    return Problem(
        by_trial.astype(np.int8), _table(m, N, M), m.k, np.full(N + 1, floor(TOL * M * _unit(M))), gold_ranks
    )


def _gold(gold: Any, outcomes: npt.NDArray[np.int32], w: Any) -> list[float]:
    """The gold ranks: those of the caller, or the ranks by the average of all trials."""
    if gold is None:
        points, tol = _points(w, *outcomes.shape[1:])
        scores = points[outcomes].sum(axis=(1, 2), dtype=np.int64).tolist()
        return [float(x) for x in by_score(scores, tol[-1]).competition]
    ranks = arguments.vector(gold, "gold")
    if len(ranks) != len(outcomes):
        raise InvalidInput("length", "gold", f"gold has {len(ranks)} ranks for {len(outcomes)} models")
    return ranks


def _points(w: Any, M: int, N: int) -> tuple[npt.NDArray[Any], Array]:
    """The points of each category, and the tolerance of the total after n trials.

    If there are at most two distinct scores, they get 0 and 1 point, and the tolerance is 0. Other scores are scaled to
    0..1 and rounded to multiples of 2^-s, which is one point, with s so small that no total overflows.
    """
    scores = arguments.category_scores(w)
    W, _ = over_common_denominator(scores)
    low, span = min(W), max(max(W) - min(W), 1)
    if sorted({x - low for x in W}) in ([0], [0, span]):
        return np.array([int(x > low) for x in W], np.int8), np.zeros(N + 1, np.int64)
    unit = 2 ** (62 - (M * N).bit_length())
    points = [(2 * (x - low) * unit + span) // (2 * span) for x in W]
    return np.array(points), np.array([floor(TOL * (M * n) * unit) for n in range(N + 1)])


def _unit(M: int) -> int:
    """The points of a score of 1 on one question, small enough that the total over M questions cannot overflow."""
    return min(SCALE, 2 ** (62 - M.bit_length()))


def _table(m: Metric, N: int, M: int) -> Array:
    """The metric of c successes in n trials, n = k..N, c = 0..n, in units of 1/_unit(M)."""
    table = np.zeros((N + 1, N + 1), np.int64)
    step = max(1, STATES_AT_ONCE // (N + 1))  # some n at a time, so that only the table takes N^2 numbers
    for low in range(m.k, N + 1, step):
        sizes = np.arange(low, min(low + step, N + 1))
        n, c = np.repeat(sizes, sizes + 1), np.concatenate([np.arange(x + 1) for x in sizes])
        kernels.fill_table(n, c, values(m, n, c), float(_unit(M)), table)
    return table


# --- rankings ---------------------------------------------------------------------------------------

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
    return ranks.tolist()


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
