# Outcomes in every form: tables, Booleans and bits, counts, objects, many models.

"Check that every function of outcomes refuses tables and iterators, which are no matrices, and says what to type."
function tables()
    no_matrix, total = Ref(0), 0  # an object that is not an array, like a data frame
    for spec in Spec.LIST
        p = first(spec["params"])
        p["kind"] in ("outcomes", "models", "verdicts", "runs_of_models") || continue
        args = Spec.arguments(spec["name"], first(Spec.vectors(spec["name"])["cases"])["args"])
        for x in (no_matrix, Base.Generator(identity, [[0, 1], [1, 1]]), [no_matrix, no_matrix])
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

"Check that Booleans in bytes or in bits, at every bit offset, give the same counts and states as integers."
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
        joint = Scorio.joint_states(at[1][2], at[2][2], 601)  # at most 600 states, from 1
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
    check(e == extrapolate(Counts([2, 0], [4, 4]), :pass_at_k, 5), "the band depends on the counts alone")
    counts, path = Counts([2 1 0; 0 0 4]; absent = [3, 0]), tempname()
    Scorio.save_counts(path, counts)
    head = "# scorio counts, format 2"
    check(readlines(path) == [head, "n0,n1,n2,missing", "2,1,0,3", "0,0,4,0"], "the file of counts")
    check(Scorio.load_counts(path) == counts != Counts([2 1 0; 0 0 4]), "counts survive a file")
    for text in (
        "", "n0,n1\n1,2\n", "n0,n1,missing\n1,x,0\n", "n0,n1,missing\n1,2\n", "n0,n1,missing\n", "$head\n",
        "# scorio counts, format 3\nn0,n1,missing\n1,2,0\n", "$head\nid,n0,n1,missing\n\"q,1,2,0\n",
        "$head\nid,n0,n1,missing\n\"q\"x,1,2,0\n", "$head\ncluster,id,n0,n1,missing\nq,q,1,2,0\n",
        "id,n0,n1,missing\nq,1,2,0\n", "$head\nid,missing\nq,1\n",
    )
        write(path, text)
        check(refusal_code(() -> Scorio.load_counts(path)) == "format", "a file of counts: $(repr(text))")
    end
    for (call, code) in (
        (() -> Counts([1.5 2]), "type"), (() -> Counts([-1 2]), "range"), (() -> Counts([3], [2]), "range"),
        (() -> counts + Counts([1 1]), "shape"), (() -> Counts([3, 1], [2]), "length"),
        (() -> Counts([2^53-1 1]), "range"),
    )
        check(refusal_code(call) == code, "invalid counts are refused: $code")
    end
    check(Scorio.select(counts, [2]) == Counts([0 0 4]) == Scorio.select(counts, [false, true]), "select")
    check(refusal_code(() -> Scorio.select(counts, [3])) == "range", "an index that is no question is refused")
    check(refusal_code(() -> Scorio.select(counts, [true])) == "range", "a mask of another length is refused")
    check(string(Counts([3], [4])) == "Counts(1 questions, 4 trials, categories 0..1)", "Counts prints")
    named = Counts([1 3; 2 2]; absent = [1, 0], ids = ["a,\"b\"\r\n", 7], clusters = [:x, "y"])
    Scorio.save_counts(path, named)
    check(Scorio.load_counts(path) == named && named.ids == ["a,\"b\"\r\n", "7"], "ids survive a file")
    check(Scorio.select(named, [2]).clusters == ["y"] && named != Counts([1 3; 2 2]; absent = [1, 0]), "ids are kept")
    push!(named.ids, "more")
    check(length(named.ids) == 2 && hash(named) == hash(Scorio.load_counts(path)), "ids cannot be changed")
    reordered = Counts([2, 3], [4, 4]; ids = ["7", "a,\"b\"\r\n"])
    total = named + reordered
    check(Scorio.table(total) == [2 6; 4 4] && total.clusters == ["x", "y"], "counts add by id")
    check(refusal_code(() -> named + Counts([1 1; 1 1])) == "conflict", "no sum of counts with and without ids")
    check(refusal_code(() -> Scorio.select(named, [1, 1])) == "duplicate", "a question is selected once")
    printed = "Counts(2 questions, 4 trials, categories 0..1, ids \"7\", $(repr(reordered.ids[2])))"
    check(string(reordered) == printed, "ids print")
    r = compare(named, Counts([2 2; 1 3; 0 4]; ids = ["7", "s", "a,\"b\"\r\n"]); questions = :fixed, missing = :drop)
    check(r.dropped == [3], "questions that one model lacks are dropped, and count from 1")
    message = sprint(showerror, try pass_at_k([0 1; 2 1], 1) catch e e end)
    check(occursin("[2, 1]", message) && occursin("category", message), "questions and trials count from 1: $message")
    one_question = ["a" => [1 0], "b" => [1 1], "c" => [0 0]]
    message = sprint(showerror, try compare_all(one_question; questions = :sampled) catch e e end)
    check(occursin("models \"a\" and \"b\": one question", message), "errors of a pair name both models: $message")
    n = 2^52 + 1  # pair sums beyond 64 bits
    check(avg(Counts([n-3 3 0; 1 n-2 1]), [0.0, 1.0, 1.0]).mu == Float64(big(n + 2) // big(2n)), "huge counts")
end

"Check that outcomes of many models in every form give the same ranks, in the container and under the names given."
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
    names = ["m$i" for i in 1:9]
    models = Dict(name => Simulate.coins(fill(i / 10, 6), 5; seed = i) for (i, name) in enumerate(names))
    pairs_of(x) = [(y.a, y.b) for y in compare_all(x; questions = :fixed)]
    check(pairs_of(models) == [(names[i], names[j]) for i in 1:9 for j in i+1:9], "pairs of a Dict, sorted by name")
    numbered = Dict(i => models["m$i"] for i in 1:9)
    check(pairs_of(numbered) == [(i, j) for i in 1:9 for j in i+1:9], "numbers of a Dict in their order")
    in_order = [name => models[name] for name in names]
    check(Rank.winners(models; questions = :fixed) == Rank.winners(in_order; questions = :fixed), "winners of a Dict")
    check(rank_trajectory(models).ranks == rank_trajectory(in_order).ranks, "the trajectory of a Dict")
    check(Rank.avg(models, nothing) == Dict(Rank.avg(in_order)), "ranks of a Dict by name")
    s = suite(Dict("y" => models, "x" => models); questions = :fixed)
    check([x.model for x in s.models] == names && s.benchmarks == ["x", "y"], "a suite of Dicts")
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
