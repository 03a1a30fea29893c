# The flip rate: how often two trials of a question differ.

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
