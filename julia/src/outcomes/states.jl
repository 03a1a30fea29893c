# Distinct states of questions, and exact sums of counts, which the metrics are computed from.
#
# The state of a question with binary outcomes is its pair (trials, successes).

# --- counts of many categories of which each question has few: only those that occur ----------------

const MAX_DENSE = 64  # with more categories than 0..MAX_DENSE, metrics read only the counts that are not 0

"The categories that each question has, and how often: question i has those at start[i]:start[i+1]-1."
struct Cells
    start::Vector{Int}
    category::Vector{Int}  # increasing for each question
    times::Vector{Int}  # positive
end

"The indices of the cells of question i."
of_question(x::Cells, i) = x.start[i]:x.start[i+1]-1

"The number of questions."
questions(x::Cells) = length(x.start) - 1

"Cells of no question, to which push_cell!() and end_question!() add one question after the other."
no_cells() = Cells([1], Int[], Int[])

function push_cell!(x::Cells, category, times)
    push!(x.category, category)
    push!(x.times, times)
end

"End the cells of a question."
end_question!(x::Cells) = push!(x.start, length(x.category) + 1)

"A matrix M × C of counts of the categories 1..C, of which only the counts that are not 0 are stored."
struct Sparse <: AbstractMatrix{Int}
    cells::Cells
    C::Int
end

Base.size(x::Sparse) = (questions(x.cells), x.C)

function Base.getindex(x::Sparse, i::Int, j::Int)
    at = of_question(x.cells, i)
    t = searchsortedfirst(view(x.cells.category, at), j) + first(at) - 1
    return t <= last(at) && x.cells.category[t] == j ? x.cells.times[t] : 0
end

"Create from a matrix."
function Sparse(x::AbstractMatrix)
    cells = no_cells()
    for i in axes(x, 1)
        for j in axes(x, 2)
            x[i, j] == 0 || push_cell!(cells, j, x[i, j])
        end
        end_question!(cells)
    end
    return Sparse(cells, size(x, 2))
end

"The counts of the categories of one question: the categories in any order, 0 is left out."
function push_categories!(cells, categories)
    sort!(categories)
    for (t, q) in enumerate(categories)
        q == 0 && continue
        if t > 1 && categories[t-1] == q
            cells.times[end] += 1
        else
            push_cell!(cells, q, 1)
        end
    end
    end_question!(cells)
end

"All counts, those that are 0 too."
function matrix(x::Sparse)
    out = zeros(Int, size(x))
    for i in axes(out, 1), t in of_question(x.cells, i)
        out[i, x.cells.category[t]] = x.cells.times[t]
    end
    return out
end

"The rows with these indices; an index of 0 is a row of zeros."
function rows_of(x::Sparse, rows)
    out = no_cells()
    for i in rows
        for t in (i == 0 ? (1:0) : of_question(x.cells, i))
            push_cell!(out, x.cells.category[t], x.cells.times[t])
        end
        end_question!(out)
    end
    return Sparse(out, x.C)
end

Base.:(==)(x::Sparse, y::Sparse) =
    x.C == y.C && x.cells.start == y.cells.start && x.cells.category == y.cells.category && x.cells.times == y.cells.times

function Base.:+(x::Sparse, y::Sparse)
    a, b, out = x.cells, y.cells, no_cells()
    for i in 1:questions(a)
        s, t = a.start[i], b.start[i]
        while s < a.start[i+1] || t < b.start[i+1]
            p = s < a.start[i+1] ? a.category[s] : typemax(Int)
            q = t < b.start[i+1] ? b.category[t] : typemax(Int)
            push_cell!(out, min(p, q), (p <= q ? a.times[s] : 0) + (q <= p ? b.times[t] : 0))
            s, t = s + (p <= q), t + (q <= p)
        end
        end_question!(out)
    end
    return Sparse(out, x.C)
end

"The counts of the categories 0..C of questions with so many trials."
function with_category_0(x::Sparse, trials)
    out = no_cells()
    for i in eachindex(trials)
        zeros = trials[i]
        for t in of_question(x.cells, i)
            zeros -= x.cells.times[t]
        end
        zeros == 0 || push_cell!(out, 0, zeros)
        for t in of_question(x.cells, i)
            push_cell!(out, x.cells.category[t], x.cells.times[t])
        end
        end_question!(out)
    end
    return out
