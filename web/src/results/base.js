// What results share: the counts of a log, its notes, and the command that gives a result.
import { Counts, InvalidInput, compare, interval, run_variation } from "../numbers/index.js";
import { remembered, tallied } from "../numbers/maps.js";
import { runsOfLog } from "../numbers/runs.js";
import { ci, ends, general, level, listed, nameOf, number, pValue, quoted, score, shown,
  thousands } from "../words.js";

export const TARGETS = ["fixed", "sampled"];
export const ON = { fixed: "on these questions", sampled: "on similar questions" };
export const SCOPE = { fixed: "this question set", sampled: "the population of similar questions" };
const IN_RUNS = { fixed: "", sampled: ", in similar runs", shared: ", in similar runs of all models" };
const OF_RUNS = { sampled: "the runs of all models of the log give the variance, as far as they differ alike",
  shared: "the model's own runs give the variance, since they are the same for all models" };
const SOURCES = { fixed: "trial-to-trial variance", sampled: "trial-to-trial and question-sampling variance" };
const NUMBERED = /^\W*(run|seed|epoch|trial|rep|repeat|pass|sample|attempt)?\W*_?\d+\W*$/i; // names of runs
/** What a statement is about: on these questions, in similar runs. */
export const on = (target, runs = "fixed") => ON[target] + IN_RUNS[runs];
export const scope = (target, runs = "fixed") => SCOPE[target] + IN_RUNS[runs];
export const optionOfRuns = (runs = "fixed") => (runs === "fixed" ? "" : ` --runs ${runs}`);
export const MARKS = { measured: "", modelled: "~", "upper bound": "*" };
const LEGENDS = { modelled: "mixture of success rates, fewer than 2k trials",
  "upper bound": "upper bound of the variance" };
export const LEVEL_OF_RUNS = 0.05, LEVEL_OF_ONE_RUN = 0.01; // of the tests of runs
const WITHIN = 0.2, FALSE_ALARMS = 0.01; // of the note on repeated answers, see analysis/runs.py
const SEVERAL_METRICS = "Each metric has its own error rate: of equal models the mean or one of Pass@2, 4 and 8 "
  + "differs significantly at 5% in up to 12.5% of evaluations, one of eight metrics in 19%. Choose the metric that "
  + "decides in advance.";

/** A metric as the functions take it, with its title and its name in commands. */
export function metricOf({ metric = "mean", k = null }) {
  if (metric === "mean") return { metric, title: "average", gate: "average score", option: "" };
  const sign = metric === "pass@k" ? "@" : "^";
  const words = { "@": `Pass@${k}`, "^": `Pass^${k}` }[sign];
  return { metric, k, title: words, gate: words, option: ` --metric ${metric} --k ${k}` };
}

export const argumentsOf = ({ metric, k = null }) => (k === null ? { metric } : { metric, k });

/** A log with the counts of its models, which are made once. */
export class Evaluation {
  #counts = new Map();
  #runs;
  #effects = new Map();

  constructor(log) {
    Object.assign(this, log);
    this.names = log.models.map((x) => x.name);
    this.byName = new Map(log.models.map((x) => [x.name, x]));
    this.allSingle = log.models.every((x) => x.n.every((n) => n <= 1));
    this.targets = this.allSingle ? ["sampled"] : TARGETS;
    this.answered = this.names.filter((x) => this.byName.get(x).n.some((n) => n > 0));
  }

