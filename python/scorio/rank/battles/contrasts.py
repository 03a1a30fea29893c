"""Differences of strengths with their standard errors and degrees of freedom, by a jackknife over independent units.

The formulas: spec/families/battles.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, get, log, mul, put, root, sub, value
from ...inference.degrees_of_freedom import MOST, smaller
from ...inference.difference import Difference
from ...inference.variance import larger
from . import likelihood
from .fit import NOTHING, Cells, Fit, nothing_or
from .likelihood import zeros
from .table import Group, Row

CLUSTERS = ("question", "voter", "both")
LEAST = 0.5  # degrees of freedom; fewer say nothing


class Spread(NamedTuple):
    """Of a contrast: the variance, the effective number of units, the variance if the model is right."""

    V: Triple
    E: Triple
    V_model: Triple


def keys(cluster: str | None) -> list[Callable[[Row], Any] | None]:
    """What battles belong to, for each way of clustering that is needed; None: each battle is by itself."""
    ways: dict[str | None, list[Callable[[Row], Any] | None]] = {
        None: [None],
        "question": [lambda row: row.question],
        "voter": [lambda row: row.voter],
        "both": [lambda row: row.question, lambda row: row.voter, lambda row: (row.question, row.voter)],
    }
    return ways[cluster]


class Contrasts:
    """Differences of the models of a group; L: the advantage of the first place, L + 1: the log tie parameter."""

    def __init__(self, fit: Fit, units: Sequence[Units], which: Sequence[int] | None = None) -> None:
        self.fit, self.L, self.U, self.units = fit, fit.size, fit.information(which), units
        self.mean, self.nothing = self.L + 2, self.L + 3

    def spreads(self, a: Sequence[int], b: Sequence[int]) -> list[Spread]:
        """Of every contrast a less b."""
        found = [[_jackknife(x) for x in self._sums(unit, a, b, True)] for unit in self.units]
        return found[0] if len(found) == 1 else [_two_ways(*three) for three in zip(*found, strict=True)]

    def _sums(self, unit: Units, a: Sequence[int], b: Sequence[int], left_out: bool) -> list[Spread]:
        """Of every contrast the sum of squares of the units, their effective number, the variance of the model."""
        out = zeros(len(a), 3)
        unit.sums(self.fit, np.array(a, np.int64), np.array(b, np.int64), self.U, left_out, out)
        return [Spread(get(row, 1), div(ONE, get(row, 2)), get(row, 0)) for row in out]

    def score(self, a: int, b: int) -> Difference | None:
        """The score of a less b, over its standard error: the t of a test that it is 0 at these strengths."""
        found = [self._sums(unit, [a], [b], False)[0] for unit in self.units]
        x = found[0] if len(found) == 1 else _two_ways(*found)
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST:
            return None
        u = zeros(self.L + 4)
        likelihood.contrast(self.U, a, b, u)
        cells = self.fit.cells
        total = likelihood.slope(cells.first, cells.second, cells.measured(self.fit), u)
        t = nothing_or(div(total, root(x.V))) if value(x.V) > NOTHING**2 else ZERO  # where all battles are ties
        return Difference(t, ONE, smaller(freedom, MOST), "measured")

    def differences(self, a: Sequence[int], b: Sequence[int]) -> list[Difference | None]:
        """Of every contrast a less b; None where the battles do not tell its variance."""
        return [self._difference(i, j, x) for i, j, x in zip(a, b, self.spreads(a, b), strict=True)]

    def _difference(self, i: int, j: int, x: Spread) -> Difference | None:
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST:
            return None
        return Difference(self.point(i, j), root(x.V), smaller(freedom, MOST), "measured")

    def point(self, i: int, j: int) -> Triple:
        """The contrast itself."""
        if j < self.L:
            return self.fit.above(i, j)
        if i < self.L:
            return self.fit.theta[i]
        return self.fit.advantage if i == self.L else log(self.fit.tie)


def _two_ways(q: Spread, v: Spread, both: Spread) -> Spread:
    """Units that are crossed: each pair of battles that share a question or a voter."""
    E = smaller(q.E, v.E)
    return Spread(larger(larger(sub(add(q.V, v.V), both.V), q.V), v.V), E, q.V_model)


def _jackknife(x: Spread) -> Spread:
    """The variance of a contrast from the sum of jackknife squares, never below V_m/E."""
    few = div(ONE, x.E)
    return x._replace(V=larger(mul(sub(ONE, few), x.V), mul(x.V_model, few)))


class Single:
    """Every battle is by itself; those of a kind, which bend the likelihood alike, are taken together."""

    def __init__(self, cells: Cells, many: Any, kind: Any) -> None:
        self.cells, self.many, self.kind = cells, many, kind

    def among(self, place: Any) -> Single:
        """Those between models that have a place."""
        which = self.cells.inside(place)
        kinds = np.unique(self.kind[which], return_inverse=True)[1]
        return Single(self.cells.among(which, place), self.many[which], kinds)

    def sums(self, fit: Fit, a: Any, b: Any, U: Any, left_out: bool, out: Any) -> None:
        """Into out what likelihood.of_rows() says of every contrast a less b."""
        one = np.unique(self.kind, return_index=True)[1]
        squares, bends, many = zeros(3, one.size), zeros(3, one.size), zeros(one.size)
        likelihood.gather(self.cells.measured(fit), self.many, self.kind, squares, bends, many)
        first, second = self.cells.first[one], self.cells.second[one]
        likelihood.of_rows(first, second, many, squares, bends, a, b, U, left_out, out)


def single(group: Group, model: int) -> Single:
    """The battles of a group one by one."""
    rows = sorted((r.i, r.j, r.weight, r.outcome, many) for r, many in _alike(group).items())
    cells = Cells.exact([r[:2] for r in rows], [_one(Fraction(r[2]), r[3]) for r in rows])
    many = zeros(len(rows))
    for k, r in enumerate(rows):
        put(many, k, ext(float(r[4])))
    alike = [r[: 4 if model == 2 else 3] for r in rows]
    kinds = {key: k for k, key in enumerate(dict.fromkeys(alike))}
    return Single(cells, many, np.array([kinds[key] for key in alike], np.int64))


class Clustered:
    """Battles that belong together are one unit."""

    def __init__(self, cells: Cells, unit: Any) -> None:
        self.cells, self.unit = cells, unit  # increasing

    def among(self, place: Any) -> Clustered:
        """Those between models that have a place."""
        which = self.cells.inside(place)
        return Clustered(self.cells.among(which, place), self.unit[which])

    def sums(self, fit: Fit, a: Any, b: Any, U: Any, left_out: bool, out: Any) -> None:
        """Into out what likelihood.of_clusters() says of every contrast a less b."""
        ends = np.flatnonzero(np.diff(self.unit, append=-1)) + 1
        found = self.cells.measured(fit)
        likelihood.of_clusters(self.cells.first, self.cells.second, found, ends, a, b, U, left_out, out)


def clustered(group: Group, key: Callable[[Row], Any]) -> Clustered:
    """The battles of a group by what they belong to."""
    sums: dict[Any, dict[tuple[int, int], list[Fraction]]] = {}
    for row, many in group.rows.items():
        cell = sums.setdefault(key(row), {}).setdefault((row.i, row.j), [Fraction(0)] * 3)
        cell[row.outcome] += many * Fraction(row.weight)
    pairs = [pair for cells in sums.values() for pair in cells]
    cells = Cells.exact(pairs, [n for cells in sums.values() for n in cells.values()])
    return Clustered(cells, np.repeat(np.arange(len(sums)), [len(cells) for cells in sums.values()]))


Units = Single | Clustered


def units(group: Group, cluster: str | None, model: int) -> list[Units]:
    """What was sampled, each way that is needed."""
    return [single(group, model) if key is None else clustered(group, key) for key in keys(cluster)]


def _alike(group: Group) -> dict[Row, int]:
    """Rows without what they belong to."""
    out: dict[Row, int] = {}
    for row, many in group.rows.items():
        plain = row._replace(question=None, voter=None)
        out[plain] = out.get(plain, 0) + many
    return out


def _one(weight: Fraction, outcome: int) -> list[Fraction]:
    """The counts of one battle."""
    return [weight if o == outcome else Fraction(0) for o in range(3)]
