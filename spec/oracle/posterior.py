"""Moments under p ~ Beta(a, b), q = 1 - p, and under pi ~ Dirichlet(nu), as exact rationals.

A metric of k trials is f(p) = sum_j A_j C(k,j) p^j q^(k-j), with the credits A = (A_0 .. A_k).
"""
from fractions import Fraction
from functools import lru_cache
from math import comb

from hypergeometric import common_denominator


class Beta:
    """Beta posterior with a = alpha0 + c, b = beta0 + N - c, both kept as integers in units of 1/E."""

    def __init__(self, a, b):
        self.E = common_denominator([a, b])
        self.a, self.b = int(a * self.E), int(b * self.E)

    def rising_factorials(self, x, n):
        """Rising factorials x (x+1) ... (x+i-1) for i = 0..n, in units of 1/E^i."""
        out = [1]
        for i in range(n):
            out.append(out[-1] * (x + i * self.E))
        return out

    @lru_cache(8)
    def monomial_moments(self, n):
        """Integers t_m, m = 0..n, and D with E[p^m q^(n-m)] = t_m / D."""
        A, B = self.rising_factorials(self.a, n), self.rising_factorials(self.b, n)
        return [A[m] * B[n - m] for m in range(n + 1)], self.rising_factorials(self.a + self.b, n)[n]

    def p(self, k):
        """The moment E[p^k]."""
        return Fraction(self.rising_factorials(self.a, k)[k], self.rising_factorials(self.a + self.b, k)[k])

    def q(self, k):
        """The moment E[q^k]."""
        return Fraction(self.rising_factorials(self.b, k)[k], self.rising_factorials(self.a + self.b, k)[k])

    def q_moments(self, ks):
        """The moments E[q^k] of several k as integers by k, and their common denominator."""
        n = max(ks)
        B, S, s = self.rising_factorials(self.b, n), [1], self.a + self.b
        for i in reversed(range(n)):
            S.append(S[-1] * (s + i * self.E))  # (s+n-1)(s+n-2)... downwards
        return {k: B[k] * S[n - k] for k in ks}, S[n]


@lru_cache(None)
def bernstein(A):
    """Bernstein coefficients C(k,j) A_j D as integers, and their denominator D."""
    D, k = common_denominator(A), len(A) - 1
    return [comb(k, j) * int(x * D) for j, x in enumerate(A)], D


@lru_cache(64)
def product(A, B):
    """Coefficients of p^m q^(2k-m) in f(p) g(p), the metrics with credits A and B, as integers, and their denominator."""
    (f, D), (g, G) = bernstein(A), bernstein(B)
    out = [0] * (len(f) + len(g) - 1)
    for j, x in enumerate(f):
        if x:
            for l, y in enumerate(g):
                out[j + l] += x * y
    return out, D * G


def mean(beta, A):
    """The mean E f of the metric f with credits A."""
    f, D = bernstein(A)
    t, T = beta.monomial_moments(len(A) - 1)
    return Fraction(sum(x * y for x, y in zip(f, t)), D * T)


def cov(beta, A, B):
    """The covariance E[f g] - E f E g of the metrics f and g of k trials with credits A and B."""
    fg, D = product(A, B)
    t, T = beta.monomial_moments(len(fg) - 1)
    return Fraction(sum(x * y for x, y in zip(fg, t) if x), D * T) - mean(beta, A) * mean(beta, B)


# Closed forms for Pass@k and Pass^k: the same values with fewer terms.

def any_mean(beta, k):
    return 1 - beta.q(k)


def any_var(beta, k):
    return beta.q(2 * k) - beta.q(k) ** 2


def all_mean(beta, k):
    return beta.p(k)


def all_var(beta, k):
    return beta.p(2 * k) - beta.p(k) ** 2


def any_all_cov(beta, k):
    """Covariance of 1 - q^k and p^k: E[q^k] E[p^k] - E[p^k q^k]."""
    t, T = beta.monomial_moments(2 * k)
    return beta.q(k) * beta.p(k) - Fraction(t[k], T)


def auc_coefficients(k):
    """The coefficients c_j of AUC@k = sum_j c_j (1 - q^j), by j."""
    if k == 1:
        return {1: Fraction(1)}
    return {j: Fraction(1 if j in (1, k) else 2, 2 * (k - 1)) for j in range(1, k + 1)}


def auc_mean_var(beta, k):
    """Mean and variance of g = sum_j c_j (1 - q^j); Var g = sum c_j c_l E[q^(j+l)] - (sum c_j E[q^j])^2."""
    c = auc_coefficients(k)
    D = 1 if k == 1 else 2 * (k - 1)
    integer_coefficients = {j: int(x * D) for j, x in c.items()}
    pairs = {}
    for j, x in integer_coefficients.items():
        for l, y in integer_coefficients.items():
            pairs[j + l] = pairs.get(j + l, 0) + x * y
    q, T = beta.q_moments(range(2 * k + 1))
    first = Fraction(sum(x * q[j] for j, x in integer_coefficients.items()), D * T)
    second = Fraction(sum(x * q[m] for m, x in pairs.items()), D * D * T)
    return 1 - first, second - first**2


# Dirichlet

def linear_mean_var(nu, w):
    """Mean and variance of sum_j w_j pi_j."""
    T = sum(nu)
    m = sum(v * x for v, x in zip(nu, w)) / Fraction(T)
    return m, (sum(v * (x - m) ** 2 for v, x in zip(nu, w)) / Fraction(T)) / (T + 1)


def rising_factorial(x, n):
    out = 1
    for i in range(n):
        out *= x + i
    return out


def max_mean_var(nu, k, w):
    """Mean and variance of the best score of k trials, g = r_L - sum_l gap_l A_l^k.

    r_0 < ... < r_L are the distinct scores, gap_l = r_(l+1) - r_l, and A_l is the probability of a score up to r_l.
    A_l / A_m is Beta and independent of A_m for l <= m, so
    E[A_l^k A_m^k] = [(a_l)_k / (a_m)_k] [(a_m)_2k / (T)_2k], (x)_n rising.
    """
    r = sorted(set(w))
    a = [sum(v for v, x in zip(nu, w) if x <= level) for level in r]
    T, lower_levels = a[-1], range(len(r) - 1)
    gap = [r[l + 1] - r[l] for l in lower_levels]
    first = sum((gap[l] * Fraction(rising_factorial(a[l], k), rising_factorial(T, k)) for l in lower_levels), Fraction(0))
    second = Fraction(0)
    for m in lower_levels:
        shared = Fraction(rising_factorial(a[m], 2 * k), rising_factorial(T, 2 * k))
        second += gap[m] ** 2 * shared
        for l in range(m):
            second += 2 * gap[l] * gap[m] * shared * Fraction(rising_factorial(a[l], k), rising_factorial(a[m], k))
    return r[-1] - first, second - first**2
