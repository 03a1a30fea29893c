"""Battles: test of equal strength, ratings with their intervals, probabilities of winning."""
from itertools import combinations

from mpmath import mp, mpf

from battle_fit import KEYS, MIN_DF, MAX_DF, Fit, ContrastVariances, components, maximum_exists, logistic, reachability, read_battles, units
from exact import Fraction, Real, Refused, to_mpf, to_fraction
from quantile import t_cdf, t_quantile

NEGLIGIBLE, MAX_PAIRS_ACROSS = mpf(2) ** -80, 300


# --- equal strength of two models ----------------------------------------------------------------------------


class EqualStrengthTest:
    """The efficient score of theta_a - theta_b under equality, from a fit with a and b merged into one model."""

    def __init__(self, L, rows, cluster, a, b):
        self.a, self.b, self.cache = a, b, {}
        m = [a if k == b else k for k in range(L)]
        merged = [(m[r[0]], m[r[1]], *r[2:]) for r in rows]
        group_members = next(c for c in components(L, merged) if a in c)
        used = [k for k, r in enumerate(merged) if r[0] in group_members and r[1] in group_members]
        self.place = {k: group_members.index(m[k]) for k in range(L) if m[k] in group_members}
        self.fit = Fit(len(group_members), [(group_members.index(merged[k][0]), group_members.index(merged[k][1]), *merged[k][2:]) for k in used], "half", False)
        self.groupings = [units([rows[k] for k in used], key) for key in KEYS[cluster]]

    def cell(self, i, j, o, x):
        """(s, z, residual, curvature) of a battle of i and j with outcome o, at parameters x of the merged fit.

        s is the derivative of theta_i - theta_j with respect to (theta_a - theta_b)/2; z has those with respect to x.
        """
        p, q = self.place[i], self.place[j]
        _, r, _, w, _, _ = self.fit.outcome_derivatives(p, q, o, x)
        return mpf((i == self.a) - (i == self.b) - (j == self.a) + (j == self.b)), mp.matrix(self.fit.difference_row(p, q)) if self.fit.n else None, r, w

    def statistic(self):
        """The statistic t and the effective number of units E, over all groupings into units."""
        if mp.prec not in self.cache:
            x, n = (self.fit.solution(), self.fit.n) if self.fit.n else ([], 0)
            h = mp.zeros(n, 1)
            for cells, count in self.groupings[0]:
                for (i, j, o), weight in cells.items():
                    s, z, _, w = self.cell(i, j, o, x)
                    h += count * to_mpf(weight) * w * s * z if n else h
            self.cache[mp.prec] = self.sums_over_units(x, self.fit.inverse() * h if n else h)
        return self.cache[mp.prec]

    def sums_over_units(self, x, slopes):
        """The statistic t and E; slopes: the weighted regression of s on z, so that e = s - z' slopes is efficient."""
        out = []
        for grouping in self.groupings:
            total = squares = weights = shares = mpf(0)
            for cells, count in grouping:
                u = a = mpf(0)
                for (i, j, o), weight in cells.items():
                    s, z, r, w = self.cell(i, j, o, x)
                    e = s - ((z.T * slopes)[0] if self.fit.n else 0)
                    u, a = u + to_mpf(weight) * r * e, a + to_mpf(weight) * w * e * e
                total, squares, weights, shares = total + count * u, squares + count * u * u, weights + count * a, shares + count * a * a
            out.append((total, squares, weights**2 / shares))
        V = out[0][1] if len(out) == 1 else max(out[0][1] + out[1][1] - out[2][1], out[0][1], out[1][1])
        return out[0][0] / mp.sqrt(V) if V > NEGLIGIBLE**2 else mpf(0), min(o[2] for o in out[:2])

    def t(self):
        return self.statistic()[0]

    def df(self):
        return min(self.statistic()[1] - 1, mpf(MAX_DF))

    def is_defined(self):
        with mp.workdps(60):
            return self.statistic()[1] - 1 >= MIN_DF


def tests_across_groups(request):
    """Yield (two-sided p-value, stronger, weaker), to 60 digits, for pairs of models in different groups with a test.

    No pair has one if more than MAX_PAIRS_ACROSS pairs are in different groups, if a position bias is estimated, or if
    ties have a parameter.
    """
    group = {i: g for g, (members, _, _) in enumerate(request.groups) for i in members}
    pairs_across = [(i, j) for i, j in combinations(range(request.L), 2) if group[i] != group[j]]
    reach = reachability(request.L, request.rows)
    if len(pairs_across) > MAX_PAIRS_ACROSS or request.ties != "half" or request.biased:
        return
    for i, j in pairs_across:
        if reach[i][j] or reach[j][i]:
            stronger, weaker = (i, j) if reach[i][j] else (j, i)
            test = EqualStrengthTest(request.L, request.rows, request.cluster, stronger, weaker)
            if test.is_defined():
                with mp.workdps(60):
                    is_extreme = test.df() > 100 and test.t() > 100  # p is below 1e-60
                    yield mpf(0) if is_extreme else 2 * t_cdf(-test.t(), test.df()), stronger, weaker


