// The rows of a file, each with its line: CSV, TSV and semicolons, JSONL, or a JSON list of records.
import { shown } from "../words.js";
import { refuse } from "./cells.js";

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
      throw at(line + 1, asError(() => refuse("format", "path", "not UTF-8 text in this line or one of the next")));
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

function asError(call) {
  try {
    return call();
  } catch (error) {
    return error;
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
      if (end < record.length && record[end] !== delimiter) refuse("format", "path",
        `${shown(delimiter)} expected after '"'`);
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
    const widths = new Set(lines.map((x) => asError(() => cellsOf(x, delimiter))?.length ?? 0));
    return widths.size === 1 ? [...widths][0] : 0;
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
        if (text.includes("\r") || text.includes("\0")) refuse("format", "path",
          "a carriage return or NUL within the line");
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
  if (pending !== null) throw at(start, asError(() => refuse("format", "path",
    "a quote is opened here and not closed")));
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

/** The values of an object under the keys of the first one. */
function valuesOf(x, keys) {
  if (x === null || typeof x !== "object" || Array.isArray(x) || !Object.keys(x).length) {
    refuse("format", "path", `${shown(x)} is not a JSON object with keys`);
  }
  const own = Object.keys(x);
  if (own.length !== keys.length || own.some((key) => !keys.includes(key))) {
    refuse("ragged", "path", `keys ${shown(own.join(", "))} here, ${shown(keys.join(", "))} in the first row`);
  }
  return keys.map((key) => x[key]);
}

async function* jsonLines(source, progress) {
  let line = 0, keys = null;
  for await (const lines of linesOf(source, progress)) {
    const rows = [];
    for (const text of lines) {
      line += 1;
      if (!text.trim()) continue;
      try {
        const x = parsed(text);
        if (keys === null) rows.push([(keys = Object.keys(x ?? {})), line]);
        rows.push([valuesOf(x, keys), line]);
      } catch (error) {
        yield rows;
        throw at(line, error);
      }
    }
    yield rows;
  }
}

/** Rows of a JSON list of records; their places are numbers of entries, from 0 as the command counts them. */
async function* jsonList(source, progress) {
  let text = "";
  for await (const lines of linesOf(source, progress)) text += `${lines.join("\n")}\n`;
  const list = parsed(text);
  if (!Array.isArray(list)) {
    const keys = Object.keys(list).map((x) => shown(x)).slice(0, 5).join(", ");
    refuse("format", "path", `an object with ${keys || "no keys"}, not a list of records`,
      "the command reads documents of any shape, --rows says where their rows are");
  }
  if (!list.length) refuse("empty", "path", "the file is empty");
  const rows = [];
  let keys = null;
  for (const [i, x] of list.entries()) {
    try {
      keys ??= Object.keys(x ?? {});
      if (!i) rows.push([keys, 0]);
      rows.push([valuesOf(x, keys), i]);
    } catch (error) {
      error.entry = i;
      throw error;
    }
  }
  yield rows;
}

/** Lists of rows [cells, line] of a source, and whether their places are entries of a list rather than lines. */
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
  const start = (await source.slice(0, 4096).text()).trimStart();
  if (/\.(parquet|xlsx?|ods|zip|tar|npy|npz|eval|pdf|html?)$/.test(name) || /^(PK|PAR1)/.test(start)) {
    refuse("format", "path", `${source.name} is no text table`,
      "the command reads logs of about thirty tools; this page reads CSV, TSV, JSONL and JSON");
  }
  if (!start) refuse("empty", "path", "the file is empty");
  const isTable = /\.(csv|tsv)$/.test(name);
  if (!isTable && start.startsWith("[")) return { rows: jsonList(source, progress), byEntry: true };
  if (!isTable && start.startsWith("{")) {
    return /\.json$/.test(name) && !/^\{.*\}\s*(\n|$)/.test(start) ? { rows: jsonList(source, progress), byEntry: true }
      : { rows: jsonLines(source, progress), byEntry: false };
  }
  return { rows: separated(source, progress), byEntry: false };
}

