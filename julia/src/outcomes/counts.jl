# Counts of outcomes: the exact integers that metrics are computed from. They can be added and saved.

"Values derived from counts, each computed when it is first needed."
mutable struct DerivedValues
    category_counts::Union{Nothing,Matrix{Int}}
    trials::Union{Nothing,Vector{Int}}
    absent::Union{Nothing,Vector{Int}}
    states::Union{Nothing,States}
    groups::Union{Nothing,Groups}
    cells::Union{Nothing,Cells}
end

const LARGEST_COUNT = 2^53 - 1

"""
    Counts(table; absent=nothing, ids=nothing, clusters=nothing)
    Counts(c, n; ids=nothing, clusters=nothing)

The number of times each question got each category: all that most metrics need of R.

- `table`: an M×(C+1) matrix of integers, column j+1 for category j; a question's trials are below 2^53.
- `absent`: a vector of length M: missing outcomes of each question that were dropped (`missing=:drop`).
- `c`, `n`: vectors of length M: successes and trials of each question.
- `ids`: M texts or integers, the id of each question, by which models are paired; an integer becomes the text of
  its digits. Ids must differ.
- `clusters`: M texts or integers, the cluster of each question, used with `questions=:sampled` unless other clusters
  are given.

They are made by these constructors or by [`tally`](@ref), and are accepted as `R` unless a metric needs single
trials, their order, or their answers or scores.
`a + b` joins the trials of the same questions, by id where both have ids. Fields: `category_counts` (M×C, the counts of
the categories 1..C), `trials`, `absent`, `missing` (the sum of `absent`), `ids` and `clusters` (texts; nothing if they
are not known, or for a question without a known cluster).
`Scorio.table(counts)` is the whole table; `Scorio.save_counts(path, counts)` and `Scorio.load_counts(path)` use the CSV
format of the Python package. Throws `InvalidInput`: type, shape, empty, length, range, missing (a blank id), duplicate.

# Examples
```jldoctest
julia> Counts([2, 0, 3], [4, 4, 3])
Counts(3 questions, 3..4 trials, categories 0..1)
```
"""
struct Counts
    narrow::Union{Matrix,Sparse}  # `category_counts` in the type it was counted in: UInt8, UInt16, Int, or as Sparse
    min_trials::Int  # smallest number of trials of a question
    max_trials::Int  # largest number of trials of a question
    missing::Int
    derived::DerivedValues
    ids::Union{Nothing,Texts}
    clusters::Union{Nothing,Clustering}
end

Counts(narrow::Union{Matrix,Sparse}, min_trials::Int, max_trials::Int, missing::Int, derived::DerivedValues) =
    Counts(narrow, min_trials, max_trials, missing, derived, nothing, nothing)

ids_of(counts::Counts) = getfield(counts, :ids)
clusters_of(counts::Counts) = getfield(counts, :clusters)

"Counts with these ids and clusters, which are known to be consistent."
function labelled(counts::Counts, ids, clusters)
    ids === nothing && clusters === nothing && ids_of(counts) === clusters_of(counts) === nothing && return counts
    unchanged = (getfield(counts, f) for f in (:narrow, :min_trials, :max_trials, :missing, :derived))
    return Counts(unchanged..., ids, clusters)
end

"Build counts from arrays that are known to be consistent."
function counts_from_arrays(category_counts::Matrix{Int}, trials::Vector{Int}, absent::Vector{Int})
    derived = DerivedValues(category_counts, trials, absent, nothing, nothing, nothing)
    return Counts(category_counts, extrema(trials)..., sum(absent), derived)
end

function counts_from_arrays(category_counts::Sparse, trials::Vector{Int}, absent::Vector{Int})
    derived = DerivedValues(nothing, trials, absent, nothing, nothing, nothing)
    return Counts(category_counts, extrema(trials)..., sum(absent), derived)
end

"Build counts with N trials of every question, none missing; states: their distinct (n, c), if known."
uniform_counts(narrow, N, states = nothing) =
    Counts(narrow, N, N, 0, DerivedValues(nothing, nothing, nothing, states, nothing, nothing))

