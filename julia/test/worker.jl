# Evaluates functions of Scorio.jl for another process, one line of JSON a call, until its input ends.
#
#   request  {"function": name, "args": {...}, "form": "matrix"}
#            args as in spec/README.md. R may also be {"raw": {"dtype": "int8", "shape": [M, N]}}: the M*N entries follow
#            the line as bytes, row by row. "form" is optional: lists of equal rows become a Matrix first.
#   answer   {"result": {field: value}}, every float as "x" and the hexadecimal digits of its 64 bits;
#            {"error": {"code", "argument"}} for InvalidInput; {"crash": text} for anything else.
#   surface  {"function": "surface", "args": {}}: parameters, defaults, result fields of every public function.
#   exit     {"function": "exit", "args": {}}: ends at once, as a crash would.
#
# Stray prints go to stderr.

using Scorio

include("json.jl")
include("spec.jl")

const DTYPES = Dict(
    "int8" => Int8, "uint8" => UInt8, "int16" => Int16, "int64" => Int64, "float64" => Float64, "float32" => Float32, "bool" => Bool,
)

"The M × N matrix of the bytes that follow a request: stored row by row, so a lazy transpose."
function raw_matrix(input, form)
    M, N = form["shape"]
    data = read!(input, Matrix{DTYPES[form["dtype"]]}(undef, N, M))
    return transpose(data)
end

wire(x::Float64) = "\"x" * string(reinterpret(UInt64, x), base = 16, pad = 16) * "\""
wire(x::Union{Bool,Integer,Nothing}) = x === nothing ? "null" : string(x)
wire(x::Union{AbstractString,Symbol}) = "\"" * escape(string(x)) * "\""
wire(x::Union{AbstractVector,Tuple}) = "[" * join(map(wire, x), ",") * "]"
wire(x::AbstractDict) = "{" * join((wire(k) * ":" * wire(v) for (k, v) in x), ",") * "}"

escape(text) = join(c in ('"', '\\') ? "\\$c" : c < ' ' ? "\\u" * string(UInt16(c), base = 16, pad = 4) : c for c in text)

function answer(request, input)
    name, args = request["function"], request["args"]
    name == "exit" && exit(3)
    name == "surface" && return Dict("result" => surface())
    R = get(args, "R", nothing)
    if R isa Dict && haskey(R, "raw")
        args["R"] = raw_matrix(input, R["raw"])
    end
    form = get(request, "form", "") == "matrix" ? Spec.as_matrix : identity
    try
        return Dict("result" => Spec.fields(name, Spec.call(name, args, form)))
    catch e
        e isa InvalidInput && return Dict("error" => Dict("code" => e.code, "argument" => e.argument))
        return Dict("crash" => sprint(showerror, e, catch_backtrace()))
    end
end

# --- the surface, read off the source: keyword defaults cannot be asked of a method ---

"Signatures of all functions of the package, by name."
function signatures()
    found = Dict{Symbol,Expr}()
    for (folder, _, files) in walkdir(joinpath(dirname(pathof(Scorio)))), file in files
        text, at = read(joinpath(folder, file), String), 1
        while at <= ncodeunits(text)
            expression, at = Meta.parse(text, at)
            collect_signatures!(found, expression)
        end
    end
    return found
end

function collect_signatures!(found, e)
    e isa Expr || return
    e.head == :macrocall && foreach(x -> collect_signatures!(found, x), e.args)
    if e.head in (:function, :(=)) && e.args[1] isa Expr && e.args[1].head == :call && e.args[1].args[1] isa Symbol
        get!(found, e.args[1].args[1], e.args[1])
    elseif e.head == :const && e.args[1].args[2] isa Symbol && haskey(found, e.args[1].args[2])
        found[e.args[1].args[1]] = found[e.args[1].args[2]]  # an alias
    end
end

function surface()
    found = signatures()
    return Dict(name => describe(name, found[Symbol(name)]) for name in Spec.NAMES)
end

function describe(name, call)
    keywords = [a for a in call.args if a isa Expr && a.head == :parameters]
    all = [call.args[2+length(keywords):end]; isempty(keywords) ? [] : keywords[1].args]
    pairs = [a isa Expr ? (a.args[1] => a.args[2]) : (a => nothing) for a in all]
    defaults = Dict(a.args[1] => plain(Core.eval(Scorio, a.args[2])) for a in all if a isa Expr)
    example = Dict{String,Any}()
    for (p, x) in ("R" => Dict("matrix" => [[0, 1], [1, 1]]), "scores_in_id_order" => [0.5, 1.0], "k" => 1, "tau" => 0.5, "weights" => [1.0], "questions" => "fixed")
        p in [q["name"] for q in Spec.FUNCTIONS[name]["params"]] && (example[p] = x)
    end
    result = Spec.call(name, example)
    returns, attributes = result_fields(result)
    return Dict("params" => first.(pairs), "defaults" => defaults, "returns" => returns, "attributes" => attributes)
end

plain(x) = x isa Real && !(x isa Bool) ? Float64(x) : x
plain(x::Tuple) = map(plain, x)
plain(::Scorio.Half) = 0.5

result_fields(::Float64) = ["value"], []
result_fields(::Vector{Int}) = ["ranks"], []
result_fields(::Counts) = ["table", "missing"], []
result_fields(r::NamedTuple) = collect(keys(r)), []
result_fields(r) = collect(fieldnames(typeof(r))[1:length(r)]), [f for f in fieldnames(typeof(r))[length(r)+1:end] if f != :questions]

function serve(input, output)
    while !eof(input)
        line = readline(input)
        println(output, wire(answer(JSON.parse(line), input)))
        flush(output)
    end
end

if abspath(PROGRAM_FILE) == @__FILE__
    output = stdout
    redirect_stdout(stderr)
    serve(stdin, output)
end
