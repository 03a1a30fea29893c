"""Ranks from scores: four conventions, and ties of neighbours that do not differ significantly (arXiv:2510.04265).

Also the types by which a type checker knows what a ranking returns: names or a list, with the scores or without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    Any,
    Concatenate,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
    overload,
)

import numpy.typing as npt

from .. import arguments
from ..arguments import Missing, Reals
from ..inference.significance import gap_of, separated
from ..outcomes.tally import Models, Outcomes
from ..results import Convention, EloTies, ScoreTies, WholeRanks

# --- what a ranking returns, for type checkers: names or a list, with the scores or without ---------

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


# --- ranks ------------------------------------------------------------------------------------------

CONVENTIONS = get_args(Convention)
TOL = 1e-12  # default: absorbs the rounding of equal scores


class Ranks(NamedTuple):
    """Ranks of models in four conventions, each in the order of the scores."""

    competition: list[int]
    competition_max: list[int]
    dense: list[int]
    average: list[float]


def ranks_in_order(order: Sequence[int], tied: Callable[[int, int, int], bool]) -> Ranks:
    """Ranks of the models in `order`, which lists them from the best to the worst.

    tied(best, before, i) says whether model i joins the tie above it, which begins with `best` and ends with `before`.
    """
    groups: list[list[int]] = []
    for position, i in enumerate(order):
        if position and tied(groups[-1][0], order[position - 1], i):
            groups[-1].append(i)
        else:
            groups.append([i])
    L = len(order)
    ranks = Ranks([0] * L, [0] * L, [0] * L, [0.0] * L)
    above = 0
    for number, group in enumerate(groups, 1):
        first, last = above + 1, above + len(group)
        for i in group:
            ranks.competition[i], ranks.competition_max[i] = first, last
            ranks.dense[i], ranks.average[i] = number, (first + last) / 2
        above = last
    return ranks


def by_score(scores: Sequence[float], tol: float) -> Ranks:
    """Ranks of scores, where a score joins a tie if it is at most tol below the best of that tie."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return ranks_in_order(order, lambda best, before, i: scores[best] - scores[i] <= tol)


def rank_scores(
    scores: Reals,
    tol: float = TOL,
    sigmas: Reals | None = None,
    confidence: float = 0.95,
    ties: ScoreTies = "zscore_adjacent",
) -> Ranks:
    """Ranks of scores in four conventions, higher is better; with sigmas, ties where differences are not significant.

    Parameters
    ----------
    scores : array_like, shape (L,)
        One finite score for each model.
    tol : float >= 0
        Without sigmas, a score belongs to the tie above it if it is at most this far below the best score of that tie.
        With sigmas, neighbours with a difference of at most this always tie.
    sigmas : array_like, shape (L,), optional
        Standard deviations, in the unit of the scores.
    confidence : float in (1/2, 1)
        Level of the threshold or of the intervals; used only with sigmas.
    ties : {"zscore_adjacent", "ci_overlap_adjacent"}
        With sigmas, in falling order of score (then rising sigma, then index): neighbours tie where |z| is below the
        one-sided threshold ("zscore_adjacent"; 1.645 at 95%), or where their intervals overlap or touch
        ("ci_overlap_adjacent").

    Returns
    -------
    Ranks
        (competition, competition_max, dense, average), for example 1,2,2,4; 1,3,3,4; 1,2,2,3; 1,2.5,2.5,4.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Section 2.9 of arXiv:2510.04265. Ties of neighbours are joined: where many models are close, one tie can contain
    models that differ significantly. :func:`ranges` does not have this problem.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.rank_scores([0.9, 0.7, 0.7, 0.5]).competition_max
    [1, 3, 3, 4]
    >>> rank.rank_scores([0.9, 0.8, 0.5], sigmas=[0.05, 0.05, 0.05]).dense
    [1, 1, 2]
    """
    values = arguments.vector(scores, "scores")
    tol = arguments.within(tol, "tol", 0.0, arguments.LARGEST_DOUBLE)
    arguments.choice(ties, "ties", get_args(ScoreTies))
    confidence = arguments.confidence(confidence, 0.0 if sigmas is None else 0.5)
    if sigmas is None:
        return by_score(values, tol)
    sd, gap = arguments.standard_deviations(sigmas, "sigmas", len(values)), gap_of(ties, confidence)
    order = sorted(range(len(values)), key=lambda i: (-values[i], sd[i]))

    def tied(best: int, a: int, b: int) -> bool:
        return values[a] - values[b] <= tol or not separated(ties, gap(values[a], sd[a], values[b], sd[b]))

    return ranks_in_order(order, tied)


def competition_ranks_from_scores(scores_in_id_order: Reals, *, tol: float = TOL) -> list[int]:
    """Competition ranks 1, 2, 2, 4: higher is better, ties share the best of their ranks.

    Parameters
    ----------
    scores_in_id_order : array_like, shape (L,)
        One finite score for each model.
    tol : float >= 0
        A score belongs to the tie above it if it is at most this far below the best score of that tie, computed in
        doubles.

    Returns
    -------
    list of int
        The rank of each model, in the order of the scores.

    Raises
    ------
    InvalidInput
        scores_in_id_order or tol is invalid.

    Notes
    -----
    Ranks of estimates ignore their uncertainty: see :func:`ranges`.

    Examples
    --------
    >>> from scorio import rank
    >>> rank.competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    [1, 2, 2, 4, 5]
    """
    scores = arguments.vector(scores_in_id_order, "scores_in_id_order")
    tol = arguments.within(tol, "tol", 0.0, arguments.LARGEST_DOUBLE)
    return by_score(scores, tol).competition
