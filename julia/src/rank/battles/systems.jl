# Linear systems in triples; part of Likelihood.

"Compute curvature() in triples: W, and B as two vectors of L + 2, for the bias and for the tie parameter."
function curvature_exact(first, second, derivatives, L)
    W, bias, tie = fill(ZERO, L, L), fill(ZERO, L + 2), fill(ZERO, L + 2)
    for k in eachindex(first)
        i, j, h, hc = first[k], second[k], derivatives[k].h, derivatives[k].hc
        W[min(i, j), max(i, j)] += h
        bias[i] += h
        bias[j] -= h
        tie[i] += hc
        tie[j] -= hc
        bias[L+1] += h
        tie[L+1] += hc
        bias[L+2] += hc
        tie[L+2] += derivatives[k].ht
    end
    return W, (bias, tie)
end

"Compute eliminate!() in triples."
function eliminate_exact!(W)
    for k in size(W, 1):-1:2
        s = ZERO
        for i in 1:k-1
            s += W[i, k]
        end
        W[k, k] = s
        for i in 2:k-1
            f = W[i, k] / s
            if f.hi != 0.0
                for j in 1:i-1
                    W[j, i] += f * W[j, k]
                end
            end
        end
    end
    return W
end

"Compute solve!() in triples."
function solve_exact!(W, g)
    for k in size(W, 1):-1:2
        if g[k].hi != 0.0
            f = g[k] / W[k, k]
            for i in 1:k-1
                g[i] += f * W[i, k]
            end
        end
    end
    g[1] = ZERO
    for k in 2:size(W, 1)
        t = g[k]
        for i in 1:k-1
            t += W[i, k] * g[i]
        end
        g[k] = t / W[k, k]
    end
    return g
end

"Write the solution for e_i - e_1 into column i of U, for every model i in `which`."
function unit_columns!(W, which, U)
    for i in which
        x = fill(ZERO, size(U, 1))
        x[i] = ONE
        x[1] -= ONE
        U[:, i] = solve_exact!(W, x)
    end
end

"""
Add the rows and columns of position bias and tie parameter (L + 1 and L + 2) to U, and correct its columns `which`.

Y: the solutions of their columns; S: 2 × 2, the inverse of their Schur complement; U: (L + 4) × (L + 4), with the
columns `which`, of models, filled by unit_columns!().
"""
function border!(which, Y, S, U)
    L = size(U, 1) - 4
    for i in 1:L, e in 1:2
        t = ZERO
        for f in 1:2
            t += S[e, f] * Y[f][i]
        end
        U[L+e, i] = -t
        U[i, L+e] = -t
    end
    for i in which, j in 1:L
        t = U[j, i]
        for e in 1:2
            t -= Y[e][j] * U[L+e, i]
        end
        U[j, i] = t
    end
    for e in 1:2, f in 1:2
        U[L+f, L+e] = S[e, f]
    end
end

"The Schur complement entry of the parameters e and f: entry L + f of B[e], minus the product of B[e] and Y[f]."
function schur(B, Y, e, f)
    L = length(B[e]) - 2
    t = B[e][L+f]
    for i in 1:L
        t -= B[e][i] * Y[f][i]
    end
    return t
end

"Fill row and column L + 3 of U with the mean over the L models."
function average!(U)
    L = size(U, 1) - 4
    n = Triple(L)
    for j in 1:L+2
        t = ZERO
        for i in 1:L
            t += U[j, i]
        end
        U[j, L+3] = t / n
    end
    for j in 1:L+2
        U[L+3, j] = U[j, L+3]
    end
    t = ZERO
    for j in 1:L
        t += U[j, L+3]
    end
    U[L+3, L+3] = t / n
end
