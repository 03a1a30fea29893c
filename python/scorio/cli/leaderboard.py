"""``scorio leaderboard``: models side by side."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import options, output
from .tables import GAP, MARKS, Column, aligned, digits, fitted, in_blocks, number, printable, wide, with_ends

if TYPE_CHECKING:
    from ..leaderboard.rows import Row
    from ..results import MetricInterval

ONE_TABLE = 16  # a name is cut down to this if all columns then stand in one table
EXAMPLES = """examples:
  scorio leaderboard runs.csv
  scorio leaderboard runs.jsonl --questions sampled --k 1,5,10
  scorio leaderboard graded.tsv --weights 0,0.5,1 --missing drop
  scorio leaderboard runs.npz --json > board.json

"""
MEANING = """columns of the table, each a value with its interval:
  average  plain average score
  Pass@k   chance that at least one of k trials succeeds, from the trials at
           hand; with --weights Max@k, the expected best score of k
  Bayes    with --bayes: Bayes@N, for ranking. Its uniform prior on every
           question pulls mu to the middle of the scale: mu does not estimate
           the average, and mu -/+ 2 sigma is no interval for it
  Intervals name the noise that they hold: (trials) for these questions,
  (+questions) for questions like these. Where the trials cannot measure it,
  "beta-binomial" or ~ says that it rests on a law fitted to all questions, "upper bound"
  or * that it is only bounded

"""


def add(commands: Any) -> None:
    """The command and its options."""
    about = "Models side by side: rank, average and Pass@k with intervals that hold."
    parser = options.command(commands, "leaderboard", about, EXAMPLES + options.FILES + MEANING, run)
    options.reading(parser)
    options.asking(parser, "for Pass@k (default 2, and 4 or 8 if there are trials)")
    parser.add_argument("--bayes", action="store_true", help="Bayes@N too")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, rank, print."""
    from ..leaderboard.rows import leaderboard, notes

    logs = options.read(args)
    asked = {"k": args.k, "questions": args.questions, "confidence": args.confidence}
    rows = leaderboard(logs, weights=args.weights, bayes=args.bayes, **asked)
    records = [row.record("max" if args.weights else "pass") | {"confidence": args.confidence} for row in rows]

    def page(width: int) -> list[str]:
        return [output.title(args, len(rows), shared(rows)), *_tables(rows, args, width)]

    return output.answer(args, records, notes(logs, rows, args.confidence, args.missing), page)


def shared(rows: Sequence[Row]) -> str:
    """What all models have in common."""
    first = rows[0]
    if len({(row.questions, row.trials) for row in rows}) > 1:
        return ""
    trials = "..".join(map(str, dict.fromkeys(first.trials)))
    return f", {number(first.questions, 'question')}, {trials} {'trial' if trials == '1' else 'trials'} each"


def _tables(rows: Sequence[Row], args: Namespace, width: int) -> list[str]:
    """One table, or where the columns do not fit in width several, each with rank and model in front."""
    first, *groups = _columns(rows, args)
    names = [row.model for row in rows]
    rank = max(len(str(row.rank)) for row in rows) + 1
    room = width - rank - GAP - wide([*first, *(c for group in groups for c in group)])  # beside all columns
    if room < min(ONE_TABLE, max(Column("", list(map(printable, names))).width, len("model"))):
        room = width - rank - GAP - wide(first)
    cut = fitted("model", names, room).cells
    cells = [f"{row.rank:>{rank - 1}} {x}" for row, x in zip(rows, cut, strict=True)]
    lead = [Column("#".rjust(rank - 1) + " model", cells, "left")]
    return in_blocks(lead, first, groups, width)


def interval_column(header: str, found: Sequence[MetricInterval], args: Namespace) -> Column:
    """Values with their ends, and under the header the level and the noise that they hold."""
    holds = "trials" if args.questions == "fixed" else "+questions"
    known = {x.variance_source for x in found}
    (how,) = known if len(known) == 1 else ("",)
    marks = [""] * len(found) if how else [MARKS[x.variance_source] for x in found]
    shown = digits(options.weights_of(args))
    ends = with_ends(shown, (x.mu for x in found), (x.lo for x in found), (x.hi for x in found), marks)
    often = f"{100 * args.confidence:.10g}%"
    return Column(f"{header}\n{often} ({holds if how in ('', 'measured') else how})", ends, "left")


def _columns(rows: Sequence[Row], args: Namespace) -> list[list[Column]]:
    """Columns in groups to be kept together: the average, then other views."""
    shown = digits(options.weights_of(args))
    metric = "Max" if args.weights else "Pass"

    def plain(header: str, values: Iterable[float]) -> Column:
        return Column(header, aligned(format(x, shown) for x in values))

    first = [interval_column("average" + f" = {metric}@1" * (1 in rows[0].at_k), [row.average for row in rows], args)]
    if not shared(rows):
        trials = ["..".join(map(str, dict.fromkeys(row.trials))) for row in rows]
        first = [Column("questions", [str(row.questions) for row in rows]), Column("trials", trials), *first]
    bayes = [row.bayes for row in rows if row.bayes is not None]
    found = [[plain("Bayes\nmu", (x.mu for x in bayes)), plain("Bayes\nsigma", (x.sigma for x in bayes))]]
    at_k = [[interval_column(f"{metric}@{k}", [row.at_k[k] for row in rows], args)] for k in rows[0].at_k if k != 1]
    return [first, *at_k, *(found if bayes else [])]
