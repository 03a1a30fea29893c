# Two models: their difference.

"""
    compare(A, B, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, confidence=0.95, paired=true,
        clusters=nothing, law=:beta, missing=:raise, looks=nothing, spending="obrien-fleming")
        -> (mu, sigma, lo, hi, p_value, df, p_above, significant, variance_source, dropped)

The difference of two models, with a confidence interval, a p-value and the probability that A is better.

- `A`, `B`: outcomes of two models, M×N, or `Counts`, row by row on the same questions; trials need not be equally many.
- `metric`, `k`, `tau`, `w`, `law`: as in [`interval`](@ref).
- `questions`: `:fixed`, the difference on this question set; `:sampled`, in the population of similar questions, so
  that the interval accounts for the sampling of questions too.
- `confidence`: nominal coverage of the interval, over all looks, strictly between 0 and 1; 1 - confidence is the
  two-sided level.
- `paired`: `false` where A and B answered different questions of one population, which needs `:sampled`.
- `clusters`: with `:sampled`, M labels: clusters of related questions, the units that were sampled.
- `missing`: the policy for absent outcomes. Questions without a trial on either side are left out and listed in
  `dropped`, counted from 1.
- `looks`: fractions of the planned information at the looks so far, the last one this look, as in
  [`boundaries`](@ref): [0.2, 0.4] is the second of five equal steps. By default the only look.
- `spending`: how the looks share the error rate: "obrien-fleming", "pocock".

`mu` is metric(A) - metric(B); the first four are in units of `w`; `p_value` is two-sided, of a t distribution with `df` degrees of freedom,
`significant` is p_value <= 1 - confidence, which is so just where the interval excludes 0, and `p_above` is P(A > B).
`variance_source` is "upper
bound" where the data do not identify the variance asked for (fixed questions with one trial), "beta-binomial" where it
rests on that model (fixed questions with fewer than 2k trials), else "measured". Throws `InvalidInput` for anything
wrong with the arguments; shape: A and B of other numbers of questions, or a single one where the variance between
questions is needed; range: `k` above the trials of a question. Source: spec/README.md, "two models". Where every
question of a side has one trial the interval is that of sampled questions: a second trial about halves it. Align the
rows first: equal numbers of questions are all that can be checked. Do not compare the intervals of two models by eye:
they may overlap where the difference is significant. `df` says how well the variance is known: near 2 where few
questions decide. Below p = 0.001 very skewed differences err 3 to 7 times as often as they should. The level is for one
look at the data: looking after every trial is wrong in 25% to 40% of runs. Say `looks`, or use [`Monitor`](@ref). Over
several benchmarks compare with [`suite`](@ref); to ask whether one model may replace another, use [`gate`](@ref).

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> r = compare(A, B; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), round(r.p_value, digits=4)
(0.3333, -0.2259, 0.8926, 0.2316)

julia> r = compare(A, B, "pass@k", 2; questions=:fixed);

julia> round(r.mu, digits=4), r.variance_source
(0.2222, "beta-binomial")
```
"""
function compare(
    A, B, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions, confidence = 0.95, paired = true, clusters = nothing, law = :beta, missing = :raise, looks = nothing,
    spending = "obrien-fleming",
)
    tail = one_sided_level(Arguments.confidence(confidence), looks, spending)
    paired = Arguments.flag(paired, "paired")
    q = Estimates.read_request(
        metric, k, tau, w; questions = questions, clusters = clusters, law = law, missing = missing,
        allowed = Metrics.ALL_INTERVALS,
    )
    x, y, dropped, units = two_sides(q, A, B, "A", "B", paired)
    d = paired ? Differences.on_same(x, y, q.sampled, "A", units) :
        later(Differences.on_different)(x, y)::Differences.Difference
    return Result{:Comparison}(compared(d, q.m.w, tail, dropped))
end

"Two models under a metric on questions that both have trials of; the others; clusters. Or on different questions."
function two_sides(q, A, B, name, name_b, paired = true)
    paired || q.sampled ||
        refuse("conflict", "paired", "paired=false, different questions, needs questions=:sampled")
    paired || q.clusters === nothing ||
        refuse("conflict", "clusters", "clusters group questions that both answered: not with paired=false")
    Models.check_flat(A, name)
    Models.check_flat(B, name_b)
    a, b = Estimates.counts_for(q, A, name), Estimates.counts_for(q, B, name_b)
    dropped, units = Int[], nothing
    if paired
        labels = questions(a) == questions(b) ? population(nothing, q.clusters, q.sampled, a)[2] : nothing
        a, b, dropped = Differences.paired(a, b, name, name_b)
        units = Estimates.units_of(labels, dropped)
    else
        a, b = with_trials(a, name)[1], with_trials(b, name_b)[1]
    end
    trials_at_least(a, q.m.k, name, Estimates.NO_DIFFERENCE)
    trials_at_least(b, q.m.k, name_b, Estimates.NO_DIFFERENCE)
    return Estimates.side(q, a), Estimates.side(q, b), dropped, units
end

"The result of a difference at this one-sided level, in units of w."
function compared(d, w, tail, dropped)
    p = Differences.p_value(d)
    s = Decision.on_scale(d, tail, w)
    return (
        mu = s.mu, sigma = s.sigma, lo = s.lo, hi = s.hi, p_value = value(p),
        df = value(d.freedom), p_above = value(Differences.p_above(d)),
        significant = sub(DoubleDouble.scaled(tail, 1.0), p)[1] >= 0.0, variance_source = d.variance_source,
        dropped = dropped,
    )
end
