// The rows of a file, each with its line: CSV, TSV and semicolons, JSONL, or a JSON list of records.
import { shown } from "../words.js";
import { refuse } from "./cells.js";
import { MOST_INNER } from "./names.js";
import { isRun, usual } from "./columns.js";

const DEEPEST = 3, FEW = 10; // levels of objects within a record; entries of an object by id
const FIRST_LINES = 20; // which show the delimiter
const FORMULA = /^'+[=+\-@\t\r]/; // an apostrophe that the command's CSV puts before a formula

/** An error gets the line that it is about, unless it has one. */
export function at(line, error) {
  error.line ??= line;
  return error;
}

/** Complete lines of a stream of text, in lists; the number of bytes so far goes to `progress`. */
async function* linesOf(source, progress) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = source.stream().getReader();
  let rest = "", line = 0, bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    let text;
    try {
      text = rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }));
    } catch {
      refuse("format", "path", "not UTF-8 text in this line or one of the next", "save it as CSV UTF-8",
        { line: line + 1 });
    }
    const lines = text.split("\n");
    rest = done ? "" : lines.pop();
    if (done && lines.at(-1) === "") lines.pop();
    if (lines.length) yield lines;
    line += lines.length;
    if (done) return;
    progress((bytes += value.length) / source.size);
  }
}

/** The cells of a record; null where a quoted cell goes on in the next line. */
function cellsOf(record, delimiter) {
  const cells = [];
  let i = 0;
  for (;;) {
    let cell = "";
    if (record[i] === '"') {
      let end = i + 1;
      for (;;) {
        const quote = record.indexOf('"', end);
        if (quote < 0) return null;
        cell += record.slice(end, quote);
        end = quote + 1;
        if (record[end] !== '"') break;
        cell += '"';
        end += 1;
      }
      if (end < record.length && record[end] !== delimiter) {
        refuse("format", "path", `${shown(delimiter)} expected after '"'`);
      }
      i = end;
    } else {
      const end = record.indexOf(delimiter, i);
      cell = record.slice(i, end < 0 ? undefined : end);
      i = end < 0 ? record.length : end;
    }
    cells.push(cell);
    if (i >= record.length) return cells;
    i += 1; // past the delimiter
  }
}

/** The delimiter of a table with these first lines: a tab, a semicolon or a comma, by the header. */
export function delimiterOf(lines) {
  const candidates = ["\t", ";", ","].filter((x) => lines[0]?.includes(x));
  if (candidates.length < 2) return candidates[0] ?? ",";
  const width = (delimiter) => {
    try {
      const widths = new Set(lines.map((x) => cellsOf(x, delimiter)?.length ?? 0));
      return widths.size === 1 ? [...widths][0] : 0;
    } catch {
      return 0;
    }
  };
  const best = candidates.reduce((a, b) => (width(b) > width(a) ? b : a));
  return width(best) ? best : ",";
}

/** Rows of a table of cells, the header first; each is [cells, line]. */
async function* separated(source, progress) {
  let delimiter = /\.tsv$/i.test(source.name) ? "\t" : "", width = 0, line = 0, start = 0, pending = null;
  for await (const lines of linesOf(source, progress)) {
    const rows = [];
    delimiter ||= delimiterOf(lines.slice(0, FIRST_LINES).map((x) => x.replace(/\r$/, "")).filter((x) => x.trim()));
    for (let text of lines) {
      line += 1;
      if (text.endsWith("\r")) text = text.slice(0, -1);
      try {
        if (/[\r\0]/.test(text)) refuse("format", "path", "a carriage return or NUL within the line");
        let cells;
        if (pending === null && !text.includes('"')) {
          cells = text.split(delimiter);
          start = line;
        } else {
          if (pending === null) [pending, start] = [{ texts: [], quotes: 0 }, line];
          pending.texts.push(text);
          pending.quotes += text.split('"').length - 1;
          if (pending.quotes % 2) continue; // a quoted cell holds a line break
          cells = cellsOf(pending.texts.join("\n"), delimiter);
          if (cells === null) continue;
          pending = null;
        }
        if (cells.length < 2 ? !cells[0].trim() : cells.every((x) => !x.trim())) continue; // a blank line
        width ||= cells.length;
        if (cells.length !== width) refuse("ragged", "path", `${cells.length} cells under ${width} columns`);
        rows.push([text.includes("'") ? cells.map((x) => (FORMULA.test(x) ? x.slice(1) : x)) : cells, start]);
      } catch (error) {
        yield rows;
        throw at(start || line, error);
      }
    }
    yield rows;
  }
  if (pending !== null) refuse("format", "path", "a quote is opened here and not closed", "", { line: start });
}

