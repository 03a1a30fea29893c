# Metrics of at least r successes in k trials: G-Pass@k_tau, mG-Pass@k, Maj@k, AUC@k.

"""
    g_pass_at_k_tau(R, k, tau; missing=:raise) -> Float64

`G-Pass@k_tau`: probability that at least a share tau of k sampled trials succeeds, averaged over questions. The older
name `g_pass_at_k_tao` also works.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).
- `tau`: in [0, 1]; the threshold is the smallest r >= 1 with r/k >= tau: tau = 0 is Pass@k, tau = 1 is Pass^k.

In [0, 1]. Throws `InvalidInput` for anything wrong with `R`, `k` or `tau`. Source: Liu et al. 2024, arXiv:2412.13147.
ceil(tau k) in floating point would be wrong for many tau = j/k. For a majority use [`maj_at_k`](@ref), not tau.

# Examples
```jldoctest
julia> g_pass_at_k_tau([0 1 1 0 1; 1 1 0 1 1], 2, 0.5)
0.95
```
"""
@by_name g_pass_at_k_tau(R, k, tau; missing = :raise) = metric_value("g_pass_at_k_tau", R, k, missing, tau)

const g_pass_at_k_tao = g_pass_at_k_tau

"""
    g_pass_at_k_tau_ci(R, k, tau, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of the probability that at least a share tau of k new trials succeeds.

- `R`, `k`, `tau`, `missing`: as in [`g_pass_at_k_tau`](@ref); the other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments. Source: the equations of
spec/functions.json. A uniform prior per question: see `pass_at_k_ci` for when that misleads.

# Examples
```jldoctest
julia> r = g_pass_at_k_tau_ci([0 1 1 0 1; 1 1 0 1 1], 2, 1.0);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.446429, 0.146167)
```
"""
@by_name g_pass_at_k_tau_ci(R, k, tau, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("g_pass_at_k_tau", R, k, confidence, bounds, alpha0, beta0, missing, tau)

"""
    mg_pass_at_k(R, k; missing=:raise) -> Float64

mG-Pass@k: 2/k times the sum of P(at least r of k sampled trials succeed) over the thresholds r > ceil(k/2). For even k
this is G-Pass@k_tau averaged over tau from 1/2 to 1.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).

In [0, 1]: the mean of (2/k) sum_{j>m} (j - m) P(X = j), X the number of successes among k sampled trials, m =
ceil(k/2); 0 at k = 1. Throws `InvalidInput` for anything wrong with `R` or `k`. Source: Liu et al. 2024,
arXiv:2412.13147. This is the finite sum; for odd k it differs from the integral over tau, and is only (k-1)/k for a
perfect model.

# Examples
```jldoctest
julia> mg_pass_at_k([0 1 1 0 1; 1 1 0 1 1], 3)
0.16666666666666666
```
"""
@by_name mg_pass_at_k(R, k; missing = :raise) = metric_value("mg_pass_at_k", R, k, missing)

"""
    mg_pass_at_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of mG-Pass@k of k new trials.

- `R`, `k`, `missing`: as in [`mg_pass_at_k`](@ref); the other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma; `mu` and `sigma` are 0 at k = 1. Throws `InvalidInput` for anything wrong with the
arguments. Source: the equations of spec/functions.json. A uniform prior per question: see `pass_at_k_ci` for when that
misleads.

# Examples
```jldoctest
julia> r = mg_pass_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.446429, 0.146167)
```
"""
@by_name mg_pass_at_k_ci(R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("mg_pass_at_k", R, k, confidence, bounds, alpha0, beta0, missing)

"""
    maj_at_k(R, k; missing=:raise) -> Float64

Maj@k: probability that strictly more than half of k sampled trials succeed, averaged over questions.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).

In [0, 1]; the threshold is floor(k/2) + 1. Throws `InvalidInput` for anything wrong with `R` or `k`. Source: the
equation of spec/functions.json. A proxy for majority voting where only correctness is logged: a vote can be right with
fewer than half of the answers right, when the wrong ones differ. On simulated benchmarks it is 0.03 to 0.47 below what
a vote of the answers scores: where the answers are known, use [`plurality_at_k`](@ref).

# Examples
```jldoctest
julia> maj_at_k([0 1 1 0 1; 1 1 0 1 1], 3)
0.85
```
"""
@by_name maj_at_k(R, k; missing = :raise) = metric_value("maj_at_k", R, k, missing)

"""
    maj_at_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of the probability that a strict majority of k new trials succeeds.

- `R`, `k`, `missing`: as in [`maj_at_k`](@ref); the other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments. Source: the equations of
spec/functions.json. A uniform prior per question: see `pass_at_k_ci` for when that misleads.

# Examples
```jldoctest
julia> r = maj_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 3);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.684524, 0.151958, 0.3867, 0.9824)
```
"""
@by_name maj_at_k_ci(R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("maj_at_k", R, k, confidence, bounds, alpha0, beta0, missing)

"""
    auc_at_k(R, k; missing=:raise) -> Float64

AUC@k: area under Pass@1..k by trapezoids, divided by k - 1; Pass@1 at k = 1.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).

In [0, 1]. Throws `InvalidInput` for anything wrong with `R` or `k`. Source: Hu et al. 2026, arXiv:2601.08763. Pass@j at
large j dominates it: two models of very different Pass@1 can tie.

# Examples
```jldoctest
julia> auc_at_k([0 1 1 0 1; 1 1 0 1 1], 3)
0.9
```
"""
@by_name auc_at_k(R, k; missing = :raise) = metric_value("auc_at_k", R, k, missing)

"""
    auc_at_k_ci(R, k, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0; missing=:raise)
        -> (mu, sigma, lo, hi)

Posterior summary of AUC@k of k new trials.

- `R`, `k`, `missing`: as in [`auc_at_k`](@ref); the other arguments: as in [`pass_at_k_ci`](@ref).

The interval is mu ∓ z sigma. Throws `InvalidInput` for anything wrong with the arguments. Source: the equations of
spec/functions.json. The time is O(k^2) for each distinct number of successes. A uniform prior per question: see
`pass_at_k_ci` for when that misleads.

# Examples
```jldoctest
julia> r = auc_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 1);

julia> round(r.mu, digits=6), round(r.sigma, digits=6)
(0.642857, 0.118451)
```
"""
@by_name auc_at_k_ci(R, k, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0; missing = :raise) =
    posterior_summary("auc_at_k", R, k, confidence, bounds, alpha0, beta0, missing)
