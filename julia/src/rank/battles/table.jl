# Battles as counts: the model shown first, the second, the outcome; and whether the likelihood has a unique maximum.
# The conditions, decided on integers by who won against whom: spec/families/battles.md.

module Battles

using ...Scorio: among, refuse, shown, sort_order
using ...Means: Fraction
using ...Rationals: integer_ratio

@nospecialize

const FIRST, TIE, SECOND, BOTH_BAD = 0, 1, 2, 3
const OUTCOMES = (FIRST, TIE, SECOND, TIE)  # what FIRST, TIE, SECOND, BOTH_BAD count as: BOTH_BAD is a tie
const WINNERS = ("model_a", "tie", "model_b", "tie (bothbad)")
const NEEDED, LABELS = ("model_a", "model_b", "winner"), ("question", "voter")
const OPTIONAL = ("count", "weight", LABELS...)
const KNOWN = (NEEDED..., OPTIONAL...)
const MOST_BATTLES = 10^12  # in one row, and as the result of battles_needed()
const WEIGHTS = (1e-100, 1e100)
const EXPECTED = Dict(
    "model_a" => "the name of a model", "model_b" => "the name of a model",
    "winner" => "one of $(join(WINNERS, ", "))", "count" => "an integer from 1 to $MOST_BATTLES",
    "weight" => "a real number from $(WEIGHTS[1]) to $(WEIGHTS[2])",
    "question" => "an integer or a text", "voter" => "an integer or a text",
)

"""
A kind of battle: the models by index, the outcome (FIRST, TIE, SECOND), its weight, question and voter.

Questions and voters are numbers from 1, or 0 without such a column.
"""
const Row = Tuple{Int,Int,Int,Float64,Int,Int}

"The battle with its two models exchanged."
reversed(r) = (r[2], r[1], SECOND - r[3], r[4], r[5], r[6])

"The models in the order of their names, and the number of battles of each kind."
struct Table
    models::Vector{String}
    rows::Dict{Row,Int}
    dropped::Int  # number of battles with "tie (bothbad)" that were left out
end

"The index of a model."
function index_of(t::Table, name, argument)
    name isa Union{AbstractString,Symbol} ||
        refuse("type", argument, argument, " must be the name of a model, not ", shown(name))
    index = findfirst(==(String(name)), t.models)
    index === nothing && refuse("choice", argument, argument, " = ", shown(name), " is not one of the models, ", among(name, t.models))
    return index
end

"Count battles by kind; unless ordered, which model was shown first is ignored."
function count_battles(battles, both_bad, ordered)
    columns = columns_of(battles)
    check_entries(columns)
    a, b = String[String(x) for x in columns["model_a"]], String[String(x) for x in columns["model_b"]]
    outcome = Int[outcome_code(x) for x in columns["winner"]]
    n_battles = haskey(columns, "count") ? Int[Int(x) for x in columns["count"]] : fill(1, length(a))
    weight = haskey(columns, "weight") ? Float64[Float64(x) for x in columns["weight"]] : fill(1.0, length(a))
    question = numbered(get(columns, "question", nothing), length(a))
    voter = numbered(get(columns, "voter", nothing), length(a))
    is_counted = Bool[both_bad == "tie" || o != BOTH_BAD for o in outcome]
    return count_rows(a, b, outcome, weight, question, voter, n_battles, is_counted, ordered)
end

"The code of an outcome: its index in WINNERS, from 0; -1 for any other text."
function outcome_code(x)
    for (k, word) in enumerate(WINNERS)
        String(x) == word && return k - 1
    end
    return -1
end

"Number labels from 1; all 0 without a column of labels."
function numbered(column, size)
    column === nothing && return zeros(Int, size)
    number_of = Dict{Any,Int}()
    return Int[get!(number_of, x isa Symbol ? String(x) : x, length(number_of) + 1) for x in column]
end

"The battles by kind, from checked columns; is_counted: whether each row counts, or both_bad leaves it out."
function count_rows(a, b, outcome, weight, question, voter, n_battles, is_counted, ordered)
    names, index = String[], Dict{String,Int}()
    for k in eachindex(a)
        is_counted[k] && foreach(name -> haskey(index, name) || (push!(names, name); index[name] = 0), (a[k], b[k]))
    end
    names = names[sort_order((i, j) -> names[i] < names[j], length(names))]
    for (i, name) in enumerate(names)
        index[name] = i
    end
    rows, dropped = Dict{Row,Int}(), 0
    for k in eachindex(a)
        if !is_counted[k]
            dropped += n_battles[k]
            continue
        end
        a[k] == b[k] && refuse("conflict", "battles", "battles has a battle of ", shown(a[k]), " against itself")
        row = (index[a[k]], index[b[k]], OUTCOMES[outcome[k]+1], weight[k], question[k], voter[k])
        key = ordered || row[1] < row[2] ? row : reversed(row)
        rows[key] = get(rows, key, 0) + n_battles[k]
    end
    isempty(rows) && refuse(
        "empty", "battles",
        "battles has only \"tie (bothbad)\", which both_bad=\"drop\" leaves out: both_bad=\"tie\" counts it as a tie",
    )
    return Table(names, rows, dropped)
end

