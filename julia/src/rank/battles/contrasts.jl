# Differences of strengths with their standard errors and degrees of freedom, and score tests of equal strength.
# By a jackknife over independent units; score tests take models without a joint rating, too: spec/families/battles.md.

module BattleContrasts

using ...DegreesOfFreedom: MOST, smaller
using ...Differences: Difference
using ...DoubleDouble: ONE, Triple, ZERO, value
using ...Means: Fraction
using ...Scorio: sort_order
using ...Variance: larger
using ..Battles: Battles
using ..Fits: Cells, Fit, Fits
using ..Likelihood: Likelihood

const CLUSTERS = ("question", "voter", "both")
const LEAST_FREEDOM = 0.5  # fewest degrees of freedom with which a variance counts as estimated; a single unit has 0

"The variance V of a contrast, its effective number of units E, and its variance under the fitted model."
struct ContrastVariance
    V::Triple
    E::Triple
    V_model::Triple
end

"""
Differences of the log strengths of L models.

Index L + 1 is the log position bias, L + 2 the log tie parameter, L + 3 the mean of the models, L + 4 the number 0.
"""
struct Contrasts
    fit::Fit
    U::Matrix{Triple}  # the inverse of the curvature
    units::Vector{Any}  # BattleUnits or ClusterUnits, for each way of clustering
end

# which: the models whose contrasts are needed; by default all, and only then also contrasts with the mean
Contrasts(fit::Fit, units::Vector, which = nothing) = Contrasts(fit, Fits.inverse_curvature(fit, which), units)

models(c::Contrasts) = length(c.fit.p)
mean_index(c::Contrasts) = models(c) + 3
zero_index(c::Contrasts) = models(c) + 4

"Functions that name the cluster of a battle, for each way of clustering."
function cluster_keys(cluster)
    cluster == "question" && return Any[r -> r[5]]
    cluster == "voter" && return Any[r -> r[6]]
    return Any[r -> r[5], r -> r[6], r -> (r[5], r[6])]
end

"The variance of every contrast a - b."
function variances(c::Contrasts, a, b)
    by_clustering = Vector{ContrastVariance}[]
    for unit in c.units
        by_contrast = sums(c, unit, a, b, true)::Vector{ContrastVariance}
        push!(by_clustering, ContrastVariance[jackknife(x) for x in by_contrast])
    end
    return combined(by_clustering)
end

"Combine the variances of one way of clustering, or of two crossed ways and their intersection."
function combined(x::Vector{Vector{ContrastVariance}})
    length(x) == 1 && return x[1]
    return ContrastVariance[crossed(x[1][k], x[2][k], x[3][k]) for k in eachindex(x[1])]
end

"ContrastVariance of every contrast a - b before jackknife(): V is the sum of squared scores over units."
sums(c, unit, a, b, leave_one_out) = ContrastVariance[
    ContrastVariance(total, ONE / squared_leverages, V) for
    (V, total, squared_leverages) in variance_terms(unit, c.fit, a, b, c.U, leave_one_out)
]

"Variance for crossed clusters: V_question + V_voter - V_both, and at least the larger of the first two."
crossed(q, v, both) =
    ContrastVariance(larger(larger(q.V + v.V - both.V, q.V), v.V), smaller(q.E, v.E), q.V_model)

"Every contrast a - b with its standard error; nothing where the battles do not determine its variance."
function differences(c::Contrasts, a, b)
    by_contrast = variances(c, a, b)
    return Union{Nothing,Difference}[difference(c, a[k], b[k], by_contrast[k]) for k in eachindex(by_contrast)]
end

"The contrast i - j with the standard error and degrees of freedom from its variance x; nothing if these are too few."
function difference(c, i, j, x)
    freedom = x.E - ONE
    value(freedom) < LEAST_FREEDOM && return nothing
    return Difference(point(c, i, j), sqrt(x.V), smaller(freedom, MOST), "measured")
end

"The estimate of the contrast i - j."
function point(c, i, j)
    L = models(c)
    j <= L && return Fits.log_ratio(c.fit, i, j)
    i <= L && return c.fit.theta[i]
    return i == L + 1 ? Fits.advantage(c.fit) : log(c.fit.tie)
