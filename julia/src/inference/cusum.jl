# Alarms: self-starting cumulative sums of the differences between each build and all before it.
# The formulas: spec/families/ledger.md.

module Cusums

using ..DoubleDouble: HALF, ONE, Triple, ZERO, value
using ..Histories: Histories, Range, Scores, at_least_one, degrees_of_differences, in_units_of_w, mean_score
using ..Histories: add_outcomes!, normal_score, read_runs, scores_of, variances
using ..Means: Fraction, scale
using ..Rationals: from_ratio
using ..SampledRuns: Dispersion

@nospecialize

const EXCESS = from_ratio(Fraction(1166, 1000))  # twice the mean excess over a boundary (Siegmund 1985)
const NOTHING = 2.0^-80  # a sum below this is 0: it is one that rounding did not cancel

"The limit of two cumulative sums of which one has a false alarm in `every` builds."
function limit(every)
    y = log1p(every + log1p(every))
    for _ in 1:6
        y -= (exp(y) - 1.0 - y - every) / (exp(y) - 1.0)
    end
    x = Triple(y)
    for _ in 1:2  # from 50 bits
        e = exp(x) - ONE
        x -= (e - x - Triple(every)) / e
    end
    return x - EXCESS
end

"The sum of R (1/n + 1/N) over questions, R times span^2."
sum_of_variances(R, n, N) = foldl(+, [r * from_ratio(Fraction(a + b, big(a) * b)) for (r, a, b) in zip(R, n, N)])

"The W, runs apart, of a build x of mean score theta after a pool of mean score before."
function residual(pool, before, x, theta, r, s)
    minimum(pool.n) < 2 && return ZERO
    V = sum_of_variances(variances(pool), x.n, pool.n) / from_ratio(Fraction(s.span^2))
    return from_ratio(before - theta) * length(x.n) / sqrt(V + from_ratio(r * r / (8 * big(minimum(x.n))^2)))
end

"The successive differences of the builds so far."
mutable struct Successive
    all::Union{Nothing,Scores}  # the pin and all builds
    weights::Vector{Triple}  # of each question, the sum of 1/n + 1/n' over differences
    squares::Triple
    last::Union{Nothing,Tuple{Scores,Fraction}}
    m::Int  # differences
end

Successive(M, pin) = Successive(pin, fill(ZERO, M), ZERO, nothing, 0)

function add_build!(x::Successive, build, theta)
    x.all = x.all === nothing ? build : x.all + build
    if x.last !== nothing
        before, score = x.last
        x.weights .+= [from_ratio(Fraction(a + b, big(a) * b)) for (a, b) in zip(build.n, before.n)]
        d = from_ratio(theta - score)
        x.squares += d * d
        x.m += 1
    end
    x.last = build, theta
    return x
end

"The ratio of variances and its degrees of freedom; nothing with fewer than two builds. It is 1 if no outcome varies."
function dispersion(x::Successive, s)
    x.m < 1 && return nothing
    V = foldl(+, variances(x.all) .* x.weights)
    unit = from_ratio(Fraction(big(length(x.weights))^2 * s.span^2))
    return Dispersion(V.hi == 0.0 ? ONE : x.squares * unit / V, degrees_of_differences(x.m))
end

"W with regard to runs; 0 where the ratio of sampled runs is not known yet."
function over_runs(W, runs, sampled)
    runs === nothing && return sampled ? ZERO : W
    return normal_score(W / sqrt(at_least_one(runs.ratio)), runs.freedom)
end

"A sum that is never below 0, and the build after its last 0."
mutable struct Sum  # as tuples that a loop assigns anew, two of them kept old values in Julia 1.5
    x::Triple
    since::Int
end

"Add the W of build j, less 1/2."
function step!(sum, W, j)
    sum.x += W - HALF
    value(sum.x) <= NOTHING && reset!(sum, j)
    return sum
end

"Start anew after build j."
function reset!(sum, j)
    sum.x, sum.since = ZERO, j + 1
end

"The fields of each build, and the limit."
function alarms(h, every, runs)
    kind, s, M = read_runs(runs, ("fixed", "sampled")), scale(h.w), length(h.builds[1].trials)
    sampled = kind == "sampled"
    pin = h.pin === nothing ? nothing : scores_of(h.pin, s.U)
    reference, successive, range = pin, Successive(M, pin), Range(M)
    pin === nothing || add_outcomes!(range, h.pin, s)
    top, loss, gain, rows = limit(every), Sum(ZERO, 1), Sum(ZERO, 1), []
    for (j, counts) in enumerate(h.builds)
        x = scores_of(counts, s.U)
        theta = mean_score(x, s.span)
        add_outcomes!(range, counts, s)
        W, before, z = ZERO, nothing, nothing
        if reference !== nothing
            mean = mean_score(reference, s.span)
            W = residual(reference, mean, x, theta, range.r, s)
            W = over_runs(W, sampled ? dispersion(successive, s) : kind, sampled)
            before, z = in_units_of_w(mean, s), value(W) + 0.0
        end
        step!(loss, W, j)
        step!(gain, -W, j)
        alarm = loss.x >= top ? "loss" : gain.x >= top ? "gain" : nothing
        since = alarm === nothing ? nothing : h.names[(alarm == "loss" ? loss : gain).since]
        push!(rows, (h.names[j], in_units_of_w(theta, s), before, z, value(loss.x), value(gain.x), alarm, since))
        if alarm === nothing
            reference = reference === nothing ? x : reference + x
        else
            reference = nothing
            reset!(loss, j)
            reset!(gain, j)
        end
        sampled && add_build!(successive, x, theta)
    end
    return rows, value(top)
end

end
