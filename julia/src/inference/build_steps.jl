# Steps of the score over builds, by binary segmentation with a bound of the probability of each split.
# The formulas: spec/families/ledger.md.

module BuildSteps

using ..Cusums: Successive, add_build!, dispersion
using ..Differences: quantile
using ..Distributions: central_ratio, density, error_rate, mills_ratio, normal_cdf, normal_quantile, t_quantile
using ..DegreesOfFreedom: MOST, smaller
using ..DoubleDouble: DoubleDouble, HALF, ONE, Triple, ZERO, times_2_to, value
using ..Histories: Range, Scores, add_outcomes!, at_least_one, is_at_most, mean_of, mean_score, normal_score, read_runs
using ..Histories: scores_of, span_of, variances
using ..Means: Fraction, scale
using ..Rationals: fraction, from_ratio

@nospecialize

const NEAR = 2.0^-80  # relative to |Z|: splits whose |Z| is as near to the largest are compared exactly

"The splits of a history: segments are builds i+1..e, and a split t has the builds i+1..t before it."
struct Splits
    N::Vector{Vector{Int}}  # trials of each question up to each build, from none
    S::Vector{Vector{BigInt}}  # sums of U
    R::Vector{Triple}  # variance of a trial of each question, on the scale 0..1
    exact_R::Vector{Fraction}
    r2::Fraction
    span::BigInt
    runs::Any
end

function Splits(h, runs)
    kind, s = read_runs(runs, ("fixed", "sampled")), scale(h.w)
    each = [scores_of(x, s.U) for x in h.builds]
    M = length(each[1].n)
    successive, range = Successive(M, nothing), Range(M)
    N, S = [zeros(Int, M)], [fill(big(0), M)]
    for (counts, x) in zip(h.builds, each)
        push!(N, N[end] .+ x.n)
        push!(S, S[end] .+ x.S)
        add_outcomes!(range, counts, s)
        add_build!(successive, x, mean_score(x, s.span))
    end
    all = successive.all
    exact = [Fraction(n * Q - T * T, big(n) * (n - 1) * s.span^2) for (n, T, Q) in zip(all.n, all.S, all.Q)]
    of_runs = kind == "sampled" ? dispersion(successive, s) : kind
    return Splits(N, S, map(from_ratio, exact), exact, range.r^2, s.span, of_runs)
end

"D and V of a split, without regard to runs; V as an exact fraction, or as a triple."
function exactly(x, i, t, e)
    B, S, A, T = x.N[t] .- x.N[i], x.S[t] .- x.S[i], x.N[e] .- x.N[t], x.S[e] .- x.S[t]
    M = length(B)
    V = foldl(+, [r * Fraction(a + b, big(a) * b) for (r, a, b) in zip(x.exact_R, A, B)])
    V += x.r2 * (Fraction(1, big(minimum(B))^2) + Fraction(1, big(minimum(A))^2))
    return mean_of(A, T, x.span) - mean_of(B, S, x.span), V / big(M)^2
end

function nearly(x, i, t, e)
    B, S, A, T = x.N[t] .- x.N[i], x.S[t] .- x.S[i], x.N[e] .- x.N[t], x.S[e] .- x.S[t]
    M, V = length(B), ZERO
    for (r, a, b) in zip(x.R, A, B)
        r.hi == 0.0 || (V += r * (Triple(Float64(a + b)) / (Triple(Float64(a)) * Triple(Float64(b)))))
    end
    V += from_ratio(x.r2 * (Fraction(1, big(minimum(B))^2) + Fraction(1, big(minimum(A))^2)))
    return from_ratio(mean_of(A, T, x.span) - mean_of(B, S, x.span)), V / M / M
end

absolute(x) = x.hi < 0.0 ? -x : x
standard_error(x, V) = sqrt(x.runs === nothing ? V : V * at_least_one(x.runs.ratio))

"The |Z| of a split, as a normal quantile where runs are sampled."
function size(x, i, t, e)
    D, V = nearly(x, i, t, e)
    z = absolute(D) / standard_error(x, V)
    return x.runs === nothing ? z : normal_score(z, x.runs.freedom)
end

