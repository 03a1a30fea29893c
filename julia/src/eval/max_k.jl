# The best of k trials: Max@k, and one answer chosen by a majority vote or by a score.

const PARALLEL_QUESTIONS = 1 << 17  # from this many questions on, threads are faster

"""
    max_at_k(R, k, w=nothing; missing=:raise) -> Float64

Max@k: expected best score among k trials sampled from the N, averaged over questions.

- `R`: outcomes in 0..C, M×N, or `Counts`.
- `k`: trials sampled, 1 <= k <= N; with unequal trials at most the smallest N.
- `w`: the score of each category, in any order; default (0, 1), which makes this Pass@k.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

In [min w, max w], in units of `w`. Throws `InvalidInput` for anything wrong with `R`, `k` or `w`. Source: Bagirov et
al. 2025, arXiv:2510.23393. This scores the best of k trials, not a model that must choose one.

# Examples
```jldoctest
julia> max_at_k([0 1 2 2 1; 1 1 0 2 2], 2, [0.0, 0.5, 1.0])
0.85
```
"""
@by_name function max_at_k(R, k, w = nothing; missing = :raise)
    k = Arguments.number_of_trials(k)
    counts, scores = scored_counts(R, w, nothing, missing)
    check_trials(counts, k, "R")
    scores == [0.0, 1.0] && return value(mean_over_states(counts, Hypergeometric.pass_at_k!, k, k))
    return value(Rewards.max_at_k(counts, Rewards.read(counts, scores), k)) + 0.0
end

"""
    max_at_k_ci(R, k, w=nothing, R0=nothing, confidence=0.95, bounds=nothing; missing=:raise) -> (mu, sigma, lo, hi)

Posterior summary of the expected best score among k new trials.

- `R`, `w`, `R0`, `missing`: as in [`bayes`](@ref).
- `k`: number of new trials, any k >= 1; may exceed N. k = 1 is [`bayes_ci`](@ref).
- `confidence`: posterior probability of the interval, strictly between 0 and 1.
- `bounds`: both ends are clipped into these. Default: the smallest and largest score for k >= 2, none for k = 1.

The interval is mu ∓ z sigma, in units of `w`. Throws `InvalidInput` for anything wrong with the arguments. Source: the
equations of spec/functions.json, on the Dirichlet posterior of `bayes`. The prior is uniform: with a large k it gives
credit for scores that never occurred.

# Examples
```jldoctest
julia> r = max_at_k_ci([0 1 2 2 1; 1 1 0 2 2], 2, [0.0, 0.5, 1.0]);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.75, 0.08812, 0.5773, 0.9227)
```
"""
@by_name function max_at_k_ci(R, k, w = nothing, R0 = nothing, confidence = 0.95, bounds = nothing; missing = :raise)
    k = Arguments.number_of_trials(k)
    k == 1 && return bayes_ci(R, w, R0; confidence = confidence, bounds = bounds, missing = missing)
    confidence = Arguments.confidence(confidence)
    counts, scores = scored_counts(R, w, R0, missing)
    clip = Arguments.bounds(bounds, extrema(scores))
    if scores == [0.0, 1.0]  # the Dirichlet prior of two categories is Beta(1, 1)
        means, variances = tables(counts, Posterior.pass_at_k!, 2, k, k, 1.0, 1.0)
        return summarize(counts, means, variances, confidence, clip)
    end
    levels = Rewards.read(counts, scores, 1)  # 1: the prior is like one trial of each category
    length(levels.rewards) == 1 && return normal_interval(Triple(levels.rewards[1]), ZERO, confidence, clip)
    many = levels isa Rewards.Stretches
    moments = many ? deferred(dirichlet_max_of_stretches)(counts, length(scores), levels, k) :
        deferred(dirichlet_max)(counts, length(scores), levels.below, levels.rewards, k)
    return normal_interval(moments..., confidence, clip)
end

