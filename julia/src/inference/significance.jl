# Whether a difference is significant: the exact test by the signs of sampled units, and rules of two estimates.
# If two models are equally good on every unit, a difference has either sign with the same probability, whatever the
# outcomes: an error rate that is a theorem at every number of units. The definition: spec/families/comparisons.md.

module Signs

using ..DoubleDouble: ONE, Triple, ZERO, value

const MOST = 14  # the most units that are not 0 whose signs are enumerated
const MOST_SAME = 60  # units of the same sign: more count as so many
const GRID, TOLERANCE = 2.0^48, 2^8  # sums that differ by at most 2^-40 of the sum of sizes are equal

"Contributions to a difference of units of a kind, their shares of it, and the number of units of each kind."
struct Contributions
    x::Vector{Triple}
    share::Vector{Triple}
    mult::Vector{Int}
    known::Dict{Triple,Union{Nothing,Triple}}  # p-values by gap
end

Contributions(x, share, mult) = Contributions(x, share, mult, Dict{Triple,Union{Nothing,Triple}}())

"The contributions of a benchmark of this weight to a mean over benchmarks."
scaled(c, weight) = Contributions(Triple[x * weight for x in c.x], Triple[x * weight for x in c.share], c.mult)

"The contributions to the difference of the models exchanged."
negated(c) = Contributions(Triple[-x for x in c.x], c.share, c.mult)

"The contributions of all benchmarks."
joined(parts) = Contributions((vcat((getfield(c, name) for c in parts)...) for name in (:x, :share, :mult))...)

"Two-sided p-value of the difference less gap; nothing if many units are not 0, and not all of one sign."
p_value(c, gap) = get!(() -> p_value_of(on_grid(c.x, c.share, c.mult, gap), c.mult), c.known, gap)

function p_value_of(e, mult)
    used = findall(!=(0), e)
    m = foldl(+, mult[used]; init = 0)
    m == 0 && return ONE
    low, high = extrema(e[used])
    (low > 0 || high < 0) && return Triple(2.0^(1 - min(m, MOST_SAME)))
    m > MOST && return nothing
    each = Int[e[i] for i in used for _ in 1:mult[i]]
    sums = each[1:1]
    for x in each[2:end]
        sums = [sums .+ x; sums .- x]
    end
    extreme = count(>=(abs(foldl(+, each)) - TOLERANCE), abs.(sums))
    return Triple(extreme / length(sums))
end

"The contributions less their shares of gap, in units of 2^-48 of the sum of their sizes, as integers."
function on_grid(x, share, mult, gap)
    d, size = Triple[y - s * gap for (y, s) in zip(x, share)], ZERO
    for (y, number) in zip(d, mult)
        size += (y.hi >= 0.0 ? y : -y) * number
    end
    return Int[size.hi > 0.0 ? round(Int, value(y / size) * GRID) : 0 for y in d]
end

"The contributions of joint states (a, b): their differences u_a - v_b, each times unit."
of_states(a, b, mult, u, v, unit) =
    Contributions(Triple[(u[i] - v[j]) * unit for (i, j) in zip(a, b)], fill(unit, length(mult)), mult)

"The contributions of clusters of these sizes from their mean differences d, each times its share of M questions."
function of_clusters(d, sizes, M)
    share = Triple[Triple(m) / M for m in sizes]
    return Contributions(Triple[x * w for (x, w) in zip(d, share)], share, ones(Int, length(sizes)))
end

end

# --- rules of (mu, sigma), shared by ties in rankings and stopping ----------------------------------

module Significance

using ..DoubleDouble: Triple
using ..Distributions: normal_z, one_sided_z

"Rule of separation: a z-score with its threshold, or intervals with their half width in standard errors."
struct Rule
    zscore::Bool
    z::Triple
end

"The rule of this name at a confidence level."
function rule(name, confidence)
    zscore = startswith(name, "zscore")
    return Rule(zscore, zscore ? one_sided_z(confidence) : normal_z(confidence))
end

"Standard error of a difference: sqrt(s^2 + t^2)."
function standard_error(s, t)
    a, b = Triple(s), Triple(t)
    return sqrt(a * a + b * b)
end

"x - y minus the distance that the rule requires; s, t: standard errors of x and y."
function gap_of(r, x, s, y, t)
    required = r.zscore ? standard_error(s, t) : Triple(s) + t
    return Triple(x) - y - r.z * required
end

"Whether a gap separates two estimates: |z| at its threshold does, intervals that touch do not."
separated(r, gap) = gap.hi > 0.0 || (gap.hi == 0.0 && r.zscore)

end
