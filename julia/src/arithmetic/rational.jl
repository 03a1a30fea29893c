# Exact fractions of integers of any size, and their rounding to double-doubles.

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
