"""Numbers of trials or questions needed for a difference with a stated power, or for an interval of a stated width."""
from functools import lru_cache
from math import comb

from mpmath import mp

import hypergeometric
from exact import Fraction, Real, Refused, at, exceeds, frac, scale
from freedom import MOST, Units
from variance import Best, Flips, Mean, Estimator, parse_request, read_counts
from quantile import t_quantile
from quantile import z as normal_quantile


def smallest(enough, start=1):
    """The smallest whole number from start for which enough() is true, if it is true for all larger ones too."""
    low, high = start - 1, start
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (low, mid) if enough(mid) else (mid, high)
    return high


def smallest_for_width(theta, variance, n0, half_width, confidence, start=1):
    """The smallest number at which Wilson's half width with n_eff = max(n0, theta(1-theta)/V) is at most half_width, on 0..1."""
    p = theta * (1 - theta)

    def enough(n):
        n_eff = max(n0(n), p / variance(n)) if p else n0(n)

        def width():
            q = normal_quantile(frac(confidence)) ** 2 / at(n_eff)
            return mp.sqrt(q * at(p) + q * q / 4) / (1 + q)
        return not exceeds(Real(width), half_width)
    return smallest(enough, start)


def demand_of(z, power, confidence):
    """The number of standard errors that the difference must be: z if it is given, else the quantiles of confidence (two-sided) and power."""
    if z is not None:
        return frac(z)
    return Real(lambda: normal_quantile(frac(confidence)) + signed_quantile(frac(power)))


def signed_quantile(power):
    """The normal quantile z with P(Z <= z) = power, power at least 1/2."""
    return normal_quantile(2 * power - 1) if power > Fraction(1, 2) else 0


def assumed_difference(D, difference, g):
    """The difference to be detected, on the unit scale; None if all scores are equal."""
    return D if difference is None or not g.span else frac(difference) / g.span


def smallest_for_difference(D, V, demand, start=1):
    """The smallest number n from start with |D| >= demand sqrt(V(n)); None for D = 0."""
    square = demand * demand if isinstance(demand, Fraction) else Real(lambda: at(demand) ** 2)
    return smallest(lambda n: not exceeds(scale(V(n), square), D * D), start) if D else None


# ---------------------------------------------------------------- the variance at another number of trials

def overlap(k, N):
    """Share of the pairs of blocks of k of N trials that share c trials, c = 0..k."""
    return [Fraction(comb(k, c) * comb(N - k, k - c), comb(N, k)) for c in range(k + 1)]


def shared(g, row):
    """Mean product of the credits of two blocks that share c trials, for c = 0..k."""
    if isinstance(g, Best):
        return [shared_best(g, row, c) for c in range(g.k + 1)]
    if isinstance(g, Mean):
        n, x = sum(row), g.value(row)
        squares = sum((m * y * y for m, y in zip(row, g.u)), Fraction(0))
        return [(n * n * x * x - squares) / (n * (n - 1)), squares / n]
    return [drawn_any(sum(row), row[1], overlapping(g.A, c)) for c in range(g.k + 1)]


@lru_cache(None)
def overlapping(A, c):
    """Mean product of credits for l successes of 2k - c trials, over all splits into two blocks that share c."""
    k, out = len(A) - 1, []
    for l in range(2 * k - c + 1):
        products = sum((comb(c, j) * comb(k - c, i) * comb(k - c, l - i - j) * A[i + j] * A[l - i] for j in range(c + 1) for i in range(k - c + 1)
                    if 0 <= l - i - j <= k - c), Fraction(0))
        out.append(products / comb(2 * k - c, l))
    return tuple(out)


def drawn_any(n, c, B):
    return hypergeometric.credit(n, c, len(B) - 1, B)


def shared_best(g, row, c):
    """Mean product of the best scores of two blocks that share c trials, from the levels that both reach."""
    n, k = sum(row), g.k
    below = [g.below(row, r) for r in g.levels]

    def miss(b):
        return Fraction(comb(b, k), comb(n, k))

    def both_miss(x, y):
        lo, hi = min(x, y), max(x, y)
        return miss(lo) * Fraction(comb(max(hi - k, 0), k - c), comb(n - k, k - c))
    return sum((p * q * (1 - miss(x) - miss(y) + both_miss(x, y)) for p, x in zip(g.gaps, below) for q, y in zip(g.gaps, below)), Fraction(0))


