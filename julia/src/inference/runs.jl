# How much more runs of the whole evaluation differ than chance explains, the test of it, and the argument `runs`.
# The formulas: spec/families/runs.md.

module Runs

using ..Scorio: ByRun, refuse
using ..Distributions: beta_cdf, normal_cdf
using ..DoubleDouble: ONE, times_2_to, value
using ..Means: Fraction, scale
using ..Rationals: from_ratio

@nospecialize

const MOST_DF = Fraction(10^6)

# --- the statistic ------------------------------------------------------------------------------------

"Sums of integers over the questions with sizes[g] trials: of run r in row r and column g, and over all runs."
struct Sums{T}
    residual::Matrix{T}  # n times the sum of U in the run, less m times that of all n trials, m of them in the run
    within::Matrix{T}  # the spread times m (n - m)
    number::Matrix{Int}  # m
    spread::Vector{T}  # sum of (U - U')^2 over the pairs of trials of a question
    squares::Vector{T}  # the sum of the squared spreads
    reach::Matrix{T}  # largest n u less the sum of all trials, in row 2 of that sum less n u, u a score of a question
    most::Vector{Int}  # the largest m
end

"The runs of a model: integers whose ratio to a common denominator are I, E and W of spec/families/runs.md."
struct RunTerms
    model::Int
    runs::Vector{Int}  # those that have a trial
    influence::Vector{BigInt}  # of each, over unit
    variance::Vector{BigInt}  # over unit^2
    share::Vector{Fraction}
    unit::BigInt
    concentration::Fraction  # h
    reach::Vector{Fraction}  # the most by which one question can move an influence up, and down, over unit
end

"The effective number of runs less 1."
df(x) = Fraction(total(x.variance)^2, squared(x.variance)) - 1

"The variance of the influences over that which chance explains."
ratio(x) = Fraction(squared(x.influence), total(x.variance))

"The variance of the effect of a run, which may be negative, in units of the integer scores."
function squared_sd(x)
    squares = squared(x.share)
    return Fraction(squared(x.influence) - total(x.variance), x.unit^2) / (squares * (1 - squares))
end

total(x) = foldl(+, x)
squared(x) = foldl(+, [y * y for y in x])

"The terms of one model; nothing if it has one run, one question, or no question that varies between runs."
function terms(x::ByRun, w, model)
    n = trials_of(x)
    M = count(>(0), n)
    M < 2 && return nothing
    U, sizes = scale(w).U, sort!(unique(filter(>(0), n)))
    group = Int[y == 0 ? 0 : searchsortedfirst(sizes, y) for y in n]
    # no sum of integers is larger than M (N^2 U^2)^2
    fits = Float64(length(n)) * (Float64(size(x.cells, 2)) * Float64(max(maximum(U), big(1))))^4 < 2.0^62
    sums = fits ? sums_by_run(x, Int[y for y in U], group, sizes) : sums_by_run(x, U, group, sizes)
    return run_terms(sums, map(big, sizes), M, model)
end

"The number of runs that have a trial."
runs_with_trials(x::ByRun) = length(unique(x.run[j] for j in axes(x.cells, 2) if any(>=(0), view(x.cells, :, j))))

"The number of trials of each question."
trials_of(x::ByRun) = Int[count(>=(0), view(x.cells, i, :)) for i in axes(x.cells, 1)]

