"""Battles: reading, existence of ratings, the likelihood and its maximum, jackknife variances.

The methods differ from those of the packages: existence is a rational linear program (Stiemke), the maximum comes from
Newton's steps on the logarithms of probabilities, at any precision, and the inverse curvature from matrix inversion.
"""
from mpmath import mp, mpf

from exact import Fraction, to_mpf

OUTCOME = {"model_a": 0, "tie": 1, "model_b": 2, "tie (bothbad)": 3}
MIN_DF, MAX_DF = mpf(1) / 2, 10**6


def read_battles(battles, both_bad):
    """Sorted names, rows (i, j, outcome, weight, count, question, voter), and the number of dropped battles."""
    if isinstance(battles, list):
        battles = dict(zip(("model_a", "model_b", "winner"), map(list, zip(*battles))))
    n = len(battles["winner"])
    column = {k: battles.get(k, [None] * n) for k in ("question", "voter")}
    used = [k for k in range(n) if both_bad == "tie" or OUTCOME[battles["winner"][k]] < 3]
    count = [int(x) for x in battles.get("count", [1] * n)]
    names = sorted({battles[side][k] for k in used for side in ("model_a", "model_b")})
    place = {name: i for i, name in enumerate(names)}
    rows = [(place[battles["model_a"][k]], place[battles["model_b"][k]], (0, 1, 2, 1)[OUTCOME[battles["winner"][k]]],
             Fraction(battles.get("weight", [1] * n)[k]), count[k], column["question"][k], column["voter"][k]) for k in used]
    return names, rows, sum(count) - sum(count[k] for k in used)


# --- existence -------------------------------------------------------------------------------------


def reachability(L, rows):
    """A matrix of truth values: whether edges lead from i to j; a win is an edge to the loser, a tie one each way."""
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
    """The groups of models that reach each other (see reachability)."""
    reach = reachability(L, rows)
    return sorted({tuple(j for j in range(L) if reach[i][j] and reach[j][i]) for i in range(L)})


def maximum_exists(L, rows, ties, biased):
    """Whether the likelihood has a maximum: no direction x of the parameters but 0 has G x >= 0.

    A battle that happened becomes ever less likely along x unless g x >= 0 for its rows g of G. The last entry of a
    row, for the tie parameter, is doubled under Rao and Kupper, which changes nothing.
    """
    tied = ties != "half" and any(r[2] == 1 for r in rows)
    G = set()
    for i, j, o, *_ in rows:
        d = tuple([(k == i) - (k == j) for k in range(1, L)] + [1] * biased)
        minus = tuple(-x for x in d)
        with_tie = (lambda v, u: v + ((u,) if tied else ()))
        if o == 1 and ties == "half":
            G |= {with_tie(d, 0), with_tie(minus, 0)}
        elif o == 1:
            G |= {with_tie(d, 2), with_tie(minus, 2)}
        else:
            G |= {with_tie(d if o == 0 else minus, 0), with_tie(d if o == 0 else minus, -2)}
    G = [[Fraction(x) for x in g] for g in sorted(G)]
    return matrix_rank(G) == len(G[0]) and has_positive_solution(G)


def matrix_rank(A):
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


def has_positive_solution(G):
    """Whether some y > 0 has y G = 0: y = 1 + z, z >= 0, by phase one of the simplex method with Bland's rule."""
    n, m = len(G), len(G[0])
    rows = [[G[k][c] for k in range(n)] + [-sum(g[c] for g in G)] for c in range(m)]
    rows = [[-x for x in r] if r[-1] < 0 else r for r in rows]
    basis = list(range(n, n + m))
    cost = [sum(r[c] for r in rows) for c in range(n + 1)]
    while True:
        entering = next((c for c in range(n) if cost[c] > 0), None)
        if entering is None:
            return cost[n] == 0
        leaving = min((k for k in range(m) if rows[k][entering] > 0), key=lambda k: (rows[k][n] / rows[k][entering], basis[k]))
        basis[leaving] = entering
        pivot = rows[leaving][entering]
        rows[leaving] = [x / pivot for x in rows[leaving]]
        for k in range(m):
            if k != leaving:
                f = rows[k][entering]
                rows[k] = [x - f * y for x, y in zip(rows[k], rows[leaving])]
        f = cost[entering]
        cost = [x - f * y for x, y in zip(cost, rows[leaving])]


# --- the likelihood ----------------------------------------------------------------------------------


def logistic(x):
    return 1 / (1 + mp.exp(-x))


