# The success rate of every model on every question, as exact integers over a common denominator.

"""
Tables of models by questions: trials n, successes c, and X = c Q / n, so that the success rate is X / Q.

X is 0 where n is 0; Q is the least common multiple of all n above 0. A cell is a model on a question. X holds Int, or
BigInt where sums of squares could exceed 64 bits.
"""
struct Cells
    n::Matrix{Int}
    c::Matrix{Int}
    X::Matrix
    Q::BigInt
end

"The distinct numbers of trials of the cells, above 0."
sizes(x::Cells) = sort!(unique(filter(>(0), vec(x.n))))

"The variance of a single trial: the mean of c (n - c) / (n (n - 1)) over cells of n > 1; nothing if there are none."
function single_trial_variance(x::Cells)
    repeated = [(sum(sums), big(n) * (n - 1)) for (n, _, sums) in products(x) if n > 1]
    return isempty(repeated) ? nothing : Fraction(Rationals.total(repeated)...) / count(>(1), x.n)
end

"""
The trial-to-trial variances of the success rates, summed over the models of each question.

A cell of one trial has the variance single_trial, or 0 if that is nothing.
"""
function variances(x::Cells, single_trial)
    out = fill(Fraction(0), size(x.n, 2))
    for (n, questions, sums) in products(x)
        factor = n > 1 ? Fraction(1, big(n)^2 * (n - 1)) : something(single_trial, Fraction(0))
        for (j, sum) in zip(questions, sums)
            out[j] += factor * (n > 1 ? sum : count(==(1), view(x.n, :, j)))
        end
    end
    return out
end

"For each number n of trials: the questions with cells of n trials, and the sum over these of c (n - c)."
function products(x::Cells)
    sums = Dict(n => Dict{Int,BigInt}() for n in sizes(x))
    for j in axes(x.n, 2), i in axes(x.n, 1)
        n, c = x.n[i, j], x.c[i, j]
        n > 0 && (sums[n][j] = get(sums[n], j, big(0)) + widemul(c, n - c))
    end
    return [(n, keys(y), values(y)) for (n, y) in sums]
end

"The cells of all models, from their outcomes."
function cells(models, missing)
    counts = count_models(models, nothing, missing, "models").items
    n, c = (zeros(Int, length(counts), questions(counts[1])) for _ in 1:2)
    for i in axes(n, 1)
        m = counts[i]::Counts
        n[i, :], c[i, :] = m.trials, m.category_counts[:, 1]
    end
    any(>(0), n) || refuse("no_trials", "models", "no question of models has a trial")
    return build_cells(n, c)
end

"The cells with these numbers of trials and successes."
function build_cells(n::Matrix{Int}, c::Matrix{Int})
    Q = big(1)
    for k in unique(n)
        k > 0 && (Q = lcm(Q, k))
    end
    T = (length(n) * Q)^2 < big(2)^62 ? Int : BigInt
    X = Matrix{T}(undef, size(n))
    for i in eachindex(n)
        X[i] = c[i] * (Q ÷ max(n[i], 1))
    end
    return Cells(n, c, X, Q)
end

"The cells of the questions on which every model has a trial, and the indices of these questions."
function answered_by_all(x::Cells)
    keep = Int[]
    for j in axes(x.n, 2)
        all(i -> x.n[i, j] > 0, axes(x.n, 1)) && push!(keep, j)
    end
    isempty(keep) && refuse("no_trials", "models", "models has no question with a trial of every model")
    return build_cells(x.n[:, keep], x.c[:, keep]), keep
end

"Exact sum of fractions."
function total(fractions)
    out = Fraction(0)
    for x in fractions
        out += x
    end
    return out
end

@specialize

"Sum of squares of all entries, and the sums by model and by question."
function sums(X::Matrix{T}) where {T}
    squares, models, questions = zero(T), zeros(T, size(X, 1)), zeros(T, size(X, 2))
    for j in axes(X, 2), i in axes(X, 1)
        x = X[i, j]
        squares += x * x
        models[i] += x
        questions[j] += x
    end
    return squares, models, questions
end

@nospecialize

"Round a fraction to the nearest double."
rounded(x) = value(from_ratio(x)) + 0.0  # -0.0 becomes 0.0
