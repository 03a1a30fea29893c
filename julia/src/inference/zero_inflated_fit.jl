# Maximum-likelihood fit of the zero-inflated model, by ascent from a start; part of ZeroInflated.

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
