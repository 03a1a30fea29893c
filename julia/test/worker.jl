# Evaluates functions of Scorio.jl for another process, one line of JSON a call, until its input ends.
#
#   request  {"function": name, "args": {...}, "form": "matrix"}
#            args as in spec/README.md. Outcomes may also be {"raw": {"dtype": "int8", "shape": [M, N]}}, of many models
#            with the shape [L, M, N]: the entries follow the line as bytes, the last index fastest, argument by
#            argument. "form" is optional; with "matrix" lists of equal rows become arrays, and models a dictionary.
#   answer   {"result": {field: value}}, every float as "x" and the hexadecimal digits of its 64 bits, also in lists;
#            {"error": {"code", "argument"}} for InvalidInput; {"crash": text} for anything else.
#   surface  {"function": "surface", "args": {}}: parameters, defaults, result fields of every public function.
#   resave   {"function": "resave", "args": {"path": …, "to": …}}: a file of counts, read and written.
#   exit     {"function": "exit", "args": {}}: ends at once, as a crash would.
#
# Stray prints go to stderr.

using Scorio
using Scorio: JSON

include("spec.jl")

const DTYPES = Dict(
    "int8" => Int8, "uint8" => UInt8, "int16" => Int16, "int64" => Int64, "float64" => Float64, "float32" => Float32,
    "bool" => Bool,
)

"The array of the bytes that follow a request; they have the last index fastest, so its dimensions are reversed."
function raw_array(input, form)
    shape = Int.(form["shape"])
    data = read!(input, Array{DTYPES[form["dtype"]]}(undef, reverse(shape)...))
    return length(shape) == 2 ? transpose(data) : PermutedDimsArray(data, length(shape):-1:1)
end

to_json(x::Float64) = "\"x" * string(reinterpret(UInt64, x), base = 16, pad = 16) * "\""
to_json(x::Union{Bool,Integer,Nothing}) = x === nothing ? "null" : string(x)
to_json(x::Union{AbstractString,Symbol}) = "\"" * escape(string(x)) * "\""
to_json(x::Union{AbstractVector,Tuple}) = "[" * join(map(to_json, x), ",") * "]"
to_json(x::AbstractDict) = "{" * join((to_json(k) * ":" * to_json(v) for (k, v) in x), ",") * "}"

escape(text) = join(map(escaped, collect(text)))
escaped(c) = c in ('"', '\\') ? "\\$c" : c < ' ' ? "\\u" * string(UInt16(c), base = 16, pad = 4) : string(c)

function answer(request, input)
    name, args = request["function"], request["args"]
    name == "exit" && exit(3)
    name == "resave" && return Dict("result" => Scorio.save_counts(args["to"], Scorio.load_counts(args["path"])))
    name == "surface" && return Dict("result" => surface())
    for (p, x) in collect(args)
        if x isa AbstractDict && haskey(x, "raw")
            args[p] = raw_array(input, x["raw"])
        end
    end
    form = get(request, "form", "") == "matrix" ? Spec.as_array : identity
    try
        return Dict("result" => Spec.fields(name, Spec.call(name, args, form)))
    catch e
        e isa InvalidInput && return Dict("error" => Dict("code" => e.code, "argument" => e.argument))
        return Dict("crash" => sprint(showerror, e, catch_backtrace()))
    end
end

# --- the public surface, read from the source: methods do not store the defaults of keywords ---

"Signatures of all functions as expressions, by module and name; files are read where modules include them."
function signatures(folder = dirname(pathof(Scorio)))
    result = Dict{Tuple{Module,Symbol},Expr}()
    foreach(e -> collect_signatures!(result, Main, folder, e), expressions(joinpath(folder, "Scorio.jl")))
    return result
end

function expressions(path)
    text, at, result = read(path, String), 1, []
    while at <= ncodeunits(text)
        e, at = Meta.parse(text, at)
        push!(result, e)
    end
    return result
end

