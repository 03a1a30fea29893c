"""``scorio rank``: the range of ranks that each model may have."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.rank import Ranking

EXAMPLES = """examples:
  scorio rank runs.csv
  scorio rank runs.csv --metric pass@k --k 4 --questions sampled
  scorio rank runs.csv --correction none --confidence 0.99

"""
MEANING = """A rank range counts significant differences: from 1 + the number of models that
are significantly better to the number of models that are not significantly
worse (itself counted). "2-4": one model is significantly better, all but four
are significantly worse. Every pair is compared on the questions that both
answered, two-sided, at the level 1 - P of --confidence P, on these questions
and on similar ones. The level is family-wise over all pairs by Holm's method.
With --correction none each pair is tested by itself. With several benchmarks
there is a table for the macro-average, and one for each.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    options.add_metric(parser)
    options.add_target(parser)
    parser.add_argument("--correction", choices=("holm", "none"), default="holm",
        help="adjust p-values for the number of pairs (holm; default), or test each pair by itself (none)")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace) -> Ranking:
    """Read the log and compare all pairs of models."""
    correction = None if args.correction == "none" else args.correction
    settings = {"questions": args.questions, "confidence": args.confidence, "correction": correction}
    return options.evaluation(args).rank(args.metric, args.k, args.tau, **settings)
