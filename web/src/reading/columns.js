// Which column of a table is read as what: by scorio's own names, else by usual ones, which is then said.
import { capital, listed, number, shown, thousands } from "../words.js";
import { isMissing, isWord, numberIn, refuse, scoreIn } from "./cells.js";
import {
  BESIDE_SUMMARY, COLUMNS, COUNTS, MAYBE_SUMMARY, MOST_PARTS, NAMES_AND_WORDS, NEEDED, NUMBERS, RUN, RUN_NAMES, SUMMARY,
  UNITS, USUAL, USUAL_NAMES,
} from "./names.js";

const [RUNS, TRIALS] = [RUN, NUMBERS].map((x) => new RegExp(`^(?:${x})$`));
export const MOST_SAMPLED = 100; // rows that show what a column holds
const bare = (name) => name.toLowerCase().replace(/[_ -]/g, "");

/** Whether a column may tell runs apart of which each has several trials of a question. */
export const isRun = (name) => RUNS.test(bare(name));

/** Whether a column of a wide table is of trials or of runs by its name, and no model's. */
export const isOfTrials = (name) => [RUNS, TRIALS].some((x) => x.test(bare(name)))
  || ["trial", ...RUN_NAMES].includes(name.toLowerCase());

/** Columns in words; those without a usual name are not quoted: a file may be no table, but secret. */
export function described(names) {
  const plain = names.flatMap((x) => [x.trim().toLowerCase(), x.replace(/s$/, "")]);
  if (plain.some((x) => USUAL_NAMES.includes(x))) return `the columns are ${shown(names.join(", "))}`;
  return `${number(names.length, "column")} (${thousands(names.join("").length)} characters), none with a usual name`;
}

/** Whether a cell of the first line is an outcome rather than the name of a column. */
function isData(cell) {
  if (isWord(cell)) return ![...USUAL.outcome, ...NAMES_AND_WORDS].includes(cell.toLowerCase());
  try {
    return numberIn(cell, "header") !== null;
  } catch {
    return false;
  }
}

/** Letters that have to change to make one word of another. */
function distance(a, b) {
  let row = [...b, ""].map((_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1])));
    }
    row = next;
  }
  return row[b.length];
}

/** The columns with usual names of one of scorio's, the best first; those within objects by the end of their names. */
export function usual(name, header) {
  const own = new Map([...header].reverse().map((x) => [x.toLowerCase(), x]));
  const inner = header.filter((x) => x.includes(".")).map((x) => [x.toLowerCase().split(".").at(-1), x]);
  const within = (x) => inner.filter(([last]) => last === x).map(([, column]) => column);
  const names = USUAL[name] ?? [], found = names.map((x) => own.get(x)).filter((x) => x !== undefined);
  return found.length ? found : [name, ...names].map(within).filter((x) => x.length === 1).flat();
}

/** Of several columns that may be the question the first with enough values: a task has samples, a benchmark tasks. */
function questionAmong(found, header, first) {
  const sizes = found.map((x) => new Set(first.map((row) => String(row[header.indexOf(x)]))).size);
  const most = Math.max(0, ...sizes.filter((n) => n < first.length));
  return found.find((_, i) => 2 * sizes[i] >= most && sizes[i] > 1) ?? found[0];
}

/** Whether no task of a model has a second row in one run: such tasks are questions rather than benchmarks. */
function areQuestions(header, { model, task, trial }, first) {
  const names = header.filter((x) => [model, task, trial].includes(x) || RUNS.test(bare(x)) || TRIALS.test(bare(x)));
  const ids = first.map((row) => JSON.stringify(names.map((x) => row[header.indexOf(x)])));
  return ids.length > 0 && new Set(ids).size === ids.length;
}

