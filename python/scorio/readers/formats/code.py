"""Code evaluated by tests: evalplus, bigcodebench, CruxEval and human-eval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import shown
from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, choose, document_beside, has, key, same_metric, wrong

STATUS = {"pass": 1, "fail": 0, "timeout": 0}


def evalplus(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of evalplus. A success passes the tests of the benchmark (base), or also the additional ones (plus)."""
    model, tasks = location.model("_eval_results", fixed="eval_results"), key(log, "eval", dict)
    chosen = same_metric(choose(which, _test_sets(tasks), "tests"), "evalplus", location)
    claim(location, "pass@1", at(log, "pass_at_k", chosen, "pass@1"), digits=3)
    counter = AnswerCounter(location)
    for task, answers in tasks.items():
        location.entry = f"eval[{shown(task)}]"
        if not answers:  # the task was not answered
            yield Trial(model, task, 1, None)
        for i, answer in enumerate(answers):
            location.entry = f"eval[{shown(task)}][{i}]"
            passed = _status(answer, "base_status")
            if chosen == "plus":
                passed *= _status(answer, "plus_status")
            yield Trial(model, task, counter.next(task, answer), passed)


def _test_sets(tasks: dict[str, Any]) -> list[str]:
    """The sets of tests: base, and plus if any answer was run against the additional tests."""
    answers = [answer for several in tasks.values() for answer in several]
    plus = any(has(answer, "plus_status") and answer["plus_status"] is not None for answer in answers)
    return ["base", "plus"] if plus else ["base"]


def _status(answer: Any, name: str) -> int:
    status = key(answer, name, str)
    if status not in STATUS:
        raise wrong(f"{name} is {shown(status)}, not one of {', '.join(STATUS)}")
    return STATUS[status]


def bigcodebench(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials of bigcodebench, which has one set of tests."""
    model, counter = location.model("_eval_results", fixed="eval_results"), AnswerCounter(location)
    name = f"{location.stem.removesuffix('eval_results')}pass_at_k.json"
    claim(location, f"pass@1 ({name})", at(document_beside(location, name), "pass@1"), digits=3)
    for task, answers in log["eval"].items():
        for i, answer in enumerate(answers):
            location.entry = f"eval[{shown(task)}][{i}]"
            yield Trial(model, task, counter.next(task, answer), _status(answer, "status"))
        if not answers:  # the task was not answered
            yield Trial(model, task, 1, None)


def cruxeval(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials of CruxEval: the scored generations of each sample."""
    model = location.model("_results", fixed="results")
    claim(location, "pass_at_1", log.get("pass_at_1"), unit=100)
    for sample, scored in key(log, "raw_scored_generations", dict).items():
        location.entry = f"raw_scored_generations[{shown(sample)}]"
        if type(scored) is not list:
            raise wrong(f"{shown(scored)} is not a list of scores")
        for i, x in enumerate(scored or [None]):
            yield Trial(model, sample, i + 1, x)


def human_eval(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of human-eval: a line for each answer; the answers to a task are its trials, in order."""
    model, counter = location.model("_results", ".jsonl"), AnswerCounter(location)
    for line in lines:
        task, passed = key(line, "task_id", str, int), key(line, "passed")
        yield Trial(model, task, counter.next(str(task), line), passed)


FORMATS = (
    Format(
        "evalplus",
        "json",
        lambda log: has(log, "eval") and type(log["eval"]) is dict and all(map(_are_answers, log["eval"].values())),
        evalplus,
    ),
    Format(
        "bigcodebench",
        "json",
        lambda log: (
            has(log, "eval")
            and type(log["eval"]) is dict
            and any(type(x) is list and x for x in log["eval"].values())
            and all(type(x) is list and all(has(y, "status", "solution") for y in x[:1]) for x in log["eval"].values())
        ),
        bigcodebench,
        metric="passed",
    ),
    Format("cruxeval", "json", lambda log: has(log, "raw_scored_generations"), cruxeval, metric="passed"),
    Format("human-eval", "lines", lambda line: has(line, "task_id", "passed"), human_eval, metric="passed"),
)


def _are_answers(x: Any) -> bool:
    """Whether x is a list of evaluated answers, judged by the first."""
    return type(x) is list and all(has(answer, "base_status") for answer in x[:1])
