# One model's counts under a metric: what an interval needs of it, and a comparison of two. The average, exactly.

module Estimators

using ..Scorio: Counts
using ..Means: Means
using ..Metrics: Metric
using ..Rationals: from_ratio
using ..Variance: Parts

"""
Counts under a metric, every question with k trials or more. M questions of value u, on the scale 0..1.

Fields m, counts and parts; functions mu (the metric, in units of w), clusters (G, and the sum over clusters of
(m_g (u_g - theta) G/M)^2 G/(G-1), m_g questions of mean u_g), above (D = theta - the other's; 0 only if it is), spread
(the sum over questions of (u - the other's u - D)^2).
"""
abstract type Side end

"The average score."
struct Mean <: Side
    m::Metric
    counts::Counts
    scale::Means.Scale
    sums::Means.Sums
    parts::Parts
end

function Mean(m::Metric, counts::Counts, by_law::Bool)
    scale = Means.scale(m.w)
    sums = Means.sums(counts, scale.U, scale.span)
    return Mean(m, counts, scale, sums, Means.parts(sums, by_law))
end

"Exact, rounded once."
mu(x::Mean) = Means.point(x.sums, x.scale)

function clusters(x::Mean, labels)
    G, total = Means.cluster_deviations(x.counts, x.scale, x.sums.theta, labels)
    return G, from_ratio(total)
end

above(x::Mean, y::Mean) = from_ratio(Means.difference(x.sums, y.sums))

function spread(x::Mean, y::Mean, D)
    exact = Means.difference(x.sums, y.sums)
    return from_ratio(Means.spread(x.counts, y.counts, x.scale.U, x.scale.span, exact))
end

end
