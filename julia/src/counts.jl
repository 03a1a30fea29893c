# Counts: what is left of the outcomes once they are read. Exact integers, mergeable, saveable.

"Exact sums over the questions that had n trials each."
struct Group
    n::Int
    M::Int
    sums::Vector{BigInt}   # sums[j+1] = sum over questions of n_j
    pairs::Matrix{BigInt}  # pairs[j+1, l+1] = sum over questions of n_j n_l, j < l
end

"Distinct (trials, successes), increasing, and how many questions share each."
struct States
    n::Vector{Int}
    c::Vector{Int}
    mult::Vector{Int}
end

"What was found out about counts when it was first asked for."
mutable struct Known
    states::Union{Nothing,States}
    groups::Union{Nothing,Vector{Group}}
end

const LARGEST_COUNT = 2^53 - 1

"""
    Counts(table; absent=nothing)
    Counts(c, n)

How often each question got each category: all that any metric needs to know of R.

- `table`: an M×(C+1) matrix of integers, column j+1 for category j; a question's trials are below 2^53.
- `absent`: a vector of length M: outcomes of each question that were missing and, by a stated policy, dropped.
- `c`, `n`: vectors of length M: successes and trials of each question.

Made by these or by [`tally`](@ref); accepted wherever R is. `a + b` joins the trials of the same questions. Fields:
`above` (M×C, the counts of the categories 1..C), `trials`, `absent`, `missing` (the sum of `absent`).
`Scorio.table(counts)` is the whole table; `Scorio.save_counts(path, counts)` and `Scorio.load_counts(path)` use the CSV
format of the Python package. Throws `InvalidInput`: type, shape, empty, length, range.

# Examples
```jldoctest
julia> Counts([2, 0, 3], [4, 4, 3])
Counts(3 questions, 3..4 trials, categories 0..1)
```
"""
struct Counts
    above::Matrix{Int}
    trials::Vector{Int}
    absent::Vector{Int}
    missing::Int
    known::Known
    "From arrays that are known to fit together."
    Counts(above::Matrix{Int}, trials::Vector{Int}, absent::Vector{Int}) =
        new(above, trials, absent, sum(absent), Known(nothing, nothing))
end

function Counts(table; absent = nothing)
    t = whole_numbers(table, "table", 2)
    M, width = size(t)
    lost = absent === nothing ? zeros(Int, M) : whole_numbers(absent, "absent", 1)
    length(lost) == M || refuse("length", "absent", "absent has ", length(lost), " entries for ", M, " questions")
    trials = zeros(Int, M)
    for j in 1:width, i in 1:M
        trials[i] = min(trials[i] + t[i, j], LARGEST_COUNT + 1)
    end
    return within_limit(Counts(width == 1 ? zero(t) : t[:, 2:end], trials, lost))
end

function within_limit(counts)
    i = findfirst(>(LARGEST_COUNT), counts.trials)
    i === nothing || refuse("range", "table", "question ", i, " has more than 2^53 - 1 trials in its table")
    return counts
end

function Counts(c, n)
    right, trials = whole_numbers(c, "c", 1), whole_numbers(n, "n", 1)
    M = length(right)
    length(trials) == M || refuse("length", "n", "n has ", length(trials), " entries, c has ", M)
    for i in 1:M
        right[i] <= trials[i] || refuse("range", "c", "c[$i] = $(right[i]) is not in 0..n[$i] = $(trials[i])")
    end
    return Counts(reshape(right, M, 1), trials, zeros(Int, M))
end

"Counts from the caller as a new array of Int."
function whole_numbers(x, name, dims)
    x isa AbstractArray || refuse("type", name, name, " must be an array of integers, not ", shown(x))
    ndims(x) == dims || refuse("shape", name, name, " must be ", dims, "-D, not ", ndims(x), "-D")
    isempty(x) && refuse("empty", name, name, " of size ", size(x), " holds no counts")
    found = Array{Int}(undef, size(x))
    for (place, (index, item)) in enumerate(pairs(IndexCartesian(), x))
        item isa Integer && !(item isa Bool) || refuse("type", name, name, " must hold integers, not ", shown(item))
        0 <= item <= LARGEST_COUNT ||
            refuse("range", name, name, "[", join(Tuple(index), ", "), "] = ", item, " is not a count in 0..2^53 - 1")
        found[place] = item
    end
    return found
end

"Number of questions."
questions(counts::Counts) = size(counts.above, 1)

"Largest category."
largest_category(counts::Counts) = size(counts.above, 2)

"Counts of all categories 0..C, an M×(C+1) matrix."
function table(counts::Counts)
    M, C = size(counts.above)
    t = Matrix{Int}(undef, M, C + 1)
    for i in 1:M
        t[i, 1] = counts.trials[i]
    end
    for j in 1:C, i in 1:M
        t[i, j+1] = counts.above[i, j]
        t[i, 1] -= counts.above[i, j]
    end
    return t
end

"The counts of some of the questions, at least one; keep is a mask of length M or a vector of indices."
function select(counts::Counts, keep)
    M = questions(counts)
    good = keep isa AbstractVector{Bool} ? length(keep) == M : keep isa AbstractVector{<:Integer} && all(in(1:M), keep)
    good || refuse("range", "keep", "keep does not choose among ", M, " questions: ", shown(keep))
    any(keep .!= 0) || refuse("empty", "keep", "keep chooses no question")
    return Counts(counts.above[keep, :], counts.trials[keep], counts.absent[keep])
end

"The same counts with categories up to C."
function padded(counts::Counts, C)
    C <= largest_category(counts) && return counts
    above = zeros(Int, questions(counts), C)
    copyto!(above, counts.above)
    return Counts(above, counts.trials, counts.absent)
