// Numbers and names as text, in the words and the digits of the commands.

/** A number with a fixed number of decimals, ties to even as Python rounds them; no sign before a zero. */
export function fixed(x, decimals) {
  let text = x.toFixed(decimals);
  const halves = Math.abs(x) * 2 ** (decimals + 1); // exact: a tie is an odd number of these
  if (Number.isInteger(halves) && halves % 2 === 1) {
    const unit = 10 ** decimals, below = Math.floor(Math.abs(x) * unit);
    text = ((below + (below % 2)) / unit).toFixed(decimals);
    if (x < 0) text = `-${text}`;
  }
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** The format g of Python: significant digits without zeros at the end. */
export function general(x, digits) {
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const power = Number(exponent), plain = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power < -4 || power >= digits) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${plain(mantissa)}e${power < 0 ? "-" : "+"}${size}`;
  }
  return plain(fixed(x, digits - 1 - power));
}

export const score = (x) => fixed(x, 3);

export const thousands = (n) => {
  const [whole, rest] = String(n).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
};

/** Numbers of a column: without the zero before the point, all of one width. */
export function aligned(texts) {
  const short = texts.map((x) => x.replace(/^([-+]?)0\./, "$1."));
  const width = Math.max(0, ...short.map((x) => x.length));
  return short.map((x) => x.padStart(width));
}

/** Values with the ends of their intervals and a mark, such as .420 [.367, .475]~. */
export function withEnds(values, marks) {
  const [mu, lo, hi] = ["mu", "lo", "hi"].map((name) => aligned(values.map((x) => score(x[name]))));
  return values.map((_, i) => `${mu[i]} [${lo[i]}, ${hi[i]}]${marks[i]}`);
}

/** The smallest and the largest of any number of numbers. */
export const ends = (numbers) =>
  numbers.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);

export const plural = (what) => {
  const [noun, ...unit] = what.split(" per ");
  return `${noun}s${unit.length ? ` per ${unit.join(" per ")}` : ""}`;
};
export const number = (n, what) => `${thousands(n)} ${n === 1 ? what : plural(what)}`;
export const span = (low, high, sign = "..") =>
  low === high ? thousands(low) : `${thousands(low)}${sign}${thousands(high)}`;
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

export function level(p) {
  const text = general(100 * p, 10);
  return `${text === "100" && p < 1 ? 100 * p : text}%`;
}
export const ci = (confidence) => `${level(confidence)} CI`;
export const alpha = (confidence) => level(1 - confidence);

export function pValue(p) {
  if (p < 1e-4) return "p < 0.0001";
  return p >= 0.0995 ? `p = ${fixed(p, 2)}` : `p = ${general(p, 2)}`;
}
export const bareP = (p) => pValue(p).replace(/^p (= )?/, "");

export const printable = (name) => String(name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "?");

/** A name in a sentence: at most 60 characters. */
export function nameOf(name) {
  const letters = [...printable(name)];
  return letters.length <= 60 ? letters.join("") : `${letters.slice(0, 30).join("")}…${letters.slice(-29).join("")}`;
}

export function listed(names, most = 4, what = "other") {
  const shown = names.slice(0, most).map(nameOf);
  if (names.length > most) return `${shown.join(", ")} and ${number(names.length - most, what)}`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown.join("");
}

/** An estimated number to two digits. */
export function about(n) {
  if (n > 1e6) return "more than a million";
  const step = 10 ** Math.max(0, String(n).length - 2);
  return `about ${thousands(step * Number(fixed(n / step, 0)))}`;
}

export const times = (x) => (x < 10 ? fixed(x, 1) : thousands(fixed(x, 0)));

/** A value in an error message, in quotes as Python writes them, at most 80 characters. */
export function shown(x) {
  let text = typeof x === "boolean" ? (x ? "True" : "False") : x === null ? "None" : String(x);
  if (Array.isArray(x)) text = `[${x.map(shown).join(", ")}]`;
  else if (typeof x === "object" && x !== null) text = JSON.stringify(x);
  if (typeof x === "string") {
    const quote = x.includes("'") && !x.includes('"') ? '"' : "'";
    const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [quote]: `\\${quote}` };
    text = quote + x.replace(/[\\\n\r\t'"]/g, (y) => escapes[y] ?? y) + quote;
  }
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** A word of a command, quoted for a shell where it needs quotes. */
export const quoted = (x) => (/^[\w@%+=:,./-]+$/.test(x) ? x : `'${String(x).replaceAll("'", `'"'"'`)}'`);

/** The text of Markdown in which a name's own characters are no markup. */
export const escaped = (x) => printable(x).replace(/[\\`*_|<[\]#>&~]/g, "\\$&");

/** A section without a result as Markdown: its heading, and why. */
export const missingMarkdown = (heading, reason) => `## ${escaped(heading)}\n\n*Missing: ${escaped(reason)}*\n`;

/** A result as Markdown: its title, tables, sentences, notes and command. */
export function markdown({ title, tables, headlines = [], sentences, notes, command }) {
  const blocks = [`## ${escaped(title)}`];
  for (const { caption, columns, rows } of tables) {
    const line = (cells) => `| ${cells.map((x) => escaped(x).trim()).join(" | ")} |`;
    const head = [line(columns.map((x) => x.head)), `|${columns.map((x) => (x.text ? " --- |" : " ---: |")).join("")}`];
    blocks.push(...(caption ? [escaped(caption)] : []),
      [...head, ...rows.map((row) => line(row.map((x) => x.text)))].join("\n"));
  }
  blocks.push(...[...headlines, ...sentences].map(escaped), ...notes.map((x) => `*${escaped(x)}*`));
  if (command) blocks.push("```\n" + command + "\n```");
  return `${blocks.join("\n\n")}\n`;
}
