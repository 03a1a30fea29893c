# Max@k: the best of k trials, from each question's trials below each level of reward.

module MaxAtK

using ..Scorio: Counts, distinct, states_of
using ..Hypergeometric: Hypergeometric
using ..UStatistics: Block, UStatistics, parts_of, parts_of_states
using ..Metrics: Metric, renamed
using ..Rationals: from_ratio, whole
using ..Rewards: Rewards
using ..Variance: Variance, Parts
using ..DoubleDouble: ONE, Triple, ZERO, add, div, mul, root
using ..Estimators: Estimators

"u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l; the gaps sum to 1."
struct Best <: Block
    m::Metric
    counts::Counts
    rewards::Vector{Float64}
    below::Vector{Any}
    parts::Parts
    u::Vector{Triple}
    which::Vector{Int}
end

function Best(m::Metric, counts::Counts, by_law::Bool)
    rewards, below = Rewards.read(counts, m.w)
    columns = [counts.trials, (Vector{Int}(b) for b in below)...]
    rows, mult, which = distinct_rows(columns)
    n, b, gaps = rows[1], rows[2:end], shares(rewards)
    size = length(n)
    u, rest, v = fill(ZERO, size), fill(ONE, size), fill(ZERO, size)
    isempty(b) || fill_tables!(u, rest, v, m, n, b, gaps)
    parts = parts_of(m, n, mult, u, rest, v, by_law)
    if parts.short && !isempty(b)
        parts.trials = bound(m, counts, gaps, columns, by_law)
    end
    return Best(m, counts, rewards, below, parts, u, which)
end

"Distinct rows of columns of equal length, increasing, with multiplicities; and which of them each row is."
function distinct_rows(columns)
    index = ones(Int, length(columns[1]))
    for x in columns
        _, index = distinct(index, x)
    end
    first, mult = zeros(Int, maximum(index)), zeros(Int, maximum(index))
    for (i, at) in enumerate(index)
        first[at] = i
        mult[at] += 1
    end
    return [x[first] for x in columns], mult, index
end

"(sum_l gap_l sqrt(S_l))^2 with S_l the variances of Pass@k of the scores at level l or above."
function bound(m, counts, gaps, columns, by_law)
    one, total = renamed(m, "pass_at_k"), ZERO
    for (gap, b) in zip(gaps, columns[2:end])
        p, _ = parts_of_states(one, states_of(counts.trials, counts.trials - b), by_law)
        total = add(total, mul(gap, root(p.trials)))
    end
    return mul(total, total)
end

"The gaps between rewards as shares of their range."
function shares(rewards)
    gaps = Rewards.gaps(rewards)
    isempty(gaps) && return gaps
    full, = Rewards.gaps([rewards[1], rewards[end]])
    return Triple[div(gap, full) for gap in gaps]
end

"u, 1 - u and, where every question has 2k trials, the variance of the trials of each row."
function fill_tables!(u, rest, v, m, n, b, gaps)
    s, index = distinct(repeat(n, length(b)), reduce(vcat, b))
    at = reshape(index, length(n), length(b))
    P, Z, D = fill(ZERO, length(s.n)), fill(ZERO, length(s.n)), fill(ZERO, length(s.n))
    Hypergeometric.pass_at_k!(P, s.n, s.n - s.c, m.k)
    if n[1] >= 2 * m.k
        Hypergeometric.both_draws!(Z, D, s.n, s.c, m.k)
    else
        Hypergeometric.pass_hat_k!(Z, s.n, s.c, m.k)
    end
    Variance.fill_rows!(u, rest, v, at, P, Z, D, gaps)
end

UStatistics.which(x::Best) = x.which

"The value of max_at_k."
Estimators.mu(x::Best) = Rewards.best(x.counts, x.rewards, x.below, x.m.k)

"Both in exact fractions, unless they have the same states."
function UStatistics.exactly_above(x::Best, y::Best)
    a, b = Rewards.level_states(x.counts, x.below), Rewards.level_states(y.counts, y.below)
    all(((s, t),) -> s.n == t.n && s.c == t.c && s.mult == t.mult, zip(a, b)) && return ZERO
    W, _ = whole(x.rewards)
    (p, d), (q, e) = (Hypergeometric.exact_max(W, s, x.m.k, 0) for s in (a, b))
    return from_ratio(p * e - q * d, d * e * (W[end] - W[1]))
end

end
