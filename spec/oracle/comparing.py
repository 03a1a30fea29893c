"""Two models: their difference, its interval, p-value and what a gate needs."""
from functools import cached_property

from mpmath import mp

from exact import Fraction, Real, to_mpf, clip, exceeds, to_fraction, larger, root, scale, total
from freedom import Units, sampled_variance, paired_variance, satterthwaite
from variance import SOURCES, Estimator, square
from quantile import beta_cdf, beta_quantile, normal_cdf, t_cdf, t_quantile, z

EIGHTHS = 8  # a distance is divided in eighths between questions that were not sampled and sampling variation


def secant(f, a, b):
    """The zero of a function that is nearly linear between a and b, by the secant method."""
    at_a, at_b = f(a), f(b)
    while at_a != at_b and abs(b - a) > abs(b) * mp.mpf(2) ** (10 - mp.prec):
        a, b, at_a = b, b - at_b * (b - a) / (at_b - at_a), at_b
        at_b = f(b)
    return b


def shared_questions(a, b, g, model="mixture"):
    """Estimators of two models on the questions that both have, and the indices of the dropped questions."""
    dropped = [i for i, (x, y) in enumerate(zip(a, b)) if not sum(x) or not sum(y)]
    a, b = (Estimator([x for i, x in enumerate(rows) if i not in dropped], g, model) for rows in (a, b))
    return a, b, dropped


def quantile(confidence, df):
    """The t quantile q with P(|T| <= q) = confidence."""
    return t_quantile(confidence, to_mpf(df))


def bisection(is_enough, low):
    """Two neighbouring positive numbers from low on, between which a monotone condition becomes true."""
    high = 2 * low
    while not is_enough(high):
        low, high = high, 2 * high
    for _ in range(mp.prec):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return low, high


