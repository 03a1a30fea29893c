# Geometric blends of Pass@k and Pass^k: Geom@k, question by question and on the whole data set.

"Refuse 0 with a negative power; undefined: 0 if all is defined, 1 or 2 for the first or the second factor."
function refuse_undefined(undefined, alpha, beta)
    undefined == 0 && return
    name, power = undefined == 1 ? ("pass_power", alpha) : ("unanimous_power", beta)
    refuse("undefined", name, "0 to the power ", name, " = ", value(power), " is undefined")
end

"The blend x^alpha y^beta of two metrics."
function blend(x, y, alpha, beta)
    G, undefined = Hypergeometric.blend(x, y, alpha, beta)
    refuse_undefined(undefined, alpha, beta)
    return G
end

"Check that a result is finite, and return it; only a negative power can make it overflow."
function check_finite(result, pass_power)
    all(isfinite, result) && return result
    name = pass_power < 0 ? "pass_power" : "unanimous_power"
    refuse("overflow", name, "with a negative ", name, " the result is outside the range of doubles: ", result)
end

"""
    geom_at_k(R, k, pass_power=0.5, unanimous_power=0.5; missing=:raise) -> Float64

Geom@k: (Pass@k)^a (Pass^k)^b of each question, averaged over questions.

- `R`, `k`, `missing`: as in [`pass_at_k`](@ref).
- `pass_power`, `unanimous_power`: the powers a and b, finite, not both 0; 0^0 = 1, and 0 to a positive power makes the
  product 0.

In [0, 1] for powers that are not negative. Throws `InvalidInput` for anything wrong with the arguments; undefined:
both powers are 0, or 0 has a negative power; overflow: the result is not finite. Source: the equation of
spec/functions.json. With b > 0 a question with fewer than k successes counts as 0, which is harsh at large k.

# Examples
```jldoctest
julia> round(geom_at_k([0 1 1 0 1; 1 1 0 1 1], 2), digits=6)
0.647106
```
"""
@by_name function geom_at_k(R, k, pass_power = 0.5, unanimous_power = 0.5; missing = :raise)
    a, b = Arguments.powers(pass_power, unanimous_power)
    k = Arguments.number_of_trials(k)
    counts = with_k_trials(R, k, missing)
    (x,), (y,) = tables(counts, Hypergeometric.pass_at_k!, 1, k, k), tables(counts, Hypergeometric.pass_hat_k!, 1, k, k)
    refuse_undefined(Hypergeometric.blends!(x, x, y, a, b), a, b)  # writes the blends into x
    return check_finite(value(mean_over_questions(x, counts)), pass_power)
end

"""
    geom_at_k_ci(R, k, pass_power=0.5, unanimous_power=0.5, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0;
                 missing=:raise) -> (mu, sigma, lo, hi)

Approximate posterior summary of Geom@k: the delta method on each question's posterior.

- `R`, `pass_power`, `unanimous_power`, `missing`: as in [`geom_at_k`](@ref).
- `k`: number of new trials, any k >= 1; may exceed N.
- The other arguments: as in [`pass_at_k_ci`](@ref).

`mu` is the mean over questions of E[Pass@k]^a E[Pass^k]^b. Throws `InvalidInput` for anything wrong with the arguments;
overflow: the result is not finite. Source: the equations of spec/functions.json. `sigma` is of first order in the
posterior's width: rough where N is small and a power is far from 1. A uniform prior per question: see
[`pass_at_k_ci`](@ref) for when that misleads.

# Examples
```jldoctest
julia> r = geom_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.610666, 0.133107, 0.3498, 0.8716)
```
"""
@by_name function geom_at_k_ci(
    R, k, pass_power = 0.5, unanimous_power = 0.5, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0;
    missing = :raise,
)
    confidence, clip, priors = check_interval_arguments(confidence, bounds, alpha0, beta0)
    a, b = Arguments.powers(pass_power, unanimous_power)
    k = Arguments.number_of_trials(k)
    counts = count_binary(R, missing)
    mu, var = tables(counts, Posterior.geom_at_k!, 2, k, k, a, b, priors...)
    return check_finite(summarize(counts, mu, var, confidence, clip), pass_power)
