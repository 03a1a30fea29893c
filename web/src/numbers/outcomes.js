// The only code that reads outcomes: nested arrays and counts become counts of each question; models are aligned by id.

import { integer, labels, named, policy, refuse, show } from "./arguments.js";

/** How often each question got each category, as made by Counts.from. */
export class Counts {
  constructor(rows, missing, ids, clusters) {
    this.rows = rows;
    this.missing = missing;
    this.ids = ids;
    this.clusters = clusters;
    Object.freeze(this);
  }

  /**
   * Counts from integers, one entry a question: {categories: [[n0, n1, ...], ...]}, or {trials: [...], successes}
   * of binary outcomes. Optional are `ids`, `clusters`, and `missing`: how many outcomes are, for missing: "bounds".
   */
  static from(args) {
    const given = named(args,
      { categories: null, trials: null, successes: null, missing: null, ids: null, clusters: null });
    const { categories, trials, successes } = given;
    if ((categories === null) === (trials === null))
      refuse("conflict", "categories", "give either categories, or trials and successes");
    let rows;
    if (categories !== null) {
      rows = list(categories, "categories")
        .map((row, a) => list(row, "categories").map((n) => count(n, "categories", a)));
      if (rows.some((row) => row.length !== rows[0].length))
        refuse("ragged", "categories", "questions have unequal numbers of categories");
    } else {
      const c = list(successes, "successes");
      if (list(trials, "trials").length !== c.length)
        refuse("shape", "successes", `${c.length} numbers of successes, ${trials.length} of trials`);
      rows = c.map((x, a) => {
        const rest = count(trials[a], "trials", a) - count(x, "successes", a);
        if (rest < 0) refuse("range", "successes", `${x} successes in ${trials[a]} trials of question ${a}`);
        return [rest, x];
      });
    }
    const missing = given.missing === null ? rows.map(() => 0)
      : list(given.missing, "missing").map((n, a) => count(n, "missing", a));
    if (missing.length !== rows.length)
      refuse("shape", "missing", `${missing.length} entries of ${rows.length} questions`);
    return new Counts(rows, missing, texts(given.ids, "ids", rows.length),
      texts(given.clusters, "clusters", rows.length));
  }
}

function list(x, name) {
  if (!Array.isArray(x)) refuse("type", name, `a list is needed, not ${show(x)}`);
  return x;
}

function count(n, name, a) {
  if (!Number.isSafeInteger(Number(n)) || (typeof n !== "number" && typeof n !== "bigint"))
    refuse("type", name, `${show(n)}, of question ${a}, is not a whole number`);
  if (n < 0) refuse("range", name, `${n}, of question ${a}, is below 0`);
  return Number(n);
}

/** Ids or clusters of questions as texts. */
function texts(given, name, size) {
  if (given === null) return null;
  const as = list(given, name).map((x, a) => {
    if (typeof x !== "string" && typeof x !== "bigint" && !Number.isSafeInteger(x))
      refuse("type", name, `${show(x)}, of question ${a}, is neither a text nor an integer`);
    return String(x);
  });
  if (as.length !== size) refuse("length", name, `${as.length} labels of ${size} questions`);
  if (name === "ids") {
    const seen = new Map();
    as.forEach((id, a) => {
      if (/^[ \t\n\r\f\v]*$/.test(id)) refuse("missing", name, `the id of question ${a} is blank`);
      if (seen.has(id)) refuse("duplicate", name, `questions ${seen.get(id)} and ${a} are both ${show(id)}`);
      seen.set(id, a);
    });
  }
  return as;
}

/** The entries of a matrix, checked: numbers from 0 on, null where missing. */
export function readMatrix(R, name, code = null) {
  if (typeof R === "number" || typeof R === "bigint") refuse("type", name, `a matrix is needed, not ${show(R)}`);
  if (!Array.isArray(R)) refuse("type", name, `a matrix (a list of rows) or Counts is needed, not ${show(R)}`);
  if (!R.length) refuse("empty", name, "no questions");
  const rows = R.map((row, a) => {
    if (!Array.isArray(row))
      refuse(typeof row === "string" || typeof row === "boolean" ? "type" : "shape", name,
        `row ${a} is ${show(row)}, not a list of outcomes`);
    return Array.from(row, (x, i) => entry(x, code, name, a, i));
  });
  if (rows.every((row) => !row.length)) refuse("empty", name, "no trials");
  return rows;
}

