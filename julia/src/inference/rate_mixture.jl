# The nonparametric model of a benchmark: mixtures of success rates, fitted to the counts of its questions.
#
# The questions of each number of trials have a mixture of their own: weights of a grid of rates. These maximise the
# likelihood (Laird 1978) times a power of the mean variance of the metric over the mixture, which decides where the
# counts do not, times a small power of every weight, which makes the maximum unique. The definition:
# spec/families/intervals.md. The maximum is found in doubles by a primal-dual interior-point method (Wright 1997), and
# improved by Newton steps whose gradient is computed in pairs (h, l) of doubles, each for the number h + l. A pair that
# underflows is negligible in the sums that it is part of.

module RateMixture

Base.Experimental.@optlevel 2

using ..Metrics: values
using ..DoubleDouble: @inlined, DOWN, ONE, Triple, ZERO, fast_two_sum, norm, pair_product, pair_quotient, ratio, two_sum

const QUESTIONS = 256.0  # the mean variance has the power max(1, M / QUESTIONS) in the fit to M questions
const MU = 2.0^-10  # the power of each weight
const MAX_STEPS, SHRINK, STRIDE = 100, 0.1, 0.98  # of interior_point, which takes 6 to 20 steps
const TOLERANCE, ROUNDING = 2.0^-20, 2.0^-44  # of its gradient, in units of MU and of T (see interior_point)
const NEWTON_STEPS = 5  # each squares the relative error, or lowers it as far as a derivative in doubles allows

"""
Trial-to-trial variances of the states marked in `short`, with one mixture for each number of trials.

One mixture for all numbers of trials would be wrong where these depend on the success rates: it would lend questions
with few trials the rates of the others; with it, equal models differed at 5% in 48% of samples (bench/few_trials.py).
"""
function variances(m, s, short)
    out = Vector{Triple}(undef, length(s.n))
    for n in unique(s.n[short])
        rows = findall(==(n), s.n)
        out[rows] = variances_of(m, n, s.c[rows], s.mult[rows])
    end
    return out[short]
end

"Posterior means of the variance of the metric at a rate; c successes in n trials occur at mult questions."
function variances_of(m, n, c, mult)
    J = grid_size(n)
    p = chances(n, J)
    tau = variance_at_rates(values(m, fill(n, n + 1), collect(0:n)), p)
    # the mean variance over the mixture enters the fit as the likelihood of one more state does
    likelihood = cat(p[:, c.+1, :], reshape(tau, J + 1, 1, 2); dims = 2)
    powers = Float64[mult; max(1.0, foldl(+, mult) / QUESTIONS)]
    w = [interior_point(likelihood[:, :, 1], powers) zeros(J + 1)]
    newton_steps!(w, likelihood, permutedims(likelihood, (2, 1, 3)), powers)
    return posterior_means(likelihood, tau, w, length(c))
end

"The number J of the grid of rates j^2 / (j^2 + (J - j)^2), j = 0..J: 6 more than 3 sqrt(n), rounded up."
grid_size(n) = 7 + isqrt(9 * n - 1)

"The sum (a + b) + (h + l) of two pairs; if they cancel, with the absolute error of the larger."
@inline function pair_sum(a, b, h, l)
    s, t = two_sum(a, h)
    return fast_two_sum(s, t + (b + l))
end

"A triple of at most 2^128 as a pair, or 0 if it is below 2^-896."
function pair_of(x)
    h, l = x.hi, x.lo
    x.exponent < -3.0 && return 0.0, 0.0
    for _ in 1:Int(-x.exponent)
        h, l = h * DOWN, l * DOWN
    end
    return h, l
end

"The array whose [j+1, c+1, :] is the chance of c successes in n trials at rate j."
@inlined function chances(n, J)
    out, w = zeros(J + 1, n + 1, 2), Vector{Triple}(undef, n + 1)
    for j in 0:J-1
        odds, x, total = ratio(j * j, (J - j) * (J - j)), ONE, ONE
        w[1] = x
        for c in 0:n-1
            x *= odds * ratio(n - c, c + 1)
            total += x
            w[c+2] = x
        end
        for c in 0:n
            out[j+1, c+1, 1], out[j+1, c+1, 2] = pair_of(w[c+1] / total)
        end
    end
    out[J+1, n+1, 1] = 1.0
    return out
end

"The matrix whose [j+1, :] is the variance of U_c, the metric of c successes, at rate j."
@inlined function variance_at_rates(U, p)
    tau = zeros(size(p, 1), 2)
    for j in 1:size(p, 1)
        mean, variance = ZERO, ZERO
        for c in eachindex(U)
            mean += U[c] * norm(p[j, c, 1], p[j, c, 2], 0.0)
        end
        for c in eachindex(U)
            d = U[c] - mean
            variance += d * d * norm(p[j, c, 1], p[j, c, 2], 0.0)
        end
        tau[j, 1], tau[j, 2] = pair_of(variance)
    end
    return tau
end

"""
Weights w that maximise sum_s mult_s log(L_s . w) + MU sum_j log w_j on the simplex, to about nine digits.

With slopes g_j = sum_s mult_s L_sj / (L_s . w), the maximum has w_j (T - g_j) = MU, T = sum of mult + G MU for G
weights. x approaches T - g from above while the products w_j x_j shrink to MU.
"""
function interior_point(L, mult)
    G = size(L, 1)
    T = foldl(+, mult) + G * MU
    w, x, A, r = fill(1.0 / G, G), fill(T, G), zeros(G, G), zeros(G)
    for _ in 1:MAX_STEPS
        fill_information!(A, r, L, mult, w)
        slack, gap = 0.0, 0.0
        for j in 1:G
            slack, gap = max(slack, abs(r[j] - w[j] * T + MU)), gap + w[j] * x[j]
        end
        slack <= TOLERANCE * MU + ROUNDING * T && break
        target = max(MU, SHRINK * gap / G)
        for j in 1:G
            A[j, j] += w[j] * x[j]
            r[j] += target - w[j] * T
        end
        cholesky!(A)
        cholesky_solve!(r, A)
        move!(w, x, r, target)
    end
    return w
