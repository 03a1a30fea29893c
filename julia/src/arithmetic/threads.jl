# Work split over the threads that Julia has.

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
