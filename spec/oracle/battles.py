"""Battles: test of equal strength, ratings with their intervals, probabilities of winning."""
from itertools import combinations

from mpmath import mp, mpf

from battle_fit import KEYS, LEAST, MOST, Fit, Spreads, components, exists, logistic, reached, read, units
from exact import Fraction, Real, Refused, at, frac
from quantile import t_cdf, t_quantile

NOTHING, ACROSS = mpf(2) ** -80, 300


# --- equality of two models ----------------------------------------------------------------------------


class Equality:
    """Efficient score of theta_a - theta_b under equality: a and b merged into model m, z the slopes of the merged fit."""

    def __init__(self, L, rows, cluster, a, b):
        self.a, self.b, self.known = a, b, {}
        m = [a if k == b else k for k in range(L)]
        merged = [(m[r[0]], m[r[1]], *r[2:]) for r in rows]
        inside = next(c for c in components(L, merged) if a in c)
        kept = [k for k, r in enumerate(merged) if r[0] in inside and r[1] in inside]
        self.place = {k: inside.index(m[k]) for k in range(L) if m[k] in inside}
        self.fit = Fit(len(inside), [(inside.index(merged[k][0]), inside.index(merged[k][1]), *merged[k][2:]) for k in kept], "half", False)
        self.ways = [units([rows[k] for k in kept], key) for key in KEYS[cluster]]

    def cell(self, i, j, o, x):
        """s, z, the residual and the curvature of a battle."""
        p, q = self.place[i], self.place[j]
        _, r, _, w, _, _ = self.fit.at(p, q, o, x)
        return mpf((i == self.a) - (i == self.b) - (j == self.a) + (j == self.b)), mp.matrix(self.fit.row(p, q)), r, w

    def found(self):
        """The statistic t and the effective number of units E, over all ways to form units."""
        if mp.prec not in self.known:
            x, n = (self.fit.solution(), self.fit.n) if self.fit.n else ([], 0)
            h = mp.zeros(n, 1)
            for cells, many in self.ways[0]:
                for (i, j, o), weight in cells.items():
                    s, z, _, w = self.cell(i, j, o, x)
                    h += many * at(weight) * w * s * z if n else h
            self.known[mp.prec] = self.sums(x, self.fit.inverse() * h if n else h)
        return self.known[mp.prec]

    def sums(self, x, slopes):
        out = []
        for way in self.ways:
            total = squares = weights = shares = mpf(0)
            for cells, many in way:
                u = a = mpf(0)
                for (i, j, o), weight in cells.items():
                    s, z, r, w = self.cell(i, j, o, x)
                    e = s - ((z.T * slopes)[0] if self.fit.n else 0)
                    u, a = u + at(weight) * r * e, a + at(weight) * w * e * e
                total, squares, weights, shares = total + many * u, squares + many * u * u, weights + many * a, shares + many * a * a
            out.append((total, squares, weights**2 / shares))
        V = out[0][1] if len(out) == 1 else max(out[0][1] + out[1][1] - out[2][1], out[0][1], out[1][1])
        return out[0][0] / mp.sqrt(V) if V > NOTHING**2 else mpf(0), min(o[2] for o in out[:2])

    def t(self):
        return self.found()[0]

    def df(self):
        return min(self.found()[1] - 1, mpf(MOST))

    def known_spread(self):
        with mp.workdps(60):
            return self.found()[1] - 1 >= LEAST


def across(asked):
    """(two-sided p-value, stronger, weaker) of pairs of different groups, to 60 digits."""
    group = {i: g for g, (members, _, _) in enumerate(asked.groups) for i in members}
    both = [(i, j) for i, j in combinations(range(asked.L), 2) if group[i] != group[j]]
    reach = reached(asked.L, asked.rows)
    if len(both) > ACROSS or asked.ties != "half" or asked.biased:
        return
    for i, j in both:
        if reach[i][j] or reach[j][i]:
            up, down = (i, j) if reach[i][j] else (j, i)
            test = Equality(asked.L, asked.rows, asked.cluster, up, down)
            if test.known_spread():
                with mp.workdps(60):
                    far = test.df() > 100 and test.t() > 100
                    yield mpf(0) if far else 2 * t_cdf(-test.t(), test.df()), up, down


