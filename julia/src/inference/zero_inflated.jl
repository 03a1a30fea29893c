# Success rates as a share of zeros and values sampled from a beta distribution, fitted by maximum likelihood.
#
# With odds o of a rate of exactly 0 the counts of a question with n trials are those of a beta-binomial distribution
# with probability 1/(1 + o), else 0; o = 0 is the plain beta-binomial model. The likelihood is maximised over the
# logarithms of the coordinates v = a/b, s = a + b and (unless it is 0) o, each coordinate within 2^-20..2^20. The
# formulas: spec/families/extrapolation.md.

module ZeroInflated

using ..Distributions: normal_cdf
using ..DoubleDouble: INV_SQRT_2PI, ONE, Triple, ZERO
using ..DoubleDouble: log_and_exponent, ratio, times_2_to, value
using ..Identified: band, below

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
    over = ONE + v
    a, b = s * v / over, s / over
    return a, b, a * b / s
end

"Probability of no success in n trials if the rate is Beta(a, b): E[(1 - rate)^n], s = a + b."
function no_success(s, n, b)
    x, first = ONE, min(n, FACTORS)
    for i in 0:first-1
        x *= (b + i) / (s + i)
    end
    n == first && return x
    a, low, high = s - b, b + first, b + n
    power = a * log_quotient(low + a, high + a)
    return x * exp(power + (gamma_growth(low, a) - gamma_growth(high, a)))
end

"The logarithm of Gamma(x + a) / (Gamma(x) (x + a)^a), plus a, by Stirling's series, x >= FACTORS."
function gamma_growth(x, a)
    y = x + a
    step = (x - 0.5) * log_quotient(y, x)
    return step + (stirling(y) - stirling(x))
end

"The first four terms of Stirling's series, which add up to 1/(12 x) - 1/(360 x^3) + ..., x >= FACTORS."
function stirling(x)
    square, total = x * x, ZERO
    for n in (-1680.0, 1260.0, -360.0, 12.0)
        total = total / square + ONE / n
    end
    return total / x
end

"The logarithm of x / y, with a small relative error also where x is near y."
function log_quotient(x, y)
    t = (x - y) / (x + y)
    abs(value(t)) > 0.125 && return log(x / y)
    square, total = t * t, ZERO
    for i in 18:-1:0
        total = total * square + ratio(2, 2 * i + 1)
    end
    return total * t
end

"Slopes of the log likelihood in a, b and o; then its curvatures in aa, ab, bb, ao, bo and oo."
function curvatures(T, a, b, s, o)
    by_a, by_b, by_o = ZERO, ZERO, ZERO
    aa, ab, bb, ao, bo, oo = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    # P: the probability of no success in i trials; B1, B2, S1, S2: sums of y, yy, z and zz
    P, B1, B2, S1, S2 = ONE, ZERO, ZERO, ZERO, ZERO
    for i in eachindex(T.trials)
        at = Triple(i - 1)
        x, y, z = ONE / (a + at), ONE / (b + at), ONE / (s + at)
        xx, yy, zz = x * x, y * y, z * z
        if T.successes[i] > 0
            number = Triple(T.successes[i])
            by_a, aa = by_a + number * x, aa - number * xx
        end
        if T.failures[i] > 0
            number = Triple(T.failures[i])
            by_b, bb = by_b + number * y, bb - number * yy
        end
        if T.trials[i] > 0
            number = Triple(T.trials[i])
            by_a, by_b = by_a - number * z, by_b - number * z
            square = number * zz
            aa, ab, bb = aa + square, ab + square, bb + square
        end
        P *= (b + at) * z
        B1, B2, S1, S2 = B1 + y, B2 + yy, S1 + z, S2 + zz
        if T.zeros[i] > 0
            number, d = Triple(T.zeros[i]), B1 - S1
            share = P / (o + P)  # of the questions without success, the share with a rate above 0
            rest = ONE / (o + P)
            by_a, by_b = by_a - number * (share * S1), by_b + number * (share * d)
            by_o += number * rest
            spread = number * (share * (ONE - share))
            aa += spread * (S1 * S1) + number * share * S2
            ab += number * share * S2 - spread * (S1 * d)
            bb += spread * (d * d) + number * share * (S2 - B2)
            ao += number * rest * (share * S1)
            bo -= number * rest * (share * d)
            oo -= number * (rest * rest)
        end
    end
    questions, over = Triple(T.M), ONE + o
    by_o, oo = by_o - questions / over, oo + questions / (over * over)
    return by_a, by_b, by_o, aa, ab, bb, ao, bo, oo
