# Agreement of rankings, and integers that encode rankings.

const LARGEST_L = 1000  # most models of a ranking, except in compare_rankings and lehmer_hash

"""
    compare_rankings(a, b) -> (tau_a, tau_b, spearman, weighted_tau, mismatched, max_displacement)

Measure the agreement of two rankings of the same models.

- `a`, `b`: ranks of L >= 2 models, low is best, both in the same convention: finite numbers, or a mapping
  from models to these.

Kendall's tau-a and tau-b, Spearman's correlation and the weighted tau in [-1, 1]; the share of models whose ranks
differ; the largest difference of ranks. Where a ranking ties all models, `tau_b`, `spearman` and `weighted_tau` are
NaN. Throws `InvalidInput` for anything wrong with the ranks. Source: appendix F.1 of arXiv:2510.04265; Vigna 2015 for
the weighted tau, in which swaps at the top have the largest weights. `tau_a` shrinks with ties; prefer `tau_b`.

# Examples
```jldoctest
julia> r = compare_rankings([1, 2, 3, 4], [1, 3, 2, 4]);

julia> round(r.tau_b, digits=4), round(r.weighted_tau, digits=4), r.mismatched, r.max_displacement
(0.6667, 0.7333, 0.5, 1.0)
```
"""
function compare_rankings(a, b)
    for (x, name, other) in ((a, "a", "b"), (b, "b", "a"))
        (Models.ismapping(a) || Models.ismapping(b)) && !Models.ismapping(x) &&
            refuse("type", name, other, " is a mapping of model to rank, so ", name, " must be one")
    end
    if Models.ismapping(a)
        names, a = Models.unzipped(a)
        b = Models.in_order(b, names, "b")
    end
    x, y = Arguments.at_least_two(a, "a"), Arguments.vector(b, "b")
    L = length(x)
    length(y) == L || refuse("length", "b", "b has ", length(y), " entries, a has ", L)
    displacement = maximum([abs(p - q) for (p, q) in zip(x, y)])
    isfinite(displacement) || refuse("overflow", "a", "a and b differ by more than the largest double")
    concordance, untied_x, untied_y, n_different = 0, 0, 0, 0
    for j in 1:L
        for i in 1:j-1
            concordance += sign_of(x[i] - x[j]) * sign_of(y[i] - y[j])
            untied_x += x[i] != x[j]
            untied_y += y[i] != y[j]
        end
        n_different += x[j] != y[j]
    end
    by_x, by_y = weighted_tau(x, y), weighted_tau(y, x)
    weighted = by_x === nothing || by_y === nothing ? NaN :
        value(times_2_to(by_x + by_y, -1.0)) + 0.0
    u, v = centred_ranks(x), centred_ranks(y)
    return Result{:RankComparison}((
        tau_a = concordance / (L * (L - 1) ÷ 2),
        tau_b = over_root(big(concordance), big(untied_x) * untied_y),
        spearman = over_root(dot_product(u, v), dot_product(u, u) * dot_product(v, v)),
        weighted_tau = weighted,
        mismatched = n_different / L,
        max_displacement = displacement,
    ))
end

"The sign of a difference: 1, 0 or -1."
sign_of(d::Float64) = (d > 0.0) - (d < 0.0)

"The quotient num / sqrt(square); NaN where the square is 0."
function over_root(num::BigInt, square::BigInt)
    square == 0 && return NaN
    return value(from_ratio(num, big(1)) / sqrt(from_ratio(square, big(1)))) + 0.0
end

"Twice the average rank of each entry, minus twice the mean rank."
function centred_ranks(x::Vector{Float64})
    out = zeros(Int, length(x))
    for i in eachindex(x), j in eachindex(x)
        out[i] += sign_of(x[i] - x[j])
    end
    return out
end

"The scalar product of two vectors as an integer of any size."
function dot_product(u::Vector{Int}, v::Vector{Int})
    total = big(0)
    for i in eachindex(u, v)
        total += u[i] * v[i]
    end
    return total
end

"The weighted tau with weights 1/(r+1), r the index from 0 in the order of x, then y; nothing if x or y ties all."
function weighted_tau(x::Vector{Float64}, y::Vector{Float64})
    position = invperm(sort_order((i, j) -> x[i] < x[j] || (x[i] == x[j] && y[i] < y[j]), length(x)))
    concordance = weighted_pairs(position, x, y)
    untied_x, untied_y = weighted_pairs(position, x, x), weighted_pairs(position, y, y)
    (untied_x[1] == 0 || untied_y[1] == 0) && return nothing
    return from_ratio(concordance...) / sqrt(from_ratio(untied_x...) * from_ratio(untied_y...))
end

"The sum over pairs of sign(x_i - x_j) sign(y_i - y_j) (w_i + w_j), where w_i = 1/position[i]: integers times w_i."
function weighted_pairs(position::Vector{Int}, x::Vector{Float64}, y::Vector{Float64})
    terms = Rationals.Ratio[]
    for i in eachindex(x)
        signs = 0
        for j in eachindex(x)
            signs += sign_of(x[i] - x[j]) * sign_of(y[i] - y[j])
        end
        push!(terms, (big(signs), big(position[i])))
    end
    return Rationals.total(terms)
end

# --- rankings as numbers ----------------------------------------------------------------------------