  /** The questions of a model with a trial, as positions in its lists. */
  #kept(name, among) {
    const { index, n } = this.byName.get(name);
    return index.flatMap((q, j) => (n[j] > 0 && (!among || among.has(q)) ? [j] : []));
  }

  counts(name, among = null) {
    if (among === null && this.#counts.has(name)) return this.#counts.get(name);
    const x = this.byName.get(name), kept = this.#kept(name, among), at = (list) => kept.map((j) => list[j]);
    const clusters = x.clusters ? { clusters: at(x.clusters) } : {};
    const ids = at(x.index).map((q) => this.questions[q]);
    const counts = Counts.from({ trials: at(x.n), successes: at(x.c), ids, ...clusters });
    if (among === null) this.#counts.set(name, counts);
    return counts;
  }

  answeredBy(name) {
    return new Set(this.#kept(name).map((j) => this.byName.get(name).index[j]));
  }

  trials(name, among = null) {
    return this.#kept(name, among).map((j) => this.byName.get(name).n[j]);
  }

  /** Refuse a k above the trials of a question of these models. */
  checkK({ k = null }, names) {
    if (k !== null && !(Number.isInteger(k) && k > 0)) throw new InvalidInput("range", "k",
      `k = ${k} is not a whole number from 1 on`);
    for (const name of k === null ? [] : names) {
      const { index, n } = this.byName.get(name), few = n.flatMap((x, j) => (x > 0 && x < k ? [j] : []));
      if (!few.length) continue;
      const ids = few.slice(0, 5).map((j) => shown(this.questions[index[j]])).join(", ");
      const which = `${number(few.length, "question")} (${ids}${few.length > 5 ? ", ..." : ""})`;
      const most = ends(few.map((j) => n[j]))[0];
      throw new InvalidInput("range", "k",
        `k = ${k} is above the trials of ${which} of model ${shown(name)}: k up to ${most} works`);
    }
  }

  /** Two models on the questions that both answered; refused where one answered others too, unless `onlyShared`. */
  pair(a, b, onlyShared, runs = "fixed") {
    for (const name of [a, b]) if (!this.byName.has(name)) throw new InvalidInput("choice", "models",
      `no model ${nameOf(name)}`);
    if (a === b) throw new InvalidInput("choice", "models", `${nameOf(a)} is named twice`);
    const of = new Map([a, b].map((x) => [x, this.answeredBy(x)]));
    const shared = new Set([...of.get(a)].filter((q) => of.get(b).has(q))), unshared = {};
    for (const [name, other] of [[a, b], [b, a]]) {
      const alone = [...of.get(name)].filter((q) => !of.get(other).has(q));
      if (alone.length && !onlyShared) {
        const many = number(alone.length, "question"), ids = listed(alone.map((q) => this.questions[q]), 3);
        throw new InvalidInput("missing", "logs", `model ${nameOf(other)} did not answer ${many} that ${nameOf(name)} `
          + `answered, ${ids}: choose "only shared questions" to compare those that both answered`);
      }
      if (alone.length) unshared[name] = alone.length;
    }
    if (!shared.size) throw new InvalidInput("empty", "logs", `models ${nameOf(a)} and ${nameOf(b)} share no question`);
    const trials = [...this.trials(a, shared), ...this.trials(b, shared)];
    const [A, B] = [a, b].map((x) => this.counts(x, shared));
    return { a, b, A, B, questions: shared, shared: shared.size, unshared, trials, runs: this.sampled(runs, [a, b]) };
  }

  /** The average of a model, correctly rounded. */
  average(name) {
    return intervalOf(this.counts(name), metricOf({}), "fixed", 0.95).mu;
  }

  /** How much more runs differ than chance explains; null where the log has no runs. */
  get runs() {
    if (this.#runs === undefined) this.#runs = variationOf(this);
    return this.#runs;
  }

  /** The argument runs of a call on these models: "fixed", or how their runs differ; the runs of all models count. */
  sampled(runs, names) {
    if (runs === "fixed") return runs;
    const refuse = (what) => {
      throw new InvalidInput("conflict", "runs", what);
    };
    const x = this.runs, models = this.models.filter((y) => y.runs);
    if (x === null) refuse(this.allSingle ? "each model has one run, which says nothing about other runs"
      : "the trials have no ids that are common to questions, by which runs could be told apart");
    if (x.ratio === 1 && !x.deviation) {
      refuse("no question has different outcomes in two runs, so that their differences are not known");
    }
    const own = models.map((y) => new Set(y.runs.names)), all = new Set(own.flatMap((y) => [...y]));
    if (runs === "shared" && own.length > 1 && own.reduce((sum, y) => sum + y.size, 0) === all.size) {
      refuse("no run has the same name in two models, so that none is shared: sampled is for runs of each");
    }
    const effects = remembered(this.#effects, runs, () => {
      const { labels, ...outcomes } = outcomesByRun(this);
      return runsOfLog({ ...outcomes, shared: runs === "shared" });
    });
    const at = names.map((name) => models.findIndex((y) => y.name === name));
    return (...statement) => effects(...statement.map((i) => at[i]));
  }
}

/** Outcomes of the models with runs, by question and column, and the name of the run of each column. */
function outcomesByRun(e) {
  const models = e.models.filter((x) => x.runs);
  const labels = [...new Set(models.flatMap((x) => x.runs.names))];
  const most = new Map(labels.map((y) => [y,
    Math.max(...models.map((x) => x.runs.names.filter((z) => z === y).length))]));
  const columns = labels.flatMap((y) => Array.from({ length: most.get(y) }, (_, i) => [y, i]));
  const R = new Map(models.map((x) => {
    const nth = new Map();
    const place = new Map(x.runs.names.map((y, j) => [`${nth.set(y, (nth.get(y) ?? -1) + 1).get(y)} ${y}`, j]));
    const from = columns.map(([y, i]) => place.get(`${i} ${y}`) ?? -1), width = x.runs.names.length;
    const outcome = (row, j) => (j < 0 || x.runs.outcomes[row * width + j] < 0 ? null
      : x.runs.outcomes[row * width + j]);
    return [x.name, x.index.map((_, row) => from.map((j) => outcome(row, j)))];
  }));
  return { R, sessions: columns.map(([y]) => y), missing: "drop", labels };
}

function variationOf(e) {
  if (!e.models.some((x) => x.runs)) return null;
  const { labels, ...outcomes } = outcomesByRun(e);
  try {
    const x = run_variation(outcomes);
    return { ...x, run: labels[x.run] };
  } catch (error) {
    if (error instanceof InvalidInput) return null; // one run, or one question, of every model
    throw error;
  }
}

/** The value, or null where similar questions do not show their variance (a single question or cluster). */
export function whereVarianceShows(target, call) {
  try {
    return call();
  } catch (error) {
    if (target === "sampled" && error.code === "shape") return null;
    throw error;
  }
}

export const intervalOf = (R, m, questions, confidence, runs = "fixed") =>
  interval({ R, ...argumentsOf(m), questions, confidence, runs });
export const differenceOf = (pair, m, questions, confidence, guard = 0) =>
  compare({ A: pair.A, B: pair.B, ...argumentsOf(m), questions, confidence, guard, runs: pair.runs });

/** The difference of two values, the higher one first, with its interval and p. */
export function differenceFromHigher({ mu, lo, hi, p_value: p }, confidence) {
  const [low, high] = mu < 0 ? [-hi, -lo] : [lo, hi];
  return `difference ${score(Math.abs(mu))}, ${ci(confidence)} ${score(low)} to ${score(high)}; ${pValue(p)}`;
}

/** The command with the options of reading, such as scorio compare LOG A B --missing drop. */
export function command(e, [name, ...rest], options = "", confidence = 0.95) {
  const mapping = Object.entries(e.mapping ?? {}).map(([x, y]) => `${x}=${y}`).join(",");
  const meanings = Object.entries(e.outcomes ?? {}).map(([x, y]) => `${x}=${y ?? "missing"}`).join(",");
  const reading = [
    e.within && ` --rows ${quoted(e.within)}`,
    e.wide && " --wide",
    e.runsBy && ` --runs-by ${quoted(e.runsBy)}`,
    mapping && ` --columns ${quoted(mapping)}`,
    meanings && ` --outcomes ${quoted(meanings)}`,
    e.tasks.length > 1 && ` --task ${quoted(e.task)}`,
    (e.missing === "drop" || e.missing === 0) && e.models.some((x) => x.missing) && ` --missing ${e.missing}`,
  ].filter((x) => x).join("");
  const words = rest.map((x) => ` ${quoted(x)}`).join("");
  return `scorio ${name} ${quoted(e.name)}${words}${options}${reading}${optionOf(confidence)}`;
}

export const optionOf = (confidence) => (confidence === 0.95 ? "" : ` --confidence ${confidence}`);

export const title = (e, ...parts) => `${e.name}: ${parts.filter((x) => x).join(", ")}`;

/** Cells of a column of differences or intervals, with their numbers for whoever reads the page by a program. */
export const cell = (text, values = {}) => ({ text: String(text), values });

/** The legend of the marks in a table. */
export function marks(sources) {
  const used = [...new Set(sources)].filter((x) => MARKS[x]).map((x) => `${MARKS[x]} ${LEGENDS[x]}`).sort();
  return used.length ? [`${used.join("; ")}.`] : [];
}

export const severalMetrics = (m) => (m.metric === "mean" ? [] : [SEVERAL_METRICS]);

/** Probability that a binomial number is at most x, for x < M p. */
function binomialTail(x, M, p) {
  let log = (M - x) * Math.log1p(-p) + x * Math.log(p);
  for (let i = 0; i < x; i++) log += Math.log((M - i) / (i + 1));
  let term = Math.exp(log), total = 0;
  for (; term > 1e-12 * total; x--) {
    total += term;
    term *= (x * (1 - p)) / ((M - x + 1) * p);
  }
  return total;
}

/** Questions whose trials differ, and questions with two trials or more, if too few of them differ. */
function repeatedOf({ n, c }) {
  const kept = n.flatMap((x, j) => (x > 1 ? [j] : []));
  if (!kept.length) return null;
  const M = kept.length, mean = kept.reduce((sum, j) => sum + c[j] / n[j], 0) / M;
  const [fewest] = ends(kept.map((j) => n[j]));
  const p = 4 * (1 - 0.5 ** (fewest - 1)) * WITHIN * Math.max(mean - mean * mean, 0);
  const varying = kept.filter((j) => c[j] > 0 && c[j] < n[j]).length;
  return varying < M * p && binomialTail(varying, M, p) <= FALSE_ALARMS ? [varying, M] : null;
}

function repeated(e, names) {
  const each = names.map((x) => [x, repeatedOf(e.byName.get(x))]).filter(([, x]) => x);
  if (!each.length) return [];
  const [varying, many] = [0, 1].map((i) => each.reduce((sum, [, x]) => sum + x[i], 0));
  return [`The trials of ${listed(each.map(([x]) => x), 3)} are probably one answer repeated (temperature 0, a `
    + `cache): they differ on ${thousands(varying)} of ${number(many, "question")}. Intervals and comparisons on these `
    + "questions are then far too narrow (95% intervals covered in 9% to 21%), those on similar ones (--questions "
    + "sampled) are not."];
}

/** Notes on the names of runs that are sampled, of these models. */
function namesOfRuns(e, runs, names) {
  const all = e.models.filter((x) => x.runs && (runs === "sampled" || names.includes(x.name)));
  const times = tallied(all.flatMap((x) => [...new Set(x.runs.names)]));
  const those = (test) => [...times].filter(([run, n]) => test(run, n)).map(([run]) => run).sort();
  const alike = those((run, n) => n > 1 && !NUMBERED.test(run)), some = those((_, n) => n < all.length);
  if (runs === "sampled" && alike.length) return [`The names of runs are the same in several models (${listed(alike,
    3)}). If these are the same runs for all models, as prompts and sessions are: --runs shared (with sampled, `
    + "intervals of a model are too narrow, and comparisons find less)."];
  if (runs === "shared" && some.length) return [`Not all models have these runs: ${listed(some, 3)}. Each average is `
    + "over the runs of its model, and a difference may be one between easier and harder runs: leave these out for "
    + "all."];
  return [];
}

function differingRuns(e, runs) {
  const x = e.runs;
  if (!x || !(x.p_value <= LEVEL_OF_RUNS || x.p_run <= LEVEL_OF_ONE_RUN)) return [];
  const size = `${score(Math.abs(x.deviation))} ${x.deviation > 0 ? "above" : "below"} the model's average`;
  const one = `run ${nameOf(x.run)} of ${nameOf(x.model)} is ${size}`, p = pValue(x.p_run);
  const first = x.p_value <= LEVEL_OF_RUNS
    ? `Runs differ more than chance explains (${general(x.ratio, 2)} times the variance, ${pValue(x.p_value)}): beyond `
      + `chance the average of a run has a standard deviation of ${score(x.sd)}; ${one} (${p}).`
    : `One run differs more than chance explains: ${one} (${p}).`;
  return [runs === "fixed" ? `${first} Intervals that account for it: --runs sampled.` : first];
}

/** Notes about missing outcomes, questions that only one model answered, repeated answers, and runs. */
export function gaps(e, { names = e.names, unshared = {}, fixed: onFixed = true, runs = "fixed" } = {}) {
  const models = names.map((x) => e.byName.get(x)), out = [];
  const absent = models.reduce((sum, x) => sum + x.missing, 0);
  const present = models.reduce((sum, x) => sum + x.n.reduce((a, b) => a + b, 0), 0);
  if (absent) {
    const treated = e.missing === 0 ? "counted as 0" : "left out";
    out.push(`Missing: ${thousands(absent)} of ${number(present + (e.missing === 0 ? 0 : absent), "outcome")}, `
      + `${treated}. If whether an outcome is missing depends on how the trial went, every number here is biased.`);
  }
  for (const [name, n] of Object.entries(unshared)) {
    out.push(`Left out: ${number(n, "question")} that only ${nameOf(name)} answered.`);
  }
  if (onFixed) out.push(...repeated(e, names));
  out.push(...differingRuns(e, runs), ...namesOfRuns(e, runs, names));
  const empty = models.reduce((sum, x) => sum + x.n.filter((n) => n === 0).length, 0);
  if (empty) out.push(`Left out: ${number(empty, "question")} without a trial.`);
  return out;
}

/** Note where models answered different questions. */
export function differentQuestions(e) {
  const sets = e.names.map((x) => e.answeredBy(x)), all = new Set(sets.flatMap((x) => [...x]));
  const shared = [...all].filter((q) => sets.every((x) => x.has(q))).length;
  if (all.size === shared) return [];
  return [`Models answered different questions (${thousands(all.size)} in all, ${thousands(shared)} answered by `
    + "every model): their averages are over different questions, so compare models on the questions that they share."];
}

/** What an interval means, for a reader who does not know. */
export function meaning(target, confidence, runs = "fixed") {
  const name = ci(confidence), share = level(confidence);
  if (runs !== "fixed") {
    return `${name} for ${SCOPE[target]} and for runs like these (${target}, runs): a range that covers, in about `
      + `${share} of evaluations, the expected score of another run. It accounts for ${SOURCES[target]}, and for the `
      + `differences between runs (passes over the benchmark, with their seed, server or prompt), of which `
      + `${OF_RUNS[runs]}.`;
  }
  if (target === "fixed") {
    return `${name} for ${SCOPE.fixed} (fixed): a range that covers, in about ${share} of evaluations, the expected `
      + "score on these exact questions, if trials of a question are independent. It accounts for trial-to-trial "
      + "variance, not for question-sampling variance; those on similar questions (sampled) do.";
  }
  return `${name} for ${SCOPE.sampled} (sampled): a range that covers, in about ${share} of evaluations, the expected `
    + "score over that population. It accounts for trial-to-trial and question-sampling variance.";
}

