# Models whose outputs a judge has rated: their difference, and the human labels that an interval needs.

const MOST_OUTPUTS = 10^12  # the largest number of outputs with one verdict

"""
    compare_judged(A, B, labels_a, labels_b, w=nothing; questions, confidence=0.95, missing=:raise)
        -> (mu, sigma, lo, hi, p_above, significant, variance_source, dropped)

The difference of two models in mean human score, where a judge rated all outputs and people labelled some.

The judge may err differently on the two models, as judges do: labels of both are needed, and the labels of one give
no information on the other.

- `A`, `B`: verdicts on the outputs of two models on the same questions, M×N, row by row; their numbers of outputs may
  differ.
- `labels_a`, `labels_b`: human labels of the same outputs: a category in 0..C; `missing`, `nothing` or `NaN` where
  there is none.
- `w`: score of each category of the labels; default (0, 1).
- `questions`: the difference on this question set, `:fixed`; in the population of similar questions, `:sampled`; or of
  exactly these outputs, `:outputs`.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `missing`: missing verdicts are an error (`:raise`), leave their outputs out (`:drop`), or count as this verdict (an
  integer). Questions on which a model has no verdict are left out and listed in `dropped`.

`mu`, `sigma`, `lo` and `hi` are in units of `w`; `p_above` is P(A > B) under a normal distribution; `significant` says
whether the interval excludes 0; `variance_source` is "upper bound" for fixed questions where a model has one output of
each, else "measured".

Throws `InvalidInput` for anything wrong with the arguments; empty: a model without a label; shape: different numbers of
questions, verdicts and labels of different sizes, or a single question where the variance between questions is needed.

Source: spec/families/judges.md: square-and-add of the two Wilson intervals of [`judged`](@ref), with the correlation of
the models' scores over questions for sampled questions. Measured coverage 95% to 99%; a comparison of the verdicts
alone covers in as few as 4% of runs. If a model has one output per question, the interval for fixed questions is that
for sampled ones.

# Examples
```jldoctest
julia> A, B = [1 1 0; 1 1 1; 0 0 1; 0 0 0], [1 0 0; 1 1 0; 0 0 0; 0 1 0];

julia> labels_a = [1 missing 0; 1 missing missing; missing 1 0; missing missing 0];

julia> labels_b = [1 missing missing; missing 1 0; 0 missing missing; missing 0 missing];

julia> r = compare_judged(A, B, labels_a, labels_b; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), r.significant
(0.2778, -0.2555, 0.6388, false)
```
"""
@by_name function compare_judged(
    A, B, labels_a, labels_b, w = nothing;
    questions = required("questions"), confidence = 0.95, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    questions = Arguments.choice(questions, "questions", Judges.TARGETS)
    names = [("A", "labels_a"), ("B", "labels_b")]
    (a, b), scale = Judges.read_judged([(A, labels_a), (B, labels_b)], names, w, missing)
    as_sampled = questions == "fixed" && (a.single || b.single)  # a model has one output per question
    (questions == "sampled" || as_sampled) && Differences.check_two_units(a.x.M, "A")
    d = Judges.difference(a, b, as_sampled ? "sampled" : questions, normal_z(confidence))
    D, span, largest = from_ratio(d.D), Judges.span(scale), scale.high - scale.low  # largest: the largest difference
    lo, hi = D - d.down, D + d.up
    clipped(x) = DoubleDouble.clip(value(from_ratio(span) * x), -largest, largest)
    return Result{:JudgedComparison}((
        mu = value(from_ratio(d.D * span)) + 0.0, sigma = value(from_ratio(span) * d.sigma), lo = clipped(lo),
        hi = clipped(hi), p_above = value(d.p_above), significant = lo.hi > 0.0 || hi.hi < 0.0,
        variance_source = as_sampled ? "upper bound" : "measured", dropped = a.x.dropped,
    ))
end

"""
    labels_needed(outputs, means; half_width, design=:random, confidence=0.95) -> (labels, share)

Number of outputs that people must label to make the interval of [`judged`](@ref) narrow enough.

- `outputs`: how many outputs have each verdict.
- `means`: the mean human score that outputs of each verdict are expected to have, strictly between 0 and 1.
  From a first round of labels: `expected` of [`judged`](@ref).
- `half_width`: half the width of the interval, on the scale 0..1, strictly between 0 and 1/2.
- `design`: how the outputs to label are sampled: `:random`, from all; `:balanced`, equally many of each verdict;
  `:neyman`, more where verdicts are frequent and unreliable, which needs the fewest labels.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.

`labels`: the number of outputs to label in all, or `nothing` if even labels of all outputs are too few; `share`: the
share of these labels that goes to outputs of each verdict. Throws `InvalidInput` for anything wrong with the arguments;
length: different numbers of outputs and means. Source: spec/families/judges.md: the fewest labels n for which Wilson's
interval with variance K/n + B is narrow enough, K/n the part that more labels reduce and B the part due to the
verdicts, for one output per question. If human scores are not all 0 or 1, K is an upper bound. The plan ignores that a
verdict may have fewer outputs than its share of labels: then label all of them.

# Examples
```jldoctest
julia> labels_needed([700, 300], [0.95, 0.3]; half_width=0.05).labels
170

julia> n, share = labels_needed([700, 300], [0.95, 0.3]; half_width=0.05, design=:neyman);

julia> n, round.(share, digits=3)
(149, [0.526, 0.474])
```
"""
function labels_needed(outputs, means; half_width = required("half_width"), design = :random, confidence = 0.95)
    n_outputs, p = Arguments.integers(outputs, "outputs"), Arguments.vector(means, "means")
    h, design = Arguments.finite(half_width, "half_width"), Arguments.choice(design, "design", Labels.DESIGNS)
    confidence = Arguments.confidence(confidence)
    length(p) == length(n_outputs) ||
        refuse("length", "means", "means has ", length(p), " entries for ", length(n_outputs), " verdicts")
    for (j, n) in enumerate(n_outputs)
        1 <= n <= MOST_OUTPUTS ||
            refuse("range", "outputs", "outputs[", j, "] = ", n, " is outside 1..", MOST_OUTPUTS)
    end
    for (j, x) in enumerate(p)
        0.0 < x < 1.0 || refuse("range", "means", "means[", j, "] = ", x, " is not strictly between 0 and 1")
    end
    0.0 < h < 0.5 || refuse("range", "half_width", "half_width = ", h, " is not strictly between 0 and 1/2")
    labels, share = Labels.needed(n_outputs, fraction.(p), fraction(h), design, confidence)
    return (labels = labels, share = share)
end
