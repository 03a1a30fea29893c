# Pass@k for k > n without a model: the band over all distributions of success rates, and limits that cover it.
#
# A question is solved if it has a success; Pass^k is 1 minus Pass@k with successes and failures exchanged.
# The formulas: spec/families/extrapolation.md.

module Identified

using ..DoubleDouble: DoubleDouble, ONE, Triple, ZERO, ext, power, product, ratio, root, value
using ..Hypergeometric: pass_at_k!, pass_hat_k!
using ..Variance: wilson

const FEW = 2  # only questions with at most this many successes widen the band

# Arithmetic operations that are not inlined: long functions with many of them compile ten times faster.
for f in (:add, :sub, :mul, :div)
    @eval @noinline $f(x::Triple, y::Triple) = DoubleDouble.$f(x, y)
end

"Compile the operations before their callers: Julia 1.5 boxes the numbers of calls to functions not compiled yet."
function compile_operations()
    for f in (add, sub, mul, div)
        Base.invokelatest(f, ONE, ONE)
    end
end

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
        x = c[s] == j ? ext(mult[s]) : ZERO
        if N[s] > n
            x = mul(rest[s], ext(mult[s]))
            for i in 0:j-1
                x = mul(x, mul(ratio(n - i, N[s] - n + j - i), ratio(max(c[s] - i, 0), i + 1)))
            end
        end
        total = add(total, x)
    end
    return total
end

"The expected share of questions with a success; those of fewer than n trials, not in mult, count as solved."
function share_solved(solved, mult, M)
    total, rows = ZERO, 0
    for s in eachindex(mult)
        total = add(total, mul(solved[s], ext(mult[s])))
        rows += mult[s]
    end
    return div(add(total, ext(M - rows)), ext(M))
end

"Lower bound on the share that r more trials solve, H = Q (1 - g^r), and its slopes in A = f1 and B = f2."
function growth(A, B, M, n, r)
    (A[1] <= 0.0 || n < 2 || r == 0) && return ZERO, ZERO, ZERO
    n_minus_1, twice = ext(n - 1), add(B, B)
    d = add(mul(n_minus_1, A), twice)
    g = div(mul(n_minus_1, A), d)
    Q = div(mul(n_minus_1, mul(A, A)), mul(mul(ext(2 * n), ext(M)), B))
    last = power(g, ext(r - 1))
    H = mul(Q, sub(ONE, mul(g, last)))
    numerator = mul(add(n_minus_1, n_minus_1), mul(Q, ext(r)))
    slope = div(mul(numerator, last), mul(d, d))
    by_A = sub(div(add(H, H), A), mul(slope, B))
    by_B = sub(mul(slope, A), div(H, B))
    return H, by_A, by_B
end

"Upper bound on the share solved after r more trials: (upper, 1 - upper, slope of -log(1 - upper) in log f1)."
function upper_bound(M, n, r, solved, f0, f1)
    f0[1] == 0.0 && return ONE, ZERO, ZERO
    phi, x = div(f0, ext(M)), div(f1, mul(ext(n), f0))
    remaining = power(add(ONE, x), ext(-r))
    rest = mul(phi, remaining)
    beta = div(mul(ext(r), x), add(ONE, x))
    return add(solved, mul(phi, sub(ONE, remaining))), rest, beta
end

"Wilson's ends (lo, 1 - lo, hi, 1 - hi) around the upper bound for f1 + extra questions with one success."
function limits_around_upper(M, n, r, solved, f0, f1, extra, z)
    up, rest, beta = upper_bound(M, n, r, solved, f0, add(f1, extra))
    (up[1] == 0.0 || rest[1] == 0.0) && return wilson(up, rest, ext(M), z)
    of_f0 = div(add(add(solved, mul(beta, beta)), add(beta, beta)), f0)
    of_f1 = div(mul(beta, beta), add(f1, ONE))
    V = add(mul(mul(rest, rest), add(of_f0, of_f1)), stabiliser(M))
    return wilson(up, rest, div(mul(up, rest), V), z)
end

"The stabiliser 1 / (12 M^2) of the variance of a share of M questions."
stabiliser(M) = div(ONE, mul(ext(12), product(M, M)))

"Variance of the lower bound at f1 = A, f2 = B, by multinomial counts; at least that of the unsolved share."
function lower_variance(M, phi, solved, f0, A, B, f1, by_A, by_B)
    share_variance = div(mul(phi, solved), ext(M))
    mean = sub(add(mul(by_A, f1), mul(by_B, B)), phi)
    squares = add(add(mul(mul(by_A, by_A), f1), mul(mul(by_B, by_B), B)), div(div(f0, ext(M)), ext(M)))
    V = sub(squares, div(mul(mean, mean), ext(M)))
    return add(sub(V, share_variance)[1] > 0.0 ? V : share_variance, stabiliser(M))
end

"Whether x = 1 - rest_x is less than y = 1 - rest_y, by the pair that rounding affects less."
below(x, rest_x, y, rest_y) = value(x) < 0.5 ? sub(x, y)[1] < 0.0 : sub(rest_y, rest_x)[1] < 0.0

"The lower one of both bounds' low limits of the share solved after r >= 1 more trials, and 1 minus it."
function lower_limit(M, n, r, solved, f0, f1, f2, z)
    A, B, phi = sub(f1, ONE), add(f2, ONE), div(f0, ext(M))
    A = A[1] > 0.0 ? A : ZERO
    H, by_A, by_B = growth(A, B, M, n, r)
    d = mul(z, root(lower_variance(M, phi, solved, f0, A, B, f1, by_A, by_B)))
    low, rest = sub(add(solved, H), d), add(sub(phi, H), d)
    other, rest_other, _, _ = limits_around_upper(M, n, r, solved, f0, f1, ZERO, z)
    return sub(other, low)[1] < 0.0 ? (other, rest_other) : (low, rest)
end

"""
The low limit, lower and upper bound, high limit of the share solved in n + r trials, then 1 minus each.

Pass@k cannot fall with k. So low is the largest of the low limits at 0 and at 1..r more trials, but only at numbers
with at most four significant binary digits; high is the largest of the high limits at r and these numbers.
"""
function band(M, n, r, solved, f0, f1, f2, z)
    phi = div(f0, ext(M))
    upper, rest_upper, _ = upper_bound(M, n, r, solved, f0, f1)
    lower, rest_lower = upper, rest_upper
    if !(n > 1 && f2[1] == 0.0 && f1[1] > 0.0)
        H, _, _ = growth(f1, f2, M, n, r)
        if sub(add(solved, H), upper)[1] < 0.0
            lower, rest_lower = add(solved, H), sub(phi, H)
        end
    end
    low, rest_low = wilson(solved, phi, ext(M), z)
    f0[1] > 0.0 || return low, lower, upper, ONE, rest_low, rest_lower, rest_upper, ZERO
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
