# From the arguments of an interval or a comparison to the parts of its noise.

module Estimates

using ..Scorio: count_outcomes, refuse, select
using ..UStatistics: Credit
using ..Arguments: Arguments
using ..Metrics: largest
using ..Rationals: from_ratio
using ..MaxAtK: Best
using ..Variance: Variance
using ..DoubleDouble: ONE, Triple, ZERO
using ..Estimators: Estimators, Mean, Side

@nospecialize

const NO_INTERVAL = "no interval beyond the trials; extrapolate() says what a law gives"
const NO_DIFFERENCE = "no difference is known beyond the trials"

"A metric of one model and the noise asked for: by its share that of the trials, by what is left that of both."
struct Measured
    side::Side
    units::Int
    share::Triple
    left::Triple
    variance_source::String
    dropped::Vector{Int}
end

"How many independent trials a measured metric amounts to."
effective(x) = Variance.effective(x.side.parts, x.units, x.share, x.left)

"Whether noise that the trials do not show is taken from the beta law."
checked_law(x) = x !== nothing && Arguments.choice(x, "law", ("beta",)) == "beta"

"Whether the draw of questions is noise too."
checked_questions(x) = Arguments.choice(x, "questions", ("fixed", "sampled")) == "sampled"

"Counts under a metric; every question has k trials."
function side(m, counts, by_law)::Side
    m.name == "mean" && return Mean(m, counts, by_law)
    return m.name == "max_at_k" ? Best(m, counts, by_law) : Credit(m, counts, by_law)
end

"A question has k trials or none."
function enough(counts, k, what, hint)
    k > counts.fewest || return
    few = findall(n -> 0 < n < k, counts.trials)
    isempty(few) && return
    names = join(few[1:min(5, end)], ", ") * (length(few) > 5 ? ", ..." : "")
    many = length(few) == 1 ? "question" : "$(length(few)) questions"
    refuse("range", "k", "k = ", k, " is above the trials of ", many, " of ", what, " (", names, "): ", hint)
end

"The counts of the questions that have a trial, and the others."
function with_trials(counts, name = "R")
    counts.fewest > 0 && return counts, Int[]
    keep = counts.trials .> 0
    any(keep) || refuse("no_trials", name, "no question of ", name, " has a trial")
    return select(counts, keep), findall(!, keep)
end

"The checked arguments, and the parts."
function measured(R, m, w_given, questions, pool, clusters, by_law, missing)
    sampled = checked_questions(questions)
    counts = count_outcomes(R, largest(m), missing; w_given = w_given)
    pool, labels = Arguments.population(pool, clusters, sampled, counts)
    enough(counts, m.k, "R", NO_INTERVAL)
    kept, dropped = with_trials(counts)
    found = side(m, kept, by_law)
    p = found.parts
    units, share, left = p.M, sampled ? ZERO : ONE, sampled ? ONE : ZERO
    if pool !== nothing
        share, left = from_ratio(big(p.M), big(pool)), from_ratio(big(pool) - p.M, big(pool))
    end
    if labels !== nothing
        kept_labels = labels[counts.trials.>0]
        units, p.dev = Estimators.clusters(found, Arguments.codes(kept_labels, length(kept_labels)))
    end
    bound = sampled && units == 1
    known = bound ? "upper bound" : sampled && pool === nothing ? "measured" : Variance.known(p)
    return Measured(found, units, share, left, known, dropped)
end

end
