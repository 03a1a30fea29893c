# What users call: examples, printing, arguments by name and as symbols, the bridge to Python.

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

"Run and count the inputs after `julia> `, with their indented lines; check their output (none after a semicolon)."
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

"Check that no docstring of a public name prints identifiers without their underscores, which Markdown takes for emphasis."
function emphasis()
    check(emphasized("p_value and p_above") == ["value and p"], "underscores between words are recognised")
    check(emphasized("`p_value`, *per question*, n_eff\n\n- a_1..a_k") == ["1..a"], "code and asterisks are not")
    for m in (PUBLIC_MODULES..., Scorio.Receipts), (name, text) in docstrings(m)
        name in [names(m); public(m); nameof(m)] || continue
        found = emphasized(text)
        check(isempty(found), "?$name prints without underscores: $found")
    end
end

"The texts that Markdown emphasizes for their underscores."
emphasized(text) = filter(x -> !occursin("*$x*", text), emphases!(String[], Markdown.parse(text)))

function emphases!(found, x)
    x isa Union{Italic,Bold} && push!(found, chomp(Markdown.plain(Markdown.Paragraph(x.text))))
    for part in (x isa AbstractVector ? x : [getfield(x, f) for f in (:content, :text, :items) if isdefined(x, f)])
        part isa AbstractString || emphases!(found, part)
    end
    return found
end

"Check that an unknown name is answered with the known ones and the nearest."
function suggestions()
    A = [0 1; 1 1]
    B, u = (large = A, tiny = A), (x = [1 2],)
    for (call, text) in (
        (() -> Rank.bayes(B, nothing, (large = A, tyni = A)), ":tyni is none of :large and :tiny, did you mean :tiny?"),
        (() -> Rank.bayes(B, nothing, (large = A,)), "by the same names: :tiny is absent"),
        (() -> Rank.bayes([A, A], nothing, (large = A,)), "by the same names: they have no names"),
        (() -> convergence_at_n(B; gold = (large = 1, tyni = 2)), "did you mean :tiny?"),
        (() -> suite((tiny = B,); questions = :fixed, weights = (tyni = 1,)), "did you mean :tiny?"),
        (() -> suite((tiny = B,); questions = :fixed, clusters = (tyni = [1, 2],)), "did you mean :tiny?"),
        (() -> gate_suite(B, (large = A, tyni = A); margin = 0.1, questions = :fixed), "did you mean :tiny?"),
        (() -> Rubric.score((a = u,), ["exact mach"]), "did you mean \"exact_match\"?"),
        (() -> Rank.win_probability([("tiny", "a", "model_a")], "tyni", "a"), "\"a\" and \"tiny\", did you mean"),
        (() -> mean_ci(A; questions = :fxed), "questions = :fxed is none of \"fixed\" and \"sampled\", did you mean"),
        (() -> interval(A, :passk, 1; questions = :fixed), "metric = :passk is unknown, did you mean \"pass@k\"?"),
    )
        e = try call() catch e e end
        check(e isa InvalidInput && e.code == "choice" && occursin(text, e.message), "$(sprint(showerror, e)): $text")
    end
    check(isempty(Scorio.nearest("zebra", ["large", "tiny"])) && isempty(Scorio.nearest("ab", ["ad"])), "no similar name")
    e = try Rank.avg(B, :dense) catch e e end
    check(e isa InvalidInput && occursin("method=:dense", e.message), "the convention by position: $e")
    e = try bayes(A; R0 = [1, 0]) catch e e end
    check(e isa InvalidInput && e.code == "shape" && occursin("reshape(R0, :, 1)", e.message), "a flat R0: $e")
    names = ["Conf-Wrong Penalty", :conf_wrong_penalty, "CONF WRONG PENALTY", "confWrongPenalty"]
    check(all(x -> Rubric.schema_of(x, "schema") === Rubric.SCHEMATA["conf_wrong_penalty"], names), "names of schemata")
    labels = [Rubric.label(s) for (_, s) in Rubric.SCHEMATA]
    check(map(x -> Rubric.schema_of(x, "schema").name, labels) == collect(keys(Rubric.SCHEMATA)), "names of the paper")
end

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

"Check that results of three or more values print a value a line or a table, without types; that `Results` is a vector."
function aligned()
    total = 0
    for spec in Spec.LIST
        # tally returns Counts, which print on one line
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
    merged = merge(c, (x = 1,))
    check(merged.x == 1 && merged.mu == c.mu, "merge keeps and adds fields")
    check(hash(c) == hash(NamedTuple(c)), "equal hashes of an interval and its named tuple")
    check(occursin("dropped          []", sprint(show, MIME("text/plain"), e)), "an empty list without its type")
end

"Check that every choice of a text argument, given as a symbol, has the result of the vector with the text."
function symbols()
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
    check(total >= 300, "at least 300 choices: $total")
    println(total, " words as symbols")
