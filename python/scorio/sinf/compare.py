"""The difference of two models, the probability that one is above a threshold, and how robust their order is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import numpy as np

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.double_double import Triple, div, ext, from_ratio, over_common_denominator, sub, times_2_to, value
from ..errors import InvalidInput
from ..inference import variance
from ..inference.decision import rescaled_interval
from ..inference.difference import Difference
from ..inference.estimate import ALL_METRICS, measure_counts, pair, parse_request
from ..metrics.metric import Metric, read_metric
from ..outcomes.checks import answered
from ..outcomes.counts import Counts
from ..outcomes.identity import paired
from ..outcomes.models import check_flat
from ..outcomes.states import score_sums
from ..outcomes.tally import Outcomes, count
from ..results import MetricName, RateModel, Runs, Spending, Target, VarianceSource, bounded_difference, shown_as_table
from .boundaries import one_sided_level


@shown_as_table
class Comparison(NamedTuple):
    """metric(A) - metric(B), its standard error, interval, p-value and degrees of freedom, P(A > B), the decision."""

    mu: float
    sigma: float
    lo: float
    hi: float
    p_value: float
    df: float
    p_above: float
    significant: bool
    variance_source: VarianceSource
    dropped: list[int]


def compare(
    A: Outcomes,
    B: Outcomes,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    paired: bool = True,
    clusters: Labels | None = None,
    guard: float = 0.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
    looks: Reals | None = None,
    spending: Spending = "obrien-fleming",
) -> Comparison:
    """The difference of two models, with a confidence interval and a p-value.

    Parameters
    ----------
    A, B : array_like, shapes (M, N), or Counts
        Outcomes of two models on the same questions: by id where both have ids (counts of a log, data frames with row
        labels), else row by row. Numbers of trials may differ.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}
        The difference on this question set; or in the population of similar questions, so that the interval accounts
        for the sampling of questions too.
    runs : {"fixed", "sampled", "shared"} or RunVariation
        As in :func:`scorio.eval.interval`. "sampled": each model has runs of its own. "shared": column j is the same
        run of both, such as a prompt or a session, and their differences give the variance.
    confidence : float in (0, 1), with looks [1/2, 1 - 1e-12]
        Nominal coverage of the interval, over all looks; 1 - confidence is the two-sided level of the test.
    paired : bool
        False: A and B answered different questions of one population, which needs "sampled".
    clusters : sequence of M labels, optional
        With "sampled": clusters of related questions, the units that were sampled. Default: those that the counts
        carry; False: none.
    guard : float in [0, 1]
        With "sampled": the largest difference of a question that was not sampled, as a share of the scale. 0 is the
        paired t test; with 1 a rare kind of question that the sample lacks may differ by the whole scale, which takes
        most of the power where there are few questions with many trials each. It is at least two steps of the metric
        (for an average 2/n) where A and B have unequal trials, n the fewest. No effect on different questions.
    missing : {"raise", "drop", "bounds"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Questions on
        which a model has no trial are left out and listed in dropped; questions that only one model has are refused, or
        with "drop" left out and listed too. "bounds": limits that are valid whatever the missing outcomes were, on the
        questions of both: lo with all of them against A, hi with all of them for A. p_value, df, p_above and
        significant are those of the case whose difference is nearer to 0; unless both differences are above 0 or both
        below, p_value is 1, p_above 1/2, significant False, and df is computed without the missing outcomes. mu, sigma
        and dropped always are. variance_source is the least reliable of the three cases.
    looks : array_like, shape (K,), optional
        Fractions of the planned information at the looks so far, the last one this look, as in :func:`boundaries`:
        (0.2, 0.4) is the second of five equal steps. Default: the only look.
    spending : {"obrien-fleming", "pocock"}
        How the looks share the error rate.

    Returns
    -------
    Comparison
        (mu, sigma, lo, hi, p_value, df, p_above, significant, variance_source, dropped), the first four in units of w.
        p_value is two-sided, of a t distribution with df degrees of freedom; significant is p_value <= 1 - confidence
        (at one of several looks: p_value <= the p of :func:`boundaries`), exactly when the interval excludes 0. p_above
        is P(A > B) under a flat prior, 1 - p_value/2 if mu > 0; it is too extreme for models that are nearly equal.
        variance_source is "upper bound" where the data do not identify the variance (fixed questions with one trial,
        or with fewer than 2k where no model gives it), "modelled" where it is that of a mixture of success rates (fixed
        questions with fewer than 2k trials; for a vote "probit"), else "measured".

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: A and B of different numbers of questions, or a single question (or
        cluster) where the variance between them is needed; conflict: only one has ids; missing: one lacks a question;
        range: k above the trials of a question.

    Notes
    -----
    spec/families/comparisons.md. On similar questions this is the paired t test on the differences of questions (with
    clusters CR2 variances and Bell and McCaffrey's df), and where at most 14 differences are not 0, or all have one
    sign, the p-value is at least that of all choices of their signs: if the models are equally good on every question
    and have equally many trials, that p-value is at most 5% in at most 5% of runs, at any number of questions. For the
    t test this was 5.8% in the worst of 194 cells of a search. If only the averages are equal, and rare questions
    differ by much, models are called different in 5 to 7% of runs with few trials (30 questions of 64: 18%), and the
    more often the less noise there is: in 21% of those of 60 scores, in 90% where the sample mostly lacks the rare
    questions and the others hardly vary (10 of 1,000 trials). ``guard`` is the protection; bench/README.md has its
    price. Different questions are compared with a guard of 1 (worst cell 6.1%; without it 23%), unequal trials with
    at least two steps (worst cell 9.1%, 300 questions of 64 trials against one; without it 39% of 20 of 16).

    On fixed questions df is small where few questions vary. Where every question of a model has one trial the variance
    over trials is not identified, and the interval is that of sampled questions; a second trial about halves it.

    Without ids only the number of questions can be checked; spec/README.md, "Which rows are the same question", says
    how ids pair and what the indices in ``dropped`` count. Do not compare intervals of two models by eye: they may
    overlap where the difference is significant. For more than two models use :func:`compare_all`.

    The level is for one look at the data: looking after every trial is wrong in 25% to 40% of runs. Pass ``looks``, or
    use :class:`Monitor`. Over several benchmarks compare with :func:`suite`; to ask whether one model may replace
    another, use :func:`gate`.

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> r = sinf.compare(A, B, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), round(r.p_value, 4)
    (0.3333, -0.2597, 0.9263, 0.2442)
    >>> r = sinf.compare(A, B, "pass@k", 2, questions="fixed")
    >>> round(r.mu, 4), r.variance_source
    (0.2222, 'modelled')
    """
    tail = one_sided_level(arguments.confidence(confidence), looks, spending)
    request = parse_request(metric, k, tau, w, questions, model, ALL_METRICS, guard)
    request = request.with_runs(runs, [("A", A), ("B", B)], missing)

    def compare_outcomes(A: Any, B: Any, policy: Any) -> Comparison:
        x = pair(request, A, B, ("A", "B"), paired, policy, clusters)
        return Comparison(*comparison_fields(x.difference(request, "A"), request.m, tail, x.dropped))

    if not arguments.bounded(missing):
        return compare_outcomes(A, B, missing)
    for x, name in ((A, "A"), (B, "B")):
        check_flat(x, name)
    (a, low, high), (b, low_b, high_b) = (request.completions(*x) for x in ((A, "A"), (B, "B")))
    # without the missing outcomes; with all of them for B; with all of them for A
    return bounded_difference(*(compare_outcomes(x, y, "drop") for x, y in ((a, b), (low, high_b), (high, low_b))))


def comparison_fields(d: Difference, m: Metric, tail: Triple, dropped: list[int]) -> tuple[Any, ...]:
    """The fields of a :class:`Comparison`, in its order; tail: the one-sided level."""
    p = d.p_value()
    significant = bool(sub(times_2_to(tail, 1.0), p)[0] >= 0.0)
    results = (value(p), value(d.reported(tail)[1]), value(d.p_above()), significant, d.variance_source)
    return *rescaled_interval(d, tail, m), *results, dropped


def prob_above(
    R: Outcomes,
    t: float,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    pool: int | None = None,
    clusters: Labels | None = None,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> float:
    """The probability that a metric lies above a threshold.

    Parameters
    ----------
    R, metric, k, tau, w, questions, runs, pool, clusters, model, missing
        As in :func:`scorio.eval.interval`.
    t : float
        The threshold, strictly between the lowest and the highest score: 0 and 1 without w.

    Returns
    -------
    float
        P(T <= (theta - t) sqrt(n) / sqrt(t (1 - t))), theta (the metric) and t on the scale 0..1. n is
        theta (1 - theta) over the variance of theta, or the least effective sample size n0 if the probability is then
        farther from 1/2. T has a t distribution, or the normal one: for n0 without clusters, and if the outcomes of
        many fixed questions vary (spec/families/intervals.md). The result is 1/2 where the metric equals t, and above
        (1 + confidence)/2 where the whole interval with this confidence is above t.

    Raises
    ------
    InvalidInput
        An argument is invalid; range: t not strictly between the lowest and the highest score.

    Notes
    -----
    The result is 1 minus the p-value of a one-sided test: the one whose inversion gives the intervals of
    :func:`scorio.eval.interval`, with the same variance and without a prior. "fixed": the probability that the expected
    value of the metric on these exact questions is above t; "sampled": the probability that its value over the
    population of similar questions is. For "fixed" with one trial per question the trial-to-trial variance cannot be
    measured; a second trial makes the answer much more certain.

    Examples
    --------
    >>> from scorio import sinf
    >>> R = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
    >>> round(sinf.prob_above(R, 0.5, questions="fixed"), 4)
    0.897
    """
    t = arguments.real(t, "t")
    request = parse_request(metric, k, tau, w, questions, model, ALL_METRICS)
    request = request.with_runs(runs, [("R", R)], missing)
    x = measure_counts(request, request.read_outcomes(R, missing, "R"), pool, clusters)
    low, high = min(request.m.w), max(request.m.w)
    if not low < t < high:
        raise InvalidInput("range", "t", f"t = {t!r} is not strictly between the scores {low!r} and {high!r}")
    span = sub(ext(high), ext(low))
    below, above = div(sub(ext(t), ext(low)), span), div(sub(ext(high), ext(t)), span)
    freedoms = x.freedom, x.freedom_of_units, x.over_runs.freedom
    return value(variance.probability_above(x.interval_parts, below, above, *freedoms))


# --- how many missing outcomes or wrong keys the order survives -------------------------------------

NAMES = ("A", "B")
Pair: TypeAlias = tuple[Counts, Counts]  # counts of the same questions


@shown_as_table
class Certificate(NamedTuple):
    """avg(A) - avg(B), the outcomes that are missing, and the fewest changes of each kind that could end the lead."""

    mu: float
    missing: int
    missing_needed: int | None
    inverted_needed: int
    rescored_needed: int


def certificate(A: Outcomes, B: Outcomes, w: Reals | None = None, *, missing: Missing = "raise") -> Certificate:
    """How many missing outcomes, and how many wrong answer keys, the order of two averages survives.

    Parameters
    ----------
    A, B : array_like, shape (M, N), or Counts
        Outcomes of two models on the same questions, as in :func:`compare`. Numbers of trials may differ.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop": the certificate then says what they could
        change), or count as this category (int). Trials that were not planned (the end of a short row) are not missing.

    Returns
    -------
    Certificate
        (mu, missing, missing_needed, inverted_needed, rescored_needed). mu is avg(A) - avg(B) over the questions that
        both answered. The model with the higher average leads; the lead ends where the averages are equal. The smallest
        numbers that could end it, 0 where the averages are equal:

        - missing_needed: how many of the missing outcomes (missing is their number) would have to go against the leader
          (lowest score for it, highest for the other model), with all others for it; None if all of them cannot end it;
        - inverted_needed: how many questions would have to have their outcomes inverted, for both models (success for
          failure; a score is mirrored on the scale of w): yes-or-no questions with a wrong answer key;
        - rescored_needed: how many questions would have to have their outcomes replaced by any other scores.

        So the order survives any inverted_needed - 1 wrong keys of yes-or-no questions, and any rescored_needed - 1
        wrong keys of other questions.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has trials of both models; shape: A and B of different numbers of
        questions; conflict: only one of them has ids; missing: one of them lacks a question.

    Notes
    -----
    Source: spec/families/comparisons.md. These are statements about the observed order, in exact arithmetic, and
    not about significance: see :func:`compare` for that.

    Examples
    --------
    >>> from scorio import sinf
    >>> A = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, 0, 0], [1, 0, 0, None]]
    >>> B = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, None, None, 0]]
    >>> sinf.certificate(A, B, missing="drop")
    Certificate(mu=0.20833333333333334, missing=4, missing_needed=None, inverted_needed=1, rescored_needed=1)
    """
    scores, unit = over_common_denominator(read_metric("mean", None, None, w).w)
    for x, name in zip((A, B), NAMES, strict=True):
        check_flat(x, name)
    counts = [
        count(x, len(scores) - 1, missing, name=name, has_scores=w is not None)
        for x, name in zip((A, B), NAMES, strict=True)
    ]
    a, b = paired(counts, NAMES, NAMES.__getitem__, missing)
    return certificate_of([(a, b)], scores, unit)


def certificate_of(pairs: Sequence[Pair], scores: list[int], unit: int) -> Certificate:
    """The certificate from counts of the same questions: a pair for each of several benchmarks of equal weight.

    Scores are integers in units of 1/unit.
    """
    with_trials = [(a, b) for (a, b), _ in (answered("A", *pair) for pair in pairs)]
    scales, span = _scales(with_trials), max(scores) - min(scores)
    # the difference of the models on each question, and the largest difference that one question can have
    gaps = [
        (gap, span * scale)
        for pair, scale in zip(with_trials, scales, strict=True)
        for gap in _gaps(pair, scores, scale)
    ]
    total = sum(gap for gap, _ in gaps)
    if total < 0:
        pairs, gaps = [(b, a) for a, b in pairs], [(-gap, largest) for gap, largest in gaps]
    missing, needed = _missing_needed([_planned(*pair) for pair in pairs], scores, total != 0)
    inverted = _fewest_gains(abs(total), ((2 * gap, 1) for gap, _ in gaps))
    rescored = _fewest_gains(abs(total), ((gap + largest, 1) for gap, largest in gaps))
    assert inverted is not None  # every lead ends if all questions are inverted, or rescored
    assert rescored is not None
    mu = value(from_ratio(total, scales[0] * with_trials[0][0].M * len(with_trials) * unit))
    return Certificate(mu, missing, needed, inverted, rescored)


def _scales(pairs: Sequence[Pair]) -> list[int]:
    """A common denominator of average scores for each benchmark, so that benchmarks have equal weights in sums."""
    trials = lcm(*(int(n) for pair in pairs for x in pair for n in np.unique(x.trials)))
    questions = lcm(*(a.M for a, _ in pairs))
    return [trials * (questions // a.M) for a, _ in pairs]


def _planned(A: Counts, B: Counts) -> Pair:
    """Counts of the questions that have outcomes, or missing ones, of both models."""
    keep = (A.trials + A.absent > 0) & (B.trials + B.absent > 0)
    return A.select(keep), B.select(keep)


def _gaps(pair: Pair, scores: list[int], scale: int) -> list[int]:
    """The difference of the average scores of the two models on each question, in units of 1/scale."""
    averages = [score_sums(x.cells, scores)[0] * (scale // x.trials.astype(object)) for x in pair]
    return (averages[0] - averages[1]).tolist()


def _missing_needed(pairs: Sequence[Pair], scores: list[int], lead: bool) -> tuple[int, int | None]:
    """Number of missing outcomes, and the fewest of them that must go against the first model to end its lead.

    lead: whether the first model leads.
    """
    # with all missing outcomes for the first model
    full = [(a.completions(scores)[1], b.completions(scores)[0]) for a, b in pairs]
    scales, span = _scales(full), max(scores) - min(scores)
    total = sum(sum(_gaps(pair, scores, scale)) for pair, scale in zip(full, scales, strict=True))
    gains = (
        (span * (scale // n), absent)
        for pair, full_pair, scale in zip(pairs, full, scales, strict=True)
        for x, y in zip(pair, full_pair, strict=True)
        for n, absent in zip(y.trials.tolist(), x.absent.tolist(), strict=True)
    )
    return sum(x.missing for pair in pairs for x in pair), _fewest_gains(total, gains) if lead else 0


def _fewest_gains(total: int, gains: Iterable[tuple[int, int]]) -> int | None:
    """The fewest gains that reach a total; None if all together do not. gains: pairs (gain, how many there are)."""
    used = 0
    for gain, times in sorted((x for x in gains if x[0] > 0 and x[1]), reverse=True):
        if total <= 0:
            break
        take = min(times, -(-total // gain))
        used, total = used + take, total - take * gain
    return used if total <= 0 else None
