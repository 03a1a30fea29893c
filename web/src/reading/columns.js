// Which column of a table is read as what: by scorio's own names, else by usual ones, which is then said.
import { capital, listed, number, shown, thousands } from "../words.js";
import { isWord, numberIn, refuse } from "./cells.js";
import { COLUMNS, COUNTS, NAMES_AND_WORDS, NEEDED, RUN, UNITS, USUAL, USUAL_NAMES } from "./names.js";

const runName = new RegExp(`^(?:${RUN})$`);

const usual = (name, plain) => USUAL[name]?.map((x) => plain.get(x)).find((x) => x !== undefined);

/** Columns in words; those without a usual name are not quoted: a file may be no table, but secret. */
function described(names) {
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
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1,
      row[j - 1] + (a[i - 1] !== b[j - 1])));
    row = next;
  }
  return row[b.length];
}

/**
 * The position of each column that is read.
 *
 * stated : the names in the file of columns, as the caller chose them; "" where there is none.
 * positions : by scorio's name, and `run` for the field that tells runs apart.
 * mapping : what --columns has to say, by scorio's name.
 * unread : the other columns, by position.
 */
export function columnsOf(header, stated = {}) {
  const names = header.filter((x) => x);
  const plain = new Map([...header].reverse().map((x) => [x.toLowerCase(), x]));
  if (names.length > 1 && names.every(isData)) {
    const first = { 2: "question,outcome", 3: "model,question,outcome" }[names.length]
      ?? "model,question,trial,outcome";
    const hint = names.length <= 4 ? `put a first line above the data, ${first}`
      : "this page takes one row for each trial";
    refuse("format", "path", `the first line has ${names.length} values, not names of columns`, hint);
  }
  if (new Set(names).size !== names.length) refuse("duplicate", "path", `duplicate column: ${described(header)}`);
  const chosen = new Map(); // the header of each of scorio's columns
  const taken = {}; // columns by other names than scorio's
  for (const name of COLUMNS) {
    if (stated[name]) {
      if (!header.includes(stated[name])) refuse("choice", "columns",
        `no column ${shown(stated[name])}; ${described(header)}`);
      chosen.set(name, stated[name]);
      if (stated[name] !== name) taken[name] = stated[name];
    } else if (stated[name] === undefined) {
      const alike = header.filter((x) => x === name || (name.length > 1 && x.toLowerCase() === name));
      if (alike.length > 1) refuse("duplicate", "path",
        `duplicate column ${shown(name)}, ${shown(alike[0])} and ${shown(alike[1])}: rename one of them`);
      if (alike.length && !Object.values(stated).includes(alike[0])) chosen.set(name, alike[0]);
    }
  }
  const take = (name, column) => {
    if (!column || chosen.has(name) || stated[name] === "" || [...chosen.values()].includes(column)) return;
    chosen.set(name, column);
    taken[name] = column;
  };
  if (!chosen.has("question") || !(chosen.has("outcome") || (chosen.has("c") && chosen.has("n")))) {
    take("question", usual("question", plain));
    const counts = ["c", "n"].map((x) => plain.get(x)
      ?? COUNTS[x].map((y) => plain.get(y)).find((y) => y !== undefined));
    if (!chosen.has("outcome") && counts.every((x) => x) && counts[0] !== counts[1]) ["c",
      "n"].forEach((x, i) => take(x, counts[i]));
    else take("outcome", usual("outcome", plain));
  }
  take("model", usual("model", plain));
  refuseAlike(header, chosen, stated);
  if (!chosen.has("question") || !(chosen.has("outcome") || (chosen.has("c") && chosen.has("n")))) {
    refuse("format", "path", `${described(header)}; ${NEEDED}`,
      "choose the columns below, or rename them; a column for each model needs the command's --wide");
  }
  if ((chosen.has("c") || chosen.has("n")) && (chosen.has("outcome") || chosen.has("trial"))) {
    refuse("conflict", "path", "c and n count trials: a table has either these or outcome and trial");
  }
  const positions = Object.fromEntries([...chosen].map(([name, column]) => [name, header.indexOf(column)]));
  const read = new Set(chosen.values());
  const unread = header.map((name, i) => ({ name, i })).filter((x) => x.name && !read.has(x.name)
    && !UNITS.includes(x.name.toLowerCase()));
  const run = "trial" in positions ? undefined
    : unread.find((x) => runName.test(x.name.toLowerCase().replace(/[_ -]/g, "")));
  if (run) positions.run = run.i;
  const mapping = Object.keys(taken).length
    ? Object.fromEntries([...chosen].filter(([name, column]) => name !== column)) : {};
  return { header, positions, mapping, unread, remarks: remarksOf(taken, unread.filter((x) => x !== run)) };
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

function remarksOf(mapping, unread) {
  const as = Object.entries(mapping).map(([name, column]) => `${name} from column ${column}`);
  const remarks = as.length ? [`${capital(listed(as, 8))}.`] : [];
  if (unread.length) remarks.push(`Columns that are not read: ${shown(unread.map((x) => x.name).join(", "))}.`);
  return remarks;
}
