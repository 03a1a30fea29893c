"""Score tests of whether two models are equally strong, also of models without a joint rating.

The formulas: spec/families/battles.md.
"""

from __future__ import annotations

import numpy as np

from ...inference.difference import Difference
from .contrasts import Contrasts, units
from .existence import components, links, reachable
from .fit import Cells, Fit
from .table import Battles, Group


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
