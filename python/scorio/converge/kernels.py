"""Kernels: the rankings along one series of trials, and over bootstrap replicates. Integers only."""

from __future__ import annotations

from math import floor

import numpy as np

from ..arithmetic.counter_rng import bits, place
from ..arithmetic.counter_rng import index as drawn
from ..arithmetic.double_double import get, value
from ..arithmetic.jit import jit


@jit
def enter(n, c, scores, unit, table):
    """table[n, c] = the score of that state in whole units."""
    for i in range(n.size):
        table[n[i], c[i]] = floor(value(get(scores, i)) * unit + 0.5)


@jit
def choose(key, replicate, index):
    """Which original trial stands at place t of a replicate. index: (1, N), or (M, N) for a draw per question."""
    rows, N = index.shape
    for m in range(rows):
        for t in range(N):
            index[m, t] = drawn(bits(key, place(replicate * rows + m, N, t)), N)


@jit
def walk(R, index, table, first, sums, out):
    """out[n - first, l]: the score of model l after n trials. R: (N, M, L); sums: (M, L), overwritten."""
    N, M, L = R.shape
    shared = index.shape[0] == 1
    sums[:] = 0
    for t in range(N):
        for m in range(M):
            row = R[index[0 if shared else m, t], m]
            for i in range(L):
                sums[m, i] += row[i]
        if t + 1 < first:
            continue
        score, credit = out[t + 1 - first], table[t + 1 if table.size > 1 else 0]
        score[:] = 0
        for m in range(M):
            for i in range(L):
                score[i] += credit[sums[m, i]] if table.size > 1 else sums[m, i]


@jit
def follows(score, order, starts, tol):
    """Whether the scores rank as gold does. order: the models in gold order; starts: which begin a group of ties."""
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
def settles(scores, order, starts, first, tol):
    """The smallest n <= N - 1 from which all rankings are gold; 0 if there is none."""
    n = first
    for i in range(scores.shape[0]):
        if not follows(scores[i], order, starts, tol[first + i]):
            n = first + i + 1
    return n if n < first + scores.shape[0] - 1 else 0


@jit
def rank(score, tol, order, ranks):
    """Competition ranks, ties at most tol below the best of their group. order: any permutation, sorted on return."""
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
def agreement(ranks, gold):
    """(concordant less discordant pairs, pairs that ranks do not tie)."""
    agree, untied = 0, 0
    for i in range(ranks.size):
        for j in range(i):
            if ranks[i] != ranks[j]:
                untied += 1
                if gold[i] != gold[j]:
                    agree += 1 if (ranks[i] < ranks[j]) == (gold[i] < gold[j]) else -1
    return agree, untied


@jit
def settle_block(R, table, first, tol, order, starts, key, rows, start, at):
    """at[b]: where replicate start + b settles."""
    N, M, L = R.shape
    index, sums = np.empty((rows, N), np.int64), np.empty((M, L), np.int64)
    scores = np.empty((N - first + 1, L), np.int64)
    for b in range(at.size):
        choose(key, start + b, index)
        walk(R, index, table, first, sums, scores)
        at[b] = settles(scores, order, starts, first, tol)


@jit
def tau_of(scores, first, tol, gold, order, ranks, totals):
    """totals[n - first, untied] += concordant less discordant pairs."""
    for i in range(scores.shape[0]):
        rank(scores[i], tol[first + i], order, ranks)
        agree, untied = agreement(ranks, gold)
        totals[i, untied] += agree


@jit
def tau_block(R, table, first, tol, gold, key, rows, start, stop, totals):
    """The sum of tau_of over replicates start..stop-1."""
    N, M, L = R.shape
    index, sums = np.empty((rows, N), np.int64), np.empty((M, L), np.int64)
    scores, order, ranks = np.empty((N - first + 1, L), np.int64), np.arange(L), np.empty(L, np.int64)
    for b in range(start, stop):
        choose(key, b, index)
        walk(R, index, table, first, sums, scores)
        tau_of(scores, first, tol, gold, order, ranks, totals)