function collect_signatures!(result, m, folder, e)
    e isa Expr || return
    visit(x, m = m) = collect_signatures!(result, m, folder, x)
    if e.head == :module
        visit(e.args[3], getfield(m, e.args[2]))
    elseif e.head == :block
        foreach(visit, e.args)
    elseif e.head == :call && e.args[1] == :include
        path = joinpath(folder, e.args[2])
        foreach(x -> collect_signatures!(result, m, dirname(path), x), expressions(path))
    elseif e.head == :macrocall &&
        (e.args[1] isa GlobalRef || endswith(string(e.args[1]), "doc") || e.args[1] == Symbol("@by_name"))
        foreach(visit, e.args)
    elseif e.head in (:function, :(=)) && e.args[1] isa Expr && e.args[1].head == :call && e.args[1].args[1] isa Symbol
        get!(result, (m, e.args[1].args[1]), e.args[1])
    elseif e.head == :const && e.args[1].args[2] isa Symbol && haskey(result, (m, e.args[1].args[2]))
        result[m, e.args[1].args[1]] = result[m, e.args[1].args[2]]  # an alias
    end
end

function surface()
    result = signatures()
    described(name) = describe(name, Spec.module_and_name(name)[1], result[Spec.module_and_name(name)])
    return Dict(name => described(name) for name in Spec.NAMES)
end

const PLAIN, LABELS = Dict("matrix" => [[0, 1], [1, 1]]), Dict("matrix" => [[0, nothing], [1, 1]])
const EXAMPLES = Dict{String,Any}(
    "R" => PLAIN, "A" => PLAIN, "B" => PLAIN, "old" => PLAIN, "new" => PLAIN,
    "models" => Dict("tensor" => [[[0, 1], [1, 1]], [[1, 0], [0, 0]]]),
    "scores_in_id_order" => [0.5, 1.0], "scores" => [0.5, 1.0], "mus" => [0.5, 1.0], "sigmas" => [0.25, 0.25],
    "k" => 1, "tau" => 0.5, "weights" => [1.0], "questions" => "fixed", "half_width" => 0.25, "max_ci_width" => 0.5,
    "mu" => 0.5, "mu_a" => 0.5, "mu_b" => 0.25, "sigma" => 0.25, "sigma_a" => 0.25, "sigma_b" => 0.25,
    "a" => [1.5, 2.5], "b" => [2.5, 1.5], "p" => [0.5, 0.75], "N" => 2, "ranking" => [2, 1], "hash" => 1, "L" => 3,
    "signals" => Dict("is_correct" => [[0, 1]], "repeated_pattern" => 0, "C" => 0), "schema" => "exact_match",
    "x" => [0.5, 1.0],
    "metric" => "pass_at_k", "t" => 0.5, "seed" => 1, "count" => 2, "bound" => 6,
    "replicates" => 10, "fractions" => [0.5, 1.0], "z" => 1.0, "f" => 0.5, "wins" => 3, "losses" => 1,
    "costs" => [[1.0, 2.0], [0.5, 1.0]], "se" => 0.05,
    "battles" => [["A", "B", "model_a"], ["A", "B", "model_b"], ["A", "B", "model_a"]],
    "builds" => Dict("tensor" => [[[x, x] for _ in 1:20] for x in (1, 0)]), # a step
    "evaluations" => Dict("tensor" => [[[0, 1], [1, 1]], [[1, 0], [0, 0]]]), "pin" => Dict("matrix" => [[1, 1] for _ in 1:20]),
    "candidate" => PLAIN, "baseline" => PLAIN, "margin" => 0.05,
    "benchmarks" => Dict("benchmarks" => Dict("x" => Dict("models" => Dict("a" => PLAIN, "b" => PLAIN)))),
    "suite" => Dict("benchmarks" => Dict("x" => PLAIN)),
    "verdicts" => PLAIN, "labels" => LABELS, "labels_a" => LABELS, "labels_b" => LABELS,
    "outputs" => [700, 300], "means" => [0.95, 0.3],
    "averages" => [71.2, 70.8, 71.5], "others" => [69.9, 70.1, 70.3],
    "answers" => Dict("answers" => Dict("right" => [1, 0], "other" => [[1], [2]])),
    "scored" => Dict("scored" => Dict("scores" => [[0.9, 0.2], [3, 5]], "R" => [[1, 0], [0, 1]])),
)

