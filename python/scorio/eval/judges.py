"""The mean human score of outputs, from a judge's verdict on each and human labels of some."""

from __future__ import annotations

from typing import get_args

from .. import arguments
from ..arguments import Missing, Reals
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import add, ext, mul, root, value
from ..arithmetic.rational import from_fraction
from ..inference import labels as selection
from ..inference.judges import estimate, read
from ..outcomes.tally import Outcomes
from ..outcomes.verdicts import cells, outputs
from ..results import JudgedInterval, JudgeTarget, LabelCheck


def judged(
    verdicts: Outcomes,
    labels: Outcomes,
    w: Reals | None = None,
    *,
    questions: JudgeTarget,
    confidence: float = 0.95,
    missing: Missing = "raise",
) -> JudgedInterval:
    """The mean human score from the verdicts of a judge on every output and human labels of some outputs.

    A judge, such as a language model, errs: the mean of its verdicts is not the mean that people would give. The labels
    show how often each verdict is right, and the verdicts show how many outputs have each. The interval accounts for
    both.

    Parameters
    ----------
    verdicts : array_like, shape (M, N)
        The judge's verdict on each output: whole numbers in 0..255 of any meaning, a row for each question. They may
        be grades of a scale: if five or more occur, neighbouring grades are joined until each group has 10 labels (or
        half of all labels, if that is fewer). Questions without an output are left out and listed in ``dropped``.
    labels : array_like, shape (M, N)
        The human label of the same output: a category in 0..C; None or NaN where there is none.
    w : array_like, shape (C+1,), optional
        Score of each category of the labels; default (0, 1).
    questions : {"fixed", "sampled", "outputs"}
        What the interval is for: "fixed", the expected score on this question set; "sampled", the mean in the
        population of similar questions; "outputs", the mean of exactly these outputs, if all were labelled.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    missing : {"raise", "drop"} or int
        Missing verdicts are an error ("raise"), leave their outputs out ("drop"), or count as the verdict
        that this int states, which may be one that no output has.

    Returns
    -------
    JudgedInterval
        (mu, sigma, lo, hi, n_eff, variance_source, verdicts, outputs, labels, means, expected, dropped): the estimate,
        its standard error and interval, and statistics of each verdict. ``expected``, for
        :func:`scorio.sinf.labels_needed`, is the mean of the verdict, or of the grades joined with it, on the scale
        0..1, shrunk a little to its middle.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; empty: no output has a label; shape: verdicts and labels differ in shape.

    Notes
    -----
    spec/families/judges.md: post-stratification by verdict, Wilson's interval at the effective sample size. The
    labels of each verdict must be a random sample of the outputs with this verdict; the number of labels of each
    verdict is free (a simple random sample, equally many of each verdict, more of a rare one). If people chose which
    outputs of a verdict to label, for instance those of easy questions first, coverage falls (to between 60% and 90%
    if easy questions are three times as likely), and :func:`label_check` does not always see it.

    Measured coverage of 95% intervals is 92% or more where at least one label of each outcome is expected, that is
    labels * min(mean, 1 - mean) >= 1: 20 labels at a mean of 0.95, 50 at 0.98. With fewer it falls to 81% (10 labels, a
    mean of 0.99), and with grades of which the judge misses a rare one to 87% (5% of the outputs have grade 0, the
    others 3; the judge calls four fifths of the former 3; 50 labels). With 30 labels and a nearly perfect judge the
    interval is wide, and covered in every run. How many labels to get: :func:`scorio.sinf.labels_needed`.

    Examples
    --------
    >>> from scorio import eval
    >>> verdicts = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> labels = [[1, None, 0], [1, None, None], [None, 1, 0], [None, None, 0]]
    >>> r = eval.judged(verdicts, labels, questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.outputs, r.labels
    (0.5, 0.1876, 0.8124, [6, 6], [3, 3])
    """
    confidence = arguments.confidence(confidence)
    questions = arguments.choice(questions, "questions", get_args(JudgeTarget))
    (J,), scale = read([(verdicts, labels)], [("verdicts", "labels")], w, missing)
    x = estimate(J, questions)
    ends, low, high = x.ends(normal_z(confidence)), ext(scale.low), ext(scale.high)
    # ends: (lo, 1 - lo, hi, 1 - hi) on the scale 0..1
    lo, hi = (value(add(mul(ends[i + 1], low), mul(ends[i], high))) + 0.0 for i in (0, 2))
    return JudgedInterval(
        value(from_fraction(scale.of(J.theta))) + 0.0,
        value(root(from_fraction(x.V * scale.span**2))),
        lo,
        hi,
        value(x.n_eff) if x.n_eff is not None else float("inf"),
        J.source(questions),
        J.values,
        [g.outputs for g in J.rows],
        [g.labels for g in J.rows],
        [value(from_fraction(scale.of(g.average))) + 0.0 if g.labels else None for g in J.rows],
        [value(from_fraction(J.groups[p].shrunk(J.G)[0])) for p in J.place],
        J.x.dropped,
    )


