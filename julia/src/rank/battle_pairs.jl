# Battles of two models: the probability that one wins, and a test of whether one is stronger.

"""
    win_probability(battles, a, b, ties=:half; position_bias=false, both_bad=:tie, cluster=nothing, confidence=0.95)
        -> (p, lo, hi, theta, sigma, df, p_value)

The probability that one model beats another in a battle that cannot be a tie, without position bias.

- `battles`, `ties`, `position_bias`, `both_bad`, `cluster`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry).
- `a`, `b`: two models of one group: chains of wins or ties lead from each to the other.
- `confidence`: level of the interval.

p = 1 / (1 + e^-theta), `theta` the difference of log strengths, `sigma` its standard error, `df` the degrees of freedom
of its t distribution, `p_value` two-sided for p = 1/2. All but `p` and `theta` are `nothing` below half a degree of
freedom, where (nearly) a single sampling unit decides the difference. Throws `InvalidInput` as `bradley_terry`; choice:
a or b is not a model; conflict: a is b; undefined: the battles leave the difference without a finite value. `lo` and
`hi` are the ends of the interval of theta, as probabilities. With ties as half wins, `p` is the expected score. Use
this for one planned comparison; for many pairs see the rank ranges of `bradley_terry`.

# Examples
```jldoctest
julia> rows = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)];

julia> r = Rank.win_probability(rows, "a", "b");

julia> round(r.p, digits=3), round(r.theta, digits=4), round(r.df, digits=3)
(0.75, 1.0986, 9.0)
```
"""
@by_name function win_probability(
    battles, a, b, ties = :half; position_bias = false, both_bad = :tie, cluster = nothing, confidence = 0.95,
)
    confidence = Arguments.confidence(confidence)
    fitted, i, j = fitted_pair(parse_battle_request(battles, ties, position_bias, both_bad, cluster), a, b)
    D = Fits.log_ratio(fitted.fit, i, j)
    d = BattleContrasts.differences(contrasts_of(fitted, (i, j)), [i], [j])[1]
    ends = interval_ends(d, confidence)
    end_at(k) = ends === nothing ? nothing : logistic(ends[k])
    known(x) = d === nothing ? nothing : value(x(d))
    return Result{:WinProbability}((
        p = logistic(D), lo = end_at(1), hi = end_at(2),
        theta = value(D) + 0.0, sigma = known(x -> x.standard_error),
        df = known(x -> x.freedom), p_value = known(p_value),
    ))
end

"""
    score_test(battles, a, b; both_bad=:tie, cluster=nothing) -> (t, df, p_value)

Score test of whether one model is stronger than another; also valid for models without a joint rating.

- `battles`, `both_bad`, `cluster`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry); ties are half wins, and who
  was shown first does not matter.
- `a`, `b`: two models, from one of which a chain of wins or ties leads to the other, directly or through other models.

`t` > 0 favours a; `df`: its degrees of freedom; `p_value`: one-sided, the probability of this t or a larger one if
a is not stronger. All are `nothing` below half a degree of freedom, where (nearly) a single sampling unit decides the
test. Throws `InvalidInput` as `win_probability`, but undefined: no chain of wins or ties leads from either model to the
other.

The strengths are those that make the battles most likely if a and b are equally strong, so that an unbeaten model needs
no rating. t is the score of their difference, divided by the root of the sum of the squared scores of the sampling
units (battles, or clusters of them; crossed clusters combine three such sums). Use this for one planned comparison;
where both models are rated, `win_probability` also says by how much one is stronger. Rao (1948); Boos (1992) on robust
score tests.

# Examples
```jldoctest
julia> rows = (model_a=["a", "a", "b", "b", "b"], model_b=["b", "c", "c", "c", "c"],
           winner=["model_a", "model_a", "model_a", "tie", "model_b"], count=[4, 3, 5, 2, 3]);

julia> r = Rank.score_test(rows, "a", "b");

julia> round(r.t, digits=3), round(r.df, digits=2), round(r.p_value, digits=3)
(2.59, 6.44, 0.019)
```
"""
function score_test(battles, a, b; both_bad = :tie, cluster = nothing)
    request = parse_battle_request(battles, :half, false, both_bad, cluster)
    i, j = pair_indices(request, a, b)
    equality = Equality(request.battles, request.cluster)
    j in Equal.reachable_from(equality, i) || i in Equal.reachable_from(equality, j) ||
        refuse("undefined", "b", "no chain of wins or ties connects ", shown(a), " and ", shown(b))
    d = Equal.test(equality, i, j)
    d === nothing && return Result{:ScoreTest}((t = nothing, df = nothing, p_value = nothing))
    return Result{:ScoreTest}((t = value(d.D), df = value(d.freedom), p_value = value(p_above(reversed_difference(d)))))
end

"The logistic function 1 / (1 + e^-theta)."
logistic(theta) = value(ONE / (ONE + exp(-theta)))

"The fitted group of two models, and their indices in it."
function fitted_pair(request, a, b)
    i, j = pair_indices(request, a, b)
    for fitted in fitted_groups_of(request)
        x, y = findfirst(==(i), fitted.group.members), findfirst(==(j), fitted.group.members)
        x !== nothing && y !== nothing && fitted.fit !== nothing && return fitted, x, y
    end
    refuse(
        "undefined", "b",
        "the battles leave the difference of ", shown(a), " and ", shown(b), " without a finite value",
    )
end

"The indices of two different models among all models."
function pair_indices(request, a, b)
    i, j = Battles.index_of(request.battles, a, "a"), Battles.index_of(request.battles, b, "b")
    i == j && refuse("conflict", "b", "a and b are both ", shown(a))
    return i, j
end
