"""``scorio gate --baseline``: whether a build passes the floor of a baseline, with one error rate over all builds."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from ..analysis.builds import Judged, check_questions, judge, same_build
from ..display.terms import interval, scope
from ..display.text import listed, name_of, number, printable, score, score_format
from ..errors import InvalidInput
from ..ledger import Build, Ledger, append, lines_of
from ..page import junit
from ..page.columns import p_values
from ..page.document import Document, name_value_table
from ..readers.evaluation import EvaluationData
from ..results import Decision
from . import notes, options
from .base import Result, about_of
from .history import Row, alarm_text, history_of, promise, rows_of, step_text
from .ledgers import build_of, open_ledger
from .records import HIDDEN

EXIT_CODES: dict[Decision, Literal[0, 1, 3]] = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True, kw_only=True)
class LedgerGate(Result):
    """Verdict on a build, against the floor that the pin and the builds before it set.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"}
    candidate : str, the id of the build
    baseline : str
    margin : float
    recorded : bool, whether the build is in the ledger
    shared_questions : int
    pin, pin_hi : float, the score of the pin and the upper end of its interval
    table : tuple of Row, the pin and every build that was gated; the candidate is the last one
    remarks : tuple of str, about the ledger
    """

    schema: ClassVar[str] = "scorio.gate_ledger/1"
    computed: ClassVar[tuple[str, ...]] = ("exit_code",)
    verdict: Decision
    candidate: str
    baseline: str
    margin: float
    recorded: bool
    shared_questions: int
    pin: float
    pin_hi: float
    table: tuple[Row, ...]
    remarks: tuple[str, ...] = field(metadata={HIDDEN: True})
    promise: str = field(metadata={HIDDEN: True})

    @property
    def exit_code(self) -> Literal[0, 1, 3]:  # type: ignore[override]
        """Exit code of the command: 0 pass, 1 fail, 3 inconclusive."""
        return EXIT_CODES[self.verdict]

    @property
    def row(self) -> Row:
        """The row of the candidate."""
        return next(row for row in reversed(self.table) if row.build == self.candidate)

    def to_junit(self) -> str:
        """Test report in JUnit's XML: fail and inconclusive are failures, of the types "fail" and "inconclusive"."""
        name = f"{self.candidate} against baseline {self.baseline}, margin {self.margin:.10g}"
        case = junit.Case(name, " ".join(sentences(self)), None if self.verdict == "pass" else self.verdict)
        return junit.report("scorio gate", "scorio.gate", [case], [*self.remarks, *notes.gaps(self.about)])

    def document(self) -> Document:
        row, form = self.row, score_format(self.about.w)
        pins = sum(x.pinned for x in self.table)
        ends = f"{score(row.lo, form)} to {score(row.hi, form)}"
        p = p_values([row.p_worse or 0.0])[0]
        rows = [
            ("build", printable(self.candidate)),
            ("baseline", f"{printable(self.baseline)}, {number(pins, 'evaluation')}, score {score(self.pin, form)}"),
            ("margin", f"{self.margin:.10g}"),
            ("score", f"{score(row.mu, form)}, {interval(self.about.confidence)} {ends}"),
            ("floor", score(row.floor or 0.0, form)),
            ("p-value", f"{p}, if the score were at the floor; passes at {row.level:.2g}"),
            ("about", scope(self.about.questions, self.about.runs)),
        ]
        gated = number(sum(not x.pinned for x in self.table), "build")
        head = f"Gate on {number(self.shared_questions, 'question')}, {gated} so far: {self.verdict.upper()}"
        remarks = [*self.remarks, *notes.gaps(self.about)]
        return Document(head, [name_value_table(rows)], sentences(self), remarks, [self.promise])


