# Conditions for a unique maximum of the likelihood, decided on integers by who won against whom. The conditions:
# spec/families/battles.md.

module Existence

using ...Scorio: sort_order
using ..Battles: FIRST, SECOND, TIE

"An edge from a winner to a loser, or one of the two edges of a tie."
struct Edge
    source::Int
    target::Int
    step::Int  # 1 for a win, -1 for a tie
    shown::Int  # -1 if the source was shown first, else 1
end

key(e::Edge) = (e.source, e.target, e.step, e.shown)

"One edge for each pair and outcome that occurred; a tie gives one in each direction."
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
    return result[sort_order((i, j) -> key(result[i]) < key(result[j]), length(result))]
end

"Pairs (winner, loser) of models, one for each kind of battle; ties give both directions."
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
    successors, predecessors = Vector{Int}[Int[] for _ in 1:size], Vector{Int}[Int[] for _ in 1:size]
    for (i, j) in links
        push!(successors[i], j)
        push!(predecessors[j], i)
    end
    seen, order = falses(size), Int[]
    for start in 1:size
        append!(order, depth_first(start, successors, seen))
    end
    seen, out = falses(size), Vector{Int}[]
    for k in size:-1:1
        seen[order[k]] || push!(out, sort!(depth_first(order[k], predecessors, seen)))
    end
    return Vector{Int}[out[i] for i in sort_order((i, j) -> out[i][1] < out[j][1], length(out))]
end

"The nodes that can be reached from start, including start."
function reachable(size, links, start)
    successors = [Int[] for _ in 1:size]
    for (i, j) in links
        push!(successors[i], j)
    end
    return Set(depth_first(start, successors, falses(size)))
end

"Unseen nodes that can be reached from start, in the postorder of a depth-first search; marks them as seen."
function depth_first(start, neighbours, seen)
    out = Int[]
    seen[start] && return out
    seen[start], nodes, places = true, [start], [1]
    while !isempty(nodes)
        node, at = nodes[end], places[end]
        if at > length(neighbours[node])
            push!(out, pop!(nodes))
            pop!(places)
            continue
        end
        places[end] += 1
        neighbour = neighbours[node][at]
        if !seen[neighbour]
            seen[neighbour] = true
            push!(nodes, neighbour)
            push!(places, 1)
        end
    end
    return out
end

"""
Whether the likelihood of a strongly connected group has a unique maximum.

biased: the model has a position bias; tied: it has a parameter for ties, and some battle was a tie.
"""
function has_unique_maximum(size, cells, biased, tied)
    graph = edges(cells)
    tied && isempty(positive_cycle(size, graph, [e.step for e in graph])) && return false
    biased || return true
    negative_cycle = positive_cycle(size, graph, [-e.shown for e in graph])
    (isempty(negative_cycle) || isempty(positive_cycle(size, graph, [e.shown for e in graph]))) && return false
    return !tied || no_ratio_exists(size, graph, negative_cycle)
end

"""
Whether no ratio r has a + b r <= 0 for every cycle; a is the cycle's sum of step, b of shown.

cycle: a cycle with b < 0, from which the search starts.
"""
function no_ratio_exists(size, graph, cycle)
    while true
        a, b = sum(e.step for e in cycle), sum(e.shown for e in cycle)
        b >= 0 && return true
        p, q = a ÷ gcd(a, b), -b ÷ gcd(a, b)  # r = -a/b = p/q
        cycle = positive_cycle(size, graph, [q * e.step + p * e.shown for e in graph])
        isempty(cycle) && return false
    end
end

"A cycle of positive weight, or none: Bellman-Ford rounds until the best paths have a cycle or no longer change."
function positive_cycle(size, graph, weights)
    best, last_edge = zeros(Int, size), zeros(Int, size)
    for _ in 1:size+1
        improved = false
        for (k, e) in enumerate(graph)
            if best[e.source] + weights[k] > best[e.target]
                best[e.target], last_edge[e.target], improved = best[e.source] + weights[k], k, true
            end
        end
        improved || return Edge[]
        cycle = closed_cycle(graph, last_edge)
        isempty(cycle) || return cycle
    end
    error("paths of positive weight contain a cycle")
end

"A cycle of the last edges of the best paths, or none; any such cycle has positive weight."
function closed_cycle(graph, last_edge)
    visited_by = zeros(Int, length(last_edge))  # 0: not visited; else the number of the walk that visited it
    for start in eachindex(last_edge)
        node = start
        while node != 0 && visited_by[node] == 0
            visited_by[node] = start
            node = last_edge[node] == 0 ? 0 : graph[last_edge[node]].source
        end
        node != 0 && visited_by[node] == start && return cycle_through(graph, last_edge, node)
    end
    return Edge[]
end

"The cycle through a node, followed backwards."
function cycle_through(graph, last_edge, start)
    out, node = Edge[], start
    while true
        push!(out, graph[last_edge[node]])
        node = out[end].source
        node == start && return out
    end
end

end
