// The meaning of cells: ids, outcomes as numbers or words, counts. An invalid cell is an error of spec/errors.json.
import { InvalidInput } from "../numbers/index.js";
import { remembered } from "../numbers/maps.js";
import { listed, shown } from "../words.js";
import { FAMILIES, FRACTION, GROUPED, MISSING, NOT_RUN, NUMBER, TRUTH } from "./names.js";

/** Raise an error; hint: what helps on this page; place: its line, entry and column, where they are known. */
export function refuse(code, argument, reason, hint = "", place = {}) {
  throw Object.assign(new InvalidInput(code, argument, hint ? `${reason}: ${hint}` : reason), place);
}

const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "u");
const [FRACTIONS, NUMBERS, GROUPS] = [FRACTION, NUMBER, GROUPED].map(whole);
const FORMS = ["decimal points", "decimal commas", "thousands"];
const MISSING_WORDS = new Set(MISSING);
const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;
const [LONGEST_WORD, MOST_WORDS] = [30, 12]; // characters; words whose meaning can be chosen

const plainWord = (cell) => {
  const text = typeof cell === "string" ? cell.trim().replace(/\ufe0f$/, "") : "";
  return [...text].length === 1 ? text : text.toLowerCase();
};

const MEANING = new Map(NOT_RUN.map((x) => [x, { kinds: new Set(FAMILIES), value: null }]));
for (const family of FAMILIES) {
  family.forEach((words, failed) => {
    for (const word of words) {
      const kinds = MEANING.get(word)?.kinds ?? new Set();
      MEANING.set(word, { kinds: new Set([...kinds, family]), value: failed ? "0" : "1" });
    }
  });
}
MEANING.set("P", { kinds: new Set([FAMILIES[0]]), value: "0.5" }); // half of a success, of Inspect

export const isWord = (cell) => MEANING.has(plainWord(cell));
export const isMissing = (x) => x === null || x === undefined
  || (typeof x === "string" && MISSING_WORDS.has(x.trim().toLowerCase()));

/** The id in a cell: the name of a model, question, trial, ... as text. */
export function idOf(x, name) {
  if (typeof x === "number" && Number.isInteger(x)) return String(x);
  if (x !== null && x !== undefined && typeof x !== "string") refuse("type", name,
    `${name} ${shown(x)} is neither text nor an integer`);
  const text = (x ?? "").trim();
  if (!text) refuse("missing", name, `${name} is missing`);
  if (!text.isWellFormed()) refuse("format", name, `${name} ${shown(text)} is not Unicode text`);
  return text;
}

/** The number in a cell; null if it is missing. */
export function numberIn(x, name) {
  const text = typeof x === "string" ? (TRUTH[x.trim().toLowerCase()] ?? x.trim()) : x;
  if (isMissing(text)) return null;
  if (typeof text === "boolean") return Number(text);
  if (typeof text === "number") return text;
  if (/^[+-]?(inf|infinity)$/i.test(text)) refuse("not_finite", name, `${name} ${shown(x)} is not finite`);
  if (typeof text !== "string" || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    refuse("type", name, `${name} ${shown(x)} is not a number`, name === "outcome" ? hintOf(x) : "");
  }
  // digits beyond those of a double must not make 0.99999999999999999 a success
  if (text.replace(/e.*$/i, "").replace(/\D/g, "").length > 15 && /[.e]/i.test(text)) {
    refuse("fractional", name, `${name} ${shown(x)} has more digits than a number of this page`);
  }
  return Number(text);
}

const ONLY_BINARY = "this page takes successes (1) and failures (0). Choose another column as the outcome below, or "
  + "write 1 where a score is a success, else 0; scores themselves are read by the scorio command";