"""
Posterior mean and variance of the expected best score of k new trials, averaged over questions.

That score is r_L - sum_l (r_{l+1} - r_l) p_l^k, with p_l the probability of a score of at most r_l (`levels` has
r_1..r_L, the distinct scores). The posterior of p_l is Beta(A_l, T - A_l), where T is the number of trials plus
`prior`, the number of categories, and A_l the part of T with a score of at most r_l. Covariances are summed over pairs
of levels. A state is (T, A_l); if T is the same for all questions, A_l alone identifies it.
"""
function dirichlet_max(counts, prior, A, levels, k)
    M, indices, n, c = level_indices(counts, prior, A)
    pairs, by_level = Tuple{Int,Int}[], States[]
    for m in eachindex(A), l in 1:m
        push!(pairs, (l, m))
    end
    joint = on_threads(p -> joint_states(indices[p[1]], indices[p[2]], length(n) + 1), pairs, M >= PARALLEL_QUESTIONS)
    for (i, (l, m)) in enumerate(pairs)
        l == m && push!(by_level, joint[i])
    end
    pass, power, var = power_moments(n, c, k, by_level)
    means = Triple[mean(pass[s.n], s.mult, M) for s in by_level]
    mu = Rewards.sum_over_gaps(levels, means) do W
        Hypergeometric.exact_max(W, [States(n[s.n], c[s.n], s.mult) for s in by_level], k, k - 1)
    end
    gaps = Rewards.gaps(levels)
    total = ZERO
    for (i, (l, m)) in enumerate(pairs)
        s = joint[i]::States
        cov = Posterior.level_covariance(s.n, s.c, s.mult, power, var)
        cov = gaps[l] * gaps[m] * cov
        total += l == m ? cov : cov + cov
    end
    return mu, total / M / M
end

"""
Mean and variance as in dirichlet_max(), of many levels: A_l is sizes[l] + b, b constant on each stretch of a question.

Sums over stretches are put together from sums over runs of levels, which questions with the same b share.
"""
function dirichlet_max_of_stretches(counts, prior, x, k)
    M = questions(counts)
    sums = fill(Posterior.NO_LEVELS, M)
    states = collect(Rewards.by_state(x))
    for n in sort!(unique(x.n))
        stretches = [(b, at, minimum(x.low[at]), maximum(x.high[at])) for (m, b, at) in states if m == n]
        used = zeros(Int, n + prior)
        for (below, _, start, stop) in stretches, l in start:stop-1
            used[x.sizes[l]+below] = 1
        end
        A = findall(==(1), used)
        for (i, a) in enumerate(A)
            used[a] = i  # the index of its moments
        end
        pass, power, var = (Vector{Triple}(undef, length(A)) for _ in 1:3)
        Posterior.lower_tail_powers!(pass, power, var, A, fill(n + prior, length(A)), k, eachindex(A))
        for (below, at, start, stop) in stretches
            occurring = used[x.sizes[start:stop-1].+below]
            runs = Posterior.runs_of_levels(occurring, x.rewards[start:stop], pass, power, var)
            Posterior.append_levels!(sums, x.question[at], x.low[at] .- start, x.high[at] .- start, stop - start, runs)
        end
    end
    one_each = ones(Int, M)
    mu = x.rewards[1] + mean(Triple[s[4] for s in sums], one_each, M)
    mu = Rewards.unless_cancelled(W -> Rewards.exact_dirichlet_max(x, prior, k, M, W), mu, x.rewards)
    total = DoubleDouble.weighted_sum(Triple[s[3] for s in sums], one_each)
    return mu, total / M / M
end

"The number of questions; for each level, the index of each question's state in a table; the n = T and c = A_l of that."
function level_indices(counts, prior, A)
    M, T = questions(counts), counts.max_trials + prior
    # with equal trials a table of all T states needs no search, unless it is much longer than the list of questions
    counts.min_trials == counts.max_trials && T <= 4M + 4096 && return M, A, fill(T, T), collect(1:T)
    all_T, all_A = Int[], Int[]
    for a in A
        append!(all_T, counts.trials .+ prior)
        append!(all_A, a)
    end
    table, index = distinct(all_T, all_A)
    return M, Any[index[(l-1)*M+1:l*M] for l in eachindex(A)], table.n, table.c
