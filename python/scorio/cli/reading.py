"""Logs that the arguments of a command describe, and the text of the help about files."""

from __future__ import annotations

import argparse
import os
import shlex
from textwrap import fill
from typing import Any

from ..commands.files import Files
from ..commands.files import files as list_files
from ..commands.options import read_options
from ..display.text import among
from ..errors import InvalidInput, hinted
from ..evaluation import Evaluation, read
from ..readers.formats import NAMES

FILES = """files:
  Logs of evaluation tools, recognised by their content (see formats); a folder
  has one file per model or per run. Several logs, or a pattern, are read like
  one folder; - is the standard input; .gz .xz .bz2 .zst are decompressed, .zip
  and .tar (also compressed) are read like the folder that they hold. A log with
  several tasks has a benchmark for each
  .csv .tsv .jsonl  columns question and outcome (0 or 1), or question, c and n
                    (successes, trials); optional columns are model (default:
                    the name of the file), task, cluster (group of related
                    questions) and trial (default: each row is one more trial,
                    of the run that a column run, seed, epoch or session has)
  .parquet          a table with the same columns; further ones are not read
                    outcomes may be words such as passed and failed; --outcomes
                    good=1,bad=0,timeout=missing says what others are worth
                    --wide: a row for each question, a column for each model
  .json .xml .yaml  documents of any shape: --rows says where their rows are, as
                    in 'results[*]', '{model}.{question}.passed[{trial}]' or
                    '**.testcase[*]'; --columns names their keys, which are also
                    looked up in the objects around a row
  .npy .npz         arrays (models, questions, trials) or (questions, trials)
  Outcomes (not c and n) must have the same number of trials for all questions
  of a model in a task. If not, that is an error, unless --missing drop keeps
  the trials that each question has, --missing CATEGORY adds trials with this
  category to each question, up to the largest number of that model in the task,
  or --missing bounds bounds what those trials may change

"""


def formats() -> str:
    """Names of all formats, for the help text."""
    names = fill(", ".join(NAMES), 78, initial_indent="  ", subsequent_indent="  ")
    return f"formats, recognised by their content (--from where the content is ambiguous):\n{names}\n"


def read_log(args: argparse.Namespace, *, trials: bool = False, more: str | None = None) -> Evaluation:
    """Read the evaluation that the options describe; the order of its trials is kept only if ``trials`` is true."""
    if more is not None:
        e = read(more, missing="drop", w=args.w, **read_options(args))
        if args.model and not set(args.model) & set(e.models):
            raise InvalidInput(
                "choice", "more", f"{more} has no model of --model, but {among(args.model[0], e.models)}"
            )
        return e.select([m for m in args.model if m in e.models]) if args.model else e
    files = args.files if len(args.files) > 1 else args.files[0]
    trials = trials or getattr(args, "runs", None) in ("sampled", "shared")  # frames keep runs only with their trials
    settings = read_options(args) | {"trials": trials, "missing": args.missing, "w": args.w}
    try:
        e = read(files, **settings)
    except FileNotFoundError:
        _refuse_models(args.files, settings)
        raise
    except InvalidInput as error:
        key, _, value = (error.hint or "").partition(":")
        if key != "which":
            raise
        try:  # if reading fails again after the suggested choice, one message names both problems
            read(files, **settings | {"which": [*(args.which or []), value]})
        except InvalidInput as second:
            if second.hint and not second.hint.startswith("which"):
                reason = f"{error.on_command_line}, and after that: {hinted(second.hint, command=True)}"
                if second.hint == "levels":
                    reason += f"; both at once: scorio {args.command} LOG --which {shlex.quote(value)} --w levels"
                raise InvalidInput(error.code, error.argument, reason) from None
        raise
    return e.select(args.model).alone() if args.model else e


def _refuse_models(files: list[str], settings: dict[str, Any]) -> None:
    """Raise if some of the files do not exist, and one of these has the name of a model in the existing files."""
    existing = [x for x in files if os.path.exists(x)]
    absent = [x for x in files if x not in existing]
    try:
        models = read(existing, **settings).models if existing else ()
    except (InvalidInput, OSError, ImportError):
        return
    for x in absent:
        if x not in models and any(c in x for c in "./*?["):  # probably a path or a pattern
            return
    if any(x in models for x in absent):
        unknown = next((x for x in absent if x not in models), None)
        if unknown is not None:
            what = f"{unknown!r} is neither a file nor a model; the log has {among(unknown, models)}"
            raise InvalidInput("choice", "model", what)
        chosen = " ".join(f"--model {shlex.quote(x)}" for x in absent)
        raise InvalidInput("choice", "model", f"{absent[0]!r} is a model, not a file; models are chosen with {chosen}")


def files(args: argparse.Namespace, read: object = None) -> Files:
    """List the files that would be read and their formats, for --dry-run."""
    if not args.files:
        raise InvalidInput("conflict", "file", "no log to read: name a file or a folder")
    args.format, args.explain = getattr(args, "format", "text"), False
    return list_files(args.files if len(args.files) > 1 else args.files[0], args.file, **read_options(args))
