# Several benchmarks: the weighted mean of a metric or of a difference over them, and its variance.
# The formulas: spec/families/suites.md.

module Suites

using ..Scorio: InvalidInput, Lazy, among, refuse, shown
using ..Arguments: Arguments
using ..DegreesOfFreedom: DegreesOfFreedom
using ..Differences: Difference, by_trials, least_reliable, of_runs, quantiles, reversed_difference
using ..DoubleDouble: Triple, ZERO
using ..Estimates: Measurement, measure_counts, variance_and_unit, with_clusters
using ..Estimators: exact
using ..Means: Fraction
using ..Models: Models, Many
using ..Pairs: Contrast, checked_models, contrasts_of, with_runs_of
using ..Rationals: from_ratio, integer_ratio
using ..SampledRuns: SampledRuns, WithRuns
using ..Signs: Signs
using ..Variance: Variance, cancelled, hull, larger, rescale, size_and_q, wilson_ends

@nospecialize

"Positive shares of benchmarks, which sum to 1."
struct Weights
    exact::Vector{Fraction}
    rounded::Vector{Triple}
end

"The weighted mean of terms, from the exact terms where more than 40 bits cancel."
function weighted_mean(weights::Weights, terms::Vector{Triple}, exactly)
    total, largest, sum = ZERO, ZERO, Fraction(0)
    for (w, x) in zip(weights.rounded, terms)
        part = w * x
        total, largest = total + part, larger(largest, part.hi >= 0.0 ? part : -part)
    end
    cancelled(total, largest, largest) || return total
    for (i, w) in enumerate(weights.exact)
        sum += w * exactly(i)::Fraction
    end
    return from_ratio(sum)
end

"An estimate on the scale 0..1: of a model in one benchmark, or of its average over benchmarks."
struct Part
    theta::Triple
    rest::Triple  # 1 - theta
    variance::Triple
    unit::Triple  # 1 / n0
    freedom::Triple  # of the t distribution; ZERO: the normal distribution
    freedom_of_units::Triple  # of the t distribution where n0 bounds the variance
    down::Triple  # distance from theta to the low end of the benchmark's interval, or combined over benchmarks
    up::Triple  # distance to the high end
    variance_source::String
    over_runs::WithRuns  # the variance with runs, and its degrees of freedom
    unit_of_runs::Triple  # 1 / n0 with runs
end

"(mu, sigma, lo, hi) for scores low..high, and n_eff; lo, hi: Wilson's, at least from x.down below to x.up above theta."
function ends(x::Part, mu, confidence, low, high)
    both = quantiles(x.freedom, x.freedom_of_units, confidence)
    n_eff, q = size_and_q(x.theta, x.rest, x.variance, x.unit, both, of_runs(x, confidence))
    limits = wilson_ends(x.theta, x.rest, q)
    return rescale(mu, x, n_eff, hull(x.theta, x.rest, limits, x.down, x.up), low, high), n_eff
end

"The models of a benchmark, their measurements, and their pairs by the indices of models."
struct Benchmark
    names::Vector{Any}
    values::Vector{Measurement}
    pairs::Vector{Contrast}
end

model_index(x::Benchmark, name) = findfirst(isequal(name), x.names)

"The measurement of a model in one benchmark as a term of an average."
function part(x, confidence)
    p = x.estimator.parts
    estimate = (p.theta, p.rest, variance_and_unit(x)...)
    both = quantiles(x.freedom, x.freedom_of_units, confidence)
    _, q = size_and_q(estimate..., both, of_runs(x, confidence))
    lo, _, _, over = wilson_ends(p.theta, p.rest, q)
    return Part(
        estimate..., x.freedom, x.freedom_of_units, p.theta - lo, p.rest - over, x.variance_source,
        x.over_runs, x.unit_of_runs,
    )
end

