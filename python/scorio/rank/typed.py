"""Types by which a type checker knows what a ranking returns: names or a list, with the scores or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

import numpy.typing as npt

from ..arguments import Missing, Reals
from ..outcomes.tally import Models, Outcomes
from ..results import Convention, EloTies, WholeRanks

K = TypeVar("K")
P = ParamSpec("P")
Q = ParamSpec("Q")
A = ParamSpec("A")
M = TypeVar("M")
S = TypeVar("S")
T = TypeVar("T")
ByName: TypeAlias = Mapping[K, Outcomes]  # models by name
InOrder: TypeAlias = Sequence[Outcomes] | npt.ArrayLike  # models without names
Yes: TypeAlias = Literal[True]
No: TypeAlias = Literal[False]
Numbers: TypeAlias = list[Any] | dict[Any, Any]  # one number for each model, by name if models have names
Ranked: TypeAlias = Numbers | tuple[Numbers, Numbers]


class Options(TypedDict, Generic[M, S], total=False):
    """Options of all rankings by a metric; M: the conventions for ties, S: the type of return_scores."""

    missing: Missing
    tol: float
    method: M
    return_scores: S


Ties: TypeAlias = Options[Convention, bool]


class Chosen(Protocol[P]):
    """A function that chooses models: it returns names or indices."""

    @overload
    def __call__(self, models: ByName[K], *args: P.args, **options: P.kwargs) -> list[K]: ...
    @overload
    def __call__(self, models: InOrder, *args: P.args, **options: P.kwargs) -> list[int]: ...


class ForEach(Protocol[P, T]):
    """A function that returns a value for each model, by name or in order."""

    @overload
    def __call__(self, models: ByName[K], *args: P.args, **options: P.kwargs) -> dict[K, T]: ...
    @overload
    def __call__(self, models: InOrder, *args: P.args, **options: P.kwargs) -> list[T]: ...


class Ranking(Protocol[P, Q, A]):
    """A function that ranks models: R and the options decide whether names or lists, with scores or without.

    P, Q and A are the arguments after R: where ranks are returned, where a pair (ranks, scores) is, and all there are.
    """

    __name__: str

    @overload
    def __call__(self, R: ByName[K], *args: P.args, **options: P.kwargs) -> dict[K, int]: ...
    @overload
    def __call__(self, R: ByName[K], *args: Q.args, **options: Q.kwargs) -> tuple[dict[K, int], dict[K, float]]: ...
    @overload
    def __call__(self, R: InOrder, *args: P.args, **options: P.kwargs) -> list[int]: ...
    @overload
    def __call__(self, R: InOrder, *args: Q.args, **options: Q.kwargs) -> tuple[list[int], list[float]]: ...
    @overload
    def __call__(self, R: Models, *args: A.args, **options: A.kwargs) -> Ranked: ...


class Arguments(Generic[S]):
    """The arguments after R of each ranking under which ranks are integers; S: the type of return_scores."""

    def of_models(self, **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_w(self, w: Reals | None = ..., **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_w_and_R0(
        self, w: Reals | None = ..., R0: Models | None = ..., **ties: Unpack[Options[WholeRanks, S]]
    ) -> None: ...
    def of_k(self, k: SupportsIndex, **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_k_and_tau(self, k: SupportsIndex, tau: float, **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_k_and_w(self, k: SupportsIndex, w: Reals | None = ..., **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_k_and_weights(self, k: SupportsIndex, weights: Reals, **ties: Unpack[Options[WholeRanks, S]]) -> None: ...
    def of_k_and_powers(
        self, k: SupportsIndex, pass_power: float = ..., unanimous_power: float = ...,
        **ties: Unpack[Options[WholeRanks, S]],
    ) -> None: ...  # fmt: skip
    def of_k_and_lam(
        self, k: SupportsIndex, lam: float = ..., weights: Reals | None = ..., lambda_: float | None = ...,
        **ties: Unpack[Options[WholeRanks, S]],
    ) -> None: ...  # fmt: skip
    def of_elo(
        self, K: float = ..., initial_rating: float = ..., tie_handling: EloTies = ..., *,
        method: WholeRanks = ..., return_scores: S = ...,
    ) -> None: ...  # fmt: skip


RANKS, SCORES = Arguments[No](), Arguments[Yes]()


def chooses(f: Callable[Concatenate[Models, P], list[Any]]) -> Chosen[P]:
    """The type of a function that returns names or indices of models."""
    return cast(Chosen[P], f)


def for_each(f: Callable[Concatenate[Models, P], dict[Any, T] | list[T]]) -> ForEach[P, T]:
    """The type of a function that returns a value for each model."""
    return cast(ForEach[P, T], f)


def ranks_models(
    ranks: Callable[P, None], scores: Callable[Q, None]
) -> Callable[[Callable[Concatenate[Models, A], Ranked]], Ranking[P, Q, A]]:
    """The type of a ranking, whose arguments after R are `ranks` where it returns ranks, and `scores` where a pair."""

    def typed(f: Callable[Concatenate[Models, A], Ranked]) -> Ranking[P, Q, A]:
        return cast(Ranking[P, Q, A], f)

    return typed
