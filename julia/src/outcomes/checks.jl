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

"""
Every question has k trials, or none: k are drawn without replacement. of: whose trials; hint: what to do instead.

flips: k is 2 by definition of the flip rate, and no argument.
"""
function trials_at_least(counts, k, of, hint = "", flips = false)
    k > counts.fewest || return
    few = findall(n -> 0 < n < k, counts.trials)
    isempty(few) && return
    names = join(few[1:min(5, end)], ", ") * (length(few) > 5 ? ", ..." : "")
    many = length(few) == 1 ? "question $names" : "$(length(few)) questions ($names)"
    if flips
        argument = startswith(of, "model ") ? "models" : of
        refuse(
            "range", argument, "a flip rate of ", argument, " takes two trials of every question, and ", many,
            argument == of ? "" : " of $of", length(few) == 1 ? " has" : " have",
            " fewer: leave out with Scorio.select(...)",
        )
    end
    refuse("range", "k", "k = ", k, " is above the trials of ", many, " of ", of, isempty(hint) ? "" : ": ", hint)
end

"""
Where the questions were drawn from: (pool, labels of clusters), at most one of them, both nothing for fixed ones.

Clusters that are nothing are those of the counts, if these have any; false is none at all.
"""
function population(pool, clusters, sampled, counts)
    own = sampled && clusters === nothing ? clusters_of(counts) : nothing
    clusters = clusters === false ? nothing : clusters
    for (name, x) in (("pool", pool), ("clusters", clusters))
        x === nothing || sampled ||
            refuse("conflict", name, name, " says how questions were drawn: it needs questions=:sampled")
    end
    pool === nothing || own === nothing ||
        refuse("conflict", "pool", "pool needs clusters=false: the counts have clusters")
    pool === nothing || clusters === nothing ||
        refuse("conflict", "pool", "pool and clusters cannot be given together")
    if pool !== nothing
        pool, M = Arguments.integer(pool, "pool", 1), count(>(0), counts.trials)
        pool < M && refuse("range", "pool", "pool = ", shown(pool), " is below the ", M, " questions drawn from it")
    end
    clusters === nothing || (clusters = codes(labels(clusters, questions(counts), "clusters")))
    return pool, own === nothing ? clusters : codes(own)
end

"Clusters as integers 1..G in order of appearance; 0 where there is no label."
function codes(labels)
    known = Dict{Any,Int}(nothing => 0)
    return Int[get!(known, x, length(known)) for x in labels]
end

@specialize
