# The difference of two models, its standard error and its degrees of freedom.
# The formulas: spec/families/comparisons.md.

module Differences

using ..Scorio: Lazy, deferred, refuse, select
using ..Clusters: Clusters, Units
using ..DegreesOfFreedom: FEWEST, df_of_sampling, df_of_trials, pooled, smaller
using ..Distributions: cached, error_rate, normal_z, t_cdf, t_quantile
using ..DoubleDouble: HALF, ONE, Triple, ZERO, times_2_to, value
using ..Estimators: Estimator, Estimators, both_states, difference, joint_range, squared_variances, squares
using ..Estimators: state_values, trials_of_questions
using ..ExactUnits: mean_and_variance
using ..Rationals: from_ratio
using ..SampledRuns: SampledRuns, WithRuns
using ..Signs: Contributions, Signs, of_clusters, of_states
using ..Variance: cubes_over, fixed_pair_variance, fixed_variance, larger, over_square, parts_of_pair, two_steps
using ..Variance: unbiased, unit_of_trials, variance_source

const NEARLY_EQUAL = 2.0^-60  # mean square of deviations below which they are computed exactly

"""
D = theta_A - theta_B, its standard error, its degrees of freedom, and how the variance was obtained.

unit is 1/U, U the fewest independent trials, or units that were sampled, to which either metric can correspond; guard
is the largest difference of one that was not seen. cubes computes the third central moment of D over the sampling of
questions, and the sum of its squared terms, which only gates need. signs computes what the sampled units contribute to
D (nothing where it is not that of paired samples), and unseen is the variance with a guard of 1 of units that do not
differ. over_runs is a second standard error, with its degrees of freedom, where runs were sampled: of both tests the
one that finds less decides.
"""
struct Difference
    D::Triple
    standard_error::Triple
    freedom::Triple
    variance_source::String
    unit::Triple
    guard::Triple
    cubes::Union{Nothing,Lazy}
    signs::Union{Nothing,Lazy}
    unseen::Triple
    over_runs::WithRuns
end

Difference(D, standard_error, freedom, source, unit = ZERO, guard = ZERO) =
    Difference(D, standard_error, freedom, source, unit, guard, nothing, nothing, ZERO, nothing)

"Whether D varies over the trials of fixed questions, and not over a sample of them."
by_trials(d) = d.cubes === nothing

"Two-sided p-value against equal models; 1 if D is 0."
p_value(d) = d.D.hi == 0.0 ? ONE : times_2_to(tail_at(d, ZERO), 1.0)

"Probability that A is above B: 1 less half of the p-value if D is above 0, that half if it is below."
function p_above(d)
    d.D.hi == 0.0 && return HALF
    p = tail_at(d, ZERO)
    return d.D.hi > 0.0 ? ONE - p : p
end

"The smaller one-sided p-value against D = gap, which is not D: the largest of the t tests and of that by signs."
function tail_at(d, gap)
    p, by_t = p_of_signs(d, gap), d.standard_error.hi == 0.0 ? ZERO : lower_tail(d.D - gap, d.standard_error, d.freedom)
    d.over_runs === nothing || (by_t = larger(by_t, lower_tail(d.D - gap, d.over_runs...)))
    return p === nothing ? by_t : larger(by_t, times_2_to(p, -1.0))
end

"P(T <= -|distance| / error) of the t distribution."
function lower_tail(distance, error, freedom)
    t = distance / error
    return t_cdf(t.hi < 0.0 ? t : -t, freedom)
end

"Two-sided p-value against D = gap by the signs of the units; nothing where it is not computed."
p_of_signs(d, gap) = d.signs === nothing ? nothing : Signs.p_value(d.signs()::Contributions, gap)

"""
Half the width of the interval at a one-sided level, which excludes gap exactly if tail_at() is at most that.

That of the t distribution, but wider where the signs have a larger p-value, or runs were sampled.
"""
function half_width(d, tail, gap = ZERO)
    half = half_width_of_fixed_runs(d, tail, gap)
    d.over_runs === nothing && return half
    error, freedom = d.over_runs
    return larger(half, quantile(tail, freedom) * error)
end

