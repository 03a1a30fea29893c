// Counts that are typed.
import { shown, thousands } from "../words.js";
import { refuse } from "./cells.js";

const MOST_TYPED = 1e6; // trials of a typed count
const COUNT = "type successes and trials, such as 47/50 or 47 of 50, with or without a name before them";
const GROUPED = String.raw`(\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d{1,15})`; // a number, with separators of thousands
const SEPARATED = new RegExp(String.raw`(?<![\d.,'’/])${GROUPED}\s*(?:/|(?:out\s+)?of\b)\s*${GROUPED}`
  + String.raw`(?![\d%'’]|[.,]\d|\s*(?:/|(?:out\s+)?of\b))`, "gi");
const PERCENTAGE = "how sure a percentage is depends on its number of trials: type 47 of 50, not 94%";

/** Counts that were typed, such as 47/50 52/60 or 47 of 50, with or without names before them: [{ name, c, n }]. */
export function typedCounts(text) {
  const groups = [], named = new Map();
  for (const [i, line] of text.split("\n").entries()) {
    const wrong = (code, argument, reason, hint) => refuse(code, argument, reason, hint, { line: i + 1 });
    for (const [whole, ...numbers] of line.matchAll(SEPARATED)) {
      const parts = numbers.map((x) => x.replace(/\D/g, "")), grouped = numbers.filter((x) => /\D/.test(x));
      if (grouped.length > 1 || /\d[,.'’]/.test(grouped.join(""))) wrong("type", "groups",
        `${shown(whole)} has separators in its numbers`, `type ${parts.join("/")}`);
    }
    let end = 0;
    for (const match of line.matchAll(/(?<![\d./])(\d{1,15})\s*(?:\/|(?:out\s+)?of\b)\s*(\d{1,15})(?![\d./%])/gi)) {
      const [c, n] = [Number(match[1]), Number(match[2])], before = line.slice(end, match.index);
      const name = before.replace(/^[\s,;:=|]+|[\s,;:=|]+$/g, "").replace(/^(and|vs\.?|versus)$/i, "");
      if (name && (!/\p{L}/u.test(name) || /[/%]/.test(name) || /[\d.,-]$/.test(before))) {
        wrong("type", "groups", `${shown((before + match[0]).trim())} is no count`, COUNT);
      }
      const whose = name ? `${name}: ` : "";
      if (n < 1) wrong("range", "trials", `${whose}${c}/${n} has no trial`, "leave it out");
      if (n > MOST_TYPED) wrong("range", "trials", `${whose}${n} trials are not in 1..${thousands(MOST_TYPED)}`);
      if (c > n) wrong("range", "successes", `${whose}${c} successes of ${n} trials: did you mean ${n}/${c}?`);
      if (named.has(name)) wrong("duplicate", "groups", `two counts are called ${shown(name)}, ${named.get(name)} and `
        + `${c}/${n}`, "give each a name of its own, or add them up");
      if (name) named.set(name, `${c}/${n}`);
      groups.push({ name, c, n });
      end = match.index + match[0].length;
    }
    const rest = line.slice(end).replace(/[\s,;]+$/, "").trim(), last = groups.at(-1);
    if (rest && end && (rest.startsWith("(") || !/[\d%]/.test(rest))) {
      const count = `${last.c}/${last.n}`, example = `${last.name || "gpt"} ${count}`;
      wrong("type", "groups", `${shown(rest)} stands after ${count}`,
        `type counts only, each with its name before it, such as ${example}`);
    }
    if (rest) wrong("type", "groups", `${shown(rest)} is no count`, rest.includes("%") ? PERCENTAGE : COUNT);
  }
  if (!groups.length) refuse("empty", "groups", "nothing was typed", `${COUNT}, or paste a table`);
  return groups;
}
