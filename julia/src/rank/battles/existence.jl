# Conditions for a unique maximum of the likelihood, decided on integers by who won against whom. The conditions:
# spec/families/battles.md.

module Existence

using ...Scorio: sorted
using ..Battles: FIRST, SECOND, TIE

"An edge from winner to loser; step: +1 a win, -1 a tie; shown: -1 if the winner was shown first, else +1."
struct Edge
    source::Int
    target::Int
    step::Int
    shown::Int
end

key(e::Edge) = (e.source, e.target, e.step, e.shown)

"Edges for each ordered pair and each outcome that occurred; a tie has one edge each way."
function edges(cells)
    result = Edge[]
    for (pair, n) in cells
        i, j = pair::Tuple{Int,Int}
        n[FIRST+1] == 0 || push!(result, Edge(i, j, 1, -1))
        n[SECOND+1] == 0 || push!(result, Edge(j, i, 1, 1))
        n[TIE+1] == 0 && continue
        push!(result, Edge(i, j, -1, -1))
        push!(result, Edge(j, i, -1, 1))
    end
    return result[sorted((i, j) -> key(result[i]) < key(result[j]), length(result))]
end

"Links from winners to losers, both ways where a battle was a tie; one link for each kind of battle."
function links(rows)
    out = Tuple{Int,Int}[]
    for r in keys(rows)
        r[3] == SECOND || push!(out, (r[1], r[2]))
        r[3] == FIRST || push!(out, (r[2], r[1]))
    end
    return out
end

"The strong components of a graph, each sorted, in the order of their first members (Kosaraju, no recursion)."
function components(size, links)
    forth, back = Vector{Int}[Int[] for _ in 1:size], Vector{Int}[Int[] for _ in 1:size]
    for (i, j) in links
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

"The nodes that can be reached from start, including start."
function reached(size, links, start)
    forth = [Int[] for _ in 1:size]
    for (i, j) in links
        push!(forth[i], j)
    end
    return Set(walk(start, forth, falses(size)))
end

"Nodes reached from start and not seen before, in the order in which depth-first search leaves them."
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
Whether the likelihood of a strongly connected group has a unique maximum, with a position bias or tie parameter.

tied: the model has a parameter for ties, and some battle was one.
"""
function determined(size, cells, biased, tied)
    graph = edges(cells)
    tied && isempty(positive_cycle(size, graph, [e.step for e in graph])) && return false
    biased || return true
    negative_cycle = positive_cycle(size, graph, [-e.shown for e in graph])
    (isempty(negative_cycle) || isempty(positive_cycle(size, graph, [e.shown for e in graph]))) && return false
    return !tied || no_ratio_exists(size, graph, negative_cycle)
end

"Whether no ratio r has a + b r <= 0 for the steps a and the order b of all cycles; r rises until this is known."
function no_ratio_exists(size, graph, cycle)
    while true
        a, b = sum(e.step for e in cycle), sum(e.shown for e in cycle)
        b >= 0 && return true
        p, q = a ÷ gcd(a, b), -b ÷ gcd(a, b)  # r = p/q
        cycle = positive_cycle(size, graph, [q * e.step + p * e.shown for e in graph])
        isempty(cycle) && return false
    end
end

"A cycle of positive weight, or none: Bellman and Ford's rounds, until paths close a cycle or stay the same."
function positive_cycle(size, graph, weights)
    best, into = zeros(Int, size), zeros(Int, size)  # into: the last edge of the best path
    for _ in 1:size+1
        improved = false
        for (k, e) in enumerate(graph)
            if best[e.source] + weights[k] > best[e.target]
                best[e.target], into[e.target], improved = best[e.source] + weights[k], k, true
            end
        end
        improved || return Edge[]
        cycle = closed_cycle(graph, into)
        isempty(cycle) || return cycle
    end
    error("paths of positive weight close a cycle")
end

"A cycle among the last edges of the paths, if there is one; each such cycle has positive weight."
function closed_cycle(graph, into)
    state = zeros(Int, length(into))  # 0: not visited; else the number of the walk that visited it
    for start in eachindex(into)
        node = start
        while node != 0 && state[node] == 0
            state[node] = start
            node = into[node] == 0 ? 0 : graph[into[node]].source
        end
        node != 0 && state[node] == start && return cycle_through(graph, into, node)
    end
    return Edge[]
end

function cycle_through(graph, into, start)
    out, node = Edge[], start
    while true
        push!(out, graph[into[node]])
        node = out[end].source
        node == start && return out
    end
end

end
