# What more battles, or fewer, would change: which to hold next, how many, and how few decide first place.

const CLEARLY = 2.0^-80  # a relative difference below this is a tie, which the first in the order of names wins

"The largest group, which has to have ratings."
function rated(asked)
    one = groups(asked)[1]
    one.fit === nothing &&
        refuse("undefined", "battles", "the battles leave the ratings of the largest group undetermined")
    return one
end

"""
    next_pair(battles, ties=:half; position_bias=false, both_bad=:tie) -> names of two models

The pair of the largest group whose next battle narrows the difference of the two best models most.

- `battles`, `ties`, `position_bias`, `both_bad`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry).

Throws `InvalidInput` as `bradley_terry`; undefined: no group has ratings. One battle of i and j with curvature w lowers
the variance of the contrast u by w (u_i - u_j)^2 / (1 + w R_ij), R_ij the variance of their difference. It is nearly
always the two best themselves, and always asking for the same pair teaches nothing about the others.

# Examples
```jldoctest
julia> rows = [("a", "b", "model_a"), ("b", "c", "model_a"), ("c", "a", "model_a"), ("a", "c", "model_a")];

julia> Tuple(Rank.next_pair(rows))
("a", "b")
```
"""
function next_pair(battles, ties = :half; position_bias = false, both_bad = :tie)
    asked = read_battles(battles, ties, position_bias, both_bad, nothing)
    one = rated(asked)
    L = length(one.fit.p)
    top = sorted((i, j) -> sub(one.fit.theta[j], one.fit.theta[i])[1] < 0.0, L)[1:2]
    U, best, pair = Fits.information(one.fit), nothing, (1, 2)
    for i in 1:L, j in i+1:L
        x = lowered_variance(one.fit, U, i, j, top[1], top[2])
        if best === nothing || clearly_above(x, best)
            best, pair = x, (i, j)
        end
    end
    return [asked.battles.models[one.group.members[k]] for k in pair]
end

"By how much one battle of i and j lowers the variance of a less b."
function lowered_variance(fit, U, i, j, a, b)
    w, d = bend(fit, i, j), covariance(U, i, j, a, b)
    return div(mul(w, mul(d, d)), add(ONE, mul(w, covariance(U, i, j, i, j))))
end

"Of i less j and a less b, if the model is right."
covariance(U, i, j, a, b) = sub(sub(U[i, a], U[i, b]), sub(U[j, a], U[j, b]))

"The expected curvature of one battle of i and j, neither shown first."
function bend(fit, i, j)
    a, b = fit.p[i], fit.p[j]
    won, tie, lost = ONE, ZERO, ZERO
    if fit.model == 3
        won, lost = div(a, add(a, mul(fit.tie, b))), div(b, add(b, mul(fit.tie, a)))
        tie = sub(sub(ONE, won), lost)
    end
    return Likelihood.parts(fit.model, won, tie, lost, a, b, fit.tie).h
end

"x > y by more than rounding."
clearly_above(x, y) = sub(x, mul(y, (1.0 + CLEARLY, CLEARLY, 0.0)))[1] > 0.0

