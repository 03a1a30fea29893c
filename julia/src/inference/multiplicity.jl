# Many comparisons at once: adjusted p-values, the ranks that models may have, and models that may be the best.

module Multiplicity

using ..Arguments: Arguments
using ..Decision: is_below_margin
using ..DegreesOfFreedom: smaller
using ..Differences: is_significant, p_value, reversed_difference
using ..Distributions: error_rate
using ..DoubleDouble: ONE, Triple, ZERO
using ..Metrics: flips
using ..Pairs: Contrast
using ..Scorio: sort_order
using ..Variance: larger

"""
Holm's adjusted p-values: for the r-th smallest, the largest of min(1, (m - j + 1) p_(j)), j <= r.

Rejecting where they are at most alpha, the probability of any false rejection is at most alpha, however the p-values
depend on each other (Holm 1979).
"""
function holm(p)
    m, largest, out = length(p), ZERO, fill(ZERO, length(p))
    for (j, i) in enumerate(from_smallest(p))
        largest = larger(largest, smaller((m - j + 1) * p[i], ONE))
        out[i] = largest
    end
    return out
end

"""
Benjamini and Hochberg's adjusted p-values: for the r-th smallest, the least of min(1, m p_(s) / s), s >= r.

Rejecting where they are at most q, the false-discovery rate is at most q, for independent p-values (Benjamini and
Hochberg 1995).
"""
function benjamini_hochberg(p)
    m, least, out, order = length(p), ONE, fill(ONE, length(p)), from_smallest(p)
    for r in m:-1:1
        least = smaller(least, Triple(m) / r * p[order[r]])
        out[order[r]] = least
    end
    return out
end

"Indices of p-values, from the smallest."
from_smallest(p) = sort_order((i, j) -> p[i] < p[j], length(p))

"Check `correction`; returns whether p-values are adjusted by Holm's method."
checked_correction(x) = x !== nothing && Arguments.choice(x, "correction", ("holm",)) == "holm"

"The p-value of every pair; adjusted by Holm's method if `by_holm`."
function adjusted(pairs, by_holm)
    p = Triple[p_value(x.difference) for x in pairs]
    return by_holm ? holm(p) : p
end

"The pairs with differences that are positive if the first model is better, also where lower is better."
positive_if_better(m, pairs) =
    flips(m) ? Contrast[
        Contrast(x.a, x.b, reversed_difference(x.difference), x.dropped, x.estimators) for x in pairs
    ] : pairs

"The ranks each model may have: from 1 + the number significantly better to L - the number significantly worse."
function possible_ranks(L, pairs, p, confidence)
    best, worst = fill(1, L), fill(L, L)
    for (x, p_of_pair) in zip(pairs, p)
        is_significant(p_of_pair, confidence) || continue
        winner, loser = x.difference.D.hi > 0.0 ? (x.a, x.b) : (x.b, x.a)
        best[loser] += 1
        worst[winner] -= 1
    end
    return [(best = best[i], worst = worst[i]) for i in 1:L]
end

"""
Models that no other model exceeds by more than gap in a gate's test at level (1 - confidence) / (L - 1).

A test by the t distribution alone excludes the best model in 15% of runs (nominal 5%) where a rival fails all trials of
some questions, few of which were sampled, and in 11% where nine rivals with few trials fail rarely.
"""
function possibly_best(L, pairs, confidence, gap)
    possible, level = trues(L), error_rate(confidence, max(L - 1, 1))  # one model has no pairs
    for x in pairs, (loser, d) in ((x.b, x.difference), (x.a, reversed_difference(x.difference)))
        d.D > gap && is_below_margin(reversed_difference(d), gap, level) && (possible[loser] = false)
    end
    return findall(possible)
end

end
