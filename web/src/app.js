// The page: what was given, the settings, and the results that follow from both.
import { Engine } from "./engine.js";
import { LONGEST, fragmentOf, opened } from "./permalink.js";
import { sizeOf } from "./reading/reading.js";
import { typedCounts } from "./reading/typed.js";
import { copy, field, h, problem, result, select, sentences } from "./render.js";
import { listed, markdown, missingMarkdown, number } from "./words.js";

const $ = (id) => document.getElementById(id);
const EXAMPLES = JSON.parse($("example-files").textContent);
const engine = new Engine($("worker-source").textContent);
const DEFAULTS = { metric: "mean", k: 2, confidence: 0.95, power: 0.8, margin: 0.02, difference: 0.02, kind: "margin",
  atLeast: 0.5, target: "", runs: "fixed", onlyShared: false, first: 0, second: 1 };
const SETTINGS = { ...DEFAULTS, a: "", b: "" };
const SHARED = ["metric", "k", "confidence", "runs"]; // settings of all results
const NUMBERS = new Set(["k", "confidence", "power", "margin", "difference", "atLeast", "first", "second"]);
const COLUMNS = { model: "Model", question: "Question", trial: "Trial", outcome: "Outcome", task: "Benchmark",
  c: "Successes (counts)", n: "Trials (counts)", cluster: "Group of questions" };
const SECTIONS = {
  leaderboard: ["How good is each model?",
    "Intervals say how far the true score may be from the average. Ranks say which places a model may have, as far "
      + "as these results can tell."],
  compare: ["Is one model better than another?",
    "Both are compared question by question. On these questions: if all were tried again. On similar questions: if "
      + "other questions of this kind were asked."],
  gate: ["May the new model replace the old one?",
    "Pass: it is shown to be no worse than the loss that you accept. Fail: it is shown to be worse. Inconclusive: "
      + "these results cannot say."],
  plan: ["How much more data would show a difference?",
    "You say which difference between averages matters: 0.02 is 2 points of 100. The table says how large the "
      + "evaluation has to be to find such a difference between a model and the next one below it, in either of two "
      + "ways: with more trials (attempts) at each of the same questions, or with more questions and as many trials of "
      + "each as now. All numbers are totals, not additional ones."],
  runs: ["Do the runs agree?",
    "A run is one pass over the questions, with its seed, prompt or server. Runs that differ more than chance "
      + "explains are a source of error that more questions do not remove."],
};
const ONE_MODEL = ["Does the model exceed a number?",
  "Pass: it is shown to score more. Fail: it is shown to score less. Inconclusive: these results cannot say."];
const USES = { metric: ["leaderboard", "compare", "gate"], k: ["leaderboard", "compare", "gate"],
  confidence: Object.keys(SECTIONS), runs: ["leaderboard", "compare", "gate"], a: ["compare", "gate"],
  b: ["compare", "gate"], onlyShared: ["compare", "gate"],
  power: ["plan"], difference: ["plan"] };

const state = { log: null, groups: null, text: "", source: null, options: {}, settings: { ...DEFAULTS },
  results: new Map() };
const say = (words) => ($("said").textContent = words);
/** Say to a screen reader what is shown, and go on from its heading; in another page's frame the focus stays there. */
function arrive(heading, words) {
  $("status").textContent = words;
  if (!document.body.classList.contains("embedded")) heading.focus({ preventScroll: true });
}
/** A control among the choices of reading, which are made anew after each choice. */
const sameControl = ({ dataset: { columnOf, word }, id }) => (columnOf ? `[data-column-of="${columnOf}"]`
  : word ? `[data-word="${CSS.escape(word)}"]` : id === "missing" ? "#missing" : null);
const settingsOf = (name) => {
  const { metric, k, target, kind, atLeast, margin, power, ...rest } = state.settings;
  const own = name === "gate" ? (kind === "margin" ? { margin } : { atLeast, b: null }) : {};
  if (name === "plan") own.power = power; // commands that only name a next step have 80%
  return { ...rest, ...own, metric, k: metric === "mean" ? null : k, target: target || undefined };
};

