# Moments of metrics under a question's posterior p ~ Beta(a, b), a = alpha0 + c, b = beta0 + n - c, for each state.
#
# A state is (n, c): c successes in n trials. q = 1 - p, s = a + b. The sums have positive terms, so that nothing
# cancels, except a - b in flips!() and the sum in delta(). Derivations: spec/families/metrics.md.

module Posterior

Base.Experimental.@optlevel 2

using ..Scorio: moments
using ..Hypergeometric: covariance
using ..Rationals: Ratio, total
using ..DoubleDouble: ONE, Triple, ZERO, add, div, ext, mul, power, rise, times_2_to, sub

"""
Mean and variance of (1/M) sum_i sum_j W_j pi_ij under pi_i ~ Dirichlet(n_ij + 1), as exact fractions.

averaged: the plain average instead, and for each question T/n times the posterior's standard deviation.
With T = n + C + 1, nu_j = n_j + 1: var_i = sum_{j<l} (W_j - W_l)^2 nu_j nu_l / (T^2 (T+1)), where the part of
n_j + n_l + 1 is (C + 1) sum_j n_j W_j^2 - 2 P sum_j n_j W_j + (n + C + 1) Q - P^2, P and Q the sums of W and W^2.
"""
function score_moments(groups, W, averaged)
    size, prior, M, P, Q = length(W), averaged ? 0 : 1, big(0), big(0), big(0)
    for x in W
        P += x
        Q += x * x
    end
    mean, var = Ratio[], Ratio[]
    for g in groups
        M += g.M
        T = big(g.n + size)
        t = averaged ? big(g.n) : T
        one, two, spread = moments(g, W)
        push!(mean, (one + prior * g.M * P, t))
        push!(var, (spread + size * two - 2 * P * one + g.M * (T * Q - P * P), t * t * (T + 1)))
    end
    (x, dx), (v, dv) = total(mean), total(var)
    return (x, dx * M), (v, dv * M * M)
end

"The posterior parameters (a, b) of the state (n, c)."
posterior_parameters(n, c, alpha0, beta0) = (add(ext(alpha0), ext(c)), add(ext(beta0), ext(n - c)))

"""
The moments (1 - E[q^k], E[q^k], Var(q^k)).

With e_i = E[q^i] and f_i = E[q^(k+i)] / E[q^k]: Var = e_k (f_k - e_k), and D = f - e obeys
D <- rho D + (k a / ((s+k+i)(s+i))) (D + e) with rho = (b+i) / (s+i).
"""
function moments_of_power(a, b, k)
    s, ka = add(a, b), mul(ext(k), a)
    P, e, D = ZERO, ONE, ZERO
    for i in 0:k-1
        t = add(s, ext(i))
        rho = div(add(b, ext(i)), t)
        P = rise(P, a, t)
        gain = div(ka, mul(add(t, ext(k)), t))
        D = add(mul(rho, D), mul(gain, add(D, e)))
        e = mul(rho, e)
    end
    return P, e, mul(e, D)
end

"Fill mu and var with the mean and variance of 1 - q^k."
function pass_at_k!(mu, var, n, c, k, alpha0, beta0)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        mu[i], _, var[i] = moments_of_power(a, b, k)
    end
end

"Fill mu and var with the mean and variance of p^k."
function pass_hat_k!(mu, var, n, c, k, alpha0, beta0)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        _, mu[i], var[i] = moments_of_power(b, a, k)
    end
end

"""
Fill mu and var with the mean and variance of 2 p q.

The mean is 2 a b / (s (s+1)), the variance a b (2 s (s+2) + (a-b)^2 (4s+6)) / (s^2 (s+1)^2 (s+2) (s+3)).
"""
function flips!(mu, var, n, c, alpha0, beta0)
    two, prior_difference = ext(2), sub(ext(alpha0), ext(beta0))
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        s, d = add(a, b), add(prior_difference, ext(2 * c[i] - n[i]))
        half = div(div(mul(a, b), s), add(s, ONE))
        numerator = add(mul(times_2_to(s, 1.0), add(s, two)), mul(mul(d, d), add(times_2_to(s, 2.0), ext(6))))
        denominator = mul(mul(s, add(s, ONE)), mul(add(s, two), add(s, ext(3))))
        mu[i], var[i] = times_2_to(half, 1.0), mul(half, div(numerator, denominator))
    end
end

"""
The moments (P, VP, U, VU, Cov): means P and U of 1 - q^k and p^k, their variances, and their covariance.

Cov = E[q^k] E[p^k] X, with X computed by steps X += (1-X) k/(s+k+i), i = 0..k-1.
"""
function pass_and_hat(a, b, k)
    P, Q, VP = moments_of_power(a, b, k)
    _, U, VU = moments_of_power(b, a, k)
    s, X = add(a, b), ZERO
    for i in 0:k-1
        X = rise(X, div(ext(k), add(s, ext(k + i))))
    end
    return P, VP, U, VU, mul(mul(Q, U), X)
