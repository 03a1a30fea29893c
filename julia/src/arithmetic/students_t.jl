# Student's t, a part of the module Distributions.

"1 / B(a, 1/2), a > 0: sqrt(z / pi) exp(sum of -E_2j / (4j (4z)^2j)) at z = a + n - 1/4 > 40, times n factors."
function inverse_beta(a)
    above, below = ONE, ONE
    while value(a) < 40.5
        above, below = mul(above, a), mul(below, add(a, HALF))
        a = add(a, ONE)
    end
    z, s = sub(a, ext(0.25)), ZERO
    w = div(ONE, scaled(mul(z, z), 4.0))
    for j in length(EULER):-1:1
        s = mul(add(s, div(ext(EULER[j]), ext(j))), w)
    end
    return mul(mul(div(above, below), INV_SQRT_2PI), mul(root(scaled(z, 1.0)), exp(scaled(s, -2.0))))
end

"Sum of y^n times p (p + 1) ... over 3/2 5/2 ..., n factors each: P(0 < T < t) over t times the density."
function t_series(p, y)
    term, total, n = ONE, ONE, 0.0
    while value(term) > 1e-33 * value(total)
        term = mul(term, div(mul(add(p, ext(n)), y), ext(n + 1.5)))
        total = add(total, term)
        n += 1.0
    end
    return total
end

"(true, P(0 < T < t)) or (false, P(T > t)) for t > 0; then t times the density, and t^2 / (freedom + t^2)."
function t_area(t, freedom, inverse)
    a, square = scaled(freedom, -1.0), mul(t, t)
    whole = add(freedom, square)
    x, y = div(freedom, whole), div(square, whole)
    front = mul(mul(inverse, root(y)), exp(mul(a, log(x))))
    if value(square) <= 9.0 && value(y) <= 0.5  # few terms and little cancellation
        return true, mul(front, t_series(add(a, HALF), y)), front, y
    end
    return false, mul(div(front, freedom), fraction(x, a, HALF)), front, y
end

"The t distribution function P(T <= t), to full relative accuracy in the lower tail."
function t_cdf(t, freedom)
    t[1] == 0.0 && return HALF
    below = t[1] < 0.0
    central, reached, _, _ = t_area(below ? neg(t) : t, freedom, inverse_beta(scaled(freedom, -1.0)))
    central && return add(HALF, below ? neg(reached) : reached)
    return below ? reached : sub(ONE, reached)
end

"The t with P(T > t) = tail < 1/2: Halley steps, mostly a single one, from nine digits in doubles."
function t_quantile(tail, freedom)
    a, centre = scaled(freedom, -1.0), sub(HALF, tail)
    inverse = inverse_beta(a)
    start = t_start(2.0 * value(tail), 2.0 * value(centre), value(a), -Base.log(value(inverse)))
    start > 0.0 || return t_by_beta(scaled(tail, 1.0), freedom)
    t = ext(start)
    for _ in 1:100
        central, reached, front, y = t_area(t, freedom, inverse)
        h = div(central ? sub(reached, centre) : sub(tail, reached), front)
        t = sub(t, div(mul(t, h), add(ONE, mul(mul(add(a, HALF), y), h))))
        abs(value(h)) <= 1e-9 && break  # a step cubes the relative error
    end
    return t
end

"The t with P(|T| > t) = both and P(|T| < t) = inside, to about nine digits; NaN where doubles fail."
function t_start(both, inside, a, log_B)
    both > 0.0 && inside > 0.0 || return NaN
    both <= 0.5 && return sqrt(2.0 * a * expm1(-log_quantile_in_doubles(a, 0.5, log_B, Base.log(both), false)))
    return sqrt(2.0 * a / expm1(-log_quantile_in_doubles(0.5, a, log_B, Base.log(inside), false)))
end

"The t with P(|T| > t) = both through the beta quantile, which has a bracket."
function t_by_beta(both, freedom)
    a = scaled(freedom, -1.0)
    if value(both) <= 0.5
        x = beta_low(both, a, HALF)
        y = sub(ONE, x)
    else
        y = beta_low(sub(ONE, both), HALF, a)
        x = sub(ONE, y)
    end
    return root(div(mul(freedom, y), x))
end
