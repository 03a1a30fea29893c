# Outcomes of single trials, for functions that take a second value per trial, such as its cost.

@nospecialize

"Binary outcomes M × N, and a mask of the entries that are trials: missing ones too if they count as 0 or 1."
function single_trials(R, missing)
    R isa Counts && refuse("type", "R", "R must be single trials: Counts do not say which trial cost what")
    count_outcomes(R, 1, missing)  # throws the error of an invalid R
    policy = Arguments.policy(missing, 1)
    A = read_source(R, "R", policy)
    filled = policy isa Symbol ? 0 : Int(policy)
    out, is_trial = fill(filled, dimensions(A)), fill(!(policy isa Symbol), dimensions(A))
    for i in axes(out, 1), (j, x) in enumerate(row(A, i))
        isabsent(x) && continue
        out[i, j], is_trial[i, j] = x, true
    end
    return out, is_trial
end

@specialize
