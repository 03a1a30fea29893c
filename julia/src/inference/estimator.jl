# Estimators of a metric of one model: the base type, the average score, and U-statistics of blocks of k trials.

module Estimators

using ..Scorio: Counts, groups, joint_states, largest_category, states_of
using ..DegreesOfFreedom: df_of_interval, has_normal_interval
using ..DoubleDouble: Triple, ZERO
using ..Means: Means
using ..Metrics: Metric, Metrics
using ..Rationals: from_ratio
using ..Variance: Parts, joint_cubes, joint_squares

"""
A metric of one model, from M questions with k trials or more; every question has a value u in 0..1.

theta is the mean of u, the metric on the scale 0..1. Questions with equal outcomes share a state, and so their u.

Fields: m and parts. Functions: mu (the metric, in units of w), exact (the metric as a fraction), difference
(D = theta minus the other model's theta; 0 only if both are equal), state_values (u of the distinct states of
questions, and the state of each question), squares (the sum over questions of the squares of u - v - D, v the value u
of the other model), squared_variances (the sum of the squared trial-to-trial variances of the questions),
interval_freedom (the degrees of freedom of an interval of fixed questions).
"""
abstract type Estimator end

"Estimator of the average score."
mutable struct Mean <: Estimator
    m::Metric
    counts::Counts
    scale::Means.Scale
    sums::Means.Sums
    parts::Parts
    squared::Union{Nothing,Triple}
end

function Mean(m::Metric, counts::Counts, use_mixture::Bool)
    scale = Means.scale(m.w)
    sums = Means.sums(counts, scale.U, scale.span)
    return Mean(m, counts, scale, sums, Means.parts(sums, use_mixture), nothing)
end

"The average in units of w, rounded once."
mu(x::Mean) = from_ratio(Means.point(x.sums, x.scale)...)

"The average as an exact fraction, for differences in which rounded values would cancel."
exact(x::Mean) = Means.Fraction(Means.point(x.sums, x.scale)...)

difference(x::Mean, y::Mean) = from_ratio(Means.difference(x.sums, y.sums))

function squares(x::Mean, y::Mean, D)
    (u, which), (v, other) = exact_state_values(x), exact_state_values(y)
    s = joint_states(which, other, max(length(u), length(v)) + 1)
    return from_ratio(Means.squared_deviations(u, v, s, Means.difference(x.sums, y.sums)))
end

"The sum over questions of the squares of u - v - D, from the joint states."
squares_of_states(x, y, D) = joint_squares(both_states(x, y)..., D)

"Sums over questions of the powers 3 and 6 of u - v - D, v the value u of the other model."
cubes(x, y, D) = joint_cubes(both_states(x, y)..., D)

"The joint states (n, c, mult) of two models' questions, and the values u and v of the states of each model."
function both_states(x, y)
    (u, which), (v, other) = state_values(x), state_values(y)
    s = joint_states(which, other, max(length(u), length(v)) + 1)  # states are numbered from 1, below this size
    return s.n, s.c, s.mult, u, v
end

"Sums over questions of the powers 3 and 6 of u - theta."
function own_cubes(x)
    u, which = state_values(x)
    s = states_of(0, which, length(u))
    return joint_cubes(s.c, ones(Int, length(s.c)), s.mult, u, [ZERO], x.parts.theta)
end

exact_state_values(x::Mean) = Means.exact_values(x.counts, x.scale.U, x.scale.span)

function state_values(x::Mean)
    pairs, which = exact_state_values(x)
    return Means.rounded(pairs), which
end

"The sum of the squared trial-to-trial variances of the questions; computed once."
function squared_variances(x)
    if x.squared === nothing
        x.squared = sum_of_squared_variances(x)
    end
    return x.squared::Triple
end

sum_of_squared_variances(x::Mean) = Means.squared_variances(x.counts, x.scale.U, x.scale.span, x.parts)

"The number of trials of each question."
trials_of_questions(x) = x.counts.trials

"The largest difference between two trials of a question, of model x or y, as it counts."
function joint_range(x, y)
    x.m.kind isa Union{Metrics.Average,Metrics.MaximumAtK} && largest_category(x.counts) > 1 || return Means.Fraction(1)
    scale, both = Means.scale(x.m.w), x === y ? x.counts : x.counts + y.counts
    return Means.Fraction(Means.largest_range(groups(both), scale.U, scale.span)...)
end

