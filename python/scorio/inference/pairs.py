"""Every pair of many models, each on the questions that both answered."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from ..display import progress
from ..errors import InvalidInput
from ..outcomes.checks import answered, enough_trials, population
from ..outcomes.models import Models, counted
from .difference import Difference, paired_difference
from .estimate import NO_DIFFERENCE, MetricRequest, units_of
from .estimator import Estimator

MANY = 10_000  # pairs from which on a terminal shows a progress bar


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
    """The models, and all their pairs in the order (0, 1), (0, 2), ..., (1, 2), ...; an error names its pair."""
    named_models = checked(request, models, w, missing, clusters)
    return named_models, among(request, named_models, clusters)


def checked(request: MetricRequest, models: Any, w: Any, missing: Any, clusters: Any, fewest: int = 2) -> Models:
    """The counts of the models on the same questions, each with k trials per question or none."""
    use_own_clusters = request.sampled and clusters is None
    named_models = counted(models, w, missing, "models", fewest=fewest, clustered=use_own_clusters)
    for i, x in enumerate(named_models.items):
        enough_trials(x, request.m.k, f"model {named_models.label(i)}", NO_DIFFERENCE, True, request.m.flips)
    return named_models


def among(request: MetricRequest, named_models: Models, clusters: Any) -> list[Contrast]:
    """The contrasts of all pairs of these models."""
    labels = population(None, clusters, request.sampled, named_models.items[0])[1]
    complete = all(x.fewest for x in named_models.items)  # then no pair leaves a question out
    own = [request.estimator(x) if complete else None for x in named_models.items]
    units, out = units_of(labels, []) if complete else None, []
    total = len(own) * (len(own) - 1) // 2
    with progress.bar("pairs", total, None if total >= MANY else False) as advance:
        for i, j in combinations(range(len(own)), 2):
            try:
                (A, B), dropped = answered("models", named_models.items[i], named_models.items[j])
                p, q = (own[x] or request.estimator(kept) for x, kept in ((i, A), (j, B)))
                d = paired_difference(p, q, request.sampled, "models", units or units_of(labels, dropped))
            except InvalidInput as e:
                raise e.of(f"models {named_models.label(i)} and {named_models.label(j)}") from None
            out.append(Contrast(i, j, d, dropped, (p, q)))
            advance(1)
    return out
