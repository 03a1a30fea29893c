# Two models in battles: the probability that one wins, a test; and plans: the next pair, and how many battles.

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

# relative; of pairs whose variance reductions differ by less, the first by name is chosen
const EQUAL_REDUCTION = 2.0^-80

"The largest group of models; refused if it has no ratings."
function largest_fitted_group(request)
    fitted = fitted_groups_of(request)[1]
    fitted.fit === nothing &&
        refuse("undefined", "battles", "the battles leave the ratings of the largest group undetermined")
    return fitted
end

"""
    next_pair(battles, ties=:half; position_bias=false, both_bad=:tie) -> names of two models

The pair of models whose next battle most reduces the variance of the difference between the two best models. Only the
largest group of comparable models is considered.

- `battles`, `ties`, `position_bias`, `both_bad`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry).

Throws `InvalidInput` as `bradley_terry`; undefined: the largest group has no ratings. One more battle of i and j, with
curvature w, lowers the variance of the difference of the two best models by `w (u_i - u_j)^2 / (1 + w R_ij)`: `u_i`
is the covariance of this difference with the log strength of i, `R_ij` the variance of the difference of i and j. The
pair is nearly always the two best themselves, and repeating this pair gives no information about the other models.

# Examples
```jldoctest
julia> rows = [("a", "b", "model_a"), ("b", "c", "model_a"), ("c", "a", "model_a"), ("a", "c", "model_a")];

julia> Tuple(Rank.next_pair(rows))
("a", "b")
```
"""
@by_name function next_pair(battles, ties = :half; position_bias = false, both_bad = :tie)
    request = parse_battle_request(battles, ties, position_bias, both_bad, nothing)
    fitted = largest_fitted_group(request)
    L = length(fitted.fit.p)
    top = sort_order((i, j) -> fitted.fit.theta[j] < fitted.fit.theta[i], L)[1:2]
    U, best, pair = Fits.inverse_curvature(fitted.fit), nothing, (1, 2)
    for i in 1:L, j in i+1:L
        x = variance_reduction(fitted.fit, U, i, j, top[1], top[2])
        if best === nothing || clearly_above(x, best)
            best, pair = x, (i, j)
        end
    end
    return [request.battles.models[fitted.group.members[k]] for k in pair]
end

"The decrease in the variance of the contrast a - b from one more battle of i and j."
function variance_reduction(fit, U, i, j, a, b)
    w, d = battle_curvature(fit, i, j), covariance(U, i, j, a, b)
    return w * (d * d) / (ONE + w * covariance(U, i, j, i, j))
end

"The covariance of the contrasts i - j and a - b under the fitted model."
covariance(U, i, j, a, b) = U[i, a] - U[i, b] - (U[j, a] - U[j, b])

"The expected curvature of the log likelihood from one battle of i and j, without position bias."
function battle_curvature(fit, i, j)
    a, b = fit.p[i], fit.p[j]
    won, tie, lost = ONE, ZERO, ZERO
    if fit.model == 3  # only in the model of Rao and Kupper does the curvature depend on the outcome
        won, lost = a / (a + fit.tie * b), b / (b + fit.tie * a)
        tie = ONE - won - lost
    end
    return Likelihood.cell_derivatives(fit.model, won, tie, lost, a, b, fit.tie).h
end

"Whether x > y by more than rounding."
clearly_above(x, y) = x > y * Triple(1.0, EQUAL_REDUCTION, 0.0)  # the triple is 1 + EQUAL_REDUCTION

"""
    battles_needed(battles, a, b, ties=:half; position_bias=false, both_bad=:tie, cluster=nothing, power=0.8,
        confidence=0.95) -> n

The number of further battles of two models that detects their difference with a stated power.

- `battles`, `a`, `b`, `ties`, `position_bias`, `both_bad`, `cluster`: as in
  [`win_probability`](@ref Scorio.Rank.win_probability).
- `power`: probability that the difference will be significant, if the true difference equals the estimate, in [1/2, 1).
- `confidence`: level of the interval that will exclude 0.

Battles of a against b, each shown first in half of them; 0 where the present ones are enough; `nothing` where a and b
are equally strong, (nearly) a single sampling unit decides their difference, or more than 1e12 would be needed. Throws
`InvalidInput` as `win_probability`; range: power outside [1/2, 1).

`n = ceil((V/V_m) (((z_alpha + z_power)/D)^2 - 1/V)/w)`, w the curvature of one battle (without position bias), V the
variance of the difference D, `V_m` its variance under the fitted model; `z_alpha` and `z_power` are normal quantiles,
two-sided for `confidence` and one-sided for `power`. D is itself uncertain, and so is n.

# Examples
```jldoctest
julia> rows = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)];

julia> Rank.battles_needed(rows, "a", "b")
24
```
"""
@by_name function battles_needed(
    battles, a, b, ties = :half;
    position_bias = false, both_bad = :tie, cluster = nothing, power = 0.8, confidence = 0.95,
)
    confidence, power = Arguments.confidence(confidence), Arguments.power(power)
    fitted, i, j = fitted_pair(parse_battle_request(battles, ties, position_bias, both_bad, cluster), a, b)
    contrasts = contrasts_of(fitted, (i, j))
    D, variance = fraction(Fits.log_ratio(fitted.fit, i, j)), BattleContrasts.variances(contrasts, [i], [j])[1]
    (D == 0 || BattleContrasts.differences(contrasts, [i], [j])[1] === nothing) && return nothing
    z = fraction(normal_z(confidence)) + fraction(one_sided_z(power))
    V, V_model = fraction(variance.V), fraction(variance.V_model)
    n = max(big(0), ceil(BigInt, V / V_model * ((z / D)^2 - 1 / V) / fraction(battle_curvature(fitted.fit, i, j))))
    return n <= Battles.MOST_BATTLES ? Int(n) : nothing
