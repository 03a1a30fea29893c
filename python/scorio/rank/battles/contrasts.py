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
from .fit import TINY, Cells, Fit, flushed
from .likelihood import zeros
from .table import Group, Row

CLUSTERS = ("question", "voter", "both")
LEAST = 0.5  # degrees of freedom below which a variance is not determined


class ContrastVariance(NamedTuple):
    """The variance V of a contrast, its effective number of units E, and the variance that the model implies."""

    V: Triple
    E: Triple
    V_model: Triple


def cluster_keys(cluster: str | None) -> list[Callable[[Row], Any] | None]:
    """A function that names the cluster of a battle, for each way of clustering; None: each battle is a unit."""
    ways: dict[str | None, list[Callable[[Row], Any] | None]] = {
        None: [None],
        "question": [lambda row: row.question],
        "voter": [lambda row: row.voter],
        "both": [lambda row: row.question, lambda row: row.voter, lambda row: (row.question, row.voter)],
    }
    return ways[cluster]


class Contrasts:
    """Differences of the models of a group; index L: the log position bias, L + 1: the log tie parameter."""

    def __init__(self, fit: Fit, units: Sequence[Units], which: Sequence[int] | None = None) -> None:
        self.fit, self.L, self.U, self.units = fit, fit.size, fit.information(which), units
        self.mean, self.nothing = self.L + 2, self.L + 3

    def variances(self, a: Sequence[int], b: Sequence[int]) -> list[ContrastVariance]:
        """The variance of every contrast a - b."""
        by_unit = [[_jackknife(x) for x in self._sums(unit, a, b, True)] for unit in self.units]
        return by_unit[0] if len(by_unit) == 1 else [_two_ways(*three) for three in zip(*by_unit, strict=True)]

    def _sums(self, unit: Units, a: Sequence[int], b: Sequence[int], left_out: bool) -> list[ContrastVariance]:
        """The sum of squares over units, their effective number and the model's variance, for every contrast a - b."""
        out = zeros(len(a), 3)
        unit.sums(self.fit, np.array(a, np.int64), np.array(b, np.int64), self.U, left_out, out)
        return [ContrastVariance(get(row, 1), div(ONE, get(row, 2)), get(row, 0)) for row in out]

    def score(self, a: int, b: int) -> Difference | None:
        """The score of the contrast a - b over its standard error: the t statistic of a test that it is 0."""
        by_unit = [self._sums(unit, [a], [b], False)[0] for unit in self.units]
        x = by_unit[0] if len(by_unit) == 1 else _two_ways(*by_unit)
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST:
            return None
        u = zeros(self.L + 4)
        likelihood.contrast(self.U, a, b, u)
        cells = self.fit.cells
        total = likelihood.slope(cells.first, cells.second, cells.measured(self.fit), u)
        t = flushed(div(total, root(x.V))) if value(x.V) > TINY**2 else ZERO  # where all battles are ties
        return Difference(t, ONE, smaller(freedom, MOST), "measured")

    def differences(self, a: Sequence[int], b: Sequence[int]) -> list[Difference | None]:
        """Every contrast a - b with its standard error; None where the battles do not determine its variance."""
        return [self._difference(i, j, x) for i, j, x in zip(a, b, self.variances(a, b), strict=True)]

    def _difference(self, i: int, j: int, x: ContrastVariance) -> Difference | None:
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST:
            return None
        return Difference(self.point(i, j), root(x.V), smaller(freedom, MOST), "measured")

    def point(self, i: int, j: int) -> Triple:
        """The estimate of the contrast i - j."""
        if j < self.L:
            return self.fit.above(i, j)
        if i < self.L:
            return self.fit.theta[i]
        return self.fit.advantage if i == self.L else log(self.fit.tie)


def _two_ways(q: ContrastVariance, v: ContrastVariance, both: ContrastVariance) -> ContrastVariance:
    """Variance for crossed clusters: V_question + V_voter - V_both, and at least the larger of the first two."""
    E = smaller(q.E, v.E)
    return ContrastVariance(larger(larger(sub(add(q.V, v.V), both.V), q.V), v.V), E, q.V_model)


def _jackknife(x: ContrastVariance) -> ContrastVariance:
    """The jackknife variance of a contrast from its sum of squares, never below V_model/E."""
    share = div(ONE, x.E)
    return x._replace(V=larger(mul(sub(ONE, share), x.V), mul(x.V_model, share)))


