// Variance components of one model and of a pair, and degrees of freedom (spec/families/intervals.md, comparisons.md).
//
// Questions with the same counts are one state: sums over questions are sums over states with multiplicities.

import { ONE, Q, ZERO, highest, larger, lowest, num, ratio, smaller, sum } from "./arithmetic.js";
import { refuse } from "./arguments.js";
import { numbersOf, remembered, tallied } from "./maps.js";
import { checkSteps } from "./metrics.js";
import { modelledVariances } from "./mixture.js";
import { trials } from "./outcomes.js";

export const MAX_DF = num(1e6);
const NORMAL_DF = num(30);
export const SOURCES = ["measured", "modelled", "upper bound"]; // sources of a variance, the most reliable first

/**
 * The estimates of one model, on the scale 0..1: theta, S, E, s, V_fixed, 1/n0, and of each question its state.
 *
 * rows: counts of questions that have a trial. names: the arguments that an error names, R the outcomes of the model.
 */
export class Estimator {
  constructor(rows, metric, model, name) {
    Object.assign(this, { metric, M: rows.length, k: metric.k, n: rows.map(trials) });
    const fewest = lowest(this.n);
    if (fewest < this.k) {
      refuse("range", "k", `${this.k}, but question ${this.n.indexOf(fewest)} of ${name} has ${fewest} trials`);
    }
    checkSteps(metric, rows, model);
    this.fewest = fewest;
    this.findStates(rows);
    const { states } = this, few = (x) => x.n < 2 * this.k;
    states.forEach((x) => { x.unknown = x.n === 1 || (model === null && x.n <= this.k); });
    this.allUnknown = states.every((x) => x.unknown);
    const someUnknown = states.some((x) => x.unknown), someFew = states.some(few);
    this.source = someUnknown || (model === null && someFew) ? "upper bound" : someFew ? "modelled" : "measured";
    states.forEach((x) => { x.value = metric.value(x.row); });
    this.theta = this.total((x) => x.value).over(this.M);
    this.findVariances(model);
    this.rise = metric.step(fewest);
    this.step = this.rise.times(ratio(this.k, fewest + this.k - 1));
    this.s = furtherTrial([this]);
    this.inverseN0 = ratio(this.k, BigInt(fewest) * BigInt(this.M));
    this.fixed = this.S.plus(this.s).over(num(this.M).squared());
  }

  findStates(rows) {
    this.states = [];
    this.stateOf = numbersOf(rows.map(String));
    this.stateOf.forEach((i, a) => {
      this.states[i] ??= { row: rows[a], n: this.n[a], m: 0 };
      this.states[i].m += 1;
    });
  }

  /** The sum of f over questions. */
  total(f) {
    return sum(this.states.map((x) => f(x).times(x.m)));
  }

  /** The v_a of each state, their sum S and the sum E of their squares. */
  findVariances(model) {
    const { metric, states } = this;
    const short = new Map(); // states whose variance is modelled, by number of trials
    const add = (x) => short.set(x.n, (short.get(x.n) ?? new Map()).set(x.row[1], x.m));
    if (model !== null) states.filter((x) => !x.unknown && x.n < 2 * this.k).forEach(add);
    const modelled = new Map([...short].map(([n, questions]) => [n, modelledVariances(metric, n, questions)]));
    for (const x of states) {
      if (x.unknown) x.v = this.deviation(x);
      else if (x.n >= 2 * this.k) x.v = metric.variance(x.row);
      else x.v = model === null ? metric.jackknife(x.row) : modelled.get(x.n).get(x.row[1]);
    }
    this.S = larger(this.total((x) => x.v), ZERO);
    this.E = this.total((x) => x.v.squared());
  }

  deviation(x) {
    const square = x.value.minus(this.theta).squared();
    return this.M > 1 ? square.times(ratio(this.M, this.M - 1)) : square;
  }
}

/** The largest difference of two trials of a question, of any of the estimators, at least 2^-20; 1 if there is none. */
export function largestRange(estimators) {
  const { u, unit } = estimators[0].metric;
  if (!u || new Set(u).size < 3) return ONE;
  const ends = estimators.map((x) => x.states.map(({ row }) => {
    const found = u.filter((_, j) => row[j]);
    return [lowest(found), highest(found)];
  }));
  let largest = 0n;
  const seen = new Set();
  estimators[0].stateOf.forEach((_, a) => {
    const states = estimators.map((x) => x.stateOf[a]), key = states.join();
    if (seen.has(key)) return;
    seen.add(key);
    const [lows, highs] = [0, 1].map((side) => states.map((state, i) => ends[i][state][side]));
    largest = highest([largest, highest(highs) - lowest(lows)]);
  });
  return largest ? larger(Q.of(largest, unit), new Q(1n, 1n << 20n)) : ONE;
}

/** The s of one estimator, or of a pair. */
export const furtherTrial =
  (estimators) => largestRange(estimators).squared().times(estimators.map((x) => x.step).reduce(larger));

/** The least guard of a pair: two steps if some question has unequal numbers of trials. */
export function leastGuard(a, b) {
  if (a.n.every((n, i) => n === b.n[i])) return ZERO;
  return smaller(ONE, largestRange([a, b]).times(larger(a.rise, b.rise)).times(2));
}

/** Degrees of freedom 2 top^2/bottom of a scaled chi-square; 2 where top is 0. */
const chiSquareDf = (top, bottom) => (top.isZero() ? num(2) : smaller(top.squared().times(2).over(bottom), MAX_DF));

/** The variance over trials of a difference, and its degrees of freedom. */
export function fixedVariance(a, b) {
  const s = furtherTrial([a, b]), S = a.S.plus(b.S).plus(s);
  return { V: S.over(num(a.M).squared()), df: chiSquareDf(S, a.E.plus(b.E).plus(s.squared())) };
}

