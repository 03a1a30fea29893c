# Against spec/: vectors, refused calls, metrics, names and receipts.

"Check every vector at its own tolerance, as lists and as arrays, and the declared number of vectors."
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
        foreach(case -> check_refusal(name, case), cases)
        total += length(cases)
    end
    check(total >= 5000, "at least 5000 refused calls: $total")
    println(total, " refused calls")
end

"Check that a call is refused as its case states; messages about a result that does not exist may name no argument."
function check_refusal(name, case)
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
            got = refusal_code(() -> M.read_metric(arguments..., allowed))
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

"Check names, parameters, stated defaults and exports against functions.json, and that first_calls.jl calls them all."
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
