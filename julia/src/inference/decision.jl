# What a difference decides at a one-sided level: an interval, and whether it is above or below a margin.

module Decision

using ..Scorio: ends
using ..DegreesOfFreedom: smaller
using ..Differences: beyond, quantile, turned
using ..Distributions: beta_cdf, beta_high, normal_cdf, normal_quantile
using ..DoubleDouble: DoubleDouble, ONE, ZERO, ext, neg, root, value
using ..DoubleDouble.Called: add, div, mul, sub
using ..Sequential: crossing
using ..Variance: larger

const HALF = ext(0.5)

"The one-sided level of the last of several looks."
at_look(fractions, alpha, spending) = normal_cdf(neg(ext(last(crossing(fractions, alpha, spending).z))))

"A distance in units of w as one of the scores 0..1."
on_unit(x, w) = div(ext(x), span_of(w))

"From the lowest score to the highest."
function span_of(w)
    low, high = ends(w)
    return sub(ext(high), ext(low))
end

"""
(mu, sigma, lo, hi) in units of w at this one-sided level, the ends within the largest differences.

With a margin (on the scale 0..1) the ends are those that it is judged by.
"""
function on_scale(d, tail, w, margin = nothing)
    reach = mul(quantile(tail, d.freedom), d.deviation)
    has_margin = margin !== nothing && d.deviation[1] != 0.0
    if has_margin
        reach = larger(reach, mul(normal_quantile(sub(ext(0.5), tail), tail), error_at_margin(d, margin)))
    end
    low = sub(d.D, reach)
    if has_margin
        gain, a, b = as_failures(d)
        low = smaller(low, sub(gain, a[1] > 0.0 ? beta_high(tail, b, a) : ONE))  # Clopper and Pearson's limit
    end
    unit = span_of(w)
    most = value(unit)
    scaled(x) = value(mul(unit, x))
    lo = DoubleDouble.clip(scaled(low), -most, most)
    hi = DoubleDouble.clip(scaled(add(d.D, reach)), -most, most)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(d.deviation), lo = lo, hi = hi)
end

"""
The standard error of D if D is -margin, and the questions that tell it are not among these.

Either a share of questions that always fail or always succeed was not drawn at all: it is as large as the margin, and
as the distance of D from -margin, at most 1/2. Or too few were drawn of a kind that is here: if D moves by x, its
variance moves by x times its third moment over its variance (exponential tilting), at most by x / n0.
"""
function error_at_margin(d, margin)
    room = add(d.D, margin)
    skew = mul(neg(room), d.third)
    room = room[1] >= 0.0 ? room : neg(room)
    share = larger(margin, sub(room, HALF)[1] > 0.0 ? HALF : room)
    V, unseen = mul(d.deviation, d.deviation), mul(mul(share, sub(ONE, share)), d.unit)
    if skew[1] > 0.0
        unseen = larger(unseen, add(V, smaller(div(skew, V), mul(room, d.unit))))
    end
    return root(unseen)
end

"Gain max(D, 0); and successes and failures + 1 of as many independent trials as D rests on, if failures are D."
function as_failures(d)
    gain, trials = d.D[1] > 0.0 ? d.D : ZERO, div(ONE, d.unit)
    failures = mul(sub(gain, d.D), trials)
    return gain, sub(trials, failures), add(failures, ONE)
end

"Probability of no more failures than D amounts to, if each trial fails as often as the margin and the gain."
function few_failures(d, margin)
    gain, a, b = as_failures(d)
    share = add(margin, gain)
    rest = sub(ONE, share)
    return rest[1] > 0.0 ? beta_cdf(rest, share, a, b) : ZERO
end

"""
The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

Those of the normal distribution with the standard error at the margin take their place if they are nearer to 1/2, and
the exact one of single failures that of the first if it is larger.
"""
function judged(d, margin, tail)
    worse, better, room = beyond(d, neg(margin)), beyond(turned(d), margin), add(d.D, margin)
    if d.deviation[1] != 0.0
        x = div(room, error_at_margin(d, margin))
        p = normal_cdf(neg(x))
        if (sub(p, worse)[1] > 0.0) == (room[1] >= 0.0)
            worse, better = p, normal_cdf(x)
        end
        worse = room[1] > 0.0 ? larger(worse, few_failures(d, margin)) : worse
    end
    verdict = sub(tail, worse)[1] >= 0.0 ? "pass" : sub(tail, better)[1] >= 0.0 ? "fail" : "inconclusive"
    return verdict, worse, better
end

end
