# Bounds on a difference that account for kinds of question which the sample lacks.
# The formulas: spec/families/looks.md, "Variance at the margin" and "Results".

module Unsampled

using ..DegreesOfFreedom: smaller
using ..Differences: Difference, unit_of, with
using ..Distributions: beta_cdf, beta_high
using ..DoubleDouble: ONE, Triple, ZERO, exp, ext, log, neg, root
using ..DoubleDouble.NotInlined: add, div, mul, sub
using ..Variance: larger

const HALF = ext(0.5)

"The absolute value of D + margin."
function distance_from_margin(d, margin)
    x = add(d.D, margin)
    return x[1] >= 0.0 ? x : neg(x)
end

"The share of questions that the sample may lack: the margin, or the distance of D from -margin up to 1/2."
unsampled_share(d, margin) = larger(margin, smaller(distance_from_margin(d, margin), HALF))

"The difference with units, its own and its parts', of the largest clusters that make up unsampled_share()."
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

"The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."
function reach_of_unsampled(d, tail, side)
    n0 = div(ONE, d.unit)
    if side > 0.0 || d.D[1] >= 0.0
        x = mul(sub(ONE, mul(ext(side), d.D)), beta_high(tail, ONE, n0))
    else
        failures = neg(mul(d.D, n0))
        successes = sub(n0, failures)
        x = add(d.D, successes[1] > 0.0 ? beta_high(tail, add(failures, ONE), successes) : ONE)
    end
    return isempty(d.parts) ? x : larger(x, reach_of_hidden_shares(sizes_of_parts(d, -side), tail))
end

"""
Probability that a sample of n0 questions shows no more of a true difference of -margin: an exact p-value.

The questions that the sample lacks differ by 1 in the direction of -margin, all others by the D that was observed; if D
is between -margin and 0, a share -D of the sample fails entirely (Clopper and Pearson). Over a suite also the questions
of every benchmark may differ by the D that was observed in it.
"""
function p_value_of_unsampled(d, margin)
    n0, distance, size = div(ONE, d.unit), add(d.D, margin), distance_from_margin(d, margin)
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
    return isempty(d.parts) ? p : larger(p, hidden_shares(sizes_of_parts(d, distance[1]), size))
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
    return sort!(out, by = size -> (size[1][3], size[1][1], size[1][2]))
end

"""
The largest probability that samples of all benchmarks lack shares h which together move D by the distance.

That is the product of (1 - h)^U, the sum of a h is the distance, and 1 - h = min(1, U / (a m)) with one m for all.
"""
function hidden_shares(sizes, distance)
    logs, sum_U, sum_a = ZERO, ZERO, ZERO
    for (i, (ratio, U, a)) in enumerate(sizes)
        logs, sum_U, sum_a = add(logs, mul(U, log(ratio))), add(sum_U, U), add(sum_a, a)
        rest = sub(sum_a, distance)
        if rest[1] > 0.0
            m = div(sum_U, rest)
            i == length(sizes) || sub(m, sizes[i+1][1])[1] <= 0.0 || continue
            return exp(sub(logs, mul(sum_U, log(m))))
        end
    end
    return ZERO
end

"The distance at which hidden_shares() is the tail."
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
