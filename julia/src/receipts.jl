# Receipts: published numbers beside the counts that they follow from, so that anyone can compute them again.

module Receipts

using ..Scorio: Counts, InvalidInput, JSON, Result, interval, refuse, shown, suite

@nospecialize

const SCHEMA = "scorio.receipt/1"
const ABSENT = "(absent)"
const FIELDS = (
    interval = (:mu, :sigma, :lo, :hi, :n_eff, :variance_source, :units),
    suite = (:models, :pairs, :each, :benchmarks, :weights, :left_out),
)  # of the results
const DATA = (interval = ("R", 2), suite = ("benchmarks", 0))  # what data stands for, and how many names
const OPTIONS = (
    interval = ("metric", "k", "tau", "w", "questions", "confidence", "law", "shape"),
    suite = ("metric", "k", "tau", "w", "weights", "questions", "confidence", "correction", "common", "law"),
)
const Difference = NamedTuple{(:place, :stated, :computed),Tuple{String,Any,Any}}

"""
    Scorio.verify(receipt)

Compute every result of a receipt again from its counts, and compare all 64 bits of each number.

`receipt` is the path of a file that `scorio receipt` wrote, or what it holds as nested dictionaries. Gives `results`
and `values`, how many there are, and `differences`: the place, what is stated there and what was computed, of each value
that does not follow from the counts. Places count from 0, as in the file. Throws [`InvalidInput`](@ref) where the file
is no receipt, and what [`interval`](@ref) and [`suite`](@ref) refuse.
"""
function verify(receipt)
    read = receipt isa AbstractDict ? receipt : loaded(receipt)
    get(read, "schema", nothing) == SCHEMA || refuse("format", "receipt", "receipt has no \"schema\": ", repr(SCHEMA))
    data, results = get(read, "data", nothing), get(read, "results", nothing)
    data isa AbstractDict && results isa AbstractVector && !isempty(results) || refuse(
        "format", "receipt", "receipt needs an object data and a list results that is not empty",
    )
    out = Difference[]
    total = 0
    for (i, x) in enumerate(results)
        place = "results[$(i - 1)]"
        total += differences!(out, "$place.result", entry(x, "result", place), computed_again(x, data, place))
    end
    return Result{:Verification}((results = length(results), values = total, differences = out))
end

function loaded(path)
    text = read(path, String)
    found = try
        JSON.parse(text)
    catch e
        e isa ErrorException || rethrow()
        refuse("format", "receipt", path, ": ", e.msg)
    end
    found isa AbstractDict || refuse("format", "receipt", path, " holds no JSON object")
    return found
end

entry(x, name, place) =
    x isa AbstractDict && haskey(x, name) ? x[name] : refuse("format", "receipt", place, " has no ", name)

"What a result of a receipt is by its function, its arguments and the data, as named values."
function computed_again(x, data, place)
    name, args = entry(x, "function", place), entry(x, "args", place)
    name in ("interval", "suite") ||
        refuse("choice", "function", place, ".function is ", shown(name), ", not interval or suite")
    f = Symbol(name)
    argument, depth = DATA[f]
    names = entry(entry(args, argument, "$place.args"), "data", "$place.args.$argument")
    names isa AbstractVector && length(names) == depth ||
        refuse("format", "data", place, ".args.", argument, ": data is ", shown(names), ", not ", depth, " names")
    options = Pair{Symbol,Any}[]
    for (key, value) in args
        key == argument && continue
        key in OPTIONS[f] || refuse("format", "args", place, ".args: ", name, " takes no ", shown(key))
        push!(options, Symbol(key) => value isa AbstractDict ? Pair[k => v for (k, v) in value] : value)
    end
    haskey(args, "questions") || refuse("format", "args", place, ".args: questions is not stated")
    result = try
        (f === :interval ? interval : suite)(resolved(names, data, place); options...)
    catch e
        e isa InvalidInput || rethrow()
        throw(InvalidInput(e.code, e.argument, "$place: $(e.message)"))
    end
    return NamedTuple{FIELDS[f]}(Tuple(getproperty(result, field) for field in FIELDS[f]))
end

"The counts of [benchmark, model]; of [] those of all models in all benchmarks."
function resolved(names, data, place)
    x, where_ = data, "data"
    for name in names
        x, where_ = entry(x, name, "$place: $where_"), "$where_.$name"
    end
    return counted(x, where_, 2 - length(names))
end

function counted(x, where_, depth)
    if depth > 0
        x isa AbstractDict || refuse("format", "data", where_, " is no object")
        return Pair[name => counted(y, "$where_.$name", depth - 1) for (name, y) in x]
    end
    rows = entry(x, "counts", where_)
    even = rows isa AbstractVector && !isempty(rows) &&
        all(row -> row isa AbstractVector && length(row) == length(rows[1]), rows)
    table = even ? [row[j] for row in rows, j in 1:length(rows[1])] : rows
    return Counts(table; ids = get(x, "ids", nothing), clusters = get(x, "clusters", nothing))
end

"Add the places where what is stated is not what was computed; gives how many values there are."
function differences!(out, place, a, b::NamedTuple)
    a isa AbstractDict || return differ!(out, place, a, b)
    total = 0
    for name in union(map(string, keys(b)), keys(a))
        f = Symbol(name)
        total += differences!(out, "$place.$name", get(a, name, ABSENT), haskey(b, f) ? b[f] : ABSENT)
    end
    return total
end

function differences!(out, place, a, b::AbstractVector)
    a isa AbstractVector && length(a) == length(b) || return differ!(out, place, a, b)
    return sum(Int[differences!(out, "$place[$(i - 1)]", x, y) for (i, (x, y)) in enumerate(zip(a, b))])
end

differences!(out, place, a, b) = same_value(a, b) ? 1 : differ!(out, place, a, b)

function differ!(out, place, a, b)
    push!(out, Difference((place, a, b)))
    return 1
end

same_value(a, b::Float64) =
    isfinite(b) ? a isa Real && !(a isa Bool) && reinterpret(UInt64, Float64(a)) == reinterpret(UInt64, b) :
    a == (isnan(b) ? "nan" : b > 0 ? "inf" : "-inf")
same_value(a, b::Union{Bool,Nothing}) = a === b
same_value(a, b::Integer) = a isa Integer && !(a isa Bool) && a == b
same_value(a, b) = a isa AbstractString && a == string(b)

end
