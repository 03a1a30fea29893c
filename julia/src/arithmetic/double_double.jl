# Double-double arithmetic with every bit fixed: + - * / sqrt on doubles, in the written order.
#
# Products of thousands of factors neither overflow nor underflow, and one operation errs by less than 2^-101 of its
# result. References: Knuth 1969 (two_sum), Dekker 1971 (two_prod), Joldes, Muller & Popescu 2017 (products, quotients).

module DoubleDouble

Base.Experimental.@optlevel 2

"""
The number (hi + lo) * 2^(256 exponent): a double-double with an exponent of its own.

|hi| is in [2^-128, 2^128), or all three are zero; |lo| <= ulp(hi)/2.
"""
struct Triple
    hi::Float64
    lo::Float64
    exponent::Float64
end

const SPLIT = 134217729.0  # 2^27 + 1
const UP, DOWN = ldexp(1.0, 256), ldexp(1.0, -256)
const LARGE, SMALL = ldexp(1.0, 128), ldexp(1.0, -128)
const ZERO, HALF, ONE = Triple(0.0, 0.0, 0.0), Triple(0.5, 0.0, 0.0), Triple(1.0, 0.0, 0.0)
const LN2 = Triple(0.6931471805599453, 2.3190468138462996e-17, 0.0)
const INV_SQRT_2PI = Triple(0.3989422804014327, -2.49232720227773e-17, 0.0)
const HALF_LOG_2PI = Triple(0.9189385332046728, -3.8782941580672414e-17, 0.0)
const SQRT_HALF = 0.7071067811865476
const SHRINK, GROW = 1.0 - 2.0^-42, 1.0 + 2.0^-42  # factors of the low part in nearest()

# --- the four operations and the square root -----------------------------------------------------

@inline function two_sum(a, b)  # a + b as a double, and its exact rounding error
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)
end

@inline function fast_two_sum(a, b)  # two_sum for |a| >= |b|
    s = a + b
    return s, b - (s - a)
end

@inline function two_prod(a, b)  # a * b as a double, and its exact rounding error
    p = a * b
    t = SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl
end

"Bring (h + l) * 2^(256 e) back into the range of a triple."
@inline function norm(h, l, e)
    h == 0.0 && return ZERO
    SMALL <= abs(h) < LARGE && return Triple(h, l, e)
    return rescaled(h, l, e)
end

"Scale (h + l) * 2^(256 e) by powers of 2^256 until h is in range; h is not 0."
@noinline function rescaled(h, l, e)
    while abs(h) >= LARGE
        h, l, e = h * DOWN, l * DOWN, e + 1.0
    end
    while abs(h) < SMALL
        h, l, e = h * UP, l * UP, e - 1.0
    end
    return Triple(h, l, e)
end

"The triple of a finite double, or of an integer up to 2^53."
@inline Triple(a::Float64) = norm(a, 0.0, 0.0)
@inline Triple(i::Integer) = Triple(Float64(i), 0.0, 0.0)

@inline Base.:-(x::Triple) = Triple(-x.hi, -x.lo, x.exponent)

@inline function add(x::Triple, y::Triple)
    x.hi == 0.0 && return y
    y.hi == 0.0 && return x
    x.exponent == y.exponent && return add_pair(x, y.hi, y.lo)
    x.exponent - y.exponent > 1.0 && return x  # |y| < 2^-256 |x|
    y.exponent - x.exponent > 1.0 && return y
    x.exponent > y.exponent && return add_lower(x.hi, x.lo, x.exponent, y.hi, y.lo)
    return add_lower(y.hi, y.lo, y.exponent, x.hi, x.lo)
end

"add() if the second exponent is lower by one."
@noinline add_lower(a, b, e, h, l) = add_pair(Triple(a, b, e), h * DOWN, l * DOWN)

"The sum x + (h + l) * 2^(256 e), e the exponent of x."
@inline add_pair(x, h, l) = norm(pair_sum(x.hi, x.lo, h, l)..., x.exponent)

"The sum (a + b) + (h + l) as a double-double."
@inline function pair_sum(a, b, h, l)
    s, t = two_sum(a, h)
    u, v = two_sum(b, l)
    s, t = fast_two_sum(s, t + u)
    return fast_two_sum(s, t + v)
end

@inline subtract(x::Triple, y::Triple) = add(x, -y)

@inline multiply(x::Triple, y::Triple) =
    norm(pair_product(x.hi, x.lo, y.hi, y.lo)..., x.exponent + y.exponent)

"The product (a + b) * (h + l) as a double-double."
@inline function pair_product(a, b, h, l)
    p, q = two_prod(a, h)
    return fast_two_sum(p, q + (a * l + b * h))
