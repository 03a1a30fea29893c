"""``scorio receipt``: results with the counts that they follow from."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import saving
from ..display.text import number, printable
from ..errors import shown
from . import options, output

LONG_ID = 40  # an id with more characters and a space is probably the text of a question
EXAMPLES = """examples:
  scorio receipt runs.csv -o receipt.json
  scorio receipt runs.csv --k 1,4 --questions sampled -o receipt.json
  scorio verify receipt.json runs.csv

"""
MEANING = """A receipt is JSON: the counts of every model and question, and the results that
follow from them: averages and Pass@k with their intervals, macro-averages, rank
ranges and all differences, with the function and the arguments of each. It has
no outputs of models; it has the ids of questions as the log does, the names of
its files and the command line. scorio verify, and Scorio.verify in Julia,
compute all numbers again. Its size grows with the square of the number of
models.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    options.add_target(parser, options.PASS_AT_K_HELP)
    parser.add_argument("--output", "-o", metavar="JSON", help="file to write (default: stdout)")
    options.add_json(parser)


def run(args: Namespace) -> output.CommandOutput:
    """Read the log, compute the results and write the receipt."""
    options.check_output(args)
    e = options.evaluation(args)
    document = e.receipt(k=args.k, questions=args.questions, confidence=args.confidence, command=command(args))
    notes = _id_notes(document)
    if not args.output:
        return output.CommandOutput(_as_json(document), notes, data=True)
    write(document, args.output)
    if args.format == "json":
        return output.show_written_file(e, "receipt", args)._replace(notes=notes)
    omitted = f", {number(len(document['left_out']), 'result')} left out" if document["left_out"] else ""
    size = f"{number(len(document['results']), 'result')} of {number(len(e.models), 'model')}{omitted}"
    where = f"written to {printable(args.output)}: scorio verify computes them again"
    return output.CommandOutput(f"{size}, {where}\n", notes)


def command(args: Namespace) -> str:
    """The command line of this run, quoted for a shell."""
    return shlex.join(["scorio", *args.argv])


def write(document: Mapping[str, Any], path: str | Path) -> str:
    """Write a receipt and return its SHA-256."""
    text = _as_json(document)
    saving.write(path, text)
    return sha256(text.encode()).hexdigest()


def _id_notes(document: Mapping[str, Any]) -> list[str]:
    """Note if ids of questions look like their texts, which would then be published with the receipt."""
    ids = [x for models in document["data"].values() for y in models.values() for x in y.get("ids", ()) if " " in x]
    longest = max(ids, key=len, default="")
    return [f"the receipt has texts of questions as their ids, such as {shown(longest)}"] * (len(longest) > LONG_ID)


def _as_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
