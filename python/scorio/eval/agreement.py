"""Agreement of raters, or of calls of a judge, on the same items; the mean human score from a judge's verdicts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np

from .. import arguments
from ..arguments import Missing, Reals
from ..arithmetic.distributions import normal_z
from ..arithmetic.double_double import ONE, add, ext, from_fraction, mul, over_common_denominator, root, sub, value
from ..errors import InvalidInput
from ..inference import judges as selection
from ..inference.agreement import RatingTable, Scale, alpha, interval, rating_table, unweighted
from ..inference.degrees_of_freedom import smaller
from ..inference.judges import estimate, read
from ..inference.variance import larger
from ..outcomes.models import check_flat
from ..outcomes.tally import LARGEST_CATEGORY, Outcomes, count
from ..outcomes.verdicts import cells, outputs, ratings
from ..results import JudgedInterval, JudgeTarget, LabelCheck, shown_as_table


@shown_as_table
class Agreement(NamedTuple):
    """Coefficients of agreement, the interval of Krippendorff's alpha, and the numbers of items and ratings."""

    percent_agreement: float
    fleiss_kappa: float | None
    ac1: float | None
    alpha: float | None
    lo: float | None
    hi: float | None
    items: int
    ratings: int
    dropped: list[int]


def agreement(
    R: Outcomes,
    w: Reals | None = None,
    *,
    confidence: float = 0.95,
    missing: Missing = "raise",
) -> Agreement:
    """Agreement of raters on the same items: percent agreement, Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

    The raters of an item may be people, judges, or repeated calls of one judge.

    Parameters
    ----------
    R : array_like, shape (M, raters), or Counts
        Category 0, 1, 2, ... that each rater gave each item; or how often each item got each category. Which rater
        gave which rating does not matter: for that see :func:`cohen_kappa`.
    w : array_like, shape (C+1,), optional
        Score of each category. Alpha then weighs a disagreement by the squared difference of the scores; without
        scores all disagreements count the same. The other coefficients never use scores.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    missing : {"raise", "drop"} or int
        Missing ratings are an error ("raise"), are left out, so that items may have different numbers of ratings
        ("drop"), or count as this category (int).

    Returns
    -------
    Agreement
        - percent_agreement: the share of the pairs of ratings of an item that agree, in 0..1, averaged over items;
        - fleiss_kappa, ac1, alpha: agreement corrected for chance, 1 if all agree. None where all
          ratings are the same category (for alpha with w: have the same score), which leaves them undefined;
        - lo, hi: confidence interval of alpha of these raters in the population of similar items; None where alpha is;
        - items, ratings: how many were used;
        - dropped: the indices of the items with fewer than two ratings, which are left out.

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no item has two ratings.

    Notes
    -----
    Source: spec/families/agreement.md; Fleiss (1971), Gwet (2008), Krippendorff (1970). Categories that no rater chose
    do not count. The interval assumes that items are independent, and that an item's number of ratings does not depend
    on the ratings; raters are not sampled: for other raters, of different severity, one panel of them gave intervals
    that covered in 87% to 89%. The interval has the values of alpha that at least one of two t tests does not reject.
    Each test adds one item to the data: its ratings are all of the rarest category, or split between that and the most
    frequent one (with w: all of the extreme score that is farther from the mean, or split between the two extremes; a
    third test if both are equally far). The interval is wide where one category is rare, as for 30 items with two
    ratings each, nine tenths of them of one category.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.agreement([[1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]])
    >>> round(r.alpha, 4), round(r.lo, 4), round(r.hi, 4), round(r.percent_agreement, 4)
    (0.6806, 0.002, 1.0, 0.8333)
    """
    confidence = arguments.confidence(confidence)
    scores = None if w is None else arguments.category_scores(w)
    check_flat(R, "R")
    counts = count(R, None if scores is None else len(scores) - 1, missing, has_scores=scores is not None)
    usable = np.flatnonzero(counts.trials >= 2)
    if not usable.size:
        raise InvalidInput("no_trials", "R", "no item of R has two ratings, so none can agree")
    scale = Scale(None if scores is None else over_common_denominator(scores)[0])
    table = rating_table(Counter(map(tuple, counts.table[usable].tolist())), scale)
    a = alpha(table)
    percent, kappa, ac1 = unweighted(table)
    return Agreement(
        value(from_fraction(percent)), _double(kappa), _double(ac1), _double(a), *_alpha_interval(table, a, confidence),
        int(usable.size), int(counts.trials[usable].sum()), np.flatnonzero(counts.trials < 2).tolist(),
    )  # fmt: skip


def cohen_kappa(R: Any, w: Reals | None = None, *, missing: Missing = "raise") -> float | None:
    """Cohen's kappa: the agreement of two raters, who may use the categories differently, corrected for chance.

    Parameters
    ----------
    R : array_like, shape (M, 2)
        Category 0, 1, 2, ... that each of the two raters gave each item, a column for each rater.
    w : array_like, shape (C+1,), optional
        Score of each category: disagreements weigh by the squared difference of the scores (quadratic weights for
        equally spaced ones). Default: all disagreements count the same.
    missing : {"raise", "drop"} or int
        Missing ratings are an error ("raise"), leave their items out ("drop"), or count as this category (int).

    Returns
    -------
    float or None
        At most 1; None where both raters gave one and the same category (or score) throughout.

    Raises
    ------
    InvalidInput
        An argument is invalid; type: R is Counts, which do not record who rated; shape: R does not have two columns;
        no_trials: no item has two ratings.

    Notes
    -----
    Cohen (1960, 1968). :func:`agreement` is for any number of raters who may differ from item to item; its alpha,
    which comes with a confidence interval, is close to kappa where both raters use the categories alike.

    Examples
    --------
    >>> from scorio import eval
    >>> judge, human = [1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0, 1, 0]
    >>> eval.cohen_kappa(list(zip(judge, human)))
    0.5294117647058824
    """
    scores = None if w is None else arguments.category_scores(w)
    C = LARGEST_CATEGORY if scores is None else len(scores) - 1
    arguments.policy(missing, C)
    A = ratings(R, None if scores is None else C, missing, "R", has_scores=scores is not None)
    if A.shape[1] != 2:
        raise InvalidInput("shape", "R", f"R has {A.shape[1]} columns: it needs two, one for each rater")
    pairs = Counter(map(tuple, A[(A >= 0).all(axis=1)].tolist()))  # a negative rating is missing
    if not pairs:
        raise InvalidInput("no_trials", "R", "no item of R has two ratings, so none can agree")
    d = Scale(None if scores is None else over_common_denominator(scores)[0]).distance
    first_rater, second_rater = (Counter[int]() for _ in range(2))
    for (x, y), k in pairs.items():
        first_rater[x] += k
        second_rater[y] += k
    expected = sum(k * m * d(x, y) for x, k in first_rater.items() for y, m in second_rater.items())
    observed = sum(k * d(x, y) for (x, y), k in pairs.items())
    return _double(1 - Fraction(observed * pairs.total(), expected)) if expected else None


def _alpha_interval(table: RatingTable, a: Fraction | None, confidence: float) -> tuple[float | None, float | None]:
    """The confidence interval of alpha, extended to contain the estimate."""
    if a is None:
        return None, None
    low, high = interval(table, confidence)  # of 1 - alpha
    return value(smaller(sub(ONE, high), from_fraction(a))), value(larger(sub(ONE, low), from_fraction(a)))


def _double(x: Fraction | None) -> float | None:
    """The double nearest to a fraction; None stays None."""
    return None if x is None else value(from_fraction(x))


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
