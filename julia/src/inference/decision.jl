# What a difference decides at a one-sided level: an interval, and whether it is above or below a margin.

module Decision

using ..Scorio: ends
using ..Differences: beyond, quantile, turned
using ..Distributions: normal_cdf
using ..DoubleDouble: DoubleDouble, ext, neg, value
using ..DoubleDouble.Called: add, div, mul, sub
using ..Sequential: crossing

"The one-sided level of the last of several looks."
at_look(fractions, alpha, spending) = normal_cdf(neg(ext(last(crossing(fractions, alpha, spending).z))))

"A distance in units of w as one of the scores 0..1."
on_unit(x, w) = div(ext(x), span_of(w))

"From the lowest score to the highest."
function span_of(w)
    low, high = ends(w)
    return sub(ext(high), ext(low))
end

"(mu, sigma, lo, hi) in units of w at this one-sided level, the ends within the largest differences."
function on_scale(d, tail, w)
    reach = mul(quantile(tail, d.freedom), d.deviation)
    unit = span_of(w)
    most = value(unit)
    scaled(x) = value(mul(unit, x))
    lo = DoubleDouble.clip(scaled(sub(d.D, reach)), -most, most)
    hi = DoubleDouble.clip(scaled(add(d.D, reach)), -most, most)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(d.deviation), lo = lo, hi = hi)
end

"The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma)."
function judged(d, margin, tail)
    worse, better = beyond(d, neg(margin)), beyond(turned(d), margin)
    verdict = sub(tail, worse)[1] >= 0.0 ? "pass" : sub(tail, better)[1] >= 0.0 ? "fail" : "inconclusive"
    return verdict, worse, better
end

end
