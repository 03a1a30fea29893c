# Scores to ranks: four conventions, and the paper's ties of neighbours.

const CONVENTIONS = ("competition", "competition_max", "dense", "average")
const TOL = 1e-12

"The ranks of the same models in four conventions, each in the order of the scores."
const Ranks = NamedTuple{
    (:competition, :competition_max, :dense, :average),Tuple{Vector{Int},Vector{Int},Vector{Int},Vector{Float64}},
}

"1..n in the order of before(i, j), equal ones as they stand: merging runs. Base's sorts take longer to compile."
function sorted(before, n)
    order, other, width = collect(1:n), zeros(Int, n), 1
    while width < n
        for start in 1:2width:n
            middle, stop = min(start + width, n + 1), min(start + 2width, n + 1)
            i, j = start, middle
            for place in start:stop-1
                if j == stop || (i < middle && !before(order[j], order[i])::Bool)
                    other[place], i = order[i], i + 1
                else
                    other[place], j = order[j], j + 1
                end
            end
        end
        order, other, width = other, order, 2width
    end
    return order
end

"Ranks of models in falling order; tied(best, before, this) says whether this one joins the group above it."
function conventions(order::Vector{Int}, tied)
    groups = Vector{Int}[]
    for (place, i) in enumerate(order)
        if place > 1 && tied(groups[end][1], order[place-1], i)::Bool
            push!(groups[end], i)
        else
            push!(groups, [i])
        end
    end
    L, above = length(order), 0
    ranks = Ranks((zeros(Int, L), zeros(Int, L), zeros(Int, L), zeros(L)))
    for (number, group) in enumerate(groups)
        best, last = above + 1, above + length(group)
        for i in group
            ranks.competition[i], ranks.competition_max[i] = best, last
            ranks.dense[i], ranks.average[i] = number, (best + last) / 2
        end
        above = last
    end
    return ranks
end

"Ties with the best of the group above, at most tol below it."
function by_score(scores, tol)
    order = sorted((i, j) -> scores[i] > scores[j], length(scores))
    return conventions(order, (best, _, i) -> scores[best] - scores[i] <= tol)
end

"""
    rank_scores(scores; tol=1.0e-12, sigmas=nothing, confidence=0.95, ties=:zscore_adjacent)
        -> (competition, competition_max, dense, average)

Ranks of scores in four conventions, higher is better; with `sigmas`, neighbours that noise cannot part tie.

- `scores`: one finite score for each model.
- `tol >= 0`: without `sigmas`, a score ties with the best of the group above it if it is at most this far below; groups
  do not chain. With `sigmas`, neighbours at most this far apart always tie.
- `sigmas`: standard deviations, in the unit of the scores.
- `confidence`: used with `sigmas`; strictly between 1/2 and 1.
- `ties`: with `sigmas`, in falling order of score (rising sigma, then place): neighbours tie where |z| is below the
  one-sided threshold (`:zscore_adjacent`; 1.645 at 95 %), or where their intervals overlap (`:ci_overlap_adjacent`).

The conventions: 1,2,2,4; 1,3,3,4; 1,2,2,3; 1,2.5,2.5,4. Throws `InvalidInput` for anything wrong with the arguments.
Source: section 2.9 of arXiv:2510.04265. Ties of neighbours chain: on close fields one group can hold models that differ
clearly. [`Rank.ranges`](@ref Scorio.Rank.ranges) is the honest statement.

# Examples
```jldoctest
julia> Tuple(rank_scores([0.9, 0.7, 0.7, 0.5]).competition_max)
(1, 3, 3, 4)

julia> Tuple(rank_scores([0.9, 0.8, 0.5]; sigmas=[0.05, 0.05, 0.05]).dense)
(1, 1, 2)
```
"""
function rank_scores(scores; tol = TOL, sigmas = nothing, confidence = 0.95, ties = :zscore_adjacent)
    x = Arguments.vector(scores, "scores")
    tol = Arguments.within(tol, "tol", 0.0, floatmax(Float64))
    ties = Arguments.choice(ties, "ties", ("zscore_adjacent", "ci_overlap_adjacent"))
    confidence = Arguments.confidence(confidence, sigmas === nothing ? 0.0 : 0.5)
    sigmas === nothing && return by_score(x, tol)
    s, r = Arguments.deviations(sigmas, "sigmas", length(x)), rule(ties, confidence)
    order = sorted((i, j) -> x[i] > x[j] || (x[i] == x[j] && s[i] < s[j]), length(x))
    return conventions(order, (_, a, b) -> x[a] - x[b] <= tol || !apart(r, gap(r, x[a], s[a], x[b], s[b])))
end

"""
    competition_ranks_from_scores(scores_in_id_order; tol=1.0e-12) -> Vector{Int}

Competition ranks 1, 2, 2, 4: higher is better, ties share the best of their ranks.

- `scores_in_id_order`: one finite score for each model.
- `tol >= 0`: a score ties with the best score of the group above it if it is at most this far below that, as doubles;
  groups do not chain.

Throws `InvalidInput` for anything wrong with the scores or `tol`. Ranks of estimates say nothing of their noise:
neighbours may not differ.

# Examples
```jldoctest
julia> Tuple(competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65]))
(1, 2, 2, 4, 5)
```
"""
function competition_ranks_from_scores(scores_in_id_order; tol = TOL)
    scores = Arguments.vector(scores_in_id_order, "scores_in_id_order")
    tol = Arguments.within(tol, "tol", 0.0, floatmax(Float64))
    return by_score(scores, tol).competition
end
