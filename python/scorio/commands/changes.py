"""``scorio changes`` and ``Evaluation.changes``: questions that regressed or improved between two runs, at one FDR."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from math import comb
from typing import ClassVar, Literal, get_args

from .. import arguments
from .. import items as item_analysis
from ..display.terms import level, p_value
from ..display.text import listed, number, printable, score_format
from ..errors import InvalidInput
from ..items.changes import Alternative, Status
from ..ledger import FOLDER
from ..outcomes.counts import Counts
from ..page import junit
from ..page.columns import names_column, p_values
from ..page.document import Block, Column, Document, Lines, Table
from ..readers.evaluation import EvaluationData
from ..readers.values import question_name
from . import notes, options
from .base import HIDDEN, OPTIONAL, Result, about_of
from .compare import all_shared, check_pair, compare, two_models, two_models_of
from .items import binary_counts
from .ledgers import add_ledger, failing_since, judge, open_ledger, pin_and_latest
from .notes import benchmarks, title
from .verdicts import Verdict, verdict

STATUSES = get_args(Status)
MOST = 20  # most questions named in a sentence
COUNTED_ONLY = ("flaky", "no longer flaky", "stable")  # statuses that are counted, not listed
MEANINGS = (
    "old, new: successes of all trials. p adjusted: the smallest false-discovery rate at which the question counts as "
    "regressed or improved, by Fisher's exact test and the step-up procedure of Döhler, Durand and Roquain for "
    "discrete p-values.",
    "newly flaky: all trials had the same outcome before, but not now; undecided: all had the same outcome before and "
    "all have the other one now, which is not significant (with --alternative regressed improvements are not tested).",
)


@dataclass(frozen=True)
class Row:
    """A question before and after; the fields are those of :class:`scorio.items.Change`.

    Attributes
    ----------
    benchmark : str
    question : str, id of the question in the log
    since : str or None
        With a ledger, of a question that regressed: the build from which on it fails. In this build and all later ones
        its share of successes is nearer to that of the latest build than to that of the pin.
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
    since: str | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class Changes(Result):
    """Questions before and after, those with the strongest evidence of a change first.

    Attributes
    ----------
    old, new : str; the two models, or the two runs of a model
    fdr : float, false-discovery rate: the expected share of errors among the questions named "regressed" or "improved"
    alternative : {"two-sided", "regressed"}
    counts : mapping of str to int, how many questions have each status
    trials_needed : int
        Smallest number of trials before, and as many after, with which a question that always passed and now always
        fails can be named "regressed".
    nameable : bool
        Whether some question has enough trials to be named "regressed" if it always passed and now always fails.
    average : tuple of Verdict
        Whether the average changed, new minus old: on these questions, then on similar ones, where the data allow both.
    fail_on : str or None, "regressed": the command fails (exit code 1) if a question regressed
    top : int, largest number of questions that are shown
    """

    schema: ClassVar[str] = "scorio.changes/2"
    computed: ClassVar[tuple[str, ...]] = ("unshared_questions", "exit_code")
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
    top: int = field(metadata={HIDDEN: True})

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
        cases = [
            junit.Case((f"{row.benchmark}: " if self.about.several else "") + question_name(row.question),
                       change_text(row), "regressed" if row.status == "regressed" else None) for row in self.table
        ]  # fmt: skip
        return junit.report("scorio changes", "scorio.changes", cases, notes.gaps(self.about))

    def document(self) -> Document:
        about = self.about
        rows = [row for row in self.table if row.status not in COUNTED_ONLY]
        blocks: list[Block] = [Lines([f"new  {printable(self.new)}", f"old  {printable(self.old)}"])]
        if rows:
            blocks.append(_table(rows[: self.top], about.several))
        if len(rows) > self.top:
            blocks.append(Lines([f"... and {number(len(rows) - self.top, 'more question')}"]))
        head = title(about, benchmarks(about), number(len(self.table), "shared question"))
        return Document(head, blocks, sentences(self), [*notes.repeated(about), *notes.gaps(about)], MEANINGS)


