// The mixture of success rates from which the variance of a question with fewer than 2k trials is modelled.

import { F, num, ratio, sum } from "./arithmetic.js";
import { remembered } from "./maps.js";

const MU = 1 / 1024; // factor of the sum of the logarithms of the weights
const QUESTIONS = 256; // the logarithm of the mean variance has the factor max(1, M/256)

/**
 * The modelled variance of U_n for each number of successes: a mapping from c to v.
 *
 * metric: one of k trials; n: the number of trials of each question; questions: how many have c successes, by c.
 */
export function modelledVariances(metric, n, questions) {
  const rates = ratesOf(n), variances = variancesAt(metric, n, rates), states = [...questions.keys()];
  const likelihoods = states.map((c) => rates.map(([p, q]) => p.power(c).times(q.power(n - c)).float()));
  const M = [...questions.values()].reduce((a, b) => a + b, 0);
  const multiplicities = [...questions.values(), Math.max(1, M / QUESTIONS)];
  const weights = largestSumOfLogs([...likelihoods, variances], multiplicities);
  return new Map(states.map((c, a) => {
    const shares = weights.map((w, j) => w.times(likelihoods[a][j]));
    return [c, sum(shares.map((x, j) => x.times(variances[j]))).over(sum(shares))];
  }));
}

/** The rates p_j = j^2/(j^2 + (J - j)^2), as pairs (p, 1 - p). */
function ratesOf(n) {
  let J = 6;
  while ((J - 6) ** 2 < 9 * n) J += 1;
  return Array.from({ length: J + 1 },
    (_, j) => [ratio(j * j, j * j + (J - j) ** 2), ratio((J - j) ** 2, j * j + (J - j) ** 2)]);
}

/** The variance of U_n at each rate. */
function variancesAt(metric, n, rates) {
  return remembered((metric.atRates ??= new Map()), n, () => {
    const U = Array.from({ length: n + 1 }, (_, c) => metric.expected(n, c).float());
    return rates.map(([p, q]) => {
      if (p.isZero() || q.isZero()) return F.zero;
      const odds = p.over(q).float();
      let term = q.float().power(n);
      const probabilities = U.map((_, c) => (c ? (term = term.times(odds).times(n - c + 1).over(c)) : term));
      const mean = sum(U.map((u, c) => u.times(probabilities[c])));
      return sum(U.map((u, c) => u.minus(mean).squared().times(probabilities[c]))).float();
    });
  });
}

/**
 * The weights w of sum 1 at which the sum over rows of m log(row . w), plus MU times that of log(w), is largest.
 *
 * Newton's method on relative changes of w: in doubles, with a factor of log(w) that falls to MU. Then the same steps
 * with a right-hand side of 256 bits: the matrix of doubles leaves a small part of the error each time.
 */
function largestSumOfLogs(rows, multiplicities) {
  const size = rows[0].length;
  const scaled = rows.map((row) => {
    const largest = row.reduce((a, b) => (b.above(a) ? b : a));
    return row.map((x) => (x.isZero() ? 0 : x.over(largest).toNumber()));
  });
  let w = new Array(size).fill(1 / size);
  let factor = multiplicities.reduce((a, b) => a + b, 0);
  for (let i = 0; ; i++) {
    const { solve, slopes } = newton(scaled, multiplicities, factor, w), d = solve(slopes);
    const change = Math.max(...d.map(Math.abs));
    w = w.map((x, j) => x * (1 + d[j] / (1 + 2 * change)));
    if (change < 1e-9 && factor === MU) break;
    if (change < 0.1) factor = Math.max(MU, factor / 4);
    if (i > 2000) throw new Error("no mixture was fitted");
  }
  const { solve } = newton(scaled, multiplicities, MU, w);
  let weights = w.map((x) => num(x).float());
  const m = multiplicities.map(num), all = sum(m).plus(size * MU);
  for (let i = 0; i < 200; i++) {
    const slopes = weights.map((x) => num(MU).minus(all.times(x)));
    rows.forEach((row, a) => {
      const products = row.map((x, j) => x.times(weights[j])), scale = m[a].over(sum(products));
      products.forEach((x, j) => { slopes[j] = slopes[j].plus(x.times(scale)); });
    });
    const largest = Math.max(...slopes.map((x) => Math.abs(x.float().near())));
    if (largest < 2 ** -180) return weights;
    const unit = 2 ** Math.floor(Math.log2(largest)); // a step of doubles must not underflow
    const d = solve(slopes.map((x) => x.over(unit).toNumber()));
    weights = weights.map((x, j) => x.times(num(d[j]).times(unit).plus(1)));
  }
  throw new Error("the fit of a mixture did not converge");
}

/** The right-hand side of Newton's equations in doubles, and a function that solves them (by Cholesky's factors). */
function newton(rows, multiplicities, mu, w) {
  const size = w.length, all = multiplicities.reduce((a, b) => a + b, 0) + size * mu;
  const matrix = w.map((_, i) => new Float64Array(i + 1)), slopes = w.map((x) => mu - all * x);
  rows.forEach((row, a) => {
    const products = row.map((x, j) => x * w[j]), total = products.reduce((x, y) => x + y, 0);
    for (let i = 0; i < size; i++) {
      const share = products[i] / total;
      slopes[i] += multiplicities[a] * share;
      for (let j = 0; j <= i; j++) matrix[i][j] += multiplicities[a] * share * (products[j] / total);
    }
  });
  for (let j = 0; j < size; j++) {
    matrix[j][j] += mu;
    for (let i = j; i < size; i++) {
      let x = matrix[i][j];
      for (let l = 0; l < j; l++) x -= matrix[i][l] * matrix[j][l];
      matrix[i][j] = i === j ? Math.sqrt(x) : x / matrix[j][j];
    }
  }
  const solve = (right) => {
    const x = [...right];
    for (let i = 0; i < size; i++) {
      for (let l = 0; l < i; l++) x[i] -= matrix[i][l] * x[l];
      x[i] /= matrix[i][i];
    }
    for (let i = size - 1; i >= 0; i--) {
      for (let l = i + 1; l < size; l++) x[i] -= matrix[l][i] * x[l];
      x[i] /= matrix[i][i];
    }
    return x;
  };
  return { slopes, solve };
}
