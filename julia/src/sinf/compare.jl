# The difference of two models, the probability that one is above a threshold, and how robust their order is.

"""
    compare(A, B, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, confidence=0.95,
        paired=true, clusters=nothing, guard=0.0, model=:mixture, missing=:raise, looks=nothing,
        spending="obrien-fleming")
        -> (mu, sigma, lo, hi, p_value, df, p_above, significant, variance_source, dropped)

The difference of two models, with a confidence interval and a p-value.

- `A`, `B`: outcomes of two models, M×N, or `Counts`, on the same questions: by id where both have ids, else row by row.
  The numbers of trials may differ.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref).
- `questions`: `:fixed`, the difference on this question set; `:sampled`, in the population of similar questions, so
  that the interval accounts for the sampling of questions too.
- `runs`: as in [`interval`](@ref); `:sampled`, each model has runs of its own; `:shared`, column j is the same run of
  both, such as a prompt or a session, and their differences give the variance.
- `confidence`: nominal coverage of the interval, over all looks, strictly between 0 and 1, with looks in
  [1/2, 1 - 1e-12]; 1 - confidence is the two-sided level.
- `paired`: `false` where A and B answered different questions of one population, which needs `:sampled`.
- `clusters`: with `:sampled`, M labels: clusters of related questions, the units that were sampled. Default: those that
  the counts carry; `false`: none.
- `guard`: with `:sampled`, the largest difference of a question that was not sampled, as a share of the scale, in [0,
  1]. 0 is the paired t test; with 1 a rare kind of question that the sample lacks may differ by the whole scale, which
  takes most of the power where there are few questions with many trials each. It is at least two steps of the metric
  (for an average 2/n) where `A` and `B` have unequal trials, n the fewest. No effect on different questions.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions on which a model has no trial are left out and listed in `dropped`, counted from 1; questions that only one
  model has are refused, or with `:drop` left out too. `:bounds`: limits that are valid whatever the missing outcomes
  were: lo with all of them against A, hi with all of them for A. `p_value`, df, `p_above` and significant are those of
  the case whose difference is nearer to 0; unless both differences are above 0 or both below, `p_value` is 1, `p_above`
  1/2, significant false, and df is computed without the missing outcomes. mu, sigma and dropped always are.
  `variance_source` is the least reliable of the three cases.
- `looks`: fractions of the planned information at the looks so far, the last one this look, as in
  [`boundaries`](@ref): [0.2, 0.4] is the second of five equal steps. By default the only look.
- `spending`: how the looks share the error rate: "obrien-fleming", "pocock".

`mu` is metric(A) - metric(B); `mu`, `sigma`, `lo` and `hi` are in units of `w`; `p_value` is two-sided, of a t
distribution with `df` degrees of freedom, `significant` is `p_value <= 1 - confidence` (at one of several looks:
`p_value` <= the `p` of [`boundaries`](@ref)), true exactly when the interval excludes 0, and `p_above` is P(A > B)
under a flat prior, `1 - p_value/2` if mu > 0; it is too extreme for models that are nearly equal. `variance_source` is
"upper bound" where the data do not identify the variance (fixed questions with one trial, or with fewer than 2k where
no model gives it), "modelled" where it is that of a mixture of success rates (fixed questions with fewer than 2k
trials; for a vote "probit"), else "measured".

Throws `InvalidInput` for anything wrong with the arguments; shape: A and B of different numbers of questions, or a
single one where the variance between questions is needed; conflict: only one has ids; missing: one lacks a question;
range: `k` above the trials of a question. Source: spec/families/comparisons.md.

On similar questions this is the paired t test on the differences of questions (with clusters CR2 variances and Bell and
McCaffrey's df), and where at most 14 differences are not 0, or all have one sign, the p-value is at least that of all
choices of their signs: if the models are equally good on every question and have equally many trials, that p-value is
at most 5% in at most 5% of runs, at any number of questions. For the t test this was 5.8% in the worst of 194 cells of
a search. If only the averages are equal, and rare questions differ by much, models are called different in 5 to 7% of
runs with few trials (30 questions of 64: 18%), and the more often the less noise there is: in 21% of those of 60
scores, in 90% where the sample mostly lacks the rare questions and the others hardly vary (10 of 1,000 trials). `guard`
is the protection; bench/README.md has its price. Different questions are compared with a guard of 1 (worst cell 6.1%;
without it 23%), unequal trials with at least two steps (worst cell 9.1%, 300 questions of 64 trials against one;
without it 39% of 20 of 16).

On fixed questions `df` is small where few questions vary. Where every question of a model has one trial the variance
over trials is not identified, and the interval is that of sampled questions: a second trial about halves it. Align the
rows first: without ids only the number of questions can be checked. Do not compare the intervals of two models by eye:
they may overlap where the difference is significant. The level is for one look at the data: looking after every trial
is wrong in 25% to 40% of runs. Pass `looks`, or use [`Monitor`](@ref). Over several benchmarks compare with
[`suite`](@ref); to ask whether one model may replace another, use [`gate`](@ref).

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> r = compare(A, B; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), round(r.p_value, digits=4)
(0.3333, -0.2597, 0.9263, 0.2442)

julia> r = compare(A, B, "pass@k", 2; questions=:fixed);

julia> round(r.mu, digits=4), r.variance_source
(0.2222, "modelled")
```
"""
@by_name function compare(
    A, B, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed,
    confidence = 0.95, paired = true, clusters = nothing, guard = 0.0, model = :mixture, missing = :raise,
    looks = nothing, spending = "obrien-fleming",
)
    tail = one_sided_level(Arguments.confidence(confidence), looks, spending)
    paired = Arguments.flag(paired, "paired")
    bounds = Arguments.isbounds(missing)
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, clusters = clusters, guard = guard, model = model,
        missing = bounds ? :drop : missing, allowed = Metrics.ALL_INTERVALS,
    )
    request = Estimates.with_runs(request, runs, ("A" => A, "B" => B))
    bounds && return Result{:Comparison}(deferred(compare_bounded)(request, A, B, tail, paired)::ComparisonFields)
    return Result{:Comparison}(compare_both(request, A, B, tail, paired))
