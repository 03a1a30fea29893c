# How many missing outcomes, and how many wrong answer keys, the order of two averages survives.

"""
    certificate(A, B, w=nothing; missing=:raise) -> (mu, missing, missing_needed, inverted_needed, rescored_needed)

How many missing outcomes, and how many wrong answer keys, the order of two averages survives.

- `A`, `B`: outcomes of two models on the same questions, M×N, or `Counts`, as in [`compare`](@ref). The numbers of
  trials may differ.
- `w`: score of each category, by default (0, 1).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`: the certificate then says what they could
  change), or count as this category (an integer). Trials that were not planned (the end of a short row) are not
  missing.

`mu` is avg(A) - avg(B) over the questions that both answered. The model with the higher average leads; the lead ends
where the averages are equal. The smallest numbers that could end it, 0 where the averages are equal: `missing_needed`,
how many of the missing outcomes (`missing` is their number) would have to go against the leader (lowest score for it,
highest for the other model), with all others for it, `nothing` if all of them cannot end it; `inverted_needed`, how
many questions would have to have their outcomes inverted, for both models (success for failure; a score is mirrored on
the scale of w): yes-or-no questions with a wrong answer key; `rescored_needed`, how many questions would have to have
their outcomes replaced by any other scores. So the order survives any `inverted_needed` - 1 wrong keys of yes-or-no
questions, and any `rescored_needed` - 1 wrong keys of others.

Throws `InvalidInput` for anything wrong with the arguments; no_trials: no question has trials of both models.

Source: spec/families/comparisons.md. These are statements about the observed order, in exact arithmetic, and not about
significance: see [`compare`](@ref) for that.

# Examples
```jldoctest
julia> A, B = [[1, 1, 1, 1], [1, 1, 1, missing]], [[1, 1, 0, 0], [1, 0, 1, 0]];

julia> r = certificate(A, B; missing=:drop);

julia> r.mu, r.missing, r.missing_needed, r.inverted_needed, r.rescored_needed
(0.5, 1, nothing, 1, 1)
```
"""
@by_name function certificate(A, B, w = nothing; missing = :raise)
    scores, unit = Rationals.over_common_denominator(Metrics.read_metric(:mean, nothing, nothing, w, ("mean",)).w)
    names = ("A", "B")
    counts = map((A, B), names) do x, name
        Models.check_flat(x, name)
        count_outcomes(x, length(scores) - 1, missing; name = name, has_scores = w !== nothing)
    end
    a, b = pair_questions(Any[counts...], names, i -> names[i], missing)
    return Result{:Certificate}(certificate_of(a, b, scores, unit))
end

"The certificate from counts of the same questions; scores are integers in units of 1/unit."
function certificate_of(A, B, scores, unit)
    a, b, _ = Differences.common_questions(A, B, "A", "A and B")
    scale = common_trials(a, b)
    gaps = question_averages(a, scores, scale) - question_averages(b, scores, scale)
    total, span = sum(gaps), (maximum(scores) - minimum(scores)) * scale
    mu = value(Rationals.from_ratio(total, scale * unit * questions(a)))
    if total < 0
        A, B, gaps = B, A, -gaps
    end
    planned = (A.trials .+ A.absent .> 0) .& (B.trials .+ B.absent .> 0)
    n_missing, needed = missing_needed(select(A, planned), select(B, planned), scores, total != 0)
    inverted = fewest_gains(sum(gaps), [(2x, 1) for x in gaps])
    rescored = fewest_gains(sum(gaps), [(x + span, 1) for x in gaps])
    return (
        mu = mu, missing = n_missing, missing_needed = needed, inverted_needed = inverted, rescored_needed = rescored,
    )
end

"The least common multiple of all numbers of trials."
common_trials(counts...) = reduce(lcm, (big(n) for x in counts for n in unique(x.trials)); init = big(1))

"The average score of each question, in units of 1/scale."
function question_averages(x, scores, scale)
    cells = cells_of(x)
    return BigInt[score_sums(cells, i, scores)[1] * (scale ÷ n) for (i, n) in enumerate(x.trials)]
end

"Number of missing outcomes, and the fewest of them that must go against model A to end its lead; lead: A leads."
function missing_needed(A, B, scores, lead)
    low, high = extrema(scores)
    full = completions(A, scores)[2], completions(B, scores)[1]  # with all missing outcomes for model A
    scale = common_trials(full...)
    total = sum(question_averages(full[1], scores, scale)) - sum(question_averages(full[2], scores, scale))
    gains = [((high - low) * (scale ÷ n), m) for (x, y) in zip((A, B), full) for (n, m) in zip(y.trials, x.absent)]
    return sum(A.absent) + sum(B.absent), lead ? fewest_gains(total, gains) : 0
end

"The fewest gains that reach a total; nothing if all together do not. gains: pairs (gain, how many there are)."
function fewest_gains(total, gains)
    used = 0
    for (gain, times) in sort!([x for x in gains if x[1] > 0 && x[2] > 0]; rev = true)
        total <= 0 && break
        take = Int(min(times, cld(total, gain)))
        used, total = used + take, total - take * gain
    end
    return total <= 0 ? used : nothing
end
