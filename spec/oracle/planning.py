"""Numbers of trials or questions needed for a difference with a given power, or for an interval of a given width."""
from functools import lru_cache
from math import comb, floor

from mpmath import mp

import hypergeometric
from exact import Fraction, Real, Refused, to_mpf, exceeds, to_fraction, scale, double
from freedom import MAX_DF, Units, largest_range, trial_variance_df
from variance import MaxAtK, FlipRate, Mean, Estimator, parse_metric, read_counts
from quantile import t_quantile
from quantile import z as normal_quantile


def smallest(is_enough, start=1):
    """The smallest whole number from start for which a monotone condition is true."""
    low, high = start - 1, start
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def smallest_for_width(theta, variance, n0, half_width, confidence, start=1):
    """The smallest number at which Wilson's half width is at most half_width, n_eff = max(n0, theta (1 - theta)/V)."""
    p = theta * (1 - theta)

    def is_enough(n):
        n_eff = max(n0(n), p / variance(n)) if p else n0(n)

        def width():
            q = normal_quantile(to_fraction(confidence)) ** 2 / to_mpf(n_eff)
            return mp.sqrt(q * to_mpf(p) + q * q / 4) / (1 + q)
        return not exceeds(Real(width), half_width)
    return smallest(is_enough, start)


def required_z(z, power, confidence, df=None):
    """The required difference in standard errors: z if given, else a quantile of t (normal without df) plus that of the power."""
    if z is not None:
        return to_fraction(z)
    c = to_fraction(confidence)
    critical = Real(lambda: normal_quantile(c)) if df is None else Fraction(double(Real(lambda: t_quantile(c, to_mpf(df)))))
    return Real(lambda: to_mpf(critical) + power_quantile(to_fraction(power)))


def share_of_confidence(power, confidence):
    """z_(1 - alpha/2)/(z_(1 - alpha/2) + z_power), the part of the required standard errors that the interval takes."""
    return Real(lambda: normal_quantile(to_fraction(confidence)) / required_z(None, power, confidence).evaluate())


def power_quantile(power):
    """The normal quantile z with P(Z <= z) = power, power at least 1/2."""
    return normal_quantile(2 * power - 1) if power > Fraction(1, 2) else 0


def assumed_difference(D, difference, g):
    """The difference to be detected, on the scale 0..1."""
    return D if difference is None or not g.span else to_fraction(difference) / g.span


def smallest_for_difference(D, V, z_required, start=1):
    """The smallest number n from start with |D| >= z_required sqrt(V(n)); None for D = 0."""
    square = z_required * z_required if isinstance(z_required, Fraction) else Real(lambda: to_mpf(z_required) ** 2)
    return smallest(lambda n: not exceeds(scale(V(n), square), D * D), start) if D else None


# ---------------------------------------------------------------- the variance at another number of trials

def overlap_shares(k, N):
    """The shares of pairs of blocks of k of N trials that have c trials in common, c = 0..k."""
    return [Fraction(comb(k, c) * comb(N - k, k - c), comb(N, k)) for c in range(k + 1)]


def mean_products(g, row):
    """The mean products of the credits of two blocks that have c trials in common, c = 0..k."""
    if isinstance(g, MaxAtK):
        return [mean_products_of_bests(g, row, c) for c in range(g.k + 1)]
    if isinstance(g, Mean):
        n, x = sum(row), g.value(row)
        squares = sum((m * y * y for m, y in zip(row, g.u)), Fraction(0))
        return [(n * n * x * x - squares) / (n * (n - 1)), squares / n]
    return [mean_credit(sum(row), row[1], split_products(g.A, c)) for c in range(g.k + 1)]


@lru_cache(None)
def split_products(A, c):
    """The mean product of credits for l successes in 2k - c trials, over splits into two blocks with c in common."""
    k, means = len(A) - 1, []
    for l in range(2 * k - c + 1):
        products = sum((comb(c, j) * comb(k - c, i) * comb(k - c, l - i - j) * A[i + j] * A[l - i] for j in range(c + 1) for i in range(k - c + 1)
                    if 0 <= l - i - j <= k - c), Fraction(0))
        means.append(products / comb(2 * k - c, l))
    return tuple(means)


def mean_credit(n, c, B):
    return hypergeometric.credit(n, c, len(B) - 1, B)


def mean_products_of_bests(g, row, c):
    """The mean product of the best scores of two blocks that have c trials in common."""
    n, k = sum(row), g.k
    below = [g.below(row, r) for r in g.levels]

    def miss_probability(b):
        return Fraction(comb(b, k), comb(n, k))

    def both_miss(x, y):
        lo, hi = min(x, y), max(x, y)
        return miss_probability(lo) * Fraction(comb(max(hi - k, 0), k - c), comb(n - k, k - c))
    return sum((p * q * (1 - miss_probability(x) - miss_probability(y) + both_miss(x, y)) for p, x in zip(g.gaps, below) for q, y in zip(g.gaps, below)), Fraction(0))


