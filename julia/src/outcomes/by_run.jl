# Trials with the run of each: what the variance between runs is computed from, and Counts do not have.

@nospecialize

"The trials of one model: the outcomes of a matrix, each column of which belongs to a run."
struct ByRun
    cells::Matrix{Int}  # the category of each trial, questions × columns; negative where there is no trial
    run::Vector{Int}  # of each column, numbered from 1 in the order in which runs first appear
    runs::Int
end

"The trials of a matrix R, of which each column is a run, or the columns with equal labels of sessions are one."
function by_run(R, C, missing, name, has_scores, sessions = nothing)
    R isa Union{Counts,Detailed} && refuse(
        "type", name, name, " is ", nameof(typeof(R)), ", which do not know the run of a trial: pass the matrix of ",
        "outcomes, a column for each run",
    )
    cells = Verdicts.read_cells(R, C, Arguments.policy(missing, C), name, has_scores)
    N = size(cells, 2)
    run = sessions === nothing ? collect(1:N) : codes(labels(sessions, N, "sessions", "trials of $name"))
    return ByRun(cells, run, maximum(run))
end

@specialize
