# Everything that must hold in Julia alone: `julia --project=julia julia/test/runtests.jl`, or Pkg.test().

const LOAD_SECONDS = @elapsed using Scorio

using Test: @inferred, detect_ambiguities

module Checks

const PASSED, FAILED = Ref(0), Ref(0)

"Count a check; say what failed, up to forty times."
function check(good, what)
    good === true ? (PASSED[] += 1) : (FAILED[] += 1)
    good === true || FAILED[] > 40 || println("FAILED: ", first(string(what), 400))
end

end

include("json.jl")
include("spec.jl")
include("twins.jl")

using .Checks: check

# --- spec/ -------------------------------------------------------------------------------------------

"Every vector within its own tolerance, as lists and as matrices; as many as the file declares."
function vectors()
    total, worst = 0, (0.0, "")
    for name in Spec.NAMES
        file = Spec.vectors(name)
        cases = file["cases"]
        check(file["function"] == name && file["count"] == length(cases) >= 40, "$name declares its cases")
        check(length(unique(c["id"] for c in cases)) == length(cases), "$name has distinct ids")
        for case in cases
            label = string(case["id"], " (", case["comment"], ")")
            try
                e = maximum(values(Spec.errors(name, case)))
                check(e <= case["ulp"], "$label: $e ULP")
                check(e == maximum(values(Spec.errors(name, case, Spec.as_matrix))), "$label: as a matrix")
                worst = max(worst, (e, case["id"]))
            catch e
                check(false, "$label: " * sprint(showerror, e))
            end
        end
        total += length(cases)
    end
    files = [f[1:end-5] for f in readdir(joinpath(Spec.FOLDER, "vectors"))]
    check(sort(files) == sort([Spec.NAMES; "invalid"]), "no vector file is unread, every function has one")
    check(total >= 2500, "$total vectors")
    println(total, " vectors, worst error ", worst[1], " ULP (", worst[2], ")")
end

"Every refused call is refused with its code, and names its argument."
function invalid()
    file = Spec.vectors("invalid")
    cases = file["cases"]
    check(file["count"] == length(cases) >= 200, "invalid.json declares its cases")
    for name in Spec.NAMES
        codes = Set(c["error"]["code"] for c in cases if c["function"] == name)
        check(codes == Set(Spec.FUNCTIONS[name]["errors"]), "$name: a case for every code that it declares")
    end
    for case in cases, form in (identity, Spec.as_matrix)
        want = case["error"]
        check(want["code"] in Spec.CODES && case["function"] in Spec.NAMES, "$(case["id"]) is known")
        got = try
            Spec.call(case["function"], case["args"], form)
        catch e
            e
        end
        good = got isa InvalidInput && got.code == want["code"] && got.argument == want["argument"]
        check(good, string(case["id"], " (", case["comment"], "): ", got))
        good && check(
            occursin(got.argument, got.message) || got.code in ("no_trials", "undefined"),
            "$(case["id"]): the message names the argument: $(got.message)",
        )
    end
    println(length(cases), " refused calls")
end

"Names, parameters and their order, defaults and exports as functions.json has them."
function surface()
    exported = Set(string.(names(Scorio)))
    check(exported == Set([Spec.NAMES; "Scorio"; "Counts"; "InvalidInput"; "g_pass_at_k_tao"]), "the exports")
    texts = Dict(getfield(Scorio, name) => text for (name, text) in docstrings())
    for spec in Spec.LIST
        f, name = getfield(Scorio, Symbol(spec["name"])), spec["name"]
        method = last(sort(collect(methods(f)), by = m -> m.nargs))
        positional = string.(Base.method_argnames(method)[2:end])
        params = [p["name"] for p in spec["params"]]
        check(positional == filter(p -> Spec.ispositional(name, p), params), "$name: positional arguments")
        check(Set(string.(Base.kwarg_decl(method))) == Set(setdiff(params, positional)), "$name: keywords")
        for p in spec["params"]
            default = get(p, "default", "none")
            shown = default isa Vector ? "($(join(default, ", ")))" : default isa String ? ":$default" : repr(default)
            stated = string(p["name"], "=", shown)
            default == "none" || check(occursin(stated, texts[f]), "$name: the docstring states $stated")
        end
    end
    check(g_pass_at_k_tao === g_pass_at_k_tau, "g_pass_at_k_tao")
