# The difference of two models, its standard error and its degrees of freedom.
# The formulas: spec/families/comparisons.md.

module Differences

using ..Scorio: deferred, refuse, select
using ..Clusters: Clusters, UnequalClusters, Units
using ..DegreesOfFreedom: df_of_questions, df_of_trials, df_of_units, smaller, welch
using ..Distributions: cached, error_rate, normal_z, t_cdf, t_quantile
using ..DoubleDouble: ONE, Triple, ZERO, times_2_to
using ..Estimators: Estimator, Estimators, difference, odd_power_sums, own_odd_power_sums, own_power_sums, power_sums
using ..Estimators: state_values, trials_error
using ..Rationals: from_ratio
using ..ThirdMoments: Lazy, ThirdMoment, combined, negated, over, range_of
using ..Variance: fixed_constant, fixed_pair_variance, larger, sampled_pair_variance, sampled_variance, unit_of_trials
using ..Variance: variance_source

# Added to the sum of squared deviations of M questions, of a pair and of either model of an unpaired comparison. With
# 1/3 for it, equal models differ "significantly" in 8.3% of samples (5% nominal) where one of them fails a few trials
# of each of 100 questions and the other a few whole ones, and in 8.4% with 60 and 600 questions, one trial of each;
# with 1/2 in 6.8 and 5.5%, the worst of exact searches. With 3/4 it would still be 6.4%, with wider intervals.
const STABILISER = Triple(0.5)

"""
D = theta_A - theta_B, its standard error, its degrees of freedom, and how the variance was obtained.

unit is 1/n0, n0 the fewest independent trials to which either metric can correspond (unequal: clusters whose sizes
differ, on which the largest share of D may depend); parts are the benchmarks of a suite, with their weights. third
computes the third central moment of D over the sampling of questions, or over the trials of fixed ones, which only
gates need. constant is the part of the variance that is not estimated.
"""
struct Difference
    D::Triple
    standard_error::Triple
    freedom::Triple
    variance_source::String
    unit::Triple
    third::Lazy
    unequal::Vector{UnequalClusters}
    parts::Vector{Tuple{Triple,Difference}}
    constant::Triple
end

Difference(
    D, standard_error, freedom, source;
    unit = ZERO, third = Lazy(ThirdMoment), unequal = UnequalClusters[], parts = Tuple{Triple,Difference}[],
    constant = ZERO,
) = Difference(D, standard_error, freedom, source, unit, third, unequal, parts, constant)

"1/n0 if the largest clusters that make up this share of D fail together."
unit_of(d, share) = foldl(larger, (Clusters.unit(x, share) for x in d.unequal); init = d.unit)

"Two-sided p-value against equal models; 1 if D is 0."
function p_value(d)
    d.D.hi == 0.0 && return ONE
    t = d.D / d.standard_error
    return times_2_to(t_cdf(t.hi < 0.0 ? t : -t, d.freedom), 1.0)
end

"Probability that A is above B: the cdf of the t distribution at D over its standard error; 1/2 for D = 0."
p_above(d) = t_cdf(d.D.hi == 0.0 ? ZERO : d.D / d.standard_error, d.freedom)

"One-sided p-value against D <= gap: P(T >= (D - gap) / standard error); 0, 1/2 or 1 if that error is 0."
function p_value_at_margin(d, gap)
    distance = gap - d.D
    distance.hi != 0.0 && d.standard_error.hi == 0.0 && return distance.hi > 0.0 ? ONE : ZERO
    return t_cdf(distance.hi == 0.0 ? ZERO : distance / d.standard_error, d.freedom)
end

"The difference B - A."
reversed_difference(d) =
    with(d; D = -d.D, third = negated(d.third), parts = [(w, reversed_difference(x)) for (w, x) in d.parts])

"The difference d with another D, unit, third moment or other parts."
with(d; D = d.D, unit = d.unit, third = d.third, parts = d.parts) =
    Difference(D, d.standard_error, d.freedom, d.variance_source, unit, third, d.unequal, parts, d.constant)

"The quantile of the t distribution with this upper tail; cached."
quantile(tail, freedom) = cached(() -> t_quantile(tail, freedom), (2, tail, freedom))

"Two-sided t quantiles of an estimate (normal for ZERO degrees): for its variance, and where n0 bounds that."
function quantiles(freedom, freedom_of_units, confidence)
    z, tail = normal_z(confidence), error_rate(confidence, 2)
    t, u = (df == ZERO ? z : quantile(tail, df) for df in (freedom, freedom_of_units))
    return t, u
end

"Whether a p-value is at most 1 - confidence; a p-value of 1 is never significant."
is_significant(p, confidence) = ONE > p && error_rate(confidence, 1) >= p

"""
Counts of both models on the questions with trials of both, and the numbers of the other questions.

argument, who: the argument and the models that an error names.
"""
function common_questions(A, B, argument, who)
    A.min_trials > 0 && B.min_trials > 0 && return A, B, Int[]
    return deferred(select_common_questions)(A, B, argument, who)::Tuple{Any,Any,Vector{Int}}
end

