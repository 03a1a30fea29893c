# From the arguments of an estimate to its parts: the one place that checks them, for intervals, comparisons, rank
# ranges and sample sizes alike.

module Estimates

using ..Scorio: Answers, Detailed, ScoredTrials, completions, count_outcomes, later, population, refuse, trials_at_least, with_trials
using ..Arguments: Arguments
using ..Clusters: Clusters, Units
using ..DegreesOfFreedom: of_questions, of_units, pooled, smaller
using ..DoubleDouble: ONE, Triple, ZERO, ext
using ..DoubleDouble.Called: add, div, mul
using ..Estimators: Estimators, Mean, Side
using ..ChosenAnswers: Choice
using ..MaxAtK: Best
using ..Metrics: INTERVALS, Metric, chooses, flips, largest, read_metric
using ..Rationals: from_ratio
using ..UStatistics: Credit
using ..Variance: Variance, effective_size, fixed_variance, sampled_variance, sampling_of_questions, variance_source

@nospecialize

const ONE_TWELFTH = div(ONE, ext(12))
const NO_INTERVAL = "no interval beyond the trials; extrapolate() gives the band that the trials leave open"
const NO_DIFFERENCE = "no difference is known beyond the trials"

"What is estimated, of which questions and how: all that is checked before an outcome is read."
struct Request
    m::Metric
    w_given::Bool
    sampled::Bool  # the population of similar questions, not this question set
    by_law::Bool   # variance that the trials do not show is taken from a mixture of success rates
    pool::Any
    clusters::Any
    missing::Any
end

function read_request(
    metric, k = nothing, tau = nothing, w = nothing;
    questions = "fixed", pool = nothing, clusters = nothing, law = nothing, missing = :raise, allowed = INTERVALS,
)
    m = read_metric(metric, k, tau, w, allowed)
    by_law = law !== nothing && Arguments.choice(law, "law", ("mixture",)) == "mixture"
    sampled = Arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    return Request(m, w !== nothing, sampled, by_law, pool, clusters, missing)
end

"The same request of questions in other clusters."
with_clusters(q, clusters) = Request(q.m, q.w_given, q.sampled, q.by_law, q.pool, clusters, q.missing)

"What the metric needs to know of outcomes: their counts, or which answer or score each trial has."
function counts_for(q, R, name = "R")
    counts, by = count_outcomes(R, largest(q.m), q.missing; name = name, w_given = q.w_given), chooses(q.m)
    by === nothing && return counts
    kind = by == :votes ? Answers : ScoredTrials
    R isa kind || refuse("type", name, q.m.name, " needs ", name, " as ", nameof(kind), "(...)")
    return R
end

"Counts without the missing outcomes, with all of them at the lowest score, and at the highest."
function completed_counts(q, R, name)
    chooses(q.m) === nothing && !flips(q.m) || refuse(
        "conflict", "missing", q.m.name, " has no bounds: missing outcomes at one score are neither its lowest nor its ",
        "highest value: missing=:drop leaves them out",
    )
    counts = count_outcomes(R, largest(q.m), :drop; name = name, w_given = q.w_given)
    return (counts, completions(counts, q.m.w)...)
end

"Counts under the metric; every question has k trials."
function side(q, counts)::Side
    counts isa Detailed && return later(Choice)(q.m, counts)
    q.m.name == "mean" && return later(Mean)(q.m, counts, q.by_law)
    return later(q.m.name == "max_at_k" ? Best : Credit)(q.m, counts, q.by_law)
end

"A metric of one model; the share of the variance that is trial-to-trial alone, and what is left to that of both."
struct Estimated
    side::Side
    units::Int
    draw::Triple  # the variance over the sampling of units
    unit::Triple  # what one of them weighs
    freedom::Triple  # of the t distribution of the variance; ZERO: the normal one
    freedom_of_units::Triple  # of that where n0 bounds the variance: clusters of unequal sizes know it less well
    share::Triple
    left::Triple
    variance_source::String
    dropped::Vector{Int}
end

"How many independent trials it amounts to."
effective(x) = effective_size(x.side.parts.theta, x.side.parts.rest, variance_and_unit(x)...)

"The variance asked for, and 1 / n0."
variance_and_unit(x) = Variance.variance_and_unit(x.side.parts, x.draw, x.unit, x.share, x.left)

estimated(q, R) = estimated_of(q, counts_for(q, R))

"The same of counts."
function estimated_of(q, counts)
    pool, labels = population(q.pool, q.clusters, q.sampled, counts)
    trials_at_least(counts, q.m.k, "R", NO_INTERVAL, flips(q.m))
    kept, dropped = with_trials(counts, "R")
    one = side(q, kept)
    p = one.parts
    share, left = q.sampled ? ZERO : ONE, q.sampled ? ONE : ZERO
    if pool !== nothing
        share, left = from_ratio(big(p.M), big(pool)), from_ratio(big(pool) - p.M, big(pool))
    end
    units = something(units_of(labels, dropped), Units(p.M))
    draw, freedom, freedom_of_units = draw_of(one, units, q.sampled || p.single)
    if pool !== nothing && !p.single && freedom != ZERO
        freedom = freedom_in_pool(mul(share, fixed_variance(p)), mul(left, sampled_variance(p, draw)), freedom)
    end
    bound = q.sampled && units.G == 1
    source = bound ? "upper bound" : q.sampled && pool === nothing ? "measured" : variance_source(p)
    return Estimated(
        one, units.G, draw, Clusters.share(units, 0), freedom, freedom_of_units, share, left, source, dropped,
    )
end

"The clusters of the questions that are left."
function units_of(labels, dropped)
    labels === nothing && return nothing
    kept = deleteat!(copy(labels), dropped)
    unknown = count(==(0), kept)
    unknown == 0 || refuse(
        "conflict", "clusters", "no model says the cluster of ", unknown, " questions: give clusters, or ",
        "clusters=false for none",
    )
    return Units(kept)
end

"Of the sum of a variance that is known and one of sampled questions, which has so many."
freedom_in_pool(within, drawn, freedom) = drawn == ZERO ? ZERO : pooled(add(within, drawn), ((drawn, freedom),))

"""
The variance over the sampling of units, its degrees of freedom, and those of clusters by their sizes alone.

Of fixed questions, and of a single unit whose variance is only bounded, there are none.
"""
function draw_of(x, units, sampled)
    if units.labels === nothing
        freedom = sampled && units.M > 1 ? later(freedom_of_questions)(x)::Triple : ZERO
        return sampling_of_questions(x.parts), freedom, ZERO
    end
    units.G == 1 && return ONE_TWELFTH, ZERO, ZERO
    return later(draw_of_clusters)(x, units)::NTuple{3,Triple}
end

freedom_of_questions(x) = of_questions(Estimators.own_spread(x)[1:2]..., ONE_TWELFTH, x.parts.M)

function draw_of_clusters(x, units)
    u, which = Estimators.state_values(x)
    Z, squares = Clusters.parts_of(units, Clusters.means(units, which, u), x.parts.theta)
    part, most = Clusters.stabiliser(units), Clusters.freedom(units)
    return add(Z, part), smaller(of_units(Z, squares, part, units.G), most), most
end

end
