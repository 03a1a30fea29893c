# Rankings along one series of trials.

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
