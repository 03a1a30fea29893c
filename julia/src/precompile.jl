# Code of first calls is compiled with the package. Julia 1.5 makes machine code in every process; it stores the
# inferred code of precompile statements, but not that of calls that were run: hence the list of statements. Julia 1.9
# and newer store the machine code of calls that were run: hence a few calls instead of the list.

"The signature of a call of f with arguments of these types."
signature(f, types...) = Tuple{f isa Type ? Type{f} : typeof(f),types...}

"The signature of a call of f with n arguments of any type."
any_signature(f, n) = signature(f, ntuple(_ -> Any, n)...)

"The signature of a call of f with keywords and n positional arguments of any type."
keyword_signature(f, n) = Tuple{Core.kwftype(typeof(f)),Any,typeof(f),ntuple(_ -> Any, n)...}

"Whether Julia is compiling the package."
generating() = ccall(:jl_generating_output, Cint, ()) == 1

# Functions by their number of arguments, which may be of any type.
const ANY_ARGUMENTS = (
    0 => (Rubric.standard_schemata,),
    1 => (
        tally, flip_rate, flip_rate_ci, avg, bayes, bayes_ci, boundaries, level_of_look, Rank.bayes, Rank.avg,
        Rank.flip_rate, Rank.elo, Rank.competition_ranks_from_scores, Rank.rank_scores, lehmer_hash, ranking_hash,
        rank_trajectory, convergence_at_n, Rubric.thresholds, Rubric.computable_thresholds, Rubric.score,
        Models.unzipped, Models.narrow_names, Rank.bradley_terry, Rank.Battles.check_entries, Rank.fitted_groups_of,
        Rank.influence, Rank.next_pair, Rank.empty_result, cohen_kappa, Items.items, Items.reliability,
        run_variation,
    ),
    2 => (
        pass_at_k, count_binary, metric_mean, mean_over_questions, pass_at_k_ci, Arguments.bounds, pass_hat_k,
        pass_hat_k_ci, Weights.threshold, mg_pass_at_k, mg_pass_at_k_ci, maj_at_k, maj_at_k_ci, auc_at_k, auc_at_k_ci,
        Arguments.vector, Weights.checked_weights, geom_at_k, check_finite, geom_at_k_ci, geom_ds_at_k, geom_ds_at_k_ci,
        geo_spectrum_at_k, geo_spectrum_at_k_ci, geo_spectrum_star_at_k, geo_spectrum_star_at_k_ci, avg_ci, bayes,
        Estimates.measure_counts, with_trials, Estimates.estimator_for, Models.label, Planning.growth,
        Planning.smallest, Planning.trials_variance, Planning.step, trials_needed, questions_needed,
        information_fractions, e_value, pair_e_value, ci_from_mu_sigma, should_stop_top1, suggest_next_allocation,
        ExactUnits.mean_difference, Models.prior_outcomes, Rank.pass_at_k, Rank.pass_hat_k, Rank.mg_pass_at_k, Rank.maj_at_k, Rank.auc_at_k,
        Rank.max_at_k, Rank.geom_at_k, Rank.geom_ds_at_k, Rank.geo_spectrum_at_k, Rank.geo_spectrum_star_at_k,
        compare_rankings, Arguments.integers, lehmer_unhash, subset_index, unhash_ranking, ranks_of, Simulate.coins,
        Arguments.rowwise!, Simulate.beta_rates, Simulate.updates, Rubric.percentile, Rubric.pooled, Rubric.as_named,
        Rubric.categories, Rubric.schema_of, Rubric.read_schema, Rubric.check_stated, Rubric.check_categories,
        Rubric.read_models, Rubric.broadcast_signal, Rubric.all_threshold_values, Rank.tested_pairs, Rank.interval_ends,
        Rank.Battles.error_code, Rank.Battles.numbered, Rank.Battles.as_vector, Rank.tested_across_groups,
        plurality_at_k, votes, answers_of, entry_rows, best_of_k, Verdicts.outputs, label_check, Pairs.contrasts_of,
        Items.status,
    ),
    3 => (
        Arguments.choice, Arguments.double, posterior_tables, g_pass_at_k_tau, g_pass_at_k_tau_ci, max_at_k,
        Arguments.finite, max_at_k_ci, threshold_spectrum_at_k, threshold_spectrum_at_k_ci, refuse_undefined,
        score_moments, Estimates.read_outcomes, Estimates.variance_of_sampling, extrapolate, Pairs.contrasts,
        Runs.p_value,
        one_sided_level, required_z, ExactUnits.mean_and_variance, Planning.question_variance, Planning.critical,
        Planning.critical_of_trials, Arguments.standard_deviations, Rank.g_pass_at_k_tau, Rank.threshold_spectrum_at_k,
        subset_at, Models.in_order, gold_ranks, table_of, mean_tau, Simulate.random_indices, Simulate.key_and_first,
        Simulate.parameters, Rubric.numbers_of, Rubric.needs, Rubric.threshold_values, Rubric.Schema, Rubric.extended,
        Rubric.new_entries, Rubric.read_signals, Rubric.check_schema, Rubric.check_name, Rubric.same_sizes,
        Rank.rank_ranges, Rank.score_test, Rank.battles_needed, Rank.win_probability, Rank.Battles.count_battles,
        extrapolate_model, Verdicts.kept_outputs, Suites.shares, Suites.naming_benchmark, suite_verdict,
        Items.before_and_after,
    ),
    4 => (
        Runs.run_test, Runs.run_terms,
        Arguments.integer, check_trials, normal_interval, power_moments, mean_over_states, blend, population,
        comparison_fields, certificate_of, Planning.questions_to_detect, Models.same_sizes, share_of, ranking_confidence, with_categories,
        Models.tensor, series_of, Arguments.grid, Rubric.check_values, Rubric.one_number, Rubric.check_clash,
        Rubric.check_cycles, Rubric.check_names, Rubric.compute_scores, Rank.write_parameters!, over_suite, Pairs.checked_models,
        Suites.benchmark, benchmark_contrast,
    ),
    5 => (
        check_trials, summarize, dirichlet_max, tables, until_narrow, difference_of, Rank.ranking_result, run_blocks,
        Rubric.visit_needs!, Rubric.compute_threshold!, Rubric.model_score, Rank.ratings_of, Rank.read_rating_scale,
        Rank.parse_battle_request, Rank.write_ratings!, chosen_value, Verdicts.read_cells,
        Suites.read_benchmarks, benchmark_contrasts,
    ),
    6 => (SampledRuns.dispersion, by_run, both_estimators, look_result, problem, Rubric.assigned_categories, Verdicts.cells,),
    7 => (dataset_delta, suite_models, gate_row,),
    8 => (size_request,),
    9 => (posterior_summary, Rank.Battles.count_rows,),
    10 => (Rubric.apply_policy!,),
    13 => (interval_by_position,),
)

