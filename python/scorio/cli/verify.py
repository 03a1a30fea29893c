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
receipt states. Equal counts do not prove that the log is genuine, or that no
other run was made and left out.

"""
# options of scorio receipt that scorio verify ignores, so that those of the command in a receipt can be copied to it
RECEIPT_OPTIONS = ("--k", "--questions", "--confidence", "--output", "-o")


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    codes = options.exit_codes("0 all values agree, 1 a value differs from the receipt, or from the log")
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run, codes)
    parser.add_argument("receipt", metavar="RECEIPT", help="a file that scorio receipt wrote")
    options.add_log(parser, optional=True)
    for name in RECEIPT_OPTIONS:
        parser.add_argument(name, dest="ignored", help=SUPPRESS)
    options.add_forms(parser)


def run(args: Namespace) -> Verified:
    """Read the receipt and the log, if there is one; compute and compare."""
    from ..analysis.receipt import verify_receipt

    return verify_receipt(args.receipt, options.evaluation(args) if args.files else None)
