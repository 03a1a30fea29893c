# Outcomes of many models: an L × M × N array, a vector of models, or names with the outcomes of each model.

module Models

using ..Scorio: Counts, Detailed, InvalidInput, TABLE_HINT, read_source, count_outcomes, dimensions, isrow, no_empty
using ..Scorio: among, check_trials, deferred, pair_questions, refuse, row, shown
using ..Arguments: Arguments

@nospecialize

"One item for each of many models, and their names if they have any."
struct Many
    source::Any  # the caller's argument: results have its form
    names::Union{Nothing,Vector}
    items::Vector{Any}
end

"The name of model i in messages."
label(models, i) = models.names === nothing ? i : shown(models.names[i])

"Apply f to every item; an error about an argument in `about`, the first of which is the models, names the model."
function each(f, models, about...; items = models.items)
    out = Any[]
    for (i, x) in enumerate(items)
        try
            push!(out, f(x))
        catch e
            e isa InvalidInput && e.argument in about || rethrow()
            refuse(e.code, e.argument, "model ", label(models, i), " of ", about[1], ": ", e.message)
        end
    end
    return out
end

"Values of models under their names, in the form of the caller's models; a vector if the models have no names."
function named(models, values)
    models.names === nothing && return values
    R = models.source
    R isa NamedTuple && return NamedTuple{keys(R)}(Tuple(values))
    R isa AbstractDict || return [Pair(k, v) for (k, v) in zip(models.names, values)]
    out = empty(R, keytype(R), eltype(values))
    for (k, v) in zip(models.names, values)
        out[k] = v
    end
    return out
end

"Whether x maps names to outcomes: a dictionary, a named tuple, or pairs."
ismapping(x) = x isa Union{AbstractDict,NamedTuple} ||
    (islist(x) && !isempty(x) && (x isa AbstractVector{<:Pair} || all(y -> y isa Pair, x)))

islist(x) = x isa Union{Tuple,AbstractVector}

"Whether x has rows: Counts, answers or scored trials, a matrix, or a vector of rows."
ismatrix(x) = islist(x) ? any(isrow, x) : x isa Union{Counts,Detailed,AbstractMatrix}

const COLUMN_HINT = ": reshape(x, :, 1) if each entry of x is a question"

"Refuse one-dimensional outcomes, which can mean one question with many trials or many questions with one trial."
check_flat(x, name) = islist(x) && !isempty(x) && !any(isrow, x) && refuse(
    "shape", name, name, " must be two-dimensional, a row for each question",
    all(y -> y isa Union{Number,Missing,Nothing}, x) ? COLUMN_HINT : TABLE_HINT,
)

"Whether R holds matrices: a mapping, a 3-D array, a vector of matrices."
holds_matrices(R) = ismapping(R) || (islist(R) ? any(ismatrix, R) : R isa AbstractArray && ndims(R) == 3)

"Split a mapping into names and items; those of a Dict, whose own order is that of hashes, are sorted by name."
function unzipped(R)
    if R isa Union{Dict,IdDict}
        names = sort!(collect(Any, keys(R)), by = name -> (name isa Real ? name : Inf, string(name)))
        return collect(keytype(R), names), Any[R[name] for name in names]
    end
    islist(R) || return collect(keys(R)), Any[x for x in values(R)]
    names, items = Any[], Any[]
    for i in eachindex(R)  # getfield and eachindex: nothing to compile for the type of R's pairs
        push!(names, getfield(R[i], 1))
        push!(items, getfield(R[i], 2))
    end
    return narrow_names(names), items
end

"Convert names to a vector of texts if all are texts, else to a vector of the narrowest type."
function narrow_names(names)
    for x in names
        x isa String || return deferred(collect)(x for x in names)
    end
    return String[x for x in names]
end

"List the items of a list, or the slices of an array along its first dimension; matrices if it has three dimensions."
slices(R) = islist(R) ? Any[x for x in R] : Any[ndims(R) == 3 ? model(R, i) : selectdim(R, 1, i) for i in axes(R, 1)]

const EXPECTED_FORM = "L × M × N, a vector of models or names with outcomes"

"Split R into its models; throws if there are fewer than `min_models`."
function split_models(R, name, min_models = 2)
    names = nothing
    if ismapping(R)
        names, items = unzipped(R)
        for (i, x) in enumerate(names)
            findfirst(isequal(x), names) == i ||
                refuse("duplicate", name, name, " has two models named ", shown(x))
        end
    elseif isrow(R)
        items = slices(R)
        for (i, x) in enumerate(items)
            ismatrix(x) || (islist(x) && isempty(x)) ||
                refuse(
                    "shape", name, name, " must be ", EXPECTED_FORM, ": ", name, "[", i, "] = ", shown(x),
                    " is not a matrix", islist(x) ? "" : TABLE_HINT,
                )
        end
    else
        refuse("type", name, name, " must be ", EXPECTED_FORM, ", not ", shown(R), TABLE_HINT)
    end
    isempty(items) && refuse("empty", name, name, " has no models")
    length(items) >= min_models || refuse("shape", name, name, " has one model: at least two are needed")
    return Many(R, names, items)