"The columns of battles that Scorio uses, as vectors."
function columns_of(x)
    by_name = by_names(x)
    if by_name !== nothing
        for name in NEEDED
            haskey(by_name, name) || refuse("missing", "battles", "battles has no column ", name)
        end
        out = Dict{String,Any}()
        for name in KNOWN
            haskey(by_name, name) && (out[name] = as_vector(by_name[name], name))
        end
        return out
    end
    x isa Union{Tuple,AbstractVector} ||
        refuse("type", "battles", "battles must be columns by name or a vector of rows, not ", shown(x))
    rows = Any[]
    for row in x
        push!(rows, as_vector(row, "row $(length(rows) + 1)"))
    end
    for (k, row) in enumerate(rows)
        length(row) == length(NEEDED) || refuse(
            "length", "battles", "row ", k, " of battles has ", length(row), " entries, not model_a, model_b, winner",
        )
    end
    out = Dict{String,Any}()
    for (k, name) in enumerate(NEEDED)
        out[name] = Any[row[k] for row in rows]
    end
    return out
end

"Columns by name, of a dictionary, pairs, named tuple or table with columns as properties; nothing for rows."
function by_names(x)
    x isa Union{AbstractDict,AbstractVector{<:Pair}} && return named(x)
    x isa NamedTuple && return named(pairs(x))
    x isa Union{Tuple,AbstractArray,Number,AbstractString,Symbol} && return nothing
    :model_a in propertynames(x) || return nothing
    return named((k => getproperty(x, k) for k in propertynames(x)))
end

"Columns by name, from pairs (name, column)."
function named(x)
    out = Dict{String,Any}()
    for (k, v) in x
        out[string(k)] = v
    end
    return out
end

"The entries of a column or row as a vector; what: its name in messages."
function as_vector(x, what)
    x isa Union{Tuple,AbstractVector} || refuse("type", "battles", what, " of battles must be a vector, not ", shown(x))
    out = Any[]
    for y in x
        push!(out, y)
    end
    return out
end

"Check every entry of every column, column by column."
function check_entries(columns)
    size = length(columns["model_a"])
    for name in KNOWN
        haskey(columns, name) || continue
        length(columns[name]) == size || refuse(
            "length", "battles", "battles has ", size, " entries in model_a, ", length(columns[name]), " in ", name,
        )
    end
    size == 0 && refuse("empty", "battles", "battles is empty")
    for name in KNOWN, (k, x) in enumerate(get(columns, name, ()))
        code = error_code(name, x)
        code === nothing ||
            refuse(code, "battles", "battles: ", name, "[", k, "] = ", shown(x), " is not ", EXPECTED[name])
    end
end

"The error code of an entry; nothing if it is valid."
function error_code(name, x)
    if name in NEEDED
        x isa Union{AbstractString,Symbol} || return "type"
        return name == "winner" && !(String(x) in WINNERS) ? "choice" : nothing
    elseif name in LABELS
        return x isa Union{AbstractString,Symbol} || (x isa Integer && !(x isa Bool)) ? nothing : "type"
    elseif name == "count"
        x isa Integer && !(x isa Bool) || return "type"
        return 1 <= x <= MOST_BATTLES ? nothing : "range"
    end
    x isa Real && !(x isa Bool) || return "type"
    isfinite(x) || return "not_finite"
    return WEIGHTS[1] <= x <= WEIGHTS[2] ? nothing : "range"
end

# --- groups of models that are fitted ---------------------------------------------------------------

const Cells = Dict{Any,Any}  # Tuple{Int,Int} => Vector{Fraction}; methods of Dict{Any,Any} come compiled with Julia

"A set of models, and the battles among them."
struct Group
    members::Vector{Int}  # indices among all models, increasing
    rows::Dict{Row,Int}  # with indices among the members
end

"The battles of some models among themselves."
function group(members, rows::Dict{Row,Int})
    index, inner_rows = Dict{Int,Int}(), Dict{Row,Int}()
    for (k, m) in enumerate(members)
        index[m] = k
    end
    for (r, n_battles) in rows
        if haskey(index, r[1]) && haskey(index, r[2])
            inner_rows[(index[r[1]], index[r[2]], r[3], r[4], r[5], r[6])] = n_battles
        end
    end
    return Group(members, inner_rows)
end

"The exact value of a weight."
exact(weight::Float64) = Fraction(integer_ratio(weight)...)

"The exact weights of wins of the first, ties, and wins of the second, for each ordered pair."
function cells(g::Group)
    out = Cells()
    for (r, n_battles) in g.rows
        add!(out, r, n_battles)
    end
    return out
end

"The pairs of models of the cells, sorted."
function pairs_of(cells::Cells)
    unsorted = Tuple{Int,Int}[pair for (pair, _) in cells]
    return Tuple{Int,Int}[unsorted[i] for i in sort_order((i, j) -> isless(unsorted[i], unsorted[j]), length(unsorted))]
end

"Add battles of one kind to the cell of their models."
function add!(out::Cells, r::Row, n_battles::Int)
    pair = (r[1], r[2])
    haskey(out, pair) || (out[pair] = Fraction[zero(Fraction), zero(Fraction), zero(Fraction)])
    (out[pair]::Vector{Fraction})[r[3]+1] += n_battles * exact(r[4])
    return out
end

end

# --- conditions for a unique maximum of the likelihood ----------------------------------------------

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