end

"Check that arguments after the data give the same result by name and by position, any number of them by position."
function by_name()
    A, B = [1 1 0 1; 1 0 1 0; 0 1 1 1], [0 1 0 1; 0 0 1 0; 1 1 0 0]
    total = 0
    for spec in Spec.LIST
        f, places = Spec.implementation(spec["name"]), [p["name"] for p in spec["params"] if Spec.ispositional(p)]
        may_be_named(p) = haskey(p, "default") || p["name"] in string.(Scorio.NAMED)
        first_named = findfirst(may_be_named, filter(Spec.ispositional, spec["params"]))
        first_named === nothing && continue
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
    check(total >= 250, "at least 250 calls by name: $total")
    R = [0 1 1 0 1; 1 1 0 1 1]
    check(pass_at_k_ci(R, 2, 0.9, (0.0, 0.9)) == pass_at_k_ci(R; k = 2, confidence = 0.9, bounds = (0, 0.9)), "bounds")
    check(geo_spectrum_at_k(R, 3, 1.0) == geo_spectrum_at_k(R, 3; lambda_ = 1) == 1.0, "lam by position")
    by_keywords = interval(A; metric = :pass_at_k, k = 2, questions = :fixed)
    check(by_keywords == interval(A, "pass@k", 2; questions = :fixed), "interval by name and by position")
    both = try interval(A, :mean; metric = :mean, questions = :fixed) catch e e end
    check(both isa MethodError, "an argument by position and by name is an error")
end

"Check that an average destructures, and is its `mu` where a number is expected."
function averages()
    R = [0 1 1 0 1; 1 1 0 1 1]
    x, y = avg(R), avg(1 .- R)
    mu, sigma = x
    check((mu, sigma) == (x.mu, x.sigma) == (x[1], x[:sigma]) == Tuple(x) == Tuple(NamedTuple(x)), "it destructures")
    check(x == 0.7 == mu && x ≈ 0.7 && hash(x) == hash(0.7) && x == NamedTuple(x), "it equals its mu")
    check((x - y, x + 1, 2x, -x, x / y, x^2) == (x.mu - y.mu, 1.7, 1.4, -0.7, x.mu / y.mu, 0.7^2), "arithmetic")
    check(x > y > 0.2 && max(x, y) === x && sort([x, y]) == [y, x] && abs(y - x) ≈ 0.4, "comparisons")
    check(round(x; digits = 1) == 0.7 && sqrt(x) == sqrt(0.7) && Float64[x, y] == [x.mu, y.mu], "functions of numbers")
    check(sum([x, y]) == x.mu + y.mu && (x isa Real) && isfinite(x) && x .+ [1, 2] == [1.7, 2.7], "sums, broadcasts")
    check(string(x) == "(mu = 0.7, sigma = $sigma)", "it prints both: $x")
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

"Check calls of Python's bridge: arrays over memory in both orders, arguments by name, results and refusals as text."
function bridge()
    B, data = Scorio.Bridge, Int8[1, 0, 1, 0, 0, 1]
    GC.@preserve data begin
        at = Int(pointer(data))
        # the last argument: true for C order, false for Fortran order
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
    got(part, name; arguments...) = JSON.parse(B.call(part, name, Dict(string(k) => v for (k, v) in arguments)))
    check(got("eval", "pass_at_k"; R = R, k = 2) == 1.0, "a float")
    texts = map(B.text, (-0.0, 5e-324, NaN, -Inf))
    check(texts == ("-0.0", "5.0e-324", "NaN", "-Infinity"), "floats as Python reads them")
    r = got("sinf", "compare"; A = R, B = R, questions = "fixed", w = [0.0, 2.0])["fields"]
    check(first.(r) == string.(collect(keys(compare(R, R; questions = :fixed)))), "a named tuple")
    r = got("rank", "bayes"; R = JSON.Object{Any}(["x" => R, "y" => 1 .- R]))
    check(r == Dict("named" => [["x", 1], ["y", 2]]), "names")
    check(got("eval", "pass_at_k"; R = R, k = 9)["refused"][1:2] == ["range", "k"], "a refusal")
    r = Dict(got("sinf", "run_variation"; R = R)["fields"])
    check((r["ratio"], r["model"], r["run"]) == (1.0, 0, 0), "the indices of a model and a run from 0")
    r = got("sinf", "should_stop_top1"; mus = [0.1, 0.9], sigmas = [0.1, 0.1])["fields"]
    check(r[2] == ["leader", 1], "indices from 0")
    check((try got("eval", "no_such_function"; R = R) catch e e end) isa UndefVarError, "other errors are rethrown")
    check(got("utils", "lehmer_hash"; ranking = [2, 1]) == 1, "a number")
    check(JSON.parse(B.text("a\"\\\n")) == "a\"\\\n", "text")
end
