# Rows of bytes, read as words of eight. The rows are the columns of B; WORDS is the range of their length.

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
