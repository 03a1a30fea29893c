"""Types by which a type checker knows what a ranking returns: names or a list, with the scores or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypeAlias, TypedDict, TypeVar

import numpy.typing as npt

from ..arguments import Labels, Missing
from ..choices import Convention, RateModel, WholeRanks
from ..outcomes.tally import Outcomes
from ..results import Target

K = TypeVar("K")
ByName: TypeAlias = Mapping[K, Outcomes]  # models by name
InOrder: TypeAlias = Sequence[Outcomes] | npt.ArrayLike  # models without names
Yes: TypeAlias = Literal[True]
No: TypeAlias = Literal[False]
Numbers: TypeAlias = list[Any] | dict[Any, Any]  # one number for each model, by name if models have names
Ranked: TypeAlias = Numbers | tuple[Numbers, Numbers]


class WholeRanked(TypedDict, total=False):
    """Options of rankings under which ranks are integers."""

    missing: Missing
    tol: float
    method: WholeRanks


class RangeOptions(TypedDict, total=False):
    """Options of rank ranges and of the set of best models, but for the metric and its parameters."""

    questions: Required[Target]
    confidence: float
    clusters: Labels | None
    model: RateModel
    missing: Missing


class Ties(TypedDict, total=False):
    """Options of rankings."""

    missing: Missing
    tol: float
    method: Convention
