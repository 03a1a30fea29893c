"""``scorio leaderboard``: models side by side."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..display.terms import MARKS, interval, marked
from ..display.text import digits, number, printable, span
from . import options, output, suite
from .tables import GAP, Column, aligned, drawn, fitted, in_blocks, said_below, wide, with_ends

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
MEANING = """columns of the table, each a value with its confidence interval:
  average  average score over trials and questions
  Pass@k   probability that at least one of k trials succeeds; with --weights
           Max@k, the expected best score of k trials
  Bayes    with --bayes: Bayes@N, for ranking. Its uniform prior on every
           question shrinks mu towards the middle of the scale: mu does not
           estimate the average, and mu +/- 2 sigma is no interval for it
Intervals say what they are about: (fixed) is this question set, and they
account for trial-to-trial variance; (sampled) is the population of similar
questions, and they account for question-sampling variance too. A mark says
that a variance could not be measured: ~ it comes from a mixture of
success rates fitted to all questions, * it is an upper bound.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + options.SEE_FILES + MEANING, run)
    options.reading(parser)
    options.asking(parser, options.OF_PASS_AT_K)
    parser.add_argument("--bayes", action="store_true", help="add Bayes@N")
    options.forms(parser)


def run(args: Namespace) -> output.Answer:
    """Read, rank, print."""
    from ..leaderboard import leaderboard, notes

    logs = options.read(args)
    if logs.benchmarks:
        return suite.run(args, logs)
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
    trials = f"{span(*first.trials)} {'trial' if first.trials[1] == 1 else 'trials'}"
    return f", {number(first.questions, 'question')}, {trials} per question"


def _tables(rows: Sequence[Row], args: Namespace, width: int) -> list[str]:
    """One table, or where the columns do not fit in width several, each with rank and model in front."""
    first, *sets = _columns(rows, args)
    names = [row.model for row in rows]
    rank = max(len(str(row.rank)) for row in rows) + 1
    room = width - rank - GAP - wide([*first, *(c for columns in sets for c in columns)])  # beside all columns
    if room < min(ONE_TABLE, max(Column("", list(map(printable, names))).width, len("model"))):
        room = width - rank - GAP - wide(first)
    models, said = fitted("model", names, room)
    cells = [f"{row.rank:>{rank - 1}} {x}" for row, x in zip(rows, models.cells, strict=True)]
    lead = [Column("#".rjust(rank - 1) + " model", cells, "left")]
    left = width - wide([*lead, *first, *(c for columns in sets for c in columns)]) - GAP
    first += drawn([row.average for row in rows], digits(options.weights_of(args)), left)
    return [*in_blocks(lead, first, sets, width), *said_below(said, width)]


def interval_column(header: str, values: Sequence[MetricInterval], args: Namespace) -> Column:
    """Values with their ends; under the header the level, the question set, and the mark that all values share."""
    shared = {x.variance_source for x in values}
    mark = MARKS[shared.pop()] if len(shared) == 1 else ""
    marks = ["" if mark else MARKS[x.variance_source] for x in values]
    form = digits(options.weights_of(args))
    cells = with_ends(form, (x.mu for x in values), (x.lo for x in values), (x.hi for x in values), marks)
    return Column(f"{header}\n{marked(f'{interval(args.confidence)} ({args.questions})', mark)}", cells, "left")


def _columns(rows: Sequence[Row], args: Namespace) -> list[list[Column]]:
    """Columns in sets to be kept together: the average, then other views."""
    form = digits(options.weights_of(args))
    metric = "Max" if args.weights else "Pass"

    def plain(header: str, values: Iterable[float]) -> Column:
        return Column(header, aligned(format(x, form) for x in values))

    first = [interval_column("average" + f" = {metric}@1" * (1 in rows[0].at_k), [row.average for row in rows], args)]
    if not shared(rows):
        trials = [span(*row.trials) for row in rows]
        first = [Column("questions", [str(row.questions) for row in rows]), Column("trials", trials), *first]
    bayes = [row.bayes for row in rows if row.bayes is not None]
    columns = [plain("Bayes\nmu", (x.mu for x in bayes)), plain("Bayes\nsigma", (x.sigma for x in bayes))]
    at_k = [[interval_column(f"{metric}@{k}", [row.at_k[k] for row in rows], args)] for k in rows[0].at_k if k != 1]
    return [first, *at_k, *([columns] if bayes else [])]
