# Rules for the separation of two estimates (mu, sigma), shared by ties in rankings and stopping.
# By a rule named zscore or zscore_adjacent the z-score of the difference decides, by one named ci_overlap or
# ci_overlap_adjacent whether the intervals overlap.

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
