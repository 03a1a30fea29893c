# Checks of arguments other than outcomes, and conversions to the types that the kernels take.

module Arguments

using ..Scorio: among, deferred, nearest, refuse, shown
using ..DoubleDouble: Triple

@nospecialize  # arguments of any type are checked by one and the same code

const LONG_LIST = 12  # a longer list of allowed words is shown only if none is similar to the given one
const LARGEST_SCORE = 1e300  # of a category, in absolute value
const LARGEST_K = 10^7  # memory O(k) per distinct count of successes; time O(k), O(k^2) for AUC@k and general spectra
const PRIOR_RANGE = (1e-100, 1e100)  # of the parameters of a beta prior

"Whether x is a real number; Booleans are not."
isnumber(x) = x isa Real && !(x isa Bool)

"Check an integer in low..high (high = nothing: no upper limit); Booleans and 2.0 are refused."
function integer(x, name, low, high = nothing)
    x isa Integer && !(x isa Bool) || refuse("type", name, name, " must be an integer, not ", shown(x))
    x < low && refuse("range", name, name, " = ", shown(x), " is below ", low)
    high !== nothing && x > high && refuse("range", name, name, " = ", shown(x), " is above ", high)
    return x <= typemax(Int) ? Int(x) : big(x)
end

"Check k, the number of trials of a metric, in 1..LARGEST_K."
number_of_trials(k) = integer(k, "k", 1, LARGEST_K)::Int

"Check a real number; returns it as a double, infinite if it is too large. location: its name in messages."
function double(x, name, location = name)
    isnumber(x) || refuse("type", name, location, " must be a real number, not ", shown(x))
    return Float64(x)::Float64
end

"Check a finite real number; returns it as a double."
function finite(x, name, location = name)
    value = double(x, name, location)
    isfinite(value) || refuse("not_finite", name, location, " = ", shown(x), " is not finite")
    return value
end

"Check a real number in [low, high]."
function in_range(x, name, low, high)
    value = finite(x, name)
    low <= value <= high || refuse("range", name, name, " = ", value, " is outside [", low, ", ", high, "]")
    return value
end

"Check a confidence level, or another share, strictly between low and 1."
function confidence(x, low = 0.0, name = "confidence")
    value = finite(x, name)
    low < value < 1.0 || refuse("range", name, name, " = ", value, " is not strictly between ", low, " and 1")
    return value
end

"Check the power of a test, a probability in [0.5, 1)."
function power(x)
    value = finite(x, "power")
    0.5 <= value < 1.0 || refuse("range", "power", "power = ", value, " is outside [0.5, 1)")
    return value
end

"Check a Boolean flag."
function flag(x, name)
    x isa Bool || refuse("type", name, name, " must be true or false, not ", shown(x))
    return x
end

"Check the seed of random numbers, an integer in 0..2^64-1."
seed(x) = UInt64(integer(x, "seed", 0, typemax(UInt64)))

"Check the parameters alpha and beta of a beta prior."
priors(alpha0, beta0) = (in_range(alpha0, "alpha0", PRIOR_RANGE...), in_range(beta0, "beta0", PRIOR_RANGE...))

"Check both exponents of a geometric blend; returns them as triples."
function powers(pass_power, unanimous_power)
    a, b = finite(pass_power, "pass_power"), finite(unanimous_power, "unanimous_power")
    a == 0.0 && b == 0.0 &&
        refuse("undefined", "pass_power", "pass_power and unanimous_power are both 0: one of them must not be 0")
    return Triple(a), Triple(b)
end

"Whether the policy is :bounds: bounds over all values that missing outcomes may have."
isbounds(missing) = missing isa Union{Symbol,AbstractString} && Symbol(missing) == :bounds

"Check the policy for missing outcomes; returns :raise, :drop or a category."
function policy(missing, C)
    if missing isa Union{Symbol,AbstractString}
        isbounds(missing) && refuse(
            "choice", "missing", "missing=:bounds is for interval (whose .bounds are the lowest and the highest value)",
            ", mean_ci and compare",
        )
        Symbol(missing) in (:raise, :drop) ||
            refuse("choice", "missing", "missing = ", shown(missing), " is none of :raise, :drop, a category")
        return Symbol(missing)
    end
    missing isa Integer && !(missing isa Bool) ||
        refuse("type", "missing", "missing must be :raise, :drop or a category, not ", shown(missing))
    (missing < 0 || (C !== nothing && missing > C)) &&
        refuse("category", "missing", "missing = ", shown(missing), " is not a category 0..", something(C, "C"))
    return missing
end

"Check that x is one of the allowed texts; returns it as a string."
function choice(x, name, allowed)
    x isa Union{Symbol,AbstractString} ||
        refuse("type", name, name, " must be one of ", join(allowed, ", "), ", not ", shown(x))
    String(x) in allowed || refuse_choice(x, name, allowed)
    return String(x)
end

@noinline function refuse_choice(x, name, allowed)
    meant = nearest(x, allowed)
    list = isempty(meant) || length(allowed) <= LONG_LIST ? "none of " * among(x, allowed) : "unknown" * meant
    refuse("choice", name, name, " = ", shown(x), " is ", list)
end

"Check the code of a missing outcome, an integer, or nothing where there is none."
code(missing_code) = missing_code === nothing ? nothing : integer(missing_code, "missing_code", -(2^62), 2^62)::Int

