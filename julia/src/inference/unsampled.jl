# Bounds on a difference that account for kinds of question which the sample lacks.
# The formulas: spec/families/looks.md, "Variance at the margin" and "Results".

module Unsampled

using ..DegreesOfFreedom: smaller
using ..Differences: Difference, quantile, unit_of, with
using ..Distributions: beta_cdf, beta_high, t_cdf
using ..DoubleDouble: ONE, Triple, ZERO, sort_key, value
using ..Variance: larger

const HALF = Triple(0.5)
const EIGHTHS = 8  # steps in which hidden questions and sampling variation share a distance
# More independent trials count as so many: an exact tail of n takes about sqrt(n) steps.
const MOST_UNITS = Triple(2.0^32)
const MAX_STEPS, PRECISION = 100, 2.0^-96  # of zero_between()

"The absolute value of D + margin."
function distance_from_margin(d, margin)
    x = d.D + margin
    return x.hi >= 0.0 ? x : -x
end

"The share of questions that the sample may lack: the margin, or if larger min(|D + margin|, 1/2)."
unsampled_share(d, margin) = larger(margin, smaller(distance_from_margin(d, margin), HALF))

"The difference, and its parts, with `unit` as if the largest clusters of unsampled_share() failed together."
function with_largest_units(d, margin)
    share = unsampled_share(d, margin)
    parts = Tuple{Triple,Difference}[(w, with(x; unit = unit_of(x, share / w))) for (w, x) in d.parts]
    return with(d; unit = unit_of(d, share), parts = parts)
end

"The standard error at D = -margin if questions that always fail or always succeed were not sampled."
function unsampled_error(d, margin)
    share = unsampled_share(d, margin)
    return sqrt(share * (ONE - share) * d.unit)
end

"The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."
independent_trials(d) = smaller(ONE / d.unit, MOST_UNITS)

"The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."
function reach_of_unsampled(d, tail, side)
    n0 = independent_trials(d)
    if side > 0.0 || d.D.hi >= 0.0
        x = (ONE - side * d.D) * beta_high(tail, ONE, n0)
    else
        failures = -(d.D * n0)
        successes = n0 - failures
        x = d.D + (successes.hi > 0.0 ? beta_high(tail, failures + ONE, successes) : ONE)
    end
    return isempty(d.parts) ? x : larger(x, reach_of_suite(d, tail, sizes_of_parts(d, -side)))
end

"""
Probability that n0 questions show no more of a true difference of -margin than was observed: an exact p-value.

The questions that the sample lacks differ by 1 in the direction of -margin, all others by the D that was observed; if D
is between -margin and 0, a share -D of the sample fails entirely (Clopper and Pearson). Over a suite it is at least
p_value_of_suite().
"""
function p_value_of_unsampled(d, margin)
    n0, distance, size = independent_trials(d), d.D + margin, distance_from_margin(d, margin)
    if distance.hi > 0.0 > d.D.hi
        failures = -(d.D * n0)
        p = beta_cdf(ONE - margin, margin, n0 - failures, failures + ONE)
    else
        if distance.hi < 0.0  # distances of -margin and of D from 1
            margin_to_end, D_to_end = ONE + margin, ONE - d.D
        else  # from -1
            margin_to_end, D_to_end = ONE - margin, ONE + d.D
        end
        p = beta_cdf(margin_to_end / D_to_end, size / D_to_end, n0, ONE)
    end
    return isempty(d.parts) ? p : larger(p, p_value_of_suite(d, size, sizes_of_parts(d, distance.hi)))
end

"""
Sizes (U/a, U, a) of the benchmarks whose hidden (not sampled) questions can lower D (side > 0) or raise it, by U/a.

U is the number of independent trials, a the change of D if the benchmark is hidden entirely.
"""
function sizes_of_parts(d, side)
    out = Tuple{Triple,Triple,Triple}[]
    for (w, x) in d.parts
        a = w * (side > 0.0 ? ONE + x.D : ONE - x.D)
        if a.hi > 0.0
            U = ONE / x.unit
            push!(out, (U / a, U, a))
        end
    end
    return sort!(out, by = size -> sort_key(first(size)))
