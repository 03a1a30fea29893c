# Matrices of bits, 64 entries in a word: BitMatrix, which R .== 1 gives, with its transposes and views.

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
