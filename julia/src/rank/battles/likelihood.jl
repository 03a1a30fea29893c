# The likelihood of battles: scores and curvatures of cells, Newton's steps, and the inverse of the curvature.
#
# Cells are ordered pairs of models. Counts of their outcomes are triples (double-doubles with an exponent, see
# arithmetic/double_double.jl), since weights make them real numbers. Laplacian systems are solved by eliminating one
# model after the other (Grassmann, Taksar & Heyman 1985): sums of positive terms. The formulas:
# spec/families/battles.md.
#
# Curvatures are second derivatives of the log likelihood with their signs reversed.

module Likelihood

Base.Experimental.@optlevel 2

using ...DoubleDouble: ONE, Triple, ZERO, times_2_to, value

const MODELS = ("half", "davidson", "rao_kupper")
const NO_DIVISOR = 1e-15  # a divisor 1 - leverage below this, or with a negative exponent (below 2^-128), counts as 0

"""
Derivatives of the log likelihood of a cell: scores r for the log odds and rt for the log tie parameter; curvatures h
for the log odds, ht for the log tie parameter, hc for both.
"""
struct Derivatives
    r::Triple
    rt::Triple
    h::Triple
    hc::Triple
    ht::Triple
end

# --- one cell --------------------------------------------------------------------------------------

"""
Scores and curvatures of a cell where a tie is half a win for each model.

Arguments of this and the other formulas of a cell: n1, nt and n2 are the weights of wins of the first model, ties, and
wins of the second; a and b are the strengths of the two models (a is multiplied by the position bias); nu, k or tie is
the parameter of ties.
"""
function half_wins(n1, nt, n2, a, b, _)
    s, half = a + b, times_2_to(nt, -1.0)
    r = ((n1 + half) * b - (n2 + half) * a) / s
    h = (n1 + nt + n2) * (a * b) / (s * s)
    return Derivatives(r, ZERO, h, ZERO, ZERO)
end

"Scores and curvatures of a cell in Davidson's model: P(tie) = nu sqrt(a b) / (a + b + nu sqrt(a b))."
function davidson(n1, nt, n2, a, b, nu)
    y = nu * sqrt(a * b)
    s, n = a + b, n1 + nt + n2
    z = s + y
    r = times_2_to(n1 * b - n2 * a, 1.0) - (n2 - n1) * y
    r = times_2_to(r + nt * (b - a), -1.0) / z
    rt = (nt * s - (n1 + n2) * y) / z
    x, w, t = a / z, b / z, y / z
    by_ties = times_2_to(t * (x + w), -2.0)
    h = n * (by_ties + x * w)
    return Derivatives(r, rt, h, times_2_to(n * t * (w - x), -1.0), n * t * (x + w))
end

"Scores and curvatures in Rao and Kupper's model: P(first) = a / (a + k b), P(second) = b / (b + k a)."
function rao_kupper(n1, nt, n2, a, b, k)
    kb, ka = k * b, k * a
    s, t = a + kb, ka + b
    u, v = (n1 * kb - nt * a) / s, (nt * b - n2 * ka) / t
    rt, square, tie_curvature = v - u, k * k, ZERO
    excess = square - ONE
    if nt.hi != 0.0 && excess.hi > 0.0  # at k = 1 ties have probability 0; a count there is rounding
        rt += times_2_to(nt, 1.0) / excess
        tie_curvature = times_2_to(nt * square, 2.0) / (excess * excess)
    end
    p = (n1 + nt) * (a * kb) / (s * s)
    q = (n2 + nt) * (ka * b) / (t * t)
    h = p + q
    return Derivatives(u + v, rt, h, q - p, h + tie_curvature)
end

"Derivatives of the log likelihood of a cell by its log odds and the log tie parameter."
cell_derivatives(model, n1, nt, n2, a, b, tie) = FORMULAS[model](n1, nt, n2, a, b, tie)::Derivatives

const FORMULAS = Function[half_wins, davidson, rao_kupper]  # a vector: only the function that is used is compiled

