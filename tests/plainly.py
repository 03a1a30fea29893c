"""Naive implementation of intervals and comparisons, in fractions, and in 80 digits where these do not suffice."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, pairwise, product
from math import comb
from operator import mul
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

mp.mp.dps = 80
Rows = Sequence[Sequence[int]]


def credit(metric: str, k: int, tau: float) -> list[F]:
    """Credits A_j of j = 0..k successes among k trials."""
    m = (k + 1) // 2
    threshold = max(1, next(j for j in range(k + 1) if j / k >= tau))
    thresholds = {"pass_at_k": 1, "pass_hat_k": k, "maj_at_k": k // 2 + 1, "g_pass_at_k_tau": threshold}
    if metric == "flip_rate":
        return [F(0), F(1), F(0)]
    if metric == "mg_pass_at_k":
        return [F(2 * max(0, j - m), k) for j in range(k + 1)]
    if metric == "auc_at_k":
        p = [[1 - F(comb(k - s, j), comb(k, j)) for j in range(1, k + 1)] for s in range(k + 1)]
        return [sum((x + y for x, y in pairwise(row)), F(0)) / (2 * (k - 1)) if k > 1 else row[0] for row in p]
    return [F(int(j >= thresholds[metric])) for j in range(k + 1)]


def u_statistic(n: int, c: int, A: Sequence[F]) -> F:
    """Mean credit over all subsets of k of n trials, c of which are successes."""
    k = len(A) - 1
    return sum((A[j] * comb(c, j) * comb(n - c, k - j) for j in range(k + 1)), F(0)) / comb(n, k)


def block_credits(A: Sequence[F]) -> list[F]:
    """Credits B_l of 2k trials with l successes, the mean product of two disjoint blocks."""
    k = len(A) - 1
    return [
        sum((A[j] * A[l - j] * comb(l, j) * comb(2 * k - l, k - j) for j in range(max(0, l - k), min(l, k) + 1)), F(0))
        / comb(2 * k, k)
        for l in range(2 * k + 1)
    ]


def mixture(states: Sequence[tuple[int, int]], A: Sequence[F]) -> list[F]:
    """Modelled variances of U-statistics, from one mixture for each number of trials n; 0 if n >= 2k or n = 1."""
    k = len(A) - 1
    modelled = {
        (n, c): v
        for n in {n for n, _ in states if n > 1 and k <= n < 2 * k}
        for c, v in mixture_variances(n, [c for y, c in states if y == n], A).items()
    }
    return [modelled.get(state, F(0)) for state in states]


def mixture_variances(n: int, successes: Sequence[int], A: Sequence[F]) -> dict[int, F]:
    """Modelled variance for each number of successes in n trials, with mixture weights on a grid of success rates."""
    J = 6 + next(i for i in range(10 * n) if i * i >= 9 * n)  # 6 + ceil(3 sqrt(n))
    rates = [F(j * j, j * j + (J - j) ** 2) for j in range(J + 1)]
    tau = [mp.mpf(variance_at(n, p, A)) for p in rates]
    L = [[mp.mpf(p**c * (1 - p) ** (n - c)) for p in rates] for c in successes]
    mult = [mp.mpf(1)] * len(L) + [mp.mpf(max(1, F(len(L), 256)))]
    w = fit_weights([*L, tau], mult, mp.mpf(2) ** -10)
    return {
        c: to_fraction(mp.fdot([x * z for x, z in zip(w, row, strict=True)], tau) / mp.fdot(w, row))
        for c, row in zip(successes, L, strict=True)
    }


def fit_weights(rows: Sequence[Sequence[mp.mpf]], mult: Sequence[mp.mpf], mu: mp.mpf) -> Sequence[mp.mpf]:
    """Weights w of sum 1 that maximise the sum of mult log(w . row) plus mu times the sum of log(w).

    Newton's method, first in doubles with a factor that decreases to mu, then in 80 digits with mu itself.
    """
    K = np.array([[float(x / max(row)) for x in row] for row in rows])
    counts, w, factor = np.array([float(x) for x in mult]), np.full(K.shape[1], 1 / K.shape[1]), float(len(rows))
    for step in range(1000):
        p = w * K / (K @ w)[:, None]
        d = np.linalg.solve(
            (counts * p.T) @ p + factor * np.eye(w.size), factor * (1 - w.size * w) + counts @ p - counts.sum() * w
        )
        w = w * (1 + d / (1 + 2 * np.abs(d).max()))
        if step % 4 == 3:
            factor = max(factor / 3, float(mu))
        if factor == float(mu) and np.abs(d).max() < 1e-6:
            break
    x = [mp.mpf(float(y)) for y in w]
    for _ in range(6):
        p = [[a * b / mp.fdot(x, row) for a, b in zip(x, row, strict=True)] for row in rows]
        m = [[n * a for a in row] for n, row in zip(mult, p, strict=True)]
        g = [mp.fsum(column) + mu for column in zip(*m, strict=True)]
        A = mp.matrix(p).T * mp.matrix(m) + mu * mp.eye(len(x))
        d = mp.lu_solve(A, mp.matrix([a - b * mp.fsum(g) for a, b in zip(g, x, strict=True)]))
        x = [a * (1 + b) for a, b in zip(x, d, strict=True)]
    return x


def variance_at(n: int, p: F, A: Sequence[F]) -> F:
    """Variance of the U-statistic of n trials at the success rate p."""
    probabilities = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    first, second = (sum((x * u_statistic(n, c, A) ** e for c, x in enumerate(probabilities)), F(0)) for e in (1, 2))
    return second - first**2


def to_fraction(x: mp.mpf) -> F:
    """Exact value of a multiple-precision number."""
    return F(int(x.man)) * F(2) ** int(x.exp)


class Parts(NamedTuple):
    """Quantities of one model from which intervals and comparisons are computed."""

    u: list[F]  # the estimate of each question
    theta: F  # the mean of u
    v: list[F]  # the within-question variance of each u
    trials: F  # the variance over trials of the sum of u
    dev: list[F]  # squared deviations of u from theta, times M/(M - 1) if M > 1
    s: F  # the constant that is added to trials, so that no variance is 0
    n: list[int]  # trials of each question
    unknown: list[bool]  # whether a question has too few trials for an estimate of v
    k: int  # trials of a block; 1 for the mean
    model: bool  # whether a mixture gives v where n < 2k
    error: F  # the variance of the sum of v: the sum of their squares
    step: F  # the most by which one success more changes u of a question with the fewest trials
    ends: list[tuple[F, F]] | None = None  # the lowest and highest trial of each question; None: outcomes are 0 and 1

    @property
    def fixed(self) -> F:
        """Variance of theta on these questions."""
        return (self.trials + self.s) / len(self.u) ** 2

    def source(self) -> str:
        """How the variance on these questions was obtained."""
        short = any(n < 2 * self.k for n in self.n)
        return "upper bound" if any(self.unknown) or (short and not self.model) else "modelled" if short else "measured"


def mean_and_deviations(u: Sequence[F]) -> tuple[F, list[F]]:
    """Mean of u, and the squared deviations from it, times M/(M - 1) if M > 1."""
    M, theta = len(u), sum(u, F(0)) / len(u)
    return theta, [(x - theta) ** 2 * (F(M, M - 1) if M > 1 else 1) for x in u]


def credit_parts(states: Sequence[tuple[int, int]], A: Sequence[F], model: bool) -> Parts:
    """Parts of a metric with credits A, from the trials and successes (n, c) of each question."""
    k, B, flips = len(A) - 1, block_credits(A), A[-1] < A[1]
    model = model and not flips
    short = any(n > 1 and k <= n < 2 * k for n, _ in states)
    modelled = mixture(states, A) if model and short else [F(0)] * len(states)
    u = [u_statistic(n, c, A) for n, c in states]
    theta, dev = mean_and_deviations(u)
    v, unknown = [], []

    def measured(n: int, c: int) -> F:
        return u_statistic(n, c, A) ** 2 - u_statistic(n, c, B)

    for (n, c), d, y in zip(states, dev, modelled, strict=True):
        unknown.append(n < 4 if flips else n == 1 or (not model and n == k))
        if unknown[-1]:
            v.append(d)
        elif n >= 2 * k:
            v.append(measured(n, c))
        elif not model:
            step = u_statistic(n - 1, c, A) - u_statistic(n - 1, c - 1, A) if 0 < c < n else F(0)
            v.append(F(n - 1, n) * c * F(n - c, n) * step**2)
        else:
            v.append(y)
    N = [n for n, _ in states]
    fewest = min(N)
    step = max(u_statistic(fewest, c + 1, A) - u_statistic(fewest, c, A) for c in range(fewest))
    s = step * F(k, fewest + k - 1)
    lower_bound = sum((x / (n * (n - 1)) for (n, _), x in zip(states, u, strict=True)), F(0)) if flips else F(0)
    error = sum((x * x for x in v), F(0))
    return Parts(u, theta, v, max(sum(v, F(0)), lower_bound), dev, s, N, unknown, k, model, error, step)


def largest_range(*ends: Sequence[tuple[F, F]] | None) -> F:
    """The largest difference between two trials of a question, at least 2^-20; 1 if there is none."""
    if any(x is None for x in ends):
        return F(1)
    r = max(max(high for _, high in x) - min(low for low, _ in x) for x in zip(*ends, strict=True))  # type: ignore[arg-type]
    return max(r, F(1, 2**20)) if r else F(1)


def ends_of(R: Rows, w: Sequence[F]) -> list[tuple[F, F]]:
    """The lowest and highest score of each question."""
    return [(min(w[t] for t in row), max(w[t] for t in row)) for row in R]


def average(R: Rows, u: Sequence[F]) -> Parts:
    """Parts of the mean of the scores u of categories."""
    x = [sum((u[t] for t in row), F(0)) / len(row) for row in R]
    theta, dev = mean_and_deviations(x)
    n = [len(row) for row in R]
    v = [
        sum(((u[t] - y) ** 2 for t in row), F(0)) / (len(row) * (len(row) - 1)) if len(row) > 1 else d
        for row, y, d in zip(R, x, dev, strict=True)
    ]
    error, step, ends = sum((y * y for y in v), F(0)), F(1, min(n)), ends_of(R, u)
    s = (step * largest_range(ends)) ** 2
    return Parts(x, theta, v, sum(v), dev, s, n, [y == 1 for y in n], 1, True, error, step, ends)


def max_at_k(R: Rows, w: Sequence[F], k: int, model: bool) -> Parts:
    """Max@k of scores 0..1, from all subsets of k trials."""
    levels, n = sorted(set(w)), [len(row) for row in R]
    gaps = [b - a for a, b in pairwise(levels)]
    one = credit("pass_at_k", k, 0.0)
    u = [sum((max(w[t] for t in s) for s in combinations(row, k)), F(0)) / comb(len(row), k) for row in R]
    theta, dev = mean_and_deviations(u)
    step, ends = F(k, min(n)), ends_of(R, w)
    s = step * F(k, min(n) + k - 1) * largest_range(ends) ** 2
    unknown = [y == 1 or (not model and y == k) for y in n]
    if all(y >= 2 * k for y in n):
        v = []
        for row, x in zip(R, u, strict=True):
            pairs = [
                max(w[row[i]] for i in first) * max(w[row[i]] for i in second)
                for first in combinations(range(len(row)), k)
                for second in combinations([i for i in range(len(row)) if i not in first], k)
            ]
            v.append(x * x - sum(pairs, F(0)) / len(pairs))
        trials: Any = max(sum(v, F(0)), F(0))
        error: Any = sum((x * x for x in v), F(0))
    else:
        v, root, shares = [], mp.mpf(0), []
        for gap, level in zip(gaps, levels[1:], strict=True):
            part = credit_parts([(len(row), sum(w[t] >= level for t in row)) for row in R], one, model)
            S = part.trials
            shares += [part.error / S**2] if S else []
            root += mp.mpf(gap.numerator) / gap.denominator * mp.sqrt(mp.mpf(S.numerator) / S.denominator)
        trials = F(*_ratio(root**2))
        error = trials**2 * max(shares, default=F(0))
    return Parts(u, theta, v, trials, dev, s, n, unknown, k, model, error, step, ends)


def _ratio(x: Any) -> tuple[int, int]:
    """Numerator and denominator of x, rounded down to 400 binary places."""
    return int(mp.floor(x * mp.mpf(2) ** 400)), 2**400


def parts_of(R: Rows, metric: str, k: int, tau: float, w: Sequence[float] | None, model: bool) -> Parts:
    """Parts of any metric, from the outcomes of one model."""
    if metric in ("mean", "max_at_k"):
        W = [F(x) for x in (w or [0, 1])]
        span = max(W) - min(W)
        scaled = [(x - min(W)) / span if span else F(0) for x in W]
        return average(R, scaled) if metric == "mean" else max_at_k(R, scaled, k, model)
    return credit_parts([(len(row), sum(row)) for row in R], credit(metric, k, tau), model)


class Estimate(NamedTuple):
    """A metric's value on the scale from 0 to 1, its variance, and the degrees of freedom of its interval."""

    theta: F
    n_eff: F
    variance_source: str
    units: int
    V: F  # variance of theta
    n0: F  # effective sample size without regard to the observed variance
    freedom: F | None  # degrees of freedom of the t distribution of V; None: normal
    freedom_of_units: F | None  # degrees of freedom of the t distribution of n0


