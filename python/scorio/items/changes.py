"""Questions that regressed or improved between two runs, at a false-discovery rate."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

from .. import arguments
from ..arguments import Missing
from ..arithmetic.double_double import value
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..inference.fisher import Pair, Tests, adjusted, step_up
from ..outcomes.checks import answered
from ..outcomes.models import check_flat
from ..outcomes.pairing import paired
from ..outcomes.tally import Outcomes, count
from ..results import shown_as_table

Alternative: TypeAlias = Literal["two-sided", "regressed"]
Status: TypeAlias = Literal["regressed", "improved", "newly flaky", "no longer flaky", "flaky", "undecided", "stable"]
NAMES = ("old", "new")
MOST_TRIALS = 10**4  # largest number of trials of a question in one run
MOST_WORK = 2 * 10**8  # largest sum of n n' over different tests: their time, as n p-values have about n' bits


@shown_as_table
class Change(NamedTuple):
    """One question before and after: its successes c of n trials, the p-values of a change, and its status."""

    question: int
    c_old: int
    n_old: int
    c_new: int
    n_new: int
    p_value: float
    p_adjusted: float
    status: Status


def changes(
    old: Outcomes,
    new: Outcomes,
    *,
    fdr: float = 0.05,
    alternative: Alternative = "two-sided",
    missing: Missing = "raise",
) -> list[Change]:
    """Questions that regressed or improved between two runs, at a false-discovery rate.

    Parameters
    ----------
    old, new : array_like, shape (M, N), or Counts
        Binary outcomes before and after, of the same questions. The numbers of trials may differ, up to 10^4.
    fdr : float in (0, 1)
        False-discovery rate: the expected share of the questions named "regressed" or "improved" that did not change,
        or changed in the other direction.
    alternative : {"two-sided", "regressed"}
        Look for changes in both directions, or for regressions alone, with more power.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Questions
        without a trial in one of the runs are left out.

    Returns
    -------
    list of Change
        For each question with trials before and after, in order:

        - question: its index; c_old of n_old trials succeeded before, c_new of n_new after;
        - p_value: that of Fisher's exact test of equal success rates;
        - p_adjusted: the smallest fdr at which the question would be "regressed" or "improved"; 1 if there is none;
        - status: "regressed" or "improved" at this fdr; else "newly flaky" (trials agreed before, but not after), "no
          longer flaky" (the reverse), "flaky" (they agreed neither before nor after), "undecided" (they agreed before
          and after, on different outcomes), "stable" (all had the same outcome). A single trial does not show whether
          a question is flaky: if the other run has both outcomes, the question is "flaky".

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has trials before and after; range: more than 10^4 trials,
        or n n' summed over the tests that differ in n, n' or all successes is above 2 10^8.

    Notes
    -----
    Source: spec/families/changes.md. The step-up procedure of Döhler, Durand and Roquain (2018) for the discrete
    p-values of Fisher's tests. The rate is controlled for any number of trials if all trials are independent, within
    and between questions. With 4 to 16 trials it finds far more changes than the procedure of Benjamini and Hochberg,
    because it need not correct for questions that were nearly always or never solved, which cannot be named by mistake.
    With one trial before and after every p-value is at least 1/2: no question can be named, and
    :func:`scorio.sinf.compare` says whether the average changed.

    Examples
    --------
    >>> from scorio import items, Counts
    >>> old, new = (Counts.from_successes(c, [8] * 6) for c in ([8, 8, 7, 4, 8, 0], [0, 8, 2, 4, 3, 6]))
    >>> [(x.question, x.status, round(x.p_adjusted, 4)) for x in items.changes(old, new) if x.p_adjusted < 1]
    [(0, 'regressed', 0.0003), (2, 'regressed', 0.024), (4, 'regressed', 0.0184), (5, 'improved', 0.0044)]
    """
    level = arguments.confidence(fdr, name="fdr")
    one_sided = arguments.choice(alternative, "alternative", get_args(Alternative)) == "regressed"
    indices, pairs = _read(old, new, missing)
    _check_work(pairs)
    tests = Tests(pairs, one_sided)
    threshold = step_up(tests, level.as_integer_ratio())
    return [
        Change(
            j, *x, value(from_ratio(p, tests.unit)), value(from_ratio(*q)), _status(x, p <= threshold)
        )
        for j, x, p, q in zip(indices, pairs, tests.p, adjusted(tests), strict=True)
    ]  # fmt: skip


def _read(old: Outcomes, new: Outcomes, missing: Missing) -> tuple[list[int], list[Pair]]:
    """Indices of the questions that have trials before and after, with their successes and trials."""
    for x, name in zip((old, new), NAMES, strict=True):
        check_flat(x, name)
    counts = [count(x, 1, missing, name=name, has_scores=False) for x, name in zip((old, new), NAMES, strict=True)]
    (a, b), dropped = answered("old", *paired(counts, NAMES, NAMES.__getitem__, missing))
    for x, name in zip((a, b), NAMES, strict=True):
        if (largest := int(x.trials.max())) > MOST_TRIALS:
            what = f"a question of {name} has {largest:,} trials, more than the {MOST_TRIALS:,} of an exact test"
            raise InvalidInput("range", name, what)
    without_trials = set(dropped)
    indices = [j for j in range(a.M + len(dropped)) if j not in without_trials]
    columns = (x.tolist() for y in (a, b) for x in (y.category_counts[:, 0], y.trials))
    return indices, [Pair(*row) for row in zip(*columns, strict=True)]


def _check_work(pairs: list[Pair]) -> None:
    """Refuse tests that would take minutes: those with the same trials and successes in all are one test."""
    work = sum(n * m for n, m, _ in {(x.n_old, x.n_new, x.c_old + x.c_new) for x in pairs})
    if work > MOST_WORK:
        what = "trials of old times trials of new, summed over different tests,"
        reason = (
            f"{what} is {work:,}, more than the {MOST_WORK:,} of exact tests: test fewer questions or trials at once"
        )
        raise InvalidInput("range", "old", reason)


def _status(x: Pair, significant: bool) -> Status:
    """The status of a question: its change if significant, else how its outcomes vary before and after."""
    if significant:
        return "regressed" if x.c_old * x.n_new > x.c_new * x.n_old else "improved"
    mixed_before, mixed_after = 0 < x.c_old < x.n_old, 0 < x.c_new < x.n_new
    if mixed_before and mixed_after:
        return "flaky"
    if mixed_before or mixed_after:
        if (x.n_new if mixed_before else x.n_old) == 1:  # a single trial cannot be mixed
            return "flaky"
        return "no longer flaky" if mixed_before else "newly flaky"
    return "stable" if x.c_old * x.n_new == x.c_new * x.n_old else "undecided"
