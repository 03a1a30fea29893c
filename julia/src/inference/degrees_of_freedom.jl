# Degrees of freedom of the t distribution of an estimate: how precisely its variance is estimated.
# A variance estimate of mean a and variance b behaves like a chi-square of 2 a^2 / b degrees of freedom
# (Satterthwaite). The formulas: spec/families/comparisons.md.

module DegreesOfFreedom

using ..DoubleDouble: Triple, ZERO, product, times_2_to, value
using ..Scorio: of_question
using ..Variance: larger

const MOST = Triple(1e6)  # the most degrees of freedom that are used: the t distribution is then nearly normal
const FEWEST = Triple(2.0)  # used where the estimated variance is 0
const NORMAL = 30.0  # an interval of fixed questions takes the normal quantile from this many degrees on

smaller(x, y) = x >= y ? y : x

"Degrees of freedom of a variance estimate: 2 mean^2 / variance up to MOST, FEWEST if the mean is 0."
satterthwaite(mean, variance) =
    mean.hi == 0.0 ? FEWEST : smaller(times_2_to(mean * mean, 1.0) / variance, MOST)

"Degrees of freedom of the trial-to-trial variance of a pair, from the Parts of each model and its trials_error()."
function df_of_trials(p, error_p, q, error_q)
    s = larger(p.stabiliser, q.stabiliser)
    both = p.trials + q.trials + s
    return satterthwaite(both, error_p + error_q + s * s)
end

"""
Degrees of freedom of an interval, from the Parts of a model and its trials_error().

They are 1 / (1/df - 1/NORMAL) with Satterthwaite's df; ZERO stands for the normal distribution.
"""
function df_of_interval(p, error)
    s = p.stabiliser
    df = satterthwaite(p.trials + s, error + s * s)
    missing_df = NORMAL - df
    missing_df.hi <= 0.0 && return ZERO
    df = NORMAL * df / missing_df
    return df >= MOST ? ZERO : df
end

"Whether NORMAL degrees of freedom are certain if the variance of S, the sum of v, is <= relative_error * S."
function has_normal_interval(p, relative_error)
    S, s = value(p.trials), value(p.stabiliser)
    # 2 (S + s)^2 / (variance of S + s^2) is at least NORMAL from a factor of 1/2 on; .51 leaves room for rounding
    return (S + s)^2 > 0.51 * NORMAL * (relative_error * S + s * s)
end

"Degrees of freedom of Z + constant; Z, squares: sums of the unbiased terms of G units and of their squares."
function df_of_units(Z, squares, constant, G)
    correction = Z * Z * (G - 3) / product(G, G - 1)
    return satterthwaite(Z + constant, squares - correction + constant * constant)
end

"Degrees of freedom of M questions, from sums of squares and fourth powers around the mean; at most M - 1."
function df_of_questions(second, fourth, constant, M)
    bessel = Triple(M) / (M - 1)
    Z, squares = second * bessel, fourth * (bessel * bessel)
    return smaller(df_of_units(Z, squares, constant, M), Triple(M - 1))
end

"The sum of the products of all pairs of numbers."
function products_of_pairs(constants)
    total, products = ZERO, ZERO
    for c in constants
        products, total = products + total * c, total + c
    end
    return products
end

"""
Degrees of freedom of a sum of variances, `total`, from its estimated parts (variance, degrees of freedom).

denominator: added to the sum of squared variances over their degrees of freedom.
"""
function pooled(total, parts, denominator = ZERO)
    total.hi == 0.0 && return FEWEST
    for (v, freedom) in parts
        denominator += v * v / freedom
    end
    return denominator.hi == 0.0 ? MOST : smaller(total * total / denominator, MOST)
end

"""
Degrees of freedom of a sum of variances.

A part that is 0, or that has ZERO degrees of freedom, counts as known exactly. If all parts do, so does the sum.
"""
function summed(parts)
    total, estimated = ZERO, Tuple{Triple,Triple}[]
    for (v, freedom) in parts
        total += v
        v == ZERO || freedom == ZERO || push!(estimated, (v, freedom))
    end
    return isempty(estimated) ? ZERO : pooled(total, estimated)
end

"""
Degrees of freedom of v + w, variances with f and g degrees of freedom that may be dependent.

A part that is 0, or that has ZERO degrees of freedom, counts as known exactly.
"""
function dependent(v, f, w, g)
    any(==(ZERO), (v, f, w, g)) && return summed(((v, f), (w, g)))
    total, denominator = v + w, v / sqrt(f) + w / sqrt(g)
    return smaller(total * total / (denominator * denominator), MOST)
end

"Welch's degrees of freedom of v + w, variances with f and g degrees of freedom."
welch(v, f, w, g) = pooled(v + w, ((v, f), (w, g)))

"""
Variance of the sum of variances v, from the variance e of each; unless short, at most its estimate from all v.

short: some question has fewer than the 2k trials from which its v would be measured.
"""
function error_of_sum(v, e, mult, M, short)
    total, squares, each = ZERO, ZERO, ZERO
    for i in eachindex(mult)
        number = Triple(mult[i])
        total += v[i] * number
        squares += v[i] * v[i] * number
        each += e[i] * number
    end
    short && return each
    total = total.hi < 0.0 ? ZERO : total
    return smaller(each, squares - total * total / (M + 1))
end

"""
Variance of v, from its slope and curvature in c (successes in n trials); below, above: v at c - 1, c + 1.

It is at most v^2.
"""
function error_of_state(v, below, above, n, c)
    g = product(c, n - c) / (n - 1)
    slope = g * times_2_to((above - below) * (above - below), -2.0)
    bend = g * (above + below - times_2_to(v, 1.0))
    return smaller(slope + times_2_to(bend * bend, -1.0), v * v)
end

"The mean of the n scores of question i of the cells, in which category j has the score u[j+1]."
function mean_of_scores(n, cells, i, u)
    x = ZERO
    for t in of_question(cells, i)
        x += u[cells.category[t]+1] * cells.times[t]
    end
    return x / n
end

"Variance of v, the variance of a question's mean score, from moments 2 and 4 of its scores; at most v^2."
function error_of_scores(n, cells, i, u, v)
    N, x, m2, m4 = Triple(n), mean_of_scores(n, cells, i, u), ZERO, ZERO
    for t in of_question(cells, i)
        d = u[cells.category[t]+1] - x
        square = d * d * cells.times[t]
        m2, m4 = m2 + square, m4 + square * (d * d)
    end
    m2, m4, n_minus_1 = m2 / N, m4 / N, Triple(n - 1)
    e = m4 - m2 * m2 * (n - 3) / n_minus_1
    e.hi <= 0.0 && return ZERO
    return smaller(e / (n_minus_1 * (n_minus_1 * n_minus_1)), v * v)
end

end
