# Questions that regressed or improved between two runs, at a false-discovery rate.

const MOST_TESTED_TRIALS = 10^4  # largest number of trials of a question in one run
const MOST_TESTING_WORK = 2 * 10^8  # largest sum of n n' over different tests: n p-values have about n' bits

"""
    changes(old, new; fdr=0.05, alternative="two-sided", missing=:raise)
        -> (question, c_old, n_old, c_new, n_new, p_value, p_adjusted, status) of each question

Questions that regressed or improved between two runs, at a false-discovery rate.

- `old`, `new`: binary outcomes before and after, M×N or `Counts`, of the same questions. The numbers of trials may
  differ, up to 10^4.
- `fdr`: false-discovery rate, the expected share of the questions named "regressed" or "improved" that did not change,
  or changed in the other direction.
- `alternative`: "two-sided", or "regressed": look for regressions alone, with more power.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Questions without a trial in one of the runs are left out.

For each question with trials before and after, in order: `question`, its index; `c_old` of `n_old` trials succeeded
before, `c_new` of `n_new` after. `p_value`: that of Fisher's exact test of equal success rates; `p_adjusted`: the
smallest fdr at which the question would be "regressed" or "improved", 1 if there is none. `status`: "regressed" or
"improved" at this fdr; else "newly flaky" (trials agreed before, but not after), "no longer flaky" (the reverse),
"flaky" (they agreed neither before nor after), "undecided" (they agreed before and after, on different outcomes),
"stable" (all had the same outcome). A single trial does not show whether a question is flaky: if the other run has both
outcomes, the question is "flaky".

Throws `InvalidInput` for anything wrong with the arguments; no_trials: no question has trials before and after; range:
more than 10^4 trials, or n n' summed over the tests that differ in n, n' or all successes is above 2 10^8. Source:
spec/families/changes.md: the step-up procedure of Döhler, Durand and Roquain (2018) for the discrete p-values of
Fisher's tests. The rate is controlled for any number of trials if all trials are independent, within and between
questions. With one trial before and after every p-value is at least 1/2: no question can be named, and
[`compare`](@ref) says whether the average changed.

# Examples
```jldoctest
julia> old, new = (Counts(c, fill(8, 6)) for c in ([8, 8, 7, 4, 8, 0], [0, 8, 2, 4, 3, 6]));

julia> Tuple((x.question, x.status, round(x.p_adjusted, digits=4)) for x in Items.changes(old, new) if x.p_adjusted < 1)
((1, "regressed", 0.0003), (3, "regressed", 0.024), (5, "regressed", 0.0184), (6, "improved", 0.0044))
```
"""
function changes(old, new; fdr = 0.05, alternative = "two-sided", missing = :raise)
    level = Arguments.confidence(fdr, 0.0, "fdr")
    one_sided = Arguments.choice(alternative, "alternative", ("two-sided", "regressed")) == "regressed"
    indices, pairs = before_and_after(old, new, missing)
    check_testing_work(pairs)
    tests = Tests(pairs, one_sided)
    threshold, adjusted_p = step_up(tests, integer_ratio(level)), adjusted(tests)
    return Results{:Change}(map(eachindex(pairs)) do i
        x, p = pairs[i], tests.p[i]
        (
            question = indices[i], c_old = x.c_old, n_old = x.n_old, c_new = x.c_new, n_new = x.n_new,
            p_value = value(from_ratio(p, tests.unit)), p_adjusted = value(from_ratio(adjusted_p[i])),
            status = status(x, p <= threshold),
        )
    end)
end

"Indices of the questions that have trials before and after, with their successes and trials."
function before_and_after(old, new, missing)
    names = ("old", "new")
    counts = map((old, new), names) do x, name
        check_flat(x, name)
        count_outcomes(x, 1, missing; name = name)
    end
    a, b = pair_questions(Any[counts...], names, i -> names[i], missing)
    M = questions(a)
    a, b, dropped = common_questions(a, b, "old", "old and new")
    for (x, name) in ((a, "old"), (b, "new"))
        largest = maximum(x.trials)
        largest <= MOST_TESTED_TRIALS || refuse(
            "range", name, "a question of ", name, " has ", largest, " trials, more than the ", MOST_TESTED_TRIALS,
            " of an exact test",
        )
    end
    columns = (a.category_counts[:, 1], a.trials, b.category_counts[:, 1], b.trials)
    return setdiff(1:M, dropped), Pair[Pair(x) for x in zip(columns...)]
end

"Refuse tests that would take minutes: those with the same trials and successes in all are one test."
function check_testing_work(pairs)
    work = sum(n * m for (n, m, _) in Set((x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs))
    work <= MOST_TESTING_WORK || refuse(
        "range", "old", "trials of old times trials of new, summed over different tests, is ", work, ", more than the ",
        MOST_TESTING_WORK, " of exact tests: test fewer questions or trials at once",
    )
end

"Status of a question: its change if significant, else how its outcomes vary before and after."
function status(x, significant)
    old_rate, new_rate = widemul(x.c_old, x.n_new), widemul(x.c_new, x.n_old)  # rates times n_old n_new
    significant && return old_rate > new_rate ? "regressed" : "improved"
    mixed_before, mixed_after = 0 < x.c_old < x.n_old, 0 < x.c_new < x.n_new
    mixed_before || mixed_after || return old_rate == new_rate ? "stable" : "undecided"
    mixed_before && mixed_after && return "flaky"
    (mixed_before ? x.n_new : x.n_old) == 1 && return "flaky"  # a single trial cannot be mixed
    return mixed_before ? "no longer flaky" : "newly flaky"
end
