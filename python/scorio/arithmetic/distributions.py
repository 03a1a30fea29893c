"""Quantiles and tails of the normal, beta and t distributions in double-doubles; the normal tail also in doubles."""

import math
from functools import lru_cache
from math import floor, ldexp

from .double_double import (
    HALF,
    HALF_LOG_2PI,
    INV_SQRT_2PI,
    ONE,
    ZERO,
    Triple,
    add,
    div,
    exp,
    ext,
    log,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    two_prod,
    value,
)
from .jit import jit

# --- in double-doubles, every bit correct -----------------------------------------------------------

# B_2i / (2i (2i-1)) as fractions of exact doubles: the Stirling series of log gamma
STIRLING = (
    (1.0, 12.0), (-1.0, 360.0), (1.0, 1260.0), (-1.0, 1680.0), (1.0, 1188.0),
    (-691.0, 360360.0), (1.0, 156.0), (-3617.0, 122400.0), (43867.0, 244188.0),
    (-174611.0, 125400.0), (77683.0, 5796.0), (-236364091.0, 1506960.0), (657931.0, 300.0),
)  # fmt: skip

# -E_2j, Euler's numbers: the asymptotic series of log Gamma(z + 3/4) - log Gamma(z + 1/4)
EULER = (
    1.0, -5.0, 61.0, -1385.0, 50521.0, -2702765.0, 199360981.0, -19391512145.0, 2404879675441.0, -370371188237525.0,
)  # fmt: skip


# --- normal ---------------------------------------------------------------------------------------


@jit
def density(z):
    """The standard normal density at z."""
    return mul(INV_SQRT_2PI, exp(neg(times_2_to(mul(z, z), -1.0))))


@jit
def central_ratio(z):
    """The ratio (Phi(z) - 1/2) / density(z): sum of z^(2n+1) / (2n+1)!!, n = 0, 1, ..."""
    square = mul(z, z)
    term, total, n = z, z, 1.0
    while value(term) > 1e-34 * value(total):
        n += 2.0
        term = mul(term, div(square, ext(n)))
        total = add(total, term)
    return total


@jit
def mills_ratio(z):
    """Mills' ratio (1 - Phi(z)) / density(z), z > 3: 1/(z + 1/(z + 2/(z + ...))), 240 levels (error < 2^-124)."""
    total = z
    for n in range(240, 0, -1):
        total = add(z, div(ext(float(n)), total))
    return div(ONE, total)


@jit
def normal_quantile(centre, tail):
    """The z >= 0 with Phi(z) - 1/2 = centre and 1 - Phi(z) = tail."""
    z = ZERO
    for _ in range(100):  # Halley steps from 0 rise to z, and each triples the number of correct digits
        phi = density(z)
        if value(z) > 3.0:
            h = sub(div(tail, phi), mills_ratio(z))
        else:
            h = sub(central_ratio(z), div(centre, phi))
        denominator = add(ONE, times_2_to(mul(h, z), -1.0))
        z = sub(z, div(h, denominator))
        if abs(value(h)) <= 1e-12 * value(z):
            break
    return z


@lru_cache(maxsize=256)
def normal_z(confidence: float) -> Triple:
    """The z with P(|Z| <= z) = confidence, for any double in (0, 1), as a triple."""
    c = ext(confidence)
    return normal_quantile(times_2_to(c, -1.0), times_2_to(sub(ONE, c), -1.0))


@lru_cache(maxsize=256)
def one_sided_z(confidence: float, parts: int = 1) -> Triple:
    """The z with P(Z > z) = (1 - confidence) / parts, for confidence in [1/2, 1)."""
    tail = error_rate(confidence, parts)
    return ZERO if tail == HALF else normal_quantile(sub(HALF, tail), tail)


@lru_cache(maxsize=256)
def error_rate(confidence: float, parts: int) -> Triple:
    """The error rate (1 - confidence) / parts: that of each tail or test, if so many share 1 - confidence equally."""
    return div(sub(ONE, ext(confidence)), ext(float(parts)))


@jit
def normal_cdf(t):
    """The normal distribution function P(Z <= t), to full relative accuracy in the lower tail."""
    z = t if t[0] >= 0.0 else neg(t)
    if value(z) > 3.0:
        tail_area = mul(mills_ratio(z), density(z))
        return tail_area if t[0] < 0.0 else sub(ONE, tail_area)
    central_area = mul(central_ratio(z), density(z)) if z[0] > 0.0 else ZERO
    return add(ext(0.5), central_area if t[0] > 0.0 else neg(central_area))


# --- beta -----------------------------------------------------------------------------------------


