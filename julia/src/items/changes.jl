# Fisher's exact tests of many pairs of counts, and which questions regressed or improved between two runs.

# --- exact tests, and a step-up procedure for their discrete distributions --------------------------

module Fisher

using ...Rationals: Ratio, integer_ratio

const GUARD = 256  # sums of quotients are computed with this many bits below the smallest possible quotient
# A sum of positive doubles times SLACK, less TINY, is below the exact sum: up to 2^30 terms, each with a few roundings,
# the largest 1/(1 - F) being 2^30, and terms with errors of up to 2^-950 beside
const SLACK, TINY = 1.0 - 2.0^-20, 2.0^-800
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

"""
Exact p-values of all pairs, and the distributions of these if nothing changed, in units of 1/unit.

All values t that any p-value can take are sorted in `attainable`, as far as the mean over the tests of
F(t)/(1 - F(t)) is at most 1, F(t) = P(p <= t) if nothing changed; `test` and `below` are the test of each and
its next smaller value, or 0. A position n stands for the n-th smallest of them.
"""
struct Tests
    p::Levels
    unit::BigInt
    copies::Vector{Int}  # the number of tests with the same attainable p-values
    one::BigInt
    attainable::Levels
    test::Vector{Int}
    below::Levels
    odds::Levels  # the sum over the tests of F(t)/(1 - F(t)) at each attainable t, in units of 1/one
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
    copies, one = collect(values(n_with_levels)), big(1) << (GUARD + ndigits(unit, base = 2))
    attainable, below, test = Levels(), Levels(), Int[]
    for (j, levels) in enumerate(keys(n_with_levels)), i in 1:length(levels)-1
        push!(attainable, levels[i])
        push!(below, i == 1 ? big(0) : levels[i-1])
        push!(test, j)
    end
    order = sortperm(attainable)
    odds = odds_at(attainable[order], test[order], copies, unit, one, length(p))
    resize!(order, length(odds))
    return Tests(p, unit, copies, one, attainable[order], test[order], below[order], odds)
end

function p_value_of(p_values, x::Pair)
    s = x.c_old + x.c_new
    return p_values[(x.n_old, x.n_new, s)][x.c_old-max(0, s - x.n_new)+1]
end

"The sum of F(t)/(1 - F(t)) over the tests at each attainable t, in units of 1/one, while the mean is <= 1."
function odds_at(attainable, test, copies, unit, one, n_tests)
    most, total, odds, terms = n_tests * one, big(0), Levels(), fill(big(0), length(copies))
    for (t, j) in zip(attainable, test)
        term = copies[j] * t * one ÷ (unit - t)
        total += term - terms[j]
        terms[j] = term
        push!(odds, total)
        total > most && break
    end
    for i in length(odds)-1:-1:1
        attainable[i] == attainable[i+1] && (odds[i] = odds[i+1])  # all tests that can take this value
    end
    return resize!(odds, searchsortedlast(odds, most))
end

"The position of the largest attainable t at which the mean of F(t)/(1 - F(t)) is at most q/one <= 1, or 0."
limit(x::Tests, q::Ratio) = searchsortedlast(x.odds, q[1] * length(x.p) ÷ q[2])

"The p-values up to a position, largest first: each with its position, and the number of p-values up to it."
function candidates(x::Tests, limit::Int)
    order = sort(x.p)
    values = limit == 0 ? Levels() : unique(order[1:searchsortedlast(order, x.attainable[limit])])
    return [(t, searchsortedlast(x.attainable, t), searchsortedlast(order, t)) for t in reverse!(values)]
end

"The sum of F(t)/(1 - F(limit)) over the tests, carried on from one pair of positions to the next."
mutable struct Sum
    tests::Tests
    positions::NTuple{2,Int}
    cdfs::NTuple{2,Levels}
    terms::Levels
    total::BigInt
end

function Sum(tests::Tests)
    zeros() = fill(big(0), length(tests.copies))
    return Sum(tests, (0, 0), (zeros(), zeros()), zeros(), big(0))
end

"The sum at these positions, in units of 1/one."
function at!(x::Sum, t::Int, limit::Int)
    tests, changed = x.tests, Int[]
    for (F, start, stop) in zip(x.cdfs, x.positions, (t, limit))
        move!(F, tests.test, tests.attainable, tests.below, start, stop)
        append!(changed, view(tests.test, min(start, stop)+1:max(start, stop)))
    end
    (F, G), x.positions = x.cdfs, (t, limit)
    for j in unique!(sort!(changed))
        F[j] == 0 && x.terms[j] == 0 && continue
        term = tests.copies[j] * F[j] * tests.one ÷ (tests.unit - G[j])
        x.total += term - x.terms[j]
        x.terms[j] = term
    end
    return x.total
end

