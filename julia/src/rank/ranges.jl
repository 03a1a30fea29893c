# The ranks that a model may have.

"""
    ranges(models, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, confidence=0.95, joint=false, law=:beta,
        missing=:raise) -> (best, worst) of each model

Rank ranges by a metric: from 1 + the number of models that are significantly better to L - the number
significantly worse.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything
  that R may be.
- `metric`, `k`, `tau`, `w`, `law`: as in [`interval`](@ref Scorio.interval).
- `questions`: `:fixed` for ranks on this question set, `:sampled` for ranks on the population of similar questions.
- `confidence`: one-sided level of every comparison, strictly between 1/2 and 1.
- `joint`: make each comparison at 1 - (1 - confidence)/(L - 1), so that all ranges together cover the true ranks at
  about this level (measured for 95%: 97% and more, but 91 to 94% where three to ten models are all nearly equal).
- `missing`: the policy for absent outcomes. A pair is compared on the questions that both have.

A vector, or the names with their ranges. Throws `InvalidInput` for anything wrong with the arguments; shape: models on
other numbers of questions, or a pair with a single question in common where that is the unit; range: `k` above the
trials of a question. Source: spec/README.md, "two models". Unlike ties of neighbours, ranges do not chain.

# Examples
```jldoctest
julia> R = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9), c=repeat([0 0 1 0], 9));

julia> Rank.ranges(R; questions=:fixed).b
(best = 2, worst = 2)

julia> Rank.ranges(R, "pass@k", 2; questions=:fixed).b
(best = 1, worst = 2)
```
"""
function ranges(
    models, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions, confidence = 0.95, joint = false, law = :beta, missing = :raise,
)
    confidence, joint = Arguments.confidence(confidence, 0.5), Arguments.flag(joint, "joint")
    q = read_request(metric, k, tau, w; questions = questions, law = law, missing = missing)
    many = counted(models, w === nothing ? nothing : q.m.w, missing, "models")
    for (i, x) in enumerate(many.items)
        trials_at_least(x, q.m.k, "model $(label(many, i))", NO_DIFFERENCE)
    end
    L = length(many.items)
    better, worse = zeros(Int, L), zeros(Int, L)
    own = any(x -> x.fewest == 0, many.items) ? nothing : [side(q, x) for x in many.items]
    for i in 1:L, j in 1:i-1
        A, B = own === nothing ? shared(q, many, i, j) : (own[i], own[j])
        d = on_same(A, B, q.sampled, "models")
        need = mul(quantile(d.freedom, confidence, joint ? L - 1 : 1), d.deviation)
        up = d.D[1] > 0.0
        sub(up ? d.D : neg(d.D), need)[1] > 0.0 || continue
        better[up ? j : i] += 1
        worse[up ? i : j] += 1
    end
    return named(many, [(best = 1 + better[i], worst = L - worse[i]) for i in 1:L])
end

"Two models on the questions that both have."
function shared(q, many, i, j)
    a, b, _ = common(many.items[i], many.items[j], "models", "models $(label(many, j)) and $(label(many, i))")
    return side(q, a), side(q, b)
end
