"""``scorio items``: what each question measures, and how reliable the ranking is."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..display.text import number
from ..errors import InvalidInput
from . import options, output
from .tables import GAP, Column, aligned, fitted, in_blocks, said_below, wide

if TYPE_CHECKING:
    from ..items import Item

ROWS = 20
EXAMPLES = """examples:
  scorio items runs.csv                    dead and suspect questions first
  scorio items runs.csv --rows 100         a longer table
  scorio items runs.csv --csv              all questions, all digits
  scorio items runs.csv --fdr 0.05         fewer suspects, fewer of them sound

"""
MEANING = """columns of the table, for the questions that all models answered:
  mean            success rate, on average over the models
  discrimination  correlation with the success rate on the other questions,
                  freed of trial-to-trial variance; beyond -1 or 1 it is as high
                  as can be. Empty where trials explain all differences
  covariance      the same without a unit; expected: what it would be at this
                  difficulty if all questions discriminated alike
  p               of a covariance as far below the expected one, adjusted for
                  the number of questions (Benjamini-Hochberg)
A suspect has p at most Q of --fdr Q and a negative covariance: the better a
model is elsewhere, the worse it is here. Read it: the key may be wrong, or it
measures another ability than the others (Q is kept if all measure one). A dead
question was always or never solved: it tells nothing about these models.

The coefficient of reliability is the squared correlation of the observed means
with those of unlimited trials, on similar questions or on this question set.
Its interval is for models whose abilities are about normal.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    add = parser.add_argument
    add("--fdr", type=float, default=0.1, metavar="Q",
        help="false-discovery rate: expected share of sound questions among the suspects (default 0.1)")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P",
        help="nominal coverage of the interval of the coefficient (default 0.95)")  # fmt: skip
    add("--rows", type=int, default=ROWS, metavar="N", help=f"most questions of the table (default {ROWS})")
    options.forms(parser)


def read(args: Namespace, least: int) -> tuple[Any, dict[str, Any], list[str]]:
    """The log, the counts of its models on all questions, and the names of the questions: binary outcomes only."""
    from .. import io

    logs = options.read(args)
    options.two(logs, least)
    if args.weights:
        raise InvalidInput("conflict", "weights", "questions and designs are analysed for binary outcomes only")
    questions = list(dict.fromkeys(q for log in logs.values() for q in log.questions))
    return logs, io.aligned(logs), questions


def run(args: Namespace) -> output.Answer:
    """Read, analyse, print."""
    from .. import items
    from ..leaderboard import incomplete
    from ..leaderboard.questions import sentences, status

    logs, models, questions = read(args, 3)
    found = items.items(models, fdr=args.fdr, confidence=args.confidence)
    reliability = items.reliability(models, confidence=args.confidence)
    records = [
        x._asdict() | {"question": questions[x.question], "status": status(x)} for x in sorted(found, key=_order)
    ]
    notes = [*sentences(found, reliability, args.fdr, args.confidence), *incomplete(logs, args.missing)]
    if left := len(questions) - len(found):
        notes.append(f"Left out, because not all models answered: {number(left, 'question')}.")

    def page(width: int) -> list[str]:
        title = output.title(args, len(logs), f", {number(len(found), 'question')}")
        more = [f"... and {number(len(records) - args.rows, 'more question')}"] if len(records) > args.rows else []
        return [title, *_table(records[: max(args.rows, 1)], width), *more]

    return output.answer(args, records, notes, page, models=list(logs), fdr=args.fdr, reliability=reliability._asdict())


def _order(x: Item) -> tuple[bool, bool, float, int]:
    """Suspects, dead questions, then the least covariance first."""
    return not x.suspect, not x.dead, x.covariance, x.question


def _table(records: list[dict[str, Any]], width: int) -> list[str]:
    def numbers(header: str, key: str, form: str) -> Column:
        return Column(header, aligned("" if r[key] is None else format(r[key], form) for r in records))

    freed = [numbers("discrimi-\nnation", "discrimination", ".2f")]
    columns = [
        numbers("mean", "mean", ".3f"), *(freed if any(freed[0].cells) else []),
        numbers("covariance", "covariance", ".4f"), numbers("expected", "expected", ".4f"),
        numbers("p", "p_adjusted", ".4f"), Column("status", [r["status"] for r in records], "left"),
    ]  # fmt: skip
    names, said = fitted("question", [r["question"] for r in records], width - wide(columns) - GAP)
    return [*in_blocks([names], columns[:1], [[c] for c in columns[1:]], width), *said_below(said, width)]