class Difference:
    """The difference D = theta_A - theta_B, with its variance V, degrees of freedom and what a gate needs.

    largest_unit: a function that gives 1/U for a share of the questions; third: a function that gives `third_moments`.
    The symbols are those of spec/families/looks.md.
    """

    def __init__(self, D, V, df, variance_source="measured", dropped=(), largest_unit=None, third=None, parts=(), constant=0):
        self.D, self.V, self.df, self.variance_source, self.dropped = D, V, df, variance_source, list(dropped)
        self.largest_unit, self.third, self.parts = largest_unit, third, parts  # parts: (w_b, difference in benchmark b)
        self.constant = constant  # the part of V that is no estimate

    @cached_property
    def third_moments(self):
        """kappa, the sum of the squares of its terms, beta_F and rho; only for the metrics that gates accept."""
        return self.third()

    def end(self, sign, confidence, span):
        """One end D -+ q sqrt(V), clipped to -span..span, on the scale of w; sign -1: the lower end."""
        if not span or not self.V:
            return span * self.D
        x = Real(lambda: to_mpf(span) * (to_mpf(self.D) + sign * quantile(confidence, self.df) * mp.sqrt(to_mpf(self.V))))
        return clip(x, (-span, span))

    def p_above(self):
        """The probability P(T <= D / sqrt(V))."""
        return Real(lambda: t_cdf(to_mpf(self.D) / mp.sqrt(to_mpf(self.V)), to_mpf(self.df))) if self.D else Fraction(1, 2)

    def p_value_above(self, gap):
        """The p-value P(T >= (D - gap) / sqrt(V)); 0, 1/2 or 1 where V is 0."""
        if not self.V:
            return Fraction(1 + (gap > self.D) - (gap < self.D), 2)
        return Real(lambda: t_cdf(to_mpf(gap - self.D) / mp.sqrt(to_mpf(self.V)), to_mpf(self.df)))

    def variance_at_margin(self, delta):
        """The variance of D if the true difference is -delta and the failing questions were not sampled."""
        s = self.unsampled_share(delta)
        return s * (1 - s) * self.inverse_n0(delta)

    def unsampled_share(self, delta):
        return max(delta, min(abs(self.D + delta), Fraction(1, 2)))

    def inverse_n0(self, delta):
        """The reciprocal 1/U for the largest clusters that make up the share that may not have been sampled."""
        return self.largest_unit(self.unsampled_share(delta))

    def tilted(self, delta):
        """V_kappa and df_kappa: variance and degrees of freedom of D, by its third moment, if the true difference is -delta."""
        def variance():
            moment, squares, bound, range_ = map(to_mpf, self.third_moments)
            x = to_mpf(self.D + delta)
            skew = abs(x) * (mp.sqrt(squares) + bound) - x * moment
            return to_mpf(self.V) + min(range_ * abs(x) * to_mpf(self.inverse_n0(delta)), max(skew, mp.mpf(0)) / to_mpf(self.V))
        V = Real(variance)
        return V, Real(lambda: to_mpf(self.df) * (to_mpf(V) / to_mpf(self.V)) ** 2)

    def p_values_at_margin(self, delta):
        """p-values (worse, better) against a true difference of at most, and of at least, -delta.

        Each is the nearest to 1/2 of three; the one below 1/2 is at least the exact bound.
        """
        x, tilted = self.D + delta, self.tilted(delta)
        worse, better = self.p_value_above(-delta), self.reversed_difference().p_value_above(delta)
        if not self.V or not x:
            return worse, better

        def tail():
            t = -abs(to_mpf(x))
            by_margin = normal_cdf(t / mp.sqrt(to_mpf(self.variance_at_margin(delta))))
            return max(by_margin, *(t_cdf(t / mp.sqrt(to_mpf(V)), to_mpf(df)) for V, df in ((self.V, self.df), tilted)))
        worse, better = (Real(tail), Real(lambda: 1 - tail()))[:: 1 if x > 0 else -1]
        exact = self.p_value_of_the_unsampled(delta)
        return (larger(worse, exact), better) if x > 0 else (worse, larger(better, exact))

    def independent_trials(self, delta):
        """U, at most 2^32."""
        return min(1 / self.inverse_n0(delta), 2**32)

    def p_value_of_the_unsampled(self, delta):
        """The exact bound: if the true difference is -delta, the probability of no more failures in U trials than D has."""
        D, U, x = self.D, self.independent_trials(delta), self.D + delta
        sign = 1 if x > 0 else -1
        if x < 0 or D >= 0:
            p = Real(lambda: (to_mpf(1 - sign * delta) / to_mpf(1 + sign * D)) ** to_mpf(U))
        else:
            p = Real(lambda: beta_cdf(to_mpf(1 - delta), to_mpf(U + D * U), to_mpf(1 - D * U)))
        return larger(p, Real(lambda: self.p_value_of_suite(sign, to_mpf(abs(x)), delta))) if len(self.parts) > 1 else p

    def p_value_of_suite(self, sign, x, delta):
        """The largest of H(x) and the products of H(j x/8) and the probability that D varies by the rest of x, j = 1..7."""
        products = [self.log_p_of_both(sign, x, j, delta) for j in range(1, EIGHTHS)]
        return mp.exp(max(self.log_p_of_hidden_shares(sign, x, delta), *products))

    def log_p_of_both(self, sign, x, j, delta):
        """log of H(j x/8) P(T > (1 - j/8) x / sqrt(V))."""
        rest = t_cdf(-x * (EIGHTHS - j) / EIGHTHS / mp.sqrt(to_mpf(self.V)), to_mpf(self.df))
        return self.log_p_of_hidden_shares(sign, x * j / EIGHTHS, delta) + mp.log(rest)

    def reach_of_suite(self, sign, level, delta):
        """The distance x at which p_value_of_suite() is the level."""
        reach = hidden = self.reach_of_hidden_shares(sign, level, delta)
        if not hidden:
            return hidden
        variation, target = t_quantile(1 - 2 * level, to_mpf(self.df)) * mp.sqrt(to_mpf(self.V)), mp.log(to_mpf(level))
        for j in range(1, EIGHTHS):
            def excess(x):
                return self.log_p_of_both(sign, x, j, delta) - target
            most = min(hidden * EIGHTHS / j, variation * EIGHTHS / (EIGHTHS - j))
            if reach < most and excess(reach) > 0:
                reach = secant(excess, reach, most)
        return reach

    def sizes_of_parts(self, sign, delta):
        """(U_b, a_b) of each benchmark with a_b > 0; a_b: the change of D if its share h_b is 1."""
        s = self.unsampled_share(delta)
        sizes = [(1 / d.largest_unit(min(s / w, Fraction(1))), w * (1 + sign * d.D)) for w, d in self.parts]
        return [(to_mpf(U), to_mpf(a)) for U, a in sizes if a]

    def log_p_of_hidden_shares(self, sign, x, delta):
        """log H(x): the largest sum of U_b log(1 - h_b) over shares h_b with the sum of a_b h_b = x."""
        sizes = self.sizes_of_parts(sign, delta)
        def shares(multiplier):
            return [max(mp.mpf(0), 1 - U / (a * multiplier)) for U, a in sizes]
        def reached(multiplier):
            return sum(a * h for (_, a), h in zip(sizes, shares(multiplier)))
        low, high = bisection(lambda y: reached(y) >= x, min(U / a for U, a in sizes))
        kept = [(U, a) for U, a in sizes if U / a < mp.sqrt(low * high)]  # benchmarks with a share above 0
        multiplier = sum(U for U, _ in kept) / (sum(a for _, a in kept) - x)
        return sum(U * mp.log(U / (a * multiplier)) for U, a in kept)

    def reach_of_hidden_shares(self, sign, level, delta):
        """The distance x at which H(x) is the level."""
        sizes, target = self.sizes_of_parts(sign, delta), mp.log(to_mpf(level))
        if not sizes:
            return mp.mpf(0)
        def log_p(multiplier):
            return sum(U * min(mp.mpf(0), mp.log(U / (a * multiplier))) for U, a in sizes)
        low, high = bisection(lambda y: log_p(y) <= target, min(U / a for U, a in sizes))
        kept = [(U, a) for U, a in sizes if U / a < mp.sqrt(low * high)]  # benchmarks with a share above 0
        multiplier = mp.exp((sum(U * mp.log(U / a) for U, a in kept) - target) / sum(U for U, _ in kept))
        return sum(a - U / multiplier for U, a in kept)

    def reach_of_the_unsampled(self, sign, level, delta):
        """The distance from D at which p_value_of_the_unsampled() equals level; sign -1: below D, 1: above D."""
        D, U = to_mpf(self.D), to_mpf(self.independent_trials(delta))
        if sign > 0 or self.D >= 0:
            reach = (1 - sign * D) * (1 - to_mpf(level) ** (1 / U))
        else:
            reach = 1 + D - (beta_quantile(to_mpf(level), U + D * U, 1 - D * U) if self.D > -1 else 0)
        return max(reach, self.reach_of_suite(-sign, level, delta)) if len(self.parts) > 1 else reach

    def reach(self, sign, level, delta=None):
        """The distance of one end from D, at a one-sided level; delta: also by the variances and bound at this margin."""
        variances = [(self.V, self.df)] if delta is None else [(self.V, self.df), self.tilted(delta)]
        reaches = [t_quantile(1 - 2 * level, to_mpf(df)) * mp.sqrt(to_mpf(V)) for V, df in variances]
        if delta is not None:
            reaches += [z(1 - 2 * level) * mp.sqrt(to_mpf(self.variance_at_margin(delta))), self.reach_of_the_unsampled(sign, level, delta)]
        return max(reaches)

    def reversed_difference(self):
        """The difference of the models exchanged, theta_B - theta_A."""
        def third():
            moment, *rest = self.third_moments
            return scale(Fraction(-1), moment), *rest
        parts = [(w, d.reversed_difference()) for w, d in self.parts]
        return Difference(-self.D, self.V, self.df, self.variance_source, self.dropped, self.largest_unit, third, parts, self.constant)

    def p_value(self):
        """The two-sided p-value P(|T| >= |D| / sqrt(V))."""
        return Real(lambda: 2 * t_cdf(-abs(to_mpf(self.D)) / mp.sqrt(to_mpf(self.V)), to_mpf(self.df))) if self.D else Fraction(1)

    def fields(self, confidence, span, level=None, ends=None):
        """The fields that `compare` returns; level: the confidence of the interval, by default `confidence`."""
        c, p = to_fraction(confidence), self.p_value()
        lo, hi = ends or (self.end(sign, c if level is None else level, span) for sign in (-1, 1))
        return {"mu": span * self.D, "sigma": root(scale(span**2, self.V)), "lo": lo, "hi": hi, "p_value": p, "df": self.df,
                "p_above": self.p_above(), "significant": not exceeds(p, 1 - c), "variance_source": self.variance_source, "dropped": self.dropped}


