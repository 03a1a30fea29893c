"""Ranks of models: from scores, with ties that respect uncertainty, by each metric, rank ranges, Elo, and battles.

``rank.bayes``, ``rank.pass_at_k`` and so on take the arguments of the functions of these names in :mod:`scorio.eval`,
with R for all models: a tensor (L, M, N), or a mapping of names to any form of R. A mapping gives a dict of ranks with
the same names; a tensor gives a list. Ranks of estimates ignore their uncertainty: see :func:`ranges`.

``rank.bayes`` and so on have three more options. ``tol`` >= 0: a score at most this far below the best score of a tie
belongs to that tie. ``method``: the convention for ties, "competition", "competition_max", "dense" or "average"
(:func:`rank_scores`). ``return_scores``: whether to return the scores too.
"""

from .battle_plans import (
    Influence,
    ScoreTest,
    WinProbability,
    battles_needed,
    influence,
    next_pair,
    score_test,
    win_probability,
)
from .bradley_terry import BattleRatings, bradley_terry
from .by_metric import (
    auc_at_k,
    avg,
    bayes,
    flip_rate,
    g_pass_at_k,
    g_pass_at_k_tau,
    geo_spectrum_at_k,
    geo_spectrum_star_at_k,
    geom_at_k,
    geom_ds_at_k,
    maj_at_k,
    max_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
    threshold_spectrum_at_k,
    unanimous_at_k,
)
from .elo import elo
from .ranges import Range, ranges, winners
from .scores import Ranks, competition_ranks_from_scores, rank_scores

__all__ = [
    "BattleRatings", "Influence", "Range", "Ranks", "ScoreTest", "WinProbability", "auc_at_k", "avg", "battles_needed",
    "bayes", "bradley_terry", "competition_ranks_from_scores", "elo", "flip_rate", "g_pass_at_k", "g_pass_at_k_tau",
    "geo_spectrum_at_k", "geo_spectrum_star_at_k", "geom_at_k", "geom_ds_at_k", "influence", "maj_at_k", "max_at_k",
    "mg_pass_at_k", "next_pair", "pass_at_k", "pass_hat_k", "ranges", "rank_scores", "score_test",
    "threshold_spectrum_at_k", "unanimous_at_k", "win_probability", "winners",
]  # fmt: skip
