"""Ledgers of builds: gate_builds, alarms, steps, noise_floor.

The symbols are those of spec/families/ledger.md. Builds are numbered from 0 here.
"""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, to_fraction, clip, double, exceeds, larger, root, scale, total
from freedom import MAX_DF, Units, chi_square_df, fixed_variance, further_trial, least_guard
from intervals import Estimate, interval_ends, rescale
from looks import upper_quantile
from many import models
from outcomes import counts
from quantile import beta_cdf, beta_quantile, normal_cdf, t_cdf, t_quantile, z as normal_quantile
from runs import FIXED, Sampled, run_variation
from variance import Estimator, Mean

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


# ---------------------------------------------------------------- builds

def histories(builds, pin, w, missing):
    """The metric, names and rows of the builds, and the pooled rows of the pin (None: no pin)."""
    g = Mean(w)
    named = models(builds)
    if not named:
        raise Refused("empty")
    read = [counts(x, g.C, missing) for _, x in named]
    pins = None if pin is None else [counts(x, g.C, missing) for x in ([y for _, y in models(pin)] if "models" in pin or "tensor" in pin else [pin])]
    if any(not sum(row) for rows in [*read, *(pins or [])] for row in rows):
        raise Refused("missing")
    return g, [name for name, _ in named], read, pins and pooled(pins)


def pooled(each):
    """Outcomes of the same questions, added."""
    return [[sum(x) for x in zip(*rows)] for rows in zip(*each)]


def stated(runs):
    """The runs of a mapping; None if they are fixed or sampled."""
    return None if isinstance(runs, str) else Sampled(to_fraction(runs["ratio"]), to_fraction(runs["df"]))


def mean_score(g, rows):
    return sum((g.value(row) for row in rows), ZERO) / len(rows)


def trial_variance(g, row):
    """R_a, the variance of a trial."""
    return g.variance(row, None) * sum(row)


def largest_range(g, each):
    """r over outcomes of the same questions."""
    spreads = [max(u) - min(u) for u in ([y for m, y in zip(row, g.u) if m] for row in pooled(each))]
    return max(max(spreads), Fraction(1, 2**20)) if any(spreads) else ONE


def quantile(p, df=None):
    """The quantile 1 - p: normal, or of t with df degrees of freedom."""
    return Real(lambda: normal_quantile(1 - 2 * p) if df is None else t_quantile(1 - 2 * p, to_mpf(df)))


def over_runs(x, runs):
    """A standardised number x with regard to runs (None: fixed): the normal quantile of its probability."""
    if runs is None or not x:
        return x

    def score():
        y = to_mpf(x) / mp.sqrt(to_mpf(max(ONE, runs.ratio)))
        with mp.extraprec(60):
            return mp.sign(y) * upper_quantile(t_cdf(-abs(y), to_mpf(min(runs.df, MAX_DF))))
    return Real(score)


# ---------------------------------------------------------------- gate_builds

def gate_builds(builds, pin, margin, confidence=0.95, w=None, runs="fixed", missing="raise"):
    g, names, each, rows_of_pin = histories(builds, pin, w, missing)
    alpha, delta, runs = (1 - to_fraction(confidence)) / 2, to_fraction(margin) / g.span, stated(runs)
    P, estimators = Estimator(rows_of_pin, g), [Estimator(rows, g) for rows in each]
    hi = ends_of(P, alpha, runs)[1]
    F, k, fields = total([hi, -delta]), 1, {x: [] for x in ("mu", "floor", "p_worse", "p_better", "level", "doubtful", "raised", "verdict")}
    for A in estimators:
        worse, better = p_values(A, P, F, runs)
        level = alpha / (4 * k * (k + 1))
        doubtful = exceeds(worse, Fraction(1, 4)) and not exceeds(worse, Fraction(3, 4))
        verdict = "pass" if not exceeds(worse, level) else "fail" if not exceeds(better, alpha) else "inconclusive"
        proven = total([ends_of(A, alpha, runs)[0], -delta])
        raised = verdict == "pass" and not same(proven, F) and exceeds(proven, F)
        for x, value in zip(fields, (g.low + g.span * A.theta, rescale(g, F), worse, better, level, doubtful, raised, verdict)):
            fields[x].append(value)
        k += doubtful
        F = proven if raised else F
    return {"build": names, **fields, "pin": g.low + g.span * P.theta, "pin_hi": rescale(g, hi), "next_floor": rescale(g, F), "next_level": alpha / (4 * k * (k + 1))}