/** The column of each of scorio's columns (`chosen`), and those with other names than scorio's (`taken`). */
function choose(header, stated, first) {
  const chosen = new Map(), taken = {};
  const plain = new Map([...header].reverse().map((x) => [x.toLowerCase(), x]));
  for (const name of COLUMNS) {
    if (stated[name]) {
      if (!header.includes(stated[name])) {
        refuse("choice", "columns", `no column ${shown(stated[name])}; ${described(header)}`);
      }
      chosen.set(name, stated[name]);
      if (stated[name] !== name) taken[name] = stated[name];
    } else if (stated[name] === undefined) {
      const alike = header.filter((x) => x === name || (name.length > 1 && x.toLowerCase() === name));
      if (alike.length > 1) refuse("duplicate", "path",
        `duplicate column ${shown(name)}, ${shown(alike[0])} and ${shown(alike[1])}: rename one of them`);
      if (alike.length && !Object.values(stated).includes(alike[0])) chosen.set(name, alike[0]);
    }
  }
  const free = (found) => found.filter((x) => x && ![...chosen.values()].includes(x));
  const take = (name, found) => {
    if (!found.length || chosen.has(name) || stated[name] === "") return;
    chosen.set(name, found[0]);
    taken[name] = found[0];
  };
  if (!isComplete(chosen)) {
    const questions = free(usual("question", header));
    take("question", questions.length > 1 ? [questionAmong(questions, header, first)] : questions);
    const counts = ["c", "n"].map((x) => [x, ...COUNTS[x]].map((y) => plain.get(y)).find((y) => y !== undefined));
    if (!chosen.has("outcome") && counts.every((x) => x) && counts[0] !== counts[1]) {
      ["c", "n"].forEach((x, i) => take(x, free([counts[i]])));
    } else take("outcome", free(usual("outcome", header)));
  }
  take("model", free(usual("model", header)));
  if (!chosen.has("question") && chosen.has("task") && hasOutcome(chosen) && !stated.task && stated.question !== ""
    && areQuestions(header, Object.fromEntries(chosen), first)) {
    const found = [chosen.get("task")];
    chosen.delete("task");
    take("question", found);
  }
  return { chosen, taken };
}

const hasOutcome = (chosen) => chosen.has("outcome") || (chosen.has("c") && chosen.has("n"));
const isComplete = (chosen) => chosen.has("question") && hasOutcome(chosen);

/** Refuse a first line of values, and two columns of one name. */
function checkHeader(header) {
  const names = header.filter((x) => x);
  if (names.length > 1 && names.every(isData)) {
    const first = { 2: "question,outcome", 3: "model,question,outcome" }[names.length]
      ?? "model,question,trial,outcome";
    refuse("format", "path", `the first line has ${names.length} values, not names of columns`, names.length <= 4
      ? `put a first line above the data, ${first}` : "this page takes one row for each trial, under names of columns",
    { headless: true });
  }
  if (new Set(names).size !== names.length) refuse("duplicate", "path", `duplicate column: ${described(header)}`);
}

/** Whether a table has no outcomes by name, so that each of several columns may have those of a model or a trial. */
export function mayBeWide(header, stated, first) {
  checkHeader(header);
  const { chosen } = choose(header, stated, first);
  return header.length > 2 && !["outcome", "c", "n"].some((x) => chosen.has(x));
}

/**
 * The position of each column that is read.
 *
 * stated : the names in the file of columns, as the user chose them; "" where there is none.
 * first : the first rows.
 * positions : by scorio's name; runs: the columns that may tell runs or trials apart, by position.
 * mapping : what --columns has to say, by scorio's name.
 * unread : the other columns, by position.
 */
export function columnsOf(header, stated = {}, first = []) {
  checkHeader(header);
  const { chosen, taken } = choose(header, stated, first);
  refuseAlike(header, chosen, stated);
  if (!isComplete(chosen)) {
    const lacking = chosen.has("question") ? "the outcome" : hasOutcome(chosen) ? "the question"
      : "the question and the outcome";
    const [model, c, n] = ["model", "c", "n"].map((name) => header.indexOf(chosen.get(name)));
    const counts = first.slice(0, 9).map((row) => `${row[model]} ${row[c]}/${row[n]}`).join(", ");
    const hint = header.length < 2 ? "separate the columns by commas, semicolons or tabs"
      : `choose ${lacking} below, or rename the columns${Math.min(model, c, n) < 0 ? ""
        : `; if each row has all that a model solved, type it: ${counts}`}`;
    refuse("format", "path", `${described(header)}; ${NEEDED}`, hint,
      { readAs: Object.fromEntries(chosen) });
  }
  if ((chosen.has("c") || chosen.has("n")) && (chosen.has("outcome") || chosen.has("trial"))) {
    refuse("conflict", "path", "c and n count trials: a table has either these or outcome and trial");
  }
  const positions = Object.fromEntries([...chosen].map(([name, column]) => [name, header.indexOf(column)]));
  const read = new Set(chosen.values());
  const unread = header.map((name, i) => ({ name, i })).filter((x) => x.name && !read.has(x.name)
    && !UNITS.includes(x.name.toLowerCase()));
  const mapping = Object.keys(taken).length
    ? Object.fromEntries([...chosen].filter(([name, column]) => name !== column)) : {};
  const own = header.filter((x) => x.length > 1 && COLUMNS.includes(x.toLowerCase()) && stated[x.toLowerCase()] === ""
    && !read.has(x)).map((x) => `The command reads column ${x} by its own name: rename it there.`);
  const as = Object.entries(taken).map(([name, column]) => `${name} from column ${column}`);
  return { header, mapping, ...withUnread(positions, unread, [
    ...(as.length ? [`${capital(listed(as, 8))}.`] : []), ...own]) };
}

