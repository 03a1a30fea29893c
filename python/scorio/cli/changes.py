"""``scorio changes``: which questions regressed, improved or became flaky from one run to another."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from . import options
from .compare import two_models

if TYPE_CHECKING:
    from ..analysis.changes import Changes

ROWS = 20  # default of --rows
EXAMPLES = """examples:
  scorio changes old.csv new.csv           logs of one model each, or folders
  scorio changes runs.csv gpt-4 gpt-4.1    two models of a log
  scorio changes old.csv new.csv --fail-on regressed --junit changes.xml
  scorio changes old.csv new.csv --markdown comment.md

"""
MEANING = """The old run comes first. Each question is tested by itself (Fisher's exact test
of its successes before and after). In expectation, at most a share Q (--fdr Q)
of the questions called regressed or improved are called so wrongly: they did
not change, or changed in the other direction. This is proved for any number of
questions and trials, if trials are independent.

status of a question:
  regressed, improved   significant at the false-discovery rate Q
  newly flaky           all trials had the same outcome before, but not now
  no longer flaky       the reverse
  flaky                 both outcomes before and now; or on one side, if the
                        other has a single trial
  undecided             all trials failed before and succeed now, or the
                        reverse; too few trials for a decision, or an
                        improvement with --alternative regressed
  stable                the same outcome in every trial
Only regressed and improved are decisions; the others are observations. The
table leaves out questions that are flaky, no longer flaky or stable.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    codes = options.exit_codes("0 success, 1 with --fail-on: a question regressed")
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run, codes)
    options.add_log(parser, several=False)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="old and new model of the log, or the log of the new one")
    add_test_options(parser)
    options.add_shared(parser)
    add("--confidence", type=float, default=0.95, metavar="P",
        help="the averages are tested at the level 1 - P (default 0.95)")  # fmt: skip
    add("--fail-on", choices=("regressed",), help="exit code 1 if a question regressed")
    add("--rows", type=int, default=ROWS, metavar="N",
        help=f"largest number of questions in the table (default {ROWS})")  # fmt: skip
    options.add_reports(parser)
    options.add_forms(parser)


def add_test_options(parser: options.Parser) -> None:
    """Add the options of the test of each question."""
    parser.add_argument("--fdr", type=float, default=0.05, metavar="Q",
        help="false-discovery rate: expected share of errors among the questions called regressed or improved (default "
        "0.05)")  # fmt: skip
    parser.add_argument("--alternative", choices=("two-sided", "regressed"), default="two-sided",
        help="look for changes in both directions (default), or for regressions alone")  # fmt: skip


def run(args: Namespace) -> Changes:
    """Read the logs, test every question and write the reports."""
    e, old, new = two_models(args, options.evaluation(args))
    if old is None or new is None:
        raise InvalidInput("choice", "models", "name the old model, then the new one: scorio changes LOG OLD NEW")
    settings = {"fdr": args.fdr, "alternative": args.alternative, "confidence": args.confidence,
                "shared": args.shared}  # fmt: skip
    result = e.changes(old, new, fail_on=args.fail_on, most=max(args.rows, 1), **settings)
    options.write_reports(args, result)
    return result
