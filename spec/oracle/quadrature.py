"""Checks of posterior moments and quantiles by numerical integration, for check.py: (label, whether it holds)."""
from fractions import Fraction as F
from math import comb

from mpmath import erf, mp, mpf, quad

import metrics
import quantile
from exact import double


def outcomes(c, N):
    return {"counts": [[N - c, c]]}


def at_least(k, j0, p):
    return mp.fsum(comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(j0, k + 1))


def integrands(k):
    """Yield posterior metrics of k trials: (name, extra arguments, the function g(p) whose moments are the results)."""
    w = [0.1, 0.3, 0.05, 0.2, 0.1][:k] + [0.01] * (k - 5)
    m, j0 = (k + 1) // 2, k // 2 + 1
    yield "pass_at_k_ci", {}, lambda p: 1 - (1 - p) ** k
    yield "pass_hat_k_ci", {}, lambda p: p**k
    yield "maj_at_k_ci", {}, lambda p: at_least(k, j0, p)
    yield "g_pass_at_k_tau_ci", {"tau": 0.5}, lambda p: at_least(k, max(1, m), p)
    yield "mg_pass_at_k_ci", {}, lambda p: mpf(2) / k * mp.fsum(at_least(k, i, p) for i in range(m + 1, k + 1))
    yield "threshold_spectrum_at_k_ci", {"weights": w}, lambda p: mp.fsum(x * at_least(k, r + 1, p) for r, x in enumerate(w))

    def auc(p):
        curve = [1 - (1 - p) ** j for j in range(1, k + 1)]
        return curve[0] if k == 1 else mp.fsum((x + y) / 2 for x, y in zip(curve, curve[1:])) / (k - 1)
    yield "auc_at_k_ci", {}, auc


def expectation(g, a, b):
    return quad(lambda p: g(p) * p ** (a - 1) * (1 - p) ** (b - 1), [0, 0.5, 1]) / mp.beta(a, b)


def is_close(x, y, digits=15):
    return abs(mpf(double(x)) - y) <= max(abs(y), mpf(10) ** -12) * mpf(10) ** -digits * 4


def beta_quadrature():
    mp.dps = 20
    for c, N, a0, b0 in ((2, 5, 1.0, 1.0), (4, 5, 0.5, 0.75), (0, 3, 2.5, 1.25), (9, 9, 1.0, 3.0)):
        for k in (1, 2, 3):
            a, b = mpf(a0) + c, mpf(b0) + N - c
            for name, more, g in integrands(k):
                got = getattr(metrics, name)(outcomes(c, N), k, alpha0=a0, beta0=b0, **more)
                e1 = expectation(g, a, b)
                e2 = expectation(lambda p: (g(p) - e1) ** 2, a, b)
                yield (name, c, N, k, "mu"), is_close(got["mu"], e1)
                yield (name, c, N, k, "sigma"), is_close(got["sigma"], mp.sqrt(e2))
    mp.dps = 15


def delta_quadrature():
    """Check blends P^a U^b on two questions, for which the mean of the questions' blends is not that of the means."""
    mp.dps = 30
    k, R, powers = 3, {"counts": [[3, 2], [1, 4]]}, [(0.5, 0.5), (2.0, -0.5), (0.0, 1.5)]
    both = [(mpf(3), mpf(4)), (mpf(5), mpf(2))]  # (a, b) of each question's Beta posterior
    f, g = (lambda p: 1 - (1 - p) ** k), (lambda p: p**k)
    s = (lambda p: mpf(2) / k * at_least(k, 3, p))
    for u, names in ((g, ("geom_at_k_ci", "geom_ds_at_k_ci")), (s, ("geo_spectrum_at_k_ci",))):
        P, U = ([expectation(h, *ab) for ab in both] for h in (f, u))

        def second(h1, h2, m1, m2):
            return [expectation(lambda p: (h1(p) - x) * (h2(p) - y), *ab) for x, y, ab in zip(m1, m2, both)]
        VP, VU, C = second(f, f, P, P), second(u, u, U, U), second(f, u, P, U)

        def first_order(x, y, vx, vy, c, a, b):
            dx, dy = (a * x ** (a - 1) * y**b if a else 0), (b * x**a * y ** (b - 1) if b else 0)
            return x**a * y**b, dx * dx * vx + dy * dy * vy + 2 * dx * dy * c
        for name in names:
            for a, b in powers if name != "geo_spectrum_at_k_ci" else [(0.5, 0.5), (0.25, 0.75)]:
                options = {"lam": a} if "spectrum" in name else {"pass_power": a, "unanimous_power": b}
                got = getattr(metrics, name)(R, k, bounds=None, **options)
                if name == "geom_at_k_ci":
                    each = [first_order(*q, a, b) for q in zip(P, U, VP, VU, C)]
                    mu, var = sum(e[0] for e in each) / 2, sum(e[1] for e in each) / 4
                else:
                    mu, var = first_order(sum(P) / 2, sum(U) / 2, sum(VP) / 4, sum(VU) / 4, sum(C) / 4, a, b)
                yield (name, a, b, "mu"), is_close(got["mu"], mu)
                yield (name, a, b, "sigma"), is_close(got["sigma"], mp.sqrt(var))
    mp.dps = 15


