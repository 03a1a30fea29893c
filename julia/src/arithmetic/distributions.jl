# Quantiles and tails of the normal, beta and t distributions, in double-doubles.

module Distributions

using ..DoubleDouble: HALF, HALF_LOG_2PI, INV_SQRT_2PI, ONE, Triple, ZERO
using ..DoubleDouble: times_2_to, value

# B_2i / (2i (2i-1)) as fractions of exact doubles: the Stirling series of log gamma
const STIRLING = (
    (1.0, 12.0), (-1.0, 360.0), (1.0, 1260.0), (-1.0, 1680.0), (1.0, 1188.0),
    (-691.0, 360360.0), (1.0, 156.0), (-3617.0, 122400.0), (43867.0, 244188.0),
    (-174611.0, 125400.0), (77683.0, 5796.0), (-236364091.0, 1506960.0), (657931.0, 300.0),
)

# -E_2j, Euler's numbers: the asymptotic series of log Gamma(z + 3/4) - log Gamma(z + 1/4)
const EULER = (
    1.0, -5.0, 61.0, -1385.0, 50521.0, -2702765.0, 199360981.0, -19391512145.0, 2404879675441.0, -370371188237525.0,
)

# --- normal ---------------------------------------------------------------------------------------

"The standard normal density at z."
function density(z)
    half_square = times_2_to(z * z, -1.0)
    return INV_SQRT_2PI * exp(-half_square)
end

"The ratio (Phi(z) - 1/2) / density(z): sum of z^(2n+1) / (2n+1)!!, n = 0, 1, ..."
function central_ratio(z)
    square = z * z
    term, total, n = z, z, 1.0
    while value(term) > 1e-34 * value(total)
        n += 2.0
        term *= square / n
        total += term
    end
    return total
end

"Mills' ratio (1 - Phi(z)) / density(z), z > 3: 1/(z + 1/(z + 2/(z + ...))), 240 levels (error < 2^-124)."
function mills_ratio(z)
    total = z
    for n in 240:-1:1
        total = z + n / total
    end
    return ONE / total
end

"The z >= 0 with Phi(z) - 1/2 = centre and 1 - Phi(z) = tail."
function normal_quantile(centre, tail)
    z = ZERO
    for _ in 1:100  # Halley steps from 0 rise to z, and each triples the number of correct digits
        phi = density(z)
        if value(z) > 3.0
            h = tail / phi - mills_ratio(z)
        else
            h = central_ratio(z) - centre / phi
        end
        curvature = times_2_to(h * z, -1.0)
        z -= h / (ONE + curvature)
        abs(value(h)) <= 1e-12 * value(z) && break
    end
    return z
end

# The cache is two vectors: a dictionary takes longer to compile.
const CACHED_KEYS, CACHED_VALUES = Tuple{Int,Triple,Triple}[], Triple[]
const CACHE_LOCK = ReentrantLock()

"""
Return compute(), or its value from an earlier call with this key; up to 256 values are cached.

key: 0 for normal_z, 1 for an upper quantile of the normal, 2 for one of Student's t; then the arguments, and ZERO for a
second one that is not there.
"""
function cached(@nospecialize(compute), key::Tuple{Int,Triple,Triple})::Triple
    lock(CACHE_LOCK)
    try
        for i in length(CACHED_KEYS):-1:1
            CACHED_KEYS[i] == key && return CACHED_VALUES[i]
        end
        if length(CACHED_KEYS) == 256
            empty!(CACHED_KEYS)
            empty!(CACHED_VALUES)
        end
        result = compute()::Triple
        push!(CACHED_KEYS, key)
        push!(CACHED_VALUES, result)
        return result
    finally
        unlock(CACHE_LOCK)
    end
end

"The z with P(|Z| <= z) = confidence, for any double in (0, 1), as a triple."
function normal_z(confidence)
    c = Triple(confidence)
    return cached(() -> normal_quantile(times_2_to(c, -1.0), times_2_to(ONE - c, -1.0)), (0, c, ZERO))
end

"The z with P(Z > z) = (1 - confidence) / parts, 1/2 <= confidence < 1."
function one_sided_z(confidence, parts = 1)
    tail = error_rate(confidence, parts)
    tail == HALF && return ZERO
    return cached(() -> normal_quantile(0.5 - tail, tail), (1, tail, ZERO))
end

"The error rate (1 - confidence) / parts: that of each tail or test, if so many share 1 - confidence equally."
error_rate(confidence, parts) = (ONE - confidence) / parts

