// A wide table (a row for each question, a column for each model or trial) as the rows of a long one, by the rules of
// the command's --wide (readers/wide.py there says why).
import { remembered } from "../numbers/maps.js";
import { listed, shown } from "../words.js";
import { fractionIn, isMissing, refuse, scoreIn, wordsIn } from "./cells.js";
import { described, isOfTrials, isSummary, usual, withUnread } from "./columns.js";
import { isCrossed, numbersTrials } from "./factors.js";
import {
  AXES, COLUMN_NUMBERED, COLUMN_OF_CONDITION, COLUMN_OF_QUESTION, COLUMN_OF_RUN, COLUMN_OF_TRIAL, COUNTS, OF_MODELS,
  RUN_NAMES, UNITS,
} from "./names.js";

const ROLES = ["question", "task", "cluster", "model"];
const matcher = (pattern, flags = "i") => {
  const whole = new RegExp(`^(?:${pattern})$`, flags);
  return (names) => new Map(names.map((x) => [x, whole.exec(x)]).filter(([, match]) => match));
};
const [ofRun, ofTrial, ofQuestion, ofCondition] = [
  COLUMN_OF_RUN, COLUMN_OF_TRIAL, COLUMN_OF_QUESTION, COLUMN_OF_CONDITION].map((x) => matcher(x));
const numbered = matcher(COLUMN_NUMBERED, "");
const base = ([name]) => name;

const areLetters = (cells) => cells.every((x) => isMissing(x) || /^\s*\p{L}\s*$/u.test(x));

/** The columns that are ids, by scorio's names, and a remark on the question. */
function rolesOf(header, cellsOf, stated, score) {
  const roles = Object.fromEntries(ROLES.filter((x) => stated[x]).map((x) => [x, stated[x]]));
  const left = (name) => stated[name] !== "" && !(name in roles);
  const free = () => header.filter((x) => !Object.values(roles).includes(x));
  for (const name of ROLES.filter(left)) {
    const column = free().find((x) => x.toLowerCase() === name);
    if (column) roles[name] = column;
  }
  const said = (column) => [column ? `Questions: column ${column}.` : "Questions: the column without a name."];
  if ("question" in roles || "model" in roles) return { roles, remarks: [] };
  for (const name of ["question", "model"].filter(left)) {
    const [column] = usual(name, free());
    if (column) return { roles: { ...roles, [name]: column }, remarks: name === "question" ? said(column) : [] };
  }
  const texts = free().filter((x) => cellsOf(x).some((y) => score(y) === null));
  const distinct = texts.filter((x) => !cellsOf(x).some(isMissing) && new Set(cellsOf(x)).size === cellsOf(x).length);
  const unnamed = free().slice(0, 1).filter((x) => !x || x.startsWith("Unnamed: "));
  const [column] = distinct.length === 1 ? distinct : unnamed.length ? unnamed
    : texts.length === 1 && !distinct.length ? texts : [];
  if (column === undefined || free().length < 2) {
    refuse("format", "path", `no column names the questions; ${described(header)}`, "choose the question below");
  }
  return { roles: { ...roles, question: column }, remarks: said(column) };
}

/**
 * The columns of outcomes, and those that are not read; raises for a column that may be something else.
 *
 * differs : whether rows of one id have different cells in a column; always: no two of them have the same.
 * isDesigned : whether they have by design.
 */
function outcomesOf(names, cellsOf, differs, isDesigned, place, score, words) {
  const numbers = new Map(names.map((x) => [x, cellsOf(x).map(score)]));
  const hasCounts = names.some((x) => cellsOf(x).some((y) => typeof y === "string" && /\d\s*(\/|of)\s*\d/.test(y)
    && scoreIn(y) !== null && fractionIn(y)));
  const fits = (x) => x === null || Number.isNaN(x) || (hasCounts ? x >= 0 && x <= 1 : x === 0 || x === 1);
  const hasNumber = (x) => numbers.get(x).some((y) => y !== null && !Number.isNaN(y));
  const letters = names.filter((x) => areLetters(cellsOf(x))); // labels, beside outcomes that are not letters
  const areLabels = names.some((x) => hasNumber(x) && !letters.includes(x)) ? (x) => letters.includes(x) : () => false;
  const text = names.filter((x) => !x || (numbers.get(x).includes(null) && (areLabels(x) || !hasNumber(x))));
  const isAxis = (x) => (AXES.includes(x.toLowerCase()) && differs(x)) || (numbersTrials(x) && differs(x, true))
    || (ofCondition([x]).size > 0 && isDesigned(x));
  const rest = names.filter((x) => !text.includes(x) && !UNITS.includes(x.toLowerCase()) && !isAxis(x));
  const models = rest.filter((x) => !isOfTrials(x)), columns = models.length ? models : rest;
  // the same number in each row, such as a year, is no outcome
  const whole = new Set(columns.filter((x) => numbers.get(x).every(fits)));
  const found = columns.filter((x) => whole.has(x) || !whole.size || new Set(numbers.get(x)).size > 1 || isSummary(x));
  const unread = names.filter((x) => !found.includes(x)), end = cellsOf(names[0] ?? "").length > 2 ? -1 : undefined;
  const fitting = new Set(found.filter((x) => numbers.get(x).slice(0, end).every(fits)));
  for (const x of found) {
    const bad = numbers.get(x).indexOf(null), odd = Math.max(0, numbers.get(x).findIndex((y) => !fits(y)));
    if (bad >= 0) refuse("type", "outcome",
      `column ${shown(x)} has ${shown(cellsOf(x)[bad])} in row ${bad + 1}, and outcomes in others`,
      "say below what each word means, or what the column is",
      { ...place(bad), column: x, words: wordsIn(found.flatMap(cellsOf), words) });
    if (AXES.includes(x.toLowerCase()) || (fitting.size && !fitting.has(x))) refuse("category", "outcome",
      `column ${shown(x)} has ${shown(cellsOf(x)[odd])}, unlike the outcomes of the others`,
      "leave this column out of the file, or choose below what it is", { ...place(odd), column: x });
  }
  if (!found.length) refuse("format", "path", `no column holds outcomes; ${described(names)}`);
  return { names: found, unread: unread.filter((x) => x) };
}

