# Distinct rewards (levels) of graded outcomes, and each question's trials at or below them, for Max@k.

module Rewards

using ..Scorio: Counts, States, questions, states_of
using ..Counting: trials_in
using ..Hypergeometric: Hypergeometric
using ..Rationals: from_ratio, over_common_denominator
using ..DoubleDouble: DoubleDouble, Triple, add, ext, mul, sub, value

const CANCELLED = ldexp(1.0, -40)  # a sum below this share of the largest |reward| is computed again in exact fractions

"""
The distinct rewards, increasing; and for all but the last, each question's trials at or below it.

`extra` trials of each category, 0 or 1, are added as a prior.
"""
function read(counts::Counts, w::Vector{Float64}, extra = 0)
    rewards, below, narrow = sort!(unique(w .+ 0.0)), Any[], counts.narrow  # + 0.0 turns -0.0 into 0.0
    T = counts.max_trials + length(w) <= typemax(eltype(narrow)) ? eltype(narrow) : Int
    N = counts.min_trials == counts.max_trials ? counts.min_trials : counts.trials
    for r in rewards[1:end-1]
        keep = Bool[x <= r for x in w]
        push!(below, trials_in(T, narrow, N, keep, extra * count(keep)))
    end
    return rewards, below
end

"Distinct (trials, trials at or below the level) for each level, and the number of questions with each."
function level_states(counts, below)
    counts.min_trials < counts.max_trials && return States[states_of(counts.trials, b) for b in below]
    return States[states_of(counts.min_trials, b, counts.min_trials) for b in below]
end

"The difference between each reward and the one before."
gaps(rewards) = Triple[sub(ext(rewards[l+1]), ext(rewards[l])) for l in 1:length(rewards)-1]

"The sum r_1 + sum_l (r_{l+1} - r_l) means[l]; computed by exact(rewards as integers) if its terms cancel."
function sum_over_gaps(exact, rewards, means)
    total = ext(rewards[1])
    for (gap, mean) in zip(gaps(rewards), means)
        total = add(total, mul(gap, mean))
    end
    if rewards[1] < 0.0 && abs(value(total)) < CANCELLED * maximum(abs, rewards)
        W, D = over_common_denominator(rewards)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    end
    return total
end

"Max@k: the mean over questions of the expected highest reward of k trials."
function max_at_k(counts, rewards, below, k)
    by_level, means = level_states(counts, below), Triple[]
    for s in by_level
        out = Vector{Triple}(undef, length(s.n))
        Hypergeometric.pass_at_k!(out, s.n, s.n - s.c, k)
        push!(means, DoubleDouble.mean(out, s.mult, questions(counts)))
    end
    return sum_over_gaps(W -> Hypergeometric.exact_max(W, by_level, k, 0), rewards, means)
end

end
