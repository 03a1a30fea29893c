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

FILE = re.compile(r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)?(.+)_score")  # the task in the name of a file


def records(lines: Iterable[Any], location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials from the summary and failures in a file; from version 3 on, ids are read from the file of answers."""
    lines = iter(lines)
    summary = next(lines)
    total, correct = key(summary, "total_count", int), key(summary, "correct_count", int)
    claim(location, "accuracy", summary.get("accuracy"), digits=4)
    failed = {str(key(line, "id", str, int)): line for line in lines}
    location.leave_line()
    if len(failed) != total - correct:
        raise wrong(f"{correct} of {total} are correct, but {len(failed)} failures are listed")
    answers = _answers(location)
    if not location.stem.startswith("BFCL_"):
        yield from _numbered(failed, total, location)
        return
    questions = (
        [str(key(line, "id", str, int)) for line in objects(SourceLocation(answers))] if answers.is_file() else []
    )
    if len(questions) != total or not failed.keys() <= set(questions):
        what = f"{answers} has other questions ({len(questions)})" if questions else f"scorio needs {answers} too"
        raise InvalidInput("format", "path", f"it lists only the failures among {total} questions: {what}")
    task, model = FILE.fullmatch(location.stem), _model(location)
    for question in questions:
        yield Trial(model, question, None, int(question not in failed), None, task[1] if task else location.stem)


def _numbered(failed: dict[str, Any], total: int, location: SourceLocation) -> Iterator[Trial]:
    """Trials of files before version 3, whose questions are numbered from 1."""
    numbers = set(map(str, range(1, total + 1)))
    if invalid := sorted(failed.keys() - numbers):
        raise wrong(f"question {shown(invalid[0])} is not one of 1 to {total}")
    model, task = _model(location), FILE.fullmatch(location.stem)
    for i in range(1, total + 1):
        yield Trial(model, i, None, int(str(i) not in failed), None, task[1] if task else location.stem)


def _model(location: SourceLocation) -> str:
    """The model: the folder below score/; without a folder score/, the folder of the file."""
    parts = location.file.resolve().parts
    below = parts[len(parts) - parts[::-1].index("score") :] if "score" in parts else parts[-2:]
    if not below[:-1]:
        raise wrong(f"{shown(location.file.name)} is not in a folder of a model")
    return below[0]


def _answers(location: SourceLocation) -> Path:
    """The file of answers: below result/ instead of score/, with the ending _result."""
    parts = list(location.file.resolve().parts)
    if "score" in parts:
        parts[len(parts) - 1 - parts[::-1].index("score")] = "result"
    parts[-1] = parts[-1].replace("_score.", "_result.")
    return Path(*parts)


FORMAT = Format(
    "bfcl",
    "lines",
    lambda line: has(line, "accuracy", "correct_count", "total_count"),
    records,
    is_one_trial=True,
    metric="valid",
)