"The first split of the largest |Z| between i and e."
function largest(x, i, e)
    z = [((D, V) = nearly(x, i, t, e); absolute(D) / sqrt(V)) for t in i+1:e-1]
    top = reduce((a, b) -> a >= b ? a : b, z)
    near = i .+ findall(y -> (top - y) <= top * Triple(NEAR), z)
    length(near) == 1 && return near[1]
    best, most = near[1], Fraction(-1)
    for t in near
        D, V = exactly(x, i, t, e)
        D^2 / V > most && ((best, most) = (t, D^2 / V))
    end
    return best
end

"The probability P(0 < Z < x), x >= 0."
function below_centre(x)
    value(x) > 3.0 && return HALF - mills_ratio(x) * density(x)
    return x.hi > 0.0 ? central_ratio(x) * density(x) : ZERO
end

"The bound of the probability that the largest |Z| of a segment is at least z; 1 if z is 0."
function p_value(x, z, i, e)
    z.hi == 0.0 && return ONE
    total, every = ZERO, sum(x.N[e] .- x.N[i])
    for t in i+1:e-2
        before, here = sum(x.N[t] .- x.N[i]), sum(x.N[t+1] .- x.N[t])
        after, both = every - before, before + here
        whole = Fraction(big(both) * after)
        rho = sqrt(from_ratio(big(before) * (after - here) / whole))
        a = sqrt(from_ratio(big(here) * every / whole)) / (ONE + rho)  # 1 - rho^2 without a subtraction
        total += below_centre(z * a)
    end
    p = times_2_to(normal_cdf(-z) + times_2_to(density(z) / z * total, 1.0), 1.0)
    return smaller(p, ONE)
end

isfound(x, z, i, e, level) = z.hi != 0.0 && is_at_most(p_value(x, z, i, e), level)

"The splits of binary segmentation with the level of each, every part at half of the level, in order."
function segmented(x, level)
    splits, waiting = Tuple{Int,Triple}[], [(1, length(x.N), level)]
    while !isempty(waiting)
        i, e, level = pop!(waiting)
        e - i < 2 && continue
        t = largest(x, i, e)
        isfound(x, size(x, i, t, e), i, e, level) || continue
        push!(splits, (t, level))
        half = times_2_to(level, -1.0)
        push!(waiting, (i, t, half), (t, e, half))
    end
    return sort!(splits; by = first)
end

"The splits, each moved to the largest |Z| between its neighbours, or dropped."
function placed(x, splits)
    out = Int[]
    for (k, (_, level)) in enumerate(splits)
        i, e = isempty(out) ? 1 : out[end], k < length(splits) ? splits[k+1][1] : length(x.N)
        t = largest(x, i, e)
        isfound(x, size(x, i, t, e), i, e, level) && push!(out, t)
    end
    return out
end

"The first and the last split whose Z^2 is at least that of t less -2 log(1 - sqrt(confidence))."
function near(x, i, t, e, confidence)
    z = size(x, i, t, e)
    least = z * z + times_2_to(log(ONE - sqrt(Triple(confidence))), 1.0)
    least.hi <= 0.0 && return i + 1, e - 1
    least = sqrt(least)
    inside = [s for s in i+1:e-1 if s == t || size(x, i, s, e) >= least]
    return inside[1], inside[end]
end

"The fields of each step, in the order of time."
function steps(h, confidence, runs)
    x, s = Splits(h, runs), scale(h.w)
    at = placed(x, segmented(x, error_rate(confidence, 1)))
    quarter = error_rate(confidence, 4)
    q = x.runs === nothing ? normal_quantile(HALF - quarter, quarter) : quantile(quarter, smaller(x.runs.freedom, MOST))
    span, rows = from_ratio(span_of(s)), []
    most = value(span)
    for (k, t) in enumerate(at)
        i, e = k == 1 ? 1 : at[k-1], k == length(at) ? length(x.N) : at[k+1]
        first, last = near(x, i, t, e, confidence)
        lo, hi = ONE, -ONE
        for y in first:last
            D, V = nearly(x, i, y, e)
            half = q * standard_error(x, V)
            low, high = D - half, D + half
            lo, hi = y == first || low < lo ? low : lo, y == first || high > hi ? high : hi
        end
        lo, hi = (DoubleDouble.clip(value(span * y), -most, most) for y in (lo, hi))
        p = value(p_value(x, size(x, i, largest(x, i, e), e), i, e))
        # split t of the sums, which start with none, is before build t
        push!(rows, (h.names[t], h.names[first], h.names[last], value(span * nearly(x, i, t, e)[1]) + 0.0, lo, hi, p))
    end
    return rows
end

end
