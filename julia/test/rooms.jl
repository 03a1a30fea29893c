# Rubrics, convergence and looks at growing outcomes (Monitor), as a user calls them.

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
    r = Rubric.score(Dict("v" => (x = [2 2],), "u" => (x = [1 2],)), [s])
    check(r.models == ["u", "v"] && r.ranks == [2, 1][:, :], "the models of a Dict, sorted by name")
    check(refusal_code(() -> Rubric.thresholds(["x" => [1 2], "x" => [1 2]])) == "duplicate", "duplicate signals")
    deep(n) = Rubric.Schema("s", [1 => "("^n * "x > 1" * ")"^n, 0 => "otherwise"], [0, 1])
    check(deep(100) isa Rubric.Schema && refusal_code(() -> deep(101)) == "format", "deep conditions")
    chain(n) = ["v$i" => (i < n ? "v$(i + 1)" : "x > 1") for i in 1:n]
    long(v) = Rubric.Schema("s", [1 => "v1", 0 => "otherwise"], [0, 1]; variables = v)
    check(Rubric.categories((x = [0 2],), long(chain(50))) == [0 1], "a chain of names")
    chains = (chain(51), reverse(chain(51)), chain(3000))
    check(all(v -> refusal_code(() -> long(v)) == "format", chains), "too long a chain")
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

"Check a bootstrap against its replicates, that an interrupt keeps the blocks that are done, and `Simulate.coins`."
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
    kept = Int[]  # a block has 1,000 replicates, fewer of them if they have many outcomes
    work(at) = b -> at in b ? throw(InterruptException()) : b
    # 4,000 replicates, no progress line; the interrupt comes at replicate `at`
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

"Check the argument `runs` in every form, and that sampled runs are those of all outcomes of a call."
function runs()
    A, B = [1 1 0 1; 0 1 0 1; 0 1 0 0; 1 1 1 1], [0 1 0 1; 0 1 0 1; 0 0 0 0; 1 1 1 0]
    x, models = run_variation(A), (a = A, b = B)
    forms = (
        x, NamedTuple(x), (ratio = 2, df = 3), ["ratio" => 2.0, "df" => 3.0], Dict("ratio" => x.ratio, "df" => x.df),
        Dict(:df => x.df, :ratio => x.ratio), "sampled", :sampled,
    )
    for questions in (:fixed, :sampled)
        each = [interval(A; questions = questions, runs = form) for form in forms]
        check(all(==(each[1]), each), "one interval for all forms of runs")
        check(each[1] != mean_ci(A; questions = questions), "an interval with runs is another one")
        check(each[1] == mean_ci(A; questions = questions, runs = x), "mean_ci has runs too")
        given = (questions = questions, runs = run_variation([A, B]))
        sampled = (questions = questions, runs = :sampled)
        for options in (given, sampled)
            both = compare(A, B; options...)
            check(compare_all(models; options...)[1].sigma == both.sigma, "one pair of two models")
            check(gate(A, B; margin = 0.1, guard = 0.0, options...).df == both.df, "a gate has the runs of both")
        end
        benchmarks = (easy = models, hard = (b = A, a = B))
        each = map(y -> suite(benchmarks; questions = questions, runs = y).pairs, ((easy = x, hard = x), x))
        check(each[1] == each[2], "one mapping for all benchmarks")
        given_each = (easy = NamedTuple(run_variation([A, B])), hard = run_variation([A, B]))
        results = map(y -> suite(benchmarks; questions = questions, runs = y), (given_each, run_variation([A, B])))
        check(results[1] == results[2], "each benchmark")
        shared = compare(A, B; questions = questions, runs = :shared)
        check(shared == compare(A, B; questions = questions, runs = run_variation([A, B]; shared = true)), "shared runs")
    end
    fixed(; options...) = interval(A; questions = :fixed, options...)
    for (form, want) in (
        (2.0, "type"), (nothing, "type"), ((ratio = 2.0,), "type"), ((2.0, 3.0), "type"), ("fixd", "choice"),
        ((ratio = true, df = 3), "type"), ((ratio = 2, df = 0.5), "range"), ((ratio = NaN, df = 3), "not_finite"),
    )
        check(thrown(() -> fixed(runs = form)) == (want, "runs"), "runs = $form: $want")
    end
    check(thrown(() -> interval(tally(A); questions = :fixed, runs = :sampled)) == ("conflict", "runs"), "Counts")
    named_run = run_variation(["b" => A, "a" => A[:, [2, 1, 3, 4]]])
    check((named_run.model, named_run.run) == ("b", 2), "the name of a model, and its run from 1")
    message = sprint(showerror, try run_variation((b = A, c = [1 1; 0 3])) catch e e end)
    check(occursin("model :c", message), "an error names its model: $message")
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
    last = ("inconclusive", 1.0, -0.29114565455980584, 0.12447898789313919, 0.401643270229792, 0.049994689144317095)
    check(got == last, "the last look: $got")
    four = repeat(C, 1, 4), repeat(D, 1, 4)
    r = look!(Monitor(planned = 16, questions = :fixed), four...; runs = :sampled)
    check(r.p_value == compare(four...; questions = :fixed, runs = :sampled).p_value, "a look at sampled runs")
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
