"""The Berkeley function-calling leaderboard: files in score/ list the failures among the answers in result/."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, shown
from ..claims import claim
from ..records import Trial
from ..text_files import SourceLocation, objects
from .fields import Format, has, key, wrong

FILE = re.compile(r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)?(.+)_score")


def records(lines: Iterable[Any], place: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials from a summary and its failures; the ids of all questions are in the file of answers."""
    lines = iter(lines)
    summary = next(lines)
    total, correct = key(summary, "total_count", int), key(summary, "correct_count", int)
    claim(place, "accuracy", summary.get("accuracy"), digits=4)
    failed = {str(key(line, "id", str, int)): line for line in lines}
    place.leave_line()
    if len(failed) != total - correct:
        raise wrong(f"{correct} of {total} are correct, but {len(failed)} failures are named")
    answers = _answers(place)
    if not place.stem.startswith("BFCL_"):
        yield from _numbered(failed, total, place)
        return
    questions = (
        [str(key(line, "id", str, int)) for line in objects(SourceLocation(answers))] if answers.is_file() else []
    )
    if len(questions) != total or not failed.keys() <= set(questions):
        what = (
            f"the answers to all {total} questions in {answers}" if not questions else f"{answers} has {len(questions)}"
        )
        raise InvalidInput("format", "path", f"it names failures only, of {total} questions: needed are {what}")
    task, model = FILE.fullmatch(place.stem), _model(place)
    for question in questions:
        yield Trial(model, question, None, int(question not in failed), None, task[1] if task else place.stem)


def _numbered(failed: dict[str, Any], total: int, place: SourceLocation) -> Iterator[Trial]:
    """Trials of files before version 3: a question is named by its number, from 1 on."""
    numbers = set(map(str, range(1, total + 1)))
    if odd := sorted(failed.keys() - numbers):
        raise wrong(f"question {shown(odd[0])} is not one of 1 to {total}")
    model, task = _model(place), FILE.fullmatch(place.stem)
    for i in range(1, total + 1):
        yield Trial(model, i, None, int(str(i) not in failed), None, task[1] if task else place.stem)


def _model(place: SourceLocation) -> str:
    """The model, named by the folder below score/."""
    parts = place.file.resolve().parts
    below = parts[len(parts) - parts[::-1].index("score") :] if "score" in parts else parts[-2:]
    if not below[:-1]:
        raise wrong(f"{shown(place.file.name)} is not in a folder of a model")
    return below[0]


def _answers(place: SourceLocation) -> Path:
    parts = list(place.file.resolve().parts)
    if "score" in parts:
        parts[len(parts) - 1 - parts[::-1].index("score")] = "result"
    parts[-1] = parts[-1].replace("_score.", "_result.")
    return Path(*parts)


FORMAT = Format(
    "bfcl",
    "lines",
    lambda line: has(line, "accuracy", "correct_count", "total_count"),
    records,
    one=True,
    metric="valid",
)
