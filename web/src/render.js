// Results as elements of the page. All text is set as text: a name in a log is never markup.
import { caption, forest } from "./pictures.js";
import { markdown } from "./words.js";

/** An element with attributes, listeners (on...) and children. */
export function h(tag, attributes = {}, ...children) {
  const x = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) x.addEventListener(name.slice(2), value);
    else if (value === true) x.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) x.setAttribute(name, value);
  }
  x.append(...children.flat().filter((y) => y !== null && y !== undefined));
  return x;
}

/** Copy a text, also where the browser has no clipboard for pages from a disk. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { style: "position: fixed; opacity: 0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function table({ columns, rows, caption: words, folded }, label) {
  const kind = (i) => (columns[i].text ? (columns[i].head === "model" ? "text name" : "text") : null);
  const hasHead = columns.some((x) => x.head);
  const body = rows.map((row) => h("tr", {}, row.map(({ text, values }, i) => {
    const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [`data-${name.toLowerCase()}`,
      String(value)]));
    return !hasHead && i === 0 ? h("th", { scope: "row", class: "text" }, text)
      : h("td", { class: hasHead ? kind(i) : "text words", ...data }, text);
  })));
  const head = hasHead ? h("thead", {}, h("tr", {}, columns.map((x, i) => h("th", { scope: "col", class: kind(i) },
    x.head)))) : null;
  const named = words ? h("caption", {}, words) : null;
  const shown = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table: ${label}` },
    h("table", {}, named, head, h("tbody", {}, body)));
  return folded ? h("details", {}, h("summary", {}, folded), shown) : shown;
}

function picture(spec, confidence) {
  const holder = h("div"), figure = h("figure", {}, holder, h("figcaption", {}, caption(spec, confidence)));
  let drawn = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.floor(contentRect.width);
    if (!width || width === drawn) return;
    drawn = width;
    holder.replaceChildren(forest(spec, confidence, Math.min(width, 900)));
  }).observe(figure);
  return figure;
}

/** The verdict and the sentences of a result, which a screen reader says when they change. */
export const sentences = (x) => [
  ...(x.verdict ? [h("p", { class: `verdict ${x.verdict}`, "data-verdict": x.verdict }, x.title)] : []),
  ...(x.headlines ?? []).map((y) => h("p", { class: "headline" }, y)),
  ...x.sentences.map((y) => h("p", { class: "sentence" }, y)),
];

/** The picture, the tables, the notes and the command of a result. */
export function result(x, confidence, say) {
  const rows = x.forest?.rows ?? [];
  const copying = async (text, words) => {
    await copy(text);
    say(words);
  };
  return [
    rows.length ? picture(x.forest, confidence) : null,
    x.tables.map((y) => table(y, x.title)),
    x.notes.length ? h("ul", { class: "notes" }, x.notes.map((y) => h("li", {}, y))) : null,
    h("details", { class: "meanings" }, h("summary", {}, "What the numbers mean"),
      x.meanings.map((y) => h("p", {}, y))),
    h("div", { class: "command" }, h("span", {}, "The command that gives this:"),
      h("pre", { tabindex: "0" }, x.command),
      h("button", { type: "button", onclick: () => copying(x.command, "The command is copied."),
        "aria-label": "Copy the command" }, "Copy"),
      h("button", { type: "button", class: "as-markdown",
        onclick: () => copying(markdown(x), "The result is copied as Markdown."),
        "aria-label": "Copy this result as Markdown" }, "Copy as Markdown")),
  ].flat().filter((y) => y !== null);
}

/** An error in words: where it is, what is wrong and what helps; its code is for programs. */
export function problem({ code, message, line, column, entry, stack }) {
  const place = [entry !== undefined ? `entry ${entry}` : line ? `line ${line}` : "", column ? `column ${column}`
    : ""].filter((x) => x).join(", ");
  return h("p", { "data-code": code, "data-line": line, "data-column": column, "data-entry": entry },
    h("strong", {}, place ? `${place[0].toUpperCase()}${place.slice(1)}: ` : ""),
    code ? message : `This is a fault of the page, please report it: ${message} ${stack ?? ""}`);
}

/** A control with its label. */
export const field = (label, control) => h("label", {}, label, control);
export const select = (attributes, choices, chosen) => h("select", attributes,
  choices.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
