// Two models: their difference, its interval and p-value (spec/families/comparisons.md).

import { HALF, ONE, ZERO, larger, num, ratio, smaller, sum } from "./arithmetic.js";
import { choice, flag, named, refuse } from "./arguments.js";
import { tQuantile, tTail } from "./distributions.js";
import { Estimator, SOURCES, Units, fixedVariance, leastGuard, partsOfFixed, welchDf } from "./inference.js";
import { weakest } from "./intervals.js";
import { remembered } from "./maps.js";
import { COMMON, readCall } from "./metrics.js";
import { align, clustersOf, filled, read, readClusters, trials } from "./outcomes.js";
import { runsOfCall } from "./runs.js";

/** A model of a comparison: its counts by question, and its estimates on any part of the questions. */
export class Model {
  constructor(table, metric, model, name) {
    Object.assign(this, { rows: table.rows, metric, model, name, estimators: new Map() });
    this.has = this.rows.map((row) => trials(row) > 0);
    this.hasAll = this.has.every(Boolean);
  }

  /** Estimates on these questions, a list of indices; null for all. */
  estimates(used) {
    const rows = () => (used === null ? this.rows : used.map((a) => this.rows[a]));
    return remembered(this.estimators, used === null ? "all" : used.join(),
      () => new Estimator(rows(), this.metric, this.model, this.name));
  }
}

/** The p-value of the sum of {x, m} (m equal contributions x of units) by their signs; null where there is none. */
function signFlips(contributions) {
  const size = sum(contributions.map(({ x, m }) => x.absolute().times(m)));
  if (size.isZero()) return ONE;
  const whole = contributions.map(({ x, m }) => ({ e: halfEven(x.over(size).toNumber() * 2 ** 48), m }))
    .filter(({ e }) => e);
  const units = whole.reduce((a, { m }) => a + m, 0);
  if (whole.every(({ e }) => e > 0) || whole.every(({ e }) => e < 0)) return num(2).power(1 - Math.min(units, 60));
  if (units > 14) return null;
  let sums = [0];
  let observed = 0;
  for (const { e, m } of whole) {
    for (let i = 0; i < m; i++) {
      sums = sums.flatMap((x) => [x + e, x - e]);
      observed += e;
    }
  }
  const least = Math.abs(observed) - 2 ** 8;
  return ratio(sums.filter((x) => Math.abs(x) >= least).length, sums.length);
}

function halfEven(x) {
  const below = Math.floor(x), rest = x - below;
  return rest > 0.5 || (rest === 0.5 && below % 2) ? below + 1 : below;
}

/**
 * D with its variance V and degrees of freedom; means: the units that were sampled (null by trials, or of different
 * questions); least: their Q/(2M); cubes: the terms of kappa; inverseU: 1/U; guard: gamma; withRuns: {V, df} with runs.
 */
export class Difference {
  constructor(fields) {
    Object.assign(this, { means: null, least: ZERO, cubes: null, guard: ZERO, byTrials: false, dropped: [],
      source: "measured", withRuns: null, flipped: new Map() }, fields);
  }

  /** p_flip of D = -delta. */
  flips(delta) {
    if (this.means === null) return null;
    return remembered(this.flipped, delta.toNumber(),
      () => signFlips(this.means.map(({ w, d, m }) => ({ x: w.times(d.plus(delta)), m }))));
  }

  /** Half the width of the interval, where c is the confidence; delta: a margin. */
  halfWidth(c, delta = ZERO) {
    const h = this.halfWidthOfFixedRuns(c, delta);
    return this.withRuns ? larger(h, this.byRuns(c)) : h;
  }

  byRuns(c) {
    return tQuantile(c, this.withRuns.df).times(this.withRuns.V.sqrt());
  }

  /** The variance and its degrees of freedom, or those with runs if these give the wider interval. */
  reported(c) {
    return this.withRuns && (this.V.isZero() || this.byRuns(c).above(tQuantile(c, this.df).times(this.V.sqrt())))
      ? this.withRuns : this;
  }

