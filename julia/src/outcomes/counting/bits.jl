# Matrices of bits, 64 entries a word: BitMatrix, its transposes and views, which is what R .== 1 gives.

const BitColumns = Union{BitMatrix,SubArray{Bool,2,BitMatrix,<:Tuple{AbstractUnitRange,Any}}}
const BitRows = Union{PermutedDimsArray{Bool,2,(2, 1),(2, 1),BitMatrix},BitColumns}
const BIT_TILE = 256  # words of a column that are read together

"Words with all bits of R, and the position of entry (i, j) among the bits, counted from 0."
@inline chunks(R::BitMatrix) = R.chunks
@inline chunks(R) = chunks(parent(R))
@inline place(R::BitMatrix, i, j) = (j - 1) * size(R, 1) + i - 1
@inline place(R::SubArray, i, j) = place(parent(R), parentindices(R)[1][i], parentindices(R)[2][j])
@inline place(R::PermutedDimsArray, i, j) = place(parent(R), j, i)

"64 bits from a position on, the first lowest; zeros after the last word."
@inline function bits_from(words, position)
    k, s = position >> 6 + 1, position & 63
    low = words[k] >> s
    return s == 0 || k == length(words) ? low : low | words[k+1] << (64 - s)
end

"The lowest m bits, m <= 64."
@inline lowest(w, m) = m >= 64 ? w : w & (one(w) << m - one(w))

"The eight bits of each byte as the bytes of a word, 0 or 1 each."
const SPREAD = UInt64[foldl(|, UInt64(x >> b & 1) << 8b for b in 0:7) for x in 0:255]

"Sums for eight rows, a byte each, of the bits of four planes from bit s on, with weights 1, 2, 4, 8."
@inline eight_sums(a, b, c, d, s) = @inbounds SPREAD[a>>s&0xff+1] + SPREAD[b>>s&0xff+1] << 1 +
    (SPREAD[c>>s&0xff+1] << 2 + SPREAD[d>>s&0xff+1] << 3)

"Successes of each row, rows being neighbouring bits, and how many rows have 0..N of them."
function bit_rows!(out, histogram, R, rows)
    words, N = chunks(R), size(R, 2)
    @inbounds for i in rows
        position, left, s = place(R, i, 1), N, 0
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
Successes of each row by columns of bits: 64 counters at once, plane b of which holds the bits of weight 2^(b-1).

Two columns of weight 2^(b-1) are added to plane b together, which leaves one of twice the weight: each column is read
once and added once, as a carry-save adder does (Harley and Seal). Column j waits at level b where j has that bit.
"""
function bit_columns!(out, histogram, R, rows)
    words, N, M = chunks(R), size(R, 2), length(rows)
    B = ndigits(N, base = 2)
    work = zeros(UInt64, BIT_TILE, 2B + 3)  # B planes; B waiting columns; two carries, from spare on; zeros
    waits(b) = B + b
    spare, none = 2B + 1, 2B + 3
    for start in 0:64*BIT_TILE:M-1
        m = min(BIT_TILE, cld(M - start, 64))
        work[:, 1:B] .= 0
        for j in 1:N
            level = trailing_ones(j - 1)
            read_bits!(work, level == 0 ? waits(1) : spare, words, place(R, first(rows) + start, j), m)
            for b in 1:level
                add_bits!(work, m, b, waits(b), spare + (b + 1) % 2, b == level ? waits(b + 1) : spare + b % 2)
            end
        end
        for b in 1:B
            carry = b == 1 ? none : spare + b % 2
            add_bits!(work, m, b, N >> (b - 1) & 1 == 1 ? waits(b) : none, carry, spare + (b + 1) % 2)
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
        out[i, column] = words[k+i] >> s | words[k+i+1] << (64 - s)  # a shift by 64 leaves nothing
    end
    for i in inside+1:m
        @inbounds out[i, column] = bits_from(words, position + 64 * (i - 1))
    end
end

"Add two columns to a plane; the overflow goes to the column of the carry."
@noinline function add_bits!(work, m, plane, one, other, carry)
    @inbounds @simd ivdep for i in 1:m
        p, x, y = work[i, plane], work[i, one], work[i, other]
        odd = p ⊻ x
        work[i, plane], work[i, carry] = odd ⊻ y, (p & x) | (odd & y)
    end
end

"Add the counters of m rows from row i on to out, four planes at a time: half a byte of each of eight counters."
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
