# The source and what the compiler makes of it: types, allocations, the order of sums, statements.

"Check that R is not copied, whatever its order in memory, and that the compiler infers types of arithmetic."
function allocations()
    # four million entries, so a copy would take at least 4 MB, or 500 kB as bits
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
    # copies of the 3,600 outcomes of each replicate would take 18 MB, even as bytes
    bytes = @allocated bootstrap_convergence(R, :pass_at_k; k = 2, replicates = 5000)
    check(bytes < 1_000_000, "bootstrap_convergence allocates $bytes bytes")
    x = Scorio.Triple(1.5)
    for f in (+, -, *, /, Scorio.DoubleDouble.power)
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
    check((@inferred bayes(A)) isa Scorio.Estimate && (@inferred avg(A)) isa Scorio.Average, "bayes, avg")
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

"Check that the listed files leave no order of sums open, that all are short and fuse nothing; no method is ambiguous."
function source()
    folder = joinpath(@__DIR__, "..", "src")
    banned = r"@simd|@fastmath|muladd|\bfma\b|evalpoly|\bdot\(|\bprod\(|\bsum\(|cumsum|reduce|LinearAlgebra"
    for file in (
        "arithmetic/double_double.jl", "arithmetic/distributions.jl", "metrics/hypergeometric.jl",
        "metrics/weights.jl", "metrics/posterior.jl", "metrics/rewards.jl", "inference/variance.jl",
        "inference/mean.jl", "inference/rate_mixture.jl", "inference/estimator.jl", "inference/significance.jl",
        "inference/difference.jl", "inference/decision.jl", "inference/estimate.jl", "inference/judges.jl",
        "inference/suite.jl", "inference/degrees_of_freedom.jl", "inference/pairs.jl",
        "inference/zero_inflated_limits.jl", "eval/geom.jl", "eval/spectra.jl", "eval/max_k.jl", "utils.jl",
        "rank/elo.jl", "rank/ranges.jl", "sinf/decisions.jl", "sinf/compare.jl", "sinf/sample_size.jl",
        "converge/bootstrap.jl", "rank/battles/fit.jl", "rank/battles/likelihood.jl",
    )
        code = replace(read(joinpath(folder, file), String), r"\"\"\".*?\"\"\"|^\"[^\n]*\"$|#[^\n]*"ms => "")
        check(!occursin(banned, code), "$file: $(match(banned, code))")
    end
    for (root, _, files) in walkdir(folder), file in files
        text = replace(read(joinpath(root, file), String), r"\"\"\".*?\"\"\"\n|^\"[^\n]*\"\n"ms => "")
        check(count(==('\n'), text) <= 500, "$file has at most 500 lines besides docstrings")
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