"""
    battles_needed(battles, a, b, ties=:half; position_bias=false, both_bad=:tie, cluster=nothing, power=0.8,
        confidence=0.95) -> n

Sample size: how many more battles of two models detect their difference with a stated power.

- `battles`, `a`, `b`, `ties`, `position_bias`, `both_bad`, `cluster`: as in
  [`win_probability`](@ref Scorio.Rank.win_probability).
- `power`: probability that the difference will be significant, if it is as it is estimated now, in [1/2, 1).
- `confidence`: of the interval that will exclude 0.

Battles of a against b, each shown first in half of them; 0 where those at hand are enough; `nothing` where a and b are
equally strong, or one unit of the data decides their difference alone, or more than 1e12 were needed. Throws
`InvalidInput` as `win_probability`; range: power outside [1/2, 1). n = ceil((V/V_m) (((z_alpha + z_power)/D)^2 -
1/V)/w), w the curvature of one battle, V/V_m how much more the difference varies than the model says. The estimate D is
itself uncertain, and so is n.

# Examples
```jldoctest
julia> rows = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)];

julia> Rank.battles_needed(rows, "a", "b")
24
```
"""
function battles_needed(
    battles, a, b, ties = :half;
    position_bias = false, both_bad = :tie, cluster = nothing, power = 0.8, confidence = 0.95,
)
    confidence, power = Arguments.confidence(confidence), Arguments.power(power)
    one, i, j = pair_of(read_battles(battles, ties, position_bias, both_bad, cluster), a, b)
    contrasts = contrasts_of(one, (i, j))
    D, spread = fraction(Fits.above(one.fit, i, j)), BattleContrasts.spreads(contrasts, [i], [j])[1]
    (D == 0 || BattleContrasts.differences(contrasts, [i], [j])[1] === nothing) && return nothing
    z = fraction(normal_z(confidence)) + (power > 0.5 ? fraction(one_sided_z(power)) : 0)
    V, model = fraction(spread.V), fraction(spread.V_model)
    n = max(big(0), ceil(BigInt, V / model * ((z / D)^2 - 1 / V) / fraction(bend(one.fit, i, j))))
    return n <= Battles.MOST ? Int(n) : nothing
end

"""
    influence(battles; both_bad=:tie) -> (leader, successor, removed, model_a, model_b, winner, count)

How few battles decide first place: a set of them without which another model leads.

- `battles`, `both_bad`: as in [`bradley_terry`](@ref Scorio.Rank.bradley_terry); ties are half wins, and who was shown
  first does not matter.

`leader` is first with all battles, `successor` without `removed` of them; `nothing` and 0 where none were found. What
each vector says is of one kind of battle, the models of a kind in the order of their names. Throws `InvalidInput` as
`bradley_terry`; undefined: no group has ratings. `removed` is an upper bound that refitting without these battles has
proved; in small examples it was the smallest number in 41 of 42. It measures how fragile first place is, which an
interval does not: a few dozens of many thousand battles may decide. It is no test.

# Examples
```jldoctest
julia> rows = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)];

julia> r = Rank.influence(rows);

julia> r.successor, r.removed, r.winner, r.count
("b", 6, ["model_a"], [6])
```
"""
function influence(battles; both_bad = :tie)
    asked = read_battles(battles, :half, false, both_bad, nothing)
    one = rated(asked)
    search = Search(asked, one)
    gone = fewest(search)
    name = asked.battles.models[one.group.members]
    rows = sort!([kind for (kind, _) in gone], by = r -> (r[1], r[2], r[3], r[4]))
    many = Dict(gone)
    return (
        leader = name[search.leader], successor = isempty(gone) ? nothing : name[first_of(fit_without(search, gone))],
        removed = sum(Int[n for (_, n) in gone]), model_a = String[name[r[1]] for r in rows],
        model_b = String[name[r[2]] for r in rows], winner = String[Battles.WINNERS[r[3]+1] for r in rows],
        count = Int[many[r] for r in rows],
    )
end

"The strongest model; of equal ones the first by name."
function first_of(fit)
    best = 1
    for i in 2:length(fit.p)
        sub(fit.theta[i], fit.theta[best])[1] > 0.0 && (best = i)
    end
    return best
end

const Removed = Vector{Pair{Battles.Row,Int}}  # in the order in which kinds of battles were removed first

"Which battles to remove until the leader is not the first."
struct Search
    asked::BattlesAsked
    size::Int
    leader::Int
    rows::Dict{Battles.Row,Int}
    kept_for_good::Set{Battles.Row}  # without these there would be no ratings
end

function Search(asked, one::Fitted)
    rows = Dict{Battles.Row,Int}()
    for (r, many) in one.group.rows
        kind = (r[1], r[2], r[3], r[4], 0, 0)
        rows[kind] = get(rows, kind, 0) + many
    end
    return Search(asked, length(one.group.members), first_of(one.fit), rows, Set{Battles.Row}())
end

removed_of(gone::Removed, kind::Battles.Row) = sum(Int[n for (k, n) in gone if k == kind])

"The same with so many removed of a kind."
function with_removed(gone::Removed, kind::Battles.Row, many::Int)
    any(k == kind for (k, _) in gone) || return push!(copy(gone), kind => many)
    return Removed([k => (k == kind ? many : n) for (k, n) in gone])