// Refreshing: one result after the other, each with the latest settings.
const stale = new Set();
let isBusy = false;
async function refresh(names) {
  for (const name of names) if ($(`section-${name}`)) stale.add(name);
  if (isBusy) return;
  isBusy = true;
  document.body.setAttribute("aria-busy", "true");
  while (stale.size) {
    const [name] = stale, out = $(`section-${name}`)?.querySelector(".out");
    stale.delete(name);
    if (!out) continue;
    const started = performance.now();
    try {
      const x = name === "rates" ? await engine.rates(state.groups, settingsOf(name))
        : await engine.result(name, settingsOf(name));
      if (!out.isConnected || stale.has(name)) continue; // another log, or other settings
      if (x === null) $(`section-${name}`).hidden = true;
      else show(name, out, x);
      out.dataset.ms = Math.round(performance.now() - started);
    } catch (error) {
      if (error.code === "cancelled" || !out.isConnected) continue;
      state.results.set(name, { problem: error.message });
      $(`section-${name}`).querySelector(".sentences").replaceChildren();
      out.replaceChildren(h("div", { role: "alert" }, problem(error)));
    }
  }
  isBusy = false;
  document.body.removeAttribute("aria-busy");
}

function show(name, out, x) {
  state.results.set(name, x);
  $(`section-${name}`).querySelector(".sentences").replaceChildren(...sentences(x));
  out.replaceChildren(...result(x, state.settings.confidence, say));
}

function change(name, value) {
  state.settings[name] = NUMBERS.has(name) ? Number(value) : value;
  for (const x of document.querySelectorAll(`[data-setting="${name}"]`)) {
    x[x.type === "checkbox" ? "checked" : "value"] = value;
  }
  $("k-label").hidden = state.settings.metric === "mean";
  for (const x of document.querySelectorAll("[data-of-kind]")) x.hidden = x.dataset.ofKind !== state.settings.kind;
  refresh(USES[name] ?? (state.groups ? ["rates"] : ["gate"]));
}

/** A control that changes a setting. */
function setting(name, control) {
  control.dataset.setting = name;
  control.addEventListener("change", () => change(name, control.type === "checkbox" ? control.checked : control.value));
  return control;
}
const numberInput = (name, step) => setting(name,
  h("input", { type: "number", step, min: step, max: 1, value: state.settings[name], inputmode: "decimal" }));
const modelSelect = (name) => setting(name,
  select({}, state.log.models.map((x) => [x.name, x.name]), state.settings[name]));

function controls(name) {
  const { settings, log: { models } } = state, several = models.length > 1, known = new Set(models[0].index);
  const other = (x) => x.index.length !== known.size || x.n.includes(0) || x.index.some((q) => !known.has(q));
  const differ = models.some(other);
  const checkbox = () => setting("onlyShared", h("input", { type: "checkbox", checked: settings.onlyShared }));
  const shared = () => (differ ? [h("label", { class: "check" }, checkbox(), "only shared questions")] : []);
  if (name === "compare") return [field("Model A", modelSelect("a")), field("Model B", modelSelect("b")), ...shared()];
  if (name === "plan") return [field("Difference to detect (0.02: 2 points of 100)", numberInput("difference", 0.01)),
    field("Power (chance to detect it)", setting("power",
    select({}, [[0.8, "80%"], [0.9, "90%"]].map(([x, y]) => [String(x), y]), String(settings.power))))];
  if (name !== "gate") return [];
  const kinds = [...(several ? [["margin", "another model, with a margin"]] : []), ["atLeast", "a number"]];
  const ofKind = (kind, label) => {
    label.dataset.ofKind = kind;
    label.hidden = settings.kind !== kind;
    return label;
  };
  return [
    field("Compare with", setting("kind", select({}, kinds, settings.kind))), field("New model", modelSelect("a")),
    ...(several ? [ofKind("margin", field("Old model", modelSelect("b"))),
      ofKind("margin", field("Acceptable loss (margin)", numberInput("margin", 0.01)))] : []),
    ofKind("atLeast", field("Score to exceed", numberInput("atLeast", 0.01))),
    field("The claim is about", setting("target",
      select({}, [["fixed", "these questions"], ["sampled", "similar questions"]],
      settings.target || (state.log.models.every((x) => x.n.every((n) => n <= 1)) ? "sampled" : "fixed")))),
    ...(several ? shared().map((x) => ofKind("margin", x)) : []),
  ];
}

