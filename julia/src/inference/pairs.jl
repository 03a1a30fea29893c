# Every pair of many models, each on the questions that both answered.

module Pairs

using ..Scorio: population, trials_at_least
using ..Differences: Difference, common, on_same
using ..Estimates: NO_DIFFERENCE, side, units_of
using ..Models: counted, label

@nospecialize

"Models a < b by place, their difference, and the questions that either lacks."
struct Contrast
    a::Int
    b::Int
    difference::Difference
    dropped::Vector{Int}
end

"The models, and all their pairs in the order (1, 2), (1, 3), ..., (2, 3), ...; an error names its pair."
function contrasts(q, models, w)
    many = counted(models, w === nothing ? nothing : q.m.w, q.missing, "models")
    labels = population(nothing, q.clusters, q.sampled, many.items[1])[2]
    for (i, x) in enumerate(many.items)
        trials_at_least(x, q.m.k, "model $(label(many, i))", NO_DIFFERENCE)
    end
    own = any(x -> x.fewest == 0, many.items) ? nothing : [side(q, x) for x in many.items]
    units, L, out = own === nothing ? nothing : units_of(labels, Int[]), length(many.items), Contrast[]
    for i in 1:L, j in i+1:L
        if own === nothing
            push!(out, Contrast(i, j, shared(q, many, i, j, labels)...))
        else
            push!(out, Contrast(i, j, on_same(own[i], own[j], q.sampled, "models", units), Int[]))
        end
    end
    return many, out
end

"Two models on the questions that both have."
function shared(q, many, i, j, labels)
    who = "models $(label(many, i)) and $(label(many, j))"
    a, b, dropped = common(many.items[i], many.items[j], "models", who)
    return on_same(side(q, a), side(q, b), q.sampled, "models", units_of(labels, dropped)), dropped
end

end
