"""The Berkeley function-calling leaderboard: score/ names the failures of what result/ holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ..accumulator import Trial
from ..claims import claim
from ..text_files import Place, objects, shown
from .fields import Format, has, key, wrong

FILE = re.compile(r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)?(.+)_score")


def records(lines: Iterable[Any], place: Place, which: Any) -> Iterator[Trial]:
    """A summary, then failures; all ids are in the file of answers."""
    lines = iter(lines)
    summary = next(lines)
    total, correct = key(summary, "total_count", int), key(summary, "correct_count", int)
    claim(place, "accuracy", summary.get("accuracy"), digits=4)
    failed = {str(key(line, "id", str, int)): line for line in lines}
    place.whole()
    if len(failed) != total - correct:
        raise wrong(f"{correct} of {total} are correct, but {len(failed)} failures are named")
    answers = _answers(place)
    if not place.stem.startswith("BFCL_"):
        yield from _numbered(failed, total, place)
        return
    asked = [str(key(line, "id", str, int)) for line in objects(Place(answers))] if answers.is_file() else []
    if len(asked) != total or not failed.keys() <= set(asked):
        what = f"the answers to all {total} questions in {answers}" if not asked else f"{answers} has {len(asked)}"
        raise InvalidInput("format", "path", f"it names failures only, of {total} questions: needed are {what}")
    found, model = FILE.fullmatch(place.stem), _model(place, failed)
    for question in asked:
        yield Trial(model, question, None, int(question not in failed), None, found[1] if found else place.stem)


def _numbered(failed: dict[str, Any], total: int, place: Place) -> Iterator[Trial]:
    """The files before version 3: a question is its number, from 1 on."""
    numbers = set(map(str, range(1, total + 1)))
    if odd := sorted(failed.keys() - numbers):
        raise wrong(f"question {shown(odd[0])} is none of 1 to {total}")
    model, task = _model(place, failed), FILE.fullmatch(place.stem)
    for i in range(1, total + 1):
        yield Trial(model, i, None, int(str(i) not in failed), None, task[1] if task else place.stem)


def _model(place: Place, failed: dict[str, Any]) -> str:
    """The folder below score/, which is the model."""
    parts = place.file.resolve().parts
    below = parts[len(parts) - parts[::-1].index("score") :] if "score" in parts else parts[-2:]
    if not below[:-1]:
        raise wrong(f"{shown(place.file.name)} stands in no folder of a model")
    return below[0]


def _answers(place: Place) -> Path:
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
