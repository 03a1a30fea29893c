"""Metrics with confidence intervals, without a prior on the questions; and extrapolation beyond the trials."""

from __future__ import annotations

import numpy as np

from .. import arguments
from ..arguments import Labels, Policy, Reals
from ..arithmetic import double_double
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import ONE, ZERO, Triple, div, ext, mul, power, sub
from ..errors import InvalidInput
from ..inference import beta_binomial, variance
from ..inference.difference import quantile
from ..inference.estimate import ask, measured
from ..metrics import hypergeometric
from ..metrics.metric import read_metric
from ..outcomes.checks import answered
from ..outcomes.states import Array, States
from ..outcomes.tally import Outcomes, count
from ..results import Extrapolation, MetricInterval
from ._shared import mean_over_states


def interval(
    R: Outcomes,
    metric: str = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: str,
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Labels | None = None,
    law: str | None = "beta",
    shape: str = "wilson",
    missing: Policy = "raise",
) -> MetricInterval:
    """A metric with its confidence interval, without a prior on the questions.

    With ``questions="fixed"`` the interval is for this question set: for the value that unlimited trials per question
    would give. With ``"sampled"`` it is for the population of similar questions. The width of the first shrinks with
    the number of trials, that of the second only with the number of questions.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes: 0 and 1; in 0..C for "mean" and "max_at_k". Questions without a trial are left out and listed in
        ``dropped``.
    metric : str
        "mean", "pass_at_k", "pass_hat_k", "g_pass_at_k_tau", "maj_at_k", "mg_pass_at_k", "auc_at_k" or
        "max_at_k"; also "avg", "pass@k", "pass^k", "g-pass@k", "maj@k", "mg-pass@k", "auc@k", "max@k".
    k : int
        Number of trials of the metric, at most the fewest trials of any question; for every metric but "mean".
    tau : float in [0, 1]
        Threshold of "g_pass_at_k_tau".
    w : array_like, shape (C+1,), optional
        Score of each category, for "mean" and "max_at_k"; default (0, 1).
    questions : {"fixed", "sampled"}
        What the interval accounts for: "fixed", trial-to-trial variance; "sampled", question-sampling variance as well.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    pool : int >= M, optional
        With "sampled": size of the finite population that the questions were sampled from.
    clusters : sequence of M labels, optional
        With "sampled": the cluster of each question; clusters are then the sampling units.
    law : {"beta"} or None
        How the trial-to-trial variance is estimated where questions have fewer than 2k trials: "beta", by a
        beta-binomial model fitted to all questions; None, by the jackknife or an upper bound. It never changes mu.
    shape : {"wilson", "beta"}
        Form of the interval; "beta" (equal tails of a beta distribution) is better for very rare success.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    MetricInterval
        (mu, sigma, lo, hi): the estimate, which is what the function of the metric returns (:func:`avg` for the mean),
        its standard error, and the ends; attributes questions, variance_source, n_eff, units, dropped.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: a parameter that the metric does not take; range: k above the trials of a
        question (see :func:`extrapolate`).

    Notes
    -----
    Defined in spec/README.md. ``variance_source`` says how the variance was obtained: "measured" with at least 2k
    trials per question; "beta-binomial" with fewer, for fixed questions; "upper bound" with one trial per question, or
    with ``law=None``. A second trial per question about halves the interval of a mean, and 2k trials per question
    measure the variance of Pass@k: this is the best use of more calls to the model.

    Coverage is below nominal where fewer than about one success is expected in all (80% to 93% for 95%); where half of
    the questions are never solved, half are solved half of the time, and 2k > N (86% to 92%); where trials are not
    independent (temperature 0, caches); where questions are related, unless ``clusters`` says so; and where outcomes
    are missing for reasons that depend on them.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1]]
    >>> r = eval.interval(R, "pass@k", 2, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.variance_source
    (0.6667, 0.3867, 0.8638, 'measured')
    >>> eval.interval(R, "pass@k", 3, questions="fixed").variance_source
    'beta-binomial'
    """
    confidence = arguments.confidence(confidence)
    asked = ask(metric, k, tau, w, questions, law)
    arguments.choice(shape, "shape", ("wilson", "beta"))
    x, m = measured(asked, R, pool, clusters, missing), asked.m
    low, high = min(m.w), max(m.w)
    z = normal_z(confidence)
    q = quantile(x.freedom, confidence, 2) if x.freedom[0] else z
    if shape == "wilson":
        ends = variance.wilson_interval(x.known, q, x.side.mu(), low, high)
    else:
        worth = div(mul(z, z), mul(q, q)) if x.freedom[0] else ONE
        ends = variance.beta_interval(x.known, confidence, worth, x.side.mu(), low, high)
    mu, sigma, lo, hi, n_eff = ends
    return MetricInterval(mu, sigma, lo, hi, questions, x.variance_source, n_eff, x.units, x.dropped)