end

# --- states -----------------------------------------------------------------------------------------

using .Counting: append_digits!, limits, looked_up, pair_counts, pair_sum, place_counts!

"Exact sums over the questions that have n trials each."
struct Group
    n::Int
    M::Int  # number of these questions
    sums::Vector{BigInt}   # sums[j+1] = sum over questions of n_j, the trials in category j
    pairs::Matrix{BigInt}  # pairs[j+1, l+1] = sum over questions of n_j n_l, j < l
end

"The sums of U and of U^2 over all trials, and of (U - U')^2 over pairs of trials of a question; U: scores."
function moments(g::Group, U)
    x, square, spread = big(0), big(0), big(0)
    for j in 1:min(length(U), length(g.sums))
        x += U[j] * g.sums[j]
        square += U[j] * U[j] * g.sums[j]
        for l in j+1:min(length(U), length(g.sums))
            U[j] == U[l] || (spread += (U[j] - U[l])^2 * g.pairs[j, l])
        end
    end
    return x, square, spread
end

"The largest difference of U between two trials of a question."
function largest_range(g::Group, U)
    largest, size = big(0), min(length(U), length(g.sums))
    for j in 1:size, l in j+1:size
        g.pairs[j, l] == 0 || (largest = max(largest, abs(U[j] - U[l])))
    end
    return largest
end

"The questions that have n trials each, of many categories: a Group whose sums are computed for given scores."
struct SparseGroup
    n::Int
    M::Int
    rows::Vector{Int}
    cells::Cells
end

const Groups = Union{Vector{Group},Vector{SparseGroup}}

# The last sum is, of each question, n times the sum of squares less the sum squared.
function moments(g::SparseGroup, U)
    x, square, squares_of_sums = big(0), big(0), big(0)
    for i in g.rows
        one, two = score_sums(g.cells, i, U)
        x += one
        square += two
        squares_of_sums += one * one
    end
    return x, square, g.n * square - squares_of_sums
end

function largest_range(g::SparseGroup, U)
    largest = big(0)
    for i in g.rows
        low, high = ends(U[g.cells.category[of_question(g.cells, i)].+1])
        largest = max(largest, high - low)
    end
    return largest
end

"The sums of U and of U^2 over the trials of question i."
function score_sums(cells, i, U)
    x, square = big(0), big(0)
    for t in of_question(cells, i)
        u = U[cells.category[t]+1]
        y = u * cells.times[t]
        x += y
        square += y * u
    end
    return x, square
end

"Distinct (trials, successes), increasing, and the number of questions with each."
struct States
    n::Vector{Int}
    c::Vector{Int}
    mult::Vector{Int}
end

"The groups of binary outcomes from their states."
function binary_groups(s)
    out, start = Group[], 1
    for i in eachindex(s.n)
        i < length(s.n) && s.n[i+1] == s.n[i] && continue
        push!(out, binary_group(s.n[i], s.c[start:i], s.mult[start:i]))
        start = i + 1
    end
    return out
end

"The group of questions with n trials each; mult[i] of the questions have c[i] successes."
function binary_group(n, c, mult)
    M = sum(mult)
    successes, pairs = big(n)^2 * M <= typemax(Int) ? sums(Int, n, c, mult) : sums(BigInt, n, c, mult)
    products = fill(big(0), 2, 2)
    products[1, 2] = pairs
    return Group(n, M, [big(n) * M - successes, successes], products)
end

"The sums over questions of c, and of c (n - c)."
function sums(::Type{T}, n, c, mult) where {T}
    successes, pairs = zero(T), zero(T)
    for i in eachindex(c, mult)
        successes += T(mult[i]) * c[i]
        pairs += T(mult[i]) * c[i] * (n - c[i])
    end
    return successes, pairs
end