"The normal distribution function P(Z <= t), to full relative accuracy in the lower tail."
function normal_cdf(t)
    z = t.hi >= 0.0 ? t : -t
    if value(z) > 3.0
        tail_area = mills_ratio(z) * density(z)
        return t.hi < 0.0 ? tail_area : ONE - tail_area
    end
    central_area = z.hi > 0.0 ? central_ratio(z) * density(z) : ZERO
    return 0.5 + (t.hi > 0.0 ? central_area : -central_area)
end

# --- beta -----------------------------------------------------------------------------------------

"The log of Gamma(x), x > 0: Stirling's series at x + n >= 40, less the log of the n factors."
function log_gamma(x)
    factors = ONE
    while value(x) < 40.0
        factors *= x
        x += ONE
    end
    inverse = ONE / x
    square = inverse * inverse
    s = ZERO
    for i in length(STIRLING):-1:1
        num, den = STIRLING[i]
        s = s * square + Triple(num) / den
    end
    s = s * inverse + HALF_LOG_2PI
    leading = (x - 0.5) * log(x)
    s += leading - x
    return s - log(factors)
end

"The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."
function continued_fraction(x, a, b)
    c, d, f, n = ONE, ZERO, ONE, 0.0
    while n < 1e6
        m = Triple(n)
        am, amm = a + m, a + times_2_to(m, 1.0)
        top = am * (am + b) * x
        odd = -(top / (amm * (amm + ONE)))
        n += 1.0
        m = Triple(n)
        amm = a + times_2_to(m, 1.0)
        even = m * (b - m) * x / ((amm - ONE) * amm)
        before = f
        for t in (odd, even)
            d = ONE / (ONE + t * d)
            c = ONE + t / c
            f *= c * d
        end
        abs(value(f / before - ONE)) < 1e-31 && break
    end
    return ONE / f
end

"The log of the beta function B(a, b)."
log_beta(a, b) = log_gamma(a) + log_gamma(b) - log_gamma(a + b)

"The incomplete beta function I_x(a, b); y = 1 - x, front = x y times the density."
function area(x, y, front, a, b)
    if value(x - (a + ONE) / (a + b + 2.0)) <= 0.0
        return front / a * continued_fraction(x, a, b)
    end
    return ONE - front / b * continued_fraction(y, b, a)
end

"The incomplete beta function I_x(a, b), y = 1 - x."
function beta_cdf(x, y, a, b)
    log_powers = a * log(x) + b * log(y)
    return area(x, y, exp(log_powers - log_beta(a, b)), a, b)
end

"The x with I_x(a, b) = p for p <= 1/2; beta_high(p, b, a) gives a small 1 - x more accurately."
beta_low(p, a, b) = beta_root(p, a, b, false)

"The x with 1 - I_x(a, b) = p for p <= 1/2; accurate for small x."
beta_high(p, a, b) = beta_root(p, a, b, true)

"The log of beta_low, or of beta_high if `upper`, to about ten digits, by Newton steps in doubles; NaN if these fail."
function log_quantile_in_doubles(a, b, log_B, log_p, upper)
    u = log(a / (a + b))
    for _ in 1:60
        x, y = exp(u), -expm1(u)
        0.0 < y < 1.0 || return NaN
        front = exp(a * u + b * log(y) - log_B)
        area_at_x = upper ? area_in_doubles(y, x, front, b, a) : area_in_doubles(x, y, front, a, b)
        0.0 < area_at_x < 1.0 && front > 0.0 || return NaN
        step = (log(area_at_x) - log_p) * area_at_x * y / front
        u = min(upper ? u + step : u - step, u / 2)  # log x stays below 0
        abs(step) <= 1e-10 && return u
    end
    return NaN
end

"The incomplete beta function like area(), in doubles."
function area_in_doubles(x, y, front, a, b)
    x <= (a + 1.0) / (a + b + 2.0) && return front / a * continued_fraction_in_doubles(x, a, b)
    return 1.0 - front / b * continued_fraction_in_doubles(y, b, a)
end