function half_width_of_fixed_runs(d, tail, gap)
    distance, p, error = d.D - gap, p_of_signs(d, gap), d.standard_error
    distance = distance.hi >= 0.0 ? distance : -distance
    if error.hi == 0.0 && distance.hi == 0.0
        return d.unseen.hi == 0.0 ? ZERO : quantile(tail, FEWEST) * sqrt(d.unseen)
    end
    half = p === nothing ? ZERO : times_2_to(p, -1.0)
    if error.hi != 0.0
        by_t = quantile(tail, d.freedom) * error
        return p == ONE || half > tail ? larger(by_t, distance) : by_t
    end
    half >= tail && return distance
    return half.hi == 0.0 ? ZERO : distance * (quantile(tail, d.freedom) / quantile(half, d.freedom))
end

"The standard error of the wider interval at a one-sided level, and its degrees of freedom."
function reported(d, tail)
    d.over_runs === nothing && return d.standard_error, d.freedom
    error, freedom = d.over_runs
    by_t = d.standard_error.hi == 0.0 ? ZERO : quantile(tail, d.freedom) * d.standard_error
    return quantile(tail, freedom) * error > by_t ? d.over_runs : (d.standard_error, d.freedom)
end

"The difference B - A."
reversed_difference(d) = Difference(
    -d.D, d.standard_error, d.freedom, d.variance_source, d.unit, d.guard,
    d.cubes === nothing ? nothing : Lazy(x -> ((third, sixth) = x(); (-third, sixth)), d.cubes),
    d.signs === nothing ? nothing : Lazy(x -> Signs.negated(x()), d.signs), d.unseen,
    d.over_runs,
)

"The quantile of the t distribution with this upper tail; cached."
quantile(tail, freedom) = cached(() -> t_quantile(tail, freedom), (2, tail, freedom))

"Two-sided t quantiles of an estimate (normal for ZERO degrees): for its variance, and where n0 bounds that."
function quantiles(freedom, freedom_of_units, confidence)
    z, tail = normal_z(confidence), error_rate(confidence, 2)
    t, u = (df == ZERO ? z : quantile(tail, df) for df in (freedom, freedom_of_units))
    return t, u
end

"The variance, 1 / n0 and two-sided t quantile with runs of an estimate; nothing where runs add nothing."
function of_runs(x, confidence)
    x.over_runs === nothing && return nothing
    V, freedom = x.over_runs
    return V, x.unit_of_runs, quantile(error_rate(confidence, 2), freedom)
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

guard: the largest difference of a question that was not sampled; units: the clusters that were sampled; name: of the
argument, for errors; runs: nothing if these are fixed.
"""
function paired_difference(A::Estimator, B::Estimator, sampled, guard, name, units = nothing, runs = nothing)
    p, q, D = A.parts, B.parts, difference(A, B)
    if !sampled && !p.single && !q.single
        units = unit_of_trials(p), unit_of_trials(q)
        largest = from_ratio(joint_range(A, B))
        freedom = df_of_trials(p, squared_variances(A), q, squared_variances(B), largest)
        source = least_reliable(variance_source(p), variance_source(q))
        V = fixed_pair_variance(p, q, largest)
        runs === nothing && return Difference(D, sqrt(V), freedom, source, larger(units...), guard)
        of_runs = over_runs(SampledRuns.over(runs, parts_of_pair(p, q, largest)...), V, freedom)
        unit = SampledRuns.unit(runs, units...)
        return Difference(D, sqrt(V), freedom, source, unit, guard, nothing, nothing, ZERO, of_runs)
    end
    units = units === nothing ? Units(p.M) : units
    check_two_units(units.G, name, units.labels === nothing ? "question" : "cluster")
    Z, unseen = deferred(sampling_variance)(A, B, D, units)::Triple, Clusters.unseen(units)
    guard = larger(guard, least_guard(A, B))
    constant = guard * guard * unseen
    V, freedom = Z + constant, df_of_sampling(Z, constant, Clusters.freedom(units))
    of_runs = nothing
    if runs !== nothing
        over_trials, parts = nothing, (ONE, ONE)
        if !p.single && !q.single
            largest = from_ratio(joint_range(A, B))
            over_trials, parts = fixed_pair_variance(p, q, largest), parts_of_pair(p, q, largest)
        end
        of_runs = over_runs(SampledRuns.over(runs, parts...), V, freedom, over_trials)
    end
    return Difference(
        D, sqrt(V), freedom, sampled ? "measured" : "upper bound", Clusters.squared_shares(units), guard,
        Lazy(cubes, A, B, D, units), Lazy(contributions, A, B, units), unseen, of_runs,
    )
end

"The standard error with runs, and its degrees of freedom, as SampledRuns.with_runs() has the variance."
function over_runs(x...)::WithRuns
    of_runs = SampledRuns.with_runs(x...)
    of_runs === nothing && return nothing
    V, freedom = of_runs
    return sqrt(V), freedom
end

"""
Two steps of the metric of the model with the fewest trials, at most 1; 0 where both have equally many trials.