end

"Fill A (lower triangle) with sum_s mult_s p_s p_s', g with sum_s mult_s p_s; p_sj = w_j L_sj / (L_s . w)."
function fill_information!(A, g, L, mult, w)
    G, S = size(L, 1), size(L, 2)
    fill!(A, 0.0)
    fill!(g, 0.0)
    p = zeros(G)
    for s in 1:S
        f = 0.0
        for j in 1:G
            p[j] = w[j] * L[j, s]
            f += p[j]
        end
        for j in 1:G
            p[j] /= f
            y = mult[s] * p[j]
            g[j] += y
            for i in 1:j
                A[j, i] += y * p[i]
            end
        end
    end
end

"Replace the lower triangle of A by its Cholesky factor."
function cholesky!(A)
    for j in axes(A, 1), i in j:size(A, 1)
        y = A[i, j]
        for k in 1:j-1
            y -= A[i, k] * A[j, k]
        end
        A[i, j] = i == j ? sqrt(y) : y / A[j, j]
    end
end

"Replace r by the solution x of (A A') x = r, A lower triangular."
function cholesky_solve!(r, A)
    G = length(r)
    for j in 1:G
        for k in 1:j-1
            r[j] -= A[j, k] * r[k]
        end
        r[j] /= A[j, j]
    end
    for j in G:-1:1
        for k in j+1:G
            r[j] -= A[k, j] * r[k]
        end
        r[j] /= A[j, j]
    end
end

"Move w by w d, and x so that w x approaches target; each at most STRIDE of the way to where an entry is 0."
function move!(w, x, d, target)
    a, b = 1.0, 1.0
    for j in eachindex(w)
        a = max(a, -d[j] / STRIDE)
        b = max(b, (1.0 + d[j] - target / (w[j] * x[j])) / STRIDE)
    end
    for j in eachindex(w)
        e = target / w[j] - x[j] * (1.0 + d[j])
        w[j], x[j] = w[j] * (1.0 + d[j] / a), x[j] + e / b
    end
end

"""
Improve the weights of interior_point by Newton steps: the gradient in pairs, its derivative in doubles.

by_state and by_rate are the likelihood, (rates, states, 2) and (states, rates, 2).
"""
function newton_steps!(w, by_state, by_rate, mult)
    G, S = size(by_state, 1), size(by_state, 2)
    f, g, A, r, L = zeros(S, 2), zeros(G, 2), zeros(G, G), zeros(G), by_state[:, :, 1]
    T, T_low = two_sum(foldl(+, mult), G * MU)
    for _ in 1:NEWTON_STEPS
        fill_slopes!(f, g, by_state, by_rate, mult, w)
        fill_information!(A, r, L, mult, view(w, :, 1))
        for j in 1:G
            h, l = pair_sum(g[j, 1], g[j, 2], -T, -T_low)
            h, l = pair_product(w[j, 1], w[j, 2], h, l)
            r[j] = pair_sum(h, l, MU, 0.0)[1]
            A[j, j] += MU
        end
        cholesky!(A)
        cholesky_solve!(r, A)
        for j in 1:G
            h, l = two_sum(1.0, r[j])
            w[j, 1], w[j, 2] = pair_product(w[j, 1], w[j, 2], h, l)
        end
    end
end

"Fill f_s with the sum over j of w_j L_sj, and g_j with the sum over s of mult_s L_sj / f_s."
function fill_slopes!(f, g, by_state, by_rate, mult, w)
    G, S = size(by_state, 1), size(by_state, 2)
    fill!(f, 0.0)
    fill!(g, 0.0)
    for j in 1:G
        a, b = w[j, 1], w[j, 2]
        @inbounds for s in 1:S
            h, l = pair_product(a, b, by_rate[s, j, 1], by_rate[s, j, 2])
            f[s, 1], f[s, 2] = pair_sum(f[s, 1], f[s, 2], h, l)
        end
    end
    for s in 1:S
        a, b = pair_quotient(mult[s], 0.0, f[s, 1], f[s, 2])
        @inbounds for j in 1:G
            h, l = pair_product(a, b, by_state[j, s, 1], by_state[j, s, 2])
            g[j, 1], g[j, 2] = pair_sum(g[j, 1], g[j, 2], h, l)
        end
    end
end

"The sum over j of w_j L_sj tau_j divided by the sum of w_j L_sj, for each state s."
function posterior_means(L, tau, w, S)
    out = Vector{Triple}(undef, S)
    for s in eachindex(out)
        a, b, x, y = 0.0, 0.0, 0.0, 0.0
        for j in 1:size(L, 1)
            h, l = pair_product(w[j, 1], w[j, 2], L[j, s, 1], L[j, s, 2])
            a, b = pair_sum(a, b, h, l)
            h, l = pair_product(h, l, tau[j, 1], tau[j, 2])
            x, y = pair_sum(x, y, h, l)
        end
        h, l = pair_quotient(x, y, a, b)
        out[s] = norm(h, l, 0.0)
    end
    return out
end

end
