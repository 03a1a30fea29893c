# The plain average: its parts as exact fractions of integers.

module Means

using ..Scorio: Counts, Group, ends, groups, largest_category, questions, sorted, states, table
using ..Rationals: Ratio, from_ratio, total, whole
using ..DoubleDouble: ONE, Triple, ZERO, ext, product
using ..DoubleDouble.Called: add, div, mul, sub
using ..DegreesOfFreedom: error_of_sum, of_scores
using ..Variance: Parts

const Fraction = Rational{BigInt}

"Scores w_j = (low + u_j span) / unit with u_j = U_j / span in [0, 1]; equal scores are all 0."
struct Scale
    U::Vector{BigInt}
    span::BigInt
    low::BigInt
    unit::BigInt
end

"Scores as integers 0..span."
function scale(w)
    W, unit = whole(w)
    low, high = ends(W)
    return Scale(W .- low, max(high - low, big(1)), low, unit)
end

"Exact sums over the questions, x_i the mean of u over the trials of a question; every question has one."
struct Sums
    M::Int
    theta::Ratio
    trials::Ratio  # sum of v, the variances of the x
    dev::Ratio  # sum of (x - theta)^2 M/(M-1)
    alone::Ratio  # the part of the questions with one trial
    spreads::Vector{Tuple{BigInt,BigInt}}  # by n > 1: sum over pairs of trials of (U - U')^2
    groups::Vector{Group}
end

const Moments = NTuple{4,BigInt}

"The exact sums of scores U_j / span."
function sums(counts::Counts, U, span)
    by_n = groups(counts)
    M, each = questions(counts), Moments[moments(g, U) for g in by_n]
    x, d = total(Ratio[(g, n) for (n, g, _, _) in each])  # the sum of x is x / (d span)
    q, e = total(Ratio[(n * square - spread, n * n) for (n, _, square, spread) in each])  # of x^2: q / (e span^2)
    below = max(M - 1, 1)
    dev = (q * d * d * M - x * x * e, e * d * d * below * span * span)
    spreads = Tuple{BigInt,BigInt}[]
    for (n, _, _, spread) in each
        n > 1 && push!(spreads, (n, spread))
    end
    alone = (big(0), big(1))
    if by_n[1].n == 1  # sum of (x_i - theta)^2 over these, times M/(M-1)
        _, g, square, spread = each[1]
        rest = (square - spread) * d * d * M * M - 2 * x * d * M * g + by_n[1].M * x * x
        alone = (rest, d * d * M * below * span * span)
    end
    within = Ratio[(spread, n * n * (n - 1) * span * span) for (n, spread) in spreads]
    trials = alone[1] != 0 || isempty(within) ? total([within; [alone]]) : total(within)
    return Sums(M, (x, d * M * span), trials, dev, alone, spreads, by_n)
end

"(n, sum of U, sum of U^2, sum over pairs of trials of (U - U')^2) over the questions of a group."
function moments(g, U)
    x, square, spread = big(0), big(0), big(0)
    for j in eachindex(U)
        x += U[j] * g.sums[j]
        square += U[j] * U[j] * g.sums[j]
        for l in j+1:length(U)
            U[j] == U[l] || (spread += (U[j] - U[l])^2 * g.pairs[j, l])
        end
    end
    return big(g.n), x, square, spread
end

"Sum of n v: the variances of a single trial."
single_trials(a, span) =
    Fraction(total([Ratio[(spread, n * (n - 1) * span * span) for (n, spread) in a.spreads]; [a.alone]])...)

"Rounded to double-double."
function parts(a, by_law)
    (x, d), ones = a.theta, a.groups[1].n == 1
    fewest = big(a.groups[1].n)
    return Parts(
        a.M, 1, from_ratio(x, d), from_ratio(d - x, d), from_ratio(a.trials), from_ratio(a.dev),
        from_ratio(big(1), fewest^2), from_ratio(big(1), fewest), ones && length(a.groups) == 1, ones, ones, by_law,
    )
end

"The average in units of w."
function point(a, s)
    x, d = a.theta
    return x * s.span + s.low * d, d * s.unit
end

