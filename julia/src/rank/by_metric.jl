# Ranks of models by each metric of counts in Scorio, with the metric's arguments and a convention for ties.

"Ranks by a convention, and the scores if return_scores."
function ranking_result(models, scores, tol, method, return_scores, lower_is_better = false)
    ranks = named(models, getfield(by_score(lower_is_better ? -scores : scores, tol), Symbol(method)))
    return return_scores ? (ranks = ranks, scores = named(models, scores)) : ranks
end

"Rank models by metric(counts, R0) of each model."
rank_by(metric, R, missing, tol, method, return_scores; w = nothing, R0 = nothing, lower_is_better = false) =
    typed_ranks(
        R, method, return_scores,
        untyped_ranks(metric, R, missing, tol, method, return_scores, w, R0, lower_is_better),
    )

@specialize
"Ranks with their type declared where the form of R and the convention :competition determine it."
@inline typed_ranks(R, method, return_scores, x) = x
@inline typed_ranks(R::NamedTuple{names}, method::Symbol, return_scores::Bool, x) where {names} =
    method === :competition && !return_scores ? x::NamedTuple{names,NTuple{length(names),Int}} : x
@inline typed_ranks(
    R::Union{AbstractArray{<:Real,3},AbstractVector{<:AbstractMatrix}}, method::Symbol, return_scores::Bool, x,
) =
    method === :competition && !return_scores ? x::Vector{Int} : x
@nospecialize

function untyped_ranks(metric, R, missing, tol, method, return_scores, w, R0, lower_is_better = false)
    w isa Union{Symbol,AbstractString} && String(w) in CONVENTIONS &&
        refuse("type", "method", "method is a keyword: write method=", shown(w))
    tol = Arguments.in_range(tol, "tol", 0.0, floatmax(Float64))
    method = Arguments.choice(method, "method", CONVENTIONS)
    return_scores = Arguments.flag(return_scores, "return_scores")
    models = count_models(R, w, missing; all_answered = true)
    with_priors = collect(zip(models.items, prior_outcomes(R0, models)))
    values = each(x -> metric(x...), models, "R", "R0", "k"; items = with_priors)
    scores = Float64[x isa Float64 ? x : x.mu for x in values]
    return ranking_result(models, scores, tol, method, return_scores, lower_is_better)
end

"""
    Rank.bayes(R, w=nothing, R0=nothing; missing=:raise, tol=1.0e-12, method=:competition, return_scores=false)
        -> ranks, or (ranks, scores)

Ranks of models by [`bayes`](@ref Scorio.bayes).

- `R`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything that R
  may be.
- `w`, `missing`, `R0`: as in `bayes`; one `R0` for all models, or one for each model, by name where `R` has names.
- `tol >= 0`: scores at most this far below the best score of a tie belong to that tie.
- `method`: the convention for ties, one of those of [`rank_scores`](@ref Scorio.Rank.rank_scores).
- `return_scores`: whether to return the scores too.

The rank of each model, 1 the best: a vector, or with the names of `R`. Throws `InvalidInput` as `bayes`; shape: fewer
than two models, or different numbers of questions. Ranks of estimates ignore their uncertainty: see
[`Rank.ranges`](@ref Scorio.Rank.ranges).

# Examples
```jldoctest
julia> Rank.bayes((a=[0 1 0; 0 1 1], b=[1 1 1; 0 1 1]))
(a = 2, b = 1)
```
"""
@by_name function bayes(
    R, w = nothing, R0 = nothing; missing = :raise, tol = TOL, method = :competition, return_scores = false,
)
    metric = (x, prior) -> Scorio.bayes(x, w, prior; missing = missing)
    return rank_by(metric, R, missing, tol, method, return_scores; w = w, R0 = R0)
end

@by_name avg(R, w = nothing; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.avg(x, w), R, missing, tol, method, return_scores; w = w)

@by_name pass_at_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.pass_at_k(x, k), R, missing, tol, method, return_scores)

@by_name pass_hat_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.pass_hat_k(x, k), R, missing, tol, method, return_scores)

@by_name g_pass_at_k_tau(R, k, tau; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.g_pass_at_k_tau(x, k, tau), R, missing, tol, method, return_scores)

