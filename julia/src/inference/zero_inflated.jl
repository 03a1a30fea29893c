# Success rates as a share of zeros and values sampled from a beta distribution, fitted by maximum likelihood.
#
# With odds o of a rate of exactly 0 the counts of a question with n trials are those of a beta-binomial distribution
# with probability 1/(1 + o), else 0; o = 0 is the plain beta-binomial model. The likelihood is maximised over the
# logarithms of the coordinates v = a/b, s = a + b and (unless it is 0) o, each coordinate within 2^-20..2^20. The
# formulas: spec/families/extrapolation.md.

module ZeroInflated

using ..Distributions: normal_cdf
using ..DoubleDouble: INV_SQRT_2PI, ONE, Triple, ZERO
using ..DoubleDouble: exp, ext, log, log_and_exponent, neg, ratio, root, times_2_to, value
using ..Identified: add, band, below, div, mul, sub

const BOUND = 2.0^20  # the largest value of v, s and o; the least is 1 / BOUND, unless o is fixed at 0
const STRIDE = 1.5  # the longest step of the logarithm of a coordinate
const MAX_STEPS, MAX_TRIES, NEWTON_STEPS = 100, 30, 4  # of maximise!; tries: values of the damping in each step
const LONG_NEWTON_STEP = 0.0625  # a longer one shows that the search did not end near a maximum
const NEAR = 2.0^-30  # relative steps below this end the search; each Newton step that follows squares the error
const MIN_EXCESS = 2.0^-10  # the inflated model is fitted if `excess` is above this
const CELL = 3.0  # the least expected count of a cell of the test of fit
const FACTORS = 2^14  # of a rising factorial; longer ones are completed by Stirling's series
const LN2 = 0.6931471805599453

"""
Numbers of questions with at least i successes, failures and trials; and questions without success, by trials.

Entry i of zeros counts questions without success in i trials, if they are counted apart; the other counts then leave
them out.
"""
struct Tails
    successes::Vector{Int}
    failures::Vector{Int}
    trials::Vector{Int}
    zeros::Vector{Int}
    M::Int
end

"""
The parameters at the maximum, and the information about the logarithms of v, s and o there (3 x 3, row by row).

A coordinate that is not free (fixed at 0, or at the end of its range beyond which the likelihood rises) has the row of
the identity matrix. likelihood: its logarithm, up to a constant of the data.
"""
struct FittedModel
    v::Triple
    s::Triple
    o::Triple
    information::Vector{Triple}
    free::Vector{Bool}
    likelihood::Triple
end

"Build the counts of questions; apart: questions without success are counted in zeros alone."
function tails(s, apart)
    size = maximum(s.n)
    successes, failures, trials, without_success = (zeros(Int, size) for _ in 1:4)
    for i in eachindex(s.n)
        n, c, m = s.n[i], s.c[i], s.mult[i]
        if apart && c == 0
            without_success[n] += m
            continue
        end
        c > 0 && (successes[c] += m)
        n > c && (failures[n-c] += m)
        trials[n] += m
    end
    for x in (successes, failures, trials), i in size-1:-1:1
        x[i] += x[i+1]
    end
    return Tails(successes, failures, trials, without_success, sum(s.mult))
end

"Shapes a, b of the beta distribution, and a b / s, the slope of a in log v and minus that of b."
function shapes(v, s)
    over = add(ONE, v)
    a, b = div(mul(s, v), over), div(s, over)
    return a, b, div(mul(a, b), s)
end

"Probability of no success in n trials if the rate is Beta(a, b): E[(1 - rate)^n], s = a + b."
function no_success(s, n, b)
    x, first = ONE, min(n, FACTORS)
    for i in 0:first-1
        x = mul(x, div(add(b, ext(i)), add(s, ext(i))))
    end
    n == first && return x
    a, low, high = sub(s, b), add(b, ext(first)), add(b, ext(n))
    power = mul(a, log_quotient(add(low, a), add(high, a)))
    return mul(x, exp(add(power, sub(gamma_growth(low, a), gamma_growth(high, a)))))
end

"The logarithm of Gamma(x + a) / (Gamma(x) (x + a)^a), plus a, by Stirling's series, x >= FACTORS."
function gamma_growth(x, a)
    y = add(x, a)
    step = mul(sub(x, ext(0.5)), log_quotient(y, x))
    return add(step, sub(stirling(y), stirling(x)))
end

"The first four terms of Stirling's series, which add up to 1/(12 x) - 1/(360 x^3) + ..., x >= FACTORS."
function stirling(x)
    square, total = mul(x, x), ZERO
    for n in (-1680.0, 1260.0, -360.0, 12.0)
        total = add(div(total, square), div(ONE, ext(n)))
    end
    return div(total, x)
end

"The logarithm of x / y, with a small relative error also where x is near y."
function log_quotient(x, y)
    t = div(sub(x, y), add(x, y))
    abs(value(t)) > 0.125 && return log(div(x, y))
    square, total = mul(t, t), ZERO
    for i in 18:-1:0
        total = add(mul(total, square), ratio(2, 2 * i + 1))
    end
    return mul(total, t)
end