function section(name, heading, lead, ...own) {
  return h("section", { id: `section-${name}`, "aria-labelledby": `title-${name}` },
    h("h2", { id: `title-${name}`, tabindex: "-1" }, heading), h("p", { class: "lead" }, lead),
    own.length ? h("form", { class: "row", "aria-label": `Settings: ${heading}`,
      onsubmit: (event) => event.preventDefault() }, own) : null,
    h("div", { class: "sentences", "aria-live": "polite" }), h("div", { class: "out" }));
}

function clear() {
  stale.clear();
  state.results.clear();
  $("results").replaceChildren();
  for (const id of ["error", "log", "progress"]) $(id).hidden = true;
  $("error").replaceChildren();
  for (const id of ["log-title", "status"]) $(id).textContent = "";
  document.body.classList.remove("loaded");
  say("");
}

/** What is left out where a log has several benchmarks. */
function onlyOne({ tasks, task }) {
  const others = tasks.filter((x) => x !== task);
  return others.length ? ` only; ${listed(others)} ${others.length > 1 ? "are" : "is"} left out` : "";
}

/** Show a log: what was read, and each result. */
async function showLog(log) {
  clear();
  document.body.classList.add("loaded");
  const { settings } = state, names = log.models.map((x) => x.name);
  [state.log, state.groups] = [log, null];
  const answered = (x) => Math.max(1, x.n.filter((n) => n).length);
  const mean = (x) => x.c.reduce((sum, c, j) => sum + (x.n[j] ? c / x.n[j] : 0), 0) / answered(x);
  const order = [...log.models].sort((x, y) => mean(y) - mean(x)).map((x) => x.name);
  if (!names.includes(settings.a)) settings.a = order[0];
  const others = order.filter((x) => x !== settings.a);
  if (!others.includes(settings.b)) settings.b = others[0] ?? null;
  if (names.length < 2) settings.kind = "atLeast";
  $("log-title").textContent = log.name;
  $("log").hidden = false;
  $("log-size").textContent = `${sizeOf(log)}${log.task ? `, benchmark ${log.task}` : ""}${onlyOne(log)}`;
  $("log-notes").replaceChildren(...log.remarks.map((x) => h("li", {}, x)));
  $("reading-options").replaceChildren(...readingOptions(log));
  if (!log.models.some((x) => x.runs)) settings.runs = "fixed";
  $("runs-label").hidden = !log.models.some((x) => x.runs);
  for (const name of SHARED) $(name).value = settings[name];
  $("k-label").hidden = settings.metric === "mean";
  const shown = Object.entries(SECTIONS).filter(([name]) => names.length > 1
    || !["compare", "plan"].includes(name)).filter(([name]) => name !== "runs" || log.models.some((x) => x.runs));
  const headed = (name, words) => (name === "gate" && names.length < 2 ? ONE_MODEL : words);
  const card = ([name, words]) => section(name, ...headed(name, words), ...controls(name));
  $("results").replaceChildren(...shown.map(card));
  await refresh(shown.map(([name]) => name));
}

/** Choices of how the table is read: benchmark, missing outcomes, columns. */
function readingOptions({ tasks = [""], task, models = [], header, readAs = {}, missing = "raise", stated = {},
  likely, examples, words = [] }, error = null) {
  if (!state.source) return [];
  const again = (options) => readSource(state.source, { ...state.options, ...options }), rows = [];
  if (tasks.length > 1) rows.push(field("Benchmark",
    select({ onchange: (event) => again({ task: event.target.value }) }, tasks.map((x) => [x, x]), task)));
  const { size } = new Set(models.flatMap((x) => x.index)), areFewer = models.some((x) => x.index.length < size);
  const lacks = areFewer || missing !== "raise" || ["missing", "ragged"].includes(error?.code);
  if (lacks) {
    const choices = [["raise", "are refused"], ["drop", "are left out"], ["0", "count as wrong"]];
    rows.push(field("Missing outcomes", select({ id: "missing",
      onchange: ({ target: { value } }) => again({ missing: value === "0" ? 0 : value }) }, choices, String(missing))));
  }
  const { outcomes = {} } = state.options, meanings = [["", "?"], ["1", "a success"], ["0", "a failure"],
    ["missing", "missing"]];
  const ofWords = words.map(([word, value]) => field(`'${word}' is`, select({ "data-word": word,
    onchange: ({ target: { value: x } }) => again({ outcomes: { ...outcomes,
      [word.toLowerCase()]: x === "missing" ? null : Number(x) } }) },
  value === undefined ? meanings : meanings.slice(1), String(value === undefined ? "" : value ?? "missing"))));
  if (error) rows.push(...ofWords);
  const out = rows.length ? [h("form", { class: "row", "aria-label": "How the table is read" }, rows)] : [];
  if (!header) return out;
  const selects = Object.entries(COLUMNS).map(([name, label]) => {
    const names = name === "outcome" ? likely : header.filter((x) => x);
    const choices = [["", "none"], ...names.map((x) => [x, `${x}: ${examples[x].join(", ")}`])];
    const onchange = ({ target: { value } }) => again({ task: null, ...(name === "outcome" ? { outcomes: {} } : {}),
      columns: { ...stated, ...(name === "outcome" && value ? { c: "", n: "" } : {}), [name]: value } });
    return field(label, select({ "data-column-of": name, onchange }, choices, readAs[name] ?? ""));
  });
  const mayHelp = ["format", "conflict", "choice", "duplicate", "type", "category", "fractional"];
  return [...out, h("details", { open: error !== null && mayHelp.includes(error.code) },
    h("summary", {}, "Which column is what"), h("form", { class: "row" }, selects, error ? [] : ofWords))];
}

