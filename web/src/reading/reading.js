// A table as a log: for each model how many trials of each question there were, and how many succeeded.
import { remembered } from "../numbers/maps.js";
import { ends, listed, number, shown, span, thousands } from "../words.js";
import { Outcomes, fractionIn, idOf, isMissing, refuse, successesOf } from "./cells.js";
import {
  MOST_SAMPLED, columnsOf, examplesOf, isNamed, isRun, isSummary, mayBeSummary, mayBeWide,
} from "./columns.js";
import { Unread, oneToOne, refuseFactors } from "./factors.js";
import { MOST_REPEATED, MOST_RUNS, TOLD_APART } from "./names.js";
import { at, rowsOf } from "./rows.js";
import { longOf } from "./wide.js";

const TXT = "The command reads this file under a name that ends in .csv, .tsv or .jsonl.";
const POLICY = "choose below whether missing outcomes are left out or count as wrong";

/** Refuse a row, or a column, that may sum up others. */
const refuseSummary = (name, id, what, place) => refuse("format", name,
  `${name} ${shown(id)} may sum up the other ${what}s`,
  `leave this ${what} out of the file${isSummary(id) ? ", or give it another name" : ""}`, place);

/** Codes of the labels in a column, in order of appearance; each distinct cell is read once. */
class Labels {
  labels = [];
  codes = [];
  #ofCell = new Map();
  #ofLabel = new Map();

  constructor(name, read = idOf) {
    this.read = (x) => read(x, name);
  }

  add(cell) {
    const code = remembered(this.#ofCell, cell, () => {
      const label = this.read(cell);
      return remembered(this.#ofLabel, label, () => this.labels.push(label) - 1);
    });
    this.codes.push(code);
    return code;
  }
}

/** The rows of a table as columns of codes, with the line of each. */
class Table {
  lines = [];
  outcome = [];
  counts = null; // [successes, trials] of each row, where the table has counts

  /** columns: those that are read, as columnsOf returns them; roles: those of the wide table that they were made of. */
  constructor(columns, stem, { columns: stated = {}, missing = "raise", task = null, outcomes = {} }, roles = null) {
    // whether a missing outcome of a task is refused
    this.refused = missing === "raise" ? (name) => task === null || name === task : () => false;
    this.columns = columns;
    const { positions } = columns;
    [this.model, this.question] = ["model", "question"].map((name) => new Labels(name));
    // the labels that may sum up others by their names, with what they are labels of
    this.named = Object.fromEntries([["question", "row"], ...(roles || "model" in positions ? [["model", "row"]] : [])]
      .map(([name, what]) => [name, roles && !(name in roles) ? "column" : what]));
    const optional = (name) => (name in positions ? new Labels(name) : null);
    [this.task, this.trial, this.cluster] = ["task", "trial", "cluster"].map(optional);
    this.runs = this.columns.runs.length ? new Labels("run", (x) => x) : null; // values of the columns, by lines
    this.hasSeveral = stated.trial === ""; // the user says that runs have several trials of a question
    this.cells = new Outcomes(outcomes);
    this.written = new Map(); // distinct outcomes of each question that may sum up others, and of all others (-1)
    this.unread = new Unread(columns.unread);
    Object.assign(this, { stem, isWide: roles !== null });
  }