"""
    lehmer_hash(ranking) -> BigInt

The index of a permutation of 1..L in lexicographic order, from 0 to L! - 1.

- `ranking`: integers 1..L, each once.

Throws `InvalidInput` for anything wrong with the ranking; permutation: it has ties (see [`ranking_hash`](@ref)) or
gaps. Source: Lehmer 1960: sum over i of (number of later entries that are smaller) (L - i)!.

# Examples
```jldoctest
julia> lehmer_hash([1, 2, 3]), lehmer_hash([3, 2, 1])
(0, 5)
```
"""
function lehmer_hash(ranking)
    ranks = Arguments.integers(ranking, "ranking")
    L, position = length(ranks), big(0)
    sort(ranks) == 1:L ||
        refuse("permutation", "ranking", "ranking = ", shown(ranking), " is not 1..", L, ", each once")
    for i in 1:L
        position = position * (L - i + 1) + count(<(ranks[i]), view(ranks, i:L))
    end
    return position
end

"""
    lehmer_unhash(hash, L) -> Vector{Int}

The permutation of 1..L at an index in lexicographic order: the inverse of [`lehmer_hash`](@ref).

- `hash`: the index, 0 <= hash < L!.
- `L`: number of models, 1 <= L <= 1000.

Throws `InvalidInput`: type, range.

# Examples
```jldoctest
julia> Tuple(lehmer_unhash(4, 3))
(3, 1, 2)
```
"""
function lehmer_unhash(hash, L)
    L = Arguments.integer(L, "L", 1, LARGEST_L)::Int
    remainder = big(Arguments.integer(hash, "hash", 0, factorial(big(L)) - 1))
    unused, positions = collect(1:L), zeros(Int, L)
    for i in 1:L
        remainder, positions[L-i+1] = divrem(remainder, i)
    end
    return [popat!(unused, position + 1) for position in positions]
end

"""
    ranking_hash(ranking) -> BigInt

A unique number for every ranking with ties: from 0 to one less than the number of weak orders of L models.

- `ranking`: ranks of L <= 1000 models, low is best, in any convention: only their order and ties matter.

Throws `InvalidInput` for anything wrong with the ranks. Rankings are ordered by the size s of the top group,
then by its models, then by the ranking of the others; the Fubini numbers count weak orders. See
spec/families/rankings.md.

# Examples
```jldoctest
julia> ranking_hash([1, 2, 2]), Tuple(unhash_ranking(2, 3)), ranking_hash([1, 1, 1])
(2, (1, 2, 2), 12)
```
"""
function ranking_hash(ranking)
    ranks = Arguments.vector(ranking, "ranking")
    L = length(ranks)
    L <= LARGEST_L || refuse("length", "ranking", "ranking has ", L, " models, more than ", LARGEST_L)
    weak_orders, number = fubini(L), big(0)
    while !isempty(ranks)
        n, best = length(ranks), minimum(ranks)
        group = findall(==(best), ranks)
        s = length(group)
        for t in 1:s-1
            number += binomial(big(n), t) * weak_orders[n-t+1]
        end
        number += subset_index(group, n) * weak_orders[n-s+1]
        ranks = filter(!=(best), ranks)
    end
    return number
end

"""
    unhash_ranking(hash, L) -> Vector{Int}

The ranking with ties that has this number, as dense ranks: the inverse of [`ranking_hash`](@ref).

- `hash`: the number, from 0 to one below the number of weak orders of L models.
- `L`: number of models, 1 <= L <= 1000.

Throws `InvalidInput`: type, range.

# Examples
```jldoctest
julia> Tuple(Tuple(unhash_ranking(h, 2)) for h in 0:2)
((1, 2), (2, 1), (1, 1))
```
"""
function unhash_ranking(hash, L)
    L = Arguments.integer(L, "L", 1, LARGEST_L)::Int
    weak_orders = fubini(L)
    remainder = big(Arguments.integer(hash, "hash", 0, weak_orders[L+1] - 1))
    ranks, items, rank = zeros(Int, L), collect(1:L), 0
    while !isempty(items)
        n, s, rank = length(items), 1, rank + 1
        size = n * weak_orders[n]
        while remainder >= size
            remainder, s = remainder - size, s + 1
            size = binomial(big(n), s) * weak_orders[n-s+1]
        end
        index, remainder = divrem(remainder, weak_orders[n-s+1])
        group = subset_at(index, n, s)
        ranks[items[group]] .= rank
        deleteat!(items, group)
    end
    return ranks
end

const FUBINI = BigInt[1]  # the numbers of weak orders of 0, 1, 2, ... items, computed so far
const FUBINI_LOCK = ReentrantLock()

"The numbers of weak orders of 0..n items, by sums over sizes of the top group; cached."
function fubini(n)
    return lock(FUBINI_LOCK) do
        for m in length(FUBINI):n
            ways, orders = big(1), big(0)
            for s in 1:m
                ways = ways * (m - s + 1) ÷ s
                orders += ways * FUBINI[m-s+1]
            end
            push!(FUBINI, orders)
        end
        FUBINI[1:n+1]
    end
end

"The index from 0 of an increasing vector among all subsets of its size of 1..n, in lexicographic order."
function subset_index(group, n)
    index, before, s = big(0), 0, length(group)
    for (j, position) in enumerate(group)
        for x in before+1:position-1
            index += binomial(big(n - x), s - j)
        end
        before = position
    end
    return index
end

"The subset of size s of 1..n at an index in lexicographic order."
function subset_at(index, n, s)
    out = Int[]
    for x in 1:n
        length(out) < s || break
        n_subsets = binomial(big(n - x), s - length(out) - 1)
        if index < n_subsets
            push!(out, x)
        else
            index -= n_subsets
        end
    end
    return out
end
