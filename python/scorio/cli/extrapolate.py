"""``scorio extrapolate``: Pass@k or Pass^k for k above the number of trials."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.extrapolate import Extrapolations

EXAMPLES = """examples:
  scorio extrapolate runs.csv --k 64              Pass@64 from fewer trials
  scorio extrapolate runs.csv --k 64 --metric pass^k
  scorio extrapolate runs.csv --k 64 --width 0.2  trials for limits 0.2 wide
  scorio extrapolate runs.csv --k 64 --more more.csv
                                                  with further trials

"""
MEANING = """columns of the table:
  unsolved  questions without a success (Pass^k: without a failure)
  limits    a range that covers the metric with the nominal coverage P,
            without a model: the values that the trials do not exclude, widened
            for sampling error (--json also has them not widened: lower, upper)
  fitted    the metric, and its interval, under a beta-binomial model, or
            under one with a share of questions that are never solved (marked
            0; for Pass^k never failed, marked 1)
  fit       p-value of the fitted model: small if it does not fit the counts

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    add = parser.add_argument
    add("--metric", default="pass@k", metavar="NAME", help="pass@k (default) or pass^k")
    add("--k", type=int, metavar="K",
        help="k, above the fewest trials of a question (default: twice that, for the model that has most)")  # fmt: skip
    add("--width", type=float, metavar="W", help="plan how many more trials would make the limits W wide")
    add("--more", metavar="LOG",
        help="log of further trials of the questions with few successes; do not use them for any other result",
        )  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of the intervals (default 0.95)")
    options.add_forms(parser)


def run(args: Namespace) -> Extrapolations:
    """Read the log and extrapolate."""
    e = options.evaluation(args)
    more = None if args.more is None else options.read_more(args, args.more)
    return e.extrapolate(args.k, metric=args.metric, width=args.width, confidence=args.confidence, more=more)
