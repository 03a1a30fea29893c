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

"The z with P(Z > z) = (1 - confidence) / parts, 1/2 < confidence < 1."
function one_sided_z(confidence, parts = 1)
    tail = error_rate(confidence, parts)
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

include("students_t.jl")

end