function entry(given, code, name, a, i) {
  const x = typeof given === "boolean" ? Number(given) : given;
  if (x === null || x === undefined || (code !== null && x === code)) return null;
  const place = () => `${show(x)}, of question ${a}, trial ${i},`;
  if (Array.isArray(x)) refuse("shape", name, `${place()} is a third dimension`);
  if (typeof x !== "number" && typeof x !== "bigint") refuse("type", name, `${place()} is not a number`);
  if (Number.isNaN(x)) return null;
  if (x === Infinity || x === -Infinity) refuse("not_finite", name, `${place()} is not finite`);
  if (typeof x === "number" && !Number.isInteger(x)) refuse("fractional", name, `${place()} is not a whole number`);
  if (x < 0) refuse("category", name, `${place()} is below 0`);
  return Number(x);
}

/** Entries by row and column under a policy for missing ones: null where there is no trial. Rows have equal lengths. */
export function completed(rows, missing, name) {
  const width = Math.max(...rows.map((row) => row.length));
  if (missing === "raise") {
    rows.forEach((row, a) => {
      const i = row.indexOf(null);
      if (i >= 0) refuse("missing", name,
        `the outcome of question ${a}, trial ${i} is missing (see the argument missing)`);
    });
    const a = rows.findIndex((row) => row.length !== width);
    if (a >= 0) refuse("ragged", name,
      `question ${a} has ${rows[a].length} trials, others have ${width} (see the argument missing)`);
  }
  const filled = typeof missing === "number" ? missing : null;
  return rows.map((row) => Array.from({ length: width }, (_, i) => row[i] ?? filled));
}

/**
 * Counts by category of each question of one model: {rows, missing, ids, clusters}.
 *
 * C: the highest category; w: whether it comes from scores w. missing: the policy.
 */
export function read(R, name, { C, w = false, missing }) {
  const tooHigh = (a, j) =>
    refuse(w ? "length" : "category", w ? "w" : name,
      `question ${a}${w ? ` of ${name}` : ""} has the category ${j}, the highest is ${C}`);
  if (R instanceof Counts) {
    if (!R.rows.length) refuse("empty", name, "no questions");
    const rows = R.rows.map((row, a) => {
      const beyond = row.findIndex((n, j) => j > C && n);
      if (beyond >= 0) tooHigh(a, beyond);
      return Array.from({ length: C + 1 }, (_, j) => row[j] ?? 0);
    });
    return { rows, missing: R.missing, ids: R.ids, clusters: R.clusters };
  }
  const matrix = readMatrix(R, name);
  matrix.forEach((row, a) => row.forEach((x) => x !== null && x > C && tooHigh(a, x)));
  const absent = matrix.map((row) => row.filter((x) => x === null).length);
  const rows = completed(matrix, missing, name).map((row) => {
    const counts = new Array(C + 1).fill(0);
    for (const x of row) if (x !== null) counts[x] += 1;
    return counts;
  });
  return { rows, missing: typeof missing === "number" ? absent.map(() => 0) : absent, ids: null, clusters: null };
}

export const trials = (row) => row.reduce((a, b) => a + b, 0);

/** Rows of tables (as read() returns) with every missing outcome at one category. */
export const filled =
  (table, category) => ({ ...table,
    rows: table.rows.map((row, a) => row.map((n, j) => (j === category ? n + table.missing[a] : n))) });

