"""Pass@k and Pass^k for k above the number of trials: the identified band, and a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from .. import arguments
from ..arguments import Missing
from ..arithmetic import double_double
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import Table, Triple, add, div, get, mul, sub, times_2_to
from ..errors import InvalidInput
from ..inference import identified, zero_inflated, zero_inflated_limits
from ..inference.identified import Successes
from ..metrics.metric import Metric, metrics_for, read_metric
from ..outcomes.checks import answered
from ..outcomes.counts import Counts
from ..outcomes.tally import Outcomes, count
from ..results import Extrapolation, MetricName, ModelExtrapolation

EXTRAPOLATED = metrics_for("beyond")  # names of the metrics
MOST_TRIALS = 50_000  # of a question to which a model is fitted
Limits = tuple[float, float, float]  # value, lo, hi
INFLATED = ("zero-inflated beta-binomial", "one-inflated beta-binomial")  # the models of Pass@k and of Pass^k


def extrapolate(
    R: Outcomes,
    metric: MetricName,
    k: SupportsIndex,
    *,
    confidence: float = 0.95,
    more: Outcomes | None = None,
    missing: Missing = "raise",
) -> Extrapolation:
    """Pass@k or Pass^k for k above the number of trials, without a model: the identified band and limits that cover it.

    n trials do not determine Pass@k for k > n, however many questions there are: questions that were never solved may
    have a rate of 0 or a small one. So all values in a band are consistent with the data; the limits cover the band and
    account for sampling error.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes. Questions without a trial are left out. The band uses as many trials as all questions with at most two
        successes (Pass^k: failures) have, but at most k; other questions may have fewer.
    metric : {"pass_at_k", "pass_hat_k"}
        Also "pass@k", "pass^k".
    k : int
        More than the fewest trials of any question; otherwise use :func:`interval`.
    confidence : float in (0, 1)
        Nominal coverage of the limits.
    more : array_like or Counts, optional
        Further trials of the same questions, row by row, that were run because of R, on questions with few successes,
        as :func:`extrapolate_model` advises. Some questions may have no further trial. Keep them out of R everywhere
        else: a plain average over both is biased, since only questions with few successes were tried again.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    Extrapolation
        (lower, upper, low, high, unsolved, n): the ends of the band, the limits, the number of questions without a
        success (Pass^k: without a failure), and the trials per question that the band is based on.

    Raises
    ------
    InvalidInput
        An argument is invalid; range: k is not above the fewest trials of any question.

    Notes
    -----
    With f_j the expected number of questions with j successes in n trials: upper of Pass@k follows from f_0 and f_1,
    since the moments of a distribution are log-convex; lower from f_0, f_1 and f_2 (Chao's bound). The band of Pass^k
    is 1 minus that of Pass@k with successes and failures exchanged. The limits are valid for this question set and for
    the population of similar questions. Pass@k cannot fall with k, nor can its limits: the lower limit at a smaller k
    is valid at any larger k. At 95% the limits covered in 96% to 100% of simulations of each distribution of
    bench/extrapolate.py. Where the value is nearly 0 or 1 they miss it in up to 13% of samples, with 100 questions by
    more than 0.001 in up to 4%. They are wide where many questions are unsolved, and more trials of those narrow them
    most: :func:`extrapolate_model` computes how many. Not valid if trials are not independent (temperature 0, caches).

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.extrapolate([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], "pass_at_k", 8)
    >>> [round(x, 3) for x in r[:4]], r.unsolved, r.n
    ([0.832, 0.898, 0.303, 0.999], 1, 4)
    """
    m = read_metric(metric, k, None, None, EXTRAPOLATED)
    z = normal_z(arguments.confidence(confidence))
    return extrapolation(band(successes(R, m, missing, more), m.k, z), m)


def extrapolate_model(
    R: Outcomes,
    metric: MetricName,
    k: SupportsIndex,
    *,
    width: float | None = None,
    confidence: float = 0.95,
    more: Outcomes | None = None,
    missing: Missing = "raise",
) -> ModelExtrapolation:
    """Pass@k or Pass^k for k above the number of trials, under a maximum-likelihood model of the success rates.

    The model is beta-binomial: the rates of the questions are a sample from a beta distribution. A zero-inflated model,
    in which a share of the questions has a rate of exactly 0 (Pass^k: exactly 1), takes its place where twice the log
    likelihood ratio of the two is above z^2 (3.84 at 95%). Otherwise the limits span those of both models. Limits are
    cut off at those of :func:`extrapolate`; if the value is outside these, the model does not fit, and value, lo and hi
    are None.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes. Questions without a trial are left out.
    metric : {"pass_at_k", "pass_hat_k"}
        Also "pass@k", "pass^k".
    k : int
        More than the fewest trials of any question; otherwise use :func:`interval`.
    width : float in (0, 1), optional
        Largest width that the limits of :func:`extrapolate` should have; ``trials_needed`` further trials of each of
        ``n_questions`` questions would narrow them to it.
    confidence : float in (0, 1)
        Nominal coverage of the limits, if one of the two models is right, and of those of :func:`extrapolate`.
    more
        As in :func:`extrapolate`.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    ModelExtrapolation
        (value, lo, hi, model, alpha, beta, atom, ratio, fit, trials_needed, n_questions), described at
        :class:`scorio.results.ModelExtrapolation`; value, lo and hi are None if the model does not fit.

    Raises
    ------
    InvalidInput
        An argument is invalid; undefined: no model can be fitted, since all outcomes are equal or no question has two
        trials; range: a question has more than 50,000 trials.

    Notes
    -----
    The likelihood is maximised with 100 bits. The limits are the least and the largest value over models around the
    maximum: with two parameters the corners of an octagon that contains the ellipse given by the information matrix.
    These models are the same at every k, so that no limit of Pass@k falls with k. The limits are for the population of
    similar questions. Coverage (bench/extrapolate.py) is 83% to 98% under the two models (68% to 100% for the value on
    the same questions), and has no lower bound under others: with log-uniform rates the limits covered in 0 of 80 runs
    (16 trials, k = 1024), and ``fit`` saw that in at most 31%. Report the band of :func:`extrapolate`, which needs no
    model, and this value second.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0] * 8] * 5 + [[1] + [0] * 7] * 3 + [[1] * 3 + [0] * 5] * 4 + [[1] * 7 + [0]] * 4
    >>> r = eval.extrapolate_model(R, "pass@k", 32, width=0.45)
    >>> r.model, round(r.value, 3), round(r.lo, 3), round(r.hi, 3)
    ('beta-binomial', 0.828, 0.57, 0.972)
    >>> r.trials_needed, r.n_questions
    (7, 8)
    """
    m = read_metric(metric, k, None, None, EXTRAPOLATED)
    if width is not None:
        width = arguments.confidence(width, name="width")
    z = normal_z(arguments.confidence(confidence))
    s = successes(R, m, missing, more)
    if not can_fit(s):
        raise InvalidInput("undefined", "R", "no model fits outcomes that are all equal or questions of one trial each")
    if (n := int(s.n.max())) > MOST_TRIALS:
        what = f"R has a question of {n} trials, more than the {MOST_TRIALS} that a model is fitted to"
        raise InvalidInput("range", "R", f"{what}: extrapolate(), which needs no model, takes any number")
    beta_binomial, inflated, ratio, inflated_is_better = fitted_models(s, z)
    model = inflated if inflated_is_better and inflated is not None else beta_binomial
    table, frequencies = band(s, m.k, z)
    limits = model_limits(beta_binomial, inflated, inflated_is_better, m, z)
    value, lo, hi = in_band(limits, table, m) or (None, None, None)
    trials = None
    if width is not None:
        current_width = double_double.value(sub(get(table, 3), get(table, 0)))
        trials = 0 if current_width <= width else zero_inflated_limits.more_trials(frequencies, m.k, model, width, z)
    a, b, _ = zero_inflated.shapes(model.v, model.s)
    alpha, beta = (double_double.value(x) for x in ((a, b) if is_pass_at_k(m) else (b, a)))
    atom = double_double.value(div(model.o, add(double_double.ONE, model.o)))
    name = model_name(m, inflated_is_better)
    fit = zero_inflated_limits.goodness_of_fit(s, model, 3 if inflated_is_better else 2)
    n_few = int(s.mult[s.c <= identified.FEW].sum())
    return ModelExtrapolation(
        value, lo, hi, name, alpha, beta, atom, double_double.value(ratio), fit, trials, n_few
    )  # fmt: skip


def fitted(counts: Counts, metric: str, ks: Sequence[int], confidence: float) -> tuple[str, list[Limits]]:
    """Name of the fitted model, and (value, lo, hi) at each k; ("", []) if none can be fitted or it misfits at a k.

    ks: increasing, all above the fewest trials of a question.
    """
    metrics = [read_metric(metric, k, None, None, EXTRAPOLATED) for k in ks]
    s, z = successes(counts, metrics[0], "raise"), normal_z(arguments.confidence(confidence))
    if not can_fit(s):
        return "", []
    beta_binomial, inflated, _, inflated_is_better = fitted_models(s, z)
    by_k = [model_limits(beta_binomial, inflated, inflated_is_better, m, z) for m in metrics]
    cut_by_k = [in_band(x, band(s, m.k, z)[0], m) for x, m in zip(by_k, metrics, strict=True)]
    limits_by_k = [x for x in cut_by_k if x is not None]
    if len(limits_by_k) < len(metrics):
        return "", []
    return model_name(metrics[0], inflated_is_better), limits_by_k


def can_fit(s: Successes) -> bool:
    """Whether outcomes differ, and some question has two trials."""
    return int(s.n.max()) > 1 and bool(s.c.any()) and bool((s.c < s.n).any())


def model_name(m: Metric, inflated: bool) -> str:
    """The name of the fitted model that is used."""
    return INFLATED[0 if is_pass_at_k(m) else 1] if inflated else "beta-binomial"


def is_pass_at_k(m: Metric) -> bool:
    """Whether the metric is Pass@k; for Pass^k successes and failures are exchanged."""
    return m.name == "pass_at_k"


def successes(R: Outcomes, m: Metric, missing: Missing, more: Outcomes | None = None) -> Successes:
    """Successes (for Pass^k failures) of the questions in R and `more`; k must be above the fewest trials."""
    combined = count(R, 1, missing)
    if more is not None:
        further = count(more, 1, missing, name="more")
        if further.M != combined.M:
            raise InvalidInput("shape", "more", f"more has {further.M} questions, R has {combined.M}")
        combined = combined + further
    (counts,), _ = answered("R", combined)
    if m.k <= counts.min_trials:
        hint = "interval(), or on the command line scorio evaluate, gives the value"
        message = f"k = {m.k} is not above the fewest trials of a question, {counts.min_trials}: {hint}"
        raise InvalidInput("range", "k", message)
    s = counts.states()
    return Successes(s.n, s.c if is_pass_at_k(m) else s.n - s.c, s.mult)


def band(s: Successes, k: int, z: Triple) -> tuple[Table, identified.Frequencies]:
    """The band with its limits, and the frequencies that it is computed from.

    Rows 0..3 of the table are (low, lower, upper, high) of Pass@k, rows 4..7 are 1 minus each of these.
    """
    n, out = identified.horizon(s, k), np.zeros((8, 3))
    f = identified.frequencies(s, n)
    identified.band(f.M, n, k - n, f.solved, f.f0, f.f1, f.f2, z, out)
    return out, f._replace(unsolved=int(s.mult[s.c == 0].sum()))


def in_band(x: Limits, table: Table, m: Metric) -> Limits | None:
    """The (value, lo, hi) cut to the limits of the band; None if the value is outside: the model does not fit."""
    low, high = (double_double.value(get(table, i)) + 0.0 for i in ((0, 3) if is_pass_at_k(m) else (7, 4)))
    value, lo, hi = x
    return (value, max(lo, low), min(hi, high)) if low <= value <= high else None


def extrapolation(x: tuple[Table, identified.Frequencies], m: Metric) -> Extrapolation:
    """The result of extrapolate() from a table of band(); for Pass^k, 1 minus the band of the failures."""
    table, f = x
    rows = (1, 2, 0, 3) if is_pass_at_k(m) else (6, 5, 7, 4)
    lower, upper, low, high = (double_double.value(get(table, i)) + 0.0 for i in rows)
    return Extrapolation(lower, upper, low, high, f.unsolved, f.n)


def fitted_models(s: Successes, z: Triple) -> tuple[Any, Any, Triple, bool]:
    """The beta-binomial and the inflated model, twice their log likelihood ratio, and whether that is above z^2."""
    beta_binomial = zero_inflated.fit_beta_binomial(s)
    inflated = zero_inflated.fit_zero_inflated(s, beta_binomial)
    if inflated is None:
        return beta_binomial, None, double_double.ZERO, False
    ratio = times_2_to(zero_inflated.gain(inflated, beta_binomial), 1.0)
    return beta_binomial, inflated, ratio, sub(ratio, mul(z, z))[0] > 0.0


def model_limits(beta_binomial: Any, inflated: Any, inflated_is_better: bool, m: Metric, z: Triple) -> Limits:
    """The (value, lo, hi) of the inflated model if it is better; else the beta-binomial value, and limits over both."""
    estimates = [limits_under(x, m, z) for x in (beta_binomial, inflated) if x is not None]
    if inflated_is_better:
        return estimates[1]
    return estimates[0][0], min(x[1] for x in estimates), max(x[2] for x in estimates)


def limits_under(model: Any, m: Metric, z: Triple) -> Limits:
    """The (value, lo, hi) under one model."""
    out = np.zeros((6, 3))  # rows: Pass@k, 1 minus it, the limits of Pass@k, and 1 minus each of these
    zero_inflated_limits.limits(model.v, model.s, model.o, model.free, model.information, m.k, z, out)
    value, lo, hi = (double_double.value(get(out, i)) for i in ((0, 2, 3) if is_pass_at_k(m) else (1, 5, 4)))
    return value, lo, hi