function select_common_questions(A, B, argument, who)
    keep = [n > 0 && m > 0 for (n, m) in zip(A.trials, B.trials)]
    any(keep) || refuse("no_trials", argument, "no question has a trial of both ", who)
    return select(A, keep), select(B, keep), findall(!, keep)
end

"""
Difference on the same questions, each with k trials or more of both models.

units: the clusters that were sampled; name: of the argument, for errors.
"""
function paired_difference(A::Estimator, B::Estimator, sampled, name, units = nothing)
    p, q, D = A.parts, B.parts, difference(A, B)
    single, V = p.single || q.single, fixed_pair_variance(p, q)
    source = sampled ? "measured" : least_reliable(variance_source(p), variance_source(q))
    if !sampled && !single
        unit = larger(unit_of_trials(p), unit_of_trials(q))
        freedom = df_of_trials(p, trials_error(A), q, trials_error(B))
        third, constant = Lazy(third_moment_of_trials, A, B), fixed_constant(p, q)
        return Difference(D, sqrt(V), freedom, source; unit = unit, third = third, constant = constant)
    end
    units = units === nothing ? Units(p.M) : units
    check_two_units(units.G, name, units.labels === nothing ? "question" : "cluster")
    W, freedom = deferred(sampling_variance)(A, B, D, units)::NTuple{2,Triple}
    bounded = p.some_single || q.some_single  # the variance over trials is then an upper bound that ignores the pairing
    third, V = Lazy(third_moment_of_units, A, B, D, units), bounded ? W : larger(W, V)
    return Difference(
        D, sqrt(V), freedom, source;
        unit = Clusters.squared_shares(units), third = third, unequal = Clusters.unequal(units),
        constant = Clusters.difference_stabiliser(units),
    )
end

function third_moment_of_trials(A, B)
    x, y = Estimators.third_moment_of_trials(A), Estimators.third_moment_of_trials(B)
    return over(combined([(ONE, x), (-ONE, y)]), A.parts.M)
end

function third_moment_of_units(A, B, D, units)
    if units.labels === nothing
        third, sixth, most = odd_power_sums(A, B, D)
        return over(ThirdMoment(third, sixth, ZERO, most), units.M)
    end
    d = differences_of_units(A, B, units)
    return ThirdMoment(Clusters.cubes(units, d, D)..., ZERO, range_of(d))
end

function differences_of_units(A, B, units)
    (u, which), (v, other) = state_values(A), state_values(B)
    return Triple[x - y for (x, y) in zip(Clusters.means(units, which, u), Clusters.means(units, other, v))]
end

"The variance over the sampling of units, and its degrees of freedom."
function sampling_variance(A, B, D, units)
    units.labels === nothing && return variance_of_questions(power_sums(A, B, D)..., units.M)
    Z, squares = Clusters.variance_terms(units, differences_of_units(A, B, units), D)
    constant = Clusters.difference_stabiliser(units)
    return Z + constant, smaller(df_of_units(Z, squares, constant, units.G), Clusters.freedom(units))
end

variance_of_questions(second, fourth, M) =
    sampled_pair_variance(second, M, STABILISER), df_of_questions(second, fourth, STABILISER, M)

"Difference on different questions of one population; Welch's degrees of freedom."
function unpaired_difference(A::Estimator, B::Estimator)
    p, q = A.parts, B.parts
    check_two_units(p.M, "A")
    check_two_units(q.M, "B")
    (v, f), (w, g) = own_variance(A), own_variance(B)
    unit, third = from_ratio(big(1), big(min(p.M, q.M))), Lazy(third_moment_unpaired, A, B)
    return Difference(difference(A, B), sqrt(v + w), welch(v, f, w, g), "measured"; unit = unit, third = third)
end

"The variance of one model over the sampling of questions, and its degrees of freedom."
function own_variance(x)
    V, freedom = variance_of_questions(own_power_sums(x)..., x.parts.M)
    return sampled_variance(x.parts, V), freedom
end

function third_moment_unpaired(A, B)
    x, y = (over(ThirdMoment(own_odd_power_sums(X)...), X.parts.M) for X in (A, B))
    return combined([(ONE, x), (-ONE, y)])
end

"The less reliable of two ways in which variances were obtained."
function least_reliable(x, y)
    sources = ("upper bound", "probit", "modelled", "measured")
    return sources[findfirst(in((x, y)), sources)]
end

"""
The difference without the missing outcomes, with limits that are valid for any values of the missing ones.

low and high are the differences with all missing outcomes against A, and for A. If both are above 0 or both below, the
one nearer to 0 decides; otherwise the difference is not significant.
"""
function bounded_difference(own, low, high)
    nearer = low.mu > 0.0 ? low : high.mu < 0.0 ? high : merge(own, (p_value = 1.0, p_above = 0.5, significant = false))
    decision = NamedTuple{(:p_value, :df, :p_above, :significant)}(nearer)
    source = foldl(least_reliable, (x.variance_source for x in (own, low, high)))
    return merge(own, (lo = low.lo, hi = high.hi), decision, (variance_source = source,))
end

"Refuse a single question or cluster of questions: the variance between them is unknown."
check_two_units(units, name, what = "question") = units > 1 ||
    refuse("shape", name, "one ", what, " of ", name, " is left: the variance between ", what, "s is unknown")

end