def score_test(battles, a, b, both_bad="tie", cluster=None):
    request = Request(battles, "half", False, both_bad, cluster)
    i, j = request.names.index(a), request.names.index(b)
    reach = reachability(request.L, request.rows)
    if not reach[i][j] and not reach[j][i]:
        raise Refused("undefined")
    test = EqualStrengthTest(request.L, request.rows, cluster, i, j)
    if not test.is_defined():
        return {"t": None, "df": None, "p_value": None}
    t = flush_to_zero(test.t)
    return {"t": t, "df": Real(test.df), "p_value": Real(lambda: t_cdf(-test.t(), test.df())) if t else Fraction(1, 2)}


# --- ratings -----------------------------------------------------------------------------------------


class Request:
    """The battles of a call: names, rows, and groups (members, rows, fit or None), the largest group first."""

    def __init__(self, battles, ties="half", position_bias=False, both_bad="tie", cluster=None):
        self.names, self.rows, self.dropped = read_battles(battles, both_bad)
        self.ties, self.biased, self.cluster = ties, position_bias, cluster
        self.L = len(self.names)
        groups = [self.fit_group(m) for m in components(self.L, self.rows)]
        self.groups = sorted(groups, key=lambda g: (-len(g[0]), -sum(r[4] for r in g[1])))

    def fit_group(self, members):
        place = {m: k for k, m in enumerate(members)}
        rows = [(place[i], place[j], *rest) for i, j, *rest in self.rows if i in place and j in place]
        has_maximum = len(members) > 1 and maximum_exists(len(members), rows, self.ties, self.biased)
        return members, rows, Fit(len(members), rows, self.ties, self.biased) if has_maximum else None

    def pair(self, a, b):
        i, j = self.names.index(a), self.names.index(b)
        for members, _, fit in self.groups:
            if i in members and j in members and fit:
                return fit, members.index(i), members.index(j)
        raise Refused("undefined")


def flush_to_zero(f):
    """The real number f(), or 0 if it is negligible."""
    with mp.workdps(60):
        return Fraction(0) if abs(f()) < NEGLIGIBLE else Real(f)


def affine(middle, unit, x):
    """The real number middle + unit() x, with middle rational."""
    return middle if isinstance(x, Fraction) and not x else Real(lambda: to_mpf(middle) + unit() * to_mpf(x))


def ends(variances, kind, D, confidence):
    """The interval (lo, hi) of a contrast around its value D; None below half a degree of freedom."""
    with mp.workdps(60):
        if variances.variance_and_df(kind) is None:
            return None

    def end(sign):
        V, df = variances.variance_and_df(kind)
        return to_mpf(D) + sign * t_quantile(to_fraction(confidence), df) * mp.sqrt(V)

    return Real(lambda: end(-1)), Real(lambda: end(1))


def status(request, i):
    """The status of a model that is alone in its group; it has no ties, since a tie joins two models in one group."""
    results = {(r[2] == 0) == (r[0] == i) for r in request.rows if i in r[:2]}
    return "between" if len(results) > 1 else "unbeaten" if True in results else "winless"


