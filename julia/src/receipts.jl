# Receipts: published results with the counts that they were computed from, so that anyone can check them.

module Receipts

using ..Scorio: Counts, InvalidInput, JSON, Result, Results, interval, refuse, shown, suite

@nospecialize

const SCHEMA = "scorio.receipt/1"
const MEMBERS = ("schema", "version", "command", "files", "missing", "left_out", "data", "results")
const ABSENT = "(absent)"  # in a difference: the receipt, or the computed result, lacks the value
const FIELDS = (
    interval = (:mu, :sigma, :lo, :hi, :n_eff, :variance_source, :units),
    suite = (:models, :pairs, :each, :benchmarks, :weights, :left_out),
)  # the fields of each function's result that a receipt states
# the argument that holds the outcomes, and the number of names that select them
const DATA = (interval = ("R", 2), suite = ("benchmarks", 0))
# the other arguments that a receipt may state
const OPTIONS = (
    interval = ("metric", "k", "tau", "w", "questions", "confidence", "model", "shape"),
    suite = ("metric", "k", "tau", "w", "weights", "questions", "confidence", "correction", "common", "model"),
)
const Difference = NamedTuple{(:place, :stated, :computed),Tuple{String,Any,Any}}

"""
    Scorio.verify(receipt)

Compute every result of a receipt again from its counts, and compare all 64 bits of each number.

`receipt` is the path of a file that `scorio receipt` wrote, or its content as nested dictionaries. Returns the numbers
of `results` and of `values` that were computed again, and `differences`: the place, the stated and the computed value
of each value that does not follow from the counts. Indices count from 0, as in the file. Throws
[`InvalidInput`](@ref) where the file is not a receipt, or as [`interval`](@ref) and [`suite`](@ref) throw.

# Examples
```jldoctest
julia> r = Dict(
           "schema" => "scorio.receipt/1",
           "data" => Dict("" => Dict("m" => Dict("counts" => [[0, 4], [0, 4]]))),
           "results" => [Dict(
               "function" => "interval", "args" => Dict("R" => Dict("data" => ["", "m"]), "questions" => "fixed"),
               "result" => Dict("mu" => 0.9),
           )],
       );

julia> x = first(Scorio.verify(r).differences);

julia> x.place, x.stated, x.computed
("results[0].result.mu", 0.9, 1.0)
```
"""
function verify(receipt)
    receipt isa Union{AbstractString,AbstractDict} ||
        refuse("type", "receipt", "receipt must be a path or a Dict, not ", shown(receipt))
    content = receipt isa AbstractDict ? receipt : read_receipt(receipt)
    get(content, "schema", nothing) == SCHEMA ||
        refuse("format", "receipt", "this is not a receipt: it has no \"schema\": ", repr(SCHEMA))
    refuse_unknown(content, MEMBERS, "receipt")
    check_remarks(content)
    data, results = get(content, "data", nothing), get(content, "results", nothing)
    data isa AbstractDict && results isa AbstractVector && !isempty(results) || refuse(
        "format", "receipt", "receipt needs an object data and a list results that is not empty",
    )
    out = Difference[]
    total = 0
    for (i, x) in enumerate(results)
        place = "results[$(i - 1)]"
        refuse_unknown(x, ("function", "args", "result"), place)
        total += differences!(out, "$place.result", member(x, "result", place), computed(x, data, place))
    end
    return Result{:Verification}((results = length(results), values = total, differences = Results{:Difference}(out)))
end

"The JSON object in a file; duplicate keys, NaN, infinities and numbers of over 1,000 characters are refused."
function read_receipt(path)
    text = read(path, String)
    isvalid(text) || refuse("format", "receipt", path, " is not a receipt: it is not UTF-8")
    object = try
        JSON.parse(text)
    catch e
        e isa ErrorException || rethrow()
        refuse("format", "receipt", path, " is not a receipt: ", e.msg)
    end
    object isa AbstractDict || refuse("format", "receipt", path, " is not a receipt: it is not a JSON object")
    return object
end

"A member of an object, which must have it."
member(x, name, place) =
    x isa AbstractDict && haskey(x, name) ? x[name] : refuse("format", "receipt", place, " has no ", name)

"Refuse unknown members, which are not verified but would look verified."
function refuse_unknown(x, names, place)
    x isa AbstractDict || return
    for name in keys(x)
        name in names || refuse("format", "receipt", place, " has ", shown(name), ", which receipts do not have")
    end
end

