"""
Entry points for Python's `scorio.julia`: arrays over Python's memory, calls by name, results as text.

Numbers, text, lists and dictionaries come as PythonCall.jl converts them; what goes back is one line of JSON, so that
nothing rests on how a bridge converts results.
"""
module Bridge

using ..Scorio: Counts, InvalidInput, MetricInterval, Result, Scorio, table

@nospecialize

# Tuples need nothing compiled when the package is; a dictionary takes a tenth of a second.
const TYPES = (Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64)
const TYPE_NAMES =
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
const LISTS_FROM_ONE = ("suggest_next_allocation", "winners")  # functions that return models, by place or by name
const FROM_ONE = ("dropped", "group", "leader", "ambiguous", "pair", "question")  # fields with places, which Python counts from 0

"""
The array at an address of memory, whose owner keeps it until the call is over.

rows: whether the last index is the fastest, as in C; otherwise the first is, as in Fortran.
"""
function memory(type, address, size, rows)
    dims = Tuple(Int[n for n in size])
    data = Ptr{TYPES[findfirst(==(type), TYPE_NAMES)]}(UInt(address))
    rows && length(dims) > 1 || return unsafe_wrap(Array, data, dims)
    return PermutedDimsArray(unsafe_wrap(Array, data, reverse(dims)), length(dims):-1:1)
end

"Convert arguments from Python: lists become vectors, mappings become pairs in their order."
plain(x) = x
plain(x::AbstractArray{<:Number}) = x
plain(x::AbstractVector{<:Number}) = x
plain(x::Union{AbstractVector,Tuple}) = Any[plain(y) for y in x]
plain(x::AbstractDict) = Pair{Any,Any}[k => plain(v) for (k, v) in x]

room_of(name) = name == "rank" ? Scorio.Rank : name == "rubric" ? Scorio.Rubric :
    name == "simulate" ? Scorio.Simulate : name == "items" ? Scorio.Items : Scorio

const PLACES = Dict{String,Vector{String}}()  # by function called so far: to look up methods takes longer than a call

"Names of the arguments that a function takes by position."
positional(room, name, f) = get!(() -> longest_places(f), PLACES, string(room, '.', name))

function longest_places(f)
    longest = first(methods(f))
    for m in methods(f)
        m.nargs > longest.nargs && (longest = m)
    end
    return String[string(name) for name in Base.method_argnames(longest)[2:end]]
end

"""
Call a function of a module; returns its result, or its refusal, as text.

named_arguments: arguments by their names; defaults: values for the places before the last of these.
"""
function call(room, name, named_arguments, defaults)
    f = getfield(room_of(room), Symbol(name))
    arguments = Dict{String,Any}(String(k) => plain(v) for (k, v) in named_arguments)
    standard = Dict{String,Any}(String(k) => plain(v) for (k, v) in defaults)
    places = positional(room, name, f)
    last = something(findlast(p -> haskey(arguments, p), places), 0)
    values = Any[haskey(arguments, p) ? arguments[p] : standard[p] for p in places[1:last]]
    keywords = Dict(Symbol(k) => v for (k, v) in arguments if !(k in places))
    try
        result = f(values...; keywords...)
        name in LISTS_FROM_ONE && eltype(result) <: Integer && return text(result .- 1)
        name == "compare_all" && return text([merge(x, (a = place(x.a), b = place(x.b))) for x in result])
        return text(name == "thresholds" ? named(result) : result)
    catch e
        e isa InvalidInput || rethrow()
        return text(Object("refused" => Any[e.code, e.argument, e.message]))
    end
end

"A model by its place counted from 0, or by its name."
place(x) = x isa Integer ? x - 1 : x

"A Schema from its parts."
schema(name, rules, weights, variables, thresholds) = Scorio.Rubric.Schema(
    name, plain(rules), plain(weights); variables = plain(variables), thresholds = plain(thresholds),
)

"Counts from their table."
counts(table, absent, ids, clusters) = Counts(table; absent = absent, ids = ids, clusters = clusters)

"Answers from the counts of each question."
answers(items) = Scorio.Answers(Scorio.Votes[(right = Int[r...], other = Int[o...], blank = Int(b)) for (r, o, b) in items])

"Scored trials from those at each score."
scored(items) = Scorio.ScoredTrials(Scorio.Levels[(trials = Int[n...], right = Int[c...]) for (n, c) in items])

# --- results as text: values that JSON lacks are objects with one key ------------------------------------

struct Object
    pair::Pair{String,Any}
end

text(x) = sprint(write_json, x)

write_json(io, x::Union{Bool,Integer}) = print(io, x)
write_json(io, ::Nothing) = print(io, "null")
write_json(io, x::Symbol) = write_json(io, String(x))
write_json(io, x::Float64) = write_json(io, Object("float" => string(reinterpret(UInt64, x), base = 16, pad = 16)))
write_json(io, x::NamedTuple) = write_json(io, Object("fields" => Any[fields(k, v) for (k, v) in pairs(x)]))
write_json(io, x::Union{MetricInterval,Result}) = write_json(io, NamedTuple(x))
write_json(io, x::Counts) = write_json(io, Object("counts" => Any[table(x), x.absent, x.ids, x.clusters]))
write_json(io, x::AbstractVector{<:Pair}) = write_json(io, Object("named" => Any[Any[k, v] for (k, v) in x]))

function write_json(io, x::AbstractString)
    print(io, '"')
    for c in x
        c in ('"', '\\') && print(io, '\\')
        c < ' ' ? print(io, "\\u", string(UInt16(c), base = 16, pad = 4)) : print(io, c)
    end
    print(io, '"')
end

function write_json(io, x::Object)
    print(io, '{')
    write_json(io, x.pair.first)
    print(io, ": ")
    write_json(io, x.pair.second)
    print(io, '}')
end

"Write an array: numbers as the bytes of their memory, the first index fastest; other entries one by one."
function write_json(io, x::Union{AbstractArray,Tuple})
    if x isa Array && eltype(x) in TYPES
        bytes = bytes2hex(reinterpret(UInt8, vec(x)))
        type = TYPE_NAMES[findfirst(==(eltype(x)), TYPES)]
        return write_json(io, Object("array" => Any[type, Any[size(x)...], bytes]))
    end
    print(io, '[')
    for (i, y) in enumerate(x)
        i > 1 && print(io, ", ")
        write_json(io, y)
    end
    print(io, ']')
end

"Name and value of a result's field: named values stay named, places count from 0."
fields(name, x) = Any[string(name), string(name) in FROM_ONE ? from_zero(name, x) : x isa NamedTuple ? named(x) : x]

"Convert a place or places to count from 0; names, and the number of dropped questions, are no places."
from_zero(name, x) = x isa Integer && name != :dropped ? x - 1 : x
from_zero(name, x::Union{Tuple,AbstractVector}) = map(i -> i isa Integer ? i - 1 : i, x)

named(x::NamedTuple) = Pair{String,Any}[string(k) => v for (k, v) in pairs(x)]

end
