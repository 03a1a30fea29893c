# Agreement of the ratings of the same items: chance-corrected coefficients, and the interval of Krippendorff's alpha.
# The formulas: spec/families/agreement.md. Computed in exact integers; only the ends of the interval are irrational.
# A row has the ratings of one item, as counts of the categories, which are numbered from 1.

module Raters

using ..Distributions: error_rate, t_quantile
using ..DoubleDouble: Triple, ZERO
using ..Means: Fraction
using ..Rationals: from_ratio

const Row = Vector{Pair{Int,BigInt}}  # category => how often it was chosen
const Scores = Union{Nothing,Vector{BigInt}}  # of the categories; without scores different categories have distance 1

"Distinct rows of ratings, how many items have each, and their disagreement."
struct RatingTable
    rows::Vector{Row}
    items::Vector{BigInt}
    a::Vector{BigInt}  # the disagreement of each row divided by its number of ratings minus 1, in units of 1/unit
    unit::BigInt
    N::Row  # how often each category was chosen in total
    W::Scores
end

"The sum of f(category, count) over a row."
function total(@nospecialize(f), row::Row)
    sum = big(0)
    for (c, k) in row
        sum += f(c, k)::BigInt
    end
    return sum
end

size_of(row::Row) = total((c, k) -> k, row)

"The squared distance of two categories."
distance(W::Scores, c::Int, e::Int)::BigInt = W === nothing ? big(c != e) : (W[c] - W[e])^2

"The sum of the squared distances over all ordered pairs of ratings of a row."
function disagreement(W::Scores, row::Row)
    m = size_of(row)
    W === nothing && return m^2 - total((c, k) -> k^2, row)
    return 2 * (m * total((c, k) -> k * W[c]^2, row) - total((c, k) -> k * W[c], row)^2)
end

"""
Categories of the added items: the rarest, and the most frequent one.

With scores: the end of the scale that is farther from the mean score (both if tied), and the other end.
"""
function extremes(W::Scores, N::Row)
    if W === nothing
        common = N[argmax(last.(N))]
        others = filter(!=(common), N)
        return Int[first(others[argmin(last.(others))])], first(common)
    end
    low, high = argmin(W), argmax(W)
    skew = 2 * total((c, k) -> k * W[c], N) - (W[low] + W[high]) * size_of(N)
    return skew > 0 ? (Int[low], high) : skew < 0 ? (Int[high], low) : (Int[high, low], low)
end

"Build a RatingTable from distinct rows of counts and how many items have each; at least two ratings a row."
function rating_table(frequencies::Dict{Vector{Int},Int}, W::Scores)
    counts = collect(keys(frequencies))
    rows = Row[Row([c => big(k) for (c, k) in enumerate(row) if k > 0]) for row in counts]
    items = BigInt[frequencies[row] for row in counts]
    sizes = BigInt[size_of(row) for row in rows]
    unit = lcm(unique(sizes .- 1))
    a = BigInt[disagreement(W, row) * (unit ÷ (m - 1)) for (row, m) in zip(rows, sizes)]
    N = sum(BigInt.(row) .* k for (row, k) in frequencies)
    return RatingTable(rows, items, a, unit, Row([c => k for (c, k) in enumerate(N) if k > 0]), W)
end

"Krippendorff's alpha; nothing if no two ratings disagree."
function alpha(table::RatingTable)
    expected = disagreement(table.W, table.N)
    expected == 0 && return nothing
    return 1 - Fraction((size_of(table.N) - 1) * sum(table.a .* table.items), table.unit * expected)
end