end

"""
    geom_ds_at_k(R, k, pass_power=0.5, unanimous_power=0.5; missing=:raise) -> Float64

Dataset-level Geom@k: (Pass@k)^a (Pass^k)^b of the whole data set.

- All arguments: as in [`geom_at_k`](@ref).

In [0, 1] for powers that are not negative. Throws `InvalidInput` for anything wrong with the arguments; undefined:
both powers are 0, or 0 has a negative power; overflow: the result is not finite. Source: the equation of
spec/functions.json. This is not an average over questions: its value on a union of data sets need not be between
theirs.

# Examples
```jldoctest
julia> round(geom_ds_at_k([0 1 1 0 1; 1 1 0 1 1], 2), digits=6)
0.653835
```
"""
@by_name function geom_ds_at_k(R, k, pass_power = 0.5, unanimous_power = 0.5; missing = :raise)
    a, b = Arguments.powers(pass_power, unanimous_power)
    k = Arguments.number_of_trials(k)
    counts = with_k_trials(R, k, missing)
    x = mean_over_states(counts, Hypergeometric.pass_at_k!, k, k)
    y = mean_over_states(counts, Hypergeometric.pass_hat_k!, k, k)
    return check_finite(value(blend(x, y, a, b)), pass_power)
end

"""
Delta-method interval of x^a y^b for the means x and y over questions.

moments: tables of the posterior mean and variance of x, those of y, and their covariance, for each state; identical:
whether x and y are the same quantity, as Pass@1 and Pass^1 are.
"""
function dataset_delta(counts, moments, a, b, identical, confidence, bounds)
    x, vx, y, vy, cov = map(t -> mean_over_questions(t, counts), moments)
    vx, vy, cov = map(v -> v / questions(counts), (vx, vy, cov))
    mu, var = Posterior.delta(x, vx, y, vy, cov, a, b, identical)
    return normal_interval(mu, var, confidence, bounds)
end

"""
    geom_ds_at_k_ci(R, k, pass_power=0.5, unanimous_power=0.5, confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0,
                    beta0=1.0; missing=:raise) -> (mu, sigma, lo, hi)

Approximate posterior summary of the dataset-level Geom@k by the delta method; any k >= 1.

- All arguments: as in [`geom_at_k_ci`](@ref).

`mu` = E[Pass@k]^a E[Pass^k]^b. Throws `InvalidInput` for anything wrong with the arguments; overflow: the result is not
finite. Source: the equations of spec/functions.json. `sigma` is of first order in the posterior's width: rough where
there are few questions with few trials each. A uniform prior per question: see [`pass_at_k_ci`](@ref) for when that
misleads.

# Examples
```jldoctest
julia> r = geom_ds_at_k_ci([0 1 1 0 1; 1 1 0 1 1], 2);

julia> round(r.mu, digits=6), round(r.sigma, digits=6), round(r.lo, digits=4), round(r.hi, digits=4)
(0.612112, 0.132755, 0.3519, 0.8723)
```
"""
@by_name function geom_ds_at_k_ci(
    R, k, pass_power = 0.5, unanimous_power = 0.5, confidence = 0.95, bounds = UNIT, alpha0 = 1.0, beta0 = 1.0;
    missing = :raise,
)
    confidence, clip, priors = check_interval_arguments(confidence, bounds, alpha0, beta0)
    a, b = Arguments.powers(pass_power, unanimous_power)
    k = Arguments.number_of_trials(k)
    counts = count_binary(R, missing)
    joint = tables(counts, Posterior.joint_at_k!, 5, k, k, priors...)
    return check_finite(dataset_delta(counts, joint, a, b, k == 1, confidence, clip), pass_power)
end