def changes(
    e: EvaluationData, new: str, old: str, *, fdr: float = 0.05, alternative: Alternative = "two-sided",
    confidence: float = 0.95, fail_on: Literal["regressed"] | None = None, top: int = 20, shared: bool = False,
) -> Changes:  # fmt: skip
    """Find the questions that regressed or improved from one model, or one run, to another.

    Parameters
    ----------
    e : Evaluation, binary outcomes
    new, old : str
        The two models, in the order of :meth:`gate`. Two logs of one model m are joined under two names:
        ``a.renamed({"m": "old"}) + b``.
    fdr : float in (0, 1)
        False-discovery rate over the questions of all benchmarks: the expected share of errors among the questions
        named "regressed" or "improved".
    alternative : {"two-sided", "regressed"}
        Test for changes in both directions, or for regressions alone, which has more power.
    confidence : float in (0, 1); 1 - confidence is the level at which the averages are compared
    fail_on : {"regressed"}, optional; the exit code of the result is 1 if a question regressed
    top : int, largest number of questions that are shown; the result has all
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
    confidence, top = arguments.confidence(confidence), arguments.integer(top, "top", 1)
    if fail_on is not None:
        arguments.choice(fail_on, "fail_on", ("regressed",))
    new, old = two_models(e, new, old)
    common, pair = all_shared(e, old, new), check_pair(e, old, new, shared)
    rows = _rows(common, old, new, fdr, alternative)
    tally = Counter(row.status for row in rows)
    sizes = {(x.n_old, x.n_new) for x in rows}
    return Changes(
        about=about_of(common, confidence=confidence, pair=pair), old=old, new=new, fdr=fdr, alternative=alternative,
        counts={x: tally[x] for x in STATUSES},
        trials_needed=next(n for n in count(1) if _can_be_named(n, n, fdr, alternative)),
        nameable=any(_can_be_named(*x, fdr, alternative) for x in sizes), table=tuple(rows),
        average=compare(common, new, old, confidence=confidence).verdicts, fail_on=fail_on, top=top,
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
        for x in sorted(results, key=lambda x: (x.p_adjusted, x.p_value, STATUSES.index(x.status), x.question))
    ]


def _can_be_named(n: int, m: int, fdr: float, alternative: Alternative) -> bool:
    """Whether a question of n trials before and m after can be named "regressed".

    The step-up procedure for discrete p-values then has p/(1 - p) <= fdr for the smallest possible p-value p.
    """
    extreme_tables = 2 if n == m and alternative == "two-sided" else 1
    return comb(n + m, n) - extreme_tables >= extreme_tables / Fraction(fdr)


def sentences(x: Changes) -> list[str]:
    """Sentences: how many questions changed, how many trials are needed, whether the average changed."""
    size = f"of {number(len(x.table), 'question')}" if len(x.table) > 1 else "of one question"
    improved = f", {x.counts['improved']:,} improved" if x.alternative == "two-sided" else ""
    out = [f"{x.counts['regressed']:,} {size} regressed{improved}, at a false-discovery rate of {level(x.fdr)}."]
    counted = {word: n for word, n in x.counts.items() if word not in ("regressed", "improved")}
    if others := [f"{n:,} {word}" for word, n in counted.items() if n]:
        out.append(f"Of the others: {listed(others, len(others))}.")
    if not x.nameable:
        n, m = (max(getattr(row, name) for row in x.table) for name in ("n_old", "n_new"))
        out.append(
            f"With {number(n, 'trial')} before and {m} after no question can count as regressed or improved, "
            f"whatever happened: run each question {x.trials_needed} times or more, before and after."
        )
    form, several = score_format(x.about.w), x.about.several
    # the first verdict on the average: on these questions, where the data allow it
    return [*out, *(verdict(y, x.new, x.old, x.about.confidence, form, macro=several) for y in x.average[:1])]


def regression_block(rows: Sequence[Row], fdr: float, several: bool) -> str:
    """Sentence that names the questions that regressed, for the documents of other results."""
    if not rows:
        return f"No question regressed, at a false-discovery rate of {level(fdr)}."
    names = [
        f"{f'{row.benchmark}: ' if several else ''}{question_name(row.question)} ({row.c_old}/{row.n_old} to "
        f"{row.c_new}/{row.n_new})"
        for row in rows
    ]
    size = number(len(rows), "question")
    return f"{size} regressed, at a false-discovery rate of {level(fdr)}: {listed(names, MOST)}."


def change_text(x: Row) -> str:
    """Status, successes and p-value of a question, for test reports."""
    change = f"{x.c_old} of {x.n_old} before, {x.c_new} of {x.n_new} after"
    return f"{x.status}: {change}, {p_value(x.p_value)}, adjusted {x.p_adjusted:.2g}"


def _table(rows: Sequence[Row], several: bool) -> Table:
    lead = [names_column("benchmark", [row.benchmark for row in rows])] if several else []
    lead.append(names_column("question", [question_name(row.question) for row in rows]))
    colours = [{"regressed": "worse", "improved": "better"}.get(row.status, "none") for row in rows]
    columns = [
        Column("old", [f"{row.c_old}/{row.n_old}" for row in rows]),
        Column("new", [f"{row.c_new}/{row.n_new}" for row in rows]),
        Column("p\nadjusted", p_values(row.p_adjusted for row in rows)),
        Column("status", [row.status for row in rows], "left", kinds=colours),
    ]
    if any(row.since for row in rows):
        columns.append(Column("since", [printable(row.since or "") for row in rows], "left"))
    return Table(lead, [[column] for column in columns], "Changes")


EXAMPLES = """examples:
  scorio changes new.csv old.csv           logs of one model each, or folders
  scorio changes runs.csv gpt-4.1 gpt-4    two models of a log
  scorio changes new.csv old.csv --fail-on regressed --junit changes.xml
  scorio changes new.csv old.csv --markdown comment.md
  scorio changes --baseline main           pin and latest build of a ledger