@by_name mg_pass_at_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.mg_pass_at_k(x, k), R, missing, tol, method, return_scores)

@by_name maj_at_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.maj_at_k(x, k), R, missing, tol, method, return_scores)

@by_name auc_at_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.auc_at_k(x, k), R, missing, tol, method, return_scores)

flip_rate(R; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.flip_rate(x), R, missing, tol, method, return_scores; lower_is_better = true)

@by_name max_at_k(R, k, w = nothing; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.max_at_k(x, k, w), R, missing, tol, method, return_scores; w = w)

@by_name threshold_spectrum_at_k(
    R, k, weights;
    missing = :raise, tol = TOL, method = :competition, return_scores = false,
) =
    rank_by((x, _) -> Scorio.threshold_spectrum_at_k(x, k, weights), R, missing, tol, method, return_scores)

@by_name function geom_at_k(
    R, k, pass_power = 0.5, unanimous_power = 0.5;
    missing = :raise, tol = TOL, method = :competition, return_scores = false,
)
    metric = (x, _) -> Scorio.geom_at_k(x, k; pass_power = pass_power, unanimous_power = unanimous_power)
    return rank_by(metric, R, missing, tol, method, return_scores)
end

@by_name function geom_ds_at_k(
    R, k, pass_power = 0.5, unanimous_power = 0.5;
    missing = :raise, tol = TOL, method = :competition, return_scores = false,
)
    metric = (x, _) -> Scorio.geom_ds_at_k(x, k; pass_power = pass_power, unanimous_power = unanimous_power)
    return rank_by(metric, R, missing, tol, method, return_scores)
end

@by_name function geo_spectrum_at_k(
    R, k, lam = DEFAULT_LAM, weights = nothing, lambda_ = nothing;
    missing = :raise, tol = TOL, method = :competition, return_scores = false,
)
    metric = (x, _) -> Scorio.geo_spectrum_at_k(x, k; lam = lam, weights = weights, lambda_ = lambda_)
    return rank_by(metric, R, missing, tol, method, return_scores)
end

@by_name geo_spectrum_star_at_k(R, k; missing = :raise, tol = TOL, method = :competition, return_scores = false) =
    rank_by((x, _) -> Scorio.geo_spectrum_star_at_k(x, k), R, missing, tol, method, return_scores)

# the docstrings: name, arguments after R, those of the example, what is special
for (name, own, example, note) in (
    ("avg", ", w=nothing", "", ""),
    ("pass_at_k", ", k", ", 2", ""),
    ("pass_hat_k", ", k", ", 2", ""),
    ("g_pass_at_k_tau", ", k, tau", ", 2, 0.9", ""),
    ("mg_pass_at_k", ", k", ", 2", ""),
    ("maj_at_k", ", k", ", 2", ""),
    ("auc_at_k", ", k", ", 2", ""),
    ("flip_rate", "", "", ", the lowest first"),
    ("max_at_k", ", k, w=nothing", ", 2", ""),
    ("threshold_spectrum_at_k", ", k, weights", ", 2, [0.5, 0.5]", ""),
    ("geom_at_k", ", k, pass_power=0.5, unanimous_power=0.5", ", 2", ""),
    ("geom_ds_at_k", ", k, pass_power=0.5, unanimous_power=0.5", ", 2", ""),
    ("geo_spectrum_at_k", ", k, lam=0.5, weights=nothing, lambda_=nothing", ", 2", ""),
    ("geo_spectrum_star_at_k", ", k", ", 2", ""),
)
    @eval @doc """
        Rank.$($name)(R$($own); missing=:raise, tol=$(TOL), method=:competition, return_scores=false)
            -> ranks, or (ranks, scores)

    Ranks of models by [`$($name)`](@ref Scorio.$($name))$($note): its arguments, and `tol`, `method` and
    `return_scores` as in [`Rank.bayes`](@ref Scorio.Rank.bayes).

    # Examples
    ```jldoctest
    julia> Rank.$($name)((a=[0 1 0; 0 1 1], b=[1 1 1; 0 1 1])$($example))
    (a = 2, b = 1)
    ```
    """ $(Symbol(name))
end

const unanimous_at_k = pass_hat_k
const g_pass_at_k = pass_hat_k
const g_pass_at_k_tao = g_pass_at_k_tau
