"""Two models: how far apart, how sure."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import checks, noise
from ..errors import InvalidInput
from ..exact import whole
from ..models import check_flat, check_labels
from ..numerics import add, clip, div, ext, mul, root, sub, value
from ..pairs import common, on_different, on_same, quantile, triple
from ..tally import count


class Comparison(NamedTuple):
    """mean(A) - mean(B), its standard deviation and interval, P(A > B), and what the interval holds."""

    mu: float
    sigma: float
    lo: float
    hi: float
    p_above: float
    noise: str
    dropped: list[int]


def compare(
    A: Any,
    B: Any,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    paired: bool = True,
    missing: str | int = "raise",
) -> Comparison:
    """The difference of two mean scores, with an interval that holds it and the probability that A is above B.

    Parameters
    ----------
    A, B : array_like, shapes (M, N), or Counts
        Outcomes of two models, row by row on the same questions; trials need not be equally many.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
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
        (mu, sigma, lo, hi, p_above, noise, dropped), the first four in units of w. noise is "bound" where the data
        cannot tell the noise that was asked for (fixed questions with one trial).

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; shape: A and B of other numbers of questions, or a single one where the
        spread of questions is needed.

    Notes
    -----
    spec/README.md, "two models". Align the rows first: beyond the labels of data frames, equal numbers of questions
    are all that can be checked. Do not compare intervals of two models by eye: they may overlap where the difference is
    clear. Holds less (0.87 to 0.9 of 0.95) where fewer than about three questions tell the models apart.

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> r = sinf.compare(A, B, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), round(r.p_above, 4)
    (0.3333, -0.2001, 0.8668, 0.8897)
    """
    confidence = checks.confidence(confidence)
    sampled = checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    paired = checks.flag(paired, "paired")
    if not paired and not sampled:
        raise InvalidInput("conflict", "paired", 'paired=False, different questions, needs questions="sampled"')
    given, weights = w is not None, checks.weights(w)
    check_flat(A, "A")
    check_flat(B, "B")
    if paired:
        check_labels([A, B], "B")
    a, b = (count(x, len(weights) - 1, missing, name=n, w_given=given) for x, n in ((A, "A"), (B, "B")))
    U, span = noise.scale(whole(weights)[0])
    dropped: list[int] = []
    if paired:
        if b.M != a.M:
            raise InvalidInput("shape", "B", f"B has {b.M} questions, A has {a.M}: they must be the same ones")
        a, b, dropped = common(a, b, "A")
        d = on_same(a, b, U, span, sampled, "A", noise.parts(a, U, span), noise.parts(b, U, span))
    else:
        d = on_different(*(noise.parts(common(x, x, n)[0], U, span) for x, n in ((a, "A"), (b, "B"))))
    D, s = triple(d.D), root(triple(d.V))
    reach = mul(quantile(d.freedom, confidence, 2), s)
    unit = sub(ext(max(weights)), ext(min(weights)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (sub(D, reach), add(D, reach)))
    p = value(d.cdf(div(D, s)))
    return Comparison(value(mul(unit, D)) + 0.0, value(mul(unit, s)), lo, hi, p, d.noise, dropped)
