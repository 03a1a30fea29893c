"""Several benchmarks: macro-averages, their comparison over all and in each, gates over a suite."""

from comparing import Difference, on_same
from exact import Fraction, Real, at, exceeds, frac, larger, over, root, scale, total
from freedom import of_units, satterthwaite
from intervals import wilson
from looks import end
from multiplicity import adjusted, holm
from quantile import t_quantile, z
from variance import WORDS, Side, asked, read


def weakest(sources):
    return max(sources, key=WORDS.index)


def shares(weights, names, used):
    given = {name: Fraction(1) if weights is None else frac(weights[name]) for name in names}
    return [given[name] / sum(given[x] for x in used) for name in used]


# --- one model --------------------------------------------------------------------------------------

class Part:
    """A model in a benchmark: theta, V, 1/n0, the degrees of freedom of its t law (None: normal), how V is known."""

    def __init__(self, rows, g, fixed, law, labels):
        side = Side(rows, g, law)
        if labels is not None:
            labels = [x for x, row in zip(labels, rows) if sum(row)]
        V, units, share, self.df = of_units(side, labels)
        f = fixed and not side.single
        self.theta, self.V = side.theta, side.fixed if f else V
        self.unit = side.k * sum(Fraction(1, n) for n in side.n) / side.M**2 if f else share
        self.known = side.known if fixed else "upper bound" if units == 1 else "measured"


def averaged(parts, w, g, confidence):
    """mu, sigma, lo, hi, n_eff and source of the weighted mean."""
    squares = [x * x for x in w]
    theta = sum(x * p.theta for x, p in zip(w, parts))
    V = total(scale(x, p.V) for x, p in zip(squares, parts))
    n_eff, spread = 1 / sum(x * p.unit for x, p in zip(squares, parts)), theta * (1 - theta)
    n_eff = larger(n_eff, over(spread, V)) if spread else n_eff
    clusters = [(scale(x, p.V), p.df) for x, p in zip(squares, parts) if p.df is not None]
    worth = n_eff
    if clusters:
        df = Real(lambda: at(V) ** 2 / sum(at(v) ** 2 / at(f) for v, f in clusters))
        df = Fraction(10**6) if exceeds(df, Fraction(10**6)) else df
        worth = Real(lambda: at(n_eff) * (z(frac(confidence)) / t_quantile(frac(confidence), at(df))) ** 2)

    def back(x):
        if isinstance(x, Fraction) or not g.span:
            return g.low + g.span * (x if g.span else 0)
        return Real(lambda: at(g.low) + at(g.span) * x.at())
    lo = Fraction(0) if theta == 0 else wilson(theta, worth, confidence, -1)
    hi = Fraction(1) if theta == 1 else wilson(theta, worth, confidence, 1)
    return [g.low + g.span * theta, root(over(g.span**2 * spread, n_eff)), back(lo), back(hi), n_eff, weakest(p.known for p in parts)]


# --- two models -------------------------------------------------------------------------------------

def combined(found, w):
    """The weighted mean of differences."""
    parts = [(scale(x * x, d.V), d.df) for x, d in zip(w, found)]
    V, df = satterthwaite(parts)
    return Difference(sum(x * d.D for x, d in zip(w, found)), V, df, weakest(d.known for d in found))


def rows_of(family, g, confidence, correction):
    """(benchmark, a, b, what compare says without dropped, p_adjusted) of a family of pairs."""
    c, p = frac(confidence), adjusted([d.p_value() for *_, d in family], correction)
    level = 1 - (1 - c) / (len(family) if correction == "holm" and family else 1)
    out = []
    for (name, a, b, d), x in zip(family, p):
        said = d.fields(confidence, g.span, level) | {"significant": not exceeds(x, 1 - c)}
        out.append([name, a, b, *(y for field, y in said.items() if field != "dropped"), x])
    return out


