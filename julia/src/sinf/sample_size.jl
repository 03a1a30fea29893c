# Numbers of trials or questions that detect a difference or make an interval narrow enough: exact integers.

"Checked arguments: one model or two, the clusters of their questions, and the rule."
struct SizeRequest
    a::Estimators.Estimator
    b::Union{Nothing,Estimators.Estimator}
    units::Clusters.Units
    z_required::Fraction  # number of standard errors that the difference must amount to
    has_z::Bool  # whether the caller gave z
    confidence::Float64
    z::Fraction  # two-sided normal quantile of confidence
    half_width::Fraction  # on the scale 0..1
    difference::Union{Nothing,Fraction}  # on the scale 0..1; nothing: the observed one
end

"""
    trials_needed(R, R_b=nothing, w=nothing; metric=:mean, k=nothing, tau=nothing, half_width=nothing,
        difference=nothing, power=0.8, z=nothing, confidence=0.95, missing=:raise) -> Int, BigInt or nothing

Trials per question that detect a difference with the stated power, or make the interval narrow enough.

- `R`: outcomes so far, M×N, or `Counts`.
- `R_b`: outcomes of another model on the same questions: their difference is to be detected.
- `w`: the score of each category; default (0, 1).
- `metric`, `k`, `tau`: as in [`interval`](@ref). Metrics of k trials need 2k trials of every question: only these
  determine the variance at another number of trials.
- `half_width`: instead of `R_b`: half the width of `interval(R; questions=:fixed)`, > 0, in units of `w`, if it takes
  the normal quantile; where few questions vary it takes that of t, and is wider.
- `difference`: the difference to detect, > 0, in units of `w`; default: the observed one.
- `power`: probability that the two models are significantly different, if their difference is the one assumed, in
  [1/2, 1).
- `z`: instead of `power` and `confidence`: the number of standard errors that the difference must amount
  to, in (0, 100].
- `confidence`: with `R_b`, 1 - confidence is the two-sided significance level; with `half_width`, the nominal coverage
  of the interval.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions on which a model has no trial are left out.

Trials per question in all: subtract those that you have. `nothing` where the difference is 0, which no number of trials
detects. Throws `InvalidInput` for anything wrong with the arguments; conflict: none or both of `R_b` and `half_width`;
range: fewer than 2k trials for a metric of k trials. The variance over the trials falls like V(N) = (A/N + 1/N^2) / M^2
for the mean, A the sum over questions of the variance of one trial (of both models); with one trial per question A is
an upper bound. The rule is `|D| >= (t_(1 - alpha/2) + z_power) sqrt(V(N))`, t with the degrees of freedom of the
comparison of `R` and `R_b`. The answer is at least 2k (2 for the mean, 4 for the flip rate): with fewer trials the
variance would not be measured but modelled, or an upper bound. An observed difference is itself uncertain (if it is off
by one standard error, the answer may be off five-fold): state the difference that matters, or plan again as data come
in. The variance is an estimate too: where blocks of k trials of `R` and `R_b` hardly vary (the number that succeed has
a variance below 5) the power can be far below the stated one, in the worst case that is known 36% for 80%.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> trials_needed(A, B), trials_needed(A, B; difference=0.1), trials_needed(A; half_width=0.1)
(16, 170, 22)
```
"""
@by_name function trials_needed(
    R, R_b = nothing, w = nothing;
    metric = :mean, k = nothing, tau = nothing, half_width = nothing, difference = nothing, power = 0.8, z = nothing,
    confidence = 0.95, missing = :raise,
)
    request = Estimates.parse_request(metric, k, tau, w; missing = missing)
    size = size_request(request, R, R_b, half_width, difference, power, z, confidence)
    k, M, start = request.m.k, size.a.parts.M, 2 * request.m.k  # with fewer the variance would not be measured
    D = ExactUnits.mean_difference(size.a, size.b)  # the difference, or the mean of a single model
    a, factor = Planning.growth(size.a, "R"), Estimators.joint_range(size.a, something(size.b, size.a))^2
    V(N, trials) = (trials + factor * Planning.step(a, N)) / big(M)^2
    if size.b === nothing
        return until_narrow(size, D, N -> Fraction(N * M, k), N -> V(N, Planning.trials_variance(a, N)), start)
    end
    b = Planning.growth(size.b, "R_b")
    both(N) = V(N, Planning.trials_variance(a, N) + Planning.trials_variance(b, N))
    required = size.z_required
    if !size.has_z  # the quantile of t in the place of z
        required = required - size.z + Planning.critical_of_trials(size.a, size.b, size.confidence)
    end
    return Planning.trials_to_detect(something(size.difference, D), required, both, start)
end

