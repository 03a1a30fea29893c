# When the likelihood has one maximum: decided on integers, by who won against whom. The conditions:
# spec/families/battles.md.

module Existence

using ...Scorio: sorted
using ..Battles: FIRST, SECOND, TIE

"From a winner to a loser; step: +1 for a win, -1 for a tie; shown: -1 if the winner was shown first, else +1."
struct Edge
    source::Int
    target::Int
    step::Int
    shown::Int
end

key(e::Edge) = (e.source, e.target, e.step, e.shown)

"One edge for each pair as shown and outcome that occurred; a tie is one both ways."
function edges(cells)
    found = Edge[]
    for ((i, j), n) in cells
        n[FIRST+1] == 0 || push!(found, Edge(i, j, 1, -1))
        n[SECOND+1] == 0 || push!(found, Edge(j, i, 1, 1))
        n[TIE+1] == 0 && continue
        push!(found, Edge(i, j, -1, -1))
        push!(found, Edge(j, i, -1, 1))
    end
    return found[sorted((i, j) -> key(found[i]) < key(found[j]), length(found))]
end

"From winners to losers; both ways where a battle was a tie. A link stands once for each kind of battle."
function links(rows)
    out = Tuple{Int,Int}[]
    for r in keys(rows)
        r[3] == SECOND || push!(out, (r[1], r[2]))
        r[3] == FIRST || push!(out, (r[2], r[1]))
    end
    return out
end

"The strong components of a graph, each sorted, in the order of their first members (Kosaraju, no recursion)."
function components(size, found)
    forth, back = Vector{Int}[Int[] for _ in 1:size], Vector{Int}[Int[] for _ in 1:size]
    for (i, j) in found
        push!(forth[i], j)
        push!(back[j], i)
    end
    seen, order = falses(size), Int[]
    for start in 1:size
        append!(order, walk(start, forth, seen))
    end
    seen, out = falses(size), Vector{Int}[]
    for k in size:-1:1
        seen[order[k]] || push!(out, sort!(walk(order[k], back, seen)))
    end
    return Vector{Int}[out[i] for i in sorted((i, j) -> out[i][1] < out[j][1], length(out))]
end

"What is reached from start, itself included."
function reached(size, found, start)
    forth = [Int[] for _ in 1:size]
    for (i, j) in found
        push!(forth[i], j)
    end
    return Set(walk(start, forth, falses(size)))
end

"What is reached from start and was not seen, in the order in which depth-first search leaves it."
function walk(start, links, seen)
    out = Int[]
    seen[start] && return out
    seen[start], nodes, places = true, [start], [1]
    while !isempty(nodes)
        node, at = nodes[end], places[end]
        if at > length(links[node])
            push!(out, pop!(nodes))
            pop!(places)
            continue
        end
        places[end] += 1
        other = links[node][at]
        if !seen[other]
            seen[other] = true
            push!(nodes, other)
            push!(places, 1)
        end
    end
    return out
end

"""
Whether a strongly connected group has one maximum, with a position bias or a parameter for ties.

tied: the model has a parameter for ties, and some battle was one.
"""
function determined(size, cells, biased, tied)
    found = edges(cells)
    tied && isempty(positive(size, found, [e.step for e in found])) && return false
    biased || return true
    below = positive(size, found, [-e.shown for e in found])
    (isempty(below) || isempty(positive(size, found, [e.shown for e in found]))) && return false
    return !tied || both(size, found, below)
end

"No ratio r has a + b r <= 0 for the steps a and the order b of all cycles; r rises until that is seen."
function both(size, found, cycle)
    while true
        a, b = sum(e.step for e in cycle), sum(e.shown for e in cycle)
        b >= 0 && return true
        p, q = a ÷ gcd(a, b), -b ÷ gcd(a, b)  # r = p/q
        cycle = positive(size, found, [q * e.step + p * e.shown for e in found])
        isempty(cycle) && return false
    end
end

"A cycle of positive weight, or none: Bellman and Ford's rounds, until the paths close a cycle or rest."
function positive(size, found, weights)
    best, into = zeros(Int, size), zeros(Int, size)  # into: the last edge of the best path
    for _ in 1:size+1
        moved = false
        for (k, e) in enumerate(found)
            if best[e.source] + weights[k] > best[e.target]
                best[e.target], into[e.target], moved = best[e.source] + weights[k], k, true
            end
        end
        moved || return Edge[]
        cycle = closed(found, into)
        isempty(cycle) || return cycle
    end
    error("paths of positive weight close a cycle")
end

"A cycle among the last edges of the paths, if there is one; each is of positive weight."
function closed(found, into)
    state = zeros(Int, length(into))  # 0 new, else the walk that came by
    for start in eachindex(into)
        node = start
        while node != 0 && state[node] == 0
            state[node] = start
            node = into[node] == 0 ? 0 : found[into[node]].source
        end
        node != 0 && state[node] == start && return around(found, into, node)
    end
    return Edge[]
end

function around(found, into, start)
    out, node = Edge[], start
    while true
        push!(out, found[into[node]])
        node = out[end].source
        node == start && return out
    end
end

end