"The values of cell_derivatives() for every cell."
all_derivatives(model, first, second, counts, p, bias, tie) =
    derivatives_by_formula(FORMULAS[model], first, second, counts, p, bias, tie)::Vector{Derivatives}

derivatives_by_formula(formula, first, second, counts, p, bias, tie) = Derivatives[
    formula(counts[k]..., bias * p[first[k]], p[second[k]], tie) for k in eachindex(first)
]

"Scores of all parameters: models, then bias and tie parameter."
function gradient(first, second, derivatives, L)
    g = fill(ZERO, L + 2)
    for k in eachindex(first)
        i, j, r = first[k], second[k], derivatives[k].r
        g[i] += r
        g[j] -= r
        g[L+1] += r
        g[L+2] += derivatives[k].rt
    end
    return g
end

# --- linear systems, in doubles --------------------------------------------------------------------

"The weights W between models, above its diagonal, and the columns B of bias and tie parameter, (L + 2) × 2."
function curvature(first, second, derivatives, L)
    W, B = zeros(L, L), zeros(L + 2, 2)
    for k in eachindex(first)
        i, j = first[k], second[k]
        h, hc, ht = value(derivatives[k].h), value(derivatives[k].hc), value(derivatives[k].ht)
        W[min(i, j), max(i, j)] += h
        B[i, 1] += h
        B[j, 1] -= h
        B[i, 2] += hc
        B[j, 2] -= hc
        B[L+1, 1] += h
        B[L+1, 2] += hc
        B[L+2, 1] += hc
        B[L+2, 2] += ht
    end
    return W, B
end

"Factor W by eliminating models from the last to the second; the factor replaces W on and above its diagonal."
function eliminate!(W)
    for k in size(W, 1):-1:2
        s = 0.0
        for i in 1:k-1
            s += W[i, k]
        end
        W[k, k] = s
        for i in 2:k-1
            f = W[i, k] / s
            if f > 0.0
                for j in 1:i-1
                    @inbounds W[j, i] += f * W[j, k]
                end
            end
        end
    end
    return W
end

"Solve the system that eliminate!() factored, with x[1] = 0; x replaces g, whose entries add up to 0."
function solve!(W, g)
    for k in size(W, 1):-1:2
        f = g[k] / W[k, k]
        for i in 1:k-1
            g[i] += f * W[i, k]
        end
    end
    g[1] = 0.0
    for k in 2:size(W, 1)
        t = g[k]
        for i in 1:k-1
            t += W[i, k] * g[i]
        end
        g[k] = t / W[k, k]
    end
    return g
end

"The largest change of the log odds of a cell in the direction d, plus the change of the log tie parameter."
function largest_change(first, second, d)
    L, largest = length(d) - 2, 0.0
    for k in eachindex(first)
        largest = max(largest, abs(d[first[k]] - d[second[k]] + d[L+1]))
    end
    return largest + abs(d[L+2])
end

"The product x e^by, approximately: ((2 + y)/(2 - y)) with y = by/2^k, squared k times."
function times_exp(x, by)
    times = 0
    while abs(by) > 0.25
        by, times = 0.5 * by, times + 1
    end
    f = (Triple(2.0) + by) / (Triple(2.0) - by)
    for _ in 1:times
        f *= f
    end
    return x * f
end

"Multiply every strength by e^(t d), after centring d at the middle of its range."
function step_all!(p, d, t)
    low, high = d[1], d[1]
    for i in eachindex(p)
        low, high = min(low, d[i]), max(high, d[i])
    end
    middle = 0.5 * (low + high)
    for i in eachindex(p)
        p[i] = times_exp(p[i], t * (d[i] - middle))
    end
end