/** The columns that are read, those that are not, and those among these that may tell runs or trials apart. */
export function withUnread(positions, unread, remarks) {
  const named = (pattern) => unread.filter((x) => pattern.test(bare(x.name)));
  const runs = "trial" in positions ? [] : [...new Set([...named(RUNS), ...named(TRIALS)])];
  const others = unread.filter((x) => !runs.includes(x)).map((x) => x.name);
  return { positions, unread, runs, remarks: [...remarks,
    ...(others.length ? [`Columns that are not read: ${shown(others.join(", "))}.`] : [])] };
}

/** Refuse a column whose name may be a misspelling of one that is missing. */
function refuseAlike(header, chosen, stated) {
  const read = new Set(chosen.values());
  for (const x of header) {
    if (!x || read.has(x) || Object.values(stated).includes(x)) continue;
    const plain = x.toLowerCase();
    const near = COLUMNS.find((name) => name.length > 1 && !chosen.has(name) && stated[name] !== ""
      && ([`${name}s`, `${name}_id`, `${name}_name`].includes(plain)
        || (x.length >= name.length && distance(plain, name) <= 1)));
    if (near) refuse("format", "path",
      `column ${shown(x)} is not read: is it ${near}? Rename it, or choose the columns below`);
  }
}

/** Whether a table names models, and questions by a usual name: then its other columns are no questions. */
export const isNamed = (header) => !header.includes("question") && usual("question", header).length > 0
  && (header.includes("model") || usual("model", header).length > 0);

/** The columns in the order in which they may be the outcome, and examples of their cells. */
export function examplesOf(header, rows, stated) {
  const distinct = (i) => [...new Set(rows.map((row) => row[i]).filter((y) => !isMissing(y)))];
  const cells = new Map(header.map((x, i) => [x, distinct(i)]));
  const values = (x) => cells.get(x).map((y) => scoreIn(y, stated));
  const fits = (x) => cells.get(x).length > 0 && values(x).every((y) => y === 0 || y === 1 || Number.isNaN(y));
  const names = ["outcome", ...usual("outcome", header)], rank = (x) => (fits(x) ? 0 : 2) + !names.includes(x);
  return {
    likely: header.filter((x) => x).sort((a, b) => rank(a) - rank(b)),
    examples: Object.fromEntries([...cells].map(([x, y]) => [x, y.slice(0, 2).map((z) => shown(z).slice(0, 24))])),
  };
}

const partsOf = (label) => label.toLowerCase().split(/[\s:_()-]+/).filter((x) => x);

/** Whether a question may sum up others, also where only its numbers can tell: Accuracy, final score, mmlu (avg). */
export function mayBeSummary(label) {
  const parts = partsOf(label), ends = [parts[0], parts.at(-1)];
  return parts.length > 0 && (parts.every((x) => MAYBE_SUMMARY.includes(x))
    || (parts.length <= MOST_PARTS && ends.some((x) => SUMMARY.includes(x))));
}

/** Whether a label says that a row sums up others: Total, AVERAGE, overall accuracy. */
export function isSummary(label) {
  const parts = partsOf(label);
  return parts.length > 0 && SUMMARY.includes(parts[0])
    && parts.every((x) => SUMMARY.includes(x) || BESIDE_SUMMARY.includes(x));
}
