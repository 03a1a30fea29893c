# Checks that need counts: enough trials, and the population that the questions were sampled from.

@nospecialize

"The counts, if every question has a trial; throws otherwise."
function no_empty(counts)
    counts.min_trials > 0 && return counts
    i = findfirst(iszero, counts.trials)
    refuse("no_trials", "R", "question ", i, " has no trial: leave it out with Scorio.select(counts, ...)")
end

"The counts of the questions that have a trial, and the indices of the other questions."
function with_trials(counts, name)
    counts.min_trials > 0 && return counts, Int[]
    keep = counts.trials .> 0
    any(keep) || refuse("no_trials", name, "no question of ", name, " has a trial")
    return select(counts, keep), findall(!, keep)
end

"""
Throw unless every question with a trial has at least k trials.

subject: the argument or the model, for the error; hint: what else to do. flips: the metric is the flip rate, whose
k = 2 is not an argument that the caller could change.
"""
function check_trials(counts, k, subject, hint = "", flips = false)
    k > counts.min_trials || return
    too_few = findall(n -> 0 < n < k, counts.trials)
    isempty(too_few) && return
    names = join(too_few[1:min(5, end)], ", ") * (length(too_few) > 5 ? ", ..." : "")
    which = length(too_few) == 1 ? "question $names" : "$(length(too_few)) questions ($names)"
    if flips
        argument = startswith(subject, "model ") ? "models" : subject  # as Pairs.checked_models names its models
        refuse(
            "range", argument, "the flip rate needs two trials of every question of ", argument, ", and ", which,
            argument == subject ? "" : " of $subject",
            length(too_few) == 1 ? " has fewer: leave it" : " have fewer: leave them", " out with Scorio.select(...)",
        )
    end
    refuse("range", "k", "k = ", k, " is above the trials of ", which, " of ", subject, isempty(hint) ? "" : ": ", hint)
end

"""
The size of the pool, or the clusters, that the questions were sampled from; neither for fixed questions.

clusters = nothing means those of the counts, if these have any; false means none. Clusters are returned as numbers.
"""
function population(pool, clusters, sampled, counts)
    counts_clusters = sampled && clusters === nothing ? clusters_of(counts) : nothing
    clusters = clusters === false ? nothing : clusters
    for (name, x) in (("pool", pool), ("clusters", clusters))
        x === nothing || sampled ||
            refuse("conflict", name, name, " says how questions were sampled: it needs questions=:sampled")
    end
    pool === nothing || counts_clusters === nothing ||
        refuse("conflict", "pool", "pool needs clusters=false: the counts have clusters")
    pool === nothing || clusters === nothing ||
        refuse("conflict", "pool", "pool and clusters cannot be given together")
    if pool !== nothing
        pool, M = Arguments.integer(pool, "pool", 1), count(>(0), counts.trials)
        pool < M && refuse("range", "pool", "pool = ", shown(pool), " is below the ", M, " questions sampled from it")
    end
    clusters === nothing || (clusters = codes(labels(clusters, questions(counts), "clusters")))
    return pool, counts_clusters === nothing ? clusters : codes(counts_clusters)
end

"Clusters as numbers 1..G in order of appearance; 0 for a question without a cluster."
function codes(labels)
    known = Dict{Any,Int}(nothing => 0)
    return Int[get!(known, x, length(known)) for x in labels]
end

@specialize