end

"""
    influence(battles; both_bad=:tie) -> (leader, successor, removed, model_a, model_b, winner, count)

A small set of battles without which another model is first in the largest group.

- `battles`, `both_bad`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry); ties are half wins, and who was shown
  first does not matter.

`leader` is first with all battles, `successor` without `removed` of them; `successor` is `nothing` and `removed` 0
where no such battles were found. Entry k of each vector describes one kind of battle, each pair of models in the order
of their names; `count`: how many battles of the kind are removed. Throws `InvalidInput` as `bradley_terry`; undefined:
the largest group has no ratings.

`removed` is an upper bound of the smallest number of such battles, confirmed by refitting without them; in 41 of 42
small examples it was the smallest number. It measures how fragile first place is, which an interval does not: a few
dozen of many thousand battles may decide it. It is not a test.

# Examples
```jldoctest
julia> rows = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)];

julia> r = Rank.influence(rows);

julia> r.successor, r.removed, r.winner, r.count
("b", 6, ["model_a"], [6])
```
"""
function influence(battles; both_bad = :tie)
    request = parse_battle_request(battles, :half, false, both_bad, nothing)
    fitted = largest_fitted_group(request)
    search = Search(request, fitted)
    removed_battles = search_removals(search)
    name = request.battles.models[fitted.group.members]
    rows = sort!([kind for (kind, _) in removed_battles], by = r -> (r[1], r[2], r[3], r[4]))
    n_removed = Dict(removed_battles)
    return Result{:Influence}((
        leader = name[search.leader],
        successor = isempty(removed_battles) ? nothing : name[strongest(fit_without(search, removed_battles))],
        removed = sum(Int[n for (_, n) in removed_battles]), model_a = String[name[r[1]] for r in rows],
        model_b = String[name[r[2]] for r in rows], winner = String[Battles.WINNERS[r[3]+1] for r in rows],
        count = Int[n_removed[r] for r in rows],
    ))
end

"The index of the strongest model, the first by name among equally strong ones."
function strongest(fit)
    best = 1
    for i in 2:length(fit.p)
        fit.theta[i] > fit.theta[best] && (best = i)
    end
    return best
end

const Removed = Vector{Pair{Battles.Row,Int}}  # in the order in which kinds of battles were removed first

"Search for a small set of battles without which the leader is not first."
struct Search
    request::BattleRequest
    size::Int
    leader::Int
    rows::Dict{Battles.Row,Int}
    irremovable::Set{Battles.Row}  # kinds of which not even one more battle can be removed
end

function Search(request, fitted::FittedGroup)
    rows = Dict{Battles.Row,Int}()
    for (r, n_battles) in fitted.group.rows
        kind = (r[1], r[2], r[3], r[4], 0, 0)
        rows[kind] = get(rows, kind, 0) + n_battles
    end
    return Search(request, length(fitted.group.members), strongest(fitted.fit), rows, Set{Battles.Row}())
end

"The number of removed battles of a kind."
removed_of(removed::Removed, kind::Battles.Row) = sum(Int[n for (k, n) in removed if k == kind])

"A copy of removed, with this number of battles of a kind."
function with_removed(removed::Removed, kind::Battles.Row, n_battles::Int)
    any(k == kind for (k, _) in removed) || return push!(copy(removed), kind => n_battles)
    return Removed([k => (k == kind ? n_battles : n) for (k, n) in removed])
end

