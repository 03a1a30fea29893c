# Code that a call does not need is not compiled for it.

"""
Hide a function from the compiler: `deferred(f)(x)` is `f(x)`, compiled when it is first called.

Julia compiles at once whatever a function may call. Where a branch is rare, or one of several, this keeps the other
branches out of a first call; it costs a tenth of a microsecond, too much for a loop.
"""
deferred(@nospecialize(f)) = Ref{Any}(f)[]
