# The part of bench/rewards.py in Julia: for each number of questions a line for each call, its time and its bits.
using Scorio

"Rewards that are all different, the same as in rewards.py."
rewards(M) = [((17i + j) * 2654435761 % 4294967296) / 4294967296 - 0.5 for i in 0:M-1, j in 0:15]

calls = [
    ("avg", avg), ("avg_ci", avg_ci), ("bayes", bayes), ("bayes_ci", bayes_ci),
    ("mean_ci", (R, w) -> mean_ci(R, w; questions = :fixed)), ("max_at_k", (R, w) -> max_at_k(R, 4, w)),
    ("interval max_at_k", (R, w) -> interval(R; metric = :max_at_k, k = 4, w = w, questions = :fixed)),
    ("max_at_k_ci", (R, w) -> max_at_k_ci(R, 4, w)),
    ("compare", (R, w) -> compare(R, reverse(R, dims = 1); w = w, questions = :fixed)),
]
for M in parse.(Int, ARGS)
    X = rewards(M)
    w = sort(unique(X))
    R = indexin(X, w) .- 1
    for (name, f) in calls
        result = f(R, w)
        seconds = minimum([@elapsed(f(R, w)) for _ in 1:3])
        bits = reinterpret(UInt64, result isa Float64 ? result : result.mu)
        println(join((M, name, seconds, bits), '\t'))
    end
end