"The fit without some battles; nothing where the remaining battles do not determine ratings of all models."
function fit_without(s::Search, removed)
    remaining = Dict(
        kind => n_battles - removed_of(removed, kind) for
        (kind, n_battles) in s.rows if n_battles > removed_of(removed, kind)
    )
    isempty(remaining) && return nothing
    battles = Battles.Table([string(k) for k in 1:s.size], remaining, 0)
    fitted = fitted_groups_of(BattleRequest(battles, "half", false, nothing))[1]
    return length(fitted.group.members) == s.size ? fitted.fit : nothing
end

"Whether another model is strictly stronger than the leader without some battles."
function overtaken(s::Search, removed::Removed)
    fit = fit_without(s, removed)
    return fit !== nothing && any(Fits.log_ratio(fit, i, s.leader).hi > 0.0 for i in 1:s.size)
end

"""
The battles to remove, by kind; empty if no such set was found.

Remove the battles that best_kind() chooses, refit, repeat; then put unneeded ones back.
"""
function search_removals(s::Search)
    removed = Removed()
    while !overtaken(s, removed)
        kind, n_battles = best_kind(s, removed)
        kind === nothing && return Removed()
        now = removed_of(removed, kind)
        while n_battles > 0 && fit_without(s, with_removed(removed, kind, now + n_battles)) === nothing
            n_battles ÷= 2
        end
        if n_battles > 0
            removed = with_removed(removed, kind, now + n_battles)
        else
            push!(s.irremovable, kind)
        end
    end
    return put_back_surplus(s, removed)
end

"""
The kind of battle to remove next, and how many: half of those predicted for the closest rival, at least 1.

The closest rival needs the fewest removals to lead. (nothing, 0) where no removal helps any rival.
"""
function best_kind(s::Search, removed::Removed)
    fit = fit_without(s, removed)
    U, best = Fits.inverse_curvature(fit), nothing
    for rival in 1:s.size
        rival == s.leader && continue
        prediction = predicted_removals(s, fit, U, rival, removed)
        if prediction !== nothing && (best === nothing || prediction[1] < best[1])
            best = prediction
        end
    end
    return best === nothing ? (nothing, 0) : (best[2], max(1, best[3] ÷ 2))
end

"""
Predicted removals for a rival to lead: the total, the kind of the largest effect, and the number of that kind.

Nothing where no removal helps the rival. Where removals do not suffice, the number of all battles is added to the
total.
"""
function predicted_removals(s::Search, fit::Fit, U::Matrix{Triple}, rival::Int, removed::Removed)
    kinds = Tuple{Fraction,Battles.Row,Triple,Int}[]
    for (kind, n_battles) in s.rows
        effect, remaining = effect_of(s, fit, U, kind, rival), n_battles - removed_of(removed, kind)
        remaining > 0 && !(kind in s.irremovable) && effect.hi > 0.0 || continue
        push!(kinds, (-fraction(effect), kind, effect, remaining))
    end
    isempty(kinds) && return nothing
    sort!(kinds, by = x -> (x[1], x[2]))
    gap, total, n_of_best = Fits.log_ratio(fit, s.leader, rival), 0, 0
    for (k, (_, _, effect, n_battles)) in enumerate(kinds)
        take = min(n_battles, max(1, ceil(BigInt, fraction(gap) / fraction(effect))))
        n_of_best, total = k == 1 ? take : n_of_best, total + take
        gap -= effect * Int(take)
        gap.hi <= 0.0 && return total, kinds[1][2], Int(n_of_best)
    end
    return total + sum(values(s.rows)), kinds[1][2], Int(n_of_best)
end

"The approximate decrease of the leader's lead over a rival from the removal of one battle."
function effect_of(s::Search, fit::Fit, U::Matrix{Triple}, kind::Battles.Row, rival::Int)
    i, j, outcome, weight = kind
    counts = Triple[o == outcome ? Triple(weight) : ZERO for o in 0:2]
    # of one battle in model 1, where ties are half wins
    derivatives = Likelihood.cell_derivatives(1, counts..., fit.p[i], fit.p[j], ONE)
    divisor = ONE - derivatives.h * covariance(U, i, j, i, j)
    divisor.hi <= 0.0 && return ZERO
    return covariance(U, i, j, s.leader, rival) * derivatives.r / divisor
end

"Put battles back as long as another model stays first; kinds in the reverse order of their first removal."
function put_back_surplus(s::Search, removed::Removed)
    for (kind, n_battles) in reverse(removed)
        low, high = 0, n_battles  # removing high is enough
        while low < high
            middle = (low + high) ÷ 2
            if overtaken(s, with_removed(removed, kind, middle))
                high = middle
            else
                low = middle + 1
            end
        end
        removed = with_removed(removed, kind, high)
    end
    return Removed([kind => n_battles for (kind, n_battles) in removed if n_battles > 0])
end
