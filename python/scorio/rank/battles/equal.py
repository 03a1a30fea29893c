"""Score tests of whether two models are equally strong, also where they cannot be rated together.

The formulas: spec/families/battles.md.
"""

from __future__ import annotations

import numpy as np

from ...inference.difference import Difference
from .contrasts import Contrasts, units
from .existence import components, links, reached
from .fit import Cells, Fit
from .table import Battles, Group


class Equality:
    """Score tests of pairs of models, with ties as half wins."""

    def __init__(self, battles: Battles, cluster: str | None) -> None:
        self.L, self.links = len(battles.models), links(battles.rows)
        every = Group(list(range(self.L)), battles.rows)
        self.cells = Cells.exact(list(every.cells), list(every.cells.values()))
        self.units = units(every, cluster, 0)

    def below(self, i: int) -> set[int]:
        """The models to which wins or ties lead from i."""
        return reached(self.L, self.links, i)

    def test(self, a: int, b: int) -> Difference | None:
        """The t of two linked models as a difference of standard error 1; None where one unit decides alone."""
        first, second = min(a, b), max(a, b)
        merged = np.arange(self.L)
        merged[second] = first
        graph = {(int(merged[i]), int(merged[j])) for i, j in self.links}
        component = next(x for x in components(self.L, graph) if first in x)
        place, at = np.full(self.L, -1), np.full(self.L, -1)
        at[component], at[second] = range(len(component)), component.index(first)
        members = np.flatnonzero(at >= 0)
        place[members] = range(members.size)
        which = self.cells.inside(place)
        fit = Fit(len(component), self.cells.among(which, at), "half", False)
        fit = fit.shared(at[members], self.cells.among(which, place))
        ends = int(place[a]), int(place[b])
        return Contrasts(fit, [unit.among(place) for unit in self.units], ends).score(*ends)
