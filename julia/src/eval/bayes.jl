# Averages of scores: Bayes@N and avg@N. For the mean with a confidence interval see interval().

"Mean and variance of the average score: those of Bayes@N, or (averaged) of avg@N."
function score_moments(counts, w, averaged)
    W, D = over_common_denominator(w)
    (x, dx), (v, dv) = Posterior.score_moments(groups(counts), W, averaged)
    return from_ratio(x, dx * D), from_ratio(v, dv * D * D)
end

"""
    bayes(R, w=nothing, R0=nothing; missing=:raise) -> (mu, sigma)

Bayes@N: posterior mean and standard deviation of the average score. Each question's category probabilities have
a uniform Dirichlet prior, to which `R0` adds outcomes.

- `R`: outcomes in 0..C, M×N, or `Counts`; `R0`: earlier outcomes of the same questions, M×D, or `Counts`.
- `w`: the score of each category, C+1 numbers in any unit, |w| <= 1e300. Default (0, 1), for binary `R`.
- `missing`: missing outcomes of `R` and `R0` are an error (`:raise`), are left out (`:drop`), or count as this category
  (an integer); see [`tally`](@ref).

`mu` and `sigma` are in units of `w`. Throws `InvalidInput` for anything wrong with `R`, `R0` or `w`; a `w` too short
for `R` is an error of `w`. Source: algorithm 1 of arXiv:2510.04265. The prior shrinks `mu` towards the middle of the
scale: to state how good a model is, use [`mean_ci`](@ref).

# Examples
```jldoctest
julia> mu, sigma = bayes([0 1 2 2 1; 1 1 0 2 2], [0.0, 0.5, 1.0], [0 2; 1 2]);

julia> round(mu, digits=6), round(sigma, digits=6)
(0.575, 0.084275)
```
"""
@by_name function bayes(R, w = nothing, R0 = nothing; missing = :raise)
    mu, sigma = bayes_ci(R, w, R0; missing = missing)
    return Estimate((mu, sigma))
end

"""
    bayes_ci(R, w=nothing, R0=nothing, confidence=0.95, bounds=nothing; missing=:raise) -> (mu, sigma, lo, hi)

Bayes@N with the normal credible interval mu ∓ z sigma.

- `R`, `w`, `R0`, `missing`: as in [`bayes`](@ref).
- `confidence`: posterior probability of the interval, strictly between 0 and 1.
- `bounds`: both ends are clipped into these. Default: no clipping.

All four are in units of `w`. Throws `InvalidInput` as `bayes`, and for `confidence` and `bounds`. Source: section 2.6
of arXiv:2510.04265. The uniform prior on every question shrinks the estimate towards the middle of the scale, so this
is not a confidence interval for the expected average on this question set: over simulated benchmarks the 95% interval
covered it in 53% of runs for N >= 2 and in 28% for N = 1, in single benchmarks in anything from 0% to 100% (`python
bench/coverage.py`). Use [`mean_ci`](@ref), whose coverage is nearly nominal.

# Examples
```jldoctest
julia> r = bayes_ci([0 1 1 0 1; 1 1 0 1 1]; bounds=(0.0, 1.0));

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.642857, 0.118451, 0.4107, 0.875)
```
"""
@by_name function bayes_ci(R, w = nothing, R0 = nothing, confidence = 0.95, bounds = nothing; missing = :raise)
    confidence, clip = Arguments.confidence(confidence), Arguments.bounds(bounds)
    counts, scores = scored_counts(R, w, R0, missing)
    return normal_interval(score_moments(counts, scores, false)..., confidence, clip)
end

"""
    avg(R, w=nothing; missing=:raise) -> (mu, sigma)

avg@N: the plain average score, with the standard deviation of Bayes@N on the scale of the average. With unequal numbers
of trials: the mean over questions of the average of each, not the pooled average.

- `R`: outcomes in 0..C, M×N, or `Counts`.
- `w`: the score of each category; default (0, 1).
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer);
  see [`tally`](@ref).

`mu` is the average; with N trials of every question `sigma` is (1 + C + N)/N times that of [`bayes`](@ref). The result
is also a number, `mu`: `avg(R) > 0.5`. Throws `InvalidInput` for anything wrong with `R` or `w`. Source: equation 20 of
arXiv:2510.04265. Where N is small `sigma` is about twice the trial-to-trial standard error: for an interval prefer
[`mean_ci`](@ref).

# Examples
```jldoctest
julia> mu, sigma = avg([0 1 1 0 1; 1 1 0 1 1]);

julia> round(mu, digits=6), round(sigma, digits=6)
(0.7, 0.165831)

julia> avg([0 1 1 0 1; 1 1 0 1 1]) - 0.5 > 0.1
true
```
"""
@by_name function avg(R, w = nothing; missing = :raise)
    mu, sigma = avg_ci(R, w; missing = missing)
    return Average(mu, sigma)
end

"""
    avg_ci(R, w=nothing, confidence=0.95, bounds=nothing; missing=:raise) -> (mu, sigma, lo, hi)

avg@N with the normal interval mu ∓ z sigma.

- `R`, `w`, `missing`: as in [`avg`](@ref); `confidence`, `bounds`: as in [`bayes_ci`](@ref).

All four are in units of `w`. Throws `InvalidInput` for anything wrong with the arguments. Source: [`avg`](@ref). For
this question set the interval is conservative: over simulated benchmarks the 95% interval covered the expected average
in 98% of runs for N >= 2, and in nearly all for N = 1, with about twice the width that is needed. The mean of the
population of similar questions was covered in 67% of runs for N >= 2 (`python bench/coverage.py`). Use
[`mean_ci`](@ref).

# Examples
```jldoctest
julia> r = avg_ci([0 1 2 2 1; 1 1 0 2 2], [0.0, 0.5, 1.0]);

julia> round(r.mu, digits=4), round(r.sigma, digits=4), round(r.lo, digits=4), round(r.hi, digits=4)
(0.6, 0.1472, 0.3115, 0.8885)
```
"""
@by_name function avg_ci(R, w = nothing, confidence = 0.95, bounds = nothing; missing = :raise)
    confidence, clip = Arguments.confidence(confidence), Arguments.bounds(bounds)
    counts, scores = scored_counts(R, w, nothing, missing)
    return normal_interval(score_moments(counts, scores, true)..., confidence, clip)
end
