"""Code and tasks evaluated by tests: benchmarks of code, pytest, JUnit, aider, ARC-AGI and OSWorld."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import PurePath
from typing import Any

from ...errors import shown
from ..options import Which
from ..pattern import Row
from ..records import AnswerCounter, Trial, Unfinished, claim
from ..text_files import SourceLocation, UnknownFormat
from .fields import Format, Rows, Stated, declared, document_beside, has, key, text_at, wrong

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
    stated = [x[i][0] if x[i] else None for x in lists]  # null, or [null, ...]
    if None in stated:  # the answer was not run
        return None
    return min(_status(x, name, OLD_STATUS) for x, name in zip(stated, names, strict=True))


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
COUNT = re.compile("[0-9]{1,9}")
# status and result of tests in JUnit's reports; "error" is of the environment
NOT_RUN = {"notrun", "disabled", "suppressed", "skipped", "error", "errored"}
FAILED = {"fail", "failed", "failure"}
RESULTS = ".aider.results.json"
PRACTICE = ("exercises", "practice")  # the folders around the exercises of a language
ENDED = {"exception", "testcase", "testdir"}  # keys of the results of an exercise of aider that an exception ended
DOMAINS = "chrome gimp libreoffice_calc libreoffice_impress libreoffice_writer multi_apps os thunderbird vlc vs_code"
TASK = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")  # the id of a task of OSWorld


def _aider(row: Row, chosen: str) -> Any:
    """Whether the tests of an exercise pass in the end, or (pass_rate_1) at the first try; None where none ran."""
    tries = key(row.own, "tests_outcomes", list)
    return None if not tries else tries[0] if chosen == "pass_rate_1" else any(tries)


def _exercise(row: Row) -> str:
    """The language and the name of an exercise of aider."""
    parts = PurePath(str(row.own.get("testdir", ""))).parts
    is_polyglot = len(parts) > 4 and parts[-3:-1] == PRACTICE
    return "/".join(x for x in (parts[-4] if is_polyglot else "", str(key(row.own, "testcase", str))) if x)


def _aider_run(row: Row) -> str:
    """The folder of a run of aider, whose name begins with its time."""
    parts = PurePath(str(row.own.get("testdir", ""))).parts
    return next((x for x in parts if re.match(r"\d{4}-\d\d-\d\d-", x)), "1")


AIDER = declared(
    "aider", "json", lambda log: has(log, "testcase", "tests_outcomes"),
    Rows("$", _exercise, _aider, model="model", trial=_aider_run, choices=lambda _: ["passed", "pass_rate_1"],
         costs={"cost": ("cost",), "seconds": ("duration",)}),
)  # fmt: skip


def ended(log: Any, location: SourceLocation, which: Which) -> Iterable[Any]:
    """The missing trial of an exercise that an exception ended: aider writes the exception alone.

    The model is that of the other exercises of the run, in the folders beside it or, by language, above.
    """
    if location.file.name != RESULTS:
        raise UnknownFormat("format", "path", "this is an exception that ended something, not a log")
    folder = location.file.absolute().parent
    files = sorted(folder.parent.glob(f"*/{RESULTS}"))
    if len(folder.parts) > 4 and folder.parts[-3:-1] == PRACTICE:
        files += sorted(folder.parents[3].glob(f"*/{'/'.join(PRACTICE)}/*/{RESULTS}"))
    logs = [(x.parent, document_beside(location, os.path.relpath(x, folder))) for x in files]
    answered = [(x, other) for x, other in logs if has(other, "testcase", "tests_outcomes", "model")]
    if len({str(other["model"]) for _, other in answered}) != 1:
        what = f"an exception ended the exercise {shown(folder.name)}, and its folder does not tell the model"
        return [Unfinished(f"{what}, so that its outcome is missing")]
    beside, other = answered[0]
    testdir = os.path.normpath(os.path.join(str(other.get("testdir", "")), os.path.relpath(folder, beside)))
    trial = {"testcase": folder.name, "testdir": testdir, "model": other["model"], "tests_outcomes": []}
    return AIDER.records(trial, location, which)


Suites = tuple[str, ...]  # the names of the suites around a test case


def junit(root: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials in the test cases of a report.

    Where cases of one name are in different suites, the names of these suites are part of the question.
    """
    cases = list(_cases(root, "", ()))
    names = ["/".join(x for x in (text_at(case, "classname"), text_at(case, "name")) if x) for _, _, case in cases]
    suites: dict[str, dict[Suites, None]] = {}
    for name, (_, around, _) in zip(names, cases, strict=True):
        suites.setdefault(name, {})[around] = None
    differing = {name: _differing(paths) for name, paths in suites.items()}
    model, counter = location.model(), AnswerCounter(location)
    for name, (location.entry, around, case) in zip(names, cases, strict=True):
        if len(suites[name]) > 1:
            location.remark("Test cases whose name is in several suites: {n}. The suite is part of their question.")
        question = "/".join((*differing[name][around], name)) if name else ""  # which is refused
        yield Trial(model, question, counter.next(question, case), _passed(case), rest=case)
    location.leave_line()
    if (stated := _stated_tests(root)) > len(cases):
        claim(location, "tests", stated, "trials")
    failures = [_number(x, "failures") for x in ([root] if "failures" in root else _inner(root, "testsuite"))]
    numbers = [x for x in failures if x is not None]
    if failures and len(numbers) == len(failures):
        claim(location, "failures", sum(numbers), "failures")


