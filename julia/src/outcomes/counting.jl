# Loops that count outcomes, and loops over counts, in integers only. Entries are checked, shapes are not.
#
# A kernel fills its rows of `out` (counts of 1..C, a column each), or of `category_counts` and `trials`, and
# returns whether every entry was valid; if not, its output is not to be used. Short kernels are not inlined, since
# their callers are compiled at a lower level.

module Counting

using ..Scorio: Outcome, isabsent, row

Base.Experimental.@optlevel 2

const MAX_COMPARED = 15  # largest category that is counted by comparing entries with it: it has four bits
const TILE = 32768  # bytes of a column that are read together
const WORDS = 8:2040  # bytes of a row that can be added as words of eight: 1 to 255 words, so that no sum overflows
const Small = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64}
const ABSENT, BAD = -1, -2  # results of category() for entries that are missing, or neither missing nor a category

"Compile a loop to use one SIMD register at a time: rows are too short for the usual four."
macro short(loop)
    index, range = loop.args[1].args
    before, size, done = gensym(), gensym(), gensym()
    step = Expr(:loopinfo, (Symbol("llvm.loop.interleave.count"), 1))
    return esc(quote
        let $before = first($range) - 1, $size = length($range), $done = 0
            while $done < $size
                $done += 1
                $index = $before + $done
                $(loop.args[2])
                $step
            end
        end
    end)
end

# words of eight bytes 1, 7 or 15; the even bytes of a word; four pairs of bytes 1
const BYTES, SEVENS, FIFTEENS = 0x0101010101010101, 0x0707070707070707, 0x0f0f0f0f0f0f0f0f
const EVEN_BYTES, PAIRS = 0x00ff00ff00ff00ff, 0x0001000100010001

"The sum of the eight bytes of a word, modulo 256."
@inline byte_sum(x) = (x * BYTES) >> 56

"The sum of the eight bytes of a word."
@inline wide_sum(x) = (((x & EVEN_BYTES) + ((x >> 8) & EVEN_BYTES)) * PAIRS) >> 48

"The word of eight bytes at address p."
@inline word(p) = unsafe_load(Ptr{UInt64}(p))

"The last, incomplete word of a row of N >= 8 bytes at p: zeros beyond its end."
@inline last_word(p, N) = word(p + N - 8) >> (64 - 8 * (N % 8))

"The address of row i, which is a column of B."
@inline address(B, i) = Ptr{UInt8}(pointer(B)) + (i - 1) * size(B, 1)

"Count the successes of each row of 0 and 1 into out, and the rows by their successes, with eight sums at once."
function binary_words!(out, histogram, B, rows)
    N = size(B, 1)
    GC.@preserve B for i in rows
        p, sums, seen = address(B, i), zero(UInt64), zero(UInt64)
        @short for j in 0:N÷8-1
            w = word(p + 8j)
            sums += w
            seen |= w
        end
        if N % 8 > 0
            w = last_word(p, N)
            sums += w
            seen |= w
        end
        seen & ~BYTES == 0 || return false  # before a sum is used as an index
        s = wide_sum(sums) % Int
        @inbounds out[i] = s % eltype(out)
        histogram[s+1] += 1
    end
    return true
end

"Count the categories 1..C <= 4 of each row of at most 255 bytes, from the bits of words."
function bit_planes!(out, B, rows)
    N, C, bad = size(B, 1), size(out, 2), zero(UInt64)
    # a, b, c: sums over the words, byte by byte, of the three lowest bits; ab: of bytes with both of the two lowest
    GC.@preserve B for i in rows
        p, a, b, c, ab, odd = address(B, i), zero(UInt64), zero(UInt64), zero(UInt64), zero(UInt64), zero(UInt64)
        @short for j in 0:N÷8-1
            x, y, z, more = planes(word(p + 8j))
            a, b, c, ab, odd = a + x, b + y, c + z, ab + (x & y), odd | more
        end
        if N % 8 > 0
            x, y, z, more = planes(last_word(p, N))
            a, b, c, ab, odd = a + x, b + y, c + z, ab + (x & y), odd | more
        end
        three = byte_sum(ab)
        counts = (byte_sum(a) - three, byte_sum(b) - three, three, byte_sum(c))
        bad |= odd
        for q in 1:4
            q <= C ? (@inbounds out[i, q] = counts[q] % UInt8) : (bad |= counts[q])
        end
    end
    return bad == 0
end

"The three lowest bits of eight bytes, and a word that is not 0 where a byte is above 4."
@inline function planes(w)
    x, y, z = w & BYTES, (w >> 1) & BYTES, (w >> 2) & BYTES
    return x, y, z, (w & ~SEVENS) | ((x | y) & z)
end

