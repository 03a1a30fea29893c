# How many trials, or questions, until a rule is met if the variance is as estimated: exact integers.

"Checked arguments: counts of one model or two, scores U / span, and the rule."
struct Target
    a::Counts
    b::Union{Nothing,Counts}
    U::Vector{BigInt}
    span::BigInt
    z::Fraction  # of a pair
    width::Fraction  # half width on the scale of U / span
    z_width::Fraction
end

"""
    trials_needed(R, R_b=nothing, w=nothing; half_width=nothing, z=1.645, confidence=0.95, missing=:raise)
        -> Int, BigInt or nothing

Trials per question until two models differ significantly, or until the interval for this question set is narrow enough.

- `R`: outcomes so far, M×N, or `Counts`.
- `R_b`: outcomes of another model on the same questions: |difference| must reach `z` of its standard deviations.
- `w`: the score of each category; default (0, 1).
- `half_width`: instead of `R_b`: half the width of `mean_ci(R; questions=:fixed)`, > 0, in units of `w`.
- `z`: threshold for the pair, in (0, 100]; 1.645 is 95% one-sided.
- `confidence`: level of the interval, strictly between 0 and 1.
- `missing`: the policy for absent outcomes. Questions without a trial on any side are left out.

In all: subtract those you have. `nothing` where the two means are equal, which no number of trials separates. Throws
`InvalidInput` for anything wrong with the arguments; conflict: none or both of `R_b` and `half_width`. The variance
falls like V(N) = (A/N + 1/N^2) / M^2, A the sum over questions of the variance of one trial (of both models), so z
grows like sqrt(N) and the width falls like 1/sqrt(N). With one trial per question A is an upper bound. The power is 50%
if the true difference is the observed one, which is itself an estimate (at a z of 1 the answer may be off five-fold):
plan again on the way.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> trials_needed(A, B), trials_needed(A; half_width=0.1)
(6, 22)
```
"""
function trials_needed(
    R, R_b = nothing, w = nothing; half_width = nothing, z = 1.645, confidence = 0.95, missing = :raise,
)
    t = target(R, R_b, w, half_width, z, confidence, missing)
    p = Means.sums(t.a, t.U, t.span)
    V(A) = N -> (A / N + Fraction(1) / (N * N)) / big(p.M)^2
    each = Means.single_trials(p, t.span)
    t.b === nothing && return until_narrow(t, p.theta, N -> N * p.M, V(each))
    q = Means.sums(t.b, t.U, t.span)
    return until_significant(t, Means.difference(p, q), V(each + Means.single_trials(q, t.span)))
end

"""
    questions_needed(R, R_b=nothing, w=nothing; half_width=nothing, z=1.645, confidence=0.95, missing=:raise)
        -> Int, BigInt or nothing

Questions of the same population, at the present trials, until models differ significantly or the interval is narrow.

- `R`, `R_b`, `w`, `z`, `confidence`, `missing`: as in [`trials_needed`](@ref).
- `half_width`: instead of `R_b`: half the width of `mean_ci(R; questions=:sampled)`, > 0, in units of `w`.

Questions in all; `nothing` where the two means are equal. Throws `InvalidInput` as `trials_needed`; shape: a single
question, which shows no variance between questions. The variance falls like V(Q) = (Q S + 1/12) / Q^2 (1/3 for a
pair), S the variance between questions with the trial-to-trial variance in it; so z grows like sqrt(Q). More trials
lower S only by the trial-to-trial part.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> questions_needed(A, B), questions_needed(A; half_width=0.1)
(3, 16)
```
"""
function questions_needed(
    R, R_b = nothing, w = nothing; half_width = nothing, z = 1.645, confidence = 0.95, missing = :raise,
)
    t = target(R, R_b, w, half_width, z, confidence, missing)
    p = Means.sums(t.a, t.U, t.span)
    Differences.at_least_two(p.M, "R")
    V(S, least) = Q -> (Q * S + least) / (Q * Q)
    t.b === nothing && return until_narrow(t, p.theta, Q -> Q, V(Fraction(p.dev...) / p.M, Fraction(1, 12)))
    D = Means.difference(p, Means.sums(t.b, t.U, t.span))
    S = Means.spread(t.a, t.b, t.U, t.span, D) / (p.M - 1)
    return until_significant(t, D, V(S, Fraction(1, 3)))
end

function target(R, R_b, w, half_width, z, confidence, missing)
    confidence, z = Arguments.confidence(confidence), Arguments.finite(z, "z")
    0.0 < z <= 100.0 || refuse("range", "z", "z = ", z, " is outside (0, 100]")
    (R_b === nothing) == (half_width === nothing) && refuse("conflict", "half_width", "give one of R_b and half_width")
    h = half_width === nothing ? 1.0 : Arguments.finite(half_width, "half_width")
    h > 0.0 || refuse("range", "half_width", "half_width = ", h, " is not positive")
    q = Estimates.read_request("mean", nothing, nothing, w; missing = missing)
    s = Means.scale(q.m.w)
    a, b = R_b === nothing ? (one_model(q, R), nothing) : two_models(q, R, R_b, "R", "R_b")
    high, low, e = normal_z(confidence)
    z_width = (fraction(high) + fraction(low)) * Fraction(2)^(256 * Int(e))
    width = any(!iszero, s.U) ? fraction(h) * s.unit / s.span : Fraction(1)
    return Target(a, b, s.U, s.span, fraction(z), width, z_width)
end

"The counts of the questions that have a trial."
function one_model(q, R)
    Models.check_flat(R, "R")
    return with_trials(Estimates.counts_for(q, R), "R")[1]
end

"A finite double as it is."
fraction(x) = Fraction(Rationals.integer_ratio(x)...)

"The smallest n >= 1 at which a rule is met that stays met."
function first_met(met)
    high = big(1)
    while !met(Fraction(high))
        high *= 2
    end
    low = high ÷ 2
    while high - low > 1
        n = (low + high) ÷ 2
        low, high = met(Fraction(n)) ? (low, n) : (n, high)
    end
    return high <= typemax(Int) ? Int(high) : high
end

until_significant(t, D, V) = D == 0 ? nothing : first_met(n -> t.z * t.z * V(n) <= D * D)

"Wilson's half width squared, (q theta (1 - theta) + q^2/4) / (1 + q)^2, q = z^2 / n_eff, at most width^2."
function until_narrow(t, theta, n0, V)
    one = Fraction(1)
    mean = Fraction(theta...)
    p = mean * (one - mean)
    return first_met() do n
        least, n_eff = n0(n), p / V(n)
        q = t.z_width * t.z_width / (n_eff > least ? n_eff : least)
        reach = t.width * (one + q)
        return q * p + q * q / Fraction(4) <= reach * reach
    end
end
