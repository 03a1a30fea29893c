# Tests of the kernels against naive, readable versions (twins) in exact fractions, on random input; R in every form.

module Twins

using Scorio
using ..Spec: power_of_two, rational, ulp_error
using ..Checks: check

const DoubleDouble = Scorio.DoubleDouble

# --- random numbers that are the same in every version of Julia --------------------------------------

const SEED = Ref(UInt64(20260301))

"A whole number in range, by a linear congruential generator."
function draw(range)
    SEED[] = SEED[] * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    return first(range) + Int((SEED[] >> 33) % UInt64(length(range)))
end

matrix(C, M = draw(1:6), N = draw(1:9)) = [draw(0:C) for _ in 1:M, _ in 1:N]

is_near(x, exact) = ulp_error(x, exact) <= 0.5001

"Whether x is near the root of an exact variance."
near_root(x, var) = abs(rational(x)^2 - var) <= var // big(2)^51

# --- arithmetic --------------------------------------------------------------------------------------

"The value of a triple (high, low, exponent to the base 2^256)."
exact(x) = (rational(x.hi) + rational(x.lo)) * power_of_two(256 * Int(x.exponent))

"A triple with a random tail, exponent and sign."
function triple()
    h = ldexp(1.0 + draw(0:2^40) / 2^40, draw(-127:126)) * (draw(0:1) == 1 ? 1.0 : -1.0)
    h, l = DoubleDouble.fast_two_sum(h, h * ldexp(draw(-2^20:2^20) / 2^20, -54))
    return DoubleDouble.Triple(h, l, Float64(draw(-2:2)))
end

"A formula with every operation on triples, for @inlined."
function formula(x, y)
    z = x * y - 2 / y
    z += x + y + 3
    return map(t -> t / z, (-x, y))
end

DoubleDouble.@inlined function inlined_formula(x, y)
    z = x * y - 2 / y
    z += x + y + 3
    return map(t -> t / z, (-x, y))
end

