// Sample sizes: trials_needed, questions_needed (spec/families/plans.md).

import { ONE, Q, ZERO, comb, larger, num, plainInteger, ratio, smaller, smallest, sum } from "./arithmetic.js";
import { named, real, refuse } from "./arguments.js";
import { normalQuantile, tQuantile } from "./distributions.js";
import { MAX_DF, Units, fixedVariance, largestRange } from "./inference.js";
import { Model } from "./comparisons.js";
import { readCall } from "./metrics.js";
import { align, clustersOf, read, readClusters } from "./outcomes.js";

/** The normal quantile z with P(Z <= z) = power, at least 1/2. */
export const powerQuantile = (power) => normalQuantile(num(power).times(2).minus(1));

/** S(N): the variance of a model over N trials, summed over questions; exact: where a rule may be met with equality. */
function growth(estimator, exact) {
  const { metric, k } = estimator, kept = (x) => (exact ? x : x.float());
  if (metric.name === "mean") {
    const all = kept(estimator.total((x) => x.v.times(x.n)));
    return (N) => all.over(N);
  }
  if (estimator.fewest < 2 * k)
    refuse("range", "k", `${k} needs ${2 * k} trials of every question here, one has ${estimator.fewest}`);
  const products = Array.from({ length: k + 1 }, (_, c) => estimator.total((x) => metric.sharing(x.row, c)));
  const parts = products.map((x) => kept(x.minus(products[0])));
  return (N) => {
    const all = comb(N, k);
    const share = (c) => kept(new Q(comb(k, c) * comb(N - BigInt(k), k - c), all)); // h_c
    return larger(ZERO, sum(parts.map((x, c) => x.times(share(c)))));
  };
}

/** V(N), the variance over N trials of the estimators together. */
function variance(estimators, exact) {
  const each = estimators.map((x) => growth(x, exact)), { metric, k, M } = estimators[0];
  const range = largestRange(estimators).squared(), factor = exact ? range : range.float();
  return (N) => sum(each.map((S) => S(N))).plus(factor.times(metric.step(N)).times(ratio(k, N + BigInt(k - 1))))
    .over(num(M).squared());
}

/** The trials at which D of a pair is detected; null if D is 0. */
export function trialsForDifference(pair, D, { z, power, c }) {
  const V = variance(pair, false); // refuses too few trials, also where D is 0
  if (D.isZero()) return null;
  const square = (z ?? num(tQuantile(c, fixedVariance(...pair).df).toNumber()).plus(powerQuantile(power))).squared();
  const [floatSquare, target] = [square.float(), D.squared()], floatTarget = target.float();
  let exactly = null; // a rule with a z that is given may be met with equality: then fractions decide
  return smallest((N) => {
    const found = V(N).times(floatSquare).compare(floatTarget);
    if (found || z === null) return found <= 0;
    exactly ??= variance(pair, true);
    return exactly(N).times(square).compare(target) <= 0;
  }, 2n * BigInt(pair[0].k));
}

/** The questions at which D is detected, Z its variance over these units; null if D is 0. */
export function questionsForDifference(Z, units, D, { z, power, c }) {
  if (D.isZero()) return null;
  const [S, square] = [Z.times(units.M), D.squared()], [floatS, floatSquare] = [S.float(), square.float()];
  const isEnough = (Q, critical) => {
    const found = critical.squared().times(floatS).compare(floatSquare.times(Q));
    return (found || z === null ? found : z.squared().times(S).compare(square.times(Q))) <= 0;
  };
  if (z !== null) return smallest((Q) => isEnough(Q, z));
  const rest = powerQuantile(power), perQuestion = units.bellMcCaffrey().plus(1).over(units.M), alpha = ONE.minus(c);
  // the normal quantile is below that of t: it needs no more questions
  const start = S.isZero() ? 1n : smallest((Q) => isEnough(Q, normalQuantile(c).plus(rest)));
  return smallest((Q) => {
    const n = perQuestion.times(Q);
    if (n.below(2) || num(2).power(1 - Math.min(Math.floor(n.toNumber()), 60)).above(alpha)) return false;
    return isEnough(Q, tQuantile(c, smaller(n.minus(1), MAX_DF)).plus(rest));
  }, start);
}

