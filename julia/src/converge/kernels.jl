# Integer kernels: rankings along one series of trials, and over bootstrap replicates. They are plain loops, which
# compile in a fraction of the time that broadcasts and sums over dimensions take.
#
# R, table, first and tol are the fields of Problem; key and rows (1, or the number of questions) come from resampled()
# in trajectory.jl, order and starts from gold_order(); gold has the gold rank of each model. rank! and
# add_concordance! overwrite order and ranks; there, order is a permutation of the models in any order. In rank! and
# matches_gold, tol is that of one number of trials.

module ConvergeKernels

Base.Experimental.@optlevel 2

using ..CounterRNG: CounterRNG
using ..Counting: @short

"Replace each outcome by the points of its category."
function outcome_points(points, outcomes)
    R = similar(outcomes, eltype(points))
    for i in eachindex(outcomes)
        R[i] = points[outcomes[i]+1]
    end
    return R
end

"Sum the points of each model over all outcomes."
function totals(points, outcomes)
    sums = zeros(Int, size(outcomes, 1))
    for t in axes(outcomes, 3), m in axes(outcomes, 2), i in eachindex(sums)
        sums[i] += points[outcomes[i, m, t]+1]
    end
    return sums
end

"Sum outcomes over all questions, as if they were one question."
function over_questions(R)
    sums = zeros(Int, size(R, 1), 1, size(R, 3))
    for t in axes(R, 3), m in axes(R, 2), i in axes(R, 1)
        sums[i, 1, t] += R[i, m, t]
    end
    return sums
end

"A series of trials: the original trial at each position, and the running sums and scores of the models."
mutable struct Series{T,C,S}  # mutable, so that calls pass it without a copy
    R::Array{T,3}          # (L, M, N); M is 1 if there is no table and questions share the trials: see resampled()
    table::C               # the score of a sum c after n trials is table[c+1, n]; nothing: the sum itself
    index::Matrix{Int}     # (N, 1), or (N, M) with separate trials for each question
    sums::Matrix{S}        # (L, M); without a table (L, 1), of all questions
    score::Vector{Int}     # (L)
end

"Build the series of the trials in their original order."
function Series(R, table, rows)
    L, M, N = size(R)
    sums = table === nothing ? zeros(Int, L, 1) : zeros(Int32, L, M)
    return Series(R, table, repeat(1:N, 1, rows), sums, zeros(Int, L))
end

"Draw the trials of a bootstrap replicate."
function draw_trials!(s, key, replicate)
    N, rows = size(s.index)
    for m in 1:rows, t in 1:N
        s.index[t, m] = 1 + CounterRNG.index(CounterRNG.bits(key, (replicate * rows + m - 1) * N + t - 1), N)
    end
end

"Add (op is +) or subtract (op is -) the outcomes of the trial at position t."
function shift!(op, s, t)
    R, sums, index = s.R, s.sums, s.index
    L, M, _ = size(R)
    if size(index, 2) == 1
        before = (index[t] - 1) * L * M
        @inbounds for i in 1:L*M
            sums[i] = op(sums[i], R[before+i])
        end
    else
        @inbounds for m in 1:M
            trial, column = index[t, m], min(m, size(sums, 2))
            @short for i in 1:L
                sums[i, column] = op(sums[i, column], R[i, m, trial])
            end
        end
    end
end

"Compute the scores after n trials."
score!(s, n) = score!(s.score, s.sums, s.table, n)
score!(score, sums, ::Nothing, n) = copyto!(score, sums)

function score!(score, sums, table, n)
    fill!(score, 0)
    for m in axes(sums, 2)
        @inbounds for i in eachindex(score)
            score[i] += table[sums[i, m]+1, n]
        end
    end
end

"Call f(n) with the scores after n trials in s.score, n = first..N."
function foreach_score!(f, s, first)
    fill!(s.sums, 0)
    for n in axes(s.index, 1)
        shift!(+, s, n)
        n < first && continue
        score!(s, n)
        f(n)
    end
end

