# A stable sort, and the smallest and largest entry of a vector. Base's functions take longer to compile.

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
