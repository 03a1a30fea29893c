# Every pair of many models, each on the questions that both answered.

module Pairs

using ..Scorio: population, trials_at_least
using ..Differences: Difference, common, paired_difference
using ..Estimates: NO_DIFFERENCE, estimator_for, units_of
using ..Estimators: Estimator
using ..Metrics: flips
using ..Models: counted, label

@nospecialize

"A pair of models a < b by index: their difference, the questions that were dropped, both estimators."
struct Contrast
    a::Int
    b::Int
    difference::Difference
    dropped::Vector{Int}
    estimators::Tuple{Estimator,Estimator}
end

"The models, and all pairs in the order (1, 2), (1, 3), ..., (2, 3), ...; an error names its pair."
function contrasts(request, models, w)
    many = checked(request, models, w)
    return many, among(request, many)
end

"The counts of the models on the same questions, each with k trials per question or none."
function checked(request, models, w, fewest = 2)
    clustered = request.sampled && request.clusters === nothing
    scores = w === nothing ? nothing : request.m.w
    many = counted(models, scores, request.missing, "models"; fewest = fewest, clustered = clustered)
    for (i, x) in enumerate(many.items)
        trials_at_least(x, request.m.k, "model $(label(many, i))", NO_DIFFERENCE, flips(request.m))
    end
    return many
end

"Contrasts of all pairs of these models."
function among(request, many)
    labels = population(nothing, request.clusters, request.sampled, many.items[1])[2]
    incomplete = any(x -> x.fewest == 0, many.items)
    estimators = incomplete ? nothing : Estimator[estimator_for(request, x) for x in many.items]
    units, L, out = estimators === nothing ? nothing : units_of(labels, Int[]), length(many.items), Contrast[]
    for i in 1:L, j in i+1:L
        if estimators === nothing
            push!(out, contrast_on_common(request, many, i, j, labels))
        else
            d = paired_difference(estimators[i], estimators[j], request.sampled, "models", units)
            push!(out, Contrast(i, j, d, Int[], (estimators[i], estimators[j])))
        end
    end
    return out
end

"Contrast of two models on the questions with trials of both."
function contrast_on_common(request, many, i, j, labels)
    who = "models $(label(many, i)) and $(label(many, j))"
    a, b, dropped = common(many.items[i], many.items[j], "models", who)
    p, r = estimator_for(request, a), estimator_for(request, b)
    d = paired_difference(p, r, request.sampled, "models", units_of(labels, dropped))
    return Contrast(i, j, d, dropped, (p, r))
end

end
