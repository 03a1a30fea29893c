// Numbers: exact rationals while that is cheap, else binary floats of 256 bits; both are rounded once, at the end.
//
// The classes have the same methods, and a calculation of rationals stays exact. A float errs by a few units of its
// last bit, so that a sum within 2^-160 of the middle of two doubles is taken as that middle, and two numbers that
// agree to 160 bits as equal: only a rational that was too large to stay one can be mistaken by this.

export const BITS = 256;
const TOP = 1n << BigInt(BITS); // mantissas m of floats have 2^255 <= |m| < 2^256
const HALF_TOP = TOP >> 1n;
const AGREEING_BITS = 160;
const REDUCED = 1n << 512n; // denominators above this are reduced
const LARGEST = 1n << 16384n; // and above this, if they stay there, the number becomes a float

export const abs = (x) => (x < 0n ? -x : x);

export function bitLength(x) {
  const digits = abs(x).toString(16);
  return digits === "0" ? 0 : 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

export function gcd(a, b) {
  a = abs(a);
  b = abs(b);
  while (b > 0n) {
    if (a <= 9007199254740991n && b <= 9007199254740991n) { // doubles are faster
      let [x, y] = [Number(a), Number(b)];
      while (y > 0) [x, y] = [y, x % y];
      return BigInt(x);
    }
    [a, b] = [b, a % b];
  }
  return a;
}

/** The largest integer whose square is at most x. */
export function integerRoot(x) {
  if (x < 2n) return x;
  let root = 1n << BigInt((bitLength(x) + 1) >> 1);
  if (x > 1n << 100n) { // a start with 50 correct bits
    const shift = BigInt((bitLength(x) - 100) & ~1);
    root = (BigInt(Math.ceil(Math.sqrt(Number(x >> shift)))) + 1n) << (shift >> 1n);
  }
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

const combinations = new Map();

/** The number of ways to choose k of n; n and k are integers, BigInt or not. */
export function comb(n, k) {
  [n, k] = [BigInt(n), BigInt(k)];
  if (k < 0n || k > n) return 0n;
  if (2n * k > n) k = n - k;
  const key = `${n},${k}`;
  if (!combinations.has(key)) {
    let c = 1n;
    for (let i = 1n; i <= k; i++) c = (c * (n - k + i)) / i;
    if (combinations.size > 20000) combinations.clear();
    combinations.set(key, c);
  }
  return combinations.get(key);
}

const view = new DataView(new ArrayBuffer(8));

/** The exact value of an integer or a finite double. */
export function num(x) {
  if (x instanceof Num) return x;
  if (typeof x === "bigint") return new Q(x, 1n);
  if (Number.isSafeInteger(x)) return new Q(BigInt(x), 1n);
  if (!Number.isFinite(x)) throw new RangeError(`not a number: ${x}`);
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0), exponent = Number((bits >> 52n) & 2047n);
  let m = (bits & 0xfffffffffffffn) | (exponent ? 1n << 52n : 0n);
  if (x < 0) m = -m;
  const shift = Math.max(exponent, 1) - 1075;
  return shift >= 0 ? new Q(m << BigInt(shift), 1n) : new Q(m, 1n << BigInt(-shift)).reduced();
}

/** The double nearest to numerator/denominator, ties to even; never -0. */
function nearestDouble(numerator, denominator) {
  if (numerator === 0n) return 0;
  const size = abs(numerator);
  let unit = bitLength(size) - bitLength(denominator) - 53; // the quotient has 53 or 54 bits
  const at = (u) => (u < 0 ? [size << BigInt(-u), denominator] : [size, denominator << BigInt(u)]);
  if (at(unit)[0] >= at(unit)[1] << 53n) unit += 1;
  unit = Math.max(unit, -1074);
  const [top, bottom] = at(unit);
  let q = top / bottom;
  const twice = 2n * (top - q * bottom);
  if (twice > bottom || (twice === bottom && q & 1n)) q += 1n;
  const half = Math.trunc(unit / 2); // 2 ** unit may be below or above the doubles
  const value = Number(q) * 2 ** half * 2 ** (unit - half);
  return numerator < 0n && value ? -value : value;
}

export class Num {
  minus(x) {
    return this.plus(num(x).negated());
  }

  squared() {
    return this.times(this);
  }

  /** -1, 0 or 1: whether this number is below, equal to or above x. */
  compare(x) {
    x = num(x);
    if (this instanceof Q && x instanceof Q) {
      const difference = this.d === x.d ? this.n - x.n : this.n * x.d - x.n * this.d;
      return difference < 0n ? -1 : difference > 0n ? 1 : 0;
    }
    const [a, b] = [this.float(), x.float()];
    if (!a.m || !b.m) return a.sign() - b.sign();
    const d = a.plus(b.negated());
    return !d.m || d.e + AGREEING_BITS < Math.max(a.e, b.e) ? 0 : d.sign();
  }

  above(x) {
    return this.compare(x) > 0;
  }

  below(x) {
    return this.compare(x) < 0;
  }

  equals(x) {
    return this.compare(x) === 0;
  }

  /** The smallest integer that is not below this number, at least 0. */
  ceil() {
    const below = this.floor();
    return this.above(below) ? below + 1n : below;
  }

  isZero() {
    return this.sign() === 0;
  }

  absolute() {
    return this.sign() < 0 ? this.negated() : this;
  }

  /** Whole powers; negative exponents too. */
  power(exponent) {
    if (exponent < 0) return ONE.over(this.power(-exponent));
    let [result, base] = [ONE, this];
    for (let i = exponent; i > 0; i = Math.floor(i / 2)) {
      if (i % 2) result = result.times(base);
      if (i > 1) base = base.squared();
    }
    return result;
  }
}

/** A rational n/d, d > 0, which need not be reduced. */
export class Q extends Num {
  constructor(n, d) {
    super();
    this.n = n;
    this.d = d;
  }

  reduced() {
    const g = gcd(this.n, this.d);
    return g > 1n ? new Q(this.n / g, this.d / g) : this;
  }

  /** The rational n/d, or a float if it is too large. */
  static of(n, d) {
    if (d <= REDUCED) return new Q(n, d);
    const x = new Q(n, d).reduced();
    return x.d > LARGEST ? x.float() : x;
  }

  sign() {
    return this.n > 0n ? 1 : this.n < 0n ? -1 : 0;
  }

  negated() {
    return new Q(-this.n, this.d);
  }

  plus(x) {
    x = num(x);
    if (x instanceof F) return this.float().plus(x);
    return this.d === x.d ? new Q(this.n + x.n, this.d) : Q.of(this.n * x.d + x.n * this.d, this.d * x.d);
  }

  times(x) {
    x = num(x);
    if (this.n === 0n || (x instanceof Q && x.n === 0n)) return ZERO;
    return x instanceof F ? this.float().times(x) : Q.of(this.n * x.n, this.d * x.d);
  }

  over(x) {
    x = num(x);
    if (x.isZero()) throw new RangeError("division by zero");
    if (this.n === 0n) return ZERO;
    if (x instanceof F) return this.float().over(x);
    return x.n < 0n ? Q.of(-this.n * x.d, -x.n * this.d) : Q.of(this.n * x.d, this.d * x.n);
  }

  sqrt() {
    return this.n ? this.float().sqrt() : ZERO;
  }

  float() {
    if (!this.n) return F.zero;
    const shift = BITS + 1 + bitLength(this.d) - bitLength(this.n);
    return F.of(shift >= 0 ? (this.n << BigInt(shift)) / this.d : this.n / (this.d << BigInt(-shift)), -shift);
  }

  toNumber() {
    return nearestDouble(this.n, this.d);
  }

  /** The largest integer that is not above this number, at least 0. */
  floor() {
    return this.n / this.d;
  }
}

/** A float m 2^e. */
export class F extends Num {
  constructor(m, e) {
    super();
    this.m = m;
    this.e = e;
  }

  static zero = new F(0n, -1e9);

  static of(m, e) {
    if (!m) return F.zero;
    const shift = bitLength(m) - BITS;
    return shift > 0 ? new F(m >> BigInt(shift), e + shift) : new F(m << BigInt(-shift), e + shift);
  }

  sign() {
    return this.m > 0n ? 1 : this.m < 0n ? -1 : 0;
  }

  float() {
    return this;
  }

  negated() {
    return new F(-this.m, this.e);
  }

  plus(x) {
    x = num(x).float();
    if (!x.m) return this;
    if (!this.m) return x;
    const [a, b] = this.e >= x.e ? [this, x] : [x, this], shift = a.e - b.e;
    if (shift > BITS + 2) return a;
    const m = a.m + (b.m >> BigInt(shift));
    if (a.m < 0n === b.m < 0n) return m >= TOP || m <= -TOP ? new F(m >> 1n, a.e + 1) : new F(m, a.e);
    return abs(m) >> 36n ? F.of(m, a.e) : F.zero; // what is left are rounding errors
  }

  times(x) {
    x = num(x).float();
    if (!this.m || !x.m) return F.zero;
    const m = (this.m * x.m) >> BigInt(BITS - 1);
    return m >= TOP || m <= -TOP ? new F(m >> 1n, this.e + x.e + BITS) : new F(m, this.e + x.e + BITS - 1);
  }

  over(x) {
    x = num(x).float();
    if (!x.m) throw new RangeError("division by zero");
    if (!this.m) return F.zero;
    const m = (this.m << BigInt(BITS)) / x.m, e = this.e - x.e - BITS;
    if (m >= TOP || m <= -TOP) return new F(m >> 1n, e + 1);
    return m < HALF_TOP && m > -HALF_TOP ? new F(m << 1n, e - 1) : new F(m, e);
  }

  sqrt() {
    if (this.m < 0n) throw new RangeError("root of a negative number");
    if (!this.m) return F.zero;
    const shift = BITS + (this.e & 1);
    return F.of(integerRoot(this.m << BigInt(shift)), (this.e - shift) / 2);
  }

  floor() {
    return this.e >= 0 ? this.m << BigInt(this.e) : this.m >> BigInt(-this.e);
  }

  toNumber() {
    let [m, e] = [this.m, this.e];
    if (!m) return 0;
    // a double has 53 bits, or fewer below 2^-1022
    const dropped = BigInt(Math.max(BITS - 53, -1074 - e)), half = 1n << (dropped - 1n);
    const rest = (abs(m) & ((half << 1n) - 1n)) - half;
    if (abs(rest) >> BigInt(BITS - AGREEING_BITS) === 0n && dropped < BigInt(BITS) + 2n) m -= m < 0n ? -rest : rest;
    return e < 0 ? nearestDouble(m, 1n << BigInt(-e)) : nearestDouble(m << BigInt(e), 1n);
  }

  /** A double near to this number, for starts and decisions that need few digits. */
  near() {
    const top = Number(this.m >> BigInt(BITS - 60)), e = this.e + BITS - 60;
    return e < -1000 ? top * 2 ** -500 * 2 ** Math.max(e + 500, -1074) : top * 2 ** e;
  }
}

export const ZERO = new Q(0n, 1n);
export const ONE = new Q(1n, 1n);
export const HALF = new Q(1n, 2n);
export const ratio = (a, b) => num(a).over(b);
export const larger = (a, b) => (b.above(a) ? b : a);
export const smaller = (a, b) => (b.below(a) ? b : a);
/** The ends of integers of any type. */
export const lowest = (xs) => xs.reduce((a, b) => (b < a ? b : a));
export const highest = (xs) => xs.reduce((a, b) => (b > a ? b : a));
export const sum = (xs) => xs.reduce((a, b) => a.plus(b), ZERO);

/** An integer as a number if that is exact, else as it is. */
export const plainInteger = (n) => (n <= 9007199254740991n ? Number(n) : n);

/** The smallest integer from start on for which a monotone condition is true; both are BigInt. */
export function smallest(isEnough, start = 1n) {
  let [low, high] = [start - 1n, start];
  while (!isEnough(high)) [low, high] = [high, 2n * high + 1n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
