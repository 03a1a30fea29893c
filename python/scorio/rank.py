"""Scores to ranks."""

from __future__ import annotations

from typing import Any

from . import checks


def competition_ranks_from_scores(scores_in_id_order: Any, *, tol: float = 1e-12) -> list[int]:
    """Competition ranks 1, 2, 2, 4: higher is better, ties share the best of their ranks.

    Parameters
    ----------
    scores_in_id_order : array_like, shape (L,)
        One finite score for each model.
    tol : float >= 0
        A score ties with the best score of the group above it if it is at most this far below that, as doubles;
        groups do not chain.

    Returns
    -------
    list of int
        The rank of each model, in the order of the scores.

    Raises
    ------
    InvalidInput
        Anything wrong with the scores or tol.

    Notes
    -----
    The API reference of Scorio.jl. Ranks of estimates say nothing of their noise: neighbours may not differ.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    [1, 2, 2, 4, 5]
    """
    scores = checks.vector(scores_in_id_order, "scores_in_id_order")
    tol = checks.within(tol, "tol", 0.0, checks.LARGEST_DOUBLE)
    ranks, best, rank = [0] * len(scores), 0.0, 0
    for place, i in enumerate(sorted(range(len(scores)), key=lambda i: -scores[i]), 1):
        if place == 1 or best - scores[i] > tol:
            best, rank = scores[i], place
        ranks[i] = rank
    return ranks
