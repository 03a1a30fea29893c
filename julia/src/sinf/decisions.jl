# Decisions from (mu, sigma): the probability of an order, and when to stop.

const RULES = ("zscore", "ci_overlap")

"""
    ranking_confidence(mu_a, sigma_a, mu_b, sigma_b) -> (rho, z)

Probability that the order of two estimates is the order of the true values.

- `mu_a`, `mu_b`: estimates, such as those of [`bayes`](@ref), in one unit.
- `sigma_a`, `sigma_b`: their standard deviations >= 0, in the same unit.

`z = |mu_a - mu_b| / sqrt(sigma_a^2 + sigma_b^2)` and rho = Phi(z), 0.95 at z = 1.645. If both standard deviations
are 0: (0.5, 0) for equal estimates, else (1, Inf). Throws `InvalidInput`: type, `not_finite`, range (a negative
standard deviation), overflow (of z). Source: section 2.5 of arXiv:2510.04265; assumes normal and independent estimates.
For outcomes on shared questions use [`compare`](@ref).

# Examples
```jldoctest
julia> r = ranking_confidence(0.62, 0.01, 0.60, 0.008);

julia> round(r.rho, digits=4), round(r.z, digits=4)
(0.9408, 1.5617)
```
"""
function ranking_confidence(mu_a, sigma_a, mu_b, sigma_b)
    a, b = Arguments.finite(mu_a, "mu_a"), Arguments.finite(mu_b, "mu_b")
    s = Arguments.in_range(sigma_a, "sigma_a", 0.0, floatmax(Float64))
    t = Arguments.in_range(sigma_b, "sigma_b", 0.0, floatmax(Float64))
    if s == 0.0 && t == 0.0
        return a == b ? (rho = 0.5, z = 0.0) : (rho = 1.0, z = Inf)
    end
    high, low = a > b ? (a, b) : (b, a)
    z = (Triple(high) - low) / Significance.standard_error(s, t)
    rho = value(Distributions.normal_cdf(z))
    return (rho = rho, z = check_overflow(value(z), "mu_a", "the z-score of mu_a"))
end

"Check that a result, described by `what`, is finite; name: the argument to blame."
function check_overflow(x, name, what)
    isfinite(x) || refuse("overflow", name, what, " is beyond the largest double")
    return x
end

"""
    ci_from_mu_sigma(mu, sigma, confidence=0.95, bounds=nothing) -> (lo, hi)

The normal interval mu ∓ z sigma.

- `mu`: estimate.
- `sigma`: its standard deviation >= 0, in the same unit.
- `confidence`: two-sided level, strictly between 0 and 1.
- `bounds`: both ends are clipped to these. Default: no clipping.

The ends are in the unit of `mu`. Throws `InvalidInput` for anything wrong with the arguments; overflow: an end beyond
the largest double. The interval accounts for what `mu` and `sigma` account for: those of [`bayes`](@ref) rest on a
uniform prior on every question. For a mean over questions use [`mean_ci`](@ref).

# Examples
```jldoctest
julia> r = ci_from_mu_sigma(0.7, 0.2; bounds=(0.0, 1.0));

julia> round(r.lo, digits=6), r.hi
(0.308007, 1.0)
```
"""
@by_name function ci_from_mu_sigma(mu, sigma, confidence = 0.95, bounds = nothing)
    mu, sigma = Arguments.finite(mu, "mu"), Arguments.in_range(sigma, "sigma", 0.0, floatmax(Float64))
    z, (low, high) = normal_z(Arguments.confidence(confidence)), Arguments.bounds(bounds)
    x, d = Triple(mu), z * sigma
    lo, hi = value(x - d), value(x + d)
    lo, hi = DoubleDouble.clip(lo, low, high), DoubleDouble.clip(hi, low, high)
    return (lo = check_overflow(lo, "mu", "an end around mu"), hi = check_overflow(hi, "mu", "an end around mu"))
end

