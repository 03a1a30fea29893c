# Agreement of raters, or of calls of a judge, on the same items; the mean human score from a judge's verdicts.

"""
    agreement(R, w=nothing; confidence=0.95, missing=:raise)
        -> (percent_agreement, fleiss_kappa, ac1, alpha, lo, hi, items, ratings, dropped)

Agreement of raters on the same items: percent agreement, Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

The raters of an item may be people, judges, or repeated calls of one judge.

- `R`: category 0, 1, 2, ... that each rater gave each item, M×raters; or `Counts`, how often each item got each
  category. Which rater gave which rating does not matter: for that see [`cohen_kappa`](@ref).
- `w`: score of each category. Alpha then weighs a disagreement by the squared difference of the scores; without scores
  all disagreements count the same. The other coefficients never use scores.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `missing`: missing ratings are an error (`:raise`), are left out, so that items may have different numbers of ratings
  (`:drop`), or count as this category (an integer).

`percent_agreement` is the share of the pairs of ratings of an item that agree, in 0..1, averaged over items.
`fleiss_kappa`, `ac1` and `alpha` are agreement corrected for chance, 1 if all agree; `nothing` where all ratings are
the same category (for alpha with `w`: have the same score), which leaves them undefined. `lo`, `hi`: confidence
interval of alpha of these raters in the population of similar items; `nothing` where alpha is. `items`, `ratings`: how
many were used; `dropped`: the numbers of the items with fewer than two ratings, which are left out.

Throws `InvalidInput` for anything wrong with the arguments; no_trials: no item has two ratings. Source:
spec/families/agreement.md; Fleiss (1971), Gwet (2008), Krippendorff (1970). Categories that no rater chose do not
count. The interval assumes that items are independent, and that an item's number of ratings does not depend on the
ratings; raters are not sampled: for other raters, of different severity, one panel of them gave intervals that covered
in 87% to 89%. The interval is wide where one category is rare, as for 30 items with two ratings each, nine tenths of
them of one category.

# Examples
```jldoctest
julia> r = agreement([1 1 1; 0 0 0; 1 1 0; 1 1 1; 0 0 1; 0 0 0; 1 1 1; 0 0 0]);

julia> round(r.alpha, digits=4), round(r.percent_agreement, digits=4)
(0.6806, 0.8333)
```
"""
@by_name function agreement(R, w = nothing; confidence = 0.95, missing = :raise)
    confidence = Arguments.confidence(confidence)
    scores = w === nothing ? nothing : Arguments.category_scores(w)
    Models.check_flat(R, "R")
    C, has_scores = scores === nothing ? nothing : length(scores) - 1, scores !== nothing
    counts = count_outcomes(R, C, missing; has_scores = has_scores)
    usable = findall(>=(2), counts.trials)
    isempty(usable) && refuse("no_trials", "R", "no item of R has two ratings, so none can agree")
    W, t = scores === nothing ? nothing : over_common_denominator(scores)[1], table(select(counts, usable))
    x = Raters.rating_table(occurrences([t[i, :] for i in axes(t, 1)]), W)
    a = Raters.alpha(x)
    percent, kappa, ac1 = Raters.unweighted(x)
    lo, hi = a === nothing ? (nothing, nothing) : alpha_interval(x, a, confidence)
    return Result{:Agreement}((
        percent_agreement = nearest_double(percent), fleiss_kappa = nearest_double(kappa), ac1 = nearest_double(ac1),
        alpha = nearest_double(a), lo = lo, hi = hi, items = length(usable), ratings = sum(counts.trials[usable]),
        dropped = findall(<(2), counts.trials),
    ))
end

"""
    cohen_kappa(R, w=nothing; missing=:raise)

Cohen's kappa: the agreement of two raters, who may use the categories differently, corrected for chance.

- `R`: category 0, 1, 2, ... that each of the two raters gave each item, M×2, a column for each rater.
- `w`: score of each category: disagreements weigh by the squared difference of the scores (quadratic weights for
  equally spaced ones). Default: all disagreements count the same.
- `missing`: missing ratings are an error (`:raise`), leave their items out (`:drop`), or count as this category (an
  integer).

The result is at most 1; `nothing` where both raters gave one and the same category (or score) throughout. Throws
`InvalidInput` for anything wrong with the arguments; type: R is `Counts`, which do not record who rated; shape: R does
not have two columns; no_trials: no item has two ratings. Source: Cohen (1960, 1968). [`agreement`](@ref) is for any
number of raters who may differ from item to item; its alpha, which comes with a confidence interval, is close to kappa
where both raters use the categories alike.

# Examples
```jldoctest
julia> cohen_kappa([1 1; 1 1; 0 0; 1 0; 0 0; 0 0; 1 1; 1 0])
0.5294117647058824
```
"""
@by_name function cohen_kappa(R, w = nothing; missing = :raise)
    scores = w === nothing ? nothing : Arguments.category_scores(w)
    C = scores === nothing ? LARGEST_CATEGORY : length(scores) - 1
    policy = Arguments.policy(missing, C)
    A = Verdicts.read_cells(R, scores === nothing ? nothing : C, policy, "R", scores !== nothing)
    size(A, 2) == 2 || refuse("shape", "R", "R has ", size(A, 2), " columns: it needs two, one for each rater")
    # categories from 1, which are then indices of W; a negative rating is missing
    pairs = Tuple{Int,Int}[(A[i, 1] + 1, A[i, 2] + 1) for i in axes(A, 1) if A[i, 1] >= 0 && A[i, 2] >= 0]
    isempty(pairs) && refuse("no_trials", "R", "no item of R has two ratings, so none can agree")
    W, observed, expected = scores === nothing ? nothing : over_common_denominator(scores)[1], big(0), big(0)
    first_rater, second_rater = occurrences(first.(pairs)), occurrences(last.(pairs))
    for (x, k) in first_rater, (y, m) in second_rater
        expected += k * m * Raters.distance(W, x, y)
    end
    for ((x, y), k) in occurrences(pairs)
        observed += k * Raters.distance(W, x, y)
    end
    return expected == 0 ? nothing : nearest_double(1 - observed * length(pairs) // expected)
end

"Count how often each value occurs."
function occurrences(values::Vector{T}) where {T}
    counts = Dict{T,Int}()
    for x in values
        counts[x] = get(counts, x, 0) + 1
    end
    return counts
end

"Confidence interval of alpha, extended to contain the estimate."
function alpha_interval(x, a, confidence)
    low, high = Raters.interval(x, confidence)  # of 1 - alpha
    estimate = from_ratio(a)
    return value(Raters.smaller(ONE - high, estimate)), value(Raters.larger(ONE - low, estimate))
end

"The double nearest to a fraction; nothing stays nothing."
nearest_double(x) = x === nothing ? nothing : value(from_ratio(x))

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