class Outcomes:
    """Log-probabilities of a battle's outcomes, with derivatives; d: log(A/B) of the two, u: log tie parameter."""

    def __init__(self, ties, tied):
        self.ties, self.tied = ties, tied

    def derivatives(self, o, d, u):
        """The log-probability of outcome o, its derivatives by d and u, and minus its second ones by dd, du and uu."""
        zero = mpf(0)
        if self.ties == "davidson" and self.tied:
            e = [d / 2, u, -d / 2]
            total = sum(mp.exp(x) for x in e)
            x, t, y = (mp.exp(v) / total for v in e)
            slope = (mpf(o == 0) - mpf(o == 2)) / 2 - (x - y) / 2, (o == 1) - t
            return e[o] - mp.log(total), *slope, (x + y - (x - y) ** 2) / 4, -(x - y) / 2 * t, t * (1 - t)
        if self.ties == "rao_kupper" and self.tied:
            p, q = logistic(d - u), logistic(-d - u)
            powers = {0: (1, 0), 1: (1, 1), 2: (0, 1)}[o]  # the powers of p and q in the probability
            v = mp.log(p) * powers[0] + mp.log(q) * powers[1]
            sd, su = powers[0] * (1 - p) - powers[1] * (1 - q), -powers[0] * (1 - p) - powers[1] * (1 - q)
            dd, uu = (powers[0] * p * (1 - p) + powers[1] * q * (1 - q),) * 2
            du = -powers[0] * p * (1 - p) + powers[1] * q * (1 - q)
            if o == 1:
                k = mp.expm1(2 * u)
                v, su, uu = v + mp.log(k), su + 2 * (k + 1) / k, uu + 4 * (k + 1) / k**2
            return v, sd, su, dd, du, uu
        p = logistic(d)
        share = (mpf(1), mpf(1) / 2, zero)[o]  # of the battle that the first model wins
        return share * mp.log(p) + (1 - share) * mp.log(1 - p), share - p, zero, p * (1 - p), zero, zero


class Fit:
    """The maximum of the likelihood for models 0..L-1, at mpmath's current precision.

    Its parameters are theta_1..theta_(L-1) with theta_0 = 0, the position bias and the log tie parameter, as far as
    they are fitted; theta() gives values whose mean is 0.
    """

    def __init__(self, L, rows, ties, biased):
        self.L, self.rows, self.biased, self.ties = L, rows, biased, ties
        self.tied = ties != "half" and any(r[2] == 1 for r in rows)
        self.outcomes, self.cache = Outcomes(ties, self.tied), {}
        self.n = L - 1 + biased + self.tied
        self.cells = {}  # the weight of all battles of models i and j, shown in this order, with outcome o
        for i, j, o, w, count, *_ in rows:
            self.cells[i, j, o] = self.cells.get((i, j, o), 0) + w * count

    def difference_row(self, i, j):
        """The derivatives of the difference d of a battle with respect to all parameters."""
        return [mpf((k == i) - (k == j)) for k in range(1, self.L)] + [mpf(1)] * self.biased + [mpf(0)] * self.tied

    def outcome_derivatives(self, i, j, o, x):
        """Log-probability of outcome o of a battle of i and j at parameters x, with its slopes and curvatures."""
        d = sum(a * b for a, b in zip(self.difference_row(i, j), x))
        return self.outcomes.derivatives(o, d, x[-1] if self.tied else mpf(0))

    def value(self, x):
        """The log likelihood at parameters x."""
        return sum(to_mpf(w) * self.outcome_derivatives(i, j, o, x)[0] for (i, j, o), w in self.cells.items())

    def gradient_and_curvature(self, cells, x):
        """The gradient and the negative second derivative of the log likelihood of some cells."""
        g, H = mp.zeros(self.n, 1), mp.zeros(self.n, self.n)
        for (i, j, o), w in cells.items():
            _, sd, su, dd, du, uu = self.outcome_derivatives(i, j, o, x)
            row, last = self.difference_row(i, j), [mpf(0)] * (self.n - 1) + [mpf(1)]
            w = to_mpf(w)
            for a in range(self.n):
                u = last[a] if self.tied else 0
                g[a] += w * (sd * row[a] + su * u)
                for b in range(self.n):
                    v = last[b] if self.tied else 0
                    H[a, b] += w * (dd * row[a] * row[b] + du * (row[a] * v + u * row[b]) + uu * u * v)
        return g, H

    def solution(self):
        """The parameters, at mpmath's current precision."""
        if mp.prec not in self.cache:
            lower = [p for p in self.cache if p < mp.prec]
            x = list(self.cache[max(lower)]) if lower else [mpf(0)] * (self.n - self.tied) + [mpf(1) / 2] * self.tied
            with mp.extraprec(60):
                self.cache[mp.prec - 60] = self.newton(x)
        return self.cache[mp.prec]

    def newton(self, x):
        """The parameters at the maximum, from the start x, with steps that are halved until the likelihood rises."""
        for _ in range(400):
            g, H = self.gradient_and_curvature(self.cells, x)
            step, before, t = mp.lu_solve(H, g), self.value(x), mpf(1)
            size = max(abs(s) for s in step)
            if size < mpf(2) ** -(mp.prec - 40):
                return x
            while True:
                new = [a + t * s for a, s in zip(x, step)]
                # log kappa stays above 0; a tiny step may raise the likelihood by less than its rounding error
                if not (self.tied and self.ties == "rao_kupper" and new[-1] <= 0) and (size < mpf(10) ** -9 or self.value(new) > before):
                    break
                t /= 2
            x = new
        raise ArithmeticError("Newton's method finds no maximum of the likelihood")

    def theta(self, i):
        """The log-strength of model i, less the mean of the log-strengths of all models."""
        x = [mpf(0), *self.solution()[:self.L - 1]]
        return x[i] - sum(x) / self.L

    def difference(self, i, j):
        return self.theta(i) - self.theta(j)

    def coefficients(self, kind):
        """Coefficients of a contrast: ("pair", i, j), ("mean", i), i less the mean of all, ("bias",) or ("tie",)."""
        if kind[0] == "pair":
            c = [mpf((k == kind[1]) - (k == kind[2])) for k in range(self.L)]
        elif kind[0] == "mean":
            c = [(k == kind[1]) - mpf(1) / self.L for k in range(self.L)]
        else:
            c = [mpf(0)] * self.L
        return c[1:] + [mpf(kind[0] == "bias")] * self.biased + [mpf(kind[0] == "tie")] * self.tied

    def inverse(self):
        """The inverse of the curvature at the maximum."""
        return mp.inverse(self.gradient_and_curvature(self.cells, self.solution())[1])


