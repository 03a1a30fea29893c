"""MMLU-Pro: eval_results/<model>/<category>_result.json, an array of questions with the extracted answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..claims import claim
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, document_beside, has, key, text_at

UNANSWERED = "Questions without an extracted answer: {n}. They count as wrong; MMLU-Pro's own script guesses an answer."


def records(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials that succeed if the predicted letter is the right one; categories are benchmarks."""
    ending = "_result" if location.stem.endswith("_result") else ""
    name = location.stem.removesuffix(ending)
    categories = {text_at(x, "category") for x in log}
    model = location.folder() if categories == {name} or ending else location.model()
    unanswered = [x for x in log if not text_at(x, "pred")]
    if unanswered:
        location.remark(UNANSWERED, len(unanswered))
    summary = document_beside(location, f"{name}_summary.json")
    for category in categories if len(categories) == 1 and not unanswered else ():
        claim(location, f"acc of {category}", at(summary, str(category), "acc"))
    for i, x in enumerate(log):
        location.entry = f"[{i}]"
        answer, prediction = key(x, "answer", str), text_at(x, "pred")
        yield Trial(model, key(x, "question_id", str, int), None, int(prediction == answer.strip()), None,
                    text_at(x, "category"), answer=prediction, rest=x)  # fmt: skip


FORMAT = Format(
    "mmlu-pro",
    "json",
    lambda log: type(log) is list and bool(log) and all(has(x, "question_id", "answer", "pred") for x in log),
    records,
    metric="correct",
)
