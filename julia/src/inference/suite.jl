# Several benchmarks: the weighted mean of a metric over them, its variance, and what that of a difference decides.
# The formulas: spec/README.md, "suites".

module Suites

using ..Scorio: InvalidInput, refuse, shown
using ..Arguments: Arguments
using ..DegreesOfFreedom: DegreesOfFreedom
using ..Differences: Difference, quantile, turned
using ..Distributions: share
using ..DoubleDouble: ONE, Triple, ZERO, add, div, mul, neg, root, value
using ..Estimates: Estimated, estimated_of, variance_and_unit, with_clusters
using ..Estimators: exact
using ..Means: Fraction
using ..Models: Models, Many
using ..Pairs: Contrast, among, checked
using ..Rationals: from_ratio, integer_ratio
using ..Variance: cancelled, larger, rescale, wilson

@nospecialize

const KNOWN = ("measured", "beta-binomial", "upper bound")  # how a variance was obtained, from the best known down

"Positive shares of benchmarks, which sum to 1."
struct Weights
    exact::Vector{Fraction}
    rounded::Vector{Triple}
end

"The weighted mean of terms; where more than 40 bits cancel from the exact ones."
function weighted_mean(weights::Weights, terms::Vector{Triple}, exactly)
    total, most, sum = ZERO, ZERO, Fraction(0)
    for (w, x) in zip(weights.rounded, terms)
        part = mul(w, x)
        total, most = add(total, part), larger(most, part[1] >= 0.0 ? part : neg(part))
    end
    cancelled(total, most, most) || return total
    for (i, w) in enumerate(weights.exact)
        sum += w * exactly(i)::Fraction
    end
    return from_ratio(sum)
end

"What an average over benchmarks takes of a model in one of them, on the scale 0..1."
struct Part
    theta::Triple
    rest::Triple  # 1 less it
    variance::Triple
    unit::Triple  # 1 / n0
    freedom::Triple  # of the t distribution of clusters; ZERO: the normal one
    variance_source::String
end

"The weighted mean of a model over benchmarks, on the scale 0..1."
struct Macro
    theta::Triple
    rest::Triple
    n_eff::Triple
    freedom::Triple
    variance_source::String
end

"(mu, sigma, lo, hi): Wilson's interval for scores low..high."
function ends(x::Macro, mu, confidence, z, low, high)
    q = x.freedom == ZERO ? z : quantile(share(confidence, 2), x.freedom)
    return rescale(mu, x, x.n_eff, wilson(x.theta, x.rest, x.n_eff, q), low, high)
end

"The models of a benchmark, their values, and their pairs by the places of models."
struct Benchmark
    names::Vector{Any}
    values::Vector{Estimated}
    pairs::Vector{Contrast}
end

place_in(x::Benchmark, name) = findfirst(isequal(name), x.names)

"On the scale of w."
function part(x)
    p = x.side.parts
    return Part(p.theta, p.rest, variance_and_unit(x)..., x.freedom, x.variance_source)
end

"Variances add with the squares of the weights; n_eff is at least 1 / sum of w^2 / n0."
function average(parts::Vector{Part}, weights::Weights)
    theta, rest, V, unit = ZERO, ZERO, ZERO, ZERO
    of_clusters = Tuple{Triple,Triple}[]
    for (w, p) in zip(weights.rounded, parts)
        square = mul(w, w)
        theta, rest = add(theta, mul(w, p.theta)), add(rest, mul(w, p.rest))
        V, unit = add(V, mul(square, p.variance)), add(unit, mul(square, p.unit))
        p.freedom == ZERO || push!(of_clusters, (mul(square, p.variance), p.freedom))
    end
    n_eff, spread = div(ONE, unit), mul(theta, rest)
    if spread[1] > 0.0
        n_eff = larger(n_eff, div(spread, V))
    end
    freedom = isempty(of_clusters) ? ZERO : DegreesOfFreedom.pooled(V, of_clusters)
    return Macro(theta, rest, n_eff, freedom, weakest(String[p.variance_source for p in parts]))
end

