# Bounds on a difference that account for kinds of question which the sample lacks.
# The formulas: spec/families/looks.md, "Variance at the margin" and "Results".

module Unsampled

using ..DegreesOfFreedom: smaller
using ..Differences: Difference, quantile, unit_of, with
using ..Distributions: beta_cdf, beta_high, t_cdf
using ..DoubleDouble: ONE, Triple, ZERO, exp, ext, log, neg, root, value
using ..DoubleDouble.NotInlined: add, div, mul, sub
using ..Variance: larger

const HALF = ext(0.5)
const EIGHTHS = 8  # steps in which hidden questions and sampling variation share a distance
const MOST_UNITS = ext(2.0^32)  # more independent trials count as so many: an exact tail of n takes about sqrt(n) steps
const MAX_STEPS, PRECISION = 100, 2.0^-96  # of zero_between()

"The absolute value of D + margin."
function distance_from_margin(d, margin)
    x = add(d.D, margin)
    return x[1] >= 0.0 ? x : neg(x)
end

"The share of questions that the sample may lack: the margin, or if larger min(|D + margin|, 1/2)."
unsampled_share(d, margin) = larger(margin, smaller(distance_from_margin(d, margin), HALF))

"The difference, and its parts, with `unit` as if the largest clusters of unsampled_share() failed together."
function with_largest_units(d, margin)
    share = unsampled_share(d, margin)
    parts = Tuple{Triple,Difference}[(w, with(x; unit = unit_of(x, div(share, w)))) for (w, x) in d.parts]
    return with(d; unit = unit_of(d, share), parts = parts)
end

"The standard error at D = -margin if questions that always fail or always succeed were not sampled."
function unsampled_error(d, margin)
    share = unsampled_share(d, margin)
    return root(mul(mul(share, sub(ONE, share)), d.unit))
end

"The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."
independent_trials(d) = smaller(div(ONE, d.unit), MOST_UNITS)

"The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."
function reach_of_unsampled(d, tail, side)
    n0 = independent_trials(d)
    if side > 0.0 || d.D[1] >= 0.0
        x = mul(sub(ONE, mul(ext(side), d.D)), beta_high(tail, ONE, n0))
    else
        failures = neg(mul(d.D, n0))
        successes = sub(n0, failures)
        x = add(d.D, successes[1] > 0.0 ? beta_high(tail, add(failures, ONE), successes) : ONE)
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
    n0, distance, size = independent_trials(d), add(d.D, margin), distance_from_margin(d, margin)
    if distance[1] > 0.0 > d.D[1]
        failures = neg(mul(d.D, n0))
        p = beta_cdf(sub(ONE, margin), margin, sub(n0, failures), add(failures, ONE))
    else
        if distance[1] < 0.0  # distances of -margin and of D from 1
            margin_to_end, D_to_end = add(ONE, margin), sub(ONE, d.D)
        else  # from -1
            margin_to_end, D_to_end = sub(ONE, margin), add(ONE, d.D)
        end
        p = beta_cdf(div(margin_to_end, D_to_end), div(size, D_to_end), n0, ONE)
    end
    return isempty(d.parts) ? p : larger(p, p_value_of_suite(d, size, sizes_of_parts(d, distance[1])))
end

"""
Sizes (U/a, U, a) of the benchmarks whose hidden (not sampled) questions can lower D (side > 0) or raise it, by U/a.

U is the number of independent trials, a the change of D if the benchmark is hidden entirely.
"""
function sizes_of_parts(d, side)
    out = Tuple{Triple,Triple,Triple}[]
    for (w, x) in d.parts
        a = mul(w, side > 0.0 ? add(ONE, x.D) : sub(ONE, x.D))
        if a[1] > 0.0
            U = div(ONE, x.unit)
            push!(out, (div(U, a), U, a))
        end
    end
    # a triple is ordered by its exponent, then by its doubles
    return sort!(out, by = size -> (size[1][3], size[1][1], size[1][2]))
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
        sub(H, p)[1] > 0.0 || break
        p = larger(p, mul(H, tail_of_variation(d, rest)))
    end
    return p
end

"The distance at which p_value_of_suite() is the tail, or that of sampling variation alone (j = 0) if larger."
function reach_of_suite(d, tail, sizes)
    isempty(sizes) && return ZERO
    log_tail, hidden = log(tail), reach_of_hidden_shares(sizes, tail)
    variation = mul(quantile(tail, d.freedom), d.standard_error)
    function log_ratio(distance, j)
        moved, rest = split(distance, j)
        return sub(add(log_of_hidden_shares(sizes, moved), log(tail_of_variation(d, rest))), log_tail)
    end
    reach = larger(variation, hidden)
    for j in 1:EIGHTHS-1
        most = smaller(mul(hidden, ext(EIGHTHS / j)), mul(variation, ext(EIGHTHS / (EIGHTHS - j))))
        if sub(most, reach)[1] > 0.0 && log_ratio(reach, j)[1] > 0.0
            reach = zero_between(distance -> log_ratio(distance, j), reach, most)
        end
    end
    return reach
end

"j eighths of a distance, and the rest."
split(distance, j) = mul(distance, ext(j / EIGHTHS)), mul(distance, ext(1.0 - j / EIGHTHS))

"Probability that D is at least this distance above its mean."
tail_of_variation(d, distance) = t_cdf(neg(div(distance, d.standard_error)), d.freedom)

"The zero of a decreasing function that is positive at low, negative at high: false position (Illinois variant)."
function zero_between(f, low, high)
    at_low, at_high, last, x = f(low), f(high), 0, low
    for _ in 1:MAX_STEPS
        sub(at_low, at_high)[1] > 0.0 || break
        new = add(low, div(mul(at_low, sub(high, low)), sub(at_low, at_high)))
        abs(value(sub(new, x))) <= PRECISION * value(new) && return new
        x, y = new, f(new)
        if y[1] > 0.0
            low, at_low, at_high, last = x, y, last > 0 ? mul(at_high, HALF) : at_high, 1
        else
            high, at_high, at_low, last = x, y, last < 0 ? mul(at_low, HALF) : at_low, -1
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
        logs, sum_U, sum_a = add(logs, mul(U, log(ratio))), add(sum_U, U), add(sum_a, a)
        rest = sub(sum_a, distance)
        rest[1] > 0.0 || continue
        m = div(sum_U, rest)
        (i == length(sizes) || sub(m, sizes[i+1][1])[1] <= 0.0) && break
    end
    return sub(logs, mul(sum_U, log(m)))
end

"The distance at which the probability of log_of_hidden_shares() is the tail."
function reach_of_hidden_shares(sizes, tail)
    logs, sum_U, sum_a, m = neg(log(tail)), ZERO, ZERO, ONE
    for (i, (ratio, U, a)) in enumerate(sizes)
        logs, sum_U, sum_a = add(logs, mul(U, log(ratio))), add(sum_U, U), add(sum_a, a)
        m = exp(div(logs, sum_U))
        i == length(sizes) || sub(m, sizes[i+1][1])[1] <= 0.0 || continue
        break
    end
    return sub(sum_a, div(sum_U, m))
end

end
