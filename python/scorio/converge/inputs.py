"""Checked arguments of the convergence functions, converted to the integers that the kernels use."""

from __future__ import annotations

from math import floor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arithmetic import counter_rng
from ..arithmetic.rational import over_common_denominator
from ..errors import InvalidInput
from ..metrics.metric import Metric, metrics_for, read_metric, values
from ..outcomes.checks import too_few_trials
from ..outcomes.models import in_order, tensor
from ..outcomes.states import Array
from ..rank.scores import TOL, by_score
from . import kernels

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
