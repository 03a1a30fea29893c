// Whether the runs of an evaluation (passes over the benchmark, with their seed, prompt or server) agree.
import { num } from "../numbers/arithmetic.js";
import { betaQuantile } from "../numbers/distributions.js";
import { aligned, ci, fixed, listed, nameOf, pValue, score, thousands } from "../words.js";
import { LEVEL_OF_RUNS, cell, command, gaps, title } from "./base.js";

const SHOWN = 40; // runs of the table: those that stand out most
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** The runs of a model, with the deviation of each and what chance explains of it (spec/families/runs.md). */
function termsOf({ name, runs }) {
  const width = runs.names.length, each = new Map();
  const of = (run) => each.get(run) ?? each.set(run, { name, run, n: 0, c: 0, I: 0, E: 0, W: 0 }).get(run);
  let M = 0;
  for (let i = 0; i < runs.outcomes.length; i += width) {
    const row = Array.from(runs.outcomes.subarray(i, i + width)).flatMap((y, j) => (y < 0 ? []
      : [[of(runs.names[j]), y]]));
    const n = row.length, S = total(row.map(([, y]) => y));
    if (!n) continue;
    M += 1;
    const e = n > 1 ? (S * (n - S)) / (n * n * (n - 1)) : 0, inRun = new Map();
    for (const [run, y] of row) {
      [run.n, run.c] = [run.n + 1, run.c + y];
      const [k, s] = inRun.get(run) ?? [0, 0];
      inRun.set(run, [k + 1, s + y]);
    }
    for (const [run, [k, s]] of inRun) {
      run.I += s / n - (k * S) / (n * n);
      run.E += e * (k / n) * (1 - k / n);
      run.W += k / n;
    }
  }
  const all = [...each.values()].filter((x) => x.n);
  for (const x of all) [x.I, x.E, x.W] = [x.I / M, x.E / (M * M), x.W / M];
  const E = total(all.map((x) => x.E)), squares = total(all.map((x) => x.W ** 2)), known = M > 1 && E > 0;
  for (const x of all) {
    [x.deviation, x.chance] = known ? [x.I / x.W, Math.sqrt(x.E) / x.W] : [0, 0];
    x.z = x.chance ? x.deviation / x.chance : 0;
  }
  return { all, varianceByChance: known ? E / (squares * (1 - squares)) : null };
}

/** The quantile of a chi-square over its degrees of freedom: that of F with 10^6 in the denominator. */
function chiSquareOverDf(df, p) {
  const y = betaQuantile(num(p), num(df / 2), num(5e5)).near();
  return ((y / (1 - y)) * 1e6) / df;
}

/** The interval of the standard deviation of a run's average beyond chance; effects of runs are taken as normal. */
function intervalOfSd({ ratio, df }, variances, confidence) {
  if (!variances.length) return [0, 0];
  const mean = total(variances) / variances.length;
  const end = (p) => Math.min(0.5, Math.sqrt(Math.max(0, ratio / chiSquareOverDf(df, p) - 1) * mean));
  return [end(0.5 + confidence / 2), end(0.5 - confidence / 2)];
}

/** Runs that lack outcomes which others of the model have. */
function lacking(rows) {
  const most = (name) => Math.max(...rows.filter((x) => x.name === name).map((x) => x.n));
  const words = (x) => `${nameOf(x.run)} of ${nameOf(x.name)} (${thousands(x.n)} of ${thousands(most(x.name))})`;
  const few = rows.filter((x) => x.n < most(x.name)).map(words);
  return few.length ? [`Runs with fewer outcomes than others: ${listed(few, 5)}.`] : [];
}

function sentencesOf(x, sd) {
  if (x.ratio === 1 && !x.deviation) {
    return ["No question has different outcomes in two runs: how much runs differ is not known."];
  }
  const size = `${fixed(x.ratio, 2)} times the variance that chance explains, ${pValue(x.p_value)}`;
  const first = x.p_value <= LEVEL_OF_RUNS
    ? `Runs differ more than chance explains (${size}): beyond chance the average of a run has a standard deviation of `
      + `${sd}. Intervals and comparisons that account for it: --runs sampled.`
    : `Runs are not shown to differ beyond chance (${size}); the standard deviation of a run's average beyond chance `
      + `is ${sd}.`;
  const place = `${score(Math.abs(x.deviation))} ${x.deviation > 0 ? "above" : "below"} the model's average`;
  const one = `run ${nameOf(x.run)} of ${nameOf(x.model)}, ${place} (${pValue(x.p_run)}, adjusted for the number of `
    + "runs)";
  return [first, ...(x.deviation ? [`The run that stands out most is ${one}.`] : [])];
}

/** null where the log does not state runs. */
export function runs(e, { confidence = 0.95 } = {}) {
  const x = e.runs;
  if (x === null) return null;
  const models = e.models.filter((y) => y.runs).map(termsOf), all = models.flatMap((y) => y.all);
  const variances = models.flatMap((y) => (y.varianceByChance === null ? [] : [y.varianceByChance]));
  const [low, high] = intervalOfSd(x, variances, confidence).map(score);
  const most = new Set([...all].sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, SHOWN));
  const rows = all.filter((y) => most.has(y)), heads = ["trials", "average", "deviation", "chance", "z"];
  const columns = [rows.map((y) => thousands(y.n)), ...["average", "deviation", "chance"].map((name) =>
    aligned(rows.map((y) => score(name === "average" ? y.c / y.n : y[name])))),
      aligned(rows.map((y) => fixed(y.z, 1)))];
  const hidden = all.length > SHOWN ? [`The ${SHOWN} of ${thousands(all.length)} runs that stand out most are shown.`]
    : [];
  const without = e.models.filter((y) => !y.runs).map((y) => y.name);
  return {
    id: "runs", title: title(e, "runs"),
    tables: [{
      caption: "", folded: "The average of each run",
      columns: [{ head: "model", text: true }, { head: "run", text: true }, ...heads.map((head) => ({ head }))],
      rows: rows.map((y, i) => [cell(i && rows[i - 1].name === y.name ? "" : nameOf(y.name)), cell(nameOf(y.run)),
        ...columns.map((column) => cell(column[i]))]),
    }],
    sentences: [...sentencesOf(x, `${score(x.sd)} (${ci(confidence)} ${low} to ${high})`), ...lacking(all), ...hidden],
    notes: [...gaps(e).filter((y) => !/^(Runs|One run)/.test(y)),
      ...(without.length ? [`Without runs that could be compared: ${listed(without)}.`] : [])],
    meanings: [
      "A run is what trials of different questions share: a pass over the benchmark with its seed, server or prompt. "
        + "Its deviation is its average less that of the model, each question by itself, and z the deviation over "
        + "what the trials of each question explain. Here runs come from the column of trials, or from one such as "
        + "run or seed.",
      "The ratio is the variance between runs over that which the trials of each question explain (for outcomes 0 and "
        + "1, Cochran's Q over its degrees of freedom), pooled over the models: 1 if runs do not differ. More "
        + "questions do not average a difference between runs away, more runs do.",
    ],
    command: command(e, ["runs"], "", confidence),
  };
}