def label_check(verdicts: Outcomes, labels: Outcomes, *, missing: Missing = "raise") -> LabelCheck:
    """Whether the labelled outputs look like a random sample of all outputs, or of those of each verdict.

    Parameters
    ----------
    verdicts, missing
        As in :func:`judged`; larger verdicts should mean better outputs.
    labels : array_like, shape (M, N)
        As in :func:`judged`, of any categories: only which outputs are labelled matters.

    Returns
    -------
    LabelCheck
        (verdicts, z_rate, p_rate, z_spread, p_spread, z_lean, p_lean). "rate": whether each verdict has its share of
        the labels, p-values two-sided and multiplied by the number of verdicts (Bonferroni); a small p-value is
        harmless. "spread": labels per question, one-sided: a small p-value means labels concentrated on few questions.
        "lean": whether within a verdict the labels went to outputs of questions whose other outputs have better (z > 0)
        or worse verdicts, two-sided: a small p-value means that the interval of :func:`judged` is not valid. None where
        no check is possible: all outputs are labelled, or there is only one verdict ("rate", "lean"), one question
        or one output per question ("spread", "lean"), or one output has a label, or all but one ("spread", where all
        questions have as many outputs), or within every verdict all outputs or none are labelled or the other verdicts
        on their questions have the same mean ("lean").

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; empty: no output has a label.

    Notes
    -----
    spec/families/judges.md. A check that finds nothing proves nothing: where labels go to easy questions three times
    as often as to hard ones, p_lean is below 0.05 in 50% to 90% of the cases. It compares questions, not the outputs of
    a question: where labels go to outputs that look wrong, or on which judges disagree, in only 7% to 43%. Sample the
    outputs to label at random, as ``scorio judge --draw`` does, and no check is needed.

    Examples
    --------
    >>> from scorio import eval
    >>> verdicts = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0]]
    >>> labels = [[1, 1, None], [1, None, 1], [None, None, 0], [None, None, None]]
    >>> r = eval.label_check(verdicts, labels)
    >>> round(r.z_lean, 4), round(r.p_lean, 4), round(r.p_spread, 4)
    (1.702, 0.0888, 0.426)
    """
    known = cells(verdicts, labels, None, missing, has_scores=False, names=("verdicts", "labels"))
    (x,) = outputs(known, names=[("verdicts", "labels")])
    G = len(x.values)
    rates = [s.z() for s in selection.rates(x)]
    spread, lean = selection.spread(x).z(), selection.lean(x).z()
    return LabelCheck(
        x.values,
        [None if z is None else value(z) for z in rates],
        [None if z is None else value(selection.two_sided(z, G)) for z in rates],
        None if spread is None else value(spread),
        None if spread is None else value(selection.upper(spread)),
        None if lean is None else value(lean),
        None if lean is None else value(selection.two_sided(lean, 1)),
    )
