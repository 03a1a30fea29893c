# The distribution of convergence@n, and the mean Kendall tau, over bootstrap replicates.

const BLOCK = 2 * 10^8  # most outcomes in a block of several replicates; an interrupt waits for its end, some 0.1 s

"A function of the number of finished replicates that shows it on stderr; by default only on a terminal."
function progress_line(total, progress)
    something(progress, stderr isa Base.TTY) || return done -> nothing
    return function (done)
        print(stderr, "\rbootstrap: ", done, " of ", total, done == total ? "\n" : "")
        flush(stderr)
    end
end

"Whether an exception is an interrupt, perhaps of a task."
is_interrupt(e) = e isa InterruptException || (e isa TaskFailedException && e.task.exception isa InterruptException)

"""
Run work(numbers) for blocks of replicate numbers, on all threads, and collect!(result) for each block in order.

Returns the number of replicates in the collected blocks: all, unless the run is interrupted. If it is interrupted
before the first block is collected, the interrupt is raised. outcomes: the number of outcomes in one replicate.
"""
function run_blocks(work, replicates, outcomes, progress, collect!)
    report, threads, done = progress_line(replicates, progress), Threads.nthreads(), 0
    size = clamp(BLOCK ÷ outcomes, 1, 1000)
    block(i) = i:min(i + size, replicates)-1
    try
        for i in 0:size*threads:replicates-1
            blocks = [block(i + size * t) for t in 0:threads-1]
            tasks = threads == 1 ? Task[] : Task[Threads.@spawn(work(b)) for b in blocks]
            for (t, b) in enumerate(blocks)
                result = threads == 1 ? work(b) : fetch(tasks[t])
                collect!(result)
                done += length(b)
                isempty(b) || report(done)
                # an interrupt is raised here; with disable_sigint() around collect! Julia 1.5 lost it, or hung
                yield()
            end
        end
    catch e
        is_interrupt(e) || rethrow()
        done > 0 || throw(InterruptException())
        @warn "interrupted: $done of $replicates replicates are in the result"
    end
    return done
end

flag_or_nothing(progress) = progress === nothing ? nothing : Arguments.flag(progress, "progress")

"""
    bootstrap_convergence(R, metric=:mean; k=nothing, tau=nothing, w=nothing, gold=nothing, replicates=100000,
                          scheme=:columns, seed=0, worst=3, progress=nothing)
        -> (at, pmf, cdf, mean, never, worst, trajectories)

The distribution of convergence@n over bootstrap replicates.

- `R`, `metric`, `k`, `tau`, `w`, `gold`: as in [`convergence_at_n`](@ref).
- `replicates`: number of bootstrap replicates, 1 <= replicates < 2^31.
- `scheme`: `:columns` draws whole trials with replacement, `:rows` the trials of each question separately; all models
  share the draws.
- `seed`: seed of the bootstrap, 0 <= seed < 2^64; replicate b is the same for any number of replicates.
- `worst`: number of worst replicates whose trajectories are returned, at most 1000: those that never converge, then the
  latest.
- `progress`: whether to show a progress line on stderr; by default only on a terminal.

`at`: convergence@n of every replicate, 0 where it never converges; `pmf`, `cdf`: shares of replicates that converge at
n, and at n or before, n = 1..N-1; `mean`: mean convergence@n of the replicates that converge, NaN if there are none;
`never`: the share of those that do not; `worst`: numbers of the worst replicates, from 0 as in
[`rank_trajectory`](@ref), and `trajectories` their ranks. Throws `InvalidInput` for anything wrong with the arguments.
After an interrupt the result is that of the finished replicates, with a warning; if there are none, the interrupt is
raised. Source: section 3.3 and appendix G of arXiv:2510.04265. The bootstrap takes the ranking of all trials as the
truth: with few trials it overstates how stable the ranking is.

# Examples
```jldoctest
julia> R = [[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]];

julia> r = bootstrap_convergence(R; replicates=1000, seed=1);

julia> Tuple(r.pmf), r.never
((0.658, 0.099, 0.069), 0.174)
```
"""
@by_name function bootstrap_convergence(
    R, metric = :mean;
    k = nothing, tau = nothing, w = nothing, gold = nothing,
    replicates = 100_000, scheme = :columns, seed = 0, worst = 3, progress = nothing,
)
    scheme = Arguments.choice(scheme, "scheme", SCHEMES[2:3])
    replicates = Arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE)
    seed, worst = Arguments.seed(seed), Arguments.integer(worst, "worst", 0, 1000)
    progress = flag_or_nothing(progress)
    original = problem(R, metric, k, tau, w, gold)
    p, rows, key = resampled(original, scheme, seed)
    order, starts = gold_order(p.gold)
    at = Int[]
    B = run_blocks(replicates, length(p.R), progress, block -> append!(at, block)) do numbers
        ConvergeKernels.convergence_block(p.R, p.table, rows, p.first, p.tol, order, starts, key, numbers)
    end
    resize!(at, B)  # an interrupt may come while a block is appended
    N = size(p.R, 3)
    pmf, cdf, mean, never = ConvergeKernels.shares(at, N)
    worst_replicates = sortperm([n == 0 ? N : n for n in at], rev = true)[1:min(worst, B)] .- 1
    return Result{:Convergence}((
        at = at, pmf = pmf, cdf = cdf, mean = mean, never = never,
        worst = worst_replicates,
        trajectories = [ranks_of(original, series_of(original, scheme, b, seed)) for b in worst_replicates],
    ))
