"""Quantiles of the normal and of the Beta distribution, at mpmath's precision."""
from mpmath import mp, mpf

from exact import Fraction, at

_z = {}


def z(confidence):
    """z with P(|Z| <= z) = confidence, the exact double: Newton on erf(z/sqrt 2)."""
    key = (confidence, mp.prec)
    if key not in _z:
        with mp.extraprec(80):
            c = at(confidence)
            x = mp.erfinv(mpf(float(c))) * mp.sqrt(2) if c < 0.999999 else mp.sqrt(-2 * mp.log(1 - c))
            for _ in range(300):
                tail = 1 - c - mp.erfc(x / mp.sqrt(2)) if c > 0.5 else mp.erf(x / mp.sqrt(2)) - c
                step = tail / (mp.sqrt(2 / mp.pi) * mp.exp(-x * x / 2))
                x -= step
                if abs(step) < abs(x) * mpf(2) ** -(mp.prec - 40):
                    break
            else:
                raise ArithmeticError("z")
        _z[key] = +x
    return _z[key]


def beta_cdf(x, a, b):
    """I_x(a, b) by its series of positive terms, from the nearer end."""
    if x > a / (a + b):
        return 1 - beta_cdf(1 - x, b, a)
    term = mp.exp(a * mp.log(x) + b * mp.log1p(-x) - mp.log(a)
                  + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))
    s, n = mpf(0), 0
    while term > s * mp.eps:
        s += term
        n += 1
        term *= x * (a + b + n - 1) / (a + n)
    return s


def beta_quantile(p, a, b):
    """x with I_x(a, b) = p: bisection to a part in 2^16, then Newton."""
    lo, hi = mpf(0), mpf(1)
    with mp.workdps(20):
        while hi - lo > hi / 65536:
            mid = (lo + hi) / 2 if lo else hi / 8
            lo, hi = (mid, hi) if beta_cdf(mid, +a, +b) < p else (lo, mid)
        x = hi
    with mp.extraprec(80):
        for _ in range(60):
            pdf = mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x)
                         + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))
            step = (beta_cdf(x, a, b) - p) / pdf
            x -= step
            if abs(step) < x * mpf(2) ** -(mp.prec - 100):
                return +x
    raise ArithmeticError("beta quantile")


def half_tail(confidence):
    """(1 - confidence) / 2, exactly."""
    return (1 - Fraction(confidence)) / 2
