# Reliability of a ranking: variance components, the generalizability coefficient, standard errors.

const LARGEST_DESIGN = 10^9  # questions, or trials

"Exact variance components, and the design of the outcomes that they were estimated from."
struct Components
    model::Fraction
    question::Fraction
    interaction::Fraction
    trial::Union{Nothing,Fraction}
    L::Int  # models
    M::Int  # questions with a trial
    N::Fraction  # the harmonic mean of the numbers of trials
    complete::Bool  # whether every model has a trial of each of the M questions
end

"The variance of a model's mean over M questions of N trials; a negative interaction counts as 0."
error_of(c::Components, M, N) = (max(c.interaction, Fraction(0)) + something(c.trial, Fraction(0)) / N) / M

"The generalizability coefficient: the variance between models divided by the variance of observed means."
rho_of(c::Components, M, N) = c.model > 0 ? c.model / (c.model + error_of(c, M, N)) : Fraction(0)

"The coefficient on this question set, where the interaction is a part of the true differences."
function fixed_rho(c::Components, M, trial_error)
    trial_error === nothing && return nothing
    true_part = max(c.model, Fraction(0)) + max(c.interaction, Fraction(0)) / M
    return true_part == 0 ? Fraction(0) : true_part / (true_part + trial_error)
end

"Variance of a model's mean over the trials of these questions."
trial_error_of(c::Components, M, N) = c.trial === nothing ? nothing : c.trial / (M * N)

"""
    reliability(models, n_questions=nothing, n_trials=nothing; confidence=0.95, missing=:raise)
        -> (var_models, var_questions, var_interaction, var_trials, rho, lo, hi, rho_fixed, se, se_fixed,
            n_questions, n_trials)

Variance components of binary outcomes, and how reliably the models are ranked by their means.

- `models`: outcomes of L >= 2 models on the same M >= 2 questions.
- `n_questions`, `n_trials`: the design whose reliability is predicted, 1 to 10^9 of each. Default: the design of the
  outcomes.
- `confidence`: nominal coverage of the interval.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer). A
  question need not have a trial of every model.

`var_models`, `var_questions`, `var_interaction`: variances between models, between questions, and of the interaction of
models and questions. They are unbiased, so that a small one can be negative. `var_trials`: the variance of a single
trial; `nothing` if no model has two of a question (then `var_interaction` contains it). `rho`: the generalizability
coefficient, the squared correlation of observed and true means if questions are sampled anew; `lo`, `hi`: its
confidence interval (`nothing` if `n_questions` or `n_trials` is given, or if a model has no trial of a question that
another model has). `rho_fixed`: this coefficient on this question set, where only trials are repeated. `se`,
`se_fixed`: the standard error of the difference of two models, for similar questions and on this set (`rho_fixed` and
`se_fixed` are `nothing` where `var_trials` is). `n_questions`, `n_trials`: the design (`n_trials`: the harmonic mean
over cells, each a model on a question).

Throws `InvalidInput` for anything wrong with the arguments; shape: no model has two questions, no question has two
models, or no two cells differ in both; `no_trials`: no question has a trial; range: `n_trials` above 1 although no
model has two trials of a question. Source: spec/families/items.md: mean products of pairs of cells, which equal the
analysis of variance where outcomes are complete; Cronbach et al. (1972); Feldt (1965) for the interval, whose coverage
was 94 to 96% for models whose abilities are about normal. It covers in 50% to 75% of cases if a tenth of the population
of models is far worse than the others, and in 11% in the worst case that a search found (a twentieth is far worse, the
others are nearly alike): if no such model is among the models, the data cannot show it. With few models the interval is
wide: the coefficient describes these models, and depends on how different they are.

# Examples
```jldoctest
julia> c = [4 3 4 1 0 2; 3 4 2 1 1 2; 2 3 2 0 2 1; 1 2 1 0 3 1; 0 1 1 0 4 0];

julia> models = [Counts(c[i, :], fill(4, 6)) for i in 1:5];

julia> x = Items.reliability(models);

julia> map(y -> round(y, digits=4), (x.rho, x.lo, x.hi, x.rho_fixed))
(0.2571, 0.0, 0.9132, 0.6012)

julia> round(Items.reliability(models, 100, 4).se, digits=4)
0.0416
```
"""
@by_name function reliability(models, n_questions = nothing, n_trials = nothing; confidence = 0.95, missing = :raise)
    M = n_questions === nothing ? nothing : Arguments.integer(n_questions, "n_questions", 1, LARGEST_DESIGN)
    N = n_trials === nothing ? nothing : Arguments.integer(n_trials, "n_trials", 1, LARGEST_DESIGN)
    confidence = Arguments.confidence(confidence)
    c = components(models, missing)
    c.trial === nothing && something(N, 1) > 1 && refuse(
        "range", "n_trials", "n_trials = ", N, ": no question of models has two trials, so their variance is unknown",
    )
    has_interval = c.complete && M === nothing && N === nothing
    limits = has_interval ? feldt(c, confidence) : (nothing, nothing)
    return Result{:Reliability}(design_reliability(c, something(M, c.M), Fraction(something(N, c.N)), limits))
