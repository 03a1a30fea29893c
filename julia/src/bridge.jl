"""
Entry points for Python's `scorio.julia`: arrays over Python's memory, calls by name, results as text.

Numbers, text, lists and dictionaries come as PythonCall.jl converts them; the result is one line of JSON, so that
it does not depend on how PythonCall.jl converts results.
"""
module Bridge

using ..Scorio: Average, Counts, InvalidInput, MetricInterval, Result, Scorio, table

@nospecialize

# types of numbers that Julia reads in place; tuples, since compiling a dictionary takes a tenth of a second
const TYPES = (Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64)
const TYPE_NAMES =
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
# functions that return a list of models, by name or by an index from 1
const LISTS_FROM_ONE = ("suggest_next_allocation", "winners")
# fields with indices, which count from 1 in Julia and from 0 in Python
const FIELDS_FROM_ONE = (
    "dropped", "group", "leader", "ambiguous", "pair", "question", "build", "since", "first", "last", "flaky",
)

"""
The array at an address of memory, which its owner keeps until the call has returned.

rows: whether the last index is the fastest, as in C; otherwise the first is, as in Fortran.
"""
function memory(type, address, size, rows)
    dims = Tuple(Int[n for n in size])
    data = Ptr{TYPES[findfirst(==(type), TYPE_NAMES)]}(UInt(address))
    rows && length(dims) > 1 || return unsafe_wrap(Array, data, dims)
    return PermutedDimsArray(unsafe_wrap(Array, data, reverse(dims)), length(dims):-1:1)
end

"Convert arguments from Python: lists become vectors, mappings become vectors of pairs in their order."
from_python(x) = x
from_python(x::AbstractArray{<:Number}) = x
from_python(x::AbstractVector{<:Number}) = x
from_python(x::Union{AbstractVector,Tuple}) = Any[from_python(y) for y in x]
from_python(x::AbstractDict) = Pair{Any,Any}[k => from_python(v) for (k, v) in x]

"The Julia module of a Python module; Scorio itself for eval, sinf, utils, converge and (for tally) an empty name."
module_of(name) = name == "rank" ? Scorio.Rank : name == "rubric" ? Scorio.Rubric :
    name == "simulate" ? Scorio.Simulate : name == "items" ? Scorio.Items : Scorio

const POSITIONAL = Dict{String,Vector{String}}()  # by function, for those called before: finding methods is slow

"The names of the positional arguments of a function."
positional_arguments(module_name, name, f) =
    get!(() -> longest_signature(f), POSITIONAL, string(module_name, '.', name))

"The argument names of the method with the most positional arguments."
function longest_signature(f)
    longest = first(methods(f))
    for m in methods(f)
        m.nargs > longest.nargs && (longest = m)
    end
    return String[string(name) for name in Base.method_argnames(longest)[2:end]]
end

"""
Call a function of a module with arguments by name; returns its result, or its InvalidInput, as text.
"""
function call(module_name, name, named_arguments)
    f = getfield(module_of(module_name), Symbol(name))
    positions, given = positional_arguments(module_name, name, f), Dict{String,Any}()
    for (k, v) in named_arguments
        given[String(k)] = from_python(v)
    end
    first_absent = something(findfirst(p -> !haskey(given, p), positions), length(positions) + 1)
    by_position = positions[1:first_absent-1]
    keywords = Symbol[Symbol(k) for (k, _) in named_arguments if !(String(k) in by_position)]
    try
        values, named = Any[given[p] for p in by_position], Any[given[string(k)] for k in keywords]
        result = isempty(named) ? f(values...) : f(values...; NamedTuple{Tuple(keywords)}(Tuple(named))...)
        name in LISTS_FROM_ONE && eltype(result) <: Integer && return text(result .- 1)
        name == "compare_all" &&
            return text([merge(x, (a = model_from_zero(x.a), b = model_from_zero(x.b))) for x in result])
        name == "run_variation" &&
            return text(merge(result, (model = model_from_zero(result.model), run = result.run - 1)))
        return text(name == "thresholds" ? Named(result) : result)
    catch e
        e isa InvalidInput || rethrow()
        return text(Object("refused", Any[e.code, e.argument, e.message]))
    end
end

"The index of a model, converted to count from 0, or its name."
model_from_zero(x) = x isa Integer ? x - 1 : x

