"""Exact error rates of gates where whole questions, or whole clusters, are won or lost: measures for hostile.py.

The verdicts of the package on all numbers of such units are weighted with their probabilities; nothing is simulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hostile_cells import Cell, Rng
from scipy.stats import binom, multinomial

from scorio import Counts, sinf

NEGLIGIBLE = 1e-5  # the probability of numbers that are left out


def solved(c: Any, N: int) -> Counts:
    """Counts of questions with c successes in N trials."""
    return Counts.from_successes(np.asarray(c), np.full(len(c), N))


def wins_and_losses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Wrong verdicts: the candidate wins whole questions with probability `win`, loses more of them by the margin."""
    M, N, win, margin = cell["M"], cell["N"], cell["win"], cell["margin"]
    if 2 * win + margin > 1:
        return 0.0, 0
    error = 0.0
    for won in range(M + 1):
        for lost in range(M + 1 - won):
            p = multinomial.pmf([won, lost, M - won - lost], M, [win, win + margin, 1 - 2 * win - margin])
            if p > NEGLIGIBLE:
                at = np.arange(M)
                new, base = np.where((at >= won) & (at < won + lost), 0, N), np.where(at < won, 0, N)
                how = {"margin": margin, "questions": "sampled"}
                error += p * (sinf.gate(solved(new, N), solved(base, N), **how).verdict == cell["verdict"])
    return error, 0


def large_clusters(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Wrong passes: each of the larger clusters (90x1 10x5: number x size) fails whole with the probability `fails`."""
    (n_small, small), (n_large, large) = ([int(x) for x in part.split("x")] for part in cell["clusters"].split())
    M, N, q = n_small * small + n_large * large, cell["N"], cell["fails"]
    labels = [*np.repeat(np.arange(n_small), small), *n_small + np.repeat(np.arange(n_large), large)]
    how = {"margin": n_large * large * q / M, "questions": "sampled", "clusters": labels}
    error = 0.0
    for failed in range(n_large + 1):
        new = np.where((np.arange(M) >= n_small * small) & (np.arange(M) < n_small * small + failed * large), 0, N)
        if (p := float(binom.pmf(failed, n_large, q))) > NEGLIGIBLE:
            error += p * (sinf.gate(solved(new, N), solved(np.full(M, N), N), **how).verdict == "pass")
    return error, 0
