"""Pass@k and Pass^k for k above the number of trials: the identified band, and models fitted by maximum likelihood.

The symbols are those of spec/families/extrapolation.md. The likelihood is maximised in doubles from several
starts, then by Newton's method at any precision: a method that differs from that of the packages.
"""
from collections import Counter
from itertools import product
from math import comb

from mpmath import fp, mp, mpf

from exact import Fraction, Real, Refused, to_mpf, exceeds, to_fraction, larger, scale, approximate, total
from quantile import z
from variance import NAMES, parse_metric, read_counts

MIN_EXCESS = mpf(2) ** -10  # the inflated model is fitted only if the mean of [c = 0]/P(0, n) exceeds 1 by more
MIN_CELL = 3  # the smallest expected number of questions of a cell of Pearson's test
MAX_EXACT = 2000  # largest r for exact powers, and largest n for products factor by factor
CELL_TOLERANCE = mpf(2) ** -53  # a cell may expect exactly 3 questions, which rounding must not turn into less


def questions(R, metric, k, missing, more=None):
    """(trials, successes) of each question with trials, failures for Pass^k; and whether the metric is Pass@k."""
    rows = read_counts(R, parse_metric(), missing)[0]
    if more is not None:
        rows = [[x + y for x, y in zip(*both)] for both in zip(rows, read_counts(more, parse_metric(), missing)[0])]
    rows = [(sum(row), row[1] if sum(row) else 0) for row in rows]
    rows = [(n, c) for n, c in rows if n]
    if not rows:
        raise Refused("no_trials")
    if k <= min(n for n, _ in rows):
        raise Refused("range")
    is_pass_at_k = NAMES.get(metric, metric) == "pass_at_k"
    return [(n, c if is_pass_at_k else n - c) for n, c in rows], is_pass_at_k


def frequencies(rows, k):
    """n and the expected numbers [f0, f1, f2] of questions with 0, 1, 2 successes in n trials."""
    rare_success_trials = [n for n, c in rows if c <= 2]
    n = min([k, *rare_success_trials]) if rare_success_trials else min(k, *(n for n, _ in rows))
    f = [sum((Fraction(comb(c, j) * comb(N - c, n - j), comb(N, n)) for N, c in rows if N >= n and j <= n), Fraction(0))
         for j in range(3)]
    return n, f


def band_rise(M, n, r, A, B):
    """H and its derivatives by A and by B, for A > 0; Fractions or numbers of mpmath, as the arguments are."""
    d = (n - 1) * A + 2 * B
    g, Q = (n - 1) * A / d, (n - 1) * A * A / (2 * n * B * M)
    H, eta = Q * (1 - g**r), Q * r * g ** (r - 1)
    return H, 2 * H / A - 2 * eta * (n - 1) * B / d**2, 2 * eta * (n - 1) * A / d**2 - H / B


def wilson(t, rest, N, q, side):
    """(end, 1 - end) of Wilson's interval around t = 1 - rest, both with all digits; q: the normal quantile."""
    c = q * q / N
    d = mp.sqrt(c * t * rest + c * c / 4)
    if side < 0:
        return t * t / (t + c / 2 + d), (rest + c / 2 + d) / (1 + c)
    return (t + c / 2 + d) / (1 + c), rest * rest / (rest + c / 2 + d)


def largest_pair(pairs):
    """The pair (x, 1 - x) with the largest x, compared by 1 - x if that x is at least 1/2."""
    pairs = list(pairs)
    return max(pairs) if max(x for x, _ in pairs) < 0.5 else min(pairs, key=lambda x: x[1])