"The smallest type for counts up to N."
narrow_type(N) = N <= 255 ? UInt8 : N <= 65535 ? UInt16 : Int

function Base.getproperty(counts::Counts, name::Symbol)
    name === :category_counts && return all_category_counts(counts)
    name === :trials && return all_trials(counts)
    name === :absent && return all_absent(counts)
    name in (:ids, :clusters) && return copied(getfield(counts, name))
    return getfield(counts, name)
end

copied(x) = x === nothing ? nothing : copy(x)  # so that callers cannot change them

Base.propertynames(::Counts, private::Bool = false) = (:category_counts, :trials, :absent, :missing, :ids, :clusters)

function all_category_counts(counts)
    derived = counts.derived
    derived.category_counts === nothing && (derived.category_counts = widened(counts.narrow))
    return derived.category_counts::Matrix{Int}
end

"Counts in a narrow type as a matrix of Int."
widened(narrow::Matrix{Int}) = narrow
widened(narrow::Sparse) = matrix(narrow)

"Counts of the categories 1..C; those of many categories as a Sparse matrix."
function matrix_of(counts)
    largest_category(counts) <= MAX_DENSE && return counts.category_counts
    return counts.narrow isa Sparse ? counts.narrow : deferred(Sparse)(counts.narrow)
end

"The counts of the categories 0..C that are not 0."
function cells_of(counts)::Cells
    derived = counts.derived
    if derived.cells === nothing
        m = matrix_of(counts)
        derived.cells = deferred(with_category_0)(m isa Sparse ? m : deferred(Sparse)(m), counts.trials)
    end
    return derived.cells
end

function widened(narrow)
    out = Matrix{Int}(undef, size(narrow))
    for i in eachindex(narrow)
        out[i] = narrow[i]
    end
    return out
end

function all_trials(counts)
    derived = counts.derived
    derived.trials === nothing && (derived.trials = fill(counts.min_trials, questions(counts)))
    return derived.trials::Vector{Int}
end

function all_absent(counts)
    derived = counts.derived
    derived.absent === nothing && (derived.absent = zeros(Int, questions(counts)))
    return derived.absent::Vector{Int}
end

function Counts(table; absent = nothing, ids = nothing, clusters = nothing)
    t = whole_numbers(table, "table", 2)
    M, width = size(t)
    missing_counts = absent === nothing ? zeros(Int, M) : whole_numbers(absent, "absent", 1)
    length(missing_counts) == M ||
        refuse("length", "absent", "absent has ", length(missing_counts), " entries for ", M, " questions")
    trials = zeros(Int, M)
    for j in 1:width, i in 1:M
        trials[i] = min(trials[i] + t[i, j], LARGEST_COUNT + 1)
    end
    counts = check_limit(counts_from_arrays(width == 1 ? zero(t) : t[:, 2:end], trials, missing_counts))
    return with_labels(counts, ids, clusters)
end

"Check ids and clusters from the caller, and attach them to counts."
function with_labels(counts, ids, clusters)
    M = questions(counts)
    checked_ids = ids === nothing ? nothing : question_ids(ids, M)
    return labelled(counts, checked_ids, clusters === nothing ? nothing : Clustering(texts(clusters, M, "clusters")))
end

"Refuse a question with more trials than LARGEST_COUNT; return the counts."
function check_limit(counts)
    counts.max_trials <= LARGEST_COUNT && return counts
    i = findfirst(>(LARGEST_COUNT), counts.trials)
    refuse("range", "table", "question ", i, " has more than 2^53 - 1 trials")
end

function Counts(c, n; ids = nothing, clusters = nothing)
    successes, trials = whole_numbers(c, "c", 1), whole_numbers(n, "n", 1)
    M = length(successes)
    length(trials) == M || refuse("length", "n", "n has ", length(trials), " entries, c has ", M)
    for i in 1:M
        successes[i] <= trials[i] || refuse("range", "c", "c[$i] = $(successes[i]) is not in 0..n[$i] = $(trials[i])")
    end
    return with_labels(counts_from_arrays(reshape(successes, M, 1), trials, zeros(Int, M)), ids, clusters)
