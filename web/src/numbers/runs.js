// Runs of an evaluation: whether they differ more than chance explains, and the variance that this adds
// (spec/families/runs.md).

import { ONE, Q, ZERO, larger, num, smaller, sum } from "./arithmetic.js";
import { choice, flag, labels, named, policy, real, refuse, show } from "./arguments.js";
import { log1p, normalTail, upperTailOfF } from "./distributions.js";
import { MAX_DF } from "./inference.js";
import { numbersOf } from "./maps.js";
import { parseMetric } from "./metrics.js";
import { Counts, completed, manyModels, readMatrix } from "./outcomes.js";

/** Sums of integers over questions, apart for each number of trials n: the total divides each by a function of n. */
class ByTrials {
  constructor() {
    this.sums = new Map();
  }

  add(n, x) {
    this.sums.set(n, (this.sums.get(n) ?? 0n) + x);
  }

  over(divisor) {
    return sum([...this.sums].map(([n, x]) => Q.of(x, divisor(n))));
  }
}

/** I_r, E_r and W_r of each run of a model, and f, lambda and h; the outcomes are categories by question and column. */
class RunsOfModel {
  constructor(matrix, runs, metric) {
    const R = Math.max(...runs) + 1, [I, E, W] = [0, 1, 2].map(() => Array.from({ length: R }, () => new ByTrials()));
    const [e, eSquares] = [new ByTrials(), new ByTrials()], seen = new Set();
    let most = 0;
    let M = 0;
    this.moves = [ZERO, ZERO]; // the largest |u - S_a/n_a|/n_a of a success, and of a failure
    for (const row of matrix) {
      const [counts, sums] = [new Array(R).fill(0n), new Array(R).fill(0n)];
      let [n, S, squares, low, high] = [0n, 0n, 0n, null, null];
      row.forEach((x, i) => {
        if (x === null) return;
        const u = metric.u[x];
        counts[runs[i]] += 1n;
        sums[runs[i]] += u;
        n += 1n;
        S += u;
        squares += u * u;
        if (low === null || u < low) low = u;
        if (high === null || u > high) high = u;
      });
      if (!n) continue;
      M += 1;
      const within = n > 1n ? n * squares - S * S : 0n; // e_a is this over n^2 (n - 1)
      e.add(n, within);
      eSquares.add(n, within * within);
      for (let r = 0; r < R; r++) {
        if (!counts[r]) continue;
        seen.add(r);
        most = Math.max(most, Number(counts[r]));
        I[r].add(n, n * sums[r] - counts[r] * S);
        E[r].add(n, within * counts[r] * (n - counts[r]));
        W[r].add(n, counts[r]);
      }
      [n * high - S, S - n * low].forEach((x, side) => {
        const move = new Q(x, n * n);
        if (move.above(this.moves[side])) this.moves[side] = move;
      });
    }
    this.M = M;
    this.runs = seen.size;
    if (!M) return;
    const unit = metric.unit, divisor = (n) => n * n * (n > 1n ? n - 1n : 1n) * unit * unit;
    this.I = I.map((x) => x.over((n) => n * n * unit).over(M));
    this.E = E.map((x) => x.over((n) => divisor(n) * n * n).over(num(M).squared()));
    this.W = W.map((x) => x.over((n) => n).over(M));
    this.moves = this.moves.map((x) => x.times(most).over(unit).over(M));
    const total = sum(this.E);
    this.counts = M > 1 && !total.isZero();
    if (!this.counts) return;
    const squares = sum(this.I.map((x) => x.squared())), shares = sum(this.W.map((x) => x.squared()));
    this.f = total.squared().over(sum(this.E.map((x) => x.squared()))).minus(1);
    this.ratio = squares.over(total);
    this.h = eSquares.over((n) => divisor(n) ** 2n).over(e.over(divisor).squared());
    this.variance = squares.minus(total).over(shares.times(ONE.minus(shares)));
  }
}

/** The number of the run of each column: equal labels, 1 and "1" differ, are one run. */
function numbered(width, sessions) {
  if (sessions === null) return Array.from({ length: width }, (_, i) => i);
  labels(sessions, "sessions", width, "columns");
  const runs = numbersOf(sessions);
  if (runs.every((x) => x === 0)) refuse("length", "sessions", "one label for all columns");
  return runs;
}

/** Names and outcomes: one matrix, or those of several models. */
function namedMatrices(R) {
  if (R instanceof Counts) refuse("type", "R", "counts do not know the run of a trial");
  const isOne = Array.isArray(R) && !(R.length && R.every((x) => Array.isArray(x) && x.some(Array.isArray)));
  if (isOne) {
    if (!R.length) refuse("empty", "R", "no questions");
    return [[0, R]];
  }
  return manyModels(R, "R", 1);
}

/** z^2 of Bennett's bound for a sum I of variance E whose terms are at most b. */
function bennett(I, E, b) {
  const t = b.times(I.absolute()).over(E);
  return E.over(b.squared()).times(2).times(t.plus(1).times(log1p(t)).minus(t));
}

