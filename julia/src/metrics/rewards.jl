# Distinct rewards (levels) of graded outcomes, and each question's trials at or below them, for Max@k.

module Rewards

using ..Scorio: Counts, MAX_DENSE, States, cells_of, distinct_rows, largest_category, of_question, questions, states_of
using ..Counting: trials_in
using ..Hypergeometric: Hypergeometric
using ..Rationals: Ratio, from_ratio, over_common_denominator, total
using ..DoubleDouble: @inlined, DoubleDouble, Triple, ZERO, value

const CANCELLED = ldexp(1.0, -40)  # a sum below this share of the largest |reward| is computed again in exact fractions

"""
The distinct rewards, increasing; and for all but the last, each question's trials at or below it.

`extra` trials of each category, 0 or 1, are added as a prior.
"""
struct Levels
    rewards::Vector{Float64}
    below::Vector{Any}
end

"""
The distinct rewards, increasing, of which each question has few; and between which it has no other.

A stretch belongs to a question: `below` of its n trials are at or below each of the rewards low..high-1. Stretches are
ordered by question, then by reward, and cover all rewards but the last. sizes: the number of categories at or below
each reward.
"""
struct Stretches
    rewards::Vector{Float64}
    question::Vector{Int}
    n::Vector{Int}
    low::Vector{Int}
    high::Vector{Int}
    below::Vector{Int}
    sizes::Vector{Int}
end

"The levels of w, with each question's trials at or below them."
function read(counts::Counts, w::Vector{Float64}, extra = 0)
    rewards = sort!(unique(w .+ 0.0))  # + 0.0 turns -0.0 into 0.0
    length(rewards) == 1 && return Levels(rewards, Any[])
    largest_category(counts) > MAX_DENSE && return stretches(counts, w, rewards)
    below, narrow = Any[], counts.narrow
    T = counts.max_trials + length(w) <= typemax(eltype(narrow)) ? eltype(narrow) : Int
    N = counts.min_trials == counts.max_trials ? counts.min_trials : counts.trials
    for r in rewards[1:end-1]
        keep = Bool[x <= r for x in w]
        push!(below, trials_in(T, narrow, N, keep, extra * count(keep)))
    end
    return Levels(rewards, below)
end

"The stretches of the rewards w."
function stretches(counts, w, rewards)
    level, sizes = Int[searchsortedfirst(rewards, x + 0.0) for x in w], zeros(Int, length(rewards))
    cells, trials = cells_of(counts), counts.trials
    for l in level
        sizes[l] += 1
    end
    for l in 2:length(sizes)
        sizes[l] += sizes[l-1]
    end
    out = Stretches(rewards, Int[], Int[], Int[], Int[], Int[], sizes)
    for i in 1:questions(counts)
        at, low, below = of_question(cells, i), 1, 0
        each = sort!([(level[cells.category[t]+1], cells.times[t]) for t in at])
        for (high, times) in each  # rewards need not increase with the category
            push_stretch!(out, i, trials[i], low, high, below)
            low, below = high, below + times
        end
        push_stretch!(out, i, trials[i], low, length(rewards), below)
    end
    return out
end

"Append a stretch unless it is empty."
function push_stretch!(x, i, n, low, high, below)
    low < high || return
    push!(x.question, i)
    push!(x.n, n)
    push!(x.low, low)
    push!(x.high, high)
    push!(x.below, below)
end

"For each reward but the last, the number of trials of each question at or below it."
each_below(x::Levels) = (Vector{Int}(b) for b in x.below)

function each_below(x::Stretches)
    order, next, below = sortperm(x.low), Ref(1), zeros(Int, last(x.question))
    return (begin
        while next[] <= length(order) && x.low[order[next[]]] == l
            below[x.question[order[next[]]]] = x.below[order[next[]]]
            next[] += 1
        end
        copy(below)
    end for l in 1:length(x.rewards)-1)
end

"Each pair (trials, trials at or below), increasing, and the indices of its stretches."
function by_state(x::Stretches)
    (n, below), mult, index = distinct_rows([x.n, x.below])
    at = [sizehint!(Int[], m) for m in mult]
    for (t, i) in enumerate(index)
        push!(at[i], t)
    end
    return zip(n, below, at)
end