  halfWidthOfFixedRuns(c, delta) {
    const x = this.D.plus(delta).absolute(), p = this.flips(delta), allowed = ONE.minus(c);
    if (!this.V.isZero()) {
      const byT = tQuantile(c, this.df).times(this.V.sqrt());
      return p !== null && p.above(allowed) ? larger(byT, x) : byT;
    }
    if (x.isZero()) return this.least.isZero() ? ZERO : tQuantile(c, num(2)).times(this.least.sqrt());
    if (p === null) return ZERO;
    return p.compare(allowed) >= 0 ? x : x.times(tQuantile(c, this.df)).over(tQuantile(ONE.minus(p), this.df));
  }

  /** The probability of T beyond x/sqrt(V) for x = D + delta, on its side, at least p_flip/2. */
  tail(delta = ZERO) {
    const x = this.D.plus(delta).absolute();
    if (x.isZero()) return HALF;
    const tails = [this, this.withRuns].filter((y) => y && !y.V.isZero())
      .map(({ V, df }) => tTail(x.over(V.sqrt()), df));
    return tails.reduce(larger, (this.flips(delta) ?? ZERO).times(HALF));
  }

  pValue() {
    return this.D.isZero() ? ONE : this.tail().times(2);
  }

  /** The ends D -+ h, on the scale of w and clipped. */
  ends(below, above, span) {
    return [larger(span.times(this.D.minus(below)), span.negated()), smaller(span.times(this.D.plus(above)), span)];
  }

  reversed() {
    return new Difference({ ...this, D: this.D.negated(),
      means: this.means?.map((x) => ({ ...x, d: x.d.negated() })) ?? null, flipped: new Map() });
  }

  /** The fields of compare; c: the confidence of the interval, p: the p-value where it is known. */
  fields(c, span, p = this.pValue()) {
    const h = this.halfWidth(c), [lo, hi] = this.ends(h, h, span), half = p.times(HALF), { V, df } = this.reported(c);
    return {
      mu: span.times(this.D).toNumber(), sigma: span.times(V.sqrt()).toNumber(), lo: lo.toNumber(), hi: hi.toNumber(),
      p_value: p.toNumber(), df: df.toNumber(),
      p_above: (this.D.isZero() ? HALF : this.D.sign() > 0 ? ONE.minus(half) : half).toNumber(),
      significant: p.compare(ONE.minus(c)) <= 0, variance_source: this.source, dropped: this.dropped,
    };
  }
}

/** The difference of two models on the questions of which both have trials. name: the argument of the first model. */
export function pairedDifference(first, second, { fixed, clusters, guard, name, runs }) {
  let [used, dropped] = [null, []];
  if (!first.hasAll || !second.hasAll) {
    used = [];
    first.has.forEach((x, a) => (x && second.has[a] ? used : dropped).push(a));
    if (!used.length) refuse("no_trials", name, "no question has trials of both models");
    if (!dropped.length) used = null;
  }
  const [a, b] = [first.estimates(used), second.estimates(used)], D = a.theta.minus(b.theta);
  if (fixed && !a.allUnknown && !b.allUnknown) {
    const source = SOURCES[Math.max(SOURCES.indexOf(a.source), SOURCES.indexOf(b.source))];
    const { V, df } = fixedVariance(a, b), inverseUnits = [a.inverseN0, b.inverseN0];
    const inverseU = runs ? runs.inverseUnits(...inverseUnits) : larger(...inverseUnits);
    const withRuns = runs && runs.over(...partsOfFixed(a, b)).variance(V, df);
    return new Difference({ D, V, df, withRuns, source, dropped, inverseU, guard, byTrials: true, pair: [a, b] });
  }
  const units = new Units(a.M, clusters && clustersOf(clusters, used ?? first.rows.map((_, i) => i)));
  if (units.G < 2) refuse("shape", name,
    `one ${clusters ? "cluster" : "question"}, and the variance between them is needed`);
  guard = larger(guard, leastGuard(a, b));
  const means = units.differences(a, b), { V, df } = units.guarded(means, D, guard);
  const single = a.allUnknown || b.allUnknown;
  const withRuns = runs && runs.over(...(single ? [ONE, ONE] : partsOfFixed(a, b)))
    .variance(V, df, single ? null : fixedVariance(a, b).V);
  return new Difference({ D, V, df, withRuns, source: fixed ? "upper bound" : "measured", dropped, inverseU: units.Q,
    guard, means, least: units.unseen(), cubes: () => units.cubes(means, D), pair: [a, b], units });
}

