"""Integer kernels: rankings along one series of trials, and over bootstrap replicates.

Some of them replace NumPy functions (*_by_numpy), which are used until compiling is worth the time, and which take the
same arguments, also those that they do not need. R, table, first and tol are the fields of ``inputs.Problem``; key and
rows (1, or the number of questions) come from its method ``resampled``, order and starts from
``trajectory.gold_order``; gold has the gold rank of each model; index, shape (rows, N), has the original trial at each
position. In rank and add_concordance, order and ranks are memory that they overwrite; order has the models in any
order. In rank and matches_gold, score and tol are those after one number of trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arithmetic.counter_rng import bits, flat_index
from ..arithmetic.counter_rng import index as random_index
from ..arithmetic.double_double import get, value
from ..arithmetic.jit import jit, jit_instead_of

Array = npt.NDArray[np.int64]
OUTCOMES_AT_ONCE = 2**20  # most outcomes of the replicates that NumPy handles at once, if these are several


# --- many replicates at once, in NumPy ------------------------------------------------------------


def trials_by_numpy(key: Any, replicates: Array, rows: int, N: int) -> Array:
    """The original trial at each position of each replicate: (replicates, rows, N)."""
    row = replicates[:, None, None] * rows + np.arange(rows)[:, None]
    random_bits = bits.without_numba(key, flat_index.without_numba(row, N, np.arange(N)))
    return random_index.without_numba(random_bits, N)


def scores_by_numpy(R: Any, index: Array, table: Array, first: int) -> Array:
    """The score of each model after first..N trials of each replicate: (replicates, N - first + 1, L).

    index: that of each replicate, (replicates, rows, N).
    """
    M = R.shape[1]
    picked = R[index[:, 0]] if index.shape[1] == 1 else R[index.transpose(0, 2, 1), np.arange(M)]
    sums = picked.cumsum(axis=1, dtype=np.int64)[:, first - 1 :]
    if table.size > 1:
        sums = table[np.arange(first, R.shape[0] + 1)[:, None, None], sums]
    return sums.sum(axis=2)


def convergence_points_by_numpy(scores: Array, order: Array, starts: Any, first: int, tol: Array) -> Array:
    """The result of convergence_point() for each replicate."""
    steps, tol = scores.shape[1], tol[first : first + scores.shape[1], None]
    first_of_ties = np.flatnonzero(starts)
    high = np.maximum.reduceat(scores[:, :, order], first_of_ties, axis=2)
    low = np.minimum.reduceat(scores[:, :, order], first_of_ties, axis=2)
    differs: npt.NDArray[np.bool_] = np.any(high - low > tol, axis=2)
    differs = differs | np.any(high[:, :, :-1] - high[:, :, 1:] <= tol, axis=2)
    n = first + np.where(np.any(differs, axis=1), steps - differs[:, ::-1].argmax(axis=1), 0)
    return np.where(n < first + steps - 1, n, 0)


def ranks_by_numpy(scores: Array, tol: Array) -> Array:
    """The ranks of rank() for each replicate, after each number of trials."""
    order = np.argsort(-scores, axis=2, kind="stable")
    sorted_scores, ranks = np.take_along_axis(scores, order, axis=2), np.empty_like(scores)
    best, place = sorted_scores[:, :, 0], np.ones(scores.shape[:2], np.int64)
    for i in range(scores.shape[2]):
        starts = best - sorted_scores[:, :, i] > tol
        best, place = np.where(starts, sorted_scores[:, :, i], best), np.where(starts, i + 1, place)
        np.put_along_axis(ranks, order[:, :, i : i + 1], place[:, :, None], axis=2)
    return ranks


def add_concordances_by_numpy(scores: Array, first: int, tol: Array, gold: Any, totals: Array) -> None:
    """Add the results of add_concordance() for each replicate to totals."""
    ranks = ranks_by_numpy(scores, tol[first : first + scores.shape[1]])
    agree, untied = np.zeros(scores.shape[:2], np.int64), np.zeros(scores.shape[:2], np.int64)
    for i in range(1, gold.size):
        signs = np.sign(ranks[:, :, i : i + 1] - ranks[:, :, :i])
        untied += np.count_nonzero(signs, axis=2)
        agree += (signs * np.sign(gold[i] - gold[:i]).astype(np.int64)).sum(axis=2)
    np.add.at(totals, (np.broadcast_to(np.arange(scores.shape[1]), untied.shape), untied), agree)


def replicates_by_numpy(R: Any, table: Array, first: int, key: Any, rows: int, start: int, stop: int) -> Iterator[Any]:
    """The numbers of the replicates start..stop-1 and their scores, some replicates at a time."""
    step = max(1, OUTCOMES_AT_ONCE // R.size)
    for b in range(start, stop, step):
        replicates = np.arange(b, min(b + step, stop))
        yield replicates, scores_by_numpy(R, trials_by_numpy(key, replicates, rows, R.shape[0]), table, first)


def draw_trials_by_numpy(key: Any, replicate: int, index: Array) -> None:
    """Draw the original trial for each position of a replicate. index: (1, N), or (M, N) for a draw per question."""
    index[:] = trials_by_numpy(key, np.array([replicate]), *index.shape)[0]


def running_scores_by_numpy(R: Any, index: Array, table: Array, first: int, sums: Array, out: Array) -> None:
    """Write the score of model l after n trials to out[n - first, l]."""
    out[:] = scores_by_numpy(R, index[None], table, first)[0]


def add_concordance_by_numpy(
    scores: Array, first: int, tol: Array, gold: Any, order: Array, ranks: Array, totals: Array
) -> None:
    """Add the number of concordant minus discordant pairs to totals[n - first, number of untied pairs]."""
    add_concordances_by_numpy(scores[None], first, tol, gold, totals)


def convergence_block_by_numpy(
    R: Any, table: Array, first: int, tol: Array, order: Array, starts: Any, key: Any, rows: int, start: int, at: Array
) -> None:
    """Write the convergence@n of replicate start + b to at[b]."""
    for replicates, scores in replicates_by_numpy(R, table, first, key, rows, start, start + at.size):
        at[replicates - start] = convergence_points_by_numpy(scores, order, starts, first, tol)


def tau_block_by_numpy(
    R: Any, table: Array, first: int, tol: Array, gold: Any, key: Any, rows: int, start: int, stop: int, totals: Array
) -> None:
    """Add the results of add_concordance() for replicates start..stop-1 to totals."""
    for _, scores in replicates_by_numpy(R, table, first, key, rows, start, stop):
        add_concordances_by_numpy(scores, first, tol, gold, totals)


# --- the kernels ------------------------------------------------------------------------------------


@jit
def fill_table(n, c, scores, unit, table):
    """Write scores to table[n, c], as integers in units of 1/unit."""
    for i in range(n.size):
        table[n[i], c[i]] = floor(value(get(scores, i)) * unit + 0.5)


@jit_instead_of(draw_trials_by_numpy)
def draw_trials(key, replicate, index):
    """Draw the original trial for each position of a replicate. index: (1, N), or (M, N) for a draw per question."""
    rows, N = index.shape
    for m in range(rows):
        for t in range(N):
            index[m, t] = random_index(bits(key, flat_index(replicate * rows + m, N, t)), N)


@jit_instead_of(running_scores_by_numpy)
def running_scores(R, index, table, first, sums, out):
    """Write the score of model l after n trials to out[n - first, l]. R: (N, M, L); sums: (M, L), overwritten."""
    N, M, L = R.shape
    shared = index.shape[0] == 1
    sums[:] = 0
    for t in range(N):
        for m in range(M):
            outcomes = R[index[0 if shared else m, t], m]
            for i in range(L):
                sums[m, i] += outcomes[i]
        if t + 1 < first:
            continue
        score, credit = out[t + 1 - first], table[t + 1 if table.size > 1 else 0]
        score[:] = 0
        for m in range(M):
            for i in range(L):
                score[i] += credit[sums[m, i]] if table.size > 1 else sums[m, i]


@jit
def matches_gold(score, order, starts, tol):
    """Whether scores give the gold ranking. order: models in gold order; starts: whether each begins a tie group."""
    above, i = np.int64(0), 0
    while i < order.size:
        high = low = score[order[i]]
        j = i + 1
        while j < order.size and not starts[j]:
            high, low = max(high, score[order[j]]), min(low, score[order[j]])
            j += 1
        if high - low > tol or (i > 0 and above - high <= tol):
            return False
        above, i = high, j
    return True


@jit
def convergence_point(scores, order, starts, first, tol):
    """The smallest n <= N - 1 from which on all rankings are the gold one; 0 if there is none."""
    n = first
    for i in range(scores.shape[0]):
        if not matches_gold(scores[i], order, starts, tol[first + i]):
            n = first + i + 1
    return n if n < first + scores.shape[0] - 1 else 0


@jit
def rank(score, tol, order, ranks):
    """Write competition ranks; a score at most tol below the best of a tie group joins it. order is sorted in place."""
    for i in range(1, order.size):
        model, j = order[i], i
        while j > 0 and score[order[j - 1]] < score[model]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = model
    best, place = score[order[0]], 1
    for i in range(order.size):
        if best - score[order[i]] > tol:
            best, place = score[order[i]], i + 1
        ranks[order[i]] = place


@jit
def concordance(ranks, gold):
    """Number of concordant minus discordant pairs, and number of pairs that are not tied in `ranks`."""
    agree, untied = 0, 0
    for i in range(ranks.size):
        for j in range(i):
            if ranks[i] != ranks[j]:
                untied += 1
                if gold[i] != gold[j]:
                    agree += 1 if (ranks[i] < ranks[j]) == (gold[i] < gold[j]) else -1
    return agree, untied


@jit_instead_of(convergence_block_by_numpy)
def convergence_block(R, table, first, tol, order, starts, key, rows, start, at):
    """Write the convergence@n of replicate start + b to at[b]."""
    N, M, L = R.shape
    index, sums = np.empty((rows, N), np.int64), np.empty((M, L), np.int64)
    scores = np.empty((N - first + 1, L), np.int64)
    for b in range(at.size):
        draw_trials(key, start + b, index)
        running_scores(R, index, table, first, sums, scores)
        at[b] = convergence_point(scores, order, starts, first, tol)


@jit_instead_of(add_concordance_by_numpy)
def add_concordance(scores, first, tol, gold, order, ranks, totals):
    """Add the number of concordant minus discordant pairs to totals[n - first, number of untied pairs]."""
    for i in range(scores.shape[0]):
        rank(scores[i], tol[first + i], order, ranks)
        agree, untied = concordance(ranks, gold)
        totals[i, untied] += agree


@jit_instead_of(tau_block_by_numpy)
def tau_block(R, table, first, tol, gold, key, rows, start, stop, totals):
    """Add the results of add_concordance() for replicates start..stop-1 to totals."""
    N, M, L = R.shape
    index, sums = np.empty((rows, N), np.int64), np.empty((M, L), np.int64)
    scores, order, ranks = np.empty((N - first + 1, L), np.int64), np.arange(L), np.empty(L, np.int64)
    for b in range(start, stop):
        draw_trials(key, b, index)
        running_scores(R, index, table, first, sums, scores)
        add_concordance(scores, first, tol, gold, order, ranks, totals)
