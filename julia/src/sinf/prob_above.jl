# Probability that the metric of one model is above a threshold.

"""
    prob_above(R, t, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, pool=nothing,
        clusters=nothing, model=:mixture, missing=:raise) -> Float64

The probability that a metric lies above a threshold `t`.

- `R`, `metric`, `k`, `tau`, `w`, `questions`, `runs`, `pool`, `clusters`, `model`, `missing`: as in
  [`interval`](@ref).
- `t`: the threshold, strictly between the lowest and the highest score: 0 and 1 without `w`.

The result is P(T <= (theta - t) sqrt(n) / sqrt(t (1 - t))), theta (the metric) and t on the scale 0..1. n is
theta (1 - theta) over the variance of theta, or the least effective sample size n0 if the probability is then farther
from 1/2. T has a t distribution, or the normal one: for n0 without clusters, and if the outcomes of many fixed
questions vary (spec/families/intervals.md). The result is 1/2 where the metric equals `t`, and above
(1 + confidence)/2 where the whole [`interval`](@ref) with this confidence is above `t`.

Throws `InvalidInput` for anything wrong with the arguments; range: `t` not strictly between the lowest and the highest
score.

The result is 1 minus the p-value of a one-sided test: the one whose inversion gives the intervals of
[`interval`](@ref), with the same variance and without a prior. `:fixed`: the probability that the expected value of the
metric on these exact questions is above `t`; `:sampled`: the probability that its value over the population of similar
questions is. For `:fixed` with one trial per question the trial-to-trial variance cannot be measured; a second trial
makes the answer much more certain.

# Examples
```jldoctest
julia> round(prob_above([0 1 1 0 1; 1 1 0 1 1], 0.5; questions=:fixed), digits=4)
0.897
```
"""
@by_name function prob_above(
    R, t, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed, pool = nothing, clusters = nothing, model = :mixture,
    missing = :raise,
)
    t = Arguments.finite(t, "t")
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, pool = pool, clusters = clusters, model = model, missing = missing,
        allowed = Metrics.ALL_INTERVALS,
    )
    request = Estimates.with_runs(request, runs, ("R" => R,))
    x = Estimates.measure_counts(request, Estimates.read_outcomes(request, R))
    low, high = ends(request.m.w)
    low < t < high || refuse("range", "t", "t = ", t, " is not strictly between the scores ", low, " and ", high)
    threshold, bottom, top = map(Triple, (t, low, high))
    span = top - bottom
    below, above = (threshold - bottom) / span, (top - threshold) / span
    V, unit = Estimates.variance_and_unit(x)
    parts = x.estimator.parts::Variance.Parts
    p = Variance.probability_above(parts, V, unit, below, above, x.freedom, x.freedom_of_units)
    x.over_runs === nothing && return value(p)
    V, freedom = x.over_runs
    p_of_runs = Variance.probability_above(parts, V, x.unit_of_runs, below, above, freedom, freedom)
    return value(Variance.nearer_to_half(p, p_of_runs))
end
