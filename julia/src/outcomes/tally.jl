# Counts of the categories in outcomes R, whatever the form of R.

using .Counting: ABSENT, BAD, MAX_COMPARED, WORDS, Small, binary_columns!, binary_rows!, binary_words!
using .Counting: BitColumns, BitRows, bit_columns!, bit_planes!, bit_rows!, category
using .Counting: compared_columns!, compared_rows!, compared_words!, graded_columns!, graded_rows!

const LARGEST_C = 65535  # the largest C that a caller may state
const LARGEST_CATEGORY = 255  # without C, a larger entry is more likely a mistake than a category
const PARALLEL_SIZE = 1 << 21  # from this many outcomes on, threads are faster

"Run a kernel on each block of the M rows, on threads if there are many outcomes."
on_blocks(@nospecialize(kernel), M, N) = on_threads(kernel, thread_ranges(M, M * N >= PARALLEL_SIZE))

"Whether the entries are small integers in full rows, which the fast kernels can read."
smallrows(R::AbstractMatrix) = eltype(R) <: Small && isconcretetype(eltype(R))
smallrows(R::Rows) = all(r -> r isa AbstractVector && smallrow(r) && length(r) == R.N, R.rows)
smallrow(r) = eltype(r) <: Small && isconcretetype(eltype(r))

"The matrix that holds the rows of R as columns of bytes, for the kernels of words; nothing if they cannot read R."
bytes(R) = nothing
bytes(R::PermutedDimsArray{T,2,(2, 1),(2, 1),Matrix{T}}) where {T<:Union{Bool,Int8,UInt8}} =
    size(R, 2) in WORDS ? parent(R) : nothing

"Counts of a complete matrix of 0 and 1; nothing if another entry occurs."
function binary_counts(R)
    M, N = dimensions(R)
    out = zeros(narrow_type(N), M, 1)
    results = on_blocks(M, N) do rows
        mult = zeros(Int, N + 1)
        return binary_block!(out, mult, R, rows) ? mult : nothing
    end
    nothing in results && return nothing
    return uniform_counts(out, N, states_from(N, reduce(+, results)::Vector{Int}))
end

"Count successes of these rows by the kernel that reads them in the order of memory."
function binary_block!(out, mult, R, rows)
    byrows(R) || return binary_columns!(out, mult, R, rows)
    B = bytes(R)
    return B === nothing ? binary_rows!(out, mult, R, rows) : binary_words!(out, mult, B, rows)
end

binary_block!(out, mult, R::BitColumns, rows) = bit_columns!(out, mult, R, rows)
binary_block!(out, mult, R::BitRows, rows) = bit_rows!(out, mult, R, rows)
binary_block!(out, mult, R::AbstractMatrix{Bool}, rows) = GC.@preserve R binary_block!(out, mult, in_bytes(R), rows)

"Booleans as bytes: newer compilers read many bytes at a time, but only one Boolean."
in_bytes(R::Array{Bool}) = unsafe_wrap(Array, Ptr{UInt8}(pointer(R)), size(R))
in_bytes(R::PermutedDimsArray{Bool,2,(2, 1),(2, 1)}) = PermutedDimsArray(in_bytes(parent(R)), (2, 1))
in_bytes(R::SubArray{Bool}) = view(in_bytes(parent(R)), parentindices(R)...)
in_bytes(R) = reinterpret(UInt8, R)

"Counts of a complete matrix of 0..C, C <= MAX_COMPARED; nothing if another entry occurs."
function graded_counts(R, C)
    M, N = dimensions(R)
    out, B = zeros(narrow_type(N), M, C), bytes(R)
    results = on_blocks(M, N) do rows
        !byrows(R) ? compared_columns!(out, R, rows) : B === nothing ? compared_rows!(out, R, rows) :
        C <= 4 && N <= 255 ? bit_planes!(out, B, rows) : compared_words!(out, B, rows)
    end
    return all(results) ? uniform_counts(out, N) : nothing
end

"Counts of entries of any type, without missing ones; nothing if an entry is bad."
function general_counts(R, C, code)
    M, N = dimensions(R)
    # a table of all counts would be larger than the outcomes
    C > MAX_DENSE && C > 4 * N && return deferred(sparse_counts)(R, C, code)
    category_counts, trials = zeros(Int, M, max(C, 1)), zeros(Int, M)
    coded, code_or_zero = code !== nothing, something(code, 0)
    kernel! = byrows(R) ? graded_rows! : graded_columns!
    all(on_blocks(rows -> kernel!(category_counts, trials, R, rows, C, coded, code_or_zero), M, N)) || return nothing
    return counts_from_arrays(category_counts, trials, zeros(Int, M))