# Functions with keywords, by their number of positional arguments.
const ANY_ARGUMENTS_AND_KEYWORDS = (
    1 => (
        mean_ci, compare_all, trials_needed, should_stop, Rank.ranges, Rank.winners, bootstrap_convergence, tau_curve,
        Rank.bradley_terry, agreement, suite, Items.design, run_variation,
    ),
    2 => (
        mean_ci, compare, certificate, gate, prob_above, bootstrap_convergence, judged, labels_needed, agreement,
        gate_suite, Items.changes, Items.cost_per_solved,
    ),
    3 => (count_outcomes, interval, trials_needed, tau_curve, judged,),
    4 => (Estimates.parse_request, compare, Models.each, compare_judged, Models.count_models,),
    5 => (interval, compare_all, Rank.ranges, Rank.winners, compare_judged, suite,),
    6 => (compare, gate, prob_above, gate_suite,),
)

"The signatures that first calls need."
first_needed() = Any[
    [any_signature(f, n) for (n, functions) in ANY_ARGUMENTS for f in functions]
    [keyword_signature(f, n) for (n, functions) in ANY_ARGUMENTS_AND_KEYWORDS for f in functions]
    typed_signatures()
]

"The signatures that first calls need, with arguments of stated types."
typed_signatures() = Any[
    signature(widened, Matrix{UInt8}), signature(Distributions.cached, Any, Tuple{Int,Triple,Triple}),
    signature(Counting.binary_columns!, Matrix{UInt8}, Vector{Int}, Matrix{Int}, UnitRange{Int}),
    signature(read_source, Matrix{Int}, String, Symbol, String), signature(count_all, Matrix{Int}, Int, Nothing),
    signature(on_threads, Any, Any, Bool), signature(Counts, Vector{Int}, Vector{Int}),
    signature(Metrics.read_metric, Any, Any, Any, Any, Vector{String}), signature(Metrics.metric_and_k, Any, Any),
    signature(tables, Any, Any, Any, Any, Any, Vararg{Any}),
    signature(Metrics.values!, Vector{Triple}, Vector{Int}, Vector{Int}, Metrics.Metric, Vector{Triple}),
    signature(Posterior.pass_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    signature(Posterior.pass_hat_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    signature(Posterior.spectrum_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int,
        Vector{Triple}, Float64, Float64),
    signature(Posterior.upper_half_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int,
        Vector{Triple}, Float64, Float64),
    signature(Counting.trials_in, Type{UInt8}, Matrix{UInt8}, Int, Vector{Bool}, Int),
    signature(states_of, Int, Vector{UInt8}, Int), signature(joint_states, Vector{UInt8}, Vector{UInt8}, Int),
    signature(mean_over_states, Any, Any, Any, Any, Vararg{Any}),
    signature(Posterior.geom_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Triple, Triple,
        Float64, Float64),
    signature(Posterior.joint_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Triple},
        Vector{Int}, Vector{Int}, Int, Float64, Float64), signature(group, Int, Matrix{UInt8}),
    signature(Variance.variance_source, Variance.Parts),
    signature(Variance.effective_size, Triple, Triple, Triple, Triple),
    signature(Differences.quantiles, Triple, Triple, Float64),
    signature(Variance.wilson_q, Triple, Triple, Triple, Triple, Triple, Triple),
    signature(Variance.wilson_ends, Triple, Triple, Triple),
    signature(Variance.rescale, Triple, Variance.Parts, Triple, Tuple{Triple, Triple, Triple, Triple}, Float64,
        Float64), signature(distinct_rows, Vector{Vector{Int}}),
    signature(MaxAtKs.fill_tables!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Metrics.Metric, MaxAtKs.Steps,
        Vector{Float64}), signature(Metrics.read_metric, Any, Any, Any, Any, Tuple{String, String}),
    signature(Differences.paired_difference, Estimators.Mean, Estimators.Mean, Bool, Triple, String, Nothing, Nothing),
    signature(Differences.paired_difference, UStatistics.Credit, UStatistics.Credit, Bool, Triple, String,
        Nothing, Nothing), signature(SampledRuns.with_runs, SampledRuns.Dispersion, Any, Any, Any),
    signature(Runs.terms, ByRun, Any, Any), signature(Runs.sums_by_run, ByRun, Vector{Int}, Vector{Int}, Vector{Int}),
    signature(Verdicts.fill_cells!, Matrix{Int}, Matrix{Int}),
    signature(Differences.paired_difference, Estimators.Mean, Estimators.Mean, Bool, Triple, String, Nothing,
        SampledRuns.OfTwo),
    signature(Models.model, Array{Int, 3}, Int),
    signature(SizeRequest, Estimators.Estimator, Union{Nothing, Estimators.Estimator}, Clusters.Units, Rational{BigInt},
        Bool, Float64, Rational{BigInt}, Rational{BigInt}, Union{Nothing, Rational{BigInt}}),
    signature(Means.single_trials, Means.Sums, BigInt),
    signature(Variance.probability_above, Variance.Parts, Triple, Triple, Triple, Triple, Triple, Triple),
    signature(Sequential.pair_e_value, Int, Int),
    signature(Monitor, Any, Any, Float64, Any, Int, Bool, Union{Nothing, Float64}, Float64, String, Vector{Float64},
        Vector{Matrix{Int}}, Vector{Any}, Bool), signature(look!, Monitor, Any, Any), signature(sort_order, Any, Int),
    signature(Rank.ranks_in_order, Vector{Int}, Any), signature(read_source, Matrix{Int}, String, Symbol),
    signature(Models.fill_model!, Array{Int, 3}, Int, Matrix{Int}),
    signature(ConvergeKernels.convergence_at!, ConvergeKernels.Series{Int, Nothing, Int}, Vector{Int}, Vector{Bool},
        Int, Vector{Int}),
    signature(ConvergeKernels.convergence_block, Array{Int, 3}, Nothing, Int, Int, Vector{Int}, Vector{Int},
        Vector{Bool}, UInt64, UnitRange{Int}),
    signature(ConvergeKernels.convergence_block, Array{Int8, 3}, Matrix{Int}, Int, Int, Vector{Int}, Vector{Int},
        Vector{Bool}, UInt64, UnitRange{Int}),
    signature(ConvergeKernels.tau_block, Matrix{Int}, Array{Int, 3}, Nothing, Int, Int, Vector{Int}, Vector{Float64},
        UInt64, UnitRange{Int}), signature(Simulate.entry_numbers, Vector{Int}, Int),
    signature(Simulate.toss!, Matrix{Int8}, UInt64, Vector{Int}, Vector{Float64}),
    signature(Simulate.rates!, Vector{Float64}, UInt64, Vector{Int}, Vector{Float64}, Vector{Float64}),
    signature(Simulate.update_parameters!, Vector{Float64}, Vector{Float64}, UInt64, Vector{Int}),
    signature(Rubric.isname, String), signature(Rubric.Threshold, Int, String, Union{Nothing, Rubric.Node}),
    signature(Rubric.doubles, Matrix{Int}), signature(Rubric.doubles, Matrix{Float64}),
    signature(Rubric.leaves, Rubric.Variable), signature(Rubric.truth, Rubric.Facts, Rubric.Variable),
    signature(Rubric.truth, Rubric.Facts, Rubric.Compare), signature(Base.get, Rubric.Catalogue, Any, Any),
    signature(Rubric.leaves, Rubric.Joined), signature(Rubric.truth, Rubric.Facts, Rubric.Joined),
    signature(Rubric.elementwise, typeof(&), Vector{Bool}, Vector{Bool}),
    signature(Rubric.elementwise, typeof(|), Vector{Bool}, Vector{Bool}),
    signature(Rubric.elementwise, typeof(Rubric.neither), Vector{Bool}, Vector{Bool}),
    signature(Rubric.leaves, Rubric.Otherwise), signature(Rubric.first_lacking, Vector{Rubric.Signals}, Vector{String}),
    signature(Rubric.first_outside, Matrix{Float64}, Float64, Float64, Bool),
    signature(Rubric.first_outside, Float64, Float64, Float64, Bool), signature(binary_counts, Matrix{Int}),
    signature(graded_counts, Matrix{Int}, Int), signature(binary_groups, States),
    signature(Estimators.Mean, Metrics.Metric, Counts, Bool),
    signature(UStatistics.Credit, Metrics.Metric, Counts, Bool),
    signature(MaxAtKs.MaxAtK, Metrics.Metric, Counts, Bool),
    signature(RateMixture.variances, Metrics.Metric, States, BitVector),
    signature(Hypergeometric.power_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.credit_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    signature(Hypergeometric.pass_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.pass_hat_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.credit_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    signature(Differences.sampling_variance, Estimators.Mean, Estimators.Mean, Triple, Clusters.Units),
    signature(Differences.contributions, Estimators.Mean, Estimators.Mean, Clusters.Units),
    signature(Differences.cubes, Estimators.Mean, Estimators.Mean, Triple, Clusters.Units),
    signature(Signs.p_value, Signs.Contributions, Triple),
    signature(Rank.Likelihood.half_wins, Triple, Triple, Triple, Triple, Triple, Triple),
    signature(Rank.Likelihood.derivatives_by_formula, typeof(Rank.Likelihood.half_wins), Vector{Int}, Vector{Int},
        Vector{NTuple{3,Triple}}, Vector{Triple}, Triple, Triple),
    signature(Rank.BattleContrasts.variance_terms, Rank.BattleContrasts.BattleUnits, Rank.Fit, Vector{Int}, Vector{Int},
        Matrix{Triple}, Bool),
    signature(Rank.BattleContrasts.sums, Rank.Contrasts, Rank.BattleContrasts.BattleUnits, Vector{Int}, Vector{Int},
        Bool), signature(Rank.BattleContrasts.differences, Rank.Contrasts, Vector{Int}, Vector{Int}),
    signature(Rank.Battles.add!, Rank.Battles.Cells, Rank.Battles.Row, Int),
    signature(Rank.Fits.from_fractions, Rank.Battles.Cells), signature(Rank.contrasts_of, Rank.FittedGroup, Any),
    signature(Rank.FittedGroup, Any, Any),
    signature(Rank.BattleContrasts.difference, Rank.Contrasts, Int, Int, Rank.BattleContrasts.ContrastVariance),
    signature(Means.binary_rows, States), signature(Means.exact_values, Counts, Vector{Int}, Int),
    signature(looked_up, Vector{Int}, Matrix{UInt8}, Int),
    signature(Means.squared_deviations, Vector{Rationals.Ratio}, Vector{Rationals.Ratio}, States, Rational{BigInt}),
    signature(Means.products, Vector{Int}, Vector{Int}, States, Vector{Int}, Int), signature(Answers, Any, Any),
    signature(Metrics.read_metric, Any, Any, Any, Any, Tuple{String}),
    signature(ChosenAnswers.mean, Metrics.Metric, ScoredTrials), signature(ScoredTrials, Any, Any),
    signature(ZeroInflated.goodness_of_fit, Identified.Successes, ZeroInflated.FittedModel, Int),
    signature(Judges.read_judged, Any, Vector{Tuple{String,String}}, Any, Any),
    signature(count_all, Matrix{Union{Missing,Int}}, Int, Nothing),
    signature(Raters.interval, Raters.RatingTable, Float64), signature(Raters.alpha, Raters.RatingTable),
    signature(Raters.unweighted, Raters.RatingTable),
    signature(Labels.needed, Vector{BigInt}, Vector{Rational{BigInt}}, Rational{BigInt}, String, Float64),
    signature(suite_pairs, Vector{BenchmarkPair}, Any, Any, Any), signature(Suites.part, Any, Any),
    signature(Suites.average, Vector{Suites.Part}, Suites.Weights),
    signature(Suites.weighted_mean, Suites.Weights, Vector{Triple}, Any),
    signature(Suites.ends, Suites.Part, Any, Any, Any, Any), signature(Items.sums, Matrix{Int}),
    signature(Items.line_of_question, Matrix{Int}, Vector{Int}, Int, BigInt),
    signature(Items.all_lines, Matrix{Int}, BigInt), signature(Items.Fisher.Tests, Vector{Items.Fisher.Pair}, Bool),
    signature(Items.Fisher.tails, Items.Fisher.Levels, Items.Fisher.Levels, Int, Bool),
    signature(Items.Fisher.step_up, Items.Fisher.Tests, Rationals.Ratio), signature(Items.Fisher.adjusted, Items.Fisher.Tests),
    signature(Items.design_reliability, Items.Components, Int, Rational{BigInt}, Any),
    signature(Items.products_of_pairs, Vector{Int}, Vector{Int}, Int, BigInt, BigInt),
]

"Run the calls that most people make first, on a few questions, while a newer Julia compiles the package."
function workload()
    A, B = [1 1 0 1; 1 0 1 0; 0 1 1 1], [0 1 0 1; 0 0 1 0; 1 1 0 0]
    for R in (A, Int8.(A), A .== 1, Matrix(A .== 1), Float64.(A), permutedims(A)', [[0, 1, 1], [1, 0, 1]])
        tally(R)
    end
    foreach(f -> f(A, 2), (pass_at_k, pass_hat_k, pass_at_k_ci))
    foreach(f -> f(A), (avg, avg_ci, bayes))
    bayes(A + B, [0.0, 0.5, 1.0])
    for questions in (:fixed, :sampled)
        mean_ci(A; questions = questions)
        interval(A, "pass@k", 2; questions = questions)
        interval(A; metric = :pass_at_k, k = 2, questions = questions)
        show(IOBuffer(), MIME("text/plain"), compare(A, B; questions = questions))
        compare(A, B, :pass_at_k, 2; questions = questions)
        gate(A, B; margin = 0.05, questions = questions)
    end
    compare_all((a = A, b = B); questions = :fixed)
    foreach(f -> f((a = A, b = B)), (Rank.avg, Rank.bayes))
    Rank.ranges((a = A, b = B); questions = :fixed)
    Rank.bradley_terry([("a", "b", "model_a"), ("a", "b", "tie"), ("b", "a", "model_a")])
    Rubric.score(["a" => ["is_correct" => A, "repeated_pattern" => 0, "C" => 0]])
    return nothing
end

"Compile what first calls need; an error in the workload gives a warning, and the package works all the same."
function prepare(run = workload)
    VERSION < v"1.9" && run === workload && return foreach(precompile, first_needed())
    try
        run()
    catch e
        @warn "Scorio works, but its first calls will be slow: its workload for precompilation failed" exception = e
    end
    return nothing
end

generating() && prepare()
