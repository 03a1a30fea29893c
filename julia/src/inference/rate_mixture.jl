# The nonparametric model of a benchmark: a mixture of success rates, fitted to the counts of all its questions.
#
# The weights of a grid of rates after a fixed number of EM steps (Dempster, Laird & Rubin 1977), which approach the
# maximum likelihood of Laird (1978) of the questions and of one more, whose likelihood at a rate is the variance of the
# metric there. The definition: spec/families/intervals.md. Numbers are pairs (h, l) that stand for h + l: none is
# negative, and one that underflows is negligible in the sums that it is part of.

module RateMixture

Base.Experimental.@optlevel 2

using ..Metrics: values
using ..DoubleDouble: DOWN, ONE, Triple, ZERO, add, div, fast_two_sum, mul, norm, pair_product, pair_quotient, ratio,
    sub, two_sum

const STEPS = 40  # EM steps
const SHARE = 2.0^-20  # added to the first weights of all rates, as a share of the sum of weights
const UNIDENTIFIED = 4.0  # first weight of rate 0 or 1, where the metric is less curved, over the sum, if all n <= 2

"Trial-to-trial variances of the states marked in short: posterior means of the variance at a rate."
function variances(m, s, short)
    J, S, start = grid_size(s.n[end]), length(s.n), nothing
    likelihood, at_rates = zeros(J + 1, S + 1, 2), zeros(J + 1, S, 2)  # the last: of the added question
    for n in unique(s.n)
        rows, p = findall(==(n), s.n), chances(n, J)
        likelihood[:, rows, :] = p[:, s.c[rows].+1, :]
        short[rows[1]] || continue
        U = values(m, fill(n, n + 1), collect(0:n))
        tau = variance_at_rates(U, p)
        for i in rows
            at_rates[:, i, :] = tau
        end
        if start === nothing  # of the fewest trials
            likelihood[:, end, :], start = tau, first_weights(U, tau, s.n[end] == 2)
        end
    end
    w = start::Matrix{Float64}
    em_steps!(w, likelihood, permutedims(likelihood, (2, 1, 3)), [s.mult; 1.0], STEPS)
    return posterior_means(likelihood, at_rates, w)[short]
end

"The number J of the grid of rates j^2 / (j^2 + (J - j)^2), j = 0..J: 6 more than 3 sqrt(n), rounded up."
grid_size(n) = 7 + isqrt(9 * n - 1)

"First weights of the rates: the sixth power of the variance, plus a share of the sum; few_trials: all n are at most 2."
function first_weights(U, tau, few_trials)
    h, l, last = 0.0, 0.0, size(tau, 1)
    w = sixth_powers(tau)
    for j in 1:last
        h, l = pair_sum(h, l, w[j, 1], w[j, 2])
    end
    for j in 1:last
        w[j, 1], w[j, 2] = pair_sum(w[j, 1], w[j, 2], SHARE * h, SHARE * l)
    end
    if few_trials  # the variance is largest if a share of the questions is at the end where the metric is less curved
        j = 2.0 * U[2][1] > U[3][1] ? last : 1
        w[j, 1], w[j, 2] = UNIDENTIFIED * h, UNIDENTIFIED * l
    end
    return w
end

function sixth_powers(x)
    out = similar(x)
    for j in 1:size(x, 1)
        a, b = pair_product(x[j, 1], x[j, 2], x[j, 1], x[j, 2])
        h, l = pair_product(a, b, a, b)
        out[j, 1], out[j, 2] = pair_product(h, l, a, b)
    end
    return out
end

"The sum (a + b) + (h + l) of two pairs that are not negative."
@inline function pair_sum(a, b, h, l)
    s, t = two_sum(a, h)
    return fast_two_sum(s, t + (b + l))
end

"A triple of at most 2^128 as a pair, or 0 if it is below 2^-768."
function pair_of(x)
    h, l, e = x
    e < -3.0 && return 0.0, 0.0
    for _ in 1:Int(-e)
        h, l = h * DOWN, l * DOWN
    end
    return h, l
end

"The array whose [j+1, c+1, :] is the chance of c successes in n trials at rate j."
function chances(n, J)
    out, w = zeros(J + 1, n + 1, 2), Vector{Triple}(undef, n + 1)
    for j in 0:J-1
        odds, x, total = ratio(j * j, (J - j) * (J - j)), ONE, ONE
        w[1] = x
        for c in 0:n-1
            x = mul(x, mul(odds, ratio(n - c, c + 1)))
            total = add(total, x)
            w[c+2] = x
        end
        for c in 0:n
            out[j+1, c+1, 1], out[j+1, c+1, 2] = pair_of(div(w[c+1], total))
        end
    end
    out[J+1, n+1, 1] = 1.0
    return out
end

"The matrix whose [j, :] is the variance of U_c, c the successes at rate j."
function variance_at_rates(U, p)
    tau = zeros(size(p, 1), 2)
    for j in 1:size(p, 1)
        mean, variance = ZERO, ZERO
        for c in eachindex(U)
            mean = add(mean, mul(U[c], norm(p[j, c, 1], p[j, c, 2], 0.0)))
        end
        for c in eachindex(U)
            d = sub(U[c], mean)
            variance = add(variance, mul(mul(d, d), norm(p[j, c, 1], p[j, c, 2], 0.0)))
        end
        tau[j, 1], tau[j, 2] = pair_of(variance)
    end
    return tau
end

"Run steps of EM: w_j becomes w_j times the sum over states of mult L_j / f, f = sum of w_j L_j."
function em_steps!(w, by_state, by_rate, mult, steps)
    G, S = size(by_state, 1), size(by_state, 2)
    f, g = zeros(S, 2), zeros(G, 2)
    for _ in 1:steps
        fill!(f, 0.0)
        for j in 1:G
            a, b = w[j, 1], w[j, 2]
            @inbounds for s in 1:S
                h, l = pair_product(a, b, by_rate[s, j, 1], by_rate[s, j, 2])
                f[s, 1], f[s, 2] = pair_sum(f[s, 1], f[s, 2], h, l)
            end
        end
        fill!(g, 0.0)
        for s in 1:S
            a, b = pair_quotient(mult[s], 0.0, f[s, 1], f[s, 2])
            @inbounds for j in 1:G
                h, l = pair_product(a, b, by_state[j, s, 1], by_state[j, s, 2])
                g[j, 1], g[j, 2] = pair_sum(g[j, 1], g[j, 2], h, l)
            end
        end
        for j in 1:G
            w[j, 1], w[j, 2] = pair_product(w[j, 1], w[j, 2], g[j, 1], g[j, 2])
        end
    end
end

"The sum of w_j L_j tau_j over that of w_j L_j, for each state."
function posterior_means(L, tau, w)
    out = Vector{Triple}(undef, size(tau, 2))
    for s in eachindex(out)
        a, b, x, y = 0.0, 0.0, 0.0, 0.0
        for j in 1:size(L, 1)
            h, l = pair_product(w[j, 1], w[j, 2], L[j, s, 1], L[j, s, 2])
            a, b = pair_sum(a, b, h, l)
            h, l = pair_product(h, l, tau[j, s, 1], tau[j, s, 2])
            x, y = pair_sum(x, y, h, l)
        end
        h, l = pair_quotient(x, y, a, b)
        out[s] = norm(h, l, 0.0)
    end
    return out
end

end
