"""Battles: ratings by maximum likelihood, their existence, intervals by a jackknife, and plans.

Apart from the algorithm of the languages: existence is a rational linear program (Stiemke), the maximum comes from
Newton's steps on the logarithms of probabilities, at any precision, and the inverse curvature from elimination.
"""
from itertools import combinations
from math import ceil

from mpmath import mp, mpf

from exact import Fraction, Real, Refused, at, dyadic, frac
from quantile import t_cdf, t_quantile, z as normal_z

OUTCOME = {"model_a": 0, "tie": 1, "model_b": 2, "tie (bothbad)": 3}
NOTHING, LEAST, MOST, ACROSS = mpf(2) ** -80, mpf(1) / 2, 10**6, 300


def read(battles, both_bad):
    """Names in order, and rows (i, j, outcome, weight, many, question, voter)."""
    if isinstance(battles, list):
        battles = dict(zip(("model_a", "model_b", "winner"), map(list, zip(*battles))))
    n = len(battles["winner"])
    column = {k: battles.get(k, [None] * n) for k in ("question", "voter")}
    kept = [k for k in range(n) if both_bad == "tie" or OUTCOME[battles["winner"][k]] < 3]
    many = [int(x) for x in battles.get("count", [1] * n)]
    names = sorted({battles[side][k] for k in kept for side in ("model_a", "model_b")})
    place = {name: i for i, name in enumerate(names)}
    rows = [(place[battles["model_a"][k]], place[battles["model_b"][k]], (0, 1, 2, 1)[OUTCOME[battles["winner"][k]]],
             Fraction(battles.get("weight", [1] * n)[k]), many[k], column["question"][k], column["voter"][k]) for k in kept]
    return names, rows, sum(many) - sum(many[k] for k in kept)


# --- existence -------------------------------------------------------------------------------------


def reached(L, rows):
    """Who reaches whom through wins and ties."""
    reach = [[i == j for j in range(L)] for i in range(L)]
    for i, j, o, *_ in rows:
        reach[i][j] |= o < 2
        reach[j][i] |= o > 0
    for k in range(L):
        for i in range(L):
            for j in range(L):
                reach[i][j] |= reach[i][k] and reach[k][j]
    return reach


def components(L, rows):
    """Sets of models that reach each other."""
    reach = reached(L, rows)
    return sorted({tuple(j for j in range(L) if reach[i][j] and reach[j][i]) for i in range(L)})


def exists(L, rows, ties, biased):
    """No direction keeps every likelihood from falling: its constraints G x >= 0 allow x = 0 alone."""
    tied = ties != "half" and any(r[2] == 1 for r in rows)
    G = set()
    for i, j, o, *_ in rows:
        d = tuple([(k == i) - (k == j) for k in range(1, L)] + [1] * biased)
        minus = tuple(-x for x in d)
        more = (lambda v, u: v + ((u,) if tied else ()))
        if o == 1 and ties == "half":
            G |= {more(d, 0), more(minus, 0)}
        elif o == 1:
            G |= {more(d, 2), more(minus, 2)}
        else:
            G |= {more(d if o == 0 else minus, 0), more(d if o == 0 else minus, -2)}
    G = [[Fraction(x) for x in g] for g in sorted(G)]
    return rank(G) == len(G[0]) and positive(G)


def rank(A):
    A, r = [row[:] for row in A], 0
    for c in range(len(A[0])):
        k = next((k for k in range(r, len(A)) if A[k][c]), None)
        if k is not None:
            A[r], A[k] = A[k], A[r]
            for m in range(r + 1, len(A)):
                f = A[m][c] / A[r][c]
                A[m] = [x - f * y for x, y in zip(A[m], A[r])]
            r += 1
    return r


