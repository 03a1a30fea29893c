# Ids and clusters of questions: which question a row is, and the cluster it was sampled in.

@nospecialize

const Texts = Vector{String}
const Clustering = Vector{Union{Nothing,String}}  # nothing for a question without a known cluster

"Check the labels of M questions (or what else there is), each a text, a symbol or an integer; returns them."
function labels(x, M, name, what = "questions")
    x isa Union{AbstractVector,Tuple} || refuse("type", name, name, " must be a vector of labels, not ", shown(x))
    length(x) == M || refuse("length", name, name, " has ", length(x), " labels for ", M, " ", what)
    for (i, label) in enumerate(x)
        label isa Union{AbstractString,Symbol,Integer} && !(label isa Bool) ||
            refuse("type", name, name, "[", i, "] = ", shown(label), " is neither text nor an integer")
    end
    return x
end

"Labels of M questions as texts; an integer becomes the text of its digits."
texts(x, M, name) = String[string(label) for label in labels(x, M, name)]

"Ids of M questions as texts, none of them blank and no two equal."
question_ids(x, M, name = "ids") = distinct_ids(texts(x, M, name), name)

"Refuse ids that are blank or equal; returns the ids."
function distinct_ids(x, name)
    first = Dict{String,Int}()
    for (i, id) in enumerate(x)
        all(in((' ', '\t', '\n', '\v', '\f', '\r')), id) && refuse("missing", name, name, "[", i, "] is blank")
    end
    for (j, id) in enumerate(x)
        i = get!(first, id, j)
        i == j || refuse("duplicate", name, name, "[", i, "] and ", name, "[", j, "] are both ", shown(id))
    end
    return x
end

"The first three ids, for a message."
first_few(x) = join((shown(q) for q in x[1:min(3, end)]), ", ") * (length(x) > 3 ? ", ..." : "")

@specialize
