# The mean over sampled units of a metric, or of the difference of two, and its variance: exact fractions.

module ExactUnits

using ..Scorio: states
using ..ChosenAnswers: Choice
using ..Clusters: Units
using ..Estimators: Mean, exact_state_values, state_values
using ..MaxAtKs: MaxAtK, exact_steps
using ..Means: Fraction
using ..Metrics: Metrics
using ..Rationals: fraction
using ..UStatistics: which

@nospecialize

const MOST_BITS = 2^14  # of the common denominator of exact_values()

"""
The metric of each state on the scale 0..1, and the state of each question.

They are double-doubles if their common denominator could have more than MOST_BITS bits.
"""
function exact_values(x)
    x isa Choice && return x.exact, x.which
    if sum(big(x.m.k) * ndigits(n, base = 2) for n in Set(x.counts.trials)) > MOST_BITS
        u, states_of_questions = state_values(x)
        return map(fraction, u), states_of_questions
    elseif x isa Mean
        pairs, states_of_questions = exact_state_values(x)
        return [Fraction(pair...) for pair in pairs], states_of_questions
    end
    return values_of_blocks(x), which(x)
end

function values_of_blocks(x)
    s = states(x.counts)
    return [Fraction(pair...) for pair in Metrics.exact_values(x.m, s.n, s.c)]
end

function values_of_blocks(x::MaxAtK)
    return map(exact_steps(x)) do (n, _, steps)
        all, value = binomial(big(n), x.m.k), Fraction(0)
        for (gap, b) in steps
            value += gap * (1 - Fraction(binomial(big(b), x.m.k), all))
        end
        return value
    end
end

"The mean over questions of a's metric minus b's (if b is not nothing)."
mean_difference(a, b) = mean_and_variance(a, b, Units(a.parts.M))[1]

"""
The mean over questions of a's metric minus b's (if b is not nothing); its variance over the sampling of units.

Sums are those of integers: fractions would be reduced at every step.
"""
function mean_and_variance(a, b, units)
    u, which = exact_values(a)
    v, other = b === nothing ? (Fraction[0], ones(Int, length(which))) : exact_values(b)
    den = foldl(lcm, (denominator(x) for values in (u, v) for x in values); init = big(1))
    U, V = (BigInt[numerator(x) * (den ÷ denominator(x)) for x in values] for values in (u, v))
    M, P, total, squares = big(units.M), units.squared, big(0), big(0)
    cells = Dict{NTuple{3,Int},Int}()  # questions by cluster, state of a and state of b
    for i in eachindex(which)
        key = (units.labels === nothing ? 1 : units.labels[i], which[i], other[i])
        cells[key] = get(cells, key, 0) + 1
    end
    for ((_, i, j), number) in cells
        total += number * (U[i] - V[j])
    end
    D, unit = Fraction(total, den * M), Fraction(1, (den * M)^2)
    units.G < 2 && return D, Fraction(0)  # a single unit shows no variance
    deviations = fill(big(0), units.G)
    for ((g, i, j), number) in cells
        d = M * (U[i] - V[j]) - total
        units.labels === nothing ? (squares += number * d^2) : (deviations[g] += number * d)
    end
    units.labels === nothing && return D, squares * unit / (M * (M - 1))
    parts = (Fraction(x^2, (M - m)^2 + P - big(m)^2) for (x, m) in zip(deviations, units.sizes))
    return D, foldl(+, parts) * unit
end

end