"Count the categories 1..C <= MAX_COMPARED of each row, category by category."
function compared_words!(out, B, rows)
    N, C, seen = size(B, 1), size(out, 2), zero(UInt64)
    over = (MAX_COMPARED - C) % UInt64 * BYTES  # moves bytes above C above MAX_COMPARED
    GC.@preserve B for i in rows
        p = address(B, i)
        last = N % 8 > 0 ? last_word(p, N) : zero(UInt64)
        seen |= last | (last + over)
        @short for j in 0:N÷8-1
            w = word(p + 8j)
            seen |= w | (w + over)
        end
        for q in 1:C
            @inbounds out[i, q] = occurrences(p, N, last, q % UInt64 * BYTES) % eltype(out)
        end
    end
    return seen & ~FIFTEENS == 0
end

"""
The number of the N bytes at p that equal a category 1..MAX_COMPARED. q: a word of eight bytes of this category; last:
the last, incomplete word, in which the zeros beyond the end differ from q.
"""
@inline function occurrences(p, N, last, q)
    sums = N % 8 > 0 ? differ(last, q) : zero(UInt64)
    @short for j in 0:N÷8-1
        sums += differ(word(p + 8j), q)
    end
    return 8 * cld(N, 8) - wide_sum(sums)
end

"A word with 1 in each byte in which w and q differ, for bytes 0..MAX_COMPARED."
@inline differ(w, q) = (((w ⊻ q) + FIFTEENS) >> 4) & BYTES
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
"Add to histogram[c+1] the number of these indices at which counts is c."
@noinline function place_counts!(histogram, counts, indices)
    @inbounds for i in indices
        histogram[counts[i]+1] += 1
    end
end

"The entry table[x+1] for each x in column j."
@noinline function looked_up(table, column, j)
    out = Vector{Int}(undef, size(column, 1))
    @inbounds for i in eachindex(out)
        out[i] = table[column[i, j]+1]
    end
    return out
end

"The smallest and the largest of an array of integers."
@noinline function limits(x)
    low = high = x[1]
    @inbounds @simd for i in eachindex(x)
        low, high = min(low, x[i]), max(high, x[i])
    end
    return low, high
end

"Append x - low to each integer as one more digit in base width."
@noinline function append_digits!(keys, x, low, width)
    @inbounds @simd for i in eachindex(keys, x)
        keys[i] = keys[i] * width + (x[i] - low)
    end
end

"The sum of n_j, or of n_j n_l if l is given; n_j: column j of `narrow`. 4096 products of bytes fit 32 bits."
@noinline function pair_sum(narrow::Matrix{T}, j, l = nothing) where {T}
    Total = T === BigInt ? BigInt : Int
    S, total = T === UInt8 ? Int32 : Total, zero(Total)
    for start in 1:4096:size(narrow, 1)
        subtotal = zero(S)
        @inbounds @simd for i in start:min(start + 4095, size(narrow, 1))
            subtotal += (narrow[i, j] % S) * (l === nothing ? one(S) : narrow[i, l] % S)
        end
        total += subtotal
    end
    return total
end

"The table joint[y+1, x+1]: the number of indices at which a is x and b is y, both in 0..size-1."
@noinline function pair_counts(a, b, size)
    joint = zeros(UInt32, size, size)
    @inbounds for i in eachindex(a, b)
        joint[b[i]+1, a[i]+1] += 0x00000001
    end
    return joint
end

"""
Trials of each question in the categories 0..C that keep marks, plus extra.

narrow: the counts of the categories above 0; N: all trials of a question, one number or a vector.
"""
function trials_in(::Type{T}, narrow, N, keep, extra) where {T}
    n, zero_kept = Vector{T}(undef, size(narrow, 1)), keep[1]
    @inbounds @simd for i in eachindex(n)
        n[i] = (zero_kept ? entry_at(N, i) + extra : extra) % T
    end
    for j in axes(narrow, 2)
        keep[j+1] == zero_kept || change!(zero_kept ? (-) : (+), n, narrow, j)
    end
    return n
end

entry_at(N::Int, i) = N
entry_at(N, i) = N[i]

"Add a column of counts to n, or subtract it."
@noinline function change!(op, n::Vector{T}, narrow, j) where {T}
    @inbounds @simd for i in eachindex(n)
        n[i] = op(n[i], narrow[i, j] % T)
    end
end
const BitColumns = Union{BitMatrix,SubArray{Bool,2,BitMatrix,<:Tuple{AbstractUnitRange,Any}}}
const BitRows = PermutedDimsArray{Bool,2,(2, 1),(2, 1),BitMatrix}
const BIT_TILE = 256  # words of a column that are read together

"Words with all bits of R, and the position of entry (i, j) among the bits, counted from 0."
@inline chunks(R::BitMatrix) = R.chunks
@inline chunks(R) = chunks(parent(R))
@inline bit_position(R::BitMatrix, i, j) = (j - 1) * size(R, 1) + i - 1
@inline bit_position(R::SubArray, i, j) = bit_position(parent(R), parentindices(R)[1][i], parentindices(R)[2][j])
@inline bit_position(R::PermutedDimsArray, i, j) = bit_position(parent(R), j, i)

"The 64 bits from a position on, as a word whose lowest bit is the first; zeros after the last word."
@inline function bits_from(words, position)
    k, s = position >> 6 + 1, position & 63
    low = words[k] >> s
    return s == 0 || k == length(words) ? low : low | words[k+1] << (64 - s)
