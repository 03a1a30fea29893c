# Whether a candidate may replace a baseline, in one benchmark or over several: non-inferiority by a margin.

"""
    gate(candidate, baseline, metric=:mean, k=nothing, tau=nothing, w=nothing; margin, questions, runs=:fixed,
        confidence=0.95, paired=true, clusters=nothing, guard=1.0, model=:mixture, missing=:raise, looks=nothing,
        spending="obrien-fleming", power=0.8)
        -> (verdict, mu, sigma, lo, hi, p_worse, p_better, df, worse, trials_needed, questions_needed, variance_source,
            dropped)

Whether a candidate is non-inferior to a baseline by a margin: pass, fail or inconclusive.

- `candidate`, `baseline`: outcomes of both, M×N, or `Counts`, on the same questions, by id or row by row as in
  [`compare`](@ref). The numbers of trials may differ.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref).
- `margin`: the loss, in units of `w`, that is acceptable: above 0, below the difference of the highest and the lowest
  score.
- `questions`, `runs`, `paired`, `clusters`, `missing`: as in [`compare`](@ref), but `missing` cannot be `:bounds`.
- `guard`: the largest difference of a question that was not sampled, as a share of the scale, in [0, 1]; with `:fixed`,
  of a trial that was not run. 0: the t test alone, if trials are equal.
- `confidence`: level of the two-sided interval, over all looks, with looks in [1/2, 1 - 1e-12]: each wrong verdict has
  the nominal probability (1 - confidence)/2.
- `looks`: fractions of the planned information at the looks so far, the last one this look, as in
  [`boundaries`](@ref); by default the only look.
- `spending`: how the looks share the error rate: "obrien-fleming", "pocock".
- `power`: power of the plan of an inconclusive gate, in [1/2, 1).

`verdict` is "pass" if the whole interval of candidate - baseline is above -margin, "fail" if it is below, else
"inconclusive". `p_worse` is the p-value against a candidate that is worse by the margin or more, `p_better` the p-value
against a candidate that loses at most the margin; `worse` is true if the whole interval is below 0. An inconclusive
gate needs `trials_needed` (fixed questions) or `questions_needed` (sampled ones), in all, to decide with the stated
power in one look, if the difference is the observed one; `nothing` where no size can be computed, as with sampled
runs. `dropped` lists the questions that were left out, counted from 1.

Throws `InvalidInput` as [`compare`](@ref) and [`boundaries`](@ref) do; range: a margin that is not between 0 and the
span of the scores.

The verdict, the interval and the p-values are those of a t test at the margin, and allow for failures that the sample
may lack: by an exact bound, the probability that all questions (on fixed questions: trials) of the sample are like
these although enough others differ by `guard`; and on similar questions by a variance that is larger the more the
differences are skewed towards the margin. With outcomes 0 and 1 the worst rate of wrong passes that searches found is
2.8%, nominal 2.5%, where the t test errs in up to 57%. Scores of which few questions differ by much need a smaller
guard: with 1, 50 questions hardly pass a margin of .03. A guard below the largest difference that occurs is wrong in up
to 9% of runs. Source: spec/families/looks.md. That the interval is below 0 (`worse`) is no reason to fail: at a
difference of -margin this occurs in 7% to 92% of runs.

# Examples
```jldoctest
julia> base = [1 1 0 1; 1 0 1 1; 1 1 1 1; 0 0 0 0; 1 1 1 0; 1 1 1 1];

julia> new = [1 1 1 1; 1 0 1 1; 1 1 1 1; 0 0 1 0; 1 1 1 1; 1 1 1 1];

julia> r = gate(new, base; margin=0.1, questions=:fixed);

julia> r.verdict, round(r.mu, digits=4), round(r.lo, digits=4), round(r.p_worse, digits=4)
("pass", 0.125, -0.0974, 0.0239)
```
"""
@by_name function gate(
    candidate, baseline, metric = :mean, k = nothing, tau = nothing, w = nothing;
    margin = required("margin"), questions = required("questions"), runs = :fixed,
    confidence = 0.95, paired = true, clusters = nothing, guard = 1.0, model = :mixture, missing = :raise,
    looks = nothing, spending = "obrien-fleming", power = 0.8,
)
    confidence, paired = Arguments.confidence(confidence), Arguments.flag(paired, "paired")
    request = parse_gate_request(
        metric, k, tau, w; questions = questions, clusters = clusters, guard = guard, model = model, missing = missing,
    )
    delta, tail = checked_margin(margin, request.m.w), one_sided_level(confidence, looks, spending)
    power = Arguments.power(power)
    request = Estimates.with_runs(request, runs, ("candidate" => candidate, "baseline" => baseline))
    x, y, dropped, units = both_estimators(request, candidate, baseline, "candidate", "baseline", paired)
    d = difference_of(request, x, y, units, "candidate", paired)
    unit_margin = Decision.to_unit_scale(delta, request.m.w)
    verdict, p_worse, p_better = Decision.margin_decision(d, unit_margin, tail)
    estimate = Decision.rescaled_interval(d, tail, request.m.w, unit_margin)
    trials, n_questions, distance = nothing, nothing, abs(estimate.mu + delta)
    if verdict == "inconclusive" && paired && distance > 0.0 && d.over_runs === nothing
        rule = (metric = metric, k = k, tau = tau, difference = distance, confidence = confidence, power = power)
        z, z_of_power = Distributions.normal_z(confidence), Distributions.one_sided_z(power)
        tail_of_one = Distributions.error_rate(confidence, 2)
        n0 = Decision.trials_of_unsampled(d, unit_margin, tail_of_one, z / (z + z_of_power))
        by_bound(weight) = n0 === nothing ? 1 : ceil(BigInt, fraction(n0) * weight)
        at_least(n, weight) = n === nothing ? n : Planning.narrow(max(n, by_bound(weight)))
        M = big(x.parts.M)
        if request.sampled
            n_questions = questions_needed(
                candidate, baseline, w; rule..., clusters = clusters, model = model, missing = missing,
            )
            n_questions = at_least(n_questions, (units === nothing ? M : units.squared) // M)
        elseif request.m.kind isa Metrics.Average || !(x.parts.short || y.parts.short)
            # with fewer than 2k trials the variance at more trials is not known
            trials = at_least(trials_needed(candidate, baseline, w; rule..., missing = missing), request.m.k // M)
        end
    end
    df = value(Differences.reported(d, tail)[2])
    return Result{:Gate}((
        verdict = verdict, mu = estimate.mu, sigma = estimate.sigma, lo = estimate.lo, hi = estimate.hi,
        p_worse = value(p_worse), p_better = value(p_better), df = df, worse = estimate.hi < 0.0,
        trials_needed = trials, questions_needed = n_questions, variance_source = d.variance_source, dropped = dropped,
    ))
end

"The checked request of a gate; throws for a metric of which lower values are better."
function parse_gate_request(metric, k, tau, w; options...)
    string(metric) in ("flip_rate", "flip-rate") && refuse(
        "choice", "metric", "metric = ", metric, ": lower is better, a gate needs one of which higher is better: use ",
        "compare(...; metric=:flip_rate)",
    )
    return Estimates.parse_request(metric, k, tau, w; options..., allowed = Metrics.GATES)
end

"The margin, checked to be above 0 and below the span of the scores."
function checked_margin(margin, w)
    low, high = ends(w)
    delta, span = Arguments.finite(margin, "margin"), high - low
    0.0 < delta < span ||
        refuse("range", "margin", "margin = ", delta, " is not strictly between 0 and ", span, ", the span of w")
    return delta
end

"""
    gate_suite(candidate, baseline, metric=:mean, k=nothing, tau=nothing, w=nothing; margin, rule=:mean,
        weights=nothing, questions, runs=:fixed, confidence=0.95, clusters=nothing, guard=1.0, model=:mixture,
        missing=:raise, power=0.8)
        -> (verdict, mean, each, weights)

Whether a candidate is non-inferior to a baseline by a margin over several benchmarks: pass, fail or inconclusive.

- `candidate`, `baseline`: names of benchmarks with outcomes; both have the same benchmarks and the same questions, by
  id or row by row as in [`compare`](@ref).
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref), for all benchmarks.
- `margin`: the loss, in units of `w`, that is acceptable for the mean and in each benchmark.
- `rule`: `:mean`, pass if the weighted mean passes and no benchmark fails; `:each`, pass if every benchmark passes,
  which takes far more data.
- `weights`, `questions`, `runs`, `clusters`, `missing`: as in [`suite`](@ref), `guard` as in [`gate`](@ref).
- `confidence`: level of each two-sided interval. A wrong pass has the nominal probability (1 - confidence)/2, a wrong
  fail 1 - confidence (with rule `:each` also (1 - confidence)/2).
- `power`: power that `growth` is computed for, in [1/2, 1).

`mean`, and every row of `each`, is (benchmark, verdict, mu, sigma, lo, hi, `p_worse`, `p_better`, `p_adjusted`, df,
worse, growth, `variance_source`); `mean` has benchmark nothing. A benchmark fails if `p_adjusted` <=
(1 - confidence)/2, `p_adjusted` being `p_better` adjusted by Holm's method over the benchmarks (of `mean`, `p_better`
itself). `verdict` is "fail" if a benchmark fails or, under `:mean`, the mean fails; else "pass" by the rule, or
"inconclusive". `growth`: the factor by which trials, or questions, must grow to decide with the stated power, if the
difference is the observed one (with sampled runs of further runs); `nothing` if the verdict is not inconclusive, or if
the factor is infinite.

Throws `InvalidInput` as [`gate`](@ref) does, with the benchmark's name; choice: baseline, weights or clusters of other
benchmarks. Source: spec/families/suites.md. A suite of one benchmark is decided as [`gate`](@ref) decides. The level is
for one look. The verdict on the mean also allows for questions that the samples of the benchmarks may lack. In 102
cells of suites with small benchmarks the worst rate of wrong verdicts was 2.6%, where 2.5% is nominal.

# Examples
```jldoctest
julia> base = (easy=repeat([1 1 1 0], 20), hard=repeat([0 1 0 0], 20));

julia> new = (easy=repeat([1 1 1 1], 20), hard=repeat([0 1 0 0], 20));

julia> r = gate_suite(new, base; margin=0.1, questions=:fixed);

julia> r.verdict, r.mean.mu, round(r.mean.lo, digits=4), [(x.benchmark, x.verdict) for x in r.each]
("pass", 0.125, 0.0276, [(:easy, "pass"), (:hard, "inconclusive")])
```
"""
@by_name function gate_suite(
    candidate, baseline, metric = :mean, k = nothing, tau = nothing, w = nothing;
    margin = required("margin"), rule = :mean, weights = nothing, questions = required("questions"),
    runs = :fixed,
    confidence = 0.95, clusters = nothing, guard = 1.0, model = :mixture,
    missing = :raise, power = 0.8,
)
    confidence = Arguments.confidence(confidence)
    request = parse_gate_request(
        metric, k, tau, w; questions = questions, guard = guard, model = model, missing = missing,
    )
    delta, rule = checked_margin(margin, request.m.w), Arguments.choice(rule, "rule", ("mean", "each"))
    power = Arguments.power(power)
    z = normal_z(confidence)
    z_required = z + Distributions.one_sided_z(power)
    names, contrasts = benchmark_contrasts(request, candidate, baseline, clusters, runs)
    shares = Suites.shares(weights, names, eachindex(names))
    mean = Suites.combined(contrasts, shares, Suites.span_of(request.m.w))
    tail, unit_margin = Distributions.error_rate(confidence, 2), Decision.to_unit_scale(delta, request.m.w)
    row(name, d, p) = gate_row(name, d, p, unit_margin, tail, (z, z_required), request.m.w)
    p_better(d) = Decision.p_values_at_margin(d, unit_margin)[2]
    overall = row(nothing, mean, p_better(mean))
    p_adjusted = Multiplicity.holm(Triple[p_better(x.difference) for x in contrasts])
    each = [row(names[i], contrasts[i].difference, p_adjusted[i]) for i in eachindex(contrasts)]
    verdict = suite_verdict(rule, overall, each)
    return Result{:SuiteGate}((verdict = verdict, mean = overall, each = each, weights = value.(shares.rounded)))
end

"The contrast of the two models in each benchmark; an error names its benchmark."
function benchmark_contrasts(request, candidate, baseline, clusters, runs)
    names, new = Suites.by_name(candidate, "candidate")
    base_names, base = Suites.by_name(baseline, "baseline")
    rule = "baseline must have the benchmarks of candidate, by the same names"
    Suites.Models.check_same_names(base_names, names, "baseline", rule)
    labels, contrasts = Suites.labels_of(clusters, names), Pairs.Contrast[]
    runs_of = SampledRuns.of_benchmarks(runs, names)
    for (i, name) in enumerate(names)
        j = findfirst(isequal(name), base_names)
        clustered = Estimates.with_clusters(request, labels[i])
        call() = benchmark_contrast(clustered, new[i], base[j], runs_of[i])
        push!(contrasts, Suites.naming_benchmark(call, name))
    end
    return names, contrasts
end

"The contrast of the two models in one benchmark."
function benchmark_contrast(request, A, B, runs)
    request = Estimates.with_runs(request, runs, ("candidate" => A, "baseline" => B))
    x, y, dropped, units = both_estimators(request, A, B, "candidate", "baseline")
    return Pairs.Contrast(1, 2, difference_of(request, x, y, units, "candidate"), dropped, (x, y))
end

"""
The row of one benchmark, or of the mean; p: its p_adjusted, on which "fail" depends.

quantiles: the normal quantile of the confidence, and its sum with that of the power.
"""
function gate_row(name, d, p, unit_margin, tail, quantiles, w)
    z, z_required = quantiles
    verdict, p_worse, p_better = Decision.margin_decision(d, unit_margin, tail)
    if verdict != "pass"
        verdict = tail >= p ? "fail" : "inconclusive"
    end
    estimate = Decision.rescaled_interval(d, tail, w, unit_margin)
    growth, distance = nothing, d.D + unit_margin
    if verdict == "inconclusive" && distance.hi != 0.0
        error = Decision.tilted_error(d, unit_margin)
        d.over_runs === nothing || (error = Variance.larger(error, d.over_runs[1]))
        t = z_required * error / distance
        n0 = Decision.trials_of_unsampled(d, unit_margin, tail, z / z_required)
        growth = value(Variance.larger(Variance.larger(t * t, ONE), n0 === nothing ? ZERO : n0 * d.unit))
        growth = isfinite(growth) ? growth : nothing
    end
    return (
        benchmark = name, verdict = verdict, estimate..., p_worse = value(p_worse), p_better = value(p_better),
        p_adjusted = value(p), df = value(Differences.reported(d, tail)[2]), worse = estimate.hi < 0.0, growth = growth,
        variance_source = d.variance_source,
    )
end

"The verdict on the suite by a rule, from the rows of its mean and of each benchmark."
function suite_verdict(rule, mean, each)
    deciding = rule == "mean" ? [mean] : each
    any(x -> x.verdict == "fail", [deciding; each]) && return "fail"
    return all(x -> x.verdict == "pass", deciding) ? "pass" : "inconclusive"
end
