# A beta-binomial model of a benchmark: how its questions' success rates spread, fitted to all of their counts.

module BetaBinomial

using ..Scorio: States, binary_groups
using ..Hypergeometric: Hypergeometric
using ..Metrics: credits, values
using ..Rationals: Ratio, from_ratio, total
using ..DoubleDouble: ONE, Triple, ZERO, mul
using ..Posterior: Posterior

const NEARLY_ALL = 10^6  # at most 1 - 1/NEARLY_ALL of the variance is trial-to-trial

"Success rates as draws from Beta(a, b), fitted by moments."
struct Beta
    a::Triple
    b::Triple
end

"""
a = m s, b = (1 - m) s with s = d / (1 - d); nothing where all outcomes are equal, which fits no spread.

m = mean x, x = c/n; d = (sum of x (1-x) n / (n-1) over n > 1, + mean 1/n) / (M m (1-m)), at most 1 - 10^-6.
"""
function fit(states)
    groups, M = binary_groups(states), 0
    for g in groups
        M += g.M
    end
    x, each = total(Ratio[(g.sums[2], big(g.n)) for g in groups])  # M m = x / each
    other = each * M - x
    (x == 0 || other == 0) && return nothing
    within = Ratio[(g.pairs[1, 2], big(g.n) * (g.n - 1)) for g in groups if g.n > 1]
    y, unit = total([within; Ratio[(big(g.M), big(g.n) * M) for g in groups]])
    num, den = y * each * each * M, unit * x * other  # d
    if num * NEARLY_ALL >= den * (NEARLY_ALL - 1)
        num, den = big(NEARLY_ALL - 1), big(NEARLY_ALL)
    end
    whole = each * M * (den - num)
    return Beta(from_ratio(x * num, whole), from_ratio(other * num, whole))
end

"""
E[U(X)^2] - E[B_Y] of each state: the variance of U(X) given the rate, averaged over the rates.

X successes of n trials, Y of 2k, both under the model updated by (n, c); B_l is what l successes of 2k say of the
product of the credits of two disjoint draws.
"""
function variances(m, s, model)
    out, B = Vector{Triple}(undef, length(s.n)), products(m)
    for n in unique(s.n)
        rows = findall(==(n), s.n)
        squares = [mul(x, x) for x in values(m, fill(n, n + 1), collect(0:n))]
        Posterior.trial_variance!(view(out, rows), n, s.c[rows], model.a, model.b, squares, B)
    end
    return out
end

"B_l, l = 0..2k."
function products(m)
    m.name == "pass_hat_k" || return Hypergeometric.products(m.k, credits(m))
    B = fill(ZERO, 2 * m.k + 1)
    B[end] = ONE
    return B
end

end
