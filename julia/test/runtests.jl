# Tests that need Julia alone: `julia --project=julia julia/test/runtests.jl [part ...]`, or Pkg.test().

const LOAD_SECONDS = @elapsed using Scorio
using Scorio: JSON

using Test: @inferred, detect_ambiguities, detect_unbound_args

module Checks

const PASSED, FAILED = Ref(0), Ref(0)

"Count a check; print what failed, for the first forty failures."
function check(good, what)
    good === true ? (PASSED[] += 1) : (FAILED[] += 1)
    good === true || FAILED[] > 40 || println("FAILED: ", first(string(what), 400))
end

end

include("spec.jl")
include("twins.jl")
include("layers.jl")

using .Checks: check

# --- spec/ -------------------------------------------------------------------------------------------

"Check every vector at its own tolerance, as lists and as arrays, and their declared number."
function vectors()
    total, worst = 0, (0.0, "")
    for name in Spec.NAMES
        file = Spec.vectors(name)
        cases = file["cases"]
        check(file["function"] == name && file["count"] == length(cases) >= 40, "$name declares its cases, 40 or more")
        check(length(unique(c["id"] for c in cases)) == length(cases), "$name has distinct ids")
        for case in cases
            label = string(case["id"], " (", case["comment"], ")")
            try
                e = maximum(values(Spec.errors(name, case)))
                check(e <= case["ulp"], "$label: $e ULP")
                check(e == maximum(values(Spec.errors(name, case, Spec.as_array))), "$label: as arrays")
                worst = max(worst, (e, case["id"]))
            catch e
                check(false, "$label: " * sprint(showerror, e))
            end
        end
        total += length(cases)
    end
    for folder in ("vectors", "invalid")
        files = [f[1:end-5] for f in readdir(joinpath(Spec.FOLDER, folder))]
        check(sort(files) == sort(Spec.NAMES), "every function has a file in $folder, and every file a function")
    end
    check(total >= 2500, "at least 2500 vectors: $total")
    println(total, " vectors, worst error ", worst[1], " ULP (", worst[2], ")")
end

"Check that every invalid call is refused with its code, and that the message names the argument."
function invalid()
    total = 0
    for name in Spec.NAMES
        file = Spec.refused(name)
        cases = file["cases"]
        check(file["function"] == name && file["count"] == length(cases), "$name declares its refused calls")
        refused = Set((c["error"]["code"], c["error"]["argument"]) for c in cases)
        listed = Set((code, p) for (code, names) in Spec.FUNCTIONS[name]["refuse"] for p in names)
        check(refused == listed, "$name: its cases have the codes and arguments that it refuses")
        foreach(case -> refusal(name, case), cases)
        total += length(cases)
    end
    check(total >= 5000, "at least 5000 refused calls: $total")
    println(total, " refused calls")
end

"Check that a call is refused as its case states, as lists and as arrays."
function refusal(name, case)
    want = case["error"]
    check(want["code"] in Spec.CODES, "$(case["id"]): the code is known")
    for form in (identity, Spec.as_array)
        got = try
            Spec.call(name, case["args"], form)
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
end