end

"Fill tables with the means, variances and covariance of Pass@k and Pass^k."
function joint_at_k!(x, vx, y, vy, cov, n, c, k, alpha0, beta0)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        x[i], vx[i], y[i], vy[i], cov[i] = pass_and_hat(a, b, k)
    end
end

# --- any weights w_r: g = sum_r w_r P(at least r of k succeed) ----------------------------------------

"The ratio of P(j+1 successes) to P(j successes) in k trials: (k-j)(a+j) / ((j+1)(b+k-j-1))."
@inline growth(k, a, b, j) =
    div(mul(ext(k - j), add(a, ext(j))), mul(ext(j + 1), add(b, ext(k - j - 1))))

"Fill p[j+1] with weights proportional to P(j successes in k trials), p[1] = 1; returns their sum."
function beta_binomial!(p, k, a, b)
    w, total = ONE, ONE
    p[1] = w
    for j in 0:k-1
        w = mul(w, growth(k, a, b, j))
        p[j+2] = w
        total = add(total, w)
    end
    return total
end

"""
Fill dH[v] with H(v) - H(v-1), H(v) = E[g | v of k more trials succeed], for w zero outside first..last.

dH_v = k/(s+k) sum_r w_r f_v(r), f_v(r) the probability of r-1 successes in k-1 trials under Beta(a+v, b+k+1-v);
f_{v+1}(r) / f_v(r) = (a+v-1+r)(b+k-v) / ((b+2k-v-r)(a+v)). f[r] is w_r f_v(r) and ratios[v+r] this ratio, both without
the factors that are the same for all r, which are in `common`.
"""
function steps!(dH, a, b, k, w, first, last, f, ratios)
    total = beta_binomial!(f, k - 1, add(a, ONE), add(b, ext(k)))
    for t in 2:2k-1
        ratios[t] = div(add(a, ext(t - 1)), add(b, ext(2k - t)))
    end
    for r in first:last
        f[r] = mul(w[r], f[r])
    end
    common = div(div(ext(k), add(add(a, b), ext(k))), total)
    for v in 1:k
        acc = ZERO
        @inbounds for r in first:last
            x = f[r]
            acc = add(acc, x)
            if v < k
                f[r] = mul(x, ratios[v+r])
            end
        end
        dH[v] = mul(common, acc)
        common = mul(common, div(add(b, ext(k - v)), add(a, ext(v))))
    end
end

"""
Fill dH for mG-Pass@k in O(k): dH_v = 2/(s+k) T_v.

T_v is the probability of at least m = ceil(k/2) successes in k-1 trials under Beta(a+v, b+k+1-v).
T_{v+1} = T_v + inc_v, inc_v = (k-1)/(s+k+1) times the probability of m-1 successes in k-2 trials under
Beta(a+v+1, b+k+1-v); inc_{v+1} / inc_v = (a+v+m)(b+k-v) / ((b+2k-1-v-m)(a+v+1)).
"""
function upper_half_steps!(dH, a, b, k, f)
    m, s = (k + 1) ÷ 2, add(a, b)
    total = beta_binomial!(f, k - 1, add(a, ONE), add(b, ext(k)))
    T = ZERO
    for j in m:k-1
        T = add(T, f[j+1])
    end
    T = div(T, total)
    total = beta_binomial!(f, k - 2, add(a, ext(2)), add(b, ext(k)))
    inc = div(mul(ratio_of(k - 1, s, k + 1), f[m]), total)
    front = ratio_of(2, s, k)
    for v in 1:k
        dH[v] = mul(front, T)
        T = add(T, inc)
        if v < k
            up = mul(add(a, ext(v + m)), add(b, ext(k - v)))
            down = mul(add(b, ext(2k - 1 - v - m)), add(a, ext(v + 1)))
            inc = mul(inc, div(up, down))
        end
    end
end

"The ratio i / (s + j)."
ratio_of(i, s, j) = div(ext(i), add(s, ext(j)))

"""
Fill mu, var and cov with the mean and variance of g, and its covariance with 1 - q^k.

With J successes of k more trials and H(v) = E[g | J = v]: the covariance of P(at least r of k) and g is that of
1{J >= r} and H(J).
"""
function spectrum_at_k!(mu, var, cov, n, c, k, w, alpha0, beta0)
    used(x) = x[1] != 0.0
    first, last = something(findfirst(used, w), k + 1), something(findlast(used, w), 0)
    p, L, dH, f, ratios = fill(ZERO, k + 1), fill(ZERO, k), fill(ZERO, k), fill(ZERO, k), fill(ZERO, 2k)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        last > 0 && steps!(dH, a, b, k, w, first, last, f, ratios)
        mu[i], var[i], cov[i] = covariance(k, w, dH, beta_binomial!(p, k, a, b), p, L)
    end
end

