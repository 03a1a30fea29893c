# Code that first calls share is inferred when the package is compiled; Julia 1.5 makes machine code in every process.
# It keeps the inferred code of precompile statements, but drops that of calls that were run: so there are statements.
# From 1.9 on the machine code of calls that were run is kept: a few calls, instead of all that might be needed.

every(f, n) = of(f, ntuple(_ -> Any, n)...)
kw(f, n) = Tuple{Core.kwftype(typeof(f)),Any,typeof(f),ntuple(_ -> Any, n)...}
of(f, types...) = Tuple{f isa Type ? Type{f} : typeof(f),types...}

generating() = ccall(:jl_generating_output, Cint, ()) == 1

first_needed() = Any[
    every(interval_by_position, 12), of(widened, Matrix{UInt8}),
    of(Distributions.cached, Any, Tuple{Int,Triple,Triple}),
    of(Counting.binary_columns!, Matrix{UInt8}, Vector{Int}, Matrix{Int}, UnitRange{Int}), every(tally, 1),
    of(as_source, Matrix{Int}, String, Symbol, String), of(count_all, Matrix{Int}, Int, Nothing),
    of(on_threads, Any, Any, Bool), of(Counts, Vector{Int}, Vector{Int}), every(pass_at_k, 2),
    of(Metrics.read_metric, Any, Any, Any, Any, Vector{String}), of(Metrics.numbered, Any, Any),
    every(Arguments.choice, 3),
    every(Arguments.integer, 4), every(binary, 2), every(trials_at_least, 4), every(trials_at_least, 5),
    every(metric_mean, 2),
    of(tables, Any, Any, Any, Any, Any, Vararg{Any}),
    of(Metrics.values!, Vector{Triple}, Vector{Int}, Vector{Int}, Metrics.Metric, Vector{Triple}),
    every(over_questions, 2), every(pass_at_k_ci, 2), every(posterior, 9), every(Arguments.double, 3),
    every(Arguments.bounds, 2), every(posterior_tables, 3),
    of(Posterior.pass_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    every(summarize, 5), every(normal_interval, 4), every(pass_hat_k, 2), every(pass_hat_k_ci, 2),
    of(Posterior.pass_hat_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Float64, Float64),
    every(g_pass_at_k_tau, 3), every(Weights.threshold, 2), every(g_pass_at_k_tau_ci, 3),
    of(Posterior.spectrum_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int,
        Vector{Triple}, Float64, Float64),
    every(mg_pass_at_k, 2), every(mg_pass_at_k_ci, 2),
    of(Posterior.upper_half_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int,
        Vector{Triple}, Float64, Float64),
    every(maj_at_k, 2), every(maj_at_k_ci, 2), every(auc_at_k, 2), every(auc_at_k_ci, 2), every(max_at_k, 3),
    every(flip_rate, 1), every(flip_rate_ci, 1),
    every(Arguments.vector, 2), every(Arguments.finite, 3),
    of(Counting.trials_in, Type{UInt8}, Matrix{UInt8}, Int, Vector{Bool}, Int),
    of(states_of, Int, Vector{UInt8}, Int), every(max_at_k_ci, 3), every(dirichlet_max, 5),
    of(joint_states, Vector{UInt8}, Vector{UInt8}, Int), every(powers, 4), every(threshold_spectrum_at_k, 3),
    every(Weights.checked_weights, 2), of(mean_over_states, Any, Any, Any, Any, Vararg{Any}),
    every(threshold_spectrum_at_k_ci, 3), every(geom_at_k, 2), every(tables, 5), every(check_finite, 2),
    every(geom_at_k_ci, 2),
    of(Posterior.geom_at_k!, Vector{Triple}, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Triple, Triple,
        Float64, Float64),
    every(geom_ds_at_k, 2), every(mean_over_states, 4), every(blend, 4), every(refuse_undefined, 3),
    every(geom_ds_at_k_ci, 2),
    of(Posterior.joint_at_k!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Triple}, Vector{Triple},
        Vector{Int}, Vector{Int}, Int, Float64, Float64),
    every(dataset_delta, 7), every(geo_spectrum_at_k, 2), every(geo_spectrum_at_k_ci, 2),
    every(geo_spectrum_star_at_k, 2), every(geo_spectrum_star_at_k_ci, 2), every(avg, 1), every(linear, 3),
    every(avg_ci, 2), of(group, Int, Matrix{UInt8}), every(bayes, 1), every(bayes, 2), every(bayes_ci, 1),
    kw(mean_ci, 1), kw(mean_ci, 2), kw(interval, 5), kw(Estimates.read_request, 4),
    every(Estimates.measure_outcomes, 2), every(Estimates.read_outcomes, 3), kw(count_outcomes, 3),
    every(population, 4),
    every(with_trials, 2), every(Estimates.estimator_for, 2), every(Estimates.variance_of_sampling, 3),
    of(Variance.variance_source, Variance.Parts),
    of(Variance.effective_size, Triple, Triple, Triple, Triple), of(Differences.quantiles, Triple, Triple, Float64),
    of(Variance.wilson_q, Triple, Triple, Triple, Triple, Triple, Triple),
    of(Variance.wilson_ends, Triple, Triple, Triple),
    of(Variance.rescale, Triple, Variance.Parts, Triple, Tuple{Triple, Triple, Triple, Triple}, Float64, Float64),
    kw(interval, 3), of(distinct_rows, Vector{Vector{Int}}),
    of(MaxAtK.fill_tables!, Vector{Triple}, Vector{Triple}, Vector{Triple}, Metrics.Metric, Vector{Int},
        Vector{Vector{Int}}, Vector{Triple}),
    every(extrapolate, 3), of(Metrics.read_metric, Any, Any, Any, Any, Tuple{String, String}), kw(compare, 2),
    kw(compare, 6), every(both_estimators, 6),
    of(Differences.paired_difference, Estimators.Mean, Estimators.Mean, Bool, String, Nothing), every(compared, 4),
    kw(compare, 4), of(Differences.paired_difference, UStatistics.Credit, UStatistics.Credit, Bool, String, Nothing),
    kw(certificate, 2), every(certificate_of, 4),
    kw(compare_all, 1), kw(compare_all, 5), every(Pairs.contrasts, 3), of(Models.model, Array{Int, 3}, Int),
    every(Models.same_questions, 4), every(Models.label, 2), kw(gate, 2), kw(gate, 6),
    every(one_sided_level, 3), kw(trials_needed, 3), every(target, 8), every(demanded, 3),
    of(Target, Estimators.Estimator, Union{Nothing, Estimators.Estimator}, Clusters.Units, Rational{BigInt}, Bool,
        Float64, Rational{BigInt}, Rational{BigInt}, Union{Nothing, Rational{BigInt}}),
    every(Planning.growth, 2), of(Means.single_trials, Means.Sums, BigInt), every(Planning.parts_of_units, 3),
    every(Planning.question_variance, 3), every(Planning.critical, 3),
    every(until_detected, 4), every(Planning.first_met, 2), every(Planning.trials_variance, 2),
    every(Planning.step, 2), kw(prob_above, 2), kw(prob_above, 6),
    of(Variance.probability_above, Variance.Parts, Triple, Triple, Triple, Triple, Triple, Triple),
    every(trials_needed, 2), every(questions_needed, 2), kw(trials_needed, 1), every(until_narrow, 5),
    every(boundaries, 1),
    every(times, 2), every(e_value, 2), every(pair_e_value, 2), of(Sequential.pair_e_value, Int, Int),
    of(
        Monitor, Any, Any, Any, Int, Bool, Union{Nothing, Float64}, Float64, String, Vector{Float64}, Vector{Matrix{Int}},
        Bool,
    ),
    of(look!, Monitor, Any, Any), every(share_of, 4), every(level_of_look, 1), every(look_result, 6),
    every(ranking_confidence, 4), every(ci_from_mu_sigma, 2), kw(should_stop, 1), every(should_stop_top1, 2),
    every(Arguments.deviations, 3), every(suggest_next_allocation, 2), every(Rank.bayes, 1),
    every(Models.prior, 2), kw(Models.each, 4), every(with_categories, 4), every(Rank.ranking_result, 5),
    of(sorted, Any, Int),
    of(Rank.conventions, Vector{Int}, Any), every(Rank.avg, 1), every(Rank.pass_at_k, 2),
    every(Rank.pass_hat_k, 2), every(Rank.g_pass_at_k_tau, 3), every(Rank.mg_pass_at_k, 2),
    every(Rank.maj_at_k, 2), every(Rank.auc_at_k, 2), every(Rank.max_at_k, 2), every(Rank.flip_rate, 1),
    every(Rank.threshold_spectrum_at_k, 3), every(Rank.geom_at_k, 2), every(Rank.geom_ds_at_k, 2),
    every(Rank.geo_spectrum_at_k, 2), every(Rank.geo_spectrum_star_at_k, 2), kw(Rank.ranges, 1),
    kw(Rank.ranges, 5), kw(Rank.winners, 1), kw(Rank.winners, 5), every(Rank.elo, 1), every(Models.tensor, 4),
    of(as_source, Matrix{Int}, String, Symbol), of(Models.fill_model!, Array{Int, 3}, Int, Matrix{Int}),
    every(Rank.competition_ranks_from_scores, 1), every(Rank.rank_scores, 1), every(compare_rankings, 2),
    every(lehmer_hash, 1), every(Arguments.integers, 2), every(lehmer_unhash, 2), every(ranking_hash, 1),
    every(set_index, 2), every(unhash_ranking, 2), every(set_at, 3), every(rank_trajectory, 1),
    every(problem, 6), every(Models.in_order, 3), every(gold_ranks, 3), every(series_of, 4), every(ranks_of, 2),
    every(convergence_at_n, 1),
    of(ConvergeKernels.convergence_at!, ConvergeKernels.Series{Int, Nothing, Int}, Vector{Int}, Vector{Bool}, Int,
        Vector{Int}),
    kw(bootstrap_convergence, 1), kw(bootstrap_convergence, 2), every(on_replicates, 5),
    of(ConvergeKernels.convergence_block, Array{Int, 3}, Nothing, Int, Int, Vector{Int}, Vector{Int}, Vector{Bool},
        UInt64, UnitRange{Int}),
    every(table_of, 3),
    of(ConvergeKernels.convergence_block, Array{Int8, 3}, Matrix{Int}, Int, Int, Vector{Int}, Vector{Int}, Vector{Bool},
        UInt64, UnitRange{Int}),
    kw(tau_curve, 1), kw(tau_curve, 3),
    of(ConvergeKernels.tau_block, Matrix{Int}, Array{Int, 3}, Nothing, Int, Int, Vector{Int}, Vector{Float64},
        UInt64, UnitRange{Int}),
    every(mean_tau, 3), every(Simulate.random_indices, 3), every(Simulate.start, 3), every(Simulate.coins, 2),
    every(Arguments.grid, 4), every(Arguments.rowwise!, 2), of(Simulate.numbers, Vector{Int}, Int),
    of(Simulate.toss!, Matrix{Int8}, UInt64, Vector{Int}, Vector{Float64}), every(Simulate.beta_rates, 2),
    every(Simulate.parameters, 3),
    of(Simulate.rates!, Vector{Float64}, UInt64, Vector{Int}, Vector{Float64}, Vector{Float64}),
    every(Simulate.updates, 2), of(Simulate.move!, Vector{Float64}, Vector{Float64}, UInt64, Vector{Int}),
    every(Rubric.percentile, 2), every(Rubric.thresholds, 1), every(Rubric.pooled, 2), of(Rubric.isname, String),
    of(Rubric.Threshold, Int, String, Union{Nothing, Rubric.Node}), every(Rubric.numbers_of, 3),
    of(Rubric.doubles, Matrix{Int}), every(Rubric.check_values, 4), every(Rubric.one_number, 4),
    of(Rubric.doubles, Matrix{Float64}), every(Rubric.check_clash, 4), every(Rubric.computable_thresholds, 1),
    every(Rubric.needs, 3), every(Rubric.visit_needs!, 5), of(Rubric.leaves, Rubric.Variable),
    every(Rubric.threshold_values, 3), every(Rubric.compute!, 5), of(Rubric.truth, Rubric.Facts, Rubric.Variable),
    of(Rubric.truth, Rubric.Facts, Rubric.Compare), every(Rubric.as_named, 2), every(Rubric.categories, 2),
    every(Rubric.schema_of, 2), of(Base.get, Rubric.Catalogue, Any, Any), every(Rubric.read_schema, 2),
    of(Rubric.leaves, Rubric.Joined), every(Rubric.check_stated, 2), every(Rubric.assigned_categories, 6),
    of(Rubric.truth, Rubric.Facts, Rubric.Joined), of(Rubric.elementwise, typeof(&), Vector{Bool}, Vector{Bool}),
    of(Rubric.elementwise, typeof(|), Vector{Bool}, Vector{Bool}),
    of(Rubric.elementwise, typeof(Rubric.neither), Vector{Bool}, Vector{Bool}), every(Rubric.Schema, 3),
    every(Rubric.check_categories, 2), every(Rubric.extended, 3), every(Rubric.new_entries, 3),
    every(Rubric.check_cycles, 4), every(Rubric.check_names, 4), of(Rubric.leaves, Rubric.Otherwise),
    every(Rubric.score, 1), every(Rubric.scored, 4), of(Rubric.first_lacking, Vector{Rubric.Signals}, Vector{String}),
    every(Rubric.one_score, 5), every(Rubric.undecided!, 10), every(Rubric.standard_schemata, 0),
    every(Rubric.read_models, 2), every(Rubric.read_signals, 3), every(Models.unzipped, 1),
    of(Rubric.first_outside, Matrix{Float64}, Float64, Float64, Bool),
    of(Rubric.first_outside, Float64, Float64, Float64, Bool), every(Rubric.check_schema, 3),
    every(Rubric.check_name, 3), every(Rubric.everywhere, 2), every(Rubric.same_questions, 3), every(Models.narrow, 1),
    every(Rubric.values_of, 2),
    # what `deferred` calls
    of(binary_counts, Matrix{Int}), of(graded_counts, Matrix{Int}, Int), of(binary_groups, States),
    of(Estimators.Mean, Metrics.Metric, Counts, Bool), of(UStatistics.Credit, Metrics.Metric, Counts, Bool),
    of(MaxAtK.Best, Metrics.Metric, Counts, Bool), of(RateMixture.variances, Metrics.Metric, States, BitVector),
    of(Hypergeometric.power_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    of(Hypergeometric.credit_variance!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    of(Hypergeometric.pass_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    of(Hypergeometric.pass_hat_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int),
    of(Hypergeometric.credit_at_k!, Vector{Triple}, Vector{Int}, Vector{Int}, Int, Vector{Triple}),
    of(Differences.sampling_moments, Estimators.Mean, Estimators.Mean, Triple, Clusters.Units),
    every(Rank.bradley_terry, 1), kw(Rank.bradley_terry, 1), every(Rank.ratings_of, 5), every(Rank.read_points, 5),
    every(Rank.read_battles, 5), every(Rank.tested_pairs, 2), every(Rank.interval_ends, 2),
    every(Rank.Battles.check, 1),
    every(Rank.Battles.error_code, 2), every(Rank.Battles.numbered, 2), every(Rank.Battles.as_vector, 2),
    of(Rank.Likelihood.half_wins, Triple, Triple, Triple, Triple, Triple, Triple),
    of(Rank.Likelihood.all_parts, typeof(Rank.Likelihood.half_wins), Vector{Int}, Vector{Int},
        Vector{NTuple{3,Triple}}, Vector{Triple}, Triple, Triple),
    of(Rank.BattleContrasts.squares, Rank.BattleContrasts.Single, Rank.Fit, Vector{Int}, Vector{Int}, Matrix{Triple},
        Bool),
    of(Rank.BattleContrasts.sums, Rank.Contrasts, Rank.BattleContrasts.Single, Vector{Int}, Vector{Int}, Bool),
    of(Rank.BattleContrasts.differences, Rank.Contrasts, Vector{Int}, Vector{Int}),
    of(Rank.Battles.add!, Rank.Battles.Cells, Rank.Battles.Row, Int), of(Rank.Fits.exact, Rank.Battles.Cells),
    every(Rank.groups, 1), of(Rank.contrasts_of, Rank.FittedGroup, Any), of(Rank.FittedGroup, Any, Any),
    every(Rank.rate!, 5),
    every(Rank.rank_ranges, 3), every(Rank.influence, 1), every(Rank.score_test, 3), every(Rank.next_pair, 1),
    every(Rank.battles_needed, 3), every(Rank.win_probability, 3), every(Rank.Battles.counted, 9),
    every(Rank.tested_across, 2), every(Rank.empty_result, 1), every(Rank.write_parameters!, 4),
    every(Rank.Battles.read, 3),
    of(Rank.BattleContrasts.difference, Rank.Contrasts, Int, Int, Rank.BattleContrasts.ContrastVariance),
    of(Means.binary_rows, States), of(Means.exact_values, Counts, Vector{Int}, Int),
    of(looked_up, Vector{Int}, Matrix{UInt8}, Int),
    of(Means.squared_deviations, Vector{Rationals.Ratio}, Vector{Rationals.Ratio}, States, Rational{BigInt}),
    of(Means.products, Vector{Int}, Vector{Int}, States, Vector{Int}, Int),
    # answers, judges, suites, questions
    every(plurality_at_k, 2), of(Answers, Any, Any), every(votes, 2), every(answers_of, 2), every(entry_rows, 2),
    every(chosen_value, 5), of(Metrics.read_metric, Any, Any, Any, Any, Tuple{String}),
    of(ChosenAnswers.mean, Metrics.Metric, ScoredTrials), every(best_of_k, 2), of(ScoredTrials, Any, Any),
    every(extrapolate_model, 3), of(ZeroInflated.goodness, Identified.Successes, ZeroInflated.FittedModel, Int),
    kw(judged, 2), kw(judged, 3),
    of(Judges.read_judged, Any, Vector{Tuple{String,String}}, Any, Any),
    every(Verdicts.outputs, 2), every(Verdicts.kept_outputs, 3), every(Verdicts.as_cells, 5), every(Verdicts.cells, 6),
    of(count_all, Matrix{Union{Missing,Int}}, Int, Nothing), every(label_check, 2), kw(compare_judged, 4),
    kw(compare_judged, 5), kw(labels_needed, 2), kw(agreement, 1), kw(agreement, 2), every(cohen_kappa, 1),
    of(Raters.interval, Raters.Rated, Float64),
    of(Raters.alpha, Raters.Rated), of(Raters.unweighted, Raters.Rated),
    of(Labels.needed, Vector{BigInt}, Vector{Rational{BigInt}}, Rational{BigInt}, String, Float64), kw(suite, 1),
    kw(suite, 5), every(over_suite, 4), every(suite_models, 7), of(suite_pairs, Vector{BenchmarkPair}, Any, Any, Any),
    every(Suites.read_benchmarks, 5), every(Suites.benchmark, 3), every(Suites.shares, 3), of(Suites.part, Any, Any),
    of(Suites.average, Vector{Suites.Part}, Suites.Weights),
    of(Suites.weighted_mean, Suites.Weights, Vector{Triple}, Any), every(Suites.naming_benchmark, 3),
    of(Suites.ends, Suites.Part, Any, Any, Any, Any), every(Pairs.among, 2), every(Pairs.checked, 4),
    kw(gate_suite, 2), kw(gate_suite, 6), every(benchmark_contrasts, 4), every(benchmark_contrast, 3),
    every(gate_row, 7),
    every(suite_verdict, 3), every(Items.items, 1), of(Items.sums, Matrix{Int}),
    of(Items.one_line, Matrix{Int}, Vector{Int}, Int, BigInt), of(Items.all_lines, Matrix{Int}, BigInt),
    kw(Items.changes, 2), every(Items.before_and_after, 3), every(Items.status, 2),
    of(Fisher.Tests, Vector{Fisher.Pair}, Bool), of(Fisher.tails, Fisher.Levels, Fisher.Levels, Int, Bool),
    of(Fisher.step_up, Fisher.Tests, Rationals.Ratio), of(Fisher.adjusted, Fisher.Tests),
    kw(Models.counted, 4), every(Items.reliability, 1),
    of(Items.design_reliability, Items.Components, Int, Rational{BigInt}, Any), kw(Items.design, 1),
    kw(Items.cost_per_solved, 2), of(Items.pairs_of, Vector{Int}, Vector{Int}, Int, BigInt, BigInt),
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
