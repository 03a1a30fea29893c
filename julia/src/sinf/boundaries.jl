# Boundaries for several looks at growing data, with one error rate over all looks.

const CONFIDENCE_OF_LOOKS = (0.5, 1.0 - 1e-12)  # from 1/2 on, 1 - confidence is exact; the smallest level is 1e-12

"""
    boundaries(fractions, confidence=0.95, spending="obrien-fleming") -> (z, p, spent)

The |Z| at which each of several planned looks may stop.

- `fractions`: fraction of the planned information at each look, increasing by 1/256 or more, the last at most 1: for a
  mean on fixed questions trials / planned trials; if questions are sampled, their number / the planned number; in
  general the variance expected at the end over the variance at the look.
- `confidence`: level of all looks together, in [1/2, 1 - 1e-12]: alpha = 1 - confidence is their two-sided error rate.
- `spending`: how alpha is shared out: "obrien-fleming", almost all of it late, so that the last look loses little
  power; "pocock", evenly, so that large differences stop early.

The result has a value for each look: stop if |Z| >= `z`, that is, if the p-value of that look is at most `p`; `spent`
is the error rate spent so far. A look at which less than 1e-300 may be spent has z = 37.5.

Throws `InvalidInput` for anything wrong with the arguments; order: fractions that do not increase; range: steps below
1/256, fractions above 1.

Source: spec/families/looks.md: Lan and DeMets (1983), the recursion of Armitage, McPherson and Rowe (1969). Under
equality the probability that any look stops is at most alpha, if Z is normal; Z of a t-test is the normal quantile with
the same two-sided p-value and sign. Neither the number nor the fractions of later looks change a boundary: look when
you like, as long as the choice does not depend on the differences seen and the planned maximum is not changed. Relative
errors are below 1e-13, those of `p` of later looks below 5e-13 where `z` is above 20.

# Examples
```jldoctest
julia> round.(boundaries([0.25, 0.5, 0.75, 1.0]).z, digits=4) == [4.3326, 2.9631, 2.359, 2.0141]
true

julia> round.(boundaries([0.5, 1.0]; spending="pocock").p, digits=4) == [0.031, 0.0277]
true
```
"""
@by_name function boundaries(fractions, confidence = 0.95, spending = "obrien-fleming")
    alpha = 1.0 - Arguments.in_range(confidence, "confidence", CONFIDENCE_OF_LOOKS...)  # exact
    spending = Arguments.choice(spending, "spending", Sequential.SPENDING)
    return Result{:Boundaries}(Sequential.crossing(information_fractions(fractions), alpha, spending))
end

"The fractions of the information, checked: increasing, at most 1, in steps of at least 1/256."
function information_fractions(fractions, name = "fractions")
    f, before = Arguments.vector(fractions, name), 0.0
    for (j, x) in enumerate(f)
        j == 1 || x > before ||
            refuse("order", name, name, "[", j, "] = ", x, " is not above the one before, ", before)
        x <= 1.0 || refuse("range", name, name, "[", j, "] = ", x, " is above 1")
        step = j == 1 ? " is below 1/256" : " is less than 1/256 above the look before"
        x - before >= Sequential.MIN_LOOK_STEP || refuse("range", name, name, "[", j, "] = ", x, step)
        before = x
    end
    return f
end

"The one-sided level of the last of these looks, or of a single test if there are no looks."
function one_sided_level(confidence, looks, spending)
    spending = Arguments.choice(spending, "spending", Sequential.SPENDING)
    looks === nothing && return Distributions.error_rate(confidence, 2)
    CONFIDENCE_OF_LOOKS[1] <= confidence <= CONFIDENCE_OF_LOOKS[2] || refuse(
        "range", "confidence", "confidence = ", confidence, " is outside [0.5, 1 - 1e-12] for looks",
    )
    return Decision.level_of_look(information_fractions(looks, "looks"), 1.0 - confidence, spending)
end

"""
    e_value(z, f, confidence=0.95) -> (e, p, z_stop)

Evidence that two models differ, valid whenever one looks and however often.

- `z`: the difference divided by its standard error; for a t-test, the normal quantile with the same two-sided p-value
  and sign.
- `f`: information so far divided by the information at which a decision is expected: trials / expected trials for a
  mean on fixed questions. It may pass 1. The evidence is strongest near 1.
- `confidence`: level of all looks together, in [1/2, 1 - 1e-12]: alpha = 1 - confidence is their two-sided error rate.

Stop and call the models different once `e` reaches 1/alpha, which is once |z| reaches `z_stop`; `p` = min(1, 1/e) is at
most alpha then. `e` is Inf above the largest double. Throws `InvalidInput` for anything wrong with the arguments.
Source: spec/families/looks.md: the mixture of Robbins (1970) over normal differences of variance r, in units of the
variance of the difference at f = 1, r = a + log(1 + a), a = 2 log(1/alpha). Under equality the probability that `e`
ever reaches 1/alpha is at most alpha, if z is normal, or is that of a t-test with at least two trials per question. `f`
must not depend on the differences seen. An e-value needs no planned maximum, but costs power: if there is a planned
maximum, [`boundaries`](@ref) decides sooner.

# Examples
```jldoctest
julia> round.(Tuple(e_value(3.0, 1.0)), digits=4)
(18.1992, 0.0549, 3.0352)
```
"""
@by_name function e_value(z, f, confidence = 0.95)
    z, f = Arguments.finite(z, "z"), Arguments.finite(f, "f")
    f > 0.0 || refuse("range", "f", "f = ", f, " is not positive")
    alpha = 1.0 - Arguments.in_range(confidence, "confidence", CONFIDENCE_OF_LOOKS...)
    return Result{:EValue}(Sequential.e_value(z, f, alpha))
end

"""
    pair_e_value(wins, losses) -> (e, p)

Evidence from questions that one of two models solved and the other did not, one trial each: exact at any time.

- `wins`, `losses`: questions that only the first model solved, and that only the second did; 10 million in all at most.

Stop and call the models different once `e` reaches 1/alpha (20 for an error rate alpha of 0.05), whenever that is; `p`
= min(1, 1/e). `e` is Inf above the largest double. Throws `InvalidInput` for anything wrong with the arguments. e = 2^n
/ ((n + 1) C(n, wins)), n = wins + losses: the likelihood ratio against 1/2, averaged over a uniform distribution of the
probability of a win. For independent questions its error rate is exact, with no normal approximation; for several
trials per question use [`e_value`](@ref).

# Examples
```jldoctest
julia> round.(Tuple(pair_e_value(9, 1)), digits=4)
(9.3091, 0.1074)
```
"""
function pair_e_value(wins, losses)
    most = Sequential.MAX_PAIRS
    a, b = Int(Arguments.integer(wins, "wins", 0, most)), Int(Arguments.integer(losses, "losses", 0, most))
    a + b <= most || refuse("range", "losses", "wins + losses = ", a + b, " is above ", most)
    return Sequential.pair_e_value(a, b)
end
