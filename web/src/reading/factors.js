// A column that is not read, and in which the rows of a question differ by design: such rows are not trials of one
// question. The same rule as that of the command (readers/check.py there says why), and the same limits.
import { tallied } from "../numbers/maps.js";
import { ends, listed, shown } from "../words.js";
import { refuse } from "./cells.js";
import {
  ANSWERS, COINCIDENCES, CONDITIONS, DATED, HASH, LARGEST_RATIO, LONGEST_ID, LONGEST_TEXT, MOST_LEVELS, MOST_ROWS, NUMBERED,
  OUTCOME, SHARE_ALIKE, SHARE_EQUAL, TRIAL, UNITS, VERDICT,
} from "./names.js";

const whole = (pattern) => new RegExp(`^(?:${pattern})$`);
const [trialName, hash, numbered, dated] = [TRIAL, HASH, NUMBERED, DATED].map(whole);
const outcomeName = new RegExp(OUTCOME);

/** Whether a column may be a factor, by its name. */
function isCandidate(name) {
  const plain = name.trim().toLowerCase().split(".").at(-1);
  return plain && !ANSWERS.includes(plain) && !UNITS.includes(plain) && !plain.endsWith("reason");
}

/** Whether a column numbers trials, dates them or says where they ran, by its name. */
export const numbersTrials = (name) => trialName.test(name.toLowerCase().split(".").at(-1).replace(/[_ -]/g, ""));

/** Whether values name conditions: some are no numbers, letters or dates, or the words before numbers differ. */
function nameConditions(levels) {
  const labels = levels.filter((x) => x.length <= LONGEST_ID).map((x) => x.toLowerCase());
  const words = labels.filter((x) => !hash.test(x)).map((x) => x.replace(/[0-9.\-_ ]+$/, ""));
  const letters = new Set(words.filter((x) => x.length > 1 && /^\p{L}+$/u.test(x)));
  return !labels.every((x) => numbered.test(x)) || letters.size > 1;
}

/** Whether the values of a column may be conditions, rather than ids of trials. */
const areLevels = (name, levels) => !numbersTrials(name) || nameConditions(levels);

/** Whether a column in step with the ids of trials says the same as these, rather than a condition of each. */
function mayNumberTrials(name, levels) {
  const labels = levels.filter((x) => x), isCondition = CONDITIONS.includes(name.toLowerCase().split(".").at(-1));
  const isNumbered = [0, 1].some((first) => labels.every((_, i) => labels.includes(String(first + i))));
  return numbersTrials(name) || (!isCondition && (isNumbered || labels.every((x) => dated.test(x))));
}

/** The levels of columns that are not read, as codes; a column with too many levels is dropped. */
export class Unread {
  #columns;

  constructor(unread) {
    this.#columns = unread.filter((x) => isCandidate(x.name)).map((x) => ({ ...x, codeOf: new Map(), codes: [] }));
  }

  add(cells) {
    for (const column of this.#columns) {
      const x = cells[column.i];
      const level = x === null ? "" : typeof x === "object" ? null : String(x).trim();
      let code = column.codeOf.get(level);
      if (code === undefined) {
        if (level === null || level.length > LONGEST_TEXT || column.codeOf.size > MOST_LEVELS) {
          this.#columns = this.#columns.filter((y) => y !== column);
          continue;
        }
        column.codeOf.set(level, (code = column.codeOf.size));
      }
      column.codes.push(code);
    }
  }

  factors() {
    const named = this.#columns.map((x) => ({ name: x.name, levels: [...x.codeOf.keys()], codes: x.codes }));
    return named.filter((x) => x.levels.length > 1 && areLevels(x.name, x.levels));
  }
}

/** The rows of the first questions, which are compared where there are very many. */
function comparedRows(cell, n) {
  const sizes = new Array(n).fill(0);
  for (const x of cell) sizes[x] += 1;
  let cells = 0;
  for (let rows = 0; cells < n && rows < MOST_ROWS; cells++) rows += sizes[cells];
  return cells === n ? (list) => list : (list) => list.filter((_, row) => cell[row] < cells);
}

/**
 * Refuse rows of which a column is a factor.
 *
 * cell : the question of a model of each row; modelOf : the model of each cell; describe : of a row, in words;
 * place : where a row is; of : the rows of a column that are read; roles : what such a column can be, in words.
 */
