"""Metrics of an outcome matrix R: M questions, N trials each, entries 0..C.

Every function takes R as anything :func:`scorio.tally` reads, or as :class:`scorio.Counts`; the keyword
``missing`` says what to do with absent outcomes ("raise", "drop", or a category to count them as).
Bad input raises :class:`scorio.InvalidInput`. All results are within 0.75 ULP of the exact value and the
same 64 bits in every language. The formulas, their sources and the decisions where those are silent
stand in ``spec/``.

The ``*_ci`` functions give every question a prior of its own (uniform unless stated). That moves each
question towards 1/2, in the same direction in all of them: use them for ranking, rubrics and prior
evidence. For "how good is this model, give or take?" use :func:`mean_ci`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bank, checks, noise, numerics, posterior
from .checks import Bounds
from .counts import Counts, States, distinct, states_of
from .errors import InvalidInput
from .exact import Triple, from_ratio, whole
from .quantiles import normal_z
from .results import Estimate, Interval, MeanInterval
from .tally import count

Outcomes = Any  # what tally() reads, or Counts
Policy = str | int
Table = npt.NDArray[np.float64]

UNIT: Bounds = (0.0, 1.0)
CANCELLED = 2.0**-40  # below this share of its terms a signed sum is redone in exact fractions


class _Half(float):
    """The default of lam, told apart from a 0.5 that the caller wrote."""


_LAM = _Half(0.5)


# --- shared steps: counts in, a mean over states out ------------------------------------------------


def _binary(R: Outcomes, missing: Policy) -> Counts:
    return checks.no_empty(count(R, 1, missing))


def _finite(R: Outcomes, k: Any, missing: Policy) -> tuple[Counts, int]:
    """Counts and a k that every question has the trials for."""
    k = checks.integer(k, "k", 1)
    counts = _binary(R, missing)
    checks.trials_at_least(counts, k)
    return counts, k


def _rubric(R: Outcomes, w: Any, R0: Outcomes, missing: Policy) -> tuple[Counts, list[float]]:
    """Counts of the categories that w weighs, the outcomes of R0 among them."""
    given, w = w is not None, checks.weights(w)
    counts = checks.no_empty(count(R, len(w) - 1, missing, w_given=given))
    if R0 is not None:
        prior = count(R0, len(w) - 1, missing, name="R0", w_given=given)
        if prior.M != counts.M:
            raise InvalidInput("shape", "R0", f"R0 has {prior.M} rows, R has {counts.M}")
        counts = counts + prior
    return counts, w


def _mean(counts: Counts, kernel: Any, *args: Any) -> Triple:
    """Mean over questions of a finite-bank table."""
    s = counts.states()
    out = np.empty((s.n.size, 3))
    kernel(s.n, s.c, *args, out)
    x: Triple = numerics.mean(out, s.mult, counts.M)
    return x


def _spectrum(k: int, build: Any, *args: Any) -> Table:
    w = np.zeros((k + 1, 3))
    build(k, *args, w)
    return w


def _credit(counts: Counts, k: int, w: Table) -> Triple:
    """Mean over questions of the spectrum w on the bank."""
    A = np.zeros_like(w)
    bank.credits(w, A)
    return _mean(counts, bank.credit_at_k, k, A)


def _posterior(counts: Counts, kernel: Any, tables: int, *args: Any) -> list[Table]:
    s = counts.states()
    out = [np.empty((s.n.size, 3)) for _ in range(tables)]
    kernel(s.n, s.c, *args, *out)
    return out


def _interval(mu: Triple, var: Triple, confidence: float, bounds: Bounds) -> Interval:
    return Interval(*numerics.interval(mu, var, normal_z(confidence), *bounds))


def _summary(counts: Counts, mu: Table, var: Table, confidence: float, bounds: Bounds) -> Interval:
    z = normal_z(confidence)
    return Interval(*numerics.summary(mu, var, counts.states().mult, counts.M, z, *bounds))


def _spectrum_ci(
    counts: Counts, k: int, w: Table, upper_half: bool, priors: Bounds, confidence: float, bounds: Bounds
) -> Interval:
    mu, var, _ = _posterior(counts, posterior.spectrum_at_k, 3, k, w, upper_half, *priors)
    return _summary(counts, mu, var, confidence, bounds)


def _levels_of(confidence: Any, bounds: Any, alpha0: Any, beta0: Any) -> tuple[float, Bounds, Bounds]:
    """The checked tail of every Beta interval: confidence, bounds, priors."""
    return checks.confidence(confidence), checks.bounds(bounds), checks.priors(alpha0, beta0)


# --- Bayes@N and avg@N ------------------------------------------------------------------------------


def _linear(counts: Counts, w: Sequence[float], averaged: bool) -> tuple[Triple, Triple]:
    W, D = whole(w)
    (x, dx), (v, dv) = posterior.linear(counts.groups(), W, averaged)
    return from_ratio(x, dx * D), from_ratio(v, dv * D * D)


def bayes(R: Outcomes, w: Any = None, R0: Outcomes = None, *, missing: Policy = "raise") -> Estimate:
    """Bayes@N: posterior mean and standard deviation of the average score.

    Each question's category probabilities have a uniform Dirichlet prior, to which R0 adds outcomes.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category, in any unit; |w| <= 1e300. Default (0, 1), for binary R.
    R0 : array_like, shape (M, D), or Counts, optional
        Earlier outcomes of the same questions.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    Estimate
        (mu, sigma), in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, R0 or w; a w too short for R blames w.

    Notes
    -----
    Algorithm 1 of arXiv:2510.04265. As a statement of how good a model is, mu is pulled to the middle
    of w: see :func:`mean_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
    >>> mu, sigma = eval.bayes(R, [0.0, 0.5, 1.0], R0=[[0, 2], [1, 2]])
    >>> round(mu, 6), round(sigma, 6)
    (0.575, 0.084275)
    """
    mu, sigma, _, _ = bayes_ci(R, w, R0, missing=missing)
    return Estimate(mu, sigma)


def bayes_ci(
    R: Outcomes,
    w: Any = None,
    R0: Outcomes = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Bayes@N with the normal credible interval mu -/+ z sigma.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    confidence : float in (0, 1)
        Credibility of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: no clipping.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), in units of w.

    Raises
    ------
    InvalidInput
        As :func:`bayes`, and for confidence and bounds.

    Notes
    -----
    Section 2.6 of arXiv:2510.04265. Not an interval for the mean over these questions: with few trials
    it can miss that nearly always (:func:`mean_ci` holds it).

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.bayes_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], bounds=(0.0, 1.0))
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.642857, 0.118451, 0.4107, 0.875)
    """
    confidence, clip = checks.confidence(confidence), checks.bounds(bounds)
    counts, w = _rubric(R, w, R0, missing)
    return _interval(*_linear(counts, w, False), confidence, clip)


def avg(R: Outcomes, w: Any = None, *, missing: Policy = "raise") -> Estimate:
    """avg@N: the plain average score, with the Bayesian standard deviation on its scale.

    With unequal trials: the mean over questions of each question's own average, never the pooled one.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    Estimate
        (mu, sigma): mu the average, sigma = (T/N) sigma of :func:`bayes`, T = 1 + C + N.

    Raises
    ------
    InvalidInput
        Anything wrong with R or w.

    Notes
    -----
    Equation 20 of arXiv:2510.04265. sigma is about twice the trial noise where N is small.

    Examples
    --------
    >>> from scorio import eval
    >>> mu, sigma = eval.avg([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(mu, 6), round(sigma, 6)
    (0.7, 0.165831)
    """
    mu, sigma, _, _ = avg_ci(R, w, missing=missing)
    return Estimate(mu, sigma)


def avg_ci(
    R: Outcomes,
    w: Any = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """avg@N with the normal interval mu -/+ z sigma.

    Parameters
    ----------
    R, w, missing
        As in :func:`avg`.
    confidence, bounds
        As in :func:`bayes_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, w, confidence or bounds.

    Notes
    -----
    Safe but wide: at small N up to twice the width that :func:`mean_ci` needs.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.avg_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], [0.0, 0.5, 1.0])
    >>> round(r.mu, 4), round(r.sigma, 4), round(r.lo, 4), round(r.hi, 4)
    (0.6, 0.1472, 0.3115, 0.8885)
    """
    confidence, clip = checks.confidence(confidence), checks.bounds(bounds)
    counts, w = _rubric(R, w, None, missing)
    return _interval(*_linear(counts, w, True), confidence, clip)


def mean_ci(
    R: Outcomes,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Any = None,
    shape: str = "wilson",
    missing: Policy = "raise",
) -> MeanInterval:
    """The average score with an interval that holds it; no prior on any question.

    "fixed": where would the number for these same questions go with ever more trials? "sampled": the
    number over all questions like these. The first goes to 0 with N, the second only with M.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C. Questions without a trial are left out and listed in ``dropped``.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    questions : {"fixed", "sampled"}
        Which noise the interval holds: of the trials, or also of the draw of questions.
    confidence : float in (0, 1)
        Coverage of the interval.
    pool : int >= M, optional
        With "sampled": the questions were drawn from this many.
    clusters : sequence of M labels, optional
        With "sampled": families of related questions, the units that were drawn.
    shape : {"wilson", "beta"}
        "beta" (equal tails of a beta law) is better for very rare success.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    MeanInterval
        (mu, sigma, lo, hi), mu the value of :func:`avg`; attributes questions, noise, n_eff, units, dropped.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    spec/README.md, "Intervals that hold". With one trial a question the trial noise is not identified
    (noise = "bound"): a second trial about halves the interval. Fails where fewer than about one success
    is expected in all, for trials that are not independent (temperature 0, caches), and for outcomes
    missing because of what they were.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mean_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.noise
    (0.7, 0.3968, 0.8922, 'measured')
    """
    confidence = checks.confidence(confidence)
    sampled = checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    checks.choice(shape, "shape", ("wilson", "beta"))
    given, w = w is not None, checks.weights(w)
    counts = count(R, len(w) - 1, missing, w_given=given)
    pool, labels = checks.population(pool, clusters, sampled, counts.M)
    dropped, keep = counts.empty, counts.trials > 0
    if dropped:
        counts, labels = counts.select(keep), None if labels is None else labels[keep]
        if not counts.M:
            raise InvalidInput("no_trials", "R", "no question has a trial")
    if labels is not None:
        labels = np.unique(labels, return_inverse=True)[1]
    W, D = whole(w)
    U, span = noise.scale(W)
    theta, n_eff, known, units = noise.mean_noise(counts, U, span, sampled, pool, labels)
    x, rest = from_ratio(*theta.as_integer_ratio()), from_ratio(*(1 - theta).as_integer_ratio())
    n = from_ratio(*n_eff.as_integer_ratio())
    if shape == "wilson":
        lo, hi = noise.wilson(x, rest, n, normal_z(confidence))
    else:
        lo, hi = noise.equal_tails(x, rest, n, noise.tail(confidence))
    low, width = from_ratio(min(W), D), from_ratio(max(W) - min(W), D)
    four = noise.rescale(_linear(counts, w, True)[0], x, rest, n, lo, hi, low, width)
    return MeanInterval(*four, questions, known, numerics.value(n), units, dropped)


# --- Pass@k and Pass^k ------------------------------------------------------------------------------


def pass_at_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """Pass@k: chance that at least one of k trials drawn from the N succeeds, averaged over questions.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes.
    k : int, 1 <= k <= N
        Trials drawn; with unequal trials at most the smallest N.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    float
        In [0, 1]: the mean of 1 - C(N - c, k) / C(N, k), c successes.

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    Chen et al. 2021, arXiv:2107.03374. Has high variance when k is near N.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.95
    """
    counts, k = _finite(R, k, missing)
    return numerics.value(_mean(counts, bank.pass_at_k, k))


def pass_hat_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """Pass^k: chance that all of k trials drawn from the N succeed, averaged over questions.

    Also named Unanimous@k and G-Pass@k.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]: the mean of C(c, k) / C(N, k), c successes.

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    Yao et al. 2024, arXiv:2406.12045. 0 for every question with c < k, however good the model is.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.pass_hat_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.45
    """
    counts, k = _finite(R, k, missing)
    return numerics.value(_mean(counts, bank.pass_hat_k, k))


def pass_at_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior mean, deviation and interval of 1 - (1 - p)^k, p each question's success probability.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    confidence : float in (0, 1)
        Credibility of the interval.
    bounds : (lo, hi) or None
        Both ends are clipped into these.
    alpha0, beta0 : float in [1e-100, 1e100]
        Beta prior of every question.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    Beta posterior per question, independent. The default prior is uniform *per question*: near k = N the
    interval misses the truth most of the time (measured in ``spec/README.md``).

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.839286, 0.097263, 0.6487, 1.0)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    counts, k = _finite(R, k, missing)
    return _summary(counts, *_posterior(counts, posterior.pass_at_k, 2, k, *priors), confidence, clip)


def pass_hat_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior mean, deviation and interval of p^k, p each question's success probability.

    Parameters
    ----------
    R, k, confidence, bounds, alpha0, beta0, missing
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    A uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.pass_hat_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.446429, 0.146167, 0.1599, 0.7329)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    counts, k = _finite(R, k, missing)
    return _summary(counts, *_posterior(counts, posterior.pass_hat_k, 2, k, *priors), confidence, clip)


unanimous_at_k = g_pass_at_k = pass_hat_k
unanimous_at_k_ci = g_pass_at_k_ci = pass_hat_k_ci


# --- thresholds: G-Pass@k_tau, mG-Pass@k, Maj@k, AUC@k ----------------------------------------------


def g_pass_at_k_tau(R: Outcomes, k: int, tau: float, *, missing: Policy = "raise") -> float:
    """G-Pass@k_tau: chance that at least a share tau of k drawn trials succeeds, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    tau : float in [0, 1]
        The threshold is the smallest r >= 1 with r/k >= tau; 0 is Pass@k, 1 is Pass^k.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        Anything wrong with R, k or tau.

    Notes
    -----
    Liu et al. 2024, arXiv:2412.13147. ceil(tau k) in floating point would be wrong for many tau = j/k.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.g_pass_at_k_tau([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 0.5), 6)
    0.95
    """
    tau = checks.within(tau, "tau", 0.0, 1.0)
    counts, k = _finite(R, k, missing)
    w = _spectrum(k, bank.threshold_weights, checks.threshold(k, tau))
    return numerics.value(_credit(counts, k, w))


def g_pass_at_k_tau_ci(
    R: Outcomes,
    k: int,
    tau: float,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the chance that at least a share tau of k new trials succeeds.

    Parameters
    ----------
    R, k, tau, missing
        As in :func:`g_pass_at_k_tau`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    A uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.g_pass_at_k_tau_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 1.0)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.446429, 0.146167)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    tau = checks.within(tau, "tau", 0.0, 1.0)
    counts, k = _finite(R, k, missing)
    w = _spectrum(k, bank.threshold_weights, checks.threshold(k, tau))
    return _spectrum_ci(counts, k, w, False, priors, confidence, clip)


def mg_pass_at_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """mG-Pass@k: G-Pass@k_tau averaged over tau from 1/2 to 1.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]: the mean of (2/k) sum_{j>m} (j - m) P(X = j), m = ceil(k/2); 0 at k = 1.

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    Liu et al. 2024, arXiv:2412.13147. The finite sum; for odd k it is not the integral, and reaches only
    (k-1)/k for a perfect model.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.mg_pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.166667
    """
    counts, k = _finite(R, k, missing)
    return numerics.value(_credit(counts, k, _spectrum(k, bank.upper_half_weights)))


def mg_pass_at_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of mG-Pass@k of k new trials.

    Parameters
    ----------
    R, k, missing
        As in :func:`mg_pass_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma; all 0 at k = 1.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    A uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mg_pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.446429, 0.146167)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    counts, k = _finite(R, k, missing)
    return _spectrum_ci(counts, k, _spectrum(k, bank.upper_half_weights), True, priors, confidence, clip)


def maj_at_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """Maj@k: chance that strictly more than half of k drawn trials succeed, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]; the threshold is floor(k/2) + 1.

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    A proxy for majority voting where only correctness is logged: a vote can be right with fewer than half
    of the answers right, when the wrong ones differ.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.maj_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.85
    """
    counts, k = _finite(R, k, missing)
    return numerics.value(_credit(counts, k, _spectrum(k, bank.threshold_weights, k // 2 + 1)))


def maj_at_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the chance that a strict majority of k new trials succeeds.

    Parameters
    ----------
    R, k, missing
        As in :func:`maj_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    A uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.maj_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.684524, 0.151958, 0.3867, 0.9824)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    counts, k = _finite(R, k, missing)
    w = _spectrum(k, bank.threshold_weights, k // 2 + 1)
    return _spectrum_ci(counts, k, w, False, priors, confidence, clip)


def auc_at_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """AUC@k: area under Pass@1..k by trapezoids, divided by k - 1; Pass@1 at k = 1.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    Hu et al. 2026, arXiv:2601.08763. Mostly Pass@k at large j: two models of very different Pass@1 can tie.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.auc_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.9
    """
    counts, k = _finite(R, k, missing)
    return numerics.value(_credit(counts, k, _spectrum(k, bank.auc_weights)))


def auc_at_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the area under Pass@1..k of new trials.

    Parameters
    ----------
    R, k, missing
        As in :func:`auc_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    O(k^2) for each distinct number of successes. A uniform prior per question: see :func:`pass_at_k_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.auc_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 1)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.642857, 0.118451)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    counts, k = _finite(R, k, missing)
    return _spectrum_ci(counts, k, _spectrum(k, bank.auc_weights), False, priors, confidence, clip)


# --- spectra and their blends -----------------------------------------------------------------------


def threshold_spectrum_at_k(R: Outcomes, k: int, weights: Any, *, missing: Policy = "raise") -> float:
    """S_{w,k}: sum over r of weights[r-1] times the chance that at least r of k drawn trials succeed.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    weights : array_like, shape (k,)
        w_1..w_k, none negative, of sum at most 1.

    Returns
    -------
    float
        In [0, sum of weights].

    Raises
    ------
    InvalidInput
        Anything wrong with R, k or weights.

    Notes
    -----
    Every threshold metric is one of these: Pass@k (w_1 = 1), Pass^k (w_k = 1), Maj@k, mG-Pass@k, AUC@k;
    prefer the named one where there is one.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.threshold_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, [0.5, 0.5]), 6)
    0.7
    """
    k = checks.integer(k, "k", 1)
    w = checks.spectrum(weights, k)
    counts, k = _finite(R, k, missing)
    return numerics.value(_credit(counts, k, w))


def threshold_spectrum_at_k_ci(
    R: Outcomes,
    k: int,
    weights: Any,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the spectrum S_{w,k} of k new trials; any k >= 1.

    Parameters
    ----------
    R, weights, missing
        As in :func:`threshold_spectrum_at_k`.
    k : int >= 1
        New trials; may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    Beyond k = N the prior decides: nothing was observed there.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.threshold_spectrum_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, [1.0, 0.0])
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.839286, 0.097263)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    k = checks.integer(k, "k", 1)
    w = checks.spectrum(weights, k)
    return _spectrum_ci(_binary(R, missing), k, w, False, priors, confidence, clip)


def _blend(x: Triple, y: Triple, alpha: Triple, beta: Triple) -> Triple:
    """x^alpha y^beta with 0^0 = 1; 0 to a negative power is 0 only beside a 0 to a positive one."""
    if (x[0] == 0.0 and alpha[0] > 0.0) or (y[0] == 0.0 and beta[0] > 0.0):
        return numerics.ZERO
    for name, base, exponent in (("pass_power", x, alpha), ("unanimous_power", y, beta)):
        if base[0] == 0.0 and exponent[0] < 0.0:
            raise InvalidInput("undefined", name, f"0 to the power {name} = {numerics.value(exponent)}")
    G: Triple = numerics.mul(numerics.power(x, alpha), numerics.power(y, beta))
    return G


def _within_doubles(result: Any, pass_power: float) -> Any:
    """Only a negative power can lead out of the doubles."""
    if not all(map(isfinite, result)):
        name = "pass_power" if pass_power < 0.0 else "unanimous_power"
        raise InvalidInput("overflow", name, f"a negative {name} takes the result beyond the doubles: {tuple(result)}")
    return result


def geom_at_k(
    R: Outcomes, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5, *, missing: Policy = "raise"
) -> float:
    """Geom@k: Pass@k^a times Pass^k^b of each question, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    pass_power, unanimous_power : float
        The powers a and b, finite, not both 0; 0^0 = 1.

    Returns
    -------
    float
        In [0, 1] for powers that are not negative.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; undefined: 0 to a negative power; overflow.

    Notes
    -----
    0 for every question that failed once in all k draws: with b > 0 a harsh metric at large k.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geom_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.647106
    """
    a, b = checks.powers(pass_power, unanimous_power)
    counts, k = _finite(R, k, missing)
    s = counts.states()
    x, y = np.empty((s.n.size, 3)), np.empty((s.n.size, 3))
    bank.pass_at_k(s.n, s.c, k, x)
    bank.pass_hat_k(s.n, s.c, k, y)
    for i in range(s.n.size):
        numerics.put(x, i, _blend(tuple(x[i]), tuple(y[i]), a, b))
    (result,) = _within_doubles((numerics.value(numerics.mean(x, s.mult, counts.M)),), pass_power)
    return float(result)


def geom_at_k_ci(
    R: Outcomes,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Approximate posterior summary of Geom@k: the delta method on each question's posterior; any k >= 1.

    Parameters
    ----------
    R, pass_power, unanimous_power, missing
        As in :func:`geom_at_k`.
    k : int >= 1
        New trials; may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu the mean of E[Pass@k]^a E[Pass^k]^b, sigma to first order.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; overflow.

    Notes
    -----
    First order in the posterior's width: rough where N is small and a power is far from 1.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geom_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.610666, 0.133107, 0.3498, 0.8716)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    a, b = checks.powers(pass_power, unanimous_power)
    k = checks.integer(k, "k", 1)
    counts = _binary(R, missing)
    tables = _posterior(counts, posterior.geom_at_k, 2, k, a, b, *priors)
    return _within_doubles(_summary(counts, *tables, confidence, clip), pass_power)


def geom_ds_at_k(
    R: Outcomes, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5, *, missing: Policy = "raise"
) -> float:
    """Dataset-level Geom@k: Pass@k^a times Pass^k^b of the whole data set.

    Parameters
    ----------
    R, k, pass_power, unanimous_power, missing
        As in :func:`geom_at_k`.

    Returns
    -------
    float
        In [0, 1] for powers that are not negative.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; undefined: 0 to a negative power; overflow.

    Notes
    -----
    Not an average over questions: its value on a union of data sets is not between theirs.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geom_ds_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.653835
    """
    a, b = checks.powers(pass_power, unanimous_power)
    counts, k = _finite(R, k, missing)
    x, y = _mean(counts, bank.pass_at_k, k), _mean(counts, bank.pass_hat_k, k)
    (result,) = _within_doubles((numerics.value(_blend(x, y, a, b)),), pass_power)
    return float(result)


def _dataset_delta(
    counts: Counts, tables: Sequence[Table], a: Triple, b: Triple, same: bool, confidence: float, bounds: Bounds
) -> Interval:
    """The delta method on dataset-level means; tables: mean and variance of x, of y, and their covariance."""
    mult, M = counts.states().mult, counts.M
    count_ = numerics.ext(float(M))
    x, vx, y, vy, cov = (numerics.mean(t, mult, M) for t in tables)
    vx, vy, cov = (numerics.div(v, count_) for v in (vx, vy, cov))
    return _interval(*posterior.delta(x, vx, y, vy, cov, a, b, same), confidence, bounds)


def geom_ds_at_k_ci(
    R: Outcomes,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Approximate posterior summary of the dataset-level Geom@k by the delta method; any k >= 1.

    Parameters
    ----------
    R, k, pass_power, unanimous_power, confidence, bounds, alpha0, beta0, missing
        As in :func:`geom_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu = E[Pass@k]^a E[Pass^k]^b, sigma to first order.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; overflow.

    Notes
    -----
    First order in the posterior's width; with many questions that is small.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geom_ds_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.612112, 0.132755, 0.3519, 0.8723)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    a, b = checks.powers(pass_power, unanimous_power)
    k = checks.integer(k, "k", 1)
    counts = _binary(R, missing)
    tables = _posterior(counts, posterior.joint_at_k, 5, k, *priors)
    return _within_doubles(_dataset_delta(counts, tables, a, b, k == 1, confidence, clip), pass_power)


def _coupling(lam: float, lambda_: float | None) -> tuple[Triple, Triple]:
    """The powers lam and 1 - lam."""
    if lambda_ is not None and lam is not _LAM:
        raise InvalidInput("conflict", "lambda_", f"lam = {lam!r} and lambda_ = {lambda_!r} are one parameter: give one")
    name, given = ("lam", lam) if lambda_ is None else ("lambda_", lambda_)
    x = numerics.ext(checks.within(given, name, 0.0, 1.0))
    return x, numerics.sub(numerics.ONE, x)


def _spectrum_or_upper_half(weights: Any, k: int) -> Table:
    return _spectrum(k, bank.upper_half_weights) if weights is None else checks.spectrum(weights, k)


def geo_spectrum_at_k(
    R: Outcomes,
    k: int,
    lam: float = _LAM,
    weights: Any = None,
    lambda_: float | None = None,
    *,
    missing: Policy = "raise",
) -> float:
    """GeoSpectrum@k: Pass@k^lam times S_{w,k}^(1-lam) of the whole data set.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    lam : float in [0, 1]
        The coupling; ``lambda_`` is another name of it.
    weights : array_like, shape (k,), optional
        Of the spectrum S; default the upper half, which makes S mG-Pass@k.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; conflict: both lam and lambda_.

    Notes
    -----
    Not an average over questions. With the default weights 0 at k = 1.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geo_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    powers = _coupling(lam, lambda_)
    k = checks.integer(k, "k", 1)
    w = _spectrum_or_upper_half(weights, k)
    counts, k = _finite(R, k, missing)
    return numerics.value(_blend(_mean(counts, bank.pass_at_k, k), _credit(counts, k, w), *powers))