def same(x, y):
    """Whether two numbers agree to 60 digits, as those of builds with the same counts do."""
    with mp.workdps(80):
        return abs(to_mpf(x) - to_mpf(y)) < mp.mpf(10) ** -60


def ends_of(A, alpha, runs):
    """lo and hi of mean_ci at confidence 1 - alpha."""
    x = Estimate(A, True, None, None, runs)
    return interval_ends(x.theta, x.normal_size(1 - alpha), 1 - alpha)


def p_values(A, P, F, runs):
    """p_worse and p_better of the gate of A against the pin P at the floor F."""
    D, delta = A.theta - P.theta, total([P.theta, scale(-ONE, F)])
    x, terms, by_trials = total([A.theta, scale(-ONE, F)]), [], True
    if min(A.n) >= 2:  # the pin is taken as known
        s = further_trial(A, P)
        V, df = scale(Fraction(1, A.M**2), total([A.trial_variance, s])), chi_square_df(total([A.trial_variance, s]), total([A.trial_variance_error, s * s]))
    elif not A.all_unknown and not P.all_unknown:
        V, df = fixed_variance(A, P)
    else:
        units, d, by_trials = Units(A.M), [a - b for a, b in zip(A.x, P.x)], False
        V, df = units.guarded(d, max(ONE, least_guard(A, P)))
        terms = units.cubes(d)
    tests = [(V, df)]
    with_runs = runs and runs.variance(V, df)
    if with_runs:
        tests.append(with_runs)
    if not x:
        return HALF, HALF
    above = exceeds(x, ZERO)
    if any(terms):
        kappa, beta_squared = sum(terms), sum(y * y for y in terms)
        tests.append((Real(lambda: to_mpf(V) + max(mp.sqrt(to_mpf(beta_squared)) * abs(to_mpf(x)) - to_mpf(x) * to_mpf(kappa), mp.mpf(0)) / to_mpf(V)), df))
    small = Real(lambda: max(t_cdf(-abs(to_mpf(x)) / mp.sqrt(to_mpf(v)), to_mpf(f)) for v, f in tests))
    large = total([ONE, scale(-ONE, small)])
    small = larger(small, exact_bound(A, P, D, delta, above, by_trials, runs))
    return (small, large) if above else (large, small)


def exact_bound(A, P, D, delta, above, by_trials, runs):
    """The probability that all independent trials, or units, are like those of A if its score is at the floor."""
    U = min(1 / ((runs or FIXED).unit(A.inverse_n0, P.inverse_n0) if by_trials else Units(A.M).Q), 2**32)
    if above and not exceeds(ONE, delta):
        return ZERO
    if by_trials and above and D < 0:
        return Real(lambda: beta_cdf(1 - to_mpf(delta), to_mpf(U + D * U), to_mpf(1 - D * U)))
    sign = 1 if above else -1
    share = (1 - sign * delta) / (1 + sign * D) if isinstance(delta, Fraction) else Real(lambda: (1 - sign * to_mpf(delta)) / to_mpf(1 + sign * D))
    return share ** int(U) if isinstance(share, Fraction) and U == int(U) <= 10**4 else Real(lambda: to_mpf(share) ** to_mpf(U))


# ---------------------------------------------------------------- alarms

def successive(g, rows_of_pin, each):
    """The ratio and its degrees of freedom from the differences of successive builds; None with fewer than two builds."""
    m, M = len(each) - 1, len(each[0]) if each else 0
    if m < 1:
        return None
    R = [trial_variance(g, row) for row in pooled([*([rows_of_pin] if rows_of_pin else []), *each])]
    pairs = list(zip(each, each[1:]))
    V = sum(r * (Fraction(1, sum(x)) + Fraction(1, sum(y))) for a, b in pairs for r, x, y in zip(R, a, b)) / M**2
    squares = sum((mean_score(g, b) - mean_score(g, a)) ** 2 for a, b in pairs)
    return Sampled(squares / V if V else ONE, Fraction(2 * m * m, 3 * m - 1))


