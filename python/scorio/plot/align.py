"""The models of a picture, as counts whose rows can be put side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..errors import InvalidInput
from ..io import Log
from ..outcomes.counts import Counts
from ..outcomes.models import Models, check_flat, is_matrix
from ..outcomes.tally import count


class Lineup(NamedTuple):
    """Names and counts of models; without ids their rows stand for the same questions."""

    names: list[Any]
    counts: list[Counts]

    @property
    def ids(self) -> list[Sequence[str]] | None:
        """The ids of the questions of each model; None where not all have ids."""
        ids = [x.ids for x in self.counts]
        return None if None in ids else [x for x in ids if x is not None]

    def pair(self, i: int, j: int) -> tuple[Counts, Counts] | None:
        """Two models on the questions that both have; None where there is none."""
        a, b = self.counts[i], self.counts[j]
        if a.ids is None or b.ids is None or a.ids == b.ids:
            return a, b
        have = set(b.ids)
        both = tuple(q for q in a.ids if q in have)
        return (a._on(both), b._on(both)) if both else None

    def questions(self) -> list[str]:
        """The ids of all questions, in the order in which they are met."""
        if self.ids is None:
            return [str(i) for i in range(self.counts[0].M)]
        return list(dict.fromkeys(q for ids in self.ids for q in ids))

    def rows(self, questions: list[str]) -> list[np.ndarray]:
        """For each model the row of each of these questions, -1 where it does not have it."""
        if self.ids is None:
            return [np.arange(len(questions))] * len(self.counts)
        at = [{q: row for row, q in enumerate(ids)} for ids in self.ids]
        return [np.array([rows.get(q, -1) for q in questions]) for rows in at]


def lineup(models: Any, w: Any = None, missing: str | int = "raise", paired: bool = True) -> Lineup:
    """One model or more, of the categories that w weighs; paired: without ids their rows are the same questions."""
    given, C = w is not None, len(arguments.weights(w)) - 1
    given_models = _split(models)
    logs = [isinstance(x, Log) for x in given_models.items]
    if any(logs) and not all(logs):
        raise InvalidInput("type", "models", "models mixes logs and other things: give all in one form")

    def read(x: Any) -> Counts:
        check_flat(x, "models")
        return count(x.counts if isinstance(x, Log) else x, C, missing, name="models", w_given=given)

    counts = given_models.each(["models"], read)
    if paired and not any(logs):
        counts = given_models.paired(counts, "models", missing).items
    return Lineup(_names(given_models), counts)


def _split(models: Any) -> Models:
    if isinstance(models, Mapping):
        given_models = Models(list(models), list(models.values()))
    elif isinstance(models, Counts) or getattr(models, "ndim", 0) == 2:
        raise InvalidInput("shape", "models", "models must be a mapping or (L, M, N); for one model {name: outcomes}")
    elif isinstance(models, (list, tuple)) or getattr(models, "ndim", 0) == 3:
        given_models = Models(None, list(models))
        if not all(map(is_matrix, given_models.items)):
            raise InvalidInput(
                "shape", "models", "models must be a mapping or (L, M, N); for one model {name: outcomes}"
            )
    else:
        raise InvalidInput("type", "models", f"models must be a mapping or 3-D (L, M, N), not {type(models).__name__}")
    if not given_models.items:
        raise InvalidInput("empty", "models", "models has no models")
    return given_models


def _names(given_models: Models) -> list[Any]:
    return [f"model {i}" for i in range(len(given_models.items))] if given_models.names is None else given_models.names