def suite(benchmarks, metric="mean", k=None, tau=None, w=None, weights=None, questions=None, confidence=0.95, correction="holm",
          common=False, clusters=None, law="mixture", missing="raise"):
    g, fixed, c = asked(metric, k, tau, w), questions == "fixed", frac(confidence)
    rows = {b: {m: read(R, g, missing)[0] for m, R in x["models"].items()} for b, x in benchmarks["benchmarks"].items()}
    labels = clusters or {}
    everyone = list(dict.fromkeys(m for x in rows.values() for m in x))
    used = [b for b, x in rows.items() if not common or len(x) == len(everyone)]
    whole = [m for m in everyone if all(m in rows[b] for b in used)]
    share = shares(weights, list(rows), used)

    def difference(b, i, j):
        return on_same(rows[b][i], rows[b][j], g, fixed, law, labels.get(b))
    over_all = [(None, i, j, combined([difference(b, i, j) for b in used], share)) for n, i in enumerate(whole) for j in whole[n + 1:]]
    within = [(b, i, j, difference(b, i, j)) for b, x in rows.items() for n, i in enumerate(x) for j in list(x)[n + 1:]]
    pairs, L = rows_of(over_all, g, confidence, correction), len(whole)
    best, worst, beaten = dict.fromkeys(whole, 1), dict.fromkeys(whole, L), set()
    for (_, i, j, d), said in zip(over_all, pairs):
        if said[-3]:  # significant
            up, down = (i, j) if d.D > 0 else (j, i)
            best[down], worst[up] = best[down] + 1, worst[up] - 1
        for loser, turned in ((j, d), (i, d.turned())):
            if turned.D > 0 and exceeds((1 - c) / (L - 1), turned.beyond(Fraction(0))):
                beaten.add(loser)
    models = []
    for m in whole:
        parts = [Part(rows[b][m], g, fixed, law, labels.get(b)) for b in used]
        models.append([m, *averaged(parts, share, g, confidence), best[m], worst[m], m not in beaten])
    return {"models": models, "pairs": pairs, "each": rows_of(within, g, confidence, correction), "benchmarks": used, "weights": share,
            "left_out": [m for m in everyone if m not in whole]}


# --- gates ------------------------------------------------------------------------------------------

def judged(name, d, p, delta, g, confidence, power):
    """A row of gate_suite; p: the adjusted p-value against a candidate that is not worse by the margin."""
    level = (1 - frac(confidence)) / 2
    worse, better = d.beyond(-delta), d.turned().beyond(delta)
    verdict = "pass" if not exceeds(worse, level) else "inconclusive" if exceeds(p or better, level) else "fail"
    lo, hi = (end(d, sign, level, g.span, None) for sign in (-1, 1))
    growth = None
    if verdict == "inconclusive" and d.D + delta:
        def needed():
            demand = z(frac(confidence)) + (z(2 * frac(power) - 1) if power > 0.5 else 0)
            return demand**2 * at(d.V) / at(d.D + delta) ** 2
        growth = larger(Real(needed), Fraction(1))
        growth = None if exceeds(growth, Fraction(2) ** 1024) else growth
    return [name, verdict, g.span * d.D, root(scale(g.span**2, d.V)), lo, hi, worse, better, p or better, d.df, exceeds(Fraction(0), hi),
            growth, d.known]


def gate_suite(candidate, baseline, metric="mean", k=None, tau=None, w=None, margin=None, rule="mean", weights=None, questions=None, confidence=0.95,
               clusters=None, law="mixture", missing="raise", power=0.8):
    g, new, base = asked(metric, k, tau, w), candidate["benchmarks"], baseline["benchmarks"]
    delta, share = frac(margin) / g.span, shares(weights, list(new), list(new))
    found = {b: on_same(read(new[b], g, missing)[0], read(base[b], g, missing)[0], g, questions == "fixed", law, (clusters or {}).get(b)) for b in new}
    fail = holm([d.turned().beyond(delta) for d in found.values()])
    mean = judged(None, combined(list(found.values()), share), None, delta, g, confidence, power)
    each = [judged(b, d, p, delta, g, confidence, power) for (b, d), p in zip(found.items(), fail)]
    deciding = [mean] if rule == "mean" else each
    verdict = "fail" if any(x[1] == "fail" for x in [*deciding, *each]) else "pass" if all(x[1] == "pass" for x in deciding) else "inconclusive"
    return {"verdict": verdict, "mean": mean, "each": each, "weights": share}
