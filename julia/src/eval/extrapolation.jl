# Pass@k and Pass^k for k above the number of trials: the identified band, and the limits of a fitted model.

const EXTRAPOLATED = ("pass_at_k", "pass_hat_k")
const MOST_MODELLED_TRIALS = 50000  # of a question to which a model is fitted
const INFLATED = ("zero-inflated beta-binomial", "one-inflated beta-binomial")  # the models of Pass@k and of Pass^k

"""
    extrapolate(R, metric, k; confidence=0.95, more=nothing, missing=:raise)
        -> (lower, upper, low, high, unsolved, n)

Pass@k or Pass^k for k above the number of trials, without a model: the identified band and limits that cover it.

n trials do not determine Pass@k for k > n, however many questions there are: questions that were never solved may have
a rate of 0 or a small one. So all values in a band are consistent with the data; the limits cover the band and account
for sampling error.

- `R`: outcomes of 0 and 1, M×N, or `Counts`. Questions without a trial are left out. The band uses as many trials as
  all questions with at most two successes (Pass^k: failures) have, but at most k; other questions may have fewer.
- `metric`: `:pass_at_k` or `:pass_hat_k`; also "pass@k", "pass^k".
- `k`: above the fewest trials of any question; otherwise use [`interval`](@ref).
- `confidence`: nominal coverage of the limits, strictly between 0 and 1.
- `more`: further trials of the same questions, row by row, that were run because of `R`: on questions with few
  successes, as [`extrapolate_model`](@ref) advises. Keep them out of `R` everywhere else: a plain average over both is
  biased, since only questions with few successes were tried again.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

The result has the ends of the band, the limits, the number of questions without a success (Pass^k: without a failure),
and the trials per question that the band is based on. Throws `InvalidInput` for anything wrong with the arguments. With
`f_j` the expected number of questions with j successes in n trials: `upper` of Pass@k follows from `f_0` and `f_1`,
since the moments of a distribution are log-convex; `lower` from `f_0`, `f_1` and `f_2` (Chao's bound). The band of
Pass^k is 1 minus that of Pass@k with successes and failures exchanged. The limits are valid for this question set and
for the population of similar questions. Pass@k cannot fall with k, nor can its limits: the lower limit at a smaller k
is valid at any larger k. At 95% the limits covered in 96% to 100% of simulations of each distribution of
bench/extrapolate.py. Where the value is nearly 0 or 1 they miss it in up to 13% of samples, with 100 questions by more
than 0.001 in up to 4%. They are wide where many questions are unsolved, and more trials of those narrow them most:
[`extrapolate_model`](@ref) computes how many. Not valid if trials are not independent (temperature 0, caches).

# Examples
```jldoctest
julia> r = extrapolate([0 1 1 0; 1 1 1 1; 0 0 0 0; 0 1 0 0], :pass_at_k, 8);

julia> round.((r.lower, r.upper, r.low, r.high), digits=3), r.unsolved, r.n
((0.832, 0.898, 0.303, 0.999), 1, 4)
```
"""
@by_name function extrapolate(R, metric, k; confidence = 0.95, more = nothing, missing = :raise)
    m = Metrics.read_metric(metric, k, nothing, nothing, EXTRAPOLATED)
    z = normal_z(Arguments.confidence(confidence))
    s = successes(R, m, missing, more)
    f = Identified.frequencies(s, Identified.horizon(s, m.k))
    band = Identified.band(f, m.k, z)
    rows = is_pass_at_k(m) ? (2, 3, 1, 4) : (7, 6, 8, 5)  # band: (low, lower, upper, high), then 1 minus each
    lower, upper, low, high = map(i -> value(band[i]) + 0.0, rows)
    unsolved = Identified.unsolved(s)
    return Result{:Extrapolation}((lower = lower, upper = upper, low = low, high = high, unsolved = unsolved, n = f.n))
end

