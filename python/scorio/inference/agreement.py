"""Agreement of the ratings of the same items: chance-corrected coefficients, and the interval of Krippendorff's alpha.

The formulas: spec/families/agreement.md. Computed in exact integers; only the ends of the interval are irrational.
A row has the ratings of one item, as counts of the categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import NamedTuple, TypeAlias

from ..arithmetic.distributions import error_rate, t_quantile
from ..arithmetic.double_double import ZERO, Triple, add, div, from_fraction, mul, root, sub
from .degrees_of_freedom import smaller
from .variance import larger

Row: TypeAlias = Mapping[int, int]  # how often each category was chosen for one item


class Scale(NamedTuple):
    """Squared distances between categories: those of their scores W; without scores 1 between different categories."""

    W: Sequence[int] | None

    def distance(self, c: int, e: int) -> int:
        """The squared distance of two categories."""
        return int(c != e) if self.W is None else (self.W[c] - self.W[e]) ** 2

    def disagreement(self, row: Row) -> int:
        """The sum of the squared distances over all ordered pairs of ratings of a row."""
        m = sum(row.values())
        if self.W is None:
            return m * m - sum(k * k for k in row.values())
        return 2 * (m * sum(k * self.W[c] ** 2 for c, k in row.items()) - self.sum(row) ** 2)

    def sum(self, row: Row) -> int:
        """The sum of the scores of a row."""
        return sum(k * self.W[c] for c, k in row.items()) if self.W is not None else 0

    def extremes(self, N: Row) -> tuple[list[int], int]:
        """Categories of the added items: the rarest, and the most frequent one.

        With scores: the end of the scale that is farther from the mean score (both if tied), and the other end.
        """
        if self.W is None:
            common = max(sorted(N), key=N.__getitem__)
            return [min((c for c in sorted(N) if c != common), key=N.__getitem__)], common
        low, high = self.W.index(min(self.W)), self.W.index(max(self.W))
        skew = 2 * self.sum(N) - (self.W[low] + self.W[high]) * sum(N.values())
        return ([low], high) if skew > 0 else ([high], low) if skew < 0 else ([high, low], low)


class RatingTable(NamedTuple):
    """The distinct rows of ratings, how many items have each, and their disagreement."""

    rows: Sequence[Row]
    items: Sequence[int]
    a: Sequence[int]  # the disagreement of each row, divided by its number of ratings minus 1, in units of 1/unit
    unit: int
    N: Row  # how often each category was chosen in total
    scale: Scale


def rating_table(rows: Mapping[tuple[int, ...], int], scale: Scale) -> RatingTable:
    """Build a RatingTable from distinct rows of counts and how many items have each; at least two ratings a row."""
    category_counts = [{c: k for c, k in enumerate(row) if k} for row in rows]
    unit = lcm(*{sum(row.values()) - 1 for row in category_counts})
    a = [scale.disagreement(row) * (unit // (sum(row.values()) - 1)) for row in category_counts]
    items = list(rows.values())
    return RatingTable(category_counts, items, a, unit, totals(zip(category_counts, items, strict=True)), scale)


def totals(rows: Iterable[tuple[Row, int]]) -> Counter[int]:
    """Counts of the choices of each category, over all items."""
    out = Counter[int]()
    for row, items in rows:
        for c, k in row.items():
            out[c] += k * items
    return out


def alpha(table: RatingTable) -> Fraction | None:
    """Krippendorff's alpha; None if no two ratings disagree."""
    expected = table.scale.disagreement(table.N)
    observed = sum(a * k for a, k in zip(table.a, table.items, strict=True))
    return 1 - Fraction((sum(table.N.values()) - 1) * observed, table.unit * expected) if expected else None


