"""The difference of two models, with its confidence interval and p-value."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.double_double import Triple, sub, times_2_to, value
from ..inference.decision import rescaled_interval
from ..inference.difference import Difference
from ..inference.estimate import ALL_METRICS, pair, parse_request
from ..metrics.metric import Metric
from ..outcomes.models import check_flat
from ..outcomes.tally import Outcomes
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