"""
    extrapolate_model(R, metric, k; width=nothing, confidence=0.95, more=nothing, missing=:raise)
        -> (value, lo, hi, model, alpha, beta, atom, ratio, fit, trials_needed, n_questions)

Pass@k or Pass^k for k above the number of trials, under a maximum-likelihood model of the success rates.

The model is beta-binomial: the rates of the questions are a sample from a beta distribution. A zero-inflated model, in
which a share of the questions has a rate of exactly 0 (Pass^k: exactly 1), takes its place where twice the log
likelihood ratio of the two is above z^2 (3.84 at 95%). Otherwise the limits span those of both models. Limits are cut
off at those of [`extrapolate`](@ref); if the value is outside these, the model does not fit, and `value`, `lo` and `hi`
are nothing.

- `R`: outcomes of 0 and 1, M×N, or `Counts`. Questions without a trial are left out.
- `metric`: `:pass_at_k` or `:pass_hat_k`; also "pass@k", "pass^k".
- `k`: above the fewest trials of any question; otherwise use [`interval`](@ref).
- `width`: largest width that the limits of [`extrapolate`](@ref) should have, strictly between 0 and 1; `trials_needed`
  further trials of each of `n_questions` questions would narrow them to it.
- `confidence`: nominal coverage of the limits, if one of the two models is right, and of those of `extrapolate`.
- `more`: as in [`extrapolate`](@ref).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

The result has, in this order: the metric and its limits; the model, its beta distribution of success rates and the
share of rates of exactly 0 (Pass^k: 1); twice the log likelihood ratio of the inflated model to the beta-binomial one;
the p-value of Pearson's test of the model on the counts, or nothing with too few questions; and how many more trials of
how many questions, those with at most two successes (Pass^k: failures), narrow the limits of the band to `width`,
nothing if no width is given or too few questions make it impossible. Throws `InvalidInput` for anything wrong with the
arguments; undefined: all outcomes are equal, or no question has two trials; range: a question has
more than 50,000 trials.

The likelihood is maximised with 100 bits. The limits are the smallest and largest value over models around the maximum:
with two parameters the corners of an octagon that contains the ellipse given by the information matrix. These models
are the same at every k, so that no limit of Pass@k falls with k. The limits are for the population of similar
questions. Coverage is 83% to 98% under the two models (68% to 100% for the value on the same questions), and has no
lower bound under others: with log-uniform rates the limits covered in 0 of 80 runs (16 trials, k = 1024), and `fit` saw
that in at most 31%. Report the band of [`extrapolate`](@ref), which needs no model, and this value second. Source:
spec/families/extrapolation.md.

# Examples
```jldoctest
julia> R = [zeros(Int, 5, 4); repeat([0 1 0 0], 3); repeat([1 1 0 1], 4); ones(Int, 2, 4)];

julia> r = extrapolate_model(R, "pass@k", 16);

julia> r.model, round(r.value, digits=3), round(r.lo, digits=3), round(r.hi, digits=3)
("beta-binomial", 0.809, 0.394, 0.978)
```
"""
@by_name function extrapolate_model(R, metric, k; width = nothing, confidence = 0.95, more = nothing, missing = :raise)
    m = Metrics.read_metric(metric, k, nothing, nothing, EXTRAPOLATED)
    width === nothing || (width = Arguments.confidence(width, 0.0, "width"))
    z = normal_z(Arguments.confidence(confidence))
    s = successes(R, m, missing, more)
    (maximum(s.n) < 2 || all(iszero, s.c) || s.c == s.n) &&
        refuse("undefined", "R", "no model fits outcomes that are all equal or questions of one trial each")
    maximum(s.n) <= MOST_MODELLED_TRIALS || refuse(
        "range", "R", "R has a question of ", maximum(s.n), " trials, more than the ", MOST_MODELLED_TRIALS,
        " that a model is fitted to: extrapolate(), which needs no model, takes any number",
    )
    beta_binomial, inflated, ratio, inflated_is_better = fitted_models(s, z)
    model = inflated_is_better ? inflated : beta_binomial
    f = Identified.frequencies(s, Identified.horizon(s, m.k))
    band = Identified.band(f, m.k, z)
    estimate, lo, hi = in_band(model_limits(beta_binomial, inflated, inflated_is_better, m, z), band, m)
    trials = width === nothing ? nothing : trials_for(band, f, m.k, model, width, z)
    a, b, _ = ZeroInflated.shapes(model.v, model.s)
    alpha, beta = is_pass_at_k(m) ? (a, b) : (b, a)
    atom = model.o / (ONE + model.o)
    name = inflated_is_better ? INFLATED[is_pass_at_k(m) ? 1 : 2] : "beta-binomial"
    fit = ZeroInflated.goodness_of_fit(s, model, inflated_is_better ? 3 : 2)
    n_few = sum(s.mult[s.c.<=Identified.FEW])
    return Result{:ModelExtrapolation}((
        value = estimate, lo = lo, hi = hi, model = name, alpha = value(alpha), beta = value(beta), atom = value(atom),
        ratio = value(ratio), fit = fit, trials_needed = trials, n_questions = n_few,
    ))
