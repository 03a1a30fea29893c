"""Intervals of every metric: interval, mean_ci, prob_above."""
from mpmath import mp

from exact import Fraction, Real, at, frac, larger, over, root, scale, total
from freedom import Drawn, pooled
from variance import Estimator, parse_request, read_counts
from quantile import beta_quantile, tail_probability, normal_cdf, t_cdf, t_quantile, z

HALF = Fraction(1, 2)


class Estimate:
    """theta with its variance V and 1/n0, the t distributions of both (None: normal), number of units, source of V."""

    def __init__(self, side, fixed, pool, labels):
        drawn = Drawn(side, labels)
        f = Fraction(1) if fixed else Fraction(side.M, pool) if pool is not None else Fraction(0)
        self.units, self.source = drawn.units, "upper bound" if not fixed and drawn.units == 1 else side.variance_source if f else "measured"
        f = Fraction(0) if side.all_unknown else f
        rest = scale(1 - f, drawn.V)
        self.theta, self.inverse_n0, self.V = side.theta, f * side.inverse_n0 + (1 - f) * drawn.inverse_n0, total([scale(f, side.fixed), rest])
        self.df, self.df_units = (drawn.df, drawn.df_units) if f < 1 else (None, None)
        if f and self.df is not None:
            self.df = pooled(self.V, [(rest, self.df)])

    def n_eff(self):
        p = self.theta * (1 - self.theta)
        return larger(1 / self.inverse_n0, over(p, self.V)) if p else 1 / self.inverse_n0

    def size(self, confidence):
        """Number n* of independent trials that give a normal interval of this width."""
        if self.df is None or self.theta in (0, 1):
            return worth(self.n_eff(), self.df_units, confidence)
        p = self.theta * (1 - self.theta)
        if self.df == self.df_units:
            return worth(self.n_eff(), self.df, confidence)
        return larger(worth(1 / self.inverse_n0, self.df_units, confidence), worth(over(p, self.V), self.df, confidence))


def worth(n, df, confidence):
    """n z^2/t^2: the number of trials whose normal interval is as wide as the t interval of n."""
    return n if df is None else Real(lambda: at(n) * (z(frac(confidence)) / t_quantile(frac(confidence), at(df))) ** 2)


def wilson(theta, n_eff, confidence, side):
    """One end of the Wilson interval with the normal quantile."""
    def end():
        t, q = at(theta), z(frac(confidence)) ** 2 / at(n_eff)
        return (t + q / 2 + side * mp.sqrt(q * t * (1 - t) + q * q / 4)) / (1 + q)
    return Real(end)


def beta(theta, n_eff, confidence, side):
    """One equal-tail quantile of Beta(n_eff theta + 1/2, n_eff (1-theta) + 1/2)."""
    a, b = (total([scale(x, n_eff), HALF]) for x in (theta, 1 - theta))
    if side < 0:
        return Real(lambda: beta_quantile(at(tail_probability(confidence)), at(a), at(b)))
    return Real(lambda: 1 - beta_quantile(at(tail_probability(confidence)), at(b), at(a)))


def estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing):
    """The metric, its estimate, and the indices of the questions left out."""
    g = parse_request(metric, k, tau, w)
    rows, dropped = read_counts(R, g, missing)
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    return g, Estimate(Estimator(rows, g, model), questions == "fixed", pool, labels), dropped


def ends(theta, n, confidence, shape=wilson):
    """Both ends of the interval, on the scale 0..1."""
    return (Fraction(0) if theta == 0 else shape(theta, n, confidence, -1)), (Fraction(1) if theta == 1 else shape(theta, n, confidence, 1))


def back(g, x):
    """A value on the scale 0..1 converted to the scale of w."""
    if isinstance(x, Fraction) or not g.span:
        return g.low + g.span * (x if g.span else 0)
    return Real(lambda: at(g.low) + at(g.span) * x.at())


def interval(R, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, pool=None, clusters=None,
             model="mixture", shape="wilson", missing="raise"):
    g, x, dropped = estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing)
    lo, hi = ends(x.theta, x.size(confidence), confidence, {"wilson": wilson, "beta": beta}[shape])
    n_eff = x.n_eff()
    return {"mu": g.low + g.span * x.theta, "sigma": root(over(g.span**2 * x.theta * (1 - x.theta), n_eff)), "lo": back(g, lo), "hi": back(g, hi),
            "n_eff": n_eff, "variance_source": x.source, "units": x.units, "dropped": dropped}


def mean_ci(R, w=None, **rest):
    return interval(R, "mean", w=w, **rest)


def prob_above(R, t, metric="mean", k=None, tau=None, w=None, questions=None, pool=None, clusters=None, model="mixture", missing="raise"):
    g, x, _ = estimate(R, metric, k, tau, w, questions, pool, clusters, model, missing)
    t = (frac(t) - g.low) / g.span
    if x.theta == t:
        return {"value": HALF}

    def above():
        y, p = at(x.theta - t) / mp.sqrt(at(t * (1 - t))), x.theta * (1 - x.theta)
        both = [cdf(y / mp.sqrt(at(x.inverse_n0)), x.df_units)]
        if p:
            both.append(cdf(y * mp.sqrt(at(p) / at(x.V)), x.df))
        return max(both) if y > 0 else min(both)
    return {"value": Real(above)}


def cdf(x, df):
    return normal_cdf(x) if df is None else t_cdf(x, at(df))