def limit(every):
    """h, by Newton's method."""
    def h():
        y = mp.log(1 + 2 * to_mpf(to_fraction(every)))
        for _ in range(200):
            step = (mp.exp(y) - 1 - y - to_mpf(to_fraction(every))) / (mp.exp(y) - 1)
            y -= step
            if abs(step) < mp.mpf(2) ** (10 - mp.prec):
                return y - mp.mpf(1166) / 1000
        raise ArithmeticError("limit")
    return Real(h)


def residual(g, reference, rows, r):
    """W_j without regard to runs."""
    if min(map(sum, reference)) < 2:
        return ZERO
    M, n = len(rows), min(map(sum, rows))
    V = sum(trial_variance(g, N) * (Fraction(1, sum(x)) + Fraction(1, sum(N))) for N, x in zip(reference, rows)) / M**2 + r * r / (8 * n * n * M * M)
    D = mean_score(g, reference) - mean_score(g, rows)
    square = root(D * D / V)
    return scale(Fraction(1 if D > 0 else -1), square)


def alarms(builds, pin=None, every=500, w=None, runs="fixed", missing="raise"):
    g, names, each, rows_of_pin = histories(builds, pin, w, missing)
    h, fields = limit(every), {x: [] for x in ("mu", "reference", "z", "loss", "gain", "alarm", "since")}
    reference, L, G, last_L, last_G = [rows_of_pin] if rows_of_pin else [], ZERO, ZERO, -1, -1  # builds of the last 0 of both sums
    for j, rows in enumerate(each):
        W = ZERO
        if reference:
            W = residual(g, pooled(reference), rows, largest_range(g, [*([rows_of_pin] if rows_of_pin else []), *each[:j + 1]]))
            of_runs = successive(g, rows_of_pin, each[:j]) if runs == "sampled" else stated(runs)
            W = ZERO if runs == "sampled" and not of_runs else over_runs(W, of_runs)
        L, G = (positive(total([x, scale(sign, W), -HALF])) for x, sign in ((L, ONE), (G, -ONE)))
        last_L, last_G = last_L if L else j, last_G if G else j
        alarm = "loss" if exceeds(L, h) else "gain" if exceeds(G, h) else None
        mu = g.low + g.span * mean_score(g, rows)
        before = g.low + g.span * mean_score(g, pooled(reference)) if reference else None
        since = {"loss": last_L + 1, "gain": last_G + 1, None: None}[alarm]
        for x, value in zip(fields, (mu, before, W if reference else None, L, G, alarm, since if since is None else names[since])):
            fields[x].append(value)
        reference.append(rows)
        if alarm:
            reference, L, G, last_L, last_G = [], ZERO, ZERO, j, j
    return {"build": names, **fields, "limit": h}


def positive(x):
    return x if exceeds(x, ZERO) else ZERO


# ---------------------------------------------------------------- steps