With unequal trials the differences of equal models are skewed: with 16 and 1 trials of 20 questions, each solved with a
probability of .03, the second model mostly fails all, and without a guard 39% of samples differ at 5%.
"""
function least_guard(A, B)
    trials_of_questions(A) == trials_of_questions(B) && return ZERO
    return smaller(ONE, two_steps(A.parts, B.parts, from_ratio(joint_range(A, B))))
end

function cubes(A, B, D, units)
    units.labels === nothing && return cubes_over(Estimators.cubes(A, B, D)..., units.M)
    return Clusters.cubes(units, differences_of_units(A, B, units), D)
end

function differences_of_units(A, B, units)
    (u, which), (v, other) = state_values(A), state_values(B)
    return Triple[x - y for (x, y) in zip(Clusters.means(units, which, u), Clusters.means(units, other, v))]
end

"The variance of the difference over the sampling of units."
function sampling_variance(A, B, D, units)
    if units.labels === nothing
        Z = over_square(unbiased(squares(A, B, D), units.M), units.M)
    else
        Z = Clusters.variance_terms(units, differences_of_units(A, B, units), D)
    end
    value(Z) < NEARLY_EQUAL / units.M || return Z
    # rounded differences that are nearly equal leave no digit; those that are equal as decimals count as equal
    exact = deferred(mean_and_variance)(A, B, units)[2]::Rational{BigInt}
    return exact > units.squared // (big(units.M)^2 << 80) ? from_ratio(exact) : ZERO
end

"The contributions of the sampled units to the difference."
function contributions(A, B, units)
    units.labels === nothing && return of_states(both_states(A, B)..., from_ratio(big(1), big(units.M)))
    return of_clusters(differences_of_units(A, B, units), units.sizes, units.M)
end

"""
Difference on different questions of one population; Welch's degrees of freedom.

Without a guard of 1 equal models differ in 23% of samples of unequal sizes at 5% (54 and 4 questions).
"""
function unpaired_difference(A::Estimator, B::Estimator, guard, runs = nothing)
    p, q = A.parts, B.parts
    check_two_units(p.M, "A")
    check_two_units(q.M, "B")
    parts = own_variance(p), own_variance(q)
    V = parts[1][1] + parts[2][1]
    unit, freedom, of_runs = from_ratio(big(1), big(min(p.M, q.M))), pooled(V, parts), nothing
    if runs !== nothing
        single = p.single || q.single
        of_both = single ? (ONE, ONE) : (fixed_variance(p), fixed_variance(q))
        of_runs = over_runs(SampledRuns.over(runs, of_both...), V, freedom, single ? nothing : +(of_both...))
    end
    return Difference(
        difference(A, B), sqrt(V), freedom, "measured", unit, guard, Lazy(cubes_unpaired, A, B), nothing, ZERO, of_runs,
    )
end

"The variance of one model over the sampling of questions, with a guard of 1, and its degrees of freedom."
function own_variance(p)
    units = Units(p.M)
    Z, unseen = over_square(p.dev, p.M), Clusters.unseen(units)
    return Z + unseen, df_of_sampling(Z, unseen, Clusters.freedom(units))
end

function cubes_unpaired(A, B)
    (third, sixth), (other, other_sixth) = (cubes_over(Estimators.own_cubes(X)..., X.parts.M) for X in (A, B))
    return third - other, sixth + other_sixth
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