end

"Throw unless all models have the same number of questions, or of trials; what: which of the two."
function same_sizes(sizes, models, name, what = "questions")
    for (i, M) in enumerate(sizes)
        M == sizes[1] ||
            refuse(
                "shape", name, "model ", label(models, i), " of ", name, " has ", M, " ", what,
                ", the first model has ", sizes[1],
            )
    end
end

"""
Counts of every model on the same questions, in the categories that w scores.

`all_answered`: every question must have a trial; `clustered`: every model gets the clusters that any of them has.
"""
function count_models(R, w, missing, name = "R"; all_answered = false, min_models = 2, clustered = false)
    has_scores, C = w !== nothing, length(Arguments.category_scores(w)) - 1
    models = split_models(R, name, min_models)
    items = each(models, name) do x
        check_flat(x, name)
        counts = count_outcomes(x, C, missing; name = name, has_scores = has_scores)
        return all_answered ? no_empty(counts) : counts
    end
    name_of(i) = "model $(label(models, i)) of $name"
    # where all must have trials, a question that a model lacks is refused even if missing = :drop
    aligned = pair_questions(items, [name for _ in items], name_of, all_answered ? nothing : missing, clustered)
    return Many(R, models.names, aligned)
end

"Throw unless a mapping has exactly these names; the error quotes the rule, and the first name that differs."
function check_same_names(given, names, argument, rule)
    names !== nothing && Set(given) == Set(names) && return
    unknown = names === nothing ? given : filter(x -> !(x in names), given)
    isempty(unknown) && refuse("choice", argument, rule, ": ", shown(first(setdiff(names, given))), " is absent")
    names === nothing && refuse("choice", argument, rule, ": they have no names")
    refuse("choice", argument, rule, ": ", shown(unknown[1]), " is none of ", among(unknown[1], names))
end

"The ranks of a mapping, in the order of the models; ranks in any other form unchanged."
function in_order(ranks, names, name)
    ismapping(ranks) || return ranks
    keys, values = unzipped(ranks)
    check_same_names(keys, names, name, "$name must rank the same models, by the same names")
    return [values[findfirst(isequal(x), keys)] for x in names]
end

"The prior outcomes R0 of every model: the same for all, or one for each."
function prior_outcomes(R0, models)
    if ismapping(R0)
        names, items = unzipped(R0)
        check_same_names(names, models.names, "R0", "R0 must have the models of R, by the same names")
        return Any[items[findfirst(isequal(x), names)] for x in models.names]
    end
    holds_matrices(R0) || return Any[R0 for _ in models.items]
    items, L = slices(R0), length(models.items)
    length(items) == L || refuse("shape", "R0", "R0 has ", length(items), " models, R has ", L)
    return items
end

"Complete outcomes as integers L × M × N, N >= k, with their order of trials; and the models."
function tensor(R, w = nothing, k = 1, name = "R")
    has_scores, C = w !== nothing, length(Arguments.category_scores(w)) - 1
    models = split_models(R, name)
    items = each(models, name) do x
        x isa Union{Counts,Detailed} &&
            refuse("type", name, nameof(typeof(x)), " do not have the order of trials that ", name, " needs")
        check_flat(x, name)
        # without the hint: no policy helps where the order of trials counts
        counts = count_outcomes(x, C, :raise; name = name, has_scores = has_scores, hint = "")
        check_trials(counts, k, name)
        return read_source(x, name, :raise)
    end
    sizes = [dimensions(x)::Tuple{Int,Int} for x in items]
    same_sizes(first.(sizes), models, name)
    same_sizes(last.(sizes), models, name, "trials")
    out = Array{Int}(undef, length(items), sizes[1]...)
    foreach((i, x) -> fill_model!(out, i, x), eachindex(items), items)
    return out, models
end

@specialize

"A copy of the outcomes of model l of an L × M × N array."
function model(R, l)
    out = Matrix{eltype(R)}(undef, size(R, 2), size(R, 3))
    for (j, n) in enumerate(axes(R, 3)), (i, m) in enumerate(axes(R, 2))
        out[i, j] = R[l, m, n]
    end
    return out
end

"Copy the outcomes of model l, a matrix or rows, into out[l, :, :]."
function fill_model!(out, l, A::AbstractMatrix)
    for j in axes(out, 3), i in axes(out, 2)
        out[l, i, j] = A[i, j]
    end
end

function fill_model!(out, l, A)
    for i in axes(out, 2), (j, x) in enumerate(row(A, i))
        out[l, i, j] = x
    end
end

end