/** The runs of one model; name: the argument that an error names. */
function readRuns(outcomes, name, metric, w, missing, sessions) {
  const rows = completed(readMatrix(outcomes, name), missing, name);
  rows.forEach((row, a) => row.forEach((x) => {
    if (x > metric.C) refuse(w ? "length" : "category", w ? "w" : name,
      `question ${a} has the category ${x}, the highest is ${metric.C}`);
  }));
  const model = new RunsOfModel(rows, numbered(rows[0].length, sessions), metric);
  if (!model.M) refuse("no_trials", name, "a model has no trial");
  return model;
}

function checkRuns(models, name) {
  if (models.every((x) => x.runs < 2)) refuse("length", name, "trials of a single run");
  if (models.every((x) => x.M < 2)) refuse("shape", name, "one question, where several are needed");
}

/** lambda and f over models that count. */
function pooled(used) {
  const f = sum(used.map((x) => x.f));
  return { lambda: sum(used.map((x) => x.f.times(x.ratio))).over(f), f };
}

/** Whether some run has trials of each of these models, one or two. */
const haveCommonRuns = ([a, b = a]) => a.W.some((w, r) => !w.isZero() && b.W[r] && !b.W[r].isZero());

/** lambda and f of a model that counts, or of the difference of two whose runs are the same. */
function shared(used) {
  const [a, b] = used, runs = Array.from({ length: Math.max(...used.map((x) => x.E.length)) }, (_, r) => r);
  const at = (x, field, r) => x?.[field][r] ?? ZERO, E = runs.map((r) => at(a, "E", r).plus(at(b, "E", r)));
  const total = sum(E), squares = sum(runs.map((r) => at(a, "I", r).minus(at(b, "I", r)).squared()));
  return { lambda: squares.over(total), f: total.squared().over(sum(E.map((x) => x.squared()))).minus(1) };
}

/** lambda and f of a model that has the first, and the other models the second. */
function weighted({ lambda, f }, others) {
  const p = lambda.isZero() ? ONE : others.lambda.isZero() ? ZERO
    : upperTailOfF(lambda.over(others.lambda), f, others.f);
  const w = larger(ZERO, smaller(ONE, p.times(5).minus(new Q(1n, 2n)).over(2))), all = f.plus(w.times(others.f));
  return { lambda: f.times(lambda).plus(w.times(others.f).times(others.lambda)).over(all), f: all };
}

/** The lambda and f of sampled runs, and the second variance V_lambda that they give. */
class SampledRuns {
  constructor(lambda, f) {
    Object.assign(this, { lambda: num(lambda), f: num(f) });
    this.excess = larger(this.lambda.minus(1), ZERO);
  }

  /** Those of a difference: of every statement the same. */
  over() {
    return this;
  }

  /** 1/U of a statement, given k/(n M) of each of its models. */
  inverseUnits(...units) {
    return units.reduce(larger).times(this.excess.plus(1));
  }

  /** V_lambda, df_lambda of V with df degrees of freedom (null: normal), overTrials the V_f (null: V); null if 0. */
  variance(V, df, overTrials = null) {
    const ofRuns = this.lambda.times(overTrials ?? V);
    const all = overTrials === null ? ofRuns : ofRuns.plus(larger(V.minus(overTrials), ZERO));
    if (all.isZero()) return null;
    let parts = ofRuns.squared().over(this.f);
    if (df !== null) parts = parts.plus(smaller(V, all).squared().over(df));
    return { V: all, df: parts.isZero() ? MAX_DF : smaller(all.squared().over(parts), MAX_DF) };
  }
}

/** The SampledRuns of both models of a statement, each by itself. */
class OfTwo {
  constructor(models, df) {
    this.models = models;
    this.most = smaller([df, ...models.map((x) => x.f)].reduce(larger).times(5).over(4), MAX_DF);
  }

  /** That of their difference; parts: of both in V_f, or in proportion to it. */
  over(...parts) {
    const [a, b] = this.models, [v, w] = this.models.map((x, i) => x.lambda.times(parts[i])), both = v.plus(w);
    if (both.isZero()) return a;
    const f = both.squared().over(v.squared().over(a.f).plus(w.squared().over(b.f)));
    const lambda = a.lambda.compare(b.lambda) ? both.over(parts[0].plus(parts[1])) : a.lambda;
    return new SampledRuns(lambda, smaller(f, this.most));
  }

  inverseUnits(...units) {
    return larger(...this.models.map((x, i) => x.inverseUnits(units[i])));
  }
}

/**
 * The argument runs of a call on these outcomes, a list: a function from the indices of the models of a statement to
 * its SampledRuns or OfTwo, null where runs are fixed. name: the argument of the outcomes; runs may be such a function.
 */
