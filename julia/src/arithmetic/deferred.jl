# What Julia compiles, and when: code that a call does not need, short loops of our own, threads.

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

# --- a stable sort, and the smallest and largest entry: of Base they take longer to compile ---------

"The smallest and the largest entry of a vector."
function ends(x)
    low = high = x[1]
    for y in x
        if y < low
            low = y
        end
        if y > high
            high = y
        end
    end
    return low, high
end

"The permutation of 1..n that sorts n items stably; before(i, j): whether item i must come before item j."
function sort_order(@nospecialize(before), n)
    order, buffer, width = collect(1:n), zeros(Int, n), 1
    while width < n
        for start in 1:2width:n
            middle, stop = min(start + width, n + 1), min(start + 2width, n + 1)
            i, j = start, middle
            for k in start:stop-1
                if j == stop || (i < middle && !before(order[j], order[i])::Bool)
                    buffer[k], i = order[i], i + 1
                else
                    buffer[k], j = order[j], j + 1
                end
            end
        end
        order, buffer, width = buffer, order, 2width
    end
    return order
end

# --- work split over the threads that Julia has -----------------------------------------------------

"Split 1..n, n > 0, into at most one range for each thread, or into a single range if `use_threads` is false."
function thread_ranges(n, use_threads)
    step = use_threads ? cld(n, Threads.nthreads()) : n
    return UnitRange{Int}[i:min(i + step - 1, n) for i in 1:step:n]
end

"Apply f to each item, on several threads if `use_threads` is true; returns the results in order."
function on_threads(@nospecialize(f), @nospecialize(items), use_threads = true)
    results = Vector{Any}(undef, length(items))
    if !use_threads || length(items) == 1 || Threads.nthreads() == 1
        for i in eachindex(items)
            results[i] = f(items[i])
        end
    else
        Threads.@threads for i in eachindex(items)
            results[i] = f(items[i])
        end
    end
    return results
end
