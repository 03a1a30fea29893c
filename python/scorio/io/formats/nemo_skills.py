"""NeMo-Skills: eval-results/<benchmark>/output-rs<seed>.jsonl, a line for each problem."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import UNKNOWN, Trial
from ..text_files import InferredName, SourceLocation
from .fields import Format, at, choose, digest, document_beside, has, key, same_metric

SEED = re.compile(r"output-rs(\d+)")
AVERAGE = re.compile(r"pass@1\[(avg-of-)?\d+\]")
JUDGED = re.compile(r"judgement:\s*(yes|no)\b", re.IGNORECASE)
OUTCOMES = ("symbolic_correct", "is_correct", "judgement")


def records(lines: Iterable[Any], place: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of problems by seed; the question is the id of the problem, or else a hash of its content."""
    model, task = _named(place)
    (which or Which()).require(task)
    seed = SEED.match(place.stem)
    trial, chosen, counter = seed[1] if seed else "0", "", AnswerCounter(place)
    for line in lines:
        if not chosen:
            available = [name for name in OUTCOMES if name in line]
            chosen = same_metric(choose(which, available, "outcomes", task), "nemo-skills", place, task)
            _claims(place, task, chosen)
        question = _question(line)
        suffix = f" ({counter.counts[question]})" if counter.next(question, line) > 1 else ""
        value = key(line, chosen)
        outcome, answer = _judged(value) if chosen == "judgement" else value, line.get("predicted_answer", UNKNOWN)
        yield Trial(model, question + suffix, trial, outcome, None, task, answer=answer)


def _claims(place: SourceLocation, task: str | None, chosen: str) -> None:
    """Note the averages over seeds in metrics.json, which are in percent."""
    own = at(document_beside(place, "metrics.json"), (task or "").rpartition("/")[2])
    document, name = f"{place.file.parent / 'metrics.json'}", "judge_correct" if chosen == "judgement" else chosen
    for what in own if type(own) is dict else ():
        if AVERAGE.fullmatch(what) or (what == "pass@1" and not any(map(AVERAGE.fullmatch, own))):
            claim(place, f"{what} {name}", at(own, what, name), unit=100, digits=2, document=document)
            claim(place, "num_entries", at(own, what, "num_entries"), "questions", document=document)


def _named(place: SourceLocation) -> tuple[str, str | None]:
    """The model and the benchmark: the folder above eval-results, and the path below."""
    parts = place.file.resolve().parent.parts
    if "eval-results" not in parts:
        return place.folder(2), str(place.folder())
    up = len(parts) - 1 - parts[::-1].index("eval-results")
    home = place.file.resolve().parents[len(parts) - up]
    return InferredName(parts[up - 1] if up > 1 else place.stem, str(home)), "/".join(parts[up + 1 :]) or None


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