end

"Every docstring of the package, by name."
docstrings() = [
    (b.var, join(d.text)) for (b, multi) in Base.Docs.meta(Scorio) for (_, d) in multi.docs if isdefined(Scorio, b.var)
]

# --- the package -------------------------------------------------------------------------------------

"Every docstring of a public name has an example, and every example prints what it says."
function examples()
    seen, total = Set{Symbol}(), 0
    for (name, text) in docstrings(), block in eachmatch(r"```jldoctest\n(.*?)```"s, text)
        push!(seen, name)
        total += run_example(string(name), block.captures[1])
    end
    aliases = (:g_pass_at_k, :g_pass_at_k_ci, :unanimous_at_k, :unanimous_at_k_ci, :g_pass_at_k_tao)
    check(issubset(setdiff(names(Scorio), [:Scorio; aliases...]), seen), "every public name has an example")
    readme = read(joinpath(@__DIR__, "..", "README.md"), String)
    for block in eachmatch(r"```julia-repl\n(.*?)```"s, readme)
        total += run_example("README.md", block.captures[1])
    end
    println(total, " lines of examples")
end

"The lines after `julia> `, and what they print unless they end in a semicolon."
function run_example(name, text)
    place, parts = Module(), split(text, "julia> ", keepempty = false)
    Core.eval(place, :(using Scorio))
    for part in parts
        line, _, want = partition(part, '\n')
        got = Core.eval(place, Meta.parse(line))
        shown = endswith(line, ';') || got === nothing ? "" : sprint(show, MIME("text/plain"), got)
        check(shown == strip(want), "example of $name: $line printed $shown, not $(strip(want))")
    end
    return length(parts)
end

function partition(text, mark)
    at = findfirst(mark, text)
    return at === nothing ? (text, mark, "") : (text[1:prevind(text, at)], mark, text[nextind(text, at):end])
end

"No copy of R, whatever its order in memory; types that the compiler can tell."
function allocations()
    R = Int8[(i * j) % 3 == 0 for i in 1:2000, j in 1:2000]
    B = Matrix{Bool}(R)
    for form in (R, permutedims(R)', view(R, 1:1999, 2:2000), B, permutedims(B)', Float64.(R))
        tally(form)
        bytes = @allocated tally(form)
        check(bytes < 200_000, "tally of $(typeof(form)) allocates $bytes bytes")
    end
    counts = tally(R)
    pass_at_k_ci(counts, 8)
    check((@allocated pass_at_k_ci(counts, 8)) < 200_000, "pass_at_k_ci allocates for its states only")
    x = Scorio.Numerics.ext(1.5)
    for f in (Scorio.Numerics.add, Scorio.Numerics.mul, Scorio.Numerics.div, Scorio.Numerics.power)
        check((@inferred f(x, x)) isa Scorio.Triple, "$f")
    end
    check((@inferred pass_at_k(counts, 2)) isa Float64 && (@inferred bayes(counts)) isa Scorio.Estimate, "inferred")
end

