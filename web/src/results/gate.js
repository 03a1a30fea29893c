// Whether a candidate may replace a baseline, or scores more than a number: pass, fail or inconclusive.
import { Counts, InvalidInput, gate as decide } from "../numbers/index.js";
import { about, bareP, capital, ci, ends, fixed, general, level, nameOf, number, pValue, plural, score,
  thousands } from "../words.js";
import { argumentsOf, cell, command, gaps, metricOf, on, optionOfRuns, scope, severalMetrics,
  whereVarianceShows } from "./base.js";
import { REALISTIC } from "./comparison.js";

const LOWER_GUARDS = [0.5, 0.25, 0.1, 0.05];
const WIDER = "The interval may be wider than that of the leaderboard or the comparison: since the verdict rests on "
  + "it, it also allows for failures that so few questions and trials may not have shown.";
const inverted = (confidence) => `The ${ci(confidence)} of the gate is not that of the comparison: it inverts the `
  + "gate's test, and so moves with the margin.";

/** The largest difference of the two models on a question; with "fixed", of two trials of a question. */
function largestSeen(e, names, target, shared) {
  const of = names.map((name) => {
    const { index, n, c } = e.byName.get(name);
    return new Map(index.flatMap((q, j) => (n[j] > 0 && (!shared || shared.has(q)) ? [[q, [n[j], c[j]]]] : [])));
  });
  if (target === "fixed") return of.some((x) => [...x.values()].some(([n, c]) => c > 0 && c < n)) ? 1 : 0;
  const rate = ([n, c]) => c / n;
  return ends([0, ...[...of[0]].map(([q, x]) => Math.abs(rate(x) - (of[1] ? rate(of[1].get(q)) : 1)))])[1];
}

function claim({ a, b, atLeast, size }) {
  if (atLeast !== null) {
    const good = `${a} scores more than ${size}`;
    return { pass: good, fail: `${a} scores less than ${size}`, inconclusive: `whether ${good} cannot be decided yet` };
  }
  return {
    pass: `${a} is non-inferior to ${b} by the margin of ${size}`,
      fail: `${a} is worse than ${b} by more than the margin of ${size}`,
    inconclusive: `whether ${a} is worse than ${b} by the margin of ${size} or more cannot be decided yet`,
  };
}

function nextStep(x, target, trials, questions, { atLeast, threshold, power }) {
  const unit = target === "fixed" ? "trial per question" : "question", units = plural(unit);
  const needed = target === "fixed" ? x.trials_needed : x.questions_needed;
  const [value, reference] = atLeast === null ? ["difference", "margin"] : ["score", "number"];
  const [more, now] = x.trials_needed ? [x.trials_needed, trials] : [x.questions_needed, questions];
  const growth = more ? more / now : null;
  if (growth !== null && growth > REALISTIC) {
    return `No realistic number of ${units} would decide (about ${thousands(fixed(growth, 0))} times as many): the `
      + `${value} is too near to ${threshold}. Choose another ${reference}.`;
  }
  if (growth !== null && growth <= 1) return `A few more ${units} may decide.`;
  if (needed === null) return `How many ${units} would decide is not known from these outcomes.`;
  return `${capital(about(needed))} ${needed === 1 ? unit : units} would decide with ${level(power)} power, if the `
    + `${value} is the observed one.`;
}