class Segments:
    """Splits of the builds i..e - 1; a split t has the builds i..t - 1 before it."""

    def __init__(self, g, each, runs):
        self.g, self.each, self.M = g, each, len(each[0])
        self.R = [trial_variance(g, row) for row in pooled(each)]
        self.r, self.n = largest_range(g, each), [sum(map(sum, rows)) for rows in each]
        self.runs = successive(g, None, each) if runs == "sampled" else stated(runs)

    def D_and_V(self, i, t, e):
        """D and V of a split, runs apart."""
        before, after = pooled(self.each[i:t]), pooled(self.each[t:e])
        B, A = ([sum(row) for row in rows] for rows in (before, after))
        V = sum(r * (Fraction(1, b) + Fraction(1, a)) for r, b, a in zip(self.R, B, A)) + self.r**2 * (Fraction(1, min(B) ** 2) + Fraction(1, min(A) ** 2))
        return mean_score(self.g, after) - mean_score(self.g, before), V / self.M**2

    def largest(self, i, e):
        """The first split of the largest |Z|."""
        def square(t):
            D, V = self.D_and_V(i, t, e)
            return D * D / V
        return max(range(i + 1, e), key=square)

    def z(self, i, t, e):
        """|Z| of a split."""
        D, V = self.D_and_V(i, t, e)
        x = root(D * D / V)
        return over_runs(x, self.runs) if x else ZERO

    def standard_error(self, V):
        return root(V * (max(ONE, self.runs.ratio) if self.runs else ONE))

    def p(self, i, e):
        """The p of a segment."""
        z = self.z(i, self.largest(i, e), e)
        if not z:
            return ONE

        def bound():
            x, N = to_mpf(z), sum(self.n[i:e])
            crossings = mp.mpf(0)
            for t in range(i + 1, e - 1):
                B, B_next = sum(self.n[i:t]), sum(self.n[i:t + 1])
                rho = mp.sqrt(mp.mpf(B * (N - B_next)) / (B_next * (N - B)))
                a = mp.sqrt((1 - rho) / (1 + rho))
                crossings += mp.erf(x * a / mp.sqrt(2)) / 2
            return 2 * normal_cdf(-x) + 4 * mp.npdf(x) / x * crossings
        return clip(Real(bound), (None, ONE))

    def split(self, i, e, level):
        """The splits of binary segmentation with the levels of their segments."""
        if e - i < 2 or exceeds(self.p(i, e), level):
            return []
        t = self.largest(i, e)
        return [*self.split(i, t, level / 2), (t, level), *self.split(t, e, level / 2)]

    def placed(self, level):
        """The splits after the second scan."""
        found, out = self.split(0, len(self.each), level), []
        for k, (_, level) in enumerate(found):
            i, e = out[-1] if out else 0, found[k + 1][0] if k + 1 < len(found) else len(self.each)
            if not exceeds(self.p(i, e), level):
                out.append(self.largest(i, e))
        return out

    def near(self, i, t, e, confidence):
        """The first and the last split that cannot be told from t."""
        z = self.z(i, t, e)
        c = Real(lambda: -2 * mp.log(1 - mp.sqrt(to_mpf(confidence))))

        def is_in(s):
            y = self.z(i, s, e)
            return s == t or exceeds(Real(lambda: to_mpf(y) ** 2 + to_mpf(c)), Real(lambda: to_mpf(z) ** 2))
        inside = [s for s in range(i + 1, e) if is_in(s)]
        return inside[0], inside[-1]


def steps(builds, confidence=0.95, w=None, runs="fixed", missing="raise"):
    g, names, each, _ = histories(builds, None, w, missing)
    if len(each) < 2:
        raise Refused("length")
    s, c = Segments(g, each, runs), to_fraction(confidence)
    q = quantile((1 - c) / 4, None if s.runs is None else min(s.runs.df, MAX_DF))
    at, fields = s.placed(1 - c), {x: [] for x in ("build", "first", "last", "mu", "lo", "hi", "p_value")}
    for i, t, e in zip([0, *at], at, [*at[1:], len(each)]):
        first, last = s.near(i, t, e, c)
        splits = [s.D_and_V(i, x, e) for x in range(first, last + 1)]
        lo, hi = (Real(lambda sign=sign, best=best: best(to_mpf(D) + sign * to_mpf(q) * to_mpf(s.standard_error(V)) for D, V in splits)) for sign, best in ((-1, min), (1, max)))
        ends = (clip(scale(g.span, x), (-g.span, g.span)) for x in (lo, hi))
        values = (names[t], names[first], names[last], g.span * s.D_and_V(i, t, e)[0], *ends, s.p(i, e))
        for x, value in zip(fields, values):
            fields[x].append(value)
    return fields


# ---------------------------------------------------------------- noise_floor

def by_trial(each):
    """A matrix with a column for each trial, and the evaluation of each column."""
    columns, labels = [], []
    for e, rows in enumerate(each):
        trials = [[c for c, m in enumerate(row) for _ in range(m)] for row in rows]
        for k in range(max(map(len, trials))):
            columns.append([row[k] if k < len(row) else None for row in trials])
            labels.append(e)
    return {"matrix": [list(row) for row in zip(*columns)]}, labels


