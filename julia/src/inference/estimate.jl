# Requests (checked arguments), and estimates with their variance components.

module Estimates

using ..Scorio: Answers, Detailed, ScoredTrials, completions, count_outcomes, deferred, population, refuse
using ..Scorio: check_trials, with_trials
using ..Arguments: Arguments
using ..Clusters: Clusters, Units
using ..DegreesOfFreedom: MOST, dependent, smaller
using ..DoubleDouble: ONE, Triple, ZERO
using ..Estimators: Estimators, Mean, Estimator
using ..ChosenAnswers: Choice
using ..MaxAtKs: MaxAtK
using ..Metrics: INTERVALS, Metric, Metrics, chooses, flips, highest_category, read_metric
using ..Rationals: from_ratio
using ..SampledRuns: Dispersion, RunEffects, SampledRuns, WithRuns
using ..UStatistics: Credit
using ..Variance: Variance, fixed_variance, sampling_of_questions, variance_source

@nospecialize

const ONE_TWELFTH = ONE / 12
# hints of the error for a question with fewer than k trials
const NO_INTERVAL = "an interval needs k trials per question; extrapolate() gives bounds for larger k"
const NO_DIFFERENCE = "a comparison needs k trials per question"

"A metric of one model or two, and the variance that its interval accounts for: checked, apart from what is `Any`."
struct Request
    m::Metric
    has_scores::Bool
    sampled::Bool  # the population of similar questions, not this question set
    use_mixture::Bool  # with fewer than 2k trials, variances are taken from a mixture of success rates
    guard::Triple  # the largest difference of a question that was not sampled, on the scale 0..1
    pool::Any  # as the caller passed them: pool, clusters and missing
    clusters::Any
    missing::Any
    runs::Union{Nothing,Dispersion,RunEffects}  # how much more runs differ than chance explains; nothing: runs are fixed
end

function parse_request(
    metric, k = nothing, tau = nothing, w = nothing;
    questions = "fixed", pool = nothing, clusters = nothing, guard = 0.0, model = nothing, missing = :raise,
    allowed = INTERVALS,
)
    m = read_metric(metric, k, tau, w, allowed)
    use_mixture = model !== nothing && Arguments.choice(model, "model", ("mixture",)) == "mixture"
    sampled = Arguments.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    guard = Triple(Arguments.in_range(guard, "guard", 0.0, 1.0))
    return Request(m, w !== nothing, sampled, use_mixture, guard, pool, clusters, missing, nothing)
end

"A copy of a request with other clusters of questions."
with_clusters(x, clusters) =
    Request(x.m, x.has_scores, x.sampled, x.use_mixture, x.guard, x.pool, clusters, x.missing, x.runs)

"A copy of a request with the argument `runs` of a call on these outcomes, as SampledRuns.dispersion() takes them."
function with_runs(x, runs, outcomes)
    SampledRuns.isfixed(runs) && return x
    C, w = highest_category(x.m), x.m.w
    d = deferred(SampledRuns.dispersion)(runs, outcomes, C, w, x.missing, x.has_scores)::Union{Nothing,Dispersion,RunEffects}
    return Request(x.m, x.has_scores, x.sampled, x.use_mixture, x.guard, x.pool, x.clusters, x.missing, d)
end

"The ratio of variances for a statement about these models of the call, by index; nothing if runs are fixed."
runs_about(x, models...)::Union{Nothing,Dispersion,SampledRuns.OfTwo} =
    x.runs === nothing ? nothing : SampledRuns.about(x.runs, models...)

"Outcomes as the metric needs them: counts, or the answer or score of each trial."
function read_outcomes(request, R, name = "R")
    C = highest_category(request.m)
    counts = count_outcomes(R, C, request.missing; name = name, has_scores = request.has_scores)
    chosen_by = chooses(request.m)
    chosen_by === nothing && return counts
    type = chosen_by == :votes ? Answers : ScoredTrials
    R isa type || refuse("type", name, request.m.entry.name, " needs ", name, " as ", nameof(type), "(...)")
    return R
end

"Counts without the missing outcomes, counts with these at the lowest score, and at the highest."
function completed_counts(request, R, name)
    chooses(request.m) === nothing && !flips(request.m) || refuse(
        "conflict", "missing", request.m.entry.name, " has no bounds: one score for all missing outcomes gives ",
        "neither its lowest nor its highest value: missing=:drop leaves them out",
    )
    counts = count_outcomes(R, highest_category(request.m), :drop; name = name, has_scores = request.has_scores)
    return (counts, completions(counts, request.m.w)...)
end

"Estimator of the metric from counts in which every question has k trials or more."
function estimator_for(request, counts)::Estimator
    counts isa Detailed && return deferred(Choice)(request.m, counts)
    return deferred(estimator_of(request.m.kind))(request.m, counts, request.use_mixture)
end

