# Max@k, the best of k trials, from the number of trials of each question below each level of reward.

module MaxAtKs

using ..Scorio: Counts, States, distinct, distinct_rows, states_of
using ..Hypergeometric: Hypergeometric
using ..UStatistics: Block, Errors, UStatistics, error_of_states, errors, parts_of, parts_of_states
using ..Metrics: Metric, renamed
using ..Rationals: from_ratio, over_common_denominator
using ..Rewards: Rewards
using ..Variance: Variance, Parts, larger
using ..DoubleDouble: ONE, Triple, ZERO, add, div, mul, root
using ..Estimators: Estimators, Mean
using ..ThirdMoments: ThirdMoment, bound_of_moment

"""
Estimator of Max@k: u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l.

The gaps between levels are shares of the range of rewards.
"""
mutable struct MaxAtK <: Block
    m::Metric
    counts::Counts
    rewards::Vector{Float64}  # distinct, increasing; all but the lowest are the levels
    below::Vector{Any}  # for each level, the trials of each question below it
    parts::Parts
    u::Vector{Triple}
    v::Vector{Triple}
    states::States  # the number of trials of each distinct row, and how many questions have it
    rows::Vector{Vector{Int}}  # n, then b_l of each level, of the distinct rows (n, b_1, b_2, ...) of questions
    which::Vector{Int}  # the distinct row of each question
    mean::Union{Nothing,Mean}
    errors::Union{Nothing,Errors}
end

function MaxAtK(m::Metric, counts::Counts, use_mixture::Bool)
    rewards, below = Rewards.read(counts, m.w)
    columns = Vector{Int}[counts.trials, (Vector{Int}(b) for b in below)...]
    rows, mult, which = distinct_rows(columns)
    n, b, gaps = rows[1], rows[2:end], shares(rewards)
    size = length(n)
    u, rest, v = fill(ZERO, size), fill(ONE, size), fill(ZERO, size)
    isempty(b) || fill_tables!(u, rest, v, m, n, b, gaps)
    parts = parts_of(m, n, mult, u, rest, v, use_mixture)
    if parts.short && !isempty(b)
        parts.trials = bound(m, counts, gaps, columns, use_mixture)
    end
    states = States(n, zeros(Int, size), mult)
    return MaxAtK(m, counts, rewards, below, parts, u, v, states, rows, which, nothing, nothing)
end

"For each level, Pass@k of rewards at or above it: the metric, the states, their variance components, u and v."
function pass_at_k_of_levels(m, counts, columns, use_mixture)
    pass_at_k = renamed(m, "pass_at_k")
    return map(columns[2:end]) do b
        s = states_of(counts.trials, counts.trials - b)
        return (pass_at_k, s, parts_of_states(pass_at_k, s, use_mixture)...)
    end
end

"Upper bound (sum_l gap_l sqrt(S_l))^2 of the sum of the variances over trials, S_l this sum for level l."
function bound(m, counts, gaps, columns, use_mixture)
    total = ZERO
    for (gap, (_, _, p, _, _)) in zip(gaps, pass_at_k_of_levels(m, counts, columns, use_mixture))
        total = add(total, mul(gap, root(p.trials)))
    end
    return mul(total, total)
end

"Whether Max@k is a mean whose trials identify its variance."
is_mean(x) = x.m.k == 1 && !x.parts.short

function as_mean(x)
    if x.mean === nothing
        x.mean = Mean(x.m, x.counts, x.parts.use_mixture)
    end
    return x.mean::Mean
end

function UStatistics.errors(x::MaxAtK)
    if x.errors === nothing
        x.errors = errors(x.m, x.states, x.parts, x.u, x.v)
    end
    return x.errors::Errors
end

"Variance of the summed variances; if the sum is a bound, from the level of the largest relative variance."
function Estimators.trials_error(x::MaxAtK)
    p, largest = x.parts, ZERO
    is_mean(x) && return Estimators.trials_error(as_mean(x))
    p.short || return error_of_states(errors(x), x.states.mult, p)
    columns = [x.counts.trials, (Vector{Int}(b) for b in x.below)...]
    for (metric, s, q, u, v) in pass_at_k_of_levels(x.m, x.counts, columns, p.use_mixture)
        q.trials[1] > 0.0 || continue
        E = error_of_states(errors(metric, s, q, u, v), s.mult, q)
        largest = larger(largest, div(E, mul(q.trials, q.trials)))
    end
    return mul(largest, mul(p.trials, p.trials))
end

"A bound of the third moment over the trials; for k = 1 and two trials or more the moment of the mean."
function Estimators.third_moment_of_trials(x::MaxAtK)
    is_mean(x) && return Estimators.third_moment_of_trials(as_mean(x))
    x.parts.short || return UStatistics.third_moment(x.m, x.states, errors(x))
    return ThirdMoment(ZERO, ZERO, bound_of_moment(x.parts.trials, ZERO, x.states.n[1], x.m.k))
end

"The gaps between rewards as shares of their range."
function shares(rewards)
    gaps = Rewards.gaps(rewards)
    isempty(gaps) && return gaps
    full, = Rewards.gaps([rewards[1], rewards[end]])
    return Triple[div(gap, full) for gap in gaps]
end

"Fill u, 1 - u and, where every question has 2k trials or more, the trial-to-trial variance of each row."
function fill_tables!(u, rest, v, m, n, b, gaps)
    s, index = distinct(repeat(n, length(b)), reduce(vcat, b))
    at = reshape(index, length(n), length(b))
    P, Z, D = fill(ZERO, length(s.n)), fill(ZERO, length(s.n)), fill(ZERO, length(s.n))  # see Variance.fill_rows!
    Hypergeometric.pass_at_k!(P, s.n, s.n - s.c, m.k)
    if n[1] >= 2 * m.k
        Hypergeometric.fill_two_samples!(Z, D, s.n, s.c, m.k)
    else
        Hypergeometric.pass_hat_k!(Z, s.n, s.c, m.k)
    end
    Variance.fill_rows!(u, rest, v, at, P, Z, D, gaps)
end

UStatistics.which(x::MaxAtK) = x.which

"Max@k in units of w."
Estimators.mu(x::MaxAtK) = Rewards.max_at_k(x.counts, x.rewards, x.below, x.m.k)

"Max@k as an exact fraction, from the trials below each level; needs two different rewards."
function Estimators.exact(x::MaxAtK)
    W, unit = over_common_denominator(x.rewards)
    num, den = Hypergeometric.exact_max(W, Rewards.level_states(x.counts, x.below), x.m.k, 0)
    return num // (den * unit)
end

"The difference of two models' Max@k from exact fractions; 0 at once if both have the same states."
function UStatistics.exact_difference(x::MaxAtK, y::MaxAtK)
    a, b = Rewards.level_states(x.counts, x.below), Rewards.level_states(y.counts, y.below)
    all(((s, t),) -> s.n == t.n && s.c == t.c && s.mult == t.mult, zip(a, b)) && return ZERO
    W, _ = over_common_denominator(x.rewards)
    (p, d), (q, e) = (Hypergeometric.exact_max(W, s, x.m.k, 0) for s in (a, b))
    return from_ratio(p * e - q * d, d * e * (W[end] - W[1]))
end

end
