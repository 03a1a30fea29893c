// How many trials, or questions, would show a difference between each model and the next one below it.
import { InvalidInput } from "../numbers/index.js";
import { aligned, alpha, ends, fixed, general, level, listed, nameOf, score, span, thousands } from "../words.js";
import { ON, cell, command, differenceOf, differentQuestions, gaps, metricOf, title,
  whereVarianceShows } from "./base.js";
import { REALISTIC, presentAndNeeded, ratio } from "./comparison.js";
import { detectable } from "./sizes.js";

const many = (x) => (x === null ? "" : x < 1e15 ? thousands(x) : x.toExponential(1));
const needed = (row) => (row.trials === null ? "never"
  : `${row.bound && row.trials > 1 ? "<=" : ""}${many(row.trials)}`);

function rowOf(e, a, b, { difference, power, confidence }) {
  const pair = e.pair(a, b, true), m = metricOf({});
  const fixedOnes = presentAndNeeded(pair, "fixed", power, confidence, difference);
  const sampled = presentAndNeeded(pair, "sampled", power, confidence, difference);
  const sizes = [fixedOnes.now && fixedOnes.needed && ratio(fixedOnes.needed, fixedOnes.now), sampled.needed
    && ratio(sampled.needed, sampled.now)];
  const x = ["fixed", "sampled"].map((target) => whereVarianceShows(target,
    () => differenceOf(pair, m, target, confidence)));
  const [least, most] = ends(pair.trials);
  if (fixedOnes.now === null && fixedOnes.needed) sizes[0] = ratio(fixedOnes.needed, least);
  return {
    a, b, difference: difference ?? x[0].mu, least, most, bound: least === 1, trials: fixedOnes.needed,
      now: sampled.now, questions: sampled.needed,
    detectable: x.map((y) => y && detectable(y.sigma, confidence, power)), times: Math.min(...sizes.filter((y) => y)),
  };
}

function undecidable(e, rows, power) {
  const far = rows.filter((x) => x.times > REALISTIC && x.times < Infinity);
  if (!far.length) return [];
  const names = listed(far.map((x) => `${x.a} and ${x.b}${e.task && ` in ${e.task}`}`), 3, "other pair");
  const amount = far.length === 1 ? `${thousands(fixed(far[0].times, 0))} times as much.`
    : `more than ${REALISTIC} times as much each.`;
  const found = [0, 1].map((i) => Math.max(...far.map((x) => x.detectable[i] ?? Infinity)));
  const each = ["fixed", "sampled"].flatMap((target, i) => (found[i] < Infinity
    ? [`${general(found[i], 2)} ${ON[target]}`] : []));
  const now = each.length
    ? ` The present data detect a difference of ${each.join(" and of ")} with ${level(power)} power.` : "";
  return [`Cannot be decided with a realistic amount of data: ${names} need ${amount}${now}`];
}

export function plan(e, settings) {
  const { confidence = 0.95, power = 0.8 } = settings, difference = settings.difference ?? null;
  if (e.answered.length < 2) throw new InvalidInput("shape", "logs",
    `the log has one model, ${nameOf(e.names[0])}: at least two are needed`);
  if (difference !== null && !(difference > 0 && difference < 1)) throw new InvalidInput("range", "difference",
    `the difference to detect, ${difference}, is not strictly between 0 and 1`);
  const mean = new Map(e.answered.map((x) => [x, e.average(x)]));
  const order = [...e.answered].sort((a, b) => mean.get(b) - mean.get(a) || (a < b ? -1 : 1));
  const rows = order.slice(1).map((b, i) => rowOf(e, order[i], b, { difference, power, confidence }));
  const averages = aligned(order.map((x) => score(mean.get(x)))),
    gapsOf = aligned(rows.map((x) => score(x.difference)));
  const cells = order.map((x, i) => {
    const row = rows[i], values = row ? { difference: row.difference, trials: row.trials, questions: row.questions }
      : {};
    const sizes = row ? [gapsOf[i], span(row.least, row.most), needed(row), many(row.now), many(row.questions)]
      : ["", "", "", "", ""];
    return [cell(nameOf(x)), cell(averages[i]), ...sizes.map((text, j) => cell(text, j ? {} : values))];
  });
  const which = difference === null ? "the observed difference" : `a difference of ${general(difference, 10)}`;
  const sentence = difference === null && rows.every((x) => x.difference === 0)
    ? "Never: the averages are equal. State the difference that matters: --difference 0.02."
    : `Needed, in total: the trials per question, or the questions, at which ${which} between a model and the next `
      + `one below would be detected with ${level(power)} power by a comparison at the ${alpha(confidence)} level.`;
  const heads = ["average", difference === null ? "better than next by" : "difference to detect", "trials now",
    "trials needed", "questions now", "questions needed"];
  return {
    id: "plan",
    title: title(e, "a plan"),
    tables: [{ caption: "", columns: [{ head: "model", text: true }, ...heads.map((head) => ({ head }))],
      rows: cells }],
    sentences: [sentence, ...undecidable(e, rows, power)],
    notes: [...differentQuestions(e), ...gaps(e, { fixed: !e.allSingle })],
    meanings: [
      "trials needed: per question, to detect that these models differ on these questions; questions needed: with the "
        + "present trials of each, to detect it on similar questions too.",
      ...(difference === null ? ["An observed difference is itself an estimate: state the one that matters."] : []),
      ...(rows.some((x) => x.bound)
        ? ["<= : questions have one trial, which cannot measure their trial-to-trial variance; an upper bound "
          + "is used, so fewer trials may suffice."] : []),
    ],
    command: command(e, ["plan"], `${difference === null ? "" : ` --difference ${general(difference,
      10)}`}${power === 0.8 ? "" : ` --power ${power}`}`, confidence),
  };
}