"Move the value of each test from one position to another, where the values after and before all positions are known."
function move!(values, test, after, before, start, stop)
    for i in start+1:stop
        values[test[i]] = after[i]
    end
    for i in start:-1:stop+1
        values[test[i]] = before[i]
    end
end

"Lower bounds, in double precision, of the rates of adjusted(): they leave few steps to exact integers."
mutable struct Bound
    M::Int
    positions::NTuple{2,Int}
    test::Vector{Int}
    # F(t) times the copies, and 1/(1 - F(limit)): of each test now, and after and before each position
    sides::NTuple{2,NTuple{3,Vector{Float64}}}
    odds::Vector{Float64}
end

function Bound(tests::Tests)
    copies, after, before = tests.copies, ratios(tests.attainable, tests.unit), ratios(tests.below, tests.unit)
    sides = (
        (zeros(length(copies)), copies[tests.test] .* after, copies[tests.test] .* before),
        (ones(length(copies)), 1.0 ./ (1.0 .- after), 1.0 ./ (1.0 .- before)),
    )
    return Bound(length(tests.p), (0, 0), tests.test, sides, ratios(tests.odds, tests.one))
end

"The quotients of integers and a unit, from about 960 bits of each."
function ratios(x::Levels, unit::BigInt)
    shift = max(0, ndigits(unit, base = 2) - 960)
    divisor = Float64(unit >> shift)
    return [Float64(t >> shift) / divisor for t in x]
end

"A lower bound of the rate that smallest_rate() returns; one that is below `best` is nearly that rate."
function rate(x::Bound, t::Int, k::Int, best::Float64)
    q, last = max(0.0, x.odds[t] / k * SLACK - TINY), -1
    while q < best
        limit = searchsortedlast(x.odds, q * SLACK * x.M)
        limit == last && break
        q, last = max(q, sum_at!(x, t, limit) / k * SLACK - TINY), limit
    end
    return q
end

"The quantity of at!(), with rounding errors."
function sum_at!(x::Bound, t::Int, limit::Int)
    for ((values, after, before), start, stop) in zip(x.sides, x.positions, (t, limit))
        move!(values, x.test, after, before, start, stop)
    end
    x.positions = (t, limit)
    return sum(a * b for (a, b) in zip(x.sides[1][1], x.sides[2][1]))
end

"The largest p-value, in 1/unit, significant at this false-discovery rate (Döhler et al. 2018), or 0."
function step_up(x::Tests, fdr::Ratio)
    largest, total = limit(x, (fdr[1] * x.one, fdr[2])), Sum(x)
    for (t, position, k) in candidates(x, largest)
        at!(total, position, largest) * fdr[2] <= fdr[1] * k * x.one && return t
    end
    return big(0)
end

"The smallest false-discovery rate at which each test is significant; 1 if there is none below 1."
function adjusted(x::Tests)
    total, bound, best, rates = Sum(x), Bound(x), Ratio((x.one, 1)), Dict{BigInt,Ratio}()
    for (t, position, k) in candidates(x, length(x.odds))
        best = smallest_rate(total, bound, position, k, best)
        rates[t] = (best[1], best[2] * x.one)
    end
    return Ratio[get(rates, t, (1, 1)) for t in x.p]
end

"""
The least q with t <= limit(q) and sum F(t)/(1 - F(limit(q))) <= q k; `best` if that q is not smaller.

q and `best` in units of 1/one; t: a position; k: the number of p-values up to it.
"""
function smallest_rate(total::Sum, bound::Bound, t::Int, k::Int, best::Ratio)
    tests = total.tests
    low, unit = integer_ratio(rate(bound, t, k, Float64(best[1] / (best[2] * tests.one))))
    # a lower bound of the least q, as F(limit) >= F(t); the least q is reached once the limit stays the same
    q, last = Ratio((max(tests.odds[t], low * k * tests.one ÷ unit), k)), -1
    while q[1] * best[2] < best[1] * k
        position = limit(tests, q)
        position == last && return q
        q, last = Ratio((at!(total, t, position), k)), position
    end
    return best
end

end

using .Fisher: Pair, Tests, adjusted, step_up

# --- changes ----------------------------------------------------------------------------------------

const MOST_TESTED_TRIALS = 10^4  # largest number of trials of a question in one run
const MOST_TESTING_WORK = 2 * 10^8  # largest sum of n n' over different tests: n p-values have about n' bits

