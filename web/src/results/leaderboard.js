// Each model's average, or Pass@k, with intervals and rank ranges for both targets.
import { compare, ranges } from "../numbers/index.js";
import { aligned, alpha, ci, ends, level, listed, nameOf, score, span, thousands } from "../words.js";
import {
  MARKS, argumentsOf, cell, command, differenceOf, differentQuestions, gaps, intervalOf, marks, meaning, metricOf,
  on, optionOfRuns, title, whereVarianceShows,
} from "./base.js";
import { quantile } from "./sizes.js";

const MOST_RANKED = 200; // most models of which all pairs are compared
const FEWEST = 5; // models of a leaderboard whose first score is reported to be selected

/** Rank ranges from the pairs that can be compared, their p-values adjusted by Holm's method. */
function rangesOfPairs(e, m, questions, confidence, runs) {
  const L = e.answered.length, pairs = [], best = new Array(L).fill(1), worst = new Array(L).fill(L);
  for (let a = 0; a < L; a++) {
    for (let b = a + 1; b < L; b++) {
      const names = [a, b].map((i) => e.answered[i]), [A, B] = names.map((x) => e.counts(x));
      const ofRuns = e.sampled(runs, names);
      try {
        pairs.push({ a, b, ...compare({ A, B, ...argumentsOf(m), questions, confidence, runs: ofRuns,
          missing: "drop" }) });
      } catch (error) {
        if (!error.code) throw error;
      }
    }
  }
  let adjusted = 0;
  for (const [i, x] of pairs.sort((x, y) => x.p_value - y.p_value).entries()) {
    adjusted = Math.max(adjusted, Math.min(1, (pairs.length - i) * x.p_value));
    if (adjusted > 1 - confidence) break;
    best[x.mu > 0 ? x.b : x.a] += 1;
    worst[x.mu > 0 ? x.a : x.b] -= 1;
  }
  return { best, worst };
}

/** Rank ranges of the models; null for fewer than two, too many, or two that share too few questions. */
function rangesOf(e, m, questions, confidence, runs) {
  if (e.answered.length < 2 || e.answered.length > MOST_RANKED) return null;
  const models = new Map(e.answered.map((x) => [x, e.counts(x)]));
  try {
    return ranges({ models, ...argumentsOf(m), questions, confidence, runs: e.sampled(runs, e.answered),
      missing: "drop" });
  } catch (error) {
    if (!error.code) throw error;
    return e.answered.length > 2 ? rangesOfPairs(e, m, questions, confidence, runs) : null;
  }
}

/** Note that the first of five or more averages is selected: commands/leaderboard.py says how. */
function selection(e, m, rows, confidence, runs) {
  const L = rows.length;
  if (L < FEWEST || m.metric !== "mean") return [];
  let pair;
  try {
    pair = differenceOf(e.pair(rows[0].name, rows[1].name, true, runs), m, e.targets[0], confidence);
  } catch {
    return [];
  }
  const s = pair.sigma / Math.SQRT2, averages = rows.map((x) => x.mu), mean = averages.reduce((a, b) => a + b, 0) / L;
  const spread = averages.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const kept = spread ? Math.max(0, 1 - ((L - 3) * s * s) / spread) : 0;
  const bias = s * quantile((L - 0.375) / (L + 0.25));
  if (!bias) return [];
  return [`The first score is the highest of ${L}: if these models were equally good, it would be too high by about `
    + `${score(bias)}. Shrunken to their mean (James-Stein) it is ${score(mean + kept * (rows[0].mu - mean))}.`];
}