function arithmetic()
    tiny = 1 // big(2)^101
    within(got, want) = abs(exact(got) - want) <= abs(want) * tiny
    for i in 1:200
        x, y = triple(), triple()
        a, b = exact(x), exact(y)
        check(within(x * y, a * b), "$x * $y")
        check(within(x / y, a // b), "$x / $y")
        check(abs(exact(x + y) - (a + b)) <= max(abs(a), abs(b)) * tiny, "$x + $y")
        check(inlined_formula(x, y) === formula(x, y), "the same bits inlined, of $x and $y")
        check((x < y, x <= y, x == y) == (a < b, a <= b, a == b), "$x < $y")
        r = exact(sqrt(x))
        check(a <= 0 ? r == 0 : abs(r^2 - a) <= a * 4tiny, "sqrt $x")
        p, q = draw(0:10^9), draw(1:10^9)
        check(within(Scorio.Rationals.from_ratio(big(p), big(q)), p // q), "from_ratio $p $q")
        tie = (big(2)^52 + draw(0:2^51)) * 2^60 + big(2)^59
        check(ulp_error(Float64(tie), tie // 1) == 0.5 && iseven(reinterpret(UInt64, Float64(tie))), "ties to even")
        z = DoubleDouble.Triple(draw(1:10^9) / draw(1:10^6))
        check(abs(exact(exp(log(z))) - exact(z)) <= exact(z) // big(2)^95, "exp log $z")
    end
end

# --- metrics -----------------------------------------------------------------------------------------

chance(c, n, k, j) = binomial(big(c), j) * binomial(big(n - c), k - j) // binomial(big(n), k)

"The mean over questions of the expected credit A[j+1] of j successes in k random trials."
function mean_credit(R, k, A)
    M, n = size(R)
    return sum(sum(chance(sum(R[i, :]), n, k, j) * A[j+1] for j in 0:k) for i in 1:M) // M
end

rising_factorial(a, m) = m == 0 ? big(1) : prod(BigInt[a + i for i in 0:m-1])

"Posterior mean and variance of the mean over questions of g(p) = sum_j A_j C(k,j) p^j (1-p)^(k-j); uniform priors."
function posterior(R, k, A)
    M, n = size(R)
    mean, var = big(0) // 1, big(0) // 1
    moment(a, b, j, m) = rising_factorial(a, j) * rising_factorial(b, m - j) // rising_factorial(a + b, m)
    for i in 1:M
        a, b = 1 + sum(R[i, :]), 1 + n - sum(R[i, :])
        g = sum(A[j+1] * binomial(k, j) * moment(a, b, j, k) for j in 0:k)
        square = sum(
            A[j+1] * A[l+1] * binomial(k, j) * binomial(k, l) * moment(a, b, j + l, 2k) for j in 0:k for l in 0:k
        )
        mean, var = mean + g, var + square - g^2
    end
    return mean // M, var // big(M)^2
end

"Metrics of k trials: (function, its posterior summary, arguments after k, credits of j = 0..k successes)."
function credits(k)
    step(r) = [big(j >= r) // 1 for j in 0:k]
    threshold = draw(1:k)
    weights = [draw(0:9) // (9k) for _ in 1:k]
    area(s) = [1 - binomial(big(k - s), j) // binomial(big(k), j) for j in 1:k]
    auc = [k == 1 ? area(s)[1] : sum(area(s)[j] + area(s)[j+1] for j in 1:k-1) // (2 * (k - 1)) for s in 0:k]
    return [
        (pass_at_k, pass_at_k_ci, (), step(1)), (pass_hat_k, pass_hat_k_ci, (), step(k)),
        (g_pass_at_k_tau, g_pass_at_k_tau_ci, (threshold / k,), step(threshold)),
        (maj_at_k, maj_at_k_ci, (), step(k ÷ 2 + 1)),
        (mg_pass_at_k, mg_pass_at_k_ci, (), [big(2 * max(0, j - (k + 1) ÷ 2)) // k for j in 0:k]),
        (auc_at_k, auc_at_k_ci, (), auc),
        (threshold_spectrum_at_k, threshold_spectrum_at_k_ci, (Float64.(weights),),
            [big(0) // 1; cumsum(rational.(Float64.(weights)))]),
    ]
end

"Check metrics of k trials and their posterior summaries against their credits."
function thresholds()
    for _ in 1:30
        R = matrix(1)
        k = draw(1:size(R, 2))
        for (point, ci, args, A) in credits(k)
            check(is_near(point(R, k, args...), mean_credit(R, k, A)), "$point $R $k $args")
            mu, var = posterior(R, k, A)
            got = ci(R, k, args...)
            check(is_near(got.mu, mu) && near_root(got.sigma, var), "$ci $R $k $args")
        end
        size(R, 2) < 2 && continue
        mu, var = posterior(R, 2, [big(0) // 1, big(1) // 1, big(0) // 1])
        got = flip_rate_ci(R)
        check(is_near(flip_rate(R), mean_credit(R, 2, [big(0) // 1, big(1) // 1, big(0) // 1])), "flip_rate $R")
        check(is_near(got.mu, mu) && near_root(got.sigma, var), "flip_rate_ci $R")
    end
end

const MANY = 69  # a largest category of which counts are not stored as a table

"Check Max@k against its definition, over sorted rewards."
function maximum_reward()
    for C in [fill(3, 40); fill(MANY, 10)]
        R, w = matrix(C), Float64[draw(-5:5) for _ in 0:C]
        (M, n), k = size(R), draw(1:size(R, 2))
        best(g) = sum(binomial(big(i - 1), k - 1) * Int(g[i]) for i in k:n) // binomial(big(n), k)
        check(is_near(max_at_k(R, k, w), sum(best(sort(w[R[i, :].+1])) for i in 1:M) // M), "max_at_k $R $k $w")
        mu, var = posterior_of_best(R, k, w)
        got = max_at_k_ci(R, k, w)
        check(is_near(got.mu, mu) && near_root(got.sigma, var), "max_at_k_ci $R $k $w")
    end
end

"Posterior mean and variance of Max@k: level by level, with Cov(q_l^k, q_m^k) = E[q_l^k] / E[q_m^k] Var(q_m^k), l < m."
function posterior_of_best(R, k, w)
    levels, (M, N), mu, var = sort(unique(w .+ 0.0)), size(R), big(0) // 1, big(0) // 1
    T = N + length(w)
    power(A, j) = binomial(big(A + j - 1), j) // binomial(big(T + j - 1), j)  # E[q^j], q ~ Beta(A, T - A)
    for i in 1:M
        below, mu = big(0) // 1, mu + rational(levels[end]) // M
        for l in 1:length(levels)-1
            A = count(<=(levels[l]), w) + count(x -> w[x+1] <= levels[l], R[i, :])
            gap, Q = rational(levels[l+1]) - rational(levels[l]), power(A, k)
            mu -= gap * Q // M
            var += (power(A, 2k) - Q^2) // Q * gap * (gap * Q + 2 * below) // M^2
            below += gap * Q
        end
    end
    return mu, var
end

"Check bayes and avg against algorithm 1 of the paper, line by line."
function averages()
    for C in [fill(3, 40); fill(MANY, 10)]
        R, w = matrix(C), [draw(-10^6:10^6) / 1000 for _ in 0:C]
        (M, N), W, T = size(R), rational.(w), C + 1 + size(R, 2)
        nu = [1 + count(==(j), R[i, :]) for i in 1:M, j in 0:C]
        m = [sum(nu[i, j] * W[j] for j in 1:C+1) // T for i in 1:M]
        var = sum(sum(nu[i, j] * (W[j] - m[i])^2 for j in 1:C+1) // T for i in 1:M) // (M^2 * (T + 1))
        b, a = bayes(R, w), avg(R, w)
        check(is_near(b.mu, sum(m) // M) && near_root(b.sigma, var), "bayes $R $w")
        check(is_near(a.mu, sum(W[x+1] for x in R) // (M * N)) && near_root(a.sigma, var * T^2 // N^2), "avg $R $w")
        check(mean_ci(R, w; questions = :fixed).mu == a.mu, "mean_ci $R $w")
    end
end

"E[A_J A_J'] of two disjoint blocks of k trials each, from n trials with c successes."
function disjoint(n, c, A)
    k = length(A) - 1
    inner(j) = sum(chance(c - j, n - k, k, l) * A[l+1] for l in 0:k if 0 <= l <= c - j && k - l <= n - k - (c - j))
    return sum(chance(c, n, k, j) * A[j+1] * inner(j) for j in 0:k if j <= c && k - j <= n - c)
end

"The within-question variance of a U-statistic: from two disjoint blocks if n >= 2k, else by the jackknife."
function trial_variance(n, c, A)
    k, f = length(A) - 1, (n, c) -> sum(chance(c, n, k, j) * A[j+1] for j in 0:k)
    n >= 2k && return f(n, c)^2 - disjoint(n, c, A)
    return c in (0, n) ? big(0) // 1 : big(n - 1) // n * c * (n - c) // n * (f(n - 1, c) - f(n - 1, c - 1))^2
end

"Check mu and sigma of intervals without a model, for fixed and for sampled questions."
function intervals()
    for _ in 1:40
        R = matrix(1, draw(2:6), draw(2:9))
        (M, n), k = size(R), draw(1:size(R, 2)-1)
        for (point, _, args, A) in credits(k)[1:6]  # the threshold spectrum has no interval
            metric, c = Symbol(point), [sum(R[i, :]) for i in 1:M]
            u = [sum(chance(x, n, k, j) * A[j+1] for j in 0:k) for x in c]
            theta = sum(u) // M
            step = maximum(sum((chance(x + 1, n, k, j) - chance(x, n, k, j)) * A[j+1] for j in 0:k) for x in 0:n-1)
            fixed = (sum(trial_variance(n, x, A) for x in c) + step * k // (n + k - 1)) // M^2
            dev = sum((x - theta)^2 for x in u) * M // (M - 1)
            for (questions, n0, V) in ((:fixed, M * n // k, fixed), (:sampled, M, (dev + 1 // 12) // M^2))
                r = interval(R, metric, k, args...; questions = questions, model = nothing)
                n_eff = theta in (0, 1) ? n0 // 1 : max(n0, theta * (1 - theta) // V)
                var = theta * (1 - theta) // n_eff
                check(is_near(r.mu, theta) && near_root(r.sigma, var), "$metric $R $k $questions")
            end
        end
    end
end

"Check p-values by signs against all choices of the signs of single units, which are integers."
function signs()
    triples(x) = Scorio.Triple[Scorio.Triple(y) for y in x]
    for _ in 1:100
        x, mult, gap = [draw(-3:3) for _ in 1:draw(1:6)], [draw(1:3) for _ in 1:6], draw(-1:1)
        mult = mult[eachindex(x)]
        got = Scorio.Signs.p_value(Scorio.Signs.Contributions(triples(x), triples(one.(x)), mult), Scorio.Triple(gap))
        units = filter(!=(0), [y - gap for (y, n) in zip(x, mult) for _ in 1:n])
        sums = [0]
        for y in units
            sums = [sums .+ y; sums .- y]
        end
        p = count(>=(abs(sum(units))), abs.(sums)) / length(sums)
        alike = all(>(0), units) || all(<(0), units)
        check(length(units) > 14 && !alike ? got === nothing : Scorio.value(got) == p, "signs of $units")
    end
end

# --- the same R in every form ------------------------------------------------------------------------

"A matrix of 0..C in every form; none may change a count."
function forms(R)
    M, N = size(R)
    padded_matrix = fill(7, 2M + 1, 3N + 1)
    padded_matrix[2:2:2M, 3:3:3N] = R
    types = (Int8, Int16, Int32, UInt8, UInt16, UInt64, Int128, BigInt, Float64, Float32, Float16)
    all_forms = Any[T.(R) for T in types]
    append!(all_forms, Any[
        permutedims(R)', transpose(permutedims(R)), permutedims(Int8.(R))', PermutedDimsArray(permutedims(R), (2, 1)),
        view(padded_matrix, 2:2:2M, 3:3:3N), view(permutedims(R)', 1:M, :), view(R, M:-1:1, :)[M:-1:1, :],
        Matrix{Any}(R), Matrix{Union{Missing,Int8}}(R), [R[i, :] for i in 1:M], [Tuple(R[i, :]) for i in 1:M],
        [view(R, i, :) for i in 1:M], Any[Any[x for x in R[i, :]] for i in 1:M], [Float64.(R[i, :]) for i in 1:M],
        Tuple(R[i, :] for i in 1:M),
    ])
    if maximum(R) <= 1
        B = Matrix{Bool}(R)
        append!(all_forms, Any[R .== 1, B, permutedims(B)', permutedims(R .== 1)'])
    end
    M == 1 && push!(all_forms, R[1, :], Tuple(R[1, :]), R[1, :]')
    return all_forms
end

function tallies()
    shapes = [[(draw(1:6), draw(1:9)) for _ in 1:8]; (1, 5); (3, 700); (70_000, 3); (9_000, 7)]
    for (M, N) in shapes, C in (1, 3, 20)
        R = matrix(C, M, N)
        table = [count(==(j), view(R, i, :)) for i in 1:M, j in 0:C]
        counts = Counts(table[:, 1:max(1, maximum(R))+1])
        for form in (M > 100 ? forms(R)[[1:4; 9; 12:16]] : forms(R))  # only matrices where M is large
            check(Scorio.table(tally(form, C)) == table, "tally of $(typeof(form)), $M x $N, 0..$C")
            check(tally(form) == counts, "tally of $(typeof(form)), largest category found")
        end
        check(tally(R, C) + tally(R, C) == tally([R R], C), "counts add")
    end
    R = Any[0 1 -9; 1 NaN nothing]
    for form in (R, permutedims(R)', [R[1, :], R[2, :]])
        check(Scorio.table(tally(form; missing = :drop, missing_code = -9)) == [1 1; 0 1], "missing $(typeof(form))")
        check(Scorio.table(tally(form; missing = 1, missing_code = -9)) == [1 2; 0 3], "missing as 1 $(typeof(form))")
    end
    check(tally([[0, 1, missing], [1]]; missing = "drop").missing == 1, "the absent end of a short row is no entry")
end

# --- kernels of the tally ------------------------------------------------------------------------------

# numbers of trials beside 255, where a counter of one byte is full, and 8 * 255, where the sums of words are
const LENGTHS = [1:20; 61; 64; 248:264; 2031:2041; 2048]

"The expected table of R, or the code of its refusal."
naive(R, C) = all(x -> 0 <= x <= C, R) ? [count(==(j), view(R, i, :)) for i in axes(R, 1), j in 0:C] : "category"

table_or_code(form, C) =
    try
        Scorio.table(tally(form, C))
    catch e
        e isa InvalidInput ? e.code : e
    end

"Check the kernels for four types of entries, in both orders: the counts are right, and a bad entry is refused."
function kernels()
    for T in (Bool, Int8, UInt8, Int64), C in (T == Bool ? [1] : [1, 2, 3, 4, 5, 14, 15, 16]), N in LENGTHS
        R = Matrix{T}(matrix(C, draw(1:11), N))
        check_orders(R, C)
        T == Bool && continue
        R[draw(axes(R, 1)), draw(axes(R, 2))] = bad = draw_bad(T, C)
        check_orders(R, C, "with $bad")
        R .= draw(0:C)  # one category alone fills the counters
        check_orders(R, C, "of $(R[1])")
    end
    for C in (1, 4, 9)  # on threads, if there are any
        R = Matrix{Int8}(matrix(C, 300_001, 9))
        check_orders(R, C)
        R[draw(axes(R, 1)), draw(axes(R, 2))] = draw_bad(Int8, C)
        check_orders(R, C, "with a bad entry")
    end
end

function check_orders(R, C, what = "")
    want, M = naive(R, C), size(R, 1)
    forms = (R, permutedims(R)', view(permutedims(R)', :, :), view(R, 1:M, :), [R[i, :] for i in 1:M])
    for form in (M > 100 ? forms[1:2] : forms)
        check(table_or_code(form, C) == want, "tally of $(typeof(form)), $(size(R)), 0..$C $what")
    end
end

"A random value of type T that is no category, except that 16 may be drawn for C = 16, where it is one."
function draw_bad(T, C)
    values = filter(x -> typemin(T) <= x <= typemax(T), [-128, -16, -1, C + 1, 16, 17, 64, 127, 128, 255, 256, 2^40])
    return draw(0:3) == 0 ? T(C + 1) : T(values[draw(1:length(values))])
end

"Check that counts in one or two bytes equal the same counts in words: fields, selection, sums, moments and metrics."
function narrow()
    for (M, N, C) in ((5, 7, 1), (70_000, 255, 2), (300, 254, 3), (40, 300, 2), (9000, 10, 4), (7, 70_000, 1))
        R = Matrix{Int8}(matrix(C, M, N))
        R[1:M÷2, :] .= C
        in_bytes, in_words = tally(permutedims(R)', C), Counts(naive(R, C))
        check(eltype(in_bytes.narrow) != Int || N > 65535, "$N trials are counted in $(eltype(in_bytes.narrow))")
        check(in_bytes == in_words && hash(in_bytes) == hash(in_words), "narrow counts are equal")
        check(string(in_bytes) == string(in_words), "narrow counts print alike")
        fields(x) = (x.category_counts, x.trials, x.absent)
        check(fields(in_bytes) == fields(in_words), "fields")
        check(in_bytes.category_counts isa Matrix{Int} && in_bytes.trials isa Vector{Int}, "types of counts")
        check(in_bytes.missing === 0, "type of missing")
        check(Scorio.select(in_bytes, [M, 1]) == Scorio.select(in_words, [M, 1]), "select")
        check(in_bytes + in_bytes == in_words + in_words, "add")
        check_moments(in_bytes, N)
        w = Float64[[draw(-3:3) for _ in 1:C]; -4]
        mean_of(c) = mean_ci(c, w; questions = :fixed)
        for f in (c -> bayes(c, w), c -> max_at_k_ci(c, 5, w), c -> max_at_k(c, 5, w), mean_of)
            check(f(in_bytes) == f(in_words), "metrics of narrow counts, $M x $N, $w")
        end
    end
end

"Check the exact sums of counts one by one."
function check_moments(counts, N)
    t, g = big.(Scorio.table(counts)), only(Scorio.groups(counts))
    check((g.n, g.M) == (N, size(t, 1)) && g.sums == vec(sum(t, dims = 1)), "sums of a group")
    for l in axes(t, 2), j in 1:l-1
        check(g.pairs[j, l] == sum(t[:, j] .* t[:, l]), "pairs of a group")
    end
end

"Check joint states, which are found by counting or by sorting."
function joint()
    for (M, largest) in ((1, 3), (50, 200), (3000, 40), (3000, 100))
        a, b = [draw(0:largest) for _ in 1:M], [draw(0:largest) for _ in 1:M]
        for (x, y) in ((a, b), (a, a), (UInt8.(a), UInt8.(b)))
            s = Scorio.joint_states(x, y, largest + 1)
            want = sort(unique(zip(x, y)))
            check(collect(zip(s.n, s.c)) == want, "joint states of $M up to $largest")
            check(s.mult == [count(==(p), collect(zip(x, y))) for p in want], "multiplicities of joint states")
        end
    end
end

"Check that rise() gives the bits of the operations that it replaces."
function rises()
    (one, Triple) = (DoubleDouble.ONE, DoubleDouble.Triple)
    for _ in 1:3000
        r = Triple(draw(1:2^20)) / draw(2^20:2^40)
        small = ldexp(r.hi, -draw(0:600))
        P = draw(0:1) == 0 ? r : one - small
        # P: any share, one close to 1, or 1 or 0
        P = draw(0:9) == 0 ? Triple(1.0, -small, 0.0) : draw(0:20) == 0 ? (one, DoubleDouble.ZERO)[draw(1:2)] : P
        check(DoubleDouble.rise(P, r) === P + (one - P) * r, "rise $P $r")
        a, t = Triple(Float64(draw(0:2^30))), Triple(ldexp(1.0 + draw(0:2^30), draw(0:1) * 200))
        check(DoubleDouble.rise(P, a, t) === P + (one - P) * a / t, "rise $P $a $t")
    end
end

# --- runs --------------------------------------------------------------------------------------------

"Outcomes of a model, some of them missing, as a matrix; its scores by run for each question with a trial."
function outcomes_by_run(C, w, sessions)
    R = Any[draw(0:9) == 0 ? missing : draw(0:C) for _ in 1:draw(2:7), _ in sessions]
    R[1, :] .= [draw(0:C) for _ in sessions]
    R[2, :] .= [j % (C + 1) for j in eachindex(sessions)]
    of(i) = [(sessions[j], rational(w[R[i, j]+1])) for j in eachindex(sessions) if !ismissing(R[i, j])]
    return R, filter(!isempty, map(of, axes(R, 1)))
end

mean_of(x) = sum(x) // length(x)

"The influences I, their variances E and the concentration h, in units of the scores; from residuals of scores."
function influences(questions, labels)
    M, I, E = length(questions), zeros(Rational{BigInt}, length(labels)), zeros(Rational{BigInt}, length(labels))
    e = map(questions) do q
        n, centre = length(q), mean_of(last.(q))
        n == 1 ? big(0) // 1 : sum((x - centre)^2 for (_, x) in q) // (n * (n - 1))
    end
    for (q, v) in zip(questions, e), (r, label) in enumerate(labels)
        share = count(x -> isequal(x[1], label), q) // length(q)
        I[r] += sum([x - mean_of(last.(q)) for (s, x) in q if isequal(s, label)]) // (length(q) * M)
        E[r] += v * share * (1 - share) // M^2
    end
    return I, E, all(iszero, e) ? big(1) // 1 : sum(e .^ 2) // sum(e)^2
end

"Check the ratio and the df of one model and of two against their definition, and the test against simulated runs."
function runs()
    for _ in 1:60
        C = draw(1:3)
        w, N = C == 1 ? [0.0, 1.0] : [draw(-50:50) / draw(1:9) for _ in 0:C], draw(2:6)
        w[1] == w[2] && (w[2] += 1.0)
        sessions = Any[j <= 2 ? j : (1, 2, "1", :x)[draw(1:4)] for j in 1:N]
        models = [outcomes_by_run(C, w, sessions) for _ in 1:draw(1:2)]
        terms = filter(t -> any(>(0), t[2]), [influences(q, unique(sessions)) for (_, q) in models])
        x = run_variation([R for (R, _) in models], w; sessions = sessions, missing = :drop)
        f = [sum(E)^2 // sum(E .^ 2) - 1 for (_, E, _) in terms]
        each = [sum(I .^ 2) // sum(E) for (I, E, _) in terms]
        check(is_near(x.df, sum(f)) && is_near(x.ratio, sum(f .* each) // sum(f)), "run_variation $models $w $sessions")
        largest = maximum(maximum(I[r]^2 // E[r] for r in eachindex(E) if E[r] > 0) for (I, E, _) in terms)
        I, E, _ = terms[min(x.model, end)]
        check(length(terms) < length(models) || I[x.run]^2 // E[x.run] == largest, "the run that stands out")
    end
    R = matrix(1, 40, 9)
    same = run_variation(R)
    check(same == run_variation(R, [0.0, 1.0]; sessions = 1:9) == run_variation([R]), "the same in other forms")
    scaled = run_variation(R, [0.1, 0.7])
    check((scaled.ratio, scaled.df, scaled.p_value) == (same.ratio, same.df, same.p_value), "not of the scale")
    far = run_variation(R, [-1e300, 1e300])
    check((far.ratio, far.df, far.p_value) == (same.ratio, same.df, same.p_value), "in integers of any size")
end

# --- sizes and exact tests ---------------------------------------------------------------------------

"Sample sizes against their neighbours, in steps that do not grow with their digits."
function sizes()
    for (a, b, c) in ((1, 0, 0), (3, 7, 0), (0, 1, 0), (0, 5, 3), (10^9, big(10)^30, 0)), digits in (0, 3, 40, 600)
        steps, size = Ref(0), big(10)^digits
        ratio(n) = (steps[] += 1; ((a * n^3 + b * n^2 + c) * size, 2 * n^4))
        meets(n) = <=(ratio(n)...)
        n = big(Scorio.Planning.smallest(ratio))
        check(steps[] <= 40 && meets(n) && (n == 1 || !meets(n - 1)), "smallest: $a, $b, $c, $digits")
    end
end

const Fisher = Scorio.Items.Fisher

"The smallest rate at which the t-th attainable p-value is significant, from below and without bounds; 1 if none is."
function smallest_rate(tests, t, k)
    h = tests.odds[t]
    while h < k * tests.one
        last, h = h, Fisher.at!(Fisher.Sum(tests), t, Fisher.limit(tests, (h, big(k))))
        h == last && return h // k
    end
    return tests.one // 1
end

"Sums that are carried on, against sums from the start; rates with bounds in doubles, against those without."
function exact_tests()
    pairs = map(1:60) do _
        n, m = draw(1:20), draw(1:20)
        Fisher.Pair((draw(0:n), n, draw(0:m), m))
    end
    for one_sided in (false, true)
        tests = Fisher.Tests(pairs, one_sided)
        carried, bound, best = Fisher.Sum(tests), Fisher.Bound(tests), (tests.one, big(1))
        for _ in 1:100
            t, limit, k = draw(1:length(tests.odds)), draw(1:length(tests.odds)), draw(1:60)
            check(Fisher.at!(carried, t, limit) == Fisher.at!(Fisher.Sum(tests), t, limit), "sum at $t, $limit")
            q = Fisher.smallest_rate(carried, bound, t, k, best)
            check(q[1] // q[2] == smallest_rate(tests, t, k), "rate at $t, $k")
        end
    end
end

function run()
    arithmetic()
    rises()
    kernels()
    narrow()
    joint()
    thresholds()
    maximum_reward()
    averages()
    intervals()
    signs()
    tallies()
    runs()
    sizes()
    exact_tests()
end

end