@jit
def log_gamma(x):
    """The log of Gamma(x), x > 0: Stirling's series at x + n >= 40, less the log of the n factors."""
    factors = ONE
    while value(x) < 40.0:
        factors = mul(factors, x)
        x = add(x, ONE)
    inverse = div(ONE, x)
    square = mul(inverse, inverse)
    s = ZERO
    for i in range(len(STIRLING) - 1, -1, -1):
        num, den = STIRLING[i]
        s = add(mul(s, square), div(ext(num), ext(den)))
    s = add(mul(s, inverse), HALF_LOG_2PI)
    s = add(s, sub(mul(sub(x, ext(0.5)), log(x)), x))
    return sub(s, log(factors))


@jit
def _continued_fraction(x, a, b):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d, f, n = ONE, ZERO, ONE, 0.0
    while n < 1e6:
        m = ext(n)
        am, amm = add(a, m), add(a, times_2_to(m, 1.0))
        odd = neg(div(mul(mul(am, add(am, b)), x), mul(amm, add(amm, ONE))))
        n += 1.0
        m = ext(n)
        amm = add(a, times_2_to(m, 1.0))
        even = div(mul(mul(m, sub(b, m)), x), mul(sub(amm, ONE), amm))
        before = f
        for t in (odd, even):
            d = div(ONE, add(ONE, mul(t, d)))
            c = add(ONE, div(t, c))
            f = mul(f, mul(c, d))
        if abs(value(sub(div(f, before), ONE))) < 1e-31:
            break
    return div(ONE, f)


@jit
def _log_beta(a, b):
    """The log of the beta function B(a, b)."""
    return sub(add(log_gamma(a), log_gamma(b)), log_gamma(add(a, b)))


@jit
def _area(x, y, front, a, b):
    """The incomplete beta function I_x(a, b); y = 1 - x, front = x y times the density."""
    if value(sub(x, div(add(a, ONE), add(add(a, b), ext(2.0))))) <= 0.0:
        return mul(div(front, a), _continued_fraction(x, a, b))
    return sub(ONE, mul(div(front, b), _continued_fraction(y, b, a)))


@jit
def beta_cdf(x, y, a, b):
    """The incomplete beta function I_x(a, b), y = 1 - x."""
    log_powers = add(mul(a, log(x)), mul(b, log(y)))
    return _area(x, y, exp(sub(log_powers, _log_beta(a, b))), a, b)


@jit
def beta_low(p, a, b):
    """The x with I_x(a, b) = p for p <= 1/2; beta_high(p, b, a) gives a small 1 - x more accurately."""
    return _beta_root(p, a, b, False)


@jit
def beta_high(p, a, b):
    """The x with 1 - I_x(a, b) = p for p <= 1/2; accurate for small x."""
    return _beta_root(p, a, b, True)


@jit
def _log_quantile_in_doubles(a, b, log_beta, log_p, upper):
    """The log of beta_low or beta_high (upper) to about ten digits, by Newton steps in doubles; NaN if these fail."""
    u = math.log(a / (a + b))
    for _ in range(60):
        x, y = math.exp(u), -math.expm1(u)
        if not 0.0 < y < 1.0:
            return math.nan
        log_front = a * u + b * math.log(y) - log_beta
        if not log_front < 700.0:  # cancellation, for large a and b: e^x would overflow
            return math.nan
        front = math.exp(log_front)
        area = _area_in_doubles(y, x, front, b, a) if upper else _area_in_doubles(x, y, front, a, b)
        if not 0.0 < area < 1.0 or front == 0.0:
            return math.nan
        step = (math.log(area) - log_p) * area * y / front
        u = min(u + step if upper else u - step, u / 2.0)  # log x stays below 0
        if abs(step) <= 1e-10:
            return u
    return math.nan


@jit
def _area_in_doubles(x, y, front, a, b):
    """The incomplete beta function like _area(), in doubles."""
    if x <= (a + 1.0) / (a + b + 2.0):
        return front / a * _continued_fraction_in_doubles(x, a, b)
    return 1.0 - front / b * _continued_fraction_in_doubles(y, b, a)


@jit
def _continued_fraction_in_doubles(x, a, b):
    """The continued fraction like _continued_fraction(), in doubles."""
    c, d, f = 1.0, 0.0, 1.0
    for n in range(10000):
        odd = -(a + n) * (a + n + b) * x / ((a + 2 * n) * (a + 2 * n + 1.0))
        even = (n + 1.0) * (b - n - 1.0) * x / ((a + 2 * n + 1.0) * (a + 2 * n + 2.0))
        before = f
        for t in (odd, even):
            if c == 0.0 or t * d == -1.0:  # of a and b so large that doubles cancel
                return math.nan
            d = 1.0 / (1.0 + t * d)
            c = 1.0 + t / c
            f *= c * d
        if abs(f - before) <= 1e-15 * f:
            break
    return 1.0 / f if f != 0.0 else math.nan