/** The model (or question) and the number of the trial of each column, where columns are trials; else none. */
function trialsOf(names, roles) {
  const parts = (found, named) =>
    new Map([...found].map(([x, [, first, second]]) => [x, [named(first), String(Number(second))]]));
  const runs = ofRun(names);
  if (runs.size) return parts(runs, (x) => x ?? "");
  if ("question" in roles && "model" in roles) {
    const trials = ofTrial(names), alike = new Set([...trials.values()].map(([, x]) => x.toLowerCase())).size === 1;
    return trials.size > 1 && trials.size === names.length && alike ? parts(trials, () => "") : new Map();
  }
  if (!("question" in roles)) return new Map();
  const columns = parts(numbered(names), (x) => x), bases = new Set([...columns.values()].map(base));
  for (const x of names) if (bases.has(x)) columns.set(x, [x, "0"]);
  const numbers = [...bases].map((x) => [...columns.values()].filter((y) => y[0] === x).map((y) => Number(y[1]))
    .sort((a, b) => a - b));
  const regular = (x) => x.length > 1 && x[0] < 2 && x.every((y, i) => y === x[0] + i && x.length === numbers[0].length
    && y === numbers[0][i]);
  const named = ([x, [name, run]]) => !x.endsWith(`.${run}`) || names.includes(name); // pandas numbers equal names
  const are = columns.size === names.length && ![...bases].some((x) => OF_MODELS.includes(x.toLowerCase()))
    && numbers.every(regular) && [...columns].every(named);
  return are ? columns : new Map();
}

/** A header and rows with a fraction such as 3/4 for each model in the place of two columns: gpt_correct and gpt_n. */
function withFractions(header, rows) {
  const kinds = Object.entries(COUNTS).map(([kind, usual]) =>
    [kind, new RegExp(`^(.+?)[\\s_.:-](?:${[kind, ...usual].join("|")})$`, "i")]);
  const pairs = new Map();
  header.forEach((column, i) => {
    for (const [kind, pattern] of kinds) {
      const match = pattern.exec(column);
      if (match) pairs.set(match[1], { ...pairs.get(match[1]), [kind]: i });
    }
  });
  const models = [...pairs].filter(([, x]) => Object.keys(x).length === 2);
  if (!models.length) return { header, rows, remarks: [] };
  const read = new Map(models.flatMap(([model, x]) => Object.values(x).map((i) => [i, model])));
  const names = [...new Set(header.map((x, i) => read.get(i) ?? x))], at = new Map(models);
  const positions = names.map((name) => at.get(name) ?? header.indexOf(name));
  const cell = (cells, x) => {
    if (typeof x === "number") return cells[x];
    const parts = [cells[x.c], cells[x.n]];
    return parts.some(isMissing) ? null : parts.join("/");
  };
  return { header: names, rows: rows.map(([cells, ...line]) => [positions.map((x) => cell(cells, x)), ...line]),
    remarks: [`Columns of successes and trials: ${shown([...read.keys()].sort((a, b) => a - b)
      .map((i) => header[i]).join(", "))}.`] };
}

/**
 * The rows of a long table: [cells, line, column of the outcome], and its `columns`, as columnsOf returns them.
 *
 * rows : those of the wide table; stated, words : the columns and meanings that the user chose; place : of a row.
 * roles : the column of the wide table that is read as each of scorio's; mapping, runsBy : what the command has to say.
 */