def score_test(battles, a, b, both_bad="tie", cluster=None):
    asked = Asked(battles, "half", False, both_bad, cluster)
    i, j = asked.names.index(a), asked.names.index(b)
    reach = reached(asked.L, asked.rows)
    if not reach[i][j] and not reach[j][i]:
        raise Refused("undefined")
    test = Equality(asked.L, asked.rows, cluster, i, j)
    if not test.known_spread():
        return {"t": None, "df": None, "p_value": None}
    t = sure(test.t)
    return {"t": t, "df": Real(test.df), "p_value": Real(lambda: t_cdf(-test.t(), test.df())) if t else Fraction(1, 2)}


# --- ratings -----------------------------------------------------------------------------------------


class Asked:
    def __init__(self, battles, ties="half", position_bias=False, both_bad="tie", cluster=None):
        self.names, self.rows, self.dropped = read(battles, both_bad)
        self.ties, self.biased, self.cluster = ties, position_bias, cluster
        self.L = len(self.names)
        found = [self.group(m) for m in components(self.L, self.rows)]
        self.groups = sorted(found, key=lambda g: (-len(g[0]), -sum(r[4] for r in g[1])))

    def group(self, members):
        place = {m: k for k, m in enumerate(members)}
        rows = [(place[i], place[j], *rest) for i, j, *rest in self.rows if i in place and j in place]
        there = len(members) > 1 and exists(len(members), rows, self.ties, self.biased)
        return members, rows, Fit(len(members), rows, self.ties, self.biased) if there else None

    def pair(self, a, b):
        i, j = self.names.index(a), self.names.index(b)
        for members, _, fit in self.groups:
            if i in members and j in members and fit:
                return fit, members.index(i), members.index(j)
        raise Refused("undefined")


def sure(f):
    """A real number, or 0 where it is below the threshold."""
    with mp.workdps(60):
        return Fraction(0) if abs(f()) < NOTHING else Real(f)


def affine(middle, unit, x):
    """The real number middle + unit x, middle rational and unit a function."""
    return middle if isinstance(x, Fraction) and not x else Real(lambda: at(middle) + unit() * at(x))


def ends(spreads, kind, D, confidence):
    """lo and hi of a contrast, or None without an interval."""
    with mp.workdps(60):
        if spreads.interval(kind) is None:
            return None

    def end(sign):
        V, df = spreads.interval(kind)
        return at(D) + sign * t_quantile(frac(confidence), df) * mp.sqrt(V)

    return Real(lambda: end(-1)), Real(lambda: end(1))


def status(asked, i):
    results = {(r[2] == 0) == (r[0] == i) for r in asked.rows if i in r[:2]}
    return "between" if len(results) > 1 else "unbeaten" if True in results else "winless"


