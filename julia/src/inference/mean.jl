# The plain average: its variance components as exact fractions.

module Means

using ..Scorio: Scorio, Cells, Counts, Groups, MAX_DENSE, Sparse, cells_of, distinct_rows, moments, score_sums
using ..Scorio: end_question!, no_cells, push_cell!, ends, groups, largest_category, questions, sort_order
using ..Scorio: state_indices, states, table
using ..Rationals: Ratio, from_ratio, over_common_denominator, total
using ..DoubleDouble: Triple
using ..DegreesOfFreedom: sum_of_squares, variance_of_scores
using ..Variance: Parts

const Fraction = Rational{BigInt}
const FINEST = 2^20  # a difference between two trials below 1/FINEST of the scale counts as that

"Scores w_j = (low + u_j span) / unit with u_j = U_j / span in [0, 1]; if all scores are equal, every U_j is 0."
struct Scale
    U::Vector{BigInt}
    span::BigInt
    low::BigInt
    unit::BigInt
end

"Scores w as integers 0..span, with the unit that restores them."
function scale(w)
    W, unit = over_common_denominator(w)
    low, high = ends(W)
    return Scale(W .- low, max(high - low, big(1)), low, unit)
end

"Exact sums over the questions, x_i the mean of u over the trials of a question; every question has a trial."
struct Sums
    M::Int
    theta::Ratio  # the mean of the x_i
    trials::Ratio  # sum of v, the variances of the x_i over trials
    dev::Ratio  # sum of (x_i - theta)^2 M/(M-1)
    alone::Ratio  # the part of `trials` from questions with one trial
    spreads::Vector{Tuple{BigInt,BigInt}}  # (n, sum over pairs of trials of (U - U')^2), of questions with n > 1 trials
    range::Ratio  # the largest difference of u between two trials of a question, as it counts
    groups::Groups
end

const Moments = NTuple{4,BigInt}

"The exact sums of scores U_j / span."
function sums(counts::Counts, U, span)
    by_n = groups(counts)
    M, each = questions(counts), Moments[(big(g.n), moments(g, U)...) for g in by_n]
    x, d = total(Ratio[(g, n) for (n, g, _, _) in each])  # the sum of the x_i is x / (d span)
    q, e = total(Ratio[(n * square - spread, n * n) for (n, _, square, spread) in each])  # of the x_i^2: q / (e span^2)
    bessel_divisor = max(M - 1, 1)
    dev = (q * d * d * M - x * x * e, e * d * d * bessel_divisor * span * span)
    spreads = Tuple{BigInt,BigInt}[]
    for (n, _, _, spread) in each
        n > 1 && push!(spreads, (n, spread))
    end
    alone = (big(0), big(1))
    if by_n[1].n == 1  # sum of (x_i - theta)^2 over questions with one trial, times M/(M-1)
        _, g, square, spread = each[1]
        part = (square - spread) * d * d * M * M - 2 * x * d * M * g + by_n[1].M * x * x
        alone = (part, d * d * M * bessel_divisor * span * span)
    end
    within = Ratio[(spread, n * n * (n - 1) * span * span) for (n, spread) in spreads]
    trials = alone[1] != 0 || isempty(within) ? total([within; [alone]]) : total(within)
    return Sums(M, (x, d * M * span), trials, dev, alone, spreads, largest_range(by_n, U, span), by_n)
end

"The largest difference of u between two trials of a question, as it counts: 1 if it is 0, and never tiny."
function largest_range(by_n, U, span)
    largest = maximum(Scorio.largest_range(g, U) for g in by_n)
    largest == 0 && return big(1), big(1)
    return largest * FINEST < span ? (big(1), big(FINEST)) : (largest, span)
end

"Sum over questions of n v, the variance of a single trial."
single_trials(a, span) =
    Fraction(total([Ratio[(spread, n * (n - 1) * span * span) for (n, spread) in a.spreads]; [a.alone]])...)

"The variance components of an average, rounded to double-double."
function parts(a, use_mixture)
    (x, d), min_trials = a.theta, big(a.groups[1].n)
    has_single = min_trials == 1  # some question has one trial
    return Parts(
        a.M, 1, from_ratio(x, d), from_ratio(d - x, d), from_ratio(a.trials), from_ratio(a.dev),
        from_ratio(big(1), min_trials^2), from_ratio(big(1), min_trials), from_ratio(a.range),
        has_single && length(a.groups) == 1, has_single, has_single, use_mixture,
    )
end

"The average in units of w."
function point(a, s)
    x, d = a.theta
    return x * s.span + s.low * d, d * s.unit
end

"Exact sums sum_j U_j n_j of the rows of counts, given by columns; in Int where they fit."
function scores(columns, max_trials, U)
    needs_big = maximum(U) * max_trials >= big(2)^62
    return needs_big ? totals(columns, U) : totals(columns, Int.(U))
end

function totals(columns, U::Vector{T}) where {T}
    x = fill(zero(T), length(columns[1]))
    for j in eachindex(U), i in eachindex(x)
        x[i] += U[j] * columns[j][i]
    end
    return x