"A Schema from its parts."
schema(name, rules, w, variables, thresholds) = Scorio.Rubric.Schema(
    name, from_python(rules), from_python(w); variables = from_python(variables), thresholds = from_python(thresholds),
)

"Counts from their table (questions, categories) and missing outcomes."
counts(table, absent, ids, clusters) = Counts(table; absent = absent, ids = ids, clusters = clusters)

"Answers from the counts of each question."
answers(items) =
    Scorio.Answers(Scorio.Votes[(right = Int[r...], other = Int[o...], blank = Int(b)) for (r, o, b) in items])

"Scored trials from the trials and successes at each score."
scored(items) = Scorio.ScoredTrials(Scorio.Levels[(trials = Int[n...], right = Int[c...]) for (n, c) in items])

# --- results as text: values that JSON lacks are objects with one key ------------------------------------

"A value that JSON lacks, as an object with one key."
struct Object
    key::String
    value::Any
end

"Named values that are not fields of a result: models, thresholds."
struct Named
    values::NamedTuple
end

# These methods use no generators, and print one value at a time: others would compile longer than a short call takes.

"A value as one line of JSON."
function text(x)
    io = IOBuffer()
    write_json(io, x)
    return String(take!(io))
end

write_json(io::IOBuffer, x::Union{Bool,Integer}) = print(io, x)
write_json(io::IOBuffer, ::Nothing) = write(io, "null")
write_json(io::IOBuffer, x::Symbol) = write_json(io, String(x))
write_json(io::IOBuffer, x::Float64) =
    isfinite(x) ? print(io, x) : write(io, isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity")  # as Python reads them
write_json(io::IOBuffer, x::Union{MetricInterval,Result,Average}) = write_json(io, NamedTuple(x))
write_json(io::IOBuffer, x::NamedTuple) = write_pairs(io, "fields", x)
write_json(io::IOBuffer, x::Named) = write_pairs(io, "named", x.values)
write_json(io::IOBuffer, x::Counts) = write_json(io, Object("counts", Any[table(x), x.absent, x.ids, x.clusters]))
write_json(io::IOBuffer, x::AbstractVector{<:Pair}) = write_json(io, Object("named", Any[Any[k, v] for (k, v) in x]))

function write_json(io::IOBuffer, x::AbstractString)
    write(io, '"')
    for c in x
        c in ('"', '\\') && write(io, '\\')
        c < ' ' ? print(io, "\\u", string(UInt16(c), base = 16, pad = 4)) : write(io, c)
    end
    write(io, '"')
end

function write_json(io::IOBuffer, x::Object)
    write(io, "{\"", x.key, "\": ")
    write_json(io, x.value)
    write(io, '}')
end

"Write names with values; in the fields of a result, the indices that FIELDS_FROM_ONE lists are made to count from 0."
function write_pairs(io::IOBuffer, key::String, x)
    write(io, "{\"", key, "\": [")
    for i in 1:nfields(x)
        name, value = String(fieldname(typeof(x), i)), getfield(x, i)
        write(io, i > 1 ? ", [" : "[")
        write_json(io, name)
        write(io, ", ")
        key == "fields" && value isa NamedTuple && (value = Named(value))
        write_json(io, key == "fields" && name in FIELDS_FROM_ONE ? from_zero(name, value) : value)
        write(io, ']')
    end
    write(io, "]}")
end

"Write an array: numbers as the bytes of their memory, the first index fastest; other entries one by one."
function write_json(io::IOBuffer, x::Union{AbstractArray,Tuple})
    if x isa Array{<:Real} && eltype(x) in TYPES
        type = TYPE_NAMES[findfirst(==(eltype(x)), TYPES)]
        return write_json(io, Object("array", Any[type, Any[size(x)...], bytes2hex(reinterpret(UInt8, vec(x)))]))
    end
    write(io, '[')
    first = true
    for y in x
        first || write(io, ", ")
        write_json(io, y)
        first = false
    end
    write(io, ']')
end

"Convert an index or indices to count from 0; names, and the number of dropped questions, are not indices."
from_zero(name, x) = x isa Integer && name != "dropped" ? x - 1 : x
from_zero(name, x::Union{Tuple,AbstractVector}) = map(i -> i isa Integer ? i - 1 : i, x)

end