end

@inline divide(x::Triple, y::Triple) =
    norm(pair_quotient(x.hi, x.lo, y.hi, y.lo)..., x.exponent - y.exponent)

"The quotient (a + b) / (h + l) as a double-double."
@inline function pair_quotient(a, b, h, l)
    q = a / h
    p, r = two_prod(q, h)
    return fast_two_sum(q, (((a - p) - r) + (b - q * l)) / h)
end

for (operator, operation) in ((:+, :add), (:-, :subtract), (:*, :multiply), (:/, :divide))
    @eval begin
        @noinline Base.$operator(x::Triple, y::Triple) = $operation(x, y)
        @inline Base.$operator(x::Triple, y::Union{Float64,Integer}) = $operator(x, Triple(y))
        @inline Base.$operator(x::Union{Float64,Integer}, y::Triple) = $operator(Triple(x), y)
        @inline $operation(x::Triple, y::Union{Float64,Integer}) = $operation(x, Triple(y))
        @inline $operation(x::Union{Float64,Integer}, y::Triple) = $operation(Triple(x), y)
        @inline $operation(x, y) = $operator(x, y)
    end
end

const INLINED = Dict(:+ => :add, :- => :subtract, :* => :multiply, :/ => :divide)
const UPDATES = Dict(Symbol(operator, "=") => operator for operator in keys(INLINED))

"The code of x with the operators + - * / of two or more operands, and += -= *= /=, replaced by inlined operations."
inlined(x) = x
function inlined(x::Expr)
    if haskey(UPDATES, x.head)  # x += y
        return Expr(:(=), x.args[1], inlined(Expr(:call, UPDATES[x.head], x.args...)))
    end
    args = map(inlined, x.args)
    Meta.isexpr(x, :call) && length(args) > 2 && haskey(INLINED, args[1]) || return Expr(x.head, args...)
    operation = GlobalRef(DoubleDouble, INLINED[args[1]])
    return foldl((a, b) -> Expr(:call, operation, a, b), args[2:end])
end

"Compile the operations on triples of a function into it, not as calls: faster, but it takes longer to compile."
macro inlined(definition)
    return esc(inlined(definition))
end

"Sort key of triples, where any fixed order will do."
sort_key(x) = (x.exponent, x.hi, x.lo)

Base.:(==)(x::Triple, y::Triple) = x.hi == y.hi && x.lo == y.lo && x.exponent == y.exponent
Base.:<(x::Triple, y::Triple) = (x - y).hi < 0.0
Base.:<=(x::Triple, y::Triple) = (x - y).hi <= 0.0

"""
The sum P + (1 - P) a / t for 0 <= P <= 1, with the same bits as the separate operations, but faster.

Where P, a and t have exponent 0, 1 - P needs no exponent of its own, even if it is small: scaling by powers of 2 is
exact, and add() ignores terms below 2^-384 beside P.
"""
@inline function rise(P, a, t)
    P.hi != 0.0 && P.exponent == a.exponent == t.exponent == 0.0 || return rise_in_steps(P, a, t)
    h, l = pair_product(pair_sum(1.0, 0.0, -P.hi, -P.lo)..., a.hi, a.lo)
    h, l = pair_quotient(h, l, t.hi, t.lo)
    abs(h) < SMALL * DOWN && return P
    return norm(pair_sum(P.hi, P.lo, h, l)..., 0.0)
end

"The sum P + (1 - P) a for 0 <= P <= 1, which is rise(P, a, 1)."
@inline function rise(P, a)
    P.hi != 0.0 && P.exponent == a.exponent == 0.0 || return rise_in_steps(P, a, ONE)
    h, l = pair_product(pair_sum(1.0, 0.0, -P.hi, -P.lo)..., a.hi, a.lo)
    abs(h) < SMALL * DOWN && return P
    return norm(pair_sum(P.hi, P.lo, h, l)..., 0.0)
end

"The sum P + (1 - P) a / t by the separate operations."
@noinline rise_in_steps(P, a, t) = @inlined P + (ONE - P) * a / t

"The square root of x; 0 for x <= 0."
function Base.sqrt(x::Triple)
    x.hi <= 0.0 && return ZERO
    half = floor(0.5 * x.exponent)
    r = sqrt(x.hi)
    p, q = two_prod(r, r)
    h, l = fast_two_sum(r, (((x.hi - p) - q) + x.lo) / (2.0 * r))
    if 2.0 * half != x.exponent
        h, l = h * LARGE, l * LARGE  # the root of the factor 2^256 that an odd exponent leaves
    end
    return norm(h, l, half)
