# The difference of two models and its standard error. The formulas: spec/README.md, "two models".

module Differences

using ..Scorio: questions, refuse, select
using ..DoubleDouble: Triple, ZERO, add, div, ext, root
using ..Distributions: kept, normal_cdf, one_sided_z, share, t_cdf, t_quantile
using ..Estimators: Side, above, spread
using ..Variance: fixed_pair_variance, larger, sampled_pair_variance, sampled_variance, variance_source, welch

"theta_A - theta_B, its standard error, the degrees of freedom of its t distribution (ZERO: normal), and the source."
struct Difference
    D::Triple
    deviation::Triple
    freedom::Triple
    variance_source::String
end

"The cdf at D over its standard error; 1/2 where neither can be anything but 0."
function p_above(d)
    t = d.deviation[1] == 0.0 ? ZERO : div(d.D, d.deviation)
    return d.freedom == ZERO ? normal_cdf(t) : t_cdf(t, d.freedom)
end

"The quantile with upper tail (1 - confidence) / ways, of the t distribution or the normal one."
function quantile(freedom, confidence, ways)
    freedom == ZERO && return one_sided_z(confidence, ways)
    return kept(() -> t_quantile(share(confidence, ways), freedom), (confidence, ways, freedom))
end

"Both without the questions that either lacks; and those. who: the two, for a message about the argument."
function common(A, B, argument, who)
    A.fewest > 0 && B.fewest > 0 && return A, B, Int[]
    keep = [n > 0 && m > 0 for (n, m) in zip(A.trials, B.trials)]
    any(keep) || refuse("no_trials", argument, "no question has a trial of both ", who)
    return select(A, keep), select(B, keep), findall(!, keep)
end

"The same of two arguments, row by row on the same questions."
function paired(a, b, name, name_b)
    questions(a) == questions(b) || refuse(
        "shape", name_b, name_b, " has ", questions(b), " questions, ", name, " has ", questions(a),
        ": they must be the same ones",
    )
    return common(a, b, name, "$name and $name_b")
end

"On the same questions, each with k trials on both sides."
function on_same(A::Side, B::Side, sampled, name)
    p, q, D = A.parts, B.parts, above(A, B)
    single, V = p.single || q.single, fixed_pair_variance(p, q)
    source = sampled ? "measured" : worse(variance_source(p), variance_source(q))
    sampled || single || return Difference(D, root(V), ZERO, source)
    at_least_two(p.M, name)
    both = sampled_pair_variance(spread(A, B, D), p.M)
    return Difference(D, root(single ? both : larger(both, V)), ext(p.M - 1), source)
end

"On different questions of one population; Welch's degrees of freedom."
function on_different(A::Side, B::Side)
    p, q = A.parts, B.parts
    at_least_two(p.M, "A")
    at_least_two(q.M, "B")
    v, w = sampled_variance(p, p.M), sampled_variance(q, q.M)
    return Difference(above(A, B), root(add(v, w)), welch(v, w, p.M, q.M), "measured")
end

worse(x, y) = "upper bound" in (x, y) ? "upper bound" : "beta-binomial" in (x, y) ? "beta-binomial" : "measured"

"The variance between questions takes two of them."
at_least_two(M, name) = M > 1 ||
    refuse("shape", name, "one question of ", name, " is left: the variance between questions is unknown")

end
