# Every pair of many models, each on the questions that both answered.

module Pairs

using ..Scorio: population, trials_at_least
using ..Differences: Difference, common, on_same
using ..Estimates: NO_DIFFERENCE, side, units_of
using ..Estimators: Side
using ..Metrics: flips
using ..Models: counted, label

@nospecialize

"Models a < b by place, their difference, the questions that either lacks, and both on the others."
struct Contrast
    a::Int
    b::Int
    difference::Difference
    dropped::Vector{Int}
    sides::Tuple{Side,Side}
end

"The models, and all their pairs in the order (1, 2), (1, 3), ..., (2, 3), ...; an error names its pair."
function contrasts(q, models, w)
    many = checked(q, models, w)
    return many, among(q, many)
end

"The counts of the models on the same questions, each with k trials per question or none."
function checked(q, models, w, fewest = 2)
    clustered = q.sampled && q.clusters === nothing
    many = counted(models, w === nothing ? nothing : q.m.w, q.missing, "models"; fewest = fewest, clustered = clustered)
    for (i, x) in enumerate(many.items)
        trials_at_least(x, q.m.k, "model $(label(many, i))", NO_DIFFERENCE, flips(q.m))
    end
    return many
end

"The pairs of these models."
function among(q, many)
    labels = population(nothing, q.clusters, q.sampled, many.items[1])[2]
    own = any(x -> x.fewest == 0, many.items) ? nothing : Side[side(q, x) for x in many.items]
    units, L, out = own === nothing ? nothing : units_of(labels, Int[]), length(many.items), Contrast[]
    for i in 1:L, j in i+1:L
        if own === nothing
            push!(out, shared(q, many, i, j, labels))
        else
            d = on_same(own[i], own[j], q.sampled, "models", units)
            push!(out, Contrast(i, j, d, Int[], (own[i], own[j])))
        end
    end
    return out
end

"Two models on the questions that both have."
function shared(q, many, i, j, labels)
    who = "models $(label(many, i)) and $(label(many, j))"
    a, b, dropped = common(many.items[i], many.items[j], "models", who)
    p, r = side(q, a), side(q, b)
    d = on_same(p, r, q.sampled, "models", units_of(labels, dropped))
    return Contrast(i, j, d, dropped, (p, r))
end

end
