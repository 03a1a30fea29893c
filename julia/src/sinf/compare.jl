# Two models: how far apart, how sure.

"""
    compare(A, B, w=nothing; questions, confidence=0.95, paired=true, missing=:raise)
        -> (mu, sigma, lo, hi, p_above, noise, dropped)

The difference of two mean scores, with an interval that holds it and the probability that A is above B.

- `A`, `B`: outcomes of two models, M×N, or `Counts`, row by row on the same questions; trials need not be equally many.
- `w`: the score of each category; default (0, 1).
- `questions`: what the interval holds: `:fixed`, the noise of the trials on these questions; `:sampled`, also the
  draw of the questions.
- `confidence`: level of the interval, strictly between 0 and 1.
- `paired`: `false` where A and B answered different questions of one kind, which needs `:sampled`.
- `missing`: the policy for absent outcomes. Questions without a trial on either side are left out and listed in
  `dropped`, counted from 1.

`mu` is mean(A) - mean(B); the first four are in units of `w`. `noise` is "bound" where the data cannot tell the noise
that was asked for (fixed questions with one trial). Throws `InvalidInput` for anything wrong with the arguments;
shape: A and B of other numbers of questions, or a single one where the spread of questions is needed. Source:
spec/README.md, "two models". Align the rows first: equal numbers of questions are all that can be checked. Do not
compare intervals of two models by eye: they may overlap where the difference is clear. Holds less (0.87 to 0.9 of
0.95) where fewer than about three questions tell the models apart.

# Examples
```jldoctest
julia> r = compare([1 1 0; 1 0 1; 1 1 1], [0 1 0; 0 0 1; 1 1 0]; questions=:fixed);

julia> round(r.mu, digits=4), round(r.lo, digits=4), round(r.hi, digits=4), round(r.p_above, digits=4)
(0.3333, -0.2001, 0.8668, 0.8897)
```
"""
function compare(A, B, w = nothing; questions, confidence = 0.95, paired = true, missing = :raise)
    confidence = Checks.confidence(confidence)
    sampled = Checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    paired = Checks.flag(paired, "paired")
    paired || sampled ||
        refuse("conflict", "paired", "paired=false, different questions, needs questions=:sampled")
    given, scores = w !== nothing, Checks.weights(w)
    Models.check_flat(A, "A")
    Models.check_flat(B, "B")
    a = count_outcomes(A, length(scores) - 1, missing; name = "A", w_given = given)
    b = count_outcomes(B, length(scores) - 1, missing; name = "B", w_given = given)
    U, span = Noise.scale(whole(scores)[1])
    dropped = Int[]
    if paired
        a, b, dropped = same_kept(a, b, "A", "B")
        d = Pairs.on_same(a, b, U, span, sampled, "A", Noise.parts(a, U, span), Noise.parts(b, U, span))
    else
        sides = (Noise.parts(Pairs.common(x, x, n)[1], U, span) for (x, n) in ((a, "A"), (b, "B")))
        d = Pairs.on_different(sides...)
    end
    D, s = from_ratio(d.D), Numerics.root(from_ratio(d.V))
    reach = Numerics.mul(Pairs.quantile(d.freedom, confidence, 2), s)
    unit = Numerics.sub(Numerics.ext(maximum(scores)), Numerics.ext(minimum(scores)))
    scaled(x) = Numerics.value(Numerics.mul(unit, x))
    most = Numerics.value(unit)
    lo = Numerics.clip(scaled(Numerics.sub(D, reach)), -most, most)
    hi = Numerics.clip(scaled(Numerics.add(D, reach)), -most, most)
    p_above = Numerics.value(Pairs.cdf(d, Numerics.div(D, s)))
    mu, sigma = scaled(D) + 0.0, scaled(s)
    return (mu = mu, sigma = sigma, lo = lo, hi = hi, p_above = p_above, noise = d.noise, dropped = dropped)
end

"Both without the questions that either lacks, which are one by one the same; and those."
function same_kept(a, b, name, name_b)
    questions(a) == questions(b) || refuse(
        "shape", name_b, name_b, " has ", questions(b), " questions, ", name, " has ", questions(a),
        ": they must be the same ones",
    )
    return Pairs.common(a, b, name)
end
