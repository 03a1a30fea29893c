# The ranks that a model may have, given the noise.

"""
    ranges(models, w=nothing; questions, confidence=0.95, joint=false, missing=:raise) -> (best, worst) of each model

Rank ranges by mean score: from 1 + the number surely better to L - the number surely worse.

- `models`: outcomes of L >= 2 models on the same M questions: L × M × N, a vector of models, or names with anything
  that R may be.
- `w`: the score of each category; default (0, 1).
- `questions`: `:fixed` for ranks on these questions, `:sampled` for ranks on questions like these.
- `confidence`: one-sided level of every comparison, strictly between 1/2 and 1.
- `joint`: make each comparison at 1 - (1 - confidence)/(L - 1), so that all ranges hold together at about this level
  (measured for 0.95: 0.97 and more, but 0.91 to 0.94 where three to ten models are all nearly equal).
- `missing`: the policy for absent outcomes. A pair is compared on the questions that both have.

A vector, or the names with their ranges. Throws `InvalidInput` for anything wrong with the arguments; shape: models on
other numbers of questions, or a pair with a single question in common where that is the unit. Source: spec/README.md,
"two models". Unlike ties of neighbours, ranges do not chain.

# Examples
```jldoctest
julia> R = (a=ones(Int, 9, 4), b=repeat([1 0 1 1], 9), c=repeat([0 0 1 0], 9));

julia> Rank.ranges(R; questions=:fixed).b
(best = 2, worst = 2)
```
"""
function ranges(models, w = nothing; questions, confidence = 0.95, joint = false, missing = :raise)
    confidence = Checks.confidence(confidence, 0.5)
    sampled = Checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    joint = Checks.flag(joint, "joint")
    found = counted(models, w, missing, "models")
    U, span = Noise.scale(whole(Checks.weights(w))[1])
    L = length(found.items)
    better, worse = zeros(Int, L), zeros(Int, L)
    complete = all(x -> all(>(0), x.trials), found.items)  # then no pair leaves a question out
    own = complete ? [Noise.parts(x, U, span) for x in found.items] : nothing
    for i in 1:L, j in 1:i-1
        A, B, _ = common(found.items[i], found.items[j], "models")
        p, q = complete ? (own[i], own[j]) : (Noise.parts(A, U, span), Noise.parts(B, U, span))
        d = on_same(A, B, U, span, sampled, "models", p, q)
        sure = mul(quantile(d.freedom, confidence, joint ? L - 1 : 1), root(from_ratio(d.V)))
        if sub(from_ratio(abs(d.D)), sure)[1] > 0.0
            up, down = d.D > 0 ? (i, j) : (j, i)
            better[down] += 1
            worse[up] += 1
        end
    end
    return named(found, [(best = 1 + better[i], worst = L - worse[i]) for i in 1:L])
end
