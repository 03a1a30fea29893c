// A table as a log: for each model how many trials of each question there were, and how many succeeded.
import { ends, listed, number, shown, span, thousands } from "../words.js";
import { Outcomes, fractionIn, idOf, isMissing, refuse, successesOf } from "./cells.js";
import { columnsOf } from "./columns.js";
import { Unread, refuseFactors } from "./factors.js";
import { BESIDE_SUMMARY, MOST_RUNS, SUMMARY } from "./names.js";
import { at, rowsOf } from "./rows.js";

const MOST_TYPED = 1e6; // trials of a typed count
const POLICY = "choose below whether missing outcomes are left out or count as wrong; the command's --missing bounds "
  + "bounds their effect";

/** Whether a label says that a row sums up others: Total, AVERAGE, overall accuracy. */
function isSummary(label) {
  const parts = label.toLowerCase().replace(/[:_()]/g, " ").split(/\s+/).filter((x) => x);
  return parts.length > 0 && SUMMARY.includes(parts[0])
    && parts.every((x) => SUMMARY.includes(x) || BESIDE_SUMMARY.includes(x));
}

/** Codes of the labels in a column, in order of appearance; each distinct cell is read once. */
class Labels {
  labels = [];
  codes = [];
  #ofCell = new Map();
  #ofLabel = new Map();

  constructor(name, read = (x) => idOf(x, name)) {
    this.read = read;
  }

  code(cell) {
    let code = this.#ofCell.get(cell);
    if (code === undefined) {
      const label = this.read(cell);
      code = this.#ofLabel.get(label);
      if (code === undefined) {
        this.#ofLabel.set(label, (code = this.labels.length));
        this.labels.push(label);
      }
      this.#ofCell.set(cell, code);
    }
    return code;
  }

  add(cell) {
    const code = this.code(cell);
    this.codes.push(code);
    return code;
  }
}

/** The rows of a table as columns of codes, with the line of each. */
class Table {
  lines = [];
  outcome = [];
  counts = null; // [successes, trials] of each row, where the table has counts

  constructor(header, stem, { columns: stated = {}, missing = "raise", task = null }) {
    this.refused = missing === "raise" ? (name) => task === null || name === task
      : () => false; // missing outcomes of a task
    this.columns = columnsOf(header, stated);
    this.model = new Labels("model");
    this.question = new Labels("question", (x) => {
      const id = idOf(x, "question");
      if (isSummary(id)) refuse("format", "question", `question ${shown(id)} may sum up the other rows`,
        "leave this row out of the file");
      return id;
    });
    const optional = (name) => (name in this.columns.positions ? new Labels(name) : null);
    [this.task, this.trial, this.cluster] = ["task", "trial", "cluster"].map(optional);
    this.run = "run" in this.columns.positions ? new Labels("run", (x) => (x === null ? "" : String(x).trim())) : null;
    this.cells = new Outcomes();
    this.unread = new Unread(this.columns.unread);
    this.stem = stem;
  }

  add(cells, line) {
    const { positions } = this.columns;
    let column = "";
    const cell = (name) => cells[positions[(column = name)]];
    try {
      this.lines.push(line);
      if (positions.model === undefined) this.model.add(this.stem);
      else this.model.add(cell("model"));
      this.question.add(cell("question"));
      for (const name of ["task", "trial", "cluster", "run"]) this[name]?.add(cell(name));
      const pair = positions.c !== undefined ? successesOf(cell("c"), cells[positions.n]) : fractionIn(cell("outcome"));
      if (this.counts !== null && !pair !== !this.counts.length && this.outcome.length + this.counts.length) {
        refuse("conflict", "path", "c and n count trials: a table has either these or outcomes");
      }
      this.counts ??= [];
      if (pair) this.counts.push(pair);
      else {
        const x = cell("outcome"), code = this.cells.code(x);
        if (code < 0 && this.refused(this.task?.labels[this.task.codes.at(-1)])) refuse("missing", "outcome",
          isMissing(x) ? "outcome is missing" : `outcome ${shown(x)} is missing`, POLICY);
        this.outcome.push(code);
      }
      this.unread.add(cells);
    } catch (error) {
      error.column ??= { c: positions.c, n: positions.n }[error.argument] !== undefined
        ? this.columns.header[positions[error.argument]] : this.columns.header[positions[column]];
      throw error;
    }
  }
}

/**
 * Read a table: a File, or a Blob with a name.
 *
 * options : `columns`, as columnsOf takes them; `missing`: "raise", "drop" or 0; `task`, of several.
 */
