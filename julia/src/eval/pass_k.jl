# Pass@k and Pass^k: success of at least one, or of all, of k trials; and how often two trials differ.

"""
    pass_at_k(R, k; missing=:raise) -> Float64

Pass@k: probability that at least one of k trials sampled from the N succeeds, averaged over questions.

- `R`: outcomes 0 and 1, M×N, or `Counts`.
- `k`: trials sampled, 1 <= k <= N; with unequal trials at most the smallest N.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

In [0, 1]: the mean of 1 - C(N-c, k) / C(N, k), c the number of successes. Throws `InvalidInput` for anything wrong with
`R` or `k`. Source: Chen et al. 2021, arXiv:2107.03374. The estimate has a high variance if k is near N.

# Examples
```jldoctest
julia> pass_at_k([0 1 1 0 1; 1 1 0 1 1], 2)
0.95
```
"""
@by_name pass_at_k(R, k; missing = :raise) = metric_value("pass_at_k", R, k, missing)

"""
    pass_hat_k(R, k; missing=:raise) -> Float64

Pass^k: probability that all of k trials sampled from the N succeed, averaged over questions. Also named
`unanimous_at_k` and `g_pass_at_k`.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).

In [0, 1]: the mean of C(c, k) / C(N, k), c the number of successes. Throws `InvalidInput` for anything wrong with `R`
or `k`. Source: Yao et al. 2024, arXiv:2406.12045. It is 0 for every question with c < k, however good the model is.

# Examples
```jldoctest
julia> pass_hat_k([0 1 1 0 1; 1 1 0 1 1], 2)
0.45
```
"""
@by_name pass_hat_k(R, k; missing = :raise) = metric_value("pass_hat_k", R, k, missing)

"""
    pass_at_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of Pass@k: the mean over questions of 1 - (1 - p)^k, p the success probability of a question.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).
- `confidence`: posterior probability of the interval, strictly between 0 and 1.
- `bounds`: both ends are clipped into these; `nothing` for no clipping.
- `alpha0`, `beta0`: Beta prior of every question, each in [1e-100, 1e100].

`mu` and `sigma` are the posterior mean and standard deviation, the interval is mu ∓ z sigma. Throws `InvalidInput` for
anything wrong with the arguments. Source: independent Beta posteriors, the equations of spec/functions.json. The
default prior is uniform *per question* and moves the estimate of each question's p towards 1/2, and these errors do not
average out: over simulated benchmarks the 95% interval covered the Pass@k of the question set in 40% of runs, in single
benchmarks in anything from 0% to 100% (`python bench/coverage.py`). Use [`interval`](@ref), whose coverage is nearly
nominal.

# Examples
```jldoctest
julia> r = pass_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.839286, 0.097263, 0.6487, 1.0)
```
"""
@by_name pass_at_k_ci(R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("pass_at_k", R, k, confidence, bounds, alpha0, beta0, missing)

"""
    pass_hat_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of Pass^k: the mean over questions of p^k, p the success probability of a question. Also named
`unanimous_at_k_ci` and `g_pass_at_k_ci`.

- All arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments. Source: the equations of
spec/functions.json. A uniform prior per question: see `pass_at_k_ci` for when that misleads.

# Examples
```jldoctest
julia> r = pass_hat_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.446429, 0.146167, 0.1599, 0.7329)
```
"""
@by_name pass_hat_k_ci(R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("pass_hat_k", R, k, confidence, bounds, alpha0, beta0, missing)

const unanimous_at_k = pass_hat_k
const g_pass_at_k = pass_hat_k
const unanimous_at_k_ci = pass_hat_k_ci
const g_pass_at_k_ci = pass_hat_k_ci

"""
    flip_rate(R; missing=:raise) -> Float64

Flip rate: probability that two trials of a question have different outcomes, averaged over questions.

- `R`: outcomes 0 and 1, M×N, or `Counts`; at least two trials of every question.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

In [0, 1], lower is better: the mean of 2 c (N - c) / (N (N - 1)), c successes, which is Pass@2 - Pass^2. Throws
`InvalidInput` for anything wrong with `R`; range: a question has fewer than two trials. Unbiased for 2 p (1 - p), p the
question's success rate: at most 1/2 in expectation, although the estimate from two trials that differ is 1. A model
that always fails is as stable as one that always succeeds.

# Examples
```jldoctest
julia> flip_rate([0 1 1 0 1; 1 1 0 1 1])
0.5
```
"""
flip_rate(R; missing = :raise) = metric_value("flip_rate", R, nothing, missing)

"""
    flip_rate_ci(R, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise) -> (mu, sigma, lo, hi)

Posterior summary of the flip rate: the mean over questions of 2 p (1 - p), p the success probability.

- `R`, `missing`: as in [`flip_rate`](@ref); the other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments; range: a question has fewer
than two trials. With a uniform prior a question with 8 successes in 8 trials has a posterior mean of 0.16. Use
[`interval`](@ref) of `:flip_rate`, whose coverage is nearly nominal.

# Examples
```jldoctest
julia> r = flip_rate_ci([0 1 1 0 1; 1 1 0 1 1]);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.392857, 0.074345)
```
"""
@by_name flip_rate_ci(R, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("flip_rate", R, nothing, confidence, bounds, alpha0, beta0, missing)
