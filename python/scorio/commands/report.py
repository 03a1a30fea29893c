"""``scorio report`` and ``Evaluation.report``: several analyses, each computed once, on one HTML page."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date as day
from hashlib import file_digest, sha256
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from .. import arguments, saving
from ..analysis.curves import Curve, curve, stability
from ..analysis.measure import Request, macro, other_request, refuse_bounds
from ..analysis.pairs import certificate_of_leaders, compare_pairs
from ..analysis.questions import analyse_items, questions
from ..analysis.runs import run_scores, shares_of_variance
from ..display.text import number, printable, without_folder
from ..errors import InvalidInput, shown
from ..page.document import Document
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.listing import prompts
from ..results import MetricInterval, RunTarget, Target
from . import options
from .history import history
from .leaderboard import Leaderboard, leaderboard
from .ledgers import open_ledger
from .receipt import command
from .report_data import (
    MOST_NEIGHBOURS,
    Comparisons,
    Part,
    ReportData,
    groups_without_difference,
    not_significant,
    pairs_in_order,
    sample_sizes,
)
from .runs import variation

SCHEMES = ("https:", "http:", "file:")  # of links to transcripts, unless they are relative
MOST_MODELS = 200  # most models of a report, which shows every pair
MOST_CURVES = 12  # most curves in all benchmarks together, but at least one in each benchmark
POINTS = 7  # most points of a curve on either side of the present number of trials
MAX_RATIO = 8  # curves reach to this many times the fewest trials of a question
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Report(ReportData):
    """A leaderboard, all pairs, and the questions, curves and stability of each benchmark; see :class:`ReportData`."""

    def document(self) -> Document:
        """Document of the report for text: its tables, and every chart in words."""
        from .report_page import document  # late: most commands write no page

        return document(self)

    def to_html(self) -> str:
        """HTML page of the report, which needs no network and no other file; the same report gives the same page."""
        from .report_page import page

        return page(self)

    def _repr_html_(self) -> str:
        """The page without its script, as a part of a notebook that has its own style."""
        from .report_page import fragment

        return fragment(self)

    def save(self, path: str | Path) -> None:
        """Write the HTML page; if that fails, as on a full disk, an old file stays unchanged."""
        check_name(path)
        saving.write(path, self.to_html())


def check_name(path: str | Path) -> None:
    """Refuse a file name with an ending other than .html or .htm; a name without an ending is accepted."""
    if (ending := Path(path).suffix.lower()) not in ("", ".html", ".htm"):
        page = shown(str(Path(path).with_suffix(".html")))
        reason = f"a report is HTML, not {ending}: write it to {page}, and print that to PDF in a browser"
        raise InvalidInput("choice", "path", reason)


def report(
    e: EvaluationData, path: str | Path | None = None, *, questions: Target | None = None,
    runs: RunTarget = "fixed", confidence: float = 0.95, k: int | Iterable[int] | None = None,
    title: str = "", command: str = "", sources: Sequence[str] = (), date: str | None = None,
    replicates: int = 1000, seed: int = 0, link: str = "", texts: bool = True,
    ledger: str | os.PathLike[str] | None = None, baseline: str = "main",
) -> Report:  # fmt: skip
    """Make a report: several analyses of an evaluation, each computed once.

    Parameters
    ----------
    e : Evaluation, the report shows the stability of the ranking if the evaluation was read with ``trials=True``
    path : path, optional; file to which the HTML page is written; default: none
    questions : {"fixed", "sampled"}, optional
        The target of the leaderboard. Comparisons are made for both targets where the data allow both. Default:
        "fixed", or "sampled" where every question has one trial.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1)
        Nominal coverage of all intervals; 1 - confidence is the family-wise level over all pairs.
    k : int or iterable of int, optional; numbers of trials for Pass@k, as for the leaderboard
    title, command : str; the heading, default the name of the log; and the command that made the page
    sources : sequence of str, sources of the log, a line each, such as names of files with their hashes
    date : str, optional; when the report was made; default today
    replicates : int, 1 <= replicates < 2^31; bootstrap replicates for the stability of the ranking
    seed : int, 0 <= seed < 2^64; seed of the bootstrap
    link : str, an address in which {question} stands for the id of a question, such as that of its transcript
    texts : bool
        Whether listed questions show the first line of their text, where the files of the log have it; False for
        questions that must stay secret.
    ledger : path, optional; folder of a ledger, or its file: the page also has the builds that were gated
    baseline : str, the baseline of the ledger

    Returns
    -------
    Report

    Raises
    ------
    InvalidInput
        An argument is invalid.
    """
    refuse_bounds(e)
    replicates, seed = arguments.integer(replicates, "replicates", 1, 2**31 - 1), arguments.seed(seed)
    texts = arguments.flag(texts, "texts")
    if len(e.models) > MOST_MODELS:
        reason = f"a report compares every pair, of at most {MOST_MODELS} models, and there are {len(e.models):,}"
        raise InvalidInput("range", "models", reason, "select")
    scheme = re.match(r"[^/?#]*:", link)  # an address such as javascript:... would run code at a click
    if not link.isprintable() or link != link.strip() or (scheme and scheme[0].lower() not in SCHEMES):
        reason = f"link = {shown(link)} is neither a relative address nor one of {', '.join(SCHEMES)}"
        raise InvalidInput("format", "link", reason)
    board = leaderboard(e, k=k, questions=questions, runs=runs, confidence=confidence, pairs=True)
    request = Request(questions=board.about.questions, confidence=board.about.confidence, runs=board.about.runs)
    order = [row.model for row in board.table]
    models = [*order, *(m for m in e.models if m not in order)]
    n_curves = max(1, MOST_CURVES // len(e.benchmarks))
    parts = tuple(_part(x, models, board, n_curves, request, replicates, seed) for x in e.benchmarks.values())
    averages = {request.questions: {row.model: row.average for row in board.table}}
    if other := other_request(e, request):
        with suppress(InvalidInput):  # a single question, or cluster, shows no variance between them
            averages[other.questions] = {m: macro(e, m, other) for m in order}
    result = Report(
        about=board.about, leaderboard=board, comparisons=_comparisons(e, board, order, request),
        averages=averages, parts=parts,
        texts=prompts(e.provenance.files, {x.benchmark: x.listed for x in parts}) if texts else {},
        certificate=certificate_of_leaders(e, order), title=title or without_folder(e.name), command=command,
        date=day.today().isoformat() if date is None else date, link=link, sources=tuple(sources),
        replicates=replicates, history=None if ledger is None else history(open_ledger(os.fspath(ledger)), baseline),
    )  # fmt: skip
    if path is not None:
        result.save(path)
    return result


def _comparisons(e: EvaluationData, board: Leaderboard, order: list[str], request: Request) -> dict[str, Comparisons]:
    """Comparisons of every pair for each target that the data allow."""
    if board.pairs is None:
        return {}
    data, by_target = e.select(order), {request.questions: (request, board.pairs)}
    if other := other_request(e, request):
        with suppress(InvalidInput):  # a single question, or cluster, shows no variance between them
            by_target[other.questions] = other, compare_pairs(data, other)
    out = {}
    for target, (target_request, compared) in by_target.items():
        pairs = pairs_in_order(compared.overall, order)
        open_pairs = not_significant(order, pairs)
        neighbours = list(pairwise(order))[:MOST_NEIGHBOURS]
        planned = [pair for pair in open_pairs if pair in neighbours or pair == open_pairs[0]]
        sizes = sample_sizes(data, planned if target_request is request else planned[:1], pairs, target_request)
        groups = tuple(groups_without_difference(order, pairs))
        out[target] = Comparisons(pairs, compared.ranges, groups, tuple(open_pairs), sizes)
    return out


def _part(
    part: Benchmark, models: list[str], board: Leaderboard, n_curves: int, request: Request, replicates: int, seed: int
) -> Part:
    present = [m for m in models if m in part.logs]
    table, _ = _computed_or_reason(lambda: questions(part, present), "R", "models")
    curves, no_curves = _computed_or_reason(lambda: _curves(part, present[:n_curves], board, request), "R", "k")
    stable, no_stability = None, ""
    if len(present) > 1:
        stable, no_stability = _computed_or_reason(lambda: stability(part, replicates, seed), "logs", "gold")
    item_analysis = analyse_items(part, request.confidence)
    runs = list(run_scores(part))
    return Part(part.name, part.metric, table, item_analysis, curves or {}, no_curves, stable, no_stability,
                variation(part, request.confidence), [x for m in present for x in runs if x.model == m],
                [*shares_of_variance(part)])  # fmt: skip


def _computed_or_reason(compute: Callable[[], T], *arguments_of_data: str) -> tuple[T | None, str]:
    """Result of a function, or the reason why the outcomes do not suffice for it.

    Only errors about one of ``arguments_of_data`` are such reasons; others are raised.
    """
    try:
        return compute(), ""
    except InvalidInput as error:
        if error.argument not in arguments_of_data:
            raise
        return None, str(error)


def _curves(part: Benchmark, models: list[str], board: Leaderboard, request: Request) -> dict[str, Curve]:
    """Curves of Pass@k of these models; none for a benchmark of scores."""
    if part.w is not None:
        return {}
    out = {}
    cells = {x.model: x for x in board.each if x.benchmark == part.name}
    for model in models:
        log = part.answered(model)
        if log.counts.min_trials < 2:
            raise InvalidInput("shape", "R", "with one trial of a question Pass@k is not known for k above 1")
        at_k = {int(name.partition("@")[2]): x for name, x in cells[model].at_k.items()}
        intervals: dict[int, MetricInterval] = {1: cells[model].average} | at_k
        out[model] = curve(
            log.counts, MAX_RATIO * log.counts.min_trials, points=POINTS, computed=intervals,
            questions=request.questions, confidence=request.confidence,
        )  # fmt: skip
    return out


EXAMPLES = """examples:
  scorio report runs.csv -o report.html
  scorio report logs/ -o report.html --questions sampled --k 2,8
  scorio report runs.csv --title "Airline tasks" > report.html

