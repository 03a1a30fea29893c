"""Several benchmarks: macro-averages, comparisons over all and in each, gates over a suite."""

from mpmath import mp

from comparing import Difference, paired_difference
from exact import Fraction, Real, at, exceeds, frac, larger, over, root, scale, total
from freedom import pooled, satterthwaite
from intervals import Estimate, back, ends
from looks import end
from multiplicity import p_value_above, adjust_p_values, holm, oriented
from quantile import z
from variance import SOURCES, Estimator, parse_request, read_counts


def weakest(sources):
    return max(sources, key=SOURCES.index)


def kept(labels, rows):
    return labels and [x for x, row in zip(labels, rows) if sum(row)]


def shares(weights, names, used):
    given = {name: Fraction(1) if weights is None else frac(weights[name]) for name in names}
    return [given[name] / sum(given[x] for x in used) for name in used]


# --- one model --------------------------------------------------------------------------------------

class Macro:
    """The weighted mean of estimates: theta, V, 1/n0 and the degrees of freedom of V and of 1/n0, as in an Estimate."""

    n_eff, size = Estimate.n_eff, Estimate.size

    def __init__(self, parts, w):
        squares = [x * x for x in w]
        self.theta = sum(x * p.theta for x, p in zip(w, parts))
        self.V = total(scale(x, p.V) for x, p in zip(squares, parts))
        self.inverse_n0 = sum(x * p.inverse_n0 for x, p in zip(squares, parts))
        self.df, self.df_units = (
            pooled(self.V, known) if known else None
            for known in ([(scale(x, p.V), getattr(p, df)) for x, p in zip(squares, parts) if getattr(p, df) is not None] for df in ("df", "df_units")))


def averaged(parts, w, g, confidence):
    """mu, sigma, lo, hi, n_eff and source of the weighted mean; the ends enclose its interval and MOVER's."""
    x = Macro(parts, w)
    own = [ends(p.theta, p.size(confidence), confidence) for p in parts]
    lo, hi = ends(x.theta, x.size(confidence), confidence)
    if len(parts) > 1 and 0 < x.theta:
        lo = smaller(lo, Real(lambda: at(x.theta) - reach(w, parts, [y for y, _ in own])))
    if len(parts) > 1 and x.theta < 1:
        hi = larger(hi, Real(lambda: at(x.theta) + reach(w, parts, [y for _, y in own])))
    n_eff = x.n_eff()
    return [g.low + g.span * x.theta, root(over(g.span**2 * x.theta * (1 - x.theta), n_eff)), back(g, lo), back(g, hi), n_eff,
            weakest(p.source for p in parts)]


def reach(w, parts, limits):
    """MOVER distance sqrt(sum w^2 (theta_b - l_b)^2)."""
    return mp.sqrt(sum((at(x) * (at(p.theta) - at(y))) ** 2 for x, p, y in zip(w, parts, limits)))


def smaller(x, y):
    return y if exceeds(x, y) else x


# --- two models -------------------------------------------------------------------------------------

def combined(found, w):
    """The weighted mean of differences."""
    parts = [(scale(x * x, d.V), d.df) for x, d in zip(w, found)]
    V, df = satterthwaite(parts)
    return Difference(sum(x * d.D for x, d in zip(w, found)), V, df, weakest(d.variance_source for d in found), inverse_n0=max(x * d.inverse_n0 for x, d in zip(w, found)),
                      third_moment=sum(x**3 * d.third_moment for x, d in zip(w, found)))


def rows_of(family, g, confidence, correction):
    """Rows (benchmark, a, b, the fields of `compare` other than `dropped`, p_adjusted) of a family of pairs."""
    c, p = frac(confidence), adjust_p_values([d.p_value() for *_, d in family], correction)
    level = 1 - (1 - c) / (len(family) if correction == "holm" and family else 1)
    out = []
    for (name, a, b, d), x in zip(family, p):
        fields = d.fields(confidence, g.span, level) | {"significant": not exceeds(x, 1 - c)}
        out.append([name, a, b, *(y for field, y in fields.items() if field != "dropped"), x])
    return out