end

"Counts of few of many categories in each row; nothing if an entry is bad."
function sparse_counts(R, C, code)
    cells, trials = no_cells(), zeros(Int, dimensions(R)[1])
    for i in eachindex(trials)
        categories = categories_of(row(R, i), C, code !== nothing, something(code, 0))
        categories === nothing && return nothing
        trials[i] = length(categories)
        push_categories!(cells, categories)
    end
    return counts_from_arrays(Sparse(cells, C), trials, zero(trials))
end

"The categories of the entries of a row that are not missing; nothing if an entry is bad."
function categories_of(x, C, coded, code)
    out = Int[]
    for entry in x
        q = category(entry, C, coded, code)
        q == BAD && return nothing
        q == ABSENT || push!(out, q)
    end
    return out
end

"Counts of R; nothing if an entry is bad."
function count_all(R, C, code)
    C >= 1 && code === nothing && smallrows(R) || return deferred(general_counts)(R, C, code)
    R isa AbstractMatrix{Bool} && return padded(deferred(binary_counts)(R)::Counts, C)
    C <= MAX_COMPARED || return deferred(general_counts)(R, C, code)
    return C == 1 ? deferred(binary_counts)(R) : deferred(graded_counts)(R, C)
end

# --- public functions --------------------------------------------------------------------------------

@nospecialize

"""
    tally(R, C=nothing; missing=:raise, missing_code=nothing) -> Counts

Count the outcomes of each question in each category, without copying `R`.

- `R`: an M×N matrix (a row for each question, outcomes in 0..C: integers, `Bool` or whole floats; views, adjoints and
  transposes are read in the order of their memory), a vector of rows, a vector (one question), or `Counts`.
- `C`: the largest category. Default: the largest entry, at least 1, at most 255.
- `missing`: missing outcomes (`NaN`, `missing`, `nothing`, absent ends of short rows, `missing_code`) are an error
  (`:raise`), are left out of the trials (`:drop`), or count as this category (an integer).
- `missing_code`: an entry, such as -1, that your data uses for "missing".

Throws `InvalidInput`: type, shape, ragged, empty, category, fractional, missing, not_finite, range, choice.

# Examples
```jldoctest
julia> tally([[0, 1, 1], [1, missing, 1]]; missing=:drop)
Counts(2 questions, 2..3 trials, categories 0..1, 1 missing)
```
"""
@by_name function tally(R, C = nothing; missing = :raise, missing_code = nothing)
    C = C === nothing ? nothing : Arguments.integer(C, "C", 1, LARGEST_C)::Int
    return count_outcomes(R, C, missing; code = missing_code)
end

"Tally R for a C that was checked; name (of R), has_scores (whether C comes from w) and hint are for errors."
function count_outcomes(R, C, missing; name = "R", has_scores = false, code = nothing, hint = MISSING_HINT)::Counts
    policy, code = Arguments.policy(missing, C), Arguments.code(code)
    R isa Detailed && return with_categories(deferred(success_counts)(R), C, name, has_scores)
    R isa Counts && return with_categories(R, C, name, has_scores)
    A = read_source(R, name, policy, hint)
    counts = count_all(A, something(C, 1), code)  # without C first as binary outcomes, the most frequent ones
    if counts === nothing && C === nothing
        C = largest(A, code, name, policy, hint)
        Arguments.policy(policy, C)
        counts = C == 1 ? nothing : count_all(A, C, code)
    end
    C = something(C, 1)
    Arguments.policy(policy, C)
    counts === nothing && refuse_bad_entry(A, C, code, name, has_scores, policy, hint)
    N = dimensions(A)[2]::Int
    counts.min_trials == N && return counts
    policy == :raise && refuse_missing(A, code, name, hint)
    absent = N .- counts.trials
    if policy == :drop
        actual = Int[absent[i] - padding(A, i) for i in eachindex(absent)]
        return deferred(counts_from_arrays)(counts.narrow, counts.trials, actual)
    end
    counts.narrow isa Sparse &&
        return deferred(completed)(counts_from_arrays(counts.narrow, counts.trials, absent), policy)
    if policy > 0
        counts.category_counts[:, policy] += absent
    end
    return uniform_counts(counts.category_counts, N)
end

