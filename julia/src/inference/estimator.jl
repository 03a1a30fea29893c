# Estimators of a metric of one model, for intervals and comparisons: the base type, and the average score.

module Estimators

using ..Scorio: Counts, joint_states, largest_category, place_counts!, states
using ..DegreesOfFreedom: df_of_interval, has_normal_interval
using ..DoubleDouble: Triple, ZERO
using ..Means: Means
using ..Metrics: Metric
using ..Rationals: from_ratio
using ..ThirdMoments: ThirdMoment, joint_odd_power_sums
using ..Variance: Parts, joint_power_sums

"""
A metric of one model, from M questions with k trials or more; every question has a value u in 0..1.

theta is the mean of u, the metric on the scale 0..1. Questions with equal outcomes share a state, and so their u.

Fields: m and parts. Functions: mu (the metric, in units of w), exact (the metric as a fraction), difference
(D = theta minus the other model's theta; 0 only if both are equal), state_values (u of the distinct states of
questions, and the state of each question), power_sums (the sums over questions of the powers 2 and 4 of u - v - D, v
the value u of the other model), trials_error (the variance of the summed estimates of the questions' trial-to-trial
variances), third_moment_of_trials (the sum over questions of the third central moments of u over their trials),
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
    trials::Union{Nothing,Means.Trials}
    error::Union{Nothing,Triple}
    third::Union{Nothing,ThirdMoment}
end

function Mean(m::Metric, counts::Counts, use_mixture::Bool)
    scale = Means.scale(m.w)
    sums = Means.sums(counts, scale.U, scale.span)
    return Mean(m, counts, scale, sums, Means.parts(sums, use_mixture), nothing, nothing, nothing)
end

"The average in units of w, rounded once."
mu(x::Mean) = from_ratio(Means.point(x.sums, x.scale)...)

"The average as an exact fraction, for differences in which rounded values would cancel."
exact(x::Mean) = Means.Fraction(Means.point(x.sums, x.scale)...)

difference(x::Mean, y::Mean) = from_ratio(Means.difference(x.sums, y.sums))

function power_sums(x::Mean, y::Mean, D)
    (u, which), (v, other) = exact_state_values(x), exact_state_values(y)
    s = joint_states(which, other, max(length(u), length(v)) + 1)
    second = from_ratio(Means.squared_deviations(u, v, s, Means.difference(x.sums, y.sums)))
    _, fourth = joint_power_sums(s.n, s.c, s.mult, Means.rounded(u), Means.rounded(v), D)
    return second, fourth
end

"Sums over questions of the powers 2 and 4 of u - v - D, v the value u of the other model, from the joint states."
power_sums_of_states(x, y, D) = joint_power_sums(both_states(x, y)..., D)

"Sums over questions of the powers 3 and 6 of u - v - D, and the range of u - v, at least 1."
odd_power_sums(x, y, D) = joint_odd_power_sums(both_states(x, y)..., D)

"The joint states (n, c, mult) of two models' questions, and the values u and v of the states of each model."
function both_states(x, y)
    (u, which), (v, other) = state_values(x), state_values(y)
    s = joint_states(which, other, max(length(u), length(v)) + 1)  # states are numbered from 1, below this size
    return s.n, s.c, s.mult, u, v
end

"Sums over questions of the powers 2 and 4 of u - theta."
own_power_sums(x) = joint_power_sums(own_states(x)..., x.parts.theta)

"Sums over questions of the powers 3 and 6 of u - theta."
own_odd_power_sums(x) = joint_odd_power_sums(own_states(x)..., x.parts.theta)[1:2]

function own_states(x)
    u, mult = distribution(x)
    return eachindex(u), ones(Int, length(u)), mult, u, [ZERO]
end

"Values u of the distinct states of questions, and how many questions have each."
function distribution(x)
    u, which = state_values(x)
    mult = zeros(Int, length(u) + 1)
    place_counts!(mult, which, eachindex(which))  # counts the value i in mult[i + 1], and states start at 1
    return u, mult[2:end]
end

exact_state_values(x::Mean) = Means.exact_values(x.counts, x.scale.U, x.scale.span)

function state_values(x::Mean)
    pairs, which = exact_state_values(x)
    return Means.rounded(pairs), which
end

function distribution(x::Mean)
    has_states = largest_category(x.counts) == 1 && length(x.scale.U) == 2
    return has_states ? Means.scores_of(states(x.counts), x.scale) : invoke(distribution, Tuple{Any}, x)
end

"The trial-to-trial variances of the questions' means; computed once."
function trials(x::Mean)
    if x.trials === nothing
        x.trials = Means.trials(x.counts, x.scale.U, x.scale.span, x.parts)
    end
    return x.trials::Means.Trials
end

"Variance of the summed trial-to-trial variances, from the scores of each question."
function trials_error(x::Mean)
    if x.error === nothing
        x.error = Means.trials_error(trials(x), x.parts)
    end
    return x.error::Triple
end

"The third moment over the trials, from the scores of each question."
function third_moment_of_trials(x::Mean)
    if x.third === nothing
        x.third = Means.third_moment(trials(x))
    end
    return x.third::ThirdMoment
end

"Degrees of freedom of an interval of fixed questions; ZERO: the normal distribution."
interval_freedom(x) = df_of_interval(x.parts, trials_error(x))

# No scores are read if a bound shows that the degrees of freedom are at least NORMAL.
function interval_freedom(x::Mean)
    n = x.sums.groups[1].n  # the fewest trials
    # v = m_2 / (n - 1) has a variance of at most m_4 / (n - 1)^3, and m_4 <= m_2
    return n > 1 && has_normal_interval(x.parts, 1.0 / (n - 1)^2) ? ZERO : df_of_interval(x.parts, trials_error(x))
end

end