"""
Sums of a, b, a², a b and b² over the items and an added item with extra/s ratings.

a and b are the A and B of the specification: the disagreement of an item, and its share in the expected one.
"""
function moments(table::RatingTable, extra::Row, s::BigInt)
    N = Row([c => s * k + total((e, m) -> c == e ? m : big(0), extra) for (c, k) in table.N])
    append!(N, [c => k for (c, k) in extra if !(c in first.(table.N))])
    n, expected = size_of(N), disagreement(table.W, N)
    b_of_category = Dict(c => 2 * n * total((e, k) -> k * distance(table.W, c, e), N) - expected for (c, _) in N)
    b_of(row) = total((c, k) -> k * b_of_category[c]::BigInt, row)
    sums = zeros(BigInt, 5)
    for (row, items, a) in zip(table.rows, table.items, table.a)
        b = b_of(row)
        for (i, z) in enumerate((a, b, a * a, a * b, b * b))
            sums[i] += items * z
        end
    end
    added_a = Fraction(disagreement(table.W, extra), s * (size_of(extra) - s))
    added_b = Fraction(b_of(extra), s * n^2)
    added = (added_a, added_b, added_a^2, added_a * added_b, added_b^2)
    units = (table.unit, n^2, table.unit^2, table.unit * n^2, n^4)
    return Fraction[Fraction(y, u) + z for (y, u, z) in zip(sums, units, added)]
end

"Confidence limits of psi = 1 - alpha, by t tests of the mean of a - psi b: the widest over all added items."
function interval(table::RatingTable, confidence::Float64)
    sizes = BigInt[size_of(row) for row in table.rows]
    M, n, squares = sum(table.items), sum(table.items .* sizes), sum(table.items .* sizes .^ 2)
    min_ratings = minimum(sizes)
    t = t_quantile(error_rate(confidence, 2), from_ratio(n^2, squares))
    t_squared = t * t
    factor = from_ratio(M + 1, big(1)) * t_squared / (from_ratio(M, big(1)) + t_squared)
    (rare, other), largest = extremes(table.W, table.N), from_ratio(min_ratings, min_ratings - 1)
    # an added item has squares / n ratings; here they are counted in units of 1 / (2 n)
    added = Row[Row([c => 2 * squares]) for c in rare]
    push!(added, Row([rare[1] => squares, other => squares]))
    ends = [roots(moments(table, row, 2 * n), factor, largest) for row in added]
    return reduce(smaller, first.(ends)), reduce(larger, last.(ends))
end

"The range, within 0..largest, of the psi with (a - psi b)² <= factor (aa - 2 psi ab + psi² bb)."
function roots((a, b, aa, ab, bb), factor::Triple, largest::Triple)
    X, Y, Z = (from_ratio(x) - factor * from_ratio(y) for (x, y) in ((b^2, bb), (a * b, ab), (a^2, aa)))
    P, R = a^2 * bb + b^2 * aa - 2 * a * b * ab, aa * bb - ab^2
    D = factor * (from_ratio(P) - factor * from_ratio(R))  # Y² - X Z
    W = D.hi > 0.0 ? sqrt(D) : ZERO
    low = Z.hi > 0.0 ? Z / (Y + W) : ZERO
    high = X.hi <= 0.0 ? largest : Y.hi >= 0.0 ? (Y + W) / X : Z / (Y - W)
    return smaller(low, largest), smaller(high, largest)
end

smaller(x::Triple, y::Triple) = y >= x ? x : y
larger(x::Triple, y::Triple) = y >= x ? y : x

"Percent agreement, Fleiss' kappa and Gwet's AC1 (these two nothing for one category); items have equal weights."
function unweighted(table::RatingTable)
    sizes = BigInt[size_of(row) for row in table.rows]
    M, unit, agree, shares = sum(table.items), lcm(unique(sizes .* (sizes .- 1))), big(0), Dict{Int,BigInt}()
    for (row, items, m) in zip(table.rows, table.items, sizes)
        agree += items * total((c, k) -> k * (k - 1), row) * (unit ÷ (m * (m - 1)))
        for (c, k) in row
            shares[c] = get(shares, c, big(0)) + items * k * (unit ÷ m)
        end
    end
    percent = Fraction(agree, unit * M)
    length(shares) == 1 && return percent, nothing, nothing
    chance = Fraction(sum(p -> p^2, values(shares)), (unit * M)^2)
    gwet = (1 - chance) / (length(shares) - 1)
    return percent, (percent - chance) / (1 - chance), (percent - gwet) / (1 - gwet)
end

end
