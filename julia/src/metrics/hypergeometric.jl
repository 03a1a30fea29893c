# Expectations over k trials sampled without replacement from a question's n trials, for each state.
#
# A state is (n, c): c successes in n trials. The kernels for metrics fill out[i] with the metric of state i, or with
# its trial-to-trial variance, estimated from two disjoint samples.

module Hypergeometric

Base.Experimental.@optlevel 2

using ..Rationals: total
using ..DoubleDouble: @inlined, ONE, ZERO, power, product, ratio, rise, times_2_to

const NEGLIGIBLE = -16.0  # a product below 2^(256 NEGLIGIBLE) gets no further factors: results are 2^-1074 or more, or 0

"Fill `out` with 1 - C(n-c, k) / C(n, k) by steps P += (1 - P) max(c, k) / (n - i), so that small P do not cancel."
function pass_at_k!(out, n, c, k)
    for s in eachindex(n)
        low, high = minmax(c[s], k)
        P = high > n[s] - low ? ONE : ZERO
        for i in 0:low-1
            P == ONE && break
            P = rise(P, ratio(high, n[s] - i))
        end
        out[s] = P
    end
end

"Fill `out` with C(c, k) / C(n, k) = C(n-k, n-c) / C(n, n-c), by the one with fewer factors."
@inlined function pass_hat_k!(out, n, c, k)
    for s in eachindex(n)
        top, steps = k <= n[s] - c[s] ? (c[s], k) : (n[s] - k, n[s] - c[s])
        P = c[s] >= k ? ONE : ZERO
        for i in 0:(c[s] >= k ? steps : 0)-1
            P.exponent < NEGLIGIBLE && break
            P *= ratio(top - i, n[s] - i)
        end
        out[s] = P
    end
end

"""
The power product x^alpha y^beta with 0^0 = 1, and a code that tells which base is 0 with a negative exponent.

The code is 0 for neither, 1 for x, 2 for y. If the other base is 0 with a positive exponent, the product is 0.
"""
@inline @inlined function blend(x, y, alpha, beta)
    ((x.hi == 0.0 && alpha.hi > 0.0) || (y.hi == 0.0 && beta.hi > 0.0)) && return ZERO, 0
    x.hi == 0.0 && alpha.hi < 0.0 && return ZERO, 1
    y.hi == 0.0 && beta.hi < 0.0 && return ZERO, 2
    return power(x, alpha) * power(y, beta), 0
end

"Fill `out` with blends of two tables; returns the first code that is not 0, or 0."
function blends!(out, x, y, alpha, beta)
    for i in eachindex(x, y)
        out[i], undefined = blend(x[i], y[i], alpha, beta)
        undefined > 0 && return undefined
    end
    return 0
end

"Fill `out` with 1 - (1 - c/n)^k: the biased estimate of Pass@k (not of Pass^k) by sampling with replacement."
function naive_pass_hat_k!(out, n, c, k)
    for s in eachindex(n)
        P, p = ZERO, ratio(c[s], n[s])
        for _ in 1:k
            P = rise(P, p)
        end
        out[s] = P
    end
end

"The ratio of P(j+1 successes) to P(j successes) among k sampled: (c-j)(k-j) / ((j+1)(n-c-k+j+1))."
@inline @inlined growth(n, c, k, j) = product(c - j, k - j) / product(j + 1, n - c - k + j + 1)

"The expectation E[A_J], J successes among the k sampled from one question. A[j+1] is the credit A_j."
@inlined function expected(n, c, k, A)
    first, last = max(0, k - (n - c)), min(c, k)
    w, total, credit = ONE, ONE, A[first+1]
    for j in first:last-1
        w *= growth(n, c, k, j)
        total += w
        credit += w * A[j+2]
    end
    return credit / total
end

"Fill `out` with the expected credit E[A_J] of each state, J successes among k sampled trials."
function credit_at_k!(out, n, c, k, A)
    for s in eachindex(n)
        out[s] = expected(n[s], c[s], k, A)
    end
end

"The credits A[j+1] = w_1 + ... + w_j of j = 0..k successes."
@inlined function credits(w)
    A, total = fill(ZERO, length(w) + 1), ZERO
    for r in eachindex(w)
        total += w[r]
        A[r+1] = total
    end
    return A
end

"The complements 1 - A_j = w_(j+1) + ... + w_k + complement of j = 0..k, complement = 1 - A_k."
@inlined function lost_credits(w, complement)
    A, total = fill(ZERO, length(w) + 1), complement
    for j in length(w):-1:1
        A[j+1] = total
        total += w[j]
    end
    A[1] = total
    return A
end

# --- two disjoint samples of k: the trial-to-trial variance, where n >= 2k ----------------------------
#
# With J and J' successes of the two samples, E[A_J]^2 - E[A_J A_J'] is an unbiased estimate of the variance of
# E[A_J]. It is not negative if credits rise with the successes, since the more the first sample takes, the fewer are
# left for the second: the covariance of A_J and A_J' is not positive. The estimate for the flip rate can be negative.

"""
The pair (Z, Z - Z'), Z = C(b, k) / C(n, k), Z' = C(b-k, k) / C(n-k, k), computed without cancellation.

Z is the probability that k sampled trials are among b of the n, Z' that k further ones are too if these are.
After i+1 factors the two products differ by (Z_i - Z'_i) (t-k-i)/(n-k-i) + Z_i k (n-t) / ((n-i)(n-k-i)), with
t = b and k factors, or t = n-k and n-b factors.
"""
@inlined function two_samples(n, b, k)
    b >= k || return ZERO, ZERO
    top, steps = k <= n - b ? (b, k) : (n - k, n - b)
    Z, D, gain = ONE, ZERO, product(k, n - top)
    for i in 0:steps-1
        Z.exponent < NEGLIGIBLE && break
        if b >= 2k
            D *= ratio(top - k - i, n - k - i)
            D += Z * (gain / product(n - i, n - k - i))
        end
        Z *= ratio(top - i, n - i)
    end
    return Z, b >= 2k ? D : Z