def mean_ci(
    R: Outcomes,
    w: Reals | None = None,
    *,
    questions: str,
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Labels | None = None,
    shape: str = "wilson",
    missing: Policy = "raise",
) -> MetricInterval:
    """The average score with its confidence interval: :func:`interval` of the mean.

    Parameters
    ----------
    R, w, questions, confidence, pool, clusters, shape, missing
        As in :func:`interval`.

    Returns
    -------
    MetricInterval
        (mu, sigma, lo, hi), mu the value of :func:`avg`; attributes questions, variance_source, n_eff, units, dropped.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    With one trial per question the trial-to-trial variance cannot be measured (variance_source = "upper bound"); a
    second trial per question about halves the interval. When coverage is below nominal: see :func:`interval`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mean_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.variance_source
    (0.7, 0.3968, 0.8922, 'measured')
    """
    return interval(
        R, "mean", w=w, questions=questions, confidence=confidence, pool=pool, clusters=clusters, shape=shape,
        missing=missing,
    )  # fmt: skip


def extrapolate(R: Outcomes, metric: str, k: int, *, missing: Policy = "raise") -> Extrapolation:
    """Pass@k or Pass^k for more trials than there are, under a beta-binomial model; without an interval.

    There is no confidence level: on real benchmarks the model was off by up to 19 standard errors.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes. Questions without a trial are left out.
    metric : {"pass_at_k", "pass_hat_k"}
        Also "pass@k", "pass^k".
    k : int
        More than the fewest trials of any question; otherwise use :func:`interval`.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    Extrapolation
        (value, lowest, highest): the value under the beta-binomial model fitted to all questions; and the lowest and
        highest value that is compatible with the estimated moments, sampling error aside.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    With m_j the mean over questions of C(c, j)/C(n, j), j up to the fewest trials n: E[p^k] lies between
    m_{n-1} (m_n / m_{n-1})^(k-n+1), by Jensen's inequality, and m_n. Pass@k is the same with failures. A value
    outside lowest..highest is not credible: there are too few questions, or their success rates are not beta
    distributed.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.extrapolate([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], "pass_at_k", 8)
    >>> [round(x, 3) for x in r]
    [0.937, 0.75, 0.898]
    """
    m = read_metric(metric, k, None, None, ("pass_at_k", "pass_hat_k"))
    (counts,), _ = answered("R", count(R, 1, missing))
    n = counts.fewest
    if m.k <= n:
        raise InvalidInput("range", "k", f"k = {m.k} is not above the {n} trials per question: use interval()")
    s, fails = counts.states(), m.name == "pass_at_k"
    of = s.n - s.c if fails else s.c
    before, at = (_moment(s, of, j) for j in (n - 1, n))
    least = mul(before, power(div(at, before), ext(float(m.k - n + 1)))) if at[0] else ZERO
    fitted = beta_binomial.fit(s)
    x = ext(float(s.c[0] > 0)) if fitted is None else beta_binomial.of_all(fitted, m.k, fails)
    ends = (mean_over_states(counts, hypergeometric.pass_at_k, n), sub(ONE, least)) if fails else (least, at)
    return Extrapolation(*(double_double.value(y) for y in (x, *ends)))


def _moment(s: States, c: Array, j: int) -> Triple:
    """The mean over questions of C(c, j) / C(n, j)."""
    out = np.empty((s.n.size, 3))
    hypergeometric.pass_hat_k(s.n, c, j, out)
    x: Triple = double_double.mean(out, s.mult, int(s.mult.sum()))
    return x
