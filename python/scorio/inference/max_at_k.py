"""Max@k: the best of k trials, from each question's trials below each level of reward."""

from __future__ import annotations

import numpy as np

from ..arithmetic.double_double import ZERO, Table, Triple, add, div, get, mul, put, root
from ..arithmetic.rational import from_ratio, whole
from ..metrics import hypergeometric, rewards
from ..metrics.metric import Metric
from ..outcomes.counts import Counts
from ..outcomes.states import Array, distinct, distinct_rows, states_of
from . import u_statistic, variance
from .variance import TRIALS


class Best(u_statistic.Blocks):
    """u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l; the gaps sum to 1."""

    def __init__(self, m: Metric, counts: Counts, by_law: bool) -> None:
        self.m, self.counts = m, counts
        self.levels = rewards.read(counts, m.w)
        (n, *b), mult, self._which = distinct_rows([counts.trials, *(b.astype(np.int64) for b in self.levels.below)])
        self.u, rest, v = (np.zeros((n.size, 3)) for _ in range(3))
        self.gaps = np.array(_gaps(self.levels.rewards)).reshape(-1, 3)
        if b:
            _tables(m, n, b, self.gaps, self.u, rest, v)
        else:
            rest[:, 0] = 1.0
        self.parts = u_statistic.parts_of(m, n, mult, self.u, rest, v, by_law)
        if self.parts.short and b:
            put(self.parts.x, TRIALS, self._bound(by_law))

    def _bound(self, by_law: bool) -> Triple:
        """(sum_l gap_l sqrt(S_l))^2 with S_l the variances of Pass@k of the scores at level l or above."""
        one, total = self.m._replace(name="pass_at_k"), ZERO
        for gap, b in zip(self.gaps.tolist(), self.levels.below, strict=True):
            s = states_of(self.counts.trials, self.counts.trials - b.astype(np.int64))
            S = get(u_statistic.parts_of_states(one, s, by_law)[0].x, TRIALS)
            total = add(total, mul(tuple(gap), root(S)))
        x: Triple = mul(total, total)
        return x

    @property
    def which(self) -> Array:
        """The row of each question."""
        return self._which

    def mu(self) -> Triple:
        """The value of eval.max_at_k."""
        return rewards.best(self.counts, self.levels, self.m.k)

    def exactly_above(self, other: Best) -> Triple:
        """Both in exact fractions, unless they have the same states."""
        a, b = (rewards.states(x.counts, x.levels.below) for x in (self, other))
        same = all(np.array_equal(x, y) for s, t in zip(a, b, strict=True) for x, y in zip(s, t, strict=True))
        if same:
            return ZERO
        W, _ = whole(self.levels.rewards)
        (x, d), (y, e) = (hypergeometric.exact_max(W, s, self.m.k, 0) for s in (a, b))
        return from_ratio(x * e - y * d, d * e * (W[-1] - W[0]))


def _gaps(r: list[float]) -> list[Triple]:
    """The gaps between rewards as shares of their range."""
    found = rewards.gaps(r)
    if not found:
        return []
    full = rewards.gaps([r[0], r[-1]])[0]
    return [div(gap, full) for gap in found]


def _tables(m: Metric, n: Array, b: list[Array], gaps: Table, u: Table, rest: Table, v: Table) -> None:
    """u, 1 - u and, where every question has 2k trials, the variance of the trials of each row."""
    s, index = distinct(np.tile(n, len(b)), np.concatenate(b))
    at = np.ascontiguousarray(index.reshape(len(b), n.size).T)
    P, Z, D = (np.zeros((s.n.size, 3)) for _ in range(3))
    hypergeometric.pass_at_k(s.n, s.n - s.c, m.k, P)
    if n[0] >= 2 * m.k:
        hypergeometric.both_draws(s.n, s.c, m.k, Z, D)
    else:
        hypergeometric.pass_hat_k(s.n, s.c, m.k, Z)
    variance.fill_rows(at, P, Z, D, gaps, u, rest, v)
