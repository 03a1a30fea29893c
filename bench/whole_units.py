"""Exact error rates of gates where whole questions, or whole clusters, are won or lost: measures for hostile.py.

The verdicts of the package are weighted with the probabilities of the numbers of such units; nothing is simulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hostile_cells import Cell, Rng
from scipy.stats import binom, multinomial

from scorio import Counts, sinf

NEGLIGIBLE = 1e-5  # numbers of units that are less probable are left out


def solved(c: Any, N: int) -> Counts:
    """Counts of questions with c successes in N trials."""
    return Counts.from_successes(np.asarray(c), np.full(len(c), N))


def wins_and_losses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability of a wrong verdict: the candidate wins each question whole with probability `win`, loses with more.

    It loses each question whole with the probability `win` + margin, so that it is worse by the margin.
    """
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
    """Probability of a wrong pass: each of the larger clusters fails whole with the probability `fails`.

    clusters: "90x1 10x5" for 90 clusters of one question and 10 of five; the margin is the expected loss.
    """
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
