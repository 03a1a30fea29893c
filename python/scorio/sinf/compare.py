"""Two models: their difference, with its uncertainty."""

from __future__ import annotations

from typing import NamedTuple

from .. import arguments
from ..arguments import Policy, Reals
from ..arithmetic.double_double import add, clip, ext, mul, sub, value
from ..display.html import of_tuple
from ..inference.difference import on_different, on_same, quantile
from ..inference.estimate import ask, pair
from ..outcomes.tally import Outcomes


class Comparison(NamedTuple):
    """metric(A) - metric(B), its standard error and interval, P(A > B), and how the variance was obtained."""

    mu: float
    sigma: float
    lo: float
    hi: float
    p_above: float
    variance_source: str
    dropped: list[int]

    def _repr_html_(self) -> str:
        return of_tuple(self)


def compare(
    A: Outcomes,
    B: Outcomes,
    metric: str = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: str,
    confidence: float = 0.95,
    paired: bool = True,
    law: str | None = "beta",
    missing: Policy = "raise",
) -> Comparison:
    """The difference of two models with its confidence interval, and the probability that A is better.

    Parameters
    ----------
    A, B : array_like, shapes (M, N), or Counts
        Outcomes of two models on the same questions, row by row; numbers of trials may differ.
    metric, k, tau, w, law
        As in :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}
        What the interval is about: "fixed", this question set, accounting for trial-to-trial variance; "sampled", the
        population of similar questions, accounting for question-sampling variance as well.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    paired : bool
        False: A and B answered different questions of the same population, which needs "sampled".
    missing : {"raise", "drop"} or int
        Policy for absent outcomes. Questions without a trial of both models are left out and listed.

    Returns
    -------
    Comparison
        (mu, sigma, lo, hi, p_above, variance_source, dropped): the difference, its standard error and interval, in
        units of w; the probability that A is better; how the variance was obtained ("upper bound" for fixed questions
        with one trial, "beta-binomial" for fixed questions with fewer than 2k trials, else "measured").

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: A and B have different numbers of questions, or a single one where the variance
        between questions is needed; range: k above the trials of a question.

    Notes
    -----
    Defined in spec/README.md, "two models". Where every question of one model has a single trial, the trial-to-trial
    variance cannot be measured, and the interval is that of sampled questions; a second trial per question about halves
    it. p_above is a confidence, not a posterior: at 0.95 a one-sided test at the 5% level is just significant.

    Align the rows first: beyond the labels of data frames, only the numbers of questions can be checked. Do not compare
    the intervals of two models by eye: they may overlap where the difference is significant. Coverage is below nominal
    (87% to 90% for 95%) where the models differ on fewer than about three questions.

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> r = sinf.compare(A, B, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), round(r.p_above, 4)
    (0.3333, -0.2001, 0.8668, 0.8897)
    >>> r = sinf.compare(A, B, "pass@k", 2, questions="fixed")
    >>> round(r.mu, 4), r.variance_source
    (0.2222, 'beta-binomial')
    """
    confidence = arguments.confidence(confidence)
    asked = ask(metric, k, tau, w, questions, law)
    x, m = pair(asked, A, B, ("A", "B"), paired, missing), asked.m
    d = on_same(x.a, x.b, asked.sampled, "A") if x.paired else on_different(x.a, x.b)
    reach = mul(quantile(d.freedom, confidence, 2), d.deviation)
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, y)), -end, end) for y in (sub(d.D, reach), add(d.D, reach)))
    sigma = value(mul(unit, d.deviation))
    return Comparison(value(mul(unit, d.D)) + 0.0, sigma, lo, hi, value(d.p_above()), d.variance_source, x.dropped)
