"""Every pair of many models, each on the questions that both answered."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from ..display import progress
from ..errors import InvalidInput
from ..outcomes.checks import answered, check_trials, population
from ..outcomes.models import Models, count_models
from .clusters import Units
from .difference import Difference, paired_difference
from .estimate import NO_DIFFERENCE, MetricRequest, units_of
from .estimator import Estimator

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
        out, total = [], number_of_pairs(len(self.models.items))
        with progress.bar("pairs", total, None if total >= MANY else False) as advance:
            for i, j in combinations(range(len(self.models.items)), 2):
                out.append(self.contrast(i, j))
                advance(1)
        return out


def number_of_pairs(L: int) -> int:
    """The number of pairs of L models."""
    return L * (L - 1) // 2
