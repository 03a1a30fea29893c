"""``scorio convert``: any log as counts or as a long table."""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Iterator
from io import StringIO
from typing import Any

from ..errors import InvalidInput
from . import options, output
from .tables import number

EXAMPLES = """examples:
  scorio convert results.json > runs.csv
  scorio convert results.json --to counts --output counts.csv

"""
MEANING = """long    model, question, trial, outcome (a missing one empty)
counts  model, question, c, n (successes, trials)
Both have the column cluster too where the log names families of questions, and
both are read again by every command.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "Any log as a CSV of outcomes or of counts."
    parser = options.command(commands, "convert", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    parser.add_argument("--to", choices=("long", "counts"), help="default: long, unless the log holds counts only")
    parser.add_argument("--output", "-o", metavar="CSV", help="a file (default: stdout)")


def run(args: Namespace) -> output.Answer:
    """Read, write."""
    from ..leaderboard.rows import lost

    options.check_output(args)
    if args.missing == "raise" and args.to != "counts":
        args.missing = "drop"  # a missing outcome stays what it is, an empty one
    logs = options.read(args, trials=True)
    known = all(log.outcomes is not None for log in logs.values())
    to = args.to or ("long" if known else "counts")
    if to == "long" and not known:
        raise InvalidInput("conflict", "to", "the trials are not known, or too uneven to keep: use --to counts")
    if to == "counts" and (any(log.counts.C > 1 for log in logs.values()) or (logs.levels and logs.weights)):
        raise InvalidInput("conflict", "to", "c and n count the outcomes 0 and 1: use --to long")
    families = [log.clusters is not None for log in logs.values()]
    text = _written(_long(logs) if to == "long" else _counts(logs), to, all(families))
    notes = lost(logs, args.missing, "left out" if to == "counts" else "written as empty ones")
    if any(families) and not all(families):
        notes.append("Families of questions (cluster) are not written: some models have none.")
    if not args.output:
        return output.Answer(text, notes, True)
    with open(args.output, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return output.Answer("", [f"{number(len(logs), 'model')} written to {args.output}", *notes])


def _written(rows: Iterator[list[Any]], to: str, families: bool) -> str:
    """CSV; rows with a carriage return are quoted, as Python's writer does not by itself."""
    out = StringIO()
    plain = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    head = ["model", "question", *(["trial", "outcome"] if to == "long" else ["c", "n"])]
    plain.writerow(head + ["cluster"] * families)
    for row in rows:
        kept = row if families else row[:-1]
        (quoted if any("\r" in x for x in kept if isinstance(x, str)) else plain).writerow(kept)
    return out.getvalue()


def _long(logs: Any) -> Iterator[list[Any]]:
    score = [repr(x) for x in logs.weights] if logs.levels and logs.weights else None
    for model, log in logs.items():
        for i, q in enumerate(log.questions):
            family = None if log.clusters is None else log.clusters[i]
            for j, x in enumerate(log.outcomes[i].tolist(), 1):
                cell = "" if x < 0 else score[x] if score else x
                yield [model, q, j, cell, family]


def _counts(logs: Any) -> Iterator[list[Any]]:
    for model, log in logs.items():
        for i, q in enumerate(log.questions):
            family = None if log.clusters is None else log.clusters[i]
            yield [model, q, int(log.counts.above[i].sum()), int(log.counts.trials[i]), family]