class Unchanged:
    """An unchanged build at a gate: what the margin follows from.

    evaluations: those of the build; p: how many are pooled in the pin.
    """

    def __init__(self, g, each, V, power, alpha):
        self.g, self.each, self.V, self.E, self.M, self.alpha = g, each, V, len(each), len(each[0]), alpha
        self.z = ZERO if power == 0.5 else quantile(1 - to_fraction(power))
        self.r, self.n = largest_range(g, each), min(sum(row) for x in each for row in x)
        self.h = self.r * sum(Fraction(1, sum(row)) for x in each for row in x) / (self.E * self.M**2)
        self.builds, self.both = [Estimator(rows, g) for rows in each], Estimator(pooled(each), g)
        self.by_units = all(x.all_unknown for x in self.builds)

    def margin(self, p, parts, known, runs):
        """The margin of a gate at the level alpha/parts; known: the uncertainty of the pin is that of the floor."""
        if not self.g.span:
            return None
        if not self.V:
            return ZERO
        level, of_runs = self.alpha / parts, max(ONE, runs.ratio) if runs else ONE
        # how far the build is below the pin
        d = Real(lambda: to_mpf(self.z) * mp.sqrt(to_mpf((of_runs * self.V + self.h**2 / 2) * (1 + Fraction(1, p)))) + to_mpf(self.h) / 2)
        tests = self.tests_by_units(d, p) if self.by_units else self.tests_by_trials(d, p, known)
        tests += [(*test, ZERO) for V, df, _ in tests for test in [runs and runs.ratio and runs.variance(V, df)] if test]
        U = Fraction(self.M) if self.by_units else min(1 / (runs or FIXED).unit(Fraction(1, self.n * self.M)), Fraction(2**32))

        def needed():
            x, y = to_mpf(d), [self.distance(level, *test) for test in tests]
            if x >= 1:
                return mp.mpf(2)
            same = (1 - x) * to_mpf(level) ** (1 / to_mpf(U)) if self.by_units else beta_quantile(to_mpf(level), to_mpf(U) * (1 - x), 1 + to_mpf(U) * x)
            return max(max(y) + x, 1 - same) + (to_mpf(self.width(p, runs)) if known else 0)
        needed = Real(needed)
        return scale(self.g.span, needed) if exceeds(ONE, needed) else None

    def distance(self, level, V, df, tilt):
        """The distance from the floor with the p-value level; tilt: what the variance grows by, for a unit of it."""
        q = to_mpf(quantile(level, df))
        c = q * q * to_mpf(tilt) / 2
        return c + mp.sqrt(c * c + q * q * to_mpf(V))

    def width(self, p, runs):
        """How far the upper end of the pin is above its score."""
        if p == 1:
            return Real(lambda: sum(to_mpf(ends_of(x, self.alpha, runs)[1]) - to_mpf(x.theta) for x in self.builds) / self.E)
        return Real(lambda: (to_mpf(ends_of(self.both, self.alpha, runs)[1]) - to_mpf(self.both.theta)) * mp.sqrt(mp.mpf(self.E) / p))

    def tests_by_trials(self, d, p, known):
        """Variance and degrees of freedom of a build with the low score, and of one whose trials vary little."""
        S, E = (sum(x, ZERO) / self.E for x in zip(*((x.trial_variance, x.trial_variance_error) for x in self.builds)))
        share = Fraction(self.E, p)
        pin = (ZERO, ZERO) if known and self.n > 1 else (S, E) if p == 1 else (share * self.both.trial_variance, share**2 * self.both.trial_variance_error)
        theta, s = self.both.theta, self.r**2 / self.n**2

        def more():
            low = to_mpf(theta) - to_mpf(d)
            return max(1, low * (1 - low) / to_mpf(theta * (1 - theta)))
        S_low = positive(Real(lambda: to_mpf(S) - to_mpf(self.z) * mp.sqrt(to_mpf(E)))) if E else ZERO
        V = [Real(lambda x=x: (x() + to_mpf(pin[0] + s)) / self.M**2) for x in (lambda: to_mpf(S) * more(), lambda: to_mpf(S_low))]
        E_low = scale(E / S, S_low) if S else ZERO
        df = [chi_square_df(total([x, pin[0] + s]), total([y, pin[1] + s * s])) for x, y in ((S, E), (S_low, E_low))]
        return [(*x, ZERO) for x in zip(V, df)]

    def tests_by_units(self, d, p):
        """Tests by units: the differences of each evaluation from all stand for those of a build from its pin."""
        d_ = [[self.g.value(x) - y for x, y in zip(rows, self.both.x)] for rows in self.each]
        factor = (1 + Fraction(1, p)) * Fraction(self.E, self.E - 1)
        centred = [x - sum(row) / self.M for row in d_ for x in row]
        m2, m4, m6 = (factor ** (k // 2) * sum(x**k for x in centred) / (self.E * self.M) for k in (2, 4, 6))
        Z, c, M = m2 / (self.M - 1), Fraction(1, 2 * self.M**2), self.M
        if not m2:
            return [(c, Fraction(min(2, M - 1)), ZERO)]
        K = Real(lambda: to_mpf((1 - 2 * self.both.theta) * Z * (1 - Fraction(1, p)) / M) * mp.sqrt(to_mpf(m4 / m2)))
        Z_high = Real(lambda: to_mpf(Z) + to_mpf(d) * max(-to_mpf(K), 0) / to_mpf(Z))
        Z_low = positive(Real(lambda: to_mpf(Z) - to_mpf(self.z) * mp.sqrt(to_mpf(m4 / M**3))))

        def tilt():
            skew = to_mpf(K) - to_mpf(d) * to_mpf((m4 - 3 * m2**2) / (m2 * M**2))
            return max(mp.sqrt(to_mpf(m6 / M**5) * to_mpf(Z_high) / to_mpf(Z)) - skew, 0) / (to_mpf(Z_high) + to_mpf(c))

        def test(Z, tilt):
            V = total([Z, c])
            return V, Real(lambda: min(to_mpf(M - 1), to_mpf(MAX_DF), to_mpf(V) ** 2 / (to_mpf(Z) ** 2 / (M - 1) + to_mpf(c) ** 2 / 2))), tilt
        return [test(Z_high, Real(tilt)), test(Z_low, ZERO)]


def noise_floor(evaluations, pooled=None, power=0.8, confidence=0.95, w=None, missing="raise"):
    g, _, each, _ = histories(evaluations, None, w, missing)
    E, M = len(each), len(each[0])
    if E < 2:
        raise Refused("length")
    matrix, sessions = by_trial(each)
    variation = run_variation(matrix, w, sessions, missing="drop")
    both = [[sum(x) for x in zip(*rows)] for rows in zip(*each)]
    V = sum(trial_variance(g, row) / sum(x[a]) for a, row in enumerate(both) for x in each) / (M**2 * E)
    by_score = [[sum(m for m, y in zip(row, g.u) if y == u) for u in set(g.u)] for row in both]
    flips = sum(1 - Fraction(sum(m * (m - 1) for m in row), sum(row) * (sum(row) - 1)) for row in by_score) / M
    of_pin, unchanged = E if pooled is None else int(pooled), Unchanged(g, each, V, power, (1 - to_fraction(confidence)) / 2)
    runs = Sampled(*(to_fraction(double(variation[x])) for x in ("ratio", "df")))
    margins = {"margin_gate" + name: unchanged.margin(1, 1, False, x) for name, x in (("", None), ("_runs", runs))}
    margins |= {"margin_builds" + name: unchanged.margin(of_pin, 8, True, x) for name, x in (("", None), ("_runs", runs))}
    return {"mu": g.low + g.span * mean_score(g, both), "sigma": root(g.span**2 * V), **{x: variation[x] for x in ("ratio", "df", "p_value", "sd")},
            "flaky": [a for a, row in enumerate(by_score) if sum(m > 0 for m in row) > 1], "flip_rate": flips,
            **{x: margins[x] for x in ("margin_gate", "margin_builds", "margin_gate_runs", "margin_builds_runs")}}