"sum_j U_j n_j of every question, exact: as Int where these hold it."
function scores(counts, U)
    wide = maximum(U) * counts.most >= big(2)^62
    return wide ? totals(table(counts), U) : totals(table(counts), Int.(U))
end

function totals(t, U::Vector{T}) where {T}
    x = fill(zero(T), size(t, 1))
    for j in eachindex(U), i in eachindex(x)
        x[i] += U[j] * t[i, j]
    end
    return x
end

"theta_A - theta_B."
difference(a, b) = Fraction(a.theta...) - Fraction(b.theta...)

"Sum over questions of (x_A - x_B - D)^2, from exact sums within each pair of trial numbers."
function spread(A, B, U, span, D)
    a, b, square = scores(A, U), scores(B, U), Fraction(0)
    rows = Dict{Tuple{Int,Int},Vector{Int}}()
    for (i, key) in enumerate(zip(A.trials, B.trials))
        push!(get!(() -> Int[], rows, key), i)
    end
    for ((n, m), kept) in rows
        x, y, n, m = a[kept], b[kept], big(n), big(m)
        if length(kept) * (maximum(U) * max(n, m))^2 >= big(2)^62
            x, y = BigInt.(x), BigInt.(y)
        end
        xx, xy, yy = products(x, x), products(x, y), products(y, y)
        square += Fraction(xx * m * m - 2 * xy * n * m + yy * n * n, (n * m * span)^2)
    end
    return square - questions(A) * D * D
end

function products(x, y)
    total = zero(eltype(x))
    for i in eachindex(x, y)
        total += x[i] * y[i]
    end
    return big(total)
end

"The distinct mean scores of questions as fractions, by trials and sum, and which of them each question has."
function exact_values(counts, U, span)
    place, which, pairs = Dict{Tuple{Int,BigInt},Int}(), Int[], Ratio[]
    for (n, x) in zip(counts.trials, scores(counts, U))
        at = get!(place, (n, big(x))) do
            push!(pairs, (big(x), n * span))
            return length(pairs)
        end
        push!(which, at)
    end
    return pairs, which
end

"The same, rounded."
function state_values(counts, U, span)
    pairs, which = exact_values(counts, U, span)
    return Triple[from_ratio(x) for x in pairs], which
end

"The variance of the sum of v, the variances of the questions' means; of a single trial v is its deviation."
function trials_error(counts, U, span, p)
    u, v, e = Triple[from_ratio(x, span) for x in U], Triple[], Triple[]
    rows, mult = largest_category(counts) == 1 ? binary_rows(states(counts)) : distinct_rows(table(counts))
    for row in rows
        n, x = trials_of(row), variance_of_mean(row, u, p)
        push!(v, x)
        push!(e, n == 1 ? mul(x, x) : of_scores(n, row, u, x))
    end
    return error_of_sum(v, e, mult, p.M, p.some_single)
end

"The distinct rows of a table, increasing, and how often they occur."
function distinct_rows(t)
    rows = Dict{Vector{Int},Int}()
    for i in axes(t, 1)
        row = t[i, :]
        rows[row] = get(rows, row, 0) + 1
    end
    found = sort!(collect(keys(rows)))
    return found, Int[rows[row] for row in found]
end

"The same of 0 and 1, from their states."
function binary_rows(s)
    failed = s.n - s.c
    order = sorted((i, j) -> (failed[i], s.c[i]) < (failed[j], s.c[j]), length(failed))
    return Vector{Int}[Int[failed[i], s.c[i]] for i in order], s.mult[order]
end

trials_of(counts) = foldl(+, counts)

"Sum of (score - mean)^2 / (n (n-1)); of a single trial its squared deviation from theta, times M/(M-1)."
function variance_of_mean(counts, u, p)
    n, x, total = trials_of(counts), ZERO, ZERO
    for j in eachindex(counts)
        x = add(x, mul(u[j], ext(counts[j])))
    end
    x = div(x, ext(n))
    if n == 1
        d = sub(x, p.theta)
        return mul(mul(d, d), p.M > 1 ? div(ext(p.M), ext(p.M - 1)) : ONE)
    end
    for j in eachindex(counts)
        d = sub(u[j], x)
        total = add(total, mul(mul(d, d), ext(counts[j])))
    end
    return div(total, product(n, n - 1))
end

end
