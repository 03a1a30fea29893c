// A metric of one model, with its interval (spec/families/intervals.md) and without.

import { HALF, ONE, ZERO, larger, ratio, smaller, sum } from "./arithmetic.js";
import { choice, integer, named, policy, refuse } from "./arguments.js";
import { betaQuantile, normalQuantile, tQuantile } from "./distributions.js";
import { Estimator, SOURCES, Units, dependentDf, intervalDf } from "./inference.js";
import { tallied } from "./maps.js";
import { COMMON, PassAtK, PassHatK, readCall } from "./metrics.js";
import { clustersOf, filled, read, readClusters, trials } from "./outcomes.js";
import { runsOfCall } from "./runs.js";

/** theta with its variance V, 1/n0, their degrees of freedom (null: normal), the number of units, the source of V. */
class Estimate {
  constructor(estimator, fixed, pool, clusters, runs) {
    const units = new Units(estimator.M, clusters), sampled = { V: ratio(1, 12), df: null };
    if (units.G > 1) {
      const means = units.means(estimator.stateOf, (i) => estimator.states[i].value);
      sampled.V = units.squares(means, estimator.theta).plus(units.Q.squared().over(12));
      sampled.df = units.maxDf();
    }
    const f = fixed ? ONE : pool !== null ? ratio(estimator.M, pool) : ZERO;
    this.units = units.G;
    this.source = !fixed && units.G === 1 ? "upper bound" : f.isZero() ? "measured" : estimator.source;
    const share = estimator.allUnknown ? ZERO : f, rest = ONE.minus(share);
    this.theta = estimator.theta;
    this.inverseN0 = share.times(estimator.inverseN0).plus(rest.times(units.Q));
    const [overTrials, overUnits] = [share.times(estimator.fixed), rest.times(sampled.V)];
    this.V = overTrials.plus(overUnits);
    this.df = rest.isZero() ? null : sampled.df;
    this.dfOfUnits = rest.isZero() || clusters === null || units.G === 1 ? null : units.maxDf();
    if (!share.isZero()) {
      this.df = dependentDf(this.V, [{ V: overTrials, df: intervalDf(estimator) }, { V: overUnits, df: this.df }]);
    }
    this.p = this.theta.times(ONE.minus(this.theta));
    const apart = rest.isZero() || estimator.allUnknown ? null : estimator.fixed; // null: V itself is over trials
    this.withRuns = runs && runs.variance(this.V, this.df, apart);
    const inverseN0 = this.inverseN0.plus(runs ? runs.excess.times(estimator.inverseN0) : ZERO);
    if (this.withRuns) this.sizeWithRuns = this.size(inverseN0, this.withRuns.V);
  }

  isAtEnd() {
    return this.theta.isZero() || this.theta.equals(ONE);
  }

  size(inverseN0, V) {
    const n0 = ONE.over(inverseN0);
    return this.isAtEnd() ? n0 : larger(n0, this.p.over(V));
  }

  effectiveSize() {
    const n = this.size(this.inverseN0, this.V);
    return this.withRuns ? smaller(n, this.sizeWithRuns) : n;
  }

  /** The number n* of independent trials whose normal interval is as wide. */
  normalSize(c) {
    const equivalent = (n, df) => (df === null ? n : n.times(normalQuantile(c).over(tQuantile(c, df)).squared()));
    const n0 = ONE.over(this.inverseN0);
    const n = this.isAtEnd() ? equivalent(n0, this.dfOfUnits)
      : larger(equivalent(n0, this.dfOfUnits), equivalent(this.p.over(this.V), this.df));
    return this.withRuns ? smaller(n, equivalent(this.sizeWithRuns, this.withRuns.df)) : n;
  }
}

/** The distances of the ends of Wilson's interval of n trials from 0 and from 1, without a cancellation. */
function wilson(theta, n, c) {
  const q = normalQuantile(c).squared().over(n);
  const root = q.times(theta).times(ONE.minus(theta)).plus(q.squared().over(4)).sqrt().plus(q.over(2));
  return [theta, ONE.minus(theta)].map((x) => x.squared().over(x.plus(root)));
}

/** The same distances of equal-tail quantiles of Beta(n theta + 1/2, n (1 - theta) + 1/2). */
function beta(theta, n, c) {
  const [a, b] = [n.times(theta).plus(HALF), n.times(ONE.minus(theta)).plus(HALF)], tail = ONE.minus(c).times(HALF);
  return [betaQuantile(tail, a, b), betaQuantile(tail, b, a)];
}

