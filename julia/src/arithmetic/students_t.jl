# Student's t, a part of the module Distributions.

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
