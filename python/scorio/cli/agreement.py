"""``scorio agreement``: whether raters, or repeated calls of a judge, agree."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.agreement import Agreements

EXAMPLES = """examples:
  scorio agreement verdicts.csv            repeated verdicts of a judge
  scorio agreement r.csv --columns question=item,model=rater,outcome=rating
  scorio agreement r.csv --missing drop    unequal numbers of ratings

"""
MEANING = """Ratings are the outcomes of the log, items its questions. For each model its
own trials are compared: the verdicts of a judge that rated every answer three
times, or the successes and failures of a model. If the log has several models,
all their ratings of a question are compared too (between models): use this row
if the models are raters, such as people or judges of the same answers.

agreement is the share of pairs of ratings that agree; kappa (Fleiss), AC1
(Gwet) and alpha (Krippendorff) correct it for chance agreement. The interval of
alpha is for similar questions, and is wide where one category is rare.
Questions with fewer than two ratings are left out. For two models with at most
one rating of each question there is Cohen's kappa too.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    parser.add_argument("--confidence", type=float, default=0.95, metavar="P",
        help="nominal coverage of the intervals (default 0.95)")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace) -> Agreements:
    """Read the log and measure agreement."""
    return options.evaluation(args).agreement(confidence=args.confidence)
