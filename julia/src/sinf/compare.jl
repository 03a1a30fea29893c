# Two models: how far apart, how sure.

"""
    compare(A, B, metric=:mean, k=nothing, tau=nothing, w=nothing; questions, confidence=0.95, paired=true, law=:beta,
        missing=:raise) -> (mu, sigma, lo, hi, p_above, variance_source, dropped)

The difference of two models, with an interval that holds it and the probability that A is above B.

- `A`, `B`: outcomes of two models, M×N, or `Counts`, row by row on the same questions; trials need not be equally many.
- `metric`, `k`, `tau`, `w`, `law`: as in [`interval`](@ref).
- `questions`: what the interval holds: `:fixed`, the noise of the trials on these questions; `:sampled`, also the
  draw of the questions.
- `confidence`: level of the interval, strictly between 0 and 1.
- `paired`: `false` where A and B answered different questions of one kind, which needs `:sampled`.
- `missing`: the policy for absent outcomes. Questions without a trial on either side are left out and listed in
  `dropped`, counted from 1.

`mu` is metric(A) - metric(B); the first four are in units of `w`. `variance_source` is "upper bound" where the data cannot tell the
noise that was asked for (fixed questions with one trial), "beta-binomial" where it rests on the law (fixed questions with
fewer than 2k trials). Throws `InvalidInput` for anything wrong with the arguments; shape: A and B of other numbers of
questions, or a single one where the spread of questions is needed; range: `k` above the trials of a question. Source:
spec/README.md, "two models". Where every question of a side has one trial the interval is that of sampled questions: a
second trial about halves it. Align the rows first: equal numbers of questions are all that can be checked. Do not
compare intervals of two models by eye: they may overlap where the difference is clear. Holds less (0.87 to 0.9 of
0.95) where fewer than about three questions tell the models apart.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0];

julia> r = compare(A, B; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), round(r.p_above, digits=4)
(0.3333, -0.2001, 0.8668, 0.8897)

julia> r = compare(A, B, "pass@k", 2; questions=:fixed);

julia> round(r.mu, digits=4), r.variance_source
(0.2222, "beta-binomial")
```
"""
function compare(
    A, B, metric = :mean, k = nothing, tau = nothing, w = nothing;
    questions, confidence = 0.95, paired = true, law = :beta, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    m, by_law = Metrics.read(metric, k, tau, w), Estimates.checked_law(law)
    sampled, paired = Estimates.checked_questions(questions), Arguments.flag(paired, "paired")
    paired || sampled ||
        refuse("conflict", "paired", "paired=false, different questions, needs questions=:sampled")
    Models.check_flat(A, "A")
    Models.check_flat(B, "B")
    a = count_outcomes(A, Metrics.largest(m), missing; name = "A", w_given = w !== nothing)
    b = count_outcomes(B, Metrics.largest(m), missing; name = "B", w_given = w !== nothing)
    dropped = Int[]
    if paired
        a, b, dropped = Differences.same_kept(a, b, "A", "B")
    else
        a, b = Estimates.with_trials(a, "A")[1], Estimates.with_trials(b, "B")[1]
    end
    Estimates.enough(a, m.k, "A", Estimates.NO_DIFFERENCE)
    Estimates.enough(b, m.k, "B", Estimates.NO_DIFFERENCE)
    p, q = Estimates.side(m, a, by_law), Estimates.side(m, b, by_law)
    d = paired ? Differences.on_same(p, q, sampled, "A") : Differences.on_different(p, q)
    return compared(d, m.w, confidence, dropped)
end

"The result of a difference, in units of w."
function compared(d, w, confidence, dropped)
    reach = DoubleDouble.mul(Differences.quantile(d.freedom, confidence, 2), d.deviation)
    unit = DoubleDouble.sub(DoubleDouble.ext(maximum(w)), DoubleDouble.ext(minimum(w)))
    scaled(x) = DoubleDouble.value(DoubleDouble.mul(unit, x))
    most = DoubleDouble.value(unit)
    lo = DoubleDouble.clip(scaled(DoubleDouble.sub(d.D, reach)), -most, most)
    hi = DoubleDouble.clip(scaled(DoubleDouble.add(d.D, reach)), -most, most)
    mu, sigma, p_above = scaled(d.D) + 0.0, scaled(d.deviation), DoubleDouble.value(Differences.p_above(d))
    return (mu = mu, sigma = sigma, lo = lo, hi = hi, p_above = p_above, variance_source = d.variance_source, dropped = dropped)
end
