// A link whose fragment holds the counts and the settings. Browsers never send a fragment to a server.
import { InvalidInput } from "./numbers/index.js";
import { shown } from "./words.js";

export const LONGEST = 1_000_000; // characters of a link that browsers open

async function piped(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(value) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (x) => x.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
}

const SIGNS = { "-1": "-", 0: "0", 1: "1" };

const DEFAULTS = { within: "", wide: false, runsBy: "", outcomes: {} }; // of links from before there were these
const FIELDS = ["name", "task", "tasks", "questions", "remarks", "missing", "mapping", ...Object.keys(DEFAULTS)];
const picked = (x) => Object.fromEntries(FIELDS.map((name) => [name, x[name] ?? DEFAULTS[name]]));

/** The parts of a log that results need, as plain values. */
function plainLog({ models, ...log }) {
  const used = [...new Set(models.flatMap((x) => x.index))].sort((a, b) => a - b),
    place = new Map(used.map((q, i) => [q, i]));
  return {
    ...picked(log), questions: used.map((q) => log.questions[q]),
    models: models.map((x) => ({
      ...x, index: x.index.every((q, j) => place.get(q) === j) ? null : x.index.map((q) => place.get(q)),
      runs: x.runs && { names: x.runs.names, outcomes: Array.from(x.runs.outcomes, (y) => SIGNS[y]).join("") },
    })),
  };
}

const isText = (x) => typeof x === "string";
const isTexts = (x) => Array.isArray(x) && x.every(isText);
const isCounts = (x, length) => Array.isArray(x) && x.length === length
  && x.every((y) => Number.isSafeInteger(y) && y >= 0);

function checked(ok) {
  if (!ok) throw new InvalidInput("format", "link", "the link is damaged. Copy it again, as a whole");
}

/** A sum of what a fragment says, by which a link that lost its end is known (FNV-1a of 32 bits). */
function sumOf(parts) {
  let sum = 2166136261;
  for (const letter of JSON.stringify(parts)) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619);
  return (sum >>> 0).toString(36);
}

/** A log from the plain values of a link, each of which is checked. */
function logFrom(x) {
  checked(x && isText(x.name) && isText(x.task) && isTexts(x.tasks) && isTexts(x.questions) && isTexts(x.remarks)
    && Array.isArray(x.models) && x.models.length);
  checked(new Set(x.questions).size === x.questions.length && ["raise", "drop", 0].includes(x.missing));
  checked(x.mapping && typeof x.mapping === "object" && isTexts(Object.values(x.mapping)));
  const models = x.models.map((y) => {
    checked(y && isText(y.name) && Array.isArray(y.n) && isCounts(y.n, y.n.length) && isCounts(y.c, y.n.length)
      && y.c.every((c, j) => c <= y.n[j]));
    const index = y.index ?? y.n.map((_, j) => j);
    checked(isCounts(index, y.n.length) && index.every((q) => q < x.questions.length)
      && new Set(index).size === index.length && isCounts([y.missing], 1));
    checked(y.clusters === null || (isTexts(y.clusters) && y.clusters.length === y.n.length));
    checked(y.runs === null || (isTexts(y.runs.names) && isText(y.runs.outcomes)
      && y.runs.outcomes.length === y.n.length * y.runs.names.length && /^[-01]*$/.test(y.runs.outcomes)));
    const runs = y.runs && { names: y.runs.names,
      outcomes: Int8Array.from(y.runs.outcomes, (s) => (s === "-" ? -1 : Number(s))) };
    return { name: y.name, index, n: y.n, c: y.c, missing: y.missing, clusters: y.clusters, runs };
  });
  checked(new Set(models.map((y) => y.name)).size === models.length);
  const log = picked(x), { within, wide, runsBy, outcomes } = log;
  checked(isText(within) && isText(runsBy) && typeof wide === "boolean" && typeof outcomes === "object"
    && Object.values(outcomes).every((y) => [0, 1, null].includes(y)));
  return { ...log, models };
}

/** The fragment for a log, or for typed counts, with the settings. */
export async function fragmentOf({ log, text, settings }) {
  const parts = new URLSearchParams(log ? { log: await packed(plainLog(log)) }
    : { counts: text.trim().replace(/\s+/g, " ") });
  for (const [name, x] of Object.entries(settings)) if (x !== null && x !== undefined && x !== "") parts.set(name, x);
  return `#${new URLSearchParams([["check", sumOf([...parts])], ...parts])}`; // first, since ends are lost
}

/**
 * What a fragment asks for: { log } or { counts } or { example }, and the settings beside it.
 *
 * isSetting : whether a name and its value are a setting; examples : the names of the examples.
 */
export async function opened(fragment, isSetting, examples) {
  const [...parts] = new URLSearchParams(fragment.replace(/^#/, ""));
  const { check, log, counts, example, embed, section, ...settings } = Object.fromEntries(parts);
  checked(check === undefined || check === sumOf(parts.filter(([name]) => name !== "check")));
  const wrong = Object.entries(settings).find(([name, x]) => !isSetting(name, x))
    ?? (example === undefined || examples.includes(example) ? undefined : ["example", example]);
  if (wrong) {
    throw new InvalidInput("format", "link",
      `the link is not understood: ${shown(wrong.filter((x) => x).join("="))} is nothing that this page knows`);
  }
  const out = { counts, example, embed: embed !== undefined, section, settings };
  if (log === undefined) return out;
  let value;
  try {
    value = await unpacked(log);
  } catch {
    checked(false);
  }
  return { ...out, log: logFrom(value) };
}
