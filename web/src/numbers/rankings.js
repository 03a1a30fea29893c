// Many models: every pair with Holm's adjustment, and the ranks that each model may have (spec/families/comparisons.md).

import { ONE, ZERO, larger, num, ratio, smaller } from "./arithmetic.js";
import { choice, labels, named, policy, real, refuse } from "./arguments.js";
import { Model, pairedDifference } from "./comparisons.js";
import { parseMetric } from "./metrics.js";
import { align, carriedClusters, manyModels, read } from "./outcomes.js";

const DEFAULTS = {
  models: null, metric: "mean", k: null, tau: null, w: null, questions: undefined, runs: "fixed", confidence: 0.95, correction: "holm", clusters: null,
  guard: 0, model: "mixture", missing: "raise",
};

/** The checked arguments, and each pair {i, j, d, p}, p adjusted for the number of pairs. */
function pairs(args) {
  const given = named(args, DEFAULTS);
  const metric = parseMetric(given);
  const fixed = choice(given.questions, "questions", ["fixed", "sampled"]) === "fixed";
  choice(given.runs, "runs", ["fixed"]);
  const c = num(real(given.confidence, "confidence", { above: 0, below: 1 }));
  const guard = num(real(given.guard, "guard", { min: 0, max: 1 }));
  const correction = choice(given.correction, "correction", ["holm", null]);
  const model = choice(given.model, "model", ["mixture", null]);
  const missing = policy(given.missing, { C: metric.C });
  const entries = manyModels(given.models, "models");
  const every = entries.map(() => "models");
  const tables = align(entries.map(([, R]) => read(R, "models", { C: metric.C, w: metric.scored, missing })), every, missing === "drop");
  let clusters = labels(given.clusters, "clusters", tables[0].rows.length, "questions of models");
  if (clusters && fixed) refuse("conflict", "clusters", "clusters are not used with fixed questions");
  if (clusters === null && !fixed) clusters = carriedClusters(tables, every);
  const models = tables.map((x) => new Model(x, metric, model, "models"));
  const compared = [];
  models.forEach((x, i) => models.slice(i + 1).forEach((y, j) => {
    const d = pairedDifference(x, y, { fixed, clusters: clusters || null, guard, name: "models" });
    compared.push({ i, j: i + 1 + j, d, p: d.pValue() });
  }));
  const adjusted = correction === "holm" ? holm(compared.map((x) => x.p)) : compared.map((x) => x.p);
  compared.forEach((x, r) => { x.adjusted = adjusted[r]; });
  return { metric, c, correction, names: entries.map(([name]) => name), compared };
}

/** Holm's adjusted p-values. */
function holm(p) {
  const order = p.map((_, i) => i).sort((i, j) => p[i].compare(p[j]));
  const adjusted = [];
  let largest = ZERO;
  order.forEach((i, rank) => {
    largest = larger(largest, smaller(ONE, p[i].times(p.length - rank)));
    adjusted[i] = largest;
  });
  return adjusted;
}

/** Every pair of models, with adjusted p-values and simultaneous intervals. */
export function compare_all(args) {
  const { metric, c, correction, names, compared } = pairs(args);
  const alpha = ONE.minus(c);
  const level = correction === "holm" ? ONE.minus(alpha.times(ratio(1, compared.length))) : c;
  const rows = compared.map(({ i, j, d, p, adjusted }) => ({
    a: names[i], b: names[j], ...d.fields(level, metric.span, p), significant: adjusted.compare(alpha) <= 0, p_adjusted: adjusted.toNumber(),
  }));
  return Object.fromEntries(Object.keys(rows[0]).map((field) => [field, rows.map((x) => x[field])]));
}

/** From 1 + the number of models significantly better to L - the number significantly worse. */
export function ranges(args) {
  const { metric, c, names, compared } = pairs(args);
  const best = names.map(() => 1);
  const worst = names.map(() => names.length);
  for (const { i, j, d, adjusted } of compared) {
    if (adjusted.above(ONE.minus(c))) continue;
    const [better, worse] = d.D.sign() * (metric.lowerIsBetter ? -1 : 1) > 0 ? [i, j] : [j, i];
    best[worse] += 1;
    worst[better] -= 1;
  }
  return { best, worst };
}
