# The arithmetic operations without inlining, for code that runs a few times per question set: each inlined operation
# lengthens the first call, in which it is compiled, by about a hundredth of a second.

module NotInlined

using ..DoubleDouble: DoubleDouble, Triple

@noinline add(x::Triple, y::Triple) = DoubleDouble.add(x, y)
@noinline sub(x::Triple, y::Triple) = DoubleDouble.sub(x, y)
@noinline mul(x::Triple, y::Triple) = DoubleDouble.mul(x, y)
@noinline div(x::Triple, y::Triple) = DoubleDouble.div(x, y)

end