def suite(benchmarks, metric="mean", k=None, tau=None, w=None, weights=None, questions=None, confidence=0.95, correction="holm",
          common=False, clusters=None, model="mixture", missing="raise"):
    g, fixed, c = parse_request(metric, k, tau, w), questions == "fixed", frac(confidence)
    rows = {b: {m: read_counts(R, g, missing)[0] for m, R in x["models"].items()} for b, x in benchmarks["benchmarks"].items()}
    labels = clusters or {}
    everyone = list(dict.fromkeys(m for x in rows.values() for m in x))
    used = [b for b, x in rows.items() if not common or len(x) == len(everyone)]
    whole = [m for m in everyone if all(m in rows[b] for b in used)]
    share = shares(weights, list(rows), used)

    def difference(b, i, j):
        return paired_difference(rows[b][i], rows[b][j], g, fixed, model, labels.get(b))
    over_all = [(None, i, j, combined([difference(b, i, j) for b in used], share)) for n, i in enumerate(whole) for j in whole[n + 1:]]
    within = [(b, i, j, difference(b, i, j)) for b, x in rows.items() for n, i in enumerate(x) for j in list(x)[n + 1:]]
    pairs, L = rows_of(over_all, g, confidence, correction), len(whole)
    best, worst, beaten = dict.fromkeys(whole, 1), dict.fromkeys(whole, L), set()
    for (_, i, j, d), row in zip(oriented(g, over_all), pairs):
        if row[-3]:  # significant
            up, down = (i, j) if d.D > 0 else (j, i)
            best[down], worst[up] = best[down] + 1, worst[up] - 1
        for loser, x in ((j, d), (i, d.reversed_difference())):
            if x.D > 0 and exceeds((1 - c) / (L - 1), p_value_above(x, Fraction(0), fixed)):
                beaten.add(loser)
    models = []
    for m in whole:
        parts = [Estimate(Estimator(rows[b][m], g, model), fixed, None, kept(labels.get(b), rows[b][m])) for b in used]
        models.append([m, *averaged(parts, share, g, confidence), best[m], worst[m], m not in beaten])
    return {"models": models, "pairs": pairs, "each": rows_of(within, g, confidence, correction), "benchmarks": used, "weights": share,
            "left_out": [m for m in everyone if m not in whole]}


# --- gates ------------------------------------------------------------------------------------------

def gate_row(name, d, p, delta, g, confidence, power):
    """A row of gate_suite; p: the adjusted p-value for the verdict fail."""
    level = (1 - frac(confidence)) / 2
    worse, better = d.p_values_at_margin(delta)
    verdict = "pass" if not exceeds(worse, level) else "inconclusive" if exceeds(p or better, level) else "fail"
    lo, hi = (end(d, sign, level, g.span, None, delta) for sign in (-1, 1))
    growth = None
    if verdict == "inconclusive" and d.D + delta:
        def needed():
            demand = z(frac(confidence)) + (z(2 * frac(power) - 1) if power > 0.5 else 0)
            return demand**2 * max(at(d.V), at(d.at_margin(delta))) / at(d.D + delta) ** 2
        growth = larger(Real(needed), Fraction(1))
        growth = None if exceeds(growth, Fraction(2) ** 1024) else growth
    return [name, verdict, g.span * d.D, root(scale(g.span**2, d.V)), lo, hi, worse, better, p or better, d.df, exceeds(Fraction(0), hi),
            growth, d.variance_source]


def gate_suite(candidate, baseline, metric="mean", k=None, tau=None, w=None, margin=None, rule="mean", weights=None, questions=None, confidence=0.95,
               clusters=None, model="mixture", missing="raise", power=0.8):
    g, new, base = parse_request(metric, k, tau, w), candidate["benchmarks"], baseline["benchmarks"]
    delta, share = frac(margin) / g.span, shares(weights, list(new), list(new))
    found = {b: paired_difference(read_counts(new[b], g, missing)[0], read_counts(base[b], g, missing)[0], g, questions == "fixed", model,
                                  (clusters or {}).get(b)) for b in new}
    fail = holm([d.p_values_at_margin(delta)[1] for d in found.values()])
    mean = gate_row(None, combined(list(found.values()), share), None, delta, g, confidence, power)
    each = [gate_row(b, d, p, delta, g, confidence, power) for (b, d), p in zip(found.items(), fail)]
    deciding = [mean] if rule == "mean" else each
    verdict = "fail" if any(x[1] == "fail" for x in [*deciding, *each]) else "pass" if all(x[1] == "pass" for x in deciding) else "inconclusive"
    return {"verdict": verdict, "mean": mean, "each": each, "weights": share}
