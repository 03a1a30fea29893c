# What differences between runs add to the variance of an estimate: the argument `runs`, spec/families/runs.md.

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
    return total, smaller(total * total / denominator, MOST)
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