def positive(G):
    """Is there y > 0 with G' y = 0? y = 1 + z, z >= 0: the first phase of the simplex method, by Bland's rule."""
    n, m = len(G), len(G[0])
    rows = [[G[k][c] for k in range(n)] + [-sum(g[c] for g in G)] for c in range(m)]
    rows = [[-x for x in r] if r[-1] < 0 else r for r in rows]
    basis = list(range(n, n + m))
    cost = [sum(r[c] for r in rows) for c in range(n + 1)]
    while True:
        enter = next((c for c in range(n) if cost[c] > 0), None)
        if enter is None:
            return cost[n] == 0
        leave = min((k for k in range(m) if rows[k][enter] > 0), key=lambda k: (rows[k][n] / rows[k][enter], basis[k]))
        basis[leave] = enter
        pivot = rows[leave][enter]
        rows[leave] = [x / pivot for x in rows[leave]]
        for k in range(m):
            if k != leave:
                f = rows[k][enter]
                rows[k] = [x - f * y for x, y in zip(rows[k], rows[leave])]
        f = cost[enter]
        cost = [x - f * y for x, y in zip(cost, rows[leave])]


# --- the likelihood ----------------------------------------------------------------------------------


def logistic(x):
    return 1 / (1 + mp.exp(-x))


class Outcomes:
    """Log-probabilities of the outcomes of a battle with difference d and log tie parameter u: slopes and curvatures."""

    def __init__(self, ties, tied):
        self.ties, self.tied = ties, tied

    def of(self, o, d, u):
        """Of outcome o: log P; its slopes by d, u; the negative second slopes dd, du, uu."""
        zero = mpf(0)
        if self.ties == "davidson" and self.tied:
            e = [d / 2, u, -d / 2]
            total = sum(mp.exp(x) for x in e)
            x, t, y = (mp.exp(v) / total for v in e)
            slope = (mpf(o == 0) - mpf(o == 2)) / 2 - (x - y) / 2, (o == 1) - t
            return e[o] - mp.log(total), *slope, (x + y - (x - y) ** 2) / 4, -(x - y) / 2 * t, t * (1 - t)
        if self.ties == "rao_kupper" and self.tied:
            p, q = logistic(d - u), logistic(-d - u)
            wins = {0: (1, 0), 1: (1, 1), 2: (0, 1)}[o]
            v = mp.log(p) * wins[0] + mp.log(q) * wins[1]
            sd, su = wins[0] * (1 - p) - wins[1] * (1 - q), -wins[0] * (1 - p) - wins[1] * (1 - q)
            dd, uu = (wins[0] * p * (1 - p) + wins[1] * q * (1 - q),) * 2
            du = -wins[0] * p * (1 - p) + wins[1] * q * (1 - q)
            if o == 1:
                k = mp.expm1(2 * u)
                v, su, uu = v + mp.log(k), su + 2 * (k + 1) / k, uu + 4 * (k + 1) / k**2
            return v, sd, su, dd, du, uu
        p = logistic(d)
        share = (mpf(1), mpf(1) / 2, zero)[o]
        return share * mp.log(p) + (1 - share) * mp.log(1 - p), share - p, zero, p * (1 - p), zero, zero


