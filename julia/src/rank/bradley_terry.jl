# Ratings of models from battles between them, with intervals and rank ranges.

const MOST_INTERVALS, MOST_RANKS = 300, 100  # most models of a group; more would take minutes
const MOST_ACROSS = 300  # most pairs of models of different groups; more would take minutes

"Checked battles, and the options of their model."
struct BattleRequest
    battles::Battles.Table
    ties::String
    biased::Bool
    cluster::Union{Nothing,String}
end

"Check the arguments of a function of battles, and count the battles."
function parse_battle_request(battles, ties, position_bias, both_bad, cluster)
    ties = Arguments.choice(ties, "ties", Likelihood.MODELS)
    biased = Arguments.flag(position_bias, "position_bias")
    both_bad = Arguments.choice(both_bad, "both_bad", ("tie", "drop"))
    cluster = cluster === nothing ? nothing : Arguments.choice(cluster, "cluster", BattleContrasts.CLUSTERS)
    table = Battles.count_battles(battles, both_bad, biased)
    row = first(table.rows)[1]  # each column is complete, so that one row shows which columns there are
    for k in 1:2
        name = Battles.LABELS[k]
        (cluster == name || cluster == "both") && row[4+k] == 0 &&
            refuse("missing", "battles", "battles has no column ", name, ", which cluster = ", cluster, " needs")
    end
    return BattleRequest(table, ties, biased, cluster)
end

"A group of comparable models, with their fit where the likelihood has a unique maximum, else nothing."
struct FittedGroup
    request::BattleRequest
    group::Battles.Group
    fit::Union{Nothing,Fit}
end

function FittedGroup(request, members)
    group = Battles.group(members, request.battles.rows)
    cells, L = Battles.cells(group), length(members)
    tied = request.ties != "half" && any(n -> n[Battles.TIE+1] > 0, values(cells))
    exists = L > 1 &&
        (!(tied || request.biased) || deferred(Existence.has_unique_maximum)(L, cells, request.biased, tied)::Bool)
    exists || return FittedGroup(request, group, nothing)
    return FittedGroup(request, group, Fit(L, Fits.from_fractions(cells), request.ties, request.biased))
end

"The number of battles of a group."
n_battles_of(fitted::FittedGroup) = sum(Int[n_battles for (_, n_battles) in fitted.group.rows])

"Contrasts between the models of a group, or between some of them."
contrasts_of(fitted::FittedGroup, which = nothing) =
    Contrasts(fitted.fit, BattleContrasts.units(fitted.group, fitted.request.cluster, fitted.fit.model), which)

"All groups of models, fitted; sorted by the number of models, then of battles (largest first), then by name."
function fitted_groups_of(request)
    linked = Existence.components(length(request.battles.models), Existence.links(request.battles.rows))
    unsorted = FittedGroup[FittedGroup(request, members) for members in linked]
    models, battles = Int[length(x.group.members) for x in unsorted], Int[n_battles_of(x) for x in unsorted]
    larger(i, j) = models[i] > models[j] || (models[i] == models[j] && battles[i] > battles[j])
    return FittedGroup[unsorted[i] for i in sort_order(larger, length(unsorted))]
end

