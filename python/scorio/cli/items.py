"""``scorio items``: what each question measures, and how reliable the ranking is."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.items import Questions

ROWS = 20  # default of --rows
EXAMPLES = """examples:
  scorio items runs.csv                    dead and suspect questions first
  scorio items runs.csv --model a          dead questions of one model or two
  scorio items runs.csv --rows 100         a longer table
  scorio items runs.csv --csv              all questions, all digits
  scorio items runs.csv --fdr 0.05         fewer suspects, fewer false ones

"""
MEANING = """columns of the table, for the questions that all models answered:
  mean            success rate, on average over the models
  discrimination  correlation with the success rate on the other questions,
                  corrected for trial-to-trial variance, so that it may leave
                  [-1, 1]. Empty where that variance is unknown, or explains
                  all differences of the models
  covariance      covariance with the success rate on the other questions;
                  expected: its value at this difficulty if all questions
                  discriminated alike
  p               probability of a covariance at least as far below the expected
                  one, adjusted for the number of questions (Benjamini-Hochberg)
With one model or two the table has mean and status alone.
A suspect has p at most Q (--fdr Q) and a negative covariance: the better a
model is elsewhere, the worse it is here. Read the question: its key may be
wrong, or it may measure another ability than the other questions (the rate Q
assumes that all measure one ability). A dead question was always or never
solved: it does not distinguish these models.

The coefficient of reliability is the squared correlation of the observed means
with the true means, on similar questions or on this question set.
Its interval is for models with about normally distributed abilities.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    add = parser.add_argument
    add("--fdr", type=float, default=0.1, metavar="Q",
        help="false-discovery rate: expected share of sound questions among the suspects (default 0.1)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P",
        help="nominal coverage of the interval of the coefficient, and of the bound on the rate of a dead question "
        "(default 0.95)")  # fmt: skip
    add("--rows", type=int, default=ROWS, metavar="N",
        help=f"largest number of questions in the table (default {ROWS})")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace) -> Questions:
    """Read the log and analyse its questions."""
    e = options.evaluation(args)
    return e.items(fdr=args.fdr, confidence=args.confidence, most=max(args.rows, 1))
