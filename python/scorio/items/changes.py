"""Fisher's exact tests of many pairs of counts, and which questions regressed or improved between two runs."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import lcm
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import arguments
from ..arguments import Missing
from ..arithmetic.double_double import Ratio, from_ratio, value
from ..errors import InvalidInput
from ..outcomes.checks import answered
from ..outcomes.identity import paired
from ..outcomes.models import check_flat
from ..outcomes.tally import Outcomes, count
from ..results import shown_as_table

# --- exact tests, and a step-up procedure for their discrete distributions --------------------------

GUARD = 256  # sums of quotients are computed with this many bits below the smallest possible quotient
# A sum of positive doubles times SLACK, less TINY, is below the exact sum: up to 2^30 terms, each with a few roundings,
# the largest 1/(1 - F) being 2^30, and terms with errors of up to 2^-950 beside
SLACK, TINY = 1.0 - 2.0**-20, 2.0**-800


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
    """Exact p-values of all pairs, and the distributions of these if nothing changed, in units of 1/unit.

    All values t that any p-value can take are sorted in `attainable`, as far as the mean over the tests of
    F(t)/(1 - F(t)) is at most 1, F(t) = P(p <= t) if nothing changed; `test` and `below` are the test of each and
    its next smaller value, or 0. A position n stands for the n-th smallest of them.
    """

    def __init__(self, pairs: Sequence[Pair], one_sided: bool) -> None:
        margins = Counter((x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs)
        p_of_margin = {margin: tails(*margin, one_sided) for margin in margins}
        self.unit = lcm(*map(max, p_of_margin.values()))
        scaled = {margin: [t * u for u in [self.unit // max(x)] for t in x] for margin, x in p_of_margin.items()}
        self.p = [
            scaled[x.n_old, x.n_new, s][x.c_old - max(0, s - x.n_new)] for x in pairs for s in [x.c_old + x.c_new]
        ]
        test_counts = Counter[tuple[int, ...]]()  # the number of tests with these attainable p-values
        for margin, x in scaled.items():
            test_counts[tuple(sorted(set(x)))] += margins[margin]
        self.copies = list(test_counts.values())
        self.one = 1 << (GUARD + self.unit.bit_length())
        levels = [t for x in test_counts for t in (0, *x[:-1])]
        test = [j for j, x in enumerate(test_counts) for _ in x]
        order = sorted(range(len(levels)), key=levels.__getitem__)[len(test_counts) :]  # without the zeros
        self.attainable, self.test = [levels[i] for i in order], [test[i] for i in order]
        self.odds = self._odds()
        self.below = [levels[i - 1] for i in order[: len(self.odds)]]
        del self.attainable[len(self.odds) :], self.test[len(self.odds) :]

    def _odds(self) -> list[int]:
        """The sum of F(t)/(1 - F(t)) over the tests at each attainable t, in units of 1/one, while the mean is <= 1."""
        t, unit, copies, bits = self.attainable, self.unit, self.copies, self.one.bit_length() - 1
        most, total, odds, terms = len(self.p) << bits, 0, list[int](), [0] * len(copies)
        for x, j in zip(t, self.test, strict=True):
            term = (copies[j] * x << bits) // (unit - x)
            total += term - terms[j]
            terms[j] = term
            odds.append(total)
            if total > most:
                break
        for i in range(len(odds) - 2, -1, -1):
            if t[i] == t[i + 1]:
                odds[i] = odds[i + 1]  # all tests that can take this value
        return odds[: bisect_right(odds, most)]

    def limit(self, q: Ratio) -> int:
        """The position of the largest attainable t at which the mean of F(t)/(1 - F(t)) is at most q/one <= 1, or 0."""
        return bisect_right(self.odds, q[0] * len(self.p) // q[1])

    def candidates(self, limit: int) -> list[tuple[int, int, int]]:
        """The p-values up to a position, largest first: each with its position, and the number of p-values up to it."""
        order = sorted(self.p)
        values = set(order[: bisect_right(order, self.attainable[limit - 1])]) if limit else ()
        return [(t, bisect_right(self.attainable, t), bisect_right(order, t)) for t in sorted(values, reverse=True)]


class Sum:
    """The sum of F(t)/(1 - F(limit)) over the tests, carried on from one pair of positions to the next."""

    def __init__(self, tests: Tests) -> None:
        n = len(tests.copies)
        self.tests, self.positions, self.cdfs = tests, (0, 0), ([0] * n, [0] * n)
        self.terms, self.total = [0] * n, 0

    def at(self, t: int, limit: int) -> int:
        """The sum at these positions, in units of 1/one."""
        x, changed = self.tests, set[int]()
        for F, start, end in zip(self.cdfs, self.positions, (t, limit), strict=True):
            if end > start:
                test, values = x.test[start:end], x.attainable[start:end]
            else:
                test, values = x.test[end:start][::-1], x.below[end:start][::-1]
            for j, new in zip(test, values, strict=True):
                F[j] = new
            changed.update(test)
        (F, G), self.positions = self.cdfs, (t, limit)
        total, terms, copies, bits, unit = self.total, self.terms, x.copies, x.one.bit_length() - 1, x.unit
        for j in changed:
            if (f := F[j]) or terms[j]:
                term = (copies[j] * f << bits) // (unit - G[j])
                total += term - terms[j]
                terms[j] = term
        self.total = total
        return total


class Bound:
    """Lower bounds, in double precision, of the rates of adjusted(): they leave few steps to exact integers."""

    def __init__(self, tests: Tests) -> None:
        self.M, self.positions, self.test = len(tests.p), (0, 0), np.array(tests.test, dtype=np.int64)
        copies = np.array(tests.copies, dtype=float)
        steps = [np.array([t / tests.unit for t in x]) for x in (tests.attainable, tests.below)]
        # F(t) times the copies, and 1/(1 - F(limit)): of each test now, and after and before each position
        self.sides = (
            (np.zeros_like(copies), *(copies[self.test] * F for F in steps)),
            (np.ones_like(copies), *(1.0 / (1.0 - F) for F in steps)),
        )
        self.odds = np.array([x / tests.one for x in tests.odds])

    def rate(self, t: int, k: int, best: float) -> float:
        """A lower bound of the rate that _smallest_rate() returns; one that is below `best` is nearly that rate."""
        q, last = max(0.0, self.odds[t - 1] / k * SLACK - TINY), -1
        while q < best:
            limit = int(np.searchsorted(self.odds, q * SLACK * self.M, "right"))
            if limit == last:
                break
            q, last = max(q, self._sum(t, limit) / k * SLACK - TINY), limit
        return float(q)

    def _sum(self, t: int, limit: int) -> float:
        """The quantity of Sum.at(), with rounding errors."""
        for (x, after, before), start, end in zip(self.sides, self.positions, (t, limit), strict=True):
            x[self.test[start:end]] = after[start:end]  # of several values of a test the last one counts
            x[self.test[end:start][::-1]] = before[end:start][::-1]
        self.positions = t, limit
        return float((self.sides[0][0] * self.sides[1][0]).sum())


def step_up(tests: Tests, fdr: Ratio) -> int:
    """The largest p-value, in 1/unit, significant at this false-discovery rate (Döhler et al. 2018), or 0."""
    limit, total = tests.limit((fdr[0] * tests.one, fdr[1])), Sum(tests)
    for t, position, k in tests.candidates(limit):
        if total.at(position, limit) * fdr[1] <= fdr[0] * k * tests.one:
            return t
    return 0


def adjusted(tests: Tests) -> list[Ratio]:
    """The smallest false-discovery rate at which each test is significant; 1 if there is none below 1."""
    total, bound, best, rate_of = Sum(tests), Bound(tests), (tests.one, 1), dict[int, Ratio]()
    for t, position, k in tests.candidates(len(tests.odds)):
        best = _smallest_rate(total, bound, position, k, best)
        rate_of[t] = best[0], best[1] * tests.one
    return [rate_of.get(t, (1, 1)) for t in tests.p]


def _smallest_rate(total: Sum, bound: Bound, t: int, k: int, best: Ratio) -> Ratio:
    """The least q with t <= limit(q) and sum F(t)/(1 - F(limit(q))) <= q k; `best` if that q is not smaller.

    q and `best` in units of 1/one; t: a position; k: the number of p-values up to it.
    """
    tests = total.tests
    low, unit = bound.rate(t, k, best[0] / (best[1] * tests.one)).as_integer_ratio()
    # a lower bound of the least q, as F(limit) >= F(t); the least q is reached once the limit stays the same
    q, last = (max(tests.odds[t - 1], low * k * tests.one // unit), k), -1
    while q[0] * best[1] < best[0] * k:
        limit = tests.limit(q)
        if limit == last:
            return q
        q, last = (total.at(t, limit), k), limit
    return best


# --- changes ----------------------------------------------------------------------------------------

Alternative: TypeAlias = Literal["two-sided", "regressed"]
Status: TypeAlias = Literal["regressed", "improved", "newly flaky", "no longer flaky", "flaky", "undecided", "stable"]
NAMES = ("old", "new")
MOST_TRIALS = 10**4  # largest number of trials of a question in one run
MOST_WORK = 2 * 10**8  # largest sum of n n' over different tests: their time, as n p-values have about n' bits


@shown_as_table
class Change(NamedTuple):
    """One question before and after: its successes c of n trials, the p-values of a change, and its status."""

    question: int
    c_old: int
    n_old: int
    c_new: int
    n_new: int
    p_value: float
    p_adjusted: float
    status: Status


def changes(
    old: Outcomes,
    new: Outcomes,
    *,
    fdr: float = 0.05,
    alternative: Alternative = "two-sided",
    missing: Missing = "raise",
) -> list[Change]:
    """Questions that regressed or improved between two runs, at a false-discovery rate.

    Parameters
    ----------
    old, new : array_like, shape (M, N), or Counts
        Binary outcomes before and after, of the same questions. The numbers of trials may differ, up to 10^4.
    fdr : float in (0, 1)
        False-discovery rate: the expected share of the questions named "regressed" or "improved" that did not change,
        or changed in the other direction.
    alternative : {"two-sided", "regressed"}
        Look for changes in both directions, or for regressions alone, with more power.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Questions
        without a trial in one of the runs are left out.

    Returns
    -------
    list of Change
        For each question with trials before and after, in order:

        - question: its index; c_old of n_old trials succeeded before, c_new of n_new after;
        - p_value: that of Fisher's exact test of equal success rates;
        - p_adjusted: the smallest fdr at which the question would be "regressed" or "improved"; 1 if there is none;
        - status: "regressed" or "improved" at this fdr; else "newly flaky" (trials agreed before, but not after), "no
          longer flaky" (the reverse), "flaky" (they agreed neither before nor after), "undecided" (they agreed before
          and after, on different outcomes), "stable" (all had the same outcome). A single trial does not show whether
          a question is flaky: if the other run has both outcomes, the question is "flaky".

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has trials before and after; range: more than 10^4 trials,
        or n n' summed over the tests that differ in n, n' or all successes is above 2 10^8.

    Notes
    -----
    Source: spec/families/changes.md. The step-up procedure of Döhler, Durand and Roquain (2018) for the discrete
    p-values of Fisher's tests. The rate is controlled for any number of trials if all trials are independent, within
    and between questions. With 4 to 16 trials it finds far more changes than the procedure of Benjamini and Hochberg,
    because it need not correct for questions that were nearly always or never solved, which cannot be named by mistake.
    With one trial before and after every p-value is at least 1/2: no question can be named, and
    :func:`scorio.sinf.compare` says whether the average changed.

    Examples
    --------
    >>> from scorio import items, Counts
    >>> old, new = (Counts.from_successes(c, [8] * 6) for c in ([8, 8, 7, 4, 8, 0], [0, 8, 2, 4, 3, 6]))
    >>> [(x.question, x.status, round(x.p_adjusted, 4)) for x in items.changes(old, new) if x.p_adjusted < 1]
    [(0, 'regressed', 0.0003), (2, 'regressed', 0.024), (4, 'regressed', 0.0184), (5, 'improved', 0.0044)]
    """
    level = arguments.confidence(fdr, name="fdr")
    one_sided = arguments.choice(alternative, "alternative", get_args(Alternative)) == "regressed"
    indices, pairs = _read(old, new, missing)
    _check_work(pairs)
    tests = Tests(pairs, one_sided)
    threshold = step_up(tests, level.as_integer_ratio())
    return [
        Change(
            j, *x, value(from_ratio(p, tests.unit)), value(from_ratio(*q)), _status(x, p <= threshold)
        )
        for j, x, p, q in zip(indices, pairs, tests.p, adjusted(tests), strict=True)
    ]  # fmt: skip


def _read(old: Outcomes, new: Outcomes, missing: Missing) -> tuple[list[int], list[Pair]]:
    """Indices of the questions that have trials before and after, with their successes and trials."""
    for x, name in zip((old, new), NAMES, strict=True):
        check_flat(x, name)
    counts = [count(x, 1, missing, name=name, has_scores=False) for x, name in zip((old, new), NAMES, strict=True)]
    (a, b), dropped = answered("old", *paired(counts, NAMES, NAMES.__getitem__, missing))
    for x, name in zip((a, b), NAMES, strict=True):
        if (largest := int(x.trials.max())) > MOST_TRIALS:
            what = f"a question of {name} has {largest:,} trials, more than the {MOST_TRIALS:,} of an exact test"
            raise InvalidInput("range", name, what)
    without_trials = set(dropped)
    indices = [j for j in range(a.M + len(dropped)) if j not in without_trials]
    columns = (x.tolist() for y in (a, b) for x in (y.category_counts[:, 0], y.trials))
    return indices, [Pair(*row) for row in zip(*columns, strict=True)]


def _check_work(pairs: list[Pair]) -> None:
    """Refuse tests that would take minutes: those with the same trials and successes in all are one test."""
    work = sum(n * m for n, m, _ in {(x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs})
    if work > MOST_WORK:
        what = "trials of old times trials of new, summed over different tests,"
        reason = (
            f"{what} is {work:,}, more than the {MOST_WORK:,} of exact tests: test fewer questions or trials at once"
        )
        raise InvalidInput("range", "old", reason)


def _status(x: Pair, significant: bool) -> Status:
    """The status of a question: its change if significant, else how its outcomes vary before and after."""
    if significant:
        return "regressed" if x.c_old * x.n_new > x.c_new * x.n_old else "improved"
    mixed_before, mixed_after = 0 < x.c_old < x.n_old, 0 < x.c_new < x.n_new
    if mixed_before and mixed_after:
        return "flaky"
    if mixed_before or mixed_after:
        if (x.n_new if mixed_before else x.n_old) == 1:  # a single trial cannot be mixed
            return "flaky"
        return "no longer flaky" if mixed_before else "newly flaky"
    return "stable" if x.c_old * x.n_new == x.c_new * x.n_old else "undecided"