"""
    bradley_terry(battles, ties=:half; position_bias=false, both_bad=:tie, cluster=nothing, anchor=:mean, scale=400.0,
        base=10.0, init_rating=1000.0, confidence=0.95) -> (models, status, group, theta, rating, lo, hi, best, worst,
        bias, bias_lo, bias_hi, tie, tie_lo, tie_hi, dropped)

Ratings of models from battles between two of them: the maximum of the Bradley-Terry likelihood.

- `battles`: columns `model_a` (shown first), `model_b` and `winner`: `"model_a"`, `"model_b"`, `"tie"` or `"tie
  (bothbad)"`; optional columns `count` (number of battles of a row, 1 to 1e12), `weight` (multiplies the log likelihood
  of each battle of a row, 1e-100 to 1e100), `question` and `voter`: a dictionary, named tuple, pairs or table. Or rows
  (`model_a`, `model_b`, winner).
- `ties`: `:half`: a tie is half a win for each model. `:davidson`, `:rao_kupper`: the likelihood has a parameter for
  ties.
- `position_bias`: also estimate the advantage of being shown first.
- `both_bad`: whether a "tie (bothbad)" counts as a tie (`:tie`) or is left out (`:drop`).
- `cluster`: the independent sampling units: single battles (`nothing`), questions (`:question`), voters (`:voter`), or
  `:both`, as crossed clusters.
- `anchor`: the model whose rating is `init_rating`, or `:mean`. In a group without this model the mean rating is
  `init_rating`.
- `scale`, `base`: a difference of `scale` points, in [1e-3, 1e6], means odds of base : 1, base in [1.25, 1e6].
- `init_rating`: rating of the anchor, or mean rating of a group, at most 1e6 in size.
- `confidence`: level of each interval, and of all rank ranges together.

Models are in the order of their names. `status`: "rated"; "unbeaten", "winless" or "between", where wins and ties link
a model with others in one direction only, so that the likelihood has no maximum; "undetermined", where the position
bias or the tie parameter has no estimate. `group`: number of the model's group, from 1 for the largest; only ratings of
one group can be compared. `theta`: log strengths of mean 0 in a group. `rating`, `lo`, `hi`: ratings in points, and the
ends of their intervals. `best` and `worst`: the best and the worst rank, among all models, that the battles do not rule
out. `bias`: the log of the factor by which being shown first multiplies the strength; `tie`: the parameter of ties of
Davidson (nu) or Rao and Kupper (kappa). Both are those of the largest group, with their intervals. `dropped`:
number of battles with "tie (bothbad)" that were left out. Values that cannot be estimated, or are not computed because
a group has too many models, are `nothing`. Throws `InvalidInput` for anything wrong with the arguments; missing: a
column that is needed; conflict: a battle of a model against itself.

P(i beats j) = `p_i / (p_i + p_j)` in a battle that cannot be a tie, without position bias; rating is
`init_rating + scale log(p_i) / log(base)`. No prior is added to the likelihood: a model without a tie that never lost,
or never won, has no rating, and its battles do not change other ratings. Intervals are those of a delete-one jackknife
over the sampling units, with a t distribution; they do not require the model to be right. Rank ranges use Holm's
adjustment over all pairs; models of different groups are compared by [`score_test`](@ref Scorio.Rank.score_test), if
ties are half wins, no position bias is estimated, and there are at most 300 such pairs. Intervals are given for up to
300 models in a group and rank ranges for up to 100; [`win_probability`](@ref Scorio.Rank.win_probability) gives the
interval of any pair of a group. All levels are for one look at the battles: equal models differed at one of 11 looks in
10% of runs (nominal 5%). Do not use ratings where models answer the same questions with a verifiable result: compare
their scores. Bradley & Terry (1952); Ford (1957); Davidson (1970); Rao & Kupper (1967).

# Examples
```jldoctest
julia> r = Rank.bradley_terry((model_a=["a", "a", "b"], model_b=["b", "b", "a"], winner=["model_a", "tie", "model_a"],
           count=[7, 1, 2]));

julia> r.models, round.(r.rating), r.best, r.worst
(["a", "b"], [1095.0, 905.0], [1, 1], [2, 2])
```
"""
@by_name function bradley_terry(
    battles, ties = :half;
    position_bias = false, both_bad = :tie, cluster = nothing, anchor = :mean, scale = 400.0, base = 10.0,
    init_rating = 1000.0, confidence = 0.95,
)
    options = (position_bias, both_bad, cluster)
    return ratings_of(battles, ties, options, (anchor, scale, base, init_rating), confidence)
end

