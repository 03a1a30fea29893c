# Expectations over k trials drawn without replacement from a question's n: tables over states.
#
# A state is (n, c): c successes in n trials. Each kernel fills out[i] with the metric of state i.

module Bank

Base.Experimental.@optlevel 2

using ..Exact: total
using ..Numerics: ONE, ZERO, add, div, ext, mul, power, product, ratio, rise

"1 - C(n-c, k) / C(n, k), as P += (1 - P) m / (n - i): every term positive."
function pass_at_k!(out, n, c, k)
    for s in eachindex(n)
        low, high = minmax(c[s], k)
        P = high > n[s] - low ? ONE : ZERO
        for i in 0:(P == ONE ? 0 : low)-1
            P = rise(P, ratio(high, n[s] - i))
        end
        out[s] = P
    end
end

"C(c, k) / C(n, k), as the shorter of its two products."
function pass_hat_k!(out, n, c, k)
    for s in eachindex(n)
        top, steps = k <= n[s] - c[s] ? (c[s], k) : (n[s] - k, n[s] - c[s])
        P = c[s] >= k ? ONE : ZERO
        for i in 0:(c[s] >= k ? steps : 0)-1
            P = mul(P, ratio(top - i, n[s] - i))
        end
        out[s] = P
    end
end

"""
(x^alpha y^beta with 0^0 = 1, and which base is 0 to a negative power: 0 none, 1 x, 2 y).

0 to a negative power is 0 beside a 0 to a positive one.
"""
@inline function blend(x, y, alpha, beta)
    ((x[1] == 0.0 && alpha[1] > 0.0) || (y[1] == 0.0 && beta[1] > 0.0)) && return ZERO, 0
    x[1] == 0.0 && alpha[1] < 0.0 && return ZERO, 1
    y[1] == 0.0 && beta[1] < 0.0 && return ZERO, 2
    return mul(power(x, alpha), power(y, beta)), 0
end

"Blends of two tables; the first code that is not 0, or 0."
function blends!(out, x, y, alpha, beta)
    for i in eachindex(x, y)
        out[i], undefined = blend(x[i], y[i], alpha, beta)
        undefined > 0 && return undefined
    end
    return 0
end

"1 - (1 - c/n)^k: drawn with replacement, so biased."
function naive_pass_hat_k!(out, n, c, k)
    for s in eachindex(n)
        P, p = ZERO, ratio(c[s], n[s])
        for _ in 1:k
            P = rise(P, p)
        end
        out[s] = P
    end
end

"""
E[A_J], J successes among the k drawn. A[j+1] is the credit of j.

J is hypergeometric: w(j+1) / w(j) = (c-j)(k-j) / ((j+1)(n-c-k+j+1)).
"""
function credit_at_k!(out, n, c, k, A)
    for s in eachindex(n)
        first, last = max(0, k - (n[s] - c[s])), min(c[s], k)
        w, total, credit = ONE, ONE, A[first+1]
        for j in first:last-1
            up = product(c[s] - j, k - j)
            w = mul(w, div(up, product(j + 1, n[s] - c[s] - k + j + 1)))
            total = add(total, w)
            credit = add(credit, mul(w, A[j+2]))
        end
        out[s] = div(credit, total)
    end
end

"The credits A[j+1] = w_1 + ... + w_j of j = 0..k successes."
function credits(w)
    A, total = fill(ZERO, length(w) + 1), ZERO
    for r in eachindex(w)
        total = add(total, w[r])
        A[r+1] = total
    end
    return A
end

# --- the spectra w_r, r = 1..k, of the named metrics: g = sum_r w_r P(at least r of k succeed) -----

"All weight on \"at least r of k\"."
function threshold_weights(k, r)
    w = fill(ZERO, k)
    w[r] = ONE
    return w
end

"mG-Pass@k: 2/k on every r > m = ceil(k/2)."
function upper_half_weights(k)
    w = fill(ZERO, k)
    for r in (k+1)÷2+1:k
        w[r] = ratio(2, k)
    end
    return w
end

"""
AUC@k, the trapezoids of Pass@1..k.

sum_j C(k-r, j-1) / C(k, j) = (k+1) / (r (r+1)), less half of its first and last terms, over k - 1.
"""
function auc_weights(k)
    w = fill(ZERO, k)
    w[1] = ratio(k + 1, 2k)
    for r in 2:k
        up = 2k * (k + 1) - r * (r + 1)
        w[r] = div(ext(up), product(2k * r, (r + 1) * (k - 1)))
    end
    return w
end

"Weights from the caller."
given_weights(values) = ext.(values)

"""
r_L - sum_l (r_{l+1} - r_l) mean C(c + shift, k) / C(n + shift, k), where doubles would cancel.

levels: the rewards as integers, increasing; states[l]: (trials, trials at or below level l).
shift: 0 for the bank; k - 1 for the posterior, whose rising factorials are these binomials.
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