"Compute curvature() in triples: W, and B as two vectors of L + 2, for the bias and for the tie parameter."
function curvature_exact(first, second, derivatives, L)
    W, bias, tie = fill(ZERO, L, L), fill(ZERO, L + 2), fill(ZERO, L + 2)
    for k in eachindex(first)
        i, j, h, hc = first[k], second[k], derivatives[k].h, derivatives[k].hc
        W[min(i, j), max(i, j)] += h
        bias[i] += h
        bias[j] -= h
        tie[i] += hc
        tie[j] -= hc
        bias[L+1] += h
        tie[L+1] += hc
        bias[L+2] += hc
        tie[L+2] += derivatives[k].ht
    end
    return W, (bias, tie)
end

"Compute eliminate!() in triples."
function eliminate_exact!(W)
    for k in size(W, 1):-1:2
        s = ZERO
        for i in 1:k-1
            s += W[i, k]
        end
        W[k, k] = s
        for i in 2:k-1
            f = W[i, k] / s
            if f.hi != 0.0
                for j in 1:i-1
                    W[j, i] += f * W[j, k]
                end
            end
        end
    end
    return W
end

"Compute solve!() in triples."
function solve_exact!(W, g)
    for k in size(W, 1):-1:2
        if g[k].hi != 0.0
            f = g[k] / W[k, k]
            for i in 1:k-1
                g[i] += f * W[i, k]
            end
        end
    end
    g[1] = ZERO
    for k in 2:size(W, 1)
        t = g[k]
        for i in 1:k-1
            t += W[i, k] * g[i]
        end
        g[k] = t / W[k, k]
    end
    return g
end

"Write the solution for e_i - e_1 into column i of U, for every model i in `which`."
function unit_columns!(W, which, U)
    for i in which
        x = fill(ZERO, size(U, 1))
        x[i] = ONE
        x[1] -= ONE
        U[:, i] = solve_exact!(W, x)
    end
end

"""
Add the rows and columns of position bias and tie parameter (L + 1 and L + 2) to U, and correct its columns `which`.

Y: the solutions of their columns; S: 2 × 2, the inverse of their Schur complement; U: (L + 4) × (L + 4), with the
columns `which`, of models, filled by unit_columns!().
"""
function border!(which, Y, S, U)
    L = size(U, 1) - 4
    for i in 1:L, e in 1:2
        t = ZERO
        for f in 1:2
            t += S[e, f] * Y[f][i]
        end
        U[L+e, i] = -t
        U[i, L+e] = -t
    end
    for i in which, j in 1:L
        t = U[j, i]
        for e in 1:2
            t -= Y[e][j] * U[L+e, i]
        end
        U[j, i] = t
    end
    for e in 1:2, f in 1:2
        U[L+f, L+e] = S[e, f]
    end
end

"The Schur complement entry of the parameters e and f: entry L + f of B[e], minus the product of B[e] and Y[f]."
function schur(B, Y, e, f)
    L = length(B[e]) - 2
    t = B[e][L+f]
    for i in 1:L
        t -= B[e][i] * Y[f][i]
    end
    return t
end

"Fill row and column L + 3 of U with the mean over the L models."
function average!(U)
    L = size(U, 1) - 4
    n = Triple(L)
    for j in 1:L+2
        t = ZERO
        for i in 1:L
            t += U[j, i]
        end
        U[j, L+3] = t / n
    end
    for j in 1:L+2
        U[L+3, j] = U[j, L+3]
    end
    t = ZERO
    for j in 1:L
        t += U[j, L+3]
    end
    U[L+3, L+3] = t / n
end

# --- variances of contrasts --------------------------------------------------------------------------

"Write column a minus column b of U into u, and return the variance of that contrast under the fitted model."
function contrast!(u, U, a, b)
    for j in eachindex(u)
        u[j] = U[j, a] - U[j, b]
    end
    return u[a] - u[b]
end

"The quadratic form x d^2 + 2 xy d v + y v^2."
@inline function quadratic_form(x, xy, y, d, v)
    t = x * (d * d)
    v.hi == 0.0 && return t
    return t + times_2_to(xy * (d * v), 1.0) + y * (v * v)
end

