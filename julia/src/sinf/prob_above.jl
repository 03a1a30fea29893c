# Probability that the metric of one model is above a threshold.

"""
    prob_above(R, t, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, pool=nothing, clusters=nothing,
        model=:mixture, missing=:raise) -> Float64

The probability that a metric lies above `t`.

- `R`, `metric`, `k`, `tau`, `w`, `questions`, `pool`, `clusters`, `model`, `missing`: as in [`interval`](@ref).
- `t`: the threshold, strictly between the lowest and the highest score: 0 and 1 without `w`.

With `:fixed` it is Phi((theta - t) sqrt(n_eff) / sqrt(t (1 - t))), theta and t on the scale 0..1; with `:sampled` it is
from t distributions (spec/families/intervals.md). It is 1/2 where the metric equals `t`, and above (1 + confidence)/2
where the whole interval is above `t`.

Throws `InvalidInput` for anything wrong with the arguments; range: `t` outside the scores.

The result is 1 minus the p-value of a one-sided test: the one whose inversion gives the intervals of
[`interval`](@ref), with the same variance and without a prior. `:fixed`: the probability that the expected value of the
metric on these exact questions is above `t`; `:sampled`: the probability that its value over the population of similar
questions is. With one trial per question the trial-to-trial variance cannot be measured; a second trial makes the
answer much more certain.

# Examples
```jldoctest
julia> round(prob_above([0 1 1 0 1; 1 1 0 1 1], 0.5; questions=:fixed), digits=4)
0.897
```
"""
@by_name function prob_above(
    R, t, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), pool = nothing, clusters = nothing, model = :mixture, missing = :raise,
)
    t = Arguments.finite(t, "t")
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, pool = pool, clusters = clusters, model = model, missing = missing,
        allowed = Metrics.ALL_INTERVALS,
    )
    x = Estimates.measure_outcomes(request, R)
    low, high = ends(request.m.w)
    low < t < high || refuse("range", "t", "t = ", t, " is not strictly between the scores ", low, " and ", high)
    threshold, bottom, top = map(ext, (t, low, high))
    full = sub(top, bottom)
    at, over = DoubleDouble.div(sub(threshold, bottom), full), DoubleDouble.div(sub(top, threshold), full)
    V, unit = Estimates.variance_and_unit(x)
    return value(
        Variance.probability_above(x.estimator.parts::Variance.Parts, V, unit, at, over, x.freedom, x.freedom_of_units),
    )
end
