# Degrees of freedom of the t distribution of an estimate: how precisely its variance is estimated.
# A variance estimate of mean a and variance b behaves like a chi-square of 2 a^2 / b degrees of freedom
# (Satterthwaite). The formulas: spec/families/comparisons.md.

module DegreesOfFreedom

using ..DoubleDouble: ONE, Triple, ZERO, product, times_2_to, value
using ..Scorio: of_question
using ..Variance: stabiliser

const MOST = Triple(1e6)  # the most degrees of freedom that are used: the t distribution is then nearly normal
const FEWEST = Triple(2.0)  # used where the estimated variance is 0
const NORMAL = 30.0  # an interval of fixed questions takes the normal quantile from this many degrees on

smaller(x, y) = x >= y ? y : x

"Degrees of freedom of a variance estimate: 2 mean^2 / variance up to MOST, FEWEST if the mean is 0."
satterthwaite(mean, variance) =
    mean.hi == 0.0 ? FEWEST : smaller(times_2_to(mean * mean, 1.0) / variance, MOST)

"Degrees of freedom of the trial-to-trial variance of a pair; squares_p: squared_variances() of the model of p."
function df_of_trials(p, squares_p, q, squares_q, largest)
    s = stabiliser(p, q, largest)
    both = p.trials + q.trials + s
    return satterthwaite(both, squares_p + squares_q + s * s)
end

"""
Degrees of freedom of an interval, from one model's Parts and its squared_variances().

They are 1 / (1/df - 1/NORMAL) with Satterthwaite's df; ZERO stands for the normal distribution.
"""
function df_of_interval(p, squares)
    s = stabiliser(p, p, p.range)
    df = satterthwaite(p.trials + s, squares + s * s)
    missing_df = NORMAL - df
    missing_df.hi <= 0.0 && return ZERO
    df = NORMAL * df / missing_df
    return df >= MOST ? ZERO : df
end

"Whether NORMAL degrees of freedom are certain if no question has a larger variance v."
function has_normal_interval(p, largest)
    S, s = value(p.trials), value(stabiliser(p, p, p.range))
    # 2 (S + s)^2 / (sum of v^2 + s^2) is at least NORMAL from a factor of 1/2 on; .51 leaves room for rounding
    return (S + s)^2 > 0.51 * NORMAL * (largest * S + s * s)
end

"Degrees of freedom of Z + constant, Z a variance with `most` degrees of freedom; at most these."
function df_of_sampling(Z, constant, most)
    most = smaller(most, MOST)
    constant.hi == 0.0 && return most
    total, half = Z + constant, times_2_to(constant * constant, -1.0)
    return smaller(most, total * total / (Z * Z / most + half))
end

"Welch's degrees of freedom of `total`, a sum of variances, from its estimated parts (variance, freedom)."
function pooled(total, parts)
    total.hi == 0.0 && return FEWEST
    denominator = ZERO
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

"The sum of the squares of v, of which mult questions have each."
function sum_of_squares(v, mult)
    total = ZERO
    for i in eachindex(mult)
        total += v[i] * v[i] * mult[i]
    end
    return total
end

"""
The variance of the mean of the n scores of question i of the cells, in which category j has the score u[j+1].

It is the sum of (score - mean)^2 / (n (n-1)); for one trial (score - theta)^2 M/(M-1).
"""
function variance_of_scores(n, cells, i, u, theta, M)
    mean, total = ZERO, ZERO
    for t in of_question(cells, i)
        mean += u[cells.category[t]+1] * cells.times[t]
    end
    mean /= n
    if n == 1
        d = mean - theta
        return d * d * (M > 1 ? Triple(M) / (M - 1) : ONE)
    end
    for t in of_question(cells, i)
        d = u[cells.category[t]+1] - mean
        total += d * d * cells.times[t]
    end
    return total / product(n, n - 1)
end

end