class Single:
    """Battles as sampling units; battles of a kind, which have the same curvature, are processed together."""

    def __init__(self, cells: Cells, many: Any, kind: Any) -> None:
        self.cells, self.many, self.kind = cells, many, kind

    def among(self, place: Any) -> Single:
        """The battles between models that have an index in place."""
        which = self.cells.inside(place)
        kinds = np.unique(self.kind[which], return_inverse=True)[1]
        return Single(self.cells.among(which, place), self.many[which], kinds)

    def sums(self, fit: Fit, a: Any, b: Any, U: Any, left_out: bool, out: Any) -> None:
        """Write the sums of likelihood.variances_by_battle() for every contrast a - b into out."""
        representatives = np.unique(self.kind, return_index=True)[1]
        squares, curvatures, many = (
            zeros(3, representatives.size),
            zeros(3, representatives.size),
            zeros(representatives.size),
        )
        likelihood.gather(self.cells.measured(fit), self.many, self.kind, squares, curvatures, many)
        first, second = self.cells.first[representatives], self.cells.second[representatives]
        likelihood.variances_by_battle(first, second, many, squares, curvatures, a, b, U, left_out, out)


def single(group: Group, model: int) -> Single:
    """The battles of a group, each a sampling unit."""
    rows = sorted((r.i, r.j, r.weight, r.outcome, many) for r, many in _by_kind(group).items())
    cells = Cells.exact([r[:2] for r in rows], [_weights_by_outcome(Fraction(r[2]), r[3]) for r in rows])
    many = zeros(len(rows))
    for k, r in enumerate(rows):
        put(many, k, ext(float(r[4])))
    alike = [r[: 4 if model == 2 else 3] for r in rows]
    kinds = {key: k for k, key in enumerate(dict.fromkeys(alike))}
    return Single(cells, many, np.array([kinds[key] for key in alike], np.int64))


class Clustered:
    """Clusters of battles as sampling units."""

    def __init__(self, cells: Cells, unit: Any) -> None:
        self.cells, self.unit = cells, unit  # unit: the cluster of each cell, increasing

    def among(self, place: Any) -> Clustered:
        """The battles between models that have an index in place."""
        which = self.cells.inside(place)
        return Clustered(self.cells.among(which, place), self.unit[which])

    def sums(self, fit: Fit, a: Any, b: Any, U: Any, left_out: bool, out: Any) -> None:
        """Write the sums of likelihood.variances_by_cluster() for every contrast a - b into out."""
        ends = np.flatnonzero(np.diff(self.unit, append=-1)) + 1
        measures = self.cells.measured(fit)
        likelihood.variances_by_cluster(self.cells.first, self.cells.second, measures, ends, a, b, U, left_out, out)


def clustered(group: Group, key: Callable[[Row], Any]) -> Clustered:
    """The battles of a group, in the clusters that key names."""
    sums: dict[Any, dict[tuple[int, int], list[Fraction]]] = {}
    for row, many in group.rows.items():
        cell = sums.setdefault(key(row), {}).setdefault((row.i, row.j), [Fraction(0)] * 3)
        cell[row.outcome] += many * Fraction(row.weight)
    pairs = [pair for cells in sums.values() for pair in cells]
    cells = Cells.exact(pairs, [n for cells in sums.values() for n in cells.values()])
    return Clustered(cells, np.repeat(np.arange(len(sums)), [len(cells) for cells in sums.values()]))


Units = Single | Clustered


def units(group: Group, cluster: str | None, model: int) -> list[Units]:
    """The sampling units of a group, for each way of clustering."""
    return [single(group, model) if key is None else clustered(group, key) for key in cluster_keys(cluster)]


def _by_kind(group: Group) -> dict[Row, int]:
    """Battles by kind, without their question and voter."""
    out: dict[Row, int] = {}
    for row, many in group.rows.items():
        plain = row._replace(question=None, voter=None)
        out[plain] = out.get(plain, 0) + many
    return out


def _weights_by_outcome(weight: Fraction, outcome: int) -> list[Fraction]:
    """The weights of one battle by outcome."""
    return [weight if o == outcome else Fraction(0) for o in range(3)]