export function refuseFactors(unread, { cell, modelOf, outcome, trial, describe, place, of, roles }) {
  const compared = comparedRows(cell, modelOf.length);
  const cells = compared(cell), outcomes = compared(outcome), trials = trial && compared(trial);
  for (const { name, levels, codes: all } of unread.factors()) {
    const own = of(all), codes = compared(own), first = new Map();
    const differing = own.findIndex((x, row) => x !== (first.get(cell[row]) ?? (first.set(cell[row], x), x)));
    if (differing < 0 || !isCrossed(codes, cells, modelOf) || follows(name, levels, codes, outcomes, trials)) continue;
    const values = [...new Set(own.filter((_, row) => cell[row] === cell[differing]))].map((x) => shown(levels[x]));
    const what = `${describe(differing)} has ${values.length} values of column ${shown(name)}, ${listed(values)}, and `
      + "so have others: rows of different conditions are not trials of one question";
    refuse("conflict", "columns", what, `choose ${name} below as the column of ${roles}, or leave the other rows out `
      + "of the file", place(differing));
  }
}

const sum = (xs) => xs.reduce((a, b) => a + b, 0);
const counted = (map, key, n = 1) => map.set(key, (map.get(key) ?? 0) + n);

/** Whether the questions of each model have the levels in equal shares, rather than by chance. */
export function isCrossed(codes, cell, modelOf) {
  const cells = modelOf.map(() => new Map()); // rows by level, of each cell
  codes.forEach((level, row) => counted(cells[cell[row]], level));
  const several = cells.filter((x) => x.size > 1);
  if (several.length < 2) return false; // the levels of one question alone may be chance
  const ofLevel = [], ofModel = [];
  cells.forEach((x, i) => {
    const own = (ofLevel[modelOf[i]] ??= new Map());
    for (const [level, n] of x) counted(own, level, n);
  });
  ofLevel.forEach((x, i) => (ofModel[i] = sum([...x.values()])));
  const rows = cells.map((x) => sum([...x.values()])), sizes = tallied(cells.flatMap((x) => [...x.values()]));
  const alike = tallied(several.map((x) => JSON.stringify([...x].sort((a, b) => a[0] - b[0]))));
  let chiSquare = 0, freedom = 0;
  cells.forEach((x, i) => {
    if (rows[i] < 2) return;
    const model = modelOf[i];
    const shares = [...x].map(([level, n]) => (n * n * ofModel[model]) / (rows[i] * ofLevel[model].get(level)));
    chiSquare += sum(shares) - rows[i];
    freedom += ofLevel[model].size - 1;
  });
  if (chiSquare <= LARGEST_RATIO * freedom) return true;
  const squares = ofLevel.map((x, i) =>
    sum([...x.values()].map((n) => n * (n - 1))) / Math.max(ofModel[i] * (ofModel[i] - 1), 1));
  const coincidences = sum(rows.map((n, i) => (n > 1 ? (n * (n - 1) / 2) * squares[modelOf[i]] : 0)));
  if (sizes.size === 1 && sizes.has(1) && coincidences >= COINCIDENCES) return true;
  const [usual, often] = [...sizes].reduce((a, b) => (b[1] > a[1] || (b[1] === a[1] && b[0] < a[0]) ? b : a));
  if (usual > 1 && often / sum([...sizes.values()]) >= SHARE_EQUAL
    && several.length >= 0.5 * cells.filter((x) => x.size).length) return true;
  const [, most] = ends([0, ...alike.values()]);
  return most > 0 && most >= SHARE_ALIKE * rows.filter((n) => n > 1).length;
}

/** Whether a column says the same as the outcome or as the trial's id, so that it is no factor besides them. */
function follows(name, levels, codes, outcome, trial) {
  if (oneToOne(codes, outcome)) {
    const usual = { "-1": ["", "null"], 0: ["0", "0.0", "false"], 1: ["1", "1.0", "true"] };
    const isOutcome = outcomeName.test(name.toLowerCase());
    const agrees = (level, j) => VERDICT.some((x) => level.startsWith(x)) || (isOutcome && usual[j].includes(level));
    if (codes.every((x, row) => agrees(levels[x].toLowerCase(), outcome[row]))) return true;
  }
  return trial !== null && oneToOne(codes, trial) && mayNumberTrials(name, levels);
}

export function oneToOne(a, b) {
  const pairs = new Set(a.map((x, row) => `${x} ${b[row]}`));
  return pairs.size === new Set(a).size && pairs.size === new Set(b).size;
}
