"""mean_ci: the interval that holds, for the mean score."""
from mpmath import mp

from exact import Fraction, Real, Refused, at, frac, root
from outcomes import counts
from quantile import beta_quantile, half_tail, z

HALF = Fraction(1, 2)


def questions_of(R, w, missing):
    """Per kept question (n, mean u, sum of squared deviations); and the dropped indices."""
    w = [Fraction(0), Fraction(1)] if w is None else [frac(x) for x in w]
    low, span = min(w), max(w) - min(w)
    u = [(x - low) / span if span else Fraction(0) for x in w]
    kept, dropped = [], []
    for i, row in enumerate(counts(R, len(w) - 1, missing)):
        n = sum(row)
        if n == 0:
            dropped.append(i)
            continue
        x = sum((m * y for m, y in zip(row, u)), Fraction(0)) / n
        kept.append((n, x, sum((m * (y - x) ** 2 for m, y in zip(row, u)), Fraction(0))))
    return kept, dropped, low, span


def variance(rows, theta, fixed, pool, labels):
    """V, n0, units and noise."""
    M, single = len(rows), all(n == 1 for n, _, _ in rows)
    stretch = Fraction(M, M - 1) if M > 1 else Fraction(1)
    dev = [(x - theta) ** 2 * stretch for _, x, _ in rows]
    v = [ss / (n * (n - 1)) if n > 1 else d for (n, _, ss), d in zip(rows, dev)]
    s = sum(Fraction(1, n * n) for n, _, _ in rows) / M
    V_fixed = (sum(v) + s) / M**2

    units = M
    if labels is not None:
        groups = {}
        for g, (_, x, _) in zip(labels, rows):
            groups.setdefault(g, []).append(x)
        units = G = len(groups)
        stretch = Fraction(G, G - 1) if G > 1 else Fraction(1)
        dev = [(sum(x - theta for x in xs) * G / M) ** 2 * stretch for xs in groups.values()]
    V_sampled = (sum(dev) + Fraction(1, 12)) / units**2
    if not single:
        V_sampled = max(V_sampled, V_fixed)

    f = Fraction(1) if fixed else Fraction(M, pool) if pool is not None else Fraction(0)
    some = any(n == 1 for n, _, _ in rows)
    bound = some if fixed else units == 1 or (pool is not None and some)
    if single:
        f = Fraction(0)
    one_over_h = sum(Fraction(1, n) for n, _, _ in rows) / M
    n0 = 1 / (f * one_over_h / M + (1 - f) / units)
    return f * V_fixed + (1 - f) * V_sampled, n0, units, "bound" if bound else "measured"


def wilson(theta, n_eff, confidence, side):
    """One end of the Wilson interval."""
    def end():
        t, q = at(theta), z(frac(confidence)) ** 2 / at(n_eff)
        return (t + q / 2 + side * mp.sqrt(q * t * (1 - t) + q * q / 4)) / (1 + q)
    return Real(end)


def beta(theta, n_eff, confidence, side):
    """One equal-tail quantile of Beta(n_eff theta + 1/2, n_eff (1-theta) + 1/2)."""
    a, b = n_eff * theta + HALF, n_eff * (1 - theta) + HALF
    if side < 0:
        return Real(lambda: beta_quantile(at(half_tail(confidence)), at(a), at(b)))
    return Real(lambda: 1 - beta_quantile(at(half_tail(confidence)), at(b), at(a)))


def mean_ci(R, w=None, questions=None, confidence=0.95, pool=None, clusters=None,
            shape="wilson", missing="raise"):
    rows, dropped, low, span = questions_of(R, w, missing)
    if not rows:
        raise Refused("no_trials")
    labels = clusters and [g for i, g in enumerate(clusters) if i not in dropped]
    theta = sum((x for _, x, _ in rows), Fraction(0)) / len(rows)
    V, n0, units, noise = variance(rows, theta, questions == "fixed", pool, labels)
    p = theta * (1 - theta)
    n_eff = max(n0, p / V) if p else n0
    end = {"wilson": wilson, "beta": beta}[shape]
    lo = Fraction(0) if theta == 0 else end(theta, n_eff, confidence, -1)
    hi = Fraction(1) if theta == 1 else end(theta, n_eff, confidence, 1)

    def back(x):
        if isinstance(x, Fraction) or not span:
            return low + span * (x if span else 0)
        return Real(lambda: at(low) + at(span) * x.at())
    return {"mu": low + span * theta, "sigma": root(span**2 * p / n_eff), "lo": back(lo), "hi": back(hi),
            "n_eff": n_eff, "noise": noise, "units": units, "dropped": dropped}