"The score of the contrast u (see contrast!()), summed over all cells."
function contrast_score(first, second, derivatives, u)
    L, total = length(u) - 4, ZERO
    for k in eachindex(first)
        d = u[first[k]] - u[second[k]] + u[L+1]
        total += derivatives[k].r * d + derivatives[k].rt * u[L+2]
    end
    return total
end

"Battles of equal curvature: sums of their squared scores, the curvature of one of them, and their number."
struct Kind
    first::Int
    second::Int
    n_battles::Triple
    squares::NTuple{3,Triple}  # sums of r^2, r rt, rt^2
    curvatures::NTuple{3,Triple}  # h, hc, ht
end

"""
Variance terms with battles as units: for each contrast its variance under the fitted model, the sum of squared scores,
and the sum of squared leverages, plus 1 for each battle that alone determines the contrast. leave_one_out: whether to
divide scores by 1 - leverage, for a jackknife.
"""
function variances_by_battle(kinds::Vector{Kind}, a, b, U::Matrix{Triple}, leave_one_out)
    L, out = size(U, 1) - 4, NTuple{3,Triple}[]
    u = fill(ZERO, L + 4)
    for c in eachindex(a)
        V = contrast!(u, U, a[c], b[c])
        bias, tie, total, squared_leverages = u[L+1], u[L+2], ZERO, ZERO
        for k in kinds
            d = u[k.first] - u[k.second] + bias
            leverage = quadratic_form(k.curvatures..., d, tie) / V
            divisor = ONE - leverage
            squared_leverages += k.n_battles * (leverage * leverage)
            if divisor.hi < NO_DIVISOR || divisor.exponent < 0.0
                squared_leverages += ONE  # the battle alone determines the contrast
                divisor = ONE
            end
            divisor = leave_one_out ? divisor : ONE
            total += quadratic_form(k.squares..., d, tie) / (divisor * divisor)
        end
        push!(out, (V, total, squared_leverages))
    end
    return out
end

"The terms of variances_by_battle() with clusters as units; ends: the index of each cluster's last cell."
function variances_by_cluster(first, second, derivatives, ends, a, b, U::Matrix{Triple}, leave_one_out)
    L, out = size(U, 1) - 4, NTuple{3,Triple}[]
    u = fill(ZERO, L + 4)
    for c in eachindex(a)
        V = contrast!(u, U, a[c], b[c])
        bias, tie, total, squared_leverages, start = u[L+1], u[L+2], ZERO, ZERO, 1
        for stop in ends
            s, h = ZERO, ZERO
            for k in start:stop
                x, d = derivatives[k], u[first[k]] - u[second[k]] + bias
                s += x.r * d + x.rt * tie
                h += quadratic_form(x.h, x.hc, x.ht, d, tie)
            end
            start = stop + 1
            leverage = h / V
            divisor = ONE - leverage
            squared_leverages += leverage * leverage
            if divisor.hi < NO_DIVISOR || divisor.exponent < 0.0
                squared_leverages += ONE  # the cluster alone determines the contrast
                divisor = ONE
            end
            divisor = leave_one_out ? divisor : ONE
            s /= divisor
            total += s * s
        end
        push!(out, (V, total, squared_leverages))
    end
    return out
end

"Sum squares and products of the scores by kind; kind_of: the kind of each cell, sorted."
function group_battles(first, second, derivatives, n_battles, kind_of)
    kinds = Kind[]
    for k in eachindex(kind_of)
        x, n = derivatives[k], n_battles[k]
        terms = (n * (x.r * x.r), n * (x.r * x.rt), n * (x.rt * x.rt))
        if kind_of[k] > length(kinds)
            push!(kinds, Kind(first[k], second[k], ZERO, (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)))
        end
        c = kinds[kind_of[k]]
        squares = (c.squares[1] + terms[1], c.squares[2] + terms[2], c.squares[3] + terms[3])
        kinds[kind_of[k]] = Kind(c.first, c.second, c.n_battles + n, squares, (x.h, x.hc, x.ht))
    end
    return kinds
end

end
