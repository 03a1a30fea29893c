# Loops over small integers by rows and by columns, and over entries of any type.
#
# For a small integer x, bits(x) are its bits as a signed integer; range_check(x, top) is negative if x is below 0 or
# above the highest category top; comparable(T, q) is the category q in the type of bits(x).

@inline bits(x::Small) = x % signed(typeof(x))
@inline bits(x::Bool) = reinterpret(Int8, x)
@inline range_check(x, top) = bits(x) | (top - bits(x))
@inline comparable(::Type{T}, q) where {T<:Small} = q % typeof(bits(zero(T)))

"Count the successes of each row of 0 and 1, and the rows with each number of them; false if another entry occurs."
function binary_rows!(out, histogram, R, rows)
    for i in rows
        x, s, seen = row(R, i), 0, 0
        @inbounds @short for j in eachindex(x)
            b = bits(x[j]) % Int
            s += b
            seen |= b
        end
        0 <= seen <= 1 || return false
        @inbounds out[i] = s % eltype(out)
        histogram[s+1] += 1
    end
    return true
end

"Count successes like binary_rows!(), for matrices stored by columns."
@noinline function binary_columns!(out, histogram, R, rows)
    compared_columns!(out, R, rows) || return false
    place_counts!(histogram, out, rows)
    return true
end

"Count the categories 1..C of each row, C <= MAX_COMPARED, 255 entries at a time; false if an entry is not in 0..C."
function compared_rows!(out, R, rows)
    N, C = length(row(R, first(rows))), size(out, 2)
    for start in 0:255:N-1, i in rows
        x = row(R, i)
        for q in 1:C
            n, good = compare(x, start, min(255, N - start), q, C)
            good || return false
            @inbounds out[i, q] += n % eltype(out)
        end
    end
    return true
end

"The number of entries q among the m <= 255 entries after position start, and whether all m are in 0..C."
@inline function compare(x::AbstractVector{T}, start, m, q, C) where {T}
    top, s, before = comparable(T, C), comparable(T, q), start + firstindex(x) - 1
    n, seen = unsigned(zero(top)), zero(top)
    @inbounds @short for j in 1:m
        seen |= range_check(x[before+j], top)
        n += bits(x[before+j]) == s
    end
    return n, seen >= 0
end

"Count categories like compared_rows!(), for matrices stored by columns: in tiles of rows, four columns at a time."
function compared_columns!(out, R, rows)
    tile, C, N = TILE ÷ sizeof(eltype(R)), size(out, 2), size(R, 2)
    n = zeros(UInt8, min(tile, length(rows)), C)
    for start in first(rows):tile:last(rows)
        before, m, good = start - 1, min(tile, last(rows) - start + 1), true
        for j in 1:4:N
            four = (j, min(j + 1, N), min(j + 2, N), min(j + 3, N))
            masks = (j + 1 <= N ? 0x01 : 0x00, j + 2 <= N ? 0x01 : 0x00, j + 3 <= N ? 0x01 : 0x00)
            good &= compare_four!(n, R, before, m, four, masks)
            if j % 240 == 237 || j + 4 > N  # after 240 columns: a byte counts to 255
                add_counters!(out, n, before, m)
            end
        end
        good || return false
    end
    return true
end

"Add to n[i, q] the number of entries q in row i of four columns; the last three count if their masks are 1."
function compare_four!(n, R::AbstractMatrix{T}, before, m, (j1, j2, j3, j4), (two, three, four)) where {T}
    top = comparable(T, size(n, 2))
    seen = range_check(zero(T), top)
    for q in axes(n, 2)
        s = comparable(T, q)
        @inbounds @simd for i in 1:m
            a, b, c, d = bits(R[before+i, j1]), bits(R[before+i, j2]), bits(R[before+i, j3]), bits(R[before+i, j4])
            seen |= (range_check(a, top) | range_check(b, top)) | (range_check(c, top) | range_check(d, top))
            n[i, q] += ((a == s) % UInt8 + ((b == s) & two)) + (((c == s) & three) + ((d == s) & four))
        end
    end
    return seen >= 0
end

"Add the first m counters of a tile to out, and reset them."
function add_counters!(out, n, before, m)
    for q in axes(n, 2)
        @inbounds @simd for i in 1:m
            out[before+i, q] += n[i, q] % eltype(out)
        end
    end
    fill!(n, 0)
end

"The category 0..C of an entry; ABSENT if it is missing, BAD if it is neither."
@inline function category(x, C, coded, code)::Int
    (isabsent(x) || (coded && x isa Outcome && x == code)) && return ABSENT
    (x isa Outcome && 0 <= x <= C) || return BAD
    q = trunc(Int, x)
    return q == x ? q : BAD
end

"The category of a float, ABSENT or BAD; compared as doubles, since comparing with integers takes longer."
@inline function category(x::Union{Float16,Float32,Float64}, C, coded, code)
    (isnan(x) || (coded && x == code)) && return ABSENT
    double = Float64(x)
    0.0 <= double <= Float64(C) || return BAD
    q = unsafe_trunc(Int, double)
    return Float64(q) == double ? q : BAD
end

"Count categories and trials of rows with entries of any type; false if an entry is bad."
function graded_rows!(category_counts, trials, R, rows, C, coded, code)
    for i in rows
        graded_row!(category_counts, trials, row(R, i), i, C, coded, code) || return false
    end
    return true
end

"Count categories and trials of row i, whose entries are x; false if an entry is bad."
function graded_row!(category_counts, trials, x, i, C, coded, code)
    n_present = 0
    @inbounds for entry in x
        q = category(entry, C, coded, code)
        q == BAD && return false
        n_present += q != ABSENT
        category_counts[i, max(q, 1)] += q > 0
    end
    trials[i] = n_present
    return true
end

"Count categories and trials like graded_rows!(), column by column in tiles of rows."
function graded_columns!(category_counts, trials, R, rows, C, coded, code)
    for start in first(rows):4096:last(rows), j in axes(R, 2)  # 4096 rows fit the fastest cache
        @inbounds for i in start:min(start + 4095, last(rows))
            q = category(R[i, j], C, coded, code)
            q == BAD && return false
            trials[i] += q != ABSENT
            category_counts[i, max(q, 1)] += q > 0
        end
    end
    return true
end

"The largest entry of an array of small integers; 1 if all entries are smaller."
@noinline function highest(entries)
    top = one(eltype(entries))
    @inbounds @simd for i in eachindex(entries)
        top = max(top, entries[i])
    end
    return top
end
