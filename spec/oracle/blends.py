"""Geometric blends of two numbers, and their moments by the delta method."""
import hypergeometric
from exact import Fraction, Real, Refused, to_mpf, to_fraction, power


def blend(P, U, a, b):
    """P^a U^b with 0^0 = 1, but undefined for a = b = 0.

    A negative power of 0 is undefined too, unless the other factor is a positive power of 0.
    """
    if a == b == 0:
        raise Refused("undefined")
    zeros = [y for x, y in ((P, a), (U, b)) if x == 0 and y != 0]
    if any(y > 0 for y in zeros):
        return Fraction(0)
    if zeros:
        raise Refused("undefined")
    if a == b:
        return power(P * U, a)
    x, y = (power(v, e) if v and e else Fraction(1) for v, e in ((P, a), (U, b)))
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    return Real(lambda: to_mpf(x) * to_mpf(y))


def delta_method(P, U, V_P, V_U, cov, a, b):
    """First-order mean and variance of P^a U^b; (0, 0) when a mean with a nonzero power is 0."""
    if a == b == 0:
        raise Refused("undefined")
    if (P == 0 and a) or (U == 0 and b):
        return Fraction(0), Fraction(0)
    G, relative = blend(P, U, a, b), Fraction(0)
    if a:
        relative += a * a * V_P / P**2
    if b:
        relative += b * b * V_U / U**2
    if a and b:
        relative += 2 * a * b * cov / (P * U)
    if isinstance(G, Fraction):
        return G, G * G * relative
    return G, Real(lambda: G.evaluate() ** 2 * to_mpf(relative)) if relative else Fraction(0)


def lam_and_credits(k, lam, weights, lambda_):
    """The power of Pass@k (lambda_ is another name of lam), and the credits of the spectrum."""
    lam = to_fraction(lam if lambda_ is None else lambda_)
    w = hypergeometric.default_spectrum_weights(k) if weights is None else [to_fraction(x) for x in weights]
    return lam, tuple(hypergeometric.spectrum(w))
