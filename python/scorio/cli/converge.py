"""``scorio converge``: after how many trials the ranking stabilises."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.converge import Convergence

EXAMPLES = """examples:
  scorio converge runs.csv
  scorio converge runs.csv --metric pass@k --k 4 --replicates 100000
  scorio converge runs.csv --scheme rows --seed 7

"""
MEANING = """columns of the table:
  tau     mean over replicates of Kendall's tau-b between the ranking after n
          trials per question and the ranking of all trials
  stable  share of replicates in which the ranking after n trials, and after
          every larger number, is the ranking of all trials
A replicate samples as many trials as the log has, with replacement: whole runs
(--scheme columns) or each question by itself (rows). The bootstrap takes the
ranking of all trials as the truth. With few trials that ranking is uncertain
itself: see scorio rank.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    options.add_metric(parser)
    add = parser.add_argument
    add("--replicates", type=int, default=10_000, metavar="B", help="number of bootstrap replicates (default 10000)")
    add("--scheme", choices=("columns", "rows"), default="columns",
        help="resample whole runs (columns; default), or each question by itself (rows)")  # fmt: skip
    add("--seed", type=int, default=0, metavar="S", help="seed of the random numbers (default 0)")
    options.add_forms(parser)


def run(args: Namespace) -> Convergence:
    """Read the log and run the bootstrap."""
    e = options.evaluation(args, trials=True)
    names = ("metric", "k", "tau", "replicates", "scheme", "seed")
    return e.converge(**{name: getattr(args, name) for name in names})
