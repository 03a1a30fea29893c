"""Test reports in JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..display.text import printable

# xml.sax.saxutils has the same, and imports a client of HTTP
ESCAPED = {ord(c): f"&{x};" for c, x in zip('&<>"\n\r\t', ("amp", "lt", "gt", "quot", "#10", "#13", "#9"), strict=True)}


@dataclass(frozen=True)
class Case:
    """A test case: its name, its text, and the type of the failure; None if it passes."""

    name: str
    text: str
    failure: str | None


def report(suite: str, classname: str, test_cases: Sequence[Case], remarks: Sequence[str]) -> str:
    """XML of test cases, and of remarks about the log."""
    failed = sum(case.failure is not None for case in test_cases)
    counts = f'tests="{len(test_cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="{suite}" {counts}>']
    lines.append(f'  <testsuite name="{suite}" {counts}>')
    for case in test_cases:
        text = attribute(case.text)
        inner = f'<failure type="{case.failure}" message={text}/>' if case.failure else (
            f"<system-out>{text[1:-1]}</system-out>")  # fmt: skip
        lines.append(f'    <testcase classname="{classname}" name={attribute(case.name)}>{inner}</testcase>')
    if remarks:
        lines.append(f"    <system-out>{attribute(' '.join(remarks))[1:-1]}</system-out>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def attribute(text: str) -> str:
    """Value of an XML attribute, in double quotes."""
    return f'"{printable(text).translate(ESCAPED)}"'