@jit
def _beta_root(p, a, b, upper):
    """Solve for the beta quantile by Newton steps on the log of the area as a function of log x, within a bracket."""
    log_beta, log_p = _log_beta(a, b), log(p)
    low, high = ext(-1e6), ZERO  # the bracket of log x
    start = _log_quantile_in_doubles(value(a), value(b), value(log_beta), value(log_p), upper)
    u, small_steps = ext(start) if start < 0.0 else log(div(a, add(a, b))), 0  # the mean where doubles fail
    for _ in range(500):
        x = exp(u)
        y = sub(ONE, x)
        log_powers = add(mul(a, u), mul(b, log(y)))
        front = exp(sub(log_powers, log_beta))  # x y times the density
        area = _area(y, x, front, b, a) if upper else _area(x, y, front, a, b)
        log_error = sub(log(area), log_p)
        if upper:
            log_error = neg(log_error)
        if log_error[0] < 0.0:
            low = u
        else:
            high = u
        step = mul(log_error, div(mul(area, y), front))
        new = sub(u, step)
        if value(sub(new, low)) <= 0.0 or value(sub(high, new)) <= 0.0:
            new = times_2_to(add(low, high), -1.0)
        small_steps += abs(value(step)) <= 1e-13  # from then on each step about squares the error
        if small_steps == 3 or abs(value(step)) <= 1e-20:
            return exp(sub(u, step))
        u = new
    return exp(u)


# --- Student's t ----------------------------------------------------------------------------------


@jit
def inverse_beta(a):
    """The reciprocal 1 / B(a, 1/2) of the beta function.

    That is sqrt(z / pi) exp(sum of -E_2j / (4j (4z)^2j)) at z = a + n - 1/4, times (a + i) / (a + i + 1/2), i = 0..n-1.
    """
    numerator, denominator = ONE, ONE
    while value(a) < 40.5:
        numerator, denominator = mul(numerator, a), mul(denominator, add(a, HALF))
        a = add(a, ONE)
    z, s = sub(a, ext(0.25)), ZERO
    w = div(ONE, times_2_to(mul(z, z), 4.0))
    for j in range(len(EULER), 0, -1):
        s = mul(add(s, div(ext(EULER[j - 1]), ext(float(j)))), w)
    return mul(mul(div(numerator, denominator), INV_SQRT_2PI), mul(root(times_2_to(z, 1.0)), exp(times_2_to(s, -2.0))))


@jit
def _t_series(p, y):
    """The ratio of P(0 < T < t) to t times the density: sum of y^n p (p + 1) ... / (3/2 5/2 ...), n factors each.

    p = (freedom + 1) / 2, y = t^2 / (freedom + t^2).
    """
    term, total, n = ONE, ONE, 0.0
    while value(term) > 1e-33 * value(total):
        term = mul(term, div(mul(add(p, ext(n)), y), ext(n + 1.5)))
        total = add(total, term)
        n += 1.0
    return total


@jit
def _t_area(t, freedom, inverse):
    """The area (True, P(0 < T < t)) or (False, P(T > t)), t > 0; t times the density; and t^2 / (freedom + t^2).

    inverse: 1 / B(freedom / 2, 1/2), from inverse_beta().
    """
    a, square = times_2_to(freedom, -1.0), mul(t, t)
    total = add(freedom, square)
    x, y = div(freedom, total), div(square, total)
    front = mul(mul(inverse, root(y)), exp(mul(a, log(x))))
    if value(square) <= 9.0 and value(y) <= 0.5:  # few terms and little cancellation
        return True, mul(front, _t_series(add(a, HALF), y)), front, y
    return False, mul(div(front, freedom), _continued_fraction(x, a, HALF)), front, y


@jit
def t_cdf(t, freedom):
    """The t distribution function P(T <= t), to full relative accuracy in the lower tail."""
    if t[0] == 0.0:
        return HALF
    negative = t[0] < 0.0
    central, area, _, _ = _t_area(neg(t) if negative else t, freedom, inverse_beta(times_2_to(freedom, -1.0)))
    if central:
        return add(HALF, neg(area) if negative else area)
    return area if negative else sub(ONE, area)


@jit
def t_tails_in_doubles(t, freedom, out):
    """Fill `out` with P(|T| >= t) for t >= 0, to about nine digits; 0 for infinite t.

    NaN where the square of a finite t overflows, or t or freedom is NaN.
    """
    for i in range(t.size):
        a, ratio = 0.5 * freedom[i], t[i] * t[i] / freedom[i]
        if math.isinf(t[i]) and freedom[i] > 0.0:
            out[i] = 0.0
        elif not ratio > 0.0:
            out[i] = 1.0 if ratio == 0.0 else math.nan
        else:
            x = 1.0 / (1.0 + ratio)
            y = ratio * x
            log_beta = math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)
            front = math.exp(0.5 * math.log(y) - a * math.log1p(ratio) - log_beta)
            out[i] = _area_in_doubles(x, y, front, a, 0.5)