def _cases(x: Any, entry: str, around: Suites) -> Iterator[tuple[str, Suites, Any]]:
    """Each test case in an element, with its place and the names of the suites around it."""
    for tag, elements in x.items():
        for i, inner in enumerate(elements if type(elements) is list else ()):
            place = f"{entry}.{tag}[{i}]".removeprefix(".")
            if tag == "testcase":
                yield place, around, inner
            name = (text_at(inner, "name") or "",) if tag == "testsuite" else ()
            yield from _cases(inner, place, (*around, *name))


def _shared(paths: Iterable[Suites]) -> int:
    """The number of names at the beginning that all paths have."""
    return sum(1 for _ in takewhile(lambda names: len({*names}) == 1, zip(*paths, strict=False)))


def _differing(paths: Iterable[Suites]) -> dict[Suites, Suites]:
    """Each path without the names at its beginning and at its end that all others have too."""
    start = _shared(paths)
    end = _shared([x[start:][::-1] for x in paths])
    return {x: tuple(y for y in x[start : len(x) - end] if y) for x in paths}


def _passed(case: Any) -> int | None:
    """Whether a test passes; None where it did not run, or had an error, which is of its environment."""
    states = {str(case.get(x, "")).lower() for x in ("status", "result")}
    if {"error", "skipped", "disabled"} & case.keys() or states & NOT_RUN:
        return None
    return int("failure" not in case and not states & FAILED)


def _stated_tests(suite: Any) -> int:
    """The number of tests that a suite states, or that it contains if these are more (some count those that pass)."""
    contained = len(_inner(suite, "testcase")) + sum(map(_stated_tests, _inner(suite, "testsuite")))
    return max(contained, _number(suite, "tests") or 0)


def _inner(element: Any, tag: str) -> list[Any]:
    """The elements of a tag in an element."""
    return element[tag] if type(element.get(tag)) is list else []


def _number(element: Any, attribute: str) -> int | None:
    """The number in an attribute; None where there is none."""
    text = text_at(element, attribute) or ""
    return int(text) if COUNT.fullmatch(text) else None


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
    Format(
        "junit", "xml",
        lambda root: root[0] in ("testsuites", "testsuite") and not root[1].get("name", "").startswith("scorio "),
        junit, metric="passed",
    ),
    AIDER,
    Format("aider", "json", lambda log: has(log, "exception") and log.keys() <= ENDED, ended),
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
