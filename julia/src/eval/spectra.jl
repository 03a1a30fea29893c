# Threshold spectra S_{w,k} and their blend with Pass@k: GeoSpectrum@k.

"Type of the default of lam, distinct from a 0.5 given by the caller."
struct DefaultLam end

const DEFAULT_LAM = DefaultLam()

Base.show(io::IO, ::DefaultLam) = print(io, "0.5")

"""
    threshold_spectrum_at_k(R, k, weights; missing=:raise) -> Float64

S_{w,k}: sum over r of weights[r] P(at least r of k sampled trials succeed), averaged over questions.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).
- `weights`: `w_1..w_k`, none negative, with a sum of at most 1.

In [0, sum of weights]. Throws `InvalidInput` for anything wrong with `R`, `k` or `weights`. Source: the equation of
spec/functions.json. Every threshold metric is such a spectrum: Pass@k (`w_1 = 1`), Pass^k (`w_k = 1`), Maj@k,
mG-Pass@k, AUC@k; prefer the named metric if there is one.

# Examples
```jldoctest
julia> threshold_spectrum_at_k([0 1 1 0 1; 1 1 0 1 1], 2, [0.5, 0.5])
0.7
```
"""
@by_name function threshold_spectrum_at_k(R, k, weights; missing = :raise)
    k = Arguments.number_of_trials(k)
    counts = with_k_trials(R, k, missing)
    return value(spectrum_mean(counts, k, Weights.checked_weights(weights, k)))
end

"""
    threshold_spectrum_at_k_ci(R, k, weights, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0;
                               missing=:raise) -> (mu, sigma, lo, hi)

Posterior summary of a threshold spectrum of k new trials.

- `R`, `weights`, `missing`: as in [`threshold_spectrum_at_k`](@ref).
- `k`: number of new trials, any k >= 1; may exceed N.
- The other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments. Source: the equations of
spec/functions.json. For k > N the result depends on the prior, since so many trials were not observed. A uniform prior
per question: see [`pass_at_k_ci`](@ref) for when that misleads.

# Examples
```jldoctest
julia> r = threshold_spectrum_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2, [1.0, 0.0]);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.839286, 0.097263)
```
"""
@by_name function threshold_spectrum_at_k_ci(
    R, k, weights, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0;
    missing = :raise,
)
    confidence, clip, priors = check_interval_arguments(confidence, bounds, alpha0, beta0)
    k = Arguments.number_of_trials(k)
    w = Weights.checked_weights(weights, k)
    counts = count_binary(R, missing)
    mu, var = spectrum_tables(counts, k, w, priors)
    return summarize(counts, mu, var, confidence, clip)
end

"Check lam, which has two names; returns the powers lam and 1 - lam."
function blend_powers(lam, lambda_)
    lambda_ === nothing || lam === DEFAULT_LAM ||
        refuse("conflict", "lambda_", "lam and lambda_ are two names of one parameter: give one")
    name, argument = lambda_ === nothing ? ("lam", lam === DEFAULT_LAM ? 0.5 : lam) : ("lambda_", lambda_)
    x = Triple(Arguments.in_range(argument, name, 0.0, 1.0))
    return x, ONE - x
end

"""
    geo_spectrum_at_k(R, k, lam=0.5, weights=nothing, lambda_=nothing; missing=:raise) -> Float64

GeoSpectrum@k: Pass@k to the power lam times a threshold spectrum to the power 1 - lam, of the whole data set.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).
- `lam`: the power of Pass@k, in [0, 1]; `lambda_` is another name of it.
- `weights`: k weights of the spectrum S; default the upper half, which makes S mG-Pass@k.

In [0, 1]. Throws `InvalidInput` for anything wrong with the arguments; conflict: both `lam` and `lambda_`. Source: the
equation of spec/functions.json. This is not an average over questions. With the default weights and `lam` < 1 it
is 0 at k = 1.

# Examples
```jldoctest
julia> round(geo_spectrum_at_k([0 1 1 0 1; 1 1 0 1 1], 3), digits=6)
0.408248
```
"""
@by_name function geo_spectrum_at_k(R, k, lam = DEFAULT_LAM, weights = nothing, lambda_ = nothing; missing = :raise)
    powers = blend_powers(lam, lambda_)
    m = Metrics.read_metric("mg_pass_at_k", k, nothing, nothing)
    counts = with_k_trials(R, m.k, missing)
    S = weights === nothing ? metric_mean(counts, m) : spectrum_mean(counts, m.k, Weights.checked_weights(weights, m.k))
    return value(blend(metric_mean(counts, Metrics.renamed(m, "pass_at_k")), S, powers...))
