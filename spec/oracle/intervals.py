"""Intervals of every metric: interval, mean_ci, prob_above."""
from mpmath import mp

from exact import Fraction, Real, at, frac, larger, over, root, scale, total
from freedom import of_units
from variance import Side, asked, read
from quantile import beta_quantile, half_tail, normal_cdf, t_cdf, t_quantile, z

HALF = Fraction(1, 2)


def effective(side, fixed, pool, labels):
    """n_eff, units, source and the degrees of freedom of the quantile (None: normal)."""
    V_sampled, units, share, df = of_units(side, labels)
    f = Fraction(1) if fixed else Fraction(side.M, pool) if pool is not None else Fraction(0)
    source = "upper bound" if not fixed and units == 1 else side.known if f else "measured"
    if side.single:
        f = Fraction(0)
    n0 = 1 / (f * side.k * sum(Fraction(1, n) for n in side.n) / side.M**2 + (1 - f) * share)
    V, p = total([scale(f, side.fixed), scale(1 - f, V_sampled)]), side.theta * (1 - side.theta)
    return larger(n0, over(p, V)) if p else n0, units, source, df


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
        return Real(lambda: beta_quantile(at(half_tail(confidence)), at(a), at(b)))
    return Real(lambda: 1 - beta_quantile(at(half_tail(confidence)), at(b), at(a)))


def interval(R, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, pool=None, clusters=None,
             law="mixture", shape="wilson", missing="raise"):
    g = asked(metric, k, tau, w)
    rows, dropped = read(R, g, missing)
    side, low, span = Side(rows, g, law), g.low, g.span
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    n_eff, units, source, df = effective(side, questions == "fixed", pool, labels)
    theta, end = side.theta, {"wilson": wilson, "beta": beta}[shape]
    # so few clusters that a t law is due: as many trials as give the normal interval its width
    worth = n_eff if df is None else Real(lambda: at(n_eff) * (z(frac(confidence)) / t_quantile(frac(confidence), at(df))) ** 2)
    lo = Fraction(0) if theta == 0 else end(theta, worth, confidence, -1)
    hi = Fraction(1) if theta == 1 else end(theta, worth, confidence, 1)

    def back(x):
        if isinstance(x, Fraction) or not span:
            return low + span * (x if span else 0)
        return Real(lambda: at(low) + at(span) * x.at())
    return {"mu": low + span * theta, "sigma": root(over(span**2 * theta * (1 - theta), n_eff)), "lo": back(lo), "hi": back(hi),
            "n_eff": n_eff, "variance_source": source, "units": units, "dropped": dropped}


def mean_ci(R, w=None, **rest):
    return interval(R, "mean", w=w, **rest)


def prob_above(R, t, metric="mean", k=None, tau=None, w=None, questions=None, pool=None, clusters=None, law="mixture", missing="raise"):
    g = asked(metric, k, tau, w)
    rows, dropped = read(R, g, missing)
    side, t = Side(rows, g, law), (frac(t) - g.low) / g.span
    labels = clusters and [x for i, x in enumerate(clusters) if i not in dropped]
    n_eff, _, _, df = effective(side, questions == "fixed", pool, labels)
    if side.theta == t:
        return {"value": HALF}

    def above():
        x = at(side.theta - t) * mp.sqrt(at(n_eff) / at(t * (1 - t)))
        return normal_cdf(x) if df is None else t_cdf(x, at(df))
    return {"value": Real(above)}
