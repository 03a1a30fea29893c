# One model against a bar.

"""
    prob_above(R, t, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, pool=nothing, clusters=nothing,
        law=:beta, missing=:raise) -> Float64

How sure it is that a metric lies above `t`.

- `R`, `metric`, `k`, `tau`, `w`, `questions`, `pool`, `clusters`, `law`, `missing`: as in [`interval`](@ref).
- `t`: the bar, strictly between the lowest and the highest score: 0 and 1 without `w`.

Phi((theta - t) sqrt(n_eff) / sqrt(t (1 - t))), theta and t on the scale 0..1: 1/2 where the metric is `t`, and above
(1 + confidence)/2 where the whole interval is above `t`. Throws `InvalidInput` for anything wrong with the arguments;
range: `t` outside the scores. The confidence that the tests behind the intervals of [`interval`](@ref) give, with no
prior; it holds what they hold. `:fixed`: that the number for these same questions is above `t`, were there ever more
trials; `:sampled`: that the number over all questions like these is. With one trial of each question the noise of the
trials is not identified, and a second trial makes the answer much surer.

# Examples
```jldoctest
julia> round(prob_above([0 1 1 0 1; 1 1 0 1 1], 0.5; questions=:fixed), digits=4)
0.897
```
"""
function prob_above(
    R, t, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions, pool = nothing, clusters = nothing, law = :beta, missing = :raise,
)
    t = Arguments.finite(t, "t")
    m, by_law = Metrics.read(metric, k, tau, w), Estimates.checked_law(law)
    x = Estimates.measured(R, m, w !== nothing, questions, pool, clusters, by_law, missing)
    low, high = extrema(m.w)
    low < t < high || refuse("range", "t", "t = ", t, " is not strictly between the scores ", low, " and ", high)
    bar, bottom, top = map(DoubleDouble.ext, (t, low, high))
    full = DoubleDouble.sub(top, bottom)
    bar, over = DoubleDouble.div(DoubleDouble.sub(bar, bottom), full), DoubleDouble.div(DoubleDouble.sub(top, bar), full)
    return DoubleDouble.value(Variance.beyond(x.side.parts, Estimates.effective(x), bar, over))
end
