# Signals as the caller has them: numbers of every attempt, checked, NaN where one is missing.

"Questions by trials, and each signal: all attempts column by column, or one entry for all of them."
struct Signals
    size::Tuple{Int,Int}
    values::Dict{String,Vector{Float64}}
end

"The signal at every attempt."
everywhere(s, name) = length(s.values[name]) == 1 ? fill(s.values[name][1], prod(s.size)) : s.values[name]

"The signals of one model; of: how messages name them."
function read_signals(signals, argument = "signals", of = argument)
    items = entries(signals, argument, of)
    isempty(items) && refuse("empty", argument, of, " is empty: at least one signal is needed")
    values, size, first_name = Dict{String,Vector{Float64}}(), nothing, ""
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
        values[name] = v isa Matrix ? vec(v) : [v]
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

"No signal has the name of a variable or a threshold; argument: where these are from."
function check_clash(names, taken, argument, of)
    for name in sort!(collect(names))
        name in taken &&
            refuse("conflict", argument, of, ": ", name, " is a signal and a variable or threshold of one name")
    end
end

"The signals of one model or, of names with such, of each; and the names of these."
function pooled(signals, argument)
    ismapping(signals) && any(ismapping, Models.unzipped(signals)[2]) && return read_models(signals, argument)
    return [], [read_signals(signals, argument)]
end

"The names and the signals of many models."
function read_models(x, argument)
    isnamed(x) ||
        refuse("type", argument, argument, " must be names of models with signals, not ", shown(x))
    isempty(x) && refuse("empty", argument, argument, " has no models")
    names, items = Models.unzipped(x)
    data = [read_signals(s, argument, "$argument[$(shown(k))]") for (k, s) in zip(names, items)]
    same_questions(names, data, argument)
    return names, data
end

function same_questions(names, data, argument)
    for (name, s) in zip(names, data)
        s.size[1] == data[1].size[1] || refuse(
            "shape", argument, "model ", shown(name), " of ", argument, " has ", s.size[1], " questions, not ",
            data[1].size[1],
        )
    end
end

"A matrix of doubles, or one for all attempts."
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
doubles(x::AbstractMatrix) = Matrix{Float64}(x)
@nospecialize

"Rows with gaps, or what is wrong with them."
function from_rows(x, argument, place)
    for (i, row) in enumerate(x)
        isrow(row) && continue
        one_number(row, argument, place, (i,))
        refuse("shape", argument, place, " must be M × N or a vector of rows: [", i, "] is no row")
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

"A number as a double, infinite beyond them, NaN where it is missing."
function one_number(x, argument, place, at = ())
    isabsent(x) && return NaN
    x isa Real || refuse(
        "type", argument, place, isempty(at) ? "" : "[$(join(at, ", "))]", " = ", shown(x), " is not a real number",
        x isa Union{Number,AbstractString,Symbol,AbstractChar} ? "" : TABLES,
    )
    return Float64(x)::Float64
end

"Finite, and in the range of the standard signals."
function check_values(v, name, argument, place)
    refuse_where(isinf, v, "not_finite", argument, place, "is not finite")
    i = findfirst(p -> first(p) == name, STANDARD_SIGNALS)
    i === nothing && return
    low, high = last(STANDARD_SIGNALS[i])
    name in WHOLE && refuse_where(
        x -> !(x == low || x == high || isnan(x)), v, "range", argument, place, "is neither $low nor $high",
    )
    why = high < Inf ? "is outside [$low, $high]" : "is below $low"
    endswith(name, "_bpt") &&
        (why *= ": bits per token are negative log-probabilities, was the sign forgotten?")
    refuse_where(x -> x < low || x > high, v, "range", argument, place, why)
end

function refuse_where(@specialize(bad), v, code, argument, place, why)
    v isa Matrix || return bad(v) && refuse(code, argument, place, " = ", v, " ", why)
    at = findfirst(bad, v)
    at === nothing || refuse(code, argument, place, "[", join(Tuple(at), ", "), "] = ", v[at], " ", why)
end