end

"The jackknife variance of a contrast from its sum of squares, never below V_model/E."
function jackknife(x::ContrastVariance)
    share = ONE / x.E
    return ContrastVariance(larger((ONE - share) * x.V, x.V_model * share), x.E, x.V_model)
end

"""
The t statistic of a test that the contrast a - b is 0: its score divided by the standard error of the score.

The statistic is a Difference with standard error 1; nothing below LEAST_FREEDOM degrees of freedom.
"""
function score(c::Contrasts, a, b)
    x = combined(Vector{ContrastVariance}[sums(c, unit, [a], [b], false) for unit in c.units])[1]
    freedom = x.E - ONE
    value(freedom) < LEAST_FREEDOM && return nothing
    u, cells = fill(ZERO, size(c.U, 1)), c.fit.cells
    Likelihood.contrast!(u, c.U, a, b)
    total = Likelihood.contrast_score(cells.first, cells.second, Fits.derivatives_at(c.fit, cells), u)
    # V is 0 if every battle on which the contrast depends is a tie
    t = value(x.V) > Fits.NEGLIGIBLE^2 ? Fits.flush_tiny(total / sqrt(x.V)) : ZERO
    return Difference(t, ONE, smaller(freedom, MOST), "measured")
end

# --- units of sampling ---------------------------------------------------------------------------------

"Battles as sampling units; cells with the same number in `kind` have one curvature and are processed together."
struct BattleUnits
    cells::Cells
    n_battles::Vector{Triple}  # of each cell
    kind::Vector{Int}  # sorted
end

"The battles of a group, each a sampling unit."
function battle_units(group, model)
    n_of_kind = Dict{Battles.Row,Int}()
    for (r, n_battles) in group.rows
        kind = (r[1], r[2], r[3], r[4], 0, 0)
        n_of_kind[kind] = get(n_of_kind, kind, 0) + n_battles
    end
    unsorted = Battles.Row[r for (r, _) in n_of_kind]
    order = sort_order((i, j) -> comes_before(unsorted[i], unsorted[j]), length(unsorted))
    rows = Battles.Row[unsorted[k] for k in order]
    kind_of, kinds = Int[], 0
    for k in eachindex(rows)
        # the curvature depends on the outcome in the model of Rao and Kupper (3) only
        kinds += !(k > 1 && model != 3 && same_curvature(rows[k-1], rows[k]))
        push!(kind_of, kinds)
    end
    cells = Fits.from_fractions(rows, Vector{Fraction}[weights_by_outcome(Battles.exact(r[4]), r[3]) for r in rows])
    return BattleUnits(cells, Triple[Triple(n_of_kind[r]) for r in rows], kind_of)
end

"Whether two rows have the same models, shown in the same order, and one weight."
same_curvature(r, s) = r[1] == s[1] && r[2] == s[2] && r[4] == s[4]

"Whether row r precedes row s: by models, weight, outcome."
function comes_before(r, s)
    r[1] == s[1] || return r[1] < s[1]
    r[2] == s[2] || return r[2] < s[2]
    return r[4] == s[4] ? r[3] < s[3] : r[4] < s[4]
end

"Weights of wins of the first model, ties and wins of the second in one battle: its weight, and two zeros."
weights_by_outcome(weight, outcome) = Fraction[o == outcome ? weight : 0 for o in 0:2]

"Clusters of battles as sampling units."
struct ClusterUnits
    cells::Cells
    cluster::Vector{Int}  # the number of each cell's cluster, sorted
end

"The battles of a group, clustered by the values of key."
function cluster_units(group, key)
    clusters = Dict{Any,Battles.Cells}()
    for (r, n_battles) in group.rows
        Battles.add!(get!(Battles.Cells, clusters, key(r)), r, n_battles)
    end
    pairs, counts, unit = Tuple{Int,Int}[], Vector{Fraction}[], Int[]
    for (q, label) in enumerate(sort!(collect(keys(clusters)))), pair in Battles.pairs_of(clusters[label])
        push!(pairs, pair)
        push!(counts, clusters[label][pair])
        push!(unit, q)
    end
    return ClusterUnits(Fits.from_fractions(pairs, counts), unit)
