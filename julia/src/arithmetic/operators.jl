# Operators and comparisons of triples; part of DoubleDouble.
#
# The operators + - * / are not inlined: each inlined operation lengthens the first call, in which it is compiled, by
# about a hundredth of a second. Loops that need the speed are marked @inlined.

for (operator, operation) in ((:+, :add), (:-, :subtract), (:*, :multiply), (:/, :divide))
    @eval begin
        @noinline Base.$operator(x::Triple, y::Triple) = $operation(x, y)
        @inline Base.$operator(x::Triple, y::Union{Float64,Integer}) = $operator(x, Triple(y))
        @inline Base.$operator(x::Union{Float64,Integer}, y::Triple) = $operator(Triple(x), y)
        @inline $operation(x::Triple, y::Union{Float64,Integer}) = $operation(x, Triple(y))
        @inline $operation(x::Union{Float64,Integer}, y::Triple) = $operation(Triple(x), y)
        @inline $operation(x, y) = $operator(x, y)
    end
end

const INLINED = Dict(:+ => :add, :- => :subtract, :* => :multiply, :/ => :divide)
const UPDATES = Dict(Symbol(operator, "=") => operator for operator in keys(INLINED))

"The code of x with the operators + - * / of two or more operands, and += -= *= /=, replaced by inlined operations."
inlined(x) = x
function inlined(x::Expr)
    if haskey(UPDATES, x.head)  # x += y
        return Expr(:(=), x.args[1], inlined(Expr(:call, UPDATES[x.head], x.args...)))
    end
    args = map(inlined, x.args)
    Meta.isexpr(x, :call) && length(args) > 2 && haskey(INLINED, args[1]) || return Expr(x.head, args...)
    operation = GlobalRef(DoubleDouble, INLINED[args[1]])
    return foldl((a, b) -> Expr(:call, operation, a, b), args[2:end])
end

"Compile the operations on triples of a function into it, not as calls: faster, but it takes longer to compile."
macro inlined(definition)
    return esc(inlined(definition))
end

"Sort key of triples, where any fixed order will do."
sort_key(x) = (x.exponent, x.hi, x.lo)

Base.:(==)(x::Triple, y::Triple) = x.hi == y.hi && x.lo == y.lo && x.exponent == y.exponent
Base.:<(x::Triple, y::Triple) = (x - y).hi < 0.0
Base.:<=(x::Triple, y::Triple) = (x - y).hi <= 0.0
