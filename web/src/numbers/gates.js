// Gates: whether a candidate is no worse than a baseline by a margin (spec/families/looks.md).

import { HALF, ONE, ZERO, larger, num, plainInteger, ratio, smaller } from "./arithmetic.js";
import { named, real, refuse } from "./arguments.js";
import { OF_PAIRS, readPair } from "./comparisons.js";
import {
  betaQuantile, incompleteBeta, log, log1p, normalQuantile, powerOf, tQuantile, tTail,
} from "./distributions.js";
import { powerQuantile, questionsForDifference, trialsForDifference } from "./plans.js";

const MOST_UNITS = num(2n ** 32n);

/** A difference d at a margin delta, on the scale 0..1. */
class AtMargin {
  constructor(d, delta) {
    Object.assign(this, { d, delta, x: d.D.plus(delta) });
    this.U = smaller(ONE.over(d.inverseU), MOST_UNITS);
    this.V = this.varianceAtMargin();
  }

  /** V_kappa. */
  varianceAtMargin() {
    const { V, guard, cubes } = this.d;
    if (guard.isZero() || cubes === null || V.isZero()) return V;
    const [kappa, squares] = cubes();
    return V.plus(larger(squares.sqrt().times(this.x.absolute()).minus(this.x.times(kappa)), ZERO).over(V));
  }

  /** rho of a difference D and a margin delta on the scale of the guard; null where there is no exact bound. */
  share() {
    const { guard } = this.d;
    if (guard.isZero()) return null;
    const [D, delta, sign] = [this.d.D.over(guard), this.delta.over(guard), this.x.sign()];
    if (sign > 0 && delta.compare(ONE) >= 0) return null;
    return sign > 0 ? ONE.minus(delta).over(ONE.plus(D)) : ONE.plus(delta).over(ONE.minus(D));
  }

  /** The parameters U + D U and 1 - D U of a beta distribution. */
  betaParameters() {
    const moved = this.d.D.over(this.d.guard).times(this.U);
    return [this.U.plus(moved), ONE.minus(moved)];
  }

  /** The probability of no more failures in U trials than D has, if the true difference is -delta. */
  exactBound() {
    const share = this.share();
    if (share === null || share.isZero()) return ZERO;
    if (this.d.byTrials && this.x.sign() > 0 && this.d.D.sign() < 0) {
      const delta = this.delta.over(this.d.guard);
      return incompleteBeta(ONE.minus(delta), delta, ...this.betaParameters())[0];
    }
    return powerOf(share, this.U);
  }

  /** The p-values (worse, better) against a true difference of at most, and of at least, -delta. */
  pValues() {
    if (this.x.isZero()) return [HALF, HALF];
    let small = this.d.tail(this.delta);
    const { V } = this.d;
    if (!V.isZero()) small = larger(small, tTail(this.x.absolute().over(this.V.sqrt()), this.d.df));
    const large = ONE.minus(small);
    if (!V.isZero()) small = larger(small, this.exactBound());
    return this.x.sign() > 0 ? [small, large] : [large, small];
  }

  /** The distance r of an end from D by the exact bound; sign -1: the low end. */
  exactReach(sign, level) {
    const { D, guard, byTrials } = this.d;
    if (guard.isZero() || D.times(sign).compare(guard) >= 0) return ZERO;
    if (byTrials && sign < 0 && D.sign() < 0) {
      return guard.plus(D).minus(guard.times(betaQuantile(level, ...this.betaParameters())));
    }
    return guard.minus(D.times(sign)).times(ONE.minus(powerOf(level, ONE.over(this.U))));
  }

  /** The distances of both ends from D. */
  reaches(level) {
    const c = ONE.minus(level.times(2)), h = this.d.halfWidth(c, this.delta);
    if (this.d.V.isZero()) return [h, h];
    const byMargin = this.V === this.d.V ? h : larger(h, tQuantile(c, this.d.df).times(this.V.sqrt()));
    return [-1, 1].map((sign) => larger(byMargin, this.exactReach(sign, level)));
  }
}

const DEFAULTS = { ...OF_PAIRS, candidate: null, baseline: null, margin: null, guard: 1, power: 0.8 };

/** Whether a candidate is non-inferior to a baseline by a margin: pass, fail or inconclusive. */
export function gate(args) {
  const given = named(args, DEFAULTS), margin = real(given.margin, "margin", { above: 0 });
  const power = real(given.power, "power", { min: 0.5, below: 1 });
  const { metric, fixed, c, paired, tables, difference } = readPair(given, ["candidate", "baseline"]);
  const { span } = metric;
  if (num(margin).compare(span) >= 0)
    refuse("range", "margin", `${margin} is not below ${span.toNumber()}, the width of the scale`);
  const d = difference(tables), level = ONE.minus(c).times(HALF), at = new AtMargin(d, num(margin).over(span));
  const [worse, better] = at.pValues();
  const verdict = worse.compare(level) <= 0 ? "pass" : better.compare(level) <= 0 ? "fail" : "inconclusive";
  const [lo, hi] = d.ends(...at.reaches(level), span);
  const planned = verdict === "inconclusive" && paired && !d.withRuns
    ? plan(at, Math.abs(span.times(d.D).toNumber() + margin), { span, fixed, c, power, level }) : [null, null];
  const { V, df } = d.reported(c);
  return {
    verdict, mu: span.times(d.D).toNumber(), sigma: span.times(V.sqrt()).toNumber(), lo: lo.toNumber(),
      hi: hi.toNumber(),
    p_worse: worse.toNumber(), p_better: better.toNumber(), df: df.toNumber(), worse: hi.sign() < 0,
    trials_needed: planned[0], questions_needed: planned[1], variance_source: d.source, dropped: d.dropped,
  };
}

/** The trials, or the questions, that decide a gate: [trials, questions], at least one of them null. */
function plan({ d, ...at }, gap, { span, fixed, c, power, level }) {
  const [a, b] = d.pair;
  if (!gap || (fixed && a.metric.name !== "mean" && Math.min(a.fewest, b.fewest) < 2 * a.k)) return [null, null];
  const D = num(gap).over(span);
  let needed;
  if (fixed) needed = trialsForDifference(d.pair, D, { z: null, power, c });
  else needed = questionsForDifference(d.units.squares(d.means, d.D), d.units, D, { z: null, power, c });
  const share = new AtMargin(d, at.delta).share();
  if (share !== null) {
    const z = normalQuantile(c), part = z.over(z.plus(powerQuantile(power)));
    const independent = log(level).over(log1p(share.minus(1).times(part))); // trials, or units
    const each = fixed ? ratio(a.k, a.M) : d.inverseU.times(a.M), exact = each.times(independent).ceil();
    if (exact > needed) needed = exact;
  }
  needed = plainInteger(needed);
  return fixed ? [needed, null] : [null, needed];
}