end

"The quotient i / j of integers, 0 <= i, 0 < j, both below 2^53."
@inline function ratio(i, j)
    a, b = Float64(i), Float64(j)
    q = a / b
    p, r = two_prod(q, b)
    h, l = fast_two_sum(q, ((a - p) - r) / b)
    return Triple(h, l, 0.0)
end

"The exact product i * j of integers below 2^53."
@inline function product(i, j)
    p, r = two_prod(Float64(i), Float64(j))
    return Triple(p, r, 0.0)
end

"""
The double nearest to h + l. A sum within 2^-95 |h| of an exact tie is rounded as that tie, to even.

The probability that a sum is so close to a tie without being one is about 2^-42.
"""
@inline function nearest(h, l)
    a, b = h + l * SHRINK, h + l * GROW
    return a == b ? a : a + 0.5 * (b - a)
end

"The double nearest to x: correctly rounded, also among the subnormals; infinite if it overflows."
function value(x)
    h, l, e = x.hi, x.lo, x.exponent
    e == 0.0 && return nearest(h, l)
    if e > -4.0 || abs(h) >= 4.0  # at least 2^-1022: not subnormal
        h = nearest(h, l)
    end
    if e > 0.0
        for _ in 1:(e < 5.0 ? Int(e) : 5)
            h = h * UP
        end
        return h
    end
    if e > -4.0
        for _ in 1:Int(-e)
            h = h * DOWN
        end
        return h
    end
    e < -4.0 && return 0.0
    abs(h) >= 4.0 && return (((h * DOWN) * DOWN) * DOWN) * DOWN
    sign = h > 0.0 ? 1.0 : -1.0
    h, l = sign * h, sign * l
    base = h >= 2.0 ? 2.0 : 0.0
    s, t = two_sum(6.0, h - base)  # ulp(6) = 2^-50, the spacing of the subnormals times 2^1024
    s = (nearest(s, t + l) - 6.0) + base
    return sign * ((((s * DOWN) * DOWN) * DOWN) * DOWN)
end

# --- tables over states ---------------------------------------------------------------------------

"The sum of table[i] * mult[i], i increasing; mult[i]: the number of questions in state i."
@inlined function weighted_sum(table, mult)
    total = ZERO
    for i in eachindex(mult)
        total += table[i] * mult[i]
    end
    return total
end

"The mean over M questions of a table with a triple for each state; mult[i] questions are in state i."
mean(table, mult, M) = weighted_sum(table, mult) / M

"The double x, clipped into [lo, hi]."
function clip(x, lo, hi)
    if x < lo
        x = lo
    end
    if x > hi
        x = hi
    end
    return x + 0.0  # no negative zero
end

"The doubles (mu, sigma, mu - z sigma, mu + z sigma), with both ends clipped into [lo, hi]."
function normal_interval(mu, var, z, lo, hi)
    sigma = sqrt(var)
    d = z * sigma
    low, high = clip(value(mu - d), lo, hi), clip(value(mu + d), lo, hi)
    return value(mu) + 0.0, value(sigma), low, high
end

# --- exp, log, powers -----------------------------------------------------------------------------

"The product x * 2^n for a double n that is an integer."
function times_2_to(x, n)
    e = floor(n / 256.0)
    f = ldexp(1.0, Int(n - 256.0 * e))
    return norm(x.hi * f, x.lo * f, x.exponent + e)
end

"The exponential e^x: x = n ln2 + r, eleven Taylor terms at r/512, then s <- 2s + s^2 nine times."
@inlined function Base.exp(x::Triple)
    (x.exponent < 0.0 || x.hi == 0.0) && return ONE + x
    # 2^(256 * 1e6), or its inverse, stands for all results that are so far beyond the doubles
    (x.exponent > 0.0 || abs(x.hi) > 1e8) && return Triple(1.0, 0.0, x.hi > 0.0 ? 1e6 : -1e6)
    n = floor(x.hi / LN2.hi + 0.5)
    r = times_2_to(x - n * LN2, -9.0)
    s = ZERO
    for i in 11:-1:1
        s = r / i * (ONE + s)
    end
    for _ in 1:9
        s = (s + s) + s * s
    end
    return times_2_to(ONE + s, n)
end

"The pair (log m, n) of x = m 2^n > 0, sqrt(1/2) <= m < sqrt(2), in doubles: twelve terms of the atanh series."
@inline function log_and_exponent(x)
    m, n = frexp(x)
    if m < SQRT_HALF
        m, n = 2.0 * m, n - 1
    end
    t = (m - 1.0) / (m + 1.0)
    s = 0.0
    for i in 11:-1:0
        s = 1.0 / (2.0 * i + 1.0) + (t * t) * s
    end
    return (2.0 * t) * s, n
