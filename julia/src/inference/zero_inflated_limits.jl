# Limits of Pass@k under a fitted model, a test of its fit, and the number of further trials; part of ZeroInflated.

# --- the metric under a model -----------------------------------------------------------------------

const FAR = 28.0  # a change of a coordinate's logarithm that leaves its range from any value

"The share of questions with a success in k trials, and 1 minus it."
function solved(v, s, o, k)
    _, b, _ = shapes(v, s)
    Q, over = no_success(s, k, b), ONE + o
    return (ONE - Q) / over, (Q + o) / over
end

"The coordinate x e^y, kept within its range."
function shifted(x, y)
    abs(value(y)) < FAR || return Triple(y.hi > 0.0 ? BOUND : 1.0 / BOUND)
    x *= exp(y)
    return value(x) > BOUND ? Triple(BOUND) : value(x) < 1.0 / BOUND ? Triple(1.0 / BOUND) : x
end

"Parameters of the model at a distance from a fitted one, whose information is L D L', in the direction of these signs."
function model_at_distance(model, L, d, signs, distance)
    x, y, steps = (model.v, model.s, model.o), fill(ZERO, 3), count(!iszero, signs)
    for i in 3:-1:1
        t = signs[i] * distance / sqrt(steps * d[i])
        for l in i+1:3
            t -= L[3*(l-1)+i] * y[l]
        end
        y[i] = t
    end
    return ntuple(i -> model.free[i] ? shifted(x[i], y[i]) : x[i], 3)
end

"""
Pass@k of the fitted model, 1 minus it, its lower and upper limit, and 1 minus each limit.

The limits are the smallest and the largest Pass@k (share of questions with a success in k trials) of the fitted model
and of models around it. These are at distance 13/12 z from it, in coordinates in which its information is the identity
matrix: one step up or down in one free coordinate, or equal steps up or down in all of them. With two free coordinates
they are the corners of an octagon that contains the circle of radius z. They do not depend on k, so no limit falls
with k. If the information is not positive definite, the limits are 0 and 1.
"""
function limits(model, k, z)
    theta, rest = solved(model.v, model.s, model.o, k)
    low, rest_low, high, rest_high = theta, rest, theta, rest
    d, L = fill(ZERO, 3), fill(ZERO, 9)
    factor!(L, d, model.information) || return theta, rest, ZERO, ONE, ONE, ZERO
    distance = z * 13 / 12
    for direction in 0:26
        signs = ntuple(i -> direction ÷ 3^(i - 1) % 3 - 1, 3)
        any(i -> signs[i] != 0 && !model.free[i], 1:3) && continue
        count(!iszero, signs) in (1, count(model.free)) || continue
        x, y = solved(model_at_distance(model, L, d, signs, distance)..., k)
        if below(x, y, low, rest_low)
            low, rest_low = x, y
        end
        if below(high, rest_high, x, y)
            high, rest_high = x, y
        end
    end
    return theta, rest, low, high, rest_low, rest_high
end

# --- the test of fit ---------------------------------------------------------------------------------

"The expected numbers of questions with c successes, c = 0, 1, ...; mult questions have n trials, n increasing."
function expected_counts(n, mult, model)
    a, b, _ = shapes(model.v, model.s)
    over, out = ONE + model.o, fill(ZERO, last(n) + 1)
    for r in eachindex(n)
        N, number = n[r], mult[r] / over
        w = no_success(model.s, N, b)
        out[1] += number * (model.o + w)
        for c in 0:N-1
            up = (N - c) * (a + c)
            down = (c + 1) * (b + (N - c - 1))
            w *= up / down
            out[c+2] += number * w
        end
    end
    return out
end

"Pearson's X^2, and its number of cells: counts are joined until CELL are expected, the rest to the last cell."
function pearson_statistic(expected_counts, observed)
    total, cells, E, O, last_expected, last_observed = ZERO, 0, ZERO, 0, ZERO, 0
    for c in eachindex(observed)
        E, O = E + expected_counts[c], O + observed[c]
        if value(E) >= CELL
            if cells > 0
                total += square(last_expected, last_observed)
            end
            last_expected, last_observed, cells = E, O, cells + 1
            E, O = ZERO, 0
        end
    end
    if cells > 0
        total += square(last_expected + E, last_observed + O)
    end
    return total, cells
end

"The term (O - E)^2 / E of Pearson's X^2."
function square(E, O)
    d = O - E
    return d * d / E
end

"P(X >= x) of a chi-square with df = 1, 2, ... degrees of freedom, by finite sums."
function chi_square_tail(x, df)
    x.hi <= 0.0 && return ONE
    r = sqrt(x)
    bell, total = exp(-times_2_to(x, -1.0)), ZERO
    if iseven(df)
        term = ONE
        for i in 0:df÷2-1
            total, term = total + term, term * x / (2 * (i + 1))
        end
        return bell * total
    end
    term = r
    for i in 0:(df-1)÷2-1
        total, term = total + term, term * x / (2 * i + 3)
    end
    return times_2_to(normal_cdf(-r) + INV_SQRT_2PI * bell * total, 1.0)
end

"The p-value of Pearson's test on the counts of successes; nothing if there are too few cells."
function goodness_of_fit(s, model, parameters)
    n = sort(unique(s.n))
    mult, observed = zeros(Int, length(n)), zeros(Int, last(n) + 1)
    for i in eachindex(s.n)
        mult[findfirst(==(s.n[i]), n)] += s.mult[i]
        observed[s.c[i]+1] += s.mult[i]
    end
    x, cells = pearson_statistic(expected_counts(n, mult, model), observed)
    df = cells - 1 - parameters
    return df > 0 ? value(chi_square_tail(x, df)) : nothing
end

# --- how many more trials ------------------------------------------------------------------------------

"The width between the limits of the band that the model expects of n >= 2 trials per question."
function expected_width(M, n, k, model, z)
    a, b, _ = shapes(model.v, model.s)
    Q, over = no_success(model.s, n, b), ONE + model.o
    not_atom = M / over  # the number of questions with a rate above 0
    # f1, f2: the expected numbers of questions with 1 and 2 successes
    f1 = not_atom * Q * (n * a / (b + (n - 1)))
    f2 = f1 * ((0.5 * (n - 1)) * (a + ONE) / (b + (n - 2)))
    x = band(M, n, k - n, (ONE - Q) / over, not_atom * (Q + model.o), f1, f2, z)
    return value(x[4] - x[1])
end

"The fewest further trials, by bisection, with expected limits no wider than width; nothing if k are too few."
function more_trials(f, k, model, width, z)
    narrow(n) = expected_width(f.M, n, k, model, z) <= width
    low, high = max(f.n, 1), k  # low is too few, high is enough
    (k < 2 || !narrow(k)) && return nothing
    while high - low > 1
        middle = (low + high) ÷ 2
        if narrow(middle)
            high = middle
        else
            low = middle
        end
    end
    return high - f.n
end
