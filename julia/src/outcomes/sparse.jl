# Counts of many categories of which each question has few, such as real-valued rewards: only those that occur.

const MAX_DENSE = 64  # with more categories than 0..MAX_DENSE, metrics read only the counts that are not 0

"The categories that each question has, and how often: question i has those at start[i]:start[i+1]-1."
struct Cells
    start::Vector{Int}
    category::Vector{Int}  # increasing for each question
    times::Vector{Int}  # positive
end

"The indices of the cells of question i."
of_question(x::Cells, i) = x.start[i]:x.start[i+1]-1

"The number of questions."
questions(x::Cells) = length(x.start) - 1

"Cells of no question, to which push_cell!() and end_question!() add one question after the other."
no_cells() = Cells([1], Int[], Int[])

function push_cell!(x::Cells, category, times)
    push!(x.category, category)
    push!(x.times, times)
end

"End the cells of a question."
end_question!(x::Cells) = push!(x.start, length(x.category) + 1)

"A matrix M × C of counts of the categories 1..C, of which only the counts that are not 0 are stored."
struct Sparse <: AbstractMatrix{Int}
    cells::Cells
    C::Int
end

Base.size(x::Sparse) = (questions(x.cells), x.C)

function Base.getindex(x::Sparse, i::Int, j::Int)
    at = of_question(x.cells, i)
    t = searchsortedfirst(view(x.cells.category, at), j) + first(at) - 1
    return t <= last(at) && x.cells.category[t] == j ? x.cells.times[t] : 0
end

"Create from a matrix."
function Sparse(x::AbstractMatrix)
    cells = no_cells()
    for i in axes(x, 1)
        for j in axes(x, 2)
            x[i, j] == 0 || push_cell!(cells, j, x[i, j])
        end
        end_question!(cells)
    end
    return Sparse(cells, size(x, 2))
end

"The counts of the categories of one question: the categories in any order, 0 is left out."
function push_categories!(cells, categories)
    sort!(categories)
    for (t, q) in enumerate(categories)
        q == 0 && continue
        if t > 1 && categories[t-1] == q
            cells.times[end] += 1
        else
            push_cell!(cells, q, 1)
        end
    end
    end_question!(cells)
end

"All counts, those that are 0 too."
function matrix(x::Sparse)
    out = zeros(Int, size(x))
    for i in axes(out, 1), t in of_question(x.cells, i)
        out[i, x.cells.category[t]] = x.cells.times[t]
    end
    return out
end

"The rows with these indices; an index of 0 is a row of zeros."
function rows_of(x::Sparse, rows)
    out = no_cells()
    for i in rows
        for t in (i == 0 ? (1:0) : of_question(x.cells, i))
            push_cell!(out, x.cells.category[t], x.cells.times[t])
        end
        end_question!(out)
    end
    return Sparse(out, x.C)
end

Base.:(==)(x::Sparse, y::Sparse) =
    x.C == y.C && x.cells.start == y.cells.start && x.cells.category == y.cells.category && x.cells.times == y.cells.times

function Base.:+(x::Sparse, y::Sparse)
    a, b, out = x.cells, y.cells, no_cells()
    for i in 1:questions(a)
        s, t = a.start[i], b.start[i]
        while s < a.start[i+1] || t < b.start[i+1]
            p = s < a.start[i+1] ? a.category[s] : typemax(Int)
            q = t < b.start[i+1] ? b.category[t] : typemax(Int)
            push_cell!(out, min(p, q), (p <= q ? a.times[s] : 0) + (q <= p ? b.times[t] : 0))
            s, t = s + (p <= q), t + (q <= p)
        end
        end_question!(out)
    end
    return Sparse(out, x.C)
end

"The counts of the categories 0..C of questions with so many trials."
function with_category_0(x::Sparse, trials)
    out = no_cells()
    for i in eachindex(trials)
        zeros = trials[i]
        for t in of_question(x.cells, i)
            zeros -= x.cells.times[t]
        end
        zeros == 0 || push_cell!(out, 0, zeros)
        for t in of_question(x.cells, i)
            push_cell!(out, x.cells.category[t], x.cells.times[t])
        end
        end_question!(out)
    end
    return out
end