export function leaderboard(e, settings) {
  const { confidence = 0.95, runs = "fixed" } = settings, m = metricOf(settings);
  e.checkK(m, e.answered);
  const byTarget = e.targets.map((target) => ({
    target,
    intervals: new Map(e.answered.map((x) => [x,
      whereVarianceShows(target, () => intervalOf(e.counts(x), m, target, confidence, e.sampled(runs, [x])))])),
    ranges: whereVarianceShows(target, () => rangesOf(e, m, target, confidence, runs)),
  })).filter((x) => [...x.intervals.values()].every((y) => y));
  const first = byTarget[0].intervals;
  const order = [...e.answered].sort((a, b) => first.get(b).mu - first.get(a).mu || (a < b ? -1 : 1));
  const rows = order.map((name) => ({ name, mu: first.get(name).mu }));
  const rank = (x) => 1 + rows.findIndex((y) => y.mu === x.mu);
  const mu = aligned(rows.map((x) => score(x.mu)));
  const sources = byTarget.flatMap((x) => [...x.intervals.values()].map((y) => y.variance_source));
  const columns = [{ head: "#" }, { head: "model", text: true }, { head: m.title }];
  const cells = rows.map((x, i) => [cell(rank(x)), cell(nameOf(x.name)), cell(mu[i], { mu: x.mu })]);
  const forest = rows.map((x) => ({ name: nameOf(x.name), intervals: [] }));
  for (const { target, intervals, ranges: found } of byTarget) {
    const values = order.map((x) => intervals.get(x));
    const kinds = new Set(values.map((y) => y.variance_source)), mark = kinds.size > 1 ? "" : MARKS[[...kinds][0]];
    columns.push({ head: `${ci(confidence)} ${on(target, runs)}${mark && ` ${mark}`}`, text: true });
    const [lo, hi] = ["lo", "hi"].map((end) => aligned(values.map((y) => score(y[end]))));
    values.forEach(({ sigma, ...y }, i) => {
      cells[i].push(cell(`[${lo[i]}, ${hi[i]}]${mark ? "" : MARKS[y.variance_source]}`,
        { target, lo: y.lo, hi: y.hi, sigma }));
      forest[i].intervals.push({ target, mu: y.mu, lo: y.lo, hi: y.hi });
    });
    if (!found) continue;
    columns.push({ head: `ranks ${on(target, runs)}` });
    order.forEach((x, i) => {
      const at = e.answered.indexOf(x), [best, worst] = [found.best[at], found.worst[at]];
      cells[i].push(cell(span(best, worst, "-"), { target, best, worst }));
    });
  }
  const without = e.names.filter((x) => !e.answered.includes(x)), ranked = byTarget.some((x) => x.ranges);
  const options = `${m.metric === "mean" ? "" : ` --ranks${m.option}`}${optionOfRuns(runs)}`;
  const hasSizes = new Set(e.models.map((x) => `${x.index.length} ${ends(x.n)}`)).size > 1;
  if (hasSizes) {
    columns.splice(2, 0, { head: "questions" }, { head: "trials" });
    order.forEach((x, i) => {
      const n = e.trials(x);
      cells[i].splice(2, 0, cell(thousands(n.length)), cell(span(...ends(n))));
    });
  }
  return {
    id: "leaderboard",
    title: title(e, m.title === "average" ? "averages of the models" : m.title),
    tables: [{ caption: "", columns, rows: cells }],
    forest: { rows: forest, label: m.title, low: 0, high: 1 },
    sentences: [],
    notes: [...(without.length ? [`Left out: ${listed(without)}, without a trial.`] : []), ...marks(sources),
      ...selection(e, m, rows, confidence, runs), ...differentQuestions(e),
      ...gaps(e, { runs })],
    meanings: [
      ...byTarget.map((x) => meaning(x.target, confidence, runs)),
      ...(ranked
        ? ["Ranks: from 1 + the number of significantly better models to the number of models that are not "
          + `significantly worse (at ${alpha(confidence)}, one error rate for all pairs, by Holm's method).`] : []),
      ...(m.metric === "pass@k"
        ? [`Pass@${m.k}: the probability that at least one of ${m.k} trials of a question succeeds.`] : []),
      ...(m.metric === "pass^k" ? [`Pass^${m.k}: the probability that all of ${m.k} trials of a question succeed.`]
        : []),
      `${level(confidence)} is what the intervals aim at; how often they covered in simulations is in the manual.`,
    ],
    command: [
      command(e, ["leaderboard"], options, confidence),
      ...(byTarget.length > 1 ? [command(e, ["leaderboard"], `${options} --questions sampled`, confidence)] : []),
    ].join("\n"),
  };
}
