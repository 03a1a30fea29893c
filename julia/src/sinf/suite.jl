# Many models, in one or several benchmarks: every pair with adjusted p-values, and macro-averages with ranks.

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

"""
    suite(benchmarks, metric=:mean, k=nothing, tau=nothing, w=nothing; weights=nothing, questions, runs=:fixed,
        confidence=0.95, correction=:holm, common=false, clusters=nothing, guard=0.0, model=:mixture, missing=:raise)
        -> (models, pairs, each, benchmarks, weights, left_out)

Models over several benchmarks: macro-averages with intervals and ranks, and every pair, also per benchmark.

- `benchmarks`: for each benchmark by name, the outcomes of models by name. A model need not be in all benchmarks.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref), for all benchmarks.
- `weights`: for each benchmark by name, its weight in the macro-average, above 0; the weights are divided by their sum.
  Default: equal weights.
- `questions`: `:fixed`, on these questions of each benchmark; `:sampled`, in the populations of similar questions.
- `runs`: as in [`ranges`](@ref), in each benchmark by itself. Or for each benchmark by
  name, a result of [`run_variation`](@ref).
- `confidence`: nominal coverage of the intervals of models. With the correction, 1 - confidence is the nominal
  probability that some pair of equal models differs significantly over the suite; and, for `each`, in some benchmark.
- `correction`: `:holm`, Holm's adjustment over all pairs, in `each` over all pairs of all benchmarks; `nothing`, each
  pair by itself.
- `common`: `true`, macro-averages of all models, over the benchmarks that every model has; `false`, macro-averages over
  all benchmarks, of the models that have all of them. The weights are the same for all models in either case.
- `clusters`: with `:sampled`, for each benchmark by name, the labels of its questions: clusters of related questions,
  the units that were sampled.
- `guard`: as in [`compare`](@ref).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer). A
  pair is compared on the questions that both answered; where models have ids of different questions, this requires
  `:drop`.

`models` has (model, mu, sigma, lo, hi, `n_eff`, `variance_source`, best, worst, `possibly_best`) of each model with a
macro-average, `pairs` (benchmark, a, b, mu, sigma, lo, hi, `p_value`, df, `p_above`, significant, `variance_source`,
`p_adjusted`) of every pair of these models, with benchmark nothing, `each` the same fields of the pairs in every
benchmark. `benchmarks` and `weights` are those of the macro-average, `left_out` the models without one. All have the
order in which names first appear.

Throws `InvalidInput` as [`compare_all`](@ref) does, with the benchmark's name; choice: weights or clusters of other
benchmarks; range: a weight that is not above 0; empty: no benchmarks, or with `common` none that all models have.

Source: spec/families/suites.md. The questions of different benchmarks are assumed to be independent. With many
benchmarks each p-value is compared with a small level, at which [`compare`](@ref) errs most: in the worst case found
equal models differed in some of 10 benchmarks with a probability of 9%, of 50 with 11%. The level is for one look at
the data ([`boundaries`](@ref)). A mean over benchmarks of very different difficulty hides the differences in each.

# Examples
```jldoctest
julia> easy = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9));

julia> hard = (a=repeat([0 1 1 0], 9), b=repeat([0 0 1 0], 9));

julia> r = suite((easy=easy, hard=hard); questions=:fixed);

julia> Tuple((x.model, x.mu, round(x.lo, digits=4), round(x.hi, digits=4), x.best, x.worst) for x in r.models)
((:a, 0.75, 0.6391, 0.8356, 1, 1), (:b, 0.5, 0.3875, 0.6125, 2, 2))

julia> Tuple((x.benchmark, x.mu, round(x.p_adjusted, digits=4)) for x in r.each)
((:easy, 0.25, 0.02), (:hard, 0.25, 0.0627))
```
"""
@by_name function suite(
    benchmarks, metric = :mean, k = nothing, tau = nothing, w = nothing;
    weights = nothing, questions = required("questions"), runs = :fixed,
    confidence = 0.95, correction = :holm, common = false, clusters = nothing,
    guard = 0.0, model = :mixture, missing = :raise,
)
    confidence, by_holm = Arguments.confidence(confidence), Multiplicity.checked_correction(correction)
    common = Arguments.flag(common, "common")
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, guard = guard, model = model, missing = missing,
    )
    names, benchmark_parts = Suites.read_benchmarks(request, benchmarks, w, clusters, runs)
    all_models = unique(name for x in benchmark_parts for name in x.names)
    used = findall(x -> !common || length(x.names) == length(all_models), benchmark_parts)
    isempty(used) && refuse(
        "empty", "benchmarks",
        "benchmarks: common=true keeps those that have all models, and none has",
    )
    shares, parts = Suites.shares(weights, names, used), benchmark_parts[used]
    complete = [name for name in all_models if all(x -> Suites.model_index(x, name) !== nothing, parts)]
    pairs = over_suite(request.m.w, parts, complete, shares)
    overall, each = BenchmarkPair[(nothing, complete, x) for x in pairs], BenchmarkPair[]
    for (name, x) in zip(names, benchmark_parts), pair in x.pairs
        push!(each, (name, x.names, pair))
    end
    return Result{:Suite}((
        models = suite_models(request, parts, complete, shares, pairs, by_holm, confidence),
        pairs = suite_pairs(overall, request.m.w, by_holm, confidence),
        each = suite_pairs(each, request.m.w, by_holm, confidence),
        benchmarks = names[used], weights = value.(shares.rounded), left_out = setdiff(all_models, complete),
    ))
