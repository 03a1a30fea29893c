// Elementary functions, and the normal, beta and t distributions, in floats of 256 bits; they err by less than 2^-160.

import { F, HALF, ONE, ZERO, num } from "./arithmetic.js";

const FIXED = 320; // bits behind the point of the fixed-point numbers of the loops
const UNIT = 1n << BigInt(FIXED);
const MOST_LOST = 90; // bits that a complement may cancel
const NATS = 185; // terms below e^-185 of a sum do not count

/** A number as a multiple of 2^-FIXED. */
function fixed(x) {
  const { m, e } = x.float(), shift = e + FIXED;
  return shift >= 0 ? m << BigInt(shift) : m >> BigInt(Math.min(-shift, 100000));
}

const fromFixed = (x) => F.of(x, -FIXED);

/** The inverse hyperbolic tangent, or with sign -1 the inverse tangent, of 1/n. */
function inverseTangent(n, sign) {
  let [total, power] = [0n, UNIT / n];
  for (let i = 0n; power; i++) {
    total += (sign < 0 && i & 1n ? -power : power) / (2n * i + 1n);
    power /= n * n;
  }
  return total;
}

const LN2 = 18n * inverseTangent(26n, 1) - 2n * inverseTangent(4801n, 1) + 8n * inverseTangent(8749n, 1);
const PI = fromFixed(16n * inverseTangent(5n, -1) - 4n * inverseTangent(239n, -1));
const ROOT_OF_2_PI = PI.times(2).sqrt();

export function exp(x) {
  x = num(x).float();
  const near = x.near();
  if (Math.abs(near) < 2 ** -300) return x.plus(1);
  if (near < -2e9) return F.zero;
  const k = Math.round(near / Math.LN2), r = (fixed(x) - BigInt(k) * LN2) >> 8n;
  let [total, term] = [UNIT, UNIT];
  for (let i = 1n; term; i++) {
    term = ((term * r) >> BigInt(FIXED)) / i;
    total += term;
  }
  for (let i = 0; i < 8; i++) total = (total * total) >> BigInt(FIXED);
  return F.of(total, k - FIXED);
}

/** log(1 + x) for small x: 2 artanh(x/(2 + x)). */
function logNearOne(x) {
  const z = x.over(x.plus(2)), square = z.squared();
  let [total, power] = [z, z];
  for (let i = 3; i < 300; i += 2) {
    power = power.times(square);
    if (!power.m || power.e < total.e - 280) break;
    total = total.plus(power.over(i));
  }
  return total.times(2);
}

export function log(x) {
  x = num(x).float();
  if (x.m <= 0n) throw new RangeError("logarithm of a number that is not positive");
  let k = x.e + 256;
  let f = new F(x.m, -256); // 1/2 <= f < 1
  if (f.near() < Math.SQRT1_2) [f, k] = [new F(x.m, -255), k - 1];
  const start = num(Math.log(f.near())), rest = f.times(exp(start.negated())).minus(1);
  const small = rest.m ? start.float().plus(logNearOne(rest)) : start.float();
  return k ? small.plus(fromFixed(LN2).times(k)) : small;
}

export function log1p(x) {
  x = num(x).float();
  return !x.m ? x : Math.abs(x.near()) < 2 ** -16 ? logNearOne(x) : log(x.plus(1));
}

export const powerOf = (x, y) => exp(log(x).times(y));

// ---------------------------------------------------------------- the normal distribution

const normalDensity = (x) => exp(x.squared().over(-2)).over(ROOT_OF_2_PI);

/** P(0 < Z < x) for x >= 0, by a sum of positive terms. */
function normalCentre(x) {
  const square = fixed(x.squared());
  let [total, term] = [UNIT, UNIT];
  for (let i = 3n; term; i += 2n) {
    term = ((term * square) >> BigInt(FIXED)) / i;
    total += term;
  }
  return normalDensity(x).times(x).times(fromFixed(total));
}

/** P(Z > x) for x >= 0. */
export function normalTail(x) {
  x = x.float();
  const near = x.near();
  if (near < 6) return HALF.minus(normalCentre(x));
  let fraction = x;
  for (let i = 60 + Math.ceil(18000 / near ** 2); i > 0; i--) fraction = x.plus(num(i).float().over(fraction));
  return normalDensity(x).over(fraction);
}

const quantiles = new Map();

/** The z with P(|Z| <= z) = c, a rational in 0..1. */
export function normalQuantile(c) {
  const key = `${c.n}/${c.d}`;
  if (!quantiles.has(key)) {
    if (quantiles.size > 1000) quantiles.clear();
    quantiles.set(key, findNormalQuantile(c));
  }
  return quantiles.get(key);
}

/** A start for the quantile: Abramowitz and Stegun 26.2.23. */
function roughNormalQuantile(tail) {
  const t = Math.sqrt(-2 * tail);
  return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
}

