"""The command ``scorio``. Reads a file, prints a table; what it prints is computed by :mod:`scorio.leaderboard`."""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from io import StringIO
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from . import __version__
from .errors import InvalidInput

if TYPE_CHECKING:
    from .leaderboard import Row
    from .results import MetricInterval

GAP, SHORTEST_NAME = 2, 8
ONE_TABLE = 16  # a name is cut down to this if all columns then stand in one table

CODES = "exit codes: 0 done, 2 wrong input or usage (one line on stderr)"
TOP = "example:\n  scorio leaderboard runs.csv\n\n"
EXAMPLES = """examples:
  scorio leaderboard runs.csv
  scorio leaderboard runs.jsonl --questions sampled --k 1,5,10
  scorio leaderboard graded.tsv --weights 0,0.5,1 --missing drop
  scorio leaderboard runs.npz --json > board.json

files:
  .csv .tsv .jsonl  columns question and outcome (0 or 1), or question, c and n
                    (successes, trials); optionally model (else the file's name)
                    and trial (else each row is one more trial)
  .npy .npz         arrays (models, questions, trials) or (questions, trials)
  Outcomes (not c and n): the questions of one model must have equally many
  trials, else it is an error, unless --missing drop takes each question with
  what it has, or --missing CATEGORY fills it up to that model's longest

columns of the table, each a value with its interval:
  average  plain average score
  Pass@k   chance that at least one of k trials succeeds, from the trials at
           hand; with --weights Max@k, the expected best score of k
  Bayes    with --bayes: Bayes@N, for ranking. Its uniform prior on every
           question pulls mu to the middle of the scale: mu does not estimate
           the average, and mu -/+ 2 sigma is no interval for it
  Intervals name the noise that they hold: (trials) for these questions,
  (+questions) for questions like these. Where the trials cannot measure it,
  "beta law" or ~ says that it rests on a law fitted to all questions, "bound"
  or * that it is only bounded

"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _list_of(kind: type, example: str) -> Callable[[str], list[Any]]:
    def parse(text: str) -> list[Any]:
        try:
            return [kind(x) for x in text.split(",")]
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as {example}") from None

    return parse


def _policy(text: str) -> str | int:
    return int(text) if text.isdecimal() and text.isascii() else text


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    about = "Statistics of repeated evaluations of language models."
    parser = _Parser("scorio", description=about, epilog=TOP + CODES, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"scorio {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command", parser_class=_Parser)
    about = "Models side by side: rank, average and Pass@k with intervals that hold."
    board = commands.add_parser(
        "leaderboard", help="models side by side", description=about, epilog=EXAMPLES + CODES, formatter_class=raw
    )
    add = board.add_argument
    add("file", metavar="FILE", help="outcomes: .csv .tsv .jsonl .npy .npz")
    add(
        "--k",
        type=_list_of(int, "1,2,4"),
        metavar="1,2,4",
        help="for Pass@k (default 2, and 4 or 8 if there are trials)",
    )
    add("--questions", choices=("fixed", "sampled"), default="fixed",
        help="the intervals are for these questions (default), or for questions like these")  # fmt: skip
    add("--confidence", type=float, default=0.95, metavar="P", help="coverage of the intervals (default 0.95)")
    add("--bayes", action="store_true", help="Bayes@N too")
    add("--missing", type=_policy, default="raise", metavar="raise|drop|CATEGORY",
        help="missing outcomes and unequal numbers of trials: an error (default), accepted and left out, "
        "or counted and filled up as this category (see files)")  # fmt: skip
    add("--missing-code", type=int, metavar="CODE", help="an outcome that means missing, such as -1")
    add("--weights", type=_list_of(float, "0,0.5,1"), metavar="0,0.5,1",
        help="score of each category 0, 1, 2...; write --weights=-1,1 if the first is negative")  # fmt: skip
    form = board.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object, every digit")
    form.add_argument("--csv", action="store_true", help="CSV, every digit; notes go to stderr")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to fail
    try:
        return _run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _close_output()
        return 141


def _run(args: argparse.Namespace) -> int:
    try:
        text, notes = _leaderboard(args)
    except InvalidInput as e:
        return _fail(str(e))
    except OSError as e:
        return _fail(f"{args.file}: {e.strerror or e}")
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] != "rich":
            raise
        return _fail('the table needs rich: pip install "scorio[cli]" (--json and --csv work without it)')
    if sys.stdout is None:
        return _fail("cannot write the output: stdout is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as e:  # a full disk
        _close_output()
        return _fail(f"cannot write the output: {e.strerror or e}")
    for note in notes:
        _say(f"note: {note}")
    return 0


def _close_output() -> None:
    """Send what cannot be written nowhere, so that the flush at exit is quiet too."""
    with suppress(OSError, ValueError):  # stdout may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    _say("scorio: error: " + " ".join(message.split()))
    return 2


def _say(line: str) -> None:
    if sys.stderr is not None:  # else print would turn to stdout
        print(line, file=sys.stderr)


def _leaderboard(args: argparse.Namespace) -> tuple[str, list[str]]:
    """What goes to stdout, and notes for stderr."""
    from .io import read
    from .leaderboard import leaderboard, notes

    logs = read(args.file, missing=args.missing, missing_code=args.missing_code, weights=args.weights)
    asked = {"k": args.k, "questions": args.questions, "confidence": args.confidence}
    rows = leaderboard(logs, weights=args.weights, bayes=args.bayes, **asked)
    said = notes(logs, rows, args.confidence)
    records = [row.record("max" if args.weights else "pass") | {"confidence": args.confidence} for row in rows]
    if args.json:
        board = {"version": __version__, "file": args.file, "questions": args.questions}
        board |= {"confidence": args.confidence, "weights": args.weights}
        board |= {"missing": args.missing, "missing_code": args.missing_code}
        board |= {"rows": records, "notes": said}
        return json.dumps(board, indent=2) + "\n", []
    if args.csv:
        out = StringIO()
        writer = csv.DictWriter(out, list(records[0]), lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue(), said
    width = shutil.get_terminal_size((80, 24)).columns
    heading = f"{_printable(Path(args.file).name)}: {_number(len(rows), 'model')}{_shared(rows)}"
    wrapped = [textwrap.fill(note, width, break_long_words=False, break_on_hyphens=False) for note in said]
    return "\n\n".join([heading, *_tables(rows, args, width), "\n".join(wrapped)]) + "\n", []


class _Column(NamedTuple):
    header: str
    cells: list[str]
    side: Literal["left", "right"] = "right"

    @property
    def width(self) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, [*self.header.split("\n"), *self.cells]))


def _number(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")


def _shared(rows: Sequence[Row]) -> str:
    """What all models have in common."""
    first = rows[0]
    if len({(row.questions, row.trials) for row in rows}) > 1:
        return ""
    trials = "..".join(map(str, dict.fromkeys(first.trials)))
    return f", {_number(first.questions, 'question')}, {trials} {'trial' if trials == '1' else 'trials'} each"


def _tables(rows: Sequence[Row], args: argparse.Namespace, width: int) -> list[str]:
    """One table, or where the columns do not fit in width several, each with rank and model in front."""

    def wide(columns: Sequence[_Column]) -> int:
        return sum(c.width + GAP for c in columns) - GAP

    first, *groups = _columns(rows, args)
    names = [_printable(row.model) for row in rows]
    rank = max(len(str(row.rank)) for row in rows) + 1
    room = width - rank - GAP - wide([*first, *(c for group in groups for c in group)])  # beside all columns
    if room < min(ONE_TABLE, max(_Column("", names).width, len("model"))):
        room = width - rank - GAP - wide(first)
    cells = [f"{row.rank:>{rank - 1}} {_cut(x, max(SHORTEST_NAME, room))}" for row, x in zip(rows, names, strict=True)]
    lead = [_Column("#".rjust(rank - 1) + " model", cells, "left")]
    blocks = [lead + first]
    for group in groups:
        for piece in [group] if wide(lead + group) <= width else [[column] for column in group]:
            if wide(blocks[-1] + piece) <= width:
                blocks[-1] += piece
            else:
                blocks.append(lead + piece)
    return [_drawn(block) for block in blocks]


MARKS = {"measured": " ", "beta law": "~", "bound": "*"}


def _columns(rows: Sequence[Row], args: argparse.Namespace) -> list[list[_Column]]:
    """Columns in groups to be kept together: the average, then other views."""
    digits = _format(args.weights or [0.0, 1.0])
    metric = "Max" if args.weights else "Pass"
    holds = "trials" if args.questions == "fixed" else "+questions"
    often = f"{100 * args.confidence:.10g}%"

    def plain(header: str, values: Iterable[float]) -> _Column:
        return _Column(header, _aligned(format(x, digits) for x in values))

    def column(header: str, found: Sequence[MetricInterval]) -> _Column:
        mu, lo, hi = (_aligned(format(x[i], digits) for x in found) for i in (0, 2, 3))
        known = {x.noise for x in found}
        (how,) = known if len(known) == 1 else ("",)
        marks = [""] * len(found) if how else [MARKS[x.noise] for x in found]
        ends = [f"{m} [{a}, {b}]{mark}" for m, a, b, mark in zip(mu, lo, hi, marks, strict=True)]
        return _Column(f"{header}\n{often} ({holds if how in ('', 'measured') else how})", ends, "left")

    first = [column("average" + f" = {metric}@1" * (1 in rows[0].at_k), [row.average for row in rows])]
    if not _shared(rows):
        trials = ["..".join(map(str, dict.fromkeys(row.trials))) for row in rows]
        first = [_Column("questions", [str(row.questions) for row in rows]), _Column("trials", trials), *first]
    bayes = [row.bayes for row in rows if row.bayes is not None]
    return [
        first,
        *([column(f"{metric}@{k}", [row.at_k[k] for row in rows])] for k in rows[0].at_k if k != 1),
        *(
            [[plain("Bayes\nmu", (x.mu for x in bayes)), plain("Bayes\nsigma", (x.sigma for x in bayes))]]
            if bayes
            else []
        ),
    ]


def _aligned(numbers: Iterable[str]) -> list[str]:
    """Without the zero before the point, all of one width."""
    shown = [x.replace("0.", ".", 1) if x.startswith(("0.", "-0.")) else x for x in numbers]
    return [x.rjust(max(map(len, shown))) for x in shown]


def _printable(name: str) -> str:
    return "".join(x if x.isprintable() else "?" for x in name)


def _format(weights: Sequence[float]) -> str:
    """To a thousandth of the spread of the scores: 0.420, 42.0, 420, 1000001.35; 4.2e+08 and 4.2e-07 far from 1."""
    largest = max(map(abs, weights)) or 1.0
    spread = max(weights) - min(weights) or largest
    decimals = 3 - floor(log10(spread))
    digits = floor(log10(largest)) + 1 + decimals
    return f".{max(0, decimals)}f" if -3 <= decimals <= 6 and digits <= 15 else f".{min(17, digits)}g"


def _cut(name: str, width: int) -> str:
    """From the middle, where it is too long: names that differ at their ends stay apart."""
    from rich.cells import cell_len

    if cell_len(name) <= width:
        return name
    front, back = width // 2, (width - 1) // 2
    start, end = 0, len(name)
    while cell_len(name[: start + 1]) <= front:
        start += 1
    while cell_len(name[end - 1 :]) <= back:
        end -= 1
    return name[:start] + "…" + name[end:]


def _drawn(columns: Sequence[_Column]) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column.header), justify=column.side, vertical="bottom", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    width = sum(column.width + GAP for column in columns)
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(file=StringIO(), width=width, force_terminal=terminal, force_jupyter=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