  add(cells, line) {
    const { header, positions } = this.columns;
    let column = "";
    const cell = (name) => cells[positions[(column = name)]];
    try {
      this.lines.push(line);
      this.model.add(positions.model === undefined ? this.stem : cell("model"));
      this.question.add(cell("question"));
      for (const name of ["task", "trial", "cluster"]) this[name]?.add(cell(name));
      this.runs?.add(this.columns.runs.map((x) => String(cells[x.i] ?? "").trim()).join("\n"));
      const pair = positions.c !== undefined ? successesOf(cell("c"), cells[positions.n]) : fractionIn(cell("outcome"));
      if (this.counts !== null && !pair !== !this.counts.length && this.outcome.length + this.counts.length) {
        refuse("conflict", "path",
          "counts of trials (c and n, 3/4) beside single outcomes: write either, an outcome 1 as 1/1");
      }
      this.counts ??= [];
      if (pair) this.counts.push(pair);
      else {
        const x = cell("outcome"), code = this.cells.code(x), q = this.question.codes.at(-1);
        remembered(this.written, mayBeSummary(this.question.labels[q]) ? q : -1, () => new Set()).add(x);
        if (code < 0 && this.refused(this.task?.labels[this.task.codes.at(-1)])) refuse("missing", "outcome",
          isMissing(x) ? "outcome is missing" : `outcome ${shown(x)} is missing`, isMissing(x) ? POLICY
            : `${POLICY}, or what the word means`);
        this.outcome.push(code);
      }
      this.unread.add(cells);
    } catch (error) {
      const last = (name) => this[name].labels[this[name].codes.at(-1)];
      const name = ["outcome", "c", "n"].includes(error.argument) && error.code !== "missing"
        && Object.keys(this.named).find((x) => isSummary(last(x))
          || (x === "question" && error.code !== "type" && mayBeSummary(last(x))));
      if (name) refuseSummary(name, last(name), this.named[name], { column: name });
      error.column ??= header[positions[["c", "n"].includes(error.argument) ? error.argument : column]
        ?? positions[column]];
      throw error;
    }
  }
}

/**
 * Read a table: a File, or a Blob with a name.
 *
 * options : `columns`, as columnsOf takes them; `missing`: "raise", "drop" or 0; `task`, of several; `outcomes`: 1, 0
 * or null (missing) for words.
 */
export async function read(source, options = {}, progress = () => {}) {
  const { missing = "raise", columns: stated = {}, task = null, outcomes = {} } = options;
  const { rows, byEntry, within, begins } = await rowsOf(source, progress);
  const stem = source.name.replace(/\.gz$/i, "").replace(/\.[^.]*$/, "") || source.name;
  const placeOf = (line) => (byEntry ? { line, entry: line } : { line });
  let header = null, table = null, wide = null, pending = []; // rows of a table that may be wide
  let held = null, sample = []; // an error about a word, until all words are known; the first rows
  const take = (list) => {
    for (const [cells, line, column, keys] of list) {
      const outcome = cells[table.columns.positions.outcome];
      if (held) {
        table.cells.see(outcome);
        continue;
      }
      try {
        if (keys && !within && !Object.keys(table.columns.mapping).length) refuse("ragged", "path", keys);
        table.add(cells, line);
      } catch (error) {
        if (wide && error.column === "outcome") error.column = column;
        Object.assign(error, { ...placeOf(line), ...error });
        if (error.argument !== "outcome" || !table.cells.see(outcome)) throw error;
        held = error;
      }
    }
  };
  try {
    for await (let list of rows) {
      if (header === null && list.length) {
        const [[cells, line], ...others] = list, first = others.map(([x]) => x);
        list = others;
        sample = first.slice(0, MOST_SAMPLED);
        header = cells.map((x) => String(x).trim());
        try {
          if (mayBeWide(header, stated, first)) wide = { line };
          else table = new Table(columnsOf(header, stated, first), stem, options);
        } catch (error) {
          throw at(line, error);
        }
      }
      if (table) take(list);
      else pending = pending.concat(list);
    }
    if (wide && pending.length) {
      const { line } = wide;
      try {
        wide = longOf(header, pending, options, stem, (i) => placeOf(pending[i][1]));
        table = new Table(wide.columns, stem, options, wide.roles);
      } catch (error) {
        if (error.code !== "format" && !isNamed(header)) throw error;
        wide = null;
        table = asLong(header, stem, options, pending, line, error);
      }
      take(wide ? wide.rows : pending);
    }
    if (held) throw held;
    if (table === null || !table.lines.length) refuse("empty", "path", "the log has no outcome");
    const remark = table.cells.remark();
    const log = logOf(table, { missing, task, placeOf: (row) => placeOf(table.lines[row]) });
    return {
      ...log, name: source.name, header, stated, missing, outcomes, within, wide: wide !== null,
      readAs: readAs(table, wide), runsBy: wide?.runsBy || log.runsBy,
      remarks: [within && `Rows: ${within}.`, ...table.columns.remarks, remark, table.cells.said(),
        /\.txt(\.gz)?$/i.test(source.name) && TXT, ...log.remarks].filter((x) => x),
      words: table.cells.words, ...examplesOf(header, sample, outcomes),
      mapping: (wide ?? table.columns).mapping,
    };
  } catch (later) {
    const error = held ?? later, words = held ? { words: table.cells.words } : {};
    if (begins && error.code === "format" && error.line < begins) Object.assign(error, { headless: true,
      message: `the first line has no names of columns, and line ${begins} does: delete the lines above it` });
    const read = error.readAs ?? (table ? readAs(table, wide) : stated), mapping = table?.columns.mapping ?? {};
    if (error.code && header && !error.headless) {
      Object.assign(error, { header, ...examplesOf(header, sample, outcomes), ...words, readAs: read, mapping });
    }
    throw error;
  }
}