/** The value of JSON text; raises for what a browser would read wrongly: a key twice, an integer beyond 2^53. */
function parsed(text) {
  let keys = 0;
  const count = (_, x) => {
    if (x && typeof x === "object" && !Array.isArray(x)) keys += Object.keys(x).length;
    return x;
  };
  let value;
  try {
    value = JSON.parse(text, count);
  } catch (error) {
    refuse("format", "path", `not JSON: ${error.message}`);
  }
  if ((text.match(/"\s*:/g)?.length ?? 0) !== keys) refuseDuplicateKeys(text);
  const long = /[:,[\s](-?\d{16,})(?=[\s,}\]]|$)/.exec(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
  if (long) refuse("format", "path", `the integer ${long[1]} is beyond 2^53: write it as text`);
  return value;
}

function refuseDuplicateKeys(text) {
  const open = [];
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon) {
      const key = JSON.parse(token.slice(0, token.length - colon.length));
      if (open.at(-1).has(key)) refuse("duplicate", "path", `duplicate key ${shown(key)} in an object`);
      open.at(-1).add(key);
    }
  }
}

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);

/** The paths of the values in an object, through objects within it such as score.value. */
const pathsIn = (x, depth = DEEPEST) => Object.keys(x).flatMap((key) => {
  const isOpened = depth > 0 && isObject(x[key]) && Object.keys(x[key]).length <= MOST_INNER;
  const inner = isOpened ? pathsIn(x[key], depth - 1) : [];
  return inner.length ? inner.map((path) => [key, ...path]) : [[key]];
});

/** The cells of records, under the paths of the values of the first. */
class Records {
  #keys = null;
  #paths;

