# Outcomes R in any form that users may have (a matrix, a view, rows in a vector or tuple), read without a copy.

"Rows that may differ in length; N is the greatest length."
struct Rows{T}
    rows::T
    N::Int
end

const MISSING_HINT = ": missing=:drop leaves it out, missing=0 counts it as wrong"
const TABLE_HINT = ": convert a table with Matrix(df), an iterator with collect(rows)"
const Row = Union{AbstractVector,Tuple}
const Outcome = Union{Integer,AbstractFloat}  # true and false are integers in Julia

"Whether an entry means a missing outcome, apart from the missing_code."
isabsent(x) = x === nothing || x === missing || (x isa AbstractFloat && isnan(x))

"The number of questions, and the greatest number of trials of a question."
dimensions(R::AbstractMatrix) = size(R)
dimensions(R::Rows) = (length(R.rows), R.N)

"Number of entries by which the row of question i is shorter than the longest row."
padding(R::AbstractMatrix, i) = 0
padding(R::Rows, i) = R.N - length(R.rows[i])

"The outcomes of question i."
row(R::AbstractMatrix, i) = view(R, i, :)
row(R::PermutedDimsArray{<:Any,2,(2, 1)}, i) = view(parent(R), :, i)
row(R::Rows, i) = R.rows[i]

"Whether R is read row by row, since the outcomes of a question are next to each other in memory."
byrows(R) = false
byrows(R::Rows) = true
byrows(R::PermutedDimsArray{<:Any,2,(2, 1)}) = true
byrows(R::SubArray{<:Any,2}) = byrows(parent(R))

"Read R as a matrix or as rows; refuse an R without rows or without trials (R0 needs no trials), or of the wrong shape."
function read_source(R, name, policy, hint = MISSING_HINT)
    if R isa Number || (R isa AbstractArray && !(R isa AbstractVecOrMat))
        kind = R isa Number ? typeof(R) : eltype(R)
        kind <: Outcome || refuse("type", name, name, " must consist of integers, booleans or whole floats, not ", kind)
        refuse("shape", name, name, " must be 2-D (M questions, N trials), not ", ndims(R), "-D")
    end
    R isa Union{AbstractMatrix,Row} || refuse(
        "type", name, name, " must be a matrix, a vector of rows or Counts, not ", typeof(R), TABLE_HINT,
    )
    A = R isa AbstractMatrix ? without_wrapper(R) : read_rows(R, name)
    M, N = dimensions(A)
    (M == 0 || (R isa Row && isempty(R))) &&
        refuse("empty", name, name, " has no rows: at least one question is needed")
    N == 0 && name != "R0" && refuse("empty", name, name, " has no trials")
    policy == :raise && A isa Rows && any(r -> length(r) != N, A.rows) && refuse_entries(A, name, policy, hint)
    return A
end

"Replace adjoints and transposes by views of their parent, so that any entry can be read; indices start at 1."
without_wrapper(R::Union{Adjoint,Transpose}) =
    parent(R) isa AbstractVector ? Rows((parent(R),), length(R)) : PermutedDimsArray(parent(R), (2, 1))
without_wrapper(R::SubArray{<:Any,2,<:Union{Adjoint{<:Any,<:AbstractMatrix},Transpose{<:Any,<:AbstractMatrix}}}) =
    view(without_wrapper(parent(R)), parentindices(R)...)
without_wrapper(R::AbstractMatrix) = Base.has_offset_axes(R) ? view(R, UnitRange.(axes(R))...) : R

"Read a vector or a tuple as rows; if it has no rows, as the single row of one question."
function read_rows(R, name)
    any(isrow, R) || return Rows((R,), length(R))
    for (i, r) in enumerate(R)
        isrow(r) || refuse("shape", name, "$name[$i] = $(shown(r)) is not a row of outcomes")
        r isa Row || refuse("shape", name, "$name must be 2-D (M questions, N trials): $name[$i] is ", ndims(r), "-D")
    end
    return Rows(R isa Tuple || Base.has_offset_axes(R) ? collect(R) : R, maximum(length, R))
end

"Whether x can be a row: a tuple, or an array with at least one dimension."
isrow(x) = x isa Tuple || (x isa AbstractArray && ndims(x) > 0)

"""
Refuse entries that are neither missing nor whole numbers, and rows of unequal length if the policy is :raise.

If all rows have the same length and all entries are numbers, nothing is checked here: counting checks these entries.
"""
function refuse_entries(R, name, policy, hint)
    M, N = dimensions(R)
    uneven = R isa Rows && any(r -> length(r) != N, R.rows)
    uneven || any(i -> any(x -> !(x isa Outcome), row(R, i)), 1:M) || return
    for i in 1:M
        for (j, x) in enumerate(row(R, i))
            isabsent(x) || refuse_entry(x, name, "$name[$i, $j]")
        end
        policy == :raise && length(row(R, i)) != N && refuse(
            "ragged", name, "$name[$i] has ", length(row(R, i)), " trials, another row ", N, hint,
        )
    end
end

"How to give real-valued scores."
levels_hint(name) = ": for real-valued scores give w = sort(unique($name)), and indexin($name, w) .- 1 as $name"

"Refuse x if it is not a whole number."
function refuse_entry(x, name, place)
    isrow(x) && refuse("shape", name, name, " must be 2-D (M questions, N trials): ", place, " is a sequence")
    hint = x isa Union{Number,AbstractString,Symbol,AbstractChar} ? "" : TABLE_HINT
    x isa Outcome || refuse("type", name, place, " = ", shown(x), " is not a number", hint)
    isfinite(x) || refuse("not_finite", name, place, " = ", shown(x), " is not finite")
    isinteger(x) || refuse("fractional", name, place, " = ", shown(x), " is not a whole number", levels_hint(name))
end
