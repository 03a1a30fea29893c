"""Output of commands: a result as text, Markdown, LaTeX, JSON or CSV, and its exit code."""

from __future__ import annotations

import json
import os
import shutil
from argparse import Namespace
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import saving
from ..display.text import number, printable
from ..errors import InvalidInput

if TYPE_CHECKING:
    from ..readers.evaluation import EvaluationData
    from .base import About, Result


class CommandOutput(NamedTuple):
    """Output of a command: text for stdout, notes for stderr, how to write the text, and the exit code."""

    text: str
    notes: Sequence[str] = ()
    # whether to write UTF-8 whatever the encoding of stdout, and no control characters to a terminal
    data: bool = False
    code: int = 0


def show(result: Result, args: Namespace) -> CommandOutput:
    """Output a result in the requested form; with CSV, sentences and notes go to stderr."""
    form, code = getattr(args, "format", "text"), result.exit_code
    if form == "json":
        return CommandOutput(json.dumps(result.to_dict(), indent=2) + "\n", code=code)
    if form == "csv":
        doc, text = result.document(), result.to_csv(keep_formulas=args.keep_formulas)
        return CommandOutput(text, [*doc.sentences, *doc.notes], data=True, code=code)
    if form in ("markdown", "latex"):
        return CommandOutput(result.to_markdown() if form == "markdown" else result.to_latex(), data=True, code=code)
    width = shutil.get_terminal_size((80, 24)).columns
    return CommandOutput(result.to_text(width, explain=getattr(args, "explain", False)), code=code)


def show_written_file(e: EvaluationData | About, kind: str, args: Namespace) -> CommandOutput:
    """Output the name of the file that a command wrote, as JSON; about an evaluation, or what is described."""
    from ..analysis.measure import target_of
    from .base import About, about_of
    from .files import Output, Written  # imported late, since completions need no analysis

    about = e if isinstance(e, About) else about_of(e, target_of(e, args.questions), args.confidence)
    return show(Written(about=about, table=(Output(args.output, kind),)), args)


def table(result: Result, args: Namespace) -> CommandOutput:
    """Output rows as CSV to a file or stdout, sentences and notes to stderr; with JSON, this is what stdout has."""
    path, doc, is_json = args.output, result.document(), args.format == "json"
    text, notes = result.to_csv(keep_formulas=args.keep_formulas), [*doc.sentences, *doc.notes]
    if path is None:
        return show(result, args) if is_json else CommandOutput(text, notes, data=True)
    saving.write(path, text)
    written = f"{number(len(result.rows()), 'row')} written to {printable(path)}"
    return CommandOutput(show(result, args).text, [written]) if is_json else CommandOutput("", [written, *notes])


def save_figure(figure: Any, path: str, **style: Any) -> None:
    """Write a figure to a file, in the format that its file extension names; PNG without an extension."""
    buffer = BytesIO()
    try:
        figure.savefig(buffer, format=os.path.splitext(path)[1][1:] or "png", **style)
    except ValueError as e:  # a file extension that Matplotlib does not know
        raise InvalidInput("choice", "output", f"{path}: {e}") from None
    saving.write(path, buffer.getvalue())
