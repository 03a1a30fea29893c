# The exact probability that the answer chosen from k trials, by a vote or by a score, is right.
#
# Polynomials in x count samples: the coefficient of x^j is the number of samples of j trials without replacement, or
# the weight of j new trials under a Dirichlet model. Each polynomial is packed into one integer, with a fixed number of
# bits for a coefficient, so that a product of integers is a product of polynomials.

module Choices

using ..Scorio: Levels, Votes, trials_of

const Exact = Rational{BigInt}

"The coefficients C(o, j), j = 0..k: ways to sample j of the o trials that gave the answer."
sample_coefficients(o, k) = BigInt[binomial(big(o), j) for j in 0:k]

"The integers 4^j a (a+1) ... (a+j-1) / j!, j = 0..k: coefficients of an answer with Dirichlet parameter a = twice / 2."
function new_trial_coefficients(twice, k)
    row = BigInt[1]
    for j in 0:k-1
        push!(row, row[end] * 2 * (twice + 2j) ÷ (j + 1))
    end
    return row
end

"""
The probability that the most frequent answer among k sampled trials is right.

If `split_ties`, a tie for first place counts as the share of right answers among the tied ones; if not, as wrong.
"""
plurality(x::Votes, k, split_ties)::Exact = plurality_by(sample_coefficients, x.right, x.other, x.blank, k, split_ties)

"""
The probability that the most frequent answer among k new trials is right, under a Dirichlet model.

The parameters are the counts, with 1/2 added for the most frequent right and the most frequent other answer, so that
neither has probability 0.
"""
function expected_plurality(x::Votes, k, split_ties)::Exact
    right, other = (isempty(row) ? [0] : 2 .* row for row in (x.right, x.other))
    right[1] += 1
    other[1] += 1
    return plurality_by(new_trial_coefficients, right, other, 2 * x.blank, k, split_ties)
end

"""
The probability that a right answer wins, as a sum over the right answers and the number m of their votes.

The rivals of an answer, right or wrong, get at most m votes each. coefficients: sample_coefficients or
new_trial_coefficients; right, other, blank: the votes of each right answer, those of each other one, and the trials
without an answer; for new trials twice the Dirichlet parameters of these.
"""
function plurality_by(coefficients, right, other, blank, k, split_ties)
    n, n_answers = sum(right) + sum(other) + blank, tallied([right; other])
    all_ways, ways = coefficients(n, k), Dict{Int,Vector{BigInt}}(o => coefficients(o, k) for o in keys(n_answers))
    unit = split_ties ? lcm(BigInt.(1:k)) : big(1)  # makes the shares 1 / (1 + T) integers
    bits, winning_ways = maximum(ndigits.(all_ways, base = 2)), big(0)  # bits: enough for any coefficient
    for (o, n_alike) in tallied(right)
        rivals = Tuple{Int,Vector{BigInt},Int}[
            (x, ways[x], number - (x == o)) for (x, number) in n_answers if number > (x == o)
        ]
        for m in 1:k
            ways[o][m+1] == 0 && break
            if 2m > k  # no rival can have as many votes
                winning_ways += n_alike * ways[o][m+1] * unit * coefficients(n - o, k - m)[end]
            else
                ties = ways_by_ties(coefficients, rivals, blank, m, k - m, bits)
                ties = split_ties ? ties : ties[1:1]
                winning_ways += n_alike * ways[o][m+1] * sum(x * (unit ÷ T) for (T, x) in enumerate(ties))
            end
        end
    end
    return winning_ways // (unit * all_ways[end])
end

"""
For T = 0, 1, ...: the number of samples of j trials of rivals in which T rivals get m votes and none gets more.

rivals: (votes, coefficients, number of rivals) for each number of votes that a rival has. Blank trials are among the j,
and are votes for no answer.
"""
function ways_by_ties(coefficients, rivals, blank, m, j, bits)
    mask = (big(1) << (bits * (j + 1))) - 1
    # the trials that are blank, or of rivals that cannot get m votes
    free = blank + sum(Int[o * number for (o, w, number) in rivals if w[m+1] == 0])
    by_ties = BigInt[packed(coefficients(free, j), bits)]
    for (_, w, number) in rivals
        w[m+1] == 0 && continue
        low, powers = packed(w[1:min(m, j + 1)], bits), BigInt[1]
        for _ in 1:number
            push!(powers, (powers[end] * low) & mask)
        end
        new = zeros(BigInt, min(length(by_ties) + number, j ÷ m + 1))
        for (T, p) in enumerate(by_ties), t in 0:min(number, length(new) - T)
            with_m = ((p * (binomial(big(number), t) * w[m+1]^t)) << (bits * m * t)) & mask
            new[T+t] += (with_m * powers[number-t+1]) & mask
        end
        by_ties = new
    end
    return BigInt[(p >> (bits * j)) & ((big(1) << bits) - 1) for p in by_ties]
end

"Count how often each value occurs."
function tallied(values)
    counts = Dict{Int,Int}()
    for x in values
        counts[x] = get(counts, x, 0) + 1
    end
    return counts
end

"Pack the coefficients of a polynomial into one integer."
packed(row, bits) = foldr((c, x) -> (x << bits) | c, row, init = big(0))

"The probability that the best-scored of k sampled trials is right; ties are broken at random."
function best_of_k(x::Levels, k)::Exact
    below, total = 0, Exact(0)
    for (m, c) in zip(x.trials, x.right)
        total += (binomial(big(below + m), k) - binomial(big(below), k)) * c // m
        below += m
    end
    return total / binomial(big(below), k)
end

# --- leaving one trial out --------------------------------------------------------------------------

"Jackknife variance of a value over its trials: (n-1)/n times the sum of (value without a trial - mean)^2."
function jackknife(value, x)::Exact
    n = trials_of(x)
    values = [(number, value(y)::Exact) for (number, y) in leave_one_out(x)]
    mean = sum(number * u for (number, u) in values) / n
    return sum(number * (u - mean)^2 for (number, u) in values) * (n - 1) / n
end

"Pairs, for each kind of trial: the number of such trials, and the question without one of them."
function leave_one_out(x::Votes)
    out = Tuple{Int,Votes}[]
    for o in unique(x.right)
        push!(out, (o * count(==(o), x.right), merge(x, (right = without_vote(x.right, o),))))
    end
    for o in unique(x.other)
        push!(out, (o * count(==(o), x.other), merge(x, (other = without_vote(x.other, o),))))
    end
    x.blank > 0 && push!(out, (x.blank, merge(x, (blank = x.blank - 1,))))
    return out
end

function leave_one_out(x::Levels)
    out = Tuple{Int,Levels}[]
    for (i, (m, c)) in enumerate(zip(x.trials, x.right)), (number, success) in ((c, 1), (m - c, 0))
        number == 0 && continue
        trials, right = copy(x.trials), copy(x.right)
        trials[i] -= 1
        right[i] -= success
        positive = trials .> 0
        push!(out, (number, (trials = trials[positive], right = right[positive])))
    end
    return out
end

"Remove one vote from an answer with o votes."
function without_vote(row, o)
    row = copy(row)
    last = findlast(==(o), row)  # the last such answer, so that the row stays decreasing
    row[last] -= 1
    return filter!(>(0), row)
end

end
