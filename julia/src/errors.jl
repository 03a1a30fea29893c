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

"Any value as text for error messages, at most 80 characters."
function shown(@nospecialize(x))
    text = try
        Base.invokelatest(repr, x)::String
    catch
        "<$(typeof(x))>"
    end
    return length(text) <= 80 ? text : first(text, 77) * "..."
end
