# Builds of one system on the same questions, in the order of time, and exact sums of their scores.
# The formulas: spec/families/ledger.md.

module Histories

using ..Scorio: Counts, cells_of, count_outcomes, ends, ids_of, of_question, pair_questions, plus, refuse, score_sums
using ..Scorio: shown
using ..Arguments: Arguments
using ..DegreesOfFreedom: MOST, smaller
using ..Distributions: normal_quantile, t_cdf
using ..DoubleDouble: HALF, ONE, Triple, ZERO, value
using ..Means: FINEST, Fraction, scale
using ..Models: Models
using ..Rationals: from_ratio
using ..SampledRuns: Dispersion, SampledRuns

@nospecialize

"The counts of builds on the same questions, each with a trial of every question, and of the pin before them."
struct History
    names::Vector  # of the builds, or their indices
    builds::Vector{Counts}
    pin::Union{Nothing,Counts}
    w::Vector{Float64}
end

"The builds, at least so many, and the pin with its evaluations pooled; name: the argument that has the builds."
function read_history(builds, w, missing; pin = nothing, has_pin = pin !== nothing, least = 1, name = "builds")
    scores = Arguments.category_scores(w)
    models = Models.split_models(builds, name, 1)
    length(models.items) < least && refuse(
        "length", name, name, " has ", length(models.items), " entry: at least ", least, " are needed",
    )
    pins = !has_pin ? nothing :
        Models.holds_matrices(pin) ? Models.split_models(pin, "pin", 1) : Models.Many(pin, nothing, Any[pin])
    counts, where_is, who = Counts[], String[], String[]
    for (models, argument) in (pins === nothing ? ((models, name),) : ((pins, "pin"), (models, name)))
        read(x) = read_build(x, scores, missing, argument, w !== nothing)
        single = argument == "pin" && length(models.items) == 1
        append!(counts, single ? [read(models.items[1])] : Models.each(read, models, argument))
        for i in eachindex(models.items)
            push!(where_is, argument)
            push!(who, single ? "pin" : "$(Models.label(models, i)) of $argument")
        end
    end
    counts = pair_questions(counts, where_is, i -> who[i], nothing)
    for (i, x) in enumerate(counts)
        x.min_trials > 0 && continue
        q = findfirst(==(0), x.trials)
        id = ids_of(x) === nothing ? q : shown(ids_of(x)[q])
        refuse("missing", where_is[i], who[i], " has no trial of question ", id, ": every build needs one of each")
    end
    n = pins === nothing ? 0 : length(pins.items)
    pooled = n == 0 ? nothing : foldl(plus, counts[1:n])
    names = models.names === nothing ? collect(eachindex(models.items)) : collect(models.names)
    return History(names, counts[n+1:end], pooled, scores)
end

function read_build(x, scores, missing, name, has_scores)
    Models.check_flat(x, name)
    return count_outcomes(x, length(scores) - 1, missing; name = name, has_scores = has_scores)
end

"The argument `runs`: nothing if they are fixed, \"sampled\" where it is allowed, or the ratio that is stated."
function read_runs(runs, allowed)
    runs isa Union{Symbol,AbstractString} &&
        return Arguments.choice(runs, "runs", allowed) == "fixed" ? nothing : "sampled"
    return SampledRuns.dispersion(runs, (), 1, [0.0, 1.0], :raise, false)
end

"Trials of each question, and the sums of the integer scores U and of their squares."
struct Scores
    n::Vector{Int}
    S::Vector{BigInt}
    Q::Vector{BigInt}
end

Base.:+(x::Scores, y::Scores) = Scores(x.n .+ y.n, x.S .+ y.S, x.Q .+ y.Q)

"The sums of one build; U: the scores."
function scores_of(x::Counts, U)
    cells = cells_of(x)
    sums = [score_sums(cells, i, U) for i in eachindex(x.trials)]
    return Scores(collect(x.trials), BigInt[y[1] for y in sums], BigInt[y[2] for y in sums])
end

"The mean over questions of the mean score, on the scale 0..1 of the scores U / span, exactly."
mean_score(x, span) = mean_of(x.n, x.S, span)

function mean_of(n, S, span)
    by_size = Dict{Int,BigInt}()
    for (size, y) in zip(n, S)
        by_size[size] = get(by_size, size, big(0)) + y
    end
    return foldl(+, [Fraction(y, size) for (size, y) in by_size]) / (length(n) * span)
end

"A score on the scale 0..1 in units of w."
in_units_of_w(u, s) = value(from_ratio((u * s.span + s.low) / s.unit)) + 0.0

"The difference of the highest and the lowest score; 0 if all are equal."
span_of(s) = Fraction(maximum(s.U), s.unit)

"The largest difference of two outcomes of a question, as it counts, over the builds that were added."
mutable struct Range
    low::Vector{BigInt}
    high::Vector{BigInt}
    r::Fraction
end

Range(M) = Range(fill(big(-1), M), fill(big(-1), M), Fraction(1))

"Add the outcomes of a build; s: the scale of the scores."
function add_outcomes!(x::Range, counts, s)
    length(s.U) > 2 || return x
    cells = cells_of(counts)
    for i in eachindex(x.low)
        low, high = ends(s.U[cells.category[of_question(cells, i)].+1])
        x.low[i] = x.low[i] < 0 ? low : min(low, x.low[i])
        x.high[i] = max(high, x.high[i])
    end
    most = maximum(x.high .- x.low)
    x.r = most == 0 ? Fraction(1) : max(Fraction(most, s.span), Fraction(1, FINEST))
    return x
end

"The variance of a trial of each question from pooled outcomes, times span^2; 0 with a single trial."
function variances(x)
    return Triple[
        N < 2 ? ZERO : from_ratio(N * Q - S * S, big(N) * (N - 1)) for (N, S, Q) in zip(x.n, x.S, x.Q)
    ]
end

"The normal quantile of the probability of x under the t distribution, with at most MOST degrees of freedom."
function normal_score(x, freedom)
    x.hi == 0.0 && return x
    below = x.hi > 0.0 ? -x : x
    tail = t_cdf(below, smaller(freedom, MOST))
    z = normal_quantile(HALF - tail, tail)
    return x.hi > 0.0 ? z : -z
end

"Degrees of freedom of the mean of m squared successive differences, 2 m^2/(3 m - 1)."
degrees_of_differences(m) = from_ratio(Fraction(2 * m * m, 3 * m - 1))

at_least_one(x) = x > ONE ? x : ONE

"""
Whether x <= level, which is above 0; numbers as near as 2^-95 of it are equal, as those of exact ties are.

A p-value of 1 is at most no level.
"""
is_at_most(x, level) = (ONE - x).hi > 2.0^-95 && (x - level - level * Triple(2.0^-95)).hi <= 0.0

end
