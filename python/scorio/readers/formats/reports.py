"""Reports of tests and of single tasks: pytest, JUnit, aider, ARC-AGI, OSWorld, and the scores of ragas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from ..pattern import Row
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, Rows, Stated, declared, digest, has, key

PYTEST = {"passed": 1, "xpassed": 1, "failed": 0, "xfailed": 0, "error": None, "skipped": None}
# columns of ragas that are not scores
INPUTS = """
    user_input retrieved_contexts response reference reference_contexts rubrics multi_responses
    retrieved_context_ids reference_context_ids reference_topics reference_tool_calls reference_goal synthesizer_name
    persona_name query_style query_length"""
DOMAINS = "chrome gimp libreoffice_calc libreoffice_impress libreoffice_writer multi_apps os thunderbird vlc vs_code"
TASK = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")  # the id of a task of OSWorld


def _junit(case: Row, chosen: str) -> int | None:
    """The outcome of a test: a failure is 0; an error is of the test's environment, and a skipped test did not run."""
    return None if {"error", "skipped"} & case.own.keys() else int("failure" not in case.own)


def _aider(row: Row, chosen: str) -> Any:
    """Whether the tests of an exercise pass in the end, or (pass_rate_1) at the first try; None where none ran."""
    tries = key(row.own, "tests_outcomes", list)
    return None if not tries else tries[0] if chosen == "pass_rate_1" else any(tries)


def _exercise(row: Row) -> str:
    """The language and the name of an exercise of aider."""
    parts = PurePath(str(row.own.get("testdir", ""))).parts
    is_polyglot = len(parts) > 4 and parts[-3:-1] == ("exercises", "practice")
    return "/".join(x for x in (parts[-4] if is_polyglot else "", str(key(row.own, "testcase", str))) if x)


def _aider_run(row: Row) -> str:
    """The folder of a run of aider, whose name begins with its time."""
    parts = PurePath(str(row.own.get("testdir", ""))).parts
    return next((x for x in parts if re.match(r"\d{4}-\d\d-\d\d-", x)), "1")


def osworld(text: str, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """The trial in result.txt, <model>/<domain>/<task>/result.txt."""
    yield absent(location)._replace(outcome=text)


def absent(location: SourceLocation) -> Trial:
    """The missing trial of a task whose folder has no result.txt; a domain is a benchmark."""
    return Trial(location.folder(3), str(location.folder()), "1", None, None, str(location.folder(2)))


def _is_task(location: SourceLocation) -> bool:
    return bool(TASK.fullmatch(location.folder())) or str(location.folder(2)) in DOMAINS.split()


def _is_ragas(x: Any) -> bool:
    """Whether a header, a row or a list of rows is that of scores of ragas."""
    row = x[0] if type(x) is list and x and type(x[0]) is dict else x
    return (
        type(row) in (dict, list)
        and bool(row)
        and all(type(name) is str for name in row)
        and {"user_input", "response"} <= set(row)
        and bool({"reference", "retrieved_contexts"} & set(row))
    )


def _scores(x: Any) -> list[str]:
    return [name for name in (x[0] if type(x) is list else x) if name not in INPUTS.split()]


def _ragas(kind: str) -> Format:
    pattern = "[*]" if kind == "json" else "$"
    question = lambda row: digest(row.own["user_input"], row.own.get("reference"))  # noqa: E731
    return declared(
        "ragas", kind, _is_ragas, Rows(pattern, question, "{}", in_order=True, choices=_scores, no_default=True)
    )


FORMATS = (
    declared(
        "pytest-json-report", "json",
        lambda log: has(log, "tests", "summary") and type(log["tests"]) is list
        and all(has(x, "nodeid", "outcome") for x in log["tests"][:1]),
        Rows("tests[*]", "nodeid", "outcome", in_order=True, words=PYTEST,
             name=lambda location: location.model(fixed=".report"), costs={"seconds": ("call.duration",)},
             stated=(Stated("summary.total", "summary.total", "trials"),)),
        metric="passed",
    ),
    declared(
        "junit", "xml",
        lambda root: root[0] in ("testsuites", "testsuite") and not root[1].get("name", "").startswith("scorio "),
        Rows("**.testcase[*]", lambda case: "/".join(case.own[x] for x in ("classname", "name") if case.own.get(x)),
             _junit, in_order=True),
        metric="passed",
    ),
    declared(
        "aider", "json", lambda log: has(log, "testcase", "tests_outcomes"),
        Rows("$", _exercise, _aider, model="model", trial=_aider_run, choices=lambda _: ["passed", "pass_rate_1"],
             costs={"cost": ("cost",), "seconds": ("duration",)}),
    ),
    declared(
        "arc-agi", "json",
        lambda log: has(log, "task_results") and type(log["task_results"]) is dict
        and all(has(x, "score") for x in log["task_results"].values()) and bool(log["task_results"]),
        Rows("task_results.{question}", "question", "score", name=lambda location: location.model(fixed="results"),
             costs={"cost": ("cost",)}, stated=(Stated("total_tasks", "total_tasks", "questions"),)),
        metric="score",
    ),
    *map(_ragas, ("csv", "lines", "json")),
    Format("osworld", "text", _is_task, osworld, metric="score", absent=absent),
)  # fmt: skip
