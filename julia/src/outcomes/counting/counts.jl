# Loops over the counts of questions: how often values and pairs of values occur, and sums.

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
