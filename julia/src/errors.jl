# The exception of the package. Its codes are the closed list of spec/errors.json.

"""
    InvalidInput(code, argument, message)

Exception for invalid input, thrown before any number is returned.

`code` is one of the codes of `spec/errors.json`, the same in every language, `argument` the name of the
argument at fault.

# Examples
```jldoctest
julia> try pass_at_k([0 1; 1 1], 3) catch e; (e.code, e.argument) end
("range", "k")
```
"""
struct InvalidInput <: Exception
    code::String
    argument::String
    message::String
end

Base.showerror(io::IO, e::InvalidInput) = print(io, "InvalidInput (", e.code, "): ", e.message)

# The message is composed only when it is needed: otherwise Julia would compile string() for the types of each message.
@noinline refuse(code, argument, @nospecialize(message...)) =
    throw(InvalidInput(code, argument, Base.invokelatest(string, message...)::String))

"Call f; the messages of its errors begin with the name of this part of the input."
function naming(f, part)
    try
        return f()
    catch e
        e isa InvalidInput || rethrow()
        refuse(e.code, e.argument, part, ": ", e.message)
    end
end

"Throw for a keyword that must be given; the message shows what to type. Used as the default of such keywords."
required(name) = refuse("type", name, name, " is not given: write ", SUGGESTIONS[name])

# what to type for each keyword that must be given
const SUGGESTIONS = Dict(
    "questions" => "questions=:fixed for an answer about these questions, questions=:sampled for one about " *
        "similar questions",
    "margin" => "margin=0.02 where the candidate may be worse by that much",
    "half_width" => "half_width=0.02 for an estimate within two points",
)

"Known names, each in quotes, for an error message about an unknown name x; and the most similar one, if any."
function among(x, known)
    known = collect(Any, known)
    last = length(known) > 1 ? " and " * repr(known[end]) : ""
    return join(map(repr, known[1:max(1, end - 1)]), ", ") * last * nearest(x, known)
end

"The end of an error message about an unknown name: the most similar known name, if one is similar."
function nearest(x, known)
    x isa Union{AbstractString,Symbol} || return ""
    letters(name) = Char[c for c in lowercase(string(name)) if isletter(c) || isdigit(c)]
    a, best = letters(x), nothing
    fewest = length(a) > 2 ? 1 + length(a) ÷ 3 : 1  # one or two letters alone say too little
    for name in known
        name isa Union{AbstractString,Symbol} || continue
        b = letters(name)
        edits = a == b ? 0 : sort(a) == sort(b) ? 1 : edit_distance(a, b)  # tyni has the letters of tiny
        edits < fewest && ((best, fewest) = (name, edits))
    end
    return best === nothing ? "" : string(", did you mean ", repr(best), "?")
end

"The number of insertions, deletions and substitutions that make b of a."
function edit_distance(a::Vector{Char}, b::Vector{Char})
    D = [max(i, j) for i in 0:length(a), j in 0:length(b)]
    for j in eachindex(b), i in eachindex(a)
        D[i+1, j+1] = min(D[i, j+1] + 1, D[i+1, j] + 1, D[i, j] + (a[i] != b[j]))
    end
    return D[end, end]
end

"Any value as text for error messages, at most 80 characters."
function shown(@nospecialize(x))
    text = try
        Base.invokelatest(repr, x)::String
    catch
        "<$(typeof(x))>"
    end
    return length(text) <= 80 ? text : first(text, 77) * "..."
end