export async function read(source, options = {}, progress = () => {}) {
  const { missing = "raise", columns = {}, task = null } = options;
  const { rows, byEntry } = await rowsOf(source, progress);
  const stem = source.name.replace(/\.gz$/i, "").replace(/\.[^.]*$/, "") || source.name;
  let table = null;
  const place = (row, error) => {
    if (byEntry) error.entry = table.lines[row];
    return at(table.lines[row], error);
  };
  try {
    for await (const list of rows) {
      for (const [cells, line] of list) {
        try {
          if (table === null) table = new Table(cells.map((x) => String(x).trim()), stem, options);
          else table.add(cells, line);
        } catch (error) {
          if (byEntry && table !== null) error.entry = line;
          throw at(line, error);
        }
      }
    }
    if (table === null || !table.lines.length) refuse("empty", "path", "the log has no outcome");
    const remark = table.cells.remark();
    const log = logOf(table, { missing, task, place });
    return { ...log, name: source.name, remarks: [...table.columns.remarks, ...(remark ? [remark] : []),
      ...log.remarks],
      header: table.columns.header, mapping: table.columns.mapping, read: readAs(table.columns), stated: columns,
        missing };
  } catch (error) {
    if (error.code && table) Object.assign(error,
      { header: table.columns.header, read: readAs(table.columns), mapping: table.columns.mapping });
    throw error;
  }
}

const readAs = ({ header, positions }) => Object.fromEntries(Object.entries(positions).map(([name, i]) => [name,
  header[i]]));

/** Counts of each model by question, from the rows of one task. */
function logOf(table, { missing, task, place }) {
  const { model, question, trial, cluster, run } = table;
  const tasks = table.task?.labels ?? [""];
  const chosen = task === null ? 0 : tasks.indexOf(task);
  if (chosen < 0) refuse("choice", "task",
    `no benchmark is called ${shown(task)}; the log has ${listed(tasks.map(shown))}`);
  const all = tasks.length === 1;
  const kept = all ? null : table.task.codes.flatMap((x, row) => (x === chosen ? [row] : []));
  const of = (list) => (kept === null || !list?.length ? list : kept.map((row) => list[row]));
  const models = of(model.codes), questions = of(question.codes), outcome = of(table.outcome),
    counts = of(table.counts);
  const hasCounts = counts.length > 0;
  const trials = trial ? of(trial.codes) : null, runs = run ? of(run.codes) : null, clusters = cluster
    ? of(cluster.codes) : null;
  const row = (i) => (kept === null ? i : kept[i]);
  const fail = (i, code, argument, reason, hint, column) => {
    try {
      refuse(code, argument, reason, hint);
    } catch (error) {
      error.column ??= column;
      throw place(row(i), error);
    }
  };
  const describe = (i) => `question ${shown(question.labels[questions[i]])} of ${shown(model.labels[models[i]])}`;

  const cellOf = new Map(), cell = new Array(models.length), start = [], modelOf = [], width = question.labels.length;
  for (let i = 0; i < models.length; i++) {
    const key = models[i] * width + questions[i];
    let x = cellOf.get(key);
    if (x === undefined) {
      cellOf.set(key, (x = start.length));
      start.push(i);
      modelOf.push(models[i]);
    }
    cell[i] = x;
    if (clusters && clusters[i] !== clusters[start[x]]) {
      const [here, before] = [clusters[i], clusters[start[x]]].map((y) => shown(cluster.labels[y]));
      fail(i, "conflict", "cluster", `${describe(i)} is in cluster ${here} here, in ${before} before`, "", "cluster");
    }
  }
  refuseFactors(table.unread, { cell, modelOf, outcome: hasCounts ? counts.map(String) : outcome, trial: trials,
    describe, of, place: (i, error) => place(row(i), error) });

  const ids = trials ?? (hasCounts ? (runs ?? models.map(() => 0)) : null);
  if (ids) {
    const seen = new Map(), size = (trial ?? run)?.labels.length ?? 1;
    for (let i = 0; i < ids.length; i++) {
      const key = cell[i] * size + ids[i], first = seen.get(key);
      if (first === undefined) seen.set(key, i);
      else {
        const id = trials ? `trial ${shown(trial.labels[ids[i]])} of ` : "";
        const before = table.lines[row(first)];
        fail(i, "duplicate", "path", `duplicate ${id}${describe(i)}: already in line ${thousands(before)}`, "",
          "question");
      }
    }
  }
  const n = new Float64Array(start.length), c = new Float64Array(start.length), absent = new Float64Array(start.length);
  for (let i = 0; i < cell.length; i++) {
    if (hasCounts) {
      c[cell[i]] += counts[i][0];
      n[cell[i]] += counts[i][1];
    } else if (outcome[i] < 0) absent[cell[i]] += 1;
    else {
      n[cell[i]] += 1;
      c[cell[i]] += outcome[i];
    }
  }
  const log = { tasks, task: tasks[chosen], questions: question.labels, models: [], remarks: [], rows: cell.length,
    fromCounts: hasCounts };
  model.labels.forEach((name, m) => {
    const own = start.flatMap((_, x) => (modelOf[x] === m ? [x] : []));
    if (!own.length) return;
    const total = own.map((x) => n[x] + absent[x]), [fewest, most] = ends(total);
    const lacking = total.map((x) => (hasCounts ? 0 : most - x));
    const short = total.indexOf(fewest);
    if (missing === "raise" && lacking[short] > 0) {
      const what = `question ${shown(question.labels[questions[start[own[short]]]])} of ${shown(name)} has fewer `
        + `trials (${total[short]})`;
      fail(start[own[short]], "ragged", "outcome", `${what} than another (${most})`, POLICY, "question");
    }
    const lost = own.map((x, j) => absent[x] + lacking[j]), filled = missing === 0 && !hasCounts;
    log.models.push({
      name, index: own.map((x) => questions[start[x]]), n: own.map((x, j) => n[x] + (filled ? lost[j] : 0)),
        c: own.map((x) => c[x]),
      missing: lost.reduce((a, b) => a + b, 0),
      clusters: clusters ? own.map((x) => cluster.labels[clusters[start[x]]]) : null, runs: null,
    });
  });
  if (!hasCounts) addRuns(log, { model, models, questions, outcome, missing, labels: (run ?? trial)?.labels, codes: runs
    ?? trials });
  return log;
}