/** Tables of several models, aligned by question; names: their arguments; drop: whether a model may lack a question. */
export function align(tables, names, drop) {
  const first = tables[0];
  tables.forEach((x, i) => {
    if (Boolean(x.ids) !== Boolean(first.ids))
      refuse("conflict", names[i], "some models have ids of questions, others have none");
    if (!first.ids && x.rows.length !== first.rows.length)
      refuse("shape", names[i], `${x.rows.length} questions, but the first model has ${first.rows.length}`);
  });
  if (!first.ids) return tables;
  const order = [...new Set(tables.flatMap((x) => x.ids))];
  return tables.map((x, i) => {
    const at = new Map(x.ids.map((id, a) => [id, a])), lacks = order.find((id) => !at.has(id));
    if (lacks !== undefined && !drop)
      refuse("missing", names[i], `a model has no question ${show(lacks)}, another model has it`);
    const pick = (values, otherwise) => values && order.map((id) => (at.has(id) ? values[at.get(id)] : otherwise));
    return { rows: pick(x.rows, x.rows[0].map(() => 0)), missing: pick(x.missing, 0), ids: order,
      clusters: pick(x.clusters, null) };
  });
}

/** The cluster of each question that aligned tables give: null where none gives one; without any clusters null. */
function carriedClusters(tables, names) {
  if (tables.every((x) => !x.clusters)) return null;
  const found = tables[0].rows.map(() => null);
  tables.forEach((x, i) => x.clusters?.forEach((label, a) => {
    if (label !== null && found[a] !== null && found[a] !== label)
      refuse("conflict", names[i], `question ${a} is in cluster ${show(label)}, another model says ${show(found[a])}`);
    found[a] = label ?? found[a];
  }));
  return found;
}

/**
 * The cluster of each question, from the argument clusters (null: those of the tables; false: none), or null.
 *
 * sampled: whether questions are sampled, as fixed ones have no clusters. names: the arguments of the tables.
 */
export function readClusters(given, tables, names, sampled = true) {
  const clusters = labels(given, "clusters", tables[0].rows.length, `questions of ${names[0]}`);
  if (clusters && !sampled) refuse("conflict", "clusters", "clusters are not used with fixed questions");
  return clusters === null && sampled ? carriedClusters(tables, names) : clusters || null;
}

/** Labels of the questions that are used, none of which may lack one. */
export function clustersOf(labels, used) {
  const kept = used.map((a) => labels[a]), a = kept.indexOf(null);
  if (a >= 0) refuse("conflict", "clusters", `question ${used[a]} has no cluster, others have one`);
  return kept;
}

/** Names and outcomes of many models: a Map or an object by name, or a list (named by their index). */
export function manyModels(models, name, least = 2) {
  let entries;
  if (models instanceof Map) entries = [...models];
  else if (Array.isArray(models)) entries = models.map((x, i) => [i, x]);
  else if (models?.constructor === Object) entries = Object.entries(models);
  else if (models instanceof Counts) refuse("shape", name, "outcomes of one model, where several are needed");
  else refuse("type", name, `models are a mapping from names to outcomes, or a list of matrices, not ${show(models)}`);
  if (!entries.length) refuse("empty", name, "no models");
  const isModel = (x) => x instanceof Counts || (Array.isArray(x) && (!x.length || x.some(Array.isArray)));
  if (Array.isArray(models) && !models.every(isModel)) {
    const wrong = models.flat(2).find((x) => typeof x !== "number" && x !== null && !(x instanceof Counts));
    refuse(wrong === undefined ? "shape" : "type", name, "three dimensions are needed: model, question, trial");
  }
  if (entries.length < least) refuse("shape", name, `${entries.length} model, where ${least} are needed`);
  return entries;
}

/** How often each question got each category, and how many outcomes were dropped. */
export function tally(args) {
  const { R, C: highest, missing, missing_code } =
    named(args, { R: null, C: null, missing: "raise", missing_code: null });
  const given = integer(highest, "C", { min: 1, max: 65535 });
  integer(missing_code, "missing_code", { min: -(2 ** 62), max: 2 ** 62 });
  policy(missing, {});
  const counts = R instanceof Counts, matrix = counts ? null : readMatrix(R, "R", missing_code);
  let largest = 1;
  if (counts) largest = Math.max(1, (R.rows[0] ?? []).length - 1); // counts state their categories
  else for (const row of matrix) for (const x of row) if (x !== null) largest = Math.max(largest, x);
  const C = given ?? largest;
  policy(missing, { C });
  const { rows, missing: absent } = read(counts ? R : matrix, "R", { C, missing });
  return { table: rows, missing: counts ? 0 : absent.reduce((a, b) => a + b, 0) };
}
