"""Fisher's exact tests of many pairs of counts, and a step-up procedure for their discrete distributions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import lcm
from typing import NamedTuple

from ..arithmetic.rational import Ratio

GUARD = 256  # sums of quotients are computed with this many bits below the smallest possible quotient


class Pair(NamedTuple):
    """Successes and trials of a question before and after."""

    c_old: int
    n_old: int
    c_new: int
    n_new: int


@lru_cache(64)
def binomials(n: int) -> list[int]:
    """The binomial coefficients C(n, 0), ..., C(n, n)."""
    return list(accumulate(range(n), lambda c, x: c * (n - x) // (x + 1), initial=1))


def tails(n_old: int, n_new: int, s: int, one_sided: bool) -> list[int]:
    """The p-values of all c_old with c_old + c_new = s, in units of 1/C(n_old + n_new, s), by rising c_old.

    A two-sided p-value counts the outcomes that are at most as probable, a one-sided one those with at least as many
    old successes.
    """
    old, new = binomials(n_old), binomials(n_new)
    w = [old[x] * new[s - x] for x in range(max(0, s - n_new), min(n_old, s) + 1)]
    if one_sided:
        return list(accumulate(reversed(w)))[::-1]
    order = sorted(w)
    up_to = dict(zip(order, accumulate(order), strict=True))  # equal weights share the last sum
    return [up_to[x] for x in w]


class Tests:
    """Exact p-values of all pairs, and the distributions of these if nothing changed, in units of 1/unit."""

    def __init__(self, pairs: Sequence[Pair], one_sided: bool) -> None:
        margins = Counter((x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs)
        p_of_margin = {margin: tails(*margin, one_sided) for margin in margins}
        totals = {margin: max(x) for margin, x in p_of_margin.items()}
        self.unit = lcm(*totals.values())
        scaled = {margin: [t * (self.unit // totals[margin]) for t in x] for margin, x in p_of_margin.items()}
        self.p = [
            scaled[x.n_old, x.n_new, s][x.c_old - max(0, s - x.n_new)] for x in pairs for s in [x.c_old + x.c_new]
        ]
        test_counts = Counter[tuple[int, ...]]()  # the number of tests with these attainable p-values
        for margin, x in scaled.items():
            test_counts[tuple(sorted(set(x)))] += margins[margin]
        self.distributions = sorted(test_counts.items())  # (attainable p-values, number of tests with these)
        self.smallest = [levels[0] for levels, _ in self.distributions]  # the smallest attainable p-value of each
        self.one = 1 << (GUARD + self.unit.bit_length())
        self.attainable, self.odds = self.totals()

    def totals(self, limit: int | None = None) -> tuple[list[int], list[int]]:
        """The attainable p-values t up to the limit, below 1, and total(t, limit) of each; by default total(t, t)."""
        steps = Counter[int]()
        for levels, m in self.distributions:
            used = levels[: -1 if limit is None else bisect_right(levels, limit)]
            odds = [m * t * self.one // (self.unit - (t if limit is None else used[-1])) for t in used]
            # how much the odds rise at each level
            steps.update(dict(zip(used, map(int.__sub__, odds, [0, *odds]), strict=False)))
        attainable = sorted(steps)
        return attainable, list(accumulate(steps[t] for t in attainable))

    def total(self, t: int, limit: int) -> int:
        """The sum of F(t)/(1 - F(limit)) over the tests, F(t) = P(p <= t) if nothing changed, in units of 1/one."""
        used = self.distributions[: bisect_right(self.smallest, t)]
        return sum(m * below(x, t) * self.one // (self.unit - below(x, limit)) for x, m in used)

    def limit(self, q: Ratio) -> int:
        """The largest attainable p-value t at which the mean of F(t)/(1 - F(t)) is at most q; 0 if there is none."""
        i = bisect_right(self.odds, q[0] * len(self.p) * self.one // q[1])
        return self.attainable[i - 1] if i else 0


def below(levels: Sequence[int], t: int) -> int:
    """F(t): the largest attainable p-value that is at most t, or 0."""
    i = bisect_right(levels, t)
    return levels[i - 1] if i else 0


def step_up(tests: Tests, fdr: Ratio) -> int:
    """The largest p-value, in 1/unit, significant at this false-discovery rate (Döhler et al. 2018), or 0."""
    limit, order = tests.limit(fdr), sorted(tests.p)
    attainable, totals = tests.totals(limit)
    for t in sorted(set(order[: bisect_right(order, limit)]), reverse=True):
        if totals[bisect_left(attainable, t)] * fdr[1] <= fdr[0] * bisect_right(order, t) * tests.one:
            return t
    return 0


def adjusted(tests: Tests) -> list[Ratio]:
    """The smallest false-discovery rate at which each test is significant; 1 if there is none below 1."""
    order, best, rate_of = sorted(tests.p), (1, 1), dict[int, Ratio]()
    for t in sorted(set(order), reverse=True):
        best = rate_of[t] = _smallest_rate(tests, t, bisect_right(order, t), best)
    return [rate_of[t] for t in tests.p]


def _smallest_rate(tests: Tests, t: int, k: int, best: Ratio) -> Ratio:
    """The least q with t <= limit(q) and sum F(t)/(1 - F(limit(q))) <= q k; `best` if that q is not smaller.

    k: the number of p-values up to t.
    """
    if t == tests.unit:
        return best
    q = tests.odds[bisect_left(tests.attainable, t)], k * tests.one  # at most the least q, as F(limit) >= F(t)
    while q[0] * best[1] < best[0] * q[1]:
        h = tests.total(t, tests.limit(q))
        if h * q[1] <= q[0] * k * tests.one:
            return q
        q = h, k * tests.one
    return best
