"""Two models: their difference, its interval, p-value and what a gate needs."""
from functools import reduce

from mpmath import mp

from exact import Fraction, Real, to_mpf, clip, exceeds, to_fraction, larger, root, scale, total
from flips import sign_flips
from freedom import Units, fixed_variance, least_guard, parts_of_fixed, satterthwaite
from runs import FIXED
from variance import SOURCES, Estimator
from quantile import beta_cdf, beta_quantile, t_cdf, t_quantile

NONE = Fraction(0)


def shared_questions(a, b, g, model="mixture"):
    """Estimators of two models on the questions that both have, and the indices of the dropped questions."""
    dropped = [i for i, (x, y) in enumerate(zip(a, b)) if not sum(x) or not sum(y)]
    a, b = (Estimator([x for i, x in enumerate(rows) if i not in dropped], g, model) for rows in (a, b))
    return a, b, dropped


def quantile(confidence, df):
    """The t quantile q with P(|T| <= q) = confidence."""
    return t_quantile(confidence, to_mpf(df))


class Difference:
    """The difference D = theta_A - theta_B, with its variance V, degrees of freedom and what a gate needs.

    unit: 1/U; terms: those of kappa; units: the contributions to D of the units that were sampled, with their shares; least: V with a guard of 1
    of units that do not differ; with_runs: V_lambda and df_lambda (None: there is none, spec/families/runs.md). The symbols are those of spec/families/comparisons.md and looks.md.
    """

    def __init__(self, D, V, df, variance_source="measured", dropped=(), unit=NONE, guard=NONE, terms=(), units=None, least=NONE, by_trials=False, with_runs=None):
        self.D, self.V, self.df, self.variance_source, self.dropped = D, V, df, variance_source, list(dropped)
        self.unit, self.guard, self.terms, self.units, self.least = unit, guard, list(terms), units, least
        self.by_trials = by_trials  # fixed questions: U trials, not units, are independent
        self.with_runs = with_runs

    def flips(self, gap):
        """The two-sided p-value of D = gap by the signs of the units; None where it is not computed."""
        return sign_flips([x - w * gap for x, w in self.units]) if self.units else None

    def end(self, sign, confidence, span):
        """One end of the interval of D, clipped to -span..span, on the scale of w; sign -1: the lower end."""
        return clip(total([span * self.D, scale(sign * span, self.half_width(confidence))]), (-span, span))

    def half_width(self, confidence, gap=NONE):
        """Half the width of the interval, at least that with runs."""
        h = self.half_width_of_fixed_runs(confidence, gap)
        return larger(h, self.half_width_of_sampled_runs(confidence)) if self.with_runs else h

    def half_width_of_sampled_runs(self, confidence):
        V, df = self.with_runs
        return Real(lambda: quantile(confidence, df) * mp.sqrt(to_mpf(V)))

    def reported(self, confidence):
        """V and df, or those with runs if these give the wider interval."""
        if not self.with_runs:
            return self.V, self.df
        by_t = Real(lambda: quantile(confidence, self.df) * mp.sqrt(to_mpf(self.V))) if self.V else NONE
        return self.with_runs if exceeds(self.half_width_of_sampled_runs(confidence), by_t) else (self.V, self.df)

    def half_width_of_fixed_runs(self, confidence, gap):
        """q sqrt(V), or up to the gap if it would exclude a gap that the flips do not."""
        x, p = abs(self.D - gap), self.flips(gap)
        if not self.V:
            unseen = Real(lambda: quantile(confidence, Fraction(2)) * mp.sqrt(to_mpf(self.least))) if self.least else Fraction(0)
            return unseen if not x else Fraction(0) if p is None else x if p >= 1 - confidence else scale(x, Real(lambda: quantile(confidence, self.df) / quantile(1 - p, self.df)))
        by_t = Real(lambda: quantile(confidence, self.df) * mp.sqrt(to_mpf(self.V)))
        return larger(by_t, x) if p is not None and p > 1 - confidence else by_t

    def p_above(self):
        """The probability P(T <= D / sqrt(V)), no nearer to 0 or 1 than the flips allow."""
        return self.p_value_above(Fraction(0), -1)

    def p_value_above(self, gap, sign=1):
        """The p-value P(T >= (D - gap) / sqrt(V)), for sign -1 P(T <= ...), no nearer to 0 or 1 than the flips allow."""
        x, p = sign * (gap - self.D), self.flips(gap)
        tail = scale(Fraction(1, 2), p or Fraction(0))
        for V, df in [(self.V, self.df), *([self.with_runs] if self.with_runs else [])] if x else ():
            if V:
                tail = larger(tail, Real(lambda V=V, df=df: t_cdf(-abs(to_mpf(x)) / mp.sqrt(to_mpf(V)), to_mpf(df))))
        if not x:
            return Fraction(1, 2)
        return tail if x < 0 else total([Fraction(1), scale(Fraction(-1), tail)])

    def tilted(self, delta):
        """V_kappa, the variance of D if the true difference is -delta."""
        if not self.guard or not any(self.terms):
            return self.V

        def variance():
            x, kappa, beta = to_mpf(self.D + delta), to_mpf(sum(self.terms)), mp.sqrt(to_mpf(sum(y * y for y in self.terms)))
            return to_mpf(self.V) + max(beta * abs(x) - x * kappa, mp.mpf(0)) / to_mpf(self.V)
        return Real(variance)

    def p_values_at_margin(self, delta):
        """p-values (worse, better) against a true difference of at most, and of at least, -delta."""
        x, V = self.D + delta, self.tilted(delta)
        if not x:
            return Fraction(1, 2), Fraction(1, 2)
        small = self.p_value_above(-delta, 1 if x > 0 else -1)
        if self.V:
            tilted = Real(lambda: t_cdf(-abs(to_mpf(x)) / mp.sqrt(to_mpf(V)), to_mpf(self.df)))
            small = larger(small, tilted)
        large = total([Fraction(1), scale(Fraction(-1), small)])
        if self.V:
            small = larger(small, self.p_value_of_the_unsampled(delta))
        return (small, large) if x > 0 else (large, small)

    def independent_trials(self):
        """U, at most 2^32."""
        return min(1 / self.unit, 2**32)

    def p_value_of_the_unsampled(self, delta):
        """The exact bound: if the true difference is -delta, the probability of no more failures in U trials than D has."""
        U, D, delta = self.independent_trials(), *self.on_guard(self.D, delta)
        if D is None or D + delta > 0 and delta >= 1:
            return Fraction(0)
        if self.by_trials and D + delta > 0 > D:
            return Real(lambda: beta_cdf(to_mpf(1 - delta), to_mpf(U + D * U), to_mpf(1 - D * U)))
        share = self.ratio(D, delta)
        return share ** int(U) if U == int(U) <= 10**4 else Real(lambda: to_mpf(share) ** to_mpf(U))

    def on_guard(self, *xs):
        """Numbers on the scale of the guard; None if it is 0."""
        return [x / self.guard if self.guard else None for x in xs]

    @staticmethod
    def ratio(D, delta):
        """The smallest share of sampled questions that can show D if the true difference is -delta and the others differ by 1."""
        sign = 1 if D + delta > 0 else -1
        return (1 - sign * delta) / (1 + sign * D)

    def trials_of_the_unsampled(self, level, delta, share):
        """The independent trials at which the exact bound reaches this share of the way to -delta; None where there is no bound."""
        D, delta = self.on_guard(self.D, delta)
        if D is None or D + delta > 0 and delta >= 1:
            return None
        return Real(lambda: mp.log(to_mpf(level)) / mp.log1p(to_mpf(self.ratio(D, delta) - 1) * to_mpf(share)))

    def reach_of_the_unsampled(self, sign, level):
        """The distance from D at which p_value_of_the_unsampled() equals level; sign -1: below D, 1: above D."""
        U, (D,) = self.independent_trials(), self.on_guard(self.D)
        if D is None or sign * D >= 1:
            return Fraction(0)
        if not self.by_trials or sign > 0 or D >= 0:
            return Real(lambda: to_mpf(self.guard * (1 - sign * D)) * (1 - to_mpf(level) ** (1 / to_mpf(U))))
        return Real(lambda: to_mpf(self.guard) * (1 + to_mpf(D) - beta_quantile(to_mpf(level), to_mpf(U + D * U), to_mpf(1 - D * U))))

    def reach(self, sign, level, delta):
        """The distance of one end from D, at a one-sided level, also by V_kappa at the margin delta and by the exact bound."""
        if not self.V:
            return self.half_width(1 - 2 * level, -delta)
        V = self.tilted(delta)
        by_tilting = Real(lambda: t_quantile(1 - 2 * level, to_mpf(self.df)) * mp.sqrt(to_mpf(V)))
        return reduce(larger, (self.half_width(1 - 2 * level, -delta), by_tilting, self.reach_of_the_unsampled(sign, level)))

    def reversed_difference(self):
        """The difference of the models exchanged, theta_B - theta_A."""
        units = self.units and [(-x, w) for x, w in self.units]
        return Difference(-self.D, self.V, self.df, self.variance_source, self.dropped, self.unit, self.guard, [-x for x in self.terms], units, self.least, self.by_trials, self.with_runs)

    def p_value(self):
        """The two-sided p-value P(|T| >= |D| / sqrt(V)), at least that of the flips."""
        return scale(Fraction(2), self.p_value_above(Fraction(0), 1 if self.D > 0 else -1)) if self.D else Fraction(1)

    def fields(self, confidence, span, level=None, ends=None):
        """The fields that `compare` returns; level: the confidence of the interval, by default `confidence`."""
        c, p = to_fraction(confidence), self.p_value()
        level = c if level is None else level
        lo, hi = ends or (self.end(sign, level, span) for sign in (-1, 1))
        V, df = self.reported(level)
        return {"mu": span * self.D, "sigma": root(scale(span**2, V)), "lo": lo, "hi": hi, "p_value": p, "df": df,
                "p_above": self.p_above(), "significant": not exceeds(p, 1 - c), "variance_source": self.variance_source, "dropped": self.dropped}


