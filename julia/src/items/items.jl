# Item analysis: the difficulty and discrimination of questions, and whether they are dead or suspect.

# --- the success rate of every model on every question, as integers over a common denominator -------

"""
Tables of models by questions: trials n, successes c, and X = c Q / n, so that the success rate is X / Q.

X is 0 where n is 0; Q is the least common multiple of all n above 0. A cell is a model on a question. X holds Int, or
BigInt where sums of squares could exceed 64 bits.
"""
struct Cells
    n::Matrix{Int}
    c::Matrix{Int}
    X::Matrix
    Q::BigInt
end

"The distinct numbers of trials of the cells, above 0."
sizes(x::Cells) = sort!(unique(filter(>(0), vec(x.n))))

"The variance of a single trial: the mean of c (n - c) / (n (n - 1)) over cells of n > 1; nothing if there are none."
function single_trial_variance(x::Cells)
    repeated = [(sum(sums), big(n) * (n - 1)) for (n, _, sums) in products(x) if n > 1]
    return isempty(repeated) ? nothing : Fraction(Rationals.total(repeated)...) / count(>(1), x.n)
end

"""
The trial-to-trial variances of the success rates, summed over the models of each question.

A cell of one trial has the variance single_trial, or 0 if that is nothing.
"""
function variances(x::Cells, single_trial)
    out = fill(Fraction(0), size(x.n, 2))
    for (n, questions, sums) in products(x)
        factor = n > 1 ? Fraction(1, big(n)^2 * (n - 1)) : something(single_trial, Fraction(0))
        for (j, sum) in zip(questions, sums)
            out[j] += factor * (n > 1 ? sum : count(==(1), view(x.n, :, j)))
        end
    end
    return out
end

"For each number n of trials: the questions with cells of n trials, and the sum over these of c (n - c)."
function products(x::Cells)
    sums = Dict(n => Dict{Int,BigInt}() for n in sizes(x))
    for j in axes(x.n, 2), i in axes(x.n, 1)
        n, c = x.n[i, j], x.c[i, j]
        n > 0 && (sums[n][j] = get(sums[n], j, big(0)) + widemul(c, n - c))
    end
    return [(n, keys(y), values(y)) for (n, y) in sums]
end

"The cells of all models, from their outcomes."
function cells(models, missing)
    counts = count_models(models, nothing, missing, "models").items
    n, c = (zeros(Int, length(counts), questions(counts[1])) for _ in 1:2)
    for i in axes(n, 1)
        m = counts[i]::Counts
        n[i, :], c[i, :] = m.trials, m.category_counts[:, 1]
    end
    any(>(0), n) || refuse("no_trials", "models", "no question of models has a trial")
    return build_cells(n, c)
end

"The cells with these numbers of trials and successes."
function build_cells(n::Matrix{Int}, c::Matrix{Int})
    Q = big(1)
    for k in unique(n)
        k > 0 && (Q = lcm(Q, k))
    end
    T = (length(n) * Q)^2 < big(2)^62 ? Int : BigInt
    X = Matrix{T}(undef, size(n))
    for i in eachindex(n)
        X[i] = c[i] * (Q ÷ max(n[i], 1))
    end
    return Cells(n, c, X, Q)
end

"The cells of the questions on which every model has a trial, and the indices of these questions."
function answered_by_all(x::Cells)
    keep = Int[]
    for j in axes(x.n, 2)
        all(i -> x.n[i, j] > 0, axes(x.n, 1)) && push!(keep, j)
    end
    isempty(keep) && refuse("no_trials", "models", "models has no question with a trial of every model")
    return build_cells(x.n[:, keep], x.c[:, keep]), keep
end

"Exact sum of fractions."
function total(fractions)
    out = Fraction(0)
    for x in fractions
        out += x
    end
    return out
end

@specialize

"Sum of squares of all entries, and the sums by model and by question."
function sums(X::Matrix{T}) where {T}
    squares, models, questions = zero(T), zeros(T, size(X, 1)), zeros(T, size(X, 2))
    for j in axes(X, 2), i in axes(X, 1)
        x = X[i, j]
        squares += x * x
        models[i] += x
        questions[j] += x
    end
    return squares, models, questions
