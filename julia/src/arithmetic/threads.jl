# Work in parts on as many threads as Julia was given.

"Split 1..n into one range per thread, or into a single range if `use_threads` is false."
function thread_ranges(n, use_threads)
    step = use_threads ? cld(n, Threads.nthreads()) : n
    return UnitRange{Int}[i:min(i + step - 1, n) for i in 1:step:n]
end

"Apply f to each item, on threads where that is worth it; returns the results in order."
function on_threads(@nospecialize(f), @nospecialize(items), worth = true)
    results = Vector{Any}(undef, length(items))
    if !worth || length(items) == 1 || Threads.nthreads() == 1
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