"The average over benchmarks: variances, squared distances to ends and 1 / n0 add with the squares of the weights."
function average(parts::Vector{Part}, weights::Weights)
    theta, rest, V, unit, down, up = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    variances = Triple[]
    for (w, p) in zip(weights.rounded, parts)
        square = w * w
        v = square * p.variance
        theta, rest = theta + w * p.theta, rest + w * p.rest
        V, unit = V + v, unit + square * p.unit
        down, up = down + square * (p.down * p.down), up + square * (p.up * p.up)
        push!(variances, v)
    end
    freedom = DegreesOfFreedom.summed(zip(variances, (p.freedom for p in parts)))
    of_units = DegreesOfFreedom.summed(zip(variances, (p.freedom_of_units for p in parts)))
    source = foldl(least_reliable, String[p.variance_source for p in parts])
    of_runs, unit_of_runs = nothing, ZERO
    if any(p -> p.over_runs !== nothing, parts)
        of_runs, unit_of_runs = average_with_runs(parts, weights)
    end
    return Part(theta, rest, V, unit, freedom, of_units, sqrt(down), sqrt(up), source, of_runs, unit_of_runs)
end

"The variance with runs of an average, with its degrees of freedom; and its 1 / n0 with runs."
function average_with_runs(parts, weights)
    V, unit, terms = ZERO, ZERO, Tuple{Triple,Triple}[]
    for (w, p) in zip(weights.rounded, parts)
        square, (v, freedom) = w * w, something(p.over_runs, (p.variance, p.freedom))
        V, unit = V + square * v, unit + square * (p.over_runs === nothing ? p.unit : p.unit_of_runs)
        push!(terms, (square * v, freedom))
    end
    return (V, DegreesOfFreedom.summed(terms)), unit
end

"The weighted mean over benchmarks of the differences of two models on the scale 0..1; span: of the scores."
function combined(contrasts::Vector{Contrast}, weights::Weights, span::Fraction)
    D = weighted_mean(weights, Triple[x.difference.D for x in contrasts], function (i)
        a, b = contrasts[i].estimators
        return (exact(a) - exact(b)) / span
    end)
    V, unit, unseen, parts = ZERO, ZERO, ZERO, Tuple{Triple,Triple}[]
    each = Difference[x.difference for x in contrasts]
    for (w, d) in zip(weights.rounded, each)
        v = w * d.standard_error * (w * d.standard_error)
        V, unit, unseen = V + v, larger(unit, w * d.unit), unseen + w * w * d.unseen
        push!(parts, (v, d.freedom))
    end
    return Difference(
        D, sqrt(V), DegreesOfFreedom.pooled(V, parts), foldl(least_reliable, String[d.variance_source for d in each]),
        unit, foldl(larger, Triple[d.guard for d in each]), all(by_trials, each) ? nothing : Lazy(cubes, each, weights),
        any(d -> d.signs === nothing, each) ? nothing : Lazy(signs, each, weights), unseen,
        any(d -> d.over_runs !== nothing, each) ? combined_over_runs(each, weights) : nothing,
    )
end

"The standard error with runs of a weighted mean of differences, and its degrees of freedom."
function combined_over_runs(each, weights)
    V, parts = ZERO, Tuple{Triple,Triple}[]
    for (w, d) in zip(weights.rounded, each)
        error, freedom = something(d.over_runs, (d.standard_error, d.freedom))
        v = w * error * (w * error)
        V += v
        push!(parts, (v, freedom))
    end
    return sqrt(V), DegreesOfFreedom.pooled(V, parts)
end

function cubes(each, weights)
    third, sixth = ZERO, ZERO
    for (w, d) in zip(weights.rounded, each)
        by_trials(d) && continue
        (x, y), cube = d.cubes()::NTuple{2,Triple}, w * w * w
        third, sixth = third + cube * x, sixth + cube * cube * y
    end
    return third, sixth
end

signs(each, weights) = Signs.joined([Signs.scaled(d.signs(), w) for (w, d) in zip(weights.rounded, each)])

"The highest score minus the lowest, as a fraction."
span_of(w) = Fraction(integer_ratio(maximum(w))...) - Fraction(integer_ratio(minimum(w))...)

