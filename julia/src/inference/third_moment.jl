# The third central moment of a difference, which tells how its variance changes with the true difference.
# Over sampled questions it comes from their differences, over the trials of fixed questions from the scores or from the
# variances of neighbouring states (a success fewer or more); where few trials do not tell its sign, only a bound is
# known. The formulas: spec/families/looks.md, kappa and beta.

module ThirdMoments

using ..DoubleDouble: ONE, Triple, ZERO, product, times_2_to
using ..Scorio: of_question
using ..DegreesOfFreedom: mean_of_scores
using ..Variance: larger

"""
An estimated third central moment, the sum of its squared terms, and a bound on the part of unknown sign.

range is the largest difference of a sampled unit less the smallest, at least 1: what one more failure may change.
"""
struct ThirdMoment
    moment::Triple
    squares::Triple
    bound::Triple
    range::Triple
end

ThirdMoment(moment = ZERO, squares = ZERO, bound = ZERO) = ThirdMoment(moment, squares, bound, ONE)

"The third moment of the negative of the difference."
negated(x::ThirdMoment) = ThirdMoment(-x.moment, x.squares, x.bound, x.range)

"How far the third moment may be from its estimate: a standard error, and the bound."
uncertainty(x) = sqrt(x.squares) + x.bound

"The third moment of a mean, from that of the sum over M questions."
function over(x, M)
    n = Triple(M)
    cube = n * n * n
    return ThirdMoment(x.moment / cube, x.squares / (cube * cube), x.bound / cube, x.range)
end

"The third moment f(arguments...), computed, and its functions compiled, when it is first needed: x() returns it."
mutable struct Lazy
    f::Any
    arguments::Tuple
    moment::Union{Nothing,ThirdMoment}
    Lazy(@nospecialize(f), @nospecialize(arguments...)) = new(f, arguments, nothing)
end

function (x::Lazy)()
    if x.moment === nothing
        x.moment = x.f(x.arguments...)::ThirdMoment
    end
    return x.moment::ThirdMoment
end

negated(x::Lazy) = Lazy(y -> negated(y()), x)

"The third moment of a sum of independent terms that have these weights; a negative weight subtracts."
function combined(parts::Vector{Tuple{Triple,ThirdMoment}})
    moment, squares, bound, largest_range = ZERO, ZERO, ZERO, ONE
    for (w, x) in parts
        cube = w * w * w
        moment, squares = moment + cube * x.moment, squares + cube * cube * x.squares
        bound += (cube.hi >= 0.0 ? cube : -cube) * x.bound
        largest_range = larger(largest_range, x.range)
    end
    return ThirdMoment(moment, squares, bound, largest_range)
end

# --- over sampled units -------------------------------------------------------------------------------

"Sums of d^3 and of its square over joint states (a, b), d = u_a - v_b - D; the range of d, at least 1."
function joint_odd_power_sums(a, b, mult, u, v, D)
    third, sixth, low, high = ZERO, ZERO, ZERO, ZERO
    for i in eachindex(mult)
        d, number = u[a[i]] - v[b[i]] - D, Triple(mult[i])
        cube = d * d * d
        third, sixth = third + cube * number, sixth + cube * cube * number
        low, high = widened(low, high, d)
    end
    return third, sixth, larger(high - low, ONE)
end

"The largest less the smallest of x, at least 1."
function range_of(x)
    low, high = first(x), first(x)
    for y in x
        low, high = widened(low, high, y)
    end
    return larger(high - low, ONE)
end

"The ends low and high; d replaces an end beyond which it lies."
widened(low, high, d) = d > high ? (low, d) : low > d ? (d, high) : (low, high)

# --- over the trials of a question -------------------------------------------------------------------

"Bound on the size of the third moment of n trials: sqrt(v e), e the variance of v, or v k / n for n < 2k."
function bound_of_moment(v, e, n, k)
    v.hi <= 0.0 && return ZERO
    return n >= 2k ? sqrt(v * e) : v * k / n
end

"The third central moment of the mean of the n >= 3 scores of question i, without bias; as in mean_of_scores()."
function moment_of_scores(n, cells, i, u)
    x, total = mean_of_scores(n, cells, i, u), ZERO
    for t in of_question(cells, i)
        d = u[cells.category[t]+1] - x
        total += d * d * d * cells.times[t]
    end
    return total / product(n, n - 1) / (n - 2)
end

"The third moment of the share of successes, from its estimated variance v; n >= 3 trials."
moment_of_outcomes(v, n, c) = v * (n - 2c) / product(n, n - 2)

"""
The third moment of a credit that rises with c, from the linear part of v in c; below, above: v at c - 1, c + 1.

It is the covariance of the credit and v, at most the root of v e, with the sign of the slope of v; that root is the
second result. Tried and dropped: the third moment at the rate c / n, and the covariance by the slopes of both, which
for many successes and few failures are a third of it, or 0.
"""
function moment_of_state(v, e, below, above, n, c)
    v.hi <= 0.0 && return ZERO, ZERO
    # g: the estimated variance of c; linear, quadratic: the variances of these parts of v as a function of c
    g, slope = product(c, n - c) / (n - 1), above - below
    bend = g * (above + below - times_2_to(v, 1.0))
    linear, quadratic = times_2_to(g * (slope * slope), -2.0), times_2_to(bend * bend, -1.0)
    square = v * e
    largest = sqrt(square)
    x = linear < quadratic ? sqrt(square * (linear / quadratic)) : largest
    return (slope.hi >= 0.0 ? x : -x), largest
end

"Fill known with the third moment of each question of the cells; with fewer than three trials bound instead."
function fill_moments_of_scores!(known, bound, n, cells, u, v, e)
    for i in eachindex(n)
        if n[i] >= 3
            known[i] = moment_of_scores(n[i], cells, i, u)
        else
            bound[i] = bound_of_moment(v[i], e[i], n[i], 1)
        end
    end
end

"Fill the third moment of each state, if its sign is known (signed), and its bound; below, above: v at c -+ 1."
function fill_moments_of_states!(known, bound, n, c, k, v, e, below, above, signed)
    for i in eachindex(n)
        if !signed[i]
            bound[i] = bound_of_moment(v[i], e[i], n[i], k)
        elseif k == 1
            known[i] = moment_of_outcomes(v[i], n[i], c[i])
        elseif 0 < c[i] < n[i]
            x, largest = moment_of_state(v[i], e[i], below[i], above[i], n[i], c[i])
            known[i] = x
            n[i] < 3k && (bound[i] = largest - (x.hi >= 0.0 ? x : -x))
        end
    end
end

"The sums over questions of known, of its squares and of bound; mult questions have each state."
function sums_over_questions(known, bound, mult)
    moment, squares, total_bound = ZERO, ZERO, ZERO
    for i in eachindex(mult)
        number, x = Triple(mult[i]), known[i]
        moment, squares = moment + x * number, squares + x * x * number
        total_bound += bound[i] * number
    end
    return moment, squares, total_bound
end

end