end

"The natural log of x > 0: y in doubles, then y + log(1 + d) with d = x exp(-y) - 1, by two terms: d - d^2/2."
@inlined function Base.log(x::Triple)
    y, n = log_and_exponent(x.hi)
    y = Triple(y)
    d = times_2_to(Triple(x.hi, x.lo, 0.0), -Float64(n)) * exp(-y) - ONE
    y += d - times_2_to(d * d, -1.0)
    return y + (Float64(n) + 256.0 * x.exponent) * LN2
end

"The power x^y for x >= 0, with 0^0 = 1; the caller refuses 0 to a negative power."
@inline function power(x, y)
    y.hi == 0.0 && return ONE
    x.hi == 0.0 && return ZERO
    y == Triple(0.5, 0.0, 0.0) && return sqrt(x)
    y == ONE && return x
    y == Triple(2.0, 0.0, 0.0) && return multiply(x, x)
    return any_power(x, y)
end

@noinline any_power(x, y) = exp(multiply(y, log(x)))

"""
Compile the rare paths of the operations, and the operations that are not inlined, before anything that calls them.

Julia 1.5 keeps no code of functions that are not inlined: any code compiled before them calls them with boxed numbers
for the rest of the process.
"""
function __init__()
    Base.invokelatest(rescaled, 1.0, 0.0, 0.0)
    Base.invokelatest(add_lower, 1.0, 0.0, 0.0, 1.0, 0.0)
    Base.invokelatest(rise_in_steps, ONE, ONE, ONE)
    for f in (+, -, *, /)
        Base.invokelatest(f, ONE, ONE)
    end
    return nothing
end

end

# --- exact fractions of integers of any size, and their rounding to double-doubles ------------------

module Rationals

using ..DoubleDouble: Triple, ZERO, norm

const Ratio = Tuple{BigInt,BigInt}  # numerator, positive denominator; not always in lowest terms

"The exact sum of fractions."
function total(terms)
    length(terms) == 1 && return Ratio(first(terms))
    if length(terms) > 64  # halves, as most of their integers are far shorter than the common denominator
        middle = length(terms) ÷ 2
        return total([total(terms[1:middle]), total(terms[middle+1:end])])
    end
    den, num = big(1), big(0)
    for (_, d) in terms
        den = lcm(den, d)
    end
    for (x, d) in terms
        num += x * (den ÷ d)
    end
    return num, den
end

"Integers W and a power of two D with w[j] = W[j] / D exactly."
function over_common_denominator(w)
    ratios, D = Ratio[integer_ratio(x) for x in w], big(1)
    for (_, d) in ratios
        D = max(D, d)
    end
    return BigInt[x * (D ÷ d) for (x, d) in ratios], D
end

"The numerator and denominator of a finite double, in lowest terms."
function integer_ratio(x)::Ratio
    x == 0.0 && return big(0), big(1)
    f, e = frexp(x)
    m, e = Int(ldexp(f, 53)), e - 53
    z = trailing_zeros(m)
    m, e = big(m >> z), e + z
    return e >= 0 ? (m << e, big(1)) : (m, big(1) << -e)
end

"The quotient num / den as a triple, from its first 160 bits; integers of any size, den > 0, maybe not reduced."
function from_ratio(num, den)::Triple
    num == 0 && return ZERO
    sign = num > 0 ? 1.0 : -1.0
    num = abs(num)
    shift = 160 - (ndigits(num, base = 2) - ndigits(den, base = 2))
    q = shift >= 0 ? (num << shift) ÷ den : num ÷ (den << -shift)
    if ndigits(q, base = 2) > 160  # 160 bits of the quotient in either case
        q, shift = q >> 1, shift - 1
    end
    h = Float64(q)  # to nearest, ties to even
    l = Float64(q - BigInt(h))
    e, remainder = fldmod(-shift, 256)
    return norm(sign * ldexp(h, remainder - 256), sign * ldexp(l, remainder - 256), Float64(e + 1))
end

from_ratio(x::Rational) = from_ratio(numerator(x), denominator(x))
from_ratio(x::Ratio) = from_ratio(x...)

"The exact value of a finite double, or of a triple."
fraction(x::Float64) = Rational{BigInt}(integer_ratio(x)...)
fraction(x::Triple) = (fraction(x.hi) + fraction(x.lo)) * Rational{BigInt}(2)^(256 * Int(x.exponent))

end