function findNormalQuantile(c) {
  if (c.isZero()) return ZERO;
  const [central, tail] = [c.times(HALF), ONE.minus(c).times(HALF)], isCentral = c.below(HALF);
  let z = isCentral ? c.float().times(num(1.2533)) : num(roughNormalQuantile(log(tail).near())).float();
  for (let i = 0; i < 100; i++) {
    const excess = isCentral ? central.minus(normalCentre(z)) : normalTail(z).minus(tail);
    const step = excess.over(normalDensity(z)).float();
    z = z.plus(step.over(ONE.minus(step.times(z).times(HALF)))); // Halley
    if (!step.m || Math.abs(step.over(z).near()) < 2 ** -80) return z;
  }
  throw new Error("no normal quantile was found");
}

// ---------------------------------------------------------------- the beta distribution

const SHIFTED = 50; // Stirling's series is used from here on
const stirling = []; // B_2i / (2i (2i - 1))
{
  const bernoulli = [ONE]; // B_n = -sum_j<n C(n+1, j) B_j / (n + 1)
  for (let n = 1; n <= 84; n++) {
    let [total, c] = [ZERO, 1n];
    for (let j = 0; j < n; j++) {
      total = total.plus(bernoulli[j].times(c)).reduced();
      c = (c * BigInt(n + 1 - j)) / BigInt(j + 1);
    }
    bernoulli.push(total.over(-(n + 1)).reduced());
    if (n % 2 === 0) stirling.push(bernoulli[n].over(n * (n - 1)).float());
  }
}
const HALF_LOG_2_PI = log(PI.times(2)).times(HALF);

/** The logarithm of the gamma function of a > 0. */
export function logGamma(a) {
  a = a.float();
  let shift = null;
  while (a.near() < SHIFTED) [shift, a] = [shift === null ? a : shift.times(a), a.plus(1)];
  const square = a.squared();
  let [total, power] = [a.minus(HALF).times(log(a)).minus(a).plus(HALF_LOG_2_PI), ONE.over(a)];
  for (const c of stirling) {
    const term = c.times(power);
    if (term.e < -290 - 256) break;
    total = total.plus(term);
    power = power.over(square);
  }
  return shift === null ? total : total.minus(log(shift));
}

export const logBeta = (a, b) => logGamma(a).plus(logGamma(b)).minus(logGamma(a.plus(b)));

/** The sum over n of (a + b)_n x^n/(a + 1)_n: I_x(a, b) = x^a (1 - x)^b/(a B(a, b)) times this. */
function betaSeries(x, a, b) {
  const [at, top, bottom] = [fixed(x), fixed(a.plus(b)), fixed(a) + UNIT];
  let [total, term] = [UNIT, UNIT];
  for (let n = 0n; term > 16n; n += UNIT) {
    term = (((term * at) >> BigInt(FIXED)) * (top + n)) / (bottom + n);
    total += term;
  }
  return fromFixed(total);
}

/** About the number of terms of betaSeries, at most twice as many. */
function termsOfSeries(logX, a, b) {
  const g = (c) => (c - 0.5) * Math.log(c) - c;
  for (let n = 16; n < 1e8; n *= 2) {
    if (n * logX + g(a + b + n) - g(a + b) - g(a + 1 + n) + g(a + 1) < -NATS) return n;
  }
  return Infinity;
}

/** The same value as betaSeries for x below the mean, by the continued fraction of DLMF 8.17.22 (Lentz's method). */
function betaFraction(x, a, b) {
  let [value, c, d] = [ONE, ONE, ZERO];
  for (let i = 1; i < 200000; i++) {
    const m = i >> 1;
    const part = i % 2
      ? a.plus(m).times(a.plus(b).plus(m)).times(x).over(a.plus(2 * m).times(a.plus(2 * m + 1))).negated()
      : b.minus(m).times(m).times(x).over(a.plus(2 * m - 1).times(a.plus(2 * m)));
    d = ONE.over(part.times(d).plus(1));
    c = part.over(c).plus(1);
    const factor = c.times(d).float();
    value = value.times(factor);
    if (Math.abs(factor.minus(1).float().near()) < 2 ** -200) return ONE.over(value);
  }
  throw new Error("no value of the incomplete beta function was found");
}

/**
 * I_x(a, b) and its complement, y = 1 - x; the smaller of both (and neither below 2^-90 of 1) is as exact as a float.
 *
 * The complement is computed too where it is the cheaper series, and 1 less it loses few bits.
 */
export function incompleteBeta(x, y, a, b, logB = logBeta(a, b)) {
  [x, y, a, b] = [x.float(), y.float(), a.float(), b.float()];
  if (x.times(b).compare(y.times(a)) > 0) return incompleteBeta(y, x, b, a, logB).reverse(); // from the nearer end
  if (!x.m) return [ZERO, ONE];
  const [logX, logY] = [log(x), log(y)], front = a.times(logX).plus(b.times(logY)).minus(logB);
  const lost = (Math.log(a.near()) - front.near()) / Math.LN2;
  const [from, other] =
    [termsOfSeries(logX.near(), a.near(), b.near()), termsOfSeries(logY.near(), b.near(), a.near())];
  if (lost < MOST_LOST && other < from) {
    const complement = exp(front).over(b).times(betaSeries(y, b, a));
    return [ONE.minus(complement), complement];
  }
  const series = from <= 1024 || lost < MOST_LOST ? betaSeries(x, a, b) : betaFraction(x, a, b);
  const value = exp(front).over(a).times(series);
  return [value, ONE.minus(value)];
}