export function runsOfCall(runs, outcomes, { name, w, missing }) {
  if (typeof runs === "function") return runs;
  if (runs === null || typeof runs !== "object") {
    choice(runs, "runs", ["fixed", "sampled", "shared"]);
    if (runs === "fixed") return () => null;
  } else {
    const [lambda, f] = ["ratio", "df"]
      .map((x) => runs[x] ?? refuse("type", "runs", `a mapping needs ratio and df, not ${show(runs[x])}`));
    const stated = new SampledRuns(real(lambda, "runs", { min: 0, max: 1e300 }),
      real(f, "runs", { min: 1, max: 1e300 }));
    return () => stated;
  }
  if (outcomes.some((x) => x instanceof Counts)) refuse("conflict", "runs", "counts do not know the run of a trial");
  const metric = parseMetric({ metric: "mean", k: null, tau: null, w });
  const models = outcomes.map((x) => readRuns(x, name, metric, w, missing === "bounds" ? "drop" : missing, null));
  checkRuns(models, "runs");
  return ofStatements(models, runs === "shared");
}

/** How the runs of all models of a log differ, for statements about some: what runsOfCall() takes and returns. */
export function runsOfLog({ R, sessions, missing, shared }) {
  const metric = parseMetric({ metric: "mean", k: null, tau: null, w: null });
  return ofStatements(namedMatrices(R).map(([, x]) => readRuns(x, "R", metric, null, missing, sessions)), shared);
}

function ofStatements(models, isShared) {
  const counting = models.filter((x) => x.counts);
  const sampled = ({ lambda, f }) => new SampledRuns(lambda.toNumber(), f.toNumber());
  const ofModel = (x) => {
    const own = { lambda: x.ratio, f: x.f };
    return sampled(counting.length > 1 ? weighted(own, pooled(counting.filter((y) => y !== x))) : own);
  };
  return (...statement) => {
    const own = statement.map((i) => models[i]).filter((x) => x?.counts);
    if (!counting.length) return new SampledRuns(1, models.reduce((a, x) => a + x.runs - 1, 0));
    if (!own.length) return sampled(pooled(counting));
    if (isShared && haveCommonRuns(own)) return sampled(shared(own));
    const each = own.map(ofModel);
    return each.length > 1 ? new OfTwo(each, num(own[0].f.plus(own[1].f).toNumber())) : each[0];
  };
}

/** Whether the runs of one or more models differ more than chance explains, and by how much. */
export function run_variation(args) {
  const { R, w, sessions, missing, ...given } =
    named(args, { R: null, w: null, sessions: null, shared: false, missing: "raise" });
  const isShared = flag(given.shared, "shared"), metric = parseMetric({ metric: "mean", k: null, tau: null, w });
  policy(missing, { C: metric.C });
  const models = namedMatrices(R).map(([name, outcomes]) => {
    if (outcomes instanceof Counts) refuse("type", "R", `counts (of the model ${name}) do not know the run of a trial`);
    return { name, ...readRuns(outcomes, "R", metric, w, missing, sessions) };
  });
  if (isShared && models.length > 2)
    refuse("conflict", "shared", `runs of ${models.length} models; two models at most can be compared`);
  checkRuns(models, "R");
  const used = models.filter((x) => x.counts);
  if (used.length) return results(used, metric.span, isShared && haveCommonRuns(used) ? shared(used) : pooled(used));
  const df = models.reduce((a, x) => a + x.runs - 1, 0);
  return { ratio: 1, df, p_value: 1, sd: 0, model: models[0].name, run: 0, deviation: 0, p_run: 1 };
}

function results(used, span, reported) {
  const { lambda, f } = pooled(used), h = sum(used.map((x) => x.f.times(x.h))).over(f);
  const each = used.flatMap((x) => x.E
    .flatMap((E, run) => (E.isZero() ? [] : [{ ...x, E, I: x.I[run], W: x.W[run], run }])));
  const square = (x) => x.I.squared().over(x.E), largest = each.reduce((a, b) => (square(b).above(square(a)) ? b : a));
  let p_run = ONE;
  if (!largest.I.isZero()) {
    const z = bennett(largest.I, largest.E, largest.moves[largest.I.sign() > 0 ? 0 : 1]).sqrt();
    p_run = smaller(ONE, normalTail(z).times(2 * each.length));
  }
  const rest = ONE.minus(h), variance = sum(used.map((x) => x.variance)).over(used.length);
  return {
    ratio: reported.lambda.toNumber(), df: reported.f.toNumber(),
    p_value: rest.isZero() || lambda.isZero() ? 1
      : upperTailOfF(lambda, smaller(f.over(rest), MAX_DF), MAX_DF).toNumber(),
    sd: variance.sign() > 0 ? span.times(variance.sqrt()).toNumber() : 0,
    model: largest.name, run: largest.run, deviation: span.times(largest.I).over(largest.W).toNumber(),
      p_run: p_run.toNumber(),
  };
}