/** Read a file, or a pasted text as a file. */
async function readSource(source, options = {}) {
  const control = sameControl(document.activeElement), refocus = () => {
    const found = control && document.querySelector(control);
    if (found?.closest("details")) found.closest("details").open = true;
    found?.focus();
  };
  clear();
  Object.assign(state, { source, options, log: null, groups: null });
  $("progress").hidden = false;
  $("progress-words").textContent = `Reading ${source.name}`;
  $("progress-bar").removeAttribute("value");
  const started = performance.now();
  try {
    const log = await engine.read(source, options, (share) => {
      if (share < 1) $("progress-bar").value = share;
      else $("progress-words").textContent = `Counting ${source.name}`;
    });
    $("progress").dataset.ms = Math.round(performance.now() - started);
    const shown = showLog(log);
    $("log").scrollIntoView();
    arrive($("log-title"), `${log.name} was read: ${$("log-size").textContent}. The results follow.`);
    refocus();
    await shown;
  } catch (error) {
    $("progress").hidden = true;
    if (error.code === "cancelled") return;
    fail(error);
    $("error").append(...readingOptions({ ...error, missing: options.missing,
      stated: options.columns }, error));
    refocus();
  }
}

function fail(error) {
  $("error").replaceChildren(h("h2", {}, "This could not be read"), problem(error));
  $("error").hidden = false;
  $("error").scrollIntoView({ block: "nearest" });
}

