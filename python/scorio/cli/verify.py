"""``scorio verify``: whether the numbers of a receipt follow from its counts."""

from __future__ import annotations

from argparse import SUPPRESS, Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.receipt import Verified

EXAMPLES = """examples:
  scorio verify receipt.json            do the numbers follow from the counts?
  scorio verify receipt.json runs.csv   and are these the counts of the log?

"""
MEANING = """Every result of the receipt is computed again from its counts, and all 64 bits
of each number are compared. With a log, its counts and scores are compared
too, question by question: read it with the options of the command that the
receipt states. That the counts are those of the log does not say that the log
is genuine, nor that no other run was made and left out.

The exit code is 0 if all values agree, 1 if any value differs or the counts are
not those of the log.

"""
OF_RECEIPT = ("--k", "--questions", "--confidence", "--output", "-o")  # options of scorio receipt, accepted and ignored


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    parser.add_argument("receipt", metavar="RECEIPT", help="a file that scorio receipt wrote")
    options.add_log(parser, optional=True)
    for name in OF_RECEIPT:
        parser.add_argument(name, dest="ignored", help=SUPPRESS)
    options.add_forms(parser)


def run(args: Namespace) -> Verified:
    """Read the receipt and the log, compute and compare."""
    from ..analysis.receipt import verified

    return verified(args.receipt, options.evaluation(args) if args.files else None)
