# Matrices of bits, 64 entries a word: BitMatrix, its transposes and views, which is what R .== 1 gives.

const BitColumns = Union{BitMatrix,SubArray{Bool,2,BitMatrix,<:Tuple{AbstractUnitRange,Any}}}
const BitRows = Union{PermutedDimsArray{Bool,2,(2, 1),(2, 1),BitMatrix},BitColumns}
const BIT_TILE = 256  # words of a column that are read together

"The bits of all of R, and where among them entry (i, j) is, counted from 0."
@inline chunks(R::BitMatrix) = R.chunks
@inline chunks(R) = chunks(parent(R))
@inline place(R::BitMatrix, i, j) = (j - 1) * size(R, 1) + i - 1
@inline place(R::SubArray, i, j) = place(parent(R), parentindices(R)[1][i], parentindices(R)[2][j])
@inline place(R::PermutedDimsArray, i, j) = place(parent(R), j, i)

"64 bits from place q on, the first lowest; zeros after the last word."
@inline function bits_from(words, q)
    k, s = q >> 6 + 1, q & 63
    low = words[k] >> s
    return s == 0 || k == length(words) ? low : low | words[k+1] << (64 - s)
end

"The lowest m bits, m <= 64."
@inline lowest(w, m) = m >= 64 ? w : w & (one(w) << m - one(w))

"1 in the byte of each of the eight lowest bits that is set."
@inline spread_byte(w) =
    ((((w & 0xff) * BYTES) & 0x8040201008040201) + 0x7f7f7f7f7f7f7f7f) >> 7 & BYTES

"Successes of each row, rows being neighbouring bits, and how many rows have 0..N of them."
function bit_rows!(out, histogram, R, rows)
    words, N = chunks(R), size(R, 2)
    @inbounds for i in rows
        q, left, s = place(R, i, 1), N, 0
        while left > 0
            s += count_ones(lowest(bits_from(words, q), left))
            q, left = q + 64, left - 64
        end
        out[i] = s % eltype(out)
        histogram[s+1] += 1
    end
    return true
end

"The same of columns of bits: 64 counters at once, plane b of which holds the bits of weight 2^b."
function bit_columns!(out, histogram, R, rows)
    words, N, M = chunks(R), size(R, 2), length(rows)
    planes, carry = zeros(UInt64, BIT_TILE, ndigits(N, base = 2)), zeros(UInt64, BIT_TILE)
    for start in 0:64*BIT_TILE:M-1
        m = min(BIT_TILE, cld(M - start, 64))
        fill!(planes, 0)
        for j in 1:N
            read_bits!(carry, words, place(R, first(rows) + start, j), m)
            for b in 1:ndigits(j, base = 2)
                add_bits!(planes, carry, b, m)
            end
        end
        write_counts!(out, planes, first(rows) + start, min(64 * BIT_TILE, M - start))
    end
    place_counts!(histogram, out, rows)
    return true
end

"m words of bits from place q on."
@noinline function read_bits!(out, words, q, m)
    k, s = q >> 6, q & 63
    inside = min(m, length(words) - k - 1)
    @inbounds @simd for i in 1:inside
        out[i] = words[k+i] >> s | words[k+i+1] << (64 - s)  # a shift by 64 leaves nothing
    end
    for i in inside+1:m
        @inbounds out[i] = bits_from(words, q + 64 * (i - 1))
    end
end

"Add carries to plane b; what overflows is carried on."
@noinline function add_bits!(planes, carry, b, m)
    @inbounds @simd for i in 1:m
        p, c = planes[i, b], carry[i]
        planes[i, b], carry[i] = p ⊻ c, p & c
    end
end

"The counters of m rows from row i on."
@noinline function write_counts!(out::AbstractMatrix{T}, planes, i, m) where {T}
    GC.@preserve out for low in 1:8:size(planes, 2), q in 0:8:m-1  # eight planes make a byte of eight counters
        sums = zero(UInt64)
        for b in low:min(low + 7, size(planes, 2))
            @inbounds sums += spread_byte(planes[q>>6+1, b] >> (q & 63)) << (b - low)
        end
        if T === UInt8 && q + 8 <= m
            unsafe_store!(Ptr{UInt64}(pointer(out, i + q)), sums)
        else
            for r in 0:min(8, m - q)-1
                @inbounds out[i+q+r] += ((sums >> (8 * r) & 0xff) % T) << (low - 1)
            end
        end
    end
end
