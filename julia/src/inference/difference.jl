# The difference of two models and how far it can be off.
# The formulas: spec/README.md, "two models".

module Differences

using ..Scorio: questions, refuse, select
using ..Variance: drawn, drawn_pair, fixed_pair, known, larger, welch
using ..DoubleDouble: Triple, ZERO, add, div, ext, root
using ..Distributions: kept, normal_cdf, one_sided_z, share, t_cdf, t_quantile
using ..Estimators: Side, above, spread

"D = theta_A - theta_B, its deviation, the degrees of freedom of its t law (ZERO: normal), what is known of it."
struct Difference
    D::Triple
    deviation::Triple
    freedom::Triple
    variance_source::String
end

"The law's cdf of D over its deviation; 1/2 where neither can be anything but 0."
function p_above(d)
    t = d.deviation[1] == 0.0 ? ZERO : div(d.D, d.deviation)
    return d.freedom == ZERO ? normal_cdf(t) : t_cdf(t, d.freedom)
end

"The quantile with upper tail (1 - confidence) / ways, of the t law or the normal one."
function quantile(freedom, confidence, ways)
    freedom == ZERO && return one_sided_z(confidence, ways)
    return kept(() -> t_quantile(share(confidence, ways), freedom), (confidence, ways, freedom))
end

"Both without the questions that either lacks; and those."
function common(A, B, name)
    A.fewest > 0 && B.fewest > 0 && return A, B, Int[]
    keep = [n > 0 && m > 0 for (n, m) in zip(A.trials, B.trials)]
    any(keep) || refuse("no_trials", name, "no question has a trial of both models in ", name)
    return select(A, keep), select(B, keep), findall(!, keep)
end

"Both without the questions that either lacks, which are one by one the same; and those."
function same_kept(a, b, name, name_b)
    questions(a) == questions(b) || refuse(
        "shape", name_b, name_b, " has ", questions(b), " questions, ", name, " has ", questions(a),
        ": they must be the same ones",
    )
    return common(a, b, name)
end

"On the same questions, each with k trials on both sides."
function on_same(A::Side, B::Side, sampled, name)
    p, q, D = A.parts, B.parts, above(A, B)
    single, V = p.single || q.single, fixed_pair(p, q)
    found = sampled ? "measured" : worse(known(p), known(q))
    sampled || single || return Difference(D, root(V), ZERO, found)
    spread_known(p.M, name)
    both = drawn_pair(spread(A, B, D), p.M)
    return Difference(D, root(single ? both : larger(both, V)), ext(p.M - 1), found)
end

"On different questions, drawn from the same kind; Welch's degrees of freedom."
function on_different(A::Side, B::Side)
    p, q = A.parts, B.parts
    spread_known(p.M, "A")
    spread_known(q.M, "B")
    v, w = drawn(p, p.M), drawn(q, q.M)
    return Difference(above(A, B), root(add(v, w)), welch(v, w, p.M, q.M), "measured")
end

worse(x, y) = "upper bound" in (x, y) ? "upper bound" : "beta-binomial" in (x, y) ? "beta-binomial" : "measured"

"One question tells nothing of how questions differ."
spread_known(M, name) =
    M > 1 || refuse("shape", name, "one question of ", name, " is left: the spread of questions is unknown")

end