class Growth:
    """The variance over the trials of one model's metric as a function of the number of trials N."""

    def __init__(self, side, rows, g):
        self.side, self.g = side, g
        rows = [row for row in rows if sum(row)]
        if g.k == 1 and isinstance(g, Mean) and not isinstance(g, Best):
            self.flips, self.parts = Fraction(0), [Fraction(0), sum(n * v for n, v in zip(side.n, side.v))]  # with a single trial per question this is an upper bound
            return
        if min(side.n) < 2 * g.k:
            raise Refused("range")
        parts = [sum(x) for x in zip(*(shared(g, row) for row in rows))]
        self.parts = [x - parts[0] for x in parts]
        self.flips = parts[-1] if isinstance(g, Flips) else Fraction(0)

    def trials(self, N):
        return max(sum(h * x for h, x in zip(overlap(self.g.k, N), self.parts)), self.flips / (N * (N - 1)) if self.flips else Fraction(0))

    def step(self, N):
        return self.g.step(N) * Fraction(self.g.k, N + self.g.k - 1)

    def variance(self, N):
        return (self.trials(N) + self.step(N)) / self.side.M**2


def estimators_and_rows(R, R_b, g, missing, model):
    """Estimators of one model, or of two on shared questions, their rows, and the questions left out."""
    rows = [read_counts(x, g, missing)[0] for x in (R, R_b) if x is not None]
    out = [i for i, both_rows in enumerate(zip(*rows)) if not all(map(sum, both_rows))]
    rows = [[row for i, row in enumerate(x) if i not in out] for x in rows]
    return [Estimator(x, g, model) for x in rows], rows, out


def trials_needed(R, R_b=None, w=None, metric="mean", k=None, tau=None, half_width=None, difference=None, power=0.8, z=None, confidence=0.95, missing="raise"):
    g = parse_request(metric, k, tau, w)
    estimators, rows, _ = estimators_and_rows(R, R_b, g, missing, "mixture")
    grow = [Growth(side, x, g) for side, x in zip(estimators, rows)]
    a, M = estimators[0], estimators[0].M
    if R_b is not None:
        def V(N):
            return (sum(x.trials(N) for x in grow) + grow[0].step(N)) / M**2
        return {"trials": smallest_for_difference(assumed_difference(a.theta - estimators[1].theta, difference, g), V, demand_of(z, power, confidence), g.k)}
    if not g.span:
        return {"trials": g.k}
    return {"trials": smallest_for_width(a.theta, grow[0].variance, lambda N: Fraction(N * M, g.k), frac(half_width) / g.span, confidence, g.k)}


def questions_needed(R, R_b=None, w=None, metric="mean", k=None, tau=None, half_width=None, difference=None, power=0.8, z=None, confidence=0.95, clusters=None, model="mixture",
                     missing="raise"):
    g = parse_request(metric, k, tau, w)
    estimators, _, out = estimators_and_rows(R, R_b, g, missing, model)
    a = estimators[0]
    units = Units(a.M, clusters and [x for i, x in enumerate(clusters) if i not in out])
    if R_b is not None:
        d = [x - y for x, y in zip(a.x, estimators[1].x)]
        S, part = sum(units.squares(d)) * a.M, units.Q * a.M / 3
        D = assumed_difference(sum(d) / a.M, difference, g)
        if z is not None:
            return {"questions": smallest_for_difference(D, lambda Q: (Q * S + part) / Q**2, frac(z))}
        return {"questions": questions_by_t(D, S, part, units, sum(y * y for y in units.squares(d)), frac(power), frac(confidence))}
    S, share = sum(units.squares(a.x)) * a.M, units.Q * a.M
    if not g.span:
        return {"questions": 1}
    return {"questions": smallest_for_width(a.theta, lambda Q: (Q * S + share**2 / 12) / Q**2, lambda Q: Q / share, frac(half_width) / g.span, confidence)}


def questions_by_t(D, S, c, units, squares, power, confidence):
    """The number Q of questions at which D reaches the standard errors that the t distribution and the power demand."""
    if not D:
        return None
    M, df_per_question = units.M, (units.bell_mccaffrey() + 1) / units.M if len(set(units.w)) > 1 else Fraction(units.G, units.M)
    B = M**3 * squares - S * S * M / units.G  # variance of what one more question adds to Q S
    fewest = c * (B - 2 * S * c) / (S * B) if B > 2 * S * c > 0 else 0  # where the degrees of freedom are fewest

    def demand(Q, t):
        return Real(lambda: (at(t) + signed_quantile(power)) ** 2 * at(Q * S + c))

    def enough(Q):
        q, df_of_sizes = max(Q, fewest), Q * df_per_question - 1
        df = min(df_of_sizes, 2 * (q * S + c) ** 2 / (q * B + c * c), MOST)
        return df_of_sizes >= 1 and not exceeds(demand(Q, Real(lambda: t_quantile(confidence, df))), (D * Q) ** 2)
    start = smallest(lambda Q: not exceeds(demand(Q, Real(lambda: normal_quantile(confidence))), (D * Q) ** 2))
    return start - 1 + smallest(lambda i: enough(start - 1 + i))
