"""Models whose trials are probably one answer repeated, as at temperature 0 or from a cache."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log, log1p

import numpy as np

from ..outcomes.counts import Counts

WITHIN = 0.2  # least share of the variance of a trial that is within questions where trials are independent
FALSE_ALARMS = 0.01  # largest probability that a model with such trials is reported


def varying_questions(counts: Counts, w: Sequence[float] | None) -> tuple[int, int] | None:
    """Questions whose trials differ, and questions with two trials or more, if too few of them differ; else None.

    Of a question with n independent trials whose scores in 0..1 have the variance v these differ with a probability of
    at least 4 (1 - 2^(1 - n)) v, whatever their distribution. So the number of questions whose trials differ is at
    least binomial where ``WITHIN`` of the variance of a trial is within questions; it is too few where such a number
    is as small with a probability of at most ``FALSE_ALARMS``.
    """
    table = counts.table[counts.trials > 1]
    if not table.size:
        return None
    scores = np.arange(counts.C + 1.0) if w is None else np.asarray(w, dtype=float)
    scores = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    shares, M = table / table.sum(axis=1, keepdims=True), len(table)
    mean = float((shares @ scores).mean())
    variance = max(float((shares @ scores**2).mean()) - mean * mean, 0.0)
    p = 4.0 * (1.0 - 0.5 ** (int(table.sum(axis=1).min()) - 1)) * WITHIN * variance
    varying = int(((table > 0).sum(axis=1) > 1).sum())
    return (varying, M) if varying < M * p and _binomial_tail(varying, M, p) <= FALSE_ALARMS else None


def _binomial_tail(x: int, M: int, p: float) -> float:
    """Probability that a binomial number is at most x, for x < M p: terms fall at least geometrically below x."""
    term = exp(lgamma(M + 1) - lgamma(x + 1) - lgamma(M - x + 1) + x * log(p) + (M - x) * log1p(-p))
    total = 0.0
    while term > 1e-12 * total:
        total += term
        term *= x * (1.0 - p) / ((M - x + 1) * p)
        x -= 1
    return total