function run_terms(s, sizes, M, model)
    common = foldl(lcm, [n^2 * max(n - 1, 1) for n in sizes])
    groups, several, unit = eachindex(sizes), findall(>(1), sizes), common * M
    isempty(several) && return nothing
    used = Int[r for r in axes(s.number, 1) if any(>(0), view(s.number, r, :))]
    I = BigInt[total([s.residual[r, g] * (common ÷ sizes[g]^2) for g in groups]) for r in used]
    of_variance = BigInt[n == 1 ? 0 : common^2 ÷ (n^4 * (n - 1)) for n in sizes]
    E = BigInt[total([s.within[r, g] * of_variance[g] for g in several]) for r in used]
    any(>(0), E) || return nothing
    W = Fraction[total([s.number[r, g] * (common ÷ sizes[g]) for g in groups]) // unit for r in used]
    within = total([Fraction(s.spread[g], sizes[g]^2 * (sizes[g] - 1)) for g in several])
    squares = total([Fraction(s.squares[g], (sizes[g]^2 * (sizes[g] - 1))^2) for g in several])
    most = maximum(s.most)
    reach = Fraction[maximum([s.reach[i, g] * (common ÷ sizes[g]^2) for g in groups]) * most for i in 1:2]
    return RunTerms(model, used, I, E, W, unit, squares / within^2, reach)
end

@specialize

"The sums over questions, in integers of the type of the scores U; group: the index in sizes of each one's trials."
function sums_by_run(x::ByRun, U::Vector{T}, group, sizes) where {T}
    G, runs = length(sizes), x.runs
    s = Sums{T}(
        zeros(T, runs, G), zeros(T, runs, G), zeros(Int, runs, G), zeros(T, G), zeros(T, G), zeros(T, 2, G), zeros(Int, G),
    )
    times, part, (smallest, largest) = zeros(Int, runs), zeros(T, runs), extrema(U)
    for i in axes(x.cells, 1)
        g = group[i]
        g == 0 && continue
        fill!(times, 0)
        fill!(part, zero(T))
        n, S, Q = sizes[g], zero(T), zero(T)
        low, high = largest, smallest
        for j in axes(x.cells, 2)
            q = x.cells[i, j]
            q < 0 && continue
            u, r = U[q+1], x.run[j]
            times[r] += 1
            part[r] += u
            S, Q = S + u, Q + u * u
            low, high = min(low, u), max(high, u)
        end
        spread = n * Q - S * S
        for r in 1:runs
            m = times[r]
            m == 0 && continue
            s.residual[r, g] += n * part[r] - m * S
            s.within[r, g] += spread * (m * (n - m))
            s.number[r, g] += m
            s.most[g] = max(s.most[g], m)
        end
        s.reach[1, g] = max(s.reach[1, g], n * high - S)
        s.reach[2, g] = max(s.reach[2, g], S - n * low)
        s.spread[g] += spread
        s.squares[g] += spread * spread
    end
    return s
end

@nospecialize

"The fields of the result of run_variation(), with the indices of the model and the run."
const RunTest = NamedTuple{
    (:ratio, :df, :p_value, :sd, :model, :run, :deviation, :p_run),
    Tuple{Float64,Float64,Float64,Float64,Int,Int,Float64,Float64},
}

"""
Whether the runs of these models, a vector of ByRun, differ.

name: the argument that holds them, for errors; shared: whether the ratio is that of the difference of two models,
whose runs are the same.
"""
function run_test(models, w, name, shared = false)::RunTest
    each, unknown = counting_models(models, w, name, name)
    isempty(each) && return RunTest((1.0, Float64(unknown), 1.0, 0.0, 1, 1, 0.0, 1.0))
    lambda, f = pooled(each)
    h = total(Fraction[df(x) * x.concentration for x in each]) / f
    unit = scale(w).unit
    variance = total(map(squared_sd, each)) / (length(each) * unit^2)
    square, i, j, K = Fraction(-1), 0, 0, 0
    for (a, x) in enumerate(each), r in eachindex(x.runs)
        x.variance[r] == 0 && continue
        y, K = Fraction(x.influence[r]^2, x.variance[r]), K + 1
        y > square && ((square, i, j) = (y, a, r))
    end
    x, p = each[i], square > 0 ? times_2_to(normal_cdf(-bennett(each[i], j)), 1.0) : ONE
    deviation = Fraction(x.influence[j], x.unit * unit) / x.share[j]
    is_one = shared && have_common_runs(each)
    reported = map(y -> value(from_ratio(y)), is_one ? of_difference(each) : (lambda, f))
    return RunTest((
        reported..., p_value(lambda, f, h),
        variance > 0 ? value(sqrt(from_ratio(variance))) : 0.0, x.model, x.runs[j], value(from_ratio(deviation)),
        min(1.0, value(p * K)),
    ))
end

"""
The terms of the models that count, and the number of runs with a trial less 1, summed over models.

name: the argument that asks for this, for errors; outcomes: the argument that holds them.
"""
function counting_models(models, w, name, outcomes)
    runs, questions = map(runs_with_trials, models), Int[count(>(0), trials_of(x)) for x in models]
    all(>(0), questions) || refuse("no_trials", outcomes, "a model of ", outcomes, " has no trial")
    all(<(2), runs) &&
        refuse("length", name, "one run of ", name, ": the variance between runs needs two or more")
    all(<(2), questions) &&
        refuse("shape", name, "one question of ", name, ": runs and trials cannot be told apart")
    each = RunTerms[]
    for (i, x) in enumerate(models)
        y = terms(x, w, i)
        y === nothing || push!(each, y)
    end
    return each, total(runs .- 1)
end

"A ratio of variances, and its degrees of freedom."
const Ratio = Tuple{Fraction,Fraction}

"The ratio of several models, each with runs of its own."
function pooled(each)::Ratio
    degrees = map(df, each)
    f = total(degrees)
    return total(degrees .* map(ratio, each)) / f, f
end

"Whether some run has trials of each of these models, one or two."
have_common_runs(each) = !isempty(intersect(first(each).runs, last(each).runs))

"The ratio of one model, or of the difference of two whose runs are the same."
function of_difference(each)::Ratio
    unit, runs = foldl(lcm, [x.unit for x in each]), maximum([maximum(x.runs) for x in each])
    I, E = zeros(BigInt, runs), zeros(BigInt, runs)
    for (x, sign) in zip(each, (1, -1))
        m = unit ÷ x.unit
        I[x.runs] .+= sign * m .* x.influence
        E[x.runs] .+= m^2 .* x.variance
    end
    return Fraction(squared(I), total(E)), Fraction(total(E)^2, squared(E)) - 1
end

"The z of Bennett's bound for the j-th run."
function bennett(x, j)
    I, E, b = abs(x.influence[j]), x.variance[j], x.reach[x.influence[j] > 0 ? 1 : 2]
    t = from_ratio(b * I / E)
    return sqrt(from_ratio(2 * E / b^2) * ((ONE + t) * log(ONE + t) - t))
end

"P(F >= lambda) of the F distribution with f / (1 - h) and 10^6 degrees of freedom; 1 if h is 1."
function p_value(lambda, f, h)
    (h == 1 || lambda == 0) && return 1.0
    d = min(f / (1 - h), MOST_DF)
    y = d * lambda / (MOST_DF + d * lambda)
    return min(1.0, value(beta_cdf(from_ratio(1 - y), from_ratio(y), from_ratio(MOST_DF / 2), from_ratio(d / 2))))
end

end

# --- the variance that differences between runs add to an estimate ----------------------------------

module SampledRuns

using ..Scorio: Counts, Detailed, Result, by_run, refuse, shown
using ..Arguments: Arguments
using ..DegreesOfFreedom: MOST, smaller
using ..Distributions: beta_cdf
using ..DoubleDouble: ONE, Triple, ZERO, value
using ..Means: Fraction
using ..Models: Models
using ..Rationals: from_ratio
using ..Runs: Ratio, RunTerms, counting_models, df, have_common_runs, of_difference, pooled, ratio
using ..Variance: larger

@nospecialize

const LARGER = 1.25  # the df of a difference may be above those of the runs behind it, which count twice
const LARGEST = 1e300  # largest ratio and degrees of freedom
const FEWEST = (ratio = 0.0, df = 1.0)
# P(F >= ratio of some models over that of the others) from which the others begin to count, and count in full
const (APART, ALIKE) = (1 // 10, 1 // 2)

"The ratio of variances, and its degrees of freedom: what the argument `runs` adds to a variance."
struct Dispersion
    ratio::Triple
    freedom::Triple
end

"A variance or a standard error with runs, and its degrees of freedom; nothing where runs add nothing."
const WithRuns = Union{Nothing,NTuple{2,Triple}}

"The ratio less 1, at least 0."
function excess(x)
    more = x.ratio - ONE
    return more.hi > 0.0 ? more : ZERO
end

"""
The variance V with that over runs, and its degrees of freedom; nothing if it is 0.

freedom: of V, ZERO: none; over_trials: the part of V over trials, nothing: all of it, or it is not identified.
"""
function with_runs(x::Dispersion, V, freedom, over_trials = nothing)::WithRuns
    of_runs = x.ratio * (over_trials === nothing ? V : over_trials)
    total = over_trials === nothing ? of_runs : of_runs + larger(V - over_trials, ZERO)
    total.hi == 0.0 && return nothing
    v = smaller(V, total)  # no part counts for more than the total
    denominator = of_runs * of_runs / x.freedom
    freedom == ZERO || (denominator += v * v / freedom)
    return total, denominator == ZERO ? MOST : smaller(total * total / denominator, MOST)
end

"The dispersions of two models whose runs differ, each by itself, and the largest df of their difference."
struct OfTwo
    first::Dispersion
    second::Dispersion
    most::Triple
end

"The dispersion of the difference of two models; V, W: the parts of both in its variance over trials, or in proportion."
over(x::Dispersion, V, W) = x

function over(x::OfTwo, V, W)
    a, b = x.first, x.second
    v, w = V * a.ratio, W * b.ratio
    total = v + w
    total.hi == 0.0 && return a
    freedom = smaller(smaller(total * total / (v * v / a.freedom + w * w / b.freedom), x.most), MOST)
    return Dispersion(a.ratio == b.ratio ? a.ratio : total / (V + W), freedom)
end

"1 over the number of independent trials of a statement, given that of each model without regard to runs."
unit(x::Dispersion, units...) = reduce(larger, units) * (ONE + excess(x))
unit(x::OfTwo, first, second) = larger(unit(x.first, first), unit(x.second, second))

"The runs of the models of a call, from which each statement about one or two of them has its ratio."
struct RunEffects
    each::Vector{RunTerms}  # of the models that count
    shared::Bool  # whether runs are the same for all models, as prompts and sessions are
    all::Ratio
    of_model::Dict{Int,Dispersion}  # those that were asked for
end

"The ratio of variances of a statement about these models of the call, by index: of every statement the same."
about(x::Dispersion, models...) = x

function about(x::RunEffects, models...)
    own = filter(y -> y.model in models, x.each)
    isempty(own) && return dispersion_of(x.all)
    x.shared && have_common_runs(own) && return dispersion_of(of_difference(own))
    each = [get!(() -> of_model(x, y), x.of_model, y.model) for y in own]
    length(each) == 1 && return each[1]
    most = Triple(value(from_ratio(df(own[1]) + df(own[2]))))
    return OfTwo(each..., Triple(LARGER) * foldl(larger, [x.freedom for x in each]; init = most))
end

"The ratio of a model that counts, with that of the others."
function of_model(x, model)
    length(x.each) == 1 && return dispersion_of(x.all)
    own, f = (ratio(model), df(model)), x.all[2] - df(model)
    rest = (x.all[1] * x.all[2] - own[1] * own[2]) / f
    return something(weighted(own, (rest, f)), dispersion_of(x.all))
end

"The ratio and its degrees of freedom, as the doubles that they are in results."
dispersion_of(x) = Dispersion(Triple(value(from_ratio(x[1]))), Triple(value(from_ratio(x[2]))))

"""
The ratio of a model with that of the rest, which counts less the more its own is above it; nothing if it counts in full.
"""
function weighted(own, rest)
    (x, f), (y, g) = own, rest
    20 * x <= 9 * y && return nothing  # no median of an F distribution is below 9/20
    y == 0 && return dispersion_of(own)
    low, high = from_ratio(g * y / (f * x + g * y)), from_ratio(f * x / (f * x + g * y))
    p = beta_cdf(low, high, from_ratio(g / 2), from_ratio(f / 2))
    weight = (p - from_ratio(Fraction(APART))) / from_ratio(Fraction(ALIKE - APART))
    (weight - ONE).hi >= 0.0 && return nothing
    weight.hi <= 0.0 && return dispersion_of(own)
    part = weight * from_ratio(g)
    freedom = from_ratio(f) + part
    total = from_ratio(f * x) + part * from_ratio(y)
    return Dispersion(Triple(value(total / freedom)), Triple(value(freedom)))
end

"Whether the argument says that runs are fixed."
isfixed(runs) = istext(runs, "fixed")
istext(x, word) = x isa Union{Symbol,AbstractString} && String(x) == word

"""
The argument `runs` of a call on these outcomes; nothing if runs are fixed.

outcomes: pairs of an argument's name with the outcomes of a model; or the models, a Many, of the argument "models".
"""
function dispersion(runs, outcomes, C, w, missing, has_scores)::Union{Nothing,Dispersion,RunEffects}
    if runs isa Union{Symbol,AbstractString}
        word = Arguments.choice(runs, "runs", ("fixed", "sampled", "shared"))
        word == "fixed" && return nothing
        models = outcomes isa Models.Many
        for (name, x) in (models ? ["models" => x for x in outcomes.items] : outcomes)
            x isa Union{Counts,Detailed} && refuse(
                "conflict", "runs", name, " is ", nameof(typeof(x)), ", which do not know the run of a trial, and ",
                "runs=:$word needs it: pass the matrix of outcomes, or runs=run_variation(matrix)",
            )
        end
        read(x, name = "models") = by_run(x, C, missing, name, has_scores)
        each = models ? Models.each(read, outcomes, "models") : [read(x, name) for (name, x) in outcomes]
        counting, unknown = counting_models(each, w, "runs", models ? "models" : first(first(outcomes)))
        all = isempty(counting) ? (Fraction(1), Fraction(unknown)) : pooled(counting)
        return RunEffects(counting, word == "shared", all, Dict{Int,Dispersion}())
    end
    return Dispersion((Triple(stated(runs, name)) for name in (:ratio, :df))...)
end

"The ratio or the df in the argument `runs`, checked."
function stated(runs, name)
    x = entry(runs, name)
    x === nothing && refuse_form(runs)
    y = Arguments.finite(x, "runs", "the $name of runs")
    FEWEST[name] <= y <= LARGEST ||
        refuse("range", "runs", "the ", name, " of runs is ", y, ", not in ", FEWEST[name], "..", LARGEST)
    return y
end

refuse_form(x) =
    refuse("type", "runs", "runs must be :fixed, :sampled, :shared, or a result of run_variation, not ", shown(x))

"The value under a name, a text or a symbol, of a mapping or a result; nothing if it is not there."
function entry(x, name)
    ismapping(x) || return nothing
    keys, values = unzipped(x)
    i = findfirst(key -> istext(key, String(name)), keys)
    return i === nothing ? nothing : values[i]
end

"Whether x maps names to values, as a result of run_variation() does."
ismapping(x) = x isa Result || Models.ismapping(x)

"Names and values of a mapping or a result."
unzipped(x) = Models.unzipped(x isa Result ? NamedTuple(x) : x)

"The argument `runs` of each benchmark: the same for all, unless it has a mapping among its values."
function of_benchmarks(runs, names)
    ismapping(runs) || return Any[runs for _ in names]
    given, values = unzipped(runs)
    any(ismapping, values) || return Any[runs for _ in names]
    foreach(x -> ismapping(x) || refuse_form(x), values)
    Models.check_same_names(given, names, "runs", "runs must have the same names as the benchmarks")
    return Any[values[findfirst(isequal(x), given)] for x in names]
end

end