end

"The lowest m bits, m <= 64."
@inline lowest(w, m) = m >= 64 ? w : w & (one(w) << m - one(w))

"For each byte 0..255, the word whose eight bytes are the bits of that byte, 0 or 1 each."
const SPREAD = UInt64[foldl(|, UInt64(x >> b & 1) << 8b for b in 0:7) for x in 0:255]

"The sums for eight rows, one byte each, of the bits of four planes from bit s on, with weights 1, 2, 4, 8."
@inline eight_sums(a, b, c, d, s) = @inbounds SPREAD[a>>s&0xff+1] + SPREAD[b>>s&0xff+1] << 1 +
    (SPREAD[c>>s&0xff+1] << 2 + SPREAD[d>>s&0xff+1] << 3)

"Count the successes of rows of contiguous bits, and the rows with each number of them."
function bit_rows!(out, histogram, R, rows)
    words, N = chunks(R), size(R, 2)
    @inbounds for i in rows
        position, left, s = bit_position(R, i, 1), N, 0
        while left > 0
            s += count_ones(lowest(bits_from(words, position), left))
            position, left = position + 64, left - 64
        end
        out[i] = s % eltype(out)
        histogram[s+1] += 1
    end
    return true
end

"""
Count successes of rows, by columns of bits: 64 counters at once, whose bits of weight 2^(b-1) are plane b.

Two columns of weight 2^(b-1) are added to plane b together, which gives a carry of twice the weight: each column is
read once and added once, as in a carry-save adder (Harley and Seal). After j columns, a column waits to be added to
plane b exactly when bit b-1 of j is 1.
"""
function bit_columns!(out, histogram, R, rows)
    words, N, M = chunks(R), size(R, 2), length(rows)
    B = ndigits(N, base = 2)
    work = zeros(UInt64, BIT_TILE, 2B + 3)  # B planes; B waiting columns; two columns of carries; zeros
    waiting(b) = B + b
    carries, none = 2B + 1, 2B + 3
    for start in 0:64*BIT_TILE:M-1
        m = min(BIT_TILE, cld(M - start, 64))
        work[:, 1:B] .= 0
        for j in 1:N
            level = trailing_ones(j - 1)
            read_bits!(work, level == 0 ? waiting(1) : carries, words, bit_position(R, first(rows) + start, j), m)
            for b in 1:level
                add_bits!(work, m, b, waiting(b), carries + (b + 1) % 2, b == level ? waiting(b + 1) : carries + b % 2)
            end
        end
        for b in 1:B
            carry = b == 1 ? none : carries + b % 2
            add_bits!(work, m, b, N >> (b - 1) & 1 == 1 ? waiting(b) : none, carry, carries + (b + 1) % 2)
        end
        write_counts!(out, work, B, none, first(rows) + start, min(64 * BIT_TILE, M - start))
    end
    place_counts!(histogram, out, rows)
    return true
end

"Read m words of bits from a position on into a column."
@noinline function read_bits!(out, column, words, position, m)
    k, s = position >> 6, position & 63
    inside = min(m, length(words) - k - 1)
    @inbounds @simd for i in 1:inside
        out[i, column] = words[k+i] >> s | words[k+i+1] << (64 - s)  # a shift by 64 gives 0
    end
    for i in inside+1:m
        @inbounds out[i, column] = bits_from(words, position + 64 * (i - 1))
    end
end

"Add two columns to a plane; write the carries to a column."
@noinline function add_bits!(work, m, plane, one, other, carry)
    @inbounds @simd ivdep for i in 1:m
        p, x, y = work[i, plane], work[i, one], work[i, other]
        odd = p ⊻ x
        work[i, plane], work[i, carry] = odd ⊻ y, (p & x) | (odd & y)
    end
end

"Add the counters of m rows from row i on to out; four planes, thus four bits, of eight counters at a time."
@noinline function write_counts!(out::AbstractMatrix{T}, work, B, none, i, m) where {T}
    GC.@preserve out for low in 1:4:B
        two, three = low < B ? low + 1 : none, low + 1 < B ? low + 2 : none
        four = low + 2 < B ? low + 3 : none
        @inbounds for k in 1:cld(m, 64)
            a, b, c, d = work[k, low], work[k, two], work[k, three], work[k, four]
            first, rows = i + 64 * (k - 1), min(64, m - 64 * (k - 1))
            if T === UInt8 && rows == 64
                p = Ptr{UInt64}(pointer(out, first))
                for s in 0:7
                    unsafe_store!(p, unsafe_load(p, s + 1) + eight_sums(a, b, c, d, 8s) << (low - 1), s + 1)
                end
                continue
            end
            for s in 0:8:rows-1
                sums = eight_sums(a, b, c, d, s)
                for r in 0:min(8, rows - s)-1
                    out[first+s+r] += ((sums >> 8r & 0xff) % T) << (low - 1)
                end
            end
        end
    end
end

end
