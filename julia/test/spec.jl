# Readers of the formats of spec/: arguments of cases, exact values, and errors in ULP.
#
# Compiling takes nearly all of the time: containers hold Any, and functions are not specialised on types of results,
# so that they are compiled once, not for each set of keywords and each type of a result.

module Spec

using Scorio
using Scorio: JSON

const FOLDER = normpath(joinpath(@__DIR__, "..", "..", "spec"))
isdir(FOLDER) || error("$FOLDER is not there: run the tests from a clone of the whole repository")

const FILE = JSON.parsefile(joinpath(FOLDER, "functions.json"))
const LIST = FILE["functions"]
const UNSPECIFIED = FILE["beside"]  # keywords that are not part of the specification
const FUNCTIONS = Dict(f["name"] => f for f in LIST)
const NAMES = [f["name"] for f in LIST]
const CODES = [e["code"] for e in JSON.parsefile(joinpath(FOLDER, "errors.json"))["errors"]]
const MODULES =
    Dict("rank" => Scorio.Rank, "simulate" => Scorio.Simulate, "rubric" => Scorio.Rubric, "items" => Scorio.Items)
# kinds of parameters whose values hold outcomes, in the forms of spec/README.md
const DATA = ("outcomes", "answers", "scored", "verdicts", "models", "priors", "benchmarks", "suite", "runs_of_models", "builds", "pin")
const SPECIAL_NUMBERS = Dict("nan" => NaN, "inf" => Inf, "-inf" => -Inf, "-0.0" => -0.0)
const SPECIAL = Dict(
    "complex" => [1+2im 0im],
    "object" => Any[Any[Ref(0), 1]],
    "string" => "0110",
    "0d" => fill(1),
    "masked" => [missing 1; 1 1],
)

vectors(name) = JSON.parsefile(joinpath(FOLDER, "vectors", "$name.json"))
refused(name) = JSON.parsefile(joinpath(FOLDER, "invalid", "$name.json"))

"The module in which a function of functions.json is public, and its name there."
function module_and_name(name)
    return get(MODULES, FUNCTIONS[name]["module"], Scorio), Symbol(last(split(name, '.')))
end

implementation(name) = getfield(module_and_name(name)...)

"Whether a parameter of a function is given by position in Julia."
ispositional(p) = !get(p, "keyword", false)

"Convert the strings that stand for non-finite values, negative zero and integers of 16 digits or more to numbers."
number(@nospecialize(x)) = x isa String ? get(() -> whole(x), SPECIAL_NUMBERS, x) : x isa Vector ? Any[number(y) for y in x] : x
whole(x) = occursin(r"^-?[1-9][0-9]{15,}$", x) ? something(tryparse(Int, x), parse(BigInt, x)) : x

"The integer recipe of spec/README.md."
function recipe(; M, N, C, seed)
    P = 2147483647
    R = Matrix{Int}(undef, M, N)
    for j in 0:N-1, i in 0:M-1
        h = mod((i + 1) * 48271 + (j + 1) * 16807 + seed * 69621 + (i + 1) * (j + 1) * 39373, P)
        h = mod(h * 48271, P)
        hit = mod(h, 10007) * (M + 1) < 10007 * (i + 1)
        R[i+1, j+1] = !hit ? 0 : C == 1 ? 1 : mod(h ÷ 10007, C + 1)
    end
    return R
end

"Outcomes in one of the forms of spec/README.md; form() converts lists and dictionaries."
function outcomes(@nospecialize(x), @nospecialize(form))
    x isa AbstractDict || return number(x)
    haskey(x, "counts") && return counts(; (Symbol(k) => v for (k, v) in x)...)
    kind, data = only(collect(x))
    kind in ("matrix", "tensor") && return form(number(data))
    kind == "answers" && return answers(data)
    kind == "scored" && return ScoredTrials(number(data["scores"]), number(data["R"]))
    kind in ("models", "benchmarks") && return form(Pair[name => outcomes(y, form) for (name, y) in data])
    kind == "recipe" && return recipe(; (Symbol(k) => v for (k, v) in data)...)
    return kind == "special" ? SPECIAL[data] : x[kind]
end

"Counts from how often each category occurs, question by question, with ids and clusters."
counts(; counts, ids = nothing, clusters = nothing) =
    Counts([row[j] for row in counts, j in 1:length(counts[1])]; ids = ids, clusters = clusters)

"Answers from labels and a key, from labels and outcomes, or from counts; labels are not converted."
function answers(x)
    haskey(x, "right") && return Answers(; (Symbol(k) => v for (k, v) in x)...)
    return haskey(x, "R") ? graded_answers(x["labels"], x["R"]) : Answers(x["labels"], x["correct"])
end

