"""Every pair of many models, each on the questions that both answered."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from ..display import progress
from ..errors import InvalidInput
from ..outcomes.checks import answered, enough_trials, population
from ..outcomes.models import Models, counted
from .difference import Difference, on_same
from .estimate import NO_DIFFERENCE, Asked, units_of
from .estimator import Side

MANY = 10_000  # pairs from which a terminal shows how far it is


class Contrast(NamedTuple):
    """Models a < b by place, their difference, the questions that either lacks, and both on the others."""

    a: int
    b: int
    difference: Difference
    dropped: list[int]
    sides: tuple[Side, Side]


def contrasts(asked: Asked, models: Any, w: Any, clusters: Any, missing: Any) -> tuple[Models, list[Contrast]]:
    """The models, and all their pairs in the order (0, 1), (0, 2), ..., (1, 2), ...; an error names its pair."""
    found = checked(asked, models, w, missing, clusters)
    return found, among(asked, found, clusters)


def checked(asked: Asked, models: Any, w: Any, missing: Any, clusters: Any, fewest: int = 2) -> Models:
    """The counts of the models on the same questions, each with k trials per question or none."""
    of_counts = asked.sampled and clusters is None
    found = counted(models, w, missing, "models", fewest=fewest, clustered=of_counts)
    for i, x in enumerate(found.items):
        enough_trials(x, asked.m.k, f"model {found.label(i)}", NO_DIFFERENCE, True, asked.m.flips)
    return found


def among(asked: Asked, found: Models, clusters: Any) -> list[Contrast]:
    """The pairs of these models."""
    labels = population(None, clusters, asked.sampled, found.items[0])[1]
    complete = all(x.fewest for x in found.items)  # then no pair leaves a question out
    own = [asked.side(x) if complete else None for x in found.items]
    units, out = units_of(labels, []) if complete else None, []
    total = len(own) * (len(own) - 1) // 2
    with progress.bar("pairs", total, None if total >= MANY else False) as tell:
        for i, j in combinations(range(len(own)), 2):
            try:
                (A, B), dropped = answered("models", found.items[i], found.items[j])
                p, q = (own[x] or asked.side(kept) for x, kept in ((i, A), (j, B)))
                d = on_same(p, q, asked.sampled, "models", units or units_of(labels, dropped))
            except InvalidInput as e:
                raise e.of(f"models {found.label(i)} and {found.label(j)}") from None
            out.append(Contrast(i, j, d, dropped, (p, q)))
            tell(1)
    return out