/** The table of rows that are not wide; where it has no outcome either, the error says why it is not wide. */
function asLong(header, stem, options, rows, line, why) {
  try {
    return new Table(columnsOf(header, options.columns, rows.map(([x]) => x)), stem, options);
  } catch (error) {
    throw at(line, /^(columns|column ')/.test(why.message) && !isNamed(header)
      ? Object.assign(why, { readAs: error.readAs }) : error);
  }
}

/** The column that is read as each of scorio's; one that tells runs apart numbers their trials. */
function readAs({ columns, runs }, wide) {
  const { header, positions } = columns, [trial] = runs ? varyingOf({ columns, runs }) : [];
  const own = wide?.roles ?? Object.fromEntries(Object.entries(positions).map(([name, i]) => [name, header[i]]));
  return trial === undefined ? own : { trial, ...own };
}

/** How many rows repeat a question with the same label, per first one, and the first of them with the one before it. */
function repeats(cell, codes, labels) {
  const seen = new Map();
  let again = null, repeated = 0;
  for (let i = 0; i < codes.length; i++) {
    if (labels[codes[i]] === "" && labels.length > 1) continue;
    const key = cell[i] * labels.length + codes[i], first = seen.get(key);
    if (first === undefined) seen.set(key, i);
    else {
      again ??= [i, first];
      repeated += 1;
    }
  }
  return { again, share: repeated / Math.max(1, seen.size) };
}

/** The columns such as seed or sample that have several values: a constant one tells nothing apart. */
function varyingOf({ runs, columns }) {
  const labels = runs.labels.filter((x) => x.trim()).map((x) => x.split("\n"));
  return columns.runs.filter((_, i) => new Set(labels.map((x) => x[i])).size !== 1).map((x) => x.name);
}

/** What columns such as seed or sample tell apart: trials, runs, counts or nothing, by the rule of the command. */
function toldApart({ columns, runs: all, hasSeveral }, { runs, cell, outcome, hasCounts }) {
  const names = columns.runs.map((x) => x.name), parts = all.labels.map((x) => x.split("\n"));
  const named = (kind, x) => TOLD_APART[kind].replace("NAME", () => x);
  const said = (kind, count = 0) => {
    const used = names.slice(0, count).filter((x) => varying.includes(x));
    return [...(used.length ? [named(kind, used.join(" and "))] : []),
      ...names.filter((x) => !used.includes(x)).map((x) => named("", x))].join(" ");
  };
  const joined = (used) => {
    const found = new Labels("run", (x) => x), ofLabel = parts.map((x) => found.add(x.slice(0, used).join("/")));
    return { labels: found.labels.map((x) => x.replace(/^\/+|\/+$/g, "")), codes: runs.map((x) => ofLabel[x]) };
  };
  const varying = varyingOf({ runs: all, columns });
  const first = joined(1), nothing = { kind: "", remarks: [said("")] };
  const isOutcome = first.labels.length <= 3 && !hasCounts && oneToOne(first.codes, outcome);
  if (isOutcome || all.labels.every((x) => !x.trim())) return nothing;
  if (hasCounts) return { kind: "counts", ...first, field: "trial", remarks: [said("counts", 1)] };
  const several = { kind: "run", field: names[0], runs: first, remarks: [said("run", 1)] };
  if (hasSeveral) return isRun(names[0]) ? several : nothing;
  const shares = names.map((_, i) => {
    const { codes, labels } = joined(i + 1);
    return repeats(cell, codes, labels).share;
  });
  const used = 1 + Math.max(shares.indexOf(0), shares.includes(0) ? -1 : shares.findIndex((x) => x <= MOST_REPEATED));
  if (!used) return isRun(names[0]) ? several : nothing;
  const isWithin = used > 1 && first.labels.length > 1 && isRun(names[0]);
  return { kind: "trial", ...joined(used), field: names.slice(0, used).join(" and "), remarks: [said("trial", used)],
    ...(isWithin ? { runs: first } : {}) };
}

/** Counts of each model by question, from the rows of one task. */
function logOf(table, { missing, task, placeOf }) {
  const { model, question, trial, cluster } = table;
  const tasks = table.task?.labels ?? [""], chosen = task === null ? 0 : tasks.indexOf(task);
  if (chosen < 0) {
    refuse("choice", "task", `no benchmark is called ${shown(task)}; the log has ${listed(tasks.map(shown))}`);
  }
  const kept = tasks.length === 1 ? null : table.task.codes.flatMap((x, row) => (x === chosen ? [row] : []));
  const of = (list) => (kept === null || !list?.length ? list : kept.map((row) => list[row]));
  const models = of(model.codes), questions = of(question.codes), outcome = of(table.outcome);
  const counts = of(table.counts), hasCounts = counts.length > 0;
  const trials = trial ? of(trial.codes) : null, clusters = cluster ? of(cluster.codes) : null;
  const row = (i) => (kept === null ? i : kept[i]);
  const fail = (i, code, argument, reason, hint, column) =>
    refuse(code, argument, reason, hint, { ...placeOf(row(i)), column });
  const describe = (i) => `question ${shown(question.labels[questions[i]])} of ${shown(model.labels[models[i]])}`;

  const cellOf = new Map(), cell = new Array(models.length), start = [], modelOf = [], width = question.labels.length;
  for (let i = 0; i < models.length; i++) {
    const x = remembered(cellOf, models[i] * width + questions[i], () => {
      modelOf.push(models[i]);
      return start.push(i) - 1;
    });
    cell[i] = x;
    if (clusters && clusters[i] !== clusters[start[x]]) {
      const [here, before] = [clusters[i], clusters[start[x]]].map((y) => shown(cluster.labels[y]));
      fail(i, "conflict", "cluster", `${describe(i)} is in cluster ${here} here, in ${before} before`, "", "cluster");
    }
  }
  refuseFactors(table.unread, { cell, modelOf, outcome: hasCounts ? counts.map(String) : outcome,
    trial: table.isWide ? null : trials, describe, of, place: (i) => placeOf(row(i)),
    roles: table.isWide ? "benchmarks or of trials" : "benchmarks, of models or of trials" });

  const log = { tasks, task: tasks[chosen], questions: question.labels, models: [], remarks: [], rows: cell.length,
    fromCounts: hasCounts, runsBy: "" };
  const told = table.runs ? toldApart(table, { runs: of(table.runs.codes), cell, outcome, hasCounts }) : null;
  const isTold = told?.kind === "trial", ids = trials ?? told?.codes ?? (hasCounts ? models.map(() => 0) : null);
  const labels = trial?.labels ?? told?.labels ?? [""], idName = isTold ? told.field : "trial";
  if (ids) {
    const { again } = repeats(cell, ids, labels);
    if (again) {
      const [i, first] = again, id = labels[ids[i]] ? `${idName} ${shown(labels[ids[i]])} of ` : "";
      const before = thousands(table.lines[row(first)]);
      fail(i, "duplicate", "path", `duplicate ${id}${describe(i)}: already in line ${before}`,
        isTold ? `if these are several trials in one ${idName}, choose none as the trial below` : "", "question");
    }
  }
  if (told) {
    log.remarks.push(...told.remarks);
    log.runsBy = table.hasSeveral && told.kind === "run" ? told.field : "";
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
  const codes = { model: modelOf, question: start.map((i) => questions[i]) };
  for (const [name, what] of Object.entries(table.named)) {
    const ofModel = name === "model", { labels } = table[name];
    const named = labels.flatMap((x, i) => (isSummary(x) || (!ofModel && mayBeSummary(x)) ? [i] : []));
    const kept = start.map((_, x) => x).filter((x) => !ofModel || !mayBeSummary(question.labels[codes.question[x]]));
    const lines = [codes[name], codes[ofModel ? "question" : "model"], n, c].map((x) => kept.map((i) => x[i]));
    const isWritten = (x) => [...table.written.get(x) ?? []].some((y) => !table.written.get(-1)?.has(y)); // otherwise
    const found = summariesAmong(named, ...lines, hasCounts);
    const isLast = table.isWide && hasCounts && !ofModel && what === "row"; // a last row of any name
    const code = found.find((x) => hasCounts || isSummary(labels[x]) || isWritten(x))
      ?? (isLast ? summariesAmong([questions.at(-1)], ...lines, true)[0] : undefined);
    log.remarks.push(...found.map((x) => `${labels[x]} is read as outcomes, though it equals the sum or the mean of `
      + "others: if it is that, remove its rows."));
    if (code !== undefined) refuseSummary(name, table[name].labels[code], what,
      { ...placeOf(row(start[codes[name].indexOf(code)])), column: name });
  }
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
      c: own.map((x) => c[x]), missing: lost.reduce((a, b) => a + b, 0),
      clusters: clusters ? own.map((x) => cluster.labels[clusters[start[x]]]) : null, runs: null,
    });
  });
  const runs = told?.runs ?? { codes: ids, labels };
  if (!hasCounts) addRuns(log, { model, models, questions, outcome, missing, ...runs });
  if (missing === 0) addAbsent(log);
  return log;
}

