# Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin.

module Decision

using ..Scorio: ends
using ..DegreesOfFreedom: smaller
using ..Differences: by_trials, half_width, lower_tail, quantile, reported, tail_at
using ..Distributions: beta_cdf, beta_high, normal_cdf
using ..DoubleDouble: HALF, ONE, Triple, ZERO, clip, times_2_to, value
using ..Sequential: crossing
using ..Variance: larger

# More independent trials count as so many: an exact tail of n takes about sqrt(n) steps.
const MOST_UNITS = Triple(2.0^32)

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

With a margin (on the scale 0..1) both limits also account for what the sample may lack, as the decision on D > -margin
does.
"""
function rescaled_interval(d, tail, w, margin = nothing)
    below = above = half_width(d, tail, margin === nothing ? ZERO : -margin)
    if margin !== nothing && d.standard_error.hi != 0.0
        below = larger(below, quantile(tail, d.freedom) * tilted_error(d, margin))
        below, above = larger(below, reach_of_unsampled(d, tail, -1.0)), larger(below, reach_of_unsampled(d, tail, 1.0))
    end
    unit = span_of(w)
    largest = value(unit)
    scaled(x) = value(unit * x)
    lo = clip(scaled(d.D - below), -largest, largest)
    hi = clip(scaled(d.D + above), -largest, largest)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(reported(d, tail)[1]), lo = lo, hi = hi)
end

# --- what the sample may lack --------------------------------------------------------------------------

"""
The standard error at D = -margin if too few failures were sampled.

If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting). The third
moment is an estimate: the variance is taken as large as the uncertainty of that moment allows.
"""
function tilted_error(d, margin)
    (by_trials(d) || d.guard.hi == 0.0) && return d.standard_error
    x, (third, sixth), V = d.D + margin, d.cubes()::NTuple{2,Triple}, d.standard_error * d.standard_error
    skew = (x.hi >= 0.0 ? x : -x) * sqrt(sixth) - x * third
    return skew.hi > 0.0 ? sqrt(V + skew / V) : d.standard_error
end

"The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."
independent_trials(d) = smaller(ONE / d.unit, MOST_UNITS)

"""
The largest share of questions like the sample if D is -margin, and 1 less it; the others differ by the guard.

Nothing if questions that differ by the guard cannot move D to -margin.
"""
function shares(d, margin)
    x = d.D + margin
    (d.guard.hi == 0.0 || x.hi > 0.0 && margin >= d.guard) && return nothing
    if x.hi > 0.0
        room = d.guard + d.D
        return (d.guard - margin) / room, x / room
    end
    room = d.guard - d.D
    return (d.guard + margin) / room, -x / room
end

"""
Probability that all independent trials show the observed D although it is -margin: an exact p-value.

For fixed questions and D between -margin and 0 a share -D of the trials fails entirely (Clopper and Pearson).
"""
function p_value_of_unsampled(d, margin)
    n0, of_sample = independent_trials(d), shares(d, margin)
    of_sample === nothing && return ZERO
    if by_trials(d) && d.D.hi < 0.0 < (d.D + margin).hi
        failures, lost = -(d.D / d.guard * n0), margin / d.guard
        return beta_cdf(ONE - lost, lost, n0 - failures, failures + ONE)
    end
    return beta_cdf(of_sample..., n0, ONE)
end

"The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."
function reach_of_unsampled(d, tail, side)
    n0, room = independent_trials(d), d.guard - side * d.D
    (d.guard.hi == 0.0 || room.hi <= 0.0) && return ZERO
    by_trials(d) && side < 0.0 && d.D.hi < 0.0 || return room * beta_high(tail, ONE, n0)
    failures = -(d.D / d.guard * n0)
    successes = n0 - failures
    return d.D + d.guard * (successes.hi > 0.0 ? beta_high(tail, failures + ONE, successes) : ONE)
end

"The number of independent trials at which reach_of_unsampled() is this share of D + margin; nothing: no bound."
function trials_of_unsampled(d, margin, tail, share)
    of_sample = shares(d, margin)
    of_sample === nothing && return nothing
    c = of_sample[2] * share
    value(c) < 2.0^-30 || return log(tail) / log(ONE - c)
    # the log of 1 - c, of which a rounded 1 - c leaves few digits or none
    half = times_2_to(c, -1.0)
    return log(tail) / -(c * (ONE + (half + c * (c / 3 + half * half))))
end

# --- decisions -----------------------------------------------------------------------------------------

"""
The p-values of D <= -margin and of D >= -margin.

The smaller one is that of tail_at() or of the t statistic with tilted_error(), the other one is 1 less it;
then p_value_of_unsampled() replaces the smaller one if it is larger. Both are 1/2 at D = -margin.
"""
function p_values_at_margin(d, margin)
    x = d.D + margin
    x.hi == 0.0 && return HALF, HALF
    small, varies = tail_at(d, -margin), d.standard_error.hi != 0.0
    varies && (small = larger(small, tilted_tail(d, margin)))
    large = ONE - small
    varies && (small = larger(small, p_value_of_unsampled(d, margin)))
    return x.hi > 0.0 ? (small, large) : (large, small)
end

tilted_tail(d, margin) = lower_tail(d.D + margin, tilted_error(d, margin), d.freedom)

"The verdict on D > -margin, and p_values_at_margin()."
function margin_decision(d, margin, tail)
    p_worse, p_better = p_values_at_margin(d, margin)
    verdict = tail >= p_worse ? "pass" : tail >= p_better ? "fail" : "inconclusive"
    return verdict, p_worse, p_better
end

"Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."
is_below_margin(d, margin, level) =
    (d.standard_error.hi == 0.0 || level > tilted_tail(d, margin)) && level > p_values_at_margin(d, margin)[2]

end
