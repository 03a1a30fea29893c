# Every pair of many models, each on the questions that both answered.

module Pairs

using ..Scorio: check_trials, naming, population
using ..Differences: Difference, common_questions, paired_difference
using ..Estimates: NO_DIFFERENCE, estimator_for, runs_about, units_of, with_runs
using ..Estimators: Estimator
using ..Metrics: flips
using ..Models: count_models, label, split_models
using ..SampledRuns: istext

@nospecialize

"A pair of models a < b by index: their difference, the questions that were dropped, both estimators."
struct Contrast
    a::Int
    b::Int
    difference::Difference
    dropped::Vector{Int}
    estimators::Tuple{Estimator,Estimator}
end

"The models, and the contrasts of all their pairs in the order (1, 2), (1, 3), ..., (2, 3), ..."
function contrasts(request, models, w)
    named_models = checked_models(request, models, w)
    return named_models, contrasts_of(request, named_models)
end

"A copy of a request with the argument `runs` of a call on these models."
with_runs_of(request, models, runs) =
    with_runs(request, runs, istext(runs, "sampled") || istext(runs, "shared") ? split_models(models, "models", 1) : nothing)

"The counts of the models on the same questions, each question with k trials or none."
function checked_models(request, models, w, min_models = 2)
    clustered = request.sampled && request.clusters === nothing
    scores = w === nothing ? nothing : request.m.w
    named_models =
        count_models(models, scores, request.missing, "models"; min_models = min_models, clustered = clustered)
    for (i, x) in enumerate(named_models.items)
        check_trials(x, request.m.k, "model $(label(named_models, i))", NO_DIFFERENCE, flips(request.m))
    end
    return named_models
end

"The contrasts of all pairs of these models."
function contrasts_of(request, named_models)
    labels = population(nothing, request.clusters, request.sampled, named_models.items[1])[2]
    incomplete = any(x -> x.min_trials == 0, named_models.items)
    estimators = incomplete ? nothing : Estimator[estimator_for(request, x) for x in named_models.items]
    units, L, out = estimators === nothing ? nothing : units_of(labels, Int[]), length(named_models.items), Contrast[]
    for i in 1:L, j in i+1:L
        pair = "models $(label(named_models, i)) and $(label(named_models, j))"
        contrast = naming(pair) do  # an error names the two models
            estimators === nothing && return contrast_on_common(request, named_models, i, j, labels)
            both = estimators[i], estimators[j]
            d = paired_difference(both..., request.sampled, request.guard, "models", units, runs_about(request, i, j))
            Contrast(i, j, d, Int[], both)
        end
        push!(out, contrast)
    end
    return out
end

"The contrast of two models on the questions that both answered."
function contrast_on_common(request, named_models, i, j, labels)
    a, b, dropped = common_questions(named_models.items[i], named_models.items[j], "models", "models")
    p, r = estimator_for(request, a), estimator_for(request, b)
    units = units_of(labels, dropped)
    d = paired_difference(p, r, request.sampled, request.guard, "models", units, runs_about(request, i, j))
    return Contrast(i, j, d, dropped, (p, r))
end

end