class Growth:
    """The variance of a model's metric over trials, as a function of the number of trials N."""

    def __init__(self, estimator, rows, g):
        self.estimator, self.g = estimator, g
        rows = [row for row in rows if sum(row)]
        if g.k == 1 and isinstance(g, Mean) and not isinstance(g, MaxAtK):
            self.flip_bound, self.parts = Fraction(0), [Fraction(0), sum(n * v for n, v in zip(estimator.n, estimator.v))]  # v of a single trial: an upper bound
            return
        if min(estimator.n) < 2 * g.k:
            raise Refused("range")
        parts = [sum(x) for x in zip(*(mean_products(g, row) for row in rows))]
        self.parts = [x - parts[0] for x in parts]
        self.flip_bound = parts[-1] if isinstance(g, FlipRate) else Fraction(0)

    def trial_variance(self, N):
        return max(sum(h * x for h, x in zip(overlap_shares(self.g.k, N), self.parts)), self.flip_bound / (N * (N - 1)) if self.flip_bound else Fraction(0))

    def step(self, N):
        """The s(N) of families/plans.md, with D for trials that differ by the whole scale."""
        return self.g.step(N) * Fraction(self.g.k, N + self.g.k - 1)


def estimators_and_rows(R, R_b, g, missing, model):
    """Estimators of one model, or of two on the questions of which both have trials; their rows; the dropped questions."""
    rows = [read_counts(x, g, missing)[0] for x in (R, R_b) if x is not None]
    dropped = [i for i, both_rows in enumerate(zip(*rows)) if not all(map(sum, both_rows))]
    rows = [[row for i, row in enumerate(x) if i not in dropped] for x in rows]
    return [Estimator(x, g, model) for x in rows], rows, dropped


def trials_needed(R, R_b=None, w=None, metric="mean", k=None, tau=None, half_width=None, difference=None, power=0.8, z=None, confidence=0.95, missing="raise"):
    g = parse_metric(metric, k, tau, w)
    estimators, rows, _ = estimators_and_rows(R, R_b, g, missing, "mixture")
    growths = [Growth(a, x, g) for a, x in zip(estimators, rows)]
    a, M, factor = estimators[0], estimators[0].M, largest_range(estimators) ** 2

    def V(N):
        return (sum(x.trial_variance(N) for x in growths) + factor * growths[0].step(N)) / M**2
    if R_b is not None:
        return {"trials": smallest_for_difference(assumed_difference(a.theta - estimators[1].theta, difference, g), V,
                                                  required_z(z, power, confidence, trial_variance_df(*estimators)), 2 * g.k)}
    if not g.span:
        return {"trials": 2 * g.k}
    return {"trials": smallest_for_width(a.theta, V, lambda N: Fraction(N * M, g.k), to_fraction(half_width) / g.span, confidence, 2 * g.k)}


def questions_needed(R, R_b=None, w=None, metric="mean", k=None, tau=None, half_width=None, difference=None, power=0.8, z=None, confidence=0.95, clusters=None, model="mixture",
                     missing="raise"):
    g = parse_metric(metric, k, tau, w)
    estimators, _, dropped = estimators_and_rows(R, R_b, g, missing, model)
    a = estimators[0]
    units = Units(a.M, clusters and [x for i, x in enumerate(clusters) if i not in dropped])
    if R_b is not None:
        d = [x - y for x, y in zip(a.x, estimators[1].x)]
        S, D = sum(units.squares(d)) * a.M, assumed_difference(sum(d) / a.M, difference, g)
        if z is not None:
            return {"questions": smallest_for_difference(D, lambda Q: S / Q, to_fraction(z))}
        return {"questions": questions_by_t(D, S, units, to_fraction(power), to_fraction(confidence))}
    S, cluster_factor = sum(units.squares(a.x)) * a.M, units.Q * a.M
    if not g.span:
        return {"questions": 1}
    return {"questions": smallest_for_width(a.theta, lambda Q: (Q * S + cluster_factor**2 / 12) / Q**2, lambda Q: Q / cluster_factor, to_fraction(half_width) / g.span, confidence)}


def questions_by_t(D, S, units, power, confidence):
    """The number Q of questions at which D reaches the required standard errors, with the t quantile and enough units for flips."""
    if not D:
        return None
    units_per_question = (units.bell_mccaffrey() + 1) / units.M if len(set(units.w)) > 1 else Fraction(units.G, units.M)

    def is_enough(Q):
        n = Q * units_per_question
        if n < 2 or n <= 64 and 2 ** (1 - floor(n)) > 1 - confidence:
            return False
        t = Real(lambda: t_quantile(confidence, to_mpf(min(n - 1, MAX_DF))))
        return not exceeds(Real(lambda: (to_mpf(t) + power_quantile(power)) ** 2 * to_mpf(S)), D**2 * Q)
    # the normal quantile is below that of t: it needs no more questions
    start = smallest(lambda Q: not exceeds(Real(lambda: (normal_quantile(confidence) + power_quantile(power)) ** 2 * to_mpf(S)), D**2 * Q)) if S else 1
    return start - 1 + smallest(lambda i: is_enough(start - 1 + i))
