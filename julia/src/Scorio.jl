"""
Statistics of repeated evaluations of language models, from outcomes to decisions.

Metrics take an outcome matrix `R` (M questions × N trials, entries 0..C) in any form that [`tally`](@ref) reads, or
[`Counts`](@ref); missing outcomes are an error unless the keyword `missing` is `:drop`, which leaves them out, a
category to count them as, or, in `interval`, `mean_ci` and `compare`, `:bounds`. Invalid input throws
[`InvalidInput`](@ref). Results are the doubles nearest to their definitions, with the few exceptions that
`spec/README.md` lists, and have the same 64 bits as in the Python package. The definitions and their sources are in
`spec/`.

Models, benchmarks and signals may be given by name, as pairs, a named tuple or a dictionary; those of a `Dict`, which
has no order of its own, are sorted by name.

[`interval`](@ref) gives the confidence interval of a metric; arguments after the data may be given by name, as in
`interval(R; metric=:pass_at_k, k=2, questions=:fixed)`; [`mean_ci`](@ref) gives that of the average. The other `*_ci`
functions are posterior summaries: they give every question a separate prior (uniform unless stated), which shrinks
every question's estimate towards that of the prior (in [`avg_ci`](@ref) it only widens the interval). Use them for
ranking, rubrics and prior evidence.

Rankings of many models by metrics of counts are in [`Rank`](@ref), simulated models in [`Simulate`](@ref),
signals of attempts that become categories in [`Rubric`](@ref), item analysis, reliability of rankings and designs in
[`Items`](@ref). `Scorio` itself also exports decisions ([`compare`](@ref), [`prob_above`](@ref),
[`should_stop_top1`](@ref), [`trials_needed`](@ref)), the agreement of rankings ([`compare_rankings`](@ref)) and the
number of trials after which a ranking no longer changes ([`bootstrap_convergence`](@ref)).
"""
module Scorio

using LinearAlgebra: Adjoint, Transpose

export Counts, InvalidInput, tally, Answers, ScoredTrials, graded_answers,
    interval, mean_ci, extrapolate, extrapolate_model, judged, label_check,
    agreement, cohen_kappa, bayes, bayes_ci, avg, avg_ci,
    pass_at_k, pass_at_k_ci, pass_hat_k, pass_hat_k_ci,
    unanimous_at_k, unanimous_at_k_ci, g_pass_at_k, g_pass_at_k_ci,
    g_pass_at_k_tau, g_pass_at_k_tao, g_pass_at_k_tau_ci, mg_pass_at_k, mg_pass_at_k_ci,
    maj_at_k, maj_at_k_ci, auc_at_k, auc_at_k_ci, flip_rate, flip_rate_ci,
    max_at_k, max_at_k_ci, plurality_at_k, best_of_k,
    threshold_spectrum_at_k, threshold_spectrum_at_k_ci,
    geom_at_k, geom_at_k_ci, geom_ds_at_k, geom_ds_at_k_ci,
    geo_spectrum_at_k, geo_spectrum_at_k_ci, geo_spectrum_star_at_k, geo_spectrum_star_at_k_ci,
    Rank, competition_ranks_from_scores, elo, rank_scores,
    ranking_confidence, ci_from_mu_sigma, should_stop, should_stop_top1, suggest_next_allocation,
    run_variation, mean_of_runs, compare_runs, gate_builds, alarms, steps, noise_floor,
    compare, certificate, compare_all, suite, prob_above, trials_needed, questions_needed, boundaries, e_value,
    pair_e_value, gate, gate_suite, compare_judged, labels_needed, Monitor, look!,
    compare_rankings, lehmer_hash, lehmer_unhash, ranking_hash, unhash_ranking,
    rank_trajectory, convergence_at_n, bootstrap_convergence, tau_curve,
    Rubric, Simulate, Items

Base.Experimental.@optlevel 1  # short calls compile sooner; the modules with the long loops take level 2

include("errors.jl")

# arithmetic, threads, and functions that are compiled at their first call
include("arithmetic/deferred.jl")
include("arithmetic/double_double.jl")
include("arithmetic/distributions.jl")
include("arithmetic/counter_rng.jl")

using .DoubleDouble: ONE, Triple, ZERO, mean, times_2_to, value
using .Distributions: normal_z
using .Rationals: fraction, from_ratio, over_common_denominator

# arguments other than outcomes, and results
include("by_name.jl")
include("arguments.jl")
include("results.jl")

# outcomes: the only code that reads them
include("outcomes/matrix.jl")
include("outcomes/counting.jl")
include("outcomes/states.jl")
include("outcomes/identity.jl")
include("outcomes/counts.jl")
include("outcomes/pairing.jl")
include("outcomes/count_files.jl")
include("outcomes/answers.jl")
include("outcomes/tally.jl")
include("outcomes/checks.jl")
include("outcomes/models.jl")
include("outcomes/verdicts.jl")
include("outcomes/by_run.jl")

# metrics of k trials
include("metrics/hypergeometric.jl")
include("metrics/weights.jl")
include("metrics/metric.jl")
include("metrics/choice.jl")
include("metrics/posterior.jl")
include("metrics/rewards.jl")

# inference: variances, estimators, differences
include("inference/variance.jl")
include("inference/degrees_of_freedom.jl")
include("inference/mean.jl")
include("inference/rate_mixture.jl")
include("inference/estimator.jl")
include("inference/choice.jl")
include("inference/clusters.jl")
include("inference/runs.jl")
include("inference/estimate.jl")
include("inference/significance.jl")
include("inference/difference.jl")
include("inference/decision.jl")
include("inference/history.jl")
include("inference/cusum.jl")
include("inference/build_gates.jl")
include("inference/build_steps.jl")
include("inference/pairs.jl")
include("inference/suite.jl")
include("inference/planning.jl")
include("inference/identified.jl")
include("inference/zero_inflated.jl")
include("inference/judges.jl")
include("inference/agreement.jl")

using .Means: Fraction

# public functions
@nospecialize  # thin wrappers: only tally is compiled anew for each type of R
include("eval/_shared.jl")
include("eval/bayes.jl")
include("eval/pass_k.jl")
include("eval/thresholds.jl")
include("eval/geom.jl")
include("eval/spectra.jl")
include("eval/max_k.jl")
include("eval/intervals.jl")
include("eval/extrapolation.jl")
include("eval/agreement.jl")
@specialize
include("simulate.jl")
@nospecialize
include("rank/Rank.jl")
include("sinf/decisions.jl")
include("sinf/boundaries.jl")
include("sinf/compare.jl")
include("sinf/suite.jl")
include("sinf/sample_size.jl")
include("sinf/gate.jl")
include("sinf/judges.jl")
include("sinf/runs.jl")
include("sinf/ledger.jl")
include("sinf/monitor.jl")
include("items/Items.jl")
include("utils.jl")
@specialize
include("converge/kernels.jl")
@nospecialize
include("converge/trajectory.jl")
include("converge/bootstrap.jl")
include("rubric/Rubric.jl")
include("json.jl")
include("receipts.jl")
include("bridge.jl")
@specialize

using .Rank: competition_ranks_from_scores, elo, rank_scores
using .Receipts: verify

# code that a first call needs, compiled beforehand
include("precompile.jl")

end
