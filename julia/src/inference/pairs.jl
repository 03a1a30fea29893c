# Every pair of many models, each on the questions that both answered, and what many comparisons at once decide:
# adjusted p-values, the ranks that models may have, and models that may be the best.

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

# --- many comparisons at once -----------------------------------------------------------------------

module Multiplicity

using ..Arguments: Arguments
using ..Decision: is_below_margin
using ..DegreesOfFreedom: smaller
using ..Differences: is_significant, p_value, reversed_difference
using ..Distributions: error_rate
using ..DoubleDouble: ONE, Triple, ZERO
using ..Metrics: flips
using ..Pairs: Contrast
using ..Scorio: sort_order
using ..Variance: larger

"""
Holm's adjusted p-values: for the r-th smallest, the largest of min(1, (m - j + 1) p_(j)), j <= r.

Rejecting where they are at most alpha, the probability of any false rejection is at most alpha, however the p-values
depend on each other (Holm 1979).
"""
function holm(p)
    m, largest, out = length(p), ZERO, fill(ZERO, length(p))
    for (j, i) in enumerate(from_smallest(p))
        largest = larger(largest, smaller((m - j + 1) * p[i], ONE))
        out[i] = largest
    end
    return out
end

"""
Benjamini and Hochberg's adjusted p-values: for the r-th smallest, the least of min(1, m p_(s) / s), s >= r.

Rejecting where they are at most q, the false-discovery rate is at most q, for independent p-values (Benjamini and
Hochberg 1995).
"""
function benjamini_hochberg(p)
    m, least, out, order = length(p), ONE, fill(ONE, length(p)), from_smallest(p)
    for r in m:-1:1
        least = smaller(least, Triple(m) / r * p[order[r]])
        out[order[r]] = least
    end
    return out
end

"Indices of p-values, from the smallest."
from_smallest(p) = sort_order((i, j) -> p[i] < p[j], length(p))

"Check `correction`; returns whether p-values are adjusted by Holm's method."
checked_correction(x) = x !== nothing && Arguments.choice(x, "correction", ("holm",)) == "holm"

"The p-value of every pair; adjusted by Holm's method if `by_holm`."
function adjusted(pairs, by_holm)
    p = Triple[p_value(x.difference) for x in pairs]
    return by_holm ? holm(p) : p
end

"The pairs with differences that are positive if the first model is better, also where lower is better."
positive_if_better(m, pairs) =
    flips(m) ? Contrast[
        Contrast(x.a, x.b, reversed_difference(x.difference), x.dropped, x.estimators) for x in pairs
    ] : pairs

"The ranks each model may have: from 1 + the number significantly better to L - the number significantly worse."
function possible_ranks(L, pairs, p, confidence)
    best, worst = fill(1, L), fill(L, L)
    for (x, p_of_pair) in zip(pairs, p)
        is_significant(p_of_pair, confidence) || continue
        winner, loser = x.difference.D.hi > 0.0 ? (x.a, x.b) : (x.b, x.a)
        best[loser] += 1
        worst[winner] -= 1
    end
    return [(best = best[i], worst = worst[i]) for i in 1:L]
end

"""
Models that no other model exceeds by more than gap in a gate's test at level (1 - confidence) / (L - 1).

A test by the t distribution alone excludes the best model in 15% of runs (nominal 5%) where a rival fails all trials of
some questions, few of which were sampled, and in 11% where nine rivals with few trials fail rarely.
"""
function possibly_best(L, pairs, confidence, gap)
    possible, level = trues(L), error_rate(confidence, max(L - 1, 1))  # one model has no pairs
    for x in pairs, (loser, d) in ((x.b, x.difference), (x.a, reversed_difference(x.difference)))
        d.D > gap && is_below_margin(reversed_difference(d), gap, level) && (possible[loser] = false)
    end
    return findall(possible)
end

end