end

"""
    geo_spectrum_at_k_ci(R, k, lam=0.5, weights=nothing, lambda_=nothing, confidence=0.95, bounds=(0.0, 1.0),
                         alpha0=1.0, beta0=1.0; missing=:raise) -> (mu, sigma, lo, hi)

Approximate posterior summary of GeoSpectrum@k by the delta method.

- `R`, `lam`, `weights`, `lambda_`, `missing`: as in [`geo_spectrum_at_k`](@ref).
- `k`: number of new trials, any k >= 1; may exceed N.
- The other arguments: as in [`pass_at_k_ci`](@ref).

`mu` = E[Pass@k]^lam E[S]^(1-lam); `mu` and `sigma` are 0 where E[S] is 0 and `lam` < 1. Throws `InvalidInput` for
anything wrong with the arguments; conflict: both `lam` and `lambda_`. Source: the equations of spec/functions.json.
`sigma` is of first order in the posterior's width: rough where there are few questions with few trials each. A uniform
prior per question: see [`pass_at_k_ci`](@ref) for when that misleads.

# Examples
```jldoctest
julia> r = geo_spectrum_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2; lam=1.0);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.839286, 0.097263)
```
"""
@by_name function geo_spectrum_at_k_ci(
    R, k, lam = DEFAULT_LAM, weights = nothing, lambda_ = nothing,
    confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0;
    missing = :raise,
)
    confidence, clip, priors = check_interval_arguments(confidence, bounds, alpha0, beta0)
    powers = blend_powers(lam, lambda_)
    m = Metrics.read_metric("mg_pass_at_k", k, nothing, nothing)
    w = weights === nothing ? nothing : Weights.checked_weights(weights, m.k)
    counts = count_binary(R, missing)
    x, vx = posterior_tables(counts, Metrics.renamed(m, "pass_at_k"), priors)
    y, vy, cov = w === nothing ? posterior_tables(counts, m, priors) : spectrum_tables(counts, m.k, w, priors)
    return dataset_delta(counts, (x, vx, y, vy, cov), powers..., false, confidence, clip)
end

"""
    geo_spectrum_star_at_k(R, k; missing=:raise) -> Float64

GeoSpectrum*@k: sqrt(Pass@k mG-Pass@k), [`geo_spectrum_at_k`](@ref) with its defaults.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).

In [0, 1]. Throws `InvalidInput` for anything wrong with `R` or `k`. Source and limits: `geo_spectrum_at_k`.

# Examples
```jldoctest
julia> round(geo_spectrum_star_at_k([0 1 1 0 1; 1 1 0 1 1], 3), digits=6)
0.408248
```
"""
@by_name geo_spectrum_star_at_k(R, k; missing = :raise) = geo_spectrum_at_k(R, k; missing = missing)

"""
    geo_spectrum_star_at_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Approximate posterior summary of GeoSpectrum*@k: [`geo_spectrum_at_k_ci`](@ref) with its defaults.

- All arguments: as in `geo_spectrum_at_k_ci`.

Throws `InvalidInput` for anything wrong with the arguments. Source and limits: `geo_spectrum_at_k_ci`.

# Examples
```jldoctest
julia> r = geo_spectrum_star_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.612112, 0.132755)
```
"""
@by_name function geo_spectrum_star_at_k_ci(
    R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0;
    missing = :raise,
)
    return geo_spectrum_at_k_ci(
        R, k;
        confidence = confidence, bounds = bounds, alpha0 = alpha0, beta0 = beta0, missing = missing,
    )
end
