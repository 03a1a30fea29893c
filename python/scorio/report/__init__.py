"""A report of a log as one HTML page: conclusions with their uncertainty, tables, plots, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date as day
from typing import Any

from .. import arguments
from ..display import html
from ..display.text import printable
from ..errors import InvalidInput
from ..io import Log, Logs
from ..leaderboard.notes import notes
from ..leaderboard.rows import leaderboard
from ..leaderboard.suite import notes as suite_notes
from ..plot.align import lineup
from . import curves, sections, suite
from . import questions as decisive
from .analysis import Asked, Results, conclusions, pairs_of
from .cards import absent_of, cards, doubtful_of

__all__ = ["report"]

MADE, MISSING = "How this page was made", "Trials and missing outcomes"


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
    sources: Sequence[str] = (),
    date: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    link: str = "",
) -> str:
    """A log as one HTML page with sentences, tables and charts, which needs no network and no script.

    Parameters
    ----------
    logs : mapping of str to Log
        Logs of :func:`scorio.io.read`; with ``trials=True`` there, the page shows the stability of the ranking. Of
        several benchmarks the page ranks models by their macro-average, and shows every model in each benchmark.
    questions : {"fixed", "sampled"}
        What all numbers are about: this question set, or the population of similar questions.
    confidence : float in (0, 1)
        Nominal coverage of all intervals; a difference is significant at the level 1 - confidence, family-wise over all
        pairs.
    k : int or iterable of int, optional
        Numbers of trials for Pass@k, as in :func:`scorio.leaderboard.leaderboard`; none of several benchmarks.
    weights : sequence of C+1 floats, optional
        Score of each category; default those of logs. Several benchmarks have their own.
    missing : {"raise", "drop"} or int
        How missing outcomes were treated when the log was read; used in sentences only.
    title, command : str
        The heading, and the command that made the page.
    sources : sequence of str
        What the log was read from, a line each, such as names of files with their hashes.
    date : str, optional
        When the page was made; default today.
    replicates : int, 1 <= replicates < 2^31
        Bootstrap replicates for the stability of the ranking.
    seed : int, 0 <= seed < 2^64
        Seed of the bootstrap.
    link : str, optional
        An address in which {question} stands for the id of a question, such as that of its transcript: ids lead there.

    Returns
    -------
    str
        The page. The same arguments, date included, give the same page.

    Raises
    ------
    InvalidInput
        An argument is invalid.

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
    several = logs if isinstance(logs, Logs) and logs.benchmarks else None
    if several is not None:
        if weights is not None:
            raise InvalidInput("conflict", "weights", "logs has several benchmarks, each with weights of its own")
        weights = suite.scale_of(several)
    elif weights is None:
        weights = getattr(logs, "weights", None)
    asked = Asked(
        questions, arguments.confidence(confidence), None if weights is None else arguments.weights(weights),
        arguments.integer(replicates, "replicates", 1, 2**31 - 1), arguments.seed(seed), link,
    )  # fmt: skip
    body = _of_one(logs, asked, k, missing) if several is None else _of_suite(several, asked, k, missing)
    made = sections.made(logs, asked, command, date or day.today().isoformat(), sources)
    return html.page(printable(title), [html.text("h1", printable(title)), *body, *_section(MADE, made)])


def _of_one(logs: Mapping[str, Log], asked: Asked, k: Any, missing: str | int) -> list[str]:
    """The sections of a single benchmark."""
    given: dict[str, Any] = {"questions": asked.questions, "confidence": asked.confidence}
    rows = leaderboard(logs, k=k, weights=asked.weights, **given)
    aligned = lineup({row.model: logs[row.model] for row in rows}, asked.weights)
    results = Results(logs, rows, pairs_of(aligned, asked))
    found = decisive.analysed(logs, asked)
    return [
        *_conclusions(results, {"": found}, asked, missing),
        *_section("Leaderboard", sections.board(results, asked)),
        *_section("Comparisons", sections.comparisons(results, asked)),
        *_section("Pass@k", curves.pass_at_k(results, asked)),
        *_section("Questions", decisive.questions(results, aligned, found, asked)),
        *_section("Reliability and design", decisive.reliability(found, asked)),
        *_section("Stability of the ranking", curves.stability(results, asked)),
        *_section(MISSING, sections.missing(logs, missing)),
        *_section("Notes", [html.items(notes(logs, rows, asked.confidence, missing))]),
    ]


def _of_suite(logs: Logs, asked: Asked, k: Any, missing: str | int) -> list[str]:
    """The sections of several benchmarks: decisions over all of them, and each beside the others."""
    results, boards = suite.results_of(logs, asked, suite.checked(k))
    found = {name: decisive.analysed(x, asked._replace(weights=x.weights)) for name, x in logs.benchmarks.items()}
    return [
        *_conclusions(results, found, asked, missing),
        *_section("Leaderboard", sections.board(results, asked)),
        *_section("Benchmarks", [*suite.benchmarks(results, asked), *suite.remarks(logs, missing)]),
        *_section("Comparisons", sections.comparisons(results, asked)),
        *_section("Questions and reliability", decisive.by_benchmark(logs, found, asked)),
        *_section(MISSING, sections.missing(logs, missing)),
        *_section("Notes", [html.items(suite_notes(logs, boards, asked.confidence, missing))]),
    ]


def _conclusions(
    results: Results, found: Mapping[str, decisive.Analysed], asked: Asked, missing: str | int
) -> list[str]:
    """What the page says first, and what a reader must know before believing it."""
    absent = absent_of(results.logs, missing, asked.weights)
    said = [html.aside(absent, name_of(MISSING), "How many of which model")] if absent else []
    if doubtful := doubtful_of({name: sum(y.suspect for y in x.items) for name, x in found.items()}):
        place = name_of("Questions and reliability") if results.board is not None else decisive.SUSPECTS
        said.append(html.aside(doubtful, place, "Which ones" if results.board is None else "The benchmarks"))
    if not results.rows:
        return said
    in_full = [html.text("p", x) for x in conclusions(results, asked)]
    named = [html.text("p", x, "quiet") for x in results.in_sentences.said]
    return [cards(results, asked), *said, *named, html.details("In full, for statisticians", in_full)]


def name_of(heading: str) -> str:
    """The name by which links find a section."""
    return "-".join(heading.lower().replace("@", "-").split())


def _section(heading: str, body: Sequence[str]) -> list[str]:
    """A section, where there is something in it."""
    name = name_of(heading)
    head = [f'<section aria-labelledby="{name}">', f'<h2 id="{name}">{heading}</h2>']
    return [*head, *body, "</section>"] if body else []