class Fit:
    """The maximum for models 0..L-1, theta_0 = 0, at the precision that is set."""

    def __init__(self, L, rows, ties, biased):
        self.L, self.rows, self.biased, self.ties = L, rows, biased, ties
        self.tied = ties != "half" and any(r[2] == 1 for r in rows)
        self.law, self.found = Outcomes(ties, self.tied), {}
        self.n = L - 1 + biased + self.tied
        self.cells = {}
        for i, j, o, w, many, *_ in rows:
            self.cells[i, j, o] = self.cells.get((i, j, o), 0) + w * many

    def row(self, i, j):
        """The slopes of d by all parameters."""
        return [mpf((k == i) - (k == j)) for k in range(1, self.L)] + [mpf(1)] * self.biased + [mpf(0)] * self.tied

    def at(self, i, j, o, x):
        """What Outcomes.of says of a battle."""
        d = sum(a * b for a, b in zip(self.row(i, j), x))
        return self.law.of(o, d, x[-1] if self.tied else mpf(0))

    def value(self, x):
        return sum(at(w) * self.at(i, j, o, x)[0] for (i, j, o), w in self.cells.items())

    def pieces(self, cells, x):
        """Score and negative second derivative of some cells."""
        g, H = mp.zeros(self.n, 1), mp.zeros(self.n, self.n)
        for (i, j, o), w in cells.items():
            _, sd, su, dd, du, uu = self.at(i, j, o, x)
            row, last = self.row(i, j), [mpf(0)] * (self.n - 1) + [mpf(1)]
            w = at(w)
            for a in range(self.n):
                u = last[a] if self.tied else 0
                g[a] += w * (sd * row[a] + su * u)
                for b in range(self.n):
                    v = last[b] if self.tied else 0
                    H[a, b] += w * (dd * row[a] * row[b] + du * (row[a] * v + u * row[b]) + uu * u * v)
        return g, H

    def solution(self):
        """The parameters, at mpmath's current precision."""
        if mp.prec not in self.found:
            known = [p for p in self.found if p < mp.prec]
            x = list(self.found[max(known)]) if known else [mpf(0)] * (self.n - self.tied) + [mpf(1) / 2] * self.tied
            with mp.extraprec(60):
                self.found[mp.prec - 60] = self.climbed(x)
        return self.found[mp.prec]

    def climbed(self, x):
        for _ in range(400):
            g, H = self.pieces(self.cells, x)
            step, before, t = mp.lu_solve(H, g), self.value(x), mpf(1)
            size = max(abs(s) for s in step)
            if size < mpf(2) ** -(mp.prec - 40):
                return x
            while True:
                new = [a + t * s for a, s in zip(x, step)]
                if not (self.tied and self.ties == "rao_kupper" and new[-1] <= 0) and (size < mpf(10) ** -9 or self.value(new) > before):
                    break
                t /= 2
            x = new
        raise ArithmeticError("maximum")

    def theta(self, i):
        x = [mpf(0), *self.solution()[:self.L - 1]]
        return x[i] - sum(x) / self.L

    def above(self, i, j):
        return self.theta(i) - self.theta(j)

    def coefficients(self, kind):
        """A contrast: ("pair", i, j), ("mean", i), ("bias",), ("tie",)."""
        if kind[0] == "pair":
            c = [mpf((k == kind[1]) - (k == kind[2])) for k in range(self.L)]
        elif kind[0] == "mean":
            c = [(k == kind[1]) - mpf(1) / self.L for k in range(self.L)]
        else:
            c = [mpf(0)] * self.L
        return c[1:] + [mpf(kind[0] == "bias")] * self.biased + [mpf(kind[0] == "tie")] * self.tied

    def inverse(self):
        return mp.inverse(self.pieces(self.cells, self.solution())[1])


def units(rows, key):
    """Cells (i, j, outcome) of every unit, and how many units are like it."""
    if key is None:
        out = {}
        for i, j, o, w, many, *_ in rows:
            out[i, j, o, w] = out.get((i, j, o, w), 0) + many
        return [({k[:3]: k[3]}, many) for k, many in out.items()]
    out = {}
    for i, j, o, w, many, *labels in rows:
        cells = out.setdefault(key(labels), {})
        cells[i, j, o] = cells.get((i, j, o), 0) + w * many
    return [(cells, 1) for cells in out.values()]


KEYS = {None: [None], "question": [lambda x: x[0]], "voter": [lambda x: x[1]], "both": [lambda x: x[0], lambda x: x[1], tuple]}


