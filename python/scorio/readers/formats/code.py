"""Code and tasks evaluated by tests: benchmarks of code, pytest, JUnit, aider, ARC-AGI and OSWorld."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from ..pattern import Row
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, Rows, Stated, declared, has, key, wrong

STATUS = {"pass": 1, "fail": 0, "timeout": 0}
OLD_STATUS = {"success": 1, "failed": 0, "timeout": 0}  # of evalplus 0.1


def _name(location: SourceLocation) -> str:
    return location.model("_eval_results", fixed="eval_results")


def _tests(row: Row, chosen: str) -> int | None:
    """Whether an answer passes the tests of the benchmark (base), or also the additional ones (plus)."""
    if row.own is None:  # the task was not answered
        return None
    names = ("base_status", "plus_status")[: 1 + (chosen == "plus")]
    return min(_status(key(row.own, name, str), name, STATUS) for name in names)


def _old_tests(row: Row, chosen: str) -> int | None:
    """Sets of tests in evalplus 0.1, whose lists base and plus hold a pair of status and details for each answer."""
    if row.own is None:
        return None
    names = ("base", "plus")[: 1 + (chosen == "plus")]
    lists = [key(row.enclosing[-1], name, list) for name in names]
    if len({*map(len, lists)}) > 1:
        raise wrong(f"base and plus have {' and '.join(str(len(x)) for x in lists)} answers")
    i = row.bound["trial"]
    return min(_status(x[i][0] if x[i] else None, name, OLD_STATUS) for x, name in zip(lists, names, strict=True))


def _status(status: Any, name: str, known: dict[str, int]) -> int:
    if status not in known:
        raise wrong(f"{name} is {status!r}, not one of {', '.join(known)}")
    return known[status]


def _test_sets(log: Any) -> list[str]:
    """The sets of tests: base, and plus if any answer was run against the additional tests."""
    answers = [answer for several in key(log, "eval", dict).values() for answer in several]
    plus = any(has(answer, "plus_status") and answer["plus_status"] is not None for answer in answers)
    return ["base", "plus"] if plus else ["base"]


def _evaluated(log: Any, *names: str) -> bool:
    """Whether the first answer to each task, if there is one, has these keys, and any task has answers."""
    tasks = log["eval"] if has(log, "eval") and type(log["eval"]) is dict else {}
    answered = [x for x in tasks.values() if x]
    return all(type(x) is list for x in tasks.values()) and all(has(x[0], *names) for x in answered) and bool(answered)


def _average(log: Any) -> Any:
    """The average of pass@1 of the questions, if all state it."""
    averages = [x["pass@1"] for x in log if has(x, "pass@1") and type(x["pass@1"]) in (int, float)]
    return sum(averages) / len(averages) if len(averages) == len(log) and all(0 <= x <= 1 for x in averages) else None


CODE = (
    declared(
        "evalplus", "json", lambda log: _evaluated(log, "base_status"),
        Rows("eval.{question}[*]", "question", _tests, in_order=True, name=_name, choices=_test_sets, no_default=True,
             stated=(Stated("pass@1", "pass_at_k.{}.pass@1", digits=3),)),
    ),
    declared(
        "evalplus", "json",
        lambda log: has(log, "eval") and type(log["eval"]) is dict and bool(log["eval"])
        and all(has(x, "nfiles", "base") for x in log["eval"].values()),
        Rows("eval.{question}.base[{trial}][0]", "question", _old_tests, trial="trial", name=_name,
             choices=lambda log: ["base", "plus"] if any(x.get("plus") for x in log["eval"].values()) else ["base"],
             no_default=True),
    ),
    declared(
        "bigcodebench", "json", lambda log: _evaluated(log, "status", "solution"),
        Rows("eval.{question}[*]", "question", "status", in_order=True, name=_name, words=STATUS,
             stated=(Stated("pass@1", "pass@1", digits=3, beside="{}pass_at_k.json", ending="eval_results"),)),
        metric="passed",
    ),
    declared(
        "cruxeval", "json", lambda log: has(log, "raw_scored_generations"),
        Rows("raw_scored_generations.{question}[{trial}]", "question", trial="trial",
             name=lambda location: location.model("_results", fixed="results"),
             stated=(Stated("pass_at_1", "pass_at_1", unit=100),)),
        metric="passed",
    ),
    declared(
        "human-eval", "lines", lambda line: has(line, "task_id", "passed"),
        Rows("$", "task_id", "passed", in_order=True, name=lambda location: location.model("_results", ".jsonl")),
        metric="passed",
    ),
    declared(
        "reflexion", "lines", lambda line: has(line, "task_id", "is_solved") and "passed" not in line,
        Rows("$", "task_id", "is_solved", in_order=True), metric="is_solved",
    ),
    declared(
        "livecodebench", "json",
        lambda log: type(log) is list and bool(log) and has(log[0], "question_id", "graded_list"),
        Rows("[*].graded_list[{trial}]", "question_id", trial="trial", name=SourceLocation.folder, stated=(
            Stated("the average pass@1", "", value=_average),
            Stated("pass@1", "0.pass@1", beside="{}.json", ending="_all"),
        )),
        metric="passed",
    ),
    declared(
        "livecodebench", "json",
        lambda log: has(log, "eval") and type(log["eval"]) is dict and bool(log["eval"])
        and all(has(x, "graded_list") for x in log["eval"].values()),
        Rows("eval.{question}.graded_list[{trial}]", "question", trial="trial",
             name=lambda location: location.model("_eval_all", "_output", "_codegeneration")),
        metric="passed",
    ),
)  # fmt: skip


PYTEST = {"passed": 1, "xpassed": 1, "failed": 0, "xfailed": 0, "error": None, "skipped": None}
DOMAINS = "chrome gimp libreoffice_calc libreoffice_impress libreoffice_writer multi_apps os thunderbird vlc vs_code"
TASK = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")  # the id of a task of OSWorld


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


REPORTS = (
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
             # a failure is 0; an error is of the test's environment, and a skipped test did not run
             lambda case, _: None if {"error", "skipped"} & case.own.keys() else int("failure" not in case.own),
             in_order=True),
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
    Format(
        "osworld", "text",
        lambda location: bool(TASK.fullmatch(location.folder())) or str(location.folder(2)) in DOMAINS.split(),
        osworld, metric="score", absent=absent,
    ),
)  # fmt: skip
