"""Differences of strengths with their standard errors and degrees of freedom, and score tests of equal strength.

By a jackknife over independent units; score tests take models without a joint rating, too: spec/families/battles.md.
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
from .fit import NEGLIGIBLE, Cells, Fit, flush_tiny
from .likelihood import zeros
from .table import Battles, Group, Row, components, links, reachable

CLUSTERS = ("question", "voter", "both")
LEAST_FREEDOM = 0.5  # fewest degrees of freedom with which a variance counts as estimated; a single unit has 0


class ContrastVariance(NamedTuple):
    """The variance V of a contrast, its effective number of units E, and its variance under the fitted model."""

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
    """Differences of the log strengths of L models.

    Index L is the log position bias, L + 1 the log tie parameter, L + 2 the mean of the models, L + 3 the number 0.
    units: the sampling units, for each way of clustering. which: the models whose contrasts are needed; by default all,
    and only then also contrasts with the mean.
    """

    def __init__(self, fit: Fit, units: Sequence[Units], which: Sequence[int] | None = None) -> None:
        self.fit, self.L, self.U, self.units = fit, fit.size, fit.inverse_curvature(which), units
        self.mean_index, self.zero_index = self.L + 2, self.L + 3

    def variances(self, a: Sequence[int], b: Sequence[int]) -> list[ContrastVariance]:
        """The variance of every contrast a - b."""
        by_clustering = [[_jackknife(x) for x in self._sums(unit, a, b, leave_one_out=True)] for unit in self.units]
        if len(by_clustering) == 1:
            return by_clustering[0]
        return [_crossed(*three) for three in zip(*by_clustering, strict=True)]

    def _sums(self, unit: Units, a: Sequence[int], b: Sequence[int], leave_one_out: bool) -> list[ContrastVariance]:
        """ContrastVariance of every contrast a - b before _jackknife(): V is the sum of squared scores over units."""
        out = zeros(len(a), 3)
        unit.variance_terms(self.fit, np.array(a, np.int64), np.array(b, np.int64), self.U, leave_one_out, out)
        return [ContrastVariance(get(row, 1), div(ONE, get(row, 2)), get(row, 0)) for row in out]

    def score(self, a: int, b: int) -> Difference | None:
        """The t statistic of a test that the contrast a - b is 0: its score divided by the standard error of the score.

        The statistic is a Difference with standard error 1; None below LEAST_FREEDOM degrees of freedom.
        """
        by_clustering = [self._sums(unit, [a], [b], leave_one_out=False)[0] for unit in self.units]
        x = by_clustering[0] if len(by_clustering) == 1 else _crossed(*by_clustering)
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST_FREEDOM:
            return None
        u = zeros(self.L + 4)
        likelihood.contrast(self.U, a, b, u)
        cells = self.fit.cells
        total = likelihood.contrast_score(cells.first, cells.second, cells.derivatives_at(self.fit), u)
        # V is 0 if every battle on which the contrast depends is a tie
        t = flush_tiny(div(total, root(x.V))) if value(x.V) > NEGLIGIBLE**2 else ZERO
        return Difference(t, ONE, smaller(freedom, MOST), "measured")

    def differences(self, a: Sequence[int], b: Sequence[int]) -> list[Difference | None]:
        """Every contrast a - b with its standard error; None where the battles do not determine its variance."""
        return [self._difference(i, j, x) for i, j, x in zip(a, b, self.variances(a, b), strict=True)]

    def _difference(self, i: int, j: int, x: ContrastVariance) -> Difference | None:
        """The contrast i - j with the standard error and degrees of freedom from its variance x; None if too few."""
        freedom = sub(x.E, ONE)
        if value(freedom) < LEAST_FREEDOM:
            return None
        return Difference(self.point(i, j), root(x.V), smaller(freedom, MOST), "measured")

    def point(self, i: int, j: int) -> Triple:
        """The estimate of the contrast i - j."""
        if j < self.L:
            return self.fit.log_ratio(i, j)
        if i < self.L:
            return self.fit.theta[i]
        return self.fit.advantage if i == self.L else log(self.fit.tie)


def _crossed(q: ContrastVariance, v: ContrastVariance, both: ContrastVariance) -> ContrastVariance:
    """Variance for crossed clusters: V_question + V_voter - V_both, and at least the larger of the first two."""
    E = smaller(q.E, v.E)
    return ContrastVariance(larger(larger(sub(add(q.V, v.V), both.V), q.V), v.V), E, q.V_model)


def _jackknife(x: ContrastVariance) -> ContrastVariance:
    """The jackknife variance of a contrast from its sum of squares, never below V_model/E."""
    share = div(ONE, x.E)
    return x._replace(V=larger(mul(sub(ONE, share), x.V), mul(x.V_model, share)))


class BattleUnits:
    """Battles as sampling units; cells with the same number in `kind` have one curvature and are processed together.

    n_battles: the number of battles of each cell, as triples.
    """

    def __init__(self, cells: Cells, n_battles: Any, kind: Any) -> None:
        self.cells, self.n_battles, self.kind = cells, n_battles, kind

    def restricted(self, new_index: Any) -> BattleUnits:
        """The battles between models that have an entry >= 0 in new_index, which renumbers them."""
        which = self.cells.indices_within(new_index)
        kinds = np.unique(self.kind[which], return_inverse=True)[1]
        return BattleUnits(self.cells.renumbered(which, new_index), self.n_battles[which], kinds)

    def variance_terms(self, fit: Fit, a: Any, b: Any, U: Any, leave_one_out: bool, out: Any) -> None:
        """Write the terms of likelihood.variances_by_battle() for every contrast a - b into out."""
        representatives = np.unique(self.kind, return_index=True)[1]
        squares, curvatures, n_battles = (
            zeros(3, representatives.size),
            zeros(3, representatives.size),
            zeros(representatives.size),
        )
        likelihood.group_battles(
            self.cells.derivatives_at(fit), self.n_battles, self.kind, squares, curvatures, n_battles
        )
        first, second = self.cells.first[representatives], self.cells.second[representatives]
        likelihood.variances_by_battle(first, second, n_battles, squares, curvatures, a, b, U, leave_one_out, out)


def battle_units(group: Group, model: int) -> BattleUnits:
    """The battles of a group, each a sampling unit."""
    rows = sorted((r.i, r.j, r.weight, r.outcome, n_battles) for r, n_battles in by_kind(group).items())
    weights = [[Fraction(weight) * (o == outcome) for o in range(3)] for _, _, weight, outcome, _ in rows]
    cells = Cells.from_fractions([r[:2] for r in rows], weights)
    n_battles = zeros(len(rows))
    for k, r in enumerate(rows):
        put(n_battles, k, ext(float(r[4])))
    # the curvature depends on the outcome in the model of Rao and Kupper (2) only
    curvature_keys = [r[: 4 if model == 2 else 3] for r in rows]
    kinds = {key: k for k, key in enumerate(dict.fromkeys(curvature_keys))}
    return BattleUnits(cells, n_battles, np.array([kinds[key] for key in curvature_keys], np.int64))


class ClusterUnits:
    """Clusters of battles as sampling units."""

    def __init__(self, cells: Cells, cluster: Any) -> None:
        self.cells, self.cluster = cells, cluster  # cluster: the number of each cell's cluster, sorted

    def restricted(self, new_index: Any) -> ClusterUnits:
        """The battles between models that have an entry >= 0 in new_index, which renumbers them."""
        which = self.cells.indices_within(new_index)
        return ClusterUnits(self.cells.renumbered(which, new_index), self.cluster[which])

    def variance_terms(self, fit: Fit, a: Any, b: Any, U: Any, leave_one_out: bool, out: Any) -> None:
        """Write the terms of likelihood.variances_by_cluster() for every contrast a - b into out."""
        ends = np.flatnonzero(np.diff(self.cluster, append=-1)) + 1
        derivatives = self.cells.derivatives_at(fit)
        likelihood.variances_by_cluster(
            self.cells.first, self.cells.second, derivatives, ends, a, b, U, leave_one_out, out
        )


def cluster_units(group: Group, key: Callable[[Row], Any]) -> ClusterUnits:
    """The battles of a group, clustered by the values of key."""
    sums: dict[Any, dict[tuple[int, int], list[Fraction]]] = {}
    for row, n_battles in group.rows.items():
        cell = sums.setdefault(key(row), {}).setdefault((row.i, row.j), [Fraction(0)] * 3)
        cell[row.outcome] += n_battles * Fraction(row.weight)
    pairs = [pair for cells in sums.values() for pair in cells]
    cells = Cells.from_fractions(pairs, [n for cells in sums.values() for n in cells.values()])
    return ClusterUnits(cells, np.repeat(np.arange(len(sums)), [len(cells) for cells in sums.values()]))


Units = BattleUnits | ClusterUnits


def units(group: Group, cluster: str | None, model: int) -> list[Units]:
    """The sampling units of a group, for each way of clustering."""
    return [battle_units(group, model) if key is None else cluster_units(group, key) for key in cluster_keys(cluster)]


def by_kind(group: Group) -> dict[Row, int]:
    """The number of battles of each kind when questions and voters are disregarded."""
    out: dict[Row, int] = {}
    for row, n_battles in group.rows.items():
        kind = row._replace(question=None, voter=None)
        out[kind] = out.get(kind, 0) + n_battles
    return out


# --- score tests of whether two models are equally strong -------------------------------------------


class Equality:
    """Score tests of pairs of models, with ties as half wins."""

    def __init__(self, battles: Battles, cluster: str | None) -> None:
        self.L, self.links = len(battles.models), links(battles.rows)
        all_models = Group(list(range(self.L)), battles.rows)
        self.cells = Cells.from_fractions(list(all_models.cells), list(all_models.cells.values()))
        self.units = units(all_models, cluster, model=0)  # 0: ties are half wins

    def reachable_from(self, i: int) -> set[int]:
        """The models that can be reached from i along wins and ties."""
        return reachable(self.L, self.links, i)

    def test(self, a: int, b: int) -> Difference | None:
        """Score test of equal strength of two linked models: its t statistic as a Difference with standard error 1.

        None below LEAST_FREEDOM degrees of freedom, as in Contrasts.score().
        """
        # in the fit a and b are one model, by strength_index; in the test they are two, by new_index
        first, second = min(a, b), max(a, b)
        merged = np.arange(self.L)
        merged[second] = first
        graph = {(int(merged[i]), int(merged[j])) for i, j in self.links}
        component = next(x for x in components(self.L, graph) if first in x)
        new_index, strength_index = np.full(self.L, -1), np.full(self.L, -1)
        strength_index[component], strength_index[second] = range(len(component)), component.index(first)
        members = np.flatnonzero(strength_index >= 0)
        new_index[members] = range(members.size)
        which = self.cells.indices_within(new_index)
        fit = Fit(len(component), self.cells.renumbered(which, strength_index), "half", biased=False)
        fit = fit.expanded(strength_index[members], self.cells.renumbered(which, new_index))
        pair = int(new_index[a]), int(new_index[b])
        return Contrasts(fit, [unit.restricted(new_index) for unit in self.units], pair).score(*pair)