"Check bounds (lo, hi) with lo <= hi; -Inf and Inf mean no limit, nothing gives the default."
function bounds(x, default = (-Inf, Inf))::NTuple{2,Float64}
    x === nothing && return default
    x isa Union{Tuple,AbstractArray} ||
        refuse("type", "bounds", "bounds must be a pair (lo, hi) or nothing, not ", shown(x))
    (x isa Tuple || ndims(x) == 1) && length(x) == 2 ||
        refuse("shape", "bounds", "bounds must be a pair (lo, hi), not ", shown(x))
    lo, hi = double(first(x), "bounds"), double(last(x), "bounds")
    (isnan(lo) || isnan(hi) || lo == Inf || hi == -Inf) &&
        refuse("not_finite", "bounds", "bounds = (", lo, ", ", hi, ") bound nothing")
    lo > hi && refuse("order", "bounds", "bounds = (", lo, ", ", hi, ") are reversed")
    return lo, hi
end

"Check a non-empty vector of finite real numbers."
function vector(x, name)
    iscollection(x) ||
        refuse(isnumber(x) ? "shape" : "type", name, name, " must be a vector of real numbers, not ", shown(x))
    is_vector, values = x isa Union{Tuple,AbstractVector}, Float64[]
    is_vector && length(x) == 0 && refuse("empty", name, name, " is empty")
    for item in x
        is_vector = is_vector && !iscollection(item)
    end
    is_vector ||
        refuse(has_reals(x) ? "shape" : "type", name, name, " must be a vector of real numbers, not ", shown(x))
    for item in x
        isnumber(item) || refuse("type", name, name, " must consist of real numbers, not ", shown(item))
    end
    for item in x
        push!(values, finite(item, name, "$name[$(length(values) + 1)]"))
    end
    return values
end

"Whether x is a tuple or an array."
iscollection(x) = x isa Union{Tuple,AbstractArray}

"Whether nested vectors hold numbers, so that only their shape is wrong; also true for any rows of unequal length."
function has_reals(x)
    leaves = []
    lengths(x) === nothing || rowwise!(leaves, x)
    return all(y -> y isa Real, leaves) && !any(y -> y isa Bool, x) && (isempty(leaves) || any(isnumber, leaves))
end

"Check an array of real numbers in [low, high], 1-D to 3-D; returns a new array."
function grid(x, name, low, high)
    iscollection(x) ||
        refuse(isnumber(x) ? "shape" : "type", name, name, " must be an array of real numbers, not ", shown(x))
    dims, leaves = lengths(x), []
    dims === nothing && refuse("ragged", name, name, " has rows of unequal length")
    0 in dims && refuse("empty", name, name, " of size ", dims, " is empty")
    rowwise!(leaves, x)
    for y in leaves
        isnumber(y) || refuse("type", name, name, " must consist of real numbers, not ", shown(y))
    end
    1 <= length(dims) <= 3 || refuse("shape", name, name, " must be 1-D to 3-D, not ", length(dims), "-D")
    out = permutedims(reshape(Float64[y for y in leaves], reverse(dims)), length(dims):-1:1)
    for (rule, code, why) in ((isfinite, "not_finite", "finite"), (y -> low <= y <= high, "range", "in [$low, $high]"))
        at = findfirst(!rule, out)
        at === nothing || refuse(code, name, name, "[", join(Tuple(at), ", "), "] = ", out[at], " is not ", why)
    end
    return out
end

"The size of nested vectors or arrays; nothing where rows differ in length."
function lengths(x)
    iscollection(x) || return ()
    x isa AbstractArray{<:Number} && return size(x)
    outer, inner = x isa Tuple ? (length(x),) : size(x), nothing
    for y in x
        dims = lengths(y)
        (dims === nothing || (inner !== nothing && inner != dims)) && return nothing
        inner = dims
    end
    return (outer..., something(inner, ())...)
end

"Append all entries of nested vectors or arrays to out, the last index fastest."
function rowwise!(out, x)
    iscollection(x) || return push!(out, x)
    for y in (x isa AbstractArray && ndims(x) > 1 ? permutedims(x, ndims(x):-1:1) : x)
        rowwise!(out, y)
    end
end

"Check a non-empty vector of integers of any size."
function integers(x, name)
    valid = x isa Union{Tuple,AbstractVector} && !isempty(x) && all(y -> y isa Integer && !(y isa Bool), x)
    valid && return BigInt[y for y in x]
    vector(x, name)  # throws the specific error, unless x is a vector of other numbers
    refuse("type", name, name, " must consist of integers, not ", shown(x))
end

"Check standard deviations, one for each score and none negative."
function standard_deviations(x, name, size)
    values = vector(x, name)
    length(values) == size || refuse("length", name, name, " has ", length(values), " entries for ", size, " scores")
    for (j, item) in enumerate(values)
        item < 0.0 && refuse("range", name, name, "[", j, "] = ", item, " is negative")
    end
    return values
end

"Check a vector of at least two finite real numbers."
function at_least_two(x, name)
    values = vector(x, name)
    length(values) > 1 || refuse("length", name, name, " has one entry: at least two are needed")
    return values
end

"Check the scores w_0..w_C of the categories; nothing gives (0, 1)."
function category_scores(w)
    w === nothing && return [0.0, 1.0]
    values = deferred(vector)(w, "w")::Vector{Float64}
    for (j, item) in enumerate(values)
        abs(item) > LARGEST_SCORE && refuse("range", "w", "w[", j, "] = ", item, " is beyond ", LARGEST_SCORE)
    end
    return values
end

end
