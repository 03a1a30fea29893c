# Sampling of whole clusters of questions: an unbiased variance for clusters of any sizes, and its degrees of freedom.
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
