# Steps that the metrics share: from R to counts, and from counts to means over questions.
#
# A state is a pair (trials, successes) that some question has. A table has a value for each state of the counts; a
# kernel is a function that computes these values.

const UNIT = (0.0, 1.0)
const PARALLEL_WORK = 1 << 14  # terms; below it threads cost more than they save

"Counts of binary outcomes; every question must have a trial."
count_binary(R, missing) = no_empty(count_outcomes(R, 1, missing))

"Counts of binary outcomes; every question must have at least k trials. flips: for the error, see check_trials()."
function with_k_trials(R, k, missing, flips = false)
    counts = count_binary(R, missing)
    check_trials(counts, k, "R", "", flips)
    return counts
end

"Counts of the categories that w scores, with the outcomes of R0 added; and the checked w."
function scored_counts(R, w, R0, missing)
    has_scores, w = w !== nothing, Arguments.category_scores(w)
    counts = no_empty(count_outcomes(R, length(w) - 1, missing; has_scores = has_scores))
    if R0 !== nothing
        Models.islist(R0) && !isempty(R0) && !any(isrow, R0) && questions(counts) > 1 && refuse(
            "shape", "R0", "R0 has one dimension, R has ", questions(counts),
            " questions: reshape(R0, :, 1) gives each one prior outcome",
        )
        prior = count_outcomes(R0, length(w) - 1, missing; name = "R0", has_scores = has_scores)
        counts = plus(counts, prior, ("R", "R0"))
    end
    return counts, w
end

"""
Fill `number` tables over the states of binary counts by a kernel, in parts on threads.

cost: the number of terms for each state.
"""
function tables(counts, kernel!, number, cost, args...)
    s = states(counts)
    parts = on_threads(thread_ranges(length(s.n), length(s.n) * Float64(cost) >= PARALLEL_WORK)) do part
        out = Vector{Triple}[]
        for _ in 1:number
            push!(out, Vector{Triple}(undef, length(part)))
        end
        kernel!(out..., s.n[part], s.c[part], args...)
        return out
    end
    return (length(parts) == 1 ? parts[1] : reduce((a, b) -> vcat.(a, b), parts))::Vector{Vector{Triple}}
end

"The mean over questions of a table over their states."
mean_over_questions(table, counts) = mean(table, states(counts).mult, questions(counts))

"Mean over questions of the values that a kernel computes for their states; k: the number of terms of each."
function mean_over_states(counts, kernel!, k, args...)
    table, = tables(counts, kernel!, 1, k, args...)
    return mean_over_questions(table, counts)
end

"Mean of a metric over questions."
function metric_mean(counts, m)
    A = Metrics.closed_form(m) ? Triple[] : Metrics.credits(m)
    return mean_over_states(counts, Metrics.values!, m.k, m, A)
end

"Mean of the threshold spectrum w over questions."
spectrum_mean(counts, k, w) = mean_over_states(counts, Hypergeometric.credit_at_k!, k, k, Hypergeometric.credits(w))

"Value of a metric of binary outcomes, by its name."
function metric_value(name, R, k, missing, tau = nothing)
    m = Metrics.read_metric(name, k, tau, nothing)
    return value(metric_mean(with_k_trials(R, m.k, missing, Metrics.flips(m)), m))
end

# --- posteriors ------------------------------------------------------------------------------------

"The checked arguments that all Beta intervals share: confidence, bounds, priors."
check_interval_arguments(confidence, bounds, alpha0, beta0) =
    (Arguments.confidence(confidence), Arguments.bounds(bounds), Arguments.priors(alpha0, beta0))

"Normal interval (mu, sigma, mu - z sigma, mu + z sigma) of a mean and a variance, with its ends clipped into bounds."
normal_interval(mu, var, confidence, bounds) =
    Interval(Summary(DoubleDouble.normal_interval(mu, var, normal_z(confidence), bounds...)))

"Normal interval of a mean over questions, from tables of the means and variances of their states."
function summarize(counts, mu, var, confidence, bounds)
    V = mean_over_questions(var, counts) / questions(counts)
    return normal_interval(mean_over_questions(mu, counts), V, confidence, bounds)
end

"Posterior mean and variance of a metric in each state; without a closed form also its covariance with Pass@k."
posterior_tables(counts, m, priors) = posterior_tables(m.kind, counts, m, priors)::Vector{Vector{Triple}}
posterior_tables(::Metrics.PassAtK, counts, m, priors) = tables(counts, Posterior.pass_at_k!, 2, m.k, m.k, priors...)
posterior_tables(::Metrics.PassHatK, counts, m, priors) = tables(counts, Posterior.pass_hat_k!, 2, m.k, m.k, priors...)
posterior_tables(::Metrics.FlipRate, counts, m, priors) = tables(counts, Posterior.flips!, 2, m.k, priors...)
posterior_tables(::Metrics.MGPassAtK, counts, m, priors) =
    tables(counts, Posterior.upper_half_at_k!, 3, m.k, m.k, Metrics.weights(m), priors...)
posterior_tables(::Metrics.Kind, counts, m, priors) = spectrum_tables(counts, m.k, Metrics.weights(m), priors)

"Posterior mean and variance of the threshold spectrum w in each state, and its covariance with Pass@k."
spectrum_tables(counts, k, w, priors) =
    tables(counts, Posterior.spectrum_at_k!, 3, Float64(k)^2, k, w, priors...)

"Posterior summary of a metric of binary outcomes, by its name."
function posterior_summary(name, R, k, confidence, bounds, alpha0, beta0, missing, tau = nothing)
    confidence, clip, priors = check_interval_arguments(confidence, bounds, alpha0, beta0)
    m = Metrics.read_metric(name, k, tau, nothing)
    counts = with_k_trials(R, m.k, missing, Metrics.flips(m))
    mu, var = posterior_tables(counts, m, priors)
    return summarize(counts, mu, var, confidence, clip)
end