end

"The contrasts of every pair of the models in `complete`, as weighted means over the benchmarks in `parts`."
function over_suite(w, parts, complete, weights)
    out = Pairs.Contrast[]
    for i in eachindex(complete), j in i+1:length(complete)
        contrasts = Pairs.Contrast[Suites.pair_in(x, complete[i], complete[j]) for x in parts]
        d = Suites.combined(contrasts, weights, Suites.span_of(w))
        push!(out, Pairs.Contrast(i, j, d, Int[], contrasts[1].estimators))
    end
    return out
end

"The rows of the models in `complete`, from their results in each benchmark and their pairs over the suite."
function suite_models(request, parts, complete, weights, pairs, by_holm, confidence)
    L, w, pairs = length(complete), request.m.w, Multiplicity.positive_if_better(request.m, pairs)
    ranks = Multiplicity.possible_ranks(L, pairs, Multiplicity.adjusted(pairs, by_holm), confidence)
    winners = Multiplicity.possibly_best(L, pairs, confidence, ZERO)
    return map(1:L) do i
        estimates = Estimates.Measurement[x.values[Suites.model_index(x, complete[i])] for x in parts]
        x = Suites.average(Suites.Part[Suites.part(y, confidence) for y in estimates], weights)
        terms = Triple[Estimators.mu(y.estimator) for y in estimates]
        mu = Suites.weighted_mean(weights, terms, b -> Estimators.exact(estimates[b].estimator))
        (mu, sigma, lo, hi), n_eff = Suites.ends(x, mu, confidence, minimum(w), maximum(w))
        return (
            model = complete[i], mu = mu, sigma = sigma, lo = lo, hi = hi, n_eff = value(n_eff),
            variance_source = x.variance_source, best = ranks[i].best, worst = ranks[i].worst,
            possibly_best = i in winners,
        )
    end
end

const BenchmarkPair = Tuple{Any,Vector,Pairs.Contrast}  # the benchmark, the names of its models, and a pair of them

"The rows of a family of pairs; by_holm: p-values and intervals are adjusted for the number of pairs."
function suite_pairs(rows::Vector{BenchmarkPair}, w, by_holm, confidence)
    tail = Distributions.error_rate(confidence, by_holm ? 2 * max(length(rows), 1) : 2)
    p = Multiplicity.adjusted(Pairs.Contrast[pair for (_, _, pair) in rows], by_holm)
    return map(rows, p) do (benchmark, names, pair), p
        x = comparison_fields(pair.difference, w, tail, nothing)
        return (
            benchmark = benchmark, a = names[pair.a], b = names[pair.b], mu = x.mu, sigma = x.sigma, lo = x.lo,
            hi = x.hi, p_value = x.p_value, df = x.df, p_above = x.p_above,
            significant = Differences.is_significant(p, confidence), variance_source = x.variance_source,
            p_adjusted = value(p),
        )
    end
end