"""
    changes(old, new; fdr=0.05, alternative="two-sided", missing=:raise)
        -> (question, c_old, n_old, c_new, n_new, p_value, p_adjusted, status) of each question

Questions that regressed or improved between two runs, at a false-discovery rate.

- `old`, `new`: binary outcomes before and after, M×N or `Counts`, of the same questions. The numbers of trials may
  differ, up to 10^4.
- `fdr`: false-discovery rate, the expected share of the questions named "regressed" or "improved" that did not change,
  or changed in the other direction.
- `alternative`: "two-sided", or "regressed": look for regressions alone, with more power.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions without a trial in one of the runs are left out.

For each question with trials before and after, in order: `question`, its index; `c_old` of `n_old` trials succeeded
before, `c_new` of `n_new` after. `p_value`: that of Fisher's exact test of equal success rates; `p_adjusted`: the
smallest fdr at which the question would be "regressed" or "improved", 1 if there is none. `status`: "regressed" or
"improved" at this fdr; else "newly flaky" (trials agreed before, but not after), "no longer flaky" (the reverse),
"flaky" (they agreed neither before nor after), "undecided" (they agreed before and after, on different outcomes),
"stable" (all had the same outcome). A single trial does not show whether a question is flaky: if the other run has both
outcomes, the question is "flaky".

Throws `InvalidInput` for anything wrong with the arguments; no_trials: no question has trials before and after; range:
more than 10^4 trials, or n n' summed over the tests that differ in n, n' or all successes is above 2 10^8. Source:
spec/families/changes.md: the step-up procedure of Döhler, Durand and Roquain (2018) for the discrete p-values of
Fisher's tests. The rate is controlled for any number of trials if all trials are independent, within and between
questions. With one trial before and after every p-value is at least 1/2: no question can be named, and
[`compare`](@ref) says whether the average changed.

# Examples
```jldoctest
julia> old, new = (Counts(c, fill(8, 6)) for c in ([8, 8, 7, 4, 8, 0], [0, 8, 2, 4, 3, 6]));

julia> Tuple((x.question, x.status, round(x.p_adjusted, digits=4)) for x in Items.changes(old, new) if x.p_adjusted < 1)
((1, "regressed", 0.0003), (3, "regressed", 0.024), (5, "regressed", 0.0184), (6, "improved", 0.0044))
```
"""
function changes(old, new; fdr = 0.05, alternative = "two-sided", missing = :raise)
    level = Arguments.confidence(fdr, 0.0, "fdr")
    one_sided = Arguments.choice(alternative, "alternative", ("two-sided", "regressed")) == "regressed"
    indices, pairs = before_and_after(old, new, missing)
    check_testing_work(pairs)
    tests = Tests(pairs, one_sided)
    threshold, adjusted_p = step_up(tests, integer_ratio(level)), adjusted(tests)
    return Results{:Change}(map(eachindex(pairs)) do i
        x, p = pairs[i], tests.p[i]
        (
            question = indices[i], c_old = x.c_old, n_old = x.n_old, c_new = x.c_new, n_new = x.n_new,
            p_value = value(from_ratio(p, tests.unit)), p_adjusted = value(from_ratio(adjusted_p[i])),
            status = status(x, p <= threshold),
        )
    end)
end

"Indices of the questions that have trials before and after, with their successes and trials."
function before_and_after(old, new, missing)
    names = ("old", "new")
    counts = map((old, new), names) do x, name
        check_flat(x, name)
        count_outcomes(x, 1, missing; name = name)
    end
    a, b = pair_questions(Any[counts...], names, i -> names[i], missing)
    M = questions(a)
    a, b, dropped = common_questions(a, b, "old", "old and new")
    for (x, name) in ((a, "old"), (b, "new"))
        largest = maximum(x.trials)
        largest <= MOST_TESTED_TRIALS || refuse(
            "range", name, "a question of ", name, " has ", largest, " trials, more than the ", MOST_TESTED_TRIALS,
            " of an exact test",
        )
    end
    columns = (a.category_counts[:, 1], a.trials, b.category_counts[:, 1], b.trials)
    return setdiff(1:M, dropped), Pair[Pair(x) for x in zip(columns...)]
end

"Refuse tests that would take minutes: those with the same trials and successes in all are one test."
function check_testing_work(pairs)
    work = sum(n * m for (n, m, _) in Set((x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs))
    work <= MOST_TESTING_WORK || refuse(
        "range", "old", "trials of old times trials of new, summed over different tests, is ", work, ", more than the ",
        MOST_TESTING_WORK, " of exact tests: test fewer questions or trials at once",
    )
end

"Status of a question: its change if significant, else how its outcomes vary before and after."
function status(x, significant)
    old_rate, new_rate = widemul(x.c_old, x.n_new), widemul(x.c_new, x.n_old)  # rates times n_old n_new
    significant && return old_rate > new_rate ? "regressed" : "improved"
    mixed_before, mixed_after = 0 < x.c_old < x.n_old, 0 < x.c_new < x.n_new
    mixed_before || mixed_after || return old_rate == new_rate ? "stable" : "undecided"
    mixed_before && mixed_after && return "flaky"
    (mixed_before ? x.n_new : x.n_old) == 1 && return "flaky"  # a single trial cannot be mixed
    return mixed_before ? "no longer flaky" : "newly flaky"
end
