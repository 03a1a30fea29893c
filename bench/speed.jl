# Times of Scorio.jl on the recipes of bench/languages.py: one line a case, name and the minimum of the runs in seconds.

using Scorio

"The matrix of bench/languages.py, entries 0..C, stored by columns."
function recipe(M, N, C)
    R = Matrix{Int8}(undef, M, N)
    for j in 0:N-1, i in 0:M-1
        h = mod((i + 1) * 48271 + (j + 1) * 16807 + (i + 1) * (j + 1) * 39373, 2147483647)
        R[i+1, j+1] = mod(mod(h * 48271, 2147483647), C + 1)
    end
    return R
end

"Successes 0..N, each as often as it comes."
spread(N, M) = Counts([i % (N + 1) for i in 0:M-1], fill(N, M))

function show_time(name, f, runs = 7)
    f()
    println(name, " ", minimum(@elapsed(f()) for _ in 1:runs))
end

function main()
    columns, graded = recipe(1_000_000, 64, 1), recipe(200_000, 64, 4)
    rows = permutedims(columns)'
    show_time("tally int8 by rows", () -> tally(rows, 1))
    show_time("tally int8 by columns", () -> tally(columns, 1))
    wide, truth, graded_rows = Int64.(rows[1:200_000, :]')', Matrix{Bool}(columns .== 1), permutedims(graded)'
    show_time("tally int64 by rows", () -> tally(wide, 1))
    show_time("tally bool by columns", () -> tally(truth, 1))
    show_time("tally 5 categories by rows", () -> tally(graded_rows, 4))
    show_time("tally 5 categories by columns", () -> tally(graded, 4))
    counts = spread(1024, 100_000)
    pass_at_k(counts, 1)
    for k in (8, 64)
        for (name, f) in (("pass_at_k", pass_at_k), ("maj_at_k", maj_at_k), ("pass_at_k_ci", pass_at_k_ci),
                          ("maj_at_k_ci", maj_at_k_ci), ("mg_pass_at_k_ci", mg_pass_at_k_ci), ("auc_at_k_ci", auc_at_k_ci),
                          ("geom_at_k_ci", geom_at_k_ci))
            show_time("$name k=$k", () -> f(counts, k))
        end
    end
end

main()
