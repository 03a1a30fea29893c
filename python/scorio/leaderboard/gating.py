"""The verdict of a gate, as people, pages and test reports read it. Pure text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import quoteattr

from ..display.terms import SCOPE, interval, level
from ..display.text import about, digits, name_of, number, percent, plural, printable, score

if TYPE_CHECKING:
    from ..sinf.gate import Gate


class Case(NamedTuple):
    """A gate and what was asked of it."""

    candidate: str
    baseline: str
    title: str  # of the metric
    result: Gate
    margin: float
    questions: str
    confidence: float
    power: float
    look: str = ""  # "look 2 of 5", where there are several
    weights: Sequence[float] | None = None


def numbers(case: Case) -> str:
    """The difference and its interval."""
    r, form = case.result, digits(case.weights)
    mu, lo, hi = (score(x, form) for x in (r.mu, r.lo, r.hi))
    often = interval(case.confidence) + (" over all looks" if case.look else "")
    return f"{mu}, {often} {lo} to {hi}"


def sentences(case: Case) -> list[str]:
    r"""The verdict, its guarantee, and what to do next.

    Examples
    --------
    >>> from scorio import sinf
    >>> from scorio.leaderboard import gating
    >>> A, B = [[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]], [[0, 1, 0, 1], [1, 0, 1, 1], [1, 1, 0, 1]]
    >>> r = sinf.gate(A, B, margin=0.1, questions="fixed")
    >>> case = gating.Case("new", "base", "average score", r, 0.1, "fixed", 0.95, 0.8)
    >>> print(*gating.sentences(case), sep="\n")
    INCONCLUSIVE: whether new is worse than base by the margin of 0.1 or more cannot be decided yet (average score, difference 0.083, 95% CI -0.373 to 0.540, which contains -0.1).
    About 42 trials per question would decide with 80% power, if the difference is the observed one.
    """  # noqa: E501
    r, a, b, margin = case.result, name_of(case.candidate), name_of(case.baseline), f"{case.margin:.10g}"
    seen = f"({case.title}, difference {numbers(case)}"
    wrong = level((1.0 - case.confidence) / 2) + (" over all looks" if case.look else "")
    if r.verdict == "pass":
        said = [f"PASS: {a} is non-inferior to {b} by the margin of {margin} {seen}, above -{margin})."]
        said.append(f"A model that is worse by the margin or more passes with a probability of at most {wrong}.")
    elif r.verdict == "fail":
        said = [f"FAIL: {a} is worse than {b} by more than the margin of {margin} {seen}, below -{margin})."]
        said.append(f"A model that is worse by less than the margin fails with a probability of at most {wrong}.")
    else:
        said = [
            f"INCONCLUSIVE: whether {a} is worse than {b} by the margin of {margin} or more cannot be decided yet "
            f"{seen}, which contains -{margin})."
        ]
        said.append(_next_step(case))
    if r.worse and r.verdict != "fail":
        said.append(f"Note: the whole interval is below 0, so {a} is significantly worse than {b}.")
    return said


def _next_step(case: Case) -> str:
    r, unit = case.result, "trial per question" if case.questions == "fixed" else "question"
    needed = r.trials if case.questions == "fixed" else r.questions
    if needed is None:
        return f"How many {plural(unit)} would decide is not known from these outcomes."
    count = about(needed)
    some = unit if needed == 1 else plural(unit)
    power = level(case.power)
    target = f"would decide with {power} power, if the difference is the observed one"
    return f"{count[:1].upper()}{count[1:]} {some} {target}."


def facts(case: Case) -> list[tuple[str, str]]:
    """Names and values of what a page shows."""
    r = case.result
    rows = [("candidate", printable(case.candidate)), ("baseline", printable(case.baseline))]
    rows += [("metric", case.title), ("margin", f"{case.margin:.10g}"), ("difference", numbers(case))]
    rows += [("p-value, loss of margin", percent(r.p_worse)), ("about", SCOPE[case.questions])]
    return rows + ([("look", case.look)] if case.look else [])


def markdown(cases: Sequence[Case]) -> str:
    """A summary for the page of a build."""
    blocks = []
    for case in cases:
        rows = [f"| {name} | {_cell(value)} |" for name, value in facts(case)]
        blocks.append(f"### Gate: {case.result.verdict}\n\n" + "\n".join(["| | |", "|---|---|", *rows]))
        blocks.append(_cell(" ".join(sentences(case))))
    return "\n\n".join(blocks) + "\n"


def _cell(text: str) -> str:
    """Text without what Markdown takes for its own."""
    return "".join(f"\\{x}" if x in "\\`*_[]<>|#" else x for x in text)


def junit(cases: Sequence[Case]) -> str:
    """A test report: fail and inconclusive are failures, of these types."""
    failed = sum(case.result.verdict != "pass" for case in cases)
    counts = f'tests="{len(cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="scorio gate" {counts}>']
    lines.append(f'  <testsuite name="scorio gate" {counts}>')
    for case in cases:
        name = _attribute(f"{case.title}: {case.candidate} against {case.baseline}, margin {case.margin:.10g}")
        said, kind = _attribute(" ".join(sentences(case))), case.result.verdict
        inner = f'<failure type="{kind}" message={said}/>'
        if kind == "pass":
            inner = f"<system-out>{said[1:-1]}</system-out>"
        lines.append(f'    <testcase classname="scorio.gate" name={name}>{inner}</testcase>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _attribute(text: str) -> str:
    """Quoted, always by double quotes."""
    return f'"{quoteattr(printable(text), {chr(34): "&quot;"})[1:-1]}"'


def record(case: Case) -> dict[str, Any]:
    """Plain values, for programs."""
    asked = {"metric": case.title, "candidate": case.candidate, "baseline": case.baseline, "margin": case.margin}
    found = {name: x for name, x in case.result._asdict().items() if name != "dropped"}
    return asked | found | {"dropped": len(case.result.dropped), "look": case.look or None}


def summary(cases: Sequence[Case], shared: int) -> str:
    """The first line of a page."""
    return f"Gate on {number(shared, 'shared question')}: {', '.join(case.result.verdict.upper() for case in cases)}"
