"""LiveCodeBench: <model>/Scenario.codegeneration_<n>_<temperature>_eval_all.json, and its custom runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import shown
from ..claims import AnswerCounter, claim
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, document_beside, has, key


def evaluated(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials from the grades of the answers to each question."""
    model, counter = location.folder(), AnswerCounter(location)
    averages = [
        x["pass@1"] for x in log if has(x, "pass@1") and type(x["pass@1"]) in (int, float) and 0 <= x["pass@1"] <= 1
    ]
    if len(averages) == len(log):
        claim(location, "the average pass@1", sum(averages) / len(averages))
    stated = document_beside(location, f"{location.stem.removesuffix('_all')}.json")
    if type(stated) is list and stated:
        claim(location, "pass@1 (its _eval.json)", at(stated[0], "pass@1"))
    for i, x in enumerate(log):
        location.entry = f"[{i}]"
        yield from _trials(counter, model, key(x, "question_id", str, int), x)


def custom(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials of a custom run, whose keys are the questions."""
    model, counter = location.model("_eval_all", "_output", "_codegeneration"), AnswerCounter(location)
    for name, x in log["eval"].items():
        location.entry = f"eval[{shown(name)}]"
        yield from _trials(counter, model, name, x)


def _trials(counter: AnswerCounter, model: str, question: Any, entry: Any) -> Iterator[Trial]:
    """Trials of a question: the grades of its answers."""
    codes = entry.get("code_list")
    for j, grade in enumerate(key(entry, "graded_list", list) or [None]):
        # counted only to detect repetitions: the id of a trial is its position
        counter.next(question, codes[j] if type(codes) is list and j < len(codes) else None)
        yield Trial(model, question, j + 1, grade)


FORMATS = (
    Format(
        "livecodebench",
        "json",
        lambda log: type(log) is list and bool(log) and has(log[0], "question_id", "graded_list"),
        evaluated,
        metric="passed",
    ),
    Format(
        "livecodebench",
        "json",
        lambda log: (
            has(log, "eval")
            and type(log["eval"]) is dict
            and bool(log["eval"])
            and all(has(x, "graded_list") for x in log["eval"].values())
        ),
        custom,
        metric="passed",
    ),
)