end

"The sampling units of a group, for each way of clustering."
function units(group, cluster, model)
    cluster === nothing && return Any[battle_units(group, model)]
    return Any[cluster_units(group, key) for key in cluster_keys(cluster)]
end

"The battles between models that have an entry above 0 in new_index, which renumbers them."
function restricted(x::BattleUnits, new_index)
    which = Fits.indices_within(x.cells, new_index)
    return BattleUnits(Fits.renumbered(x.cells, which, new_index), x.n_battles[which], numbered(x.kind[which]))
end

function restricted(x::ClusterUnits, new_index)
    which = Fits.indices_within(x.cells, new_index)
    return ClusterUnits(Fits.renumbered(x.cells, which, new_index), x.cluster[which])
end

"Renumber sorted numbers as 1, 2, ... without gaps; equal numbers stay equal."
numbered(x) = cumsum(Int[k == 1 || x[k] != x[k-1] for k in eachindex(x)])

"The terms of variances_by_battle() or variances_by_cluster() for every contrast a - b."
function variance_terms(x::BattleUnits, fit, a, b, U, leave_one_out)
    derivatives = Fits.derivatives_at(fit, x.cells)
    kinds = Likelihood.group_battles(x.cells.first, x.cells.second, derivatives, x.n_battles, x.kind)
    return Likelihood.variances_by_battle(kinds, a, b, U, leave_one_out)
end

function variance_terms(x::ClusterUnits, fit, a, b, U, leave_one_out)
    ends = Int[k for k in eachindex(x.cluster) if k == length(x.cluster) || x.cluster[k] != x.cluster[k+1]]
    derivatives = Fits.derivatives_at(fit, x.cells)
    return Likelihood.variances_by_cluster(x.cells.first, x.cells.second, derivatives, ends, a, b, U, leave_one_out)
end

end

# --- score tests of whether two models are equally strong -------------------------------------------

module Equal

using ..BattleContrasts: BattleContrasts, Contrasts
using ..Battles: Battles
using ..Existence: Existence
using ..Fits: Fit, Fits

"Score tests of pairs of models, with ties as half wins."
struct Equality
    size::Int
    links::Set{Tuple{Int,Int}}
    cells::Fits.Cells
    units::Vector{Any}
end

function Equality(battles::Battles.Table, cluster)
    L = length(battles.models)
    all_models = Battles.Group(collect(1:L), battles.rows)
    units = BattleContrasts.units(all_models, cluster, 1)  # 1: ties are half wins
    return Equality(L, Set(Existence.links(battles.rows)), Fits.from_fractions(Battles.cells(all_models)), units)
end

"The models that can be reached from i along wins and ties."
reachable_from(e::Equality, i) = Existence.reachable(e.size, e.links, i)

"""
Score test of equal strength of two linked models: its t statistic as a Difference with standard error 1; nothing
below LEAST_FREEDOM degrees of freedom, as in score().
"""
function test(e::Equality, a, b)
    # in the fit a and b are one model, by strength_index; in the test they are two, by new_index
    first_model, second_model = min(a, b), max(a, b)
    merged(k) = k == second_model ? first_model : k
    graph = Set((merged(i), merged(j)) for (i, j) in e.links)
    linked = Existence.components(e.size, graph)
    linked_models = linked[findfirst(x -> first_model in x, linked)]
    new_index, strength_index = zeros(Int, e.size), zeros(Int, e.size)
    strength_index[linked_models] = eachindex(linked_models)
    strength_index[second_model] = findfirst(==(first_model), linked_models)
    members = findall(k -> strength_index[k] > 0, 1:e.size)
    new_index[members] = eachindex(members)
    which = Fits.indices_within(e.cells, new_index)
    fit = Fit(length(linked_models), Fits.renumbered(e.cells, which, strength_index), "half", false)
    fit = Fits.expanded(fit, strength_index[members], Fits.renumbered(e.cells, which, new_index))
    units = Any[BattleContrasts.restricted(unit, new_index) for unit in e.units]
    return BattleContrasts.score(Contrasts(fit, units, (new_index[a], new_index[b])), new_index[a], new_index[b])
end

end