/** The outcomes of each model by run, where labels of runs are common to questions. */
function addRuns(log, { model, models, questions, outcome, missing, labels, codes }) {
  if (!codes || labels.length < 2 || labels.length > MOST_RUNS) return;
  const entries = new Map(log.models.map((x) => [model.labels.indexOf(x.name), []]));
  models.forEach((m, i) => entries.get(m)?.push(i));
  log.models.forEach((x) => {
    const own = entries.get(model.labels.indexOf(x.name));
    const used = [...new Set(own.map((i) => codes[i]))].sort((a, b) => a - b);
    if (used.length < 2 || own.length < 2 * used.length || used.some((y) => labels[y] === "")) return;
    const column = new Map(used.map((y, j) => [y, j])), row = new Map(x.index.map((q, j) => [q, j]));
    const depth = new Map(); // rows of a question in a run; further ones are further columns of the run
    const cells = own.map((i) => {
      const key = row.get(questions[i]) * used.length + column.get(codes[i]);
      depth.set(key, (depth.get(key) ?? 0) + 1);
      return [key, depth.get(key) - 1, outcome[i]];
    });
    const [, most] = ends([...depth.values()]);
    if (missing === 0 && most > 1) return;
    const names = Array.from({ length: most * used.length }, (_, j) => labels[used[j % used.length]]);
    const outcomes = new Int8Array(x.index.length * names.length).fill(missing === 0 ? 0 : -1); // question by question
    for (const [key, level, y] of cells) {
      const at = Math.floor(key / used.length) * names.length + level * used.length + (key % used.length);
      if (y >= 0) outcomes[at] = y;
    }
    x.runs = { names, outcomes };
  });
}

/** The size of a log in words. */
export function sizeOf(log) {
  const sizes = log.models.map((x) => [x.index.length, ...ends(x.n)]), [[, low, high]] = sizes;
  const models = number(log.models.length, "model");
  const most = number(ends(sizes.map((x) => x[0]))[1], "question");
  if (new Set(sizes.map(String)).size > 1) return `${models}, ${most} at most`;
  return `${models}, ${most}, ${span(low, high)} ${high === 1 ? "trial" : "trials"} per question`;
}

/** Counts that were typed, such as 47/50 52/60, or with names before them: [{ name, c, n }]. */
export function typedCounts(text) {
  const groups = [];
  for (const [i, line] of text.split("\n").entries()) {
    try {
      let end = 0;
      for (const match of line.matchAll(/(?<![\d./])(\d{1,15})\s*\/\s*(\d{1,15})(?![\d./%])/g)) {
        const [c, n] = [Number(match[1]), Number(match[2])];
        if (n < 1 || n > MOST_TYPED) refuse("range", "trials", `trials = ${n} is not in 1..${thousands(MOST_TYPED)}`);
        if (c > n) refuse("range", "successes", `${c} successes of ${n} trials: did you mean ${n}/${c}?`);
        const before = line.slice(end, match.index), name = before.replace(/^[\s,;:=|]+|[\s,;:=|]+$/g, "");
        if (name && (!/\p{L}/u.test(name) || name.includes("/") || /[\d.,-]$/.test(before))) refuse("type", "groups",
          `${shown((before + match[0]).trim())} is not a count such as 47/50, with or without a name before it`);
        groups.push({ name, c, n });
        end = match.index + match[0].length;
      }
      if (line.slice(end).trim()) refuse("type", "groups",
        `${shown(line.slice(end).trim())} is not a count such as 47/50 (47 successes of 50 trials)`);
    } catch (error) {
      throw at(i + 1, error);
    }
  }
  if (!groups.length) refuse("empty", "groups", "a count has successes and trials, such as 47/50");
  return groups;
}
