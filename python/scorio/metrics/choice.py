"""The exact probability that the answer chosen from k trials, by a vote or by a score, is right.

Polynomials in x count samples: the coefficient of x^j is the number of samples of j trials without replacement, or the
weight of j new trials under a Dirichlet model. Each polynomial is one integer, with one coefficient in each block of
bits, so that a product of integers is a product of polynomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, lcm

from ..outcomes.answers import Levels, Votes

Row = list[int]  # coefficients of x^0..x^k
Coefficients = Callable[[int, int], Row]  # sample_coefficients or new_trial_coefficients


def sample_coefficients(o: int, k: int) -> Row:
    """The coefficients C(o, j), j = 0..k: ways to sample j of the o trials that gave the answer."""
    return [comb(o, j) for j in range(k + 1)]


def new_trial_coefficients(twice: int, k: int) -> Row:
    """The integers 4^j a (a+1) ... (a+j-1) / j!, j = 0..k, of an answer with the Dirichlet parameter a = twice / 2."""
    row = [1]
    for j in range(k):
        row.append(row[-1] * 2 * (twice + 2 * j) // (j + 1))
    return row


def plurality(x: Votes, k: int, split_ties: bool) -> Fraction:
    """The probability that the most frequent answer among k sampled trials is right.

    split_ties: a tie for first place counts as the share of right answers among the tied ones; if not, as wrong.
    """
    return _plurality((x.right, x.other, x.blank), k, split_ties, sample_coefficients)


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
    votes: tuple[Sequence[int], Sequence[int], int], k: int, split_ties: bool, coefficients: Coefficients
) -> Fraction:
    """The probability that a right answer wins, as a sum over the right answers and the number m of their votes.

    The rivals of an answer, right or wrong, get at most m votes each; T of them get m. votes: those of each right
    answer, those of each other one, and the trials without an answer; for new trials twice the Dirichlet parameters.
    """
    right, other, blank = votes
    n, n_answers = sum(right) + sum(other) + blank, Counter((*right, *other))
    all_ways, ways = coefficients(n, k), {o: coefficients(o, k) for o in n_answers}
    unit = lcm(*range(1, k + 1)) if split_ties else 1  # makes the shares 1 / (1 + T) integers
    bits, winning_ways = max(all_ways).bit_length(), 0  # bits: enough for any coefficient
    for o, n_alike in Counter(right).items():
        rivals = {x: (ways[x], number - (x == o)) for x, number in n_answers.items() if number > (x == o)}
        for m in range(1, k + 1):
            if not ways[o][m]:
                break
            if 2 * m > k:  # no rival can have as many votes
                winning_ways += n_alike * ways[o][m] * unit * coefficients(n - o, k - m)[k - m]
            else:
                ties = _ways_by_ties(rivals, blank, coefficients, m, k - m, bits)
                share = sum(x * (unit // (1 + T)) for T, x in enumerate(ties if split_ties else ties[:1]))
                winning_ways += n_alike * ways[o][m] * share
    return Fraction(winning_ways, unit * all_ways[k])


def _ways_by_ties(
    rivals: dict[int, tuple[Row, int]], blank: int, coefficients: Coefficients, m: int, j: int, bits: int
) -> list[int]:
    """For T = 0, 1, ...: the number of samples of j trials of rivals in which T rivals get m votes and none gets more.

    rivals: for each number of votes that a rival has, the coefficients and the number of such rivals. Blank trials are
    among the j, and are votes for no answer.
    """
    mask = (1 << (bits * (j + 1))) - 1
    # the trials that are blank, or of rivals that cannot get m votes
    free = blank + sum(o * number for o, (w, number) in rivals.items() if not w[m])
    by_ties = [_packed(coefficients(free, j), bits)]
    for w, number in (x for x in rivals.values() if x[0][m]):
        low, powers = _packed(w[: min(m, j + 1)], bits), [1]
        for _ in range(number):
            powers.append((powers[-1] * low) & mask)
        new = [0] * min(len(by_ties) + number, j // m + 1)
        for T, p in enumerate(by_ties):
            for t in range(min(number, len(new) - 1 - T) + 1):
                new[T + t] += ((p * (comb(number, t) * w[m] ** t) << (bits * m * t)) & mask) * powers[number - t] & mask
        by_ties = new
    return [(p >> (bits * j)) & ((1 << bits) - 1) for p in by_ties]


def _packed(row: Row, bits: int) -> int:
    """Pack the coefficients of a polynomial into one integer."""
    x = 0
    for c in reversed(row):
        x = (x << bits) | c
    return x


def best_of_k(x: Levels, k: int) -> Fraction:
    """The probability that the best-scored of k sampled trials is right; ties are broken at random."""
    below, total = 0, Fraction(0)
    for m, c in zip(x.trials, x.right, strict=True):
        total += Fraction((comb(below + m, k) - comb(below, k)) * c, m)
        below += m
    return total / comb(x.n, k)


# --- leaving one trial out --------------------------------------------------------------------------


def jackknife(x: Votes | Levels, value: Callable[..., Fraction]) -> Fraction:
    """The jackknife variance of a value over trials: (n-1)/n times the sum of (value without a trial - mean)^2."""
    n = x.n
    values = [(number, value(y)) for number, y in leave_one_out(x)]
    mean = sum((number * u for number, u in values), Fraction(0)) / n
    return sum((number * (u - mean) ** 2 for number, u in values), Fraction(0)) * Fraction(n - 1, n)


def leave_one_out(x: Votes | Levels) -> list[tuple[int, Votes | Levels]]:
    """Pairs, for each kind of trial: the number of such trials, and the question without one of them."""
    if isinstance(x, Votes):
        out: list[tuple[int, Votes | Levels]] = []
        for is_right in (True, False):
            row = x.right if is_right else x.other
            for o in sorted({*row}):
                reduced = _without_vote(row, o)
                out.append((o * row.count(o), x._replace(right=reduced) if is_right else x._replace(other=reduced)))
        return [*out, (x.blank, x._replace(blank=x.blank - 1))] if x.blank else out
    out = []
    for i, (m, c) in enumerate(zip(x.trials, x.right, strict=True)):
        trials = (*x.trials[:i], m - 1, *x.trials[i + 1 :])
        for number, right in ((c, c - 1), (m - c, c)):
            if number:
                rights = (*x.right[:i], right, *x.right[i + 1 :])
                positive = [t > 0 for t in trials]
                out.append((number, Levels(_filtered(trials, positive), _filtered(rights, positive))))
    return out


def _without_vote(row: tuple[int, ...], o: int) -> tuple[int, ...]:
    """The votes with one vote less for one of the answers that have o votes."""
    last = len(row) - 1 - row[::-1].index(o)  # of these answers the last one, so that the row stays decreasing
    rest = (o - 1,) if o > 1 else ()
    return (*row[:last], *rest, *row[last + 1 :])


def _filtered(row: tuple[int, ...], keep: list[bool]) -> tuple[int, ...]:
    """The entries of a row for which keep is true."""
    return tuple(x for x, k in zip(row, keep, strict=True) if k)