"Results print, compare and come apart as documented; counts survive a file."
function objects()
    r = mean_ci([[0, 1], [missing], [1, 1]]; questions = :sampled, missing = :drop)
    mu, sigma, lo, hi = r
    check((mu, sigma, lo, hi) == Tuple(r) && r[4] == r.hi && length(collect(r)) == 4, "MeanInterval comes apart")
    check(r == mean_ci([[0, 1], [], [1, 1]]; questions = "sampled", missing = "drop"), "MeanInterval compares")
    check(r.dropped == [1] && r.units == 2, "dropped questions count from 0")
    check(occursin("questions=\"sampled\"", string(r)), "MeanInterval prints")
    counts = Counts([2 1 0; 0 0 4])
    path = tempname()
    Scorio.save_counts(path, Counts([2 1 0; 0 0 4]; absent = [3, 0]))
    check(readlines(path) == ["n0,n1,n2,missing", "2,1,0,3", "0,0,4,0"], "the file of counts")
    check(Scorio.load_counts(path) == counts && Scorio.load_counts(path).absent == [3, 0], "counts survive a file")
    for text in ("", "n0,n1\n1,2\n", "n0,n1,missing\n1,x,0\n", "n0,n1,missing\n1,2\n", "n0,n1,missing\n")
        write(path, text)
        check(refusal(() -> Scorio.load_counts(path)) == "format", "a file of counts: $(repr(text))")
    end
    check(refusal(() -> Counts([1.5 2])) == "type" && refusal(() -> Counts([-1 2])) == "range", "bad tables")
    check(refusal(() -> Counts([3], [2])) == "range" && refusal(() -> counts + Counts([1 1])) == "shape", "bad counts")
    check(refusal(() -> Counts([3, 1], [2])) == "length" && refusal(() -> Counts([2^53-1 1])) == "range", "bad counts")
    check(Scorio.select(counts, [2]) == Counts([0 0 4]) == Scorio.select(counts, [false, true]), "select")
    check(refusal(() -> Scorio.select(counts, [3])) == "range", "select")
    check(refusal(() -> Scorio.select(counts, [true])) == "range", "select")
    check(string(Counts([3], [2 + 2])) == "Counts(1 questions, 4 trials, categories 0..1)", "Counts prints")
    message = sprint(showerror, try pass_at_k([0 1; 2 1], 1) catch e e end)
    check(occursin("[2, 1]", message) && occursin("category", message), "places count from 1: $message")
    n = 2^52 + 1  # pair sums beyond 64 bits
    check(avg(Counts([n-3 3 0; 1 n-2 1]), [0.0, 1.0, 1.0]).mu == Float64(big(n + 2) // big(2n)), "huge counts")
end

refusal(f) =
    try
        f()
        "none"
    catch e
        e isa InvalidInput ? e.code : rethrow()
    end

"What bit-equal code may not contain: an order of floats left to others, or fused operations."
function source()
    folder = joinpath(@__DIR__, "..", "src")
    banned = r"@simd|@fastmath|muladd|\bfma\b|evalpoly|\bdot\(|\bprod\(|\bsum\(|cumsum|reduce|LinearAlgebra"
    for file in ("numerics.jl", "quantiles.jl", "bank.jl", "posterior.jl", "noise.jl")
        code = replace(read(joinpath(folder, file), String), r"\"\"\".*?\"\"\"|^\"[^\n]*\"$|#[^\n]*"ms => "")
        check(!occursin(banned, code), "$file: $(match(banned, code))")
    end
    for (root, _, files) in walkdir(folder), file in files
        text = replace(read(joinpath(root, file), String), r"\"\"\".*?\"\"\""s => "")
        check(count(==('\n'), text) <= 300, "$file is short")
        check(!occursin("@fastmath", text) && !occursin("muladd", text), "$file: no fused operations")
    end
    found = filter(m -> any(x -> x.module == Scorio, m), detect_ambiguities(Scorio))
    check(isempty(found), "ambiguous methods: $found")
end

println("Julia ", VERSION, ", ", Threads.nthreads(), " threads; loading took ", round(LOAD_SECONDS, digits = 3), " s")
for part in (vectors, invalid, surface, examples, objects, allocations, source, Twins.run)
    seconds = @elapsed part()
    println(rpad(string(part), 12), round(seconds, digits = 1), " s")
end
println(Checks.PASSED[], " passed, ", Checks.FAILED[], " failed")
Checks.FAILED[] == 0 || exit(1)
