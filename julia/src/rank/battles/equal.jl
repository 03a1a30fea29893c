# Score tests of whether two models are equally strong, also where they cannot be rated together. The formulas:
# spec/families/battles.md.

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
    units = BattleContrasts.units(all_models, cluster, 1)
    return Equality(L, Set(Existence.links(battles.rows)), Fits.exact(Battles.cells(all_models)), units)
end

"Models to which wins or ties lead from i."
below(e::Equality, i) = Existence.reached(e.size, e.links, i)

"Test two linked models: t as a difference with standard error 1; nothing where one unit decides alone."
function test(e::Equality, a, b)
    one, other = min(a, b), max(a, b)
    merged(k) = k == other ? one : k
    graph = Set((merged(i), merged(j)) for (i, j) in e.links)
    linked = Existence.components(e.size, graph)
    linked_models = linked[findfirst(x -> one in x, linked)]
    place, at = zeros(Int, e.size), zeros(Int, e.size)
    at[linked_models], at[other] = eachindex(linked_models), findfirst(==(one), linked_models)
    members = findall(k -> at[k] > 0, 1:e.size)
    place[members] = eachindex(members)
    which = Fits.inside(e.cells, place)
    fit = Fit(length(linked_models), Fits.among(e.cells, which, at), "half", false)
    fit = Fits.shared(fit, at[members], Fits.among(e.cells, which, place))
    units = Any[BattleContrasts.among(unit, place) for unit in e.units]
    return BattleContrasts.score(Contrasts(fit, units, (place[a], place[b])), place[a], place[b])
end

end