"""
MEANING = """The page has the conclusions in sentences, a leaderboard with confidence
intervals and rank ranges, comparisons of all pairs, curves of Pass@k, the
questions and how reliably they rank the models, the stability of the ranking,
missing outcomes, and the command line; with --ledger also the builds that
were gated, with alarms and steps. With several benchmarks it ranks by the
macro-average and shows each; --task chooses one.
It is one file that needs no network.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add_target(parser, options.PASS_AT_K_HELP)
    add = parser.add_argument
    add("--title", default="", help="heading of the page (default: the name of the log)")
    options.add(parser, replicates={"default": 1000, "help": "bootstrap replicates for the stability of the ranking"})
    add("--link", default="", metavar="URL",
        help="URL of a question's transcript, with {question} in place of its id; the page links to it")  # fmt: skip
    add("--no-texts", action="store_true", help="do not show texts of questions, which may be secret")
    add("--ledger", metavar="DIR", help="folder of a ledger, or its file: show the builds that were gated too")
    add("--baseline", default="main", metavar="NAME", help="the baseline of the ledger (default main)")
    add("--output", "-o", metavar="HTML", help="file to write (default: stdout, unless that is a terminal)")
    options.add_json(parser)


def run(args: Namespace, read: options.Read) -> options.CommandOutput:
    options.check_output(args)
    if not args.output and (args.format == "json" or (sys.stdout is not None and sys.stdout.isatty())):
        raise InvalidInput("conflict", "output", "the report is an HTML page: write it to a file, -o report.html")
    check_name(args.output or "")
    e = read(args, trials=True)
    settings = options.chosen(
        args, "questions", "runs", "confidence", "k", "title", "replicates", "link", "ledger", "baseline"
    )
    sources = [line for path in args.files for line in _source(Path(path))]
    x = report(e, args.output, command=command(args), sources=sources, texts=not args.no_texts, **settings)
    if not args.output:
        return options.CommandOutput(x.to_html(), data=True)
    if args.format == "json":
        return options.show_written_file(e, "report", args)
    size = round(Path(args.output).stat().st_size / 1e3)
    return options.CommandOutput(f"{printable(args.output)}: {number(len(e.models), 'model')}, {size} kB\n")


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