"Restrict or extend counts to the categories 0..C; throws if a higher category occurs."
function with_categories(counts, C, name, has_scores)
    (C === nothing || largest_category(counts) <= C) && return deferred(padded)(counts, something(C, 1))
    cells = cells_of(counts)
    for i in 1:questions(counts), t in of_question(cells, i)
        j = cells.category[t]
        j > C && refuse_too_high(name, "question $i", j, C, has_scores)
    end
    m = matrix_of(counts)
    m = m isa Sparse ? (C > MAX_DENSE ? Sparse(m.cells, C) : matrix(Sparse(m.cells, C))) : m[:, 1:C]
    out = counts_from_arrays(m, counts.trials, counts.absent)
    return labelled(out, ids_of(counts), clusters_of(counts))
end

"The largest category in R, at least 1. Counting refuses other bad entries."
function largest(R, code, name, policy, hint)
    top = highest(R, code)
    top <= LARGEST_CATEGORY && return ceil(Int, top)
    refuse_entries(R, name, policy, hint)
    for i in 1:dimensions(R)[1], (j, x) in enumerate(row(R, i))
        x isa Outcome && x == top || continue
        isfinite(x) || refuse("not_finite", name, "$name[$i, $j] = $x is not finite")
        isinteger(x) || refuse("fractional", name, "$name[$i, $j] = $x is not a whole number", levels_hint(name))
        meant = name == "R" && x <= LARGEST_C ? ": tally(R, $(ceil(Int, top))) if that is meant" : ""
        refuse("category", name, "$name[$i, $j] = $x is above $LARGEST_CATEGORY$meant")
    end
end

"The highest number other than code among the entries, at least 1."
function highest(R, code)
    R isa PermutedDimsArray && return highest(parent(R), code)
    R isa Rows && return maximum(highest(r, code) for r in R.rows)
    code === nothing && R isa AbstractArray{<:Small} && return Counting.highest(R)
    return highest_entry(R, code)
end

@specialize

function highest_entry(entries, code)
    top = 1.0
    for x in entries
        (isabsent(x) || !(x isa Outcome) || (code !== nothing && x == code)) && continue
        x > top && (top = x)
    end
    return top
end

@nospecialize

"Throw the error of a category x above C."
function refuse_too_high(name, place, x, C, has_scores)
    has_scores && name != "R0" && refuse("length", "w", "w has $(C + 1) scores, but $place of $name is category $x")
    binary = C == 1 ? " (binary outcomes; functions that take w accept categories)" : ""
    rule = has_scores ? ", the categories that w has scores for" : binary
    refuse("category", name, "$place of $name is category $x, outside 0..$C$rule")
end

"Throw the error of a bad entry."
function refuse_bad_entry(R, C, code, name, has_scores, policy, hint)
    refuse_entries(R, name, policy, hint)
    for i in 1:dimensions(R)[1], (j, x) in enumerate(row(R, i))
        category(x, C, code !== nothing, something(code, 0)) == BAD || continue
        refuse_entry(x, name, "$name[$i, $j]")
        hint = code === nothing ? "; if it means missing: tally(...; missing_code=$(BigInt(x)))" : ""
        x < 0 && refuse("category", name, "$name[$i, $j] = $x is negative$hint")
        refuse_too_high(name, "entry [$i, $j]", x, C, has_scores)
    end
    error("an entry was reported as bad, but none is")
end

"Throw the error of the first missing entry."
function refuse_missing(R, code, name, hint)
    for i in 1:dimensions(R)[1], (j, x) in enumerate(row(R, i))
        category(x, LARGEST_C, code !== nothing, something(code, 0)) == ABSENT &&
            refuse("missing", name, "$name[$i, $j] is missing", hint)
    end
end

# --- single trials, for functions that take a second value of each, such as its cost ----------------

"Binary outcomes M × N, and a mask of the entries that are trials: missing ones too if they count as 0 or 1."
function single_trials(R, missing)
    R isa Counts && refuse("type", "R", "R must be single trials: Counts do not say which trial cost what")
    count_outcomes(R, 1, missing)  # throws the error of an invalid R
    policy = Arguments.policy(missing, 1)
    A = read_source(R, "R", policy)
    filled = policy isa Symbol ? 0 : Int(policy)
    out, is_trial = fill(filled, dimensions(A)), fill(!(policy isa Symbol), dimensions(A))
    for i in axes(out, 1), (j, x) in enumerate(row(A, i))
        isabsent(x) && continue
        out[i, j], is_trial[i, j] = x, true
    end
    return out, is_trial
end

@specialize
