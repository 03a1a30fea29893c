# Arguments after the data: by position, as in Python, or as keywords.

const NAMED = (:metric, :k, :tau, :w, :weights, :R0)  # arguments that may be given as keywords

"""
Define a function whose arguments `metric`, `k`, `tau`, `w`, `weights` and `R0` may be given by position or as keywords.

For each number of arguments by position there is a method that takes the others as keywords. The definition must also
have parameters after a semicolon, which are keywords only.
"""
macro by_name(definition)
    signature, body = definition.args
    name, keywords, positional = signature.args[1], signature.args[2].args, signature.args[3:end]
    argument_name(x) = x isa Symbol ? x : x.args[1]
    implementation = Symbol(name, "_by_position")  # takes all arguments by position
    call = Expr(:call, implementation, map(argument_name, [positional; keywords])...)
    methods = map(findfirst(x -> argument_name(x) in NAMED, positional):length(positional)+1) do i
        by_name = Expr(:parameters, positional[i:end]..., keywords...)
        Expr(:(=), Expr(:call, name, by_name, map(argument_name, positional[1:i-1])...), call)
    end
    return esc(quote
        $(Expr(:function, Expr(:call, implementation, map(argument_name, [positional; keywords])...), body))
        Base.@__doc__ $(methods[end])
        $(methods[1:end-1]...)
    end)
end
