# Designs that reach a target: numbers of questions and trials, their cost, and the cheapest design.

const MOST_TRIALS = 10^4  # largest max_trials: every number of trials up to it is tried
const LEAST_TARGET, LARGEST_RHO = 1e-6, 0.999999  # se = 0 or rho = 1 would need endlessly many questions
const LARGEST_COST = 1e100  # of a question or of a trial; also for cost_per_solved

"""
    design(models; se=nothing, rho=nothing, cost_question=0.0, cost_trial=1.0, max_trials=1000, missing=:raise)
        -> (n_questions, n_trials, cost, se, rho, cheapest) of each design

Designs that reach a target: the number of questions for each number of trials, its cost, and the cheapest one.

- `models`: outcomes of L >= 2 models like those to be compared, on M >= 2 questions like those to be asked.
- `se`: target in [1e-6, 1], the standard error of the difference of two models, for the population of similar
  questions.
- `rho`: target in [1e-6, 0.999999], the generalizability coefficient. Give either `se` or `rho`.
- `cost_question`: cost of writing and checking a new question, whatever the number of trials, 0 to 1e100; in the unit
  of `cost_trial`.
- `cost_trial`: cost of one trial of one model, 1e-100 to 1e100.
- `max_trials`: the most trials per question, 1 to 10^4.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).

Rows for 1, 2, 4, ... trials up to twice those of the cheapest design, at most `max_trials`, and for the cheapest one.
`n_questions` is the smallest number, at least two, that reaches the target; `cost` is that of one model, `n_questions
(cost_question + n_trials cost_trial)`. If no model has two trials of a question, the only row is that of 1 trial.

Throws `InvalidInput` for anything wrong with the arguments; conflict: both or none of the targets; undefined: `rho`,
where the estimated variance between models is not positive. Source: spec/families/items.md. The cheapest design is
found by trying every number of trials; it has about `sqrt(var_trials cost_question / (var_interaction cost_trial))`
trials, so that more than one trial is worth its cost only where questions have a cost. All numbers follow from
estimated variances, uncertain with few models.

# Examples
```jldoctest
julia> c = [4 3 4 1 0 2; 3 4 2 1 1 2; 2 3 2 0 2 1; 1 2 1 0 3 1; 0 1 1 0 4 0];

julia> models = [Counts(c[i, :], fill(4, 6)) for i in 1:5];

julia> best = only(filter(x -> x.cheapest, Items.design(models; se=0.05, cost_question=10)));

julia> best.n_questions, best.n_trials, best.cost
(57, 6, 912.0)
```
"""
function design(
    models;
    se = nothing, rho = nothing, cost_question = 0.0, cost_trial = 1.0, max_trials = 1000, missing = :raise,
)
    target = stated_target(se, rho)
    prices = (
        Arguments.in_range(cost_question, "cost_question", 0.0, LARGEST_COST),
        Arguments.in_range(cost_trial, "cost_trial", 1 / LARGEST_COST, LARGEST_COST),
    )
    max_N = Arguments.integer(max_trials, "max_trials", 1, MOST_TRIALS)
    c = components(models, missing)
    return Results{:Design}(designs(c, largest_variance(c, target...), map(exact, prices), max_N))
end

"The exact value of a double."
exact(x) = Fraction(integer_ratio(x)...)

"Check that exactly one target is given; returns both, the other as nothing."
function stated_target(se, rho)
    (se === nothing) == (rho === nothing) &&
        refuse("conflict", "rho", "state one target, se or rho", se === nothing ? "" : ", not both")
    return (
        se === nothing ? nothing : Arguments.in_range(se, "se", LEAST_TARGET, 1.0),
        rho === nothing ? nothing : Arguments.in_range(rho, "rho", LEAST_TARGET, LARGEST_RHO),
    )
end

"The largest variance of a model's mean that meets the target."
function largest_variance(c::Components, se, rho)
    se === nothing || return exact(se)^2 / 2
    c.model > 0 ||
        refuse(
            "undefined", "rho",
            "the estimated variance between the models is not positive, so every design has rho = 0: give se",
        )
    return c.model * (1 - exact(rho)) / exact(rho)
end

"""
The cheapest design, and those of 1, 2, 4, ... trials up to twice its trials, at most max_N.

variance: the largest allowed; prices: of a question, and of a trial of one model.
"""
function designs(c::Components, variance::Fraction, prices::Tuple{Fraction,Fraction}, max_N::Int)
    max_N = c.trial === nothing ? 1 : max_N
    interaction, trial = max(c.interaction, Fraction(0)) / variance, something(c.trial, Fraction(0)) / variance
    questions(N) = max(big(2), ceil(BigInt, interaction + trial / N))
    cost(N) = questions(N) * (prices[1] + N * prices[2])
    cheapest_N, lowest_cost = 1, cost(1)
    for N in 2:max_N
        candidate_cost = cost(N)
        candidate_cost < lowest_cost && ((cheapest_N, lowest_cost) = (N, candidate_cost))
    end
    trial_numbers = Int[N for N in 1:max_N if N == cheapest_N || (ispow2(N) && N <= 2 * cheapest_N)]
    return [row_of(c, questions(N), N, cost(N), N == cheapest_N) for N in trial_numbers]
end

row_of(c::Components, M::BigInt, N::Int, cost::Fraction, cheapest::Bool) = (
    n_questions = M <= typemax(Int) ? Int(M) : M, n_trials = N, cost = rounded(cost),
    se = standard_error(2 * error_of(c, M, N)), rho = rounded(rho_of(c, M, N)), cheapest = cheapest,
)
