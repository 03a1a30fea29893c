# A way to keep Julia from compiling code that a call does not need.

"""
Hide a function from the compiler: `deferred(f)(x)` is `f(x)`, compiled when it is first called.

Julia compiles a function together with whatever it may call. If a branch calls a deferred function, this function is
not compiled until the branch is taken. Each deferred call costs a tenth of a microsecond, too much for a loop.
"""
deferred(@nospecialize(f)) = Ref{Any}(f)[]

"The value f(arguments...), computed, and its functions compiled, when it is first needed: x() returns it."
mutable struct Lazy
    f::Any
    arguments::Tuple
    value::Any
    Lazy(@nospecialize(f), @nospecialize(arguments...)) = new(f, arguments, nothing)
end

function (x::Lazy)()
    if x.value === nothing
        x.value = x.f(x.arguments...)
    end
    return x.value
end
