"""A report of a log as one HTML page: conclusions with their uncertainty, tables, plots, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date as day
from typing import Any

from .. import arguments
from ..display import html
from ..display.text import printable
from ..errors import InvalidInput
from ..leaderboard.notes import notes
from ..leaderboard.rows import leaderboard
from ..plot.canvas import NEEDS
from . import sections
from .analysis import Asked, Results, conclusions, pairs_of

__all__ = ["report"]


def report(
    logs: Mapping[str, Any],
    *,
    questions: str = "fixed",
    confidence: float = 0.95,
    k: int | Iterable[int] | None = None,
    weights: Sequence[float] | None = None,
    missing: str | int = "raise",
    title: str = "Evaluation report",
    command: str = "",
    date: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
) -> str:
    """A log as one HTML page with sentences, tables and plots, which needs no network and no script.

    Parameters
    ----------
    logs : mapping of str to Log
        Logs of :func:`scorio.io.read`; with ``trials=True`` there, the page shows the stability of the ranking.
    questions : {"fixed", "sampled"}
        What all numbers are about: this question set, or the population of similar questions.
    confidence : float in (0, 1)
        Nominal coverage of all intervals; a difference is significant at the level 1 - confidence, family-wise over all
        pairs.
    k : int or iterable of int, optional
        Numbers of trials for Pass@k, as in :func:`scorio.leaderboard.leaderboard`.
    weights : sequence of C+1 floats, optional
        Score of each category; default those of logs.
    missing : {"raise", "drop"} or int
        How missing outcomes were treated when the log was read; used in sentences only.
    title, command : str
        The heading, and the command that made the page.
    date : str, optional
        When the page was made; default today.
    replicates : int, 1 <= replicates < 2^31
        Bootstrap replicates for the stability of the ranking.
    seed : int, 0 <= seed < 2^64
        Seed of the bootstrap.

    Returns
    -------
    str
        The page. The same arguments, date included, give the same page.

    Raises
    ------
    InvalidInput
        An argument is invalid.
    ModuleNotFoundError
        Matplotlib is not installed.

    Notes
    -----
    Two models are compared on the questions that both answered, as in :func:`scorio.sinf.compare_all`: p-values are
    two-sided and adjusted for the number of pairs by Holm's method. Where questions are sampled and the log names their
    clusters, these are the sampling units of all intervals and comparisons.

    Examples
    --------
    >>> from scorio import tally
    >>> from scorio.io import Log
    >>> from scorio.report import report
    >>> large, small = tally([[1, 1, 1, 1], [1, 0, 1, 1]]), tally([[1, 0, 0, 1], [0, 0, 1, 0]])
    >>> page = report({"large": Log(["q1", "q2"], large), "small": Log(["q1", "q2"], small)})
    >>> "large and small are not significantly different" in page
    True
    """
    if not isinstance(logs, Mapping) or not logs:
        raise InvalidInput("empty", "logs", "logs must be a mapping of at least one model to its log")
    weights = getattr(logs, "weights", None) if weights is None else weights
    weights = None if weights is None else arguments.weights(weights)
    confidence = arguments.confidence(confidence)
    asked = Asked(questions, confidence, weights, arguments.integer(replicates, "replicates", 1, 2**31 - 1), seed)
    rows = leaderboard(logs, k=k, questions=questions, confidence=confidence, weights=weights)
    results = Results(logs, rows, pairs_of(logs, [row.model for row in rows], asked))
    with _style():
        body = [
            html.text("h1", printable(title)),
            html.text("p", " ".join(conclusions(results, asked)), "lead"),
            *(html.text("p", x) for x in results.in_sentences.said),
            *_section("Leaderboard", sections.board(results, asked)),
            *_section("Comparisons", sections.comparisons(results, asked)),
            *_section("Stability of the ranking", sections.stability(results, asked)),
            *_section("Questions", sections.questions(results, asked)),
            *_section("Trials and missing outcomes", sections.missing(results, missing)),
            *_section("Notes", [html.items(_notes(logs, rows, asked, missing))]),
            *_section("How this page was made", sections.made(asked, command, date or day.today().isoformat())),
        ]
    return html.page(printable(title), body)


def _notes(logs: Mapping[str, Any], rows: Sequence[Any], asked: Asked, missing: str | int) -> list[str]:
    return notes(logs, rows, asked.confidence, missing)


def _section(heading: str, body: Iterable[str]) -> list[str]:
    name = "-".join(heading.lower().split())
    return [f'<section aria-labelledby="{name}">', f'<h2 id="{name}">{heading}</h2>', *body, "</section>"]


def _style() -> Any:
    """The style of the page's plots, whatever the caller's settings, which are restored afterwards."""
    try:
        from matplotlib import style
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(NEEDS, name="matplotlib") from None
    return style.context(["default", {"svg.fonttype": "none", "svg.hashsalt": "scorio"}])
