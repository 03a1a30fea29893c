"""
Statistics of repeated evaluations of language models, from outcomes to decisions.

Every metric takes an outcome matrix `R` (M questions × N trials, entries 0..C) as anything that [`tally`](@ref)
reads, or as [`Counts`](@ref); the keyword `missing` says what to do with absent outcomes (`:raise`, `:drop`, or a
category to count them as). Bad input throws [`InvalidInput`](@ref). All results are within 0.75 ULP of the exact
value and the same 64 bits as those of the Python package. The formulas, their sources and the decisions where those
are silent stand in `spec/`.

The `*_ci` functions give every question a prior of its own (uniform unless stated). That moves each question towards
1/2, in the same direction in all of them: use them for ranking, rubrics and prior evidence. For "how good is this
model, give or take?" use [`interval`](@ref).

Rankings of many models by any metric stand in [`Rank`](@ref), models whose truth is known in [`Simulate`](@ref), signals of
attempts that become categories in [`Rubric`](@ref). Here are also decisions ([`compare`](@ref), [`prob_above`](@ref),
[`should_stop_top1`](@ref), [`trials_needed`](@ref)), the agreement of rankings ([`compare_rankings`](@ref)) and the
trials they settle after ([`bootstrap_convergence`](@ref)).
"""
module Scorio

using LinearAlgebra: Adjoint, Transpose

export Counts, InvalidInput, tally,
    interval, mean_ci, extrapolate, bayes, bayes_ci, avg, avg_ci,
    pass_at_k, pass_at_k_ci, pass_hat_k, pass_hat_k_ci,
    unanimous_at_k, unanimous_at_k_ci, g_pass_at_k, g_pass_at_k_ci,
    g_pass_at_k_tau, g_pass_at_k_tao, g_pass_at_k_tau_ci, mg_pass_at_k, mg_pass_at_k_ci,
    maj_at_k, maj_at_k_ci, auc_at_k, auc_at_k_ci,
    max_at_k, max_at_k_ci,
    threshold_spectrum_at_k, threshold_spectrum_at_k_ci,
    geom_at_k, geom_at_k_ci, geom_ds_at_k, geom_ds_at_k_ci,
    geo_spectrum_at_k, geo_spectrum_at_k_ci, geo_spectrum_star_at_k, geo_spectrum_star_at_k_ci,
    Rank, competition_ranks_from_scores, elo, rank_scores,
    ranking_confidence, ci_from_mu_sigma, should_stop, should_stop_top1, suggest_next_allocation,
    compare, prob_above, trials_needed, questions_needed,
    compare_rankings, lehmer_hash, lehmer_unhash, ranking_hash, unhash_ranking,
    rank_trajectory, convergence_at_n, bootstrap_convergence, tau_curve,
    Rubric, Simulate

Base.Experimental.@optlevel 1  # short calls compile sooner; the modules with the long loops take level 2

include("errors.jl")
include("arithmetic/double_double.jl")
include("arithmetic/rational.jl")
include("arithmetic/threads.jl")
include("arithmetic/distributions.jl")
include("outcomes/counts.jl")
include("outcomes/states.jl")
include("outcomes/matrix.jl")
include("outcomes/counting.jl")
include("metrics/hypergeometric.jl")
include("arithmetic/counter_rng.jl")
include("arguments.jl")
using .Counting: ABSENT, BAD, FEW, WORDS, Small, binary_columns!, binary_rows!, binary_words!, bit_planes!, category
using .Counting: compared_columns!, compared_rows!, compared_words!, graded_columns!, graded_rows!, pair_counts, pair_sum
using .Counting: place_counts!, trials_in

include("outcomes/tally.jl")
include("metrics/posterior.jl")
include("inference/variance.jl")
include("metrics/metric.jl")
include("inference/mean.jl")
include("inference/beta_binomial.jl")
include("inference/estimator.jl")
include("inference/u_statistic.jl")
include("metrics/rewards.jl")
include("inference/max_at_k.jl")
include("inference/estimate.jl")
include("results.jl")
include("outcomes/models.jl")
include("inference/significance.jl")
include("inference/difference.jl")

using .Rationals: from_ratio, whole
using .Means: Fraction
using .DoubleDouble: Triple
using .Distributions: normal_z

include("converge/kernels.jl")
include("simulate.jl")

@nospecialize  # the metrics are thin: what depends on the type of R is compiled in tally alone
include("eval/_shared.jl")
include("eval/bayes.jl")
include("eval/pass_k.jl")
include("eval/thresholds.jl")
include("eval/geom.jl")
include("eval/spectra.jl")
include("eval/max_k.jl")
include("eval/intervals.jl")
include("rank/Rank.jl")
using .Rank: competition_ranks_from_scores, elo, rank_scores
include("rubric/Rubric.jl")
include("sinf/decisions.jl")
include("sinf/prob_above.jl")
include("sinf/compare.jl")
include("sinf/sample_size.jl")
include("utils.jl")
include("converge/inputs.jl")
include("converge/trajectory.jl")
include("converge/bootstrap.jl")
@specialize

include("precompile.jl")

end
