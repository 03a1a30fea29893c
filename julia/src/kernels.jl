# The loops over outcomes. Each fills its rows of `above` (counts of 1..C) and `trials`, and returns whether every
# entry was good.

module Kernels

using ..Scorio: Outcome, isabsent, row

Base.Experimental.@optlevel 2

const FEW = 15  # up to so many categories are counted by comparing, many entries at once
const TILE = 32768  # bytes of a column that are read together
const Small = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64}
const ABSENT, BAD = -1, -2

# How an entry x meets a category q: sought(T, q) stands for q, hit(x, sought) is 1 or 0, and a value that is below 0
# or above the highest category shows in the sign of wrong(x, sought(T, highest)).

@inline sought(::Type{T}, q) where {T<:Small} = q % typeof(bits(zero(T)))
@inline hit(x, q) = (bits(x) == q) % UInt8
@inline wrong(x, top) = bits(x) | (top - bits(x))

@inline bits(x::Small) = x % signed(typeof(x))
@inline bits(x::Bool) = reinterpret(Int8, x)

"Columns of small integers: tiles of rows, four columns a pass, counters of a byte."
function compare_columns!(above, R, rows, C)
    tile = TILE ÷ sizeof(eltype(R))
    n, N = zeros(UInt8, min(tile, length(rows)), max(C, 1)), size(R, 2)
    for start in first(rows):tile:last(rows)
        before, m, good = start - 1, min(tile, last(rows) - start + 1), true
        for j in 1:4:N
            four = (j, min(j + 1, N), min(j + 2, N), min(j + 3, N))
            masks = (j + 1 <= N ? 0x01 : 0x00, j + 2 <= N ? 0x01 : 0x00, j + 3 <= N ? 0x01 : 0x00)
            good &= compare_four!(n, R, before, m, four, masks, C)
            if j % 240 == 237 || j + 4 > N  # a byte holds 255
                for q in axes(n, 2)
                    @inbounds @simd for i in 1:m
                        above[before+i, q] += n[i, q]
                    end
                end
                fill!(n, 0)
            end
        end
        good || return false
    end
    return true
end

"Add to n[i, q] how often q occurs in row i of four columns, the last three where their masks are 1."
function compare_four!(n, R::AbstractMatrix{T}, before, m, (j1, j2, j3, j4), (two, three, four), C) where {T}
    top = sought(T, C)
    seen = wrong(zero(T), top)
    for q in axes(n, 2)
        s = sought(T, q)
        @inbounds @simd for i in 1:m
            a, b, c, d = R[before+i, j1], R[before+i, j2], R[before+i, j3], R[before+i, j4]
            seen |= (wrong(a, top) | wrong(b, top)) | (wrong(c, top) | wrong(d, top))
            n[i, q] += (hit(a, s) + (hit(b, s) & two)) + ((hit(c, s) & three) + (hit(d, s) & four))
        end
    end
    return seen >= 0
end

"Rows of small integers, each read where it lies; counters of a byte here too, for the sake of short rows."
function compare_rows!(above, R, rows, C)
    for i in rows
        compare_row!(above, row(R, i), i, C) || return false
    end
    return true
end

@inline function compare_row!(above, x::AbstractVector{T}, i, C) where {T}
    N, good = length(x), true
    for q in axes(above, 2)
        if N <= 255
            n, fine = compare_part(x, 0, N, q, C)
            above[i, q] += n
            good &= fine
        else
            for start in 0:255:N-1
                n, fine = compare_part(x, start, min(255, N - start), q, C)
                above[i, q] += n
                good &= fine
            end
        end
    end
    return good
end

"How often q occurs among the m <= 255 entries after start, and whether all of them are in 0..C."
@inline function compare_part(x::AbstractVector{T}, start, m, q, C) where {T}
    top, s, n, before = sought(T, C), sought(T, q), 0x00, start + firstindex(x) - 1
    seen = wrong(zero(T), top)
    @inbounds @simd for j in 1:m
        seen |= wrong(x[before+j], top)
        n += hit(x[before+j], s)
    end
    return n, seen >= 0
end

"The category 0..C that x states, ABSENT or BAD."
@inline function category(x, C, coded, code)
    (isabsent(x) || (coded && x isa Outcome && x == code)) && return ABSENT
    (x isa Outcome && 0 <= x <= C) || return BAD
    q = trunc(Int, x)
    return q == x ? q : BAD
end

"Columns of anything."
function count_columns!(above, trials, R, rows, C, coded, code)
    for start in first(rows):4096:last(rows), j in axes(R, 2)
        @inbounds for i in start:min(start + 4095, last(rows))
            q = category(R[i, j], C, coded, code)
            q == BAD && return false
            q == ABSENT && continue
            trials[i] += 1
            q > 0 && (above[i, q] += 1)
        end
    end
    return true
end

"Rows of anything."
function count_rows!(above, trials, R, rows, C, coded, code)
    for i in rows
        count_row!(above, trials, row(R, i), i, C, coded, code) || return false
    end
    return true
end

function count_row!(above, trials, x, i, C, coded, code)
    for entry in x
        q = category(entry, C, coded, code)
        q == BAD && return false
        q == ABSENT && continue
        trials[i] += 1
        q > 0 && (above[i, q] += 1)
    end
    return true
end

"How many of N outcomes each question lacks, and whether any does."
function shortfall(trials, N)
    absent, any_ = similar(trials), false
    for i in eachindex(trials)
        absent[i] = N - trials[i]
        any_ |= absent[i] != 0
    end
    return absent, any_
end

end
