# Checks that need counts: enough trials, and where the questions were drawn from.

@nospecialize

"Every question has a trial."
function no_empty(counts)
    counts.fewest > 0 && return counts
    i = findfirst(iszero, counts.trials)
    refuse("no_trials", "R", "question ", i, " has no trial: leave it out with Scorio.select(counts, ...)")
end

"The counts of the questions that have a trial, and the others."
function with_trials(counts, name)
    counts.fewest > 0 && return counts, Int[]
    keep = counts.trials .> 0
    any(keep) || refuse("no_trials", name, "no question of ", name, " has a trial")
    return select(counts, keep), findall(!, keep)
end

"Every question has k trials, or none: k are drawn without replacement. of: whose trials; hint: what to do instead."
function trials_at_least(counts, k, of, hint = "")
    k > counts.fewest || return
    few = findall(n -> 0 < n < k, counts.trials)
    isempty(few) && return
    names = join(few[1:min(5, end)], ", ") * (length(few) > 5 ? ", ..." : "")
    many = length(few) == 1 ? "question $names" : "$(length(few)) questions ($names)"
    refuse("range", "k", "k = ", k, " is above the trials of ", many, " of ", of, isempty(hint) ? "" : ": ", hint)
end

"Where the questions were drawn from: (pool, labels of clusters), at most one of them, both nothing for fixed ones."
function population(pool, clusters, sampled, counts)
    for (name, x) in (("pool", pool), ("clusters", clusters))
        x === nothing || sampled ||
            refuse("conflict", name, name, " says how questions were drawn: it needs questions=:sampled")
    end
    pool === nothing || clusters === nothing ||
        refuse("conflict", "pool", "pool and clusters cannot be given together")
    if pool !== nothing
        pool, M = Arguments.integer(pool, "pool", 1), count(>(0), counts.trials)
        pool < M && refuse("range", "pool", "pool = ", shown(pool), " is below the ", M, " questions drawn from it")
    end
    return pool, clusters === nothing ? nothing : codes(clusters, questions(counts))
end

"Labels as integers 1..G in order of appearance."
function codes(labels, M)
    labels isa Union{AbstractVector,Tuple} ||
        refuse("type", "clusters", "clusters must be a vector of labels, not ", shown(labels))
    length(labels) == M ||
        refuse("length", "clusters", "clusters has ", length(labels), " labels for ", M, " questions")
    known, numbers = Dict{Any,Int}(), Int[]
    for (i, x) in enumerate(labels)
        x isa Union{AbstractString,Symbol,Integer} && !(x isa Bool) ||
            refuse("type", "clusters", "clusters[", i, "] = ", shown(x), " is neither text nor an integer")
        push!(numbers, get!(known, x, length(known) + 1))
    end
    return numbers
end

@specialize
