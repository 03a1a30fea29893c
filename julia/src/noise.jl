# How far an average over questions can be off: variances of trials and of questions, as exact fractions.
# The formulas and their measured coverage: spec/README.md, "an interval that holds".

module Noise

using ..Scorio: groups, questions, table
using ..Numerics: ONE, ZERO, add, div, ext, mul, root, scaled, sub, value
using ..Quantiles: beta_low

const Fraction = Rational{BigInt}

"Scores as integers 0..span: u_j = U_j / span. Equal scores all become 0."
function scale(W)
    low, high = extrema(W)
    return W .- low, max(high - low, big(1))
end

"Over the questions of a group: sum of x, sum of x^2, sum over pairs of trials of (u - u')^2 / n^2."
function sums(g, U, span)
    x, square, spread, n = big(0), big(0), big(0), big(g.n)
    for j in eachindex(U)
        x += U[j] * g.sums[j]
        square += U[j] * U[j] * g.sums[j]
        for l in j+1:length(U)
            spread += (U[j] - U[l])^2 * g.pairs[j, l]
        end
    end
    n2 = n * n * span * span
    return Fraction(x, n * span), Fraction(n * square - spread, n2), Fraction(spread, n2)
end

"What the noise of a mean is made of; every question has a trial."
struct Parts
    M::Fraction
    theta::Fraction
    trials::Fraction  # sum of v, the variances of the questions' means
    each::Fraction  # sum of n v: those of a single trial
    dev::Fraction  # sum of squared deviations of the questions, times M/(M-1)
    stabiliser::Fraction  # mean of 1/n^2
    inverse_h::Fraction  # mean of 1/n
    single::Bool  # every question has one trial
    some_single::Bool
end

"Variance over the trials, of the mean over these questions."
fixed(p) = (p.trials + p.stabiliser) / (p.M * p.M)

"Variance over the trials and the draw of the units."
function drawn(p, units, dev)
    V, W = (dev + Fraction(1, 12)) / (units * units), fixed(p)
    return !p.single && W > V ? W : V
end

"The exact parts, of scores U_j / span."
function parts(counts, U, span)
    all_groups, one = groups(counts), Fraction(1)
    found = [sums(g, U, span) for g in all_groups]
    M, theta, stabiliser, inverse_h = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for (g, (x, _, _)) in zip(all_groups, found)
        M += Fraction(g.M)
        theta += x
        stabiliser += Fraction(g.M, big(g.n)^2)
        inverse_h += Fraction(g.M, g.n)
    end
    theta, stabiliser, inverse_h = theta / M, stabiliser / M, inverse_h / M
    bessel = M > one ? M / (M - one) : one
    trials, each, dev, single, some_single = Fraction(0), Fraction(0), Fraction(0), true, false
    for (g, (x, square, spread)) in zip(all_groups, found)
        d = (square - Fraction(2) * theta * x + Fraction(g.M) * theta * theta) * bessel
        v = g.n > 1 ? spread / Fraction(g.n - 1) : d
        dev, trials, each = dev + d, trials + v, each + Fraction(g.n) * v
        single, some_single = single && g.n == 1, some_single || g.n == 1
    end
    return Parts(M, theta, trials, each, dev, stabiliser, inverse_h, single, some_single)
end

"theta in [0, 1], the number of independent trials that its noise amounts to, what is known of the noise, and units."
function mean_noise(counts, U, span, sampled, pool, clusters)
    p, one = parts(counts, U, span), Fraction(1)
    M, theta, units, dev = p.M, p.theta, p.M, p.dev
    if clusters !== nothing
        units, dev = cluster_deviations(counts, U, span, theta, clusters)
    end
    f = p.single || (sampled && pool === nothing) ? Fraction(0) : pool === nothing ? one : M / Fraction(pool)
    V = f * fixed(p) + (one - f) * drawn(p, units, dev)
    n0 = one / (f * p.inverse_h / M + (one - f) / units)
    n_eff = theta * (one - theta) / V
    n_eff = n_eff > n0 ? n_eff : n0
    bound = (sampled && units == one) || ((pool !== nothing || !sampled) && p.some_single)
    return theta, n_eff, bound ? "bound" : "measured", Int(units)
end

"(G, sum over clusters of (m_g (x_g - theta) G / M)^2 G / (G-1)), m_g questions of mean x_g."
function cluster_deviations(counts, U, span, theta, clusters)
    t, M, G = table(counts), Fraction(questions(counts)), maximum(clusters)
    size, x = zeros(Int, G), fill(Fraction(0), G)
    found = Dict{Tuple{Int,Int},BigInt}()  # (cluster, trials): sum of U over them
    for (i, g) in enumerate(clusters)
        size[g] += 1
        place = (g, counts.trials[i])
        for j in eachindex(U)
            t[i, j] > 0 && (found[place] = get(found, place, big(0)) + U[j] * t[i, j])
        end
    end
    for ((g, n), right) in found
        x[g] += Fraction(right, n * span)
    end
    total = Fraction(0)
    for g in 1:G
        d = (x[g] - Fraction(size[g]) * theta) * Fraction(G) / M
        total += d * d
    end
    return Fraction(G), G > 1 ? total * Fraction(G, G - 1) : total
end

"""
(lo, 1 - lo, hi, 1 - hi) around theta = 1 - rest, every one without a subtraction.

lo = theta^2 / (theta + q/2 + d), 1 - lo = (rest + q/2 + d) / (1 + q), hi likewise from the other side;
d^2 = q theta rest + q^2/4, q = z^2 / n_eff.
"""
function wilson(theta, rest, n_eff, z)
    q = div(mul(z, z), n_eff)
    half = scaled(q, -1.0)
    d = root(add(mul(q, mul(theta, rest)), mul(half, half)))
    up, down = add(theta, add(half, d)), add(rest, add(half, d))
    whole = add(ONE, q)
    return div(mul(theta, theta), up), div(down, whole), div(up, whole), div(mul(rest, rest), down)
end

"The same from the quantiles tail and 1 - tail of Beta(n_eff theta + 1/2, n_eff rest + 1/2); 0 and 1 at the ends."
function equal_tails(theta, rest, n_eff, tail)
    a, b = add(mul(n_eff, theta), ext(0.5)), add(mul(n_eff, rest), ext(0.5))
    lo = theta[1] > 0.0 ? beta_low(tail, a, b) : ZERO
    over = rest[1] > 0.0 ? beta_low(tail, b, a) : ZERO
    return lo, sub(ONE, lo), sub(ONE, over), over
end

"(1 - confidence) / 2, exactly."
tail(confidence) = scaled(sub(ONE, ext(confidence)), -1.0)

"(mu, sigma, lo, hi) as doubles, from the unit interval to scores low..high: x becomes (1 - x) low + x high."
function rescale(mu, theta, rest, n_eff, ends, low, high)
    sigma = mul(sub(high, low), root(div(mul(theta, rest), n_eff)))
    lo = add(mul(ends[2], low), mul(ends[1], high))
    hi = add(mul(ends[4], low), mul(ends[3], high))
    return value(mu) + 0.0, value(sigma), value(lo) + 0.0, value(hi) + 0.0
end

end
