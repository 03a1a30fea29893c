"""Agreement of raters, or of repeated calls of a judge, on the same items."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arguments import Missing, Reals
from ..arithmetic.double_double import ONE, sub, value
from ..arithmetic.rational import from_fraction, over_common_denominator
from ..errors import InvalidInput
from ..inference.agreement import RatingTable, Scale, alpha, interval, larger, rating_table, smaller, unweighted
from ..outcomes.models import check_flat
from ..outcomes.tally import LARGEST_CATEGORY, Outcomes, count
from ..outcomes.verdicts import ratings
from ..results import shown_as_table


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
