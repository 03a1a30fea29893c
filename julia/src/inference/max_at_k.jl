# Max@k, the best of k trials, from the number of trials of each question below each level of reward.

module MaxAtKs

using ..Scorio: Counts, distinct, distinct_rows, groups, states_of
using ..Hypergeometric: Hypergeometric
using ..UStatistics: Block, UStatistics, parts_of, parts_of_states
using ..Metrics: Metric, renamed
using ..Rationals: from_ratio, over_common_denominator
using ..Rewards: Levels, Rewards, Stretches
using ..Variance: Variance, Parts, larger
using ..DegreesOfFreedom: sum_of_squares
using ..DoubleDouble: ONE, Triple, ZERO
using ..Estimators: Estimators
using ..Means: Means

"Distinct rows (n, b_1, b_2, ...) of questions; and for each row the gaps between rewards, and b there."
struct Steps
    n::Vector{Int}  # the trials of each distinct row, increasing
    mult::Vector{Int}  # how many questions have the row
    which::Vector{Int}  # the distinct row of each question
    row::Vector{Int}  # the distinct row of each gap
    low::Vector{Int}  # the indices of the rewards at the ends of the gap
    high::Vector{Int}
    below::Vector{Int}  # the trials under the gap
end

"""
Estimator of Max@k: u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l.

The gaps between levels are shares of the range of rewards.
"""
mutable struct MaxAtK <: Block
    m::Metric
    counts::Counts
    levels::Union{Levels,Stretches}  # all rewards but the lowest are the levels; below: the trials under each
    steps::Steps
    parts::Parts
    u::Vector{Triple}
    v::Vector{Triple}
    squared::Union{Nothing,Triple}
end

function MaxAtK(m::Metric, counts::Counts, use_mixture::Bool)
    levels = Rewards.read(counts, m.w)
    steps, several = steps_of(counts, levels), length(levels.rewards) > 1
    size = length(steps.n)
    u, rest, v = fill(ZERO, size), fill(several ? ZERO : ONE, size), fill(ZERO, size)
    several && fill_tables!(u, rest, v, m, steps, levels.rewards)
    parts = parts_of(m, steps.n, steps.mult, u, rest, v, use_mixture)
    scale = Means.scale(m.w)
    parts.range = from_ratio(Means.largest_range(groups(counts), scale.U, scale.span))
    if parts.short && several
        parts.trials = bound(m, counts, levels, use_mixture)
    end
    return MaxAtK(m, counts, levels, steps, parts, u, v, nothing)
end

"The distinct rows of questions; of many rewards each question has a row of its own, with joined gaps."
function steps_of(counts, levels::Stretches)
    order = sortperm(counts.trials; alg = MergeSort)  # stable
    which = invperm(order)
    rows = which[levels.question]
    at = sortperm(rows; alg = MergeSort)
    return Steps(
        counts.trials[order], ones(Int, length(order)), which, rows[at], levels.low[at], levels.high[at],
        levels.below[at],
    )
end

function steps_of(counts, levels::Levels)
    rows, mult, which = distinct_rows(Vector{Int}[counts.trials, Rewards.each_below(levels)...])
    n, b = rows[1], rows[2:end]
    row, low, below = Int[], Int[], Int[]
    for i in eachindex(n), l in eachindex(b)
        push!(row, i)
        push!(low, l)
        push!(below, b[l][i])
    end
    return Steps(n, mult, which, row, low, low .+ 1, below)
end

"For each level, Pass@k of rewards at or above it: the metric, the states, their variance components, u and v."
function pass_at_k_of_levels(m, counts, levels, use_mixture)
    pass_at_k = renamed(m, "pass_at_k")
    return map(Rewards.each_below(levels)) do b
        s = states_of(counts.trials, counts.trials - b)
        return (pass_at_k, s, parts_of_states(pass_at_k, s, use_mixture)...)
    end
end

"Upper bound (sum_l gap_l sqrt(S_l))^2 of the sum of the variances over trials, S_l this sum for level l."
function bound(m, counts, levels, use_mixture)
    total = ZERO
    for (gap, (_, _, p, _, _)) in zip(shares(levels.rewards), pass_at_k_of_levels(m, counts, levels, use_mixture))
        total += gap * sqrt(p.trials)
    end
    return total * total
end

function Estimators.sum_of_squared_variances(x::MaxAtK)
    p, largest = x.parts, ZERO
    p.short || return sum_of_squares(x.v, x.steps.mult)
    # the sum of the variances is a bound: from the level at which their squares are largest
    for (metric, s, q, u, v) in pass_at_k_of_levels(x.m, x.counts, x.levels, p.use_mixture)
        q.trials.hi > 0.0 || continue
        largest = larger(largest, UStatistics.squared_variances(metric, s, q, u, v) / (q.trials * q.trials))
    end
    return largest * (p.trials * p.trials)
end

"The gaps between rewards as shares of their range."
function shares(rewards)
    gaps = Rewards.gaps(rewards)
    isempty(gaps) && return gaps
    full, = Rewards.gaps([rewards[1], rewards[end]])
    return Triple[gap / full for gap in gaps]
end

"Fill u, 1 - u and, where every question has 2k trials or more, the trial-to-trial variance of each row."
function fill_tables!(u, rest, v, m, x, rewards)
    s, at = distinct(x.n[x.row], x.below)
    UStatistics.check_work(m, s, false)
    P, Z, D = fill(ZERO, length(s.n)), fill(ZERO, length(s.n)), fill(ZERO, length(s.n))  # see Variance.fill_rows!
    Hypergeometric.pass_at_k!(P, s.n, s.n - s.c, m.k)
    if x.n[1] >= 2 * m.k
        Hypergeometric.fill_two_samples!(Z, D, s.n, s.c, m.k)
    else
        Hypergeometric.pass_hat_k!(Z, s.n, s.c, m.k)
    end
    Variance.fill_rows!(u, rest, v, x.row, at, x.low, x.high, rewards, P, Z, D)
end

UStatistics.which(x::MaxAtK) = x.steps.which

"Max@k in units of w."
Estimators.mu(x::MaxAtK) = Rewards.max_at_k(x.counts, x.levels, x.m.k)

"Max@k as an exact fraction, from the trials below each level; needs two different rewards."
function Estimators.exact(x::MaxAtK)
    W, unit = over_common_denominator(x.levels.rewards)
    num, den = Rewards.exact_max_at_k(x.counts, x.levels, x.m.k, W)
    return num // (den * unit)
end

"The difference of two models' Max@k from exact fractions."
function UStatistics.exact_difference(x::MaxAtK, y::MaxAtK)
    W, _ = over_common_denominator(x.levels.rewards)
    (p, d), (q, e) = (Rewards.exact_max_at_k(z.counts, z.levels, z.m.k, W) for z in (x, y))
    return from_ratio(p * e - q * d, d * e * (W[end] - W[1]))
end

"For each distinct row: n, how many questions have it, and its (gap, b) from the lowest reward up."
function exact_steps(x::MaxAtK)
    W, _ = over_common_denominator(x.levels.rewards)
    s, span = x.steps, max(W[end] - W[1], big(1))
    by_row = [Tuple{Rational{BigInt},Int}[] for _ in s.n]
    for t in eachindex(s.row)
        push!(by_row[s.row[t]], ((W[s.high[t]] - W[s.low[t]]) // span, s.below[t]))
    end
    return zip(s.n, s.mult, by_row)
end

end
