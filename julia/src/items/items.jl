# Item analysis: the difficulty and discrimination of questions, and whether they are dead or suspect.

"Sums over L models for the line of a question's rates a on those of the others, b: D of a b, own of a^2, rest of b^2."
struct Line
    D::BigInt
    own::BigInt
    rest::BigInt
    sum::BigInt
    rate_variance::BigInt  # sum (L Q - sum)
end

"Residual variance of the question around its line."
residual_variance(x) = x.own * x.rest - x.D^2

"""
    items(models; fdr=0.1, confidence=0.95, missing=:raise)
        -> (question, mean, dead, bound, covariance, expected, discrimination, p_value, p_adjusted, suspect) of each

Difficulty and discrimination of each question, and whether it is dead or suspect, from binary outcomes.

- `models`: outcomes of L >= 3 models on the same M >= 2 questions.
- `fdr`: false-discovery rate, the expected share of sound questions among the suspects, if all questions measure one
  ability and discriminate about alike.
- `confidence`: confidence of the bound on the success rate of a dead question.
- `missing`: the policy for absent outcomes. Questions that some model has no trial of are left out.

For each question of which every model has a trial: `question`, its index; `mean`, its mean success rate over the models
(low: difficult). `dead`: all trials of all models succeeded, or all failed; `bound`: the rate of the outcome that it
always had is at least this, at the stated confidence. `covariance`: of its rates with the mean of the other questions,
over the models; their trial-to-trial errors are independent, so it is free of these. `expected`: its value at this
difficulty if all questions discriminated alike. `discrimination`: the correlation with the other questions, with the
variance due to trials taken out; it can leave [-1, 1]; `nothing` if no question has two trials, or if the differences
between models are no larger than trials explain. `p_value`: probability of a covariance at least as far below the
expected one; `p_adjusted`: the same, adjusted for the number of questions (Benjamini-Hochberg); `nothing` for dead
questions, and where a line explains the rates fully. `suspect`: `p_adjusted` is at most fdr, and the covariance is
negative: the better a model is elsewhere, the worse it is here. A wrong key, an ambiguous text or an error of the
grader does this.

Throws `InvalidInput` for anything wrong with the arguments; shape: fewer than three models, or one question that all
answered; no_trials: no such question. Source: spec/families/items.md. With 12 models and 4 trials 85% of flipped keys
were found in simulations, and 3% of the suspects were sound; with 6 models 18%, with a single trial 23%; of wrong keys
that a guess matches, 35%. Questions that differ much in how well they discriminate make sound ones suspect (a standard
deviation of .8 of the logarithms of their slopes: 23% of the suspects). So does a second ability: where a fifth of the
questions measure one that is not correlated with the first, 15% to 30% of the suspects were sound beside flipped keys,
and 60% of the runs without a bad question had suspects (24 models). A suspect is a candidate to be read, not to be
dropped unread.

# Examples
Successes of four trials; the better models fail on the fifth question.

```jldoctest
julia> c = [4 3 4 1 0 2; 3 4 2 1 1 2; 2 3 2 0 2 1; 1 2 1 0 3 1; 0 1 1 0 4 0];

julia> models = [Counts(c[i, :], fill(4, 6)) for i in 1:5];

julia> Tuple((x.question, round(x.covariance, digits=4)) for x in Items.items(models) if x.suspect)
((5, -0.0969),)
```
"""
function items(models; fdr = 0.1, confidence = 0.95, missing = :raise)
    level, confidence = Arguments.confidence(fdr, 0.0, "fdr"), Arguments.confidence(confidence)
    x = cells(models, missing)
    L = size(x.n, 1)
    L > 2 || refuse("shape", "models", "models has ", L, " models: three are needed")
    x, places = answered_by_all(x)
    length(places) > 1 || refuse(
        "shape", "models", "only question ", places[1], " of models has a trial of every model: two are needed",
    )
    return Results{:Item}(statistics(x, places, level, confidence))
end