"The group of questions with n trials each; narrow[i, j] trials of question i are in category j."
function group(n, narrow)
    M, C = size(narrow)
    if big(n)^2 * M > typemax(Int)  # the sums may not fit 64 bits
        narrow = big.(narrow)
    end
    sums, pairs = fill(big(n) * M, C + 1), fill(big(0), C + 1, C + 1)
    for l in 1:C
        sums[l+1] = pair_sum(narrow, l)
        sums[1] -= sums[l+1]
        for j in 1:l
            x = big(pair_sum(narrow, j, l))
            pairs[j+1, l+1] = x
            pairs[1, l+1] -= x  # n_0 is n minus the other counts
            j < l && (pairs[1, j+1] -= x)
        end
        pairs[1, l+1] += n * sums[l+1]
    end
    return Group(n, M, sums, pairs)
end

"Distinct rows of columns of equal length, increasing, with multiplicities; and the index of each row among them."
function distinct_rows(columns::Vector{Vector{Int}})
    keys, size = keys_of(columns)
    mult, index = index_distinct(keys, size)
    row = zeros(Int, length(mult))
    for i in eachindex(index)
        row[index[i]] = i
    end
    return [x[row] for x in columns], mult, index
end

"Distinct pairs (n, c), increasing, with multiplicities; and the index of each entry among them."
function distinct(n::Vector{Int}, c::Vector{Int})
    (x, y), mult, index = distinct_rows([n, c])
    return States(x, y, mult), index
end

"An integer in 0..size-1 for each row of these columns, in the same order as the rows; and size."
function keys_of(columns)
    keys, size = zeros(Int, length(columns[1])), 1
    for x in columns
        low, high = limits(x)
        width = high - low + 1
        if widemul(size, width) > typemax(Int)
            keys = index_distinct(keys, size)[2]
            x, size = index_distinct(x .- low, width)[2], maximum(keys) + 1
            low, width = 0, maximum(x) + 1
        end
        append_digits!(keys, x, low, width)
        size *= width
    end
    return keys, size
end

"Multiplicities of the distinct keys 0..size-1, and the index of each among them; by a table of keys if these are few."
function index_distinct(keys, size)
    size <= 4 * length(keys) + 1024 || return index_by_sorting(keys)
    table, mult = zeros(Int, size), Int[]
    place_counts!(table, keys, eachindex(keys))
    for key in eachindex(table)
        table[key] > 0 && push!(mult, table[key])
        table[key] = length(mult)
    end
    return mult, looked_up(table, keys, 1)
end

"Multiplicities of the distinct keys, and the index of each key among them, by sorting."
function index_by_sorting(keys)
    mult, index, last = Int[], similar(keys), 0
    for i in sortperm(keys)
        if isempty(mult) || keys[i] != last
            push!(mult, 0)
        end
        last, index[i] = keys[i], length(mult)
        mult[end] += 1
    end
    return mult, index
end

"Distinct pairs (n, c), increasing, with multiplicities; by counting if all n are equal and c is small."
states_of(n::Vector{Int}, c) = minimum(n) == maximum(n) ? states_of(n[1], c) : distinct(n, c)[1]

function states_of(n::Int, c, top = Int(Counting.highest(c)))
    top <= 4 * length(c) + 1024 || return deferred(distinct)(fill(n, length(c)), Vector{Int}(c))[1]::States
    mult = zeros(Int, top + 1)
    place_counts!(mult, c, eachindex(c))
    return states_from(n, mult)
end

"The states of questions with n trials each; mult[c+1] of them have c successes."
function states_from(n, mult)
    s = States(Int[], Int[], Int[])
    for i in eachindex(mult)
        mult[i] > 0 && push_state!(s, n, i - 1, mult[i])
    end
    return s
end

"Append the state (n, c) of mult questions."
function push_state!(s, n, c, mult)
    push!(s.n, n)
    push!(s.c, c)
    push!(s.mult, mult)
end

"Distinct pairs (a, b) of integers in 0..size-1, as n and c of States; by counting if few pairs are possible."
function joint_states(a, b, size)
    too_many = widemul(size, size) > 4 * length(a) + 4096 || length(a) > typemax(UInt32)
    too_many && return states_of(Vector{Int}(a), Vector{Int}(b))
    if a === b
        s = states_of(0, a, size - 1)
        return States(s.c, s.c, s.mult)
    end
    mult, s = pair_counts(a, b, size), States(Int[], Int[], Int[])
    for x in 0:size-1, y in 0:size-1
        mult[y+1, x+1] > 0 && push_state!(s, x, y, mult[y+1, x+1])
    end
    return s
end