"Degrees of freedom of an interval of fixed questions; ZERO: the normal distribution."
interval_freedom(x) = df_of_interval(x.parts, squared_variances(x))

# No scores are read if a bound shows that the degrees of freedom are at least NORMAL.
function interval_freedom(x::Mean)
    n = x.sums.groups[1].n  # the fewest trials
    # v = m_2 / (n - 1), and m_2 <= 1/4
    return n > 1 && has_normal_interval(x.parts, 0.25 / (n - 1)) ? ZERO : df_of_interval(x.parts, squared_variances(x))
end

end

# --- U-statistics of order k of binary outcomes, and their variances --------------------------------

module UStatistics

using ..Scorio: Counts, States, deferred, joint_states, refuse, state_indices, states
using ..Hypergeometric: Hypergeometric
using ..Metrics: MaximumAtK, Metric, PassAtK, PassHatK, closed_form, exact_values, flips, lost_values, renamed, steepest
using ..Metrics: values, weights
using ..Rationals: Ratio, from_ratio, total
using ..RateMixture: RateMixture
using ..Variance: Variance, Parts
using ..DegreesOfFreedom: sum_of_squares
using ..DoubleDouble: Triple, ZERO
using ..Estimators: Estimators, Estimator

const MOST_STEPS = 10^8  # of the variances of a model, some seconds

"Mark the states whose trials do not identify their variance."
unidentified(n, k, use_mixture) = [x == 1 || (!use_mixture && x == k) for x in n]

"Mark states of unknown variance; of flips all with n < 2k: the jackknife is worse than squared deviations."
unknown_of(m, n, use_mixture) = flips(m) ? n .< 2 * m.k : unidentified(n, m.k, use_mixture)

"The variance of each state's trials by two disjoint blocks, the mixture, or the jackknife; 0 where unknown."
function variances(m, s, unknown, use_mixture)
    m, s = by_failures(m, s)
    v, two_blocks = fill(ZERO, length(s.n)), s.n .>= 2 * m.k
    v[two_blocks] = measured(m, s.n[two_blocks], s.c[two_blocks])
    short = .!two_blocks .& .!unknown
    any(short) || return v
    if use_mixture
        v[short] = deferred(RateMixture.variances)(m, s, short)::Vector{Triple}
    else
        v[short] = deferred(jackknife)(m, s.n[short], s.c[short])::Vector{Triple}
    end
    return v
end

"Pass@k as the probability that all k trials fail, whose variance is the same; other metrics unchanged."
by_failures(m, s) =
    m.kind isa PassAtK ? (renamed(m, "pass_hat_k", m.k), States(s.n, s.n - s.c, s.mult)) : (m, s)

"The variance of each state, measured by two disjoint blocks of k trials."
function measured(m, n, c)
    out = Vector{Triple}(undef, length(n))
    if m.kind isa PassHatK
        deferred(Hypergeometric.power_variance!)(out, n, c, m.k)
    elseif flips(m)
        deferred(Hypergeometric.flip_variance!)(out, n, c)
    else
        deferred(Hypergeometric.credit_variance!)(out, n, c, m.k, weights(m))
    end
    return out
end

"The jackknife variance of each state; 0 without a success or without a failure."
function jackknife(m, n, c)
    out, mixed = fill(ZERO, length(n)), findall(0 .< c .< n)
    n, c = n[mixed], c[mixed]
    Variance.jackknife!(view(out, mixed), n, c, values(m, n .- 1, c), values(m, n .- 1, c .- 1))
    return out
end

"The variance components of a table of states in rising n, from u, 1 - u and the variance of the trials."
function parts_of(m, n, mult, u, rest, v, use_mixture)
    unknown, M = unknown_of(m, n, use_mixture), foldl(+, mult)
    theta, complement, trials, dev = Variance.components_of_states(u, rest, v, unknown, mult, M)
    flips(m) && (trials = Variance.larger(trials, Variance.flip_bound(n, mult, u)))
    largest_step = Hypergeometric.step(n[1], steepest(m, n[1]), m.k, weights(m))
    more = Variance.of_fewest_trials(n[1], largest_step, m.k)
    short = n[1] < 2 * m.k
    return Parts(M, m.k, theta, complement, trials, dev, more..., all(unknown), any(unknown), short, use_mixture)
end

