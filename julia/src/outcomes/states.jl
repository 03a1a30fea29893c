# What the metrics ask of counts: the distinct states of questions, and exact sums.

"Distinct (n, c) of binary outcomes."
function states(counts::Counts)
    found = counts.known.states
    found === nothing || return found
    c = counts.above[:, 1]
    return counts.known.states = counts.fewest == counts.most ? states_of(counts.fewest, c) : states_of(counts.trials, c)
end

"Exact first and second moments of the counts, one group for each number of trials, increasing."
function groups(counts::Counts)
    found = counts.known.groups
    found === nothing || return found
    largest_category(counts) == 1 && return counts.known.groups = binary_groups(states(counts))
    counts.fewest == counts.most && return counts.known.groups = [group(counts.fewest, counts)]
    each = sort!(unique(counts.trials))
    return counts.known.groups = [group(n, select(counts, counts.trials .== n)) for n in each]
end

function binary_groups(s)
    found, start = Group[], 1
    for i in eachindex(s.n)
        i < length(s.n) && s.n[i+1] == s.n[i] && continue
        push!(found, binary_group(s.n[i], s.c[start:i], s.mult[start:i]))
        start = i + 1
    end
    return found
end

"The group of questions with n trials, mult[i] of which have c[i] successes."
function binary_group(n, c, mult)
    M = sum(mult)
    right, pairs = big(n)^2 * M <= typemax(Int) ? sums(Int, n, c, mult) : sums(BigInt, n, c, mult)
    products = fill(big(0), 2, 2)
    products[1, 2] = pairs
    return Group(n, M, [big(n) * M - right, right], products)
end

"The sums over questions of c, and of c (n - c)."
function sums(::Type{T}, n, c, mult) where {T}
    right, pairs = zero(T), zero(T)
    for i in eachindex(c, mult)
        right += T(mult[i]) * c[i]
        pairs += T(mult[i]) * c[i] * (n - c[i])
    end
    return right, pairs
end

function group(n, counts)
    M, C = size(counts.narrow)
    narrow = big(n)^2 * M <= typemax(Int) ? counts.narrow : big.(counts.above)  # else the sums may leave 64 bits
    sums, pairs = fill(big(n) * M, C + 1), fill(big(0), C + 1, C + 1)
    for l in 1:C
        sums[l+1] = pair_sum(narrow, l)
        sums[1] -= sums[l+1]
        for j in 1:l
            x = big(pair_sum(narrow, j, l))
            pairs[j+1, l+1] = x
            pairs[1, l+1] -= x  # n_0 is n less all others
            j < l && (pairs[1, j+1] -= x)
        end
        pairs[1, l+1] += n * sums[l+1]
    end
    return Group(n, M, sums, pairs)
end

"Distinct pairs (n, c), increasing, with multiplicities; and which of them each entry is."
function distinct(n::Vector{Int}, c::Vector{Int})
    order = sortperm(keys_of(n, c))
    found, index = States(Int[], Int[], Int[]), similar(order)
    for i in order
        if isempty(found.n) || last(found.n) != n[i] || last(found.c) != c[i]
            enter!(found, n[i], c[i], 0)
        end
        found.mult[end] += 1
        index[i] = length(found.n)
    end
    return found, index
end

"Integers in the order of the pairs (n, c)."
function keys_of(n, c)
    width = big(maximum(c)) + 1
    (big(maximum(n)) + 1) * width > typemax(Int) && return [big(n[i]) * width + c[i] for i in eachindex(n)]
    step = Int(width)
    return [n[i] * step + c[i] for i in eachindex(n)]
end

"The states of `distinct` alone; by counting where all n are one and small."
states_of(n::Vector{Int}, c) = minimum(n) == maximum(n) ? states_of(n[1], c) : distinct(n, c)[1]

function states_of(n::Int, c, top = Int(Counting.highest(c)))
    top <= 4 * length(c) + 1024 || return distinct(fill(n, length(c)), Vector{Int}(c))[1]
    found = zeros(Int, top + 1)
    place_counts!(found, c, eachindex(c))
    return states_from(n, found)
end

"The states of questions with n trials each, found[c+1] of which have c successes."
function states_from(n, found)
    s = States(Int[], Int[], Int[])
    for i in eachindex(found)
        found[i] > 0 && enter!(s, n, i - 1, found[i])
    end
    return s
end

function enter!(s, n, c, mult)
    push!(s.n, n)
    push!(s.c, c)
    push!(s.mult, mult)
end

"Distinct pairs of integers in 0..size-1, increasing; by counting where few pairs are possible."
function joint_states(a, b, size)
    many = widemul(size, size) > 4 * length(a) + 4096 || length(a) > typemax(UInt32)
    many && return states_of(Vector{Int}(a), Vector{Int}(b))
    if a === b
        s = states_of(0, a, size - 1)
        return States(s.c, s.c, s.mult)
    end
    found, s = pair_counts(a, b, size), States(Int[], Int[], Int[])
    for x in 0:size-1, y in 0:size-1
        found[y+1, x+1] > 0 && enter!(s, x, y, found[y+1, x+1])
    end
    return s
end
