# Scores to ranks.

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
function competition_ranks_from_scores(scores_in_id_order; tol = 1e-12)
    scores = Checks.vector(scores_in_id_order, "scores_in_id_order")
    tol = Checks.within(tol, "tol", 0.0, floatmax(Float64))
    ranks, best, rank = zeros(Int, length(scores)), 0.0, 0
    for (place, i) in enumerate(sortperm(scores, rev = true))
        if place == 1 || best - scores[i] > tol
            best, rank = scores[i], place
        end
        ranks[i] = rank
    end
    return ranks
end
