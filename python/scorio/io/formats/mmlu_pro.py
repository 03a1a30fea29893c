"""MMLU-Pro: eval_results/<model>/<category>_result.json, an array of questions with the answer that was extracted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..claims import claim
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, document_beside, has, key, text_at

GUESSED = "Questions of MMLU-Pro without an extracted answer: {n}. They count as wrong; its own script guesses them."


def records(log: Any, place: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials that succeed if the predicted letter is the right one; categories are benchmarks."""
    ending = "_result" if place.stem.endswith("_result") else ""
    named = place.stem.removesuffix(ending)
    model = place.folder() if {named} == {text_at(x, "category") for x in log} or ending else place.model()
    guessed = [x for x in log if not text_at(x, "pred")]
    if guessed:
        place.remark(GUESSED, len(guessed))
    categories = {text_at(x, "category") for x in log}
    own = document_beside(place, f"{named}_summary.json")
    for category in categories if len(categories) == 1 and not guessed else ():
        claim(place, f"acc of {category}", at(own, str(category), "acc"))
    for i, x in enumerate(log):
        place.spot = f"[{i}]"
        answer, prediction = key(x, "answer", str), text_at(x, "pred")
        yield Trial(model, key(x, "question_id", str, int), None, int(prediction == answer.strip()), None,
                    text_at(x, "category"), answer=prediction)  # fmt: skip


FORMAT = Format(
    "mmlu-pro",
    "json",
    lambda log: type(log) is list and bool(log) and all(has(x, "question_id", "answer", "pred") for x in log),
    records,
    metric="correct",
)
