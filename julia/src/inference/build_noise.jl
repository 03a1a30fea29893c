# The noise floor: how much evaluations of one build differ, and the margins that gates of them can hold.
# The formulas: spec/families/ledger.md.

module BuildNoise

using ..Scorio: ByRun, cells_of, of_question
using ..Differences: quantile
using ..Distributions: error_rate, normal_quantile, one_sided_z
using ..DoubleDouble: HALF, ONE, Triple, ZERO, times_2_to, value
using ..Histories: Scores, at_least_one, in_units_of_w, mean_score, scores_of, span_of
using ..Means: Fraction, scale
using ..Rationals: from_ratio
using ..Runs: run_test

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

"The margins of one gate and of gate_builds by a variance V; freedom: ZERO, the normal distribution."
function margins(V, freedom, span, pooled, power, confidence)
    z = power > 0.5 ? one_sided_z(power) : ZERO
    once, pin, here = map((2, 4, 16)) do parts
        tail = error_rate(confidence, parts)
        return freedom == ZERO ? normal_quantile(HALF - tail, tail) : quantile(tail, freedom)
    end
    share = from_ratio(Fraction(1, pooled))
    single = (once + z) * sqrt(times_2_to(V, 1.0))
    many = (pin * sqrt(share) + here + z * sqrt(ONE + share)) * sqrt(V)
    return map(x -> span == 0 || x >= ONE ? nothing : value(from_ratio(span) * x), (single, many))
end

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
    V = from_ratio(V / (big(M)^2 * s.span^2 * E))
    span = span_of(s)
    of_runs = V * at_least_one(Triple(runs.ratio))
    rest = (span, pooled, power, confidence)
    names = (:margin_gate, :margin_builds, :margin_gate_runs, :margin_builds_runs)
    both = (margins(V, ZERO, rest...)..., margins(of_runs, Triple(runs.df), rest...)...)
    return merge(
        (
            mu = in_units_of_w(mean_score(x, s.span), s), sigma = value(from_ratio(span) * sqrt(V)),
            ratio = runs.ratio, df = runs.df, p_value = runs.p_value, sd = runs.sd, flaky = flaky,
            flip_rate = value(from_ratio(flips(h.builds, s))),
        ),
        NamedTuple{names}(both),
    )
end

end