end

"""
Largest probability that D is this far from its true value: some questions are hidden, the others vary.

Hidden questions move D by j eighths of the distance with a probability of at most H, the largest product of (1 - h)^U
over their shares h in the benchmarks; the rest of the distance is sampling variation, by the t distribution.
"""
function p_value_of_suite(d, distance, sizes)
    isempty(sizes) && return ZERO
    p = exp(log_of_hidden_shares(sizes, distance))
    for j in 1:EIGHTHS-1
        moved, rest = split(distance, j)
        H = exp(log_of_hidden_shares(sizes, moved))
        H > p || break
        p = larger(p, H * tail_of_variation(d, rest))
    end
    return p
end

"The distance at which p_value_of_suite() is the tail, or that of sampling variation alone (j = 0) if larger."
function reach_of_suite(d, tail, sizes)
    isempty(sizes) && return ZERO
    log_tail, hidden = log(tail), reach_of_hidden_shares(sizes, tail)
    variation = quantile(tail, d.freedom) * d.standard_error
    function log_ratio(distance, j)
        moved, rest = split(distance, j)
        return log_of_hidden_shares(sizes, moved) + log(tail_of_variation(d, rest)) - log_tail
    end
    reach = larger(variation, hidden)
    for j in 1:EIGHTHS-1
        most = smaller(hidden * (EIGHTHS / j), variation * (EIGHTHS / (EIGHTHS - j)))
        if most > reach && log_ratio(reach, j).hi > 0.0
            reach = zero_between(distance -> log_ratio(distance, j), reach, most)
        end
    end
    return reach
end

"j eighths of a distance, and the rest."
split(distance, j) = distance * (j / EIGHTHS), distance * (1.0 - j / EIGHTHS)

"Probability that D is at least this distance above its mean."
tail_of_variation(d, distance) = t_cdf(-(distance / d.standard_error), d.freedom)

"The zero of a decreasing function that is positive at low, negative at high: false position (Illinois variant)."
function zero_between(f, low, high)
    at_low, at_high, last, x = f(low), f(high), 0, low
    for _ in 1:MAX_STEPS
        at_low > at_high || break
        new = low + at_low * (high - low) / (at_low - at_high)
        abs(value(new - x)) <= PRECISION * value(new) && return new
        x, y = new, f(new)
        if y.hi > 0.0
            low, at_low, at_high, last = x, y, last > 0 ? at_high * HALF : at_high, 1
        else
            high, at_high, at_low, last = x, y, last < 0 ? at_low * HALF : at_low, -1
        end
    end
    return x
end

"""
Logarithm of the largest probability that samples of all benchmarks lack shares h which move D by the distance.

The probability is the product of (1 - h)^U, the sum of a h is the distance, and 1 - h = min(1, U / (a m)) with one m
for all.
"""
function log_of_hidden_shares(sizes, distance)
    logs, sum_U, sum_a, m = ZERO, ZERO, ZERO, ONE
    for (i, (ratio, U, a)) in enumerate(sizes)
        logs, sum_U, sum_a = logs + U * log(ratio), sum_U + U, sum_a + a
        rest = sum_a - distance
        rest.hi > 0.0 || continue
        m = sum_U / rest
        (i == length(sizes) || m <= sizes[i+1][1]) && break
    end
    return logs - sum_U * log(m)
end

"The distance at which the probability of log_of_hidden_shares() is the tail."
function reach_of_hidden_shares(sizes, tail)
    logs, sum_U, sum_a, m = -log(tail), ZERO, ZERO, ONE
    for (i, (ratio, U, a)) in enumerate(sizes)
        logs, sum_U, sum_a = logs + U * log(ratio), sum_U + U, sum_a + a
        m = exp(logs / sum_U)
        i == length(sizes) || m <= sizes[i+1][1] || continue
        break
    end
    return sum_a - sum_U / m
end

end