@jit
def t_quantile(tail, freedom):
    """The t with P(T > t) = tail < 1/2: Halley steps, mostly a single one, from a start with nine digits."""
    a, centre = times_2_to(freedom, -1.0), sub(HALF, tail)
    inverse = inverse_beta(a)
    start = _t_quantile_in_doubles(2.0 * value(tail), 2.0 * value(centre), value(a), -math.log(value(inverse)))
    if not start > 0.0:
        return _t_quantile_by_beta(times_2_to(tail, 1.0), freedom)
    t = ext(start)
    for _ in range(100):
        central, area, front, y = _t_area(t, freedom, inverse)
        h = div(sub(area, centre) if central else sub(tail, area), front)
        t = sub(t, div(mul(t, h), add(ONE, mul(mul(add(a, HALF), y), h))))
        if abs(value(h)) <= 1e-9:  # a step cubes the relative error
            break
    return t


@jit
def _t_quantile_in_doubles(two_tails, central_area, a, log_beta):
    """The t with P(|T| > t) = two_tails and P(|T| < t) = central_area, to about nine digits; NaN where doubles fail."""
    if not (two_tails > 0.0 and central_area > 0.0):
        return math.nan
    if two_tails <= 0.5:
        return math.sqrt(2.0 * a * math.expm1(-_log_quantile_in_doubles(a, 0.5, log_beta, math.log(two_tails), False)))
    return math.sqrt(2.0 * a / math.expm1(-_log_quantile_in_doubles(0.5, a, log_beta, math.log(central_area), False)))


@jit
def _t_quantile_by_beta(two_tails, freedom):
    """The t with P(|T| > t) = two_tails from the beta quantile, which is found within a bracket."""
    a = times_2_to(freedom, -1.0)
    if value(two_tails) <= 0.5:
        x = beta_low(two_tails, a, HALF)
        y = sub(ONE, x)
    else:
        y = beta_low(sub(ONE, two_tails), HALF, a)
        x = sub(ONE, y)
    return root(div(mul(freedom, y), x))


# --- in plain doubles, by + - * / in the written order: fast enough for long sums -------------------

UNDERFLOW = 37.5  # for x above this the bell and the tail are below 1e-305, and count as 0
INV_LN2, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10
INVERSE_FACTORIALS = (  # 1 / n!, n = 0..13
    1.0, 1.0, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889,
    0.0001984126984126984, 2.48015873015873e-05, 2.7557319223985893e-06, 2.755731922398589e-07,
    2.505210838544172e-08, 2.08767569878681e-09, 1.6059043836821613e-10,
)  # fmt: skip
# Chebyshev coefficients of (x + 5) (1 - Phi(x)) / phi(x) in t = (x - 5) / (x + 5), x >= 0; the first is halved
MILLS = (
    2.7196852387678244, -2.369067605650879, 0.8511076451912901, -0.25267101020189897, 0.06101538640490704,
    -0.011475514073056178, 0.0014946108965619613, -7.528550840431418e-05, -1.7441640986188533e-05,
    4.165069376460427e-06, -1.075491741115436e-07, -9.471226425550921e-08, 1.1672253441654395e-08,
    1.8216467239028026e-09, -4.702612503635878e-10, -3.396099140347166e-11, 1.6931861387628094e-11,
    7.116261233426692e-13, -6.192628267806253e-13, -2.267253181994824e-14, 2.369054606339966e-14,
    1.2094286091906465e-15, -9.388069136947026e-16, -7.955671520049973e-17, 3.726012047720447e-17,
)  # fmt: skip


@jit
def bell(x):
    """The function e^(-x^2/2); 0 for |x| > UNDERFLOW."""
    if abs(x) > UNDERFLOW:
        return 0.0
    p, q = two_prod(x, x)
    y = -0.5 * p
    n = floor(y * INV_LN2 + 0.5)
    r = ((y - n * LN2_HIGH) - n * LN2_LOW) - 0.5 * q
    s = INVERSE_FACTORIALS[13]
    for i in range(12, -1, -1):
        s = s * r + INVERSE_FACTORIALS[i]
    return ldexp(s, int(n))


@jit
def tail(x):
    """The normal tail P(Z > x), to full relative accuracy where it is small."""
    z = abs(x)
    if z > UNDERFLOW:
        return 0.0 if x > 0.0 else 1.0
    t = 2.0 * ((z - 5.0) / (z + 5.0))
    b, c = 0.0, 0.0
    for i in range(24, 0, -1):
        b, c = (t * b - c) + MILLS[i], b
    upper = (((0.5 * t) * b - c) + MILLS[0]) / (z + 5.0) * (bell(z) * INV_SQRT_2PI[0])
    return upper if x >= 0.0 else 1.0 - upper
