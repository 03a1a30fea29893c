# Comparisons of every pair of models, with p-values that are adjusted for their number.

"""
    compare_all(models, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, confidence=0.95,
        correction=:holm, clusters=nothing, guard=0.0, model=:mixture, missing=:raise)
        -> a vector of results of `compare`, with a, b and p_adjusted

Comparisons of every pair of models, by default with a family-wise error rate of 1 - confidence.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with outcomes
  in any form that [`interval`](@ref) takes. The models of a `Dict` are sorted by name.
- `metric`, `k`, `tau`, `w`, `questions`, `runs`, `clusters`, `guard`, `model`: as in [`compare`](@ref).
- `confidence`: with the correction, 1 - confidence is the nominal probability that some pair of equal models differs
  significantly.
- `correction`: `:holm`, Holm's step-down adjustment over all L (L - 1) / 2 pairs; `nothing`, each pair by itself.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer). A
  pair is compared on the questions that both answered; where models have ids of different questions, this requires
  `:drop`.

`a` and `b` are the names of the two models, or their indices where models have none; `significant` is p_adjusted <= 1 -
confidence. With the correction the intervals cover all differences at once with the nominal probability `confidence`;
they are a little wider than Holm's decisions need, so that the interval of a significant pair may contain 0. Throws
`InvalidInput` for anything wrong with the arguments; shape: models on different numbers of questions, or a pair with a
single question in common where questions are the sampling units; range: `k` above the trials of a question. Source:
Holm (1979); the error rate is kept under any dependence of the p-values, so models may share questions.

# Examples
```jldoctest
julia> R = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9), c=repeat([0 0 1 0], 9));

julia> Tuple((x.a, x.b, round(x.p_adjusted, digits=5), x.significant) for x in compare_all(R; questions=:fixed))
((:a, :b, 0.00998, true), (:a, :c, 0.0, true), (:b, :c, 0.00038, true))
```
"""
@by_name function compare_all(
    models, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed,
    confidence = 0.95, correction = :holm, clusters = nothing, guard = 0.0, model = :mixture,
    missing = :raise,
)
    confidence, by_holm = Arguments.confidence(confidence), Multiplicity.checked_correction(correction)
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, clusters = clusters, guard = guard, model = model, missing = missing,
    )
    request = Pairs.with_runs_of(request, models, runs)
    all_models, pairs = Pairs.contrasts(request, models, w)
    names = all_models.names === nothing ? eachindex(all_models.items) : all_models.names
    tail = Distributions.error_rate(confidence, by_holm ? 2 * length(pairs) : 2)
    return Results{:PairComparison}(map(pairs, Multiplicity.adjusted(pairs, by_holm)) do x, p
        fields = comparison_fields(x.difference, request.m.w, tail, x.dropped)
        by_adjusted_p = (significant = Differences.is_significant(p, confidence), p_adjusted = value(p))
        return merge((a = names[x.a], b = names[x.b]), fields, by_adjusted_p)
    end)
end
