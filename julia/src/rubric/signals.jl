# Checks of signals from the caller: doubles for all attempts, NaN where a signal is missing.

"Signals of a model: the size (questions, trials), and a vector for each signal: its matrix by columns, or one entry."
struct Signals
    size::Tuple{Int,Int}
    values::Named  # vectors of doubles
end

"A signal at every attempt, also if one number was given for all."
function broadcast_signal(s, name)
    x = s.values[name]::Vector{Float64}
    return length(x) == 1 ? fill(x[1], s.size[1] * s.size[2]) : x
end

"Check the signals of one model; label: the name of the mapping in messages."
function read_signals(signals, argument = "signals", label = argument)
    items = entries(signals, argument, label)
    isempty(items) && refuse("empty", argument, label, " is empty: at least one signal is needed")
    values, size, first_name = Named(), nothing, ""
    for (name, x) in items
        check_name(name, argument, label)
        location = "$label[\"$name\"]"
        v = numbers_of(x, argument, location)
        check_values(v, name, argument, location)
        if v isa Matrix && size !== nothing && Base.size(v) != size
            refuse(
                "shape", argument, location, " has size ", Base.size(v), ", ", label, "[\"", first_name, "\"] ", size,
            )
        elseif v isa Matrix && size === nothing
            size, first_name = Base.size(v), name
        end
        values[name] = v isa Matrix ? vec(v) : Float64[v]
    end
    size === nothing &&
        refuse("shape", argument, label, " has no matrix: one number applies to all attempts of a matrix")
    return Signals(size, values)
end

"Check the name of a signal: conditions can contain it, and no standard variable or threshold has it."
function check_name(name, argument, label)
    isname(name) || refuse("format", argument, label, "[", shown(name), "]: no condition can use such a name")
    haskey(standard_scope().variables, name) || haskey(standard_scope().thresholds, name) || return
    check_clash([name], [name], argument, "$label[\"$name\"]")
end

"Check that no signal has a reserved name; argument and label name the input at fault in the message."
function check_clash(names, reserved, argument, label)
    isempty(reserved) && return
    for name in sort!(String[x for x in names])
        name in reserved &&
            refuse("conflict", argument, label, ": ", name, " is the name of a signal and of a variable or threshold")
    end
end

"The names of models and the signals of each; no names for the signals of a single model."
function pooled(signals, argument)
    if ismapping(signals)
        for x in Models.unzipped(signals)[2]
            ismapping(x) && return read_models(signals, argument)
        end
    end
    return [], Signals[read_signals(signals, argument)]
end

"Read the names and the signals of many models."
function read_models(x, argument)
    isnamed(x) ||
        refuse("type", argument, argument, " must be names of models with signals, not ", shown(x))
    isempty(x) && refuse("empty", argument, argument, " has no models")
    names, items = Models.unzipped(x)
    data = Signals[]
    for i in eachindex(items)
        push!(data, read_signals(items[i], argument, string(argument, "[", shown(names[i]), "]")))
    end
    same_sizes(names, data, argument)
    return names, data
end

"Check that all models have the same number of questions."
function same_sizes(names, data, argument)
    for i in eachindex(data)
        data[i].size[1] == data[1].size[1] || refuse(
            "shape", argument, "model ", shown(names[i]), " of ", argument, " has ", data[i].size[1],
            " questions, not ", data[1].size[1],
        )
    end
end

"A matrix of doubles, or a double for all attempts."
function numbers_of(x, argument, location)
    isrow(x) || return one_number(x, argument, location)
    if x isa AbstractArray && ndims(x) > 1
        ndims(x) == 2 || refuse("shape", argument, location, " must be M × N, not ", ndims(x), "-D")
        isempty(x) && refuse("empty", argument, location, " of size ", size(x), " is empty")
        eltype(x) <: Real && isconcretetype(eltype(x)) && return doubles(x)
        return Float64[one_number(y, argument, location, Tuple(i)) for (i, y) in zip(CartesianIndices(size(x)), x)]
    end
    (isempty(x) || all(row -> isrow(row) && isempty(row), x)) && refuse("empty", argument, location, " is empty")
    return from_rows(x, argument, location)
end

@specialize
"A matrix of numbers as doubles."
function doubles(x::AbstractMatrix)
    out, k = Matrix{Float64}(undef, size(x)), 0
    for y in x
        @inbounds out[k+=1] = y
    end
    return out
end
@nospecialize

"A matrix from rows of numbers and missing values; refuses anything else."
function from_rows(x, argument, location)
    for (i, row) in enumerate(x)
        isrow(row) && continue
        one_number(row, argument, location, (i,))
        refuse("shape", argument, location, " must be M × N or a vector of rows: [", i, "] is not a row")
    end
    for (i, row) in enumerate(x), (j, y) in enumerate(row)
        isrow(y) && refuse("shape", argument, location, " must be M × N: [", i, ", ", j, "] is a vector")
        one_number(y, argument, location, (i, j))
    end
    N = length(first(x))
    for (i, row) in enumerate(x)
        length(row) == N || refuse(
            "ragged", argument, location, "[", i, "] has ", length(row), " trials, row 1 ", N,
            ": write missing where a signal is missing",
        )
    end
    return Float64[isabsent(y) ? NaN : y for y in (row[j] for row in x, j in 1:N)]
end

"A number as a double: infinite above the largest double, NaN where it is missing."
function one_number(x, argument, location, at = ())
    isabsent(x) && return NaN
    x isa Real || refuse(
        "type", argument, location, isempty(at) ? "" : "[$(join(at, ", "))]", " = ", shown(x), " is not a real number",
        x isa Union{Number,AbstractString,Symbol,AbstractChar} ? "" : TABLE_HINT,
    )
    return Float64(x)::Float64
end

"Check that values are finite, and in the range of the standard signals."
function check_values(v, name, argument, location)
    low, high, binary = -LARGEST, LARGEST, name in BINARY
    for (signal, range) in STANDARD_SIGNALS
        signal == name && ((low, high) = range)
    end
    first_outside(v, low, min(high, LARGEST), binary) == 0 ||
        deferred(refuse_value)(v, name, low, high, binary, argument, location)
end

"Throw the error of the first value that is not allowed."
function refuse_value(v, name, low, high, binary, argument, location)
    refuse_at(first_outside(v, -LARGEST, LARGEST, false), v, "not_finite", argument, location, "is not finite")
    binary && refuse_at(first_outside(v, low, high, true), v, "range", argument, location, "is neither $low nor $high")
    why = high < Inf ? "is outside [$low, $high]" : "is below $low"
    endswith(name, "_bpt") && (why *= ": bits per token are negative log-probabilities, was the sign forgotten?")
    refuse_at(first_outside(v, low, high, false), v, "range", argument, location, why)
end

const LARGEST = prevfloat(Inf)

"Index of the first number outside [low, high] (binary: also strictly between), 0 if there is none; NaN is missing."
function first_outside(v, low::Float64, high::Float64, binary::Bool)
    numbers = v isa Matrix ? v::Matrix{Float64} : fill(v::Float64, 1, 1)
    for i in eachindex(numbers)
        x = numbers[i]
        (x < low || x > high || (binary && low < x < high)) && return i
    end
    return 0
end

"Throw the error of the value at index i, unless i is 0."
function refuse_at(i, v, code, argument, location, why)
    i == 0 && return
    v isa Matrix || refuse(code, argument, location, " = ", v, " ", why)
    at = Tuple(CartesianIndices(v)[i])
    refuse(code, argument, location, "[", at[1], ", ", at[2], "] = ", v[i], " ", why)
end
