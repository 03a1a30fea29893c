# Sampling of whole clusters of questions: an unbiased variance for any sizes, and means of sampled units, exactly.
# CR2 of Bell and McCaffrey (2002) for a mean over questions: spec/families/intervals.md.

module Clusters

using ..DoubleDouble: Triple, ZERO, product, sort_key
using ..Means: Fraction
using ..Rationals: from_ratio
using ..Scorio: deferred, states_of

"The cluster of each question, numbered from 1; without labels every question is a cluster of its own."
struct Units
    M::Int
    labels::Union{Nothing,Vector{Int}}
    sizes::Vector{Int}
    G::Int
    squared::BigInt  # sum of the squared sizes
end

Units(M::Int) = Units(M, nothing, Int[], M, big(M))

function Units(labels::AbstractVector)
    M, number_of = length(labels), Dict{Int,Int}()
    numbers = Int[get!(number_of, x, length(number_of) + 1) for x in labels]
    sizes = zeros(Int, length(number_of))
    for g in numbers
        sizes[g] += 1
    end
    return Units(M, numbers, sizes, length(sizes), sum(m -> big(m)^2, sizes))
end

"The sum Q of the squared shares of the clusters."
squared_shares(x) = from_ratio(x.squared, big(x.M)^2)

"The variance that a guard of 1 adds to a difference over the sampled units: Q / (2 M)."
unseen(x) = from_ratio(x.squared, 2 * big(x.M)^3)

"The stabiliser, a constant added to the variance of one model over the sampled units: Q^2 / 12."
stabiliser(x) = from_ratio(x.squared^2, 12 * big(x.M)^4)

"""
Degrees of freedom from the cluster sizes: Q^2 / sum over g, h of a_g a_h (1{g = h} - w_g - w_h + Q)^2.

w_g is the share of cluster g, Q the sum of the w_g^2, a_g = w_g^2 / ((1 - w_g)^2 + Q - w_g^2).
"""
function exact_freedom(x)
    x.labels === nothing && return Fraction(x.M - 1)
    all(==(x.sizes[1]), x.sizes) && return Fraction(x.G - 1)
    M, P = big(x.M), x.squared
    a0, a1, a2, diagonal = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for m in sort!(unique(x.sizes))
        a, number, m = Fraction(big(m)^2, (M - m)^2 + P - big(m)^2), count(==(m), x.sizes), big(m)
        a0, a1, a2 = a0 + number * a, a1 + number * a * m, a2 + number * a * m^2
        diagonal += number * a * a * (M^2 + 2 * P - 4 * m * M)
    end
    return P^2 / (diagonal * M^2 + P^2 * a0^2 + 2 * M^2 * a0 * a2 - 4 * M * P * a0 * a1 + 2 * M^2 * a1^2)
end

"Degrees of freedom that the sizes of the clusters determine, G - 1 if these are equal; rounded once."
freedom(x) = x.labels === nothing ? Triple(x.M - 1) : from_ratio(deferred(exact_freedom)(x)::Fraction)

"The mean of u[which] over the questions of each cluster."
function means(x, which, u)
    joint, out = states_of(x.labels, which), fill(ZERO, x.G)
    for i in eachindex(joint.mult)
        g = joint.n[i]
        out[g] += u[joint.c[i]] * joint.mult[i]
    end
    return Triple[out[g] / x.sizes[g] for g in 1:x.G]
end

"Sum of the CR2 terms a_g (means_g - center)^2; the order of the clusters changes no bit."
function variance_terms(x, means, center)
    out = Vector{Triple}(undef, x.G)
    for g in 1:x.G
        m, d = x.sizes[g], means[g] - center
        rest = product(x.M - m, x.M - m) + Float64(x.squared - big(m)^2)
        out[g] = product(m, m) / rest * (d * d)
    end
    return sums(out)[1]
end

"Sum and sum of squares of (w_g (means_g - center))^3, w_g the share of cluster g; their order changes no bit."
function cubes(x, means, center)
    out = Vector{Triple}(undef, x.G)
    for g in 1:x.G
        d = (means[g] - center) * x.sizes[g] / x.M
        out[g] = d * d * d
    end
    return sums(out)
end

"Sum of the terms, and of their squares; sorts the terms first, so that the order of clusters changes no bit."
function sums(terms)
    total, squares = ZERO, ZERO
    for x in sort!(terms, by = sort_key)
        total, squares = total + x, squares + x * x
    end
    return total, squares
end

end

# --- the mean over sampled units of a metric or a difference, and its variance ----------------------

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