function ratings_of(battles, ties, (position_bias, both_bad, cluster), rating_scale, confidence)
    request = parse_battle_request(battles, ties, position_bias, both_bad, cluster)
    rating_scale = read_rating_scale(request.battles, rating_scale...)
    confidence = Arguments.confidence(confidence)
    fitted_groups = fitted_groups_of(request)
    out, pairs, largest = empty_result(request.battles), Tuple{Int,Int,Triple}[], 0
    for g in eachindex(fitted_groups)
        fitted = fitted_groups[g]
        largest = max(largest, length(fitted.group.members))
        for i in fitted.group.members
            out["group"][i], out["status"][i] = g, status(fitted, i)
        end
        fitted.fit === nothing && continue
        contrasts = length(fitted.group.members) <= MOST_INTERVALS ? contrasts_of(fitted) : nothing
        write_ratings!(out, fitted, contrasts, rating_scale, confidence)
        g == 1 && (fitted.fit.biased || fitted.fit.model > 1) &&
            deferred(write_parameters!)(out, fitted.fit, contrasts, confidence)
        length(fitted.group.members) <= MOST_RANKS && append!(pairs, tested_pairs(contrasts, fitted.group.members))
    end
    if largest <= MOST_RANKS
        length(fitted_groups) > 1 &&
            append!(pairs, deferred(tested_across_groups)(request, fitted_groups)::Vector{Tuple{Int,Int,Triple}})
        out["best"], out["worst"] = rank_ranges(length(request.battles.models), pairs, confidence)
    end
    return Result{:BattleRatings}(NamedTuple{RATING_NAMES}(Tuple(Any[out[name] for name in RATING_FIELDS])))
end

const RATING_FIELDS = (
    "models", "status", "group", "theta", "rating", "lo", "hi", "best", "worst",
    "bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi", "dropped",
)

const RATING_NAMES = Tuple(Symbol(name) for name in RATING_FIELDS)

"A result in which every estimate is nothing."
function empty_result(battles)
    out, L = Dict{String,Any}(), length(battles.models)
    for name in RATING_FIELDS
        out[name] = name in ("theta", "rating", "lo", "hi") ? Vector{Union{Nothing,Float64}}(nothing, L) : nothing
    end
    out["models"], out["dropped"] = battles.models, battles.dropped
    out["status"], out["group"] = fill("", L), zeros(Int, L)
    return out
end

"The scale of ratings: the anchor's index, points per unit of log strength, and the rating of the anchor."
struct RatingScale
    anchor::Union{Nothing,Int}
    unit::Triple
    init_rating::Triple
end

function read_rating_scale(battles, anchor, scale, base, init_rating)
    at = anchor isa Union{AbstractString,Symbol} && String(anchor) == "mean" ? nothing :
        deferred(Battles.index_of)(battles, anchor, "anchor")
    scale, base = Arguments.in_range(scale, "scale", 1e-3, 1e6), Arguments.in_range(base, "base", 1.25, 1e6)
    init_rating = Triple(Arguments.in_range(init_rating, "init_rating", -1e6, 1e6))
    return RatingScale(at, scale / log(Triple(base)), init_rating)
end

"The rating in points; theta: the log strength relative to the anchor or the mean."
rating(p::RatingScale, theta) = value(p.init_rating + p.unit * theta) + 0.0

"Status of a model: whether it has a rating, or why it has none."
function status(fitted, i)
    length(fitted.group.members) > 1 && return fitted.fit === nothing ? "undetermined" : "rated"
    return deferred(status_of_single)(fitted, i)::String
end

"Status of a model that is alone in its group."
function status_of_single(fitted, i)
    rows = keys(fitted.request.battles.rows)
    # whether i won each of its battles; none is a tie, which would link it with the other model
    results = Set((r[3] == Battles.FIRST) == (r[1] == i) for r in rows if i in (r[1], r[2]))
    return length(results) > 1 ? "between" : true in results ? "unbeaten" : "winless"
end

"Write the ratings of a group, and their intervals, to out."
function write_ratings!(out, fitted, contrasts, rating_scale, confidence)
    fit, members = fitted.fit, fitted.group.members
    anchor = rating_scale.anchor === nothing ? nothing : findfirst(==(rating_scale.anchor), members)
    for k in eachindex(members)
        i = members[k]
        out["theta"][i] = value(fit.theta[k]) + 0.0
        out["rating"][i] = rating(rating_scale, anchor === nothing ? fit.theta[k] : Fits.log_ratio(fit, k, anchor))
    end
    contrasts === nothing && return
    rated, references = Int[], Int[]
    for k in eachindex(members)
        k == anchor && continue
        push!(rated, k)
        push!(references, anchor === nothing ? BattleContrasts.mean_index(contrasts) : anchor)
    end
    differences = BattleContrasts.differences(contrasts, rated, references)
    for k in eachindex(rated)
        ends, i = interval_ends(differences[k], confidence), members[rated[k]]
        ends === nothing && continue
        out["lo"][i], out["hi"][i] = rating(rating_scale, ends[1]), rating(rating_scale, ends[2])
    end
    if anchor !== nothing
        out["lo"][rating_scale.anchor] = out["hi"][rating_scale.anchor] = out["rating"][rating_scale.anchor]
    end
