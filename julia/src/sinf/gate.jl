# Whether a candidate may replace a baseline: non-inferiority by a margin.

"""
    gate(candidate, baseline, metric=:mean, k=nothing, tau=nothing, w=nothing; margin, questions, confidence=0.95,
        paired=true, clusters=nothing, model=:mixture, missing=:raise, looks=nothing, spending="obrien-fleming",
        power=0.8)
        -> (verdict, mu, sigma, lo, hi, p_worse, p_better, df, worse, trials_needed, questions_needed, variance_source,
            dropped)

Whether a candidate is non-inferior to a baseline by a margin: pass, fail or inconclusive.

- `candidate`, `baseline`: outcomes of both, M×N, or `Counts`, on the same questions, by id or row by row as in
  [`compare`](@ref). The numbers of trials may differ.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref).
- `margin`: the loss, in units of `w`, that is acceptable: above 0, below the difference of the highest and the lowest
  score.
- `questions`, `paired`, `clusters`, `missing`: as in [`compare`](@ref), but `missing` cannot be `:bounds`.
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
power in one look, if the difference is the observed one; `nothing` where no size can be computed. `dropped` lists the
questions that were left out, counted from 1.

Throws `InvalidInput` as [`compare`](@ref) and [`boundaries`](@ref) do; range: a margin that is not between 0 and the
span of the scores.

A candidate may always fail on a share s of the questions, and the data may contain none of these. Therefore the
verdict, the interval and the p-values rest on a standard error of at least sqrt(s (1 - s)/n0) on the scale 0..1, s the
larger of the margin and min(|mu + margin|, 1/2), and n0 the number of questions, clusters or, for fixed questions, of
groups of k trials; of unequal clusters only the largest are counted that together hold the share s. Where the
differences or the trials are skewed towards the margin, or may be, the standard error is at least that of data with so
many more failures that the verdict changes. An exact bound keeps both verdicts valid where nothing in the sample
varies. The worst rate of wrong verdicts that searches found is 2.8%, nominal 2.5% (5.4% for 5%), for given sizes of
clusters: if large clusters are a rare kind that fails, and three of them are expected in a sample, it is 9.3%. Source:
spec/families/looks.md. That the interval is below 0 (`worse`) is no reason to fail: at a difference of -margin this
occurs in 7% to 92% of runs.

# Examples
```jldoctest
julia> base = [1 1 0 1; 1 0 1 1; 1 1 1 1; 0 0 0 0; 1 1 1 0; 1 1 1 1];

julia> new = [1 1 1 1; 1 0 1 1; 1 1 1 1; 0 0 1 0; 1 1 1 1; 1 1 1 1];

julia> r = gate(new, base; margin=0.1, questions=:fixed);

julia> r.verdict, round(r.mu, digits=4), round(r.lo, digits=4), round(r.p_worse, digits=4)
("pass", 0.125, -0.0896, 0.0205)
```
"""
@by_name function gate(
    candidate, baseline, metric = :mean, k = nothing, tau = nothing, w = nothing;
    margin = required("margin"), questions = required("questions"),
    confidence = 0.95, paired = true, clusters = nothing, model = :mixture, missing = :raise,
    looks = nothing, spending = "obrien-fleming", power = 0.8,
)
    confidence, paired = Arguments.confidence(confidence), Arguments.flag(paired, "paired")
    request = parse_gate_request(
        metric, k, tau, w; questions = questions, clusters = clusters, model = model, missing = missing,
    )
    delta, tail = checked_margin(margin, request.m.w), one_sided_level(confidence, looks, spending)
    power = Arguments.power(power)
    x, y, dropped, units = both_estimators(request, candidate, baseline, "candidate", "baseline", paired)
    d = paired ? Differences.paired_difference(x, y, request.sampled, "candidate", units) :
        deferred(Differences.unpaired_difference)(x, y)::Differences.Difference
    unit_margin = Decision.to_unit_scale(delta, request.m.w)
    verdict, p_worse, p_better = Decision.margin_decision(d, unit_margin, tail)
    estimate = Decision.rescaled_interval(d, tail, request.m.w, unit_margin)
    trials, n_questions, distance = nothing, nothing, abs(estimate.mu + delta)
    if verdict == "inconclusive" && paired && distance > 0.0
        M = big(x.parts.M)
        if request.sampled
            n_questions = questions_needed(
                candidate, baseline, w; metric = metric, k = k, tau = tau, difference = distance,
                confidence = confidence, power = power, clusters = clusters, model = model, missing = missing,
            )
            squared = units === nothing ? M : units.squared
            weight(share) = isempty(d.unequal) ? squared // M :
                Planning.fraction(Differences.unit_of(d, from_ratio(share))) * M
            n_questions = at_least_at_margin(n_questions, distance, delta, request.m.w, weight, power, confidence)
        elseif request.m.kind isa Metrics.Average || !(x.parts.short || y.parts.short)
            # with fewer than 2k trials the variance at more trials is not known
            trials = trials_needed(
                candidate, baseline, w; metric = metric, k = k, tau = tau, difference = distance,
                confidence = confidence, power = power, missing = missing,
            )
            trials = at_least_at_margin(trials, distance, delta, request.m.w, _ -> request.m.k // M, power, confidence)
        end
    end
    return Result{:Gate}((
        verdict = verdict, mu = estimate.mu, sigma = estimate.sigma, lo = estimate.lo, hi = estimate.hi,
        p_worse = value(p_worse), p_better = value(p_better), df = value(d.freedom), worse = estimate.hi < 0.0,
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
The larger of a sample size and that which the standard error at the margin needs.

distance: from mu to -margin; delta: the margin; weight: the number of trials, or of questions, for each independent
trial, as a function of the share of questions that may fail without being in the sample.
"""
function at_least_at_margin(needed, distance, delta, w, weight, power, confidence)
    needed === nothing && return nothing
    low, high = map(Planning.fraction, extrema(w))
    span, z_required = high - low, required_z(power, nothing, confidence)
    gap = Planning.fraction(distance) / span
    share = max(Planning.fraction(delta) / span, min(gap, Planning.Fraction(1, 2)))
    n_at_margin = z_required^2 * share * (1 - share) / gap^2
    return max(needed, Int(ceil(BigInt, n_at_margin * weight(share))))
end