"The weighted mean of the differences of two models."
function combined(found::Vector{Contrast}, weights::Weights, span::Fraction)
    D = weighted_mean(weights, Triple[x.difference.D for x in found], function (i)
        a, b = found[i].sides
        return (exact(a) - exact(b)) / span
    end)
    V, parts = ZERO, Tuple{Triple,Triple}[]
    for (w, x) in zip(weights.rounded, found)
        v = mul(mul(w, x.difference.deviation), mul(w, x.difference.deviation))
        V = add(V, v)
        push!(parts, (v, x.difference.freedom))
    end
    source = weakest(String[x.difference.variance_source for x in found])
    return Difference(D, root(V), DegreesOfFreedom.pooled(V, parts), source)
end

"Of several ways in which variances were obtained."
weakest(sources::Vector{String}) = KNOWN[findlast(in(sources), KNOWN)]

"The largest difference of scores."
span_of(w) = Fraction(integer_ratio(maximum(w))...) - Fraction(integer_ratio(minimum(w))...)

# --- arguments --------------------------------------------------------------------------------------

"Names and values of a mapping with an entry."
function by_name(x, name)
    named = x isa Union{AbstractDict,NamedTuple,AbstractVector{<:Pair}} || Models.ismapping(x)
    named || refuse("type", name, name, " must be names of benchmarks with values, not ", shown(x))
    isempty(x) && refuse("empty", name, name, " is empty")
    return Models.unzipped(x)
end

"Every benchmark by its name; an error names it."
function read_benchmarks(q, benchmarks, w, clusters, name)
    names, items = by_name(benchmarks, name)
    labels = labels_of(clusters, names)
    found = Benchmark[]
    for i in eachindex(items)
        push!(found, naming(() -> benchmark(with_clusters(q, labels[i]), items[i], w), names[i], name))
    end
    return names, found
end

"The clusters of each of the benchmarks, or nothing; false for all if it stands for the mapping."
function labels_of(clusters, names)
    clusters === nothing && return Any[nothing for _ in names]
    clusters === false && return Any[false for _ in names]
    known, labels = by_name(clusters, "clusters")
    for x in known
        any(isequal(x), names) || refuse("choice", "clusters", "clusters has ", shown(x), ", which is no benchmark")
    end
    return Any[(i = findfirst(isequal(x), known); i === nothing ? nothing : labels[i]) for x in names]
end

"What f gives; what it refuses names the benchmark, and is of this argument if it is of the outcomes."
function naming(f, benchmark, argument = nothing)
    try
        return f()
    catch e
        e isa InvalidInput || rethrow()
        outcomes = argument !== nothing && e.argument in ("R", "models")
        about, of = outcomes ? (argument, " of $argument") : (e.argument, "")
        refuse(e.code, about, "benchmark ", shown(benchmark), of, ": ", e.message)
    end
end

function benchmark(q, models, w)
    models isa Union{AbstractDict,NamedTuple,AbstractVector{<:Pair}} || Models.ismapping(models) ||
        refuse("type", "models", "names of models with outcomes are needed, not ", shown(models))
    isempty(models) && refuse("empty", "models", "models has no models")
    many = checked(q, models, w, 1)
    values = Models.each(x -> estimated_of(q, x), many, "models", "R")
    return Benchmark(many.names, values, among(q, many))
end

"The weights of the benchmarks that are used: what is given, or equal ones, over their sum."
function shares(weights, names, used)
    given = ones(length(names))
    if weights !== nothing
        known, values = by_name(weights, "weights")
        Set(known) == Set(names) ||
            refuse("choice", "weights", "weights must have the benchmarks, by the same names")
        for (i, x) in enumerate(names)
            given[i] = Arguments.finite(values[findfirst(isequal(x), known)], "weights")
        end
        for (x, y) in zip(names, given)
            y > 0.0 || refuse("range", "weights", "weights[", shown(x), "] = ", y, " is not above 0")
        end
    end
    exact, sum = Fraction[Fraction(integer_ratio(given[i])...) for i in used], Fraction(0)
    for x in exact
        sum += x
    end
    exact = Fraction[x / sum for x in exact]
    return Weights(exact, Triple[from_ratio(x) for x in exact])
end

"Two models of a benchmark by name, in this order."
function pair_in(x::Benchmark, a, b)
    i, j = place_in(x, a), place_in(x, b)
    found = x.pairs[findfirst(y -> (y.a, y.b) == minmax(i, j), x.pairs)]
    i < j && return found
    return Contrast(i, j, turned(found.difference), found.dropped, reverse(found.sides))
end

end
