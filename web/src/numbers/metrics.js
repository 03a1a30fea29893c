// Metrics of k trials: their names and options, the value of a question, and its variance over trials.
//
// A metric has k, the highest category C, low and span of its scale, and, on the scale 0..1: value(row) of the counts
// of a question, variance(row) for rows of 2k trials or more, jackknife(row) for fewer, and step(n), its largest step.

import { ONE, Q, ZERO, comb, gcd, highest, lowest, num, ratio } from "./arithmetic.js";
import { choice, integer, policy, real, refuse, scores, show } from "./arguments.js";
import { remembered, tallied } from "./maps.js";
import { trials } from "./outcomes.js";

const ALIASES = { avg: "mean", "pass@k": "pass_at_k", "pass^k": "pass_hat_k" };
const TAKES = { mean: ["w"], pass_at_k: ["k"], pass_hat_k: ["k"] };

/** The metric of a call. */
export function parseMetric({ metric, k, tau, w }) {
  if (typeof metric !== "string") refuse("type", "metric", `${show(metric)} is not a text`);
  const stated = /^(.*[@^_-])([0-9]{1,9})$/s.exec(metric), written = stated ? `${stated[1].toLowerCase()}k` : metric;
  const name = Object.hasOwn(ALIASES, written) ? ALIASES[written] : written;
  if (!Object.hasOwn(TAKES, name)) {
    choice(metric, "metric", Object.keys(TAKES));
    refuse("choice", "metric", `${show(metric)} is not a metric of this function`);
  }
  if (stated && TAKES[name].includes("k")) {
    const inName = Number(stated[2]);
    if (k !== null && integer(k, "k", { min: 1, max: 1e7 }) !== inName)
      refuse("conflict", "k", `${k}, and the metric ${metric} states another`);
    k = inName;
  }
  for (const [option, value] of Object.entries({ k, tau, w })) {
    if (value !== null && !TAKES[name].includes(option))
      refuse("conflict", option, `the metric ${name} does not take it`);
  }
  if (name === "mean") return new Mean(scores(w));
  k = integer(k, "k", { min: 1, max: 1e7, nullable: false });
  return name === "pass_at_k" ? new PassAtK(k) : new PassHatK(k);
}

/** The defaults of what most calls share. */
export const COMMON = { metric: "mean", k: null, tau: null, w: null, questions: undefined, runs: "fixed",
  confidence: 0.95, clusters: null, model: "mixture", missing: "raise" };

/** What most calls share, checked: metric, target, confidence c, guard, model of rates, policy for missing outcomes. */
export function readCall(given, bounds = false) {
  const metric = parseMetric(given);
  return {
    metric,
    fixed: "questions" in given && choice(given.questions, "questions", ["fixed", "sampled"]) === "fixed",
    c: num(real(given.confidence, "confidence", { above: 0, below: 1 })),
    guard: "guard" in given ? num(real(given.guard, "guard", { min: 0, max: 1 })) : ZERO,
    model: choice(given.model, "model", ["mixture", null]),
    missing: policy(given.missing, { C: metric.C, bounds }),
  };
}

/** The mean score. */
class Mean {
  constructor(w) {
    this.name = "mean";
    this.k = 1;
    const exact = (w ?? [0, 1]).map(num);
    const scale = exact.reduce((d, x) => (x.d > d ? x.d : d), 1n); // denominators are powers of 2
    const whole = exact.map((x) => x.n * (scale / x.d)), [low, high] = [lowest(whole), highest(whole)];
    this.C = whole.length - 1;
    [this.lowest, this.highest] = [whole.indexOf(low), whole.indexOf(high)]; // categories
    this.scored = w !== null;
    this.low = new Q(low, scale).reduced();
    this.span = new Q(high - low, scale).reduced();
    const step = whole.reduce((g, x) => gcd(g, x - low), 0n) || 1n;
    this.u = whole.map((x) => (x - low) / step); // scores on the scale 0..1 as multiples of 1/unit
    this.unit = (high - low) / step || 1n;
  }

  /** Sum of the scores of a row, and of their squares. */
  sums(row) {
    let [total, squares] = [0n, 0n];
    row.forEach((n, j) => {
      if (n) {
        total += BigInt(n) * this.u[j];
        squares += BigInt(n) * this.u[j] * this.u[j];
      }
    });
    return [total, squares];
  }

  value(row) {
    return Q.of(this.sums(row)[0], BigInt(trials(row)) * this.unit);
  }

  variance(row) {
    const n = BigInt(trials(row)), [total, squares] = this.sums(row);
    return Q.of(n * squares - total * total, n * n * (n - 1n) * this.unit * this.unit);
  }

  step(n) {
    return ratio(1, n);
  }
}

/** The share of blocks of k of n trials that lie within b of them. */
export const within = (b, n, k) => Q.of(comb(b, k), comb(n, k));

export class PassAtK {
  constructor(k) {
    Object.assign(this, { name: "pass_at_k", k, C: 1, lowest: 0, highest: 1, low: ZERO, span: ONE, values: new Map(),
      variances: new Map() });
  }

  value(row) {
    return this.expected(trials(row), row[1]);
  }

  variance(row) {
    return remembered(this.variances, `${row}`, () => this.twoBlocks(trials(row), row[1]));
  }

  jackknife(row) {
    const [n, c] = [trials(row), row[1]];
    if (c === 0 || c === n) return ZERO;
    const difference = this.expected(n - 1, c).minus(this.expected(n - 1, c - 1));
    return difference.squared().times(BigInt(n - 1) * BigInt(c) * BigInt(n - c)).over(BigInt(n) * BigInt(n));
  }

  /** The number of trials within which a block lies whose credit is 0; of Pass^k, is 1. */
  block(n, c) {
    return n - c;
  }

  expected(n, c) {
    return remembered(this.values, `${n},${c}`, () => ONE.minus(within(n - c, n, this.k)));
  }

  twoBlocks(n, c) {
    const b = this.block(n, c);
    return within(b, n, this.k).squared().minus(within(b, n, 2 * this.k));
  }

  sharing(row, c) {
    const n = trials(row);
    return ONE.minus(within(row[0], n, this.k).times(2)).plus(within(row[0], n, 2 * this.k - c));
  }

  step(n) {
    return ratio(this.k, n);
  }
}

export class PassHatK extends PassAtK {
  constructor(k) {
    super(k);
    this.name = "pass_hat_k";
  }

  block(n, c) {
    return c;
  }

  expected(n, c) {
    return remembered(this.values, `${n},${c}`, () => within(c, n, this.k));
  }

  sharing(row, c) {
    return within(row[1], trials(row), 2 * this.k - c);
  }
}

/** Refuses a k for which the variances take more than 10^8 steps. */
export function checkSteps(metric, rows, model) {
  if (metric.name === "mean") return;
  const different = tallied([...new Set(rows.map((row) => `${trials(row)},${row[1]}`))].map(parseFloat));
  let steps = 0;
  for (const [n, found] of different) { // different numbers of successes of n trials
    steps += found * Math.min(metric.k, Math.floor(Math.sqrt(4096 * n)));
    const J = 7 + Math.floor(Math.sqrt(9 * n - 1));
    if (model && n < 2 * metric.k) steps += (n + 1) * J + Math.floor(J ** 3 / 10);
  }
  if (steps > 1e8) refuse("range", "k", `${metric.k}: the variances would take ${steps} steps, more than 10^8`);
}
