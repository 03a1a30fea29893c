# Quantiles of the normal and the beta distribution, in the arithmetic of numerics.

module Quantiles

using ..Numerics: HALF_LOG_2PI, INV_SQRT_2PI, ONE, Triple, ZERO, add, div, exp, ext, log, mul, neg, scaled, sub, value

# B_2i / (2i (2i-1)) as fractions of exact doubles: the Stirling series of log gamma
const STIRLING = (
    (1.0, 12.0), (-1.0, 360.0), (1.0, 1260.0), (-1.0, 1680.0), (1.0, 1188.0),
    (-691.0, 360360.0), (1.0, 156.0), (-3617.0, 122400.0), (43867.0, 244188.0),
    (-174611.0, 125400.0), (77683.0, 5796.0), (-236364091.0, 1506960.0), (657931.0, 300.0),
)

# --- normal ---------------------------------------------------------------------------------------

"The standard normal density at z."
density(z) = mul(INV_SQRT_2PI, exp(neg(scaled(mul(z, z), -1.0))))

"Phi(z) - 1/2 over the density: sum of z^(2n+1) / (2n+1)!!, n = 0, 1, ..."
function central(z)
    square = mul(z, z)
    term, total, n = z, z, 1.0
    while value(term) > 1e-34 * value(total)
        n += 2.0
        term = mul(term, div(square, ext(n)))
        total = add(total, term)
    end
    return total
end

"1 - Phi(z) over the density, z > 3: 1/(z + 1/(z + 2/(z + ...))), 120 levels (error < e^-90)."
function upper(z)
    total = z
    for n in 120:-1:1
        total = add(z, div(ext(n), total))
    end
    return div(ONE, total)
end

function find_normal_z(c)
    centre, tail = scaled(ext(c), -1.0), scaled(sub(ONE, ext(c)), -1.0)
    z = ZERO
    for _ in 1:100  # from 0 Halley's steps rise to z, and each triples the digits
        phi = density(z)
        if value(z) > 3.0
            h = sub(div(tail, phi), upper(z))
        else
            h = sub(central(z), div(centre, phi))
        end
        z = sub(z, div(h, add(ONE, scaled(mul(h, z), -1.0))))
        abs(value(h)) <= 1e-12 * value(z) && break
    end
    return z
end

const FOUND = Dict{Float64,Triple}()
const GUARD = ReentrantLock()

"z with P(|Z| <= z) = confidence, for any double in (0, 1), as a triple; the last few hundred are kept."
function normal_z(confidence)
    return lock(GUARD) do
        length(FOUND) < 256 || empty!(FOUND)
        get!(() -> find_normal_z(confidence), FOUND, confidence)
    end
end

# --- beta -----------------------------------------------------------------------------------------

"Log Gamma(x), x > 0: Stirling's series at x + n >= 40, less the log of the n factors."
function log_gamma(x)
    factors = ONE
    while value(x) < 40.0
        factors = mul(factors, x)
        x = add(x, ONE)
    end
    inverse = div(ONE, x)
    square = mul(inverse, inverse)
    s = ZERO
    for i in length(STIRLING):-1:1
        num, den = STIRLING[i]
        s = add(mul(s, square), div(ext(num), ext(den)))
    end
    s = add(mul(s, inverse), HALF_LOG_2PI)
    s = add(s, sub(mul(sub(x, ext(0.5)), log(x)), x))
    return sub(s, log(factors))
end

"The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."
function fraction(x, a, b)
    c, d, f, n = ONE, ZERO, ONE, 0.0
    while n < 1e6
        m = ext(n)
        am, amm = add(a, m), add(a, scaled(m, 1.0))
        odd = neg(div(mul(mul(am, add(am, b)), x), mul(amm, add(amm, ONE))))
        n += 1.0
        m = ext(n)
        amm = add(a, scaled(m, 1.0))
        even = div(mul(mul(m, sub(b, m)), x), mul(sub(amm, ONE), amm))
        before = f
        for t in (odd, even)
            d = div(ONE, add(ONE, mul(t, d)))
            c = add(ONE, div(t, c))
            f = mul(f, mul(c, d))
        end
        abs(value(sub(div(f, before), ONE))) < 1e-31 && break
    end
    return div(ONE, f)
end

"x with I_x(a, b) = p for p <= 1/2, by Newton's steps on log I over log x, kept inside a bracket."
function beta_low(p, a, b)
    log_beta = sub(add(log_gamma(a), log_gamma(b)), log_gamma(add(a, b)))
    log_p = log(p)
    turn = div(add(a, ONE), add(add(a, b), ext(2.0)))
    low, high = ext(-1e6), ZERO  # of log x
    u = log(div(a, add(a, b)))  # start at the mean
    for _ in 1:500
        x = exp(u)
        y = sub(ONE, x)
        front = exp(sub(add(mul(a, u), mul(b, log(y))), log_beta))  # x y times the density
        if value(sub(x, turn)) <= 0.0
            area = mul(div(front, a), fraction(x, a, b))
        else
            area = sub(ONE, mul(div(front, b), fraction(y, b, a)))
        end
        miss = sub(log(area), log_p)
        if miss[1] < 0.0
            low = u
        else
            high = u
        end
        step = mul(miss, div(mul(area, y), front))
        new = sub(u, step)
        if value(sub(new, low)) <= 0.0 || value(sub(high, new)) <= 0.0
            new = scaled(add(low, high), -1.0)
        end
        abs(value(step)) <= 1e-13 && return exp(sub(u, step))  # the next error is its square
        u = new
    end
    return exp(u)
end

end