def paired_difference(rows, other, g, fixed, model="mixture", clusters=None):
    """The difference of two models on the questions that both have."""
    a, b, dropped = shared_questions(rows, other, g, model)
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    V, df = paired_variance(a, b, fixed, labels)
    D, variance_source = a.theta - b.theta, max(a.variance_source, b.variance_source, key=SOURCES.index) if fixed else "measured"
    if fixed and not (a.all_unknown or b.all_unknown):
        return Difference(D, V, df, variance_source, dropped, lambda share: max(a.inverse_n0, b.inverse_n0), lambda: third_moments_of_trials(a, b), constant=scale(Fraction(1, a.M**2), max(a.s, b.s)))
    units, d = Units(a.M, labels), [x - y for x, y in zip(a.x, b.x)]
    return Difference(D, V, df, variance_source, dropped, units.largest_unit, lambda: third_moments_of_samples(units.cubes(d), units.means(d)), constant=units.Q / (2 * a.M))


def third_moments_of_trials(a, b):
    """The third_moments of a Difference over the trials of fixed questions."""
    terms = [*a.third_moments, *(scale(Fraction(-1), x) for x in b.third_moments)]
    parts = total(terms), total(map(square, terms)), total([a.third_bound, b.third_bound])
    return *(scale(Fraction(1, a.M**e), x) for e, x in zip((3, 6, 3), parts)), Fraction(1)


def third_moments_of_samples(terms, d=None):
    """The third_moments of a Difference over sampled units; d: their differences, None for different questions."""
    return sum(terms), sum(x * x for x in terms), Fraction(0), max(Fraction(1), max(d) - min(d)) if d else Fraction(1)


def unpaired_difference(rows, other, g, model="mixture"):
    """The difference of two models on different questions."""
    a, b = Estimator(rows, g, model), Estimator(other, g, model)
    def third():
        return third_moments_of_samples([*Units(a.M).cubes(a.x), *(-x for x in Units(b.M).cubes(b.x))])
    return Difference(a.theta - b.theta, *satterthwaite([sampled_variance(a), sampled_variance(b)]), largest_unit=lambda share: Fraction(1, min(a.M, b.M)), third=third)
