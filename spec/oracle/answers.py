"""Answers chosen from k trials, by plurality or by a score: public functions, and the metrics of intervals."""
from collections import Counter
from functools import lru_cache
from math import comb

from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, to_fraction, scale, total

# ---------------------------------------------------------------- the data of a case


class Row(list):
    """Failures and successes of a question, and their `detail`.

    detail: (votes of each right answer, votes of each other answer, trials without an answer), or the (trials,
    successes) of each score, the lowest first.
    """

    def __init__(self, c, n, detail):
        super().__init__([n - c, c])
        self.detail = detail


def sorted_counts(counts):
    return tuple(sorted((m for m in counts if m), reverse=True))


def vote_row(right, other, blank=0):
    right, other = sorted_counts(right), sorted_counts(other)
    return Row(sum(right), sum(right) + sum(other) + blank, (right, other, blank))


def row_of_labels(labels, right):
    counts = Counter((type(x), x) for x in labels if x is not None)
    correct = {(type(x), x) for x in right}
    return vote_row([m for x, m in counts.items() if x in correct], [m for x, m in counts.items() if x not in correct], labels.count(None))


def row_of_scores(scores, outcomes):
    scores = [to_fraction(s) for s in scores]
    rows = [(sum(1 for x in scores if x == s), sum(y for x, y in zip(scores, outcomes) if x == s)) for s in sorted(set(scores))]
    return Row(sum(outcomes), len(outcomes), tuple(rows))


def rows_of(x):
    """The Row of each question, from the arguments of a case."""
    if "scored" in x:
        return [row_of_scores(*row) for row in zip(x["scored"]["scores"], x["scored"]["R"])]
    x = x["answers"]
    if "right" in x:
        right_counts = [y if isinstance(y, list) else [y] for y in x["right"]]
        return [vote_row(*row) for row in zip(right_counts, x["other"], x.get("blank", [0] * len(right_counts)))]
    if "R" in x:
        return [row_of_labels(row, {y for y, z in zip(row, results) if z}) for row, results in zip(x["labels"], x["R"])]
    return [row_of_labels(row, key if isinstance(key, list) else [key]) for row, key in zip(x["labels"], x["correct"])]


# ---------------------------------------------------------------- the value of a question

def binomial_coefficient(o, j):
    return comb(int(o), j)


@lru_cache(None)
def scaled_rising_factorial(o, j):
    """The rising factorial o (o+1) ... (o+j-1), divided by j!."""
    return scaled_rising_factorial(o, j - 1) * (o + j - 1) / j if j else Fraction(1)


def right_winner_probability(right, other, blank, k, even, ways):
    """The probability that a right answer wins among k sampled trials, as a sum over right answers and their votes m.

    even: a tie counts in equal shares, else as lost. ways(x, j): the number, or weight, of ways to take j of x trials.
    """
    all_votes = [*right, *other]
    probability = Fraction(0)
    for i, r in enumerate(right):
        for m in range(1, k + 1):
            p = {(j, 0): ways(blank, j) for j in range(k - m + 1)}  # keys: (trials taken, answers so far with m votes as well)
            for o in all_votes[:i] + all_votes[i + 1:]:
                new = Counter()
                for (j, T), x in p.items():
                    for v in range(min(m, k - m - j) + 1):
                        if y := ways(o, v):
                            new[j + v, T + (v == m)] += x * y
                p = new
            probability += ways(r, m) * sum((Fraction(x, 1 + T) if even else x * (T == 0) for (j, T), x in p.items() if j == k - m), Fraction(0))
    return probability / ways(sum(all_votes) + blank, k)


@lru_cache(None)
def plurality(detail, k, even):
    return right_winner_probability(*detail, k, even, binomial_coefficient)


@lru_cache(None)
def best_score_success(detail, k):
    """The value u of best_of_k, from the (trials, successes) of each score, the lowest score first."""
    below, probability, n = 0, Fraction(0), sum(m for m, _ in detail)
    for m, c in detail:
        probability += Fraction(c, m) * (comb(below + m, k) - comb(below, k))
        below += m
    return probability / comb(n, k)


# ---------------------------------------------------------------- variance over the trials of a question

def leave_one_out(detail):
    """Yield the detail of a question (see Row) with each of its trials left out in turn."""
    if len(detail) == 3 and isinstance(detail[2], int):  # of a vote
        right, other, blank = detail
        for i, m in enumerate(right):
            yield from [(sorted_counts([*right[:i], m - 1, *right[i + 1:]]), other, blank)] * m
        for i, m in enumerate(other):
            yield from [(right, sorted_counts([*other[:i], m - 1, *other[i + 1:]]), blank)] * m
        yield from [(right, other, blank - 1)] * blank
    else:
        for i, (m, c) in enumerate(detail):
            for success, times in ((1, c), (0, m - c)):
                remaining = (m - 1, c - success)
                yield from [(*detail[:i], *([remaining] if m > 1 else []), *detail[i + 1:])] * times


