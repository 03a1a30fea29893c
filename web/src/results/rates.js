// Rates from bare counts such as 47/50: their intervals, and whether two of them differ.
import { Counts, compare, interval } from "../numbers/index.js";
import { alpha, bareP, ci, fixed, level, nameOf, thousands, withEnds } from "../words.js";
import { cell, differenceFromHigher, optionOf } from "./base.js";
import { REALISTIC } from "./comparison.js";
import { growth } from "./sizes.js";

/** Counts of independent trials, with one question for each trial. */
const countsOf = ({ c, n }) => Counts.from({ trials: new Array(n).fill(1),
  successes: Array.from({ length: n }, (_, i) => (i < c ? 1 : 0)) });

function sentenceOf(x, groups, confidence, power) {
  const [a, b] = x.mu < 0 ? [...groups].reverse() : groups, size = differenceFromHigher(x, confidence);
  if (x.significant) return `${a} is significantly higher than ${b} at ${alpha(confidence)} (${size}).`;
  const out = `${a} and ${b} are not significantly different at ${alpha(confidence)} (${size}).`,
    times = growth(x.mu, x.sigma, confidence, power);
  if (times === null) return out;
  if (times > REALISTIC) return `${out} No realistic number of trials decides (about ${thousands(fixed(times, 0))} `
    + "times as many would).";
  return `${out} About ${fixed(Math.max(times, 1.1), 1)} times as many trials of both would detect a difference of `
    + `this size with ${level(power)} power.`;
}

/** groups: [{ name, c, n }]; settings: the positions of the two that are compared, and the confidence. */
export function rates(groups, { confidence = 0.95, power = 0.8, first = 0, second = 1 } = {}) {
  const counts = groups.map(countsOf), values = counts.map((R) => interval({ R, questions: "sampled", confidence }));
  const label = ({ name, c, n }) => (name ? `${nameOf(name)} ${c}/${n}` : `${c}/${n}`),
    plain = ({ c, n }) => `${c}/${n}`;
  const cells = withEnds(values, values.map(() => ""));
  const pair = groups.length > 1 && first !== second && counts[first] && counts[second];
  const few = pair && (groups[first].n === 1 || groups[second].n === 1);
  const x = pair && !few ? compare({ A: counts[first], B: counts[second], questions: "sampled", paired: false,
    confidence }) : null;
  const forest = groups.map((group, i) => ({ name: label(group),
    intervals: [{ target: "sampled", mu: values[i].mu, lo: values[i].lo, hi: values[i].hi }] }));
  const tables = [{
    caption: "", columns: [{ head: "group", text: true }, { head: `success rate, ${ci(confidence)}`, text: true }],
    rows: groups.map((group, i) => [cell(label(group)),
      cell(cells[i], { mu: values[i].mu, lo: values[i].lo, hi: values[i].hi })]),
  }];
  if (x) {
    tables.push({
      caption: "", columns: [{ head: `${label(groups[first])} minus ${label(groups[second])}`, text: true },
        { head: "p" }],
      rows: [[cell(withEnds([x], [""])[0], { mu: x.mu, lo: x.lo, hi: x.hi, p: x.p_value }), cell(bareP(x.p_value))]],
    });
  }
  return {
    id: "rates", title: "Success rates from counts", tables,
    forest: { rows: forest, label: "success rate", low: 0, high: 1 },
    sentences: x ? [sentenceOf(x, [first, second].map((i) => label(groups[i])), confidence, power)] : few
      ? ["A group of one trial has no variance: a comparison needs two or more."] : [],
    notes: groups.length > 2
      ? ["Two of several groups are compared: the more pairs you look at, the more differ by chance. A table of "
        + "trials has rank ranges with one error rate for all pairs."] : [],
    meanings: [
      `${ci(confidence)}: a range that covers the rate of the population of which the trials are a sample in about `
        + `${level(confidence)} of samples. Trials are taken as independent: for several trials of a question drop a `
        + "table. Two models on the same questions are compared more precisely by a table of both.",
      "p: how often so large a difference would be seen if both rates were equal. It is significant where p is at "
        + `most ${alpha(confidence)}.`,
    ],
    command: `scorio ${x ? `compare ${plain(groups[first])} ${plain(groups[second])}`
      : `interval ${plain(groups[0])}`}${optionOf(confidence)}`,
  };
}