def estimate(p: Parts, sampled: bool, pool: int | None = None, clusters: Sequence[Any] | None = None) -> Estimate:
    """Estimate on these questions, on similar ones, or (with a pool) on a finite set that contains these."""
    M, all_unknown = len(p.u), all(p.unknown)
    shares, units = [F(1, M)] * M, M
    between = (sum(p.dev, F(0)) + F(1, 12)) / M**2
    if clusters is not None:
        names = list(dict.fromkeys(clusters))
        units, shares = len(names), [F(list(clusters).count(g), M) for g in names]
    Q = sum(w * w for w in shares)
    if clusters is not None:
        between = Q * Q / 12
        for g, w in zip(names, shares, strict=True) if units > 1 else ():
            of_cluster = [x for x, y in zip(p.u, clusters, strict=True) if y == g]
            between += w * w / (1 - 2 * w + Q) * (sum(of_cluster) / len(of_cluster) - p.theta) ** 2
    f = F(0) if sampled else F(1)
    f = F(M, pool) if pool is not None else f
    f = F(0) if all_unknown else f
    V = f * p.fixed + (1 - f) * between
    n0 = 1 / (f * F(p.k, min(p.n) * M) + (1 - f) * Q)
    binomial_variance = p.theta * (1 - p.theta)
    n_eff = max(n0, binomial_variance / V) if binomial_variance else n0
    source = "upper bound" if sampled and units == 1 else "measured" if sampled and pool is None else p.source()
    df, freedom_of_units, sampled_variance = None, None, F(0)
    if f < 1 and units > 1:
        freedom_of_units = freedom(shares) if clusters is not None else None
        df = min(freedom_of_units or F(M - 1), F(10**6))
        sampled_variance = (1 - f) * between
    if f:
        over_trials = (f * p.fixed, interval_freedom(p))  # a part of V and its degrees of freedom
        terms = [(x, y) for x, y in (over_trials, (sampled_variance, df)) if y is not None]
        sd_of_V = sum((mpf(x) / mp.sqrt(mpf(y)) for x, y in terms), mp.mpf(0))  # divided by sqrt(2)
        df = min(to_fraction((mpf(V) / sd_of_V) ** 2), F(10**6)) if terms and V else None
    return Estimate(p.theta, n_eff, source, units, V, n0, df, freedom_of_units)