class Spreads:
    """Variances of contrasts of one fit."""

    def __init__(self, fit, cluster):
        self.fit, self.known = fit, {}
        self.ways = [units(fit.rows, key) for key in KEYS[cluster]]

    def measured(self):
        """The inverse curvature, and scores and curvatures of all units."""
        if mp.prec not in self.known:
            x = self.fit.solution()
            self.known[mp.prec] = self.fit.inverse(), [[(*self.fit.pieces(cells, x), many) for cells, many in way] for way in self.ways]
        return self.known[mp.prec]

    def of(self, kind):
        """V, E and the variance of the model."""
        X, ways = self.measured()
        c = mp.matrix(self.fit.coefficients(kind))
        u = X * c
        model = (c.T * u)[0]
        found = [self.one(u, model, way) for way in ways]
        if len(found) == 1:
            return *found[0], model
        (q, eq), (v, ev), (both, _) = found
        return max(q + v - both, q, v), min(eq, ev), model

    def one(self, u, model, way):
        total = squares = mpf(0)
        for g, H, many in way:
            share = (u.T * H * u)[0] / model
            squares += many * share**2
            if share < 1 - mpf(10) ** -15:
                total += many * ((u.T * g)[0] / (1 - share)) ** 2
            else:
                squares += 1
        return max((1 - squares) * total, model * squares), 1 / squares

    def interval(self, kind):
        """(V, df), or None where the units do not tell them."""
        V, E, _ = self.of(kind)
        return None if E - 1 < LEAST else (V, min(E - 1, mpf(MOST)))


# --- equality of two models ----------------------------------------------------------------------------


class Equality:
    """The efficient score of theta_a - theta_b where they are equal: a and b as one model m, z of the merged models."""

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
        """T and E of every way."""
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
        return out[0][0] / mp.sqrt(V), min(o[2] for o in out[:2])

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
    """A real number, or the 0 that it is taken for."""
    with mp.workdps(60):
        return Fraction(0) if abs(f()) < NOTHING else Real(f)


def affine(middle, unit, x):
    """middle + unit x for a rational middle and a function unit."""
    return middle if isinstance(x, Fraction) and not x else Real(lambda: at(middle) + unit() * at(x))


def ends(spreads, kind, D, confidence):
    """lo and hi of a contrast, or None."""
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
    """Ratings of a group, and their intervals."""
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
                far = known[1] > 100 and D * D > 10**4 * known[0]  # below 1e-60, but a long series
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


# --- plans -------------------------------------------------------------------------------------------


def bend(fit, i, j):
    """The expected curvature of one battle, neither shown first."""
    d, u = fit.above(i, j), fit.solution()[-1] if fit.tied else mpf(0)
    return sum(mp.exp(v) * dd for v, _, _, dd, _, _ in (fit.law.of(o, d, u) for o in ((0, 1, 2) if fit.tied else (0, 2))))


def covariance(fit, X, one, other):
    c, d = (mp.matrix(fit.coefficients(("pair", *x))) for x in (one, other))
    return (c.T * X * d)[0]


def next_pair(battles, ties="half", position_bias=False, both_bad="tie"):
    asked = Asked(battles, ties, position_bias, both_bad)
    members, _, fit = asked.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(60):
        top = sorted(range(fit.L), key=lambda i: -rounded(fit.theta(i)))[:2]
        X, best = fit.inverse(), None
        for pair in combinations(range(fit.L), 2):
            w = bend(fit, *pair)
            x = w * covariance(fit, X, pair, top) ** 2 / (1 + w * covariance(fit, X, pair, pair))
            if best is None or x > best[0] * (1 + NOTHING):
                best = x, pair
    return {"pair": [asked.names[members[k]] for k in best[1]]}


def rounded(x):
    return mpf(0) if abs(x) < NOTHING else x


def battles_needed(battles, a, b, ties="half", position_bias=False, both_bad="tie", cluster=None, power=0.8, confidence=0.95):
    fit, i, j = Asked(battles, ties, position_bias, both_bad, cluster).pair(a, b)
    spreads = Spreads(fit, cluster)
    with mp.workdps(60):
        D, (V, E, model) = fit.above(i, j), spreads.of(("pair", i, j))
        if abs(D) < NOTHING or E - 1 < LEAST:
            return {"battles": None}
        zs = normal_z(frac(confidence)) + (normal_z(2 * frac(power) - 1) if power > 0.5 else 0)
        n = max(0, ceil(dyadic(V / model * ((zs / D) ** 2 - 1 / V) / bend(fit, i, j))))
        return {"battles": n if n <= 10**12 else None}


