"""Questions that regressed or improved between two runs, in all benchmarks at one false-discovery rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from math import comb
from typing import ClassVar, Literal, get_args

from .. import arguments
from .. import items as item_analysis
from ..io.evaluation import EvaluationData
from ..items.changes import Alternative, Change, Status
from ..outcomes.counts import Counts
from .compare import Verdict, all_shared, check_pair, compare, two_models
from .items import binary_counts
from .records import HIDDEN
from .result import Result, about_of

STATUSES = get_args(Status)


@dataclass(frozen=True)
class Row:
    """A question before and after; the fields are those of :class:`scorio.items.Change`.

    Attributes
    ----------
    benchmark : str
    question : str
        Id of the question in the log.
    """

    benchmark: str
    question: str
    c_old: int
    n_old: int
    c_new: int
    n_new: int
    p_value: float
    p_adjusted: float
    status: Status


@dataclass(frozen=True, kw_only=True)
class Changes(Result):
    """Questions before and after, those with the strongest evidence of a change first.

    Attributes
    ----------
    old, new : str
        The two models, or the two runs of a model.
    fdr : float
        False-discovery rate: the expected share of errors among the questions named "regressed" or "improved".
    alternative : {"two-sided", "regressed"}
    counts : mapping of str to int
        How many questions have each status.
    trials_needed : int
        Smallest number of trials before, and as many after, with which a question that always passed and now always
        fails can be named "regressed".
    nameable : bool
        Whether some question has enough trials to be named "regressed" if it always passed and now always fails.
    average : tuple of Verdict
        Whether the average changed, new minus old: on these questions, then on similar ones, where the data allow both.
    fail_on : str or None
        "regressed": the command fails (exit code 1) if a question regressed.
    most : int
        Largest number of questions that are shown.
    """

    schema: ClassVar[str] = "scorio.changes/2"
    computed: ClassVar[tuple[str, ...]] = (
        "unshared_questions",
        "exit_code",
    )
    old: str
    new: str
    fdr: float
    alternative: Alternative
    counts: Mapping[str, int]
    trials_needed: int
    nameable: bool
    table: tuple[Row, ...]
    average: tuple[Verdict, ...]
    fail_on: Literal["regressed"] | None
    most: int = field(metadata={HIDDEN: True})

    @property
    def exit_code(self) -> Literal[0, 1]:  # type: ignore[override]
        """Exit code of the command: 1 if ``fail_on`` is stated and a question regressed, else 0."""
        return 1 if self.fail_on is not None and self.counts[self.fail_on] > 0 else 0

    @property
    def regressed(self) -> tuple[Row, ...]:
        """The questions that regressed."""
        return tuple(row for row in self.table if row.status == "regressed")

    def to_junit(self) -> str:
        """Test report in JUnit's XML: a test case for each question, which fails if the question regressed."""
        return str(import_module("scorio.render.junit").changes(self))


def changes(
    e: EvaluationData,
    old: str,
    new: str,
    *,
    fdr: float = 0.05,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    fail_on: Literal["regressed"] | None = None,
    most: int = 20,
    shared: bool = False,
) -> Changes:
    """Find the questions that regressed or improved from one model, or one run, to another.

    Parameters
    ----------
    e : Evaluation
        Binary outcomes.
    old, new : str
        The two models. Two logs of one model m are joined under two names: ``a.renamed({"m": "old"}) + b``.
    fdr : float in (0, 1)
        False-discovery rate over the questions of all benchmarks: the expected share of errors among the questions
        named "regressed" or "improved".
    alternative : {"two-sided", "regressed"}
        Test for changes in both directions, or for regressions alone, which has more power.
    confidence : float in (0, 1)
        1 - confidence is the level at which the averages are compared.
    fail_on : {"regressed"}, optional
        The exit code of the result is 1 if a question regressed.
    most : int
        Largest number of questions that are shown; the result has all.
    shared : bool
        Test the questions that both models answered although one of them answered others too, which is refused
        otherwise.

    Returns
    -------
    Changes

    Raises
    ------
    InvalidInput
        An argument is invalid; choice: an unknown model; empty: no shared question; missing: one of them did
        not answer a question of the other; conflict: outcomes are not binary.
    """
    confidence, most = arguments.confidence(confidence), arguments.integer(most, "most", 1)
    if fail_on is not None:
        arguments.choice(fail_on, "fail_on", ("regressed",))
    old, new = two_models(e, old, new)
    common, pair = all_shared(e, old, new), check_pair(e, old, new, shared)
    rows = _rows(common, old, new, fdr, alternative)
    tally = Counter(row.status for row in rows)
    sizes = {(x.n_old, x.n_new) for x in rows}
    return Changes(
        about=about_of(common, confidence=confidence, pair=pair), old=old, new=new, fdr=fdr,
        alternative=alternative,
        counts={x: tally[x] for x in STATUSES}, trials_needed=_trials_needed(fdr, alternative),
        nameable=any(_can_be_named(*x, fdr, alternative) for x in sizes), table=tuple(rows),
        average=compare(common, new, old, confidence=confidence).verdicts, fail_on=fail_on, most=most,
    )  # fmt: skip


def regressions(e: EvaluationData, old: str, new: str, fdr: float) -> tuple[Row, ...]:
    """Questions that regressed, at this false-discovery rate; improvements are not tested."""
    return tuple(row for row in _rows(e, old, new, fdr, "regressed") if row.status == "regressed")


def _rows(e: EvaluationData, old: str, new: str, fdr: float, alternative: Alternative) -> list[Row]:
    """Rows of the questions of all benchmarks, those with the strongest evidence of a change first."""
    questions = [(name, q, counts, i) for name, (counts, ids) in binary_counts(e).items() for i, q in enumerate(ids)]

    def pooled(model: str) -> Counts:
        """Counts of a model on the questions of all benchmarks."""
        # category_counts begins with category 1: its first column has the successes
        cells = ((counts[model].category_counts[i, 0], counts[model].trials[i]) for _, _, counts, i in questions)
        return Counts.from_successes(*zip(*cells, strict=True))

    results = item_analysis.changes(pooled(old), pooled(new), fdr=fdr, alternative=alternative)
    return [
        Row(*questions[x.question][:2], x.c_old, x.n_old, x.c_new, x.n_new, x.p_value, x.p_adjusted, x.status)
        for x in sorted(results, key=_sort_key)
    ]


def _sort_key(x: Change) -> tuple[float, float, int, int]:
    """Sort key of changes: adjusted p-value, p-value, place of the status in STATUSES, question."""
    return x.p_adjusted, x.p_value, STATUSES.index(x.status), x.question


def _can_be_named(n: int, m: int, fdr: float, alternative: Alternative) -> bool:
    """Whether a question of n trials before and m after can be named "regressed".

    The step-up procedure for discrete p-values then has p/(1 - p) <= fdr for the smallest possible p-value p.
    """
    extreme_tables = 2 if n == m and alternative == "two-sided" else 1
    return comb(n + m, n) - extreme_tables >= extreme_tables / Fraction(fdr)


def _trials_needed(fdr: float, alternative: Alternative) -> int:
    n = 1
    while not _can_be_named(n, n, fdr, alternative):
        n += 1
    return n
