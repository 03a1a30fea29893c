# Pairing of models on the same questions: by id where all have ids, by row where none has.

@nospecialize

"""
Align the counts of models, so that row i is the same question in each.

Models with ids are paired by id: they get the questions of all models, in order of appearance. Without ids the rows
are unchanged.

- `items`: one for each model: `Counts`, or objects without ids.
- `arguments`: the name of the argument that holds each model; `name_of(i)`: the name of model i in messages.
- `missing`: `:drop`: a question that a model does not have gets no trials; anything else: it is refused.
- `clustered`: give every model the clusters that any of them has.
"""
function pair_questions(items, arguments, name_of, missing = nothing, clustered = false)
    order = common_ids(Any[ids_of(x) for x in items], arguments, name_of, missing)
    M = questions(items[1])
    for (i, x) in enumerate(items)
        order !== nothing || questions(x) == M || refuse(
            "shape", arguments[i], name_of(i), " has ", questions(x), " questions, ", name_of(1), " has ", M,
            ": they must be the same ones",
        )
    end
    clusters = clustered ? common_clusters(items, order, arguments, name_of) : nothing
    out = Any[order === nothing || ids_of(x) == order ? x : reindexed(x, order) for x in items]
    return clusters === nothing ? out : Any[labelled(x, order, clusters) for x in out]
end

"Ids of all questions in order of appearance; nothing if no model has ids."
function common_ids(ids, arguments, name_of, missing)
    all(isnothing, ids) && return nothing
    for (i, x) in enumerate(ids)
        (x === nothing) == (ids[1] === nothing) && continue
        have, lack = x === nothing ? (1, i) : (i, 1)
        refuse(
            "conflict", arguments[i], name_of(have), " has ids of its questions, ", name_of(lack),
            " has none: give ids of both, or of neither",
        )
    end
    all(==(ids[1]), ids) && return ids[1]
    order = union(ids...)::Texts
    missing in (:drop, "drop") && return order
    for (i, x) in enumerate(ids)
        length(x) < length(order) && refuse_lacking(setdiff(order, x), arguments[i], name_of(i), missing)
    end
    return order
end

"Refuse a model that lacks questions of the others."
function refuse_lacking(absent, argument, model, missing)
    many = length(absent) == 1 ? "1 question" : "$(length(absent)) questions"
    advice = missing === nothing ? "select the questions that all have" :
        "missing=:drop compares two models on the questions of both"
    refuse("missing", argument, model, " does not have ", many, " of the others, ", first_few(absent), ": ", advice)
end

"The cluster of each question, from the models that know it; nothing if no model has clusters."
function common_clusters(items, order, arguments, name_of)
    all(x -> clusters_of(x) === nothing, items) && return nothing
    cluster_of = Dict{Any,String}()
    for (i, x) in enumerate(items)
        clusters_of(x) === nothing && continue
        for (q, label) in zip(order === nothing ? (1:questions(x)) : ids_of(x), clusters_of(x))
            label === nothing || get!(cluster_of, q, label) == label || refuse(
                "conflict", arguments[i], "question ", shown(q), " is in cluster ", shown(label), " for ", name_of(i),
                ", in ", shown(cluster_of[q]), " for an earlier model; clusters=false leaves clusters out",
            )
        end
    end
    return Clustering([get(cluster_of, q, nothing) for q in (order === nothing ? (1:questions(items[1])) : order)])
end

Base.:+(a::Counts, b::Counts) = plus(a, b)

"Counts of the trials of a and b on the same questions; names: what errors call the two."
function plus(a::Counts, b::Counts, names = ("self", "other"))
    both = Any[padded(a, largest_category(b)), padded(b, largest_category(a))]
    x, y = pair_questions(both, names, i -> names[i], nothing, true)  # true: clustered
    counts = matrix_of(x) + matrix_of(y)
    sum = check_limit(counts_from_arrays(counts, x.trials + y.trials, x.absent + y.absent))
    return labelled(sum, ids_of(x), clusters_of(x))
end

@specialize