"Refuse members for readers that have another form, such as a result in a place where it is not verified."
function check_remarks(content)
    is_text(x) = x isa AbstractString
    is_whole(x) = x isa Integer && !(x isa Bool)
    is_file(x) = x isa AbstractDict && haskey(x, "file") && all(keys(x)) do name
        name == "bytes" ? is_whole(x[name]) : name in ("file", "sha256") && is_text(x[name])
    end
    is_left_out(x) =
        x isa AbstractDict && length(x) == 3 && get(x, "function", "") in ("interval", "suite") &&
        get(x, "args", 0) isa AbstractDict && is_text(get(x, "reason", 0))
    forms = (
        "version" => is_text, "command" => x -> x === nothing || is_text(x),
        "missing" => x -> is_text(x) || x isa AbstractFloat || is_whole(x),
        "files" => x -> x isa AbstractVector && all(is_file, x),
        "left_out" => x -> x isa AbstractVector && all(is_left_out, x),
    )
    for (name, fits) in forms
        haskey(content, name) && !fits(content[name]) &&
            refuse("format", "receipt", name, " of the receipt has not the form of receipts")
    end
end

"A result of a receipt, computed again by its function from its arguments and the data."
function computed(x, data, place)
    name, args = member(x, "function", place), member(x, "args", place)
    name in ("interval", "suite") ||
        refuse("choice", "function", place, ".function is ", shown(name), ", not interval or suite")
    f = Symbol(name)
    argument, n_names = DATA[f]
    source = member(args, argument, "$place.args")
    names = member(source, "data", "$place.args.$argument")
    refuse_unknown(source, ("data",), "$place.args.$argument")
    names isa AbstractVector && length(names) == n_names && all(x -> x isa AbstractString, names) || refuse(
        "format", "data", place, ".args.", argument, ": data is ", shown(names), ", not ",
        n_names == 0 ? "[]" : "[benchmark, model]",
    )
    options = Pair{Symbol,Any}[]
    for (key, value) in args
        key == argument && continue
        key in OPTIONS[f] || refuse("format", "args", place, ".args: ", name, " takes no ", shown(key))
        push!(options, Symbol(key) => value isa AbstractDict ? Pair[k => v for (k, v) in value] : value)
    end
    haskey(args, "questions") || refuse("format", "args", place, ".args has no questions")
    counts = selected_counts(names, data)
    result = try
        (f === :interval ? interval : suite)(counts; options...)
    catch e
        e isa InvalidInput || rethrow()
        throw(InvalidInput(e.code, e.argument, "$place: $(e.message)"))
    end
    return NamedTuple{FIELDS[f]}(Tuple(getproperty(result, field) for field in FIELDS[f]))
end

"The counts that names select from data: [benchmark, model], or [] for all models in all benchmarks."
function selected_counts(names, data)
    x, where_ = data, "data"
    for name in names
        x isa AbstractDict && haskey(x, name) || refuse("format", "receipt", where_, " has no ", shown(name))
        x, where_ = x[name], "$where_[$(shown(name))]"
    end
    return read_counts(x, where_, 2 - length(names))
end

"Counts; if depth is above 0, pairs of names and what x has under them, down to the counts."
function read_counts(x, where_, depth)
    if depth > 0
        x isa AbstractDict || refuse("format", "data", where_, " is not an object")
        return Pair[name => read_counts(y, "$where_[$(shown(name))]", depth - 1) for (name, y) in x]
    end
    rows = member(x, "counts", where_)
    refuse_unknown(x, ("counts", "ids", "clusters"), where_)
    is_count(n) = n isa Integer && !(n isa Bool) && 0 <= n < 2^53  # exact in readers that make doubles of numbers
    is_table = rows isa AbstractVector && !isempty(rows) &&
        all(row -> row isa AbstractVector && !isempty(row) && length(row) == length(rows[1]), rows)
    is_table && all(row -> all(is_count, row), rows) ||
        refuse("format", "data", where_, ".counts must be a table of whole numbers, a row per question")
    table = Int[row[j] for row in rows, j in 1:length(rows[1])]
    return try
        Counts(table; ids = get(x, "ids", nothing), clusters = get(x, "clusters", nothing))
    catch e
        e isa InvalidInput || rethrow()
        throw(InvalidInput(e.code, e.argument, "$where_: $(e.message)"))
    end
end

"Append the differences of stated values a and computed values b to out; returns the number of values."
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

"Append the difference of one value to out; returns 1, the number of values."
function differ!(out, place, a, b)
    push!(out, Difference((place, a, b)))
    return 1
end

"Whether a stated value equals a computed one in all bits; the integer 1 equals the double 1.0."
same_value(a, b::Float64) =
    !isfinite(b) ? a == (isnan(b) ? "nan" : b > 0 ? "inf" : "-inf") :
    a isa Float64 ? reinterpret(UInt64, a) == reinterpret(UInt64, b) :
    a isa Integer && !(a isa Bool) && a == b && !(a == 0 && signbit(b))
same_value(a, b::Union{Bool,Nothing}) = a === b
same_value(a, b::Integer) = a isa Integer && !(a isa Bool) && a == b
same_value(a, b) = a isa AbstractString && a == string(b)

end
