# Reading spec/ from Julia: arguments, exact values, the error metric. The only place that knows the formats.

module Spec

using Scorio
using ..JSON

const FOLDER = normpath(joinpath(@__DIR__, "..", "..", "spec"))
isdir(FOLDER) || error("$FOLDER is not there: run the tests from a clone of the whole repository")

const LIST = JSON.parsefile(joinpath(FOLDER, "functions.json"))["functions"]
const FUNCTIONS = Dict(f["name"] => f for f in LIST)
const NAMES = [f["name"] for f in LIST]
const CODES = [e["code"] for e in JSON.parsefile(joinpath(FOLDER, "errors.json"))["errors"]]
const POSITIONAL = ("scores_in_id_order", "R", "C", "k", "tau", "w", "R0")
const WORDS = Dict("nan" => NaN, "inf" => Inf, "-inf" => -Inf, "-0.0" => -0.0)
const SPECIAL = Dict(
    "complex" => [1+2im 0im],
    "object" => Any[Any[Ref(0), 1]],
    "string" => "0110",
    "0d" => fill(1),
    "masked" => [missing 1; 1 1],
)

vectors(name) = JSON.parsefile(joinpath(FOLDER, "vectors", "$name.json"))

"Whether a parameter of a function is given by position in Julia."
ispositional(name, p) = p in POSITIONAL || (p == "weights" && startswith(name, "threshold_spectrum"))

"Non-finite values and the negative zero travel as strings."
number(x) = x isa String ? get(WORDS, x, x) : x isa Vector ? Any[number(y) for y in x] : x

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

function outcomes(x)
    x isa Dict || return number(x)
    kind, data = only(collect(x))
    kind == "matrix" && return number(data)
    kind == "counts" && return Counts([row[j] for row in data, j in 1:length(data[1])])
    kind == "recipe" && return recipe(; (Symbol(k) => v for (k, v) in data)...)
    return SPECIAL[data]
end

"Lists of equally many numbers as a matrix, missing entries as `missing`; anything else as it is."
function as_matrix(x)
    entry(y) = y === nothing || y isa Real
    (x isa Vector && !isempty(x) && all(r -> r isa Vector && all(entry, r), x)) || return x
    (length(x[1]) > 0 && all(r -> length(r) == length(x[1]), x)) || return x
    return [r[j] === nothing ? missing : r[j] for r in x, j in 1:length(x[1])]
end

"A call of a case; form changes R and R0 first."
function call(name, args, form = identity)
    given = Dict(p => p in ("R", "R0") ? form(outcomes(x)) : number(x) for (p, x) in args)
    params = [p["name"] for p in FUNCTIONS[name]["params"]]
    issubset(keys(given), params) || error("unknown parameters in $(keys(given))")
    places = filter(p -> ispositional(name, p), params)
    count = something(findlast(in(keys(given)), places), 0)
    positional = [get(given, p, nothing) for p in places[1:count]]
    keywords = Dict(Symbol(p) => x for (p, x) in given if !(p in places))
    return getfield(Scorio, Symbol(name))(positional...; keywords...)
end

"A result under the field names of functions.json."
function fields(name, result)
    name == "tally" && return Dict("table" => collect(eachrow(Scorio.table(result))), "missing" => result.missing)
    result isa Float64 && return Dict("value" => result)
    result isa Vector{Int} && return Dict("ranks" => result)
    spec = FUNCTIONS[name]
    return Dict(f => getfield(result, Symbol(f)) for f in [spec["returns"]; get(spec, "attributes", [])])
end

"The number that an `exact` states."
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

"|got - exact| / ulp(exact); an exact 0 demands 0; what is not finite fails."
function ulp_error(got, exact)
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

"ULP error of every float of a case; anything else must be equal, or counts as infinite."
function errors(name, case, form = identity)
    got, want = fields(name, call(name, case["args"], form)), case["want"]
    keys(got) == keys(want) || return Dict("fields" => Inf)
    return Dict(f => x isa Dict ? ulp_error(got[f], exact(x["exact"])) : got[f] == x ? 0.0 : Inf for (f, x) in want)
end

end
