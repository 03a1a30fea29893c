# Elo ratings of models that answer the same questions.

const TIES = ("correct_draw_only", "draw", "skip")

module Games

Base.Experimental.@optlevel 2

using ...DoubleDouble: @inlined, Triple, ZERO

"Rating gains over all rounds, for the models in the given order. R: L × M × N of 0 and 1; per_point: ln 10 / 400."
@inlined function play(R::Array{Int,3}, order, K, per_point, both_right, both_wrong)
    L = length(order)
    gain, points, strength = fill(ZERO, L), fill(ZERO, L), fill(exp(ZERO), L)  # strength: 10^(gain/400)
    right = zeros(Int, L)
    for t in axes(R, 3), m in axes(R, 2)
        for i in 1:L
            right[i] = R[order[i], m, t]
        end
        score!(points, right, strength, both_right, both_wrong)
        for i in 1:L
            points[i].hi == 0.0 && continue  # the strength is unchanged
            gain[i] += K * points[i]
            strength[i] = exp(gain[i] * per_point)
        end
    end
    return gain
end

"""
Fill points with the score of each model in a round, less the score expected from its strength.

In a game j loses the points that i gains, so that each pair needs one division. both_right, both_wrong: whether two
equal outcomes, both right or both wrong, are a draw or else no game.
"""
@inlined function score!(points, right, strength, both_right, both_wrong)
    fill!(points, ZERO)
    for i in eachindex(right, strength), j in 1:i-1
        a, b, strength_i, strength_j = right[i], right[j], strength[i], strength[j]
        (a == b && !(a == 1 ? both_right : both_wrong)) && continue
        share = (a > b ? strength_j : strength_i) / (strength_i + strength_j)
        if a > b  # i gains the share
            points[i], points[j] = points[i] + share, points[j] - share
        else  # i loses the share; in a draw, its excess over one half
            share = a == b ? share - 0.5 : share
            points[i], points[j] = points[i] - share, points[j] + share
        end
    end
end

end

@specialize

"Whether the outcomes of model i, question by question, come before those of j."
function precedes(R::Array{Int,3}, i, j)
    for m in axes(R, 2), t in axes(R, 3)
        R[i, m, t] == R[j, m, t] || return R[i, m, t] < R[j, m, t]
    end
    return false
end

@nospecialize

"""
    elo(R, K=32, initial_rating=1500, tie_handling=:correct_draw_only; method=:competition, return_scores=false)
        -> ranks, or (ranks, scores)

Ranks of models by Elo ratings: every question of every trial is a round that all pairs play.

- `R`: outcomes 0 and 1 of L >= 2 models on the same M questions, N trials each, none missing: L × M × N, a vector of
  matrices, or names with matrices.
- `K`: the K-factor, the most points that a model can gain or lose in a game, in (0, 1e4].
- `initial_rating`: rating of every model before the first round, at most 1e6 in size.
- `tie_handling`: equal outcomes are a draw if both are right, else no game (`:correct_draw_only`); always a draw
  (`:draw`); or never a game (`:skip`).
- `method`: the convention for ties, one of those of [`rank_scores`](@ref Scorio.Rank.rank_scores).
- `return_scores`: whether to return the ratings too.

The rank of each model, 1 the best. Throws `InvalidInput` for anything wrong with the arguments. Rounds run trial by
trial, question by question; all pairs of a round are scored against the ratings before it, so the order of the models
does not matter. The expected score of i against j is `1 / (1 + 10^((r_j - r_i) / 400))`. The order of rounds does
matter: late rounds weigh more. For anything but a chess-like display prefer [`Rank.bayes`](@ref Scorio.Rank.bayes).

# Examples
```jldoctest
julia> r = elo([[1 1; 1 0], [0 1; 0 0]]; return_scores=true);

julia> Tuple(r.ranks), Tuple(round.(r.scores, digits=4))
((1, 2), (1527.7471, 1472.2529))
```
"""
@by_name elo(
    R, K = 32, initial_rating = 1500, tie_handling = :correct_draw_only;
    method = :competition, return_scores = false,
) = typed_ranks(R, method, return_scores, rank_by_elo(R, K, initial_rating, tie_handling, method, return_scores))

function rank_by_elo(R, K, initial_rating, tie_handling, method, return_scores)
    K = Arguments.finite(K, "K")
    0.0 < K <= 1e4 || refuse("range", "K", "K = ", K, " is outside (0, 10000]")
    start = Arguments.in_range(initial_rating, "initial_rating", -1e6, 1e6)
    tie_handling = Arguments.choice(tie_handling, "tie_handling", TIES)
    method = Arguments.choice(method, "method", CONVENTIONS)
    return_scores = Arguments.flag(return_scores, "return_scores")
    outcomes, models = tensor(R)
    # sorted, so that rounding does not depend on the order of the models
    order = sort_order((i, j) -> precedes(outcomes, i, j), size(outcomes, 1))
    per_point = log(Triple(10.0)) / 400.0
    gains = Games.play(outcomes, order, Triple(K), per_point, tie_handling != "skip", tie_handling == "draw")
    ratings = zeros(length(order))
    for (gain, model) in zip(gains, order)
        ratings[model] = value(start + gain) + 0.0
    end
    return ranking_result(models, ratings, TOL, method, return_scores)
end