end

"Fill g with the slopes of the log likelihood in log v, log s and log o, h (3 x 3 in rows) with curvatures."
function slopes!(g, h, T, v, s, o)
    a, b, t = shapes(v, s)
    by_a, by_b, by_o, aa, ab, bb, ao, bo, oo = curvatures(T, a, b, s, o)
    down = by_a - by_b
    g[1], g[2], g[3] = t * down, a * by_a + b * by_b, o * by_o
    tilt = (b - a) / s
    h[1] = t * t * (aa + bb - (ab + ab)) + g[1] * tilt
    by_scale = a * (aa - ab) - b * (bb - ab)
    h[2] = t * by_scale + g[1]
    h[3] = t * o * (ao - bo)
    mixed = times_2_to(a * b * ab, 1.0)
    rest = b * b * bb + mixed
    h[5] = a * a * aa + rest + g[2]
    h[6] = o * (a * ao + b * bo)
    h[9] = o * o * oo + g[3]
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
        at = Triple(i - 1)
        if T.successes[i] > 0
            total += T.successes[i] * log(a + at)
        end
        if T.failures[i] > 0
            total += T.failures[i] * log(b + at)
        end
        if T.trials[i] > 0
            total -= T.trials[i] * log(s + at)
        end
        P *= (b + at) / (s + at)
        if T.zeros[i] > 0
            total += T.zeros[i] * log(o + P)
        end
    end
    return total - T.M * log(ONE + o)
end

# --- fit, by ascent from a start --------------------------------------------------------------------

"Factor a symmetric 3 x 3 matrix in rows as m = L D L'; returns whether it is positive definite."
function factor!(L, d, m)
    for j in 0:2
        x = m[4*j+1]
        for l in 0:j-1
            x -= L[3*j+l+1] * L[3*j+l+1] * d[l+1]
        end
        x.hi <= 0.0 && return false
        d[j+1] = x
        for i in j+1:2
            y = m[3*i+j+1]
            for l in 0:j-1
                y -= L[3*i+l+1] * L[3*j+l+1] * d[l+1]
            end
            L[3*i+j+1] = y / x
        end
    end
    return true
end

"Solve L D L' out = g."
function solve!(out, L, d, g)
    for i in 0:2
        x = g[i+1]
        for l in 0:i-1
            x -= L[3*i+l+1] * out[l+1]
        end
        out[i+1] = x
    end
    for i in 2:-1:0
        x = out[i+1] / d[i+1]
        for l in i+1:2
            x -= L[3*l+i+1] * out[l+1]
        end
        out[i+1] = x
    end
    return nothing
end

"Fill out with -h, its diagonal damped; a coordinate that is not free has the row of the identity matrix."
function fill_information!(out, h, free, damping)
    for i in 0:2, j in 0:2
        x = free[i+1] && free[j+1] ? -h[3*i+j+1] : ZERO
        if i == j
            size = x.hi >= 0.0 ? x : -x
            x = free[i+1] ? x + damping * (size + (2.0^-10)) : ONE
        end
        out[3*i+j+1] = x
    end
    return nothing
end

"Whether a coordinate at an end of its range would leave it."
leaves_range(x, slope) = (x.hi >= BOUND && slope.hi > 0.0) || (x.hi <= 1.0 / BOUND && slope.hi < 0.0)

"The coordinate x e^step, to first order and for a step of at most STRIDE, kept within its range."
function moved(x, step)
    if value(step) > STRIDE
        step = Triple(STRIDE)
    end
    if value(step) < -STRIDE
        step = Triple(-STRIDE)
    end
    y = step.hi >= 0.0 ? x * (ONE + step) : x / (ONE - step)
    return value(y) > BOUND ? Triple(BOUND) : value(y) < 1.0 / BOUND ? Triple(1.0 / BOUND) : y
