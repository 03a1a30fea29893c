# Arguments after the data: by position, as in Python, or by name.

const NAMED = (:metric, :k, :tau, :w, :weights, :R0)

"""
Define a function whose arguments `metric`, `k`, `tau`, `w`, `weights` and `R0` may be given by position or as keywords.

For each number of arguments by position there is a method that takes the others as keywords.
"""
macro by_name(definition)
    signature, body = definition.args
    name, keywords, positional = signature.args[1], signature.args[2].args, signature.args[3:end]
    bare(x) = x isa Symbol ? x : x.args[1]
    full = Symbol(name, "_by_position")  # takes all arguments by position: no method calls another with keywords
    call = Expr(:call, full, map(bare, [positional; keywords])...)
    methods = map(findfirst(x -> bare(x) in NAMED, positional):length(positional)+1) do i
        by_name = Expr(:parameters, positional[i:end]..., keywords...)
        Expr(:(=), Expr(:call, name, by_name, map(bare, positional[1:i-1])...), call)
    end
    return esc(quote
        $(Expr(:function, Expr(:call, full, map(bare, [positional; keywords])...), body))
        Base.@__doc__ $(methods[end])
        $(methods[1:end-1]...)
    end)
end
