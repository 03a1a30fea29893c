"""``scorio leaderboard``: average and Pass@k of every model, with confidence intervals."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.leaderboard import Leaderboard

EXAMPLES = """examples:
  scorio leaderboard runs.csv
  scorio leaderboard runs.jsonl --questions sampled --k 1,5,10
  scorio leaderboard graded.tsv --w 0,0.5,1 --missing drop
  scorio leaderboard runs.npz --json > board.json

"""
MEANING = """columns of the table (average and Pass@k with confidence intervals):
  average  average score over trials and questions; for several benchmarks,
           their macro-average (the plain mean) above a table of each
  ranks    the ranks that a model may have; one error rate for all pairs
  Pass@k   probability that at least one of k trials succeeds; for scores
           Max@k, the expected best score of k trials
  Bayes    with --bayes: Bayes@N, for ranking. Its uniform prior on every
           question shrinks mu towards the middle of the scale: mu does not
           estimate the average, and mu +/- 2 sigma is not an interval for it
Intervals are marked (fixed) or (sampled): (fixed) for this question set,
accounting for trial-to-trial variance; (sampled) for the population of similar
questions, accounting for question-sampling variance too. A mark says that a
variance could not be measured: ~ it is modelled, * it is an upper bound.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + options.SEE_FILES + MEANING, run)
    options.add_log(parser)
    options.add_target(parser, options.PASS_AT_K_HELP)
    parser.add_argument("--bayes", action="store_true", help="add Bayes@N")
    options.add_forms(parser)


def run(args: Namespace) -> Leaderboard:
    """Read the log and rank the models."""
    e = options.evaluation(args)
    return e.leaderboard(k=args.k, questions=args.questions, confidence=args.confidence, bayes=args.bayes)