def bradley_terry(battles, ties="half", position_bias=False, both_bad="tie", cluster=None, anchor="mean", scale=400, base=10,
                  init_rating=1000, confidence=0.95):
    asked = Asked(battles, ties, position_bias, both_bad, cluster)
    L, names = asked.L, asked.names
    out = {"models": names} | {k: [None] * L for k in ("status", "group", "theta", "rating", "lo", "hi")}
    out |= dict.fromkeys(("best", "worst", "bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi")) | {"dropped": asked.dropped}
    unit, middle, tests = (lambda: at(frac(scale)) / mp.log(at(frac(base)))), frac(init_rating), []
    for g, (members, rows, fit) in enumerate(asked.groups):
        for i in members:
            out["group"][i] = g
            out["status"][i] = status(asked, i) if len(members) == 1 else "rated" if fit else "undetermined"
        if fit:
            spreads = Spreads(fit, cluster)
            rate(out, fit, spreads, members, None if anchor == "mean" else names.index(anchor), unit, middle, confidence)
            out |= nuisance(fit, spreads, confidence) if g == 0 else {}
            tests += significant(fit, spreads, members)
    tests += across(asked)
    best, worst = [1] * L, [L] * L
    for up, down in holm(tests, L * (L - 1) // 2, confidence):
        best[down] += 1
        worst[up] -= 1
    return out | {"best": best, "worst": worst}


def rate(out, fit, spreads, members, anchor, unit, middle, confidence):
    """Ratings of a group of models, and their intervals."""
    fixed = members.index(anchor) if anchor in members else None
    for k, i in enumerate(members):
        out["theta"][i] = sure(lambda k=k: fit.theta(k))
        D = out["theta"][i] if fixed is None else sure(lambda k=k: fit.above(k, fixed))
        out["rating"][i] = affine(middle, unit, D)
        kind = ("mean", k) if fixed is None else ("pair", k, fixed)
        both = (Fraction(0),) * 2 if k == fixed else ends(spreads, kind, D, confidence)
        if both:
            out["lo"][i], out["hi"][i] = (affine(middle, unit, x) for x in both)


def nuisance(fit, spreads, confidence):
    out = {}
    if fit.biased:
        out["bias"] = D = sure(lambda: fit.solution()[fit.L - 1])
        both = ends(spreads, ("bias",), D, confidence)
        if both:
            out["bias_lo"], out["bias_hi"] = both
    if fit.ties != "half":
        out["tie"] = Real(lambda: mp.exp(fit.solution()[-1])) if fit.tied else Fraction(fit.ties == "rao_kupper")
        both = ends(spreads, ("tie",), Real(lambda: fit.solution()[-1]), confidence) if fit.tied else None
        if both:
            out["tie_lo"], out["tie_hi"] = map(exponential, both)
    return out


def exponential(x):
    with mp.workdps(30):
        return float("inf") if at(x) > 709.8 else Real(lambda: mp.exp(at(x)))


def significant(fit, spreads, members):
    """(two-sided p-value, stronger, weaker) of the pairs whose variance is known, to 60 digits."""
    out = []
    with mp.workdps(60):
        for i, j in combinations(range(fit.L), 2):
            D, known = fit.above(i, j), spreads.interval(("pair", i, j))
            if known and abs(D) >= NOTHING:
                far = known[1] > 100 and D * D > 10**4 * known[0]  # p is below 1e-60, and its series is long
                up, down = (i, j) if D > 0 else (j, i)
                out.append((mpf(0) if far else two_sided(fit, spreads, i, j), members[up], members[down]))
    return out


def holm(tests, m, confidence):
    """The pairs that are significantly different, by Holm's step-down rule over m comparisons."""
    with mp.workdps(60):
        for k, (p, up, down) in enumerate(sorted(tests)):
            if (m - k) * p > 1 - at(frac(confidence)):
                return
            yield up, down


def two_sided(fit, spreads, i, j):
    V, df = spreads.interval(("pair", i, j))
    return 2 * t_cdf(-abs(fit.above(i, j)) / mp.sqrt(V), df)


def win_probability(battles, a, b, ties="half", position_bias=False, both_bad="tie", cluster=None, confidence=0.95):
    fit, i, j = Asked(battles, ties, position_bias, both_bad, cluster).pair(a, b)
    spreads, kind = Spreads(fit, cluster), ("pair", i, j)
    D = sure(lambda: fit.above(i, j))
    out = {"p": Real(lambda: logistic(at(D))) if D else Fraction(1, 2), "lo": None, "hi": None, "theta": D, "sigma": None, "df": None, "p_value": None}
    both = ends(spreads, kind, D, confidence)
    if both:
        out["lo"], out["hi"] = (Real(lambda x=x: logistic(at(x))) for x in both)
        out["sigma"] = Real(lambda: mp.sqrt(spreads.interval(kind)[0]))
        out["df"] = Real(lambda: spreads.interval(kind)[1])
        out["p_value"] = Real(lambda: two_sided(fit, spreads, i, j)) if D else Fraction(1)
    return out