def influence(battles, both_bad="tie"):
    asked = Asked(battles, "half", False, both_bad)
    members, rows, fit = asked.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(50):
        search = Search(len(members), rows, fit)
        gone = search.fewest()
        after = search.without(gone) if gone else None
        kinds = sorted(gone)
        name = [asked.names[m] for m in members]
        return {"leader": name[search.leader], "successor": name[first(after)] if gone else None, "removed": sum(gone.values()),
                "model_a": [name[k[0]] for k in kinds], "model_b": [name[k[1]] for k in kinds],
                "winner": [("model_a", "tie", "model_b")[k[2]] for k in kinds], "count": [gone[k] for k in kinds]}


def first(fit):
    theta = [rounded(fit.theta(i)) for i in range(fit.L)]
    return theta.index(max(theta))


class Search:
    """Half of what is predicted for the best kind of battle, again and again; then what is not needed comes back."""

    def __init__(self, L, rows, fit):
        self.L, self.leader, self.never, self.kinds = L, first(fit), set(), {}
        for i, j, o, w, many, *_ in rows:
            kind = (i, j, o, w) if i < j else (j, i, 2 - o, w)
            self.kinds[kind] = self.kinds.get(kind, 0) + many

    def without(self, gone):
        rows = [(*k, n - gone.get(k, 0), None, None) for k, n in self.kinds.items() if n > gone.get(k, 0)]
        return Fit(self.L, rows, "half", False) if rows and len(components(self.L, rows)) == 1 else None

    def overtaken(self, gone):
        fit = self.without(gone)
        return fit is not None and any(rounded(fit.above(i, self.leader)) > 0 for i in range(self.L))

    def fewest(self):
        gone = {}
        while not self.overtaken(gone):
            kind, many = self.best(gone)
            if kind is None:
                return {}
            while many and self.without({**gone, kind: gone.get(kind, 0) + many}) is None:
                many //= 2
            if many:
                gone[kind] = gone.get(kind, 0) + many
            else:
                self.never.add(kind)
        for kind in reversed(list(gone)):
            low, high = 0, gone[kind]
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if self.overtaken({**gone, kind: middle}) else (middle + 1, high)
            gone[kind] = high
        return {kind: n for kind, n in gone.items() if n}

    def best(self, gone):
        fit, best = self.without(gone), None
        X = fit.inverse()
        for rival in range(self.L):
            if rival != self.leader:
                found = self.against(fit, X, rival, gone)
                if found and (best is None or found[0] < best[0]):
                    best = found
        return (best[1], max(1, best[2] // 2)) if best else (None, 0)

    def against(self, fit, X, rival, gone):
        gap, pair, kinds = fit.above(self.leader, rival), (self.leader, rival), []
        for kind, many in self.kinds.items():
            i, j, o, w = kind
            _, slope, _, dd, _, _ = fit.law.of(o, fit.above(i, j), 0)
            rest = 1 - at(w) * dd * covariance(fit, X, (i, j), (i, j))
            effect = rounded(at(w) * slope * covariance(fit, X, (i, j), pair) / rest) if rest > 0 else 0
            if many > gone.get(kind, 0) and kind not in self.never and effect > 0:
                kinds.append((-effect, kind, many - gone.get(kind, 0)))
        if not kinds:
            return None
        kinds.sort()
        total = own = 0
        for k, (effect, _, many) in enumerate(kinds):
            take = min(many, max(1, ceil(dyadic(gap / -effect))))
            own, total = own if k else take, total + take
            gap += take * effect
            if gap <= 0:
                return total, kinds[0][1], own
        return total + sum(self.kinds.values()), kinds[0][1], own