/** settings: a, b and margin; or a and atLeast, the score that it is to exceed; target. */
export function gate(e, settings) {
  const { a, b, margin = null, confidence = 0.95, power = 0.8, onlyShared = false, runs = "fixed" } = settings;
  const atLeast = settings.atLeast ?? null, m = metricOf(settings), isOne = atLeast !== null;
  if (!isOne && !(margin > 0 && margin < 1)) {
    throw new InvalidInput("range", "margin", `the acceptable loss, ${margin}, is not strictly between 0 and 1`);
  }
  if (isOne && !(atLeast > 0 && atLeast < 1)) {
    const meant = atLeast > 1 && atLeast < 100 ? `: did you mean ${general(atLeast / 100, 10)}?` : "";
    throw new InvalidInput("range", "at_least",
      `the score to exceed, ${atLeast}, is not strictly between 0 and 1${meant}`);
  }
  const pair = isOne ? null : e.pair(a, b, onlyShared, runs), candidate = isOne ? e.counts(a) : pair.A;
  const trialsOf = isOne ? e.trials(a) : pair.trials.slice(0, pair.shared), n = trialsOf.length;
  const ids = isOne ? [...e.answeredBy(a)].map((q) => e.questions[q]) : [];
  const baseline = isOne ? Counts.from({ trials: trialsOf, successes: trialsOf, ids }) : pair.B;
  const single = (isOne ? trialsOf : pair.trials).every((x) => x <= 1), names = isOne ? [a] : [a, b];
  const usual = e.targets[0], target = settings.target ?? usual, size = general(isOne ? atLeast : margin, 10);
  e.checkK(m, names);
  const ofRuns = isOne ? e.sampled(runs, [a, ""]) : pair.runs;
  const run = (questions, guard = 1) => {
    const allowed = { margin: isOne ? 1 - atLeast : margin, questions, confidence, power, guard, runs: ofRuns };
    const x = decide({ candidate, baseline, ...argumentsOf(m), ...allowed });
    return isOne ? { ...x, mu: 1 + x.mu, lo: 1 + x.lo, hi: Math.min(1, 1 + x.hi), worse: false } : x;
  };
  const x = run(target), words = { a: nameOf(a), b: nameOf(b ?? ""), atLeast, size };
  const threshold = general(isOne ? atLeast : -margin, 10);
  const difference = (y) => `${score(y.mu)}, ${ci(confidence)} of the gate ${score(y.lo)} to ${score(y.hi)}`;
  const nothing = `${isOne ? `the score were ${threshold} or less` : "the candidate were worse by the margin"}: at `
    + `most ${general((1 - confidence) / 2, 10)} is needed`;
  const end = { pass: "above", fail: "below", inconclusive: "which contains" }[x.verdict];
  const quantity = isOne ? m.gate : `${m.gate}, difference`;
  const sentences = [`${x.verdict.toUpperCase()}: ${claim(words)[x.verdict]} (${quantity} ${difference(x)}, ${end} `
    + `${threshold}).`];
  if (x.verdict === "inconclusive") {
    sentences.push(nextStep(x, target, ends(trialsOf)[0], n, { atLeast, threshold, power }));
    const seen = largestSeen(e, names, target, pair?.questions);
    const lower = m.metric !== "mean" ? null : LOWER_GUARDS.filter((g) => seen <= g)
      .map((g) => [g, run(target, g).verdict]).find(([, y]) => y !== "inconclusive");
    if (lower) sentences.push(`If no question or trial that was not seen differs by more than ${lower[0]} of the `
      + `scale, this is a ${lower[1]}: --guard ${lower[0]}.`);
  }
  if (x.worse && x.verdict !== "fail") {
    sentences.push(`Note: the whole interval is below 0, so ${words.a} is significantly worse than ${words.b}.`);
  }
  const otherTarget = target === "fixed" ? "sampled" : "fixed";
  const other = single ? null : whereVarianceShows(otherTarget, () => run(otherTarget));
  if (other) sentences.push(`For comparison, ${on(otherTarget, runs)}: ${other.verdict} (${isOne ? "" : "difference "}`
    + `${difference(other)}; ${pValue(other.p_worse)}, if ${nothing}).`);
  const { verdict, mu, lo, hi, sigma, p_worse: p } = x, wrong = level((1 - confidence) / 2);
  const rows = [["candidate", words.a], ...(isOne ? [] : [["baseline", words.b]]), ["metric", m.gate],
    [isOne ? "at least" : "margin", size], [isOne ? "score" : "difference", difference(x)],
    ["p-value", `${bareP(p)}, if ${nothing}`], ["about", scope(target, runs)]];
  const numbers = (name) => (["score", "difference"].includes(name) ? { target, verdict, mu, lo, hi, sigma, p } : {});
  const [bad, good] = isOne ? [`whose score is ${threshold} or less`, "one whose score is more"]
    : ["that is worse by the margin or more", "any other one"];
  const onShared = pair && Object.keys(pair.unshared).length ? " --shared" : "";
  return {
    id: "gate", verdict,
    title: `Gate on ${number(n, isOne ? "question" : "shared question")}: ${verdict.toUpperCase()}`,
    tables: [{ caption: "", columns: [{ head: "", text: true }, { head: "", text: true }],
      rows: rows.map(([name, text]) => [cell(name), cell(text, numbers(name))]) }],
    forest: {
      rows: [[target, x], [otherTarget, other]].filter(([, y]) => y)
        .map(([t, y]) => ({ name: on(t, runs), intervals: [{ target: t, mu: y.mu, lo: y.lo, hi: y.hi }] })),
      label: isOne ? m.gate : `${m.gate} of ${words.a} minus that of ${words.b}`,
      lines: [{ at: isOne ? atLeast : -margin, label: isOne ? "at least" : "margin" },
        ...(isOne ? [] : [{ at: 0, label: "equal" }])], low: isOne ? 0 : -1, high: 1,
    },
    sentences,
    notes: [...(isOne ? [] : [inverted(confidence)]), ...gaps(e, { names, unshared: pair?.unshared, runs,
      fixed: target === "fixed" || Boolean(other) })],
    meanings: [
      `pass: the whole interval is above ${threshold}. fail: it is below. inconclusive: it contains ${threshold}. `
        + "Exit codes of the command: 0, 1, 3.",
      `Nominal error rates: a model ${bad} passes with a probability of at most ${wrong}, ${good} fails with at most `
        + `${wrong}.`, WIDER, ...severalMetrics(m),
    ],
    command: command(e, ["gate", ...names], `${isOne ? " --at-least" : " --margin"} ${size}${m.option}`
      + `${target === usual ? "" : ` --questions ${target}`}${optionOfRuns(runs)}${onShared}`, confidence),
  };
}
