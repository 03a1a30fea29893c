// Many models: every pair with Holm's adjustment, and the ranks that each may have (spec/families/comparisons.md).

import { ONE, ZERO, larger, ratio, smaller } from "./arithmetic.js";
import { choice, named } from "./arguments.js";
import { Model, pairedDifference } from "./comparisons.js";
import { COMMON, readCall } from "./metrics.js";
import { align, manyModels, read, readClusters } from "./outcomes.js";
import { runsOfCall } from "./runs.js";

const DEFAULTS = { ...COMMON, models: null, correction: "holm", guard: 0 };

/** The checked arguments, and each pair {i, j, d, p}, p adjusted for the number of pairs. */
function pairs(args) {
  const given = named(args, DEFAULTS), { metric, fixed, c, guard, model, missing } = readCall(given);
  const correction = choice(given.correction, "correction", ["holm", null]);
  const entries = manyModels(given.models, "models");
  const about = runsOfCall(given.runs, entries.map(([, R]) => R), { name: "models", w: given.w, missing });
  const every = entries.map(() => "models");
  const tables = align(entries.map(([, R]) => read(R, "models", { C: metric.C, w: metric.scored, missing })), every,
    missing === "drop");
  const clusters = readClusters(given.clusters, tables, every, !fixed);
  const models = tables.map((x) => new Model(x, metric, model, "models")), compared = [];
  models.forEach((x, i) => models.slice(i + 1).forEach((y, j) => {
    const d = pairedDifference(x, y, { fixed, clusters, guard, name: "models", runs: about(i, i + 1 + j) });
    compared.push({ i, j: i + 1 + j, d, p: d.pValue() });
  }));
  const adjusted = correction === "holm" ? holm(compared.map((x) => x.p)) : compared.map((x) => x.p);
  compared.forEach((x, r) => { x.adjusted = adjusted[r]; });
  return { metric, c, correction, names: entries.map(([name]) => name), compared };
}

/** Holm's adjusted p-values. */
function holm(p) {
  const order = p.map((_, i) => i).sort((i, j) => p[i].compare(p[j])), adjusted = [];
  let largest = ZERO;
  order.forEach((i, rank) => {
    largest = larger(largest, smaller(ONE, p[i].times(p.length - rank)));
    adjusted[i] = largest;
  });
  return adjusted;
}

/** Every pair of models, with adjusted p-values and simultaneous intervals. */
export function compare_all(args) {
  const { metric, c, correction, names, compared } = pairs(args), alpha = ONE.minus(c);
  const level = correction === "holm" ? ONE.minus(alpha.times(ratio(1, compared.length))) : c;
  const rows = compared.map(({ i, j, d, p, adjusted }) => ({
    a: names[i], b: names[j], ...d.fields(level, metric.span, p), significant: adjusted.compare(alpha) <= 0,
      p_adjusted: adjusted.toNumber(),
  }));
  return Object.fromEntries(Object.keys(rows[0]).map((field) => [field, rows.map((x) => x[field])]));
}

/** From 1 + the number of models significantly better to L - the number significantly worse. */
export function ranges(args) {
  const { c, names, compared } = pairs(args), best = names.map(() => 1), worst = names.map(() => names.length);
  for (const { i, j, d, adjusted } of compared) {
    if (adjusted.above(ONE.minus(c))) continue;
    const [better, worse] = d.D.sign() > 0 ? [i, j] : [j, i];
    best[worse] += 1;
    worst[better] -= 1;
  }
  return { best, worst };
}