def ends(M, n, r, f, q):
    """Both confidence limits, ((low, 1 - low), (high, 1 - high)), for f0 > 0, as mpf; q: the normal quantile."""
    f0, f1, f2 = (to_mpf(x) if isinstance(x, (Fraction, Real)) else x for x in f)
    phi = f0 / M

    def end_around_upper(r, added, side):
        """The low (side -1) or high end of the interval W(r), with f1 + added in the place of f1 in x = f1/(n f0)."""
        x = (f1 + added) / (n * f0)
        rest, beta = phi * (1 + x) ** -r, r * x / (1 + x)
        up = 1 - rest
        if f1 + added == 0 or r == 0:
            up, rest = 1 - phi, phi
        V = rest**2 * ((1 - phi) / f0 + beta**2 * (1 / f0 + 1 / (f1 + 1)) + 2 * beta / f0) + mpf(1) / (12 * M * M)
        return wilson(up, rest, up * rest / V if up else M, q, side)

    def lower_limit(r):
        A, B = max(f1 - 1, 0), f2 + 1
        H, by_A, by_B = band_rise(M, n, r, A, B) if A and n > 1 and r else (0, 0, 0)
        V = f0 / M**2 + by_A**2 * f1 + by_B**2 * B - (by_A * f1 + by_B * B - phi) ** 2 / M
        d = q * mp.sqrt(max(V, phi * (1 - phi) / M) + mpf(1) / (12 * M * M))
        return min((1 - phi + H - d, phi - H + d), end_around_upper(r, 0, -1))

    # the integers 1..r of at most four significant binary digits: S(r)
    grid = [i for i in range(1, r + 1) if i < 16] + [m << e for e in range(1, r.bit_length()) for m in range(8, 16) if 16 <= m << e <= r]
    low = largest_pair([wilson(1 - phi, phi, M, q, -1), *map(lower_limit, grid)])
    return low, largest_pair(end_around_upper(i, 1, 1) for i in [r, *grid])


def distance_above_upper(f0, f1, M, n, r):
    """1 - upper, the distance of the upper end of the band from 1."""
    x = f1 / (n * f0)
    return f0 / M * (1 + x) ** -r if r <= MAX_EXACT or not x else Real(lambda: to_mpf(f0) / M / (1 + to_mpf(x)) ** r)


def band(rows, k):
    """The band as (lower, 1 - lower) and (upper, 1 - upper), in exact numbers."""
    n, (f0, f1, f2) = frequencies(rows, k)
    M, r, one = len(rows), k - n, Fraction(1)
    if not f0:
        return (one, one - 1), (one, one - 1)
    rest = distance_above_upper(f0, f1, M, n, r)
    upper = total([one, scale(-1, rest)]), rest
    if n > 1 and f1 and not f2:
        return upper, upper
    H = Fraction(0)
    if n > 1 and f1 and r:
        H = band_rise(M, n, r, f1, f2)[0] if r <= MAX_EXACT else Real(lambda: band_rise(M, n, r, to_mpf(f1), to_mpf(f2))[0])
    lower = total([one - f0 / M, H]), total([f0 / M, scale(-1, H)])
    return (upper if is_below(upper[0], lower[0]) else lower), upper


def is_below(x, y):
    return x < y if isinstance(x, Fraction) and isinstance(y, Fraction) else approximate(Real(lambda: to_mpf(y) - to_mpf(x))) > 0


def to_metric(x, is_pass_at_k):
    """The value of the metric: x for Pass@k, 1 - x for Pass^k, which is computed as Pass@k of the failures."""
    if is_pass_at_k:
        return x
    return 1 - x if isinstance(x, Fraction) else Real(lambda: 1 - x.evaluate())


def extrapolate(R, metric, k, confidence=0.95, more=None, missing="raise"):
    rows, is_pass_at_k = questions(R, metric, k, missing, more)
    n, f = frequencies(rows, k)
    M = len(rows)
    if f[0]:
        def end(i):
            return Real(lambda: ends(M, n, k - n, f, z(to_fraction(confidence)))[i][0 if is_pass_at_k else 1])
        low, high = Fraction(0 if is_pass_at_k else 1) if f[0] == M else end(0), end(1)
    else:
        low = Real(lambda: wilson(mpf(1), mpf(0), mpf(M), z(to_fraction(confidence)), -1)[0 if is_pass_at_k else 1])
        high = Fraction(1 if is_pass_at_k else 0)
    lower, upper = (x if is_pass_at_k else y for x, y in band(rows, k))
    x = (lower, upper, low, high) if is_pass_at_k else (upper, lower, high, low)
    return dict(zip(("lower", "upper", "low", "high"), x), unsolved=sum(c == 0 for _, c in rows), n=n)


# ---------------------------------------------------------------- models by likelihood

