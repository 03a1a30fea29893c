# What a fitted law says of k trials, and whether it fits; part of ZeroInflated.

# --- what a law says of k trials ---------------------------------------------------------------------

"(1 - Q, Q, sum of 1/(b + i), sum of 1/(s + i)), i < k, Q = E[q^k] of Beta(a, b)."
function powers(a, b, s, k)
    P, Q, B1, S1 = ZERO, ONE, ZERO, ZERO
    for i in 0:k-1
        below = div(ONE, add(s, ext(i)))
        up = add(b, ext(i))
        P = add(P, mul(mul(sub(ONE, P), a), below))
        Q = mul(Q, mul(up, below))
        B1, S1 = add(B1, div(ONE, up)), add(S1, below)
    end
    return P, Q, B1, S1
end

"""
The share with a success in k trials, 1 less it, then its low and high limit, and 1 less each.

The limits are those of the logit, by the delta method; 0 and 1 where the information is not positive.
"""
function limits(law, k, z)
    a, b, t = shapes(law.v, law.s)
    P, Q, B1, S1 = powers(a, b, law.s, k)
    over = add(ONE, law.o)
    theta, rest = div(P, over), div(add(Q, law.o), over)
    g, y, d, L = fill(ZERO, 3), fill(ZERO, 3), fill(ZERO, 3), fill(ZERO, 9)
    slope = div(Q, over)
    law.free[1] && (g[1] = mul(slope, mul(t, B1)))
    law.free[2] && (g[2] = mul(slope, sub(mul(law.s, S1), mul(b, B1))))
    law.free[3] && (g[3] = neg(mul(div(law.o, over), theta)))
    known = factor!(L, d, law.information)
    (!known || theta[1] == 0.0 || rest[1] == 0.0) && return theta, rest, ZERO, ONE, ONE, ZERO
    solve!(y, L, d, g)
    V = ZERO
    for i in 1:3
        V = add(V, mul(g[i], y[i]))
    end
    odds = exp(div(mul(z, root(V)), mul(theta, rest)))
    up, down = mul(theta, odds), mul(rest, odds)
    low, high = div(theta, add(theta, down)), div(up, add(up, rest))
    return theta, rest, low, high, div(down, add(theta, down)), div(rest, add(up, rest))
end

# --- whether it fits ---------------------------------------------------------------------------------

"The expected number of questions with c successes; mult of them have n trials, n distinct and increasing."
function expected(n, mult, law)
    a, b, _ = shapes(law.v, law.s)
    over, out = add(ONE, law.o), fill(ZERO, last(n) + 1)
    for r in eachindex(n)
        N, many = n[r], div(ext(mult[r]), over)
        w = no_success(a, law.s, N, b)
        out[1] = add(out[1], mul(many, add(law.o, w)))
        for c in 0:N-1
            up = mul(ext(N - c), add(a, ext(c)))
            w = mul(w, div(up, mul(ext(c + 1), add(b, ext(N - c - 1)))))
            out[c+2] = add(out[c+2], mul(many, w))
        end
    end
    return out
end

"(X^2, cells): neighbouring counts are joined until CELL questions are expected; what is left joins the last cell."
function misfit(expected, seen)
    total, cells, E, O, last, had = ZERO, 0, ZERO, 0, ZERO, 0
    for c in eachindex(seen)
        E, O = add(E, expected[c]), O + seen[c]
        if value(E) >= CELL
            if cells > 0
                total = add(total, square(last, had))
            end
            last, had, cells = E, O, cells + 1
            E, O = ZERO, 0
        end
    end
    if cells > 0
        total = add(total, square(add(last, E), had + O))
    end
    return total, cells
end

function square(E, O)
    d = sub(ext(O), E)
    return div(mul(d, d), E)
end

"P(X >= x) of a chi-square with df = 1, 2, ... degrees of freedom: finite sums."
function chi_square_tail(x, df)
    x[1] <= 0.0 && return ONE
    r = root(x)
    bell, total = exp(neg(scaled(x, -1.0))), ZERO
    if iseven(df)
        term = ONE
        for i in 0:df÷2-1
            total, term = add(total, term), div(mul(term, x), ext(2 * (i + 1)))
        end
        return mul(bell, total)
    end
    term = r
    for i in 0:(df-1)÷2-1
        total, term = add(total, term), div(mul(term, x), ext(2 * i + 3))
    end
    return scaled(add(normal_cdf(neg(r)), mul(mul(INV_SQRT_2PI, bell), total)), 1.0)
end

"The p-value of Pearson's test on the counts of successes; nothing where too few cells are left."
function goodness(s, law, parameters)
    n = sort(unique(s.n))
    mult, seen = zeros(Int, length(n)), zeros(Int, last(n) + 1)
    for i in eachindex(s.n)
        mult[findfirst(==(s.n[i]), n)] += s.mult[i]
        seen[s.c[i]+1] += s.mult[i]
    end
    x, cells = misfit(expected(n, mult, law), seen)
    df = cells - 1 - parameters
    return df > 0 ? value(chi_square_tail(x, df)) : nothing
end

# --- how many more trials ------------------------------------------------------------------------------

"The width of the limits of the band that the law expects of n >= 2 trials per question."
function expected_width(M, n, k, law, z)
    a, b, _ = shapes(law.v, law.s)
    P, Q, _, _ = powers(a, b, law.s, n)
    over = add(ONE, law.o)
    many = div(ext(M), over)
    f1 = mul(mul(many, Q), div(mul(ext(n), a), add(b, ext(n - 1))))
    f2 = mul(f1, div(mul(ext(0.5 * (n - 1)), add(a, ONE)), add(b, ext(n - 2))))
    x = band(M, n, k - n, div(P, over), mul(many, add(Q, law.o)), f1, f2, z)
    return value(sub(x[4], x[1]))
end

"""
The fewest further trials, by bisection, after which the law expects limits no wider; nothing: even k are not enough.
"""
function more_trials(f, k, law, width, z)
    narrow(n) = expected_width(f.M, n, k, law, z) <= width
    low, high = max(f.n, 1), k  # the first is too few, the second enough
    (k < 2 || !narrow(k)) && return nothing
    while high - low > 1
        middle = (low + high) ÷ 2
        if narrow(middle)
            high = middle
        else
            low = middle
        end
    end
    return high - f.n
end
