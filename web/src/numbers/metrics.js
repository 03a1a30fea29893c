// Metrics of k trials: their names and options, the value of a question, and its variance over trials.
//
// A metric has k, the highest category C, low and span of its scale, and, on the scale 0..1: value(row) of the counts
// of a question, variance(row) for rows of 2k trials or more, jackknife(row) for fewer, and step(n), its largest step.

import { ONE, Q, ZERO, comb, gcd, num, ratio, smallest, sum } from "./arithmetic.js";
import { choice, integer, real, refuse, scores, show } from "./arguments.js";
import { trials } from "./outcomes.js";

const ALIASES = {
  avg: "mean", "pass@k": "pass_at_k", "pass^k": "pass_hat_k", "g-pass@k": "g_pass_at_k_tau", "maj@k": "maj_at_k",
  "mg-pass@k": "mg_pass_at_k", "auc@k": "auc_at_k", "max@k": "max_at_k", "flip-rate": "flip_rate",
};

const TAKES = {
  mean: ["w"], pass_at_k: ["k"], pass_hat_k: ["k"], g_pass_at_k_tau: ["k", "tau"], maj_at_k: ["k"], mg_pass_at_k: ["k"],
  auc_at_k: ["k"], max_at_k: ["k", "w"], flip_rate: [],
};

/** The metric of a call. except: names of metrics that this function does not take. */
export function parseMetric({ metric, k, tau, w }, except = []) {
  if (typeof metric !== "string") refuse("type", "metric", `${show(metric)} is not a text`);
  const stated = /^(.*[@^_-])([0-9]{1,9})$/s.exec(metric);
  const written = stated ? `${stated[1].toLowerCase()}k` : metric;
  const name = Object.hasOwn(ALIASES, written) ? ALIASES[written] : written;
  if (!Object.hasOwn(TAKES, name) || except.includes(name)) {
    choice(metric, "metric", Object.keys(TAKES).filter((x) => !except.includes(x)));
    refuse("choice", "metric", `${show(metric)} is not a metric of this function`);
  }
  if (stated && TAKES[name].includes("k")) {
    const inName = Number(stated[2]);
    if (k !== null && integer(k, "k", { min: 1, max: 1e7 }) !== inName)
      refuse("conflict", "k", `${k}, and the metric ${metric} states another`);
    k = inName;
  }
  for (const [option, value] of Object.entries({ k, tau, w })) {
    if (value !== null && !TAKES[name].includes(option))
      refuse("conflict", option, `the metric ${name} does not take it`);
  }
  if (TAKES[name].includes("k")) k = integer(k, "k", { min: 1, max: 1e7, nullable: false });
  if (name === "g_pass_at_k_tau") tau = real(tau, "tau", { min: 0, max: 1 });
  w = scores(w);
  if (name === "mean") return new Mean(w);
  if (name === "max_at_k") return new MaxAtK(k, w);
  if (name === "flip_rate") return new FlipRate();
  if (name in CREDITS) return new Credit(name, k, () => CREDITS[name](k, tau));
  return name === "pass_at_k" ? new PassAtK(k) : new PassHatK(k);
}

const atLeast = (k, least) => Array.from({ length: k + 1 }, (_, j) => (j >= least ? 1n : 0n));

/** Credits of j = 0..k successes as integers, and what they are to be divided by. */
const CREDITS = {
  g_pass_at_k_tau: (k, tau) => {
    let least = 1;
    while (least / k < tau) least += 1;
    return [atLeast(k, least), 1n];
  },
  maj_at_k: (k) => [atLeast(k, Math.floor(k / 2) + 1), 1n],
  mg_pass_at_k: (k) => [atLeast(k, 0).map((_, j) => 2n * BigInt(Math.max(0, j - Math.ceil(k / 2)))), BigInt(k)],
  auc_at_k: (k) => {
    if (k === 1) return [[0n, 1n], 1n];
    let divisor = 1n; // a common multiple of C(k, i), i = 1..k
    for (let i = 1; i <= k; i++) divisor = lcm(divisor, comb(k, i));
    const credits = Array.from({ length: k + 1 }, (_, j) => {
      let total = 0n;
      for (let i = 1; i <= k; i++) {
        total += (i === 1 || i === k ? 1n : 2n) * (divisor - comb(k - j, i) * (divisor / comb(k, i)));
      }
      return total;
    });
    return [credits, divisor * 2n * BigInt(k - 1)];
  },
};