class Model:
    """A model fitted by maximum likelihood in the logarithms of v, s and o, to any precision."""

    def __init__(self, rows, inflated):
        self.states, self.M, self.size, self.points = Counter(rows), len(rows), 3 if inflated else 2, {}
        success_rate = sum(c for _, c in rows) / sum(n for n, _ in rows)
        starts = [(v, s) for v in (1 / 3, success_rate / (1 - success_rate)) for s in (0.5, 8.0)]
        starts = [(*x, o) for x in starts for o in (0.125, 1.0)] if inflated else starts
        maxima = [self.climb([fp.log(x) for x in start]) for start in starts]
        self.start = max(maxima, key=lambda u: self.log_likelihood(u, fp))
        g, edge = self.slopes(self.start, fp)[0], 20 * fp.log(2)  # v, s and o stay within 2^-20..2^20
        # whether a coordinate is not held at an end of its range by the slope
        self.free = [not ((x > edge - 1e-6 and d > 0) or (x < 1e-6 - edge and d < 0)) for x, d in zip(self.start, g)]

    def beta_parameters(self, u, ctx=mp):
        v, s = ctx.exp(u[0]), ctx.exp(u[1])
        return s * v / (1 + v), s / (1 + v), ctx.exp(u[2]) if self.size == 3 else ctx.mpf(0)

    def log_likelihood(self, u, ctx=mp):
        a, b, o = self.beta_parameters(u, ctx)
        out = -self.M * ctx.log(1 + o)
        for (n, c), count in self.states.items():
            x = moment(a, b, n, c, ctx)
            out += count * ctx.log(o + x if c == 0 else x)
        return out

    def slopes(self, u, ctx=mp):
        """Gradient and Hessian in the logarithms of v, s, o, by the chain rule from those in a, b, o."""
        a, b, o = self.beta_parameters(u, ctx)
        s, t, d = a + b, a * b / (a + b), self.size
        g, h = [ctx.mpf(0)] * 3, [[ctx.mpf(0)] * 3 for _ in range(3)]
        for (n, c), count in self.states.items():
            x, y, w = reciprocal_sums(a, c), reciprocal_sums(b, n - c), reciprocal_sums(s, n)
            l = [x[0] - w[0], y[0] - w[0], 0]
            second = [[w[1] - x[1], w[1], 0], [w[1], w[1] - y[1], 0], [0, 0, 0]]
            if c == 0:
                p = moment(a, b, n, 0, ctx)
                q, e = p / (o + p), l
                l = [q * e[0], q * e[1], 1 / (o + p)]
                second = [[q * (second[i][j] + e[i] * e[j]) - l[i] * l[j] for j in range(3)] for i in range(3)]
                for i in range(2):
                    second[i][2] = second[2][i] = -l[i] * l[2]
                second[2][2] = -l[2] ** 2
            for i in range(3):
                g[i] += count * l[i]
                for j in range(3):
                    h[i][j] += count * second[i][j]
        g[2] -= self.M / (1 + o)
        h[2][2] += self.M / (1 + o) ** 2
        J = [[t, a, 0], [-t, b, 0], [0, 0, o]]  # derivatives of a, b, o by the logarithms of v, s, o
        second_derivatives = {(0, 0): (g[0] - g[1]) * t * (b - a) / s, (0, 1): (g[0] - g[1]) * t, (1, 1): g[0] * a + g[1] * b, (2, 2): g[2] * o}
        H = ctx.matrix(d, d)
        for p in range(d):
            for q in range(d):
                H[p, q] = sum(h[i][j] * J[i][p] * J[j][q] for i in range(3) for j in range(3)) + second_derivatives.get((min(p, q), max(p, q)), 0)
        return [sum(g[i] * J[i][p] for i in range(3)) for p in range(d)], H

    def climb(self, u):
        """The maximum in doubles, by Newton's method with all curvatures made negative, and halved steps."""
        u, edge = u[:self.size], 20 * fp.log(2)
        value = self.log_likelihood(u, fp)
        for _ in range(300):
            G, H = self.slopes(u, fp)
            free = [i for i in range(self.size) if not ((u[i] >= edge and G[i] > 0) or (u[i] <= -edge and G[i] < 0))]
            if not free:
                break
            values, vectors = mp.eigsy(mp.matrix([[-H[i, j] for j in free] for i in free]))
            y = vectors.T * mp.matrix([G[i] for i in free])
            floor = max(abs(x) for x in values) * mpf(10) ** -9 + mpf(10) ** -12
            y = mp.matrix([y[i] / max(abs(values[i]), floor) for i in range(len(free))])
            step = dict(zip(free, map(float, vectors * y)))
            scale = min(1.0, 2 / max(1e-300, *map(abs, step.values()), 1e-300))
            for _ in range(60):
                new = [min(max(x + scale * step.get(i, 0), -edge), edge) for i, x in enumerate(u)]
                w = self.log_likelihood(new, fp)
                if w > value:
                    break
                scale /= 2
            else:
                break
            u, value = new, w
        return u

    def maximum(self):
        """The maximum, the information matrix of the free coordinates, and their indices, at the current precision."""
        if mp.prec not in self.points:
            with mp.extraprec(60):
                edge, free = 20 * mp.log(2), [i for i, f in enumerate(self.free) if f]
                u = [mpf(x) if f else mp.sign(x) * edge for x, f in zip(self.start, self.free)]
                for last in [False] * 12 + [True]:
                    G, H = self.slopes(u)
                    m = mp.matrix([[-H[i, j] for j in free] for i in free]) if free else None
                    if last or not free:
                        break
                    step = list(mp.lu_solve(m, mp.matrix([G[i] for i in free])))
                    for i, x in zip(free, step):
                        u[i] += x
                    if max(abs(x) for x in step) < mpf(2) ** (-mp.prec // 2):  # the next error is about its square
                        break
            self.points[mp.prec] = u, m, free
        return self.points[mp.prec]

    def is_definite(self):
        """Whether the information matrix is positive definite."""
        _, m, _ = self.maximum()
        try:
            return m is None or bool(mp.cholesky(m))
        except (ValueError, ZeroDivisionError):
            return False

    def parameters(self):
        """The parameters (a, b, o) at the maximum."""
        return self.beta_parameters(self.maximum()[0])

    def share_at_maximum(self, k):
        return self.solved_share(self.maximum()[0], k)

    def solved_share(self, u, k):
        """The expected share of questions with a success in k trials, at coordinates u."""
        a, b, o = self.beta_parameters(u)
        return (1 - moment(a, b, k, 0)) / (1 + o)

    def limit_models(self, confidence):
        """The maximum, and the models at 13/12 z from it in the directions of one or all free coordinates."""
        u, m, free = self.maximum()
        if not free:
            return [u]
        d, edge, out = len(free), 20 * mp.log(2), [u]
        C, far = mp.cholesky(m).T, 13 * z(to_fraction(confidence)) / 12
        for e in product((-1, 0, 1), repeat=d):
            size = sum(map(abs, e))
            if size and size in (1, d):
                step = iter(mp.lu_solve(C, mp.matrix([x * far / mp.sqrt(size) for x in e])))
                out.append([min(max(x + next(step), -edge), edge) if i in free else x for i, x in enumerate(u)])
        return out

    def limit(self, k, confidence, pick):
        """One end of Pass@k over the models around the maximum; pick: min or max."""
        return pick(self.solved_share(u, k) for u in self.limit_models(confidence))


def moment(a, b, n, c, ctx=mp):
    """E[p^c (1-p)^(n-c)] under Beta(a, b)."""
    out, s = ctx.mpf(1), a + b
    if n > MAX_EXACT:
        with mp.extraprec(90):
            return mp.exp(mp.loggamma(a + c) - mp.loggamma(a) + mp.loggamma(b + n - c) - mp.loggamma(b)
                          - mp.loggamma(s + n) + mp.loggamma(s))
    for i in range(n):
        out *= ((a + i) if i < c else (b + i - c)) / (s + i)
    return out


def reciprocal_sums(x, n):
    """The sums of 1/(x + i) and of 1/(x + i)^2 over i < n."""
    if n > MAX_EXACT:
        with mp.extraprec(90):
            return mp.psi(0, x + n) - mp.psi(0, x), mp.psi(1, x) - mp.psi(1, x + n)
    parts = [1 / (x + i) for i in range(n)]
    return sum(parts), sum(y * y for y in parts)


def fit_models(rows):
    """The plain model, the inflated one (None if it is not fitted), and twice their log likelihood ratio."""
    plain = Model(rows, False)
    with mp.workdps(50):
        a, b, _ = plain.parameters()
        zeros = [n for n, c in rows if c == 0]
        excess = sum(1 / moment(a, b, n, 0) for n in zeros) / len(rows) - 1
    if max(n for n, _ in rows) < 3 or not zeros or excess <= MIN_EXCESS:
        return plain, None, Fraction(0)
    inflated = Model(rows, True)
    return plain, inflated, Real(lambda: 2 * (inflated.log_likelihood(inflated.maximum()[0]) - plain.log_likelihood(plain.maximum()[0])))


def goodness_of_fit(rows, model, n_parameters):
    """The p-value of Pearson's test, with cells of at least MIN_CELL expected questions; None if df < 1."""
    def observed_and_expected():
        a, b, o = model.parameters()
        E = [mpf(0)] * (max(n for n, _ in rows) + 1)
        for n, _ in rows:
            for c in range(n + 1):
                E[c] += (comb(n, c) * moment(a, b, n, c) + (o if c == 0 else 0)) / (1 + o)
        O = [sum(c == j for _, c in rows) for j in range(len(E))]
        out = [[mpf(0), 0]]
        for e, observed in zip(E, O):
            if out[-1][0] >= MIN_CELL - CELL_TOLERANCE:
                out.append([mpf(0), 0])
            out[-1][0] += e
            out[-1][1] += observed
        if len(out) > 1 and out[-1][0] < MIN_CELL - CELL_TOLERANCE:
            e, observed = out.pop()
            out[-1][0] += e
            out[-1][1] += observed
        return out
    with mp.workdps(30):
        df = len(observed_and_expected()) - 1 - n_parameters
    if df < 1:
        return None
    return Real(lambda: mp.gammainc(mpf(df) / 2, sum((observed - e) ** 2 / e for e, observed in observed_and_expected()) / 2, regularized=True))


def needed_trials(rows, k, model, width, confidence):
    """The fewest further trials whose expected limits are at most width apart; None if k trials are not enough."""
    n, f = frequencies(rows, k)
    M = len(rows)
    with mp.workdps(40):
        q, (a, b, o) = z(to_fraction(confidence)), model.parameters()

        def is_narrow(m):
            E = [M * comb(m, j) * moment(a, b, m, j) / (1 + o) for j in range(3)]
            E[0] += M * o / (1 + o)
            (low, _), (high, _) = ends(M, m, k - m, E, q)
            return high - low <= to_mpf(to_fraction(width))
        (low, _), (high, _) = ends(M, n, k - n, f, q) if f[0] else (wilson(mpf(1), mpf(0), mpf(M), q, -1), (1, 0))
        if high - low <= to_mpf(to_fraction(width)):
            return 0
        if k < 2 or not is_narrow(k):
            return None
        return next(m for m in range(max(n, 1) + 1, k + 1) if is_narrow(m)) - n


def extrapolate_model(R, metric, k, width=None, confidence=0.95, more=None, missing="raise"):
    rows, is_pass_at_k = questions(R, metric, k, missing, more)
    if max(n for n, _ in rows) < 2 or not any(c for _, c in rows) or all(c == n for n, c in rows):
        raise Refused("undefined")
    plain, inflated, ratio = fit_models(rows)
    q2 = Real(lambda: z(to_fraction(confidence)) ** 2)
    better = inflated is not None and is_below(q2, ratio)
    model = inflated if better else plain
    models = [x for x in ([inflated] if better else [plain, inflated]) if x is not None]

    def end(side, pick):
        if any(not x.is_definite() for x in models):
            return Fraction(0 if side < 0 else 1)
        return Real(lambda: pick(x.limit(k, confidence, pick) for x in models))
    theta = Real(lambda: model.share_at_maximum(k))
    lo, hi = end(-1, min), end(1, max)
    value, lo, hi = (to_metric(x, is_pass_at_k) for x in ((theta, lo, hi) if is_pass_at_k else (theta, hi, lo)))
    limits = extrapolate(R, metric, k, confidence, more, missing)
    low, high = limits["low"], limits["high"]
    if exceeds(low, value) or exceeds(value, high):
        value = lo = hi = None  # a misfit
    else:
        lo, hi = larger(lo, low), high if exceeds(hi, high) else hi
    a, b = Real(lambda: model.parameters()[0]), Real(lambda: model.parameters()[1])
    name = "beta-binomial" if not better else ("zero" if is_pass_at_k else "one") + "-inflated beta-binomial"
    return {"value": value, "lo": lo, "hi": hi, "model": name, "alpha": a if is_pass_at_k else b, "beta": b if is_pass_at_k else a,
            "atom": Real(lambda: model.parameters()[2] / (1 + model.parameters()[2])) if better else Fraction(0), "ratio": ratio,
            "fit": goodness_of_fit(rows, model, 3 if better else 2),
            "trials_needed": None if width is None else needed_trials(rows, k, model, width, confidence),
            "n_questions": sum(c <= 2 for _, c in rows)}
