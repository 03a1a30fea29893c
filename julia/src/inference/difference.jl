# The difference of two models and its standard error. The formulas: spec/README.md, "two models".

module Differences

using ..Scorio: later, refuse, select
using ..Clusters: Clusters, Units
using ..DegreesOfFreedom: of_questions, of_trials, of_units, smaller, welch
using ..Distributions: kept, share, t_cdf, t_quantile
using ..DoubleDouble: ONE, Triple, ZERO, ext, neg, root, scaled
using ..DoubleDouble.Called: add, div, mul, sub
using ..Estimators: Side, above, own_spread, spread, state_values, trials_error
using ..Variance: fixed_pair_variance, larger, sampled_pair_variance, sampled_variance, sampling_of_questions
using ..Variance: variance_source

const ONE_THIRD, ONE_TWELFTH = div(ONE, ext(3)), div(ONE, ext(12))

"theta_A - theta_B, its standard error, the degrees of freedom of its t distribution, and the source of the variance."
struct Difference
    D::Triple
    deviation::Triple
    freedom::Triple
    variance_source::String
end

"Two-sided; 1 where neither D nor its standard error can be anything but 0."
function p_value(d)
    d.D[1] == 0.0 && return ONE
    t = div(d.D, d.deviation)
    return scaled(t_cdf(t[1] < 0.0 ? t : neg(t), d.freedom), 1.0)
end

"The cdf at D over its standard error; 1/2 for D = 0."
p_above(d) = t_cdf(d.D[1] == 0.0 ? ZERO : div(d.D, d.deviation), d.freedom)

"P(T >= (D - gap) / standard error); certain where the metric cannot be but what it is."
function beyond(d, gap)
    less = sub(gap, d.D)
    less[1] != 0.0 && d.deviation[1] == 0.0 && return less[1] > 0.0 ? ONE : ZERO
    return t_cdf(less[1] == 0.0 ? ZERO : div(less, d.deviation), d.freedom)
end

"B against A."
turned(d) = Difference(neg(d.D), d.deviation, d.freedom, d.variance_source)

"The quantile of the t distribution with that upper tail."
quantile(tail, freedom) = kept(() -> t_quantile(tail, freedom), (2, tail, freedom))

"Whether a p-value is at most 1 - confidence."
within(p, confidence) = sub(share(confidence, 1), p)[1] >= 0.0

"Both without the questions that either lacks; and those. who: the two, for a message about the argument."
function common(A, B, argument, who)
    A.fewest > 0 && B.fewest > 0 && return A, B, Int[]
    return later(both_tried)(A, B, argument, who)::Tuple{Any,Any,Vector{Int}}
end

function both_tried(A, B, argument, who)
    keep = [n > 0 && m > 0 for (n, m) in zip(A.trials, B.trials)]
    any(keep) || refuse("no_trials", argument, "no question has a trial of both ", who)
    return select(A, keep), select(B, keep), findall(!, keep)
end

"On the same questions, each with k trials on both sides; clusters of them were sampled if units says so."
function on_same(A::Side, B::Side, sampled, name, units = nothing)
    p, q, D = A.parts, B.parts, above(A, B)
    single, V = p.single || q.single, fixed_pair_variance(p, q)
    source = sampled ? "measured" : worse(variance_source(p), variance_source(q))
    if !sampled && !single
        return Difference(D, root(V), of_trials(p, trials_error(A), q, trials_error(B)), source)
    end
    units = units === nothing ? Units(p.M) : units
    at_least_two(units.G, name, units.labels === nothing ? "question" : "cluster")
    both, freedom = later(sampled_pair)(A, B, D, units)::Tuple{Triple,Triple}
    return Difference(D, root(single ? both : larger(both, V)), freedom, source)
end

"The variance over the sampling of units, and its degrees of freedom."
function sampled_pair(A, B, D, units)
    if units.labels === nothing
        second, fourth = spread(A, B, D)
        return sampled_pair_variance(second, units.M), of_questions(second, fourth, ONE_THIRD, units.M)
    end
    (u, at), (v, to) = state_values(A), state_values(B)
    d = Triple[sub(x, y) for (x, y) in zip(Clusters.means(units, at, u), Clusters.means(units, to, v))]
    Z, squares = Clusters.parts_of(units, d, D)
    part = Clusters.share(units, 3)
    return add(Z, part), smaller(of_units(Z, squares, part, units.G), Clusters.freedom(units))
end

"On different questions of one population; Welch's degrees of freedom."
function on_different(A::Side, B::Side)
    p, q = A.parts, B.parts
    at_least_two(p.M, "A")
    at_least_two(q.M, "B")
    v, w = (sampled_variance(x, sampling_of_questions(x)) for x in (p, q))
    f, g = (of_questions(own_spread(x)..., ONE_TWELFTH, x.parts.M) for x in (A, B))
    return Difference(above(A, B), root(add(v, w)), welch(v, f, w, g), "measured")
end

function worse(x, y)
    sources = ("upper bound", "probit", "beta-binomial", "measured")
    return sources[findfirst(in((x, y)), sources)]
end

"The variance between questions, or clusters of them, takes two."
at_least_two(units, name, what = "question") = units > 1 ||
    refuse("shape", name, "one ", what, " of ", name, " is left: the variance between ", what, "s is unknown")

end
