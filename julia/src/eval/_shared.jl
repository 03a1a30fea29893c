# The steps that the metrics share: R to counts, counts to a mean over states.

const UNIT = (0.0, 1.0)
const PARALLEL_WORK = 1 << 14  # terms; below it threads cost more than they bring

binary(R, missing) = Arguments.no_empty(count_outcomes(R, 1, missing))

"Counts and a k that every question has the trials for."
function finite(R, k, missing)
    k = Arguments.draws(k)
    counts = binary(R, missing)
    Arguments.trials_at_least(counts, k)
    return counts, k
end

"Counts of the categories that w weighs, the outcomes of R0 among them."
function rubric(R, w, R0, missing)
    given, w = w !== nothing, Arguments.weights(w)
    counts = Arguments.no_empty(count_outcomes(R, length(w) - 1, missing; w_given = given))
    if R0 !== nothing
        prior = count_outcomes(R0, length(w) - 1, missing; name = "R0", w_given = given)
        M = questions(counts)
        questions(prior) == M || refuse("shape", "R0", "R0 has ", questions(prior), " rows, R has ", M)
        counts = counts + prior
    end
    return counts, w
end

"Tables over the states of binary counts, as many as asked for, filled by a kernel: in parts, on threads."
function tables(counts, kernel!, number, k, args...)
    s = states(counts)
    terms = length(s.n) * (kernel! === Posterior.spectrum_at_k! ? Float64(k)^2 : Float64(k))
    found = on_threads(parts_of(length(s.n), terms >= PARALLEL_WORK)) do part
        out = [Vector{Triple}(undef, length(part)) for _ in 1:number]
        kernel!(out..., s.n[part], s.c[part], k, args...)
        return out
    end
    return (length(found) == 1 ? found[1] : reduce((a, b) -> vcat.(a, b), found))::Vector{Vector{Triple}}
end

"Mean over questions of a finite-bank table."
function bank_mean(counts, kernel!, args...)
    out, = tables(counts, kernel!, 1, args...)
    return DoubleDouble.mean(out, states(counts).mult, questions(counts))
end

"Mean over questions of the spectrum w on the bank."
credit_mean(counts, k, w) = bank_mean(counts, Hypergeometric.credit_at_k!, k, Hypergeometric.credits(w))

"(mu, sigma, mu - z sigma, mu + z sigma) of a mean and a variance."
normal_interval(mu, var, confidence, bounds) = Interval(DoubleDouble.interval(mu, var, normal_z(confidence), bounds...))

"The interval of the mean over questions of tables of means and variances."
function summarize(counts, mu, var, confidence, bounds)
    z = normal_z(confidence)
    return Interval(DoubleDouble.summary(mu, var, states(counts).mult, questions(counts), z, bounds...))
end

"Mean, variance and covariance with Pass@k of the spectrum w."
function spectrum_tables(counts, k, w, upper_half, priors)
    kernel! = upper_half ? Posterior.upper_half_at_k! : Posterior.spectrum_at_k!
    return tables(counts, kernel!, 3, k, w, priors...)
end

function spectrum_ci(counts, k, w, upper_half, priors, confidence, bounds)
    mu, var, _ = spectrum_tables(counts, k, w, upper_half, priors)
    return summarize(counts, mu, var, confidence, bounds)
end

"The checked tail of every Beta interval: confidence, bounds, priors."
tail_of(confidence, bounds, alpha0, beta0) =
    (Arguments.confidence(confidence), Arguments.bounds(bounds), Arguments.priors(alpha0, beta0))
