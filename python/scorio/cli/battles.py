"""``scorio battles``: ratings of models from battles between two of them."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from ..analysis.battles import Ratings

EXAMPLES = """examples:
  scorio battles arena.csv
  scorio battles arena.parquet --cluster voter --both-bad drop
  scorio battles judged.jsonl --ties davidson --position-bias --cluster question

"""
MEANING = """Each row is a battle: columns model_a (shown first), model_b and winner, which
is model_a, model_b, tie, tie (bothbad), or the name of a model. Optional
columns are question (or question_id), voter (or judge), count (number of
battles in the row) and weight. Other column names: --columns winner=verdict.

Ratings are those that make the battles most likely (Bradley and Terry): a
difference of 400 points is odds of 10 to 1. A model that always won, or always
lost, has no such rating: it is listed without one. The intervals are for the
rating minus the mean rating of its table, or minus that of --anchor. Battles of
one question, or of one voter, are not independent: without --cluster the
intervals are too narrow. A model without a rating has ranks too, by a test that
needs no rating.

"""
FILES = """files:
  .csv .tsv .jsonl .json (a list of objects) .parquet; .gz .xz .bz2 .zst are
  decompressed

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + FILES, run)
    add = parser.add_argument
    add("file", metavar="FILE", help="a table of battles")
    add(
        "--columns",
        type=options.parse_columns,
        metavar="NAME=COLUMN,...",
        help="names of the columns in the file",
    )
    add("--ties", choices=("half", "davidson", "rao_kupper"), default="half",
        help="ties are half a win for each (half; default), or have a parameter in the model (the others)")  # fmt: skip
    add("--position-bias", action="store_true", help="estimate the advantage of being shown first")
    add("--both-bad", choices=("tie", "drop"), default="tie", help="how tie (bothbad) counts (default tie)")
    add("--cluster", choices=("question", "voter", "both"),
        help="battles of the same question or voter depend on each other")  # fmt: skip
    add("--anchor", default="mean", metavar="MODEL", help="the model whose rating is --init-rating (default: the mean)")
    add("--scale", type=float, default=400.0, metavar="X", help="points for odds of --base to 1 (default 400)")
    add("--base", type=float, default=10.0, metavar="X", help="odds for --scale points (default 10)")
    add("--init-rating", type=float, default=1000.0, metavar="X", help="rating of the anchor (default 1000)")
    add("--confidence", type=float, default=0.95, metavar="P",
        help="nominal coverage of intervals and rank ranges (default 0.95)")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace) -> Ratings:
    """Read the battles and rate the models."""
    from ..analysis.battles import battles

    names = ("columns", "position_bias", "both_bad", "cluster", "anchor", "scale", "base", "init_rating", "confidence")
    return battles(args.file, args.ties, **{name: getattr(args, name) for name in names})
