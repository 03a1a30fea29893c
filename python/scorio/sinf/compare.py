"""Two models: how far apart, how sure."""

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
    """metric(A) - metric(B), its standard deviation and interval, P(A > B), and what the interval holds."""

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
    """The difference of two models, with an interval that holds it and the probability that A is above B.

    Parameters
    ----------
    A, B : array_like, shapes (M, N), or Counts
        Outcomes of two models, row by row on the same questions; trials need not be equally many.
    metric, k, tau, w, law
        As in :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}
        What the interval holds: the noise of the trials on these questions; or also the draw of the questions.
    confidence : float in (0, 1)
        Level of the interval.
    paired : bool
        False: A and B answered different questions of one kind, which needs "sampled".
    missing : {"raise", "drop"} or int
        Policy for absent outcomes. Questions without a trial on either side are left out and listed.

    Returns
    -------
    Comparison
        (mu, sigma, lo, hi, p_above, variance_source, dropped), the first four in units of w. variance_source is
        "upper bound" where the data cannot tell the variance that was asked for (fixed questions with one trial),
        "beta-binomial" where it rests on the model fitted to all questions (fixed, fewer than 2k trials).

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; shape: A and B of other numbers of questions, or a single one where the
        spread of questions is needed; range: k above the trials of a question.

    Notes
    -----
    spec/README.md, "two models". "fixed": would the difference on these same questions move with more trials?
    "sampled": the difference over all questions like these. Where every question of a side has one trial the noise of
    trials is not identified, and the interval is that of sampled questions; a second trial about halves it.

    Align the rows first: beyond the labels of data frames, equal numbers of questions are all that can be checked. Do
    not compare intervals of two models by eye: they may overlap where the difference is clear. Holds less (0.87 to 0.9
    of 0.95) where fewer than about three questions tell the models apart.

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
