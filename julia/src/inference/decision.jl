# Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin.

module Decision

using ..Scorio: ends
using ..DegreesOfFreedom: smaller
using ..Differences: p_value_at_margin, quantile, reversed_difference
using ..Distributions: normal_cdf, normal_quantile, t_cdf
using ..DoubleDouble: ONE, Triple, ZERO, clip, value
using ..Sequential: crossing
using ..ThirdMoments: uncertainty
using ..Unsampled: HALF, distance_from_margin, p_value_of_unsampled, reach_of_unsampled, unsampled_error
using ..Unsampled: with_largest_units
using ..Variance: larger

"The one-sided level of the last of several looks at these fractions of the information."
level_of_look(fractions, alpha, spending) = normal_cdf(-Triple(last(crossing(fractions, alpha, spending).z)))

"A distance in units of w, rescaled to scores 0..1."
to_unit_scale(x, w) = x / span_of(w)

"The highest score minus the lowest."
function span_of(w)
    low, high = ends(w)
    return Triple(high) - low
end

"""
(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, cut to possible differences.

With a margin (on the scale 0..1) both limits also account for questions that were not sampled, as the decision on D >
-margin does.
"""
function rescaled_interval(d, tail, w, margin = nothing)
    below = above = quantile(tail, d.freedom) * d.standard_error
    if margin !== nothing && d.standard_error.hi != 0.0
        d = with_largest_units(d, margin)
        below = larger(below, reach_at_margin(d, margin, tail))
        below, above = larger(below, reach_of_unsampled(d, tail, -1.0)), larger(below, reach_of_unsampled(d, tail, 1.0))
    end
    unit = span_of(w)
    largest = value(unit)
    scaled(x) = value(unit * x)
    lo = clip(scaled(d.D - below), -largest, largest)
    hi = clip(scaled(d.D + above), -largest, largest)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(d.standard_error), lo = lo, hi = hi)
end

"""
The standard error at D = -margin if too few failures were sampled or occurred, and its df; both 0 if not larger.

If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting), at most by
x / n0 times the range of differences. The third moment is an estimate: the variance is taken as large as the
uncertainty of that moment allows. The increase is not an estimate, so the degrees of freedom grow too.
"""
function tilted_error(d, margin)
    third, distance = d.third(), distance_from_margin(d, margin)
    skew = distance * uncertainty(third) - (d.D + margin) * third.moment
    skew.hi > 0.0 || return ZERO, ZERO
    V = d.standard_error * d.standard_error
    total = V + smaller(skew / V, third.range * distance * d.unit)
    growth = total / V
    return sqrt(total), d.freedom * (growth * growth)
end

"The largest standard error of D: by its variance, unsampled_error() or tilted_error()."
function largest_error(d, margin)
    d = with_largest_units(d, margin)
    return larger(larger(d.standard_error, unsampled_error(d, margin)), tilted_error(d, margin)[1])
end

"Half the width of the interval by unsampled_error() or by tilted_error(), each with its quantile: the larger."
function reach_at_margin(d, margin, tail)
    x = normal_quantile(HALF - tail, tail) * unsampled_error(d, margin)
    error, freedom = tilted_error(d, margin)
    return error.hi == 0.0 ? x : larger(x, quantile(tail, freedom) * error)
end

"""
Distances of D from -margin, in its standard error and in those at the margin, each with its degrees of freedom.

Degrees of freedom of 0 stand for the normal distribution.
"""
function statistics_at_margin(d, margin)
    distance, (error, freedom) = distance_from_margin(d, margin), tilted_error(d, margin)
    statistics = Tuple{Triple,Triple}[(distance / d.standard_error, d.freedom)]
    error.hi == 0.0 || push!(statistics, (distance / error, freedom))
    return push!(statistics, (distance / unsampled_error(d, margin), ZERO))
end

"The cdf of the t distribution, or of the normal one for 0 degrees of freedom."
cdf(t, freedom) = freedom.hi == 0.0 ? normal_cdf(t) : t_cdf(t, freedom)

"""
The p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

They are those of the statistic at the margin whose p-values are nearest to 1/2; the exact p_value_of_unsampled()
replaces the smaller one if it is larger. Both are 1/2 at D = -margin, else 0 and 1 with a standard error of 0.
"""
function p_values_at_margin(d, margin)
    distance = d.D + margin
    if d.standard_error.hi == 0.0 || distance.hi == 0.0
        return p_value_at_margin(d, -margin), p_value_at_margin(reversed_difference(d), margin)
    end
    d, small, large = with_largest_units(d, margin), ZERO, ONE
    for (t, freedom) in statistics_at_margin(d, margin)
        p = cdf(-t, freedom)
        if p > small
            small, large = p, cdf(t, freedom)
        end
    end
    small = larger(small, p_value_of_unsampled(d, margin))
    return distance.hi > 0.0 ? (small, large) : (large, small)
end

"The verdict on D > -margin, and p_values_at_margin()."
function margin_decision(d, margin, tail)
    p_worse, p_better = p_values_at_margin(d, margin)
    verdict = tail >= p_worse ? "pass" : tail >= p_better ? "fail" : "inconclusive"
    return verdict, p_worse, p_better
end

"Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."
function is_below_margin(d, margin, level)
    d.standard_error.hi == 0.0 && return true
    d = with_largest_units(d, margin)
    below(p) = level > p
    return all(below(cdf(-t, freedom)) for (t, freedom) in statistics_at_margin(d, margin)) &&
           below(p_value_of_unsampled(d, margin))
end

end
