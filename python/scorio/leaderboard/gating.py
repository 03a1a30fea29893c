"""The verdict of a gate, as people, pages and test reports read it. Pure text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from ..display.terms import SCOPE, interval, level
from ..display.text import about, digits, listed, name_of, number, percent, plural, printable, score
from ..sinf.gate import Gate
from ..sinf.gate_suite import GateOverSuite, GateRow


class Case(NamedTuple):
    """A gate and what was asked of it."""

    candidate: str
    baseline: str
    title: str  # of the metric
    result: Gate | GateRow
    margin: float
    questions: str
    confidence: float
    power: float
    look: str = ""  # "look 2 of 5", where there are several
    weights: Sequence[float] | None = None
    benchmark: str | None = None  # one of several; None for their mean
    dropped: int = 0  # questions of several benchmarks that were left out


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
    unit = "trial per question" if case.questions == "fixed" else "question"
    needed = _needed(case, unit)
    if needed is None:
        return f"How many {plural(unit)} would decide is not known from these outcomes."
    target = f"would decide with {level(case.power)} power, if the difference is the observed one"
    return f"{needed[:1].upper()}{needed[1:]} {target}."


def _needed(case: Case, unit: str) -> str | None:
    r = case.result
    if isinstance(r, GateRow):
        much = None if r.growth is None else f"{r.growth:.1f}" if r.growth < 10 else f"{r.growth:,.0f}"
        return None if much is None else f"about {much} times as many {plural(unit)} in each benchmark"
    needed = r.trials if case.questions == "fixed" else r.questions
    return None if needed is None else f"{about(needed)} {unit if needed == 1 else plural(unit)}"


def of_suite(found: GateOverSuite, rule: str, mean: Case, each: Sequence[Case]) -> list[str]:
    """The verdict over several benchmarks: that of the mean, or of each; then those that fail."""
    a, b, margin, many = name_of(mean.candidate), name_of(mean.baseline), f"{mean.margin:.10g}", len(each)
    failed = [x for x in each if x.result.verdict == "fail"]
    if rule == "mean" and found.verdict == mean.result.verdict:
        said = sentences(mean)
        if failed or found.verdict == "fail":
            wrong = level(1.0 - mean.confidence)
            said[1] = (
                "A model that is worse by less than the margin, in the mean and in every benchmark, fails with a "
                f"probability of at most {wrong}."
            )
    elif failed:
        said = []
    elif found.verdict == "pass":
        said = [f"PASS: {a} is non-inferior to {b} by the margin of {margin} in each of {number(many, 'benchmark')}."]
    else:
        undecided = [x for x in each if x.result.verdict == "inconclusive"]
        names = listed([x.benchmark for x in undecided])
        said = [f"INCONCLUSIVE: whether {a} is worse than {b} by the margin of {margin} or more cannot be decided yet"]
        said[0] += f" in {names}. {_next_step(max(undecided, key=_growth))}"
    for case in failed:
        said.append(f"{sentences(case)[0]} The p-value is adjusted for {number(many, 'benchmark')}.")
    return said


def _growth(case: Case) -> float:
    return getattr(case.result, "growth", None) or 0.0


def facts(case: Case) -> list[tuple[str, str]]:
    """Names and values of what a page shows."""
    r = case.result
    rows = [("candidate", printable(case.candidate)), ("baseline", printable(case.baseline))]
    rows += [("metric", case.title), ("margin", f"{case.margin:.10g}"), ("difference", numbers(case))]
    rows += [("p-value, loss of margin", percent(r.p_worse)), ("about", SCOPE[case.questions])]
    return rows + ([("look", case.look)] if case.look else [])


def markdown(cases: Sequence[Case], verdict: str | None = None, said: Sequence[str] = ()) -> str:
    """A summary for the page of a build; the verdict over several benchmarks and what is said of it first."""
    blocks = [] if verdict is None else [f"## Gate over {len(cases) - 1} benchmarks: {verdict}", _cell(" ".join(said))]
    for case in cases:
        rows = [f"| {name} | {_cell(value)} |" for name, value in facts(case)]
        blocks.append(f"### Gate: {case.result.verdict}\n\n" + "\n".join(["| | |", "|---|---|", *rows]))
        blocks.append(_cell(" ".join(sentences(case))))
    return "\n\n".join(blocks) + "\n"


def _cell(text: str) -> str:
    """Text without what Markdown takes for its own."""
    return "".join(f"\\{x}" if x in "\\`*_[]<>|#" else x for x in text)


def junit(cases: Sequence[Case], of_mean: bool = False) -> str:
    """A test report: fail and inconclusive are failures, of these types.

    of_mean: the mean of several benchmarks decides, so that one of them is a failure only if it fails.
    """
    failing = [_fails(case, of_mean) for case in cases]
    failed = sum(failing)
    counts = f'tests="{len(cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="scorio gate" {counts}>']
    lines.append(f'  <testsuite name="scorio gate" {counts}>')
    for case, fails in zip(cases, failing, strict=True):
        name = _attribute(f"{case.title}: {case.candidate} against {case.baseline}, margin {case.margin:.10g}")
        said, kind = _attribute(" ".join(sentences(case))), case.result.verdict
        inner = f'<failure type="{kind}" message={said}/>' if fails else f"<system-out>{said[1:-1]}</system-out>"
        lines.append(f'    <testcase classname="scorio.gate" name={name}>{inner}</testcase>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _fails(case: Case, of_mean: bool) -> bool:
    verdict = case.result.verdict
    return verdict == "fail" if of_mean and case.benchmark is not None else verdict != "pass"


def _attribute(text: str) -> str:
    """Quoted, always by double quotes."""
    return f'"{quoteattr(printable(text), {chr(34): "&quot;"})[1:-1]}"'


def record(case: Case) -> dict[str, Any]:
    """Plain values, for programs."""
    r = case.result
    asked: dict[str, Any] = {"benchmark": case.benchmark} if isinstance(r, GateRow) else {}
    asked |= {"metric": case.title, "candidate": case.candidate, "baseline": case.baseline, "margin": case.margin}
    found = {name: x for name, x in r._asdict().items() if name not in ("dropped", "benchmark")}
    if isinstance(r, GateRow):
        return asked | found | {"trials": None, "questions": None, "dropped": case.dropped, "look": None}
    return asked | found | {"dropped": len(r.dropped), "look": case.look or None}


def summary(verdict: str, shared: int, benchmarks: int = 1) -> str:
    """The first line of a page."""
    over = "" if benchmarks == 1 else f" of {number(benchmarks, 'benchmark')}"
    return f"Gate on {number(shared, 'shared question')}{over}: {verdict.upper()}"
