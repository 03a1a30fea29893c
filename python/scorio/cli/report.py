"""``scorio report``: a log as one page, with pictures and sentences."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import Any

from . import options, output
from .tables import number

EXAMPLES = """examples:
  scorio report runs.csv -o report.html
  scorio report logs/ -o report.html --questions sampled --k 2,8
  scorio report runs.csv --title "Airline tasks" > report.html

"""
MEANING = """The page holds the decision in sentences, a leaderboard with intervals and rank
ranges, who is better than whom, how the ranking settles, the difficulty of the
questions, what is missing, and this command. It needs no network and no script.

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "A log as one HTML page: the decision in words, tables, pictures."
    parser = options.command(commands, "report", about, EXAMPLES + MEANING + options.FILES, run)
    options.reading(parser)
    options.asking(parser, "for Pass@k (default 2, and 4 or 8 if there are trials)")
    add = parser.add_argument
    add("--title", default="Evaluation report", help='heading (default "Evaluation report")')
    add("--replicates", type=int, default=1000, metavar="B", help="of the bootstrap of convergence (default 1000)")
    add("--output", "-o", metavar="HTML", help="a file (default: stdout)")


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
