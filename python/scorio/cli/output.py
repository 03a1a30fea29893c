"""The answer of a command: a result as text, Markdown, LaTeX, JSON or CSV, and its exit code."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..display.text import number
from ..render import document

if TYPE_CHECKING:
    from ..analysis.result import Result
from . import options


class Answer(NamedTuple):
    """Text for stdout, notes for stderr."""

    text: str
    notes: Sequence[str] = ()
    data: bool = False  # for programs: UTF-8, whatever the encoding of the terminal
    code: int = 0  # the exit code


def show(result: Result, args: Namespace) -> Answer:
    """A result in the form that is asked for; notes of data go to stderr."""
    form, code = getattr(args, "format", "text"), result.exit_code
    if form == "json":
        return Answer(json.dumps(result.to_dict(), indent=2) + "\n", (), False, code)
    if form == "csv":
        page = document(result)
        return Answer(result.to_csv(), [*page.sentences, *page.notes], True, code)
    if form in ("markdown", "latex"):
        return Answer(result.to_markdown() if form == "markdown" else result.to_latex(), (), True, code)
    width = shutil.get_terminal_size((80, 24)).columns
    return Answer(result.to_text(width, explain=getattr(args, "explain", False)), (), False, code)


def table(result: Result, path: str | None) -> Answer:
    """The rows as CSV, in a file or as the output; what is to be said of them goes to stderr."""
    page, text = document(result), result.to_csv()
    notes = [*page.sentences, *page.notes]
    if path is None:
        return Answer(text, notes, True)
    options.write(path, text)
    return Answer("", [f"{number(len(result.rows()), 'row')} written to {path}", *notes])
