# A ranking by every metric of Scorio: one path, from the outcomes of many models to their ranks.

"Ranks by a convention, and the scores if asked for."
function answer(models, scores, tol, method, return_scores)
    ranks = named(models, getfield(by_score(scores, tol), Symbol(method)))
    return return_scores ? (ranks = ranks, scores = named(models, scores)) : ranks
end

"metric(counts, R0) of every model, as ranks."
function rank_by(metric, R, w, R0, missing, tol, method, return_scores)
    tol = Arguments.within(tol, "tol", 0.0, floatmax(Float64))
    method = Arguments.choice(method, "method", CONVENTIONS)
    return_scores = Arguments.flag(return_scores, "return_scores")
    models = counted(R, w, missing; whole = true)
    both = collect(zip(models.items, prior(R0, models)))
    scores = Float64[x isa Float64 ? x : x.mu for x in each(x -> metric(x...), models, "R", "R0", "k"; items = both)]
    return answer(models, scores, tol, method, return_scores)
end

const OWN = (Expr(:kw, :tol, :TOL), Expr(:kw, :method, QuoteNode(:competition)), Expr(:kw, :return_scores, false))
const EXAMPLES = Dict(
    :bayes => "", :avg => "", :g_pass_at_k_tau => ", 2, 0.9", :threshold_spectrum_at_k => ", 2, [0.5, 0.5]",
)

const PRIORS = " `R0` may be one for all models, or as many as there are, by name where `R` has names."

doc(name, signature, parameters) = """
    Rank.$signature
        -> ranks, or (ranks, scores)

Ranks of models by [`$name`](@ref Scorio.$name).

- `R`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything that R
  may be.
- $(join(("`$p`" for p in parameters if p != :R), ", ")): as in `$name`.$(:R0 in parameters ? PRIORS : "")
- `tol >= 0`: scores at most this far below the best of their group tie with it.
- `method`: the convention for ties, one of those of [`rank_scores`](@ref Scorio.Rank.rank_scores).
- `return_scores`: also the scores.

The rank of each model, 1 the best, in the form of `R`. Throws `InvalidInput` as `$name`; shape: fewer than two
models, or other numbers of questions. Nothing here says whether neighbours differ by more than noise: see
[`Rank.ranges`](@ref Scorio.Rank.ranges).

# Examples
```jldoctest
julia> Rank.$name((a=[0 1 0; 0 1 1], b=[1 1 1; 0 1 1])$(get(EXAMPLES, name, ", 2")))
(a = 2, b = 1)
```
"""

"The function that ranks models by the metric of the same name; it takes what the metric takes."
macro ranked(call)
    name, positional, keywords = call.args[1], call.args[3:end], call.args[2].args
    given = map(named_in, [positional; keywords])
    options = Expr(:parameters, (Expr(:kw, p, p) for p in map(named_in, keywords))...)
    places = [p == :R ? :x : p == :R0 ? :own : p for p in map(named_in, positional)]
    parameters = Expr(:parameters, keywords..., OWN...)
    body = quote
        metric = (x, own) -> $(Expr(:call, :(Scorio.$name), options, places...))
        w_given, priors = $(:w in given ? :w : nothing), $(:R0 in given ? :R0 : nothing)
        return rank_by(metric, R, w_given, priors, missing, tol, method, return_scores)
    end
    text = doc(name, signature(name, positional, parameters.args), given)
    return esc(:(Core.@doc $text $(Expr(:function, Expr(:call, name, parameters, positional...), body))))
end

named_in(parameter) = parameter isa Symbol ? parameter : parameter.args[1]

"The line that a docstring starts with."
function signature(name, positional, keywords)
    shown(x) = x isa Symbol ? string(x) : string(x.args[1], "=", repr(Core.eval(@__MODULE__, x.args[2])))
    return string(name, "(", join(map(shown, positional), ", "), "; ", join(map(shown, keywords), ", "), ")")
end

@ranked bayes(R, w = nothing, R0 = nothing; missing = :raise)
@ranked avg(R, w = nothing; missing = :raise)
@ranked pass_at_k(R, k; missing = :raise)
@ranked pass_hat_k(R, k; missing = :raise)
@ranked g_pass_at_k_tau(R, k, tau; missing = :raise)
@ranked mg_pass_at_k(R, k; missing = :raise)
@ranked maj_at_k(R, k; missing = :raise)
@ranked auc_at_k(R, k; missing = :raise)
@ranked max_at_k(R, k, w = nothing; missing = :raise)
@ranked threshold_spectrum_at_k(R, k, weights; missing = :raise)
@ranked geom_at_k(R, k; pass_power = 0.5, unanimous_power = 0.5, missing = :raise)
@ranked geom_ds_at_k(R, k; pass_power = 0.5, unanimous_power = 0.5, missing = :raise)
@ranked geo_spectrum_at_k(R, k; lam = LAM, weights = nothing, lambda_ = nothing, missing = :raise)
@ranked geo_spectrum_star_at_k(R, k; missing = :raise)

const unanimous_at_k = pass_hat_k
const g_pass_at_k = pass_hat_k
const g_pass_at_k_tao = g_pass_at_k_tau