end

"Whether the metric is Pass@k; for Pass^k successes and failures are exchanged."
is_pass_at_k(m) = m.kind isa Metrics.PassAtK

"Successes (for Pass^k failures) of the questions in R and `more`; k must be above the fewest trials."
function successes(R, m, missing, more = nothing)
    combined = count_outcomes(R, 1, missing)
    if more !== nothing
        further = count_outcomes(more, 1, missing; name = "more")
        questions(further) == questions(combined) ||
            refuse("shape", "more", "more has ", questions(further), " questions, R has ", questions(combined))
        combined = combined + further
    end
    counts, _ = with_trials(combined, "R")
    n = counts.min_trials
    m.k > n ||
        refuse("range", "k", "k = ", m.k, " is not above the fewest trials of a question, ", n, ": use interval()")
    s = states(counts)
    return Identified.Successes(s.n, is_pass_at_k(m) ? s.c : s.n - s.c, s.mult)
end

"The beta-binomial and the inflated model (or nothing), twice their log likelihood ratio, whether that is above z^2."
function fitted_models(s, z)
    beta_binomial = ZeroInflated.fit_beta_binomial(s)
    inflated = ZeroInflated.fit_zero_inflated(s, beta_binomial)
    inflated === nothing && return beta_binomial, nothing, ZERO, false
    ratio = times_2_to(ZeroInflated.gain(inflated, beta_binomial), 1.0)
    return beta_binomial, inflated, ratio, ratio > z * z
end

"The (value, lo, hi) of the inflated model if it is better; else the beta-binomial value, and limits over both."
function model_limits(beta_binomial, inflated, inflated_is_better, m, z)
    estimates = [limits_under(x, m, z) for x in (beta_binomial, inflated) if x !== nothing]
    inflated_is_better && return estimates[2]
    return estimates[1][1], minimum(x[2] for x in estimates), maximum(x[3] for x in estimates)
end

"The (value, lo, hi) under one model."
function limits_under(model, m, z)
    x = ZeroInflated.limits(model, m.k, z)
    # x: Pass@k, 1 minus it, the limits of Pass@k, and 1 minus each of these
    return map(i -> value(x[i]), is_pass_at_k(m) ? (1, 3, 4) : (2, 6, 5))
end

"The number of further trials of each question that narrow the limits of the band to a width; 0 if none are needed."
trials_for(band, f, k, model, width, z) =
    value(band[4] - band[1]) <= width ? 0 : ZeroInflated.more_trials(f, k, model, width, z)

"The (value, lo, hi) cut to the limits of the band; nothing if the value is outside: the model does not fit."
function in_band(limits, band, m)
    low, high = map(i -> value(band[i]) + 0.0, is_pass_at_k(m) ? (1, 4) : (8, 5))
    estimate, lo, hi = limits
    low <= estimate <= high || return nothing, nothing, nothing
    return estimate, max(lo, low), min(hi, high)
end