def dirichlet_quadrature():
    """Check Dirichlet moments by stick breaking: pi_0 = u, pi_1 = (1-u) v with independent Beta u and v."""
    mp.dps = 20
    for n, w, k in (((1, 2, 1), (0.0, 0.5, 1.0), 2), ((0, 3, 2), (2.0, -1.0, 0.25), 3), ((2, 0, 1), (1.0, 1.0, 4.0), 2), ((1, 1, 2), (3.0, 2.0, 1.0), 1)):
        nu = [x + 1 for x in n]
        levels = sorted(set(w))

        def g(pi):
            upto = [sum(x for x, y in zip(pi, w) if y <= r) for r in levels]
            chances = [A**k for A in upto]
            return sum(r * (c - b) for r, c, b in zip(levels, chances, [0, *chances]))

        def mean(h):
            def inner(u):
                density = u ** (nu[0] - 1) * (1 - u) ** (nu[1] + nu[2] - 1)
                return density * quad(lambda v: h([u, (1 - u) * v, (1 - u) * (1 - v)]) * v ** (nu[1] - 1) * (1 - v) ** (nu[2] - 1),
                                  [0, 1], method="gauss-legendre")
            return quad(inner, [0, 1], method="gauss-legendre") / mp.beta(nu[0], nu[1] + nu[2]) / mp.beta(nu[1], nu[2])
        got = metrics.max_at_k_ci({"counts": [list(n)]}, k, list(w))
        mu = mean(g)
        sd = mp.sqrt(mean(lambda pi: (g(pi) - mu) ** 2))
        yield ("max", n, w, k, "mu"), is_close(got["mu"], mu)
        yield ("max", n, w, k, "sigma"), is_close(got["sigma"], sd)
        if k == 1:
            got = metrics.bayes({"counts": [list(n)]}, list(w))
            yield ("bayes", n, w, "mu"), is_close(got["mu"], mu)
            yield ("bayes", n, w, "sigma"), is_close(got["sigma"], sd)
    mp.dps = 15


def quantiles():
    mp.dps = 60
    for c in (1e-8, 0.5, 0.9, 0.95, 0.99, 1 - 2**-50, 1 - 2**-53):
        yield ("z", c), abs(erf(quantile.z(F(c)) / mp.sqrt(2)) - mpf(c)) < mpf(10) ** -55 * min(1, mpf(c))
    mp.dps = 22
    for p, a, b in ((0.025, 2.5, 7.5), (0.9, 0.5, 30.0), (1e-12, 135.4, 186.8), (0.3, 300.0, 0.5)):
        x = quantile.beta_quantile(mpf(p), mpf(a), mpf(b))
        whole, end = mp.beta(a, b) * p, mp.sqrt(x)  # t = r^2 removes the pole at 0
        low = quad(lambda r: 2 * r ** (2 * mpf(a) - 1) * (1 - r * r) ** (mpf(b) - 1) / whole, mp.linspace(0, end, 5))
        yield ("beta", p, a, b), abs(low - 1) < mpf(10) ** -17
    mp.dps = 15