"""
Whether the scores give the gold ranking.

order: models in gold order; starts[j]: whether order[j] is the first of models that tie; tol: scores at most this far
apart tie.
"""
function matches_gold(score, order, starts, tol)
    above, i = 0, 1
    while i <= length(order)
        high = low = score[order[i]]
        j = i + 1
        while j <= length(order) && !starts[j]
            high, low = max(high, score[order[j]]), min(low, score[order[j]])
            j += 1
        end
        (high - low > tol || (i > 1 && above - high <= tol)) && return false
        above, i = high, j
    end
    return true
end

"""
The smallest n <= N - 1 such that all rankings after n..N trials are the gold one; 0 if there is none.

The search goes from N down and stops at the last ranking that is not the gold one.
"""
function convergence_at!(s, order, starts, first, tol)
    N = size(s.index, 1)
    fill!(s.sums, 0)
    for t in 1:N
        shift!(+, s, t)
    end
    n = N
    while n >= first
        score!(s, n)
        matches_gold(s.score, order, starts, tol[n]) || break
        shift!(-, s, n)
        n -= 1
    end
    return n + 1 < N ? n + 1 : 0
end

"Write competition ranks; a score at most tol below the best of a tie group joins it. order is sorted in place."
function rank!(ranks, order, score, tol)
    @inbounds for i in 2:length(order)
        model, j = order[i], i
        while j > 1 && score[order[j-1]] < score[model]
            order[j] = order[j-1]
            j -= 1
        end
        order[j] = model
    end
    best, place = score[order[1]], 1
    @inbounds for (i, model) in enumerate(order)
        if best - score[model] > tol
            best, place = score[model], i
        end
        ranks[model] = place
    end
end

"Number of concordant minus discordant pairs, and number of pairs that are not tied in `ranks`."
function concordance(ranks, gold)
    agree, untied = 0, 0
    @inbounds for i in eachindex(ranks, gold)
        rank, golden = ranks[i], gold[i]
        @short for j in 1:i-1
            order = (rank < ranks[j]) - (rank > ranks[j])
            untied += order & 1
            agree += order * ((golden < gold[j]) - (golden > gold[j]))
        end
    end
    return agree, untied
end

"The convergence@n of every replicate of a block."
function convergence_block(R, table, rows, first, tol, order, starts, key, replicates)
    s, at = Series(R, table, rows), Vector{Int}(undef, length(replicates))
    for (i, b) in enumerate(replicates)
        GC.safepoint()  # lets an interrupt, or the garbage collection of another thread, happen
        draw_trials!(s, key, b)
        at[i] = convergence_at!(s, order, starts, first, tol)
    end
    return at
end

"Shares of replicates that converge at n = 1..N-1, their running sums, the mean n, and the share that never converges."
function shares(at, N)
    converging_at, B, total = zeros(Int, N), length(at), 0
    for n in at
        converging_at[n+1] += 1
        total += n
    end
    pmf, cdf, converged = zeros(N - 1), zeros(N - 1), 0
    for n in 1:N-1
        converged += converging_at[n+1]
        pmf[n], cdf[n] = converging_at[n+1] / B, converged / B
    end
    return pmf, cdf, converged == 0 ? NaN : total / converged, converging_at[1] / B
end

"For every n, add the number of concordant minus discordant pairs to totals[untied pairs + 1, n - first + 1]."
function add_concordance!(totals, s, first, tol, gold, order, ranks)
    foreach_score!(s, first) do n
        rank!(ranks, order, s.score, tol[n])
        agree, untied = concordance(ranks, gold)
        totals[untied+1, n-first+1] += agree
    end
end

"Totals of add_concordance! over the replicates of a block, in an array of the size of `totals`, which is unchanged."
function tau_block(totals, R, table, rows, first, tol, gold, key, replicates)
    s, sums = Series(R, table, rows), zero(totals)
    order, ranks = collect(eachindex(gold)), zeros(Int, length(gold))
    for b in replicates
        GC.safepoint()
        draw_trials!(s, key, b)
        add_concordance!(sums, s, first, tol, gold, order, ranks)
    end
    return sums
end

end
