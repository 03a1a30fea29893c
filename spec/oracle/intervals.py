"""Intervals of the metrics that `interval` takes: interval, mean_ci, prob_above."""
from mpmath import mp

from exact import Fraction, Real, to_mpf, to_fraction, larger, smaller, divide, root, scale, total
from freedom import SamplingVariance, dependent_df, interval_df
from runs import sampled_runs
from variance import Estimator, parse_metric, read_counts
from quantile import beta_quantile, tail_probability, normal_cdf, t_cdf, t_quantile, z

HALF = Fraction(1, 2)


class Estimate:
    """An estimate theta, its V and 1/n0 with degrees of freedom (None: normal), number of units, source of V.

    with_runs: V_lambda and df_lambda (None: there is none); inverse_n0_with_runs: 1/n0_lambda.
    """

    def __init__(self, estimator, fixed, pool, labels, runs=None):
        sampling = SamplingVariance(estimator, labels)
        f = Fraction(1) if fixed else Fraction(estimator.M, pool) if pool is not None else Fraction(0)
        self.units, self.source = sampling.units, "upper bound" if not fixed and sampling.units == 1 else estimator.variance_source if f else "measured"
        f = Fraction(0) if estimator.all_unknown else f
        sampled_part = scale(1 - f, sampling.V)
        self.theta, self.inverse_n0, self.V = estimator.theta, f * estimator.inverse_n0 + (1 - f) * sampling.inverse_n0, total([scale(f, estimator.fixed), sampled_part])
        self.df, self.df_units = (sampling.df, sampling.df_units) if f < 1 else (None, None)
        if f:
            self.df = dependent_df(self.V, [(scale(f, estimator.fixed), interval_df(estimator)), (sampled_part, self.df)])
        self.with_runs = runs and runs.variance(self.V, self.df, None if f == 1 or estimator.all_unknown else estimator.fixed)
        self.inverse_n0_with_runs = self.inverse_n0 + (runs.excess * estimator.inverse_n0 if self.with_runs else 0)

    def n_eff(self):
        return smaller(self.n_eff_of_fixed_runs(), self.n_eff_of_sampled_runs()) if self.with_runs else self.n_eff_of_fixed_runs()

    def n_eff_of_fixed_runs(self):
        p = self.theta * (1 - self.theta)
        return larger(1 / self.inverse_n0, divide(p, self.V)) if p else 1 / self.inverse_n0

    def n_eff_of_sampled_runs(self):
        p = self.theta * (1 - self.theta)
        return larger(1 / self.inverse_n0_with_runs, divide(p, self.with_runs[0])) if p else 1 / self.inverse_n0_with_runs

    def normal_size(self, confidence):
        """The number n* of independent trials whose normal interval is as wide as that of this estimate."""
        n = self.normal_size_of_fixed_runs(confidence)
        return smaller(n, normal_equivalent(self.n_eff_of_sampled_runs(), self.with_runs[1], confidence)) if self.with_runs else n

    def normal_size_of_fixed_runs(self, confidence):
        n = self.n_eff_of_fixed_runs()
        if self.df is None or self.theta in (0, 1):
            return normal_equivalent(n, self.df_units, confidence)
        p = self.theta * (1 - self.theta)
        if self.df == self.df_units:
            return normal_equivalent(n, self.df, confidence)
        return larger(normal_equivalent(1 / self.inverse_n0, self.df_units, confidence), normal_equivalent(divide(p, self.V), self.df, confidence))


def normal_equivalent(n, df, confidence):
    """The number n z^2/t^2 of trials whose normal interval is as wide as the t interval of n trials."""
    return n if df is None else Real(lambda: to_mpf(n) * (z(to_fraction(confidence)) / t_quantile(to_fraction(confidence), to_mpf(df))) ** 2)


def wilson(theta, n_eff, confidence, side):
    """One end of the Wilson interval; side is -1 or 1."""
    def end():
        t, q = to_mpf(theta), z(to_fraction(confidence)) ** 2 / to_mpf(n_eff)
        return (t + q / 2 + side * mp.sqrt(q * t * (1 - t) + q * q / 4)) / (1 + q)
    return Real(end)


def beta(theta, n_eff, confidence, side):
    """One equal-tail quantile of Beta(n_eff theta + 1/2, n_eff (1 - theta) + 1/2); side is -1 or 1."""
    a, b = (total([scale(x, n_eff), HALF]) for x in (theta, 1 - theta))
    if side < 0:
        return Real(lambda: beta_quantile(to_mpf(tail_probability(confidence)), to_mpf(a), to_mpf(b)))
    return Real(lambda: 1 - beta_quantile(to_mpf(tail_probability(confidence)), to_mpf(b), to_mpf(a)))


def estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing, runs):
    """The metric, its estimate, and the indices of the dropped questions."""
    g = parse_metric(metric, k, tau, w)
    rows, dropped = read_counts(R, g, missing)
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    return g, Estimate(Estimator(rows, g, model), questions == "fixed", pool, labels, sampled_runs(runs, [R], w, missing)), dropped


def interval_ends(theta, n, confidence, shape=wilson):
    """Both ends of the interval, on the scale 0..1."""
    return (Fraction(0) if theta == 0 else shape(theta, n, confidence, -1)), (Fraction(1) if theta == 1 else shape(theta, n, confidence, 1))


def rescale(g, x):
    """A value on the scale 0..1 converted to the scale of w."""
    if isinstance(x, Fraction) or not g.span:
        return g.low + g.span * (x if g.span else 0)
    return Real(lambda: to_mpf(g.low) + to_mpf(g.span) * x.evaluate())


def interval(R, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, pool=None, clusters=None,
             model="mixture", shape="wilson", missing="raise", runs="fixed"):
    g, x, dropped = estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing, runs)
    lo, hi = interval_ends(x.theta, x.normal_size(confidence), confidence, {"wilson": wilson, "beta": beta}[shape])
    n_eff = x.n_eff()
    return {"mu": g.low + g.span * x.theta, "sigma": root(divide(g.span**2 * x.theta * (1 - x.theta), n_eff)), "lo": rescale(g, lo), "hi": rescale(g, hi),
            "n_eff": n_eff, "variance_source": x.source, "units": x.units, "dropped": dropped}


def mean_ci(R, w=None, **options):
    return interval(R, "mean", w=w, **options)


def prob_above(R, t, metric="mean", k=None, tau=None, w=None, questions=None, pool=None, clusters=None, model="mixture", missing="raise", runs="fixed"):
    g, x, _ = estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing, runs)
    t = (to_fraction(t) - g.low) / g.span
    if x.theta == t:
        return {"value": HALF}

    def above(inverse_n0, df_units, V, df):
        y, p = to_mpf(x.theta - t) / mp.sqrt(to_mpf(t * (1 - t))), x.theta * (1 - x.theta)
        probabilities = [cdf(y / mp.sqrt(to_mpf(inverse_n0)), df_units)]
        if p:
            probabilities.append(cdf(y * mp.sqrt(to_mpf(p) / to_mpf(V)), df))
        return max(probabilities) if y > 0 else min(probabilities)
    value = Real(lambda: above(x.inverse_n0, x.df_units, x.V, x.df))
    if x.with_runs:
        V, df = x.with_runs
        value = (smaller if x.theta > t else larger)(value, Real(lambda: above(x.inverse_n0_with_runs, df, V, df)))
    return {"value": value}


def cdf(x, df):
    return normal_cdf(x) if df is None else t_cdf(x, to_mpf(df))