const DEFAULTS = { ...COMMON, R: null, pool: null, shape: "wilson" };

/** Any metric with an interval for this question set (fixed) or for the population of similar questions (sampled). */
export function interval(args) {
  const given = named(args, DEFAULTS), { metric, fixed, c, model, missing } = readCall(given, true);
  const pool = integer(given.pool, "pool", { min: 1 });
  const shape = { wilson, beta }[choice(given.shape, "shape", ["wilson", "beta"])];
  const runs = runsOfCall(given.runs, [given.R], { name: "R", w: given.w, missing })(0);
  const table = read(given.R, "R", { C: metric.C, w: metric.scored, missing });
  const clusters = readClusters(given.clusters, [table], ["R"], !fixed);
  if (pool !== null && fixed) refuse("conflict", "pool", "a pool is not used with fixed questions");
  if (pool !== null && clusters) refuse("conflict", "pool", "a pool cannot be combined with clusters");
  const result = (rows) => one(rows, { metric, fixed, c, pool, model, shape, clusters, runs });
  const observed = result(table.rows);
  if (missing !== "bounds") return { ...observed, bounds: null };
  const [low, high] = ["lowest", "highest"].map((end) => result(filled(table, metric[end]).rows));
  return { ...observed, lo: low.lo, hi: high.hi, bounds: [low.mu, high.mu],
    variance_source: weakest([observed, low, high]) };
}

const weaker = (a, b) => (SOURCES.indexOf(b) > SOURCES.indexOf(a) ? b : a);
export const weakest = (results) => results.map((x) => x.variance_source).reduce(weaker);

function one(rows, { metric, fixed, c, pool, model, shape, clusters, runs }) {
  const used = rows.flatMap((row, a) => (trials(row) ? [a] : []));
  if (!used.length) refuse("no_trials", "R", "no question has a trial");
  if (pool !== null && pool < used.length)
    refuse("range", "pool", `${pool} is below ${used.length}, the number of questions`);
  const estimator = new Estimator(used.map((a) => rows[a]), metric, model, "R");
  const x = new Estimate(estimator, fixed, pool, clusters && clustersOf(clusters, used), runs), n = x.normalSize(c);
  const [fromLow, fromHigh] = shape(x.theta, n, c), { low, span } = metric;
  const lo = x.theta.isZero() ? low : low.plus(span.times(fromLow));
  const hi = x.theta.equals(ONE) ? low.plus(span) : low.plus(span).minus(span.times(fromHigh));
  const size = x.effectiveSize();
  return {
    mu: low.plus(span.times(x.theta)).toNumber(), sigma: span.times(x.p.over(size).sqrt()).toNumber(),
      lo: lo.toNumber(), hi: hi.toNumber(),
    n_eff: size.toNumber(), variance_source: x.source, units: x.units,
      dropped: rows.flatMap((row, a) => (trials(row) ? [] : [a])),
  };
}

/** The mean score with its interval. */
export function mean_ci(args) {
  const { metric, k, tau, model, ...defaults } = DEFAULTS;
  return interval({ ...named(args, defaults), metric });
}

/** Pass@k or Pass^k of one model, without an interval. */
function plain(args, Metric) {
  const { R, k, missing } = named(args, { R: null, k: null, missing: "raise" });
  const metric = new Metric(integer(k, "k", { min: 1, max: 1e7, nullable: false }));
  policy(missing, { C: 1 });
  const { rows } = read(R, "R", { C: 1, missing });
  rows.forEach((row, a) => {
    if (!trials(row)) refuse("no_trials", "R", `question ${a} has no trial`);
    if (trials(row) < metric.k)
      refuse("range", "k", `${metric.k} is above ${trials(row)}, the trials of question ${a}`);
  });
  return { value: meanValue(metric, rows).toNumber() };
}

/** The mean of the values of questions, by their distinct counts. */
function meanValue(metric, rows) {
  const states = [...tallied(rows.map(String))];
  return sum(states.map(([row, m]) => metric.value(row.split(",").map(Number)).times(m))).over(rows.length);
}

export const pass_at_k = (args) => plain(args, PassAtK);
export const pass_hat_k = (args) => plain(args, PassHatK);
