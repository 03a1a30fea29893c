"""Test reports in JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ..analysis.changes import Changes
from ..analysis.each import QuestionGate
from ..analysis.gate import Gate, Row
from ..analysis.result import Result
from ..display.text import printable
from . import notes
from .changes import change_text
from .each import score_text
from .gate import decision, reported_rows, threshold


@dataclass(frozen=True)
class Case:
    """A test case: its name, its text, and the type of the failure; None if it passes."""

    name: str
    text: str
    failure: str | None


def gate(x: Gate) -> str:
    """Test report of a gate: the verdicts fail and inconclusive are failures, of the types "fail" and "inconclusive".

    Where the mean of several benchmarks decides, an inconclusive benchmark is not a failure.
    """
    return report(x, "scorio gate", "scorio.gate", [_case(x, row) for row in reported_rows(x)])


def each(x: QuestionGate) -> str:
    """Test report of a gate on single questions: a test case for each."""
    return report(x, "scorio gate", "scorio.gate", [
        Case(f"{f'{row.benchmark}: ' if row.benchmark else ''}{row.question}: {x.candidate}, at least {x.each:.10g}",
             score_text(x, row), None if row.passes else "fail") for row in x.table
    ])  # fmt: skip


def _case(x: Gate, row: Row) -> Case:
    where = "" if row.benchmark is None else f" in {row.benchmark}"
    target = f" against {x.baseline}, margin {x.margin:.10g}" if x.at_least is None else f", at least {threshold(x)}"
    name = f"{x.metric}{where}: {x.candidate}{target}"
    advisory = row.benchmark is not None and x.rule == "mean"
    fails = row.verdict == "fail" if advisory else row.verdict != "pass"
    return Case(name, " ".join(decision(x, row)), row.verdict if fails else None)


def changes(x: Changes) -> str:
    """Test report of changes: a test case for each question in the order of the table; those that regressed fail."""
    several = len(x.about.benchmarks) > 1
    test_cases = []
    for row in x.table:
        name = f"{row.benchmark}: {row.question}" if several else row.question
        test_cases.append(Case(name, change_text(row), "regressed" if row.status == "regressed" else None))
    return report(x, "scorio changes", "scorio.changes", test_cases)


def report(x: Result, suite: str, classname: str, test_cases: Sequence[Case]) -> str:
    """XML of test cases, and of the notes about missing outcomes."""
    failed = sum(case.failure is not None for case in test_cases)
    counts = f'tests="{len(test_cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="{suite}" {counts}>']
    lines.append(f'  <testsuite name="{suite}" {counts}>')
    for case in test_cases:
        text = attribute(case.text)
        inner = f'<failure type="{case.failure}" message={text}/>' if case.failure else (
            f"<system-out>{text[1:-1]}</system-out>")  # fmt: skip
        lines.append(f'    <testcase classname="{classname}" name={attribute(case.name)}>{inner}</testcase>')
    if remarks := notes.gaps(x.about):
        lines.append(f"    <system-out>{attribute(' '.join(remarks))[1:-1]}</system-out>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def attribute(text: str) -> str:
    """Value of an XML attribute, in double quotes."""
    return f'"{quoteattr(printable(text), {chr(34): "&quot;"})[1:-1]}"'  # chr(34) is a double quote