"""
MEANING = """The new run comes first, as in scorio gate. Each question is tested by itself
(Fisher's exact test of its successes before and after). In expectation, at most
a share Q (--fdr Q) of the questions called regressed or improved are called so
wrongly: they did not change, or changed in the other direction. This is proved
for any number of questions and trials, if trials are independent.

status of a question:
  regressed, improved   significant at the false-discovery rate Q
  newly flaky           all trials had the same outcome before, but not now
  no longer flaky       the reverse
  flaky                 both outcomes before and now; or on one side, if the
                        other has a single trial
  undecided             all trials failed before and succeed now, or the
                        reverse; too few trials for a decision, or an
                        improvement with --alternative regressed
  stable                the same outcome in every trial
Only regressed and improved are decisions; the others are observations. The
table leaves out questions that are flaky, no longer flaky or stable.

With --baseline NAME, of a ledger, the pin is compared with the latest build of
its branch; since is the build from which on a regressed question fails: there
and in all later builds its share of successes is nearer to that of the latest.

"""


def add(parser: ArgumentParser) -> None:
    codes = options.exit_codes("0 success, 1 with --fail-on: a question regressed")
    options.set_up_with_log(parser, EXAMPLES, MEANING, run, codes, several=False, optional=True)
    parser.set_defaults(files=[])
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="new and old model of the log, or the log of the old one")
    add("--fdr", type=float, default=0.05, metavar="Q",
        help="false-discovery rate: expected share of errors among the questions called regressed or improved (default "
        "0.05)")  # fmt: skip
    add("--alternative", choices=("two-sided", "regressed"), default="two-sided",
        help="look for changes in both directions (default), or for regressions alone")  # fmt: skip
    options.add(parser, "shared", confidence="the averages are tested at the level 1 - P")
    add("--fail-on", choices=("regressed",), help="exit code 1 if a question regressed")
    options.add(parser, "top", "junit", "markdown")
    group = add_ledger(parser)
    group.add_argument("--baseline", metavar="NAME", help="instead of logs: its pin and the latest build of its branch")
    group.add_argument("--branch", metavar="NAME", help="the branch (default: that of the baseline)")
    options.add_forms(parser)


def _since_pin(args: Namespace) -> Changes:
    """Changes from the pin of a baseline to the latest build of its branch, and since which build a question fails."""
    if args.files:
        raise InvalidInput("conflict", "baseline", f"the builds are those of the ledger: leave out {args.file}")
    taken = ("fdr", "alternative", "confidence", "fail_on", "top", "junit", "markdown", options.LEDGER)
    options.refuse_others(args, "baseline", "the builds are those of the ledger, as gates read them", *taken)
    ledger = open_ledger(args.ledger)
    x = judge(ledger, args.baseline, branch=args.branch)
    e = pin_and_latest(x, ledger)
    old, new = e.models
    settings = options.chosen(args, "fdr", "alternative", "confidence", "fail_on")
    result = changes(e, new, old, top=max(args.top, 1), **settings)
    regressed = [row.question for row in result.regressed]
    since = dict(zip(regressed, failing_since(x, regressed), strict=True))
    result = replace(result, table=tuple(replace(row, since=since.get(row.question)) for row in result.table))
    options.write_reports(args, result)
    return result


def run(args: Namespace, read: options.Read) -> Changes:
    if args.baseline is not None:
        return _since_pin(args)
    if not args.files:
        raise InvalidInput("missing", "file", "name a log, or the baseline of a ledger: --baseline main")
    if args.ledger != FOLDER:
        raise InvalidInput("missing", "baseline", "--ledger needs the name of a baseline: --baseline main")
    e, new, old = two_models_of(args, read, read(args))
    if new is None or old is None:
        raise InvalidInput("choice", "models", "name the new model, then the old one: scorio changes LOG NEW OLD")
    settings = options.chosen(args, "fdr", "alternative", "confidence", "shared", "fail_on")
    result = changes(e, new, old, top=max(args.top, 1), **settings)
    options.write_reports(args, result)
    return result
