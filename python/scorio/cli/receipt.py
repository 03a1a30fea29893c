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

LONG_ID = 40  # characters, with a blank among them, of an id that is rather a text
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
compute all numbers again. Its size grows with the square of the models.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    options.asking(parser, options.OF_PASS_AT_K)
    parser.add_argument("--output", "-o", metavar="JSON", help="file to write (default: stdout)")
    options.as_json(parser)


def run(args: Namespace) -> output.Answer:
    """Read, compute, write."""
    options.check_output(args)
    e = options.evaluation(args)
    made = e.receipt(k=args.k, questions=args.questions, confidence=args.confidence, command=command(args))
    notes = _texts(made)
    if args.output in (None, "-"):
        return output.Answer(_text(made), notes, data=True)
    written(made, args.output)
    left = f", {number(len(made['left_out']), 'result')} left out" if made["left_out"] else ""
    size = f"{number(len(made['results']), 'result')} of {number(len(e.models), 'model')}{left}"
    where = f"written to {printable(args.output)}: scorio verify computes them again"
    return output.Answer(f"{size}, {where}\n", notes)


def command(args: Namespace) -> str:
    """The command line, as a reader types it."""
    return shlex.join(["scorio", *args.argv])


def written(made: Mapping[str, Any], path: str | Path) -> str:
    """Write a receipt; its SHA-256."""
    text = _text(made)
    saving.write(path, text)
    return sha256(text.encode()).hexdigest()


def _texts(made: Mapping[str, Any]) -> list[str]:
    """A note where the ids of questions look like their texts, which would be published with the receipt."""
    ids = [x for models in made["data"].values() for y in models.values() for x in y.get("ids", ()) if " " in x]
    longest = max(ids, key=len, default="")
    return [f"the receipt has texts of questions as their ids, such as {shown(longest)}"] * (len(longest) > LONG_ID)


def _text(made: Mapping[str, Any]) -> str:
    return json.dumps(made, ensure_ascii=False, allow_nan=False) + "\n"
