# Confidence intervals of the metrics, with no prior on any question. And values beyond the trials, which have none.

"""
    interval(R, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, confidence=0.95, pool=nothing,
        clusters=nothing, law=:beta, shape=:wilson, missing=:raise) -> MetricInterval

A metric with a confidence interval; no prior on any question. `questions=:fixed`: the metric of this question set,
with ever more trials; `:sampled`: the metric of the population of similar questions. The width of the first goes to 0
with N, that of the second only with M.

- `R`: outcomes, M×N, or `Counts`: 0 and 1; in 0..C for the mean and Max@k. Questions without a trial are left out and
  listed in `dropped`.
- `metric`: `:mean`, `:pass_at_k`, `:pass_hat_k`, `:g_pass_at_k_tau`, `:maj_at_k`, `:mg_pass_at_k`, `:auc_at_k` or
  `:max_at_k`; also "avg", "pass@k", "pass^k", "g-pass@k", "maj@k", "mg-pass@k", "auc@k", "max@k".
- `k`: trials drawn, at most the fewest of a question; for every metric but the mean.
- `tau`: threshold of `:g_pass_at_k_tau`, in [0, 1].
- `w`: the score of each category, for the mean and Max@k; default (0, 1).
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `pool`: with `:sampled`, the questions were sampled from this many, at least M.
- `clusters`: with `:sampled`, M labels: clusters of related questions, which are the units that were sampled.
- `law`: how the within-question variance is obtained where a question has fewer than 2k trials: `:beta`, from a
  beta-binomial model fitted to all questions; `nothing`, by the jackknife, or as an upper bound. It never moves `mu`.
- `shape`: `:wilson`, or `:beta` (equal tails of a beta distribution), better for very rare success.
- `missing`: the policy for absent outcomes, as in [`tally`](@ref).

Iterates as (mu, sigma, lo, hi), `mu` what the function of the metric returns ([`avg`](@ref) for the mean); the fields
`questions`, `variance_source`, `n_eff`, `units`, `dropped` (counted from 1) besides. Throws `InvalidInput` for anything
wrong with the arguments; conflict: a parameter that the metric does not take; range: `k` above the trials of a question
(see [`extrapolate`](@ref)). Source: spec/README.md.

`variance_source` says how the variance was obtained: with 2k trials of every question it is "measured"; with fewer, and
fixed questions, it is that of a "beta-binomial" model; with one trial per question, or without a model, it is not
identified and replaced by an "upper bound". A second trial about halves the interval of a mean, and 2k trials measure
the variance of Pass@k.

Coverage is below nominal where fewer than about one success is expected in all (80 to 93% for 95%); where half of the
questions are never solved, half are at 1/2 and 2k > N (86 to 92%); for trials that are not independent (temperature 0,
caches); for related questions, unless `clusters` names them; and for outcomes that are missing because of what they
were.

# Examples
```jldoctest
julia> R = [0 1 1 0; 1 1 1 1; 0 0 0 0; 0 1 0 0; 1 0 1 1];

julia> r = interval(R, "pass@k", 2; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.variance_source
(0.6667, 0.3867, 0.8638, "measured")

julia> interval(R, "pass@k", 3; questions=:fixed).variance_source
"beta-binomial"
```
"""
function interval(
    R, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions, confidence = 0.95, pool = nothing, clusters = nothing, law = :beta, shape = :wilson, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    q = Estimates.read_request(
        metric, k, tau, w; questions = questions, pool = pool, clusters = clusters, law = law, missing = missing,
    )
    shape = Arguments.choice(shape, "shape", ("wilson", "beta"))
    x = Estimates.estimated(q, R)
    p, n_eff, z = x.side.parts, Estimates.effective(x), normal_z(confidence)
    t = x.freedom == ZERO ? z : Differences.quantile(x.freedom, confidence, 2)  # few clusters
    if shape == "wilson"
        ends = Variance.wilson(p.theta, p.rest, n_eff, t)
    else
        worth = x.freedom == ZERO ? n_eff : mul(n_eff, DoubleDouble.div(mul(z, z), mul(t, t)))
        ends = Variance.equal_tails(p.theta, p.rest, worth, Variance.tail(confidence))
    end
    four = Variance.rescale(Estimators.mu(x.side), p, n_eff, ends, minimum(q.m.w), maximum(q.m.w))
    return MetricInterval(four..., String(questions), x.variance_source, value(n_eff), x.units, x.dropped)
end

"""
    mean_ci(R, w=nothing; questions, confidence=0.95, pool=nothing, clusters=nothing, shape=:wilson, missing=:raise)
        -> MetricInterval

The average score with a confidence interval: [`interval`](@ref) of the mean.

- All arguments: as in [`interval`](@ref).

Iterates as (mu, sigma, lo, hi), `mu` the value of [`avg`](@ref); the fields `questions`, `variance_source`, `n_eff`,
`units`, `dropped` (counted from 1) besides. Throws `InvalidInput` for anything wrong with the arguments. With one trial
per question the within-question variance is not identified (`variance_source` is "upper bound"): a second trial about
halves the interval. Limits: [`interval`](@ref).

# Examples
```jldoctest
julia> r = mean_ci([0 1 1 0 1; 1 1 0 1 1]; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.variance_source
(0.7, 0.3968, 0.8922, "measured")
```
"""
function mean_ci(
    R, w = nothing;
    questions, confidence = 0.95, pool = nothing, clusters = nothing, shape = :wilson, missing = :raise,
)
    return interval(
        R, :mean, nothing, nothing, w; questions = questions, confidence = confidence, pool = pool,
        clusters = clusters, shape = shape, missing = missing,
    )
end

"""
    extrapolate(R, metric, k; missing=:raise) -> Extrapolation

Pass@k or Pass^k of more trials than there are, under a beta-binomial model of the benchmark. No interval and no
confidence level: on real benchmarks the model was off by up to 19 standard errors.

- `R`: outcomes of 0 and 1, M×N, or `Counts`. Questions without a trial are left out.
- `metric`: `:pass_at_k` or `:pass_hat_k`; also "pass@k", "pass^k".
- `k`: more than the fewest trials of a question; for fewer, [`interval`](@ref) measures it.
- `missing`: the policy for absent outcomes, as in [`tally`](@ref).

Iterates as (value, lowest, highest): under the beta-binomial model fitted to all questions; and the least and the most
that the moments leave possible, which the fewest trials of a question identify, sampling error aside. Throws
`InvalidInput` for anything wrong with `R`, `metric` or `k`. With m_j the mean over questions of C(c, j)/C(n, j), j up
to the fewest trials n: E[p^k] lies between m_{n-1} (m_n / m_{n-1})^(k-n+1), by Jensen's inequality, and m_n; Pass@k
the same with failures. A value outside lowest..highest says little: the questions are too few, or their success rates
do not follow a beta distribution.

# Examples
```jldoctest
julia> r = extrapolate([0 1 1 0; 1 1 1 1; 0 0 0 0; 0 1 0 0], :pass_at_k, 8);

julia> round.(Tuple(r), digits=3)
(0.937, 0.75, 0.898)
```
"""
function extrapolate(R, metric, k; missing = :raise)
    q = Estimates.read_request(metric, k; missing = missing, allowed = ("pass_at_k", "pass_hat_k"))
    counts, _ = with_trials(Estimates.counts_for(q, R), "R")
    n, k, fails = counts.fewest, q.m.k, q.m.name == "pass_at_k"
    k > n || refuse("range", "k", "k = ", k, " is not above the ", n, " trials of a question: interval() measures it")
    s = states(counts)
    of = fails ? s.n - s.c : s.c
    before, at = moment(counts, of, n - 1), moment(counts, of, n)
    least = at[1] == 0.0 ? ZERO : mul(before, DoubleDouble.power(DoubleDouble.div(at, before), ext(k - n + 1)))
    model = BetaBinomial.fit(s)
    x = model === nothing ? ext(Int(s.c[1] > 0)) : BetaBinomial.of_all(model, k, fails)
    low, high = fails ? (drawn_mean(counts, Hypergeometric.pass_at_k!, n, n), sub(ONE, least)) : (least, at)
    return Extrapolation(value(x), value(low), value(high))
end

"The mean over questions of C(c, j) / C(n, j), c of each state."
function moment(counts, c, j)
    s = states(counts)
    table = Vector{Triple}(undef, length(c))
    Hypergeometric.pass_hat_k!(table, s.n, c, j)
    return over_questions(table, counts)
end
