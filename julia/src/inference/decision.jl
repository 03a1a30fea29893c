# Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin.

module Decision

using ..Scorio: ends
using ..DegreesOfFreedom: smaller
using ..Differences: p_value_at_margin, quantile, reversed_difference
using ..Distributions: beta_cdf, beta_high, normal_cdf, normal_quantile
using ..DoubleDouble: DoubleDouble, ONE, ZERO, ext, neg, root, value
using ..DoubleDouble.NotInlined: add, div, mul, sub
using ..Sequential: crossing
using ..Variance: larger

const HALF = ext(0.5)

"The one-sided level of the last of several looks."
level_of_look(fractions, alpha, spending) = normal_cdf(neg(ext(last(crossing(fractions, alpha, spending).z))))

"A distance in units of w, rescaled to scores 0..1."
to_unit_scale(x, w) = div(ext(x), span_of(w))

"The highest score minus the lowest."
function span_of(w)
    low, high = ends(w)
    return sub(ext(high), ext(low))
end

"""
(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, within the possible differences.

With a margin (on the scale 0..1) both limits also account for questions that were not sampled, and lo also for Clopper
and Pearson's limit, as the decision on D > -margin does.
"""
function rescaled_interval(d, tail, w, margin = nothing)
    reach = mul(quantile(tail, d.freedom), d.standard_error)
    has_margin = margin !== nothing && d.standard_error[1] != 0.0
    if has_margin
        reach = larger(reach, mul(normal_quantile(sub(ext(0.5), tail), tail), error_at_margin(d, margin)))
    end
    low = sub(d.D, reach)
    if has_margin
        gain, a, b = gain_and_failures(d)
        low = smaller(low, sub(gain, a[1] > 0.0 ? beta_high(tail, b, a) : ONE))  # Clopper and Pearson's limit
    end
    unit = span_of(w)
    largest = value(unit)
    scaled(x) = value(mul(unit, x))
    lo = DoubleDouble.clip(scaled(low), -largest, largest)
    hi = DoubleDouble.clip(scaled(add(d.D, reach)), -largest, largest)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(d.standard_error), lo = lo, hi = hi)
end

"""
The standard error of D if the true difference is -margin and the questions that show this were not sampled.

Either questions that always fail or always succeed were not sampled at all: their share is the margin or, if that is
larger, the distance of D from -margin, up to 1/2. Or too few of a kind were sampled: if D moves by x, its variance
moves by x times its third moment over its variance (exponential tilting), at most by x / n0.
"""
function error_at_margin(d, margin)
    distance = add(d.D, margin)
    skew = mul(neg(distance), d.third)
    distance = distance[1] >= 0.0 ? distance : neg(distance)
    share = larger(margin, sub(distance, HALF)[1] > 0.0 ? HALF : distance)
    V, unseen = mul(d.standard_error, d.standard_error), mul(mul(share, sub(ONE, share)), d.unit)
    if skew[1] > 0.0
        unseen = larger(unseen, add(V, smaller(div(skew, V), mul(distance, d.unit))))
    end
    return root(unseen)
end

"Gain max(D, 0); successes, and failures + 1, of 1/unit independent trials with the failure rate gain - D."
function gain_and_failures(d)
    gain, trials = d.D[1] > 0.0 ? d.D : ZERO, div(ONE, d.unit)
    failures = mul(sub(gain, d.D), trials)
    return gain, sub(trials, failures), add(failures, ONE)
end

"Probability of at most the failures of gain_and_failures() in trials that fail with probability margin + gain."
function p_value_of_failures(d, margin)
    gain, a, b = gain_and_failures(d)
    share = add(margin, gain)
    rest = sub(ONE, share)
    return rest[1] > 0.0 ? beta_cdf(rest, share, a, b) : ZERO
end

"""
The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

The p-values of the normal distribution with the standard error at the margin replace these if nearer to 1/2, and,
if D is above -margin, the exact p_value_of_failures() replaces the first if it is larger. With a standard error of 0
neither replaces them.
"""
function margin_decision(d, margin, tail)
    p_worse, p_better = p_value_at_margin(d, neg(margin)), p_value_at_margin(reversed_difference(d), margin)
    distance = add(d.D, margin)
    if d.standard_error[1] != 0.0
        x = div(distance, error_at_margin(d, margin))
        p = normal_cdf(neg(x))
        if (sub(p, p_worse)[1] > 0.0) == (distance[1] >= 0.0)
            p_worse, p_better = p, normal_cdf(x)
        end
        p_worse = distance[1] > 0.0 ? larger(p_worse, p_value_of_failures(d, margin)) : p_worse
    end
    verdict = sub(tail, p_worse)[1] >= 0.0 ? "pass" : sub(tail, p_better)[1] >= 0.0 ? "fail" : "inconclusive"
    return verdict, p_worse, p_better
end

end
