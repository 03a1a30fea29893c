# Fisher's exact tests of many pairs of counts, and a step-up procedure for their discrete distributions.

module Fisher

using ..Rationals: Ratio

const GUARD = 256  # sums of quotients are computed with this many bits below the smallest possible quotient
# successes and trials of a question before and after
const Pair = NamedTuple{(:c_old, :n_old, :c_new, :n_new),NTuple{4,Int}}
const Levels = Vector{BigInt}  # p-values in units of 1/unit, or binomial coefficients

"The binomial coefficients C(n, 0), ..., C(n, n)."
function binomials(n)
    out = [big(1)]
    for x in 0:n-1
        push!(out, out[end] * (n - x) ÷ (x + 1))
    end
    return out
end

"""
The p-values of all c_old with c_old + c_new = s, in units of 1/C(n_old + n_new, s), by rising c_old.

old, new: the binomial coefficients of n_old and n_new. A two-sided p-value counts the outcomes that are at most as
probable, a one-sided one those with at least as many old successes.
"""
function tails(old::Levels, new::Levels, s::Int, one_sided::Bool)
    n, m = length(old) - 1, length(new) - 1
    w = BigInt[old[x+1] * new[s-x+1] for x in max(0, s - m):min(n, s)]
    one_sided && return reverse!(cumsum(reverse(w)))
    order = sortperm(w)
    sums = cumsum(w[order])
    for i in length(w)-1:-1:1
        w[order[i]] == w[order[i+1]] && (sums[i] = sums[i+1])  # equal weights share the last sum
    end
    return sums[invperm(order)]
end

"Exact p-values of all pairs, and the distributions of these if nothing changed, in units of 1/unit."
struct Tests
    p::Levels
    unit::BigInt
    distributions::Vector{Tuple{Levels,Int}}  # attainable p-values, and the number of tests with these
    one::BigInt
    attainable::Levels  # by any test, below 1
    odds::Levels  # the sum over tests of F(t)/(1 - F(t)) at each of them (F: see total()), in units of 1/one
end

function Tests(pairs::Vector{Pair}, one_sided::Bool)
    n_tests, rows = Dict{NTuple{3,Int},Int}(), Dict{Int,Levels}()
    for x in pairs
        margins = (x.n_old, x.n_new, x.c_old + x.c_new)
        n_tests[margins] = get(n_tests, margins, 0) + 1
    end
    row(n) = get!(() -> binomials(n), rows, n)
    p_values = Dict{NTuple{3,Int},Levels}(x => tails(row(x[1]), row(x[2]), x[3], one_sided) for x in keys(n_tests))
    unit, n_with_levels = reduce(lcm, map(maximum, collect(values(p_values)))), Dict{Levels,Int}()
    for (margins, x) in p_values
        share = unit ÷ maximum(x)
        p_values[margins] = BigInt[t * share for t in x]
        levels = unique(sort(p_values[margins]))
        n_with_levels[levels] = get(n_with_levels, levels, 0) + n_tests[margins]
    end
    p = BigInt[p_value_of(p_values, x) for x in pairs]
    distributions = sort!(collect(n_with_levels), by = first)
    one = big(1) << (GUARD + ndigits(unit, base = 2))
    return Tests(p, unit, [(x, m) for (x, m) in distributions], one, totals(distributions, unit, one)...)
end

function p_value_of(p_values, x::Pair)
    s = x.c_old + x.c_new
    return p_values[(x.n_old, x.n_new, s)][x.c_old-max(0, s - x.n_new)+1]
end

"The attainable p-values t up to the limit, below 1, and total(t, limit) of each; by default total(t, t)."
function totals(distributions, unit, one, limit = nothing)
    steps = Dict{BigInt,BigInt}()
    for (levels, m) in distributions
        before, last = big(0), limit === nothing ? length(levels) - 1 : searchsortedlast(levels, limit)
        for t in levels[1:last]
            odds = m * t * one ÷ (unit - (limit === nothing ? t : levels[last]))
            steps[t] = get(steps, t, big(0)) + odds - before
            before = odds
        end
    end
    attainable = sort!(collect(keys(steps)))
    return attainable, cumsum(BigInt[steps[t] for t in attainable])
end

"The sum of F(t)/(1 - F(limit)) over the tests, F(t) = P(p <= t) if nothing changed, in units of 1/one."
function total(x::Tests, t::BigInt, limit::BigInt)
    sum = big(0)
    for (levels, m) in x.distributions
        levels[1] > t && break
        sum += m * below(levels, t) * x.one ÷ (x.unit - below(levels, limit))
    end
    return sum
end

"F(t): the largest attainable p-value that is at most t, or 0."
below(levels::Levels, t::BigInt) = level(levels, searchsortedlast(levels, t))

level(levels::Levels, i::Int) = i == 0 ? big(0) : levels[i]

"The largest attainable p-value t at which the mean of F(t)/(1 - F(t)) is at most q; 0 if there is none."
limit(x::Tests, q::Ratio) = level(x.attainable, searchsortedlast(x.odds, q[1] * length(x.p) * x.one ÷ q[2]))

"The largest p-value, in 1/unit, significant at this false-discovery rate (Döhler et al. 2018), or 0."
function step_up(x::Tests, fdr::Ratio)
    largest, order = limit(x, fdr), sort(x.p)
    attainable, sums = totals(x.distributions, x.unit, x.one, largest)
    for t in reverse!(unique(order[1:searchsortedlast(order, largest)]))
        sums[searchsortedfirst(attainable, t)] * fdr[2] <= fdr[1] * searchsortedlast(order, t) * x.one && return t
    end
    return big(0)
end

"The smallest false-discovery rate at which each test is significant; 1 if there is none below 1."
function adjusted(x::Tests)
    order, best, rates = sort(x.p), Ratio((1, 1)), Dict{BigInt,Ratio}()
    for t in reverse!(unique(order))
        best = rates[t] = smallest_rate(x, t, searchsortedlast(order, t), best)
    end
    return Ratio[rates[t] for t in x.p]
end

"""
The least q with t <= limit(q) and sum F(t)/(1 - F(limit(q))) <= q k; `best` if that q is not smaller.

k: the number of p-values up to t.
"""
function smallest_rate(x::Tests, t::BigInt, k::Int, best::Ratio)
    t == x.unit && return best
    q = Ratio((x.odds[searchsortedfirst(x.attainable, t)], k * x.one))  # at most the least q, as F(limit) >= F(t)
    while q[1] * best[2] < best[1] * q[2]
        h = total(x, t, limit(x, q))
        h * q[2] <= q[1] * k * x.one && return q
        q = Ratio((h, k * x.one))
    end
    return best
end

end