end

"Check an array of counts from the caller; returns it as a new array of Int."
function whole_numbers(x, name, dims)
    x isa AbstractArray || refuse("type", name, name, " must be an array of integers, not ", shown(x))
    ndims(x) == dims || refuse("shape", name, name, " must be ", dims, "-D, not ", ndims(x), "-D")
    isempty(x) && refuse("empty", name, name, " of size ", size(x), " has no counts")
    out = Array{Int}(undef, size(x))
    for (k, (index, item)) in enumerate(pairs(IndexCartesian(), x))
        item isa Integer && !(item isa Bool) ||
            refuse("type", name, name, " must consist of integers, not ", shown(item))
        0 <= item <= LARGEST_COUNT ||
            refuse("range", name, name, "[", join(Tuple(index), ", "), "] = ", item, " is not a count in 0..2^53 - 1")
        out[k] = item
    end
    return out
end

"Number of questions."
questions(counts::Counts) = size(getfield(counts, :narrow), 1)

"Largest category."
largest_category(counts::Counts) = size(counts.narrow, 2)

"Counts of all categories 0..C, an M×(C+1) matrix."
function table(counts::Counts)
    category_counts = counts.category_counts
    t = Matrix{Int}(undef, size(category_counts, 1), size(category_counts, 2) + 1)
    copyto!(t, counts.trials)
    for j in axes(category_counts, 2), i in axes(category_counts, 1)
        t[i, j+1] = category_counts[i, j]
        t[i, 1] -= category_counts[i, j]
    end
    return t
end

"The counts of some of the questions, at least one; keep is a mask of length M or a vector of indices."
function select(counts::Counts, keep)
    M = questions(counts)
    good = keep isa AbstractVector{Bool} ? length(keep) == M : keep isa AbstractVector{<:Integer} && all(in(1:M), keep)
    good || refuse("range", "keep", "keep does not choose among ", M, " questions: ", shown(keep))
    any(keep .!= 0) || refuse("empty", "keep", "keep chooses no question")
    m = matrix_of(counts)
    kept = m isa Sparse ? rows_of(m, keep isa AbstractVector{Bool} ? findall(keep) : keep) : m[keep, :]
    out = counts_from_arrays(kept, counts.trials[keep], counts.absent[keep])
    ids, clusters = ids_of(counts), clusters_of(counts)
    return labelled(
        out, ids === nothing ? nothing : distinct_ids(ids[keep], "keep"),
        clusters === nothing ? nothing : clusters[keep],
    )
end

"The counts in the order of these ids; a question that has no counts gets no trials."
function reindexed(counts::Counts, ids)
    row, own_clusters = Dict(id => i for (i, id) in enumerate(ids_of(counts))), clusters_of(counts)
    rows = Int[get(row, id, 0) for id in ids]
    entry(x, i) = i == 0 ? 0 : x[i]
    m = matrix_of(counts)
    category_counts = m isa Sparse ? rows_of(m, rows) : Int[entry(view(m, :, j), i) for i in rows, j in axes(m, 2)]
    trials, absent = (Int[entry(x, i) for i in rows] for x in (counts.trials, counts.absent))
    out = counts_from_arrays(category_counts, trials, absent)
    clusters = own_clusters === nothing ? nothing : Clustering([i == 0 ? nothing : own_clusters[i] for i in rows])
    return labelled(out, ids, clusters)
end

"A copy of the counts with every missing outcome counted as one category."
function completed(counts::Counts, category)
    category_counts = matrix_of(counts)
    if category_counts isa Sparse
        added = no_cells()
        for n in counts.absent
            n == 0 || category == 0 || push_cell!(added, category, n)
            end_question!(added)
        end
        category_counts += Sparse(added, category_counts.C)
    elseif category > 0
        category_counts = copy(category_counts)
        category_counts[:, category] .+= counts.absent
    end
    out = counts_from_arrays(category_counts, counts.trials .+ counts.absent, zeros(Int, questions(counts)))
    return labelled(out, ids_of(counts), clusters_of(counts))
