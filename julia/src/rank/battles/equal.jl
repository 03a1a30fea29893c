# Score tests of whether two models are equally strong, also of models without a joint rating. The formulas:
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