"""
    should_stop(sigma, confidence=0.95; max_ci_width=nothing, max_half_width=nothing) -> Bool

Whether the interval mu ∓ z sigma is narrow enough.

- `sigma`: standard deviation >= 0.
- `confidence`: two-sided level, strictly between 0 and 1.
- `max_ci_width`, `max_half_width`: the largest width, or half width, >= 0, in the unit of `sigma`; exactly one of the
  two.

Throws `InvalidInput` for anything wrong with the arguments; conflict: none or both of `max_ci_width` and
`max_half_width`. The `sigma` of [`bayes`](@ref) depends on the estimate, so that stopping at the first narrow interval
biases rates near 0 or 1 outwards where questions are few (one question with rate 0.05: by a quarter). The level is for
one look: coverage is lower at the first look that stops. For repeated looks at a difference: [`boundaries`](@ref).

# Examples
```jldoctest
julia> should_stop(0.02; max_half_width=0.05), should_stop(0.02; max_ci_width=0.05)
(true, false)
```
"""
@by_name function should_stop(sigma, confidence = 0.95; max_ci_width = nothing, max_half_width = nothing)
    sigma = Arguments.in_range(sigma, "sigma", 0.0, floatmax(Float64))
    z = normal_z(Arguments.confidence(confidence))
    (max_ci_width === nothing) == (max_half_width === nothing) &&
        refuse("conflict", "max_ci_width", "give one of max_ci_width and max_half_width")
    by_half_width = max_ci_width === nothing
    name, target = by_half_width ? ("max_half_width", max_half_width) : ("max_ci_width", max_ci_width)
    limit = Arguments.in_range(target, name, 0.0, floatmax(Float64))
    half = z * sigma
    return Triple(limit) >= (by_half_width ? half : times_2_to(half, 1.0))
end

"""
The index of the leader, and (distance from it, index) of each model that is not separated from it.

The distance is a z-score, or the gap between the two intervals, negative if these overlap.
"""
function leader_and_challengers(mus, sigmas, confidence, method)
    x = Arguments.at_least_two(mus, "mus")
    s = Arguments.standard_deviations(sigmas, "sigmas", length(x))
    confidence = Arguments.confidence(confidence, 0.5)
    rule = Significance.rule(Arguments.choice(method, "method", RULES), confidence)
    leader = findfirst(==(maximum(x)), x)
    challengers = Tuple{Triple,Int}[]
    for i in eachindex(x)
        i == leader && continue
        gap = Significance.gap_of(rule, x[leader], s[leader], x[i], s[i])
        (x[i] == x[leader] || !Significance.separated(rule, gap)) || continue
        push!(challengers, (rule.zscore ? zscore(x[leader], s[leader], x[i], s[i]) : gap, i))
    end
    return leader, challengers
end

"z-score of a difference; 0 if the estimates are equal."
function zscore(x, s, y, t)
    d = Triple(x) - y
    return d.hi == 0.0 ? d : d / Significance.standard_error(s, t)
end

"""
    should_stop_top1(mus, sigmas, confidence=0.95, method=:zscore) -> (stop, leader, ambiguous)

Whether one model is significantly better than every other model.

- `mus`: estimates of L >= 2 models.
- `sigmas`: their standard deviations.
- `confidence`: level of each comparison with the leader, strictly between 1/2 and 1.
- `method`: a model is not significantly worse than the leader if the z-score of their difference is below the one-sided
  critical value (`:zscore`), or if their intervals overlap (`:ci_overlap`).

`leader` is the model with the highest estimate (the first of equal ones), `ambiguous` are the others that are not
significantly worse, both counted from 1; `stop` is whether there are none. Throws `InvalidInput` for anything wrong
with the arguments. Source: section 2.5 of arXiv:2510.04265. The level is that of each comparison by itself, not
family-wise; and looking again after every batch of trials raises the false-positive rate; for repeated looks see
[`boundaries`](@ref).

# Examples
```jldoctest
julia> should_stop_top1([0.6, 0.9, 0.88], [0.02, 0.02, 0.02])
TopOne
  stop       false
  leader     2
  ambiguous  [3]
```
"""
@by_name function should_stop_top1(mus, sigmas, confidence = 0.95, method = :zscore)
    leader, challengers = leader_and_challengers(mus, sigmas, confidence, method)
    return Result{:TopOne}((stop = isempty(challengers), leader = leader, ambiguous = Int[i for (_, i) in challengers]))
end

"""
    suggest_next_allocation(mus, sigmas, confidence=0.95, method=:zscore) -> Vector{Int}

The two models that most need more trials to find the best model.

- All arguments: as in [`should_stop_top1`](@ref).

The leader and its closest challenger, counted from 1; empty where [`should_stop_top1`](@ref) says stop. Among models
equally close, the first. Throws `InvalidInput` for anything wrong with the arguments.

# Examples
```jldoctest
julia> Tuple(suggest_next_allocation([0.6, 0.9, 0.88, 0.87], [0.02, 0.02, 0.02, 0.05]))
(2, 4)
```
"""
@by_name function suggest_next_allocation(mus, sigmas, confidence = 0.95, method = :zscore)
    leader, challengers = leader_and_challengers(mus, sigmas, confidence, method)
    isempty(challengers) && return Int[]
    closest = challengers[1]
    for challenger in challengers
        if challenger[1] < closest[1]
            closest = challenger
        end
    end
    return [leader, closest[2]]
end