def gate_ledger(e: EvaluationData, ledger: Ledger, build: Build, ids: list[str], baseline: str, *,
                shared: bool = False, record: bool = True) -> LedgerGate:  # fmt: skip
    """Decide whether a build passes the floor of a baseline, and record it in the ledger.

    Parameters
    ----------
    e : Evaluation, with the model that the build is
    ledger : Ledger
    build : Build
    ids : list of str, its questions
    baseline : str
    shared : bool, judge all builds on the questions that they share although this one lacks some of the pin
    record : bool, append the build with its verdict to the ledger

    Returns
    -------
    LedgerGate
    """
    base = ledger.baseline(baseline)
    known = ledger.questions | {build.questions: tuple(ids)}
    more = list[str]()
    if same := same_build(ledger, build, base.pin):
        build, record = same, False
        more.append(f"This evaluation is in the ledger already, as {build.id}: it is not recorded again.")
        x = judge(ledger, baseline, shared=shared)
    else:
        if (same := same_build(ledger, build, None)) and same.id in base.builds:
            what = f"{e.name} is {same.id}, an evaluation of the pin: evaluate the candidate anew"
            raise InvalidInput("duplicate", "file", what)
        with_build = replace(ledger, questions=known)
        if not shared:
            check_questions(with_build, build, base)
        x = judge(with_build, baseline, replace(build, gate={}), shared=shared)
        if not record:
            more.append("Not recorded. A build that is gated and not recorded makes later verdicts too lenient.")
    row = next(row for row in rows_of(x) if row.build == build.id)
    verdict: Decision = row.verdict or "inconclusive"
    if record:
        gate = {"baseline": baseline, "pin": base.pin, "verdict": verdict}
        append(ledger, lines_of(ledger, replace(build, gate=gate), ids))
    in_ledger = record or build.id in ledger.builds
    return _result(e, x, ledger, build, verdict, in_ledger, more)


def _result(
    e: EvaluationData, x: Judged, ledger: Ledger, build: Build, verdict: Decision, recorded: bool, more: list[str]
) -> LedgerGate:
    whole = history_of(x, ledger)
    about = about_of(e, "fixed", x.baseline.confidence, runs=x.baseline.runs)
    return LedgerGate(
        about=replace(about, w=x.w), verdict=verdict, candidate=build.id, baseline=x.baseline.name,
        margin=x.baseline.margin, recorded=recorded, shared_questions=len(x.ids), pin=whole.pin, pin_hi=whole.pin_hi,
        table=whole.table, remarks=(*more, *x.remarks), promise=promise(whole),
    )  # fmt: skip


def sentences(x: LedgerGate) -> list[str]:
    """Sentences: the verdict, an alarm, and steps of the history."""
    row, form, name = x.row, score_format(x.about.w), name_of(x.candidate)
    size = f"(score {score(row.mu, form)}, floor {score(row.floor or 0.0, form)})"
    out = {
        "pass": f"PASS: the score of {name} is above the floor of baseline {name_of(x.baseline)} {size}.",
        "fail": f"FAIL: the score of {name} is below the floor of baseline {name_of(x.baseline)} {size}.",
        "inconclusive": f"INCONCLUSIVE: whether the score of {name} is above the floor of baseline "
                        f"{name_of(x.baseline)} cannot be decided {size}. More trials of each question narrow it; to "
                        "evaluate a build until it passes does not help, since each evaluation is gated.",
    }[x.verdict]  # fmt: skip
    alarms = [y for y in x.table if y.alarm]
    last = [alarm_text(alarms[-1])] if alarms else []
    earlier = [f"Earlier alarms: {listed([y.build for y in alarms[:-1]])}."] if len(alarms) > 1 else []
    return [out, *last, *earlier, *(step_text(y, form, x.about.confidence) for y in x.table if y.step is not None)]


def gate_log(e: EvaluationData, ledger: Ledger, baseline: str) -> LedgerGate:
    """Gate the only model of a log as the next build, at the commit and on the branch of git, and record it."""
    build, ids = build_of(e, Namespace(commit=None, branch=None, id=None), ledger)
    return gate_ledger(e, ledger, build, ids, baseline)


def run(args: Namespace, read: options.Read) -> LedgerGate:
    """Gate the log of the arguments against a baseline of a ledger."""
    ledger = open_ledger(args.ledger)
    base = ledger.baseline(args.baseline)
    for name, promised in (("margin", base.margin), ("confidence", base.confidence)):
        stated = getattr(args, name)
        if stated is not None and stated != promised and not (name == "confidence" and stated == 0.95):
            what = f"baseline {args.baseline} was set with {name} {promised:.10g}, not {stated:.10g}"
            raise InvalidInput("conflict", name, f"{what}: leave the option out, or set a baseline of another name")
    if len(args.models) > 1:
        reason = f"the baseline is in the ledger: name one model, not {args.models[1]!r} too"
        raise InvalidInput("conflict", "models", reason)
    e = read(args)
    model = args.models[0] if args.models else None
    build, ids = build_of(e, args, ledger, model)
    result = gate_ledger(e.select(build.model), ledger, build, ids, args.baseline, shared=args.shared,
                         record=not args.no_record)  # fmt: skip
    options.write_reports(args, result)
    return result
