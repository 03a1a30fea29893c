# Arguments after the data: by position, as in Python, or as keywords.

const NAMED = (:metric, :k, :tau, :weights)  # arguments that may be keywords although they have no default

"""
Define a function whose arguments after the data may be given by position or as keywords.

The data are the arguments before the first that has a default or is in `NAMED`. For each number of arguments by
position there is a method that takes the others as keywords; parameters after a semicolon are keywords only.
"""
macro by_name(definition)
    signature, body = definition.args
    name, (keywords, positional) = signature.args[1], split_parameters(signature.args[2:end])
    argument_name(x) = x isa Symbol ? x : x.args[1]
    implementation = Symbol(name, "_by_position")  # takes all arguments by position
    call = Expr(:call, implementation, map(argument_name, [positional; keywords])...)
    methods = map(findfirst(x -> x isa Expr || x in NAMED, positional):length(positional)+1) do i
        by_name = [positional[i:end]; keywords]
        parameters = isempty(by_name) ? [] : [Expr(:parameters, by_name...)]
        Expr(:(=), Expr(:call, name, parameters..., map(argument_name, positional[1:i-1])...), call)
    end
    return esc(quote
        $(Expr(:function, Expr(:call, implementation, map(argument_name, [positional; keywords])...), body))
        Base.@__doc__ $(methods[end])
        $(methods[1:end-1]...)
    end)
end

"The parameters after the semicolon of a definition, and those before it."
split_parameters(x) = !isempty(x) && Meta.isexpr(x[1], :parameters) ? (x[1].args, x[2:end]) : ([], x)
