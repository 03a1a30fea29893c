"""NeMo-Skills: eval-results/<benchmark>/output-rs<seed>.jsonl, a line for each problem."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..check import model_in
from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import UNKNOWN, Trial
from ..text_files import InferredName, SourceLocation
from .fields import Format, at, choose, digest, document_beside, has, key, same_metric

SEED = re.compile(r"output-rs(\d+)")
AVERAGE = re.compile(r"pass@1\[(avg-of-)?\d+\]")
JUDGED = re.compile(r"judgement:\s*(yes|no)\b", re.IGNORECASE)
OUTCOMES = ("symbolic_correct", "is_correct", "judgement")


def records(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of problems by seed; the question is the id of the problem, or else a hash of its content.

    A problem that a file has several times is a different question each time.
    """
    model, task = _model_and_task(location)
    (which or Which()).require(task)
    seed = SEED.match(location.stem)
    trial, chosen, counter = seed[1] if seed else "0", "", AnswerCounter(location)
    for line in lines:
        if not chosen:
            available = [name for name in OUTCOMES if name in line]
            chosen = same_metric(choose(which, available, "outcomes", task), "nemo-skills", location, task)
            _add_claims(location, task, chosen)
        question = _question(line)
        n = counter.next((model_in(line), question), line)
        suffix = f" ({n})" if n > 1 else ""
        value = key(line, chosen)
        outcome, answer = _judged(value) if chosen == "judgement" else value, line.get("predicted_answer", UNKNOWN)
        yield Trial(model, question + suffix, trial, outcome, None, task, answer=answer, rest=line)


def _add_claims(location: SourceLocation, task: str | None, chosen: str) -> None:
    """Note the averages over seeds in metrics.json, which are in percent."""
    stated = at(document_beside(location, "metrics.json"), (task or "").rpartition("/")[2])
    document, name = f"{location.file.parent / 'metrics.json'}", "judge_correct" if chosen == "judgement" else chosen
    for what in stated if type(stated) is dict else ():
        if AVERAGE.fullmatch(what) or (what == "pass@1" and not any(map(AVERAGE.fullmatch, stated))):
            claim(location, f"{what} {name}", at(stated, what, name), unit=100, digits=2, document=document)
            claim(location, "num_entries", at(stated, what, "num_entries"), "questions", document=document)


def _model_and_task(location: SourceLocation) -> tuple[str, str | None]:
    """The model and the benchmark: the folder above eval-results and the path below it.

    Without a folder eval-results they are the two folders above the file.
    """
    parts = location.file.resolve().parent.parts
    if "eval-results" not in parts:
        return location.folder(2), str(location.folder())
    position = len(parts) - 1 - parts[::-1].index("eval-results")
    folder = location.file.resolve().parents[len(parts) - position]
    # a folder eval-results at the root of the disk has no folder above it that could name the model
    model = InferredName(parts[position - 1] if position > 1 else location.stem, str(folder))
    return model, "/".join(parts[position + 1 :]) or None


def _question(line: Any) -> str:
    if has(line, "id") and type(line["id"]) in (str, int) and str(line["id"]).strip():
        return str(line["id"]).strip()
    return digest(line.get("problem", line.get("question")), line.get("expected_answer"))


def _judged(text: Any) -> int | None:
    """The last verdict in a judgement as 0 or 1; None where there is none."""
    verdicts = JUDGED.findall(text) if type(text) is str else []
    return int(verdicts[-1].lower() == "yes") if verdicts else None


FORMAT = Format(
    "nemo-skills",
    "lines",
    lambda line: has(line, "generation") and any(name in line for name in OUTCOMES),
    records,
)
