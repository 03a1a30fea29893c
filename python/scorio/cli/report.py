"""``scorio report``: a log as one HTML page."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import Any

from ..display.text import number
from . import options, output

EXAMPLES = """examples:
  scorio report runs.csv -o report.html
  scorio report logs/ -o report.html --questions sampled --k 2,8
  scorio report runs.csv --title "Airline tasks" > report.html

"""
MEANING = """The page has the conclusions in sentences, a leaderboard with confidence
intervals and rank ranges, comparisons of all pairs, the stability of the
ranking, the difficulty of the questions, missing outcomes, and this command.
It is one file that needs no network and no script.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "Write one HTML page: conclusions in sentences, tables, plots."
    parser = options.command(commands, "report", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    options.asking(parser, options.OF_PASS_AT_K)
    add = parser.add_argument
    add("--title", default="Evaluation report", help='heading of the page (default "Evaluation report")')
    add("--replicates", type=int, default=1000, metavar="B",
        help="bootstrap replicates for the stability of the ranking (default 1000)")  # fmt: skip
    add("--output", "-o", metavar="HTML", help="file to write (default: stdout)")


def run(args: Namespace) -> output.Answer:
    """Read, write the page."""
    from ..report import report

    options.check_output(args)
    command = shlex.join(["scorio", *args.argv])
    logs = options.read(args, trials=True)
    asked = {"questions": args.questions, "confidence": args.confidence, "k": args.k, "missing": args.missing}
    page = report(logs, title=args.title, replicates=args.replicates, command=command, **asked)
    if not args.output:
        return output.Answer(page)
    with open(args.output, "w", encoding="utf-8") as f:
        f.write(page)
    return output.Answer(f"{args.output}: {number(len(logs), 'model')}, {len(page) / 1e6:.1f} MB\n")