"Arguments of a call that is not refused: those without a default, one of two options that are needed, few replicates."
function example(name)
    given = Dict{String,Any}()
    for p in Spec.FUNCTIONS[name]["params"]
        if !haskey(p, "default") || p["name"] in ("half_width", "max_ci_width", "replicates")
            name_of = p["kind"] in ("models", "suite") ? p["kind"] : p["name"]
            given[p["name"]] = p["kind"] == "attempts" ? Dict("a" => EXAMPLES["signals"]) : EXAMPLES[name_of]
        end
    end
    haskey(given, "battles") && haskey(given, "a") && merge!(given, Dict("a" => "A", "b" => "B"))
    name == "rubric.percentile" && (given["p"] = 50)
    name == "items" && (given["models"] = Dict("tensor" => [[[0, 1], [1, 1]], [[1, 0], [0, 0]], [[1, 1], [0, 1]]]))
    name == "design" && (given["se"] = EXAMPLES["se"])
    startswith(name, "extrapolate") && (given["k"] = 3)  # more than the trials
    return given
end

"Parameters, defaults and result fields of a function of module m, from its signature, an expression."
function describe(name, m, call)
    keywords = [a for a in call.args if a isa Expr && a.head == :parameters]
    all_parameters = [call.args[2+length(keywords):end]; isempty(keywords) ? [] : keywords[1].args]
    specified = filter(a -> !(string(a isa Expr ? a.args[1] : a) in Spec.UNSPECIFIED), all_parameters)
    pairs = [a isa Expr ? (a.args[1] => a.args[2]) : (a => nothing) for a in specified]
    with_default = filter(a -> a isa Expr && !(a.args[2] isa Expr && a.args[2].args[1] == :required), specified)
    defaults = Dict(a.args[1] => as_number(Core.eval(m, a.args[2])) for a in with_default)
    returns, attributes = result_fields(name, Spec.call(name, example(name)))
    return Dict("params" => first.(pairs), "defaults" => defaults, "returns" => returns, "attributes" => attributes)
end

"The default as a number; that of lam is an object, by which geo_spectrum_at_k sees that lam was not given."
as_number(x) = x
as_number(::Scorio.DefaultLam) = 0.5

"Names of the returned fields and of the attributes of a result; a single value has the name of functions.json."
result_fields(name, ::Counts) = ["table", "missing"], []
result_fields(name, r::NamedTuple) =
    name == "rubric.thresholds" ? ["thresholds"] : collect(keys(r)), []  # whose keys are names of thresholds
result_fields(name, r::Scorio.Result) =
    name in ("gate_builds", "alarms") ? [collect(keys(r.builds[1])); filter(!=(:builds), collect(keys(r)))] :
    collect(keys(r)), []
result_fields(name, ::Scorio.Average) = collect(fieldnames(Scorio.Average)), []
result_fields(name, r::AbstractVector{<:NamedTuple}) = collect(keys(r[1])), []
result_fields(name, r) = Spec.FUNCTIONS[name]["returns"][1:1], []
result_fields(name, r::Scorio.MetricInterval) =
    collect(fieldnames(typeof(r))[1:length(r)]), [f for f in fieldnames(typeof(r))[length(r)+1:end] if f != :questions]

function serve(input, output)
    while !eof(input)
        line = readline(input)
        println(output, to_json(answer(JSON.parse(line), input)))
        flush(output)
    end
end

if abspath(PROGRAM_FILE) == @__FILE__
    output = stdout
    redirect_stdout(stderr)
    serve(stdin, output)
end
