"""Credits of metrics, and their expectations over k of N trials sampled without replacement, c of the N being successes.

The expectations are ratios of binomial coefficients, as in the definitions.
"""
from fractions import Fraction
from math import comb, lcm, perm


def pass_any(N, c, k):
    """P(at least one success in k): 1 - C(N-c, k) / C(N, k)."""
    return 1 - Fraction(comb(N - c, k), comb(N, k))


def pass_all(N, c, k):
    """P(all k are successes): C(c, k) / C(N, k)."""
    return Fraction(comb(c, k), comb(N, k))


def credit(N, c, k, A):
    """Expected credit E[A_X], X hypergeometric: sum_j A_j C(c, j) C(N-c, k-j) / C(N, k)."""
    js = range(max(0, k - (N - c)), min(k, c) + 1)
    D = common_denominator(A)
    s = sum(int(A[j] * D) * comb(c, j) * comb(N - c, k - j) for j in js if A[j])
    return Fraction(s, D * comb(N, k))


def auc(N, c, k):
    """AUC@k: trapezoids under Pass@1..Pass@k over a width of k-1; Pass@1 for k = 1."""
    if k == 1:
        return pass_any(N, c, 1)
    # C(N-c, j) / C(N, j) = perm(N-c, j) / perm(N, j), all over perm(N, k)
    failures, falling_factorial, rest = 0, 1, perm(N, k)
    for j in range(1, k + 1):
        falling_factorial, rest = falling_factorial * max(N - c - j + 1, 0), rest // (N - j + 1)
        failures += (1 if j in (1, k) else 2) * falling_factorial * rest
    return 1 - Fraction(failures, 2 * (k - 1) * perm(N, k))


def best(n, k, w):
    """Max@k, the expected largest score of k trials: the sum of r P(max = r) over the scores r; n and w by category."""
    N, below, s = sum(n), 0, Fraction(0)
    for r in sorted(set(w)):
        upto = below + sum(n_j for n_j, w_j in zip(n, w) if w_j == r)
        s += r * (comb(upto, k) - comb(below, k))
        below = upto
    return s / comb(N, k)


# Credits A_0..A_k: the value of k trials with j = 0..k successes.

def at_least(k, j0):
    return [Fraction(j >= j0) for j in range(k + 1)]


def threshold(k, tau):
    """The smallest j in 1..k whose double j/k is at least tau."""
    return next(j for j in range(1, k + 1) if j / k >= tau)


def majority(k):
    return at_least(k, k // 2 + 1)


def mg(k):
    """Credits of mG-Pass@k: 2 (j - m)_+ / k with m = ceil(k/2)."""
    m = (k + 1) // 2
    return [Fraction(2 * max(0, j - m), k) for j in range(k + 1)]


FLIPS = [Fraction(0), Fraction(1), Fraction(0)]  # credit 1 if exactly one of two trials succeeds


CREDITS = {"maj_at_k": majority, "mg_pass_at_k": mg}  # k -> the credits A_j of a metric, j = 0..k


def spectrum(weights):
    """Credits of a spectrum: A_j = w_1 + ... + w_j."""
    A = [Fraction(0)]
    for x in weights:
        A.append(A[-1] + x)
    return A


def default_spectrum_weights(k):
    """Default weights of geo_spectrum: 2/k on the thresholds above ceil(k/2)."""
    return [Fraction(2, k) if r >= (k + 1) // 2 + 1 else Fraction(0) for r in range(1, k + 1)]


def common_denominator(xs):
    """The least common denominator of rationals."""
    return lcm(*(x.denominator for x in xs))