/** The smallest number at which Wilson's half width is at most a limit. */
function forWidth(theta, V, n0, limit, c, start) {
  const p = theta.times(ONE.minus(theta)).float(), z = normalQuantile(c).squared();
  return smallest((N) => {
    const q = z.over(p.isZero() ? n0(N) : larger(n0(N), p.over(V(N))));
    return q.times(p).plus(q.squared().over(4)).sqrt().over(q.plus(1)).compare(limit) <= 0;
  }, start);
}

const detected = (n) => (n === null ? null : plainInteger(n));

const DEFAULTS = { R: null, R_b: null, w: null, metric: "mean", k: null, tau: null, half_width: null, difference: null,
  power: 0.8, z: null, confidence: 0.95, missing: "raise" };

/** Checked arguments, and the estimates of the model, or of both on the questions of which both have trials. */
function readPlan(given) {
  const { metric, c, model, missing } = readCall({ model: "mixture", ...given }), limits = { above: 0, nullable: true };
  const halfWidth = real(given.half_width, "half_width", limits);
  const difference = real(given.difference, "difference", limits);
  const power = real(given.power, "power", { min: 0.5, below: 1 }), z = real(given.z, "z", { ...limits, max: 100 });
  if ((given.R_b === null) === (halfWidth === null)) refuse("conflict", "half_width", "give one of R_b and half_width");
  if (difference !== null && given.R_b === null)
    refuse("conflict", "difference", "a difference needs a second model, R_b");
  const names = given.R_b === null ? ["R"] : ["R", "R_b"];
  const tables = align(names.map((name) => read(given[name], name, { C: metric.C, w: metric.scored, missing })), names,
    missing === "drop");
  const models = tables.map((x, i) => new Model(x, metric, model, names[i]));
  const used = tables[0].rows.flatMap((_, a) => (models.every((x) => x.has[a]) ? [a] : []));
  if (!used.length) refuse("no_trials", "R", "no question has trials");
  const estimators = models.map((x) => x.estimates(used.length < x.rows.length ? used : null)), { span } = metric;
  const scaled = (x) => (x === null || span.isZero() ? null : num(x).over(span));
  const exact = { z: z === null ? null : num(z), halfWidth: scaled(halfWidth), difference: scaled(difference) };
  return { metric, names, tables, used, estimators, c, power, span, ...exact };
}

/** Trials per question at which a difference is detected, or the interval for this question set is narrow enough. */
export function trials_needed(args) {
  const { estimators, difference, halfWidth, span, c, ...rest } = readPlan(named(args, DEFAULTS)), [a, b] = estimators;
  const D = difference ?? (b && a.theta.minus(b.theta));
  if (b) return { trials: detected(trialsForDifference(estimators, D, { ...rest, c })) };
  const V = variance(estimators, false);
  if (span.isZero()) return { trials: 2 * a.k };
  return { trials: plainInteger(forWidth(a.theta, V, (N) => ratio(N * BigInt(a.M), a.k), halfWidth, c,
    2n * BigInt(a.k))) };
}

/** Questions at which a difference is detected, or at which the interval for similar questions is narrow enough. */
export function questions_needed(args) {
  const given = named(args, { ...DEFAULTS, clusters: null, model: "mixture" });
  const { names, tables, used, estimators, difference, halfWidth, span, c, ...rest } = readPlan(given);
  const clusters = readClusters(given.clusters, tables, names), [a, b] = estimators;
  const units = new Units(a.M, clusters ? clustersOf(clusters, used) : null);
  if (units.G < 2) refuse("shape", "R",
    `one ${clusters ? "cluster" : "question"}, and the variance between them is needed`);
  if (b) {
    const D = a.theta.minus(b.theta);
    return { questions: detected(questionsForDifference(units.squares(units.differences(a, b), D), units,
      difference ?? D, { ...rest, c })) };
  }
  if (span.isZero()) return { questions: 1 };
  const S = units.squares(units.means(a.stateOf, (i) => a.states[i].value), a.theta).times(a.M).float();
  const size = units.Q.times(a.M), constant = size.squared().over(12);
  return { questions: plainInteger(forWidth(a.theta, (Q) => S.times(Q).plus(constant).over(num(Q).squared()),
    (Q) => num(Q).over(size), halfWidth, c, 1n)) };
}
