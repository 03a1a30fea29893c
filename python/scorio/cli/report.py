"""``scorio report``: a log as one HTML page."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path

from ..analysis.report import check_name
from ..display.text import number, printable
from ..errors import InvalidInput
from . import options, output

EXAMPLES = """examples:
  scorio report runs.csv -o report.html
  scorio report logs/ -o report.html --questions sampled --k 2,8
  scorio report runs.csv --title "Airline tasks" > report.html

"""
MEANING = """The page has the conclusions in sentences, a leaderboard with confidence
intervals and rank ranges, comparisons of all pairs, curves of Pass@k, the
questions and how reliably they rank the models, the stability of the ranking,
missing outcomes, and the command line. With several benchmarks it ranks by the
macro-average and shows each; --task chooses one.
It is one file that needs no network.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    options.add_target(parser, options.PASS_AT_K_HELP)
    add = parser.add_argument
    add("--title", default="", help="heading of the page (default: the name of the log)")
    add("--replicates", type=int, default=1000, metavar="B",
        help="bootstrap replicates for the stability of the ranking (default 1000)")  # fmt: skip
    add("--link", default="", metavar="URL",
        help="URL of a question's transcript, with {question} in place of its id; the page links to it")  # fmt: skip
    add("--no-texts", action="store_true", help="do not show texts of questions, which may be secret")
    add("--output", "-o", metavar="HTML", help="file to write (default: stdout, unless that is a terminal)")
    options.add_json(parser)


def run(args: Namespace) -> output.CommandOutput:
    """Read the log and write the report."""
    options.check_output(args)
    if not args.output and (args.format == "json" or (sys.stdout is not None and sys.stdout.isatty())):
        raise InvalidInput("conflict", "output", "the report is an HTML page: write it to a file, -o report.html")
    check_name(args.output or "")
    e = options.evaluation(args, trials=True)
    x = e.report(
        args.output, questions=args.questions, confidence=args.confidence, k=args.k, title=args.title,
        command=shlex.join(["scorio", *args.argv]), sources=[x for path in args.files for x in _source(Path(path))],
        replicates=args.replicates, link=args.link, texts=not args.no_texts,
    )  # fmt: skip
    if not args.output:
        return output.CommandOutput(x.to_html(), data=True)
    if args.format == "json":
        return output.show_written_file(e, "report", args)
    size = round(Path(args.output).stat().st_size / 1e3)
    return output.CommandOutput(f"{printable(args.output)}: {number(len(e.models), 'model')}, {size} kB\n")


def _source(path: Path) -> Iterator[str]:
    """Yield a line with the hash of a file, or with the hash of the list of files of a folder."""
    if path.is_file():
        yield f"{path}: sha256 {_sha256(path)}."
    elif path.is_dir():
        files = sorted(x for x in path.rglob("*") if x.is_file())
        lines = "".join(f"{_sha256(x)}  {x.relative_to(path).as_posix()}\n" for x in files)
        yield f"{path}: {number(len(files), 'file')}, sha256 of their list {sha256(lines.encode()).hexdigest()}."


def _sha256(path: Path) -> str:
    with path.open("rb") as f:
        return file_digest(f, "sha256").hexdigest()
