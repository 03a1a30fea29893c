# The one exception of the package. Its codes are the closed list of spec/errors.json.

"""
    InvalidInput(code, argument, message)

Input that has no correct answer; thrown before any number is returned.

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

"A value as an error message shows it: short, whatever it is."
function shown(@nospecialize(x))
    text = try
        Base.invokelatest(repr, x)::String
    catch
        "<$(typeof(x))>"
    end
    return length(text) <= 80 ? text : first(text, 77) * "..."
end