"Check that the table of metrics equals that of functions.json, and that credits are the exact ones, rounded."
function metrics()
    M = Scorio.Metrics
    check(Set(x.name for x in M.TABLE) == Set(x["name"] for x in Spec.FILE["metrics"]), "the names of the metrics")
    for row in Spec.FILE["metrics"]
        name, places = row["name"], row["where"]
        entry = only(x for x in M.TABLE if x.name == name)
        check(setdiff([entry.alias], [name]) == row["aliases"], "the alias of $name")
        check(collect(entry.takes) == row["takes"], "the parameters of $name")
        check(entry.binary == !("w" in row["takes"]), "whether $name takes binary outcomes only")
        chooses = "vote" in places ? :votes : "score" in places ? :scores : nothing
        check(entry.chooses === chooses, "the basis on which $name chooses")
        check(M.flips(entry) == ("lower" in places), "whether the lowest $name is best")
        listings = (M.INTERVALS, "interval"), (M.GATES, "gate"), (M.TRAJECTORIES, "order")
        for (allowed, listed) in ((x, place in places) for (x, place) in listings)
            arguments = (entry.alias, "k" in entry.takes ? 1 : nothing, "tau" in entry.takes ? 0.5 : nothing, nothing)
            got = refusal(() -> M.read_metric(arguments..., allowed))
            check(got == (listed ? "none" : "choice"), "$name by its alias: $got")
        end
    end
    for k in 1:12, name in M.names_where(x -> x.interval && x.takes == ("k",))
        m = M.read_metric(name, k, nothing, nothing)
        A, unit = M.exact_credits(m)
        for (j, x) in enumerate(M.credits(m))
            check(Scorio.value(x) == Float64(A[j] // unit), "$name, k = $k: the credit of $(j - 1)")
        end
    end
end

"Check names, parameters, stated defaults and exports against functions.json; bench/first_calls.jl has every function."
function surface()
    from_rank = [:competition_ranks_from_scores, :elo, :rank_scores]
    besides = [
        :Scorio, :Counts, :InvalidInput, :g_pass_at_k_tao, :Rank, :Rubric, :Simulate, :Items, :Monitor, :look!,
        :Answers, :ScoredTrials, :graded_answers,
    ]
    check(Set(names(Scorio)) == Set([public(Scorio); besides; from_rank]), "the exports of Scorio")
    check(names(Rank) == [:Rank], "Rank exports nothing: its names are those of Scorio")
    check(names(Items) == [:Items], "Items exports nothing: its names are common words")
    check(Set(names(Simulate)) == Set([public(Simulate); :Simulate]), "the exports of Simulate")
    check(Set(names(Rubric)) == Set([public(Rubric); :Rubric; :Schema; :SCHEMATA]), "the exports of Rubric")
    check(all(f -> getfield(Scorio, f) === getfield(Rank, f), from_rank), "functions of Rank in Scorio")
    texts = Dict(getfield(m, name) => text for m in PUBLIC_MODULES for (name, text) in docstrings(m))
    timed = read(joinpath(@__DIR__, "..", "..", "bench", "first_calls.jl"), String)
    for spec in Spec.LIST
        f, name = Spec.implementation(spec["name"]), spec["name"]
        check(occursin(last(split(name, ".")) * "(", timed), "bench/first_calls.jl calls $name")
        method = last(sort(collect(methods(f)), by = m -> m.nargs))
        positional = string.(Base.method_argnames(method)[2:end])
        params = [p["name"] for p in spec["params"]]
        check(positional == [p["name"] for p in spec["params"] if Spec.ispositional(p)], "$name: positional arguments")
        keywords = setdiff(string.(Base.kwarg_decl(method)), Spec.UNSPECIFIED)
        check(Set(keywords) == Set(setdiff(params, positional)), "$name: keywords")
        for p in spec["params"]
            default = get(p, "default", "none")
            shown = default isa Vector ? "($(join(default, ", ")))" :
                default isa String && Base.isidentifier(default) ? ":$default" : repr(default)
            stated = string(p["name"], "=", shown)
            default == "none" || check(occursin(stated, texts[f]), "$name: the docstring states $stated")
        end
    end
    check(g_pass_at_k_tao === g_pass_at_k_tau && Rank.g_pass_at_k_tao === Rank.g_pass_at_k_tau, "g_pass_at_k_tao")
end

const PUBLIC_MODULES = (Scorio, Rank, Rubric, Simulate, Items)

"The functions of functions.json that are public in a module."
public(m) = [f for (at, f) in map(Spec.module_and_name, Spec.NAMES) if at == m]

"Every docstring of a module, by name."
docstrings(m) =
    [(b.var, join(d.text)) for (b, multi) in Base.Docs.meta(m) for (_, d) in multi.docs if isdefined(m, b.var)]

# --- the package -------------------------------------------------------------------------------------

"Check that every docstring of a public name has an example, and that every example prints its stated output."
function examples()
    total, seen = 0, Set{Any}(PUBLIC_MODULES)
    for m in (PUBLIC_MODULES..., Scorio.Receipts), (name, text) in docstrings(m),
        block in eachmatch(r"```jldoctest\n(.*?)```"s, text)
        push!(seen, getfield(m, name))
        total += run_example(string(name), block.captures[1])
    end
    for m in PUBLIC_MODULES, name in union(names(m), public(m))
        check(getfield(m, name) in seen, "$m.$name has an example")
    end
    readme = read(joinpath(@__DIR__, "..", "README.md"), String)
    for block in eachmatch(r"```julia-repl\n(.*?)```"s, readme)
        total += run_example("README.md", block.captures[1])
    end
    println(total, " lines of examples")
end

"Run the input after each `julia> `, with its indented lines, and check its output unless it ends in a semicolon."
function run_example(name, text)
    place, parts = Module(), split(text, "julia> ", keepempty = false)
    Core.eval(place, :(using Scorio))
    for part in parts
        line, _, want = partition(part, '\n')
        while startswith(want, " "^7) && Meta.isexpr(Meta.parse(line, raise = false), :incomplete)
            more, _, want = partition(want, '\n')
            line = string(line, '\n', more)
        end
        got = Core.eval(place, Meta.parse(line))
        shown = endswith(line, ';') || got === nothing ? "" : sprint(show, MIME("text/plain"), got)
        check(shown == strip(want), "example of $name: $line printed $shown, not $(strip(want))")
        check(!names_type(shown), "example of $name: $line prints a type, which differs between versions: $shown")
    end
    return length(parts)
end

"Whether a text has parts that versions of Julia print differently: parameters of a type, the size of an array."
names_type(text) = occursin(r"\w\{|\b\d+-element\b|^\d+×\d+"m, text)

"Check that public objects print without types, alone and among others."
function printing()
    A, B = [1 1 0; 1 0 1], [0 1 0; 0 0 1]
    battles = [("a", "b", "model_a"), ("a", "b", "tie"), ("b", "a", "model_a")]
    for x in (
        tally(A), Answers(["4" "5"], ["4"]), ScoredTrials([0.5 0.7], [0 1]), Rubric.SCHEMATA["exact_match"],
        Monitor(planned = 4, questions = :fixed), mean_ci(A; questions = :fixed), compare(A, B; questions = :fixed),
        gate(A, B; margin = 0.1, questions = :fixed), suite((e = (a = A, b = B),); questions = :fixed),
        gate_suite((e = A,), (e = B,); margin = 0.1, questions = :fixed), InvalidInput("range", "k", "k = 9"),
        Simulate.coins([0.5], 2)[1], Rank.bradley_terry(battles).theta[1], Rank.avg((a = A, b = B)),
    )
        for text in (string(x), sprint(show, MIME("text/plain"), x))
            check(!names_type(text), "$(typeof(x)) prints a type: $text")
        end
    end
    with_types = ("Array{Int64,1}", "Vector{Int64}", "2-element", "a\n2×2 Matrix", "Tuple{Int}[(1,)]")
    check(all(names_type, with_types), "texts with types are recognised")
    without_types = ("[1, 2]", "(a = 1, b = \"x\")", "M × N, 2 × 2 {a}", "Union[1]")
    check(!any(names_type, without_types), "texts without types are recognised")
end

function partition(text, mark)
    at = findfirst(mark, text)
    return at === nothing ? (text, mark, "") : (text[1:prevind(text, at)], mark, text[nextind(text, at):end])
end

"Check that R is not copied, whatever its order in memory, and that the compiler infers types of arithmetic."
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
    R = Simulate.coins(fill(0.5, 3, 30), 40)
    bootstrap_convergence(R, :pass_at_k; k = 2, replicates = 500)
    bytes = @allocated bootstrap_convergence(R, :pass_at_k; k = 2, replicates = 5000)
    check(bytes < 1_000_000, "bootstrap_convergence allocates $bytes bytes")
    x = Scorio.DoubleDouble.ext(1.5)
    for f in (Scorio.DoubleDouble.add, Scorio.DoubleDouble.mul, Scorio.DoubleDouble.div, Scorio.DoubleDouble.power)
        check((@inferred f(x, x)) isa Scorio.Triple, "$f gives a triple")
    end
end

"Check that the compiler infers the types of results, so that a caller's own code compiles well."
function inference()
    A, B = [1 1 0 1; 1 0 1 0], [0 1 0 1; 0 0 1 0]
    X, N = permutedims(cat(A, B, dims = 3), (3, 1, 2)), (a = A, b = B)
    check((@inferred tally(A)) isa Counts, "tally")
    for f in (pass_at_k, pass_hat_k, maj_at_k, auc_at_k, max_at_k, geom_at_k)
        check((@inferred f(A, 2)) isa Float64, "$f")
    end
    for f in (pass_at_k_ci, maj_at_k_ci, max_at_k_ci, geom_at_k_ci)
        check((@inferred f(A, 2)) isa Scorio.Interval, "$f")
    end
    check((@inferred bayes(A)) isa Scorio.Estimate && (@inferred avg(A)) isa Scorio.Estimate, "bayes, avg")
    fixed(f, more...) = x -> f(x, more...; questions = :fixed)
    for f in (fixed(mean_ci), fixed(interval), fixed(interval, :pass_at_k, 2))
        check((@inferred f(A)) isa Scorio.MetricInterval, "an interval")
    end
    check((@inferred fixed(prob_above, 0.5)(A)) isa Float64, "prob_above")
    check((@inferred ((x, y) -> compare(x, y; questions = :fixed))(A, B)) isa Scorio.Result{:Comparison}, "compare")
    for f in (Rank.avg, Rank.bayes, elo)
        check((@inferred f(X)) == (@inferred f([A, B])) == Int[x for x in @inferred f(N)], "$f")
    end
    check((@inferred Rank.pass_at_k(X, 2)) == collect(@inferred Rank.pass_at_k(N, 2)), "Rank.pass_at_k")
    check((@inferred rank_scores([0.1, 0.2])).dense == [2, 1], "rank_scores")
    check((@inferred rank_trajectory(X)).trials == 1:4, "rank_trajectory")
    check((@inferred Rubric.percentile([0.5, 0.7], 50)) isa Float64, "percentile")
end

"Check that a call without a required argument is refused with its name and what to type, not by an error of Julia."
function required()
    total = 0
    for spec in Spec.LIST, p in spec["params"]
        (haskey(p, "default") || Spec.ispositional(p)) && continue
        args = Spec.arguments(spec["name"], first(Spec.vectors(spec["name"])["cases"])["args"])
        e = try Spec.call_by_name(spec["name"], delete!(args, p["name"])) catch e e end
        good = e isa InvalidInput && (e.code, e.argument) == ("type", p["name"]) && occursin(p["name"] * "=", e.message)
        check(good, "$(spec["name"]) without $(p["name"]): $(e isa Exception ? sprint(showerror, e) : e)")
        total += 1
    end
    check(thrown(() -> Monitor(planned = 4)) == ("type", "questions"), "a Monitor without questions")
    check(total >= 15, "at least 15 arguments without a default: $total")
end

"Check that results of three values or more print one value a line or as a table, without types; and Results."
function aligned()
    total = 0
    for spec in Spec.LIST
        length(spec["returns"]) + length(spec["attributes"]) > 2 && spec["name"] != "tally" || continue
        x = Spec.call(spec["name"], first(Spec.vectors(spec["name"])["cases"])["args"])
        text = sprint(show, MIME("text/plain"), x)
        good = x isa Union{Scorio.Result,Scorio.Results,Scorio.MetricInterval} && '\n' in text
        check(good && !names_type(text) && !names_type(string(x)), "$(spec["name"]) prints $text")
        total += 1
    end
    check(total >= 45, "at least 45 results of more than two values: $total")
    r = Items.items(Simulate.coins([0.2 0.4 0.6; 0.3 0.5 0.9; 0.1 0.6 0.7], 8))
    lines = split(sprint(show, MIME("text/plain"), r), '\n')
    check(lines[1] == "3 Items" && length(lines) == 5 && startswith(lines[2], "  question  mean "), "$lines")
    check(r[2].question == 2 && length(r) == 3 && [x.question for x in r] == 1:3, "Results as a vector")
    check(map(x -> x.mean, r) isa Vector{Float64}, "a field of Results as a vector")
    parts = (r[2:3], filter(x -> x.question > 1, r), sort(r, by = x -> -x.question)[1:2])
    selected(x) = x isa Scorio.Results{:Item} && Set(y.question for y in x) == Set(2:3)
    check(all(selected, parts), "selected rows are still Results")
    T = Scorio.Results{:Row}([(a = i, b = i % 2 == 0) for i in 1:100])
    show_limited(io, x) = show(IOContext(io, :limit => true, :displaysize => (16, 80)), MIME("text/plain"), x)
    lines = split(sprint(show_limited, T), '\n')
    check(length(lines) == 13 && lines[end] == "  100  true" && lines[8] == "  ⋮    ⋮", "many rows: $lines")
    check(length(split(sprint(show, MIME("text/plain"), T), '\n')) == 102, "all rows where nothing limits them")
    e = mean_ci([0 1; 1 1]; questions = :fixed)
    c = bayes_ci([0 1; 1 1])
    as_named = (mu = c.mu, sigma = c.sigma, lo = c.lo, hi = c.hi)
    check(c == as_named == c && haskey(c, :mu) && !haskey(c, :x), "an interval equals its named tuple")
    check(merge(c, (x = 1,)).x == 1 && merge(c, (x = 1,)).mu == c.mu && hash(c) == hash(NamedTuple(c)), "merged")
    check(occursin("dropped          []", sprint(show, MIME("text/plain"), e)), "an empty list without its type")
end

"Check that every choice of a text argument, given as a symbol, has the result of the vector with the text."
function words()
    total = 0
    for spec in Spec.LIST, file in (Spec.vectors(spec["name"])["cases"],), p in spec["params"]
        p["kind"] in ("text", "policy", "bounded") || continue
        name, which, cases = spec["name"], p["name"], [Dict{String,Any}(c["args"]) for c in file]
        stated = [get(args, which, get(p, "default", nothing)) for args in cases]
        for word in filter(x -> x isa String, union(get(p, "choices", []), stated))
            at = findfirst(==(word), stated)
            at === nothing && check(false, "no vector of $name has $which = $word")
            at === nothing && continue
            case = merge(Dict{String,Any}(file[at]), Dict("args" => merge(cases[at], Dict(which => Symbol(word)))))
            e = try maximum(values(Spec.errors(name, case))) catch e e end
            check(e isa Real && e <= case["ulp"], "$name, $which = :$word as a symbol: $e")
            total += 1
        end
    end
    check(total >= 300, "at least 300 words: $total")
    println(total, " words as symbols")
end

"Check that arguments after the data give the same result by name and by position, any number of them by position."
function by_name()
    A, B = [1 1 0 1; 1 0 1 0; 0 1 1 1], [0 1 0 1; 0 0 1 0; 1 1 0 0]
    total = 0
    for spec in Spec.LIST
        f, places = Spec.implementation(spec["name"]), [p["name"] for p in spec["params"] if Spec.ispositional(p)]
        first_named = something(findfirst(in(string.(Scorio.NAMED)), places), 0)
        named = filter(m -> !isempty(intersect(string.(Base.kwarg_decl(m)), places)), collect(methods(f)))
        isempty(named) && continue
        case = argmax_by(c -> count(p -> haskey(c["args"], p), places), Spec.vectors(spec["name"])["cases"])
        args, want = Spec.arguments(spec["name"], case["args"]), Spec.call(spec["name"], case["args"])
        keywords = [Symbol(p) => args[p] for p in setdiff(keys(args), places)]
        given = [p for p in places if haskey(args, p)]
        for n in first_named-1:length(given)
            given[1:n] == places[1:n] || continue
            got = f([args[p] for p in given[1:n]]...; keywords..., [Symbol(p) => args[p] for p in given[n+1:end]]...)
            check(isequal(got, want) || string(got) == string(want), "$(spec["name"]): $n arguments by position")
            total += 1
        end
    end
    check(total >= 60, "at least 60 calls by name: $total")
    by_keywords = interval(A; metric = :pass_at_k, k = 2, questions = :fixed)
    check(by_keywords == interval(A, "pass@k", 2; questions = :fixed), "interval by name and by position")
    both = try interval(A, :mean; metric = :mean, questions = :fixed) catch e e end
    check(both isa MethodError, "an argument by position and by name is an error")
end

argmax_by(f, items) = items[last(findmax(map(f, items)))]

"Check that every function of outcomes refuses tables and iterators, which are not matrices, with what to type."
function tables()
    table, total = Ref(0), 0
    for spec in Spec.LIST
        p = first(spec["params"])
        p["kind"] in ("outcomes", "models", "verdicts") || continue
        args = Spec.arguments(spec["name"], first(Spec.vectors(spec["name"])["cases"])["args"])
        for x in (table, Base.Generator(identity, [[0, 1], [1, 1]]), [table, table])
            e = try
                Spec.call_by_name(spec["name"], merge(args, Dict(p["name"] => x)))
            catch e
                e
            end
            good = e isa InvalidInput && occursin("Matrix(df)", e.message) && occursin("collect(rows)", e.message)
            check(good, "$(spec["name"]) of $(typeof(x)): $(sprint(showerror, e))")
            total += 1
        end
    end
    check(total >= 100, "at least 100 tables refused: $total")
end

"Check that Booleans by bytes and by words of bits, at every offset, give the counts and states of integers."
function bits()
    for M in (1, 2, 63, 64, 65, 130, 16385), N in (1, 2, 7, 8, 64, 65, 255, 256, 300)
        B = Bool[(i * i + 3 * i * j + j * j * j) % 7 < 3 for i in 1:M, j in 1:N]
        around = falses(M + 5, N + 3)
        around[3:M+2, 2:N+1] .= B
        bits, want, transposed = BitMatrix(B), tally(Int8.(B)), BitMatrix(permutedims(B))
        for R in (
            B, permutedims(B)', view(B, :, 1:N), view(Matrix(around), 3:M+2, 2:N+1),
            view(Matrix(permutedims(around))', 3:M+2, 2:N+1), bits, transposed', view(bits, [1:M;], :),
            view(around, 3:M+2, 2:N+1), view(transposed', 1:M, 1:N),
        )
            counts = tally(R)
            same = counts == want && Scorio.states(counts).mult == Scorio.states(want).mult
            check(same, "$M x $N, $(typeof(R))")
            N == 8 && check(tally(R, 3) == tally(Int8.(B), 3) && tally(R, 20) == tally(Int8.(B), 20), "$(typeof(R)), C")
        end
    end
    check(tally(trues(3, 2); missing = :drop, missing_code = 1).trials == [0, 0, 0], "a missing_code among bits")
    B = rand(2000, 2000) .< 0.5
    for R in (B, permutedims(B)', view(B, 1:1999, 2:2000))
        tally(R)
        check((@allocated tally(R)) < 200_000, "tally of $(typeof(R)) copies nothing")
    end
end

"Check states of questions and sums over joint states against a loop over the questions."
function states()
    n, c = [1 + 7 * i % 5 for i in 1:600], [3 * i % 4 for i in 1:600]
    a, b = Counts(min.(c, n), n), Counts([5 * i * i % 3 for i in 1:600], fill(4, 600))
    graded(f) = Counts([(f * i * j + i * i) % 4 + (j == 1) for i in 1:600, j in 1:3])
    for (x, y, w) in ((a, b, [0, 3]), (graded(3), graded(5), [0, 1, 2]), (graded(3), graded(5), [0, 2^60, big(2)^61]))
        U, span = big.(w), big(maximum(w))
        mean(t, i) = sum(U[j] * t[i, j] for j in eachindex(U)) // (sum(t[i, :]) * span)
        at = [Scorio.Means.exact_values(z, U, span) for z in (x, y)]
        for (z, (pairs, which)) in zip((x, y), at)
            t = Scorio.table(z)
            check(all(mean(t, i) == //(pairs[which[i]]...) for i in 1:600), "the mean scores of questions")
            check(length(unique(which)) == length(pairs), "every state has a question")
        end
        joint = Scorio.joint_states(at[1][2], at[2][2], 601)
        D = Scorio.Means.Fraction(1, 7)
        want = sum((mean(Scorio.table(x), i) - mean(Scorio.table(y), i))^2 for i in 1:600) - 600 * D^2
        check(Scorio.Means.squared_deviations(at[1][1], at[2][1], joint, D) == want, "sum of squares over joint states")
    end
    for x in ([n, c], [n .* 2^50, c .* 2^51, n], [fill(3, 600), c .- 7])
        rows, mult, which = Scorio.distinct_rows(x)
        all_rows = collect(zip(x...))
        check(collect(zip(rows...)) == sort(unique(all_rows)), "distinct rows are sorted")
        check([rows[1][q] for q in which] == x[1] && sum(mult) == 600, "the row of each entry")
        check(mult == [count(==(r), all_rows) for r in sort(unique(all_rows))], "how often each row occurs")
    end
end

"Check that results print, compare and destructure as documented, and that counts survive a file."
function objects()
    r = mean_ci([[0, 1], [missing], [1, 1]]; questions = :sampled, missing = :drop)
    mu, sigma, lo, hi = r
    check((mu, sigma, lo, hi) == Tuple(r) && r[4] == r.hi && length(collect(r)) == 4, "MetricInterval destructures")
    check(r == mean_ci([[0, 1], [], [1, 1]]; questions = "sampled", missing = "drop"), "equal intervals")
    check(r.dropped == [2] && r.units == 2, "dropped questions count from 1")
    check(occursin("questions=\"sampled\"", string(r)), "MetricInterval prints")
    check(NamedTuple(r) == (; (f => getfield(r, f) for f in fieldnames(typeof(r)))...), "an interval as a named tuple")
    lines = split(sprint(show, MIME("text/plain"), r), '\n')
    check(lines[1:2] == ["MetricInterval", "  mu               0.75"] && length(lines) == 10, "$lines")
    e = extrapolate([0 1 1 0; 0 0 0 0], "pass@k", 5)
    check(e.low <= e.lower <= e.upper <= e.high && (e.unsolved, e.n) == (1, 4), "the band lies within its limits")
    check(e == extrapolate(Counts([2, 0], [4, 4]), :pass_at_k, 5), "the band depends on the counts")
    counts = Counts([2 1 0; 0 0 4])
    path = tempname()
    Scorio.save_counts(path, Counts([2 1 0; 0 0 4]; absent = [3, 0]))
    head = "# scorio counts, format 2"
    check(readlines(path) == [head, "n0,n1,n2,missing", "2,1,0,3", "0,0,4,0"], "the file of counts")
    check(Scorio.load_counts(path) == counts && Scorio.load_counts(path).absent == [3, 0], "counts survive a file")
    for text in (
        "", "n0,n1\n1,2\n", "n0,n1,missing\n1,x,0\n", "n0,n1,missing\n1,2\n", "n0,n1,missing\n", "$head\n",
        "# scorio counts, format 3\nn0,n1,missing\n1,2,0\n", "$head\nid,n0,n1,missing\n\"q,1,2,0\n",
        "$head\nid,n0,n1,missing\n\"q\"x,1,2,0\n", "$head\ncluster,id,n0,n1,missing\nq,q,1,2,0\n",
        "id,n0,n1,missing\nq,1,2,0\n", "$head\nid,missing\nq,1\n",
    )
        write(path, text)
        check(refusal(() -> Scorio.load_counts(path)) == "format", "a file of counts: $(repr(text))")
    end
    check(refusal(() -> Counts([1.5 2])) == "type" && refusal(() -> Counts([-1 2])) == "range", "bad tables")
    check(refusal(() -> Counts([3], [2])) == "range" && refusal(() -> counts + Counts([1 1])) == "shape", "bad counts")
    check(refusal(() -> Counts([3, 1], [2])) == "length" && refusal(() -> Counts([2^53-1 1])) == "range", "bad counts")
    check(Scorio.select(counts, [2]) == Counts([0 0 4]) == Scorio.select(counts, [false, true]), "select")
    check(refusal(() -> Scorio.select(counts, [3])) == "range", "an index that is no question is refused")
    check(refusal(() -> Scorio.select(counts, [true])) == "range", "a mask of another length is refused")
    check(string(Counts([3], [2 + 2])) == "Counts(1 questions, 4 trials, categories 0..1)", "Counts prints")
    named = Counts([1 3; 2 2]; absent = [1, 0], ids = ["a,\"b\"\r\n", 7], clusters = [:x, "y"])
    Scorio.save_counts(path, named)
    check(Scorio.load_counts(path) == named && named.ids == ["a,\"b\"\r\n", "7"], "ids survive a file")
    check(Scorio.select(named, [2]).clusters == ["y"] && named != Counts([1 3; 2 2]; absent = [1, 0]), "ids are kept")
    push!(named.ids, "more")
    check(length(named.ids) == 2 && hash(named) == hash(Scorio.load_counts(path)), "ids cannot be changed")
    reordered = Counts([2, 3], [4, 4]; ids = ["7", "a,\"b\"\r\n"])
    total = named + reordered
    check(Scorio.table(total) == [2 6; 4 4] && total.clusters == ["x", "y"], "counts add by id")
    check(refusal(() -> named + Counts([1 1; 1 1])) == "conflict", "counts with ids are not added to counts without")
    check(refusal(() -> Scorio.select(named, [1, 1])) == "duplicate", "a question is selected once")
    printed = "Counts(2 questions, 4 trials, categories 0..1, ids \"7\", $(repr(reordered.ids[2])))"
    check(string(reordered) == printed, "ids print")
    r = compare(named, Counts([2 2; 1 3; 0 4]; ids = ["7", "s", "a,\"b\"\r\n"]); questions = :fixed, missing = :drop)
    check(r.dropped == [3], "questions that one model lacks are dropped, and count from 1")
    message = sprint(showerror, try pass_at_k([0 1; 2 1], 1) catch e e end)
    check(occursin("[2, 1]", message) && occursin("category", message), "questions and trials count from 1: $message")
    n = 2^52 + 1  # pair sums beyond 64 bits
    check(avg(Counts([n-3 3 0; 1 n-2 1]), [0.0, 1.0, 1.0]).mu == Float64(big(n + 2) // big(2n)), "huge counts")
end

"Check that comparisons, gates and suites print one field a line, destructure, compare and convert to named tuples."
function results()
    A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0]
    r = compare(A, B; questions = :fixed)
    mu, sigma, lo = r
    check((mu, sigma, lo) == (r.mu, r.sigma, r.lo) == (r[1], r[:sigma], Tuple(r)[3]), "a comparison destructures")
    check(NamedTuple(r).hi == r.hi == r[4] && collect(pairs(r))[end] == (:dropped => Int[]), "as a named tuple")
    check(r == compare(A, B; questions = "fixed"), "equal comparisons")
    check(hash(r) == hash(compare(A, B; questions = :fixed)), "equal hashes of comparisons")
    check(propertynames(r) == keys(r) && length(r) == 10 && r[end] == Int[], "the names of the fields of a comparison")
    g = gate(A, B; margin = 0.05, questions = :fixed)
    s = suite((easy = (a = A, b = B), hard = (a = B, b = A)); questions = :fixed)
    t = gate_suite((easy = A, hard = B), (easy = B, hard = B); margin = 0.1, questions = :fixed)
    for (x, name, size) in ((r, "Comparison", 11), (g, "Gate", 14), (s, "Suite", 16), (t, "SuiteGate", 10))
        lines = split(sprint(show, MIME("text/plain"), x), '\n')
        check(lines[1] == name && length(lines) == size, "$name prints $(length(lines)) lines: $lines")
    end
    check(occursin("\n  mu               0.333333\n", sprint(show, MIME("text/plain"), r)), "a line of a comparison")
    check(startswith(string(r), "Comparison(mu = "), "on one line among other values")
end

"Check that outcomes of many models in every form give the same ranks, in the form and under the names of the models."
function many()
    a, b = [0 1 1 0; 1 1 0 1], [1 1 1 0; 1 1 1 1]
    T = [R[i, t] for R in (a, b), i in 1:2, t in 1:4]
    rows = [[R[i, :] for i in 1:2] for R in (a, b)]
    permuted = PermutedDimsArray(permutedims(T, (3, 2, 1)), (3, 2, 1))
    lazy = [permutedims(a)', permutedims(b)']
    for R in (T, T .== 1, Int8.(T), permuted, view(T, :, :, 1:4), rows, Tuple(rows), [a, b], (a, b), lazy)
        label = string(typeof(R))
        check(Rank.bayes(R) == Rank.pass_at_k(R, 2) == elo(R) == [2, 1], label)
        check(Rank.ranges(R; questions = :fixed) == [(best = 1, worst = 2), (best = 1, worst = 2)], label)
        check(rank_trajectory(R).ranks == rank_trajectory(T).ranks && convergence_at_n(R) == 1, label)
    end
    r = Rank.bayes((x = a, y = b); return_scores = true)
    check(r == (ranks = (x = 2, y = 1), scores = (x = bayes(a).mu, y = bayes(b).mu)), "names of a named tuple")
    check(Rank.bayes(["x" => a, "y" => tally(b)]) == ["x" => 2, "y" => 1], "names in pairs")
    check(elo(Dict(:x => a, :y => b)) == Dict(:x => 2, :y => 1), "names in a dictionary")
    best = Rank.ranges(Dict(1 => a, 2 => b); questions = :fixed)
    check(best == Dict(1 => (best = 1, worst = 2), 2 => (best = 1, worst = 2)), "any names")
    scores = Rank.bayes((x = a, y = b), nothing, (y = b, x = a); return_scores = true).scores
    check(scores == (x = bayes(a, nothing, a).mu, y = bayes(b, nothing, b).mu), "R0 by name")
    answers = [Answers(["4" "4"; "9" "3"], ["4", "3"]), Answers(["4" "5"; "9" "9"], ["4", "3"])]
    trials = [ScoredTrials([0.5 0.7; 0.1 0.3], [1 1; 0 1]), ScoredTrials([0.5 0.7; 0.1 0.3], [1 0; 0 0])]
    for models in (answers, Tuple(answers), trials)
        mu = only(compare_all(models; questions = :fixed)).mu
        check(mu == only(compare_all(Dict(:a => models[1], :b => models[2]); questions = :fixed)).mu == 0.5, "a list")
        check(Rank.avg(models) == [1, 2], "ranks of a list of answers")
        check(thrown(() -> elo(models)) == ("type", "R"), "Elo needs the order of trials")
    end
end

"Check the tables of Rubric against spec/rubric.json, signals in every form, and that schemata compare by value."
function rubrics()
    file = JSON.parsefile(joinpath(Spec.FOLDER, "rubric.json"))
    high(s) = s["high"] === nothing ? Inf : s["high"]
    check(Rubric.STANDARD_SIGNALS == [s["name"] => (s["low"], high(s)) for s in file["signals"]], "signals")
    check(collect(Rubric.BINARY) == [s["name"] for s in file["signals"] if s["whole"]], "binary signals")
    declared = [t["name"] => (t["p"], t["signal"], t["among"]) for t in file["thresholds"]]
    check(Rubric.STANDARD_THRESHOLDS == declared, "thresholds")
    check(Rubric.STANDARD_VARIABLES == [v["name"] => v["condition"] for v in file["variables"]], "variables")
    check([k for (k, _) in Rubric.SCHEMATA] == [s["key"] for s in file["schemata"]], "keys")
    for s in file["schemata"]
        schema = Rubric.SCHEMATA[s["key"]]
        check(schema.rules == [c => text for (c, text) in s["rules"]], "rules of $(s["key"])")
        check(schema == Rubric.Schema(s["key"], schema.rules, schema.w), "$(s["key"]) is as a caller would make it")
        check(schema.w == s["w"] && Rubric.label(schema) == s["label"], "scores and label of $(s["key"])")
    end
    a, b = [1 missing; 0 1], Any[1 nothing; 0.0 true]
    transposed = permutedims(a)
    lists = ([[1, NaN], (0, 1)], ([1, missing], [false, true]))
    for x in (a, b, PermutedDimsArray(transposed, (2, 1)), view(a, :, 1:2), lists...)
        for signals in (
            ["is_correct" => x, "C" => 0, "repeated_pattern" => 0],
            (is_correct = x, C = 0.25, repeated_pattern = false),
            Dict(:is_correct => x, :C => 0, :repeated_pattern => [0 0; 0 0]),
        )
            got = Rubric.categories(signals, :exact_match; missing = :drop)
            check(got == [2 -1; 1 2], "signals as $(typeof(x))")
        end
    end
    same = [1 => "x > 1", 0 => "otherwise"]
    s = Rubric.Schema("s", same, [0, 1]; variables = (big = "x > 2",), thresholds = Dict("t" => (50, :x, nothing)))
    t = Rubric.Schema(:s, Tuple(same), (0, 1.0); variables = ["big" => "x > 2"], thresholds = (t = (50, "x", nothing),))
    check(s == t && hash(s) == hash(t) && string(s) == "Schema(\"s\", categories 0..1)", "schemata are values")
    r = Rubric.score((u = (x = [1 2],), v = (x = [2 2],)), [s])
    check(r.models == [:u, :v] && r.ranks == [2, 1][:, :] && r.thresholds == (t = 2.0,), "names of a named tuple")
    check(refusal(() -> Rubric.score(Dict("u" => (x = [1 2],)), [s])) == "type", "a Dict has no order")
    check(refusal(() -> Rubric.thresholds(["x" => [1 2], "x" => [1 2]])) == "duplicate", "a signal twice")
    deep(n) = Rubric.Schema("s", [1 => "("^n * "x > 1" * ")"^n, 0 => "otherwise"], [0, 1])
    check(deep(100) isa Rubric.Schema && refusal(() -> deep(101)) == "format", "deep conditions")
    chain(n) = ["v$i" => (i < n ? "v$(i + 1)" : "x > 1") for i in 1:n]
    long(v) = Rubric.Schema("s", [1 => "v1", 0 => "otherwise"], [0, 1]; variables = v)
    check(Rubric.categories((x = [0 2],), long(chain(50))) == [0 1], "a chain of names")
    chains = (chain(51), reverse(chain(51)), chain(3000))
    check(all(v -> refusal(() -> long(v)) == "format", chains), "too long a chain")
    small, odd = 5e-324, 2.0^53 + 2.0^52 + 4  # 3/4 of it is halfway between two doubles
    far = Rubric.percentile([-small, odd], 75)
    check(far == Rubric.percentile([0, odd], 75) - 2.0, "a term below the precision decides a tie")
    check(Rubric.percentile([-floatmax(), floatmax()], 75) == floatmax() / 2, "a range above the largest double")
    check([Rubric.percentile([0, small], p) for p in (50, 51)] == [0.0, small], "the smallest double")
    check(!signbit(Rubric.percentile([-small, 0], 75)), "no negative zero")
    x = [5.0, 3.0, 4.0]
    check(Rubric.percentile(x, 50) == 4.0 && x == [5.0, 3.0, 4.0], "the data stay as they are")
    signals = (is_correct = a, C = 0, repeated_pattern = 0)
    message = sprint(showerror, try Rubric.categories(signals, :exact_match) catch e e end)
    good = occursin("question 1, trial 2", message) && occursin("is_correct", message)
    check(good, "questions and trials count from 1: $message")
end

"Check a bootstrap against its replicates one by one, that an interrupt keeps the blocks that are done, and coins."
function convergence()
    R, gold = Simulate.coins([0.2 0.3; 0.4 0.5; 0.7 0.7], 12; seed = 5), [3, 2, 1]
    for (metric, k) in ((:avg, nothing), (:pass_at_k, 2), (:maj_at_k, 3)), scheme in (:columns, :rows)
        r = bootstrap_convergence(R, metric; k = k, gold = gold, replicates = 600, scheme = scheme)
        for b in 0:599
            t = rank_trajectory(R, metric; k = k, scheme = scheme, replicate = b)
            n = t.trials[1] + something(findlast(!=(gold), t.ranks), 0)
            check(r.at[b+1] == (n < 12 ? n : 0), "$metric, $scheme, replicate $b")
        end
        worst = [rank_trajectory(R, metric; k = k, scheme = scheme, replicate = b).ranks for b in r.worst]
        check(r.trajectories == worst, "$metric, $scheme: trajectories")
        shorter = bootstrap_convergence(R, metric; k = k, gold = gold, replicates = 50, scheme = scheme)
        check(shorter.at == r.at[1:50], "$metric, $scheme: fewer replicates")
    end
    kept = Int[]
    work(at) = b -> at in b ? throw(InterruptException()) : b
    stopped(at, outcomes = 6) = Scorio.run_blocks(work(at), 4000, outcomes, false, b -> append!(kept, b))
    quietly(f) = Base.CoreLogging.with_logger(f, Base.CoreLogging.NullLogger())
    check(quietly(() -> stopped(3700)) == 3000 && kept == 0:2999, "an interrupt keeps three blocks of four")
    check(quietly(() -> stopped(3700, 10^7)) == 3700 && kept == [0:2999; 0:3699], "large replicates, smaller blocks")
    check((try stopped(10) catch e e end) isa InterruptException, "an interrupt in the first block")
    failed = try Scorio.run_blocks(error, 9, 6, false, identity) catch e e end
    check(failed isa Exception, "other errors are rethrown")
    path = tempname()
    open(io -> redirect_stderr(() -> bootstrap_convergence(R; replicates = 1700, progress = true), io), path, "w")
    check(read(path, String) == "\rbootstrap: 1000 of 1700\rbootstrap: 1700 of 1700\n", "progress")
    check(Simulate.coins([0.2, 0.9], 3; first = 1) == Simulate.coins([0.1, 0.2, 0.9], 3)[2:3, :], "a series continues")
    check(Simulate.coins([[0.2, 0.3], [0.9, 0.5]], 3) == Simulate.coins([0.2 0.3; 0.9 0.5], 3), "nested rates")
end

"Check calls of Python's bridge: arrays over memory in both orders, arguments by name, results and refusals as text."
function bridge()
    B, data = Scorio.Bridge, Int8[1, 0, 1, 0, 0, 1]
    GC.@preserve data begin
        at = Int(pointer(data))
        rows, columns = B.memory("int8", at, [2, 3], true), B.memory("int8", at, (2, 3), false)
        check(rows == [1 0 1; 0 0 1] && columns == [1 1 0; 0 0 1], "arrays over memory")
        check(size(B.memory("int8", at, [1, 2, 3], true)) == (1, 2, 3), "three dimensions")
        check(B.memory("int8", at, [6], true) == data, "one dimension")
        check(rows isa PermutedDimsArray{Int8,2,(2, 1),(2, 1),Matrix{Int8}}, "the type of an array in C order")
        check(columns isa Matrix{Int8}, "the type of an array in Fortran order")
        data[1] = 0
        check(rows[1, 1] == 0 && columns[1, 1] == 0, "no copies")
    end
    R = [0 1 1; 1 1 1]
    got(part, name; defaults = Dict(), arguments...) =
        JSON.parse(B.call(part, name, Dict(string(k) => v for (k, v) in arguments), defaults))
    check(got("eval", "pass_at_k"; R = R, k = 2) == 1.0, "a float")
    texts = map(B.text, (-0.0, 5e-324, NaN, -Inf))
    check(texts == ("-0.0", "5.0e-324", "NaN", "-Infinity"), "floats as Python reads them")
    defaults = Dict("metric" => "mean", "k" => nothing, "tau" => nothing)
    r = got("sinf", "compare"; A = R, B = R, questions = "fixed", w = [0.0, 2.0], defaults = defaults)["fields"]
    check(first.(r) == string.(collect(keys(compare(R, R; questions = :fixed)))), "a named tuple")
    r = got("rank", "bayes"; R = JSON.Object{Any}(["x" => R, "y" => 1 .- R]))
    check(r == Dict("named" => [["x", 1], ["y", 2]]), "names")
    check(got("eval", "pass_at_k"; R = R, k = 9)["refused"][1:2] == ["range", "k"], "a refusal")
    r = got("sinf", "should_stop_top1"; mus = [0.1, 0.9], sigmas = [0.1, 0.1])["fields"]
    check(r[2] == ["leader", 1], "indices from 0")
    check((try got("eval", "no_such_function"; R = R) catch e e end) isa UndefVarError, "other errors are rethrown")
    check(got("utils", "lehmer_hash"; ranking = [2, 1]) == 1, "a number")
    check(JSON.parse(B.text("a\"\\\n")) == "a\"\\\n", "text")
end

refusal(f) =
    try
        f()
        "none"
    catch e
        e isa InvalidInput ? e.code : rethrow()
    end

"Check that bit-equal code has no sums in an unspecified order; lengths of files, fused operations, ambiguous methods."
function source()
    folder = joinpath(@__DIR__, "..", "src")
    banned = r"@simd|@fastmath|muladd|\bfma\b|evalpoly|\bdot\(|\bprod\(|\bsum\(|cumsum|reduce|LinearAlgebra"
    for file in (
        "arithmetic/double_double.jl", "arithmetic/distributions.jl", "metrics/hypergeometric.jl",
        "metrics/weights.jl", "metrics/posterior.jl", "metrics/rewards.jl", "inference/variance.jl",
        "inference/mean.jl", "inference/rate_mixture.jl", "inference/u_statistic.jl", "inference/significance.jl",
        "inference/third_moment.jl", "inference/difference.jl", "inference/estimate.jl", "eval/geom.jl",
        "eval/spectra.jl", "eval/max_k.jl", "utils.jl", "rank/elo.jl", "rank/ranges.jl", "sinf/prob_above.jl",
        "sinf/decisions.jl", "sinf/compare.jl",
        "sinf/sample_size.jl", "converge/bootstrap.jl", "inference/judges.jl", "inference/labels.jl",
        "inference/suite.jl", "inference/degrees_of_freedom.jl", "inference/multiplicity.jl", "inference/pairs.jl",
        "inference/sequential.jl", "inference/zero_inflated_limits.jl", "rank/battles/equal.jl",
        "rank/battles/fit.jl", "rank/battles/likelihood.jl", "rank/battles/systems.jl",
    )
        code = replace(read(joinpath(folder, file), String), r"\"\"\".*?\"\"\"|^\"[^\n]*\"$|#[^\n]*"ms => "")
        check(!occursin(banned, code), "$file: $(match(banned, code))")
    end
    for (root, _, files) in walkdir(folder), file in files
        text = replace(read(joinpath(root, file), String), r"\"\"\".*?\"\"\""s => "")
        check(count(==('\n'), text) <= 300, "$file has at most 300 lines besides long docstrings")
        check(!occursin("@fastmath", text) && !occursin("muladd", text), "$file: no fused operations")
    end
    ambiguous = filter(m -> any(x -> parentmodule(x.module) == Scorio, m), detect_ambiguities(Scorio, recursive = true))
    check(isempty(ambiguous), "ambiguous methods: $ambiguous")
    unbound = detect_unbound_args(Scorio, recursive = true)
    check(isempty(unbound), "unbound type parameters: $unbound")
end

"Check that the workload runs, and that every signature of src/precompile.jl has a method, else it would be ignored."
function statements()
    check(Scorio.workload() === nothing, "the calls that newer versions run while they compile the package")
    check(!Scorio.generating(), "the package is not being compiled")
    quietly(f) = Base.CoreLogging.with_logger(f, Base.CoreLogging.NullLogger())
    prepared = quietly(() -> Scorio.prepare(() -> error("a fault")))
    check(prepared === nothing, "an error in the workload is only a warning")
    for types in Scorio.first_needed()
        check(precompile(types), "no method to precompile for $types")
    end
end

"Check what verify returns or throws for right and wrong receipts."
function receipts()
    for case in JSON.parsefile(joinpath(Spec.FOLDER, "receipts.json"))["cases"]
        receipt, id = case["receipt"], case["id"]
        if haskey(case, "error")
            check(thrown(() -> Scorio.verify(receipt)) == (case["error"]["code"], case["error"]["argument"]), id)
            continue
        end
        got, want = Scorio.verify(receipt), case["want"]
        check((got.results, got.values) == (want["results"], want["values"]), id)
        stated = [(x["place"], x["stated"], x["computed"]) for x in want["differences"]]
        check(isequal(map(Tuple, got.differences), stated), "$id: $(got.differences)")
    end
    path = tempname()
    for text in ("", "[]", "{\"schema\": ")
        write(path, text)
        check(thrown(() -> Scorio.verify(path)) == ("format", "receipt"), "a file that is not a receipt: $text")
    end
end

"Check looks at growing outcomes, with the numbers of tests/test_looks.py."
function monitors()
    C, D = [1 1 0 1; 1 1 1 0; 1 0 0 0], [1 1 0 1; 1 1 1 0; 1 0 1 0]
    m = Monitor(planned = 16, questions = :fixed)
    r = look!(m, C, D)
    check((r.stop, r.verdict, r.fraction) == (false, "continue", 0.25), "the first look")
    check(look!(m, C, D).verdict == "wait", "without new outcomes there is no look")
    r = look!(m, repeat(C, 1, 4), repeat(D, 1, 4))
    got = (r.verdict, r.fraction, r.lo, r.hi, r.p_value, r.p_stop)
    last = ("inconclusive", 1.0, -0.27320733165386646, 0.10654066498719982, 0.3871499504456342, 0.049994689144317095)
    check(got == last, "the last look: $got")
    check(thrown(() -> look!(m, C, D)) == ("order", "A"), "no look after the last")
    m = Monitor(planned = 16, questions = :fixed)
    look!(m, C, D)
    check(thrown(() -> look!(m, 1 .- C, D)) == ("order", "A"), "a look needs the earlier trials of A too")
    check(thrown(() -> look!(m, [C C], 1 .- D)) == ("order", "B"), "a look needs the earlier trials of B too")
    check(look!(m, [C C], [D D]).fraction == 0.5, "a refused look does not count")
    E, F = [1 3 2; 5 7 0; 2 2 1], [2 2 0; 5 7 3; 1 1 0]
    for (C, w, share) in ((1, [0.0, 1.0], 0.2325090470446321), (2, [0.0, 0.3, 1.0], 0.34766210558829536))
        m = Monitor(planned = 16, questions = :fixed, w = w)
        check(look!(m, Counts(E[:, 1:C+1]), Counts(F[:, 1:C+1])).fraction == share, "the share of unequal trials")
    end
    first, more = Counts([4 4; 2 0; 2 0]), Counts([4 4; 2 1; 2 1])
    m = Monitor(planned = 16, questions = :fixed)
    check(look!(m, first, first).fraction == 0.5, "only questions whose outcomes vary count")
    r = look!(m, more, more)
    check((r.verdict, r.fraction) == ("wait", 0.5), "an estimated share that falls is no look")
    check(thrown(() -> look!(m, more, first)) == ("order", "B"), "a look needs the earlier trials")
    m = Monitor(planned = 16, questions = :fixed)
    r = look!(m, Counts(repeat([0 2], 12)), Counts(repeat([4 12], 12)))
    check((r.stop, r.fraction) == (false, 2 / 9), "a model whose outcomes are equal by chance does not end the plan")
    m = Monitor(planned = 16, questions = :fixed)
    look!(m, [1 0 1 1; 1 0 1 1], [0 1 1 0; 0 1 1 0]; missing = 0)
    fewer = [1 1 1; 1 1 1]
    check(thrown(() -> look!(m, fewer, [0 1 1 0; 0 1 1 0]; missing = 0)) == ("order", "A"), "fewer trials of A")
    many = repeat([1 0], 12)
    check(thrown(() -> look!(m, many, many; missing = 0)) == ("order", "A"), "more questions with fewer trials")
    m = Monitor(planned = 17, questions = :fixed)
    r = [look!(m, fill(n ÷ 2, 40, 2) |> Counts, fill(n ÷ 2, 40, 2) |> Counts) for n in (2, 4, 8, 16, 32)][end]
    check((r.verdict, r.fraction, r.p_stop) == ("inconclusive", 1.0, 0.015031869471525293), "a look beyond the plan")
    q = Monitor(planned = 600, questions = :sampled)
    A, B = repeat(C, 100), repeat(D, 100)
    fractions = [look!(q, A[1:n, :], B[1:n, :]).fraction for n in (60, 120)]
    check(fractions == [0.1, 0.2], "the fraction is the share of the planned questions")
    check(thrown(() -> look!(q, A[1:90, :], B[1:90, :])) == ("order", "A"), "fewer questions than in the last look")
    for (args, want) in (
        (NamedTuple(), ("conflict", "planned")), ((planned = 8, expected = 8), ("conflict", "planned")),
        ((planned = 0,), ("range", "planned")), ((expected = 2.5,), ("type", "expected")),
        ((planned = 8, confidence = 0.4), ("range", "confidence")),
        ((planned = 8, spending = "even"), ("choice", "spending")),
        ((planned = 8, margin = 1), ("range", "margin")), ((planned = 8, metric = "pass@k"), ("type", "k")),
    )
        check(thrown(() -> Monitor(; questions = :fixed, args...)) == want, "Monitor refuses $args")
    end
    x = Monitor(expected = 64, questions = :fixed, margin = 0.05)
    r = look!(x, ones(Int, 12, 8), zeros(Int, 12, 8))
    check((r.stop, r.verdict) == (true, "pass"), "a gate at any time")
end

"The (code, argument) of the InvalidInput that a call throws; any other exception itself; nothing if it returns."
function thrown(f)
    try
        f()
    catch e
        return e isa InvalidInput ? (e.code, e.argument) : e
    end
    return nothing
end

println("Julia ", VERSION, ", ", Threads.nthreads(), " threads; loading took ", round(LOAD_SECONDS, digits = 3), " s")
for part in (
    Layers.run, metrics, vectors, invalid, surface, required, aligned, words, by_name, tables, examples, printing,
    objects, results, many, rubrics, receipts, monitors, convergence, bridge, allocations, inference, bits, states,
    source, statements, Twins.run,
)
    isempty(ARGS) || string(nameof(part)) in ARGS || continue
    seconds = @elapsed part()
    println(rpad(string(parentmodule(part), ".", nameof(part)), 20), round(seconds, digits = 1), " s")
end
println(Checks.PASSED[], " passed, ", Checks.FAILED[], " failed")
Checks.FAILED[] == 0 || exit(1)
