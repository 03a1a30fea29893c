"""The answer of a command: a page, JSON or CSV, from the same records."""

from __future__ import annotations

import csv
import json
import shutil
from argparse import Namespace
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any, NamedTuple

from ..analysis.result import Result
from ..display.text import number, printable
from ..render import document
from ..version import __version__
from . import markup
from .tables import wrapped

VERSION = 1  # of docs/*.schema.json: fields may be added; none is removed or changed without a new version


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


def answer(
    args: Namespace,
    records: Sequence[dict[str, Any]],
    notes: Sequence[str],
    page: Callable[[int], Sequence[str]],
    **more: Any,
) -> Answer:
    """The records in the form asked for; page lays them out in so many columns. more: for the top of --json."""
    if args.format == "json":
        schema = f"scorio.{getattr(args, 'command', 'table')}/{VERSION}"
        said = {"schema": schema, "version": __version__, "file": args.file} | more | options(args)
        return Answer(json.dumps(said | {"rows": records, "notes": list(notes)}, indent=2) + "\n")
    if args.format == "csv":
        out = StringIO()
        names = list(dict.fromkeys(name for record in records for name in record))
        writer = csv.DictWriter(out, names, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows(records)
        return Answer(out.getvalue(), notes, True)
    if args.format in ("markdown", "latex"):
        return Answer(markup.page(args.format, page, notes), (), True)
    width = shutil.get_terminal_size((80, 24)).columns
    title, *tables = page(width)
    first, line, lead = title.partition("\n")
    blocks = [wrapped([first], width) + line + lead, *tables, *([wrapped(notes, width)] if notes else [])]
    return Answer("\n\n".join(blocks) + "\n")


SAID = ("questions", "confidence", "weights", "missing", "missing_code")


def options(args: Namespace) -> dict[str, Any]:
    """The options that say how the log was read and what the intervals are about."""
    return {name: getattr(args, name) for name in SAID if hasattr(args, name)}


def name(args: Namespace) -> str:
    """The log's name."""
    from pathlib import Path  # here, for the help does without it

    return printable(Path(args.file).name)


def title(args: Namespace, models: int, said: str = "") -> str:
    """The first line of a page."""
    return f"{name(args)}: {number(models, 'model')}{said}"