end

"""
    tau_curve(R, metric=:mean, gold=nothing; k=nothing, tau=nothing, w=nothing, replicates=10000, scheme=:columns,
              seed=0, progress=nothing) -> (trials, tau_b)

Mean Kendall tau-b between the ranking after n trials and the gold one, for every n.

- `R`, `metric`, `gold`, `k`, `tau`, `w`: as in [`convergence_at_n`](@ref).
- `replicates`, `seed`, `progress`: as in [`bootstrap_convergence`](@ref).
- `scheme`: `:columns` or `:rows` as in `bootstrap_convergence`; `:original`, the original trials, once.

A ranking that ties all models counts as 0. Throws `InvalidInput` for anything wrong with the arguments; undefined: a
gold ranking that ties all models. Source: sections 2.7 and 3.1 of arXiv:2510.04265, figures 1 and 4.

# Examples
```jldoctest
julia> R = [[[0, 1, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [0, 1, 0, 0]]];

julia> Tuple(tau_curve(R; replicates=1000, seed=1).tau_b)
(0.486, 0.745, 0.761, 0.873)
```
"""
@by_name function tau_curve(
    R, metric = :mean, gold = nothing;
    k = nothing, tau = nothing, w = nothing,
    replicates = 10_000, scheme = :columns, seed = 0, progress = nothing,
)
    scheme = Arguments.choice(scheme, "scheme", SCHEMES)
    replicates = Arguments.integer(replicates, "replicates", 1, LARGEST_REPLICATE)
    seed, progress = Arguments.seed(seed), flag_or_nothing(progress)
    original = problem(R, metric, k, tau, w, gold)
    ranks, L = original.gold, length(original.gold)
    untied = count(ranks[i] != ranks[j] for i in 1:L for j in 1:i-1)
    untied == 0 && refuse("undefined", "gold", "gold ties all models: Kendall's tau has no value")
    totals = zeros(Int, L * (L - 1) ÷ 2 + 1, length(trials(original)))
    if scheme == "original"
        s, done = series_of(original, scheme, 0, seed), 1
        ConvergeKernels.add_concordance!(totals, s, original.first, original.tol, ranks, collect(1:L), zeros(Int, L))
    else
        p, rows, key = resampled(original, scheme, seed)
        done = run_blocks(replicates, length(p.R), progress, part -> totals .+= part) do numbers
            ConvergeKernels.tau_block(totals, p.R, p.table, rows, p.first, p.tol, ranks, key, numbers)
        end
    end
    taus = [mean_tau(sums, untied, done) for sums in eachcol(totals)]
    return Result{:Curve}((trials = collect(trials(original)), tau_b = taus))
end

"Mean tau-b: (1/replicates) sum over u of totals[u + 1] / sqrt(u gold_untied), u the number of untied pairs."
function mean_tau(totals, gold_untied, replicates)
    x = ZERO
    for (i, total) in enumerate(totals)
        total == 0 && continue
        norm = sqrt(Triple(Float64((i - 1) * gold_untied)))
        x += Float64(total) / norm
    end
    return value(x / replicates) + 0.0
end