end

"The reliability of a design of M questions of N trials; limits: the interval of rho."
function design_reliability(c::Components, M::Int, N::Fraction, limits)
    trial_error = trial_error_of(c, M, N)
    fixed = fixed_rho(c, M, trial_error)
    return (
        var_models = rounded(c.model), var_questions = rounded(c.question), var_interaction = rounded(c.interaction),
        var_trials = c.trial === nothing ? nothing : rounded(c.trial), rho = rounded(rho_of(c, M, N)),
        lo = limits[1], hi = limits[2], rho_fixed = fixed === nothing ? nothing : rounded(fixed),
        se = standard_error(2 * error_of(c, M, N)),
        se_fixed = trial_error === nothing ? nothing : standard_error(2 * trial_error),
        n_questions = M, n_trials = rounded(N),
    )
end

"The standard error of an estimate: the square root of its variance x."
standard_error(x) = value(sqrt(from_ratio(x)))

"Variance components of the cells that have a trial."
components(models, missing) = cell_components(cells(models, missing))

"""
Variance components from mean products of the deviations of two cells.

The products are A of a cell with itself (without its trial-to-trial variance), B of two cells of a model, C of two
cells of a question, T of two cells that differ in both; b, c, t are the sums in units of 1/(K Q)^2, with K cells in
all, and n_b, n_c, n_t the numbers of pairs.
"""
function cell_components(x::Cells)
    K, rows, columns = sums(min.(x.n, 1))  # the number of cells with a trial, in all, by model and by question
    squares, models, questions = sums(x.X)
    single_trial, grand_total = single_trial_variance(x), big(sum(models))
    square = big(K)^2 * squares - K * grand_total^2
    b, n_b = products_of_pairs(models, rows, K, grand_total, square)
    c, n_c = products_of_pairs(questions, columns, K, grand_total, square)
    t, n_t = -square - b - c, K * (K - 1) - n_b - n_c
    kinds = ("model has two questions", "question has two models", "two cells differ in model and question")
    for (n, what) in zip((n_b, n_c, n_t), kinds)
        n > 0 || refuse("shape", "models", "no ", what, ": the variance components of models cannot be separated")
    end
    unit = (K * x.Q)^2
    A = Fraction(square, K * unit) - total(variances(x, single_trial)) / K
    B, C, T = Fraction(b, n_b * unit), Fraction(c, n_c * unit), Fraction(t, n_t * unit)
    M = count(>(0), columns)
    N = K / total(Fraction[Fraction(count(==(n), x.n), n) for n in sizes(x)])
    return Components(B - T, C - T, A - B - C + T, single_trial, length(rows), M, N, length(rows) * M == K)
end

"""
Sum and number of the products of two deviations within a model, or within a question.

sums, sizes: the sum of X and the number of cells of each; square: the sum of all squared deviations.
"""
function products_of_pairs(sums, sizes::Vector{Int}, K::Int, grand_total::BigInt, square::BigInt)
    products, n_pairs = -square, 0
    for (s, k) in zip(sums, sizes)
        products += (K * big(s) - k * grand_total)^2
        n_pairs += k * (k - 1)
    end
    return products, n_pairs
end

"Feldt's interval of rho: max(0, 1 - (1 - rho) F) at quantiles F of (L - 1, (L - 1)(M - 1)) degrees of freedom."
function feldt(c::Components, confidence::Float64)
    error = error_of(c, c.M, c.N)
    total = c.model + error
    total <= 0 && return 0.0, 1.0
    error == 0 && return 1.0, 1.0
    error_share, d = from_ratio(error / total), Float64(c.L - 1)
    hi, lo = map(quantiles(error_rate(confidence, 2), d, d * (c.M - 1))) do q
        x = ONE - error_share * q
        x.hi > 0.0 ? value(x) : 0.0
    end
    return min(lo, hi), hi  # rounding may exchange limits near 0 at a confidence near 0
end

"The F quantiles of (d, e) degrees of freedom with this lower and upper tail, from quantiles of beta distributions."
function quantiles(tail::Triple, d::Float64, e::Float64)
    a, b, ratio = Triple(d / 2.0), Triple(e / 2.0), Triple(e) / d
    x, y = beta_low(tail, a, b), beta_low(tail, b, a)
    return ratio * (x / (ONE - x)), ratio * ((ONE - y) / y)
end