const LEAST_LOG = -2000; // below it a number is 0 as a double

/** The x with I_x(a, b) = p, by Newton's method on the logarithm over the log-odds, within brackets. */
export function betaQuantile(p, a, b) {
  [a, b] = [num(a).float(), num(b).float()];
  const logB = logBeta(a, b), [tail, isLow] = p.below(HALF) ? [p, true] : [ONE.minus(p), false], target = log(tail);
  if (log(p).plus(log(a)).plus(logB).over(a).float().near() < LEAST_LOG) return ZERO; // where I_x is x^a / (a B)
  let [lo, hi] = [null, null];
  let y = log(a.over(b)).plus((isLow ? -1 : 1) * Math.min(2, 1 / Math.sqrt(Math.min(a.near(), b.near()))));
  for (let i = 0; i < 400; i++) {
    const e = exp(y), [x, rest] = [e.over(e.plus(1)), ONE.over(e.plus(1))];
    const [below, above] = incompleteBeta(x, rest, a, b, logB), reached = (isLow ? below : above).float();
    const slope = exp(a.times(log(x)).plus(b.times(log(rest))).minus(logB)).over(reached);
    const difference = log(reached).minus(target), step = difference.over(isLow ? slope.negated() : slope).float();
    if (!step.m || Math.abs(step.near()) < 2 ** -90) {
      const last = exp(y.plus(step));
      return last.over(last.plus(1));
    }
    if (isLow === difference.sign() > 0) hi = y;
    else lo = y;
    let next = y.plus(Math.abs(step.near()) > 8 ? num(8 * step.sign()) : step);
    const outside = (lo && next.compare(lo) < 0) || (hi && next.compare(hi) > 0);
    if (outside) next = lo && hi ? lo.plus(hi).times(HALF) : y.plus(step.sign());
    y = next;
  }
  throw new Error("no beta quantile was found");
}

/** P(F >= x) of the F distribution with df and df2 degrees of freedom. */
export function upperTailOfF(x, df, df2) {
  const scaled = df.times(x), all = scaled.plus(df2);
  return incompleteBeta(scaled.over(all), num(df2).over(all), df.times(HALF), num(df2).times(HALF))[1];
}

// ---------------------------------------------------------------- Student's t distribution

/** P(|T| > t) and P(|T| <= t) for t >= 0. */
function bothSides(t, df, logB) {
  const square = t.squared(), all = square.plus(df);
  return incompleteBeta(df.over(all), square.over(all), df.times(HALF), HALF, logB);
}

/** P(T > t) for t >= 0. */
export function tTail(t, df) {
  return t.isZero() ? HALF : bothSides(t, df.float(), undefined)[0].times(HALF);
}

/** A start for the quantile t with P(|T| > t) = p: Hill's algorithm (CACM 396), for n >= 2 degrees of freedom. */
function roughTQuantile(p, logP, n) {
  if (n < 2.5) return Math.sqrt(2 / (p * (2 - p)) - 2);
  const a = 1 / (n - 0.5), b = 48 / (a * a);
  let c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt(a * Math.PI / 2) * n;
  let y = Math.exp((2 / n) * (Math.log(d) + logP));
  if (y > 0.05 + a) {
    const x = -roughNormalQuantile(logP - Math.LN2);
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    const e = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4);
    y = (e * y - 1) * (n + 1) / (n + 2) + 1 / y;
  }
  return Math.sqrt(n * y);
}

/** The t with P(|T| <= t) = c, a rational in 0..1. */
export function tQuantile(c, df) {
  if (c.isZero()) return ZERO;
  const nu = df.float(), logB = logBeta(nu.times(HALF), HALF), isCentral = c.below(HALF);
  const [target, share] = isCentral ? [c, 1] : [ONE.minus(c), 0];
  const start = isCentral ? c.toNumber() * 1.2533 : roughTQuantile(target.toNumber(), log(target).near(), nu.near());
  let t = (Number.isFinite(start) && start > 0 ? num(start) : normalQuantile(c)).float();
  for (let i = 0; i < 400; i++) {
    const reached = bothSides(t, nu, logB)[share], all = t.squared().plus(nu);
    const density = exp(log(all.over(nu)).times(nu.plus(1).over(-2)).minus(logB)).over(nu.sqrt()); // of T at t
    const step = (isCentral ? target.minus(reached) : reached.minus(target)).times(HALF).over(density).float();
    const size = Math.abs(step.over(t).near());
    if (size < 0.05) {
      t = t.plus(step.over(ONE.minus(step.times(t).times(nu.plus(1)).over(all).times(HALF)))); // Halley
      if (size < 2 ** -80) return t;
    } else { // Newton on the logarithms, which is safe from any start
      const slope = t.times(density).times(2).over(reached);
      const by = log(reached.over(target)).over(isCentral ? slope.negated() : slope);
      t = t.times(exp(Math.abs(by.float().near()) > 50 ? num(50 * by.sign()) : by));
    }
  }
  throw new Error("no quantile of the t distribution was found");
}
