# Ranks from scores: four conventions, and ties of neighbours that do not differ significantly (arXiv:2510.04265).

const CONVENTIONS = ("competition", "competition_max", "dense", "average")
const TOL = 1e-12  # default: absorbs the rounding of equal scores

"Ranks of models in four conventions, each in the order of the scores."
const Ranks = NamedTuple{
    (:competition, :competition_max, :dense, :average),Tuple{Vector{Int},Vector{Int},Vector{Int},Vector{Float64}},
}

"""
Ranks of the models in `order`, which lists them from the best to the worst.

tied(best, before, i) says whether model i joins the tie above it, which begins with `best` and ends with `before`.
"""
function ranks_in_order(order::Vector{Int}, tied)
    ties = Vector{Int}[]
    for (position, i) in enumerate(order)
        if position > 1 && tied(ties[end][1], order[position-1], i)::Bool
            push!(ties[end], i)
        else
            push!(ties, [i])
        end
    end
    L, above = length(order), 0
    ranks = Ranks((zeros(Int, L), zeros(Int, L), zeros(Int, L), zeros(L)))
    for (number, group) in enumerate(ties)
        first_rank, last_rank = above + 1, above + length(group)
        for i in group
            ranks.competition[i], ranks.competition_max[i] = first_rank, last_rank
            ranks.dense[i], ranks.average[i] = number, (first_rank + last_rank) / 2
        end
        above = last_rank
    end
    return ranks
end

"Ranks of scores, where a score joins a tie if it is at most tol below the best of that tie."
function by_score(scores, tol)
    order = sort_order((i, j) -> scores[i] > scores[j], length(scores))
    return ranks_in_order(order, (best, _, i) -> scores[best] - scores[i] <= tol)
end

"""
    rank_scores(scores, tol=1.0e-12, sigmas=nothing, confidence=0.95, ties=:zscore_adjacent)
        -> (competition, competition_max, dense, average)

Ranks of scores in four conventions, higher is better; with `sigmas`, ties where differences are not significant.

- `scores`: one finite score for each model.
- `tol >= 0`: without `sigmas`, a score belongs to the tie above it if it is at most this far below the best score of
  that tie. With `sigmas`, neighbours that differ by at most this always tie.
- `sigmas`: standard deviations, in the unit of the scores.
- `confidence`: level of the threshold or of the intervals, strictly between 1/2 and 1; used only with `sigmas`.
- `ties`: with `sigmas`, in falling order of score (then rising sigma, then index): neighbours tie where |z| is below
  the one-sided threshold (`:zscore_adjacent`; 1.645 at 95%), or where their intervals overlap or touch
  (`:ci_overlap_adjacent`).

The conventions, for example: 1,2,2,4; 1,3,3,4; 1,2,2,3; 1,2.5,2.5,4. Throws `InvalidInput` for anything wrong with the
arguments. Source: section 2.9 of arXiv:2510.04265. Ties of neighbours are joined: where many models are close, one tie
can contain models that differ significantly. [`Rank.ranges`](@ref Scorio.Rank.ranges) does not have this problem.

# Examples
```jldoctest
julia> Tuple(rank_scores([0.9, 0.7, 0.7, 0.5]).competition_max)
(1, 3, 3, 4)

julia> Tuple(rank_scores([0.9, 0.8, 0.5]; sigmas=[0.05, 0.05, 0.05]).dense)
(1, 1, 2)
```
"""
@by_name function rank_scores(scores, tol = TOL, sigmas = nothing, confidence = 0.95, ties = :zscore_adjacent)
    values = Arguments.vector(scores, "scores")
    tol = Arguments.in_range(tol, "tol", 0.0, floatmax(Float64))
    ties = Arguments.choice(ties, "ties", ("zscore_adjacent", "ci_overlap_adjacent"))
    confidence = Arguments.confidence(confidence, sigmas === nothing ? 0.0 : 0.5)
    sigmas === nothing && return Result{:Ranks}(by_score(values, tol))
    sd, r = Arguments.standard_deviations(sigmas, "sigmas", length(values)), rule(ties, confidence)
    order = sort_order((i, j) -> values[i] > values[j] || (values[i] == values[j] && sd[i] < sd[j]), length(values))
    tied(_, a, b) = values[a] - values[b] <= tol || !separated(r, gap_of(r, values[a], sd[a], values[b], sd[b]))
    return Result{:Ranks}(ranks_in_order(order, tied))
end

"""
    competition_ranks_from_scores(scores_in_id_order; tol=1.0e-12) -> Vector{Int}

Competition ranks 1, 2, 2, 4: higher is better, ties share the best of their ranks.

- `scores_in_id_order`: one finite score for each model.
- `tol >= 0`: a score belongs to the tie above it if it is at most this far below the best score of that tie, computed
  in doubles.

Throws `InvalidInput` for anything wrong with the arguments. Ranks of estimates ignore their uncertainty: see
[`Rank.ranges`](@ref Scorio.Rank.ranges).

# Examples
```jldoctest
julia> Tuple(competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65]))
(1, 2, 2, 4, 5)
```
"""
function competition_ranks_from_scores(scores_in_id_order; tol = TOL)
    scores = Arguments.vector(scores_in_id_order, "scores_in_id_order")
    tol = Arguments.in_range(tol, "tol", 0.0, floatmax(Float64))
    return by_score(scores, tol).competition
end