def geo_spectrum_at_k_ci(
    R: Outcomes,
    k: int,
    lam: float = _LAM,
    weights: Any = None,
    lambda_: float | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Approximate posterior summary of GeoSpectrum@k by the delta method; any k >= 1.

    Parameters
    ----------
    R, lam, weights, lambda_, missing
        As in :func:`geo_spectrum_at_k`.
    k : int >= 1
        New trials; may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu = E[Pass@k]^lam E[S]^(1-lam), sigma to first order; all 0 where E[S] is.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; conflict: both lam and lambda_.

    Notes
    -----
    First order in the posterior's width; with many questions that is small.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geo_spectrum_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, lam=1.0)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.839286, 0.097263)
    """
    confidence, clip, priors = _levels_of(confidence, bounds, alpha0, beta0)
    powers = _coupling(lam, lambda_)
    k = checks.integer(k, "k", 1)
    w = _spectrum_or_upper_half(weights, k)
    counts = _binary(R, missing)
    x, vx = _posterior(counts, posterior.pass_at_k, 2, k, *priors)
    y, vy, cov = _posterior(counts, posterior.spectrum_at_k, 3, k, w, weights is None, *priors)
    return _dataset_delta(counts, (x, vx, y, vy, cov), *powers, False, confidence, clip)


def geo_spectrum_star_at_k(R: Outcomes, k: int, *, missing: Policy = "raise") -> float:
    """GeoSpectrum*@k: sqrt(Pass@k mG-Pass@k), :func:`geo_spectrum_at_k` with its defaults.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        Anything wrong with R or k.

    Notes
    -----
    See :func:`geo_spectrum_at_k`.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geo_spectrum_star_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    return geo_spectrum_at_k(R, k, missing=missing)


def geo_spectrum_star_at_k_ci(
    R: Outcomes,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Approximate posterior summary of GeoSpectrum*@k: :func:`geo_spectrum_at_k_ci` with its defaults.

    Parameters
    ----------
    R, k, confidence, bounds, alpha0, beta0, missing
        As in :func:`geo_spectrum_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi).

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    See :func:`geo_spectrum_at_k_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geo_spectrum_star_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.612112, 0.132755)
    """
    return geo_spectrum_at_k_ci(
        R, k, confidence=confidence, bounds=bounds, alpha0=alpha0, beta0=beta0, missing=missing
    )


# --- Max@k ------------------------------------------------------------------------------------------


def _reward_levels(counts: Counts, w: Sequence[float]) -> tuple[list[float], list[npt.NDArray[np.int64]], list[int]]:
    """Distinct rewards, increasing; for all but the last, each question's trials at or below it, and the categories."""
    levels, table, values = sorted(set(w)), counts.table, np.array(w)
    columns = [np.flatnonzero(values <= r) for r in levels[:-1]]
    return levels, [table[:, c].sum(axis=1) for c in columns], [c.size for c in columns]


def _above_lowest(levels: Sequence[float], means: Sequence[Triple], exact: Callable[[list[int]], tuple[int, int]]) -> Triple:
    """r_1 + sum_l (r_{l+1} - r_l) means[l]; redone exactly where positive and negative terms cancel."""
    total: Triple = numerics.ext(levels[0])
    for low, high, mean in zip(levels, levels[1:], means, strict=False):
        gap = numerics.sub(numerics.ext(high), numerics.ext(low))
        total = numerics.add(total, numerics.mul(gap, mean))
    if levels[0] < 0.0 and abs(numerics.value(total)) < CANCELLED * max(map(abs, levels)):
        W, D = whole(levels)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    return total


def max_at_k(R: Outcomes, k: int, w: Any = None, *, missing: Policy = "raise") -> float:
    """Max@k: expected best score among k trials drawn from the N, averaged over questions.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    k : int, 1 <= k <= N
        Trials drawn; with unequal trials at most the smallest N.
    w : array_like, shape (C+1,), optional
        Score of each category, in any order; default (0, 1), which makes this Pass@k.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    float
        In [min w, max w], in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, k or w.

    Notes
    -----
    Bagirov et al. 2025, arXiv:2510.23393. A score of the best of k, not of a model that must choose.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.max_at_k([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0]), 6)
    0.85
    """
    k = checks.integer(k, "k", 1)
    counts, w = _rubric(R, w, None, missing)
    checks.trials_at_least(counts, k)
    levels, below, _ = _reward_levels(counts, w)
    states = [states_of(counts.trials, b) for b in below]
    means = []
    for s in states:
        out = np.empty((s.n.size, 3))
        bank.pass_at_k(s.n, s.n - s.c, k, out)
        means.append(numerics.mean(out, s.mult, counts.M))
    return numerics.value(_above_lowest(levels, means, lambda W: bank.exact_max(W, states, k, 0))) + 0.0


def max_at_k_ci(
    R: Outcomes,
    k: int,
    w: Any = None,
    R0: Outcomes = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Posterior summary of the expected best score among k new trials; any k >= 1.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    k : int >= 1
        New trials; may exceed N. k = 1 is :func:`bayes_ci`.
    confidence : float in (0, 1)
        Credibility of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: the smallest and largest score for k >= 2, none for k = 1.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma, in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    Dirichlet posterior per question, as in :func:`bayes`. A uniform prior on every question: with k large it
    credits scores that were never seen.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.max_at_k_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0])
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.75, 0.08812, 0.5773, 0.9227)
    """
    k = checks.integer(k, "k", 1)
    if k == 1:
        return bayes_ci(R, w, R0, confidence, bounds, missing=missing)
    confidence = checks.confidence(confidence)
    counts, w = _rubric(R, w, R0, missing)
    clip = checks.bounds(bounds, (min(w), max(w)))
    levels, below, ones = _reward_levels(counts, w)
    T = counts.trials + len(w)
    A = [b + one for b, one in zip(below, ones, strict=True)]
    mu, var = _dirichlet_max(T, A, levels, k) if A else (numerics.ext(levels[0]), numerics.ZERO)
    return _interval(mu, var, confidence, clip)


def _dirichlet_max(
    T: npt.NDArray[np.int64], A: Sequence[npt.NDArray[np.int64]], levels: Sequence[float], k: int
) -> tuple[Triple, Triple]:
    """Mean and variance of r_L - sum_l gap_l A_l^k, averaged over questions; Cov by pairs of levels."""
    M, states = T.size, [states_of(T, a) for a in A]
    table, index = distinct(np.concatenate([T] * len(A)), np.concatenate(A))
    pass_, power_, var = (np.empty((table.n.size, 3)) for _ in range(3))
    posterior.lower_tail_powers(table.c, table.n, k, pass_, power_, var)
    at = [index[l * M : (l + 1) * M] for l in range(len(A))]
    means = []
    for i in at:
        rows, mult = np.unique(i, return_counts=True)
        means.append(numerics.mean(pass_[rows], mult, M))
    mu = _above_lowest(levels, means, lambda W: bank.exact_max(W, states, k, k - 1))
    gaps = [numerics.sub(numerics.ext(b), numerics.ext(a)) for a, b in zip(levels, levels[1:], strict=False)]
    total = numerics.ZERO
    for m in range(len(A)):
        for l in range(m + 1):
            pair = states_of(at[l], at[m])
            cov = posterior.level_covariance(pair.n, pair.c, pair.mult, power_, var)
            cov = numerics.mul(numerics.mul(gaps[l], gaps[m]), cov)
            total = numerics.add(total, cov if l == m else numerics.add(cov, cov))
    count_ = numerics.ext(float(M))
    return mu, numerics.div(numerics.div(total, count_), count_)
