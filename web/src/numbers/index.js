// The numbers of the page: functions of spec/functions.json, correctly rounded as spec/README.md states.
//
// Each function takes ONE object with the arguments of spec/functions.json (names, values and defaults are those) and
// returns an object with the result fields, or throws InvalidInput {code, argument, message}:
//
//   interval({ R, metric: "pass@k", k: 2, questions: "fixed" })   ->  { mu, sigma, lo, hi, n_eff, ... }
//   compare({ A, B, questions: "sampled" })                       ->  { mu, sigma, lo, hi, p_value, ... }
//   ranges({ models: new Map([["large", R1], ["small", R2]]), questions: "fixed" })   ->  { best, worst }
//
// Outcomes (R, A, B, candidate, baseline, R_b, each of models) are a matrix, [[0, 1], [1, null]], whose rows are
// questions and where null is a missing trial, or counts, so that a large log need not be expanded:
//
//   Counts.from({ trials: [8, 8], successes: [3, 0], ids: ["q1", "q2"], clusters: ["a", "a"], missing: [0, 1] })
//   Counts.from({ categories: [[n0, n1, n2], ...] })      // outcomes that are not binary; w has their scores
//
// ids, clusters and missing are optional. Models with ids are aligned by id, others by row. models is a Map (or an
// object, which puts names like "7" first) from names to outcomes, or a list of matrices. run_variation takes
// matrices only, one column a run: R is one matrix, or a Map of them.

export { InvalidInput } from "./arguments.js";
export { Counts, tally } from "./outcomes.js";
export { interval, mean_ci, pass_at_k, pass_hat_k } from "./intervals.js";
export { compare } from "./comparisons.js";
export { compare_all, ranges } from "./rankings.js";
export { gate } from "./gates.js";
export { questions_needed, trials_needed } from "./plans.js";
export { run_variation } from "./runs.js";
