"""Elo ratings of models that answer the same questions."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from .. import arguments
from ..arithmetic.double_double import Triple, add, div, exp, ext, get, log, mul, put, sub, value
from ..arithmetic.jit import jit
from ..display.progress import bar
from ..errors import InvalidInput
from ..outcomes.models import named, tensor
from ..outcomes.tally import Models
from ..results import Convention, EloTies
from .scores import CONVENTIONS, RANKS, SCORES, TOL, Ranked, by_score, ranks_models

PAIRS = 10**7  # ordered pairs of models in the rounds between two updates of the progress bar: half a second
HALF = ext(0.5)
TIES = get_args(EloTies)


@jit
def _play(R, K, per_point, both_right, both_wrong, gain, strength, points):
    """Update gain and strength by the rounds of the trials R: (N, M, L) of 0 and 1. gain, strength, points: (L, 3).

    per_point: ln 10 / 400. points: the score of each model in a round, less the score expected from its strength. In a
    game j loses the points that i gains, so that each pair needs one division. both_right, both_wrong: whether two
    equal outcomes, both right or both wrong, are a draw or else no game.
    """
    for t in range(R.shape[0]):
        for m in range(R.shape[1]):
            points[:] = 0.0
            for i in range(R.shape[2]):
                a, strength_i, total = R[t, m, i], get(strength, i), get(points, i)
                for j in range(i):
                    b = R[t, m, j]
                    if a != b or (both_right if a == 1 else both_wrong):
                        strength_j = get(strength, j)
                        share = div(strength_j if a > b else strength_i, add(strength_i, strength_j))
                        if a > b:  # i gains the share
                            total = add(total, share)
                            put(points, j, sub(get(points, j), share))
                        else:  # i loses the share; in a draw, its excess over one half
                            share = sub(share, HALF) if a == b else share
                            total = sub(total, share)
                            put(points, j, add(get(points, j), share))
                put(points, i, total)
            for i in range(R.shape[2]):
                if points[i, 0] != 0.0:  # otherwise the strength is unchanged
                    put(gain, i, add(get(gain, i), mul(K, get(points, i))))
                    put(strength, i, exp(mul(get(gain, i), per_point)))


def _gains(R: Any, K: Triple, both_right: bool, both_wrong: bool) -> list[Triple]:
    """The rating gain of each model over all trials, R of shape (N, M, L); with a progress bar for many games."""
    N, M, L = R.shape
    per_point: Triple = div(log(ext(10.0)), ext(400.0))
    gain, strength, points = np.zeros((3, L, 3))
    strength[:, 0] = 1.0  # 10^(gain/400)
    step = max(1, PAIRS // (L * L * M))
    with bar("Elo", N, None if step < N else False) as advance:
        for t in range(0, N, step):
            trials = R[t : t + step]
            _play(trials, K, per_point, both_right, both_wrong, gain, strength, points)
            advance(len(trials))
    return [(x[0], x[1], x[2]) for x in gain.tolist()]


@ranks_models(RANKS.of_elo, SCORES.of_elo)
def elo(
    R: Models,
    K: float = 32,
    initial_rating: float = 1500,
    tie_handling: EloTies = "correct_draw_only",
    *,
    method: Convention = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks of models by Elo ratings: every question of every trial is a round that all pairs play.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions, N trials each, none missing.
    K : float in (0, 1e4]
        The K-factor: the most points that a model can gain or lose in a game.
    initial_rating : float, |initial_rating| <= 1e6
        Rating of every model before the first round.
    tie_handling : {"correct_draw_only", "draw", "skip"}
        Equal outcomes are a draw if both are right, else no game ("correct_draw_only"); always a draw ("draw"); or
        never a game ("skip").
    method : {"competition", "competition_max", "dense", "average"}
        Convention for ties, as in :func:`rank_scores`.
    return_scores : bool
        Whether to return the ratings too.

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
    Rounds run trial by trial, question by question; all pairs of a round are scored against the ratings before it, so
    the order of the models does not matter. The expected score of i against j is 1 / (1 + 10^((r_j - r_i) / 400)). The
    order of rounds does matter: late rounds weigh more. For anything but a chess-like display prefer :func:`bayes`.

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
    # sorted, so that rounding does not depend on the order of the models
    order = sorted(range(L), key=lambda i: outcomes[i].tobytes())
    both_right, both_wrong = tie_handling != "skip", tie_handling == "draw"
    gains = _gains(np.ascontiguousarray(outcomes[order].transpose(2, 1, 0)), ext(K), both_right, both_wrong)
    ratings = [0.0] * L
    for gain, model in zip(gains, order, strict=True):
        ratings[model] = value(add(ext(start), gain)) + 0.0
    ranks = named(names, getattr(by_score(ratings, TOL), method))
    return (ranks, named(names, ratings)) if return_scores else ranks
