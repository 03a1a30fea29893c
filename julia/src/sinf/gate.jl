# Whether a candidate may replace a baseline: non-inferiority by a margin.

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
        z, z_of_power = Distributions.normal_z(confidence), power > 0.5 ? Distributions.one_sided_z(power) : ZERO
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
