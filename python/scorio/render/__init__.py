"""Results as text, HTML, Markdown, LaTeX, CSV and JUnit: fields are formatted, no statistics are computed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .document import Document

LAYOUTS = {
    "Agreements": "agreement",
    "Changes": "changes",
    "Comparison": "compare",
    "Convergence": "converge",
    "CountIntervals": "interval",
    "Designs": "design",
    "Extrapolations": "extrapolate",
    "Files": "files",
    "Gate": "gate",
    "Judgement": "judge",
    "Leaderboard": "leaderboard",
    "Metrics": "metrics",
    "OutcomeTable": "convert",
    "OutputsToLabel": "judge",
    "Plan": "plan",
    "QuestionGate": "each",
    "Questions": "items",
    "Ranking": "rank",
    "Ratings": "battles",
    "Report": "report",
    "RubricScores": "rubric",
    "Verified": "receipt",
    "Written": "files",
}  # the module that lays out each result


def document(result: Any) -> Document:
    """Lay out a result as a document, which other modules turn into text, HTML, Markdown or LaTeX."""
    laid_out: Document = import_module(f".{LAYOUTS[type(result).__name__]}", __name__).document(result)
    return laid_out