def bradley_terry(battles, ties="half", position_bias=False, both_bad="tie", cluster=None, anchor="mean", scale=400, base=10,
                  init_rating=1000, confidence=0.95):
    request = Request(battles, ties, position_bias, both_bad, cluster)
    L, names = request.L, request.names
    out = {"models": names} | {k: [None] * L for k in ("status", "group", "theta", "rating", "lo", "hi")}
    out |= dict.fromkeys(("best", "worst", "bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi")) | {"dropped": request.dropped}
    unit, middle, tests = (lambda: to_mpf(to_fraction(scale)) / mp.log(to_mpf(to_fraction(base)))), to_fraction(init_rating), []
    for g, (members, rows, fit) in enumerate(request.groups):
        for i in members:
            out["group"][i] = g
            out["status"][i] = status(request, i) if len(members) == 1 else "rated" if fit else "undetermined"
        if fit:
            variances = ContrastVariances(fit, cluster)
            add_ratings(out, fit, variances, members, None if anchor == "mean" else names.index(anchor), unit, middle, confidence)
            out |= bias_and_tie(fit, variances, confidence) if g == 0 else {}
            tests += tests_within_group(fit, variances, members)
    tests += tests_across_groups(request)
    best, worst = [1] * L, [L] * L
    for stronger, weaker in holm(tests, L * (L - 1) // 2, confidence):
        best[weaker] += 1
        worst[stronger] -= 1
    return out | {"best": best, "worst": worst}


def add_ratings(out, fit, variances, members, anchor, unit, middle, confidence):
    """Add the ratings of a group of models, and their intervals, to the result."""
    fixed = members.index(anchor) if anchor in members else None
    for k, i in enumerate(members):
        out["theta"][i] = flush_to_zero(lambda k=k: fit.theta(k))
        D = out["theta"][i] if fixed is None else flush_to_zero(lambda k=k: fit.difference(k, fixed))
        out["rating"][i] = affine(middle, unit, D)
        kind = ("mean", k) if fixed is None else ("pair", k, fixed)
        pair_of_ends = (Fraction(0),) * 2 if k == fixed else ends(variances, kind, D, confidence)
        if pair_of_ends:
            out["lo"][i], out["hi"][i] = (affine(middle, unit, x) for x in pair_of_ends)


def bias_and_tie(fit, variances, confidence):
    out = {}
    if fit.biased:
        out["bias"] = D = flush_to_zero(lambda: fit.solution()[fit.L - 1])
        pair_of_ends = ends(variances, ("bias",), D, confidence)
        if pair_of_ends:
            out["bias_lo"], out["bias_hi"] = pair_of_ends
    if fit.ties != "half":
        out["tie"] = Real(lambda: mp.exp(fit.solution()[-1])) if fit.tied else Fraction(fit.ties == "rao_kupper")
        pair_of_ends = ends(variances, ("tie",), Real(lambda: fit.solution()[-1]), confidence) if fit.tied else None
        if pair_of_ends:
            out["tie_lo"], out["tie_hi"] = map(exponential, pair_of_ends)
    return out


def exponential(x):
    """The exponential of x; infinite beyond the doubles."""
    with mp.workdps(30):
        return float("inf") if to_mpf(x) > 709.8 else Real(lambda: mp.exp(to_mpf(x)))


def tests_within_group(fit, variances, members):
    """(two-sided p-value, stronger, weaker), to 60 digits, of the pairs in a group that differ and have an interval."""
    out = []
    with mp.workdps(60):
        for i, j in combinations(range(fit.L), 2):
            D, V_and_df = fit.difference(i, j), variances.variance_and_df(("pair", i, j))
            if V_and_df and abs(D) >= NEGLIGIBLE:
                is_extreme = V_and_df[1] > 100 and D * D > 10**4 * V_and_df[0]  # p is below 1e-60
                stronger, weaker = (i, j) if D > 0 else (j, i)
                out.append((mpf(0) if is_extreme else two_sided_p_value(fit, variances, i, j), members[stronger], members[weaker]))
    return out


def holm(tests, m, confidence):
    """Yield the significantly different pairs (stronger, weaker), by Holm's step-down rule over m comparisons."""
    with mp.workdps(60):
        for k, (p, stronger, weaker) in enumerate(sorted(tests)):
            if (m - k) * p > 1 - to_mpf(to_fraction(confidence)):
                return
            yield stronger, weaker


def two_sided_p_value(fit, variances, i, j):
    V, df = variances.variance_and_df(("pair", i, j))
    return 2 * t_cdf(-abs(fit.difference(i, j)) / mp.sqrt(V), df)


def win_probability(battles, a, b, ties="half", position_bias=False, both_bad="tie", cluster=None, confidence=0.95):
    fit, i, j = Request(battles, ties, position_bias, both_bad, cluster).pair(a, b)
    variances, kind = ContrastVariances(fit, cluster), ("pair", i, j)
    D = flush_to_zero(lambda: fit.difference(i, j))
    out = {"p": Real(lambda: logistic(to_mpf(D))) if D else Fraction(1, 2), "lo": None, "hi": None, "theta": D, "sigma": None, "df": None, "p_value": None}
    pair_of_ends = ends(variances, kind, D, confidence)
    if pair_of_ends:
        out["lo"], out["hi"] = (Real(lambda x=x: logistic(to_mpf(x))) for x in pair_of_ends)
        out["sigma"] = Real(lambda: mp.sqrt(variances.variance_and_df(kind)[0]))
        out["df"] = Real(lambda: variances.variance_and_df(kind)[1])
        out["p_value"] = Real(lambda: two_sided_p_value(fit, variances, i, j)) if D else Fraction(1)
    return out