end

"Fill `out` with the variance of the probability that all k sampled trials are among b of the n."
@inlined function power_variance!(out, n, b, k)
    for s in eachindex(n)
        Z, D = two_samples(n[s], b[s], k)
        out[s] = Z * D
    end
end

"Fill Z and D with the pairs of two_samples()."
function fill_two_samples!(Z, D, n, b, k)
    for s in eachindex(n)
        Z[s], D[s] = two_samples(n[s], b[s], k)
    end
end

"""
The increase of E[A_J] from c to c + 1 successes in n trials: (k/n) E[w_{I+1}].

I is the number of successes among k-1 trials sampled from the n-1 others, of which c succeeded.
"""
@inlined step(n, c, k, w) = ratio(k, n) * expected(n - 1, c, k - 1, w)

"""
The moments (E[g], Cov(g, H), Cov(1{J >= 1}, H)) of g = sum_r w_r 1{J >= r} and H(J), where H(v) = H(v-1) + dH_v.

P(J = j) = p[j+1] / total. Hoeffding's formula, with L_v = P(J < v) and S_v = P(J >= v):
Cov(g, H) = sum_r w_r [S_r sum_{v<=r} dH_v L_v + L_r sum_{v>r} dH_v S_v].
L is filled with L_v, and p[v+1] overwritten with S_v.
"""
@inlined function covariance(k, w, dH, total, p, L)
    left = ZERO
    for v in 1:k
        left += p[v]
        L[v] = left / total
    end
    right, above, mu, var = ZERO, ZERO, ZERO, ZERO
    for r in k:-1:1
        right += p[r+1]
        S = right / total
        p[r+1] = S
        mu += w[r] * S
        var += w[r] * (L[r] * above)
        above += dH[r] * S
    end
    below = ZERO
    for r in 1:k
        below += dH[r] * L[r]
        var += w[r] * (p[r+1] * below)
    end
    return mu, var, L[1] * above
end

"Fill p[j+1] with weights proportional to P(j successes among k sampled), 1 for the smallest j; returns their sum."
@inlined function hypergeometric!(p, n, c, k)
    first, last = max(0, k - (n - c)), min(c, k)
    w, total = ONE, ONE
    fill!(p, ZERO)
    p[first+1] = ONE
    for j in first:last-1
        w *= growth(n, c, k, j)
        p[j+2] = w
        total += w
    end
    return total
end

"""
Fill `out` with the variance of E[g], g = sum_r w_r 1{J >= r}.

The variance is minus the covariance of g with the credit of k further trials. v successes in the first sample leave
c - v among n - k. H is minus the expected credit of the further trials, so that dH_v is step(n - k, c - v, k, w). The
states are ordered by n, then by c. The steps at c-k..c-1 are stored at their remainders modulo k, since the next state
needs most of them again.
"""
function credit_variance!(out, n, c, k, w)
    p, L, dH, stored, computed = fill(ZERO, k + 1), fill(ZERO, k), fill(ZERO, k), fill(ZERO, k), 0
    for s in eachindex(n)
        m, top = n[s] - k, min(c[s], n[s] - k)
        if s == firstindex(n) || n[s] != n[s-1]
            computed = 0
        end
        for x in max(computed, c[s] - k):top-1
            stored[x%k+1] = step(m, x, k, w)
        end
        computed = max(computed, top)
        for v in 1:k
            dH[v] = 0 <= c[s] - v < m ? stored[(c[s]-v)%k+1] : ZERO
        end
        _, out[s], _ = covariance(k, w, dH, hypergeometric!(p, n[s], c[s], k), p, L)
    end
end

"""
Fill `out` with the variance of 2 c (n-c) / (n (n-1)), the probability that two sampled trials differ, n >= 4.

The variance is 2 c (n-c) ((2n-3) d^2 - n (n-2)) / (n^2 (n-1)^2 (n-2) (n-3)), d = n - 2c. It is negative
where c is near n/2.
"""
@inlined function flip_variance!(out, n, c)
    for s in eachindex(n)
        N, d = Float64(n[s]), Float64(n[s] - 2 * c[s])
        factor = product(2.0 * N - 3.0, d) * d - product(N, N - 2.0)
        squares = product(N, N - 1.0) * product(N, N - 1.0)
        denominator = squares * product(N - 2.0, N - 3.0)
        out[s] = times_2_to(product(c[s], n[s] - c[s]), 1.0) * factor / denominator
    end
end

"""
The exact Max@k, r_L - sum_l (r_{l+1} - r_l) mean C(c + shift, k) / C(n + shift, k), as a fraction.

Used if the sum in double-double cancels. levels: the rewards as integers, increasing; states[l]: (trials, trials at or
below level l); shift: 0 for trials sampled from n; k - 1 for the posterior, whose rising factorials are binomials.
"""
function exact_max(levels, states, k, shift)
    M = 0
    for m in states[1].mult
        M += m
    end
    terms = [(last(levels) * M, big(1))]
    for (l, s) in enumerate(states), (n, c, m) in zip(s.n, s.c, s.mult)
        gap = levels[l] - levels[l+1]
        push!(terms, (gap * m * binomial(big(c + shift), k), binomial(big(n + shift), k)))
    end
    num, den = total(terms)
    return num, den * M
end

end
