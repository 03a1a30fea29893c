// Sample sizes by the normal approximation, for sentences that round them to two digits.
import { num } from "../numbers/arithmetic.js";
import { normalQuantile } from "../numbers/distributions.js";

/** The z with P(Z < z) = p, for p of 1/2 or more. */
export const quantile = (p) => normalQuantile(num(2 * p - 1)).near();

/** The difference that is detected with this power if its standard error is sigma. */
export const detectable = (sigma, confidence,
  power) => (quantile(power) + normalQuantile(num(confidence)).near()) * sigma;

/** The factor by which data must grow to detect a difference; null for equal averages. */
export const growth = (difference, sigma, confidence, power) => (difference
  ? (detectable(sigma, confidence, power) / difference) ** 2 : null);