"The continued fraction like continued_fraction(), in doubles."
function continued_fraction_in_doubles(x, a, b)
    c, d, f = 1.0, 0.0, 1.0
    for n in 0:9999
        odd = -(a + n) * (a + n + b) * x / ((a + 2n) * (a + 2n + 1.0))
        even = (n + 1.0) * (b - n - 1.0) * x / ((a + 2n + 1.0) * (a + 2n + 2.0))
        before = f
        for t in (odd, even)
            d = 1.0 / (1.0 + t * d)
            c = 1.0 + t / c
            f *= c * d
        end
        abs(f - before) <= 1e-15 * f && break
    end
    return 1.0 / f
end

"Solve for the beta quantile by Newton steps on the log of the area as a function of log x, within a bracket."
function beta_root(p, a, b, upper)
    log_B, log_p = log_beta(a, b), log(p)
    low, high = Triple(-1e6), ZERO  # the bracket of log x
    start = log_quantile_in_doubles(value(a), value(b), value(log_B), value(log_p), upper)
    u, small_steps = start < 0.0 ? Triple(start) : log(a / (a + b)), 0  # the mean if doubles failed
    for _ in 1:500
        x = exp(u)
        y = ONE - x
        log_powers = a * u + b * log(y)
        front = exp(log_powers - log_B)  # x y times the density
        area_at_x = upper ? area(y, x, front, b, a) : area(x, y, front, a, b)
        log_error = log(area_at_x) - log_p
        if upper
            log_error = -log_error
        end
        if log_error.hi < 0.0
            low = u
        else
            high = u
        end
        step = log_error * (area_at_x * y / front)
        new = u - step
        if value(new - low) <= 0.0 || value(high - new) <= 0.0
            new = times_2_to(low + high, -1.0)
        end
        small_steps += abs(value(step)) <= 1e-13  # from then on each step about squares the error
        (small_steps == 3 || abs(value(step)) <= 1e-20) && return exp(u - step)
        u = new
    end
    return exp(u)
end

# --- Student's t ------------------------------------------------------------------------------------

"""
The reciprocal 1 / B(a, 1/2) of the beta function.

That is sqrt(z / pi) exp(sum of -E_2j / (4j (4z)^2j)) at z = a + n - 1/4, times (a + i) / (a + i + 1/2), i = 0..n-1.
"""
function inverse_beta(a)
    numerator, denominator = ONE, ONE
    while value(a) < 40.5
        numerator, denominator = numerator * a, denominator * (a + HALF)
        a += ONE
    end
    z, s = a - 0.25, ZERO
    w = ONE / times_2_to(z * z, 4.0)
    for j in length(EULER):-1:1
        s = (s + Triple(EULER[j]) / j) * w
    end
    return numerator / denominator * INV_SQRT_2PI * (sqrt(times_2_to(z, 1.0)) * exp(times_2_to(s, -2.0)))
end

"""
The ratio of P(0 < T < t) to t times the density: sum of y^n p (p + 1) ... / (3/2 5/2 ...), n factors each.

p = (freedom + 1) / 2, y = t^2 / (freedom + t^2).
"""
function t_series(p, y)
    term, total, n = ONE, ONE, 0.0
    while value(term) > 1e-33 * value(total)
        term *= (p + n) * y / (n + 1.5)
        total += term
        n += 1.0
    end
    return total
end

"""
The area (true, P(0 < T < t)) or (false, P(T > t)), t > 0; t times the density; and t^2 / (freedom + t^2).

inverse: 1 / B(freedom / 2, 1/2), from inverse_beta().
"""
function t_area(t, freedom, inverse)
    a, square = times_2_to(freedom, -1.0), t * t
    total = freedom + square
    x, y = freedom / total, square / total
    front = inverse * sqrt(y) * exp(a * log(x))
    if value(square) <= 9.0 && value(y) <= 0.5  # few terms and little cancellation
        return true, front * t_series(a + HALF, y), front, y
    end
    return false, front / freedom * continued_fraction(x, a, HALF), front, y
end

"The t distribution function P(T <= t), to full relative accuracy in the lower tail."
function t_cdf(t, freedom)
    t.hi == 0.0 && return HALF
    negative = t.hi < 0.0
    central, area_at_t, _, _ = t_area(negative ? -t : t, freedom, inverse_beta(times_2_to(freedom, -1.0)))
    central && return HALF + (negative ? -area_at_t : area_at_t)
    return negative ? area_at_t : ONE - area_at_t
end

