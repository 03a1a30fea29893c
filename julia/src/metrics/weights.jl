# Weights w_r of "at least r of k succeed" given by the caller, and the threshold r of a share tau.

module Weights

using ..Scorio: refuse
using ..Arguments: vector
using ..DoubleDouble: Triple, value
using ..Hypergeometric: credits

@nospecialize

"Check that the k weights are not negative and sum to at most 1; returns them as triples."
function checked_weights(x, k)
    values = vector(x, "weights")
    length(values) == k || refuse("length", "weights", "weights has ", length(values), " entries for k = ", k)
    for (r, item) in enumerate(values)
        item < 0.0 && refuse("range", "weights", "weights[", r, "] = ", item, " is negative")
    end
    w = Triple.(values)
    total = value(last(credits(w)))
    total > 1.0 + 1e-12 &&  # weights such as 1/3 are rounded
        refuse("sum", "weights", "weights sum to ", total, ", above 1")
    return w
end

"The smallest r >= 1 with double(r / k) >= tau: ceil(tau k) without rounding errors."
function threshold(k, tau)
    r = clamp(trunc(Int, tau * k), 1, k)
    while r > 1 && (r - 1) / k >= tau
        r -= 1
    end
    while r / k < tau
        r += 1
    end
    return r
end

end