end

"The strengths without some battles; nothing where there are none."
function fit_without(s::Search, gone)
    left = Dict(kind => many - removed_of(gone, kind) for (kind, many) in s.rows if many > removed_of(gone, kind))
    isempty(left) && return nothing
    battles = Battles.Table([string(k) for k in 1:s.size], left, 0)
    one = groups(BattlesAsked(battles, "half", false, nothing))[1]
    return length(one.group.members) == s.size ? one.fit : nothing
end

"Whether another model is strictly the first."
function overtaken(s::Search, gone::Removed)
    fit = fit_without(s, gone)
    return fit !== nothing && any(Fits.above(fit, i, s.leader)[1] > 0.0 for i in 1:s.size)
end

"Remove half of what is predicted for the best kind, and look again; then put back what is not needed."
function fewest(s::Search)
    gone = Removed()
    while !overtaken(s, gone)
        kind, many = best_kind(s, gone)
        kind === nothing && return Removed()
        now = removed_of(gone, kind)
        while many > 0 && fit_without(s, with_removed(gone, kind, now + many)) === nothing
            many ÷= 2
        end
        if many > 0
            gone = with_removed(gone, kind, now + many)
        else
            push!(s.kept_for_good, kind)
        end
    end
    return needed(s, gone)
end

"The kind of battle that lowers the leader most against the rival that needs the fewest, and how many to remove."
function best_kind(s::Search, gone::Removed)
    fit = fit_without(s, gone)
    U, best = Fits.information(fit), nothing
    for rival in 1:s.size
        rival == s.leader && continue
        found = against(s, fit, U, rival, gone)
        if found !== nothing && (best === nothing || found[1] < best[1])
            best = found
        end
    end
    return best === nothing ? (nothing, 0) : (best[2], max(1, best[3] ÷ 2))
end

"Of a rival: battles to remove in all, the best kind, and how many of that; as predicted."
function against(s::Search, fit::Fit, U::Matrix{Triple}, rival::Int, gone::Removed)
    kinds = Tuple{Fraction,Battles.Row,Triple,Int}[]
    for (kind, many) in s.rows
        effect, left = effect_of(s, fit, U, kind, rival), many - removed_of(gone, kind)
        left > 0 && !(kind in s.kept_for_good) && effect[1] > 0.0 || continue
        push!(kinds, (-fraction(effect), kind, effect, left))
    end
    isempty(kinds) && return nothing
    sort!(kinds, by = x -> (x[1], x[2]))
    gap, total, own = Fits.above(fit, s.leader, rival), 0, 0
    for (k, (_, _, effect, many)) in enumerate(kinds)
        take = min(many, max(1, ceil(BigInt, fraction(gap) / fraction(effect))))
        own, total = k == 1 ? take : own, total + take
        gap = sub(gap, mul(effect, ext(Int(take))))
        gap[1] <= 0.0 && return total, kinds[1][2], Int(own)
    end
    return total + sum(values(s.rows)), kinds[1][2], Int(own)
end

"By how much the leader's lead shrinks without one battle, about."
function effect_of(s::Search, fit::Fit, U::Matrix{Triple}, kind::Battles.Row, rival::Int)
    i, j, outcome, weight = kind
    counts = Triple[o == outcome ? ext(weight) : ZERO for o in 0:2]
    found = Likelihood.parts(1, counts..., fit.p[i], fit.p[j], ONE)
    rest = sub(ONE, mul(found.h, covariance(U, i, j, i, j)))
    rest[1] <= 0.0 && return ZERO
    return div(mul(covariance(U, i, j, s.leader, rival), found.r), rest)
end

"Put back as many of each kind, the last one first, as another model stays the first without."
function needed(s::Search, gone::Removed)
    for (kind, many) in reverse(gone)
        low, high = 0, many  # removing high is enough
        while low < high
            middle = (low + high) ÷ 2
            if overtaken(s, with_removed(gone, kind, middle))
                high = middle
            else
                low = middle + 1
            end
        end
        gone = with_removed(gone, kind, high)
    end
    return Removed([kind => many for (kind, many) in gone if many > 0])
end
