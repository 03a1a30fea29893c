# Pass@k for k > n without a model: the band over all distributions of success rates, and limits that cover it.
#
# A question is solved if it has a success; Pass^k is 1 minus Pass@k with successes and failures exchanged.
# The formulas: spec/families/extrapolation.md.

module Identified

using ..DoubleDouble: ONE, Triple, ZERO, power, product, ratio, value
using ..Hypergeometric: pass_at_k!, pass_hat_k!
using ..Variance: wilson

const FEW = 2  # only questions with at most this many successes widen the band

"Distinct (trials, successes), and how many questions share each."
struct Successes
    n::Vector{Int}
    c::Vector{Int}
    mult::Vector{Int}
end

"Expected numbers of M questions with 0, 1 and 2 successes in n trials, and the expected share that is solved."
struct Frequencies
    M::Int
    n::Int
    f::NTuple{3,Triple}
    solved::Triple
end

"Number of questions without a success."
unsolved(s) = sum(Int[s.mult[i] for i in eachindex(s.c) if s.c[i] == 0])

"The fewest trials of a question with at most FEW successes, or of any question if none has so few; at most k."
function horizon(s, k)
    few = s.n[s.c.<=FEW]
    return min(k, minimum(isempty(few) ? s.n : few))
end

"Frequencies in n random trials of each question; questions with fewer must have more than FEW successes."
function frequencies(s, n)
    rows, M = s.n .>= n, sum(s.mult)
    N, c, mult = s.n[rows], s.c[rows], s.mult[rows]
    rest, f = Vector{Triple}(undef, length(N)), Triple[]
    for j in 0:FEW
        j > n && (push!(f, ZERO); continue)
        pass_hat_k!(rest, N, N - c, n - j)
        push!(f, frequency(N, c, mult, n, j, rest))
    end
    pass_at_k!(rest, N, c, n)
    return Frequencies(M, n, (f[1], f[2], f[3]), share_solved(rest, mult, M))
end

"Sum over questions of C(c, j) C(N-c, n-j) / C(N, n); rest has C(N-c, n-j) / C(N, n-j)."
function frequency(N, c, mult, n, j, rest)
    total = ZERO
    for s in eachindex(N)
        x = c[s] == j ? Triple(mult[s]) : ZERO
        if N[s] > n
            x = rest[s] * mult[s]
            for i in 0:j-1
                x *= ratio(n - i, N[s] - n + j - i) * ratio(max(c[s] - i, 0), i + 1)
            end
        end
        total += x
    end
    return total
end

"The expected share of questions with a success; those of fewer than n trials, not in mult, count as solved."
function share_solved(solved, mult, M)
    total, rows = ZERO, 0
    for s in eachindex(mult)
        total += solved[s] * mult[s]
        rows += mult[s]
    end
    return (total + (M - rows)) / M
end

"Lower bound on the share that r more trials solve, H = Q (1 - g^r), and its slopes in A = f1 and B = f2."
function growth(A, B, M, n, r)
    (A.hi <= 0.0 || n < 2 || r == 0) && return ZERO, ZERO, ZERO
    n_minus_1, twice = Triple(n - 1), B + B
    d = n_minus_1 * A + twice
    g = n_minus_1 * A / d
    Q = n_minus_1 * (A * A) / (Triple(2 * n) * M * B)
    last = power(g, Triple(r - 1))
    H = Q * (ONE - g * last)
    numerator = (n_minus_1 + n_minus_1) * (Q * r)
    slope = numerator * last / (d * d)
    by_A = (H + H) / A - slope * B
    by_B = slope * A - H / B
    return H, by_A, by_B
end

"Upper bound on the share solved after r more trials: (upper, 1 - upper, slope of -log(1 - upper) in log f1)."
function upper_bound(M, n, r, solved, f0, f1)
    f0.hi == 0.0 && return ONE, ZERO, ZERO
    phi, x = f0 / M, f1 / (n * f0)
    remaining = power(ONE + x, Triple(-r))
    rest = phi * remaining
    beta = r * x / (ONE + x)
    return solved + phi * (ONE - remaining), rest, beta