"""
Convert lists of lists of equally many numbers to arrays of two or three dimensions, missing entries to `missing`, and
pairs to a dictionary; return anything else unchanged.
"""
function as_array(@nospecialize(x))
    x isa Vector{<:Pair} && return JSON.Object{Any}(x)
    size = lengths(x)
    length(size) in (2, 3) && !(0 in size) || return x
    entry(i) = foldl(getindex, Tuple(i), init = x)
    return [something(entry(i), missing) for i in CartesianIndices(size)]
end

"The size of lists that are nested evenly around numbers and missing entries; () for anything else."
function lengths(@nospecialize(x))
    x isa Vector && !isempty(x) || return ()
    all(y -> y === nothing || y isa Real, x) && return (length(x),)
    inner = unique(map(lengths, x))
    return length(inner) == 1 && inner[1] != () ? (length(x), inner[1]...) : ()
end

"Names with values as pairs, converted by form() at all levels; {\"repeat\": ...} becomes its text."
named(@nospecialize(x), @nospecialize(form)) =
    x isa AbstractDict ? (haskey(x, "repeat") ? repeated(x) : form(Pair[name => named(y, form) for (name, y) in x])) :
    x isa Vector && any(y -> y isa Union{AbstractDict,Vector}, x) ? Any[named(y, form) for y in x] : number(x)

repeated(x) = join(text^times for (text, times) in x["repeat"])

"A matrix or number (levels 0), names of signals with these (levels 1), or names of models with those (levels 2)."
function signals(x, form, levels)
    x isa AbstractDict || return form(number(x))
    levels <= 0 && isempty(x) && return Dict{String,Any}()  # an empty vector of pairs would be an empty matrix
    collect(keys(x)) == ["special"] && return SPECIAL[x["special"]]
    return form(Pair[name => signals(y, form, levels - 1) for (name, y) in x])
end

"A schema from a key or a declaration, or a list of schemata."
function schema(x, form)
    x isa Vector && return Any[schema(y, form) for y in x]
    x isa AbstractDict || return number(x)
    given(name) = haskey(x, name) ? named(x[name], form) : nothing
    return Rubric.Schema(
        given("name"), given("rules"), given("w");
        variables = given("variables"), thresholds = given("thresholds"),
    )
end

"Call a function with the arguments of a case; form() converts outcomes, signals, mappings and rates."
call(name, args, @nospecialize(form = identity)) = call_by_name(name, arguments(name, args, form))

"The arguments of a case by their names."
function arguments(name, args, @nospecialize(form = identity))
    kinds = Dict(p["name"] => p["kind"] for p in FUNCTIONS[name]["params"])
    issubset(keys(args), keys(kinds)) || error("unknown parameters in $(keys(args))")
    value(kind, x) =
        kind in DATA ? outcomes(x, form) : kind == "signals" ? signals(x, form, 1) :
        kind == "attempts" ? signals(x, form, 2) :
        kind in ("schema", "schemata") ? schema(x, form) : kind == "rates" ? form(number(x)) : named(x, form)
    return Dict{String,Any}(p => value(kinds[p], x) for (p, x) in args)
end

"Call a function with arguments given by name: those before the first that is not given by position."
function call_by_name(name, given)
    params = filter(ispositional, FUNCTIONS[name]["params"])
    count = something(findfirst(p -> !haskey(given, p["name"]), params), length(params) + 1) - 1
    positional = [p["name"] for p in params[1:count]]
    f, values = implementation(name), Any[given[k] for k in positional]
    keywords = sort!(String[k for k in keys(given) if !(k in positional)])
    isempty(keywords) && return f(values...)
    types = NamedTuple{Tuple(map(Symbol, keywords)),NTuple{length(keywords),Any}}
    return Core.kwfunc(f)(types(Tuple(Any[given[k] for k in keywords])), f, values...)
end

"Fields of a result under the names of functions.json, as lists."
function fields(name, @nospecialize(result))
    spec, boxed = FUNCTIONS[name], Ref{Any}(result)  # boxed: a closure would be compiled for the type of the result
    types, names = spec["types"], String[spec["returns"]; spec["attributes"]]
    field(f) = property(boxed[], f)
    of_rows(f) = Any[property(row, f) for row in lists(boxed[])]
    if name == "tally"
        values = Dict("table" => lists(Scorio.table(result)), "missing" => result.missing)
    elseif spec["module"] == "rubric"
        values = by_name(names, f -> named_pairs(length(names) == 1 ? boxed[] : field(f)))
    elseif name == "ranges"
        values = by_name(names, of_rows)
    elseif name in ("gate_builds", "alarms")  # fields of the rows, then those of the result
        of_builds(f) = Any[property(row, f) for row in boxed[].builds]
        values = by_name(names, f -> from_zero(types[f], startswith(types[f], "[") ? of_builds(f) : field(f)))
    elseif name in ("compare_all", "items", "changes", "design", "steps")
        values = by_name(names, f -> from_zero(types[f], of_rows(f)))
    elseif name in ("suite", "gate_suite")
        values = by_name(names, f -> rows(field(f)))
    elseif names == ["ranks"] && result isa NamedTuple
        values = by_name(["ranks", "scores"], f -> from_zero(get(types, f, ""), lists(field(f))))
    elseif length(names) == 1
        values = by_name(names, f -> from_zero(types[f], lists(boxed[])))
    else
        values = by_name(names, f -> from_zero(types[f], lists(field(f))))
    end
    return values