"Distinct (trials, trials at or below), increasing, and the sums of the gaps with each; W: the rewards."
function gaps_by_state(x::Stretches, W)
    n, below, gaps = Int[], Int[], BigInt[]
    for (m, b, at) in by_state(x)
        push!(n, m)
        push!(below, b)
        push!(gaps, sum_of_gaps(x, W, at))
    end
    return n, below, gaps
end

function sum_of_gaps(x, W, at)
    gap = big(0)
    for t in at
        gap += W[x.high[t]] - W[x.low[t]]
    end
    return gap
end

"Distinct (trials, trials at or below the level) for each level, and the number of questions with each."
function level_states(counts, below)
    counts.min_trials < counts.max_trials && return States[states_of(counts.trials, b) for b in below]
    return States[states_of(counts.min_trials, b, counts.min_trials) for b in below]
end

"The difference between each reward and the one before."
gaps(rewards) = Triple[Triple(rewards[l+1]) - rewards[l] for l in 1:length(rewards)-1]

"The sum r_1 + sum_l (r_{l+1} - r_l) means[l]; computed by exact(rewards as integers) if its terms cancel."
@inlined function sum_over_gaps(exact, rewards, means)
    x = Triple(rewards[1])
    for (gap, mean) in zip(gaps(rewards), means)
        x += gap * mean
    end
    return unless_cancelled(exact, x, rewards)
end

"A sum of the lowest reward and positive terms; computed by exact(rewards as integers) if these cancel."
function unless_cancelled(exact, x, rewards)
    if rewards[1] < 0.0 && abs(value(x)) < CANCELLED * maximum(abs, rewards)
        W, D = over_common_denominator(rewards)
        num, den = exact(W)
        x = from_ratio(num, den * D)
    end
    return x
end

"Max@k as a fraction, from the rewards as integers."
exact_max_at_k(counts, x::Levels, k, W) = Hypergeometric.exact_max(W, level_states(counts, x.below), k, 0)

function exact_max_at_k(counts, x::Stretches, k, W)
    terms = Ratio[]
    for (n, b, gap) in zip(gaps_by_state(x, W)...)
        whole = binomial(big(n), k)
        push!(terms, (gap * (whole - binomial(big(b), k)), whole))
    end
    num, den = total(terms)
    return num + W[1] * questions(counts) * den, den * questions(counts)
end

"The posterior mean of Max@k as a fraction; prior: the number of categories; W: the rewards as integers."
function exact_dirichlet_max(x::Stretches, prior, k, M, W)
    terms = Ratio[(W[1] * M, big(1))]
    for (n, below, at) in by_state(x)
        whole, gain, mult, ends = binomial(big(n + prior + k - 1), k), big(0), 0, zeros(Int, length(W))
        for t in at
            ends[x.low[t]] += 1
            ends[x.high[t]] -= 1
        end
        for l in 1:length(W)-1
            mult += ends[l]
            mult == 0 && continue
            gain += (W[l+1] - W[l]) * mult * (whole - binomial(big(x.sizes[l] + below + k - 1), k))
        end
        push!(terms, (gain, whole))
    end
    num, den = total(terms)
    return num, den * M
end

"Max@k: the mean over questions of the expected highest reward of k trials."
function max_at_k(counts, x::Levels, k)
    by_level, means = level_states(counts, x.below), Triple[]
    for s in by_level
        out = Vector{Triple}(undef, length(s.n))
        Hypergeometric.pass_at_k!(out, s.n, s.n - s.c, k)
        push!(means, DoubleDouble.mean(out, s.mult, questions(counts)))
    end
    return sum_over_gaps(W -> Hypergeometric.exact_max(W, by_level, k, 0), x.rewards, means)
end

# From the exact sums of the gaps of each state.
@inlined function max_at_k(counts, x::Stretches, k)
    W, D = over_common_denominator(x.rewards)
    n, below, gap_sums = gaps_by_state(x, W)
    out, sum_of_gaps = Vector{Triple}(undef, length(n)), ZERO
    Hypergeometric.pass_at_k!(out, n, n - below, k)
    for (gap, p) in zip(gap_sums, out)
        sum_of_gaps += from_ratio(gap, D) * p
    end
    mu = x.rewards[1] + sum_of_gaps / questions(counts)
    return unless_cancelled(W -> exact_max_at_k(counts, x, k, W), mu, x.rewards)
end

end
