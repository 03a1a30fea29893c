# The mean human score of outputs, from a judge's verdict on each and human labels of some.

"""
    judged(verdicts, labels, w=nothing; questions, confidence=0.95, missing=:raise)
        -> (mu, sigma, lo, hi, n_eff, variance_source, verdicts, outputs, labels, means, expected, dropped)

The mean human score from the verdicts of a judge on every output and human labels of some outputs.

A judge, such as a language model, errs: the mean of its verdicts is not the mean that people would give. The labels
show how often each verdict is right, and the verdicts show how many outputs have each. The interval accounts for both.

- `verdicts`: the judge's verdict on each output, M×N: whole numbers in 0..255 of any meaning, a row for each
  question. They may be grades of a scale: if five or more occur, neighbouring grades are joined until each group has 10
  labels (or half of all labels, if that is fewer). Questions without an output are left out and listed in `dropped`.
- `labels`: the human label of the same output: a category in 0..C; `missing`, `nothing` or `NaN` where there is none.
- `w`: score of each category of the labels; default (0, 1).
- `questions`: `:fixed`, the expected score on this question set; `:sampled`, the mean of the population of similar
  questions; `:outputs`, the mean of exactly these outputs, if all were labelled.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `missing`: missing verdicts are an error (`:raise`), leave their outputs out (`:drop`), or count as the verdict that
  this integer states, which may be one that no output has.

The first four and `means` are in units of `w`; `sigma` is the standard error; `n_eff` is the number of labels that
would give this precision without a judge, Inf if nothing is uncertain. For each of the `verdicts` that occur: how many
`outputs` have it, how many of these have `labels`, the mean score of the labelled ones (`nothing` if there are none),
and for [`labels_needed`](@ref) an `expected` score: the mean of the verdict, or of the grades joined with it, on the
scale 0..1, shrunk a little to its middle. Throws `InvalidInput` for anything wrong with the arguments; empty: no output
has a label; shape: verdicts and labels differ in size. Source: spec/families/judges.md: post-stratification by verdict,
Wilson's interval at the effective sample size.

The labels of each verdict must be a random sample of the outputs with this verdict; their number per verdict is free.
If people chose which outputs of a verdict to label, for instance those of easy questions first, coverage falls (to
between 60% and 90% if easy questions are three times as likely), and [`label_check`](@ref) does not always see it.

Measured coverage of 95% intervals is 92% or more where at least one label of each outcome is expected, that is labels *
min(mean, 1 - mean) >= 1: 20 labels at a mean of 0.95, 50 at 0.98. With fewer it falls to 81% (10 labels, a mean of
0.99), and with grades of which the judge misses a rare one to 87% (5% of the outputs have grade 0, the others 3; the
judge calls four fifths of the former 3; 50 labels).

# Examples
```jldoctest
julia> verdicts = [1 1 0; 1 1 1; 0 0 1; 0 0 0];

julia> labels = [1 missing 0; 1 missing missing; missing 1 0; missing missing 0];

julia> r = judged(verdicts, labels; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.outputs, r.labels
(0.5, 0.1876, 0.8124, [6, 6], [3, 3])
```
"""
@by_name function judged(
    verdicts, labels, w = nothing;
    questions = required("questions"), confidence = 0.95, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    questions = Arguments.choice(questions, "questions", Judges.TARGETS)
    (J,), scale = Judges.read_judged([(verdicts, labels)], [("verdicts", "labels")], w, missing)
    x, G = Judges.estimate(J, questions), length(J.groups)
    ends, low, high = Judges.ends(x, normal_z(confidence)), Triple(scale.low), Triple(scale.high)
    # ends: (lo, 1 - lo, hi, 1 - hi) on the scale 0..1
    lo, hi = (value(ends[i+1] * low + ends[i] * high) + 0.0 for i in (1, 3))
    on_scale(y) = value(from_ratio(Judges.on_scale(scale, y))) + 0.0
    return Result{:JudgedInterval}((
        mu = on_scale(J.theta), sigma = value(sqrt(from_ratio(x.V * Judges.span(scale)^2))), lo = lo, hi = hi,
        n_eff = x.n_eff === nothing ? Inf : value(x.n_eff), variance_source = Judges.source(J, questions),
        verdicts = J.values, outputs = [g.outputs for g in J.rows], labels = [g.labels for g in J.rows],
        means = Union{Nothing,Float64}[g.labels > 0 ? on_scale(g.mean) : nothing for g in J.rows],
        expected = [value(from_ratio(Judges.shrunk(J.groups[p], G)[1])) for p in J.place], dropped = J.x.dropped,
    ))
end

"""
    label_check(verdicts, labels; missing=:raise) -> (verdicts, z_rate, p_rate, z_spread, p_spread, z_lean, p_lean)

Whether the labelled outputs look like a random sample of all outputs, or of those of each verdict.

- `verdicts`, `missing`: as in [`judged`](@ref); larger verdicts should mean better outputs.
- `labels`: as in [`judged`](@ref), of any categories: only which outputs are labelled matters.

"rate": whether each verdict has its share of the labels, p-values two-sided and multiplied by the number of verdicts
(Bonferroni); a small p-value is harmless. "spread": labels per question, one-sided: a small p-value means labels
concentrated on few questions. "lean": whether within a verdict the labels went to outputs of questions whose other
outputs have better (z > 0) or worse verdicts, two-sided: a small p-value means that the interval of `judged` is not
valid. `nothing` where no check is possible: all outputs are labelled, or there is only one verdict ("rate", "lean"),
one question or one output per question ("spread", "lean"), or one output has a label, or all but one ("spread", where
all questions have as many outputs), or within every verdict all outputs or none are labelled or the other verdicts on
their questions have the same mean ("lean"). Throws `InvalidInput` for anything wrong with the arguments; empty: no
output has a label. Source: spec/families/judges.md.

A check that finds nothing proves nothing: where labels go to easy questions three times as often as to hard ones,
`p_lean` is below 0.05 in 50% to 90% of the cases. It compares questions, not the outputs of a question: where labels go
to outputs that look wrong, or on which judges disagree, in only 7% to 43%. Sample the outputs to label at random, and
no check is needed.

# Examples
```jldoctest
julia> verdicts = [1 1 1; 1 1 0; 1 0 0; 1 0 0];

julia> labels = [1 1 missing; 1 missing 1; missing missing 0; missing missing missing];

julia> r = label_check(verdicts, labels);

julia> round(r.z_lean, digits=4), round(r.p_lean, digits=4), round(r.p_spread, digits=4)
(1.702, 0.0888, 0.426)
```
"""
function label_check(verdicts, labels; missing = :raise)
    names = ("verdicts", "labels")
    x = only(Verdicts.outputs([Verdicts.cells(verdicts, labels, nothing, missing, false, names)], [names]))
    rates, spread, lean = Labels.rates(x), Labels.spread(x), Labels.lean(x)
    or_nothing(f, z) = z === nothing ? nothing : value(f(z))
    listed(f) = Union{Nothing,Float64}[or_nothing(f, z) for z in rates]
    return Result{:LabelCheck}((
        verdicts = x.values, z_rate = listed(identity), p_rate = listed(z -> Labels.two_sided(z, length(x.values))),
        z_spread = or_nothing(identity, spread), p_spread = or_nothing(Labels.upper, spread),
        z_lean = or_nothing(identity, lean), p_lean = or_nothing(z -> Labels.two_sided(z, 1), lean),
    ))
end
