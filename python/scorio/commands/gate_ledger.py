"""``scorio gate --baseline``: whether a build passes the floor of a baseline, with one error rate over all builds."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from ..display.terms import interval, scope
from ..display.text import listed, name_of, number, printable, score, score_format
from ..errors import InvalidInput
from ..ledger import FOLDER, Baseline, Build, Ledger, append, lines_of
from ..page import junit
from ..page.columns import p_values
from ..page.document import Document, name_value_table
from ..readers.evaluation import EvaluationData
from ..results import Decision
from . import notes, options
from .base import HIDDEN, Result, about_of
from .each import one_model
from .history import Row, alarm_text, history_of, promise, rows_of, step_text
from .ledgers import (
    build_of,
    check_questions,
    check_task,
    judge,
    lacking_questions,
    ledger_to_record,
    open_ledger,
    questions_of_pin,
    same_build,
    with_questions,
)

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
        return junit.report("scorio gate", "scorio.gate", [case], self._notes)

    @property
    def _notes(self) -> list[str]:
        """Remarks and gaps; they name no option that a gate by a ledger takes from the baseline."""
        return [*self.remarks, *notes.gaps(replace(self.about, questions=""), shows_fixed=True)]

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
        return Document(head, [name_value_table(rows)], sentences(self), self._notes, [self.promise])


def gate_build(
    e: EvaluationData, baseline: str = "main", ledger: str | os.PathLike[str] = FOLDER, *, model: str | None = None,
    commit: str | None = None, branch: str | None = None, id: str | None = None, shared: bool = False,
    record: bool = True,
) -> LedgerGate:  # fmt: skip
    """Gate a model as the next build of a ledger: decide whether it passes the floor of a baseline, and record it.

    Parameters
    ----------
    e : Evaluation
        Where it was read with a number as ``missing``, questions of the pin that the model lacks are missing outcomes.
    baseline : str, as ``scorio baseline set --name`` gave it
    ledger : path, folder of the ledger, or its file; the default is also found in a folder above, as by ``scorio gate``
    model : str, optional; may be left out where there is only one
    commit, branch, id : str, optional; default: those of git where the ledger is, and the commit or the time as the id
    shared : bool, judge all builds on the questions that they share although this one lacks some of the pin
    record : bool, append the build with its verdict to the ledger

    Returns
    -------
    LedgerGate

    Raises
    ------
    InvalidInput
        choice: there is no such ledger, baseline or model; missing: the build lacks questions of the pin; duplicate: it
        is an evaluation of the pin; conflict: a line of the ledger was edited.
    """
    name = one_model(e, model)
    with ledger_to_record(os.fspath(ledger), record) as x:
        base = x.baseline(baseline)
        e = with_questions(e.select(name), questions_of_pin(x, base))
        build, ids = build_of(e, x, commit, branch, id, shared)
        return _gated(e, x, build, ids, base, shared, record, id)


def _gated(
    e: EvaluationData, ledger: Ledger, build: Build, ids: list[str], base: Baseline, shared: bool, record: bool,
    id: str | None,
) -> LedgerGate:  # fmt: skip
    """Judge a build, and record it unless the ledger has it."""
    known = ledger.questions | {build.questions: tuple(ids)}
    more = list[str]()
    if same := same_build(ledger, build, base.pin):
        build, record = same, False
        more.append(f"This evaluation is in the ledger already, as {build.id}: it is not recorded again.")
        x = judge(ledger, base.name, shared=shared)
    else:
        if (same := same_build(ledger, build, None)) and same.id in base.builds:
            what = f"{e.name} is {same.id}, an evaluation of the pin: evaluate the candidate anew, or state its commit"
            raise InvalidInput("duplicate", "file", what)
        if id not in (None, build.id):
            more.append(f"A build has the id {id} already: this one is {build.id}.")
        check_task(ledger, build, base)
        with_build = replace(ledger, questions=known)
        if not shared:
            check_questions(with_build, build, base)
        elif lacking_questions(with_build, build.questions, base):
            more.append(
                "This verdict is beside the error rate over all builds, since later gates leave the build out. Where "
                "questions are missing because of their outcomes, every number here is biased."
            )
        x = judge(with_build, base.name, replace(build, gate={}), shared=shared)
        if not record:
            more.append("Not recorded. A build that is gated and not recorded makes later verdicts too lenient.")
    row = next(row for row in rows_of(x) if row.build == build.id)
    verdict: Decision = row.verdict or "inconclusive"
    whole, about = history_of(x, ledger), about_of(e, "fixed", x.baseline.confidence, runs=x.baseline.runs)
    result = LedgerGate(
        about=replace(about, w=x.w), verdict=verdict, candidate=build.id, baseline=x.baseline.name,
        margin=x.baseline.margin, recorded=record or build.id in ledger.builds, shared_questions=len(x.ids),
        pin=whole.pin, pin_hi=whole.pin_hi, table=whole.table, remarks=(*more, *x.remarks), promise=promise(whole),
    )  # fmt: skip
    if record:
        gate: dict[str, Any] = {"baseline": base.name, "pin": base.pin, "verdict": verdict}
        if (absent := result.about.gaps.absent) and isinstance(e.provenance.missing, str):
            gate["missing"] = absent
        append(ledger, lines_of(ledger, replace(build, gate=gate), ids))
    return result


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


def run(args: Namespace, read: options.Read) -> LedgerGate:
    """Gate the log of the arguments against a baseline of a ledger."""
    base = open_ledger(args.ledger).baseline(args.baseline)
    for name, promised in (("margin", base.margin), ("confidence", base.confidence)):
        stated = getattr(args, name)
        if stated is not None and stated != promised and not (name == "confidence" and stated == 0.95):
            what = f"baseline {args.baseline} was set with {name} {promised:.10g}, not {stated:.10g}"
            raise InvalidInput("conflict", name, f"{what}: leave the option out, or set a baseline of another name")
    if len(args.models) > 1:
        reason = f"the baseline is in the ledger: name one model, not {args.models[1]!r} too"
        raise InvalidInput("conflict", "models", reason)
    result = gate_build(
        read(args), args.baseline, args.ledger, model=args.models[0] if args.models else None, commit=args.commit,
        branch=args.branch, id=args.id, shared=args.shared, record=not args.no_record,
    )  # fmt: skip
    options.write_reports(args, result)
    return result
