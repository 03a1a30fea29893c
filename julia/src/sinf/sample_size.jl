# Numbers of trials or questions that detect a difference or make an interval narrow enough: exact integers.

"Checked arguments: one model or two, the clusters of their questions, and the rule."
struct SizeRequest
    a::Estimators.Estimator
    b::Union{Nothing,Estimators.Estimator}
    units::Clusters.Units
    z_required::Fraction  # standard errors that the difference must amount to
    has_z::Bool  # whether the caller gave z
    confidence::Float64
    z::Fraction  # normal quantile for the interval
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
- `confidence`: 1 - confidence is the two-sided level of the comparison; or the level of the interval.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions on which a model has no trial are left out.

Trials per question in all: subtract those you have. `nothing` where the difference is 0, which no number of trials
detects. Throws `InvalidInput` for anything wrong with the arguments; conflict: none or both of `R_b` and `half_width`;
range: fewer than 2k trials. The variance over the trials falls like V(N) = (A/N + 1/N^2) / M^2 for the mean, A the sum
over questions of the variance of one trial (of both models); with one trial per question A is an upper bound. The rule
is |D| >= (t_(1 - alpha/2) + z_power) sqrt(V(N)), t with the degrees of freedom of the comparison of `R` and `R_b`. The
answer is at least 2k (2 for the mean, 4 for the flip rate): with fewer trials the variance would not be measured but
modelled, or an upper bound. An observed difference is itself uncertain (at one standard error the answer may be off
five-fold): state the difference that matters, or plan again later. The variance is an estimate too: where blocks of
k trials of `R` and `R_b` hardly vary (the number that succeed has a variance below 5) the power can be far below the
stated one, in the worst case that is known 36% for 80%.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> trials_needed(A, B), trials_needed(A, B; difference=0.1), trials_needed(A; half_width=0.1)
(15, 156, 22)
```
"""
function trials_needed(
    R, R_b = nothing, w = nothing;
    metric = :mean, k = nothing, tau = nothing, half_width = nothing, difference = nothing, power = 0.8, z = nothing,
    confidence = 0.95, missing = :raise,
)
    request = Estimates.parse_request(metric, k, tau, w; missing = missing)
    t = size_request(request, R, R_b, half_width, difference, power, z, confidence)
    k, M, start = request.m.k, t.a.parts.M, 2 * request.m.k  # with fewer the variance would not be measured
    a, D = Planning.growth(t.a, "R"), Planning.parts_of_units(t.a, t.b, Clusters.Units(M))[1]
    V(N, trials) = (trials + Planning.step(a, N)) / big(M)^2
    if t.b === nothing
        return until_narrow(t, D, N -> Fraction(N * M, k), N -> V(N, Planning.trials_variance(a, N)), start)
    end
    b = Planning.growth(t.b, "R_b")
    both(N) = V(N, Planning.trials_variance(a, N) + Planning.trials_variance(b, N))
    required = t.has_z ? t.z_required : t.z_required - t.z + Planning.critical_of_trials(t.a, t.b, t.confidence)
    return until_detected(t, D, both, start, required)
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

Questions in all; `nothing` where the difference is 0. Throws `InvalidInput` as `trials_needed`; shape: a single
question, or a single cluster: the variance between them is unknown. V(Q) = (Q S + 1/2) / Q^2 for a pair (1/12 for one
model), S the variance between questions, trial-to-trial variance included. The rule is |D| >= (t_(1 - alpha/2) +
z_power) sqrt(V(Q)), t with the degrees of freedom that [`compare`](@ref) will have with Q questions. Where the
questions hardly differ, these can be as few as 2, and the power is higher than stated; but where all but a few rare
questions differ alike, a plan of few questions has too little (42% for 80% with 12 questions). More trials per question
lower only the trial-to-trial part of S.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> questions_needed(A, B), questions_needed(A; half_width=0.1)
(11, 16)
```
"""
function questions_needed(
    R, R_b = nothing, w = nothing;
    metric = :mean, k = nothing, tau = nothing, half_width = nothing, difference = nothing, power = 0.8, z = nothing,
    confidence = 0.95, clusters = nothing, model = :mixture, missing = :raise,
)
    request = Estimates.parse_request(
        metric, k, tau, w; questions = "sampled", clusters = clusters, model = model, missing = missing,
    )
    t = size_request(request, R, R_b, half_width, difference, power, z, confidence)
    Differences.check_two_units(t.units.G, "R", t.units.labels === nothing ? "question" : "cluster")
    D, x = Planning.question_variance(t.a, t.b, t.units)
    part = 2 * x.part
    t.b === nothing && return until_narrow(t, D, Q -> Q / part, Q -> (Q * x.S + part * part / 12) / (Q * Q))
    # by the normal quantile, which needs no more questions than that of t
    fewest = until_detected(t, D, Q -> Planning.variance_of_sum(x, Q) / (Q * Q))
    (t.has_z || fewest === nothing) && return fewest
    D, z_of_power = something(t.difference, D), t.z_required - t.z
    function met(Q)
        critical = Planning.critical(x, Q, t.confidence)
        return critical !== nothing && D^2 * Q^2 >= (critical + z_of_power)^2 * Planning.variance_of_sum(x, Q)
    end
    questions_at(errors) = Planning.bisect(Q -> D^2 * Q^2 >= errors^2 * Planning.variance_of_sum(x, Q))
    # the quantile of t falls with the questions: that of too few plans too many, and that of too many too few
    critical = Planning.critical(x, fewest, t.confidence)
    if critical !== nothing
        most = questions_at(critical + z_of_power)
        fewest = max(fewest, questions_at(something(Planning.critical(x, most, t.confidence), critical) + z_of_power))
    end
    total = fewest - 1 + big(Planning.bisect(i -> met(fewest - 1 + i)))
    return total <= typemax(Int) ? Int(total) : total
end

function size_request(request, R, R_b, half_width, difference, power, z, confidence)
    confidence = Arguments.confidence(confidence)
    z_required = required_z(power, z, confidence)
    (R_b === nothing) == (half_width === nothing) && refuse("conflict", "half_width", "give one of R_b and half_width")
    R_b === nothing && difference !== nothing &&
        refuse("conflict", "difference", "a difference is between two models: it needs R_b")
    h, d = positive(half_width, "half_width"), positive(difference, "difference")
    low, high = map(Planning.fraction, extrema(request.m.w))
    a, b, units = R_b === nothing ? one_model(request, R) : planned_pair(request, R, R_b)
    units = units === nothing ? Clusters.Units(a.parts.M) : units
    span, equal = high - low, high == low
    width = equal ? Fraction(1) : Planning.fraction(something(h, 1.0)) / span
    assumed = equal || d === nothing ? nothing : Planning.fraction(d) / span
    z_interval = Planning.fraction(normal_z(confidence))
    return SizeRequest(a, b, units, z_required, z !== nothing, confidence, z_interval, width, assumed)
end

function planned_pair(request, R, R_b)
    a, b, _, units = both_estimators(request, R, R_b, "R", "R_b")
    return a, b, units
end

"Estimator of one model, and the clusters of its questions that have a trial."
function one_model(request, R)
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
        z_of_power = power > 0.5 ? Planning.fraction(Distributions.one_sided_z(power)) : Fraction(0)
        return Planning.fraction(normal_z(confidence)) + z_of_power
    end
    z = Arguments.finite(z, "z")
    0.0 < z <= 100.0 || refuse("range", "z", "z = ", z, " is outside (0, 100]")
    return Planning.fraction(z)
end

function positive(x, name)
    x === nothing && return nothing
    value = Arguments.finite(x, name)
    value > 0.0 || refuse("range", name, name, " = ", value, " is not positive")
    return value
end

function until_detected(t, D, V, start = 1, required = t.z_required)
    D = something(t.difference, D)
    return D == 0 ? nothing : Planning.bisect(n -> required * required * V(n) <= D * D, start)
end

"The smallest n at which Wilson's half width for n_eff = max(n0, theta (1 - theta) / V) is at most half_width."
function until_narrow(t, theta, n0, V, start = 1)
    p = theta * (1 - theta)
    function met(n)
        q = t.z * t.z / (p == 0 ? Fraction(n0(n)) : max(Fraction(n0(n)), p / V(n)))
        return q * p + q * q / 4 <= (t.half_width * (1 + q))^2
    end
    return Planning.bisect(met, start)
end