"Slopes of the log likelihood in a, b and o; then its curvatures in aa, ab, bb, ao, bo and oo."
function curvatures(T, a, b, s, o)
    by_a, by_b, by_o = ZERO, ZERO, ZERO
    aa, ab, bb, ao, bo, oo = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    # P: the probability of no success in i trials; B1, B2, S1, S2: sums of y, yy, z and zz
    P, B1, B2, S1, S2 = ONE, ZERO, ZERO, ZERO, ZERO
    for i in eachindex(T.trials)
        at = ext(i - 1)
        x, y, z = div(ONE, add(a, at)), div(ONE, add(b, at)), div(ONE, add(s, at))
        xx, yy, zz = mul(x, x), mul(y, y), mul(z, z)
        if T.successes[i] > 0
            number = ext(T.successes[i])
            by_a, aa = add(by_a, mul(number, x)), sub(aa, mul(number, xx))
        end
        if T.failures[i] > 0
            number = ext(T.failures[i])
            by_b, bb = add(by_b, mul(number, y)), sub(bb, mul(number, yy))
        end
        if T.trials[i] > 0
            number = ext(T.trials[i])
            by_a, by_b = sub(by_a, mul(number, z)), sub(by_b, mul(number, z))
            square = mul(number, zz)
            aa, ab, bb = add(aa, square), add(ab, square), add(bb, square)
        end
        P = mul(P, mul(add(b, at), z))
        B1, B2, S1, S2 = add(B1, y), add(B2, yy), add(S1, z), add(S2, zz)
        if T.zeros[i] > 0
            number, d = ext(T.zeros[i]), sub(B1, S1)
            share = div(P, add(o, P))  # of the questions without success, the share with a rate above 0
            rest = div(ONE, add(o, P))
            by_a, by_b = sub(by_a, mul(number, mul(share, S1))), add(by_b, mul(number, mul(share, d)))
            by_o = add(by_o, mul(number, rest))
            spread = mul(number, mul(share, sub(ONE, share)))
            aa = add(aa, add(mul(spread, mul(S1, S1)), mul(mul(number, share), S2)))
            ab = add(ab, sub(mul(mul(number, share), S2), mul(spread, mul(S1, d))))
            bb = add(bb, add(mul(spread, mul(d, d)), mul(mul(number, share), sub(S2, B2))))
            ao = add(ao, mul(mul(number, rest), mul(share, S1)))
            bo = sub(bo, mul(mul(number, rest), mul(share, d)))
            oo = sub(oo, mul(number, mul(rest, rest)))
        end
    end
    questions, over = ext(T.M), add(ONE, o)
    by_o, oo = sub(by_o, div(questions, over)), add(oo, div(questions, mul(over, over)))
    return by_a, by_b, by_o, aa, ab, bb, ao, bo, oo
end

"Fill g with the slopes of the log likelihood in log v, log s and log o, h (3 x 3 in rows) with curvatures."
function slopes!(g, h, T, v, s, o)
    a, b, t = shapes(v, s)
    by_a, by_b, by_o, aa, ab, bb, ao, bo, oo = curvatures(T, a, b, s, o)
    down = sub(by_a, by_b)
    g[1], g[2], g[3] = mul(t, down), add(mul(a, by_a), mul(b, by_b)), mul(o, by_o)
    tilt = div(sub(b, a), s)
    h[1] = add(mul(mul(t, t), sub(add(aa, bb), add(ab, ab))), mul(g[1], tilt))
    by_scale = sub(mul(a, sub(aa, ab)), mul(b, sub(bb, ab)))
    h[2] = add(mul(t, by_scale), g[1])
    h[3] = mul(mul(t, o), sub(ao, bo))
    mixed = times_2_to(mul(mul(a, b), ab), 1.0)
    rest = add(mul(mul(b, b), bb), mixed)
    h[5] = add(add(mul(mul(a, a), aa), rest), g[2])
    h[6] = mul(o, add(mul(a, ao), mul(b, bo)))
    h[9] = add(mul(mul(o, o), oo), g[3])
    h[4], h[7], h[8] = h[2], h[3], h[6]
    return nothing
end

"The logarithm of x > 0 in doubles, with an error of a few 1e-16 times its size or 1, whichever is larger."
function logarithm(x)
    y, n = log_and_exponent(x)
    return y + n * LN2
end

"The log likelihood in doubles."
function likelihood_in_doubles(T, v, s, o)
    a, b, _ = shapes(v, s)
    a, b, s_, o_ = value(a), value(b), value(s), value(o)
    P, total = 1.0, 0.0
    for i in eachindex(T.trials)
        j = i - 1
        if T.successes[i] > 0
            total += T.successes[i] * logarithm(a + j)
        end
        if T.failures[i] > 0
            total += T.failures[i] * logarithm(b + j)
        end
        if T.trials[i] > 0
            total -= T.trials[i] * logarithm(s_ + j)
        end
        P *= (b + j) / (s_ + j)
        if T.zeros[i] > 0
            total += T.zeros[i] * logarithm(o_ + P)
        end
    end
    return total - T.M * logarithm(1.0 + o_)
end

"The log likelihood in double-double."
function likelihood(T, v, s, o)
    a, b, _ = shapes(v, s)
    P, total = ONE, ZERO
    for i in eachindex(T.trials)
        at = ext(i - 1)
        if T.successes[i] > 0
            total = add(total, mul(ext(T.successes[i]), log(add(a, at))))
        end
        if T.failures[i] > 0
            total = add(total, mul(ext(T.failures[i]), log(add(b, at))))
        end
        if T.trials[i] > 0
            total = sub(total, mul(ext(T.trials[i]), log(add(s, at))))
        end
        P = mul(P, div(add(b, at), add(s, at)))
        if T.zeros[i] > 0
            total = add(total, mul(ext(T.zeros[i]), log(add(o, P))))
        end
    end
    return sub(total, mul(ext(T.M), log(add(ONE, o))))
end

include("zero_inflated_fit.jl")
include("zero_inflated_limits.jl")

end
