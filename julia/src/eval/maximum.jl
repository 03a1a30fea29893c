# The best of k trials: Max@k.

const CANCELLED = ldexp(1.0, -40)  # below this share of its terms a signed sum is redone in exact fractions

"Distinct rewards, increasing; for all but the last, each question's trials at or below it, and the categories."
function reward_levels(counts::Counts, w::Vector{Float64})
    levels, t = Float64[], table(counts)
    for r in w
        i = searchsortedfirst(levels, r)
        i <= length(levels) && levels[i] == r || insert!(levels, i, r)
    end
    below, sizes = Vector{Int}[], Int[]
    for r in levels[1:end-1]
        trials, size = zeros(Int, questions(counts)), 0
        for j in eachindex(w)
            if w[j] <= r
                size += 1
                for i in eachindex(trials)
                    trials[i] += t[i, j]
                end
            end
        end
        push!(below, trials)
        push!(sizes, size)
    end
    return levels, below, sizes
end

"r_1 + sum_l (r_{l+1} - r_l) means[l]; redone exactly where positive and negative terms cancel."
function above_lowest(levels, means, exact)
    total = Numerics.ext(levels[1])
    for (l, mean) in enumerate(means)
        gap = Numerics.sub(Numerics.ext(levels[l+1]), Numerics.ext(levels[l]))
        total = Numerics.add(total, Numerics.mul(gap, mean))
    end
    if levels[1] < 0.0 && abs(Numerics.value(total)) < CANCELLED * maximum(abs, levels)
        W, D = whole(levels)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    end
    return total
end

"""
    max_at_k(R, k, w=nothing; missing=:raise) -> Float64

Max@k: expected best score among k trials drawn from the N, averaged over questions.

- `R`: outcomes in 0..C, M×N, or `Counts`.
- `k`: trials drawn, 1 <= k <= N; with unequal trials at most the smallest N.
- `w`: the score of each category, in any order; default (0, 1), which makes this Pass@k.
- `missing`: the policy for absent outcomes, as in [`tally`](@ref).

In [min w, max w], in units of `w`. Throws `InvalidInput` for anything wrong with `R`, `k` or `w`. Source: Bagirov et
al. 2025, arXiv:2510.23393. A score of the best of k, not of a model that must choose.

# Examples
```jldoctest
julia> max_at_k([0 1 2 2 1; 1 1 0 2 2], 2, [0.0, 0.5, 1.0])
0.85
```
"""
function max_at_k(R, k, w = nothing; missing = :raise)
    k = Checks.draws(k)
    counts, scores = rubric(R, w, nothing, missing)
    Checks.trials_at_least(counts, k)
    levels, below, _ = reward_levels(counts, scores)
    each = [states_of(counts.trials, b) for b in below]
    means = Triple[]
    for s in each
        out = Vector{Triple}(undef, length(s.n))
        Bank.pass_at_k!(out, s.n, s.n - s.c, k)
        push!(means, Numerics.mean(out, s.mult, questions(counts)))
    end
    return Numerics.value(above_lowest(levels, means, W -> Bank.exact_max(W, each, k, 0))) + 0.0
end

"""
    max_at_k_ci(R, k, w=nothing, R0=nothing; confidence=0.95, bounds=nothing, missing=:raise) -> (mu, sigma, lo, hi)

Posterior summary of the expected best score among k new trials.

- `R`, `w`, `R0`, `missing`: as in [`bayes`](@ref).
- `k`: new trials, any k >= 1; may exceed N. k = 1 is [`bayes_ci`](@ref).
- `confidence`: credibility of the interval, strictly between 0 and 1.
- `bounds`: both ends are clipped into these. Default: the smallest and largest score for k >= 2, none for k = 1.

The interval is mu ∓ z sigma, in units of `w`. Throws `InvalidInput` for anything wrong with the arguments. Source:
the equations of spec/functions.json, on the Dirichlet posterior of `bayes`. A uniform prior on every question: with k
large it credits scores that were never seen.

# Examples
```jldoctest
julia> r = max_at_k_ci([0 1 2 2 1; 1 1 0 2 2], 2, [0.0, 0.5, 1.0]);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.75, 0.08812, 0.5773, 0.9227)
```
"""
function max_at_k_ci(R, k, w = nothing, R0 = nothing; confidence = 0.95, bounds = nothing, missing = :raise)
    k = Checks.draws(k)
    k == 1 && return bayes_ci(R, w, R0; confidence = confidence, bounds = bounds, missing = missing)
    confidence = Checks.confidence(confidence)
    counts, scores = rubric(R, w, R0, missing)
    clip = Checks.bounds(bounds, extrema(scores))
    levels, below, ones = reward_levels(counts, scores)
    isempty(below) && return interval(Numerics.ext(levels[1]), Numerics.ZERO, confidence, clip)
    T = Int[n + length(scores) for n in counts.trials]
    A = Vector{Int}[Int[a + ones[l] for a in below[l]] for l in eachindex(below)]
    return interval(dirichlet_max(T, A, levels, k)..., confidence, clip)
end

"Mean and variance of r_L - sum_l gap_l A_l^k, averaged over questions; Cov by pairs of levels."
function dirichlet_max(T, A, levels, k)
    M, each, all_T, all_A = length(T), States[], Int[], Int[]
    for a in A
        push!(each, states_of(T, a))
        append!(all_T, T)
        append!(all_A, a)
    end
    both, index = distinct(all_T, all_A)
    table() = Vector{Triple}(undef, length(both.n))
    pass, power, var = table(), table(), table()
    Posterior.lower_tail_powers!(pass, power, var, both.c, both.n, k)
    at = Vector{Int}[index[(l-1)*M+1:l*M] for l in eachindex(A)]
    means = Triple[]
    for i in at
        s = states_of(zeros(Int, M), i)
        push!(means, Numerics.mean(pass[s.c], s.mult, M))
    end
    mu = above_lowest(levels, means, W -> Bank.exact_max(W, each, k, k - 1))
    gaps = [Numerics.sub(Numerics.ext(levels[l+1]), Numerics.ext(levels[l])) for l in eachindex(A)]
    total = Numerics.ZERO
    for m in eachindex(A), l in 1:m
        pair = states_of(at[l], at[m])
        cov = Posterior.level_covariance(pair.n, pair.c, pair.mult, power, var)
        cov = Numerics.mul(Numerics.mul(gaps[l], gaps[m]), cov)
        total = Numerics.add(total, l == m ? cov : Numerics.add(cov, cov))
    end
    count = Numerics.ext(M)
    return mu, Numerics.div(Numerics.div(total, count), count)
end
