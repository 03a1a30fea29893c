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

"The signatures that first calls need."
first_needed() = Any[
    any_signature(interval_by_position, 12), signature(widened, Matrix{UInt8}),
    signature(Distributions.cached, Any, Tuple{Int,Triple,Triple}),
    signature(Counting.binary_columns!, Matrix{UInt8}, Vector{Int}, Matrix{Int}, UnitRange{Int}),
    any_signature(tally, 1), signature(read_source, Matrix{Int}, String, Symbol, String),
    signature(count_all, Matrix{Int}, Int, Nothing), signature(on_threads, Any, Any, Bool),
    signature(Counts, Vector{Int}, Vector{Int}), any_signature(pass_at_k, 2),
    signature(Metrics.read_metric, Any, Any, Any, Any, Vector{String}), signature(Metrics.metric_and_k, Any, Any),
    any_signature(Arguments.choice, 3), any_signature(Arguments.integer, 4), any_signature(count_binary, 2),
    any_signature(check_trials, 4), any_signature(check_trials, 5), any_signature(metric_mean, 2),
    signature(tables, Any, Any, Any, Any, Any, Vararg{Any}),
    signature(Metrics.values!, Vector{Triple}, Vector{Int}, Vector{Int}, Metrics.Metric, Vector{Triple}),
    any_signature(mean_over_questions, 2), any_signature(pass_at_k_ci, 2), any_signature(posterior_summary, 9),
    any_signature(Arguments.double, 3), any_signature(Arguments.bounds, 2), any_signature(posterior_tables, 3),
    signature(Posterior.pass_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    any_signature(summarize, 5), any_signature(normal_interval, 4), any_signature(pass_hat_k, 2),
    any_signature(pass_hat_k_ci, 2),
    signature(Posterior.pass_hat_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    any_signature(g_pass_at_k_tau, 3), any_signature(Weights.threshold, 2), any_signature(g_pass_at_k_tau_ci, 3),
    signature(Posterior.spectrum_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int},
        Int, Vector{Triple}, Float64, Float64),
    any_signature(mg_pass_at_k, 2), any_signature(mg_pass_at_k_ci, 2),
    signature(Posterior.upper_half_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int},
        Vector{Int}, Int, Vector{Triple}, Float64, Float64),
    any_signature(maj_at_k, 2), any_signature(maj_at_k_ci, 2), any_signature(auc_at_k, 2),
    any_signature(auc_at_k_ci, 2), any_signature(max_at_k, 3), any_signature(flip_rate, 1),
    any_signature(flip_rate_ci, 1), any_signature(Arguments.vector, 2), any_signature(Arguments.finite, 3),
    signature(Counting.trials_in, Type{UInt8}, Matrix{UInt8}, Int, Vector{Bool}, Int),
    signature(states_of, Int, Vector{UInt8}, Int), any_signature(max_at_k_ci, 3), any_signature(dirichlet_max, 5),
    signature(joint_states, Vector{UInt8}, Vector{UInt8}, Int), any_signature(power_moments, 4),
    any_signature(threshold_spectrum_at_k, 3), any_signature(Weights.checked_weights, 2),
    signature(mean_over_states, Any, Any, Any, Any, Vararg{Any}), any_signature(threshold_spectrum_at_k_ci, 3),
    any_signature(geom_at_k, 2), any_signature(tables, 5), any_signature(check_finite, 2),
    any_signature(geom_at_k_ci, 2),
    signature(Posterior.geom_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Triple, Triple,
        Float64, Float64),
    any_signature(geom_ds_at_k, 2), any_signature(mean_over_states, 4), any_signature(blend, 4),
    any_signature(refuse_undefined, 3), any_signature(geom_ds_at_k_ci, 2),
    signature(Posterior.joint_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Triple},
        Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    any_signature(dataset_delta, 7), any_signature(geo_spectrum_at_k, 2), any_signature(geo_spectrum_at_k_ci, 2),
    any_signature(geo_spectrum_star_at_k, 2), any_signature(geo_spectrum_star_at_k_ci, 2), any_signature(avg, 1),
    any_signature(score_moments, 3), any_signature(avg_ci, 2), signature(group, Int, Matrix{UInt8}),
    any_signature(bayes, 1), any_signature(bayes, 2), any_signature(bayes_ci, 1), keyword_signature(mean_ci, 1),
    keyword_signature(mean_ci, 2), keyword_signature(interval, 5), keyword_signature(Estimates.parse_request, 4),
    any_signature(Estimates.measure_outcomes, 2), any_signature(Estimates.read_outcomes, 3),
    keyword_signature(count_outcomes, 3), any_signature(population, 4), any_signature(with_trials, 2),
    any_signature(Estimates.estimator_for, 2), any_signature(Estimates.variance_of_sampling, 3),
    signature(Variance.variance_source, Variance.Parts),
    signature(Variance.effective_size, Triple, Triple, Triple, Triple),
    signature(Differences.quantiles, Triple, Triple, Float64),
    signature(Variance.wilson_q, Triple, Triple, Triple, Triple, Triple, Triple),
    signature(Variance.wilson_ends, Triple, Triple, Triple),
    signature(Variance.rescale, Triple, Variance.Parts, Triple, Tuple{Triple, Triple, Triple, Triple}, Float64,
        Float64),
    keyword_signature(interval, 3), signature(distinct_rows, Vector{Vector{Int}}),
    signature(MaxAtKs.fill_tables!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Metrics.Metric, MaxAtKs.Steps,
        Vector{Float64}),
    any_signature(extrapolate, 3), signature(Metrics.read_metric, Any, Any, Any, Any, Tuple{String, String}),
    keyword_signature(compare, 2), keyword_signature(compare, 6), any_signature(both_estimators, 6),
    signature(Differences.paired_difference, Estimators.Mean, Estimators.Mean, Bool, String, Nothing),
    any_signature(comparison_fields, 4), keyword_signature(compare, 4),
    signature(Differences.paired_difference, UStatistics.Credit, UStatistics.Credit, Bool, String, Nothing),
    keyword_signature(certificate, 2), any_signature(certificate_of, 4), keyword_signature(compare_all, 1),
    keyword_signature(compare_all, 5), any_signature(Pairs.contrasts, 3),
    signature(Models.model, Array{Int, 3}, Int), any_signature(Models.same_sizes, 4),
    any_signature(Models.label, 2), keyword_signature(gate, 2), keyword_signature(gate, 6),
    any_signature(one_sided_level, 3), keyword_signature(trials_needed, 3), any_signature(size_request, 8),
    any_signature(required_z, 3),
    signature(SizeRequest, Estimators.Estimator, Union{Nothing, Estimators.Estimator}, Clusters.Units,
        Rational{BigInt}, Bool, Float64, Rational{BigInt}, Rational{BigInt}, Union{Nothing, Rational{BigInt}}),
    any_signature(Planning.growth, 2), signature(Means.single_trials, Means.Sums, BigInt),
    any_signature(Planning.parts_of_units, 3), any_signature(Planning.question_variance, 3),
    any_signature(Planning.critical, 3), any_signature(until_detected, 5), any_signature(Planning.bisect, 2),
    any_signature(Planning.critical_of_trials, 3), any_signature(Planning.trials_variance, 2),
    any_signature(Planning.step, 2), keyword_signature(prob_above, 2), keyword_signature(prob_above, 6),
    signature(Variance.probability_above, Variance.Parts, Triple, Triple, Triple, Triple, Triple, Triple),
    any_signature(trials_needed, 2), any_signature(questions_needed, 2), keyword_signature(trials_needed, 1),
    any_signature(until_narrow, 5), any_signature(boundaries, 1), any_signature(information_fractions, 2),
    any_signature(e_value, 2), any_signature(pair_e_value, 2), signature(Sequential.pair_e_value, Int, Int),
    signature(Monitor, Any, Any, Any, Int, Bool, Union{Nothing, Float64}, Float64, String, Vector{Float64},
        Vector{Matrix{Int}}, Vector{Any}, Bool),
    signature(look!, Monitor, Any, Any), any_signature(share_of, 4), any_signature(level_of_look, 1),
    any_signature(look_result, 6), any_signature(ranking_confidence, 4), any_signature(ci_from_mu_sigma, 2),
    keyword_signature(should_stop, 1), any_signature(should_stop_top1, 2), any_signature(suggest_next_allocation, 2),
    any_signature(Arguments.standard_deviations, 3), any_signature(Rank.bayes, 1),
    any_signature(Models.prior_outcomes, 2),
    keyword_signature(Models.each, 4), any_signature(with_categories, 4), any_signature(Rank.ranking_result, 5),
    signature(sort_order, Any, Int), signature(Rank.ranks_in_order, Vector{Int}, Any), any_signature(Rank.avg, 1),
    any_signature(Rank.pass_at_k, 2), any_signature(Rank.pass_hat_k, 2), any_signature(Rank.g_pass_at_k_tau, 3),
    any_signature(Rank.mg_pass_at_k, 2), any_signature(Rank.maj_at_k, 2), any_signature(Rank.auc_at_k, 2),
    any_signature(Rank.max_at_k, 2), any_signature(Rank.flip_rate, 1),
    any_signature(Rank.threshold_spectrum_at_k, 3), any_signature(Rank.geom_at_k, 2),
    any_signature(Rank.geom_ds_at_k, 2), any_signature(Rank.geo_spectrum_at_k, 2),
    any_signature(Rank.geo_spectrum_star_at_k, 2), keyword_signature(Rank.ranges, 1),
    keyword_signature(Rank.ranges, 5), keyword_signature(Rank.winners, 1), keyword_signature(Rank.winners, 5),
    any_signature(Rank.elo, 1), any_signature(Models.tensor, 4), signature(read_source, Matrix{Int}, String, Symbol),
    signature(Models.fill_model!, Array{Int, 3}, Int, Matrix{Int}),
    any_signature(Rank.competition_ranks_from_scores, 1), any_signature(Rank.rank_scores, 1),
    any_signature(compare_rankings, 2), any_signature(lehmer_hash, 1), any_signature(Arguments.integers, 2),
    any_signature(lehmer_unhash, 2), any_signature(ranking_hash, 1), any_signature(subset_index, 2),
    any_signature(unhash_ranking, 2), any_signature(subset_at, 3), any_signature(rank_trajectory, 1),
    any_signature(problem, 6), any_signature(Models.in_order, 3), any_signature(gold_ranks, 3),
    any_signature(series_of, 4), any_signature(ranks_of, 2), any_signature(convergence_at_n, 1),
    signature(ConvergeKernels.convergence_at!, ConvergeKernels.Series{Int, Nothing, Int}, Vector{Int},
        Vector{Bool}, Int, Vector{Int}),
    keyword_signature(bootstrap_convergence, 1), keyword_signature(bootstrap_convergence, 2),
    any_signature(run_blocks, 5),
    signature(ConvergeKernels.convergence_block, Array{Int, 3}, Nothing, Int, Int, Vector{Int}, Vector{Int},
        Vector{Bool}, UInt64, UnitRange{Int}),
    any_signature(table_of, 3),
    signature(ConvergeKernels.convergence_block, Array{Int8, 3}, Matrix{Int}, Int, Int, Vector{Int}, Vector{Int},
        Vector{Bool}, UInt64, UnitRange{Int}),
    keyword_signature(tau_curve, 1), keyword_signature(tau_curve, 3),
    signature(ConvergeKernels.tau_block, Matrix{Int}, Array{Int, 3}, Nothing, Int, Int, Vector{Int},
        Vector{Float64}, UInt64, UnitRange{Int}),
    any_signature(mean_tau, 3), any_signature(Simulate.random_indices, 3), any_signature(Simulate.key_and_first, 3),
    any_signature(Simulate.coins, 2), any_signature(Arguments.grid, 4), any_signature(Arguments.rowwise!, 2),
    signature(Simulate.entry_numbers, Vector{Int}, Int),
    signature(Simulate.toss!, Matrix{Int8}, UInt64, Vector{Int}, Vector{Float64}),
    any_signature(Simulate.beta_rates, 2), any_signature(Simulate.parameters, 3),
    signature(Simulate.rates!, Vector{Float64}, UInt64, Vector{Int}, Vector{Float64}, Vector{Float64}),
    any_signature(Simulate.updates, 2),
    signature(Simulate.update_parameters!, Vector{Float64}, Vector{Float64}, UInt64, Vector{Int}),
    any_signature(Rubric.percentile, 2), any_signature(Rubric.thresholds, 1), any_signature(Rubric.pooled, 2),
    signature(Rubric.isname, String), signature(Rubric.Threshold, Int, String, Union{Nothing, Rubric.Node}),
    any_signature(Rubric.numbers_of, 3), signature(Rubric.doubles, Matrix{Int}),
    any_signature(Rubric.check_values, 4), any_signature(Rubric.one_number, 4),
    signature(Rubric.doubles, Matrix{Float64}), any_signature(Rubric.check_clash, 4),
    any_signature(Rubric.computable_thresholds, 1), any_signature(Rubric.needs, 3),
    any_signature(Rubric.visit_needs!, 5), signature(Rubric.leaves, Rubric.Variable),
    any_signature(Rubric.threshold_values, 3), any_signature(Rubric.compute_threshold!, 5),
    signature(Rubric.truth, Rubric.Facts, Rubric.Variable), signature(Rubric.truth, Rubric.Facts, Rubric.Compare),
    any_signature(Rubric.as_named, 2), any_signature(Rubric.categories, 2), any_signature(Rubric.schema_of, 2),
    signature(Base.get, Rubric.Catalogue, Any, Any), any_signature(Rubric.read_schema, 2),
    signature(Rubric.leaves, Rubric.Joined), any_signature(Rubric.check_stated, 2),
    any_signature(Rubric.assigned_categories, 6), signature(Rubric.truth, Rubric.Facts, Rubric.Joined),
    signature(Rubric.elementwise, typeof(&), Vector{Bool}, Vector{Bool}),
    signature(Rubric.elementwise, typeof(|), Vector{Bool}, Vector{Bool}),
    signature(Rubric.elementwise, typeof(Rubric.neither), Vector{Bool}, Vector{Bool}),
    any_signature(Rubric.Schema, 3), any_signature(Rubric.check_categories, 2), any_signature(Rubric.extended, 3),
    any_signature(Rubric.new_entries, 3), any_signature(Rubric.check_cycles, 4),
    any_signature(Rubric.check_names, 4), signature(Rubric.leaves, Rubric.Otherwise), any_signature(Rubric.score, 1),
    any_signature(Rubric.compute_scores, 4), signature(Rubric.first_lacking, Vector{Rubric.Signals}, Vector{String}),
    any_signature(Rubric.model_score, 5), any_signature(Rubric.apply_policy!, 10),
    any_signature(Rubric.standard_schemata, 0), any_signature(Rubric.read_models, 2),
    any_signature(Rubric.read_signals, 3), any_signature(Models.unzipped, 1),
    signature(Rubric.first_outside, Matrix{Float64}, Float64, Float64, Bool),
    signature(Rubric.first_outside, Float64, Float64, Float64, Bool), any_signature(Rubric.check_schema, 3),
    any_signature(Rubric.check_name, 3), any_signature(Rubric.broadcast_signal, 2),
    any_signature(Rubric.same_sizes, 3), any_signature(Models.narrow_names, 1),
    any_signature(Rubric.all_threshold_values, 2),
    # functions that are called through deferred()
    signature(binary_counts, Matrix{Int}), signature(graded_counts, Matrix{Int}, Int),
    signature(binary_groups, States), signature(Estimators.Mean, Metrics.Metric, Counts, Bool),
    signature(UStatistics.Credit, Metrics.Metric, Counts, Bool),
    signature(MaxAtKs.MaxAtK, Metrics.Metric, Counts, Bool),
    signature(RateMixture.variances, Metrics.Metric, States, BitVector),
    signature(Hypergeometric.power_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.credit_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    signature(Hypergeometric.pass_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.pass_hat_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    signature(Hypergeometric.credit_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    signature(Differences.sampling_variance, Estimators.Mean, Estimators.Mean, Triple, Clusters.Units),
    signature(Differences.third_moment_of_trials, Estimators.Mean, Estimators.Mean),
    signature(Differences.third_moment_of_units, Estimators.Mean, Estimators.Mean, Triple, Clusters.Units),
    any_signature(Rank.bradley_terry, 1), keyword_signature(Rank.bradley_terry, 1),
    any_signature(Rank.ratings_of, 5), any_signature(Rank.read_rating_scale, 5),
    any_signature(Rank.parse_battle_request, 5), any_signature(Rank.tested_pairs, 2),
    any_signature(Rank.interval_ends, 2), any_signature(Rank.Battles.check_entries, 1),
    any_signature(Rank.Battles.error_code, 2), any_signature(Rank.Battles.numbered, 2),
    any_signature(Rank.Battles.as_vector, 2),
    signature(Rank.Likelihood.half_wins, Triple, Triple, Triple, Triple, Triple, Triple),
    signature(Rank.Likelihood.derivatives_by_formula, typeof(Rank.Likelihood.half_wins), Vector{Int}, Vector{Int},
        Vector{NTuple{3,Triple}}, Vector{Triple}, Triple, Triple),
    signature(Rank.BattleContrasts.variance_terms, Rank.BattleContrasts.BattleUnits, Rank.Fit, Vector{Int},
        Vector{Int}, Matrix{Triple}, Bool),
    signature(Rank.BattleContrasts.sums, Rank.Contrasts, Rank.BattleContrasts.BattleUnits, Vector{Int},
        Vector{Int}, Bool),
    signature(Rank.BattleContrasts.differences, Rank.Contrasts, Vector{Int}, Vector{Int}),
    signature(Rank.Battles.add!, Rank.Battles.Cells, Rank.Battles.Row, Int),
    signature(Rank.Fits.from_fractions, Rank.Battles.Cells), any_signature(Rank.fitted_groups_of, 1),
    signature(Rank.contrasts_of, Rank.FittedGroup, Any), signature(Rank.FittedGroup, Any, Any),
    any_signature(Rank.write_ratings!, 5), any_signature(Rank.rank_ranges, 3), any_signature(Rank.influence, 1),
    any_signature(Rank.score_test, 3), any_signature(Rank.next_pair, 1), any_signature(Rank.battles_needed, 3),
    any_signature(Rank.win_probability, 3), any_signature(Rank.Battles.count_rows, 9),
    any_signature(Rank.tested_across_groups, 2), any_signature(Rank.empty_result, 1),
    any_signature(Rank.write_parameters!, 4), any_signature(Rank.Battles.count_battles, 3),
    signature(Rank.BattleContrasts.difference, Rank.Contrasts, Int, Int, Rank.BattleContrasts.ContrastVariance),
    signature(Means.binary_rows, States), signature(Means.exact_values, Counts, Vector{Int}, Int),
    signature(looked_up, Vector{Int}, Matrix{UInt8}, Int),
    signature(Means.squared_deviations, Vector{Rationals.Ratio}, Vector{Rationals.Ratio}, States, Rational{BigInt}),
    signature(Means.products, Vector{Int}, Vector{Int}, States, Vector{Int}, Int),
    # answers, judges, suites, questions
    any_signature(plurality_at_k, 2), signature(Answers, Any, Any), any_signature(votes, 2),
    any_signature(answers_of, 2), any_signature(entry_rows, 2), any_signature(chosen_value, 5),
    signature(Metrics.read_metric, Any, Any, Any, Any, Tuple{String}),
    signature(ChosenAnswers.mean, Metrics.Metric, ScoredTrials), any_signature(best_of_k, 2),
    signature(ScoredTrials, Any, Any), any_signature(extrapolate_model, 3),
    signature(ZeroInflated.goodness_of_fit, Identified.Successes, ZeroInflated.FittedModel, Int),
    keyword_signature(judged, 2), keyword_signature(judged, 3),
    signature(Judges.read_judged, Any, Vector{Tuple{String,String}}, Any, Any), any_signature(Verdicts.outputs, 2),
    any_signature(Verdicts.kept_outputs, 3), any_signature(Verdicts.read_cells, 5), any_signature(Verdicts.cells, 6),
    signature(count_all, Matrix{Union{Missing,Int}}, Int, Nothing), any_signature(label_check, 2),
    keyword_signature(compare_judged, 4), keyword_signature(compare_judged, 5), keyword_signature(labels_needed, 2),
    keyword_signature(agreement, 1), keyword_signature(agreement, 2), any_signature(cohen_kappa, 1),
    signature(Raters.interval, Raters.RatingTable, Float64), signature(Raters.alpha, Raters.RatingTable),
    signature(Raters.unweighted, Raters.RatingTable),
    signature(Labels.needed, Vector{BigInt}, Vector{Rational{BigInt}}, Rational{BigInt}, String, Float64),
    keyword_signature(suite, 1), keyword_signature(suite, 5), any_signature(over_suite, 4),
    any_signature(suite_models, 7), signature(suite_pairs, Vector{BenchmarkPair}, Any, Any, Any),
    any_signature(Suites.read_benchmarks, 5), any_signature(Suites.benchmark, 3), any_signature(Suites.shares, 3),
    signature(Suites.part, Any, Any), signature(Suites.average, Vector{Suites.Part}, Suites.Weights),
    signature(Suites.weighted_mean, Suites.Weights, Vector{Triple}, Any), any_signature(Suites.naming_benchmark, 3),
    signature(Suites.ends, Suites.Part, Any, Any, Any, Any), any_signature(Pairs.contrasts_of, 2),
    any_signature(Pairs.checked_models, 4), keyword_signature(gate_suite, 2), keyword_signature(gate_suite, 6),
    any_signature(benchmark_contrasts, 4), any_signature(benchmark_contrast, 3), any_signature(gate_row, 7),
    any_signature(suite_verdict, 3), any_signature(Items.items, 1), signature(Items.sums, Matrix{Int}),
    signature(Items.line_of_question, Matrix{Int}, Vector{Int}, Int, BigInt),
    signature(Items.all_lines, Matrix{Int}, BigInt), keyword_signature(Items.changes, 2),
    any_signature(Items.before_and_after, 3), any_signature(Items.status, 2),
    signature(Fisher.Tests, Vector{Fisher.Pair}, Bool),
    signature(Fisher.tails, Fisher.Levels, Fisher.Levels, Int, Bool),
    signature(Fisher.step_up, Fisher.Tests, Rationals.Ratio), signature(Fisher.adjusted, Fisher.Tests),
    keyword_signature(Models.count_models, 4), any_signature(Items.reliability, 1),
    signature(Items.design_reliability, Items.Components, Int, Rational{BigInt}, Any),
    keyword_signature(Items.design, 1), keyword_signature(Items.cost_per_solved, 2),
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