/** The difference of two models on different questions. */
export function unpairedDifference(first, second, { guard, names, runs }) {
  const sides = [first, second].map((model, i) => {
    const used = model.rows.flatMap((_, a) => (model.has[a] ? [a] : []));
    if (!used.length) refuse("no_trials", names[i], "no question has a trial");
    if (used.length < 2) refuse("shape", names[i], "one question, and the variance between questions is needed");
    const x = model.estimates(used.length < model.rows.length ? used : null), units = new Units(x.M);
    const means = units.means(x.stateOf, (state) => x.states[state].value);
    return { x, cubes: () => units.cubes(means, x.theta), ...units.guarded(means, x.theta, ONE) };
  });
  const [a, b] = sides, V = a.V.plus(b.V);
  const cubes = () => {
    const [[kappa, squares], [other, rest]] = [a.cubes(), b.cubes()];
    return [kappa.minus(other), squares.plus(rest)];
  };
  const df = welchDf(V, sides), parts = a.x.allUnknown || b.x.allUnknown ? null : [a.x.fixed, b.x.fixed];
  const withRuns = runs && runs.over(...(parts ?? [ONE, ONE])).variance(V, df, parts && sum(parts));
  return new Difference({ D: a.x.theta.minus(b.x.theta), V, df, withRuns, inverseU: ratio(1, Math.min(a.x.M, b.x.M)),
    guard, cubes, different: true });
}

/** Checks of the arguments that compare and gate share; returns what differences need. */
export function readPair(given, names) {
  const { metric, fixed, c, guard, model, missing } = readCall(given, names[0] === "A");
  if (given.looks !== null) refuse("choice", "looks", "looks are not offered here");
  choice(given.spending, "spending", ["obrien-fleming", "pocock"]);
  const paired = flag(given.paired, "paired");
  if (!paired && fixed) refuse("conflict", "paired", "different questions cannot be fixed");
  const runs = runsOfCall(given.runs, names.map((name) => given[name]), { name: names[0], w: given.w, missing })(0, 1);
  let tables = names.map((name) => read(given[name], name, { C: metric.C, w: metric.scored, missing }));
  if (paired) tables = align(tables, names, missing === "drop" || missing === "bounds");
  const { clusters: labels } = given;
  if (!paired && (labels || (labels === null && tables.some((x) => x.clusters))))
    refuse("conflict", "clusters", "different questions have no clusters (see clusters: false)");
  const clusters = paired ? readClusters(labels, tables, names, !fixed) : null;
  const difference = (both) => {
    const [a, b] = both.map((table, i) => new Model(table, metric, model, names[i]));
    return paired ? pairedDifference(a, b, { fixed, clusters, guard, name: names[0], runs })
      : unpairedDifference(a, b, { guard, names, runs });
  };
  return { metric, fixed, c, paired, missing, tables, difference };
}

/** The defaults that compare and gate share. */
export const OF_PAIRS = { ...COMMON, paired: true, guard: 0, looks: null, spending: "obrien-fleming" };
const DEFAULTS = { ...OF_PAIRS, A: null, B: null };

/** The difference of a metric between two models, its interval and p-value. */
export function compare(args) {
  const { metric, c, missing, tables, difference } = readPair(named(args, DEFAULTS), ["A", "B"]);
  const result = (both) => difference(both).fields(c, metric.span), observed = result(tables);
  if (missing !== "bounds") return observed;
  const [A, B] = tables, low = result([filled(A, metric.lowest), filled(B, metric.highest)]);
  const high = result([filled(A, metric.highest), filled(B, metric.lowest)]);
  const decision = low.mu > 0 ? low : high.mu < 0 ? high
    : { p_value: 1, df: observed.df, p_above: 0.5, significant: false };
  const { p_value, df, p_above, significant } = decision;
  return { ...observed, lo: low.lo, hi: high.hi, p_value, df, p_above, significant,
    variance_source: weakest([observed, low, high]) };
}