function statistics(x::Cells, places::Vector{Int}, fdr::Float64, confidence::Float64)
    (L, M), lines = size(x.n), all_lines(x.X, x.Q)
    live = filter(line -> line.rate_variance > 0, lines)
    D, G = sum(BigInt[line.D for line in live]), max(sum(BigInt[line.rate_variance for line in live]), big(1))
    scale = big(L) * (L - 1) * x.Q^2 * (M - 1)
    p = Union{Nothing,Triple}[p_value(line, D, G, L) for line in lines]
    tested, adjusted = findall(!isnothing, p), Vector{Any}(nothing, M)
    adjusted[tested] = benjamini_hochberg(Triple[y for y in p if y !== nothing])
    correlations = discriminations(x, lines)
    return map(eachindex(lines)) do j
        line, adjusted_p = lines[j], adjusted[j]
        dead = line.rate_variance == 0
        (
            question = places[j], mean = rounded(Fraction(line.sum, L * x.Q)), dead = dead,
            bound = dead ? bound(confidence, sum(big, view(x.n, :, j))) : nothing,
            covariance = rounded(Fraction(line.D, scale)),
            expected = rounded(Fraction(D * line.rate_variance, G * scale)), discrimination = correlations[j],
            p_value = p[j] === nothing ? nothing : value(p[j]),
            p_adjusted = adjusted_p === nothing ? nothing : value(adjusted_p),
            suspect = adjusted_p !== nothing && line.D < 0 && sub(ext(fdr), adjusted_p)[1] >= 0.0,
        )
    end
end

"Fit the line of every question on the others."
function all_lines(X, Q)
    models = sums(X)[2]
    return Line[one_line(X, models, j, Q) for j in axes(X, 2)]
end

@specialize

function one_line(X::Matrix{T}, models, j, Q) where {T}
    sa = sb = aa = ab = bb = zero(T)
    for i in axes(X, 1)
        a, b = X[i, j], models[i] - X[i, j]
        sa, sb, aa, ab, bb = sa + a, sb + b, aa + a * a, ab + a * b, bb + b * b
    end
    L, sa, sb = big(size(X, 1)), big(sa), big(sb)
    return Line(L * ab - sa * sb, L * aa - sa^2, L * bb - sb^2, sa, sa * (L * Q - sa))
end

@nospecialize

"P(T <= (covariance - expected) / standard error), T of L - 2 degrees of freedom."
function p_value(line::Line, D::BigInt, G::BigInt, L::Int)
    rest = residual_variance(line)
    (line.rate_variance == 0 || rest == 0) && return nothing
    gap = line.D * G - line.rate_variance * D
    t = root(from_ratio(gap^2 * (L - 2), G^2 * rest))
    return t_cdf(gap > 0 ? t : neg(t), ext(L - 2))
end

"Correlations of questions with the others, with the trial-to-trial variance taken out."
function discriminations(x::Cells, lines::Vector{Line})
    single, (L, M) = single_trial(x), size(x.n)
    single === nothing && return Vector{Any}(nothing, M)
    trial_variances = variances(x, single)
    total_variance, unit = total(trial_variances), big(L) * (L - 1) * x.Q^2
    return Any[
        correlation(
            line.D, Fraction(line.own, unit) - v / L, Fraction(line.rest, unit) - (total_variance - v) / L, unit,
        ) for (line, v) in zip(lines, trial_variances)
    ]
end

"Correlation D / sqrt(own rest): the factor M - 1 is in D and in the root of rest, and cancels."
function correlation(D::BigInt, own::Fraction, rest::Fraction, unit::BigInt)
    (own <= 0 || rest <= 0) && return nothing
    r = value(root(from_ratio(Fraction(D, unit)^2 / (own * rest))))
    return D >= 0 ? r : -r
end

"Lower limit of the rate of an outcome that all of T trials had: (1 - confidence)^(1/T)."
function bound(confidence, T)
    log_error = log(sub(ONE, ext(confidence)))
    return value(exp(div(log_error, from_ratio(T, big(1)))))
end
