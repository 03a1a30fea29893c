"""Outcomes of many models: a tensor (L, M, N), a sequence of models, or a mapping of names to any form of R."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..display.text import among
from ..errors import InvalidInput, shown
from .answers import Detailed
from .checks import no_empty
from .counts import Counts
from .identity import common_ids, paired, row_labels, rows_by_id
from .matrix import is_row, read_matrix, unwrapped
from .tally import count

Names = list[Any] | None


class Models(NamedTuple):
    """One item for each model, and their names if they have any."""

    names: Names
    items: list[Any]

    def each(self, about: Sequence[str], f: Callable[[Any], Any]) -> list[Any]:
        """Apply f to every item; errors about the arguments `about` name the model; about[0] holds the models."""
        out = []
        for i, x in enumerate(self.items):
            try:
                out.append(f(x))
            except InvalidInput as e:
                if e.argument not in about:
                    raise
                raise e.of(f"model {self.label(i)} of {about[0]}") from None
        return out

    def paired(self, items: list[Any], name: str, missing: Any = None, clustered: bool = False) -> Models:
        """The models with these counts as items, aligned to the same questions; name: the argument that holds them."""
        namer = self._namer(name)
        return Models(self.names, paired(items, [name] * len(items), namer, missing, clustered))

    def _namer(self, name: str) -> Callable[[int], str]:
        """A function from the index of a model to its name in messages."""
        return lambda i: f"model {self.label(i)} of {name}"

    def label(self, i: int) -> str:
        """The name of model i in messages."""
        return str(i) if self.names is None else shown(self.names[i])


def named(names: Names, values: Sequence[Any]) -> Any:
    """Values of models: a dict if the models have names, else a list."""
    return list(values) if names is None else dict(zip(names, values, strict=True))


def check_same_names(given: Mapping[Any, Any], names: Sequence[Any] | None, argument: str, rule: str) -> None:
    """Raise unless a mapping has exactly these names; the error quotes the rule, and the first name that differs."""
    if names is not None and set(given) == set(names):
        return
    unknown = [x for x in given if x not in (names or ())]
    absent = [x for x in names or () if x not in given]
    what = f"{shown(unknown[0])} is none of {among(unknown[0], names)}" if unknown and names else "they have no names"
    raise InvalidInput("choice", argument, f"{rule}: {what if unknown else f'{shown(absent[0])} is absent'}")


def in_order(ranks: Any, names: Names, name: str) -> Any:
    """The ranks of a mapping, in the order of the models; ranks in any other form unchanged."""
    if not isinstance(ranks, Mapping):
        return ranks
    check_same_names(ranks, names, name, f"{name} must rank the same models, by the same names")
    return [ranks[x] for x in names or ()]


def is_matrix(x: Any) -> bool:
    """Whether x has rows: Counts, answers or scored trials, a 2-D array, a data frame, a sequence that holds rows."""
    if isinstance(x, (list, tuple)):
        return any(is_row(unwrapped(row)) for row in x)
    return isinstance(x, (Counts, Detailed)) or getattr(x, "ndim", 0) == 2


def is_flat(x: Any) -> bool:
    """Whether outcomes are one-dimensional: one question with many trials, or many questions with one trial."""
    if isinstance(x, (list, tuple)):
        return len(x) > 0 and not any(is_row(unwrapped(row)) for row in x)
    if getattr(x, "ndim", 0) != 1 or len(x) == 0:
        return False
    return x.dtype != object or not any(is_row(unwrapped(row)) for row in x)  # objects may be rows


def check_flat(x: Any, name: str) -> None:
    """Refuse one-dimensional outcomes."""
    if is_flat(x):
        hint = "np.reshape(x, (-1, 1)) if each entry of x is a question"
        raise InvalidInput("shape", name, f"{name} must be 2-D, a row for each question: {hint}")


def holds_matrices(R: Any) -> bool:
    """Whether R holds matrices: a mapping, a 3-D array, a sequence of matrices."""
    if isinstance(R, (list, tuple)):
        return any(is_matrix(x) for x in R)
    return isinstance(R, Mapping) or getattr(R, "ndim", 0) == 3


def split_models(R: Any, name: str, min_models: int = 2) -> Models:
    """The models in R; raises if there are fewer than `min_models`."""
    if isinstance(R, Mapping):
        models = Models(list(R), list(R.values()))
    elif isinstance(R, (list, tuple)) or getattr(R, "ndim", 0) > 0:
        items = list(R)
        for i, x in enumerate(items):
            if not is_matrix(x) and not (is_row(x) and len(x) == 0):
                raise InvalidInput(
                    "shape", name, f"{name} must be (L, M, N) or a mapping: {name}[{i}] = {shown(x)} is not a matrix"
                )
        models = Models(None, items)
    else:
        raise InvalidInput("type", name, f"{name} must be 3-D (L, M, N) or a mapping of models, not {shown(R)}")
    if not models.items:
        raise InvalidInput("empty", name, f"{name} has no models")
    if len(models.items) < min_models:
        raise InvalidInput("shape", name, f"{name} has one model: at least two are needed")
    return models


def same_questions(sizes: Sequence[int], names: Names, name: str, what: str = "questions") -> None:
    """Raise unless all models have the same number of questions, or of trials; what: which of the two."""
    for i, M in enumerate(sizes):
        if sizes[0] != M:
            label = i if names is None else shown(names[i])
            raise InvalidInput("shape", name, f"model {label} of {name} has {M} {what}, the first model has {sizes[0]}")


def count_models(
    R: Any,
    w: Any,
    missing: str | int,
    name: str = "R",
    all_answered: bool = False,
    min_models: int = 2,
    clustered: bool = False,
) -> Models:
    """The Counts of every model on the same questions, with the categories that w has scores for.

    all_answered: every question must have a trial; clustered: every model gets the clusters that any of them has.
    """
    has_scores, C = w is not None, len(arguments.category_scores(w)) - 1
    models = split_models(R, name, min_models)

    def read(x: Any) -> Counts:
        check_flat(x, name)
        counts = count(x, C, missing, name=name, has_scores=has_scores)
        return no_empty(counts) if all_answered else counts

    # where all must have trials, a question that a model lacks is refused even if missing is "drop"
    return models.paired(models.each([name], read), name, None if all_answered else missing, clustered)


def prior_outcomes(R0: Any, models: Models) -> list[Any]:
    """The prior outcomes R0 of every model: the same for all, or one for each."""
    if isinstance(R0, Mapping):
        check_same_names(R0, models.names, "R0", "R0 must have the models of R, by the same names")
        return [R0[x] for x in models.names or ()]
    if not holds_matrices(R0):
        return [R0] * len(models.items)
    if len(R0) != len(models.items):
        raise InvalidInput("shape", "R0", f"R0 has {len(R0)} models, R has {len(models.items)}")
    return list(R0)


def tensor(R: Any, w: Any = None, name: str = "R") -> tuple[npt.NDArray[np.int32], Names]:
    """Complete outcomes as integers (L, M, N), with their order of trials, and the names of the models."""
    has_scores, C = w is not None, len(arguments.category_scores(w)) - 1
    models = split_models(R, name)

    def read(x: Any) -> npt.NDArray[np.int32]:
        if isinstance(x, (Counts, Detailed)):
            raise InvalidInput("type", name, f"{type(x).__name__} do not have the order of trials that {name} needs")
        check_flat(x, name)
        try:
            count(x, C, "raise", name=name, has_scores=has_scores)
        except InvalidInput as e:  # without the hint: no policy helps where the order of trials counts
            raise InvalidInput(e.code, e.argument, e.reason) from None
        return read_matrix(x, name, "raise", None)[0].astype(np.int32)

    items = models.each([name], read)
    ids = [row_labels(x, name) for x in models.items]
    order = common_ids(ids, [name] * len(ids), models._namer(name))
    if order is not None:
        items = [x[[rows[q] for q in order]] for x, rows in zip(items, map(rows_by_id, ids), strict=True)]
    same_questions([x.shape[0] for x in items], models.names, name)
    same_questions([x.shape[1] for x in items], models.names, name, "trials")
    return np.stack(items), models.names