export function longOf(ownHeader, ownRows, { columns: stated = {}, outcomes: words = {} }, stem, place) {
  const { header, rows, remarks: ofCounts } = withFractions(ownHeader, ownRows);
  const score = (x) => scoreIn(x, words);
  const isOwn = (x) => x.toLowerCase() === "trial" && !Object.values(stated).includes(x);
  let ofTrials = (stated.trial ?? header.find(isOwn)) || null;
  const at = new Map(header.map((x, i) => [x, i])), cellsOf = (name) => rows.map(([cells]) => cells[at.get(name)]);
  const none = header.filter((x) => stated[x.toLowerCase()] === "" && [...ROLES, "trial"].includes(x.toLowerCase()));
  const { roles, remarks } = rolesOf(header.filter((x) => x !== ofTrials && !none.includes(x)), cellsOf, stated, score);
  const rest = header.filter((x) => ![ofTrials, ...none, ...Object.values(roles)].includes(x));
  const hasQuestion = "question" in roles, hasModel = "model" in roles, hasBoth = hasQuestion && hasModel;
  const notWide = (why) => refuse("format", "path", why, "choose the outcome below");
  const beside = () =>
    notWide(`columns beside ${roles.question} and ${roles.model}, of which none is known to have the outcomes`);
  if (hasBoth && !ofRun(rest).size && !ofTrial(rest).size) beside();
  const ids = ["question", "model", "task"].filter((x) => x in roles).map((x) => cellsOf(roles[x]));
  const rowIds = rows.map((_, i) => JSON.stringify(ids.map((x) => x[i])));
  const differs = (name, always) => {
    const pairs = new Set(cellsOf(name).map((x, i) => JSON.stringify([rowIds[i], x])));
    return pairs.size > new Set(rowIds).size && (!always || pairs.size === rows.length);
  };
  const codesOf = (list, codes = new Map()) => list.map((x) => remembered(codes, x, () => codes.size));
  const isDesigned = (name) => isCrossed(codesOf(cellsOf(name)), codesOf(rowIds), [...new Set(rowIds)].fill(0));
  const { names, unread: aside } = outcomesOf(rest, cellsOf, differs, isDesigned, place, score, words);
  const trials = trialsOf(names, roles);
  const ofRuns = trials.size && ofTrials === null ? aside.find((x) => isOfTrials(x) && differs(x, true)) : undefined;
  ofTrials ??= ofRuns ?? null; // the rows of a question are runs, each with columns of trials
  const unread = aside.filter((x) => x !== ofRuns), columns = names.map((x) => [x, trials.get(x) ?? [x, null]]);
  const bases = [...new Set(columns.map(([, [name]]) => name))];
  if (names.length < 2) notWide(`column ${shown(names[0])} may have the outcomes`);
  if (hasBoth && bases.some((x) => x)) beside();
  const isRate = (x) => x > 0 && x < 1;
  if (!stated.question && RUN_NAMES.includes(roles.question?.toLowerCase()) && names.some((x) => cellsOf(x).some((y) =>
    isRate(score(y))))) refuse("format", "path", `column ${shown(roles.question)} names runs, whose counts are not `
      + "outcomes of questions", "type the counts of two runs to compare them, or choose the question below");
  if (hasQuestion && !stated.question && bases.length > 1 && ofQuestion(bases).size === bases.length) {
    const [what, way] = roles.question.toLowerCase() === "question"
      ? ["trials of one model, or models", "name them run_1, run_2, ... if they are trials, else by their models"]
      : ["questions, and rows models", "choose the model, or the question, below"];
    refuse("format", "path", `columns ${shown(bases.join(", "))} may be ${what}`, way);
  }
  const whose = bases.some((x) => x) ? `trials of ${shown(bases.join(", "))}` : "trials";
  const said = trials.size ? [`Columns that are ${whose}: ${shown([...trials.keys()].join(", "))}.`]
    : hasQuestion ? [`A column for each model: ${listed(names, 8, "other")}.`]
      : [`Rows are models (column ${roles.model}), columns are questions.`];
  if (!hasQuestion && ofQuestion(bases).size < bases.length) { // a column such as open may be something else
    said.push(`Columns that are questions: ${shown(bases.join(", "))}.`);
  }
  const further = ["task", "cluster"].filter((x) => x in roles), others = [...none, ...unread];
  const own = ["model", "question", "outcome", ...further, ...(trials.size || ofTrials ? ["trial"] : [])];
  const long = rows.flatMap(([cells, line]) => {
    const cell = (name) => cells[at.get(name)];
    return columns.map(([name, [first, run]]) => {
      const model = hasModel ? cell(roles.model) : first || stem, question = hasQuestion ? cell(roles.question) : first;
      const trial = [...(ofTrials ? [cell(ofTrials)] : []), ...(trials.size ? [run ?? "0"] : [])];
      return [[model, question, cell(name), ...further.map((x) => cell(roles[x])),
        ...(trial.length ? [trial.join("/")] : []), ...others.map(cell)], line, name];
    });
  });
  const hasNone = ROLES.some((x) => stated[x] === ""); // a usual name must not be taken instead
  const chosen = Object.entries(roles).filter(([x, column]) => stated[x] || (hasNone && x !== column));
  return { rows: long, roles: { ...roles, ...(ofTrials && { trial: ofTrials }) }, runsBy: stated.trial ?? "",
    mapping: Object.fromEntries([...none.filter((x) => !(x in roles)).map((x) => [x, "-"]), ...chosen]),
    columns: { header: [...own, ...others], ...withUnread(Object.fromEntries(own.map((x, i) => [x, i])),
      others.map((name, i) => ({ name, i: own.length + i })), [...ofCounts, ...remarks, ...said]) } };
}