  /** The rows of a record: its cells, and above the first one the names of their columns. */
  *rows(x, place) {
    if (!isObject(x) || !Object.keys(x).length) refuse("format", "path", `${shown(x)} is not a JSON object with keys`);
    const own = Object.keys(x);
    if (this.#keys === null) {
      [this.#keys, this.#paths] = [own, pathsIn(x)];
      yield [this.#paths.map((path) => path.join(".")), place];
    }
    const differs = own.length !== this.#keys.length || own.some((key) => !this.#keys.includes(key));
    yield [this.#paths.map((path) => path.reduce((y, key) => y?.[key] ?? null, x)), place, undefined,
      differs && `keys ${shown(own.join(", "))} here, ${shown(this.#keys.join(", "))} in the first row`];
  }
}

async function* jsonLines(source, progress) {
  const records = new Records();
  let line = 0;
  for await (const lines of linesOf(source, progress)) {
    const rows = [];
    for (const text of lines) {
      line += 1;
      if (!text.trim()) continue;
      try {
        rows.push(...records.rows(parsed(text), line));
      } catch (error) {
        yield rows;
        throw at(line, error);
      }
    }
    yield rows;
  }
}

/** The lists of objects in a document, with the path of each, and the paths of the values around them. */
function listsIn(x, path = []) {
  return Object.entries(x).flatMap(([key, y]) => {
    if (Array.isArray(y)) return y.length && y.every(isObject) ? [{ path: [...path, key], list: y }] : [];
    return isObject(y) && path.length < DEEPEST ? listsIn(y, [...path, key]) : [];
  });
}

const written = (path) => path.map((x) => (/^[\w-]+$/.test(x) ? x : `"${x}"`)).join(".");
const isScalar = (x) => x === null || typeof x !== "object";
const namesOutcome = ({ ...x }, but = "") => (delete x[but], "outcome" in x
  || usual("outcome", pathsIn(x).map((path) => path.join("."))).length > 0);

/** Records as they are, or with the rows of the only list of objects in each where they name no outcome themselves. */
function opened({ list, within }) {
  const isList = (key) => list.every((x) => Array.isArray(x?.[key]) && x[key].length && x[key].every(isObject));
  const [key, ...more] = isObject(list[0]) ? Object.keys(list[0]).filter(isList) : [];
  if (key === undefined || more.length || namesOutcome(list[0], key)) return { list, within };
  return { list: list.flatMap(({ [key]: inner, ...outer }) => inner.map((x) => ({ ...outer, ...x }))),
    within: `${within || "[*]"}.${written([key])}[*]` };
}

/** The records in a document, and the pattern that finds them: a list, or objects by the ids of questions or models. */
function listIn(x) {
  if (Array.isArray(x)) return { list: x, within: "" };
  const entries = Object.entries(x), each = (test) => entries.length > 0 && entries.every(([, y]) => test(y));
  const isMany = (y) => isObject(y) && Object.keys(y).length >= FEW && Object.values(y).every(isScalar);
  const of = (name, y) => Object.entries(y).map(([key, z]) => ({ [name]: key, ...(isObject(z) ? z : { outcome: z }) }));
  if (each(isMany)) return { list: entries.flatMap(([model, y]) => of("question", y).map((z) => ({ model, ...z }))),
    within: "{model}.{question}" };
  const isById = each(isScalar) || (each(isObject) && each((y) => namesOutcome(y)));
  if (entries.length >= FEW && isById) return { list: of("question", x), within: "{question}" };
  const lists = listsIn(x), likely = lists.filter(({ list }) => namesOutcome(list[0]));
  const chosen = likely.length === 1 ? likely : lists;
  if (chosen.length > 1 && likely.length === entries.length && each(Array.isArray)) {
    return { list: entries.flatMap(([model, y]) => y.map((z) => ({ model, ...z }))), within: "{model}[*]" };
  }
  if (chosen.length !== 1) {
    const keys = Object.keys(x).map((y) => shown(y)).slice(0, 5).join(", ");
    const what = lists.length ? `${lists.length} lists of records: ${lists.slice(0, 5).map((y) => written(y.path))
      .join(", ")}` : "not a list of records";
    refuse("format", "path", `a JSON document with ${keys || "no keys"}, ${what}`,
      "save the list of its records as a file; the scorio command reads the documents of about thirty tools");
  }
  const [{ path, list }] = chosen; // and what the document says of all records
  const around = pathsIn(x).filter((y) => y[0] !== path[0]), names = around.map((y) => y.join("."));
  const found = [...names.filter((y) => y === "model" || y === "task" || isRun(y)), ...usual("model", names)];
  const outer = Object.fromEntries(around.filter((y) => found.includes(y.join(".")))
    .map((y) => [y.join("."), y.reduce((z, key) => z[key], x)]));
  return { list: list.map((y) => ({ ...outer, ...y })), within: `${written(path)}[*]` };
}

/** Rows of a JSON list of records; their places are numbers of entries, from 0 as the command counts them. */
function jsonRows(list) {
  const records = new Records(), rows = [];
  for (const [i, x] of list.entries()) {
    try {
      rows.push(...records.rows(x, i));
    } catch (error) {
      throw Object.assign(error, { entry: i });
    }
  }
  return [rows];
}

/** The line below the first one in which a table begins, by the names in it; 0 where there is none. */
function beginOf(lines) {
  const names = (line) => line.split(/[,;\t]/).map((x) => x.trim().replace(/^"|"$/g, "").toLowerCase());
  const isHeader = (x) => ["question", "outcome"].every((name) => x.includes(name) || usual(name, x).length > 0);
  const found = lines.slice(0, FIRST_LINES).findIndex((line) => isHeader(names(line)));
  return found > 0 ? found + 1 : 0;
}

/**
 * Lists of rows [cells, line] of a source, the header first.
 *
 * byEntry : whether their places are entries of a list rather than lines.
 * within : where the list is in its document, as --rows takes it.
 */
export async function rowsOf(source, progress) {
  const name = source.name.toLowerCase().replace(/\.gz$/, "");
  if (name.length < source.name.length) {
    try {
      const content = await new Response(source.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
      source = new File([content], name);
    } catch {
      refuse("format", "path", `${source.name} is not compressed by gzip`);
    }
  }
  const bytes = new Uint8Array(await source.slice(0, 2).arrayBuffer());
  const start = (await source.slice(0, 4096).text()).trimStart();
  if (/\.(parquet|xlsx?|ods|zip|tar|npy|npz|eval|pdf|html?)$/.test(name) || /^(PK|PAR1)/.test(start)) {
    refuse("format", "path", `${source.name} is no text table`, "save the table as CSV or JSONL; this page reads "
      + "CSV, TSV, JSONL and JSON, the scorio command the logs of about thirty tools");
  }
  if (bytes[0] + bytes[1] === 0xfe + 0xff || (bytes.includes(0) && start)) {
    refuse("format", "path", "text in UTF-16, such as Excel's \"Unicode text\"", "save it as CSV UTF-8");
  }
  if (!start) refuse("empty", "path", "the file is empty");
  if (/\.(csv|tsv)$/.test(name) || !/^[[{]/.test(start)) {
    return { rows: separated(source, progress), within: "", begins: beginOf(start.split("\n")) };
  }
  if (start.startsWith("{") && (!/\.json$/.test(name) || /^\{.*\}[ \t\r]*\n\s*\{/.test(start))) {
    return { rows: jsonLines(source, progress), within: "" };
  }
  let text = "";
  for await (const lines of linesOf(source, progress)) text += `${lines.join("\n")}\n`;
  const { list, within } = opened(listIn(parsed(text)));
  if (!list.length) refuse("empty", "path", "the file is empty");
  return { rows: jsonRows(list), byEntry: true, within };
}
