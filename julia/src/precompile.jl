# What a first call needs is compiled when the package is, as far as Julia keeps it.

function warm_up()
    R = [0 1 1 0 1; 1 1 0 1 1]
    wide = Int8[R R]
    for form in (R, R .== 1, wide, permutedims(wide)', permutedims(R)', [[0, 1, 1], [1, 1, 1]], tally(R))
        bayes_ci(form)
    end
    for form in (wide, permutedims(wide)')
        bayes_ci(form, [0.0, 0.5, 1.0])
    end
    w, ragged = [0.0, 0.5, 1.0], [[0, missing, 2], [1, 2]]
    bayes(R, w, R)
    avg(R, w)
    mean_ci(R; questions = :fixed)
    warm_up_intervals(R)
    mean_ci(ragged, w; questions = :sampled, clusters = ["a", "b"], shape = :beta, missing = :drop)
    max_at_k(R, 2, w)
    max_at_k_ci(R, 2, w)
    for f in (
        pass_at_k, pass_at_k_ci, pass_hat_k, pass_hat_k_ci, mg_pass_at_k, mg_pass_at_k_ci, maj_at_k, maj_at_k_ci,
        auc_at_k, auc_at_k_ci, geom_at_k, geom_at_k_ci, geom_ds_at_k, geom_ds_at_k_ci,
        geo_spectrum_at_k, geo_spectrum_at_k_ci,
    )
        f(R, 3)
    end
    g_pass_at_k_tau(R, 3, 0.5)
    g_pass_at_k_tau_ci(R, 3, 0.5)
    threshold_spectrum_at_k(R, 2, [0.5, 0.5])
    threshold_spectrum_at_k_ci(R, 2, [0.5, 0.5])
    geom_at_k(R, 2; pass_power = 0.3)
    warm_up_many([R, 1 .- R])
    warm_up_decisions(R, 1 .- R)
    warm_up_rubric(R)
end

"Signals in every form to categories and scores."
function warm_up_rubric(R)
    named = (is_correct = R, completion_bpt = 0.5 .+ R, has_box = 1, C = 0.0, repeated_pattern = R .> 1)
    rows = Dict("is_correct" => [[1, missing], [0, 1]], "repeated_pattern" => [0 1; 0 0], "C" => 0)
    own = Rubric.Schema(
        "own", [1 => "not wrong and high", 0 => "otherwise"], [0, 1];
        variables = ["high" => "x <= half or B > 2"], thresholds = ["half" => (50, "x", "correct")],
    )
    Rubric.thresholds(named; own = (half = (50, "has_box", nothing),))
    Rubric.thresholds(["a" => named, "b" => named])
    Rubric.categories(rows, "exact_match"; missing = :drop)
    Rubric.categories(named, :conf_calibrated; thresholds = Rubric.thresholds(named))
    Rubric.categories((is_correct = R, x = R, B = 0), own)
    Rubric.score([:a => named, :b => named]; missing = 0)
    Rubric.score((a = rows, b = rows), ["exact_match"]; missing = :drop)
    Rubric.percentile([1, 2, 3], 40)
end

"Intervals of every kind of metric, from 2k trials, by the model and without it."
function warm_up_intervals(R)
    labels = ["a", "b"]
    for metric in (:pass_at_k, :maj_at_k), k in (2, 3), law in (:beta, nothing)
        interval(R, metric, k; questions = :fixed, law = law)
    end
    interval(R, "g-pass@k", 2, 0.5; questions = :sampled, clusters = labels)
    interval([0 1 2; 2 1 1], :max_at_k, 2, nothing, [0.0, 0.5, 1.0]; questions = :sampled, pool = 9)
    interval(R, :mean; questions = :sampled, clusters = labels)
    extrapolate(R, :pass_at_k, 6)
    prob_above(R, 0.5; questions = :fixed)
    prob_above(R, 0.5, :pass_at_k, 2; questions = :fixed)
end

"Functions of many models."
function warm_up_many(models)
    names = [:a => models[1], :b => models[2]]
    T = [models[l][m, n] for l in 1:2, m in 1:2, n in 1:5]
    rows = [[[0, 1], [1, 1]], [[1, 0], [0, 0]]]
    for form in (T, T .== 1, Int8.(T), models, rows, names, Dict(names), (a = models[1], b = models[2]))
        Rank.bayes(form; return_scores = true)
        Rank.pass_at_k(form, 2)
        elo(form)
        form isa Dict || rank_trajectory(form)
    end
    Rank.avg(T)
    for questions in (:fixed, :sampled)
        Rank.ranges(T; questions = questions)
        Rank.ranges(T, :pass_at_k, 2; questions = questions)
    end
    for f in (Rank.pass_hat_k, Rank.mg_pass_at_k, Rank.maj_at_k, Rank.auc_at_k, Rank.max_at_k, Rank.geom_at_k)
        f(T, 2)
    end
    Rank.g_pass_at_k_tau(T, 2, 0.5)
    for (metric, k) in ((:bayes, nothing), (:pass_at_k, 2), (:maj_at_k, 2)), scheme in (:columns, :rows)
        rank_trajectory(T, metric; k = k, scheme = scheme)
        convergence_at_n(T, metric; k = k, gold = [2, 1])
        bootstrap_convergence(T, metric; k = k, replicates = 2, scheme = scheme)
        tau_curve(T, metric; k = k, replicates = 2, scheme = scheme)
    end
    bootstrap_convergence(T, :mean; w = [0.0, 0.5, 1.0], replicates = 2)
    tau_curve(rows; scheme = :original)
end

"Decisions, rankings, simulation."
function warm_up_decisions(A, B)
    compare(A, B; questions = :fixed)
    compare(A, B; questions = :sampled)
    compare(A, B, :pass_at_k, 2; questions = :fixed)
    compare(A, B, :pass_at_k, 2; questions = :sampled, paired = false)
    trials_needed(A; half_width = 0.1)
    trials_needed(A, B)
    questions_needed(A; half_width = 0.1)
    mus, sigmas = [0.5, 0.4, 0.3], [0.1, 0.1, 0.1]
    rank_scores(mus; sigmas = sigmas)
    ranking_confidence(0.5, 0.1, 0.4, 0.1)
    ci_from_mu_sigma(0.5, 0.1)
    should_stop(0.1; max_ci_width = 0.1)
    should_stop_top1(mus, sigmas)
    suggest_next_allocation(mus, sigmas)
    compare_rankings([1, 2, 3], [2, 1, 3])
    lehmer_unhash(lehmer_hash([2, 1, 3]), 3)
    unhash_ranking(ranking_hash([1, 2, 2]), 3)
    Simulate.random_indices(1, 2, 3)
    for p in ([0.5, 0.25], [0.5 0.25], [[0.5], [0.25]])
        Simulate.coins(p, 2)
    end
    for a in ([2.0, 3.0], [2.5 3.5])
        Simulate.beta_rates(a, a)
        Simulate.updates(a, a)
    end
end

ccall(:jl_generating_output, Cint, ()) == 1 && warm_up()
