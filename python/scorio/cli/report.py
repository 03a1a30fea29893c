"""``scorio report``: a log as one HTML page."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from ..display.text import number
from . import options, output

EXAMPLES = """examples:
  scorio report runs.csv -o report.html
  scorio report logs/ -o report.html --questions sampled --k 2,8
  scorio report runs.csv --title "Airline tasks" > report.html

"""
MEANING = """The page has the conclusions in sentences, a leaderboard with confidence
intervals and rank ranges, comparisons of all pairs, curves of Pass@k, the
questions and how reliable they rank, the stability of the ranking, missing
outcomes, and this command. Of several benchmarks it ranks by the
macro-average and shows each; --task chooses one.
It is one file that needs no network.

"""


def add(parser: options.Parser) -> None:
    """The command and its options."""
    options.explain(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.reading(parser)
    options.asking(parser, options.OF_PASS_AT_K)
    add = parser.add_argument
    add("--title", default="Evaluation report", help='heading of the page (default "Evaluation report")')
    add("--replicates", type=int, default=1000, metavar="B",
        help="bootstrap replicates for the stability of the ranking (default 1000)")  # fmt: skip
    add("--link", default="", metavar="URL",
        help="address of a transcript, {question} standing for its id: questions of the page lead there")  # fmt: skip
    add("--output", "-o", metavar="HTML", help="file to write (default: stdout)")


def run(args: Namespace) -> output.Answer:
    """Read, write the page."""
    from ..report import report

    options.check_output(args)
    command = shlex.join(["scorio", *args.argv])
    logs = options.read(args, trials=True)
    asked = {"questions": args.questions, "confidence": args.confidence, "k": args.k, "missing": args.missing}
    more: dict[str, Any] = {"title": args.title, "replicates": args.replicates, "command": command, "link": args.link}
    page = report(logs, **more, sources=[x for path in args.files for x in _source(Path(path))], **asked)
    if not args.output:
        return output.Answer(page)
    with open(args.output, "w", encoding="utf-8") as f:
        f.write(page)
    return output.Answer(f"{args.output}: {number(len(logs), 'model')}, {round(len(page) / 1e3)} kB\n")


def _source(path: Path) -> Iterator[str]:
    """A file and its hash; a folder and the hash of the names and hashes of its files."""
    if path.is_file():
        yield f"{path}: sha256 {_sha256(path)}."
    elif path.is_dir():
        files = sorted(x for x in path.rglob("*") if x.is_file())
        lines = "".join(f"{_sha256(x)}  {x.relative_to(path).as_posix()}\n" for x in files)
        yield f"{path}: {number(len(files), 'file')}, sha256 of their list {sha256(lines.encode()).hexdigest()}."


def _sha256(path: Path) -> str:
    with path.open("rb") as f:
        return file_digest(f, "sha256").hexdigest()
