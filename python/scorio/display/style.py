"""How pages look, and the script that sorts their tables."""

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1a1a1a; --quiet: #595959; --line: #d4d4d4; --tint: #f4f4f4;
  --mark: #0072b2; --better: #cfe5f3; --worse: #fbdcc8; }
@media (prefers-color-scheme: dark) { :root { --ground: #141414; --ink: #e8e8e8; --quiet: #a6a6a6; --line: #3d3d3d;
  --tint: #222; --mark: #6cb8ea; --better: #12405f; --worse: #5f2f12; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p, li { max-width: 46rem; overflow-wrap: anywhere; }
a { color: var(--mark); }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
.quiet { color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.card { border: 1px solid var(--line); border-top: 4px solid var(--mark); border-radius: 6px; padding: 0.6rem 0.9rem; }
.card h2 { font-size: 0.85rem; font-weight: 600; color: var(--quiet); margin: 0; border: 0; }
.card .large { font-size: 1.35rem; font-weight: 650; line-height: 1.25; margin: 0.15rem 0 0.3rem; }
.card p { margin: 0.2rem 0; }
.box { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; white-space: pre; }
th[scope=row] { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: min(var(--name), 22rem);
  position: sticky; left: 0; background: var(--ground); }
.lists th, .lists td { padding-right: 0.5rem; }
td.quiet { color: var(--quiet); }
th button { all: unset; cursor: pointer; font: inherit; white-space: pre; }
th button:focus-visible { outline: 2px solid var(--mark); }
th button::after { content: " \\2195"; color: var(--quiet); font-weight: 400; }
th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after { content: " \\2193"; }
.ends { display: inline-flex; justify-content: space-between; width: 150px; } .under { display: block; font-weight: 400; }
td .under { font-size: 0.85em; color: var(--quiet); }
svg.ci { display: block; } svg.ci .axis { stroke: var(--line); } svg.ci .range { stroke: var(--mark); stroke-width: 3; }
svg.ci circle { fill: var(--mark); }
table.map td { text-align: center; padding: 0.2rem 0.4rem; min-width: 1.5rem; border: 1px solid var(--ground); background: var(--tint); }
table.map td.better { background: var(--better); font-weight: 650; } table.map td.worse { background: var(--worse); font-weight: 650; }
table.map td.none { background: none; } table.large td { padding: 0.1rem 0.15rem; min-width: 1.4rem; font-size: 0.75rem; } table.large { font-size: 0.8rem; }
.key { display: inline-block; padding: 0 0.45rem; border-radius: 3px; background: var(--tint); }
.key.better { background: var(--better); font-weight: 650; } .key.worse { background: var(--worse); font-weight: 650; }
figure { margin: 0.75rem 0; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 1rem; }
.lists { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 1.5rem; }
.beside > *, .small > *, .lists > * { min-width: 0; } .small { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 0 1rem; }
figcaption { font-size: 0.9rem; } .beside figcaption, .small figcaption { font-weight: 600; overflow-wrap: anywhere; }
svg.chart { display: block; width: 100%; max-width: 30rem; height: auto; font-size: 11px; } svg.chart text { fill: var(--quiet); } svg.chart .label { fill: var(--ink); }
svg.chart .grid { stroke: var(--line); } svg.chart .line, svg.chart .modelled, svg.chart .other { fill: none; stroke: var(--mark); stroke-width: 2; }
svg.chart .modelled { stroke-dasharray: 5 4; } svg.chart .other { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 1.5 2.5; }
svg.chart .band { fill: var(--mark); opacity: 0.2; } svg.chart .inner { fill: var(--mark); opacity: 0.35; }
.heat { display: flex; gap: 0.5rem; font-size: 0.8rem; --row: min(1.15rem, 60rem / var(--rows)); }
.heat ol { list-style: none; margin: 0; padding: 0 0.25rem 0 0; position: sticky; left: 0; background: var(--ground); max-width: 18rem; flex: none; }
.heat li { height: var(--row); line-height: var(--row); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.heat img { flex: 1; width: 0; min-width: min(50rem, 1px * var(--columns)); max-width: calc(2.5rem * var(--columns)); height: calc(var(--row) * var(--rows));
  image-rendering: pixelated; }
.scale { display: inline-flex; gap: 0.4rem; align-items: center; margin-left: 1rem; white-space: nowrap; }
.scale i { width: 7rem; height: 0.8rem; background: linear-gradient(90deg, #00224e, #35456c, #666970, #948e77, #c8b866, #fee838); }
table.shades td { border: 1px solid var(--ground); padding: 0.2rem 0.5rem; } table.shades small { display: block; font-size: 0.85em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--tint); padding: 0.5rem 0.75rem; }
summary { cursor: pointer; }
@media (max-width: 900px) { th[scope=row] { min-width: min(var(--name), 10rem); } .first svg.ci, .ends { width: 100px; } table { font-size: 0.85rem; } th, td { padding-right: 0.5rem; }
  table.map { font-size: 0.8rem; } table.map td { padding: 0.2rem; } th button { text-decoration: underline dotted; } th button::after { content: ""; } }
@media (max-width: 720px) { main { padding: 0.5rem 0.75rem 2rem; } .heat ol { max-width: 8rem; }
  th[scope=row] { min-width: min(var(--name), 9rem); max-width: 10rem; } th, td { padding-right: 0.5rem; } }
@media print {
  :root { color-scheme: light; --ground: #fff; --ink: #000; --quiet: #444; --line: #bbb; --tint: #f4f4f4; --mark: #0072b2;
    --better: #cfe5f3; --worse: #fbdcc8; }
  main { max-width: none; padding: 0; } .box { overflow: visible; }
  .heat img { min-width: 0; } details::details-content { content-visibility: visible; block-size: auto; }
  body { font-size: 10pt; } h2, h3, caption, p:has(+ figure), p:has(+ .beside), p:has(+ .small), p:has(+ .box), p:has(+ .lists) { break-after: avoid; }
  .beside { grid-template-columns: 1fr 1fr; break-inside: avoid; } .small { grid-template-columns: 1fr 1fr 1fr; } figure, tr, .card, .lists > *, table.map, p, .box, thead { break-inside: avoid; } .card .large { font-size: 1.15rem; }
  table { font-size: 7.5pt; } th, td { white-space: normal; padding-right: 0.4rem; } thead th { white-space: pre-line; }
  th[scope=row] { min-width: min(var(--name), 8rem); position: static; } summary { break-after: avoid; } th button { text-decoration: none; } th button::after { content: "" !important; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""  # noqa: E501

SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const key = (row, i) => {
    const cell = row.cells[i], said = cell.dataset.key ?? cell.textContent.trim(), x = Number(said);
    return said !== "" && !Number.isNaN(x) ? x : said;
  };
  const order = (a, b) => typeof a === typeof b && typeof a === "number" ? a - b : String(a).localeCompare(String(b));
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      heads.forEach(x => x.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up === 1 ? "ascending" : "descending");
      body.append(...[...body.rows].sort((a, b) => up * order(key(a, i), key(b, i))));
    });
  });
}
"""