"The steps of the variances of all states, as spec/families/intervals.md counts them."
function work(m, s, use_mixture)
    closed, k, steps, states_of = flips(m) || closed_form(m) || m.kind isa MaximumAtK, m.k, big(0), Dict{Int,Int}()
    for n in s.n
        states_of[n] = get(states_of, n, 0) + 1
    end
    for (n, S) in states_of
        steps += closed ? big(S) * min(k, isqrt(big(n) << 12)) : n >= 2 * k ? k * min(big(k) * S, n) : big(k) * S
        if n < 2 * k && use_mixture
            J = RateMixture.grid_size(big(n))
            steps += (n + 1) * (closed ? J : J + k) + J^3 ÷ 10
        end
    end
    return steps
end

"Refuse variances of more than MOST_STEPS steps."
function check_work(m, s, use_mixture)
    steps = work(m, s, use_mixture)
    steps <= MOST_STEPS || refuse(
        "range", "k", "the variance of ", m.entry.name, " with k = ", m.k, " takes ", steps, " steps, more than the ",
        "10^8 allowed: choose a smaller k, or Pass@k or Pass^k of up to half of the trials",
    )
end

"The variance components of binary outcomes, and u and v of each state."
function parts_of_states(m, s, use_mixture)
    check_work(m, s, use_mixture)
    u, rest = values(m, s.n, s.c), lost_values(m, s.n, s.c)
    v = variances(m, s, unknown_of(m, s.n, use_mixture), use_mixture)
    return parts_of(m, s.n, s.mult, u, rest, v, use_mixture), u, v
end

"The sum of the squared variances of the states; squared deviations where the trials do not identify a variance."
squared_variances(m, s, p, u, v) =
    sum_of_squares(Variance.with_deviations(v, u, unknown_of(m, s.n, p.use_mixture), p.theta, p.M), s.mult)

"Estimator from a table of u by state, and the state of each question."
abstract type Block <: Estimator end

"The difference of two models' metrics, from exact values where rounded ones would cancel."
function Estimators.difference(x::Block, y::Block)
    D = x.parts.theta - y.parts.theta
    return Variance.cancelled(D, x.parts.theta, y.parts.theta) ? deferred(exact_difference)(x, y)::Triple : D
end

Estimators.state_values(x::Block) = x.u, which(x)

Estimators.squares(x::Block, y::Block, D) = Estimators.squares_of_states(x, y, D)

"Estimator of a metric of blocks of k binary trials, such as Pass@k."
mutable struct Credit <: Block
    m::Metric
    counts::Counts
    parts::Parts
    u::Vector{Triple}
    v::Vector{Triple}
    which::Union{Nothing,Vector{Int}}
    squared::Union{Nothing,Triple}
end

function Credit(m::Metric, counts::Counts, use_mixture::Bool)
    parts, u, v = parts_of_states(m, states(counts), use_mixture && !flips(m))
    return Credit(m, counts, parts, u, v, nothing, nothing)
end

Estimators.sum_of_squared_variances(x::Credit) = squared_variances(x.m, states(x.counts), x.parts, x.u, x.v)

"The state of each question."
function which(x::Credit)
    if x.which === nothing
        x.which = state_indices(x.counts)
    end
    return x.which::Vector{Int}
end

Estimators.mu(x::Credit) = x.parts.theta

"The metric as an exact fraction."
function Estimators.exact(x::Credit)
    s = states(x.counts)
    num, den = weighted_total(x.m, s.n, s.c, s.mult)
    return num // (den * x.parts.M)
end

"Sum of a metric over states, each times an integer, exactly."
weighted_total(m, n, c, mult) =
    total(Ratio[(times * num, den) for (times, (num, den)) in zip(mult, exact_values(m, n, c))])

"The difference of two models' metrics, exact but for one rounding, from the states whose shares differ."
function exact_difference(x::Credit, y::Credit)
    excess, M, N = Dict{Tuple{Int,Int},BigInt}(), big(x.parts.M), big(y.parts.M)
    for (estimator, weight) in ((x, N), (y, -M))
        s = states(estimator.counts)
        for (n, c, mult) in zip(s.n, s.c, s.mult)
            excess[n, c] = get(excess, (n, c), big(0)) + weight * mult
        end
    end
    filter!(state -> last(state) != 0, excess)
    isempty(excess) && return ZERO
    num, den = weighted_total(x.m, first.(keys(excess)), last.(keys(excess)), Base.values(excess))
    return from_ratio(num, den * M * N)
end

end