end

property(@nospecialize(x), name) = getproperty(x, Symbol(name))

"The values of a function by the names that it is called with."
function by_name(names, @nospecialize(value))
    result = Dict{String,Any}()
    for name in names
        result[name] = value(name)
    end
    return result
end

"Rows of results as lists."
rows(@nospecialize(x)) = x isa Union{AbstractVector,NamedTuple} ? Any[rows(y) for y in x] : x

"Convert indices of questions and models, which count from 1 in Julia, to count from 0 as in spec/; names stay."
from_zero(type, @nospecialize(x)) = endswith(strip(type, [']', '?']), "index") ? counted_from_zero(x) : x

counted_from_zero(@nospecialize(x)) =
    x isa Integer ? x - 1 : x isa AbstractVector ? Any[counted_from_zero(y) for y in x] :
    x === nothing ? nothing : string(x)

"Names with values as lists [name, value]."
named_pairs(@nospecialize(x)) =
    x isa NamedTuple ? Any[Any[string(k), getfield(x, k)] for k in keys(x)] : lists(x)

"Arrays as nested lists, row by row; values by model as a list in the order of the models."
function lists(@nospecialize(x))
    x isa AbstractVector{<:Pair} && return Any[lists(last(y)) for y in x]
    x isa AbstractVector && return Any[lists(y) for y in x]
    x isa AbstractArray && return Any[lists(copy(selectdim(x, 1, i))) for i in axes(x, 1)]
    x isa AbstractDict && return Any[lists(y) for y in values(x)]
    return x isa NTuple{2,Float64} ? Any[x...] : x
end

"The exact number that the text of an `exact` field states."
function exact(text)
    if occursin('e', text)
        digits, power = split(text, 'e')
        whole, part = split(digits * (occursin('.', digits) ? "" : "."), '.')
        e = parse(Int, power) - length(part)
        return e >= 0 ? parse(BigInt, whole * part) * big(10)^e // 1 : parse(BigInt, whole * part) // big(10)^-e
    end
    p, q = split(text * "/1", '/')
    return parse(BigInt, p) // parse(BigInt, q)
end

"The error |got - exact| / ulp(exact); infinite for values that are not finite, or not 0 where exact is 0."
function ulp_error(@nospecialize(got), exact)
    got isa Float64 && isfinite(got) || return Inf
    exact == 0 && return got == 0 ? 0.0 : Inf
    a = abs(exact)
    e = ndigits(numerator(a), base = 2) - ndigits(denominator(a), base = 2)  # floor(log2 a), or 1 above it
    e -= (e >= 0 ? a < big(2)^e : a * big(2)^-e < 1)
    return Float64(abs(rational(got) - exact) / power_of_two(max(e, -1022) - 52))
end

power_of_two(e) = e >= 0 ? big(2)^e // big(1) : big(1) // big(2)^-e

"A finite double as a fraction."
function rational(x)
    m, e = frexp(x)
    return big(Int(ldexp(m, 53))) * power_of_two(e - 53)
end

"The largest ULP error in a field; infinite where an integer, a text, a flag or null differs."
function error_of(@nospecialize(got), @nospecialize(want))
    if want isa AbstractDict
        if !(want["exact"] in ("nan", "inf"))
            e = ulp_error(got, exact(want["exact"]))
            return got == want["value"] ? e : nextfloat(max(e, 0.5))  # above 0.5 at a tie too
        end
        return isequal(got, SPECIAL_NUMBERS[want["exact"]]) ? 0.0 : Inf
    end
    want isa Vector && got isa Vector && length(got) == length(want) &&
        return maximum(Float64[0.0; Float64[error_of(got[i], want[i]) for i in eachindex(got)]])
    want = number(want)
    return kind_of(got) == kind_of(want) && got == want ? 0.0 : Inf
end

"Kind of a value: true, 1 and 1.0 are of different kinds."
kind_of(@nospecialize(x)) = x isa Bool ? Bool : x isa Integer ? Integer : x isa Real ? Real : x isa Vector ? Vector : typeof(x)

"The largest error of every field of a case."
function errors(name, case, @nospecialize(form = identity))
    got, want = fields(name, call(name, case["args"], form)), case["want"]
    # bounds are nothing for other policies than "bounds", whose vectors do not have the field
    get(got, "bounds", 0) === nothing && !haskey(want, "bounds") && delete!(got, "bounds")
    Set(keys(got)) == Set(keys(want)) || return Dict("fields" => Inf)
    return Dict{String,Float64}(f => error_of(got[f], x) for (f, x) in want)
end

end