function lcm(a, b) {
  let [x, y] = [a, b];
  while (y) [x, y] = [y, x % y];
  return (a / x) * b;
}

/** Values by key, computed once. */
function remembered(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** The mean score. */
class Mean {
  constructor(w) {
    this.name = "mean";
    this.k = 1;
    const exact = (w ?? [0, 1]).map(num);
    const scale = exact.reduce((d, x) => (x.d > d ? x.d : d), 1n); // denominators are powers of 2
    const whole = exact.map((x) => x.n * (scale / x.d));
    const lowest = whole.reduce((a, b) => (b < a ? b : a));
    const highest = whole.reduce((a, b) => (b > a ? b : a));
    this.C = whole.length - 1;
    [this.lowest, this.highest] = [whole.indexOf(lowest), whole.indexOf(highest)]; // categories
    this.scored = w !== null;
    this.low = new Q(lowest, scale).reduced();
    this.span = new Q(highest - lowest, scale).reduced();
    const step = whole.reduce((g, x) => gcd(g, x - lowest), 0n) || 1n;
    this.u = whole.map((x) => (x - lowest) / step); // scores on the scale 0..1 as multiples of 1/unit
    this.unit = (highest - lowest) / step || 1n;
  }

  /** Sum of the scores of a row, and of their squares. */
  sums(row) {
    let [total, squares] = [0n, 0n];
    row.forEach((n, j) => {
      if (n) {
        total += BigInt(n) * this.u[j];
        squares += BigInt(n) * this.u[j] * this.u[j];
      }
    });
    return [total, squares];
  }

  value(row) {
    return Q.of(this.sums(row)[0], BigInt(trials(row)) * this.unit);
  }

  variance(row) {
    const n = BigInt(trials(row));
    const [total, squares] = this.sums(row);
    return Q.of(n * squares - total * total, n * n * (n - 1n) * this.unit * this.unit);
  }

  step(n) {
    return ratio(1, n);
  }

  steps() {
    return 0;
  }
}

/** A metric whose credit depends on the number j of k trials that succeed: credits[j]/divisor. */
class Credit {
  constructor(name, k, credits) {
    Object.assign(this, { name, k, makeCredits: credits, C: 1, lowest: 0, highest: 1, low: ZERO, span: ONE,
      values: new Map(), variances: new Map(), largestSteps: new Map() });
  }

  /** Made when needed, since a k that is refused may be large. */
  get all() {
    this.made ??= this.makeCredits();
    return this.made;
  }

  get credits() {
    return this.all[0];
  }

  get divisor() {
    return this.all[1];
  }

  /** The expected credit U_n(c). */
  expected(n, c) {
    return remembered(this.values, `${n},${c}`, () => Q.of(mixed(this.credits, n, c), this.divisor * comb(n, this.k)));
  }

  value(row) {
    return this.expected(trials(row), row[1]);
  }

  variance(row) {
    return remembered(this.variances, `${row}`, () => this.twoBlocks(trials(row), row[1]));
  }

  twoBlocks(n, c) {
    const [k, A] = [this.k, this.credits];
    this.pairs ??= Array.from({ length: 2 * k + 1 }, (_, l) => {
      let total = 0n;
      for (let j = Math.max(0, l - k); j <= Math.min(k, l); j++) {
        if (A[j] && A[l - j]) total += A[j] * A[l - j] * comb(l, j) * comb(2 * k - l, k - j);
      }
      return total;
    });
    return this.expected(n, c).squared()
      .minus(Q.of(mixed(this.pairs, n, c), this.divisor * this.divisor * comb(2 * k, k) * comb(n, 2 * k)));
  }

  jackknife(row) {
    const [n, c] = [trials(row), row[1]];
    if (c === 0 || c === n) return ZERO;
    const difference = this.expected(n - 1, c).minus(this.expected(n - 1, c - 1));
    return difference.squared().times(BigInt(n - 1) * BigInt(c) * BigInt(n - c)).over(BigInt(n) * BigInt(n));
  }

  /** The mean product of the credits of two blocks of k trials that have c trials in common. */
  sharing(row, c) {
    const [n, k, A] = [trials(row), this.k, this.credits];
    this.shared ??= new Map();
    const products = remembered(this.shared, c, () => Array.from({ length: 2 * k - c + 1 }, (_, l) => {
      let total = 0n; // over the splits of l successes into j in common, i and l - i - j of the two rests
      for (let j = 0; j <= c; j++) {
        for (let i = Math.max(0, l - j - (k - c)); i <= Math.min(k - c, l - j); i++) {
          const credit = A[i + j] * A[l - i];
          if (credit) total += comb(c, j) * comb(k - c, i) * comb(k - c, l - i - j) * credit;
        }
      }
      return Q.of(total, comb(2 * k - c, l) * this.divisor * this.divisor);
    }));
    const size = 2 * k - c;
    const [successes, all] = [row[1], comb(n, size)];
    return sum(products.map((x, l) => x.times(Q.of(comb(successes, l) * comb(n - successes, size - l), all))));
  }

  step(n) {
    return remembered(this.largestSteps, n, () => {
      const top = BigInt(n);
      const rise = (c) => mixed(this.credits, top, c + 1n) - mixed(this.credits, top, c);
      let largest = 0n;
      if (n < 2 * this.k) for (let c = 0n; c < top; c++) largest = rise(c) > largest ? rise(c) : largest;
      // rises of these metrics increase with c and then decrease, and are 0 only within k trials of an end
      else largest = rise(smallest((c) => c + 1n >= top || (rise(c) ? rise(c + 1n) <= rise(c) : 2n * c > top), 0n));
      return Q.of(largest, this.divisor * comb(n, this.k));
    });
  }

  steps(n, S) {
    return n >= 2 * this.k ? this.k * Math.min(this.k * S, n) : this.k * S;
  }
}

/** The sum over j of A_j C(c, j) C(n - c, k - j), A_0..A_k. */
function mixed(A, n, c) {
  [n, c] = [BigInt(n), BigInt(c)];
  const k = BigInt(A.length - 1);
  let total = 0n;
  for (let j = k > n - c ? k - (n - c) : 0n; j <= (k < c ? k : c); j++) {
    if (A[j]) total += A[j] * comb(c, j) * comb(n - c, k - j);
  }
  return total;
}

/** The share of blocks of k of n trials that lie within b of them. */
export const within = (b, n, k) => Q.of(comb(b, k), comb(n, k));

export class PassAtK extends Credit {
  constructor(k) {
    super("pass_at_k", k, () => [atLeast(k, 1), 1n]);
    this.isPass = true;
  }

  /** The number of trials within which a block lies whose credit is 0; of Pass^k, is 1. */
  block(n, c) {
    return n - c;
  }

  expected(n, c) {
    return remembered(this.values, `${n},${c}`, () => ONE.minus(within(n - c, n, this.k)));
  }

  twoBlocks(n, c) {
    const b = this.block(n, c);
    return within(b, n, this.k).squared().minus(within(b, n, 2 * this.k));
  }

  sharing(row, c) {
    const n = trials(row);
    return ONE.minus(within(row[0], n, this.k).times(2)).plus(within(row[0], n, 2 * this.k - c));
  }

  step(n) {
    return ratio(this.k, n);
  }

  steps(n, S) {
    return S * Math.min(this.k, Math.floor(Math.sqrt(4096 * n)));
  }
}

export class PassHatK extends PassAtK {
  constructor(k) {
    super(k);
    Object.assign(this, { name: "pass_hat_k", makeCredits: () => [atLeast(k, k), 1n] });
  }

  block(n, c) {
    return c;
  }

  expected(n, c) {
    return remembered(this.values, `${n},${c}`, () => within(c, n, this.k));
  }

  sharing(row, c) {
    return within(row[1], trials(row), 2 * this.k - c);
  }
}

/** The probability that two trials differ: its credit falls, so that a variance may be negative. */
class FlipRate extends Credit {
  constructor() {
    super("flip_rate", 2, () => [[0n, 1n, 0n], 1n]);
    Object.assign(this, { mostUnknown: 3, unmodelled: true, lowerIsBetter: true });
  }

  step(n) {
    return ratio(2, n);
  }
}

/** The best score of k trials. */
class MaxAtK extends Mean {
  constructor(k, w) {
    super(w);
    Object.assign(this, { name: "max_at_k", k, values: new Map(), variances: new Map() });
    this.levels = [...new Set(this.u)].sort((a, b) => (a < b ? -1 : 1)).slice(1);
    this.gaps = this.levels.map((x, i) => Q.of(x - (i ? this.levels[i - 1] : 0n), this.unit));
  }

  /** For each level how many trials are below it. */
  below(row) {
    return this.levels.map((level) => row.reduce((a, n, j) => (this.u[j] < level ? a + n : a), 0));
  }

  value(row) {
    const n = trials(row);
    return remembered(this.values, `${row}`,
      () => sum(this.below(row).map((b, l) => this.gaps[l].times(ONE.minus(within(b, n, this.k))))));
  }

  variance(row) {
    return remembered(this.variances, `${row}`, () => this.covariances(row, this.k));
  }

  /** The sum over levels of gap gap' Z_lo (Z_hi - P(the second block is below hi if the first is below lo)). */
  covariances(row) {
    const [n, k, below] = [trials(row), this.k, this.below(row)];
    return sum(below.flatMap((b, l) => below.map((c, m) => {
      const [lo, hi] = b < c ? [b, c] : [c, b];
      return this.gaps[l].times(this.gaps[m]).times(within(lo, n, k))
        .times(within(hi, n, k).minus(Q.of(comb(Math.max(hi - k, 0), k), comb(n - k, k))));
    })));
  }

  step(n) {
    return ratio(this.k, n);
  }

  steps(n, S) {
    return S * Math.min(this.k, Math.floor(Math.sqrt(4096 * n)));
  }

  sharing(row, c) {
    const [n, k, below] = [trials(row), this.k, this.below(row)];
    const miss = below.map((b) => within(b, n, k));
    return sum(below.flatMap((b, l) => below.map((d, m) => {
      const [lo, hi] = [Math.min(b, d), Math.max(b, d)];
      const both = within(lo, n, k).times(Q.of(comb(Math.max(hi - k, 0), k - c), comb(n - k, k - c)));
      return this.gaps[l].times(this.gaps[m]).times(ONE.minus(miss[l]).minus(miss[m]).plus(both));
    })));
  }

  /** Pass@k, and for each level the rows as [below it, at it or above]. */
  byLevel(rows) {
    const all = rows.map((row) => this.below(row));
    return this.levels.map((_, l) => rows.map((row, a) => [all[a][l], trials(row) - all[a][l]]));
  }
}

/** Refuses a k for which the variances take more than 10^8 steps. */
export function checkSteps(metric, rows, model) {
  if (metric.name === "mean") return;
  const different = new Map(); // by number of trials: numbers of successes, or of trials below a level
  for (const row of rows) {
    const n = trials(row);
    if (!different.has(n)) different.set(n, new Set());
    for (const c of metric.levels ? metric.below(row) : [row[1]]) different.get(n).add(c);
  }
  let steps = 0;
  for (const [n, found] of different) {
    steps += metric.steps(n, found.size);
    if (model && !metric.levels && !metric.unmodelled && n < 2 * metric.k) {
      const J = 7 + Math.floor(Math.sqrt(9 * n - 1));
      steps += (n + 1) * (metric.isPass ? J : J + metric.k) + Math.floor(J ** 3 / 10);
    }
  }
  if (steps > 1e8) refuse("range", "k", `${metric.k}: the variances would take ${steps} steps, more than 10^8`);
}