/** Show typed counts, or read a pasted table. */
async function showText(text) {
  if (/^[^\n]*[,\t;][^\n]*\n/.test(text.trim()) && !/^[^\n]*\d\s*(\/|of\b)\s*\d/i.test(text) || /^\s*[[{]/.test(text)) {
    await readSource(new File([text], /^\s*[[{]/.test(text) ? "pasted.json"
      : /^[^\n]*\t/.test(text) ? "pasted.tsv" : "pasted.csv"));
    return;
  }
  clear();
  try {
    Object.assign(state, { groups: typedCounts(text), text, log: null, source: null });
  } catch (error) {
    fail(error);
    return;
  }
  const { groups, settings } = state;
  if (Math.max(settings.first, settings.second) >= groups.length) Object.assign(settings, { first: 0, second: 1 });
  const choices = groups.map((x, i) => [String(i), `${x.name} ${x.c}/${x.n}`.trim()]);
  const pick = (name) => setting(name, select({}, choices, String(state.settings[name])));
  const own = groups.length > 2 ? [field("Compare", pick("first")), field("with", pick("second"))] : [];
  const links = h("p", { class: "row" }, h("button", { type: "button", onclick: copyLink },
    "Copy a link with these counts"));
  const card = section("rates", groups.length > 1 ? "Do these rates differ?" : "How sure is this rate?",
    "Each trial is taken as independent of the others, such as one attempt at each task.", ...own);
  card.append(links);
  $("results").replaceChildren(card);
  arrive($("title-rates"), `Read: ${number(groups.length, "count")}. The results follow.`);
  await refresh(["rates"]);
}

async function copyLink() {
  const settings = Object.fromEntries(Object.entries(state.settings).filter(([name, x]) => x !== DEFAULTS[name]
    && (state.log || ["confidence", "first", "second"].includes(name))));
  const fragment = await fragmentOf({ log: state.log, text: state.text, settings });
  if (fragment.length > LONGEST) {
    say("These counts are too many for a link: save them as a file.");
    return;
  }
  history.replaceState(null, "", fragment);
  await copy(location.href);
  const several = state.log?.tasks.length > 1 ? ` It holds ${state.log.task}${onlyOne(state.log)}.` : "";
  say(`The link is copied. The counts are in it, after the #, which browsers do not send to any server.${several}`);
}

function saveCounts() {
  const quote = (x) => (/[",\n\r]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x);
  const rows = state.log.models.flatMap((x) => x.index.map((q, j) => [quote(x.name), quote(state.log.questions[q]),
    x.c[j], x.n[j]].join(",")));
  const link = h("a", { href: URL.createObjectURL(new Blob([["model,question,c,n", ...rows, ""].join("\n")],
    { type: "text/csv" })), download: `${state.log.name.replace(/\.[^.]*$/, "")}.counts.csv` });
  link.click();
  say("The counts are saved as a table that the command reads. Runs are not in it.");
}

/** Open what the fragment of the address asks for. */
async function openFragment() {
  if ($(decodeURIComponent(location.hash.slice(1)))) return; // a place in the page
  try {
    const { log, counts, example, embed, section, settings } = await opened(location.hash, (name, x) =>
      name in SETTINGS && (!NUMBERS.has(name) || Number.isFinite(Number(x))), Object.keys(EXAMPLES));
    document.body.classList.toggle("embedded", embed);
    if (embed) document.querySelector("label[for=text]").textContent = "Successes and trials";
    for (const [name, x] of Object.entries(settings)) {
      state.settings[name] = NUMBERS.has(name) ? Number(x) : x === "true" ? true : x;
    }
    if (log) {
      Object.assign(state, { source: null, options: {} });
      await engine.open(log);
      await showLog(log);
    } else if (counts !== undefined) {
      $("text").value = counts;
      await showText(counts);
    } else if (example !== undefined) await readSource(new File([EXAMPLES[example].text], example));
    if (section) $(`section-${section}`)?.scrollIntoView();
  } catch (error) {
    clear();
    fail(error);
  }
}

$("examples").append(
  ...Object.keys(EXAMPLES).map((name) => h("button",
    { type: "button", "data-example": name, onclick: () => readSource(new File([EXAMPLES[name].text], name)) },
    EXAMPLES[name].label)),
  h("button", { type: "button", onclick: () => (($("text").value = "47/50 52/60"), showText("47/50 52/60")) },
    "two rates"),
);
$("file").addEventListener("change", ({ target }) => target.files.length && readSource(target.files[0]));
$("typed").addEventListener("submit", (event) => (event.preventDefault(), showText($("text").value)));
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("typed").requestSubmit();
});
for (const name of SHARED) setting(name, $(name));
$("settings").addEventListener("submit", (event) => event.preventDefault());
$("cancel").addEventListener("click", () => (engine.cancel(), clear()));
$("anew").addEventListener("click", () => ((state.settings = { ...DEFAULTS }),
  Object.assign(state, { log: null, source: null }), history.replaceState(null, "", " "), clear(), $("file").focus()));
$("link").addEventListener("click", copyLink);
$("save").addEventListener("click", saveCounts);
$("markdown").addEventListener("click", async () => {
  const head = `# ${state.log.name}\n\n${[$("log-size").textContent, ...state.log.remarks].join("  \n")}\n`;
  const sections = [...$("results").children].filter((x) => !x.hidden).map((x) => {
    const result = state.results.get(x.id.replace("section-", "")) ?? { problem: "it is not computed yet" };
    return result.problem === undefined ? markdown(result)
      : missingMarkdown(x.querySelector("h2").textContent, result.problem);
  });
  await copy([head, ...sections].join("\n"));
  say("All results are copied as Markdown.");
});
for (const [name, over] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", over);
  });
}
addEventListener("drop", ({ dataTransfer: { files } }) => {
  if (files.length > 1) fail({ code: "length", argument: "path",
    message: `${files.length} files were dropped, and this page reads one table: put their rows into one file` });
  else if (files.length) readSource(files[0]);
});
addEventListener("hashchange", openFragment);
openFragment();
