# Moments of metrics under a question's posterior p ~ Beta(a, b), a = alpha0 + c, b = beta0 + n - c, for each state.
#
# A state is (n, c): c successes in n trials. q = 1 - p, s = a + b. The sums have positive terms, so that nothing
# cancels, except a - b in flips!() and the sum in delta(). Derivations: spec/families/metrics.md.

module Posterior

Base.Experimental.@optlevel 2

using ..Scorio: moments
using ..Hypergeometric: covariance
using ..Rationals: Ratio, total
using ..DoubleDouble: @inlined, ONE, Triple, ZERO, power, rise, times_2_to

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
@inlined posterior_parameters(n, c, alpha0, beta0) = (Triple(alpha0) + c, Triple(beta0) + (n - c))

"""
The moments (1 - E[q^k], E[q^k], Var(q^k)).

With e_i = E[q^i] and f_i = E[q^(k+i)] / E[q^k]: Var = e_k (f_k - e_k), and D = f - e obeys
D <- rho D + (k a / ((s+k+i)(s+i))) (D + e) with rho = (b+i) / (s+i).
"""
@inlined function moments_of_power(a, b, k)
    s, ka = a + b, k * a
    P, e, D = ZERO, ONE, ZERO
    for i in 0:k-1
        t = s + i
        rho = (b + i) / t
        P = rise(P, a, t)
        gain = ka / ((t + k) * t)
        D = rho * D + gain * (D + e)
        e = rho * e
    end
    return P, e, e * D
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
@inlined function flips!(mu, var, n, c, alpha0, beta0)
    two, prior_difference = Triple(2), Triple(alpha0) - beta0
    for i in eachindex(n)
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        s, d = a + b, prior_difference + (2 * c[i] - n[i])
        half = a * b / s / (s + ONE)
        numerator = times_2_to(s, 1.0) * (s + two) + d * d * (times_2_to(s, 2.0) + 6)
        denominator = s * (s + ONE) * ((s + two) * (s + 3))
        mu[i], var[i] = times_2_to(half, 1.0), half * (numerator / denominator)
    end
end

"""
The moments (P, VP, U, VU, Cov): means P and U of 1 - q^k and p^k, their variances, and their covariance.

Cov = E[q^k] E[p^k] X, with X computed by steps X += (1-X) k/(s+k+i), i = 0..k-1.
"""
@inlined function pass_and_hat(a, b, k)
    P, Q, VP = moments_of_power(a, b, k)
    _, U, VU = moments_of_power(b, a, k)
    s, X = a + b, ZERO
    for i in 0:k-1
        X = rise(X, k / (s + (k + i)))
    end
    return P, VP, U, VU, Q * U * X
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
@inline @inlined growth(k, a, b, j) =
    (k - j) * (a + j) / ((j + 1) * (b + (k - j - 1)))

"Fill p[j+1] with weights proportional to P(j successes in k trials), p[1] = 1; returns their sum."
@inlined function beta_binomial!(p, k, a, b)
    w, total = ONE, ONE
    p[1] = w
    for j in 0:k-1
        w *= growth(k, a, b, j)
        p[j+2] = w
        total += w
    end
    return total
end

"""
Fill dH[v] with H(v) - H(v-1), H(v) = E[g | v of k more trials succeed], for w zero outside first..last.

dH_v = k/(s+k) sum_r w_r f_v(r), f_v(r) the probability of r-1 successes in k-1 trials under Beta(a+v, b+k+1-v);
f_{v+1}(r) / f_v(r) = (a+v-1+r)(b+k-v) / ((b+2k-v-r)(a+v)). f[r] is w_r f_v(r) and ratios[v+r] this ratio, both without
the factors that are the same for all r, which are in `common`.
"""
@inlined function steps!(dH, a, b, k, w, first, last, f, ratios)
    total = beta_binomial!(f, k - 1, a + ONE, b + k)
    for t in 2:2k-1
        ratios[t] = (a + (t - 1)) / (b + (2k - t))
    end
    for r in first:last
        f[r] = w[r] * f[r]
    end
    common = k / (a + b + k) / total
    for v in 1:k
        acc = ZERO
        @inbounds for r in first:last
            x = f[r]
            acc += x
            if v < k
                f[r] = x * ratios[v+r]
            end
        end
        dH[v] = common * acc
        common *= (b + (k - v)) / (a + v)
    end
