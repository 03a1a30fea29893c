"""Metrics with confidence intervals, without a prior on the questions."""

from __future__ import annotations

from typing import Any, SupportsIndex, get_args

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import normal_z
from ..inference import variance
from ..inference.difference import quantile_over_runs, quantiles
from ..inference.estimate import ALL_METRICS, Measurement, MetricRequest, measure_counts, parse_request
from ..metrics.metric import Metric
from ..outcomes.tally import Outcomes
from ..results import MetricInterval, MetricName, RateModel, Runs, Shape, Target, bounded_interval


def interval(
    R: Outcomes,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Labels | None = None,
    model: RateModel = "mixture",
    shape: Shape = "wilson",
    missing: Missing = "raise",
) -> MetricInterval:
    """A metric with its confidence interval, without a prior on the questions.

    With ``questions="fixed"`` the interval is for this question set: for the expected value of the metric on these
    exact questions, if the trials of a question are independent. With ``"sampled"`` it is for the population of similar
    questions. With ever more trials the width of the first goes to 0, but not that of the second, which needs more
    questions. Where whole runs differ by 1 to 2 points, by their seed, server or prompt, 95% intervals covered in 66%
    to 91%, but for ``runs="sampled"``.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes: 0 and 1; in 0..C for "mean" and "max_at_k". Questions without a trial are left out and listed in
        ``dropped``. :class:`scorio.Answers` for the metrics of a vote, :class:`scorio.ScoredTrials` for "best_of_k".
    metric : str
        "mean", "pass_at_k", "pass_hat_k", "g_pass_at_k_tau", "maj_at_k", "mg_pass_at_k", "auc_at_k", "max_at_k" or
        "flip_rate"; also "avg", "pass@k", "pass^k", "g-pass@k", "maj@k", "mg-pass@k", "auc@k", "max@k", "flip-rate".
        For answers: "plurality_at_k" ("plurality@k"), "strict_plurality_at_k" ("strict-plurality@k"); for scored
        trials: "best_of_k" ("best-of-k"). "pass@4" is "pass@k" with k = 4, and so on for each metric that takes k.
    k : int
        Number of trials of the metric, at most the fewest trials of any question; not for "mean" and "flip_rate".
    tau : float in [0, 1]
        Threshold of "g_pass_at_k_tau".
    w : array_like, shape (C+1,), optional
        Score of each category, for "mean" and "max_at_k"; default (0, 1).
    questions : {"fixed", "sampled"}
        What the interval accounts for: "fixed", trial-to-trial variance; "sampled", question-sampling variance as well.
    runs : {"fixed", "sampled", "shared"} or RunVariation
        "sampled": the interval also accounts for the differences between runs (passes over the benchmark, with their
        seed, server or prompt), of which column j of R is run j; it is then never narrower. "shared": the runs of all
        models of the call are the same, which matters where there are several. The result of
        :func:`scorio.sinf.run_variation` instead, of these or of more models, or of sessions; R may then be counts.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    pool : int >= M, optional
        With "sampled": size of the finite population that the questions were sampled from.
    clusters : sequence of M labels, optional
        With "sampled": the cluster of each question; clusters are then the sampling units. Default: the
        clusters of the counts, if they have any; False: none.
    model : {"mixture"} or None
        How the trial-to-trial variance is estimated where questions have fewer than 2k trials: "mixture", by a mixture
        of success rates fitted to all questions with the same number of trials (nonparametric maximum likelihood);
        None, by the jackknife or an upper bound. It never changes mu, and has no effect on the mean, the flip rate and
        the metrics of answers and scored trials.
    shape : {"wilson", "beta"}
        Form of the interval; "beta" (equal tails of a beta distribution) is better for very rare success.
    missing : {"raise", "drop", "bounds"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). "bounds": an
        interval that is valid whatever the missing outcomes were. ``bounds`` then has the lowest and the highest value
        that the metric can have, lo is the lower limit at the lowest and hi the upper limit at the highest; all other
        fields use only the outcomes that are not missing, but variance_source is the least reliable one of all three.
        Not for "flip_rate", answers and scored trials. Trials that a shorter row lacks do not count as missing.

    Returns
    -------
    MetricInterval
        (mu, sigma, lo, hi): the estimate, which is what the function of the metric returns (:func:`avg` for the mean),
        its standard error, and the ends; attributes questions, variance_source, n_eff, units, dropped, bounds.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: a parameter, or missing="bounds", that the metric does not take; range: k is
        above the trials of a question (see :func:`extrapolate`).

    Notes
    -----
    Defined in spec/families/intervals.md. ``variance_source`` says how the variance was obtained. For sampled questions
    it is "measured" ("upper bound" with a single question or cluster). For fixed questions, and with a pool, it is
    "measured" if every question has at least 2k trials (2 for the mean, 4 for the flip rate); else "modelled" ("probit"
    for a vote), or "upper bound": with a single trial of a question, with ``model=None`` (except for a vote), for the
    flip rate and for Best-of-k. For fixed questions a second trial of each about halves the interval of a mean, and 2k
    trials measure the variance of Pass@k: this is the best use of more calls to the model.

    Coverage of 95% intervals is below nominal

    - where fewer than about one success is expected in total (80% to 93%);
    - for fixed questions that hardly vary: averages, and metrics of k <= N/2, have 91% or more where the variance
      of the number of successes, the sum of n p (1 - p), is at least 1, 89% from 0.5 on, and 85% was the least
      found below that; k > N/2: 82% for Pass@8 of 8 trials with one of 400 questions at a rate of 0.195 and the
      others at 1;
    - for sampled questions where a rare kind of question was not sampled, which has probability (1 - q)^M for a kind
      that makes up a share q of all questions (84% at q = 0.05, M = 30; 80% was the least found);
    - where only a few questions vary, and these have fewer trials than the others (86% was the least found);
    - with 2k > N, too few trials to determine the variance (7% of equal models differ significantly at 5% in the
      worst distribution that was found: 52 questions at a rate of 0.937, Pass^10 of 10 trials);
    - for a vote of all trials on questions where one wrong answer is as frequent as the right one (87%, and 13%
      of equal models differ significantly at 5%);
    - where trials are not independent (temperature 0, caches), or questions are related, unless ``clusters`` says so;
    - where outcomes are missing for reasons that depend on them.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1]]
    >>> r = eval.interval(R, "pass@k", 2, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.variance_source
    (0.6667, 0.3678, 0.873, 'measured')
    >>> eval.interval(R, "pass@k", 3, questions="fixed").variance_source
    'modelled'
    >>> r = eval.interval([[0, 1, None, 0], [1, 1, 1, 1], [1, None, 1, 1]], questions="fixed", missing="bounds")
    >>> round(r.mu, 4), [round(x, 4) for x in r.bounds]
    (0.7778, [0.6667, 0.8333])
    """
    confidence = arguments.confidence(confidence)
    request = parse_request(metric, k, tau, w, questions, model, ALL_METRICS)
    arguments.choice(shape, "shape", get_args(Shape))
    request = request.with_runs(runs, [("R", R)], missing)
    if not arguments.bounded(missing):
        return _interval(request, request.read_outcomes(R, missing, "R"), questions, confidence, pool, clusters, shape)
    completions = request.completions(R, "R")
    return bounded_interval(*(_interval(request, x, questions, confidence, pool, clusters, shape) for x in completions))