"The t with P(T > t) = tail < 1/2: Halley steps, mostly a single one, from a start with nine digits."
function t_quantile(tail, freedom)
    a, centre = times_2_to(freedom, -1.0), HALF - tail
    inverse = inverse_beta(a)
    start = t_quantile_in_doubles(2.0 * value(tail), 2.0 * value(centre), value(a), -log(value(inverse)))
    start > 0.0 || return t_quantile_by_beta(times_2_to(tail, 1.0), freedom)
    t = Triple(start)
    for _ in 1:100
        central, area_at_t, front, y = t_area(t, freedom, inverse)
        h = (central ? area_at_t - centre : tail - area_at_t) / front
        t -= t * h / (ONE + (a + HALF) * y * h)
        abs(value(h)) <= 1e-9 && break  # a step cubes the relative error
    end
    return t
end

"The t with P(|T| > t) = two_tails and P(|T| < t) = central_area, to about nine digits; NaN where doubles fail."
function t_quantile_in_doubles(two_tails, central_area, a, log_B)
    two_tails > 0.0 && central_area > 0.0 || return NaN
    if two_tails <= 0.5
        return sqrt(2.0 * a * expm1(-log_quantile_in_doubles(a, 0.5, log_B, log(two_tails), false)))
    end
    return sqrt(2.0 * a / expm1(-log_quantile_in_doubles(0.5, a, log_B, log(central_area), false)))
end

"The t with P(|T| > t) = two_tails from the beta quantile, which is found within a bracket."
function t_quantile_by_beta(two_tails, freedom)
    a = times_2_to(freedom, -1.0)
    if value(two_tails) <= 0.5
        x = beta_low(two_tails, a, HALF)
        y = ONE - x
    else
        y = beta_low(ONE - two_tails, HALF, a)
        x = ONE - y
    end
    return sqrt(freedom * y / x)
end

end

# --- in plain doubles, by + - * / in the written order: fast enough for long sums -------------------

module Normal

Base.Experimental.@optlevel 2

using ..DoubleDouble: two_prod

const UNDERFLOW = 37.5  # for x above this the bell and the tail are below 1e-305, and count as 0
const INV_LN2, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10
const INV_SQRT_2PI = 0.3989422804014327
const INVERSE_FACTORIALS = (  # 1 / n!, n = 0..13
    1.0, 1.0, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889,
    0.0001984126984126984, 2.48015873015873e-05, 2.7557319223985893e-06, 2.755731922398589e-07,
    2.505210838544172e-08, 2.08767569878681e-09, 1.6059043836821613e-10,
)
# Chebyshev coefficients of (x + 5) (1 - Phi(x)) / phi(x) in t = (x - 5) / (x + 5), x >= 0; the first is halved
const MILLS = (
    2.7196852387678244, -2.369067605650879, 0.8511076451912901, -0.25267101020189897, 0.06101538640490704,
    -0.011475514073056178, 0.0014946108965619613, -7.528550840431418e-05, -1.7441640986188533e-05,
    4.165069376460427e-06, -1.075491741115436e-07, -9.471226425550921e-08, 1.1672253441654395e-08,
    1.8216467239028026e-09, -4.702612503635878e-10, -3.396099140347166e-11, 1.6931861387628094e-11,
    7.116261233426692e-13, -6.192628267806253e-13, -2.267253181994824e-14, 2.369054606339966e-14,
    1.2094286091906465e-15, -9.388069136947026e-16, -7.955671520049973e-17, 3.726012047720447e-17,
)

"The function e^(-x^2/2); 0 for |x| > UNDERFLOW."
function bell(x)
    abs(x) > UNDERFLOW && return 0.0
    p, q = two_prod(x, x)
    y = -0.5 * p
    n = floor(y * INV_LN2 + 0.5)
    r = ((y - n * LN2_HIGH) - n * LN2_LOW) - 0.5 * q
    s = INVERSE_FACTORIALS[14]
    for i in 13:-1:1
        s = s * r + INVERSE_FACTORIALS[i]
    end
    return ldexp(s, Int(n))
end

"The normal tail P(Z > x), to full relative accuracy where it is small."
function tail(x)
    z = abs(x)
    z > UNDERFLOW && return x > 0.0 ? 0.0 : 1.0
    t = 2.0 * ((z - 5.0) / (z + 5.0))
    b, c = 0.0, 0.0
    for i in 25:-1:2
        b, c = (t * b - c) + MILLS[i], b
    end
    upper = (((0.5 * t) * b - c) + MILLS[1]) / (z + 5.0) * (bell(z) * INV_SQRT_2PI)
    return x >= 0.0 ? upper : 1.0 - upper
end

end
