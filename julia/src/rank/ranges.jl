# Rank ranges: the best and the worst rank that a model may have; and the set of models that may be the best.

"""
    ranges(models, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, confidence=0.95,
        correction=:holm, clusters=nothing, guard=0.0, model=:mixture, missing=:raise) -> (best, worst) of each model

Rank ranges of models by a metric: best, 1 + the number of significantly better models; worst, L - the number of
significantly worse models.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything
  that R may be.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref Scorio.interval).
- `questions`: `:fixed` for ranks on this question set, `:sampled` for ranks in the population of similar questions.
- `runs`: as in [`interval`](@ref Scorio.interval). `:sampled`: all models of the call give the variance of runs, the
  others less the more the runs of a pair differ. `:shared`: their runs are the same, and the pair's differences give it.
- `confidence`: 1 - confidence is the nominal probability that any pair of equal models is called significantly
  different; without a correction, it is the probability for each single pair.
- `correction`: `:holm`, Holm's adjustment over all pairs, so that all ranges together cover the true ranks with
  probability confidence, as far as each p-value is valid; `nothing`, no adjustment.
- `clusters`: with `:sampled`, M labels: clusters of related questions, the units that were sampled. Default: the
  clusters stored in the counts, if any; `false`: none.
- `guard`: as in [`compare`](@ref Scorio.compare).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer). A
  pair is compared on the questions that both answered; if the models have different question ids, this requires
  `:drop`.

The result is a vector, or the names of the models with their ranges. Throws `InvalidInput` for anything wrong with the
arguments; shape: models on different numbers of questions, or a pair with a single question in common where questions
are the units; range: `k` above the trials of a question. Source: spec/families/comparisons.md. Ranges use the tests of
all pairs; ties of `rank_scores` only those of neighbours. The level is for one look at the data: see
[`boundaries`](@ref) for several.

# Examples
```jldoctest
julia> R = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9), c=repeat([0 0 1 0], 9));

julia> Rank.ranges(R; questions=:fixed).b
(best = 2, worst = 2)

julia> Rank.ranges(R, "pass@k", 2; questions=:fixed).b
(best = 1, worst = 2)
```
"""
@by_name function ranges(
    models, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed,
    confidence = 0.95, correction = :holm, clusters = nothing, guard = 0.0, model = :mixture,
    missing = :raise,
)
    confidence, by_holm = Arguments.confidence(confidence), checked_correction(correction)
    request = parse_request(
        metric, k, tau, w; questions = questions, clusters = clusters, guard = guard, model = model, missing = missing,
    )
    request = with_runs_of(request, models, runs)
    all_models, pairs = contrasts(request, models, w)
    pairs = positive_if_better(request.m, pairs)
    return named(all_models, possible_ranks(length(all_models.items), pairs, adjusted(pairs, by_holm), confidence))
end

"""
    winners(models, metric=:mean, k=nothing, tau=nothing, w=nothing; margin=0.0, questions, runs=:fixed,
        confidence=0.95, clusters=nothing, guard=1.0, model=:mixture, missing=:raise)
        -> names of models, or their indices

A set of models that contains the best one with the stated confidence.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything
  that R may be.
- `metric`, `k`, `tau`, `w`, `questions`, `runs`, `clusters`, `model`: as in [`compare`](@ref Scorio.compare).
- `guard`: as in [`gate`](@ref Scorio.gate).
- `margin`: also keep every model that may be at most this far below the best, >= 0, in units of `w`.
- `confidence`: nominal probability that the set contains the best model (with a margin: each model that close to it).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer). A
  pair is compared on the questions that both answered; if the models have different question ids, this requires
  `:drop`.

The models are in the order of `models`. A model is dropped if the test of [`gate`](@ref Scorio.gate) at one-sided level
(1 - confidence)/(L - 1) finds another one above it by more than the margin. Where several models are exactly equal and
best, each one is in the set with probability `confidence`; for all of them at once take the models whose
[`ranges`](@ref Scorio.Rank.ranges) begin at 1. Throws `InvalidInput` as `ranges`; range: a negative margin.

# Examples
```jldoctest
julia> R = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9), c=repeat([0 0 1 0], 9));

julia> Rank.winners(R; questions=:fixed), Rank.winners(R; questions=:fixed, margin=0.2)
([:a], [:a, :b])
```
"""
@by_name function winners(
    models, metric = :mean, k = nothing, tau = nothing, w = nothing;
    margin = 0.0, questions = required("questions"), runs = :fixed,
    confidence = 0.95, clusters = nothing, guard = 1.0, model = :mixture, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    margin = Arguments.in_range(margin, "margin", 0.0, floatmax(Float64))
    request = parse_request(
        metric, k, tau, w; questions = questions, clusters = clusters, guard = guard, model = model, missing = missing,
    )
    request = with_runs_of(request, models, runs)
    all_models, pairs = contrasts(request, models, w)
    low, high = ends(request.m.w)
    gap = low == high ? ZERO : margin / (Triple(high) - low)
    pairs = positive_if_better(request.m, pairs)
    indices = possibly_best(length(all_models.items), pairs, confidence, gap)
    return all_models.names === nothing ? indices : all_models.names[indices]
end
