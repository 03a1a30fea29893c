# Outcomes of single trials, for functions that take a second value per trial, such as its cost.

@nospecialize

"Binary outcomes M × N, and a mask of the entries that count as trials; missing ones get the category they count as."
function single_trials(R, missing)
    R isa Counts && refuse("type", "R", "R must be single trials: Counts do not say which trial cost what")
    count_outcomes(R, 1, missing)  # throws the error that fits
    policy = Arguments.policy(missing, 1)
    A = as_source(R, "R", policy)
    filled = policy isa Symbol ? 0 : Int(policy)
    out, kept = fill(filled, dimensions(A)), fill(!(policy isa Symbol), dimensions(A))
    for i in axes(out, 1), (j, x) in enumerate(row(A, i))
        isabsent(x) && continue
        out[i, j], kept[i, j] = x, true
    end
    return out, kept
end

@specialize
