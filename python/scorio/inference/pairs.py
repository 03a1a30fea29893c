"""Every pair of many models, each on the questions that both answered, and what many comparisons at once decide.

Adjusted p-values, the ranks that models may have, and models that may be the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, cmp_to_key
from itertools import combinations
from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import ONE, ZERO, Triple, div, ext, mul, sub, value
from ..display import progress
from ..errors import InvalidInput
from ..metrics.metric import Metric, lower_is_better
from ..outcomes.checks import answered, check_trials, population
from ..outcomes.models import Models, count_models
from .clusters import Units
from .decision import is_below_margin
from .degrees_of_freedom import smaller
from .difference import Difference, is_significant, paired_difference
from .estimate import NO_DIFFERENCE, MetricRequest, units_of
from .estimator import Estimator
from .variance import larger

MANY = 10_000  # number of pairs from which a terminal shows a progress bar


class Contrast(NamedTuple):
    """A pair of models a < b by index: their difference, the questions that were dropped, both estimators."""

    a: int
    b: int
    difference: Difference
    dropped: list[int]
    estimators: tuple[Estimator, Estimator]


def contrasts(
    request: MetricRequest, models: Any, w: Any, clusters: Any, missing: Any
) -> tuple[Models, list[Contrast]]:
    """The models, and the contrasts of all their pairs in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    named_models = checked_models(request, models, w, missing, clusters)
    return named_models, AllPairs(request, named_models, clusters).contrasts()


def checked_models(
    request: MetricRequest, models: Any, w: Any, missing: Any, clusters: Any, min_models: int = 2
) -> Models:
    """The counts of the models on the same questions, each question with k trials or none."""
    use_own_clusters = request.sampled and clusters is None
    named_models = count_models(models, w, missing, "models", min_models=min_models, clustered=use_own_clusters)
    for i, x in enumerate(named_models.items):
        who = f"model {named_models.label(i)}"
        check_trials(x, request.m.k, who, NO_DIFFERENCE, skip_empty=True, flips=request.m.flips)
    return named_models


class AllPairs:
    """All pairs of models on the same questions, compared only on request."""

    def __init__(self, request: MetricRequest, models: Models, clusters: Any) -> None:
        self.request, self.models = request, models
        self.labels = population(None, clusters, request.sampled, models.items[0])[1]
        # None: a model without a trial of some question
        self.estimators = [request.estimator(x) if x.min_trials else None for x in models.items]
        if None not in self.estimators:
            self.units  # noqa: B018 (an error in it is raised here, and names no pair)

    @cached_property
    def units(self) -> Units | None:
        """The clusters of all questions."""
        return units_of(self.labels, [])

    def contrast(self, i: int, j: int) -> Contrast:
        """The contrast of models i and j on the questions that both answered; an error names them."""
        try:
            p, q = self.estimators[i], self.estimators[j]
            dropped: list[int] = []
            if p is not None and q is not None:
                units = self.units
            else:
                both, dropped = answered("models", self.models.items[i], self.models.items[j])
                p, q = map(self.request.estimator, both)
                units = units_of(self.labels, dropped)
            r = self.request
            d = paired_difference(p, q, r.sampled, r.guard, "models", units, r.runs_about(i, j))
        except InvalidInput as e:
            raise e.of(f"models {self.models.label(i)} and {self.models.label(j)}") from None
        return Contrast(i, j, d, dropped, (p, q))

    def contrasts(self) -> list[Contrast]:
        """The contrasts of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
        L = len(self.models.items)
        out, total = [], L * (L - 1) // 2
        with progress.bar("pairs", total, None if total >= MANY else False) as advance:
            for i, j in combinations(range(L), 2):
                out.append(self.contrast(i, j))
                advance(1)
        return out


# --- many comparisons at once -----------------------------------------------------------------------


def holm(p: Sequence[Triple], tests: int | None = None) -> list[Triple]:
    """Holm's adjusted p-values: for the r-th smallest, the largest of min(1, (m - j + 1) p_(j)), j <= r.

    m is the number of p-values, or `tests` if p has only the smallest p-values of that many tests.

    Rejecting where they are at most alpha, the probability of any false rejection is at most alpha, however the
    p-values depend on each other (Holm 1979).
    """
    m, largest, out = tests or len(p), ZERO, [ZERO] * len(p)
    for j, i in enumerate(_from_smallest(p)):
        largest = out[i] = larger(largest, smaller(mul(ext(float(m - j)), p[i]), ONE))
    return out


def benjamini_hochberg(p: Sequence[Triple]) -> list[Triple]:
    """Benjamini and Hochberg's adjusted p-values: for the r-th smallest, the least of min(1, m p_(s) / s), s >= r.

    Rejecting where they are at most q, the false-discovery rate is at most q, for independent p-values (Benjamini and
    Hochberg 1995).
    """
    m, least, out = len(p), ONE, [ONE] * len(p)
    for r, i in zip(range(m, 0, -1), reversed(_from_smallest(p)), strict=True):
        least = out[i] = smaller(least, mul(div(ext(float(m)), ext(float(r))), p[i]))
    return out


def _from_smallest(p: Sequence[Triple]) -> list[int]:
    """Indices of p-values, from the smallest."""

    def order(i: int, j: int) -> int:
        d: float = sub(p[i], p[j])[0]
        return int(d > 0.0) - int(d < 0.0)

    return sorted(range(len(p)), key=cmp_to_key(order))


def holm_doubles(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values of doubles, as doubles."""
    return [value(x) for x in holm([ext(x) for x in p])]


