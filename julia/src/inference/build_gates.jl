# Gates of many builds against a floor below a pinned build, and the noise floor: the margins that gates can hold.
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

# --- the noise floor: how much evaluations of one build differ --------------------------------------

module BuildNoise

using ..Scorio: ByRun, Counts, cells_of, of_question, plus
using ..BuildGates: both_ends
using ..Decision: reach_of_unsampled
using ..DegreesOfFreedom: MOST, satterthwaite, smaller
using ..Differences: Difference, quantile
using ..Distributions: beta_high, error_rate, one_sided_z
using ..DoubleDouble: ONE, Triple, ZERO, times_2_to, value
using ..Estimates: Request, measure_counts, parse_request
using ..Estimators: Mean, joint_range, squared_variances
using ..Histories: Scores, at_least_one, in_units_of_w, mean_score, scores_of, span_of
using ..Means: Fraction, scale
using ..Rationals: from_ratio
using ..Runs: run_test
using ..SampledRuns: Dispersion, SampledRuns
using ..Variance: larger, over_square

@nospecialize

"The outcomes, a run for each evaluation."
function by_evaluation(builds)
    M, widths = length(builds[1].trials), [maximum(x.trials) for x in builds]
    cells, run, start = fill(-1, M, sum(widths)), Int[], 0
    for (e, x) in enumerate(builds)
        of = cells_of(x)
        for i in 1:M
            j = start
            for t in of_question(of, i), _ in 1:of.times[t]
                cells[i, j+=1] = of.category[t]
            end
        end
        append!(run, fill(e, widths[e]))
        start += widths[e]
    end
    return ByRun(cells, run, length(builds))
end

"The mean share of pairs of trials of a question whose scores differ."
function flips(builds, s)
    M, total = length(builds[1].trials), Fraction(0)
    for i in 1:M
        times = Dict{BigInt,Int}()
        for x in builds
            cells = cells_of(x)
            for t in of_question(cells, i)
                u = s.U[cells.category[t]+1]
                times[u] = get(times, u, 0) + cells.times[t]
            end
        end
        n = big(sum(values(times)))
        total += Fraction(n * n - sum(big(y)^2 for y in values(times)), n * (n - 1))
    end
    return total / M
end

"The distance from the floor whose p-value is the level; tilt: what the variance V grows by for a unit of it."
function distance(level, V, freedom, tilt)
    q = quantile(level, freedom)
    half = times_2_to(q * q * tilt, -1.0)
    return half + sqrt(half * half + q * q * V)
end

"An unchanged build at a gate: what the margin follows from, of each evaluation and of all pooled."
struct Unchanged
    V::Triple
    span::Fraction
    confidence::Float64
    z::Triple
    request::Request
    counts::Vector{Counts}
    both::Counts
    each::Vector{Mean}
    pooled::Mean
    n::Int  # the fewest trials of a question
    by_units::Bool
    r::Fraction
    h::Fraction
    theta::Fraction
    moments::Vector{Fraction}
end

function Unchanged(h, V, s, each, power, confidence)
    request = parse_request("mean", nothing, nothing, h.w; questions = "fixed", guard = 1.0, model = "mixture")
    both = foldl(plus, h.builds)
    estimators = Mean[measure_counts(request, x).estimator for x in h.builds]
    pooled = measure_counts(request, both).estimator
    by_units, r = all(x -> x.parts.single, estimators), Fraction(joint_range(pooled, pooled))
    E, M, inverses = length(each), length(both.trials), Dict{Int,Int}()
    for y in h.builds, n in y.trials
        inverses[n] = get(inverses, n, 0) + 1
    end
    width = r * sum([Fraction(m, n) for (n, m) in inverses]) / (E * big(M)^2)
    z, n = one_sided_z(power), minimum(x.min_trials for x in h.builds)
    return Unchanged(
        from_ratio(V), span_of(s), confidence, z, request, h.builds, both, estimators, pooled, n, by_units, r, width,
        Fraction(pooled.sums.theta...), by_units ? moments(each, s.span) : Fraction[],
    )
end

"The mean powers 2, 4 and 6 of the differences of evaluations from all, less their mean."
function moments(each, span)
    E, M, S = length(each), big(length(each[1].S)), sum([x.S for x in each])
    times = Dict{BigInt,Int}()
    for x in each
        d = E .* x.S .- S
        for t in M .* d .- sum(d)
            times[t] = get(times, t, 0) + 1
        end
    end
    return [Fraction(sum([m * t^k for (t, m) in times]), E * M * (M * E * span)^k) for k in (2, 4, 6)]
end

"The margin of a gate at the level (1 - confidence)/parts against p evaluations; nothing: the span or more."
function margin(x::Unchanged, p, parts, of_ledger, runs)
    x.span == 0 && return nothing
    x.V == ZERO && return 0.0
    level, d = error_rate(x.confidence, parts), below(x, p, runs)
    d >= ONE && return nothing
    most = exact_distance(x, level, d, runs)
    tests = x.by_units ? tests_by_units(x, d, p) : tests_by_trials(x, d, p, of_ledger && x.n > 1)
    for (V, df, tilt) in tests
        most = larger(most, distance(level, V, df, tilt))
        more = runs === nothing ? nothing : SampledRuns.with_runs(runs, V, df)
        more === nothing || (most = larger(most, distance(level, more..., ZERO)))
    end
    needed = most + d + (of_ledger ? width_of_pin(x, p, runs) : ZERO)
    return needed >= ONE ? nothing : value(from_ratio(x.span) * needed)
end

