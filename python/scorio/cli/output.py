"""The answer of a command: a result as a page, JSON or CSV."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Sequence
from typing import NamedTuple

from ..analysis.result import Result
from ..display.text import number
from ..render import document


class Answer(NamedTuple):
    """Text for stdout, notes for stderr."""

    text: str
    notes: Sequence[str] = ()
    data: bool = False  # for programs: UTF-8, whatever the encoding of the terminal
    code: int = 0  # the exit code


def show(result: Result, args: Namespace) -> Answer:
    """A result in the form that is asked for; notes of data go to stderr."""
    if args.format == "json":
        return Answer(json.dumps(result.to_dict(), indent=2) + "\n", (), False, result.exit_code)
    if args.format == "csv":
        page = document(result)
        return Answer(result.to_csv(), [*page.sentences, *page.notes], True, result.exit_code)
    if args.format in ("markdown", "latex"):
        text = result.to_markdown() if args.format == "markdown" else result.to_latex()
        return Answer(text, (), True, result.exit_code)
    width = shutil.get_terminal_size((80, 24)).columns
    return Answer(result.to_text(width, explain=args.explain), (), False, result.exit_code)


def table(result: Result, path: str | None) -> Answer:
    """The rows as CSV, in a file or as the output; what is to be said of them goes to stderr."""
    page, text = document(result), result.to_csv()
    notes = [*page.sentences, *page.notes]
    if path is None:
        return Answer(text, notes, True)
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return Answer("", [f"{number(len(result.rows()), 'row')} written to {path}", *notes])