end

"Ends of the interval of a contrast; nothing where its variance is unknown."
function interval_ends(d, confidence)
    d === nothing && return nothing
    half_width = quantile(error_rate(confidence, 2), d.freedom) * d.standard_error
    return d.D - half_width, d.D + half_width
end

"Write position bias and tie parameter with their intervals, as far as they are estimated."
function write_parameters!(out, fit, contrasts, confidence)
    L = length(fit.p)
    if fit.biased
        out["bias"] = value(Fits.advantage(fit)) + 0.0
        ends = interval_ends(single_contrast(contrasts, L + 1), confidence)
        if ends !== nothing
            out["bias_lo"], out["bias_hi"] = value(ends[1]) + 0.0, value(ends[2]) + 0.0
        end
    end
    if fit.model > 1
        out["tie"] = value(fit.tie)
        ends = fit.tied ? interval_ends(single_contrast(contrasts, L + 2), confidence) : nothing
        if ends !== nothing
            out["tie_lo"], out["tie_hi"] = value(exp(ends[1])), value(exp(ends[2]))
        end
    end
end

"The contrast of one parameter with 0."
single_contrast(contrasts, which) = contrasts === nothing ? nothing :
    BattleContrasts.differences(contrasts, [which], [BattleContrasts.zero_index(contrasts)])[1]

"Pairs of a group with a known variance: (index of the stronger, index of the weaker, two-sided p-value)."
function tested_pairs(contrasts, members)
    a, b, out = Int[], Int[], Tuple{Int,Int,Triple}[]
    for i in eachindex(members), j in i+1:length(members)
        push!(a, i)
        push!(b, j)
    end
    differences = BattleContrasts.differences(contrasts, a, b)
    for k in eachindex(differences)
        d, i, j = differences[k], members[a[k]], members[b[k]]
        d === nothing && continue
        push!(out, d.D.hi > 0.0 ? (i, j, p_value(d)) : (j, i, p_value(d)))
    end
    return out
end

"""
All pairs of models in different groups that wins or ties link, in the form of tested_pairs().

No pair if there are too many, or if ties are not half wins or a position bias is estimated.
"""
function tested_across_groups(request, fitted_groups)
    group_of = Dict(i => g for (g, fitted) in enumerate(fitted_groups) for i in fitted.group.members)
    out = Tuple{Int,Int,Triple}[]
    L = length(group_of)
    candidates = Tuple{Int,Int}[(i, j) for i in 1:L for j in i+1:L if group_of[i] != group_of[j]]
    (isempty(candidates) || length(candidates) > MOST_ACROSS || request.ties != "half" || request.biased) && return out
    equality = Equality(request.battles, request.cluster)
    reachable = [Equal.reachable_from(equality, i) for i in 1:L]
    for (i, j) in candidates
        j in reachable[i] || i in reachable[j] || continue
        stronger, weaker = j in reachable[i] ? (i, j) : (j, i)
        d = Equal.test(equality, stronger, weaker)
        d === nothing || push!(out, (stronger, weaker, p_value(d)))
    end
    return out
end

"Best and worst rank of each model, by Holm's rule over all pairs."
function rank_ranges(L, pairs, confidence)
    p = fill(ONE, L * (L - 1) ÷ 2)
    for k in eachindex(pairs)
        p[k] = pairs[k][3]
    end
    p, best, worst = holm(p), fill(1, L), fill(L, L)
    for k in eachindex(pairs)
        stronger, weaker = pairs[k][1], pairs[k][2]
        if is_significant(p[k], confidence)
            best[weaker] += 1
            worst[stronger] -= 1
        end
    end
    return best, worst
end