end

"""
Fill dH for mG-Pass@k in O(k): dH_v = 2/(s+k) T_v.

T_v is the probability of at least m = ceil(k/2) successes in k-1 trials under Beta(a+v, b+k+1-v).
T_{v+1} = T_v + inc_v, inc_v = (k-1)/(s+k+1) times the probability of m-1 successes in k-2 trials under
Beta(a+v+1, b+k+1-v); inc_{v+1} / inc_v = (a+v+m)(b+k-v) / ((b+2k-1-v-m)(a+v+1)).
"""
@inlined function upper_half_steps!(dH, a, b, k, f)
    m, s = (k + 1) ÷ 2, a + b
    total = beta_binomial!(f, k - 1, a + ONE, b + k)
    T = ZERO
    for j in m:k-1
        T += f[j+1]
    end
    T /= total
    total = beta_binomial!(f, k - 2, a + 2, b + k)
    inc = ratio_of(k - 1, s, k + 1) * f[m] / total
    front = ratio_of(2, s, k)
    for v in 1:k
        dH[v] = front * T
        T += inc
        if v < k
            up = (a + (v + m)) * (b + (k - v))
            down = (b + (2k - 1 - v - m)) * (a + (v + 1))
            inc *= up / down
        end
    end
end

"The ratio i / (s + j)."
@inlined ratio_of(i, s, j) = i / (s + j)

"""
Fill mu, var and cov with the mean and variance of g, and its covariance with 1 - q^k.

With J successes of k more trials and H(v) = E[g | J = v]: the covariance of P(at least r of k) and g is that of
1{J >= r} and H(J).
"""
function spectrum_at_k!(mu, var, cov, n, c, k, w, alpha0, beta0)
    used(x) = x.hi != 0.0
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
@inlined function delta(x, vx, y, vy, cov, alpha, beta, identical)
    ((alpha.hi != 0.0 && x.hi == 0.0) || (beta.hi != 0.0 && y.hi == 0.0)) && return ZERO, ZERO
    G = power(x, alpha) * power(y, beta)
    if identical
        alpha, beta = alpha + beta, ZERO
    end
    V = ZERO
    if alpha.hi != 0.0
        V = alpha * alpha * vx / (x * x)
    end
    if beta.hi != 0.0
        V += beta * beta * vy / (y * y)
    end
    if alpha.hi != 0.0 && beta.hi != 0.0
        cross = alpha * beta * cov / (x * y)
        V += times_2_to(cross, 1.0)
    end
    if V.hi < 0.0
        V = ZERO
    end
    return G, G * G * V
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
        pass[i], power[i], var[i] = moments_of_power(Triple(T[i] - A[i]), Triple(A[i]), k)
    end
end

"The sum of mult Cov(q_i^k, q_j^k) over pairs of states, q_i <= q_j; Cov(q_i^k, q_j^k) = E[(q_i/q_j)^k] Var(q_j^k)."
@inlined function level_covariance(i, j, mult, power, var)
    total = ZERO
    for t in eachindex(i)
        x = var[j[t]] * (power[i[t]] / power[j[t]])
        total += x * mult[t]
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
@inlined joined(x, y) =
    (x[1] + y[1], x[2] + y[2], x[3] + y[3] + times_2_to(x[1] * y[2], 1.0), x[4] + y[4])

"""
The runs of 1, 2, 4, ... levels that begin at a multiple of their length, the shortest first.

A: the index of each level in the tables of lower_tail_powers!(); rewards: those at the ends of the levels' gaps.
"""
@inlined function runs_of_levels(A, rewards, pass, power, var)
    runs = sizehint!(Run[], 2 * length(A))
    for l in eachindex(A)
        gap, Q, V = Triple(rewards[l+1]) - rewards[l], power[A[l]], var[A[l]]
        slope = gap * (V / Q)
        push!(runs, (gap * Q, slope, gap * gap * V, gap * pass[A[l]]))
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
