# When two estimates (mu, sigma) differ significantly: the rules that ties and stopping share.

module Significance

using ..DoubleDouble: Triple, ext, root
using ..DoubleDouble.NotInlined: add, mul, sub
using ..Distributions: normal_z, one_sided_z

"Rule of significance: a z-score with its threshold, or intervals with their half width in standard deviations."
struct Rule
    zscore::Bool
    z::Triple
end

"The rule of this name at a confidence level."
function rule(word, confidence)
    zscore = startswith(word, "zscore")
    return Rule(zscore, zscore ? one_sided_z(confidence) : normal_z(confidence))
end

"Standard error of a difference: sqrt(s^2 + t^2)."
function standard_error(s, t)
    a, b = ext(s), ext(t)
    return root(add(mul(a, a), mul(b, b)))
end

"The difference x - y less the one that the rule demands; s, t: standard deviations of x and y."
function gap_of(r, x, s, y, t)
    need = r.zscore ? standard_error(s, t) : add(ext(s), ext(t))
    return sub(sub(ext(x), ext(y)), mul(r.z, need))
end

"Whether a gap is significant: |z| equal to its threshold is, intervals that touch are not."
significant(r, gap) = gap[1] > 0.0 || (gap[1] == 0.0 && r.zscore)

end
