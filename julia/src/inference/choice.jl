# Estimators of the metrics that choose from k trials: Max@k, and one answer by plurality or by a score.
# The formulas: spec/families/answers.md.

# --- Max@k, from the number of trials of each question below each level of reward -------------------

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

# --- one answer; a state is the votes or the levels of a question -----------------------------------

module ChosenAnswers

using ..Scorio: Detailed
using ..Choices: Choices, Exact
using ..Hypergeometric: Hypergeometric
using ..Metrics: BestOfK, Metric, Plurality, read_metric, steepest, weights
using ..Rationals: from_ratio
using ..Scorio: trials_of
using ..DegreesOfFreedom: sum_of_squares
using ..Distributions: normal_quantile
using ..DoubleDouble: ONE, Triple, ZERO, ratio, times_2_to
using ..Estimators: Estimators
using ..UStatistics: Block, UStatistics, unidentified
using ..Variance: Parts, Variance

# Gauss-Legendre quadrature of six points: the positive nodes, and their weights over pi
const NODES = (
    (Triple(0.2386191860831969, 3.917524250872457e-18, 0.0), Triple(0.14894163125764295, 8.741838128666738e-18, 0.0)),
    (Triple(0.6612093864662645, 3.212031102377179e-17, 0.0), Triple(0.11483397525643828, 6.2736499450620816e-18, 0.0)),
    (Triple(0.932469514203152, -2.22457639152902e-17, 0.0), Triple(0.054534279669709425, 3.0477062483546964e-22, 0.0)),
)

"Estimator of Plurality@k or best-of-k: exact value of each state; variance by the jackknife or a probit model."
struct Choice <: Block
    m::Metric
    exact::Vector{Exact}
    n::Vector{Int}
    mult::Vector{Int}
    which::Vector{Int}  # the state of each question
    u::Vector{Triple}
    v::Vector{Triple}
    parts::Parts
end

function Choice(m::Metric, answers::Detailed)
    states = sort!(unique(answers.items), by = x -> (trials_of(x), x))
    places = Dict(x => i for (i, x) in enumerate(states))
    which = Int[places[x] for x in answers.items]
    n, mult = Int[trials_of(x) for x in states], zeros(Int, length(states))
    for at in which
        mult[at] += 1
    end
    exact = Exact[value_of(m, x) for x in states]
    u, rest = Triple[from_ratio(x) for x in exact], Triple[from_ratio(1 - x) for x in exact]
    v = Triple[trials_variance(m, x) for x in states]
    unknown = unidentified(n, m.k, !(m.kind isa BestOfK))
    parts = parts_of(m, n, mult, u, rest, v, unknown)
    v = Variance.with_deviations(v, u, unknown, parts.theta, parts.M)
    return Choice(m, exact, n, mult, which, u, v, parts)
end

function parts_of(m, n, mult, u, rest, v, unknown)
    M = sum(mult)
    sums = Variance.components_of_states(u, rest, v, unknown, mult, M)
    more = Variance.of_fewest_trials(n[1], largest_step(m, n[1]), m.k)
    short = n[1] < 2 * m.k
    return Parts(M, m.k, sums..., more..., all(unknown), any(unknown), short, !(m.kind isa BestOfK), "probit")
end

UStatistics.which(x::Choice) = x.which

Estimators.mu(x::Choice) = x.parts.theta

Estimators.trials_of_questions(x::Choice) = x.n[x.which]

"The sum of the squared trial-to-trial variances."
Estimators.squared_variances(x::Choice) = sum_of_squares(x.v, x.mult)

"The metric as an exact fraction."
Estimators.exact(x::Choice) = sum(x.exact .* x.mult) / x.parts.M

"Difference of two models' metrics, from the exact values."
UStatistics.exact_difference(x::Choice, y::Choice) = from_ratio(Estimators.exact(x) - Estimators.exact(y))

"The metric of one question as an exact fraction."
value_of(m, x)::Exact = value_of(m.kind, x, m.k)
value_of(::BestOfK, x, k) = Choices.best_of_k(x, k)
value_of(kind, x, k) = Choices.plurality(x, k, kind isa Plurality)

"Mean of the metric over questions, rounded once."
function mean(m, answers)
    values, total = Dict{eltype(answers.items),Exact}(), Exact(0)
    for x in answers.items
        haskey(values, x) || (values[x] = value_of(m, x))
        total += values[x]
    end
    return from_ratio(total / length(answers.items))
end

"The most that one more correct trial can add to the metric; for a vote, with two possible answers."
function largest_step(m, n)
    m.kind isa BestOfK && return ratio(m.k, n)
    k = m.kind isa Plurality && iseven(m.k) ? m.k - 1 : m.k  # with ties split, an even k is like k - 1
    vote_of_two = read_metric("maj_at_k", k, nothing, nothing)
    return Hypergeometric.step(n, steepest(vote_of_two, n), k, weights(vote_of_two))
end

"""
The variance of the metric over the trials of a question.

With n >= 2k trials it is the jackknife variance J. With fewer trials it is, for a choice by score, J, an upper bound
(0 if n = k, where J is unknown). For a vote it is ((n-k) J + (2k-n) L)/k, where L comes from a probit model; for a
single trial 0, since its variance is unknown.
"""
function trials_variance(m, x)
    n, k = trials_of(x), m.k
    J = n > k ? from_ratio(Choices.jackknife(y -> value_of(m, y), x)) : ZERO
    (n >= 2k || n == 1 || m.kind isa BestOfK) && return J
    g = Choices.expected_plurality(x, k, m.kind isa Plurality)
    L = probit(from_ratio(g), from_ratio(1 - g), n, k)
    return ((n - k) * J + (2k - n) * L) / k
end

"""
Bivariate normal probability at (h, h) with correlation 2k/(n+k), minus that with correlation k/(n+k).

P(Z <= h) = g = 1 - rest. The difference is the integral of e^(-h^2/(2-s^2)) / (pi sqrt(2-s^2)) over s, where 1 - s^2
is the correlation. It is computed by Gauss-Legendre quadrature of six points.
"""
function probit(g, rest, n, k)
    low = g.hi <= rest.hi ? g : rest  # gives h or -h: only h^2 is used
    h = normal_quantile(0.5 - low, low)
    a, b = sqrt(ratio(n - k, n + k)), sqrt(ratio(n, n + k))
    middle, half = times_2_to(a + b, -1.0), times_2_to(b - a, -1.0)
    square, total = h * h, ZERO
    for (node, weight) in NODES, x in (-node, node)
        total += weight * probit_integrand(square, middle + half * x)
    end
    return half * total
end

"The integrand e^(-square/(2-s^2)) / sqrt(2-s^2)."
function probit_integrand(square, s)
    rest = ONE + ONE - s * s
    return exp(-(square / rest)) / sqrt(rest)
end

end
