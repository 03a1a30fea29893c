# Estimator of the metrics that choose one answer from k trials, by plurality or by a score.
# The formulas: spec/families/answers.md. A state is the votes or the levels that some question has. u is the metric
# of a question, v its variance over the trials.

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