end

@nospecialize

"Round a fraction to the nearest double."
rounded(x) = value(from_ratio(x)) + 0.0  # -0.0 becomes 0.0

# --- item analysis ----------------------------------------------------------------------------------

"Sums over L models for the line fitted to a question's rates a against b, the sums of the rates of other questions."
struct Line
    S_ab::BigInt  # L sum ab - sum a sum b
    S_aa::BigInt  # L sum aa - (sum a)^2
    S_bb::BigInt  # L sum bb - (sum b)^2
    sum_a::BigInt
    rate_variance::BigInt  # sum_a (L Q - sum_a), which is (L Q)^2 p (1 - p) at the mean success rate p
end

"The sum of squared residuals of the question around the line, times L S_bb."
residual_variance(x) = x.S_aa * x.S_bb - x.S_ab^2

"""
    items(models; fdr=0.1, confidence=0.95, missing=:raise)
        -> (question, mean, dead, bound, covariance, expected, discrimination, p_value, p_adjusted, suspect) of each

Difficulty and discrimination of each question, and whether it is dead or suspect, from binary outcomes.

- `models`: outcomes of L >= 3 models on the same M >= 2 questions.
- `fdr`: false-discovery rate, the expected share of sound questions among the suspects, if all questions measure one
  ability and discriminate about equally.
- `confidence`: confidence of the bound that is computed for a dead question.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions without a trial of some model are left out.

For each question with a trial of every model: `question`, its index; `mean`, its mean success rate over the models
(low: difficult). `dead`: all trials of all models succeeded, or all failed; `bound`: the rate of the outcome that it
always had is at least this, at the stated confidence (`nothing` if the question is not dead). `covariance`: that of its
success rates with the means of the other questions, over the models; not biased by trial-to-trial errors, which are
independent. `expected`: the covariance at this difficulty if all questions discriminated equally. `discrimination`: the
correlation with the other questions, corrected for the variance due to trials. It can be outside [-1, 1], and is
`nothing` if no model has two trials of a question, or if the models differ, on this question or on the others, no more
than trials explain. `p_value`: probability of a covariance at least as far below the expected one; `p_adjusted`: the
p-value adjusted for the number of questions (Benjamini-Hochberg). Both are `nothing` for dead questions, for those
whose rates are an exact linear function of the means of the others, and where these means are equal. `suspect`:
`p_adjusted` is at most fdr, and the covariance is negative: the better a model is on the other questions, the worse it
is on this question, as with a wrong key, an ambiguous text or an error of the grader.

Throws `InvalidInput` for anything wrong with the arguments; shape: fewer than three models, or a single question that
all models answered; no_trials: no question that all models answered. Source: spec/families/items.md. In simulations
with 12 models and 4 trials 85% of flipped keys (outcomes inverted) were found, and 3% of the suspects were sound. With
6 models 18% were found, with a single trial 23%. Of wrong keys, with which a guess can be scored as right, 35% were
found. Questions that differ much in how well they discriminate make sound ones suspect (23% of the suspects were sound
if the logarithms of the slopes had a standard deviation of 0.8). So does a second ability: where a fifth of the
questions measure an ability that is not correlated with the first, 15% to 30% of the suspects were sound if some keys
were flipped, and up to 69% of the simulations without a flipped key had suspects (24 models). Read a suspect before you
drop it.

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
    x, indices = answered_by_all(x)
    length(indices) > 1 || refuse(
        "shape", "models", "only question ", indices[1], " of models has a trial of every model: two are needed",
    )
    return Results{:Item}(statistics(x, indices, level, confidence))
end

"The statistics of the questions that every model answered."
function statistics(x::Cells, indices::Vector{Int}, fdr::Float64, confidence::Float64)
    (L, M), lines = size(x.n), all_lines(x.X, x.Q)
    live = filter(line -> line.rate_variance > 0, lines)
    D, G = sum(BigInt[line.S_ab for line in live]), max(sum(BigInt[line.rate_variance for line in live]), big(1))
    scale = big(L) * (L - 1) * x.Q^2 * (M - 1)  # S_ab divided by it is the covariance
    p = Union{Nothing,Triple}[p_value(line, D, G, L) for line in lines]
    tested, adjusted = findall(!isnothing, p), Vector{Any}(nothing, M)
    adjusted[tested] = benjamini_hochberg(Triple[y for y in p if y !== nothing])
    correlations = discriminations(x, lines)
    return map(eachindex(lines)) do j
        line, adjusted_p = lines[j], adjusted[j]
        dead = line.rate_variance == 0
        (
            question = indices[j], mean = rounded(Fraction(line.sum_a, L * x.Q)), dead = dead,
            bound = dead ? rate_bound(confidence, sum(big, view(x.n, :, j))) : nothing,
            covariance = rounded(Fraction(line.S_ab, scale)),
            expected = rounded(Fraction(D * line.rate_variance, G * scale)), discrimination = correlations[j],
            p_value = p[j] === nothing ? nothing : value(p[j]),
            p_adjusted = adjusted_p === nothing ? nothing : value(adjusted_p),
            suspect = adjusted_p !== nothing && line.S_ab < 0 && Triple(fdr) >= adjusted_p,
        )
    end
end

"The line fitted to every question, against the sum of the other questions."
function all_lines(X, Q)
    models = sums(X)[2]
    return Line[line_of_question(X, models, j, Q) for j in axes(X, 2)]
end

@specialize

"The line of question j; models: the sums of X by model."
function line_of_question(X::Matrix{T}, models, j, Q) where {T}
    sa = sb = aa = ab = bb = zero(T)
    for i in axes(X, 1)
        a, b = X[i, j], models[i] - X[i, j]
        sa, sb, aa, ab, bb = sa + a, sb + b, aa + a * a, ab + a * b, bb + b * b
    end
    L, sa, sb = big(size(X, 1)), big(sa), big(sb)
    return Line(L * ab - sa * sb, L * aa - sa^2, L * bb - sb^2, sa, sa * (L * Q - sa))
end

@nospecialize

"P-value of a covariance below the expected one; D, G: sums of S_ab and rate_variance over all questions."
function p_value(line::Line, D::BigInt, G::BigInt, L::Int)
    residual = residual_variance(line)
    (line.rate_variance == 0 || residual == 0) && return nothing
    gap = line.S_ab * G - line.rate_variance * D
    t = sqrt(from_ratio(gap^2 * (L - 2), G^2 * residual))
    return t_cdf(gap > 0 ? t : -t, Triple(L - 2))
end

"Correlations of the questions with the others, corrected for the trial-to-trial variance."
function discriminations(x::Cells, lines::Vector{Line})
    single_trial, (L, M) = single_trial_variance(x), size(x.n)
    single_trial === nothing && return Vector{Any}(nothing, M)
    trial_variances = variances(x, single_trial)
    total_variance, unit = total(trial_variances), big(L) * (L - 1) * x.Q^2
    return Any[
        correlation(
            line.S_ab, Fraction(line.S_aa, unit) - v / L, Fraction(line.S_bb, unit) - (total_variance - v) / L, unit,
        ) for (line, v) in zip(lines, trial_variances)
    ]
end

"The correlation (S_ab / unit) / sqrt(var_a var_b); S_ab and the root of var_b both lack the divisor M - 1."
function correlation(S_ab::BigInt, var_a::Fraction, var_b::Fraction, unit::BigInt)
    (var_a <= 0 || var_b <= 0) && return nothing
    r = value(sqrt(from_ratio(Fraction(S_ab, unit)^2 / (var_a * var_b))))
    return S_ab >= 0 ? r : -r
end

"Lower limit of the rate of an outcome that all of T trials had: (1 - confidence)^(1/T)."
function rate_bound(confidence, T)
    log_error = log(ONE - confidence)
    return value(exp(log_error / from_ratio(T, big(1))))
end
