# Whether a candidate may replace a baseline over several benchmarks.

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
    z_required = z + (power > 0.5 ? Distributions.one_sided_z(power) : ZERO)
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
