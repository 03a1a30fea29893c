# Comparison of two models: their difference, its confidence interval and its p-value.

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
