"""A report of a log as one HTML page that needs nothing else: what was found, how sure it is, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date as day
from typing import Any

from .. import arguments
from ..display import html
from ..display.text import printable
from ..errors import InvalidInput
from ..leaderboard.rows import FAMILIES, PAIRS, leaderboard, notes
from ..plot.canvas import NEEDS
from . import sections
from .analysis import Asked, Found, decision, pairs_of

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
    """A log as one HTML page, with pictures and sentences, that needs no network and no script.

    Parameters
    ----------
    logs : mapping of str to Log
        Of :func:`scorio.io.read`; with ``trials=True`` there, the page says how the ranking settles.
    questions : {"fixed", "sampled"}
        What all numbers are about: these questions, or questions like these.
    confidence : float in (1/2, 1)
        Of all intervals; and the level, one-sided, at which two models are told apart.
    k : int or iterable of int, optional
        For Pass@k, as in :func:`scorio.leaderboard.leaderboard`.
    weights : sequence of C+1 floats, optional
        Score of each category; default those of logs.
    missing : {"raise", "drop"} or int
        What reading the log did with missing outcomes: for the words of the page alone.
    title, command : str
        The heading, and the command that made the page.
    date : str, optional
        When it was made; default today.
    replicates : int, 1 <= replicates < 2^31
        Bootstrap replicates of the pictures of convergence.
    seed : int, 0 <= seed < 2^64
        Of these.

    Returns
    -------
    str
        The page. Of the same arguments, date included, the same page.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.
    ModuleNotFoundError
        Matplotlib is not installed.

    Notes
    -----
    Two models are compared on the questions that both answered. They are told apart where one is ahead with
    ``confidence``, the line that :func:`scorio.rank.ranges` draws.

    Examples
    --------
    >>> from scorio import tally
    >>> from scorio.io import Log
    >>> from scorio.report import report
    >>> large, small = tally([[1, 1, 1, 1], [1, 0, 1, 1]]), tally([[1, 0, 0, 1], [0, 0, 1, 0]])
    >>> page = report({"large": Log(["q1", "q2"], large), "small": Log(["q1", "q2"], small)})
    >>> "large is ahead of small with 97 %" in page
    True
    """
    if not isinstance(logs, Mapping) or not logs:
        raise InvalidInput("empty", "logs", "logs must be a mapping of at least one model to its log")
    weights = getattr(logs, "weights", None) if weights is None else weights
    weights = None if weights is None else arguments.weights(weights)
    confidence = arguments.confidence(confidence, 0.5)
    asked = Asked(questions, confidence, weights, arguments.integer(replicates, "replicates", 1, 2**31 - 1), seed)
    rows = leaderboard(logs, k=k, questions=questions, confidence=confidence, weights=weights)
    found = Found(logs, rows, pairs_of(logs, [row.model for row in rows], asked))
    with _style():
        body = [
            html.text("h1", printable(title)),
            html.text("p", " ".join(decision(found, asked)), "lead"),
            *_section("Leaderboard", sections.board(found, asked)),
            *_section("Who is better", sections.who(found, asked)),
            *_section("How the ranking settles", sections.settling(found, asked)),
            *_section("Questions", sections.questions(found, asked)),
            *_section("Trials and missing outcomes", sections.missing(found, missing)),
            *_section("Notes", [html.items(_notes(logs, rows, asked, missing))]),
            *_section("How this page was made", sections.made(asked, command, date or day.today().isoformat())),
        ]
    return html.page(printable(title), body)


def _notes(logs: Mapping[str, Any], rows: Sequence[Any], asked: Asked, missing: str | int) -> list[str]:
    found = notes(logs, rows, asked.confidence, missing)
    return [*found, PAIRS] if FAMILIES in found and len(rows) > 1 else found


def _section(heading: str, body: Iterable[str]) -> list[str]:
    name = "-".join(heading.lower().split())
    return [f'<section aria-labelledby="{name}">', f'<h2 id="{name}">{heading}</h2>', *body, "</section>"]


def _style() -> Any:
    """The looks of the page's pictures, whatever the caller's settings; these come back afterwards."""
    try:
        from matplotlib import style
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(NEEDS, name="matplotlib") from None
    return style.context(["default", {"svg.fonttype": "none", "svg.hashsalt": "scorio"}])
