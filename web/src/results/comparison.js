// Whether one of two models is better, on these questions and on similar ones, in the sentences of the command.
import { questions_needed, trials_needed } from "../numbers/index.js";
import {
  about, alpha, bareP, capital, ci, fixed, level, nameOf, number, plural, thousands, withEnds,
} from "../words.js";
import {
  MARKS, TARGETS, cell, command, differenceFromHigher, differenceOf, gaps, intervalOf, marks, meaning, metricOf,
  on, optionOfRuns, severalMetrics, title, whereVarianceShows,
} from "./base.js";
import { growth } from "./sizes.js";

export const REALISTIC = 20; // a plan that needs more than this many times the present data is not realistic
const UNGUARDED = "It would not be, if questions that were not sampled could differ by the whole scale (--guard 1).";

const NO_COMMAND = "The command compares averages and Pass@k; sinf.compare in Python has Pass^k. ";

export const ratio = (needed, now) => Math.min(needed, now * 1e15) / now;

/** Present and needed trials per question, or questions, to detect a difference (null: the observed one). */
export function presentAndNeeded(pair, target, power, confidence, difference = null) {
  const options = { R: pair.A, R_b: pair.B, power, confidence, ...(difference === null ? {} : { difference }) };
  if (target === "sampled") {
    return { now: pair.shared, needed: whereVarianceShows(target, () => questions_needed(options).questions) };
  }
  const each = new Set(pair.trials);
  return { now: each.size === 1 ? [...each][0] : null, needed: trials_needed(options).trials };
}

/** What to do where a difference is not significant. */
function nextStep(pair, target, x, power, confidence) {
  const unit = target === "fixed" ? "trial per question" : "question", units = plural(unit);
  const { now, needed } = presentAndNeeded(pair, target, power, confidence);
  const bound = x.variance_source === "upper bound";
  const times = now && needed ? ratio(needed, now) : growth(x.mu, x.sigma, confidence, power);
  if (times === null) return `No number of ${units} can be planned from equal averages. State the difference that `
    + "matters: scorio plan LOG --difference 0.02.";
  if (times > REALISTIC) return `No realistic number of ${units} decides between them (about `
    + `${thousands(fixed(times, 0))} times as many would).`;
  if (needed === null ? times <= 1 : now !== null && needed <= now) {
    return bound && needed !== null ? "A second trial per question would measure the trial-to-trial variance and may "
      + "show a difference." : `They are close to a significant difference: a few more ${units} may show one.`;
  }
  const many = times < 10 ? fixed(times, 1) : about(Math.round(times)).replace("about ", "");
  const amount = needed === null ? `about ${many} times as many ${units} in every benchmark`
    : `${about(needed).replace("about", bound ? "at most" : "about")} ${needed === 1 ? unit : units}`;
  const have = now === null || needed === null ? "" : `, instead of ${thousands(now)},`;
  return `${capital(amount)}${have} would detect a difference of this size with ${level(power)} power.`;
}

/** Which of two models is better, the better one first. */
function claim(pair, x, confidence) {
  const [a, b] = (x.mu < 0 ? [pair.b, pair.a] : [pair.a, pair.b]).map(nameOf);
  const what = x.significant ? `${a} is significantly better than ${b}`
    : `${a} and ${b} are not significantly different`;
  return `${what} at ${alpha(confidence)} (${differenceFromHigher(x, confidence)}).`;
}

export function comparison(e, settings) {
  const { a, b, confidence = 0.95, power = 0.8, onlyShared = false, runs = "fixed" } = settings;
  const m = metricOf(settings), isMean = m.metric === "mean", hasCommand = m.metric !== "pass^k";
  const pair = e.pair(a, b, onlyShared, runs), mean = metricOf({});
  e.checkK(m, [a, b]);
  const single = pair.trials.every((n) => n <= 1), targets = single ? [e.targets[0]] : TARGETS;
  const verdicts = (metric) => targets.flatMap((target) => {
    const x = whereVarianceShows(target, () => differenceOf(pair, metric, target, confidence));
    if (!x) return [];
    const isGuarded = !(x.significant && target === "sampled")
      || differenceOf(pair, metric, target, confidence, 1).significant;
    return [{ target, x, text: claim(pair, x, confidence) + (isGuarded ? "" : ` ${UNGUARDED}`) }];
  });
  const rows = verdicts(m).map((row) => {
    const of = (name, R) => intervalOf(R, m, row.target, confidence, e.sampled(runs, [name]));
    return { ...row, A: of(a, pair.A), B: of(b, pair.B) };
  });
  const sentences = (isMean ? rows : verdicts(mean)).map(({ target, x, text }) => {
    const next = x.significant || runs !== "fixed" ? "" : ` ${nextStep(pair, target, x, power, confidence)}`;
    return `${capital(on(target, runs))}${runs === "fixed" ? "" : ","} ${text}${next}`;
  });
  const each = ["A", "B", "x"].map((name) => withEnds(rows.map((row) => row[name]),
    rows.map((row) => MARKS[row[name].variance_source])));
  const values = ({ mu, lo, hi, sigma, p_value, significant }) => ({ mu, lo, hi, sigma, p: p_value, significant });
  return {
    id: "compare",
    title: title(e, m.title, number(pair.shared, "shared question")),
    tables: [{
      caption: "",
      columns: [{ head: `${m.title}, ${ci(confidence)}`, text: true }, { head: `A: ${nameOf(a)}`, text: true },
        { head: `B: ${nameOf(b)}`, text: true }, { head: "A - B", text: true }, { head: "p" }],
      rows: rows.map((row, i) => [cell(on(row.target, runs)), cell(each[0][i], values(row.A)),
        cell(each[1][i], values(row.B)), cell(each[2][i], { target: row.target, ...values(row.x) }),
        cell(bareP(row.x.p_value))]),
    }],
    forest: {
      rows: rows.map(({ target, x }) => ({ name: on(target, runs),
        intervals: [{ target, mu: x.mu, lo: x.lo, hi: x.hi }] })),
      label: `${m.title} of ${nameOf(a)} minus that of ${nameOf(b)}`,
      lines: [{ at: 0, label: "equal" }], low: -1, high: 1,
    },
    headlines: isMean ? [] : [...rows.map(({ target, text }) => `${m.title} ${on(target, runs)}: ${text}`),
      "Of the averages:"],
    sentences,
    notes: [...marks(rows.map((row) => row.x.variance_source)),
      ...severalMetrics(m).map((x) => (hasCommand ? "" : NO_COMMAND) + x),
      ...gaps(e, { names: [a, b], unshared: pair.unshared, fixed: !single, runs })],
    meanings: [
      "p: two-sided p-value of the difference: how often so large a difference would be seen if the models were "
        + `equally good. The difference is significant where p is at most ${alpha(confidence)}, which is exactly when `
        + "its interval excludes 0.",
      ...targets.map((x) => meaning(x, confidence, runs)),
    ],
    command: command(e, ["compare", a, b],
      (m.k && hasCommand ? ` --k ${m.k}` : "") + optionOfRuns(runs)
        + (Object.keys(pair.unshared).length ? " --shared" : ""), confidence),
  };
}