"Fill the tables of spectrum_at_k!() for mG-Pass@k, whose weights are w, in O(k) for each state."
function upper_half_at_k!(mu, var, cov, n, c, k, w, alpha0, beta0)
    p, L, dH, f = fill(ZERO, k + 1), fill(ZERO, k), fill(ZERO, k), fill(ZERO, k)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        k > 1 && upper_half_steps!(dH, a, b, k, f)
        mu[i], var[i], cov[i] = covariance(k, w, dH, beta_binomial!(p, k, a, b), p, L)
    end
end

# --- x^alpha y^beta by the delta method ------------------------------------------------------------

"""
The power product G = x^alpha y^beta and its variance by the delta method.

Var G / G^2 = alpha^2 vx/x^2 + beta^2 vy/y^2 + 2 alpha beta cov/(x y), or 0 if rounding made it negative. Both are 0 if
a base is 0 and its exponent is not. identical: x and y are one variable (k = 1), so that the variance is that of
x^(alpha + beta).
"""
function delta(x, vx, y, vy, cov, alpha, beta, identical)
    ((alpha[1] != 0.0 && x[1] == 0.0) || (beta[1] != 0.0 && y[1] == 0.0)) && return ZERO, ZERO
    G = mul(power(x, alpha), power(y, beta))
    if identical
        alpha, beta = add(alpha, beta), ZERO
    end
    V = ZERO
    if alpha[1] != 0.0
        V = div(mul(mul(alpha, alpha), vx), mul(x, x))
    end
    if beta[1] != 0.0
        V = add(V, div(mul(mul(beta, beta), vy), mul(y, y)))
    end
    if alpha[1] != 0.0 && beta[1] != 0.0
        cross = div(mul(mul(alpha, beta), cov), mul(x, y))
        V = add(V, times_2_to(cross, 1.0))
    end
    if V[1] < 0.0
        V = ZERO
    end
    return G, mul(mul(G, G), V)
end

"Fill mu and var with Geom@k of each state and its variance by the delta method."
function geom_at_k!(mu, var, n, c, k, alpha, beta, alpha0, beta0)
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        x, vx, y, vy, cov = pass_and_hat(a, b, k)
        mu[i], var[i] = delta(x, vx, y, vy, cov, alpha, beta, k == 1)
    end
end

# --- Max@k under a Dirichlet posterior -------------------------------------------------------------

"Fill tables with 1 - E[q^k], E[q^k] and Var(q^k), q ~ Beta(A, T - A), for the states at these indices."
function lower_tail_powers!(pass, power, var, A, T, k, indices)
    for i in indices
        pass[i], power[i], var[i] = moments_of_power(ext(T[i] - A[i]), ext(A[i]), k)
    end
end

"The sum of mult Cov(q_i^k, q_j^k) over pairs of states, q_i <= q_j; Cov(q_i^k, q_j^k) = E[(q_i/q_j)^k] Var(q_j^k)."
function level_covariance(i, j, mult, power, var)
    total = ZERO
    for t in eachindex(i)
        x = mul(var[j[t]], div(power[i[t]], power[j[t]]))
        total = add(total, mul(x, ext(mult[t])))
    end
    return total
end


"""
The sums of a run of levels: with t = g Q of a level (gap g, Q = E[q^k]) those of t, of t Var(q^k) / Q^2, of the
covariances of all pairs of levels, and of g (1 - Q).
"""
const Run = NTuple{4,Triple}

const NO_LEVELS = (ZERO, ZERO, ZERO, ZERO)

"The sums of two runs, x before y, as one run."
joined(x, y) =
    (add(x[1], y[1]), add(x[2], y[2]), add(add(x[3], y[3]), times_2_to(mul(x[1], y[2]), 1.0)), add(x[4], y[4]))

"""
The runs of 1, 2, 4, ... levels that begin at a multiple of their length, the shortest first.

A: the index of each level in the tables of lower_tail_powers!(); rewards: those at the ends of the levels' gaps.
"""
function runs_of_levels(A, rewards, pass, power, var)
    runs = sizehint!(Run[], 2 * length(A))
    for l in eachindex(A)
        gap, Q, V = sub(ext(rewards[l+1]), ext(rewards[l])), power[A[l]], var[A[l]]
        slope = mul(gap, div(V, Q))
        push!(runs, (mul(gap, Q), slope, mul(mul(gap, gap), V), mul(gap, pass[A[l]])))
    end
    first, size = 0, length(A)
    while size > 1
        for i in 1:size÷2
            push!(runs, joined(runs[first+2i-1], runs[first+2i]))
        end
        first, size = first + size, size ÷ 2
    end
    return runs
end

"Append the levels from low up to high, which are counted from 0, to the runs of questions; runs: of `size` levels."
function append_levels!(sums, question, lows, highs, size, runs)
    for (i, low, high) in zip(question, lows, highs)
        while low < high
            first, width, len = 0, size, 1
            while low % 2len == 0 && low + 2len <= high
                first, width, len = first + width, width ÷ 2, 2len
            end
            sums[i], low = joined(sums[i], runs[first+low÷len+1]), low + len
        end
    end
end

end
