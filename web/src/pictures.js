// A forest picture: a line for each model with its value and its intervals.
import { ci, general, score } from "./words.js";

const NS = "http://www.w3.org/2000/svg", ROW = 30, LETTER = 8;

const svg = (tag, attributes = {}, ...children) => {
  const x = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) x.setAttribute(name, value);
  x.append(...children);
  return x;
};

/** Round numbers that divide a range into about n steps. */
function ticks(low, high, n) {
  const rough = (high - low) / n, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((x) => x * size).find((x) => x >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

const cut = (name, letters) => ([...name].length <= letters ? name
  : `${[...name].slice(0, Math.max(1, letters - 1)).join("")}…`);

/** The picture at a width in pixels. rows: [{ name, intervals: [{ target, mu, lo, hi }] }]. */
export function forest({ rows, label, lines = [], low, high }, confidence, width) {
  const all = rows.flatMap((x) => x.intervals), narrow = width < 560;
  const longest = Math.max(...rows.map((x) => [...x.name].length)) * LETTER + 18;
  const left = narrow ? 8 : Math.min(longest, width * 0.35), right = width - 16, rowHeight = narrow ? ROW + 16 : ROW;
  const ends = [...all.flatMap((x) => [x.lo, x.hi, x.mu]), ...lines.map((x) => x.at)];
  const room = Math.max(0.01, (Math.max(...ends) - Math.min(...ends)) * 0.06);
  const from = Math.max(low, Math.min(...ends) - room), to = Math.min(high, Math.max(...ends) + room);
  const x = (value) => left + ((value - from) / (to - from)) * (right - left);
  const top = lines.length ? 20 : 6, bottom = top + rows.length * rowHeight, height = bottom + 40;
  const inWords = (y) => `${score(y.mu)}, ${ci(confidence)} ${score(y.lo)} to ${score(y.hi)}`;
  const words = rows.map((row) => `${row.name}: ${row.intervals.map(inWords).join("; ")}`);
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" }, svg("title", {}, label),
    svg("desc", {}, words.join(". ")));
  for (const tick of ticks(from, to, narrow ? 4 : 8)) {
    picture.append(
      svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
      svg("text", { class: "quiet-text", x: x(tick), y: bottom + 16, "text-anchor": "middle" }, general(tick, 6)),
    );
  }
  picture.append(svg("text", { class: "quiet-text", x: narrow ? left : (left + right) / 2, y: bottom + 34,
    "text-anchor": narrow ? "start" : "middle" }, cut(label, (narrow ? width : right - left) / 7)));
  lines.forEach(({ at, label: name }, i) => {
    const beside = lines.length < 2 ? "middle" : lines[1 - i].at > at ? "end" : "start", room = name.length * 6.5 + 4;
    const anchor = x(at) < room ? "start" : x(at) > width - room ? "end" : beside;
    picture.append(
      svg("line", { class: "at", x1: x(at), x2: x(at), y1: top, y2: bottom }),
      svg("text", { class: "quiet-text", x: x(at) + { middle: 0, end: -2, start: 2 }[anchor], y: top - 6,
        "text-anchor": anchor }, name),
    );
  });
  rows.forEach((row, i) => {
    const y = top + i * rowHeight + rowHeight - ROW / 2;
    if (narrow) picture.append(svg("text", { x: left, y: y - 16 }, cut(row.name, (width - 16) / LETTER)));
    else picture.append(svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" },
      cut(row.name, (left - 10) / LETTER)));
    const drawn = [...row.intervals].sort((a, b) => (a.target < b.target ? 1 : -1)); // fixed, thick, on top
    for (const { target, lo, hi } of drawn) {
      picture.append(svg("line", { class: target, x1: x(lo), x2: x(hi), y1: y, y2: y }));
      if (target === "sampled") for (const end of [lo, hi]) picture.append(svg("line",
        { class: target, x1: x(end), x2: x(end), y1: y - 5, y2: y + 5 }));
    }
    picture.append(svg("circle", { class: "dot", cx: x(row.intervals[0].mu), cy: y, r: 4.5 }));
  });
  return picture;
}

/** What the lines of a picture are. */
export function caption({ rows }, confidence) {
  const targets = new Set(rows.flatMap((x) => x.intervals.map((y) => y.target)));
  const parts = [...(targets.has("fixed") ? ["thick, on these questions"] : []),
    ...(targets.has("sampled") ? ["thin, on similar questions"] : [])];
  return targets.size > 1 ? `The dot is the value, the lines its ${ci(confidence)}: ${parts.join("; ")}.`
    : `The dot is the value, the line its ${ci(confidence)}.`;
}