def jackknife(detail, f):
    """The jackknife variance of f over the trials of a question."""
    x = [f(d) for d in leave_one_out(detail)]
    mean_value = sum(x) / len(x)
    return sum((y - mean_value) ** 2 for y in x) * Fraction(len(x) - 1, len(x))


@lru_cache(None)
def smoothed_win_probability(detail, k, even):
    """The win probability under a Dirichlet distribution; the largest right and other counts are raised by 1/2."""
    right, other, blank = detail
    right_counts, other_counts = ([Fraction(1, 2) + (x[0] if x else 0), *map(Fraction, x[1:])] for x in (right, other))
    return right_winner_probability(right_counts, other_counts, Fraction(blank), k, even, scaled_rising_factorial)


def gauss_legendre():
    """Yield the nodes and weights of the Gauss-Legendre rule of six points on -1..1."""
    nodes = mp.polyroots([231, 0, -315, 0, 105, 0, -5], maxsteps=500, extraprec=4 * mp.prec)
    for x in map(mp.re, nodes):
        slope = (231 * 6 * x**5 - 315 * 4 * x**3 + 105 * 2 * x) / 16
        yield x, 2 / ((1 - x * x) * slope**2)


def absolute_normal_quantile(g):
    """The absolute value of the standard normal quantile of g."""
    low = min(g, 1 - g)
    if low == Fraction(1, 2):
        return mp.mpf(0)
    p = to_mpf(low)
    x = mp.sqrt(-2 * mp.log(p))
    for _ in range(300):  # Newton on the log of the tail, which is concave
        tail = mp.erfc(x / mp.sqrt(2)) / 2
        step = tail * mp.log(tail / p) / (mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi))
        x += step
        if abs(step) < abs(x) * mp.mpf(2) ** (20 - mp.prec):
            return x
    raise ArithmeticError("Newton's method for the normal quantile does not converge")


def probit_variance(g, n, k):
    """The variance over n trials of an estimate of g, the win probability of k trials, under a probit model.

    The variance is P(Z, Z' <= h) for normal Z and Z' with correlation 2k/(n+k), less the same with correlation k/(n+k),
    where h is the normal quantile of g. It is computed by Gauss-Legendre quadrature of the difference.
    """
    def value():
        with mp.extraprec(40):
            h, a, b = absolute_normal_quantile(g), mp.sqrt(mp.mpf(n - k) / (n + k)), mp.sqrt(mp.mpf(n) / (n + k))
            points = [((a + b) / 2 + (b - a) / 2 * x, w) for x, w in gauss_legendre()]
            return sum(w * mp.exp(-h * h / (2 - s * s)) / mp.sqrt(2 - s * s) for s, w in points) * (b - a) / (2 * mp.pi)
    return Real(value)


# ---------------------------------------------------------------- metrics

class Plurality:
    """plurality_at_k (even: ties split evenly) or strict_plurality_at_k, as a metric of interval and compare."""

    C, low, span, source = 1, Fraction(0), Fraction(1), "probit"

    def __init__(self, k, even):
        self.k, self.even = k, even

    def read(self, R):
        return rows_of(R)

    def model(self, model):
        return "probit"  # not None, so that a question with k trials does not count as unknown (see variance.py)

    def value(self, row):
        return plurality(row.detail, self.k, self.even)

    def variance(self, row, fit):
        n, k = sum(row), self.k
        J = jackknife(row.detail, lambda d: plurality(d, k, self.even)) if n > k else Fraction(0)
        if n >= 2 * k:
            return J
        V = probit_variance(smoothed_win_probability(row.detail, k, self.even), n, k)
        return total([Fraction(n - k, k) * J, scale(Fraction(2 * k - n, k), V)])

    def step(self, n):
        """The largest step of the value from one more right vote, with two answers, by the metric's rule for ties."""
        U = [plurality((sorted_counts([c]), sorted_counts([n - c]), 0), self.k, self.even) for c in range(n + 1)]
        return max(y - x for x, y in zip(U, U[1:]))


class BestByScore(Plurality):
    """best_of_k as a metric of interval and compare."""

    source = "upper bound"

    def __init__(self, k):
        self.k = k

    def model(self, model):
        return None

    def value(self, row):
        return best_score_success(row.detail, self.k)

    def variance(self, row, fit):
        return jackknife(row.detail, lambda d: best_score_success(d, self.k))

    def step(self, n):
        return Fraction(self.k, n)


METRICS = {"plurality_at_k": lambda k: Plurality(k, True), "strict_plurality_at_k": lambda k: Plurality(k, False), "best_of_k": BestByScore}


def mean_value(rows, g):
    if any(sum(row) == 0 for row in rows):
        raise Refused("no_trials")
    return {"value": sum((g.value(row) for row in rows), Fraction(0)) / len(rows)}


def plurality_at_k(answers, k, ties="even"):
    return mean_value(rows_of(answers), Plurality(k, ties == "even"))


def best_of_k(scored, k):
    return mean_value(rows_of(scored), BestByScore(k))
