"""``scorio convert``: any log as counts or as a long table."""

from __future__ import annotations

import csv
import json
import re
from argparse import Namespace
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from ..display.text import number
from ..errors import InvalidInput
from . import options, output

SHARED = "every_eval_ever"
EXAMPLES = """examples:
  scorio convert results.json > runs.csv
  scorio convert results.json --to counts --output counts.csv
  scorio convert runs/ --to every_eval_ever --organization us -o documents

"""
MEANING = """long    model, question, trial, outcome (empty where it is missing)
counts  model, question, c, n (c successes in n trials)
every_eval_ever  a JSON document of its schema for each model, in the folder
        --output: averages with their standard errors and intervals
long and counts have the column task too where the log has several, and
cluster where it names clusters of questions. Every command reads both forms.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    parser.add_argument(
        "--to",
        choices=("long", "counts", SHARED),
        help="form of the CSV (default long, or counts if the log has counts only), or documents",
    )
    parser.add_argument("--output", "-o", metavar="CSV", help="file to write (default: stdout), or folder")
    parser.add_argument("--organization", metavar="NAME", help="who provides the results (every_eval_ever)")


def run(args: Namespace) -> output.Answer:
    """Read, write."""
    from ..leaderboard import incomplete
    from ..leaderboard.suite import beside

    options.check_output(args)
    if args.missing == "raise" and args.to != "counts":
        args.missing = "drop"  # a missing outcome stays what it is, an empty one
    if args.to == SHARED:
        return _shared(args)
    logs = options.read(args, trials=True)
    parts = list((logs.benchmarks or {"": logs}).items())
    each = [log for _, part in parts for log in part.values()]
    known = all(log.outcomes is not None for log in each)
    to = args.to or ("long" if known else "counts")
    if to == "long" and not known:
        raise InvalidInput("conflict", "to", "single trials are unknown, or too unequal in number: use --to counts")
    if to == "counts" and any(
        log.counts.C > 1 or (part.levels and part.weights) for _, part in parts for log in part.values()
    ):
        raise InvalidInput("conflict", "to", "c and n count the outcomes 0 and 1: use --to long")
    clustered = [log.clusters is not None for log in each]
    rows = (row for task, part in parts for row in (_long if to == "long" else _counts)(task, part))
    text = _written(rows, to, all(clustered), len(parts) > 1)
    notes = incomplete(beside(logs), args.missing, "left out" if to == "counts" else "written as empty cells")
    if any(clustered) and not all(clustered):
        notes.append("The column cluster is not written: some models have no clusters.")
    if not args.output:
        return output.Answer(text, notes, True)
    with open(args.output, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return output.Answer("", [f"{number(len(logs), 'model')} written to {args.output}", *notes])


def _shared(args: Namespace) -> output.Answer:
    """A document for each model, in a folder."""
    from ..leaderboard import every_eval_ever, incomplete

    for name in ("organization", "output"):
        if not getattr(args, name):
            raise InvalidInput("missing", name, f"--to {SHARED} needs --{name}")
    logs = options.read(args)
    found = every_eval_ever(logs, organization=args.organization)
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    for model, document in found.items():
        name = re.sub(r"[^\w.-]+", "__", model)
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return output.Answer(
        "", [f"{number(len(found), 'model')} written to {args.output}", *incomplete(logs, args.missing)]
    )


def _written(rows: Iterator[list[Any]], to: str, clustered: bool, several: bool) -> str:
    """CSV; rows with a carriage return are quoted, as Python's writer does not by itself."""
    out = StringIO()
    plain = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    head = ["model", *["task"] * several, "question", *(["trial", "outcome"] if to == "long" else ["c", "n"])]
    plain.writerow(head + ["cluster"] * clustered)
    for model, task, *rest in rows:
        kept = [model, *[task] * several, *(rest if clustered else rest[:-1])]
        (quoted if any("\r" in x for x in kept if isinstance(x, str)) else plain).writerow(kept)
    return out.getvalue()


def _long(task: str, logs: Any) -> Iterator[list[Any]]:
    score = [repr(x) for x in logs.weights] if logs.levels and logs.weights else None
    for model, log in logs.items():
        for i, q in enumerate(log.questions):
            cluster = None if log.clusters is None else log.clusters[i]
            for j, x in enumerate(log.outcomes[i].tolist(), 1):
                cell = "" if x < 0 else score[x] if score else x
                yield [model, task, q, j, cell, cluster]


def _counts(task: str, logs: Any) -> Iterator[list[Any]]:
    for model, log in logs.items():
        for i, q in enumerate(log.questions):
            cluster = None if log.clusters is None else log.clusters[i]
            yield [model, task, q, int(log.counts.above[i].sum()), int(log.counts.trials[i]), cluster]
