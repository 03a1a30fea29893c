# The difference of two mean scores and how far it can be off, as exact fractions.
# The formulas: spec/README.md, "two models".

module Pairs

using ..Scorio: questions, refuse, select, table
using ..Exact: from_ratio
using ..Noise: Fraction, drawn, fixed, parts
using ..Numerics: ext, sub
using ..Quantiles: normal_cdf, normal_quantile, share, t_cdf, t_quantile

"D = theta_A - theta_B, its variance, the degrees of freedom of its t law (0: normal), what is known of it."
struct Difference
    D::Fraction
    V::Fraction
    freedom::Fraction
    noise::String
end

"The law's cdf of D / sqrt(V)."
cdf(d, t) = d.freedom > 0 ? t_cdf(t, from_ratio(d.freedom)) : normal_cdf(t)

"The quantile with upper tail (1 - confidence) / ways, of the t law or the normal one."
function quantile(freedom, confidence, ways)
    tail = share(confidence, ways)
    return freedom > 0 ? t_quantile(tail, from_ratio(freedom)) : normal_quantile(sub(ext(0.5), tail), tail)
end

"Both without the questions that either lacks; and those."
function common(A, B, name)
    keep = [n > 0 && m > 0 for (n, m) in zip(A.trials, B.trials)]
    all(keep) && return A, B, Int[]
    any(keep) || refuse("no_trials", name, "no question has a trial of both models in ", name)
    return select(A, keep), select(B, keep), findall(!, keep)
end

"sum_j U_j n_j of every question, exact: as Int where these hold it."
function scores(counts, U)
    wide = maximum(U) * maximum(counts.trials) >= big(2)^62
    return wide ? totals(table(counts), U) : totals(table(counts), Int.(U))
end

function totals(t, U::Vector{T}) where {T}
    x = fill(zero(T), size(t, 1))
    for j in eachindex(U), i in eachindex(x)
        x[i] += U[j] * t[i, j]
    end
    return x
end

"Sum over questions of (x_A - x_B - D)^2, from exact sums within each pair of trial numbers."
function spread(A, B, U, span, D)
    a, b, total = scores(A, U), scores(B, U), Fraction(0)
    rows = Dict{Tuple{Int,Int},Vector{Int}}()
    for (i, key) in enumerate(zip(A.trials, B.trials))
        push!(get!(() -> Int[], rows, key), i)
    end
    for ((n, m), kept) in rows
        x, y, n, m = a[kept], b[kept], big(n), big(m)
        if length(kept) * (maximum(U) * max(n, m))^2 >= big(2)^62
            x, y = BigInt.(x), BigInt.(y)
        end
        xx, xy, yy = products(x, x), products(x, y), products(y, y)
        total += Fraction(xx * m * m - 2 * xy * n * m + yy * n * n, (n * m * span)^2)
    end
    return total - Fraction(questions(A)) * D * D
end

function products(x, y)
    total = zero(eltype(x))
    for i in eachindex(x, y)
        total += x[i] * y[i]
    end
    return big(total)
end

"On the same questions, each with a trial on both sides. p, q: the parts of both."
function on_same(A, B, U, span, sampled, name, p, q)
    M, D, single = p.M, p.theta - q.theta, p.single || q.single
    both = p.stabiliser < q.stabiliser ? p.stabiliser : q.stabiliser
    V = fixed(p) + fixed(q) - both / (M * M)
    known = !sampled && (p.some_single || q.some_single) ? "bound" : "measured"
    sampled || single || return Difference(D, V, 0, known)
    spread_known(p, name)
    W = (M / (M - Fraction(1)) * spread(A, B, U, span, D) + Fraction(1, 3)) / (M * M)
    return Difference(D, single || W > V ? W : V, M - Fraction(1), known)
end

"On different questions, drawn from the same kind; Welch's degrees of freedom."
function on_different(p, q)
    spread_known(p, "A")
    spread_known(q, "B")
    v, w = drawn(p, p.M, p.dev), drawn(q, q.M, q.dev)
    V, one = v + w, Fraction(1)
    return Difference(p.theta - q.theta, V, V * V / (v * v / (p.M - one) + w * w / (q.M - one)), "measured")
end

"One question tells nothing of how questions differ."
spread_known(p, name) =
    p.M > 1 || refuse("shape", name, "one question of ", name, " is left: the spread of questions is unknown")

end
