"""Models whose outputs a judge has rated: their difference, and the human labels that an interval needs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, get_args

from .. import arguments
from ..arguments import Missing, Reals
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import add, clip, from_fraction, mul, sub, value
from ..errors import InvalidInput
from ..inference import judges as selection
from ..inference.difference import check_two_units
from ..inference.judges import difference, read
from ..outcomes.tally import Outcomes
from ..results import JudgeTarget, LabelDesign, VarianceSource, shown_as_table

MOST_OUTPUTS = 10**12  # the largest number of outputs with one verdict
NAMES = [("A", "labels_a"), ("B", "labels_b")]


@shown_as_table
class JudgedComparison(NamedTuple):
    """The difference of the mean human scores A - B, its standard error and interval, P(A > B), the decision."""

    mu: float
    sigma: float
    lo: float
    hi: float
    p_above: float
    significant: bool
    variance_source: VarianceSource
    dropped: list[int]


@shown_as_table
class LabelPlan(NamedTuple):
    """Human labels that are needed in all, and the share of them that goes to each verdict."""

    labels: int | None
    share: list[float]


def compare_judged(
    A: Outcomes,
    B: Outcomes,
    labels_a: Outcomes,
    labels_b: Outcomes,
    w: Reals | None = None,
    *,
    questions: JudgeTarget,
    confidence: float = 0.95,
    missing: Missing = "raise",
) -> JudgedComparison:
    """The difference of two models in mean human score, where a judge rated all outputs and people labelled some.

    The judge may err differently on the two models, as judges do: labels of both are needed, and the labels of one give
    no information on the other.

    Parameters
    ----------
    A, B : array_like, shapes (M, N)
        Verdicts on the outputs of two models on the same questions, row by row; numbers of outputs may differ.
    labels_a, labels_b : array_like, shapes as A and B
        Human labels of the same outputs: a category in 0..C; None or NaN where there is none.
    w : array_like, shape (C+1,), optional
        Score of each category of the labels; default (0, 1).
    questions : {"fixed", "sampled", "outputs"}
        The difference on this question set, in the population of similar questions, or of exactly these outputs.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    missing : {"raise", "drop"} or int
        Missing verdicts are an error ("raise"), leave their outputs out ("drop"), or count as this verdict (int).
        Questions on which a model has no verdict are left out and listed in dropped.

    Returns
    -------
    JudgedComparison
        (mu, sigma, lo, hi, p_above, significant, variance_source, dropped), the first four in units of w; p_above is
        P(A > B) under a normal distribution; significant says whether the interval excludes 0. variance_source is
        "upper bound" for fixed questions where a model has one output of each, else "measured".

    Raises
    ------
    InvalidInput
        An argument is invalid; empty: a model without a label; shape: different numbers of questions,
        verdicts and labels of different shapes, or a single question where the variance between them is needed.

    Notes
    -----
    spec/families/judges.md: square-and-add of the two Wilson intervals of :func:`scorio.eval.judged`, with the
    correlation of the models' scores over questions for sampled questions. Measured coverage 95% to 99%; a comparison
    of the verdicts alone covers in as few as 4% of runs. If a model has one output per question, the interval for fixed
    questions is that for sampled ones.

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]]
    >>> labels_a = [[1, None, 0], [1, None, None], [None, 1, 0], [None, None, 0]]
    >>> labels_b = [[1, None, None], [None, 1, 0], [0, None, None], [None, 0, None]]
    >>> r = sinf.compare_judged(A, B, labels_a, labels_b, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.significant
    (0.2778, -0.2555, 0.6388, False)
    """
    confidence = arguments.confidence(confidence)
    questions = arguments.choice(questions, "questions", get_args(JudgeTarget))
    (a, b), scale = read([(A, labels_a), (B, labels_b)], NAMES, w, missing)
    as_sampled = questions == "fixed" and (a.single or b.single)  # a model has one output per question
    if questions == "sampled" or as_sampled:
        check_two_units(a.M, "A")
    d = difference(a, b, "sampled" if as_sampled else questions, normal_z(confidence))
    D, span = from_fraction(d.D), from_fraction(scale.span)
    largest = scale.high - scale.low  # the largest possible difference
    lo, hi = sub(D, d.down), add(D, d.up)
    return JudgedComparison(
        value(from_fraction(d.D * scale.span)) + 0.0,
        value(mul(span, d.sigma)),
        clip(value(mul(span, lo)), -largest, largest),
        clip(value(mul(span, hi)), -largest, largest),
        value(d.p_above),
        lo[0] > 0.0 or hi[0] < 0.0,
        "upper bound" if as_sampled else "measured",
        a.x.dropped,
    )


def labels_needed(
    outputs: Any, means: Reals, *, half_width: float, design: LabelDesign = "random", confidence: float = 0.95
) -> LabelPlan:
    """Number of outputs that people must label to make the interval of :func:`scorio.eval.judged` narrow enough.

    Parameters
    ----------
    outputs : sequence of int
        How many outputs have each verdict.
    means : array_like, one for each verdict
        The mean human score that outputs of each verdict are expected to have, strictly between 0 and 1. From a first
        round of labels: ``expected`` of :func:`scorio.eval.judged`.
    half_width : float in (0, 1/2)
        Half the width of the interval, on the scale 0..1.
    design : {"random", "balanced", "neyman"}
        How the outputs to label are sampled: at random from all; equally many of each verdict; or more where verdicts
        are frequent and unreliable, which needs the fewest labels.
    confidence : float in (0, 1)
        Nominal coverage of the interval.

    Returns
    -------
    LabelPlan
        (labels, share): the number of outputs to label in all, or None if even labels of all outputs are too few;
        and the share of these labels that goes to outputs of each verdict.

    Raises
    ------
    InvalidInput
        An argument is invalid; length: different numbers of outputs and means.

    Notes
    -----
    spec/families/judges.md: the fewest labels n for which Wilson's interval with variance K/n + B is narrow enough, K/n
    the part that more labels reduce and B the part due to the verdicts, for one output per question. If human scores
    are not all 0 or 1, K is an upper bound. The plan ignores that a verdict may have fewer outputs than its share of
    labels: then label all of them.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.labels_needed([700, 300], [0.95, 0.3], half_width=0.05).labels
    170
    >>> n, share = sinf.labels_needed([700, 300], [0.95, 0.3], half_width=0.05, design="neyman")
    >>> n, [round(x, 3) for x in share]
    (149, [0.526, 0.474])
    """
    counts = arguments.integers(outputs, "outputs")
    p = arguments.vector(means, "means")
    h = arguments.real(half_width, "half_width")
    design = arguments.choice(design, "design", get_args(LabelDesign))
    confidence = arguments.confidence(confidence)
    if len(p) != len(counts):
        raise InvalidInput("length", "means", f"means has {len(p)} entries for {len(counts)} verdicts")
    for j, n in enumerate(counts):
        if not 1 <= n <= MOST_OUTPUTS:
            raise InvalidInput("range", "outputs", f"outputs[{j}] = {n} is outside 1..{MOST_OUTPUTS}")
    for j, x in enumerate(p):
        if not 0.0 < x < 1.0:
            raise InvalidInput("range", "means", f"means[{j}] = {x!r} is not strictly between 0 and 1")
    if not 0.0 < h < 0.5:
        raise InvalidInput("range", "half_width", f"half_width = {h!r} is not strictly between 0 and 1/2")
    return LabelPlan(*selection.needed(counts, [Fraction(x) for x in p], Fraction(h), design, confidence))