end

function Base.:+(a::Counts, b::Counts)
    M, other = questions(a), questions(b)
    M == other || refuse("shape", "other", "counts of ", M, " and of other ", other, " questions cannot be added")
    x, y = padded(a, largest_category(b)), padded(b, largest_category(a))
    return within_limit(Counts(x.above + y.above, x.trials + y.trials, x.absent + y.absent))
end

Base.:(==)(a::Counts, b::Counts) = a.above == b.above && a.trials == b.trials
Base.hash(a::Counts, h::UInt) = hash(a.above, hash(a.trials, h))

function Base.show(io::IO, counts::Counts)
    low, high = extrema(counts.trials)
    print(io, "Counts(", questions(counts), " questions, ", low == high ? low : "$low..$high", " trials, ")
    print(io, "categories 0..", largest_category(counts), counts.missing == 0 ? ")" : ", $(counts.missing) missing)")
end

"Write as CSV, one question a line: columns n0..nC and missing."
function save_counts(path, counts::Counts)
    rows = hcat(table(counts), counts.absent)
    open(path, "w") do io
        println(io, join(("n$j" for j in 0:largest_category(counts)), ","), ",missing")
        foreach(i -> println(io, join(view(rows, i, :), ",")), axes(rows, 1))
    end
end

"Read what `save_counts`, or Python's `Counts.save`, wrote."
function load_counts(path)
    no(what...) = refuse("format", "path", path, " was not written by save_counts: ", what...)
    lines = readlines(path)
    header = isempty(lines) ? SubString{String}[] : split(lines[1], ",")
    width = length(header)
    width >= 2 && header == [["n$j" for j in 0:width-2]; "missing"] || no("the first line is not n0,n1,...,missing")
    rows = Vector{Int}[]
    for (i, line) in enumerate(lines[2:end])
        cells = [tryparse(Int, cell) for cell in split(line, ",")]
        any(isnothing, cells) && no("line ", i + 1, " holds more than integers: ", line)
        length(cells) == width || no("line ", i + 1, " has ", length(cells), " columns under ", width, " names")
        push!(rows, cells)
    end
    isempty(rows) && no("it holds no question")
    return Counts([row[j] for row in rows, j in 1:width-1]; absent = last.(rows))
end

# --- what the metrics ask for ---------------------------------------------------------------------

"Distinct (n, c) of binary outcomes."
function states(counts::Counts)
    found = counts.known.states
    found === nothing || return found
    return counts.known.states = states_of(counts.trials, counts.above[:, 1])
end

"Exact first and second moments of the counts, one group for each number of trials, increasing."
function groups(counts::Counts)
    found = counts.known.groups
    found === nothing || return found
    largest_category(counts) == 1 && return counts.known.groups = binary_groups(states(counts))
    each = sort!(unique(counts.trials))
    return counts.known.groups =
        [group(n, length(each) == 1 ? counts : select(counts, counts.trials .== n)) for n in each]
end

function binary_groups(s)
    found = Group[]
    for i in eachindex(s.n)
        n, c, m = s.n[i], s.c[i], s.mult[i]
        M, right, pairs = 0, big(0), big(0)
        if !isempty(found) && last(found).n == n
            g = pop!(found)
            M, right, pairs = g.M, g.sums[2], g.pairs[1, 2]
        end
        M, right, pairs = M + m, right + big(m) * c, pairs + big(m) * c * (n - c)
        products = fill(big(0), 2, 2)
        products[1, 2] = pairs
        push!(found, Group(n, M, [big(n) * M - right, right], products))
    end
    return found
end

function group(n, counts)
    t = table(counts)
    M, width = size(t)
    fits = big(n)^2 * M <= typemax(Int)  # else the pair sums may leave 64 bits
    pairs = fill(big(0), width, width)
    for l in 2:width, j in 1:l-1
        pairs[j, l] = fits ? pair_sum(view(t, :, j), view(t, :, l)) : sum(big.(t[:, j]) .* t[:, l])
    end
    return Group(n, M, BigInt[sum(view(t, :, j)) for j in 1:width], pairs)
end

function pair_sum(x, y)
    total = 0
    @inbounds @simd for i in eachindex(x, y)
        total += x[i] * y[i]
    end
    return total
end

"Distinct pairs (n, c), increasing, with multiplicities; and which of them each entry is."
function distinct(n::Vector{Int}, c::Vector{Int})
    order = sortperm(keys_of(n, c))
    found, index = States(Int[], Int[], Int[]), similar(order)
    for i in order
        if isempty(found.n) || last(found.n) != n[i] || last(found.c) != c[i]
            push!(found.n, n[i])
            push!(found.c, c[i])
            push!(found.mult, 0)
        end
        found.mult[end] += 1
        index[i] = length(found.n)
    end
    return found, index
end

"Integers in the order of the pairs (n, c)."
function keys_of(n, c)
    width = big(maximum(c)) + 1
    (big(maximum(n)) + 1) * width > typemax(Int) && return [big(n[i]) * width + c[i] for i in eachindex(n)]
    step = Int(width)
    return [n[i] * step + c[i] for i in eachindex(n)]
end

"The states of `distinct` alone; by counting where all n are one and small."
function states_of(n::Vector{Int}, c::Vector{Int})
    highest = maximum(c)
    (minimum(n) == maximum(n) && highest <= 4 * length(n) + 1024) || return distinct(n, c)[1]
    mult, found = zeros(Int, highest + 1), States(Int[], Int[], Int[])
    for x in c
        mult[x+1] += 1
    end
    for x in 0:highest
        mult[x+1] == 0 && continue
        push!(found.n, n[1])
        push!(found.c, x)
        push!(found.mult, mult[x+1])
    end
    return found
end
