# Metrics with confidence intervals, without a prior on the questions.

"""
    interval(R, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, runs=:fixed, confidence=0.95,
        pool=nothing, clusters=nothing, model=:mixture, shape=:wilson, missing=:raise) -> MetricInterval

A metric with its confidence interval, without a prior on the questions. With `questions=:fixed` the interval is for the
expected value of the metric on these exact questions, with `:sampled` it is for the population of similar questions.
With ever more trials the width of the first goes to 0, but not that of the second, which needs more questions. The
trials of a question are taken as independent: where whole runs differ by 1 to 2 points, by their seed, server or
prompt, 95% intervals covered in 66% to 91%, but for `runs=:sampled`.

- `R`: outcomes, M×N, or `Counts`: 0 and 1; in 0..C for the mean and Max@k. Questions without a trial are left out and
  listed in `dropped`. [`Answers`](@ref) for the metrics of a vote, [`ScoredTrials`](@ref) for Best-of-k.
- `metric`: `:mean`, `:pass_at_k`, `:pass_hat_k`, `:g_pass_at_k_tau`, `:maj_at_k`, `:mg_pass_at_k`, `:auc_at_k`,
  `:max_at_k` or `:flip_rate`; also "avg", "pass@k", "pass^k", "g-pass@k", "maj@k", "mg-pass@k", "auc@k", "max@k",
  "flip-rate". For answers: `:plurality_at_k` ("plurality@k"), `:strict_plurality_at_k` ("strict-plurality@k"); for
  scored trials: `:best_of_k` ("best-of-k"). "pass@4" is "pass@k" with k = 4, and so on for each metric that takes k.
- `k`: number of trials of the metric, at most the fewest trials of any question; not for the mean and the flip rate.
- `tau`: threshold of `:g_pass_at_k_tau`, in [0, 1].
- `w`: the score of each category, for the mean and Max@k; default (0, 1).
- `runs`: `:sampled`, the interval also accounts for the differences between runs (passes over the benchmark, with
  their own seed, server or prompt), which are the columns of `R`, so that it is about further runs too; `:fixed`, the
  trials of a question are taken as independent; `:shared`, the runs of all models of the call are the same, which
  matters where there are several. Or a result of [`run_variation`](@ref), or anything with its `ratio` and `df`, from
  other outcomes or where `R` are counts. Never narrower than with `:fixed`.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `pool`: with `:sampled`, size of the finite population that the questions were sampled from, at least M.
- `clusters`: with `:sampled`, M labels: the cluster of each question; clusters are then the sampling units. Default:
  the clusters of the counts, if they have any; `false`: none.
- `model`: how the within-question variance is obtained where a question has fewer than 2k trials: `:mixture`, from a
  mixture of success rates fitted to all questions with the same number of trials; `nothing`, by the jackknife, or as an
  upper bound. It never changes `mu`, and has no effect on the mean, the flip rate and the metrics of answers and scored
  trials.
- `shape`: `:wilson`, or `:beta` (equal tails of a beta distribution), better for very rare success.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref). `:bounds`: an interval that is valid whatever the missing outcomes were. `bounds` then has the
  lowest and the highest value that the metric can have, `lo` is the lower limit at the lowest and `hi` the upper limit
  at the highest; all other fields use only the outcomes that are not missing, but `variance_source` is the least
  reliable one of all three. Not for `:flip_rate`, answers and scored trials. Trials that a shorter row lacks do not
  count as missing.

The result iterates as (mu, sigma, lo, hi), `mu` what the function of the metric returns ([`avg`](@ref) for the mean);
further fields are `questions`, `variance_source`, `n_eff`, `units`, `dropped` (counted from 1) and `bounds`. Throws
`InvalidInput` for anything wrong with the arguments; conflict: a parameter, or `:bounds`, that the metric does not
take, or counts with `runs=:sampled`; range: `k` above the trials of a question (see [`extrapolate`](@ref)). Source:
spec/families/intervals.md.

`variance_source` says how the variance was obtained. For sampled questions it is "measured" ("upper bound" with a
single question or cluster). For fixed questions, and with a pool, it is "measured" if every question has at least 2k
trials (2 for the mean, 4 for the flip rate); else "modelled" ("probit" for a vote), or "upper bound": with a single
trial of a question, with `model=nothing` (except for a vote), for the flip rate and for Best-of-k. For fixed questions
a second trial of each about halves the interval of a mean, and 2k trials measure the variance of Pass@k.

Coverage of 95% intervals is below nominal

- where fewer than about one success is expected in total (80% to 93%);
- for fixed questions that hardly vary: averages, and metrics of k <= N/2, have 91% or more where the variance of
  the number of successes, the sum of n p (1 - p), is at least 1, 89% from 0.5 on, and 85% was the least found below
  that; k > N/2: 82% for Pass@8 of 8 trials with one of 400 questions at a rate of 0.195 and the others at 1;
- for sampled questions where a rare kind of question was not sampled, which has probability (1 - q)^M for a kind that
  makes up a share q of all questions (84% at q = 0.05, M = 30; 80% was the least found);
- where only a few questions vary, and these have fewer trials than the others (86% was the least found);
- with 2k > N, too few trials to determine the variance (7% of equal models differ significantly at 5% in the worst
  distribution that was found: 52 questions at a rate of 0.937, Pass^10 of 10 trials);
- for a vote of all trials on questions where one wrong answer is as frequent as the right one (87%, and 13% of
  equal models differ significantly at 5%);
- where trials are not independent (temperature 0, caches; or runs that differ, unless `runs` says so), or questions
  are related, unless `clusters` says so;
- where outcomes are missing for reasons that depend on them.

# Examples
```jldoctest
julia> R = [0 1 1 0; 1 1 1 1; 0 0 0 0; 0 1 0 0; 1 0 1 1];

julia> r = interval(R, "pass@k", 2; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.variance_source
(0.6667, 0.3678, 0.873, "measured")

julia> interval(R, "pass@k", 3; questions=:fixed).variance_source
"modelled"

julia> r = interval([0 1 missing 0; 1 1 1 1; 1 missing 1 1]; questions=:fixed, missing=:bounds);

julia> round(r.mu, digits=4), round.(r.bounds, digits=4)
(0.7778, (0.6667, 0.8333))
```
"""
@by_name function interval(
    R, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions = required("questions"), runs = :fixed, confidence = 0.95, pool = nothing, clusters = nothing,
    model = :mixture, shape = :wilson, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    bounds = Arguments.isbounds(missing)
    q = Estimates.parse_request(
        metric, k, tau, w; questions = questions, pool = pool, clusters = clusters, model = model,
        missing = bounds ? :drop : missing, allowed = Metrics.ALL_INTERVALS,
    )
    shape = Arguments.choice(shape, "shape", ("wilson", "beta"))
    q = Estimates.with_runs(q, runs, ("R" => R,))
    bounds && return deferred(bounded_interval)(q, R, String(questions), confidence, shape)::MetricInterval
    return interval_of(q, Estimates.read_outcomes(q, R), String(questions), confidence, shape)
end

"The interval whose limits are those with all missing outcomes at the lowest and at the highest score."
function bounded_interval(q, R, questions, confidence, shape)
    counts = Estimates.completed_counts(q, R, "R")
    observed, low, high = (interval_of(q, x, questions, confidence, shape) for x in counts)
    source = reduce(Differences.least_reliable, (x.variance_source for x in (observed, low, high)))
    return MetricInterval(
        observed.mu, observed.sigma, low.lo, high.hi, questions, source, observed.n_eff, observed.units,
        observed.dropped, (low.mu, high.mu),
    )
end

"The interval from counts and arguments of interval(), all checked but the pool and the clusters of q."
function interval_of(q, counts, questions, confidence, shape)
    x = Estimates.measure_counts(q, counts)
    p, (V, unit) = x.estimator.parts::Variance.Parts, Estimates.variance_and_unit(x)
    quantiles = Differences.quantiles(x.freedom, x.freedom_of_units, confidence)
    of_runs, z = Differences.of_runs(x, confidence), normal_z(confidence)
    n_eff, wilson_q = Variance.size_and_q(p.theta, p.rest, V, unit, quantiles, of_runs)
    if shape == "wilson"
        limits = Variance.wilson_ends(p.theta, p.rest, wilson_q)
    else  # n: Wilson's interval with this n and the normal quantile z is the one with these quantiles
        n = z * z / wilson_q
        limits = Variance.equal_tails(p.theta, p.rest, n, Variance.tail(confidence))
    end
    low, high = ends(q.m.w)
    summary = Variance.rescale(Estimators.mu(x.estimator)::Triple, p, n_eff, limits, low, high)
    return MetricInterval(summary..., questions, x.variance_source, value(n_eff), x.units, x.dropped, nothing)
end

"""
    mean_ci(R, w=nothing; questions, runs=:fixed, confidence=0.95, pool=nothing, clusters=nothing, shape=:wilson,
        missing=:raise) -> MetricInterval

The average score with its confidence interval: [`interval`](@ref) of the mean.

- All arguments: as in [`interval`](@ref).

The result iterates as (mu, sigma, lo, hi), `mu` the value of [`avg`](@ref); further fields are `questions`,
`variance_source`, `n_eff`, `units`, `dropped` (counted from 1) and `bounds`. Throws `InvalidInput` for anything wrong
with the arguments. For fixed questions with one trial each the within-question variance cannot be measured
(`variance_source` is "upper bound"): a second trial of each about halves the interval. When coverage is below nominal:
see [`interval`](@ref).

# Examples
```jldoctest
julia> r = mean_ci([0 1 1 0 1; 1 1 0 1 1]; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.variance_source
(0.7, 0.3968, 0.8922, "measured")
```
"""
@by_name function mean_ci(
    R, w = nothing;
    questions = required("questions"), runs = :fixed,
    confidence = 0.95, pool = nothing, clusters = nothing, shape = :wilson, missing = :raise,
)
    return interval_by_position(
        R, :mean, nothing, nothing, w, questions, runs, confidence, pool, clusters, :mixture, shape, missing,
    )
end