end

"The difference theta_A - theta_B, exactly."
difference(a, b) = Fraction(a.theta...) - Fraction(b.theta...)

"Sum over questions of (x_A - x_B - D)^2, exact; joint.n and joint.c index the mean scores in a and in b."
function squared_deviations(a, b, joint, D)
    M, largest = foldl(+, joint.mult), maximum(abs(x) for pairs in (a, b) for (x, _) in pairs)
    sums = Dict{Tuple{BigInt,BigInt},Int}()
    pair = [get!(sums, (a[i][2], b[j][2]), length(sums) + 1) for (i, j) in zip(joint.n, joint.c)]
    T = M * largest * largest >= big(2)^62 ? BigInt : Int
    xx, xy, yy = products(T[x for (x, _) in a], T[x for (x, _) in b], joint, pair, length(sums))
    square = Fraction(0)
    for ((n, m), p) in sums
        square += Fraction(xx[p] * m * m - 2 * xy[p] * n * m + yy[p] * n * n, n * n * m * m)
    end
    return square - M * D * D
end

"The sums of x x, x y and y y over the joint states of each pair of denominators."
function products(x::Vector{T}, y::Vector{T}, joint, pair, size) where {T}
    xx, xy, yy = fill(zero(T), size), fill(zero(T), size), fill(zero(T), size)
    for i in eachindex(pair)
        p, s, t, mult = pair[i], x[joint.n[i]], y[joint.c[i]], joint.mult[i]
        xx[p] += s * s * mult
        xy[p] += s * t * mult
        yy[p] += t * t * mult
    end
    return big.(xx), big.(xy), big.(yy)
end

"Mean scores as fractions, of each distinct pair (trials, sum of U), and the index of each question's pair."
function exact_values(counts, U, span)
    if largest_category(counts) == 1 && length(U) == 2
        s = states(counts)
        return Ratio[(U[2] * c + U[1] * (n - c), n * span) for (n, c) in zip(s.n, s.c)], state_indices(counts)
    end
    if largest_category(counts) > MAX_DENSE
        cells = cells_of(counts)
        sums = BigInt[score_sums(cells, i, U)[1] for i in 1:questions(counts)]
        return by_row(counts.trials, sums, 1:questions(counts), span)
    end
    t = table(counts)
    columns, _, row = distinct_rows(Vector{Int}[counts.trials, (t[:, j] for j in axes(t, 2))...])
    return by_row(columns[1], scores(columns[2:end], counts.max_trials, U), row, span)
end

"Mean scores for each distinct pair (trials, sum), and each question's index, from the distinct rows of counts."
function by_row(n, sums, row, span)
    order = sortperm(collect(zip(n, sums)))
    pairs, place, last = Ratio[], similar(order), 0
    for i in order
        (last == 0 || n[i] != n[last] || sums[i] != sums[last]) && push!(pairs, (big(sums[i]), n[i] * span))
        place[i], last = length(pairs), i
    end
    return pairs, place[row]
end

"Round fractions to double-double."
rounded(pairs) = Triple[from_ratio(x) for x in pairs]

"The sum of the squared variances of the questions' means; with one trial a variance is a squared deviation."
function squared_variances(counts, U, span, p)
    n, cells, mult = distinct_questions(counts)
    used = sort!(unique(cells.category))
    cells = Cells(cells.start, Int[searchsortedfirst(used, j) - 1 for j in cells.category], cells.times)
    u = Triple[from_ratio(U[j+1], span) for j in used]  # the score of each category that occurs
    return sum_of_squares(Triple[variance_of_scores(n[i], cells, i, u, p.theta, p.M) for i in eachindex(n)], mult)
end

"The trials and cells of distinct questions, and how often they occur; of many categories each question is distinct."
function distinct_questions(counts)
    largest_category(counts) > MAX_DENSE && return counts.trials, cells_of(counts), ones(Int, questions(counts))
    binary = largest_category(counts) == 1
    return binary ? binary_rows(states(counts)) : table_rows(counts.trials, table(counts))
end

"The trials and cells of the distinct rows of a table, by trials and counts, and how often they occur."
function table_rows(trials, t)
    columns, mult, _ = distinct_rows(Vector{Int}[trials, (t[:, j] for j in axes(t, 2))...])
    return columns[1], cells_of_columns(columns[2:end]), mult
end

"The trials and cells of the distinct rows (failures, successes) of binary counts, and how often they occur."
function binary_rows(s)
    failed = s.n - s.c
    order = sort_order((i, j) -> (s.n[i], failed[i]) < (s.n[j], failed[j]), length(failed))
    return s.n[order], cells_of_columns([failed[order], s.c[order]]), s.mult[order]
end

"The cells of questions whose counts of categories 0, 1, ... are columns."
function cells_of_columns(columns)
    cells = no_cells()
    for i in eachindex(columns[1])
        for (j, x) in enumerate(columns)
            x[i] == 0 || push_cell!(cells, j - 1, x[i])
        end
        end_question!(cells)
    end
    return cells
end

end
