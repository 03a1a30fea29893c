# Checked arguments of the convergence functions, converted to the integers that the kernels use.

const STATES_AT_ONCE = 2^20  # most states (n, c) whose scores are computed at once
const SCALE = 2^52  # points of a score of 1 in the tables if M < 1024; unit(M) is smaller for more questions

"""
Points of the outcomes as (L, M, N) integers, and the metric as a function of their running sums.

The score after n trials is the sum over questions of table[c+1, n], where c is the running sum of a question; without
a table it is the total of the running sums.
"""
struct Problem
    R::Union{Array{Int8,3},Array{Int,3}}
    table::Union{Matrix{Int},Nothing}
    first::Int  # the fewest trials after which there is a ranking
    tol::Vector{Int}  # by n: scores at most this far apart tie
    gold::Vector{Float64}  # the rank of each model in the gold ranking, with which others are compared
end

"The numbers of trials after which there is a ranking."
trials(p::Problem) = p.first:size(p.R, 3)

"""
The problem, the number of draws for each trial (1, or one per question), and the key of the random stream.

If all questions share the draws and the score is a total, the outcomes are summed over questions beforehand.
"""
function resampled(p::Problem, scheme, seed)
    scheme == "rows" && return p, size(p.R, 2), CounterRNG.key(seed, CounterRNG.ROWS)
    R = p.table === nothing ? ConvergeKernels.over_questions(p.R) : p.R
    return Problem(R, p.table, p.first, p.tol, p.gold), 1, CounterRNG.key(seed, CounterRNG.COLUMNS)
end

"Check all arguments except those of the bootstrap, and build the problem."
function problem(R, metric, k, tau, w, gold = nothing)
    m = Metrics.read_metric(metric, k, tau, w, Metrics.TRAJECTORIES)
    outcomes, models = Models.tensor(R, w, m.k)
    L, M, N = size(outcomes)
    ranks = gold_ranks(Models.in_order(gold, models.names, "gold"), outcomes, w)
    if m.kind isa Metrics.Average
        points, tol = points_of(w, M, N)
        return Problem(ConvergeKernels.outcome_points(points, outcomes), nothing, 1, tol, ranks)
    end
    tol = floor(Int, (Rank.TOL * M) * unit(M))
    return Problem(ConvergeKernels.outcome_points(Int8[0, 1], outcomes), table_of(m, N, M), m.k, fill(tol, N), ranks)
end

"The gold ranks: those of the caller, or the ranks by the average of all trials."
function gold_ranks(gold, outcomes, w)
    L, M, N = size(outcomes)
    if gold === nothing
        points, tol = points_of(w, M, N)
        return Float64.(Rank.by_score(ConvergeKernels.totals(points, outcomes), last(tol)).competition)
    end
    ranks = Arguments.vector(gold, "gold")
    length(ranks) == L || refuse("length", "gold", "gold has ", length(ranks), " ranks for ", L, " models")
    return ranks
end

"""
The points of each category, and the tolerance of the total after n trials, n = 1..N.

If there are at most two distinct scores, they get 0 and 1 point, and the tolerance is 0. Other scores are scaled to
0..1 and rounded to multiples of 2^-s, which is one point, with s so small that no total overflows.
"""
function points_of(w, M, N)
    W, _ = over_common_denominator(Arguments.category_scores(w))
    low, span = minimum(W), max(maximum(W) - minimum(W), 1)
    all(x -> x == low || x == low + span, W) && return Int8.(W .> low), zeros(Int, N)
    unit = 2^(62 - ndigits(M * N, base = 2))
    points = [Int(fld(2 * (x - low) * unit + span, 2 * span)) for x in W]
    return points, [floor(Int, (Rank.TOL * (M * n)) * unit) for n in 1:N]
end

"The points of a score of 1 on one question, small enough that the total over M questions cannot overflow."
unit(M) = min(SCALE, 2^(62 - ndigits(M, base = 2)))

"The metric of c successes in n trials, n = k..N, c = 0..n, in units of 1/unit(M)."
function table_of(m, N, M)
    table, scale, step = zeros(Int, N + 1, N), Float64(unit(M)), max(1, fld(STATES_AT_ONCE, N + 1))
    for low in m.k:step:N  # some n at a time, so that only the table has N^2 entries
        high = min(low + step - 1, N)
        n, c = [n for n in low:high for _ in 0:n], [c for n in low:high for c in 0:n]
        out = Metrics.values(m, n, c)
        for i in eachindex(n)
            table[c[i]+1, n[i]] = floor(Int, value(out[i]) * scale + 0.5)
        end
    end
    return table
end