end

"Two completed counts: missing outcomes in the category with the lowest score, and with the highest."
completions(counts::Counts, scores) = Tuple(completed(counts, findfirst(==(x), scores) - 1) for x in extrema(scores))

"The counts with at least the categories 0..C: those above the present ones never occur."
function padded(counts::Counts, C)
    C <= largest_category(counts) && return counts
    if C > MAX_DENSE
        m = counts.narrow isa Sparse ? counts.narrow : deferred(Sparse)(counts.narrow)
        category_counts = Sparse(m.cells, C)
    else
        category_counts = zeros(Int, questions(counts), C)
        copyto!(category_counts, counts.category_counts)
    end
    out = counts_from_arrays(category_counts, counts.trials, counts.absent)
    return labelled(out, ids_of(counts), clusters_of(counts))
end

Base.:(==)(a::Counts, b::Counts) =
    size(a.narrow) == size(b.narrow) && matrix_of(a) == matrix_of(b) && a.trials == b.trials && a.absent == b.absent &&
    ids_of(a) == ids_of(b) && clusters_of(a) == clusters_of(b)
Base.hash(a::Counts, h::UInt) = hash(cells_of(a).category, hash(a.trials, hash(ids_of(a), hash(clusters_of(a), h))))

function Base.show(io::IO, counts::Counts)
    low, high = counts.min_trials, counts.max_trials
    print(io, "Counts(", questions(counts), " questions, ", low == high ? low : "$low..$high", " trials, ")
    print(io, "categories 0..", largest_category(counts), counts.missing == 0 ? "" : ", $(counts.missing) missing")
    ids, clusters = ids_of(counts), clusters_of(counts)
    ids === nothing || print(io, ", ids ", first_few(ids))
    print(io, clusters === nothing ? ")" : ", $(length(unique(clusters))) clusters)")
end

# --- sums and states for metrics ------------------------------------------------------------------

"Distinct pairs of trials and successes, with the number of questions that have each; binary outcomes only."
function states(counts::Counts)::States
    derived = counts.derived
    derived.states === nothing || return derived.states
    c = counts.category_counts[:, 1]
    n = counts.min_trials == counts.max_trials ? counts.min_trials : counts.trials
    return derived.states = deferred(states_of)(n, c)
end

"The index in states() of each question; binary outcomes only."
state_indices(counts::Counts)::Vector{Int} =
    counts.min_trials == counts.max_trials ? deferred(uniform_state_indices)(counts.narrow, states(counts).c) :
    deferred(distinct)(counts.trials, counts.category_counts[:, 1])[2]

"The index in c, the distinct numbers of successes, of each question; all have the same number of trials."
function uniform_state_indices(narrow, c)
    index = zeros(Int, last(c) + 1)
    index[c.+1] = eachindex(c)
    return looked_up(index, narrow, 1)
end

"Exact first and second moments of the counts, one group for each number of trials, increasing."
function groups(counts::Counts)::Groups
    derived = counts.derived
    derived.groups === nothing || return derived.groups
    largest_category(counts) > MAX_DENSE && return derived.groups = deferred(sparse_groups)(counts)
    largest_category(counts) == 1 && return derived.groups = deferred(binary_groups)(states(counts))
    same_trials = counts.min_trials == counts.max_trials
    same_trials && return derived.groups = [deferred(group)(counts.min_trials, counts.narrow)]
    return derived.groups = deferred(mixed_groups)(counts)
end

"Groups of questions with many categories, one for each number of trials."
function sparse_groups(counts)
    trials, cells = counts.trials, cells_of(counts)
    rows = [n => findall(==(n), trials) for n in sort!(unique(trials))]
    return SparseGroup[SparseGroup(n, length(at), at, cells) for (n, at) in rows]
end

"Groups of questions, one for each number of trials."
function mixed_groups(counts)
    trials = sort!(unique(counts.trials))
    return [group(n, select(counts, counts.trials .== n).narrow) for n in trials]
end
