# Signals from the caller: numbers of every attempt, checked, NaN where one is missing.

"Signals of a model: questions by trials, and each signal, all attempts column by column or one entry for all."
struct Signals
    size::Tuple{Int,Int}
    values::Named  # vectors of doubles
end

"Signal at every attempt."
function everywhere(s, name)
    x = s.values[name]::Vector{Float64}
    return length(x) == 1 ? fill(x[1], s.size[1] * s.size[2]) : x
end

"Read the signals of one model; of: their name in messages."
function read_signals(signals, argument = "signals", of = argument)
    items = entries(signals, argument, of)
    isempty(items) && refuse("empty", argument, of, " is empty: at least one signal is needed")
    values, size, first_name = Named(), nothing, ""
    for (name, x) in items
        check_name(name, argument, of)
        place = "$of[\"$name\"]"
        v = numbers_of(x, argument, place)
        check_values(v, name, argument, place)
        if v isa Matrix && size !== nothing && Base.size(v) != size
            refuse("shape", argument, place, " has size ", Base.size(v), ", ", of, "[\"", first_name, "\"] ", size)
        elseif v isa Matrix && size === nothing
            size, first_name = Base.size(v), name
        end
        values[name] = v isa Matrix ? vec(v) : Float64[v]
    end
    size === nothing &&
        refuse("shape", argument, of, " has no matrix: one number stands for all attempts of a matrix")
    return Signals(size, values)
end

function check_name(name, argument, of)
    isname(name) || refuse("format", argument, of, "[", shown(name), "]: no condition can use such a name")
    haskey(standard_scope().variables, name) || haskey(standard_scope().thresholds, name) || return
    check_clash([name], [name], argument, "$of[\"$name\"]")
end

"Check that no signal has the name of a variable or a threshold; argument: where these are from."
function check_clash(names, taken, argument, of)
    isempty(taken) && return
    for name in sort!(String[x for x in names])
        name in taken &&
            refuse("conflict", argument, of, ": ", name, " is a signal and a variable or threshold of one name")
    end
end

"Read the signals of one model, or of each of several by name; returns the names of the models, and the signals."
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
    same_questions(names, data, argument)
    return names, data
end

function same_questions(names, data, argument)
    for i in eachindex(data)
        data[i].size[1] == data[1].size[1] || refuse(
            "shape", argument, "model ", shown(names[i]), " of ", argument, " has ", data[i].size[1],
            " questions, not ", data[1].size[1],
        )
    end
end

"Read a matrix of doubles, or one number for all attempts."
function numbers_of(x, argument, place)
    isrow(x) || return one_number(x, argument, place)
    if x isa AbstractArray && ndims(x) > 1
        ndims(x) == 2 || refuse("shape", argument, place, " must be M × N, not ", ndims(x), "-D")
        isempty(x) && refuse("empty", argument, place, " of size ", size(x), " is empty")
        eltype(x) <: Real && isconcretetype(eltype(x)) && return doubles(x)
        return Float64[one_number(y, argument, place, Tuple(i)) for (i, y) in zip(CartesianIndices(size(x)), x)]
    end
    (isempty(x) || all(row -> isrow(row) && isempty(row), x)) && refuse("empty", argument, place, " is empty")
    return from_rows(x, argument, place)
end

@specialize
function doubles(x::AbstractMatrix)
    out, k = Matrix{Float64}(undef, size(x)), 0
    for y in x
        @inbounds out[k+=1] = y
    end
    return out
end
@nospecialize

"Read rows with gaps, or refuse them."
function from_rows(x, argument, place)
    for (i, row) in enumerate(x)
        isrow(row) && continue
        one_number(row, argument, place, (i,))
        refuse("shape", argument, place, " must be M × N or a vector of rows: [", i, "] is not a row")
    end
    for (i, row) in enumerate(x), (j, y) in enumerate(row)
        isrow(y) && refuse("shape", argument, place, " must be M × N: [", i, ", ", j, "] is a vector")
        one_number(y, argument, place, (i, j))
    end
    N = length(first(x))
    for (i, row) in enumerate(x)
        length(row) == N || refuse(
            "ragged", argument, place, "[", i, "] has ", length(row), " trials, row 1 ", N,
            ": write missing where a signal is missing",
        )
    end
    return Float64[isabsent(y) ? NaN : y for y in (row[j] for row in x, j in 1:N)]
end

"Convert a number to a double, infinite beyond the largest one, NaN where it is missing."
function one_number(x, argument, place, at = ())
    isabsent(x) && return NaN
    x isa Real || refuse(
        "type", argument, place, isempty(at) ? "" : "[$(join(at, ", "))]", " = ", shown(x), " is not a real number",
        x isa Union{Number,AbstractString,Symbol,AbstractChar} ? "" : TABLES,
    )
    return Float64(x)::Float64
end

"Check that values are finite, and in the range of the standard signals."
function check_values(v, name, argument, place)
    low, high, whole = -LARGEST, LARGEST, name in WHOLE
    for (signal, range) in STANDARD_SIGNALS
        signal == name && ((low, high) = range)
    end
    first_outside(v, low, min(high, LARGEST), whole) == 0 ||
        deferred(refuse_value)(v, name, low, high, whole, argument, place)
end

function refuse_value(v, name, low, high, whole, argument, place)
    refuse_at(first_outside(v, -LARGEST, LARGEST, false), v, "not_finite", argument, place, "is not finite")
    whole && refuse_at(first_outside(v, low, high, true), v, "range", argument, place, "is neither $low nor $high")
    why = high < Inf ? "is outside [$low, $high]" : "is below $low"
    endswith(name, "_bpt") && (why *= ": bits per token are negative log-probabilities, was the sign forgotten?")
    refuse_at(first_outside(v, low, high, false), v, "range", argument, place, why)
end

const LARGEST = prevfloat(Inf)

"Index of the first number outside [low, high] (whole: other than both), 0 where there is none; NaN is missing."
function first_outside(v, low::Float64, high::Float64, whole::Bool)
    numbers = v isa Matrix ? v::Matrix{Float64} : fill(v::Float64, 1, 1)
    for i in eachindex(numbers)
        x = numbers[i]
        (x < low || x > high || (whole && low < x < high)) && return i
    end
    return 0
end

function refuse_at(i, v, code, argument, place, why)
    i == 0 && return
    v isa Matrix || refuse(code, argument, place, " = ", v, " ", why)
    at = Tuple(CartesianIndices(v)[i])
    refuse(code, argument, place, "[", at[1], ", ", at[2], "] = ", v[i], " ", why)
end