# --- arguments --------------------------------------------------------------------------------------

"Names and values of a mapping that is not empty."
function by_name(x, name)
    named = x isa Union{AbstractDict,NamedTuple,AbstractVector{<:Pair}} || Models.ismapping(x)
    named || refuse("type", name, name, " must be names of benchmarks with values, not ", shown(x))
    isempty(x) && refuse("empty", name, name, " is empty")
    return Models.unzipped(x)
end

"Read every benchmark by its name; errors name the benchmark."
function read_benchmarks(request, benchmarks, w, clusters, runs)
    names, items = by_name(benchmarks, "benchmarks")
    labels = labels_of(clusters, names)
    measured, runs_of = Benchmark[], SampledRuns.of_benchmarks(runs, names)
    for i in eachindex(items)
        call() = benchmark(with_clusters(request, labels[i]), items[i], w, runs_of[i])
        push!(measured, naming_benchmark(call, names[i], "benchmarks"))
    end
    return names, measured
end

"The clusters of each benchmark, or nothing; false instead of a mapping means false for each benchmark."
function labels_of(clusters, names)
    clusters === nothing && return Any[nothing for _ in names]
    clusters === false && return Any[false for _ in names]
    labelled, labels = by_name(clusters, "clusters")
    for x in labelled
        any(isequal(x), names) || refuse(
            "choice", "clusters", "clusters has ", shown(x), ", which is none of the benchmarks, ", among(x, names),
        )
    end
    return Any[(i = findfirst(isequal(x), labelled); i === nothing ? nothing : labels[i]) for x in names]
end

"Call f; its errors name the benchmark, and errors whose argument is R or models get `argument` as their argument."
function naming_benchmark(f, benchmark, argument = nothing)
    try
        return f()
    catch e
        e isa InvalidInput || rethrow()
        outcomes = argument !== nothing && e.argument in ("R", "models")
        about, of = outcomes ? (argument, " of $argument") : (e.argument, "")
        refuse(e.code, about, "benchmark ", shown(benchmark), of, ": ", e.message)
    end
end

function benchmark(request, models, w, runs)
    models isa Union{AbstractDict,NamedTuple,AbstractVector{<:Pair}} || Models.ismapping(models) ||
        refuse("type", "models", "names of models with outcomes are needed, not ", shown(models))
    isempty(models) && refuse("empty", "models", "models has no models")
    request = with_runs_of(request, models, runs)
    named_models = checked_models(request, models, w, 1)
    i = 0
    values = Models.each(x -> measure_counts(request, x, i += 1), named_models, "models", "R")
    return Benchmark(named_models.names, values, contrasts_of(request, named_models))
end

"The weights of the benchmarks that are used, divided by their sum; equal if weights is nothing."
function shares(weights, names, used)
    raw = ones(length(names))
    if weights !== nothing
        weighted, values = by_name(weights, "weights")
        Models.check_same_names(weighted, names, "weights", "weights must have the same names as the benchmarks")
        for (i, x) in enumerate(names)
            raw[i] = Arguments.finite(values[findfirst(isequal(x), weighted)], "weights")
        end
        for (x, y) in zip(names, raw)
            y > 0.0 || refuse("range", "weights", "weights[", shown(x), "] = ", y, " is not above 0")
        end
    end
    exact, sum = Fraction[Fraction(integer_ratio(raw[i])...) for i in used], Fraction(0)
    for x in exact
        sum += x
    end
    exact = Fraction[x / sum for x in exact]
    return Weights(exact, Triple[from_ratio(x) for x in exact])
end

"The contrast of two models of a benchmark by name, in this order."
function pair_in(x::Benchmark, a, b)
    i, j = model_index(x, a), model_index(x, b)
    contrast = x.pairs[findfirst(y -> (y.a, y.b) == minmax(i, j), x.pairs)]
    i < j && return contrast
    return Contrast(i, j, reversed_difference(contrast.difference), contrast.dropped, reverse(contrast.estimators))
end

end