/** The part of each of two models in fixedVariance, times M^2; half of s is of each. */
export function partsOfFixed(a, b) {
  const half = furtherTrial([a, b]).over(2);
  return [a.S.plus(half), b.S.plus(half)];
}

/** Degrees of freedom of V_fixed for an interval: 1/(1/df_f - 1/30), null where that is the normal distribution. */
export function intervalDf(a) {
  const df = chiSquareDf(a.S.plus(a.s), a.E.plus(a.s.squared()));
  if (df.compare(NORMAL_DF) >= 0) return null;
  const rest = ONE.over(ONE.over(df).minus(ONE.over(NORMAL_DF)));
  return rest.compare(MAX_DF) >= 0 ? null : rest;
}

/** Degrees of freedom of a sum V of independent parts {V, df}; 2 where V is 0. */
export function welchDf(V, parts) {
  return V.isZero() ? num(2) : smaller(V.squared().over(sum(parts.map((x) => x.V.squared().over(x.df)))), MAX_DF);
}

/** Degrees of freedom of a sum V of parts that depend on each other; null if no part has any. */
export function dependentDf(V, parts) {
  const estimated = parts.filter((x) => x.df !== null);
  if (estimated.length < 2) return estimated.length ? welchDf(V, estimated) : null;
  return smaller(V.over(sum(estimated.map((x) => x.V.over(x.df.sqrt())))).squared(), MAX_DF);
}

/** What was sampled: clusters of questions, or single questions (labels null); Q is the sum of the squared shares. */
export class Units {
  constructor(M, labels = null) {
    this.M = M;
    this.labels = null;
    this.G = M;
    this.Q = ratio(1, M);
    this.sizes = new Map([[1, M]]); // number of units by their number of questions
    if (labels === null) return;
    this.labels = numbersOf(labels);
    this.members = [...tallied(this.labels).values()];
    this.G = this.members.length;
    this.Q = ratio(this.members.reduce((a, m) => a + BigInt(m) ** 2n, 0n), num(M).squared());
    this.sizes = tallied(this.members);
  }

  /**
   * The units as a list of {w, d, m}: share, mean of the values, and the number of units that are like this.
   *
   * keys: a key for each question; questions with the same key have the same value valueOf(key).
   */
  means(keys, valueOf) {
    const values = new Map(), value = (key) => remembered(values, key, () => valueOf(key)), w = ratio(1, this.M);
    if (this.labels === null) return [...tallied(keys)].map(([key, m]) => ({ w, d: value(key), m, size: 1 }));
    const totals = new Array(this.G).fill(ZERO);
    keys.forEach((key, a) => { totals[this.labels[a]] = totals[this.labels[a]].plus(value(key)); });
    return totals.map((x, g) =>
      ({ w: ratio(this.members[g], this.M), d: x.over(this.members[g]), m: 1, size: this.members[g] }));
  }

  /** The same of the differences between two models. */
  differences(a, b) {
    const size = b.states.length;
    return this.means(a.stateOf.map((i, q) => i * size + b.stateOf[q]),
      (key) => a.states[Math.floor(key / size)].value.minus(b.states[key % size].value));
  }

  /** The CR2 factor a_g of a unit of this many questions. */
  factor(size) {
    const w = ratio(size, this.M);
    return w.squared().over(ONE.minus(w.times(2)).plus(this.Q));
  }

  /** The sum of a_g (d_g - D)^2 over units. */
  squares(means, D) {
    const factors = new Map([...this.sizes.keys()].map((size) => [size, this.factor(size)]));
    return sum(means.map((x) => x.d.minus(D).squared().times(factors.get(x.size)).times(x.m)));
  }

  /** The terms w_g^3 (d_g - D)^3: their sum, and the sum of their squares. */
  cubes(means, D) {
    const terms = means.map((x) => [x.w.times(x.d.minus(D)).power(3), x.m]);
    return [sum(terms.map(([x, m]) => x.times(m))), sum(terms.map(([x, m]) => x.squared().times(m)))];
  }

  /** Bell and McCaffrey's degrees of freedom, not yet limited; G - 1 for equal sizes. */
  bellMcCaffrey() {
    if (this.sizes.size === 1) return num(this.G - 1);
    const each = [...this.sizes].map(([size, m]) => ({ a: this.factor(size), w: ratio(size, this.M), m }));
    const pairs = each.flatMap((x) => each
      .map((y) => x.a.times(y.a).times(this.Q.minus(x.w).minus(y.w).squared()).times(BigInt(x.m) * BigInt(y.m))));
    const same = each.map((x) => {
      const cross = this.Q.minus(x.w.times(2));
      return x.a.squared().times(cross.plus(1).squared().minus(cross.squared())).times(x.m);
    });
    return this.Q.squared().over(sum([...pairs, ...same]));
  }

  maxDf() {
    return smaller(this.bellMcCaffrey(), MAX_DF);
  }

  /** Q/(2M), the constant of a guard of 1. */
  unseen() {
    return this.Q.over(2 * this.M);
  }

  /** The variance Z + c of the mean D over units, c that of a guard, and its degrees of freedom. */
  guarded(means, D, guard) {
    const found = this.squares(means, D);
    const Z = found.above(this.Q.over(num(2n ** 80n))) ? found : ZERO; // differences that are equal as decimals
    const [c, df] = [guard.squared().times(this.unseen()), this.maxDf()];
    if (c.isZero()) return { V: Z, df };
    const V = Z.plus(c);
    return { V, df: smaller(df, V.squared().over(Z.squared().over(df).plus(c.squared().over(2)))) };
  }
}
