# Estimators of a metric of one model, for intervals and comparisons: the base type, and the average score.

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