def interval_freedom(p: Parts) -> F | None:
    """Degrees of freedom of the variance over trials, after 1/30 is subtracted from 1/df; None: normal."""
    df = F(2)
    if p.trials + p.s:
        df = 2 * (p.trials + p.s) ** 2 / (p.error + p.s**2)
    if df < 30 and (increased := 1 / (1 / df - F(1, 30))) < 10**6:
        return increased
    return None


def freedom(w: Sequence[F]) -> F:
    """Bell and McCaffrey's degrees of freedom for clusters with these shares."""
    Q, G = sum(x * x for x in w), range(len(w))
    a = [x * x / (1 - 2 * x + Q) for x in w]
    return Q**2 / sum((a[g] * a[h] * ((g == h) - w[g] - w[h] + Q) ** 2 for g in G for h in G), F(0))


def t_cdf(t: Any, freedom: Any) -> Any:
    """Distribution function of the t distribution."""
    nu = mp.mpf(freedom)
    tail = mp.betainc(nu / 2, mp.mpf(1) / 2, 0, nu / (nu + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def t_quantile(confidence: float, freedom: Any) -> Any:
    """Two-sided quantile of the t distribution, by bisection."""
    low, high = mp.mpf(0), mp.mpf(10) ** 6
    while high - low > high * mp.mpf(10) ** -25:
        q = (low + high) / 2
        low, high = (q, high) if 2 * t_cdf(q, freedom) - 1 < confidence else (low, q)
    return high


def mpf(x: F) -> Any:
    return mp.mpf(x.numerator) / x.denominator


def quantile(confidence: float) -> Any:
    """Two-sided quantile of the normal distribution."""
    return mp.sqrt(2) * mp.erfinv(mp.mpf(confidence))


def wilson(e: Estimate, confidence: float, low: float, high: float) -> list[Any]:
    """Standard error and limits (sigma, lo, hi) of the interval, on the scale from low to high."""
    theta, n_eff = e.theta, e.n_eff
    t, u = (
        quantile(confidence) if df is None else t_quantile(confidence, mpf(df))
        for df in (e.freedom, e.freedom_of_units)
    )
    q, x, binomial_variance = u**2 / mpf(e.n0), mpf(theta), theta * (1 - theta)
    q = min(q, t**2 * mpf(e.V) / mpf(binomial_variance)) if binomial_variance else q
    half = mp.sqrt(q * x * (1 - x) + q * q / 4)
    ends = [0 if theta == 0 else (x + q / 2 - half) / (1 + q), 1 if theta == 1 else (x + q / 2 + half) / (1 + q)]
    low, span = mp.mpf(low), mp.mpf(high) - mp.mpf(low)
    return [span * mp.sqrt(x * (1 - x) / mpf(n_eff)), *(low + span * y for y in ends)]


def probability_above(e: Estimate, t: float, low: float, high: float) -> Any:
    """The probability that the metric is above t."""
    threshold = mpf((F(t) - F(low)) / (F(high) - F(low)))
    x, binomial_variance = (mpf(e.theta) - threshold) / mp.sqrt(threshold * (1 - threshold)), e.theta * (1 - e.theta)
    statistics = [(x * mp.sqrt(mpf(e.n0)), e.freedom_of_units)]
    statistics += [(x * mp.sqrt(mpf(binomial_variance) / mpf(e.V)), e.freedom)] if binomial_variance else []
    p = [mp.ncdf(y) if df is None else t_cdf(y, mpf(df)) for y, df in statistics]
    return max(p) if x > 0 else min(p)


def pair(a: Parts, b: Parts, sampled: bool) -> tuple[F, F, str, F]:
    """Difference, its variance, how the variance was obtained, and the p-value of its signs: (D, V, source, p)."""
    M, D, r = len(a.u), a.theta - b.theta, largest_range(a.ends, b.ends)
    s = max(x.step * F(x.k, min(x.n) + x.k - 1) for x in (a, b)) * r**2
    V = (a.trials + b.trials + s) / M**2
    source = next(x for x in ("upper bound", "modelled", "measured") if x in (a.source(), b.source()))
    one_unknown = all(a.unknown) or all(b.unknown)
    if not sampled and not one_unknown:
        return D, V, source, F(0)
    d = [x - y for x, y in zip(a.u, b.u, strict=True)]
    guard = F(0) if a.n == b.n else min(F(1), 2 * r * max(a.step, b.step))
    Z = sum(((x - D) ** 2 for x in d), F(0)) / (M * (M - 1))
    Z = F(0) if M * Z * 2**80 <= 1 else Z  # differences that are equal as decimals
    return D, Z + guard**2 / (2 * M**2), "measured" if sampled else source, flips(d)


def flips(d: Sequence[F]) -> F:
    """The share of all choices of the signs of d whose sum is as far from 0, up to rounding errors."""
    d = [x for x in d if abs(x) > F(1, 2**46) * sum(map(abs, d))]
    if len(d) > 14:
        return F(2, 2 ** min(len(d), 60)) if len({x > 0 for x in d}) == 1 else F(0)
    least = abs(sum(d)) - F(1, 2**44) * sum(map(abs, d))
    return F(sum(abs(sum(map(mul, d, signs))) >= least for signs in product((1, -1), repeat=len(d))), 2 ** len(d))


def error(got: float, exact: Any) -> float:
    """Error in units of the last place of the exact value."""
    if exact == 0:
        return 0.0 if got == 0.0 else float("inf")
    e = max(int(mp.floor(mp.log(abs(exact), 2))), -1022)
    return float(abs(mp.mpf(got) - exact) / mp.mpf(2) ** (e - 52))