end

"The names and types of the fields of a comparison."
const ComparisonFields = NamedTuple{
    (:mu, :sigma, :lo, :hi, :p_value, :df, :p_above, :significant, :variance_source, :dropped),
    Tuple{Float64,Float64,Float64,Float64,Float64,Float64,Float64,Bool,String,Vector{Int}},
}

"The fields of a comparison of two models; tail: the one-sided level."
function compare_both(request, A, B, tail, paired)
    x, y, dropped, units = both_estimators(request, A, B, "A", "B", paired)
    return comparison_fields(difference_of(request, x, y, units, "A", paired), request.m.w, tail, dropped)
end

"The difference of two models; name: of the argument, for errors."
function difference_of(request, x, y, units, name, paired = true)
    runs = Estimates.runs_about(request, 1, 2)
    paired && return Differences.paired_difference(x, y, request.sampled, request.guard, name, units, runs)
    return deferred(Differences.unpaired_difference)(x, y, request.guard, runs)::Differences.Difference
end

"A difference without the missing outcomes, with limits from all of them against A and from all of them for A."
function compare_bounded(request, A, B, tail, paired)
    Models.check_flat(A, "A")
    Models.check_flat(B, "B")
    a, low, high = Estimates.completed_counts(request, A, "A")
    b, low_b, high_b = Estimates.completed_counts(request, B, "B")
    each = (compare_both(request, x, y, tail, paired) for (x, y) in ((a, b), (low, high_b), (high, low_b)))
    return Differences.bounded_difference(each...)
end

"Estimators of both models, the dropped questions, and the clusters; if not paired, each model on its own questions."
function both_estimators(request, A, B, name, name_b, paired = true)
    paired || request.sampled ||
        refuse("conflict", "paired", "paired=false, different questions, needs questions=:sampled")
    paired || request.clusters === nothing || request.clusters === false || refuse_unpaired_clusters()
    Models.check_flat(A, name)
    Models.check_flat(B, name_b)
    a, b = Estimates.read_outcomes(request, A, name), Estimates.read_outcomes(request, B, name_b)
    paired || request.clusters === false || clusters_of(a) === clusters_of(b) === nothing || refuse_unpaired_clusters()
    dropped, units = Int[], nothing
    if paired
        names = (name, name_b)
        use_own_clusters = request.sampled && request.clusters === nothing
        a, b = pair_questions([a, b], names, i -> names[i], request.missing, use_own_clusters)
        labels = population(nothing, request.clusters, request.sampled, a)[2]
        a, b, dropped = Differences.common_questions(a, b, name, "$name and $name_b")
        units = Estimates.units_of(labels, dropped)
    else
        a, b = with_trials(a, name)[1], with_trials(b, name_b)[1]
    end
    check_trials(a, request.m.k, name, Estimates.NO_DIFFERENCE, Metrics.flips(request.m))
    check_trials(b, request.m.k, name_b, Estimates.NO_DIFFERENCE, Metrics.flips(request.m))
    return Estimates.estimator_for(request, a), Estimates.estimator_for(request, b), dropped, units
end

refuse_unpaired_clusters() = refuse(
    "conflict", "clusters", "clusters group questions that both models answered: with paired=false pass ",
    "clusters=false to ignore them",
)