const hintOf = (x) => (typeof x === "string" && /^[0-9.,'’ %\u00a0\u202f+-]+$/.test(x)
  ? "write all of them alike, 1 and 0 or 100% and 0%, without separators of thousands"
  : `${canBeStated(x) ? "say below what each word means, or " : ""}choose another column as the outcome`);

/** A whole number of trials or successes. */
export function countIn(x, name) {
  const value = numberIn(x, name);
  if (value === null) refuse("missing", name, "c or n is missing");
  if (!Number.isInteger(value)) refuse("fractional", name, `${name} ${shown(x)} is not a whole number`);
  if (value < 0 || value > LARGEST_COUNT) refuse("range", name, `${name} ${shown(x)} is not in 0..${LARGEST_COUNT}`);
  return value;
}

/** Successes and trials; raises where there are more of the first. */
export function successesOf(c, n) {
  const [successes, trials] = [countIn(c, "c"), countIn(n, "n")];
  if (successes > trials) refuse("range", "c", `more successes (c = ${successes}) than trials (n = ${trials})`);
  return [successes, trials];
}

/** Successes and trials in a cell such as 3/4 or "3 of 4"; null where it is another one. */
export function fractionIn(x) {
  const match = typeof x === "string" ? FRACTIONS.exec(x.trim()) : null;
  return match ? successesOf(match[1], match[2]) : null;
}

/** The forms that a number may have, and its value. */
function formOf(x) {
  const match = typeof x === "string" ? NUMBERS.exec(x.trim()) : null;
  if (!match) return { kinds: new Set(FORMS), value: x };
  const [, before, sign, decimals, percent] = match;
  let kinds = new Set(FORMS), value = x;
  if (sign === ".") kinds = new Set([FORMS[0]]);
  if (sign === ",") {
    kinds = new Set(GROUPS.test(x.trim()) ? FORMS.slice(1) : [FORMS[1]]);
    value = `${before}.${decimals}`;
  }
  if (percent) {
    kinds = new Set([...kinds].filter((y) => y !== FORMS[2]).map((y) => `${y} and percent signs`));
    value = String(Number(sign ? `${before}.${decimals}` : before) / 100);
  }
  return { kinds, value };
}

/** Whether a cell is a word that the command's list can name: any text of one line that is no number. */
const canBeStated = (x) => typeof x === "string" && x.trim().length <= LONGEST_WORD && !/[,=\n]/.test(x)
  && !isMissing(x) && !NUMBERS.test(x.trim()) && !FRACTIONS.test(x.trim());
const wordOf = (x) => String(x).trim().toLowerCase();

/** Words in cells, those without a meaning first, each with its value: 1, 0, or null where it means a missing one. */
export function wordsIn(cells, stated) {
  const words = new Map(cells.filter(canBeStated).map((x) => [wordOf(x), [x.trim(), scoreIn(x, stated)]]));
  const known = [...words.values()].map(([x, y]) => [x, y === 0 || y === 1 ? y : Number.isNaN(y) ? null : undefined]);
  return known.sort((a, b) => (a[1] !== undefined) - (b[1] !== undefined)).slice(0, MOST_WORDS);
}

/** The number in a cell, also where it is no outcome: NaN where it is missing, null where it is text. */
export function scoreIn(x, stated = {}) {
  try {
    if (Object.hasOwn(stated, wordOf(x))) return stated[wordOf(x)] ?? NaN;
    const pair = fractionIn(x);
    if (pair) return pair[1] ? pair[0] / pair[1] : null;
    return isMissing(x) ? NaN : numberIn((MEANING.get(plainWord(x)) ?? formOf(x)).value, "outcome") ?? NaN;
  } catch {
    return null;
  }
}

/** The cells of one column of outcomes, which are numbers of one form, or words of one family. */
export class Outcomes {
  #kinds = null;
  #example = null;
  #code = new Map();
  #seen = new Set();

  /** stated : the values of words, null where they mean a missing outcome. */
  constructor(stated = {}) {
    this.stated = stated;
  }

  /** 1, 0, or -1 where the outcome is missing. */
  code(x) {
    return remembered(this.#code, x, () => this.#read(x));
  }

  #read(x) {
    if (Object.hasOwn(this.stated, wordOf(x))) return this.stated[wordOf(x)] ?? -1;
    if (isMissing(x)) return -1;
    const { kinds, value } = MEANING.get(plainWord(x)) ?? formOf(x);
    const remaining = this.#kinds === null ? kinds : new Set([...this.#kinds].filter((y) => kinds.has(y)));
    if (!remaining.size) {
      const cells = [x, this.#example].filter((y) => typeof y === "string").map((y) => y.trim());
      const words = [...cells.filter((y) => !isWord(y) && !NUMBERS.test(y)), ...cells.filter(isWord)];
      const what = `outcome ${shown(x)} beside ${shown(this.#example)}: outcomes are numbers of one form, or words of `
        + "one family";
      refuse("type", "outcome", what, hintOf(words.length ? words[0] : "0"));
    }
    if (this.#kinds === null || remaining.size !== this.#kinds.size) [this.#kinds, this.#example] = [remaining, x];
    const number = numberIn(value, "outcome");
    if (number === null) return -1;
    if (!Number.isInteger(number)) {
      refuse("fractional", "outcome", `outcome ${shown(x)} is not a whole number`, ONLY_BINARY);
    }
    if (number !== 0 && number !== 1) {
      refuse("category", "outcome", `outcome ${shown(x)} is not in 0..1`, ONLY_BINARY);
    }
    return number;
  }

  /** Note a cell that is not read any more; whether its meaning can be stated. */
  see(x) {
    if (canBeStated(x) && this.#seen.size < MOST_WORDS) this.#seen.add(x);
    return canBeStated(x);
  }

  get words() {
    return wordsIn([...this.#code.keys(), ...this.#seen], this.stated);
  }

  /** A sentence on what each word was read as; empty where there is none. */
  said() {
    const of = [[1, "a success"], [0, "a failure"], [null, "missing"]].map(([value, what]) => [
      this.words.flatMap(([x, y]) => (y === value ? [shown(x)] : [])), what]);
    const parts = of.flatMap(([x, what]) => (x.length ? [`${listed(x, MOST_WORDS)} as ${what}`] : []));
    return parts.length ? `Words: ${parts.join("; ")}.` : "";
  }

  /** A sentence on how the numbers of the column were read; raises where a comma may separate thousands. */
  remark() {
    const kinds = this.#kinds;
    if (kinds === null || kinds.has(FORMS[0]) || FAMILIES.some((x) => kinds.has(x))) return "";
    const x = String(this.#example).trim();
    if (kinds.has(FORMS[2])) refuse("type", "outcome",
      `outcome ${shown(x)} may be ${x.replace(",", "")} or ${x.replace(",", ".")}`);
    return `Outcomes are written as ${shown(x)}, which was read as ${Number(formOf(x).value)}.`;
  }
}
