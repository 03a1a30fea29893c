# Rankings along one series of trials, and the checked arguments of the convergence functions.

# --- arguments, converted to the integers that the kernels use --------------------------------------

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

# --- rankings ---------------------------------------------------------------------------------------

const SCHEMES = ("original", "columns", "rows")
const LARGEST_REPLICATE = 2^31 - 1  # also the largest number of replicates

"The series of a problem: its original trials, or one bootstrap replicate."
function series_of(p, scheme, replicate, seed)
    p, rows, key = resampled(p, scheme, seed)
    s = ConvergeKernels.Series(p.R, p.table, rows)
    scheme == "original" || ConvergeKernels.draw_trials!(s, key, replicate)
    return s
end

"Competition ranks after every number of trials."
function ranks_of(p, s)
    L = length(p.gold)
    ranks, order = [zeros(Int, L) for _ in trials(p)], collect(1:L)
    ConvergeKernels.foreach_score!(n -> ConvergeKernels.rank!(ranks[n-p.first+1], order, s.score, p.tol[n]), s, p.first)
    return ranks
end

"The models in gold order, and whether each begins a tie group."
function gold_order(gold)
    order = sortperm(gold)
    return order, [i == 1 || gold[order[i]] != gold[order[i-1]] for i in eachindex(order)]
end

"""
    rank_trajectory(R, metric=:mean; k=nothing, tau=nothing, w=nothing, scheme=:original, replicate=0, seed=0)
        -> (trials, ranks)

Ranks of models after every number of trials.

- `R`: complete outcomes of at least two models: an L×M×N array, a vector of matrices, or names with matrices.
- `metric`: `:mean`, `:bayes` (the same order), `:pass_at_k`, `:pass_hat_k`, `:naive_pass_hat_k` (the paper's name;
  it estimates Pass@k, by 1 - (1 - c/n)^k), `:g_pass_at_k_tau`, `:maj_at_k`, `:mg_pass_at_k` or `:auc_at_k`; also "avg",
  "pass@k", "pass^k" and so on, as in
  [`interval`](@ref).
- `k`: required by all metrics but bayes and mean, 1 <= k <= N; the rankings then start at k trials.
- `tau`: in [0, 1], for `g_pass_at_k_tau`.
- `w`: the score of each category, for bayes and mean; default (0, 1).
- `scheme`: `:original`, the original trials. A bootstrap replicate otherwise: `:columns` draws whole trials, `:rows`
  the trials of each question separately.
- `replicate`: number of the replicate, 0 <= replicate < 2^31.
- `seed`: seed of the replicates, 0 <= seed < 2^64.

`ranks`: the competition ranks of the L models after each of `trials`. Throws `InvalidInput` for anything wrong
with the arguments, and for missing outcomes, since all trials are needed. Source: section 3.3 of arXiv:2510.04265,
figure 5.

# Examples
```jldoctest
julia> r = rank_trajectory([[[0, 1, 1], [0, 1, 1]], [[1, 0, 0], [0, 1, 0]]]);

julia> Tuple(r.trials), Tuple.(Tuple(r.ranks))
((1, 2, 3), ((2, 1), (1, 1), (1, 2)))
```
"""
@by_name function rank_trajectory(
    R, metric = :mean;
    k = nothing, tau = nothing, w = nothing, scheme = :original, replicate = 0, seed = 0,
)
    scheme = Arguments.choice(scheme, "scheme", SCHEMES)
    replicate = Arguments.integer(replicate, "replicate", 0, LARGEST_REPLICATE)
    seed = Arguments.seed(seed)
    p = problem(R, metric, k, tau, w)
    ranks = ranks_of(p, series_of(p, scheme, replicate, seed))
    return Result{:Trajectory}((trials = collect(trials(p)), ranks = ranks))
end

"""
    convergence_at_n(R, metric=:mean; k=nothing, tau=nothing, w=nothing, gold=nothing) -> Union{Int,Nothing}

convergence@n: the number of trials from which the ranking is the gold one and never changes.

- `R`, `metric`, `k`, `tau`, `w`: as in [`rank_trajectory`](@ref).
- `gold`: the gold ranks, low is best; only order and ties count. Default: by the average of all trials.

The smallest n <= N - 1; `nothing` if there is none. Throws `InvalidInput` as `rank_trajectory`; length: `gold` does not
have one rank for each model. Source: appendix F.1 of arXiv:2510.04265. A single series of trials says little: see
[`bootstrap_convergence`](@ref).

# Examples
```jldoctest
julia> convergence_at_n([[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]])
3
```
"""
@by_name function convergence_at_n(R, metric = :mean; k = nothing, tau = nothing, w = nothing, gold = nothing)
    p = problem(R, metric, k, tau, w, gold)
    n = ConvergeKernels.convergence_at!(series_of(p, "original", 0, 0), gold_order(p.gold)..., p.first, p.tol)::Int
    return n == 0 ? nothing : n
end
