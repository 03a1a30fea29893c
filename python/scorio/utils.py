"""Agreement of rankings, and integers that encode rankings."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import comb, factorial
from threading import Lock
from typing import NamedTuple

from . import arguments
from .arguments import Reals
from .arithmetic.double_double import Ratio, Triple, add, div, from_ratio, mul, root, times_2_to, total, value
from .errors import InvalidInput, shown
from .outcomes.models import in_order

__all__ = ["RankComparison", "compare_rankings", "lehmer_hash", "lehmer_unhash", "ranking_hash", "unhash_ranking"]

LARGEST_L = 1000  # most models of a ranking, except in compare_rankings and lehmer_hash


class RankComparison(NamedTuple):
    """Agreement of two rankings: correlations, the share of ranks that differ, and the largest difference."""

    tau_a: float
    tau_b: float
    spearman: float
    weighted_tau: float
    mismatched: float
    max_displacement: float


def compare_rankings(a: Reals, b: Reals) -> RankComparison:
    """Measure the agreement of two rankings of the same models.

    Parameters
    ----------
    a, b : array_like, shape (L,), L >= 2, or mappings of model to rank
        Ranks, low is best, both in the same convention; any finite numbers.

    Returns
    -------
    RankComparison
        Kendall's tau-a and tau-b, Spearman's correlation and the weighted tau in [-1, 1]; the share of models whose
        ranks differ; the largest difference of ranks. Where a ranking ties all models, tau_b, spearman and
        weighted_tau are NaN.

    Raises
    ------
    InvalidInput
        The ranks are invalid.

    Notes
    -----
    Appendix F.1 of arXiv:2510.04265; Vigna 2015 for the weighted tau, in which swaps at the top have the largest
    weights. Equal to ``scipy.stats.kendalltau``, ``spearmanr`` and ``weightedtau(-a, -b)``. tau_a shrinks with ties;
    prefer tau_b.

    Examples
    --------
    >>> from scorio import utils
    >>> r = utils.compare_rankings([1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(r.tau_b, 4), round(r.weighted_tau, 4), r.mismatched, r.max_displacement
    (0.6667, 0.7333, 0.5, 1.0)
    """
    if isinstance(b, Mapping) and not isinstance(a, Mapping):
        raise InvalidInput("type", "a", "b is a mapping of model to rank, so a must be one")
    if isinstance(a, Mapping):
        a, b = list(a.values()), in_order(b, list(a), "b")
    x, y = arguments.at_least_two(a, "a"), arguments.vector(b, "b")
    if len(y) != len(x):
        raise InvalidInput("length", "b", f"b has {len(y)} entries, a has {len(x)}")
    displacement = max(abs(p - q) for p, q in zip(x, y, strict=True)) + 0.0
    if displacement > arguments.LARGEST_DOUBLE:
        raise InvalidInput("overflow", "a", "a and b differ by more than the largest double")
    L = len(x)
    pairs = list(combinations(range(L), 2))
    concordance = sum(_sign(x[i] - x[j]) * _sign(y[i] - y[j]) for i, j in pairs)
    untied_x, untied_y = (sum(v[i] != v[j] for i, j in pairs) for v in (x, y))
    by_x, by_y = _weighted_tau(x, y), _weighted_tau(y, x)
    weighted = float("nan") if by_x is None or by_y is None else value(times_2_to(add(by_x, by_y), -1.0)) + 0.0
    u, v = _centred(x), _centred(y)
    return RankComparison(
        concordance / len(pairs),
        _over_root(concordance, untied_x * untied_y),
        _over_root(sum(p * q for p, q in zip(u, v, strict=True)), sum(p * p for p in u) * sum(q * q for q in v)),
        weighted,
        sum(p != q for p, q in zip(x, y, strict=True)) / L,
        displacement,
    )


def _sign(d: float) -> int:
    """The sign of a difference: 1, 0 or -1."""
    return (d > 0.0) - (d < 0.0)


def _over_root(num: int, square: int) -> float:
    """The quotient num / sqrt(square); NaN where the square is 0."""
    if square == 0:
        return float("nan")
    x: float = value(div(from_ratio(num, 1), root(from_ratio(square, 1)))) + 0.0
    return x


def _centred(x: Sequence[float]) -> list[int]:
    """Twice the average rank of each entry, minus twice the mean rank."""
    return [sum(y < v for y in x) - sum(y > v for y in x) for v in x]


def _weighted_tau(x: Sequence[float], y: Sequence[float]) -> Triple | None:
    """The weighted tau with weights 1/(r+1), r the index in the order of x, then y; None if x or y ties all models."""
    L = len(x)
    position = {i: r for r, i in enumerate(sorted(range(L), key=lambda i: (x[i], y[i])))}
    concordance, untied_x, untied_y = (_weighted_sum(position, p, q) for p, q in ((x, y), (x, x), (y, y)))
    if untied_x[0] == 0 or untied_y[0] == 0:
        return None
    weighted_tau: Triple = div(from_ratio(*concordance), root(mul(from_ratio(*untied_x), from_ratio(*untied_y))))
    return weighted_tau


def _weighted_sum(position: dict[int, int], x: Sequence[float], y: Sequence[float]) -> Ratio:
    """The sum over pairs of sign(x_i - x_j) sign(y_i - y_j) (w_i + w_j), as a sum of integers times w_i.

    w_i is 1 / (position[i] + 1).
    """
    items = range(len(x))
    sums = (sum(_sign(x[i] - x[j]) * _sign(y[i] - y[j]) for j in items) for i in items)
    return total([(s, position[i] + 1) for i, s in enumerate(sums)])


# --- rankings as numbers ----------------------------------------------------------------------------


def lehmer_hash(ranking: Reals) -> int:
    """The index of a permutation of 1..L in lexicographic order, from 0 to L! - 1.

    Parameters
    ----------
    ranking : sequence of int, shape (L,); ranks 1..L, each once

    Returns
    -------
    int
        An integer of any size.

    Raises
    ------
    InvalidInput
        The ranking is invalid; permutation: it has ties (see :func:`ranking_hash`) or gaps.

    Notes
    -----
    Lehmer 1960: sum over i of (number of later entries that are smaller) (L - i)!.

    Examples
    --------
    >>> from scorio import utils
    >>> utils.lehmer_hash([1, 2, 3]), utils.lehmer_hash([3, 2, 1])
    (0, 5)
    """
    ranks = arguments.integers(ranking, "ranking")
    L = len(ranks)
    if sorted(ranks) != list(range(1, L + 1)):
        raise InvalidInput("permutation", "ranking", f"ranking = {shown(ranks)} is not 1..{L}, each once")
    position, later = 0, [0] * L
    seen: list[int] = []
    for i in range(L - 1, -1, -1):
        later[i] = bisect(seen, ranks[i])
        seen.insert(later[i], ranks[i])
    for i, smaller in enumerate(later):
        position = position * (L - i) + smaller
    return position


def lehmer_unhash(hash: int, L: int) -> list[int]:
    """The permutation of 1..L at an index in lexicographic order: the inverse of :func:`lehmer_hash`.

    Parameters
    ----------
    hash : int, 0 <= hash < L!; the index
    L : int, 1 <= L <= 1000; number of models

    Returns
    -------
    list of int

    Raises
    ------
    InvalidInput
        An argument is invalid: type or range.

    Examples
    --------
    >>> from scorio import utils
    >>> utils.lehmer_unhash(4, 3)
    [3, 1, 2]
    """
    L = arguments.integer(L, "L", 1, LARGEST_L)
    remainder = arguments.integer(hash, "hash", 0, factorial(L) - 1)
    unused = list(range(1, L + 1))
    out = []
    for i in range(L - 1, -1, -1):
        position, remainder = divmod(remainder, factorial(i))
        out.append(unused.pop(position))
    return out


def ranking_hash(ranking: Reals) -> int:
    """A unique number for every ranking with ties: from 0 to the number of weak orders of L models minus 1.

    Parameters
    ----------
    ranking : array_like, shape (L,), L <= 1000; ranks, low is best, in any convention: only their order and ties matter

    Returns
    -------
    int
        An integer of any size.

    Raises
    ------
    InvalidInput
        The ranks are invalid; length: more than 1000 models.

    Notes
    -----
    Rankings are ordered by the size s of the top group, then by its models, then by the ranking of the others; the
    Fubini numbers count weak orders. See spec/families/rankings.md.

    Examples
    --------
    >>> from scorio import utils
    >>> utils.ranking_hash([1, 2, 2]), utils.unhash_ranking(2, 3), utils.ranking_hash([1, 1, 1])
    (2, [1, 2, 2], 12)
    """
    ranks = arguments.vector(ranking, "ranking")
    if len(ranks) > LARGEST_L:
        raise InvalidInput("length", "ranking", f"ranking has {len(ranks)} models, more than {LARGEST_L}")
    items, number = list(range(len(ranks))), 0
    while items:
        n, best = len(items), min(ranks[i] for i in items)
        group = [position for position, i in enumerate(items) if ranks[i] == best]
        s = len(group)
        number += sum(comb(n, t) * fubini(n - t) for t in range(1, s)) + _subset_index(group, n) * fubini(n - s)
        items = [i for i in items if ranks[i] != best]
    return number


def unhash_ranking(hash: int, L: int) -> list[int]:
    """The ranking with ties that has this number, as dense ranks: the inverse of :func:`ranking_hash`.

    Parameters
    ----------
    hash : int; the number, from 0 to one below the number of weak orders of L models
    L : int, 1 <= L <= 1000; number of models

    Returns
    -------
    list of int

    Raises
    ------
    InvalidInput
        An argument is invalid: type or range.

    Examples
    --------
    >>> from scorio import utils
    >>> [utils.unhash_ranking(h, 2) for h in range(3)]
    [[1, 2], [2, 1], [1, 1]]
    """
    L = arguments.integer(L, "L", 1, LARGEST_L)
    remainder = arguments.integer(hash, "hash", 0, fubini(L) - 1)
    ranks, items, rank = [0] * L, list(range(L)), 0
    while items:
        n, s, rank = len(items), 1, rank + 1
        while remainder >= (size := comb(n, s) * fubini(n - s)):
            remainder, s = remainder - size, s + 1
        index, remainder = divmod(remainder, fubini(n - s))
        out: list[int] = []
        for x in range(n):
            with_x = comb(n - 1 - x, s - 1 - len(out)) if len(out) < s else 0
            if index < with_x:
                out.append(x)
            else:
                index -= with_x
        group = out
        for position in group:
            ranks[items[position]] = rank
        items = [i for position, i in enumerate(items) if position not in group]
    return ranks


FUBINI = [1]  # the numbers of weak orders of 0, 1, 2, ... items, computed so far
FUBINI_LOCK = Lock()


def fubini(n: int) -> int:
    """The number of weak orders of n items, by a sum over sizes of the top group; cached."""
    with FUBINI_LOCK:
        for m in range(len(FUBINI), n + 1):
            ways, orders = 1, 0
            for s in range(1, m + 1):
                ways = ways * (m - s + 1) // s
                orders += ways * FUBINI[m - s]
            FUBINI.append(orders)
    return FUBINI[n]


def _subset_index(group: Sequence[int], n: int) -> int:
    """The index of an increasing tuple among all s-subsets of 0..n-1, in lexicographic order."""
    s = len(group)
    skipped = ((j, x) for j, (a, b) in enumerate(pairwise([-1, *group])) for x in range(a + 1, b))
    return sum(comb(n - 1 - x, s - 1 - j) for j, x in skipped)