estimator_of(::Metrics.CreditBased) = Credit
estimator_of(::Metrics.Average) = Mean
estimator_of(::Metrics.MaximumAtK) = MaxAtK

"""
A metric of one model, and what its interval is computed from.

Its variance is share times the variance over trials, plus rest times that over the sampling of questions.
If no question shows the variance of its trials, only the latter is used.
"""
struct Measurement
    estimator::Estimator
    units::Int  # how many questions, or clusters of them, count as independent
    sampling_variance::Triple  # over the sampling of units
    unit::Triple  # the sum of the squared shares of the units: 1/M without clusters
    freedom::Triple  # of the t distribution; ZERO: the normal distribution
    freedom_of_units::Triple  # of the t distribution where n0 bounds the variance: fewer for clusters of unequal sizes
    share::Triple
    rest::Triple
    variance_source::String
    dropped::Vector{Int}  # questions without a trial
    over_runs::WithRuns  # the variance with runs, and its degrees of freedom
    unit_of_runs::Triple  # 1 / n0 with runs
end

"Variance of an estimate, and 1 / n0."
variance_and_unit(x) = Variance.variance_and_unit(x.estimator.parts, x.sampling_variance, x.unit, x.share, x.rest)

"The metric of one model from its counts, with the components of its variance; model: its index in the call."
function measure_counts(request, counts, model = 1)
    pool, labels = population(request.pool, request.clusters, request.sampled, counts)
    check_trials(counts, request.m.k, "R", NO_INTERVAL, flips(request.m))
    answered, dropped = with_trials(counts, "R")
    estimator = estimator_for(request, answered)
    p = estimator.parts
    share, rest = request.sampled ? ZERO : ONE, request.sampled ? ONE : ZERO
    if pool !== nothing
        share, rest = from_ratio(big(p.M), big(pool)), from_ratio(big(pool) - p.M, big(pool))
    end
    units = something(units_of(labels, dropped), Units(p.M))
    sampling_variance, freedom, freedom_of_units = variance_of_sampling(estimator, units, request.sampled || p.single)
    if !request.sampled && !p.single
        freedom = Estimators.interval_freedom(estimator)
    elseif pool !== nothing && !p.single
        over_trials, over_questions = share * fixed_variance(p), rest * sampling_variance
        freedom = dependent(over_trials, Estimators.interval_freedom(estimator), over_questions, freedom)
    end
    is_bound = request.sampled && units.G == 1
    source = is_bound ? "upper bound" : request.sampled && pool === nothing ? "measured" : variance_source(p)
    x = Measurement(
        estimator, units.G, sampling_variance, Clusters.squared_shares(units), freedom, freedom_of_units, share, rest,
        source, dropped, nothing, ZERO,
    )
    runs = runs_about(request, model)
    return runs === nothing ? x : measured_with_runs(x, runs)
end

"A copy of a measurement with the variance over runs."
function measured_with_runs(x, runs)
    p, (V, unit) = x.estimator.parts, variance_and_unit(x)
    over_trials = x.share == ONE || p.single ? nothing : fixed_variance(p)
    return Measurement(
        x.estimator, x.units, x.sampling_variance, x.unit, x.freedom, x.freedom_of_units, x.share, x.rest,
        x.variance_source, x.dropped, SampledRuns.with_runs(runs, V, x.freedom, over_trials),
        unit + SampledRuns.excess(runs) * Variance.unit_of_trials(p),
    )
end

"The clusters of the questions that were not dropped."
function units_of(labels, dropped)
    labels === nothing && return nothing
    used = deleteat!(copy(labels), dropped)
    unknown = count(==(0), used)  # 0: a question that has no cluster in any model
    unknown == 0 || refuse(
        "conflict", "clusters", "no model has the cluster of ", unknown, unknown == 1 ? " question" : " questions",
        ": give clusters, or ",
        "clusters=false for none",
    )
    return Units(used)
end

"""
Variance over the sampling of units, its degrees of freedom, and those by cluster sizes alone.

Both degrees of freedom are ZERO for a single unit, whose variance is only bounded. Without clusters the latter are
ZERO, and so are the former unless `sampled`.
"""
function variance_of_sampling(x, units, sampled)
    if units.labels === nothing
        freedom = sampled && units.M > 1 ? smaller(Clusters.freedom(units), MOST) : ZERO
        return sampling_of_questions(x.parts), freedom, ZERO
    end
    units.G == 1 && return ONE_TWELFTH, ZERO, ZERO
    return deferred(sampling_of_clusters)(x, units)::NTuple{3,Triple}
end

function sampling_of_clusters(x, units)
    u, which = Estimators.state_values(x)
    Z = Clusters.variance_terms(units, Clusters.means(units, which, u), x.parts.theta)
    freedom = smaller(Clusters.freedom(units), MOST)
    return Z + Clusters.stabiliser(units), freedom, freedom
end

end