def units(rows, key):
    """A list of (cells, number of units with these cells); cells: a mapping from (i, j, outcome) to a unit's weight."""
    if key is None:
        out = {}
        for i, j, o, w, count, *_ in rows:
            out[i, j, o, w] = out.get((i, j, o, w), 0) + count
        return [({k[:3]: k[3]}, count) for k, count in out.items()]
    out = {}
    for i, j, o, w, count, *labels in rows:
        cells = out.setdefault(key(labels), {})
        cells[i, j, o] = cells.get((i, j, o), 0) + w * count
    return [(cells, 1) for cells in out.values()]


# for each value of cluster, the functions from (question, voter) to the unit of a battle; None: each battle is a unit
KEYS = {None: [None], "question": [lambda x: x[0]], "voter": [lambda x: x[1]], "both": [lambda x: x[0], lambda x: x[1], tuple]}


class ContrastVariances:
    """Jackknife variances of contrasts of one fit, with their effective numbers of units."""

    def __init__(self, fit, cluster):
        self.fit, self.cache = fit, {}
        self.groupings = [units(fit.rows, key) for key in KEYS[cluster]]

    def derivatives(self):
        """The inverse curvature, and for each grouping the gradients, curvatures and numbers of its units."""
        if mp.prec not in self.cache:
            x = self.fit.solution()
            self.cache[mp.prec] = self.fit.inverse(), [[(*self.fit.gradient_and_curvature(cells, x), count) for cells, count in grouping] for grouping in self.groupings]
        return self.cache[mp.prec]

    def variance(self, kind):
        """The variance V of a contrast, its effective number of units E, and its model-based variance."""
        X, groupings_derivatives = self.derivatives()
        c = mp.matrix(self.fit.coefficients(kind))
        u = X * c
        model = (c.T * u)[0]
        results = [self.jackknife(u, model, grouping) for grouping in groupings_derivatives]
        if len(results) == 1:
            return *results[0], model
        (q, eq), (v, ev), (both, _) = results
        return max(q + v - both, q, v), min(eq, ev), model

    def jackknife(self, u, model, grouping):
        """(V, E) of a contrast for one grouping of battles into units; model: its model-based variance."""
        total = squares = mpf(0)
        for g, H, count in grouping:
            share = (u.T * H * u)[0] / model
            squares += count * share**2
            if share < 1 - mpf(10) ** -15:
                total += count * ((u.T * g)[0] / (1 - share)) ** 2
            else:  # one unit alone decides the contrast: E is below 1, and there is no interval
                squares += 1
        return max((1 - squares) * total, model * squares), 1 / squares

    def variance_and_df(self, kind):
        """(V, df) of a contrast, or None below half a degree of freedom."""
        V, E, _ = self.variance(kind)
        return None if E - 1 < MIN_DF else (V, min(E - 1, mpf(MAX_DF)))