def moments(table: RatingTable, extra: Row, s: int) -> list[Fraction]:
    """Sums of a, b, a², a b and b² over the items and an added item with extra/s ratings.

    a and b are the A and B of the specification: the disagreement of an item, and its share in the expected one.
    """
    N = Counter({c: s * k for c, k in table.N.items()}) + Counter(extra)
    n, expected = sum(N.values()), table.scale.disagreement(N)
    distance_to_all = {c: sum(k * table.scale.distance(c, e) for e, k in N.items()) for c in N}

    def b_of(row: Row) -> int:
        return sum(k * (2 * n * distance_to_all[c] - expected) for c, k in row.items())

    sums = [0] * 5
    for row, items, a in zip(table.rows, table.items, table.a, strict=True):
        b = b_of(row)
        sums = [y + items * z for y, z in zip(sums, (a, b, a * a, a * b, b * b), strict=True)]
    added_a = Fraction(table.scale.disagreement(extra), s * (sum(extra.values()) - s))
    added_b = Fraction(b_of(extra), s * n * n)
    added = added_a, added_b, added_a * added_a, added_a * added_b, added_b * added_b
    units = table.unit, n * n, table.unit**2, table.unit * n * n, n**4
    return [Fraction(y, unit) + z for y, unit, z in zip(sums, units, added, strict=True)]


def interval(table: RatingTable, confidence: float) -> tuple[Triple, Triple]:
    """Confidence limits of psi = 1 - alpha, by t tests of the mean of a - psi b: the widest over all added items."""
    sizes = [(sum(row.values()), k) for row, k in zip(table.rows, table.items, strict=True)]
    M, n, squares = (sum(k * m**p for m, k in sizes) for p in (0, 1, 2))
    t = t_quantile(error_rate(confidence, 2), from_fraction(Fraction(n * n, squares)))
    t_squared = mul(t, t)
    factor = div(mul(from_fraction(M + 1), t_squared), add(from_fraction(M), t_squared))
    rare, other = table.scale.extremes(table.N)
    min_ratings = min(m for m, _ in sizes)
    largest = from_fraction(Fraction(min_ratings, min_ratings - 1))
    # an added item has squares / n ratings; here they are counted in units of 1 / (2 n)
    added = [*({c: 2 * squares} for c in rare), {rare[0]: squares, other: squares}]
    low, high = zip(*(roots(moments(table, extra, 2 * n), factor, largest) for extra in added), strict=True)
    return reduce(smaller, low), reduce(larger, high)


def roots(sums: Sequence[Fraction], factor: Triple, largest: Triple) -> tuple[Triple, Triple]:
    """The range, within 0..largest, of the psi with (a - psi b)² <= factor (aa - 2 psi ab + psi² bb)."""
    a, b, aa, ab, bb = sums
    X, Y, Z = (sub(from_fraction(x), mul(factor, from_fraction(y))) for x, y in ((b * b, bb), (a * b, ab), (a * a, aa)))
    P, R = a * a * bb + b * b * aa - 2 * a * b * ab, aa * bb - ab * ab
    D = mul(factor, sub(from_fraction(P), mul(factor, from_fraction(R))))  # Y² - X Z
    W = root(D) if D[0] > 0.0 else ZERO
    low = div(Z, add(Y, W)) if Z[0] > 0.0 else ZERO
    if X[0] <= 0.0:
        return smaller(low, largest), largest
    high = div(add(Y, W), X) if Y[0] >= 0.0 else div(Z, sub(Y, W))
    return smaller(low, largest), smaller(high, largest)


def unweighted(table: RatingTable) -> tuple[Fraction, Fraction | None, Fraction | None]:
    """Percent agreement, Fleiss' kappa and Gwet's AC1 (these two None for one category); items have equal weights."""
    sizes = [sum(row.values()) for row in table.rows]
    M, unit = sum(table.items), lcm(*(m * (m - 1) for m in {*sizes}))
    agree, shares = 0, Counter[int]()  # in units of 1/unit: summed agreement of items, shares of each category
    for row, items, m in zip(table.rows, table.items, sizes, strict=True):
        agree += items * sum(k * (k - 1) for k in row.values()) * (unit // (m * (m - 1)))
        for c, k in row.items():
            shares[c] += items * k * (unit // m)
    percent = Fraction(agree, unit * M)
    if len(shares) == 1:
        return percent, None, None
    chance = Fraction(sum(p * p for p in shares.values()), (unit * M) ** 2)
    gwet = (1 - chance) / (len(shares) - 1)
    return percent, (percent - chance) / (1 - chance), (percent - gwet) / (1 - gwet)