def level_of_next(adjusted: Sequence[float], alpha: float) -> float:
    """The level at which Holm's method calls one more difference significant, while the others stay as they are."""
    return alpha / max(1, sum(p > alpha for p in adjusted))


def checked_correction(x: object) -> bool:
    """Check `correction`; returns whether p-values are adjusted by Holm's method."""
    return x is not None and arguments.choice(x, "correction", ("holm",)) == "holm"


def adjusted(pairs: Sequence[Contrast], by_holm: bool) -> list[Triple]:
    """The p-value of every pair; adjusted by Holm's method if `by_holm`."""
    p = [x.difference.p_value() for x in pairs]
    return holm(p) if by_holm else p


def positive_if_better(m: Metric, pairs: list[Contrast]) -> list[Contrast]:
    """The pairs with differences that are positive if the first model is better, also where lower is better."""
    return (
        [x._replace(difference=x.difference.reversed_difference()) for x in pairs] if lower_is_better(m.name) else pairs
    )


def possible_ranks(L: int, pairs: Sequence[Contrast], p: Sequence[Triple], confidence: float) -> list[tuple[int, int]]:
    """The ranks each model may have: from 1 + the number significantly better to L - the number significantly worse."""
    best, worst = [1] * L, [L] * L
    for (a, b, d, *_), p_of_pair in zip(pairs, p, strict=True):
        if is_significant(p_of_pair, confidence):
            winner, loser = (a, b) if d.D[0] > 0.0 else (b, a)
            best[loser] += 1
            worst[winner] -= 1
    return list(zip(best, worst, strict=True))


def possibly_best(L: int, pairs: Sequence[Contrast], confidence: float, gap: Triple) -> list[int]:
    """Models that no other model exceeds by more than gap in a gate's test at level (1 - confidence) / (L - 1).

    A test by the t distribution alone excludes the best model in 15% of runs (nominal 5%) where a rival fails all
    trials of some questions, few of which were sampled, and in 11% where nine rivals with few trials fail rarely.
    """
    excluded, level = set(), error_rate(confidence, max(L - 1, 1))  # one model has no pairs
    for a, b, d, *_ in pairs:
        for loser, x in ((b, d), (a, d.reversed_difference())):
            if sub(x.D, gap)[0] > 0.0 and is_below_margin(x.reversed_difference(), gap, level):
                excluded.add(loser)
    return [i for i in range(L) if i not in excluded]
