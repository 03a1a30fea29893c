"""Choice of one answer among k trials, by a vote or by a score: its probability of being right, exactly.

Polynomials in x count the ways to draw: the coefficient of x^j counts draws of j trials. Each polynomial is one
integer, with one coefficient in each block of bits, so that a product of integers is a product of polynomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import repeat
from math import comb, lcm

from ..outcomes.answers import Levels, Votes

Row = list[int]  # coefficients of x^0..x^k


def draw_coefficients(o: int, k: int) -> Row:
    """The coefficients C(o, j): draws without replacement of an answer given o times."""
    return [comb(o, j) for j in range(k + 1)]


def new_trial_coefficients(twice: int, k: int) -> Row:
    """The coefficients 4^j a (a+1) ... (a+j-1) / j!, a = twice / 2: new trials, with a Dirichlet prior on answers."""
    row = [1]
    for j in range(k):
        row.append(row[-1] * 2 * (twice + 2 * j) // (j + 1))
    return row


def plurality(x: Votes, k: int, split_ties: bool) -> Fraction:
    """The probability that the most frequent answer among k drawn trials is right.

    split_ties: a tie for first place counts as the share of right answers among the tied ones; otherwise as wrong.
    """
    return _plurality((x.right, x.other, x.blank), k, split_ties, draw_coefficients)


def expected_plurality(x: Votes, k: int, split_ties: bool) -> Fraction:
    """The probability that the most frequent answer among k new trials is right, under a Dirichlet model.

    The parameters are the counts, with 1/2 added for the most frequent right and the most frequent other answer, so
    that neither has probability 0.
    """
    right, other = ([2 * o for o in row] or [0] for row in (x.right, x.other))
    right[0] += 1
    other[0] += 1
    return _plurality((right, other, 2 * x.blank), k, split_ties, new_trial_coefficients)


def _plurality(
    votes: tuple[Sequence[int], Sequence[int], int], k: int, split_ties: bool, row: Callable[[int, int], Row]
) -> Fraction:
    """The probability that a right answer wins: a sum over right answers and their votes m; others have at most m."""
    right, other, blank = votes
    n, tally = sum(right) + sum(other) + blank, Counter((*right, *other))
    whole, ways = row(n, k), {o: row(o, k) for o in tally}
    unit = lcm(*range(1, k + 1)) if split_ties else 1
    bits, won = max(whole).bit_length(), 0
    for o, times in Counter(right).items():
        rivals = {x: (ways[x], many - (x == o)) for x, many in tally.items() if many > (x == o)}
        for m in range(1, k + 1):
            if not ways[o][m]:
                break
            if 2 * m > k:  # no other answer can have as many
                won += times * ways[o][m] * unit * row(n - o, k - m)[k - m]
            else:
                tied = _rivals(rivals, blank, row, m, k - m, bits)
                share = sum(x * (unit // (1 + T)) for T, x in enumerate(tied if split_ties else tied[:1]))
                won += times * ways[o][m] * share
    return Fraction(won, unit * whole[k])


def _rivals(
    rivals: dict[int, tuple[Row, int]], blank: int, row: Callable[[int, int], Row], m: int, j: int, bits: int
) -> list[int]:
    """The numbers of ways in which other answers get j votes in all, none more than m and T of them m, T = 0, 1, ..."""
    mask = (1 << (bits * (j + 1))) - 1
    free = blank + sum(
        o * many for o, (w, many) in rivals.items() if not w[m]
    )  # votes of answers given fewer than m times
    by_ties = [_packed(row(free, j), bits)]
    for w, many in (x for x in rivals.values() if x[0][m]):
        low, powers = _packed(w[: min(m, j + 1)], bits), [1]
        for _ in range(many):
            powers.append((powers[-1] * low) & mask)
        new = [0] * min(len(by_ties) + many, j // m + 1)
        for T, p in enumerate(by_ties):
            for t in range(min(many, len(new) - 1 - T) + 1):
                new[T + t] += ((p * (comb(many, t) * w[m] ** t) << (bits * m * t)) & mask) * powers[many - t] & mask
        by_ties = new
    return [(p >> (bits * j)) & ((1 << bits) - 1) for p in by_ties]


def _packed(row: Row, bits: int) -> int:
    """A polynomial packed into one integer."""
    x = 0
    for c in reversed(row):
        x = (x << bits) | c
    return x


def best(x: Levels, k: int) -> Fraction:
    """The probability that the trial with the highest score among k drawn is right; ties are broken at random."""
    below, total = 0, Fraction(0)
    for m, c in zip(x.trials, x.right, strict=True):
        total += Fraction((comb(below + m, k) - comb(below, k)) * c, m)
        below += m
    return total / comb(x.n, k)


# --- leaving one trial out --------------------------------------------------------------------------


def jackknife(x: Votes | Levels, value: Callable[..., Fraction]) -> Fraction:
    """The jackknife variance of a value over trials: (n-1)/n times the sum of (value without a trial - mean)^2."""
    n = x.n
    values = [(many, value(y)) for many, y in without_one(x)]
    mean = sum((many * u for many, u in values), Fraction(0)) / n
    return sum((many * (u - mean) ** 2 for many, u in values), Fraction(0)) * Fraction(n - 1, n)


def without_one(x: Votes | Levels) -> list[tuple[int, Votes | Levels]]:
    """The question without one of its trials, for each kind of trial, and the number of trials of that kind."""
    if isinstance(x, Votes):
        out: list[tuple[int, Votes | Levels]] = []
        for good in (True, False):
            row = x.right if good else x.other
            for o in sorted({*row}):
                less = _without_vote(row, o)
                out.append((o * row.count(o), x._replace(right=less) if good else x._replace(other=less)))
        return [*out, (x.blank, x._replace(blank=x.blank - 1))] if x.blank else out
    out = []
    for i, (m, c) in enumerate(zip(x.trials, x.right, strict=True)):
        trials = (*x.trials[:i], m - 1, *x.trials[i + 1 :])
        for many, right in ((c, c - 1), (m - c, c)):
            if many:
                rights = (*x.right[:i], right, *x.right[i + 1 :])
                positive = [t > 0 for t in trials]
                out.append((many, Levels(_filtered(trials, positive), _filtered(rights, positive))))
    return out


def _without_vote(row: tuple[int, ...], o: int) -> tuple[int, ...]:
    """The votes with one vote less for one of the answers that have o votes."""
    at = len(row) - 1 - row[::-1].index(o)  # the last of them, so that the row stays decreasing
    return (*row[:at], *repeat(o - 1, o > 1), *row[at + 1 :])


def _filtered(row: tuple[int, ...], keep: list[bool]) -> tuple[int, ...]:
    return tuple(x for x, k in zip(row, keep, strict=True) if k)