end

"The largest absolute value in a step, before STRIDE limits it."
largest(step) = max(abs(value(step[1])), abs(value(step[2])), abs(value(step[3])))

"Mark the coordinates that may move; the slopes of the others become 0."
function mark_free!(free, g, x, inflated)
    for i in 1:3
        free[i] = (inflated || i < 3) && !leaves_range(x[i], g[i])
        free[i] || (g[i] = ZERO)
    end
end

"Move x = (v, s, o) uphill by Levenberg-Marquardt steps, then by Newton steps; then -h is the information."
function maximise!(x, h, free, T, inflated)
    g, m, L, d, step, y = (fill(ZERO, j) for j in (3, 9, 9, 3, 3, 3))
    damping, best = 2.0^-10, likelihood_in_doubles(T, x...)
    for _ in 1:MAX_STEPS
        slopes!(g, h, T, x...)
        mark_free!(free, g, x, inflated)
        better = false
        for _ in 1:MAX_TRIES
            fill_information!(m, h, free, Triple(damping))
            if factor!(L, d, m)
                solve!(step, L, d, g)
                for i in 1:3
                    y[i] = free[i] ? moved(x[i], step[i]) : x[i]
                end
                new = likelihood_in_doubles(T, y...)
                if new >= best
                    better, best = true, new
                    break
                end
            end
            damping = max(damping, 2.0^-40) * 8.0
        end
        better || break
        copyto!(x, y)
        damping *= 0.125
        largest(step) < NEAR && break
    end
    for _ in 1:NEWTON_STEPS
        slopes!(g, h, T, x...)
        mark_free!(free, g, x, inflated)
        fill_information!(m, h, free, ZERO)
        factor!(L, d, m) || break
        solve!(step, L, d, g)
        largest(step) > LONG_NEWTON_STEP && break
        for i in 1:3
            free[i] && (x[i] = moved(x[i], step[i]))
        end
    end
    slopes!(g, h, T, x...)
    mark_free!(free, g, x, inflated)
    return nothing
end

"The fitted model: the maximum of the likelihood uphill of the start."
function fit(T, start, inflated)
    x, h, free = Triple[start...], fill(ZERO, 9), fill(false, 3)
    maximise!(x, h, free, T, inflated)
    information = fill(ZERO, 9)
    fill_information!(information, h, free, ZERO)
    return FittedModel(x[1], x[2], x[3], information, free, likelihood(T, x...))
end

"The fitted beta-binomial model; the search starts from the share of successes and s = 1."
function fit_beta_binomial(s)
    successes, n = sum(s.c .* s.mult), sum(s.n .* s.mult)
    return fit(tails(s, false), (Triple(successes) / (n - successes), ONE, ZERO), false)
end

"""
The fitted zero-inflated model, started from the beta-binomial model.

It is nothing if the data cannot show a share of questions with rate 0: no question has three trials or more, every
question has a success, or the beta-binomial model expects about as many questions without success or more (MIN_EXCESS).
"""
function fit_zero_inflated(s, model)
    T = tails(s, true)
    (maximum(s.n) < 3 || !any(T.zeros .> 0)) && return nothing
    _, b, _ = shapes(model.v, model.s)
    value(excess(T.zeros, T.M, model.s, b)) <= MIN_EXCESS && return nothing
    # the search starts from an eighth of the share of questions without success
    return fit(T, (model.v, model.s, Triple(sum(T.zeros)) / (8 * T.M)), true)
end

"Log likelihood of a model minus that of the beta-binomial model; 0 where rounding makes it negative."
function gain(model, beta_binomial)
    x = model.likelihood - beta_binomial.likelihood
    return x.hi > 0.0 ? x : ZERO
end

"Mean of [c = 0] / P(c = 0) over questions, minus 1: the slope of the mean log likelihood in o at o = 0."
function excess(without_success, M, s, b)
    P, total = ONE, ZERO
    for i in eachindex(without_success)
        P *= (b + (i - 1)) / (s + (i - 1))
        if without_success[i] > 0
            total += without_success[i] / P
        end
    end
    return total / M - ONE
end
include("zero_inflated_limits.jl")

end
