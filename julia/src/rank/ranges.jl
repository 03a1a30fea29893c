# The ranks that a model may have, given the noise.

"""
    ranges(models, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, confidence=0.95, joint=false, law=:beta,
        missing=:raise) -> (best, worst) of each model

Rank ranges by a metric: from 1 + the number surely better to L - the number surely worse.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything
  that R may be.
- `metric`, `k`, `tau`, `w`, `law`: as in [`interval`](@ref Scorio.interval).
- `questions`: `:fixed` for ranks on these questions, `:sampled` for ranks on questions like these.
- `confidence`: one-sided level of every comparison, strictly between 1/2 and 1.
- `joint`: make each comparison at 1 - (1 - confidence)/(L - 1), so that all ranges hold together at about this level
  (measured for 0.95: 0.97 and more, but 0.91 to 0.94 where three to ten models are all nearly equal).
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
    confidence, sampled = Arguments.confidence(confidence, 0.5), Estimates.checked_questions(questions)
    joint = Arguments.flag(joint, "joint")
    m, by_law = Metrics.read(metric, k, tau, w), Estimates.checked_law(law)
    found = counted(models, w === nothing ? nothing : m.w, missing, "models")
    for (i, x) in enumerate(found.items)
        Estimates.enough(x, m.k, string("model ", label(found, i)), Estimates.NO_DIFFERENCE)
    end
    L = length(found.items)
    better, worse = zeros(Int, L), zeros(Int, L)
    complete = all(x -> x.fewest > 0, found.items)  # then no pair leaves a question out
    own = complete ? [Estimates.side(m, x, by_law) for x in found.items] : nothing
    for i in 1:L, j in 1:i-1
        p, q = complete ? (own[i], own[j]) : (Estimates.side(m, x, by_law) for x in shared(found, i, j))
        d = Differences.on_same(p, q, sampled, "models")
        sure = mul(Differences.quantile(d.freedom, confidence, joint ? L - 1 : 1), d.deviation)
        up = d.D[1] > 0.0
        sub(up ? d.D : neg(d.D), sure)[1] > 0.0 || continue
        better[up ? j : i] += 1
        worse[up ? i : j] += 1
    end
    return named(found, [(best = 1 + better[i], worst = L - worse[i]) for i in 1:L])
end

"The counts of two models on the questions that both have."
function shared(models, i, j)
    try
        return Differences.common(models.items[i], models.items[j], "models")[1:2]
    catch e
        e isa InvalidInput || rethrow()
        refuse(e.code, e.argument, "models ", label(models, j), " and ", label(models, i), ": ", e.message)
    end
end