end

"Tables of Posterior.lower_tail_powers!() for the states that some level has; other entries are undefined."
function power_moments(n, c, k, by_level)
    table() = Vector{Triple}(undef, length(n))
    pass, power, var, used = table(), table(), table(), falses(length(n))
    for s in by_level, i in s.n
        used[i] = true
    end
    Posterior.lower_tail_powers!(pass, power, var, c, n, k, findall(used))
    return pass, power, var
end

const TIES = (("even", "plurality_at_k"), ("none", "strict_plurality_at_k"))

"""
    plurality_at_k(answers, k, ties=:even) -> Float64

Plurality@k: probability that the most frequent answer among k sampled trials is right, averaged over questions. This
is the score of a majority vote of k trials (self-consistency, cons@k, maj@k of the actual answers).

- `answers`: the answers of M questions, and which are right: [`Answers`](@ref).
- `k`: trials sampled without replacement, 1 <= k <= N; with unequal trials at most the smallest N.
- `ties`: what happens if several answers share the first place: `:even`, each is chosen with the same probability;
  `:none`, such a vote has no winner and counts as wrong. Code that breaks ties by the answer seen first agrees with
  `:even` on average if trials are in random order.

In [0, 1]. Throws `InvalidInput` if `answers`, `k` or `ties` is invalid; no_trials: a question without a trial. The
equation is in spec/functions.json. A trial without an answer may be sampled, and casts no vote. The sum is exact, in
integers; the time grows with n k.

[`maj_at_k`](@ref) uses only which trials are right and needs more than half of them right: where every question has one
right answer it is a lower bound, usually far below, since wrong answers rarely agree. With an interval:
[`interval`](@ref) of `:plurality_at_k` (ties `:even`) or `:strict_plurality_at_k` (ties `:none`), best with n >= 2k:
with k = n its 95% intervals cover in 87% of runs where on most questions one wrong answer is as frequent as the right
one, else in 93.5% or more.

# Examples
```jldoctest
julia> a = Answers(["4" "4" "5" "6"; "9" "3" "9" "8"], ["4", "9"]);

julia> round(plurality_at_k(a, 3), digits=4), maj_at_k(a, 3)
(0.6667, 0.5)

julia> plurality_at_k(a, 3, :none)
0.5
```
"""
@by_name function plurality_at_k(answers, k, ties = :even)
    ties = Arguments.choice(ties, "ties", first.(TIES))
    return chosen_value(answers, Answers, "answers", Dict(TIES)[ties], k)
end

"""
    best_of_k(scored, k) -> Float64

Best-of-k: probability that the trial with the highest score among k sampled ones is right, averaged over questions.

- `scored`: scores and outcomes of M questions: [`ScoredTrials`](@ref).
- `k`: trials sampled without replacement, 1 <= k <= N; with unequal trials at most the smallest N.

In [0, 1]. Of trials with equal scores each is equally likely to be chosen. Throws `InvalidInput` if `scored` or `k` is
invalid; `no_trials`: a question without a trial. The equation is in spec/functions.json. [`max_at_k`](@ref) is what a
perfect score would reach. With an interval: [`interval`](@ref) of `:best_of_k`.

# Examples
```jldoctest
julia> s = ScoredTrials([0.9 0.2 0.3; 0.1 0.5 0.4], [1 0 1; 0 0 1]);

julia> round(best_of_k(s, 2), digits=4)
0.6667
```
"""
@by_name best_of_k(scored, k) = chosen_value(scored, ScoredTrials, "scored", "best_of_k", k)

"Mean over questions of a metric that chooses one of k trials, by votes or by scores."
function chosen_value(x, type, name, metric, k)
    x isa type || refuse("type", name, name, " must be ", type, "(...), not ", shown(x))
    m = Metrics.read_metric(metric, k, nothing, nothing, (metric,))
    i = findfirst(iszero, x.trials)
    i === nothing || refuse("no_trials", name, "question ", i, " of ", name, " has no trial: leave it out")
    check_trials(x, m.k, name)
    return value(ChosenAnswers.mean(m, x))
end