"The fields of a comparison in units of w; tail: the one-sided level."
function comparison_fields(d, w, tail, dropped)
    p = Differences.p_value(d)
    s = Decision.rescaled_interval(d, tail, w)
    return (
        mu = s.mu, sigma = s.sigma, lo = s.lo, hi = s.hi, p_value = value(p),
        df = value(Differences.reported(d, tail)[2]), p_above = value(Differences.p_above(d)),
        significant = times_2_to(tail, 1.0) >= p, variance_source = d.variance_source,
        dropped = dropped,
    )
end

"""
    prob_above(R, t, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, pool=nothing,
        clusters=nothing, model=:mixture, missing=:raise) -> Float64

The probability that a metric lies above a threshold `t`.

- `R`, `metric`, `k`, `tau`, `w`, `questions`, `runs`, `pool`, `clusters`, `model`, `missing`: as in
  [`interval`](@ref).
- `t`: the threshold, strictly between the lowest and the highest score: 0 and 1 without `w`.

The result is P(T <= (theta - t) sqrt(n) / sqrt(t (1 - t))), theta (the metric) and t on the scale 0..1. n is
theta (1 - theta) over the variance of theta, or the least effective sample size n0 if the probability is then farther
from 1/2. T has a t distribution, or the normal one: for n0 without clusters, and if the outcomes of many fixed
questions vary (spec/families/intervals.md). The result is 1/2 where the metric equals `t`, and above
(1 + confidence)/2 where the whole [`interval`](@ref) with this confidence is above `t`.

Throws `InvalidInput` for anything wrong with the arguments; range: `t` not strictly between the lowest and the highest
score.

The result is 1 minus the p-value of a one-sided test: the one whose inversion gives the intervals of
[`interval`](@ref), with the same variance and without a prior. `:fixed`: the probability that the expected value of the
metric on these exact questions is above `t`; `:sampled`: the probability that its value over the population of similar
questions is. For `:fixed` with one trial per question the trial-to-trial variance cannot be measured; a second trial
makes the answer much more certain.

# Examples
```jldoctest
julia> round(prob_above([0 1 1 0 1; 1 1 0 1 1], 0.5; questions=:fixed), digits=4)
0.897
```
"""
@by_name function prob_above(
    R, t, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed, pool = nothing, clusters = nothing, model = :mixture,
    missing = :raise,
)
    t = Arguments.finite(t, "t")
    request = Estimates.parse_request(
        metric, k, tau, w; questions = questions, pool = pool, clusters = clusters, model = model, missing = missing,
        allowed = Metrics.ALL_INTERVALS,
    )
    request = Estimates.with_runs(request, runs, ("R" => R,))
    x = Estimates.measure_counts(request, Estimates.read_outcomes(request, R))
    low, high = ends(request.m.w)
    low < t < high || refuse("range", "t", "t = ", t, " is not strictly between the scores ", low, " and ", high)
    threshold, bottom, top = map(Triple, (t, low, high))
    span = top - bottom
    below, above = (threshold - bottom) / span, (top - threshold) / span
    V, unit = Estimates.variance_and_unit(x)
    parts = x.estimator.parts::Variance.Parts
    p = Variance.probability_above(parts, V, unit, below, above, x.freedom, x.freedom_of_units)
    x.over_runs === nothing && return value(p)
    V, freedom = x.over_runs
    p_of_runs = Variance.probability_above(parts, V, x.unit_of_runs, below, above, freedom, freedom)
    return value(Variance.nearer_to_half(p, p_of_runs))
end

# --- how many missing outcomes or wrong keys the order survives -------------------------------------

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
    total, span = foldl(+, gaps), (maximum(scores) - minimum(scores)) * scale
    mu = value(Rationals.from_ratio(total, scale * unit * questions(a)))
    if total < 0
        A, B, gaps = B, A, -gaps
    end
    planned = (A.trials .+ A.absent .> 0) .& (B.trials .+ B.absent .> 0)
    n_missing, needed = missing_needed(select(A, planned), select(B, planned), scores, total != 0)
    inverted = fewest_gains(foldl(+, gaps), [(2x, 1) for x in gaps])
    rescored = fewest_gains(foldl(+, gaps), [(x + span, 1) for x in gaps])
    return (
        mu = mu, missing = n_missing, missing_needed = needed, inverted_needed = inverted, rescored_needed = rescored,
    )
end

"The least common multiple of all numbers of trials."
common_trials(counts...) = foldl(lcm, (big(n) for x in counts for n in unique(x.trials)); init = big(1))

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
    total = foldl(+, question_averages(full[1], scores, scale)) - foldl(+, question_averages(full[2], scores, scale))
    gains = [((high - low) * (scale ÷ n), m) for (x, y) in zip((A, B), full) for (n, m) in zip(y.trials, x.absent)]
    return foldl(+, A.absent) + foldl(+, B.absent), lead ? fewest_gains(total, gains) : 0
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
