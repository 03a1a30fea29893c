// Whether the runs of an evaluation (passes over the benchmark, with their seed, prompt or server) agree.
import { aligned, fixed, listed, nameOf, pValue, score, thousands } from "../words.js";
import { LEVEL_OF_RUNS, cell, command, gaps, title } from "./base.js";

const SHOWN = 40; // runs of the table

function averages(e) {
  return e.models.filter((x) => x.runs).flatMap(({ name, runs }) => {
    const of = new Map();
    runs.outcomes.forEach((y, i) => {
      const run = runs.names[i % runs.names.length], x = of.get(run) ?? of.set(run, { name, run, n: 0, c: 0 }).get(run);
      if (y >= 0) [x.n, x.c] = [x.n + 1, x.c + y];
    });
    return [...of.values()].filter((x) => x.n);
  });
}

/** Runs that lack outcomes which others of the model have. */
function lacking(rows) {
  const most = (name) => Math.max(...rows.filter((x) => x.name === name).map((x) => x.n));
  const few = rows.filter((x) => x.n < most(x.name)).map((x) => `${nameOf(x.run)} of ${nameOf(x.name)} `
    + `(${thousands(x.n)} of ${thousands(most(x.name))})`);
  return few.length ? [`Runs with fewer outcomes than others: ${listed(few, 5)}.`] : [];
}

/** null where the log does not state runs. */
export function runs(e) {
  const x = e.runs;
  if (x === null) return null;
  const rows = averages(e), size = `${fixed(x.ratio, 2)} times the variance that chance explains, ${pValue(x.p_value)}`;
  const unknown = x.p_value === 1 && x.ratio === 1 && x.sd === 0 && x.deviation === 0;
  const first = x.p_value <= LEVEL_OF_RUNS
    ? `Runs differ more than chance explains (${size}): beyond chance the average of a run has a standard deviation of `
      + `${score(x.sd)}. Intervals and comparisons that account for it: --runs sampled.`
    : `Runs are not shown to differ beyond chance (${size}); the standard deviation of a run's average beyond chance `
      + `is ${score(x.sd)}.`;
  const one = `The run that stands out most is run ${nameOf(x.run)} of ${nameOf(x.model)}, `
    + `${score(Math.abs(x.deviation))} ${x.deviation > 0 ? "above" : "below"} the model's average (${pValue(x.p_run)}, `
    + `adjusted for the number of runs).`;
  const sentences = unknown ? ["No question has different outcomes in two runs: how much runs differ is not known."]
    : [first, ...(x.deviation ? [one] : [])];
  const mean = aligned(rows.map((row) => score(row.c / row.n)));
  const hidden = rows.length > SHOWN ? [`The first ${SHOWN} of ${thousands(rows.length)} runs are shown.`] : [];
  const without = e.models.filter((y) => !y.runs).map((y) => y.name);
  return {
    id: "runs", title: title(e, "runs"),
    tables: [{
      caption: "", folded: "The average of each run",
        columns: [{ head: "model", text: true }, { head: "run", text: true }, { head: "trials" }, { head: "average" }],
      rows: rows.slice(0, SHOWN).map((row, i) => [cell(i && rows[i - 1].name === row.name ? "" : nameOf(row.name)),
        cell(nameOf(row.run)), cell(thousands(row.n)), cell(mean[i])]),
    }],
    data: { ratio: x.ratio, df: x.df, p: x.p_value, sd: x.sd, run: x.run, model: x.model, deviation: x.deviation,
      pRun: x.p_run },
    sentences: [...sentences, ...lacking(rows), ...hidden],
    notes: [...gaps(e).filter((y) => !/^(Runs|One run)/.test(y)),
      ...(without.length ? [`Without runs that could be compared: ${listed(without)}.`] : [])],
    meanings: [
      "A run is what trials of different questions share: a pass over the benchmark with its seed, server or prompt. "
        + "Here they come from the column of trials, or from a column such as run or seed.",
      "The ratio is the variance between runs over that which the trials of each question explain (for outcomes 0 and "
        + "1, Cochran's Q over its degrees of freedom), pooled over the models: 1 if runs do not differ. More "
        + "questions do not average a difference between runs away, more runs do.",
    ],
    command: command(e, ["runs"]),
  };
}