"The distance by the exact bound."
function exact_distance(x, level, d, runs)
    M = length(x.both.trials)
    x.by_units && return (ONE - d) * beta_high(level, ONE, Triple(M))
    unit = ONE / M / x.n
    low = Difference(-d, ONE, ONE, "measured", runs === nothing ? unit : SampledRuns.unit(runs, unit), ONE)
    return reach_of_unsampled(low, level, -1.0)
end

"How far the build's score is below that of the pin."
function below(x, p, runs)
    V = runs === nothing ? x.V : x.V * at_least_one(runs.ratio)
    both = (V + from_ratio(x.h^2 / 2)) * from_ratio(Fraction(big(p) + 1, p))
    return x.z * sqrt(both) + from_ratio(x.h / 2)
end

"How far the upper end of the pin's interval is above its score."
function width_of_pin(x, p, runs)
    q, tail = x.request, error_rate(x.confidence, 4)
    request = Request(q.m, true, false, q.use_mixture, q.guard, nothing, nothing, :raise, runs)
    widths = map(p == 1 ? x.counts : [x.both]) do counts
        measured = measure_counts(request, counts)
        return both_ends(measured, tail)[2] - measured.estimator.parts.theta
    end
    E = length(x.counts)
    return p == 1 ? reduce(+, widths) / E : widths[1] * sqrt(from_ratio(Fraction(E, p)))
end

"Tests by trials: the variance of a build with the low score, and of one whose trials vary little."
function tests_by_trials(x, d, p, is_known)
    E, M = length(x.each), length(x.both.trials)
    S, squares = (reduce(+, [f(y) for y in x.each]) / E for f in (y -> y.parts.trials, squared_variances))
    share, s = from_ratio(Fraction(E, p)), from_ratio(x.r^2 / big(x.n)^2)
    T, F = is_known ? (ZERO, ZERO) : p == 1 ? (S, squares) :
        (share * x.pooled.parts.trials, share * share * squared_variances(x.pooled))
    score = from_ratio(x.theta) - d
    more = at_least_one(score * (ONE - score) / from_ratio(x.theta * (1 - x.theta)))
    few = at_least_zero(S - x.z * sqrt(squares))
    of_few = S == ZERO ? ZERO : squares * few / S
    return map(((S * more, S, squares), (few, few, of_few))) do (own, y, e)
        return over_square(own + (T + s), M), satterthwaite(y + (T + s), e + (F + s * s)), ZERO
    end
end

"Tests by units: the differences of each evaluation from all stand for those of a build from its pin."
function tests_by_units(x, d, p)
    E, M = length(x.each), big(length(x.both.trials))
    m2, m4, m6 = x.moments .* [(Fraction(big(p) + 1, p) * Fraction(E, E - 1))^k for k in 1:3]
    Z, c = m2 / (M - 1), Fraction(1, 2 * M^2)
    # each evaluation differs from the others by the same on every question
    m2 == 0 && return [(from_ratio(c), smaller(Triple(2), Triple(Int(M) - 1)), ZERO)]
    K = from_ratio((1 - 2 * x.theta) * Z * (1 - Fraction(1, p)) / M) * sqrt(from_ratio(m4 / m2))
    most = from_ratio(Z) + (K.hi < 0.0 ? d * -K / from_ratio(Z) : ZERO)
    few = at_least_zero(from_ratio(Z) - x.z * sqrt(from_ratio(m4 / M^3)))
    skew = K - d * from_ratio((m4 - 3 * m2^2) / (m2 * M^2))
    tilt = at_least_zero(sqrt(from_ratio(m6 / M^5) * (most / from_ratio(Z))) - skew)
    return map(((most, tilt), (few, ZERO))) do (own, t)
        V, units = own + from_ratio(c), Triple(Int(M) - 1)
        df = V * V / (own * own / units + from_ratio(c * c / 2))
        return V, smaller(smaller(df, units), MOST), t / V
    end
end

at_least_zero(x) = x.hi > 0.0 ? x : ZERO

"The fields of the noise floor."
function noise(h, pooled, power, confidence)
    s, E, M = scale(h.w), length(h.builds), length(h.builds[1].trials)
    runs = run_test([by_evaluation(h.builds)], h.w, "evaluations")
    each = [scores_of(x, s.U) for x in h.builds]
    x = foldl(+, each)
    V, flaky = Fraction(0), Int[]
    for a in 1:M
        N = big(x.n[a])
        spread = N * x.Q[a] - x.S[a]^2
        spread == 0 && continue
        push!(flaky, a)
        V += Fraction(spread, N * (N - 1)) * sum([Fraction(1, y.n[a]) for y in each])
    end
    V = V / (big(M)^2 * s.span^2 * E)
    unchanged = Unchanged(h, V, s, each, power, confidence)
    stated = Dispersion(Triple(runs.ratio), Triple(runs.df))
    names = (:margin_gate, :margin_builds, :margin_gate_runs, :margin_builds_runs)
    gates = ((1, 2, false), (pooled, 16, true))
    both = Tuple(margin(unchanged, gate..., of_runs) for of_runs in (nothing, stated) for gate in gates)
    return merge(
        (
            mu = in_units_of_w(mean_score(x, s.span), s), sigma = value(from_ratio(span_of(s)) * sqrt(from_ratio(V))),
            ratio = runs.ratio, df = runs.df, p_value = runs.p_value, sd = runs.sd, flaky = flaky,
            flip_rate = value(from_ratio(flips(h.builds, s))),
        ),
        NamedTuple{names}(both),
    )
end

end
