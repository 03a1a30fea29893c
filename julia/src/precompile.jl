# What a first call needs is compiled when the package is, as far as Julia keeps it.

function warm_up()
    R = [0 1 1 0 1; 1 1 0 1 1]
    for form in (R, R .== 1, Int8.(R), permutedims(R)', [[0, 1, 1], [1, 1, 1]], tally(R))
        bayes_ci(form)
    end
    w, ragged = [0.0, 0.5, 1.0], [[0, missing, 2], [1, 2]]
    bayes(R, w, R)
    avg(R, w)
    mean_ci(R; questions = :fixed)
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
end

ccall(:jl_generating_output, Cint, ()) == 1 && warm_up()