end

"Wilson's ends (lo, 1 - lo, hi, 1 - hi) around the upper bound for f1 + extra questions with one success."
function limits_around_upper(M, n, r, solved, f0, f1, extra, z)
    up, rest, beta = upper_bound(M, n, r, solved, f0, f1 + extra)
    (up.hi == 0.0 || rest.hi == 0.0) && return wilson(up, rest, Triple(M), z)
    of_f0 = (solved + beta * beta + (beta + beta)) / f0
    of_f1 = beta * beta / (f1 + ONE)
    V = rest * rest * (of_f0 + of_f1) + stabiliser(M)
    return wilson(up, rest, up * rest / V, z)
end

"The stabiliser 1 / (12 M^2) of the variance of a share of M questions."
stabiliser(M) = ONE / (12 * product(M, M))

"Variance of the lower bound at f2 = B, by multinomial counts; at least that of the unsolved share."
function lower_variance(M, phi, solved, f0, f1, B, by_A, by_B)
    share_variance = phi * solved / M
    mean = by_A * f1 + by_B * B - phi
    squares = by_A * by_A * f1 + by_B * by_B * B + f0 / M / M
    V = squares - mean * mean / M
    return (V > share_variance ? V : share_variance) + stabiliser(M)
end

"Whether x = 1 - rest_x is less than y = 1 - rest_y, by the pair that rounding affects less."
below(x, rest_x, y, rest_y) = value(x) < 0.5 ? x < y : rest_y < rest_x

"The lower one of both bounds' low limits of the share solved after r >= 1 more trials, and 1 minus it."
function lower_limit(M, n, r, solved, f0, f1, f2, z)
    A, B, phi = f1 - ONE, f2 + ONE, f0 / M
    A = A.hi > 0.0 ? A : ZERO
    H, by_A, by_B = growth(A, B, M, n, r)
    d = z * sqrt(lower_variance(M, phi, solved, f0, f1, B, by_A, by_B))
    low, rest = solved + H - d, phi - H + d
    other, rest_other, _, _ = limits_around_upper(M, n, r, solved, f0, f1, ZERO, z)
    return other < low ? (other, rest_other) : (low, rest)
end

"""
The low limit, lower and upper bound, high limit of the share solved in n + r trials, then 1 minus each.

Pass@k cannot fall with k. So low is the largest of the low limits at 0 and at 1..r more trials, but only at numbers
with at most four significant binary digits; high is the largest of the high limits at r and these numbers.
"""
function band(M, n, r, solved, f0, f1, f2, z)
    phi = f0 / M
    upper, rest_upper, _ = upper_bound(M, n, r, solved, f0, f1)
    lower, rest_lower = upper, rest_upper
    if !(n > 1 && f2.hi == 0.0 && f1.hi > 0.0)
        H, _, _ = growth(f1, f2, M, n, r)
        if solved + H < upper
            lower, rest_lower = solved + H, phi - H
        end
    end
    low, rest_low = wilson(solved, phi, Triple(M), z)
    f0.hi > 0.0 || return low, lower, upper, ONE, rest_low, rest_lower, rest_upper, ZERO
    _, _, high, rest_high = limits_around_upper(M, n, r, solved, f0, f1, ONE, z)
    more, step = 1, 1
    while more <= r
        x, rest = lower_limit(M, n, more, solved, f0, f1, f2, z)
        if below(low, rest_low, x, rest)
            low, rest_low = x, rest
        end
        _, _, x, rest = limits_around_upper(M, n, more, solved, f0, f1, ONE, z)
        if below(high, rest_high, x, rest)
            high, rest_high = x, rest
        end
        step = more == 16 * step ? 2 * step : step
        more += step
    end
    return low, lower, upper, high, rest_low, rest_lower, rest_upper, rest_high
end

band(f::Frequencies, k, z) = band(f.M, f.n, k - f.n, f.solved, f.f..., z)

end
