"""Quantiles and distribution functions of the normal, Beta and t distributions, at mpmath's precision."""
from mpmath import mp, mpf

from exact import Fraction, to_mpf

_cache = {}


def z(confidence):
    """The normal quantile z with P(|Z| <= z) = confidence, a rational number: Newton on erf(z/sqrt 2)."""
    key = (confidence, mp.prec)
    if key not in _cache:
        with mp.extraprec(80):
            c = to_mpf(confidence)
            x = mp.erfinv(mpf(float(c))) * mp.sqrt(2) if c < 0.999999 else mp.sqrt(-2 * mp.log(1 - c))
            for _ in range(300):
                tail = 1 - c - mp.erfc(x / mp.sqrt(2)) if c > 0.5 else mp.erf(x / mp.sqrt(2)) - c
                step = tail / (mp.sqrt(2 / mp.pi) * mp.exp(-x * x / 2))
                x -= step
                if abs(step) < abs(x) * mpf(2) ** -(mp.prec - 40):
                    break
            else:
                raise ArithmeticError("z")
        _cache[key] = +x
    return _cache[key]


def beta_series(x, a, b):
    """The series S >= 1 in I_x(a, b) = x^a (1-x)^b S / (a B(a, b)), in fixed point; up to x = 1/2 it has few terms."""
    one = 1 << mp.prec + 20
    x, a, b = (int(v * one) for v in (x, a, b))
    term, s, n = one, 0, 0
    while term > s >> mp.prec + 10:
        s += term
        n += 1
        term = (term * x // one) * (a + b + (n - 1) * one) // (a + n * one)
    return mpf(s) / one


def beta_cdf(x, a, b):
    """The regularised incomplete beta function I_x(a, b), from its series at the nearer end."""
    if x > a / (a + b):
        return 1 - beta_cdf(1 - x, b, a)
    return beta_near(x, a, b)


def beta_near(x, a, b):
    """I_x(a, b) by its series, for x not close to 1."""
    return mp.exp(a * mp.log(x) + b * mp.log1p(-x) - mp.log(a) + mp.loggamma(a + b)
                  - mp.loggamma(a) - mp.loggamma(b)) * beta_series(x, a, b)


def beta_quantile(p, a, b):
    """The quantile x with I_x(a, b) = p, from the nearer end: bisection, then Newton, on log I over log x."""
    def excess(y, S):
        return a * y + b * mp.log1p(-mp.exp(y)) + log_factor + mp.log(S) - mp.log(p)

    def above(y):
        return excess(y, beta_series(mp.exp(y), a, b)) > 0

    def newton(y):
        for _ in range(60):
            x = mp.exp(y)
            S = beta_series(x, a, b)
            step = excess(y, S) * (1 - x) * S / a  # the slope is a / ((1-x) S)
            y -= step
            if abs(step) < mpf(2) ** -(mp.prec - 60):
                return y
        raise ArithmeticError("beta quantile")

    with mp.extraprec(80):
        if is_above_half(p, a, b):
            return 1 - beta_quantile(1 - p, b, a)
        log_factor = mp.loggamma(a + b) - mp.loggamma(a + 1) - mp.loggamma(b)
        with mp.workdps(40):
            hi = min(-mp.log(2), mp.log(a / (a + b) / (1 - p)))  # Markov: x <= mean / (1 - p)
            lo = hi - 1
            while above(lo):
                lo -= hi - lo
            while hi - lo > 1 / 64:
                y = (lo + hi) / 2
                lo, hi = (lo, y) if above(y) else (y, hi)
            y = newton(lo)
        return mp.exp(newton(y))


def is_above_half(p, a, b):
    """Whether p exceeds I_1/2(a, b), computed from the end with few terms; False if both are equal (up to rounding)."""
    with mp.workdps(40):
        near = beta_near(mpf(1) / 2, max(a, b), min(a, b))
        return p > near + mpf(10) ** -30 if a >= b else 1 - p < near - mpf(10) ** -30


def tail_probability(confidence):
    """The tail probability (1 - confidence) / 2, exactly."""
    return (1 - Fraction(confidence)) / 2


def normal_cdf(x):
    """P(Z <= x), with full relative precision in the tail."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def two_sided_t_tail(t, df):
    """P(|T| > t) with df degrees of freedom, t > 0: I_x(df/2, 1/2), x = df/(df + t^2)."""
    t2, a, b = t * t, mpf(df) / 2, mpf(1) / 2
    return 1 - beta_near(t2 / (df + t2), b, a) if t2 < df else beta_near(df / (df + t2), a, b)


def t_cdf(t, df):
    """P(T <= t), with full relative precision in the tail."""
    if t == 0:
        return mpf(1) / 2
    tail = two_sided_t_tail(abs(t), df) / 2
    return tail if t < 0 else 1 - tail


def t_quantile(confidence, df):
    """The t quantile q with P(|T| <= q) = confidence, by Newton's method from the normal quantile, which is smaller."""
    key = (confidence, df, mp.prec)
    if key not in _cache:
        with mp.workprec(120):
            q = t_newton(z(confidence), confidence, df)
        with mp.extraprec(100):
            q = t_newton(q, confidence, df)
        _cache[key] = +q
    return _cache[key]


def t_newton(q, confidence, df):
    """The t quantile by Newton's method on P(|T| > q) from a start q, at mpmath's current precision."""
    nu, tail = mpf(df), to_mpf(1 - confidence)
    inverse_density = mp.sqrt(nu) * mp.beta(nu / 2, mpf(1) / 2) / 2
    for _ in range(300):
        step = (two_sided_t_tail(q, df) - tail) * inverse_density * (1 + q * q / nu) ** ((nu + 1) / 2)
        q += step
        if abs(step) < q * mpf(2) ** -(mp.prec - 60):
            return q
    raise ArithmeticError("t quantile")