def paired_difference(rows, other, g, fixed, model="mixture", clusters=None, guard=NONE, runs=None):
    """The difference of two models on the questions that both have; runs: a Sampled, or None."""
    a, b, dropped = shared_questions(rows, other, g, model)
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    D, single = a.theta - b.theta, a.all_unknown or b.all_unknown
    if fixed and not single:
        variance_source = max(a.variance_source, b.variance_source, key=SOURCES.index)
        V, df = fixed_variance(a, b)
        unit, of_pair = (runs or FIXED).unit(a.inverse_n0, b.inverse_n0), runs and runs.over(*parts_of_fixed(a, b))
        return Difference(D, V, df, variance_source, dropped, unit, guard, by_trials=True, with_runs=of_pair and of_pair.variance(V, df))
    units, d, guard = Units(a.M, labels), [x - y for x, y in zip(a.x, b.x)], max(guard, least_guard(a, b))
    variance_source = "upper bound" if fixed else "measured"
    V, df = units.guarded(d, guard)
    with_runs = runs and runs.over(*([Fraction(1), Fraction(1)] if single else parts_of_fixed(a, b))).variance(V, df, None if single else fixed_variance(a, b)[0])
    return Difference(D, V, df, variance_source, dropped, units.Q, guard, units.cubes(d), units.contributions(d), units.unseen(), with_runs=with_runs)


def unpaired_difference(rows, other, g, model="mixture", guard=NONE, runs=None):
    """The difference of two models on different questions."""
    a, b = Estimator(rows, g, model), Estimator(other, g, model)
    A, B = Units(a.M), Units(b.M)
    V, df = satterthwaite([A.guarded(a.x, Fraction(1)), B.guarded(b.x, Fraction(1))])
    single = a.all_unknown or b.all_unknown
    with_runs = runs and runs.over(*([Fraction(1), Fraction(1)] if single else [a.fixed, b.fixed])).variance(V, df, None if single else total([a.fixed, b.fixed]))
    return Difference(a.theta - b.theta, V, df, unit=Fraction(1, min(a.M, b.M)), guard=guard, terms=[*A.cubes(a.x), *(-x for x in B.cubes(b.x))], with_runs=with_runs)