/** Count each question that a model lacks, and another has, as so many failures as its longest question has trials. */
function addAbsent({ models }) {
  const all = [...new Set(models.flatMap((x) => x.index))];
  const clusterOf = new Map(models.flatMap((x) => x.index.map((q, j) => [q, x.clusters?.[j]])));
  for (const x of models) {
    const own = new Set(x.index), absent = all.filter((q) => !own.has(q)), [, most] = ends(x.n);
    for (const [name, value] of [["index", (q) => q], ["n", () => most], ["c", () => 0]]) {
      x[name] = x[name].concat(absent.map(value));
    }
    x.missing += most * absent.length;
    x.clusters &&= x.clusters.concat(absent.map((q) => clusterOf.get(q)));
    if (x.runs) { // of which run their outcomes are is unknown
      const outcomes = new Int8Array(x.index.length * x.runs.names.length).fill(-1);
      outcomes.set(x.runs.outcomes);
      x.runs.outcomes = outcomes;
    }
  }
}

/**
 * Of these labels those each of whose outcomes is the sum, or each the mean, of the others beside it.
 *
 * own, beside : of each cell, the code of its label, and that of the line in which it may sum up others.
 * areCounts : whether cells are counts, of which both successes and trials are sums.
 */
function summariesAmong(named, own, beside, n, c, areCounts) {
  const others = new Map(beside.map((x) => [x, { c: 0, n: 0, size: 0 }])); // in each line
  own.forEach((x, i) => {
    const line = others.get(beside[i]), size = line.size + (areCounts ? 1 : n[i]);
    if (n[i] && !named.includes(x)) Object.assign(line, { c: line.c + c[i], n: line.n + n[i], size });
  });
  const all = (i, x) => (x === 0 || x === 1) && c[i] === n[i] * x; // each outcome of a cell
  const kinds = areCounts ? [(i, x) => c[i] === x.c && n[i] === x.n]
    : [(i, x) => all(i, x.c), (i, x) => all(i, x.c / x.n)];
  return named.filter((x) => own.includes(x) && kinds.some((is) => own.every((y, i) => y !== x
    || (n[i] && others.get(beside[i]).size > 1 && is(i, others.get(beside[i]))))));
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