"""
    questions_needed(R, R_b=nothing, w=nothing; metric=:mean, k=nothing, tau=nothing, half_width=nothing,
        difference=nothing, power=0.8, z=nothing, confidence=0.95, clusters=nothing, model=:mixture, missing=:raise)
        -> Int, BigInt or nothing

Questions, at the present trials of each, that detect a difference or make the interval narrow enough.

- `R`, `R_b`, `w`, `difference`, `power`, `z`, `confidence`, `missing`: as in [`trials_needed`](@ref).
- `metric`, `k`, `tau`, `model`: as in [`interval`](@ref).
- `half_width`: instead of `R_b`: half the width of `interval(R; questions=:sampled)`, > 0, in units of `w`, with the
  normal quantile; with that of t, which the interval takes, it is wider (by 4% with 30 questions).
- `clusters`: M labels, the cluster of each question. Further clusters are assumed to have the same sizes; the result
  counts questions.

Questions in all; `nothing` where the difference is 0. Throws `InvalidInput` as `trials_needed` does, but k trials of a
question are enough; shape: a single question, or a single cluster: the variance between them is unknown. V(Q) = S / Q
for a pair (S / Q + 1/(12 Q^2) for one model), S the variance between questions, including that over the trials. The
rule is `|D| >= (t_(1 - alpha/2) + z_power) sqrt(V(Q))`, t with the Q - 1 degrees of freedom that [`compare`](@ref) will
have, and 2^(1 - Q) <= alpha, since the signs of fewer questions cannot be significant. More trials per question lower
only the trial-to-trial part of S.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> questions_needed(A, B), questions_needed(A; half_width=0.1)
(6, 16)
```
"""
@by_name function questions_needed(
    R, R_b = nothing, w = nothing;
    metric = :mean, k = nothing, tau = nothing, half_width = nothing, difference = nothing, power = 0.8, z = nothing,
    confidence = 0.95, clusters = nothing, model = :mixture, missing = :raise,
)
    request = Estimates.parse_request(
        metric, k, tau, w; questions = "sampled", clusters = clusters, model = model, missing = missing,
    )
    size = size_request(request, R, R_b, half_width, difference, power, z, confidence)
    Differences.check_two_units(size.units.G, "R", size.units.labels === nothing ? "question" : "cluster")
    D, x = Planning.question_variance(size.a, size.b, size.units)  # D: the difference, or the mean of a single model
    if size.b === nothing
        part = Fraction(size.units.squared, size.units.M)  # the number of questions for each independent unit
        return until_narrow(size, D, Q -> Q / part, Q -> (Q * x.S + part * part / 12) / (Q * Q))
    end
    D = something(size.difference, D)
    size.has_z && return Planning.trials_to_detect(D, size.z_required, Q -> x.S / Q, 1)
    return Planning.questions_to_detect(D, size.z_required, size.confidence, x)
end

"The checked arguments of trials_needed or questions_needed."
function size_request(request, R, R_b, half_width, difference, power, z, confidence)
    confidence = Arguments.confidence(confidence)
    z_required = required_z(power, z, confidence)
    (R_b === nothing) == (half_width === nothing) && refuse("conflict", "half_width", "give one of R_b and half_width")
    R_b === nothing && difference !== nothing &&
        refuse("conflict", "difference", "a difference is between two models: it needs R_b")
    h, d = positive(half_width, "half_width"), positive(difference, "difference")
    low, high = map(fraction, extrema(request.m.w))
    a, b, units = R_b === nothing ? one_estimator(request, R) : two_estimators(request, R, R_b)
    units = units === nothing ? Clusters.Units(a.parts.M) : units
    span, equal = high - low, high == low
    width = equal ? Fraction(1) : fraction(something(h, 1.0)) / span
    assumed = equal || d === nothing ? nothing : fraction(d) / span
    z_interval = fraction(normal_z(confidence))
    return SizeRequest(a, b, units, z_required, z !== nothing, confidence, z_interval, width, assumed)
end

"Estimators of both models, and the clusters of their questions."
function two_estimators(request, R, R_b)
    a, b, _, units = both_estimators(request, R, R_b, "R", "R_b")
    return a, b, units
end

"Estimator of one model, nothing for a second, and the clusters of its questions that have a trial."
function one_estimator(request, R)
    Models.check_flat(R, "R")
    counts = Estimates.read_outcomes(request, R)
    labels = population(nothing, request.clusters, request.sampled, counts)[2]
    check_trials(counts, request.m.k, "R", "the variance at more trials is not known", Metrics.flips(request.m))
    answered, dropped = with_trials(counts, "R")
    return Estimates.estimator_for(request, answered), nothing, Estimates.units_of(labels, dropped)
end

"The number of standard errors that a difference must amount to."
function required_z(power, z, confidence)
    power = Arguments.power(power)
    if z === nothing
        return fraction(normal_z(confidence)) + fraction(Distributions.one_sided_z(power))
    end
    z = Arguments.finite(z, "z")
    0.0 < z <= 100.0 || refuse("range", "z", "z = ", z, " is outside (0, 100]")
    return fraction(z)
end

"Check that x is positive, or nothing; returns it as a double."
function positive(x, name)
    x === nothing && return nothing
    value = Arguments.finite(x, name)
    value > 0.0 || refuse("range", name, name, " = ", value, " is not positive")
    return value
end

"The smallest n at which Wilson's half width for n_eff = max(n0(n), theta (1 - theta) / V(n)) is narrow enough."
function until_narrow(size, theta, n0, V, start = 1)
    p = theta * (1 - theta)
    function ratio(n)
        n_eff = p == 0 ? Fraction(n0(n)) : max(Fraction(n0(n)), p / V(n))
        return Planning.width_ratio(size.half_width, p, size.z * size.z / n_eff)
    end
    return Planning.smallest(ratio, start)
end
