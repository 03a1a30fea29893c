# Gates of many builds against a floor that is a margin below a pinned build.
# The formulas: spec/families/ledger.md.

module BuildGates

using ..Scorio: refuse
using ..Arguments: Arguments
using ..Decision: p_values_at_margin
using ..DegreesOfFreedom: df_of_trials
using ..Differences: Difference, over_runs, paired_difference, quantile
using ..Distributions: error_rate, normal_quantile
using ..DoubleDouble: HALF, ONE, Triple, ZERO, value
using ..Estimates: Estimates, Request, measure_counts, parse_request, variance_and_unit
using ..Estimators: Estimators, Mean, difference, joint_range, squared_variances
using ..Histories: is_at_most, read_runs
using ..Means: Fraction
using ..Rationals: fraction, from_ratio
using ..SampledRuns: SampledRuns
using ..Variance: Parts, fixed_pair_variance, larger, size_and_q, unit_of_trials, variance_source, wilson_ends

@nospecialize

const (QUARTER, THREE_QUARTERS) = (Triple(0.25), Triple(0.75))

"The ends of the interval of a mean on the scale 0..1, each of which errs in `tail`."
function both_ends(x, tail)
    p, (V, unit) = x.estimator.parts, variance_and_unit(x)
    z = normal_quantile(HALF - tail, tail)
    t, u = (df == ZERO ? z : quantile(tail, df) for df in (x.freedom, x.freedom_of_units))
    of_runs = x.over_runs === nothing ? nothing :
        (x.over_runs[1], x.unit_of_runs, quantile(tail, x.over_runs[2]))
    lo, _, hi, _ = wilson_ends(p.theta, p.rest, size_and_q(p.theta, p.rest, V, unit, (t, u), of_runs)[2])
    return lo, hi
end

"""
The difference of a build and the pin, which is taken as known where every question of the build has two trials.

The uncertainty of the pin is then that of the floor. Signs of questions are not used.
"""
function against_pin(A, pin, guard, runs)
    p, q = A.parts, pin.parts
    if p.some_single
        d = paired_difference(A, pin, false, guard, "builds", nothing, runs)
        return Difference(
            d.D, d.standard_error, d.freedom, d.variance_source, d.unit, d.guard, d.cubes, nothing, d.unseen,
            d.over_runs,
        )
    end
    known = Parts(
        q.M, q.k, q.theta, q.rest, ZERO, q.dev, q.step, q.inverse, q.range, q.single, q.some_single, q.short,
        q.use_mixture, q.model,
    )
    largest = from_ratio(joint_range(A, pin))
    V = fixed_pair_variance(p, known, largest)
    freedom = df_of_trials(p, squared_variances(A), known, ZERO, largest)
    units = unit_of_trials(p), unit_of_trials(q)
    D, source = difference(A, pin), variance_source(p)
    runs === nothing && return Difference(D, sqrt(V), freedom, source, larger(units...), guard)
    with_runs, unit = over_runs(runs, V, freedom), SampledRuns.unit(runs, units...)
    return Difference(D, sqrt(V), freedom, source, unit, guard, nothing, nothing, ZERO, with_runs)
end

"The fields of each build; the score of the pin, its upper end, the floor and the level of the next build."
function gates(h, margin, confidence, runs)
    runs = read_runs(runs, ("fixed",))
    low, high = extrema(h.w)
    delta = Arguments.finite(margin, "margin")
    0.0 < delta < high - low || refuse(
        "range", "margin", "margin = ", delta, " is not strictly between 0 and ", high - low, ", the span of w",
    )
    request = parse_request("mean", nothing, nothing, h.w; questions = "fixed", guard = 1.0, model = "mixture")
    request = Request(
        request.m, true, false, request.use_mixture, request.guard, nothing, nothing, :raise, runs,
    )
    span = fraction(Triple(high)) - fraction(Triple(low))
    share = fraction(Triple(delta)) / span
    scored(x) = value(Triple(low) + from_ratio(span) * x) + 0.0
    alpha, tail = error_rate(confidence, 2), error_rate(confidence, 4)
    pin = measure_counts(request, h.pin)
    estimator, theta, hi = pin.estimator::Mean, theta_of(pin), both_ends(pin, tail)[2]
    whole = pin.estimator.parts.rest.hi == 0.0  # theta = 1 has the end 1
    hi = whole ? ONE : hi
    exact = whole ? 1 - share : nothing  # the floor, where it is known as a fraction
    floor_ = whole ? from_ratio(exact) : hi - from_ratio(share)
    pin_hi, doubtful, rows = hi, 0, []
    level() = alpha / (4 * (doubtful + 1) * (doubtful + 2))
    for (name, counts) in zip(h.names, h.builds)
        x, own = measure_counts(request, counts), level()
        d = against_pin(x.estimator, estimator, request.guard, runs)
        below = exact === nothing ? from_ratio(theta) - floor_ : from_ratio(theta - exact)
        worse, better = p_values_at_margin(d, below)
        verdict = is_at_most(worse, own) ? "pass" : is_at_most(better, alpha) ? "fail" : "inconclusive"
        in_doubt = !is_at_most(worse, QUARTER) && is_at_most(worse, THREE_QUARTERS)
        before, raised = floor_, false
        if verdict == "pass"
            proven = both_ends(x, tail)[1] - from_ratio(share)
            raised = proven > floor_
            raised && ((floor_, exact) = (proven, nothing))
        end
        doubtful += in_doubt
        push!(rows, (
            name, value(Estimators.mu(x.estimator)) + 0.0, scored(before), value(worse), value(better), value(own),
            in_doubt, raised, verdict,
        ))
    end
    return rows, (value(Estimators.mu(estimator)) + 0.0, scored(pin_hi), scored(floor_), value(level()))
end

"The mean score on the scale 0..1, exactly."
theta_of(x) = Fraction(x.estimator.sums.theta...)

end
