"""``scorio interval``: a success rate, or two, from bare counts."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.interval import CountIntervals

EXAMPLES = """examples:
  scorio interval 47/50                    a rate with its interval
  scorio interval 47/50 52/60              do two rates differ?
  scorio interval 47/50 52/60 --confidence 0.99 --json

"""
MEANING = """Successes of trials that are independent of each other: one trial of each
question, or 50 users. Two groups are compared as independent samples; two
models on the same questions are compared more precisely by scorio compare LOG.

"""


def parse_counts(text: str) -> tuple[int, int]:
    """Parse counts such as 47/50 into successes and trials."""
    match = re.fullmatch(r"([0-9]{1,15})/([0-9]{1,15})", text)
    if match is None:
        raise ArgumentTypeError(f"{text!r} is not a count such as 47/50: 47 successes of 50 trials")
    return int(match[1]), int(match[2])


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING, run)
    add = parser.add_argument
    add("groups", nargs="+", type=parse_counts, metavar="C/N", help="successes and trials, of one group or of two")
    add("--confidence", type=float, default=0.95, metavar="P", help="nominal coverage of the intervals (default 0.95)")
    add("--power", type=float, default=0.8, metavar="POWER",
        help="power of the sample size that would detect the difference (default 0.8)")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace) -> CountIntervals:
    """Compute the intervals of the counts."""
    from ..analysis.interval import interval

    return interval(*args.groups, confidence=args.confidence, power=args.power)