def _interval(
    request: MetricRequest, counts: Any, questions: str, confidence: float, pool: int | None, clusters: Any, shape: str
) -> MetricInterval:
    """The interval from counts and arguments of interval(), all checked but pool and clusters."""
    return interval_of(measure_counts(request, counts, pool, clusters), request.m, questions, confidence, shape)


def interval_of(x: Measurement, m: Metric, questions: str, confidence: float, shape: str = "wilson") -> MetricInterval:
    """Confidence interval of a metric from the components of its variance."""
    low, high = min(m.w), max(m.w)
    q = *quantiles(x, confidence), quantile_over_runs(x, confidence)
    if shape == "wilson":
        ends = variance.wilson_interval(x.interval_parts, *q, x.estimator.mu(), low, high)
    else:
        ends = variance.beta_interval(
            x.interval_parts, confidence, *q, normal_z(confidence), x.estimator.mu(), low, high
        )
    mu, sigma, lo, hi, n_eff = ends
    return MetricInterval(mu, sigma, lo, hi, questions, x.variance_source, n_eff, x.units, x.dropped)


def mean_ci(
    R: Outcomes,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Labels | None = None,
    shape: Shape = "wilson",
    missing: Missing = "raise",
) -> MetricInterval:
    """The average score with its confidence interval: :func:`interval` of the mean.

    Parameters
    ----------
    R, w, questions, runs, confidence, pool, clusters, shape, missing
        As in :func:`interval`.

    Returns
    -------
    MetricInterval
        (mu, sigma, lo, hi), mu the value of :func:`avg`; attributes as in :func:`interval`.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    For fixed questions with one trial each the trial-to-trial variance cannot be measured (variance_source = "upper
    bound"); a second trial of each about halves the interval. When coverage is below nominal: see :func:`interval`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mean_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.variance_source
    (0.7, 0.3968, 0.8922, 'measured')
    """
    return interval(
        R, "mean", w=w, questions=questions, runs=runs, confidence=confidence, pool=pool, clusters=clusters,
        shape=shape, missing=missing,
    )  # fmt: skip
