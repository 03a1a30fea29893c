"""Scores of the first of several models: how far they are too high by selection, and shrunken scores."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from statistics import NormalDist, fmean

from ..errors import InvalidInput
from ..readers.evaluation import EvaluationData
from .measure import Request
from .pairs import Pairs, compare_pairs

FEWEST = 5  # models of a leaderboard whose first score is reported to be selected


def selected(
    e: EvaluationData, averages: Mapping[str, float], request: Request, compared: Pairs | None
) -> tuple[float, dict[str, float]]:
    """Bias of the highest of these averages if all models were equally good, and all of them shrunken to their mean.

    averages : the averages of at least five models, the highest first
    compared : the comparisons of all pairs, where they are known

    The standard error s is that of the difference between the first two models, over the square root of 2: what all
    models have in common, such as hard questions, selects none. The bias is s times the expected largest of as many
    normal deviates (Blom's approximation). The shrunken averages are the positive-part estimates of James and Stein.
    0 and an empty mapping where these two models cannot be compared, or where missing outcomes are bounded.
    """
    if e.bounds:
        return 0.0, {}
    L, leaders = len(averages), list(averages)[:2]
    try:
        known = (compared or compare_pairs(e.select(leaders), request)).overall
    except InvalidInput:
        known = ()
    pairs = [pair for pair in known if {pair.a, pair.b} == {*leaders}]
    if not pairs:
        return 0.0, {}
    s, mean = pairs[0].sigma / sqrt(2.0), fmean(averages.values())
    spread = sum((x - mean) ** 2 for x in averages.values())
    kept = max(0.0, 1.0 - (L - 3) * s * s / spread) if spread else 0.0
    bias = s * NormalDist().inv_cdf((L - 0.375) / (L + 0.25))
    return bias, {m: mean + kept * (x - mean) for m, x in averages.items()}
