"""Elo ratings of models that answer the same questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arguments
from ..arithmetic.double_double import ZERO, Triple, add, div, exp, ext, get, log, mul, put, sub, value
from ..arithmetic.jit import jit
from ..errors import InvalidInput
from ..outcomes.models import named, tensor
from .scores import CONVENTIONS, TOL, by_score

TIES = ("correct_draw_only", "draw", "skip")


@jit
def _play(R, K, per_point, both_right, both_wrong, gain):
    """Rating gains of all events. R: (L, M, N) of 0 and 1; per_point: ln 10 / 400; gain: (L, 3), zeros."""
    L = R.shape[0]
    strength, change = np.empty((L, 3)), np.ones((L, 3))  # 10^(gain/400)
    for t in range(R.shape[2]):
        for m in range(R.shape[1]):
            for i in range(L):
                if change[i, 0] != 0.0:  # else it is what it was
                    put(strength, i, exp(mul(get(gain, i), per_point)))
            for i in range(L):
                total = ZERO
                for j in range(L):
                    a, b = R[i, m, t], R[j, m, t]
                    if i == j or (a == b and not (both_right if a == 1 else both_wrong)):
                        continue
                    mine = get(strength, i)
                    expected = div(mine, add(mine, get(strength, j)))
                    total = add(total, sub(ext(0.5 if a == b else float(a)), expected))
                put(change, i, mul(K, total))
            for i in range(L):
                put(gain, i, add(get(gain, i), get(change, i)))


def elo(
    R: Any,
    K: float = 32,
    initial_rating: float = 1500,
    tie_handling: str = "correct_draw_only",
    *,
    method: str = "competition",
    return_scores: bool = False,
) -> Any:
    """Ranks of models by Elo ratings: every question of every trial is a round that all pairs play.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions, N trials each, none missing.
    K : float in (0, 1e4]
        Points that a game is worth.
    initial_rating : float, |initial_rating| <= 1e6
        Rating of every model before the first round.
    tie_handling : {"correct_draw_only", "draw", "skip"}
        Equal outcomes are a draw only if both are right; always; or never a game.
    method : {"competition", "competition_max", "dense", "average"}
        Convention for ties, as in :func:`rank_scores`.
    return_scores : bool
        Also the ratings.

    Returns
    -------
    list or dict
        The rank of each model, 1 the best; with return_scores a pair (ranks, ratings).

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Rounds run trial by trial, question by question; all pairs of a round are scored against the ratings before it,
    so the order of the models does not matter. E = 1 / (1 + 10^((r_j - r_i) / 400)). The order of rounds does
    matter: late ones weigh more. For anything but a chess-like display prefer :func:`bayes`.

    Examples
    --------
    >>> from scorio import rank
    >>> ranks, ratings = rank.elo([[[1, 1], [1, 0]], [[0, 1], [0, 0]]], return_scores=True)
    >>> ranks, [round(r, 4) for r in ratings]
    ([1, 2], [1527.7471, 1472.2529])
    """
    K = arguments.real(K, "K")
    if not 0.0 < K <= 1e4:
        raise InvalidInput("range", "K", f"K = {K!r} is outside (0, 10000]")
    start = arguments.within(initial_rating, "initial_rating", -1e6, 1e6)
    arguments.choice(tie_handling, "tie_handling", TIES)
    arguments.choice(method, "method", CONVENTIONS)
    return_scores = arguments.flag(return_scores, "return_scores")
    outcomes, names = tensor(R)
    L = len(outcomes)
    order = sorted(range(L), key=lambda i: outcomes[i].tobytes())  # sums round the same in any order of the models
    gain = np.zeros((L, 3))
    per_point: Triple = div(log(ext(10.0)), ext(400.0))
    ties = (tie_handling != "skip", tie_handling == "draw")
    _play(np.ascontiguousarray(outcomes[order]), ext(K), per_point, *ties, gain)
    ratings = [0.0] * L
    for i, model in enumerate(order):
        x: Triple = (float(gain[i, 0]), float(gain[i, 1]), float(gain[i, 2]))
        ratings[model] = value(add(ext(start), x)) + 0.0
    ranks = named(names, getattr(by_score(ratings, TOL), method))
    return (ranks, named(names, ratings)) if return_scores else ranks
