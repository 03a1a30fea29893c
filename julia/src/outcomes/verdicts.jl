# Verdicts of a judge on every output of a model, and human labels of some of the outputs.

module Verdicts

using ..Scorio: Counts, LARGEST_CATEGORY, read_source, count_outcomes, dimensions, isabsent, refuse, row
using ..Arguments: Arguments
using ..Models: check_flat

const UNLABELLED = -1
const MIN_LABELS = 10  # fewest labels of a group of merged verdicts, unless there are few labels in all

@nospecialize

"The outputs of a model with their verdicts and labels, on the questions on which every model has a verdict."
struct Outputs
    M::Int
    question::Vector{Int}  # index 1..M of the question of each output, increasing
    trials::Vector{Int}  # outputs of each question
    verdict::Vector{Int}  # index in `values` of the verdict on each output
    label::Vector{Int}  # label of each output: a category, or UNLABELLED
    values::Vector{Int}  # the verdicts that occur, increasing
    dropped::Vector{Int}  # indices of the questions that were left out
end

"Verdicts and labels as matrices, UNLABELLED where there is no verdict or label."
struct Cells
    verdicts::Matrix{Int}
    labels::Matrix{Int}
end

"Check verdicts 0, 1, ... and labels 0..C of the same shape; names: the two arguments, for errors."
function cells(verdicts, labels, C, missing, has_scores, names)
    policy = Arguments.policy(missing, LARGEST_CATEGORY)
    v = read_cells(verdicts, nothing, policy, names[1], false)  # false: no scores
    l = read_cells(labels, C, :drop, names[2], has_scores)
    size(v) == size(l) || refuse(
        "shape", names[2], names[2], " is of size ", size(l), ", ", names[1], " of size ", size(v),
        ": give each output an entry, missing if it has no label",
    )
    return Cells(v, l)
end

"""
Outputs of each model on the questions on which all models have a verdict; each model needs a label.

names: for each of the tables, the names of the arguments with its verdicts and with its labels.
"""
function outputs(tables, names)
    M = size(tables[1].verdicts, 1)
    for (x, (name, _)) in zip(tables, names)
        size(x.verdicts, 1) == M || refuse(
            "shape", name, name, " has ", size(x.verdicts, 1), " questions, ", names[1][1], " has ", M,
            ": they must be the same ones",
        )
    end
    keep = fill(true, M)
    for x in tables, i in 1:M
        keep[i] = keep[i] && any(j -> x.verdicts[i, j] >= 0, axes(x.verdicts, 2))
    end
    any(keep) || refuse("no_trials", names[1][1], "no question of ", names[1][1], " has a verdict")
    return [kept_outputs(x, keep, name) for (x, (_, name)) in zip(tables, names)]
end

"The outputs on the questions in the mask keep; name: the argument with the labels."
function kept_outputs(x, keep, name)
    question, trials, verdict, label = Int[], Int[], Int[], Int[]
    for i in findall(keep)
        push!(trials, 0)
        for j in axes(x.verdicts, 2)
            x.verdicts[i, j] < 0 && continue
            trials[end] += 1
            push!(question, length(trials))
            push!(verdict, x.verdicts[i, j])
            push!(label, x.labels[i, j])
        end
    end
    any(>=(0), label) || refuse("empty", name, name, " has no label of an output that has a verdict")
    values = sort!(unique(verdict))
    index = Dict(v => g for (g, v) in enumerate(values))
    return Outputs(length(trials), question, trials, [index[v] for v in verdict], label, values, findall(!, keep))
end

"Check verdicts or labels; returns a matrix in which missing ones are -1, or the category of the policy."
function read_cells(x, C, policy, name, has_scores)
    x isa Counts && refuse("type", name, "Counts do not say which output is which, as ", name, " must")
    check_flat(x, name)
    count_policy = policy isa Symbol ? policy : :drop
    count_outcomes(x, C, count_policy; name = name, has_scores = has_scores)
    A = read_source(x, name, count_policy)
    M, N = dimensions(A)::Tuple{Int,Int}
    out = fill(policy isa Symbol ? UNLABELLED : Int(policy), M, N)
    fill_cells!(out, A)
    return out
end

@specialize

"""
The group of each verdict: five verdicts or more are merged with neighbours until each group has enough labels.

`MIN_LABELS` are enough, or half of all labels if these are fewer. A verdict without labels gives no information on its
outputs, so ungrouped verdicts could leave most outputs without any.
"""
function verdict_groups(x)
    G, n_labels, total = length(x.values), zeros(Int, length(x.values)), 0
    G < 5 && return collect(1:G)
    for i in eachindex(x.verdict)
        x.label[i] < 0 && continue
        n_labels[x.verdict[i]] += 1
        total += 1
    end
    enough, group, n_in_group = min(MIN_LABELS, (total + 1) ÷ 2), ones(Int, G), n_labels[1]
    for g in 2:G
        group[g] = group[g-1] + (n_in_group >= enough)
        n_in_group = n_labels[g] + (n_in_group < enough ? n_in_group : 0)
    end
    return n_in_group >= enough ? group : min.(group, max(group[end] - 1, 1))
end

"The outputs with the group of each verdict instead of the verdict."
group_verdicts(x, group) =
    Outputs(x.M, x.question, x.trials, group[x.verdict], x.label, collect(1:group[end]), x.dropped)

"""
Index of each output's verdict and label in a table whose entries are numbered row by row.

rows: verdicts; columns: the labels 0..categories-1, and a last one for outputs without a label.
"""
function cell_indices(x, categories)
    cells = Vector{Int}(undef, length(x.verdict))
    for i in eachindex(cells)
        l = x.label[i]
        cells[i] = (x.verdict[i] - 1) * (categories + 1) + (l < 0 ? categories : l) + 1
    end
    return cells
end

function fill_cells!(out, A)
    for i in axes(out, 1), (j, x) in enumerate(row(A, i))
        isabsent(x) || (out[i, j] = Int(x))
    end
end

end
