"""A report: several analyses of one evaluation, each computed once, for one HTML page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date as day
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from .. import arguments, saving
from ..display.text import without_folder
from ..errors import InvalidInput, shown
from ..io.evaluation import Benchmark, EvaluationData
from ..io.prompts import prompts
from ..items import Item
from ..results import MetricInterval, Target
from ..sinf.certificate import Certificate
from ..sinf.suite import SuitePair
from .certificate import certificate_of_leaders
from .curves import Curve, StabilityCurve, curve, stability
from .leaderboard import Leaderboard, leaderboard
from .measure import Request, macro
from .pairs import compare_pairs
from .questions import ItemAnalysis, Question, QuestionTable, analyse_items, questions
from .ranking import Pair, groups_without_difference, not_significant, pairs_in_order, sample_sizes
from .result import Result, refuse_bounds, target_of
from .sample_size import SampleSize

SCHEMES = ("https:", "http:", "file:")  # of links to transcripts, unless they are relative
MOST_NEIGHBOURS = 12  # pairs of neighbours, from the top of the ranking, whose sample sizes are planned
MOST_LISTED = 10  # most questions, or groups of models, in a list
MOST_MODELS = 200  # most models of a report, which shows every pair
MOST_CURVES = 12  # most curves in all benchmarks together, but at least one in each benchmark
POINTS = 7  # most points of a curve on either side of the present number of trials
MAX_RATIO = 8  # curves reach to this many times the fewest trials of a question
T = TypeVar("T")


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of all pairs over all benchmarks, for one target.

    Attributes
    ----------
    pairs : mapping of (str, str) to SuitePair
        The better-ranked model first; pairs that share too few questions are left out.
    ranges : mapping of str to (int, int)
        The ranks that each model may have.
    groups : tuple of range
        Positions in the ranking (from 0) of three or more consecutive models of which no two differ significantly.
    not_significant : tuple of (str, str)
        Pairs that do not differ significantly: those of the first model, then neighbours.
    sample_sizes : mapping of (str, str) to SampleSize
        Sample sizes for the first pair of not_significant and, for the target of the leaderboard, for those of the
        first ``MOST_NEIGHBOURS`` pairs of neighbours that do not differ significantly.
    """

    pairs: Mapping[Pair, SuitePair]
    ranges: Mapping[str, tuple[int, int]]
    groups: tuple[range, ...]
    not_significant: tuple[Pair, ...]
    sample_sizes: Mapping[Pair, SampleSize]

    @property
    def n_significant(self) -> int:
        """Number of pairs that differ significantly."""
        return sum(x.significant for x in self.pairs.values())

    def is_better(self, a: str, b: str) -> bool:
        """Whether model a is significantly better than model b."""
        x = self.pairs.get((a, b)) or self.pairs.get((b, a))
        return x is not None and x.significant and (x.mu > 0) == (x.a == a)


@dataclass(frozen=True)
class Part:
    """Analyses of one benchmark: its questions, its curves and the stability of its ranking, or why they are missing.

    Attributes
    ----------
    benchmark, metric : str
    questions : QuestionTable or None
        None if no question has a trial.
    item_analysis : ItemAnalysis
    curves : mapping of str to Curve
        Pass@k of the first models of the ranking.
    no_curves : str
        Why there are no curves; "" where there are some, and for scores, for which curves are not drawn.
    stability : StabilityCurve or None
    no_stability : str
        Why the stability is not known; "" where it is known, and for a single model.
    """

    benchmark: str
    metric: str
    questions: QuestionTable | None
    item_analysis: ItemAnalysis
    curves: Mapping[str, Curve]
    no_curves: str
    stability: StabilityCurve | None
    no_stability: str

    @property
    def discriminating(self) -> list[Item]:
        """Questions that better models solve more often, the largest covariance first."""
        return sorted((y for y in self.item_analysis.items if y.covariance > 0.0), key=lambda y: -y.covariance)

    @property
    def suspects(self) -> list[Item]:
        """Questions on which better models do worse, the clearest first."""
        suspects = (y for y in self.item_analysis.items if y.suspect)
        return sorted(suspects, key=lambda y: (y.p_adjusted or 0.0, y.covariance))

    @property
    def contested(self) -> list[Question]:
        """All questions, those where the models differ most first."""
        return sorted(self.questions.table if self.questions else (), key=lambda q: -q.deviation)

    @property
    def listed(self) -> set[str]:
        """Questions that the lists of the report may name."""
        hardest = self.questions.table if self.questions else ()
        measured = [self.discriminating, self.suspects] if self.item_analysis.items else []
        return {
            *(q.name for table in (hardest, self.contested) for q in table[:MOST_LISTED]),
            *(self.item_analysis.names[y.question] for items in measured for y in items[:MOST_LISTED]),
        }


@dataclass(frozen=True, kw_only=True)
class Report(Result):
    """A leaderboard, all pairs, and the questions, curves and stability of each benchmark, with the sources of the log.

    Attributes
    ----------
    leaderboard : Leaderboard
    comparisons : mapping of {"fixed", "sampled"} to Comparisons
        The comparisons for each target that the data allow, the target of the leaderboard first.
    averages : mapping of {"fixed", "sampled"} to mapping of str to MetricInterval
        The average of every model of the leaderboard for each target that the data allow.
    parts : tuple of Part
        The analyses of each benchmark.
    texts : mapping of (str, str) to str
        Texts of the questions that the lists of the report name, by benchmark and id, where the log has them.
    certificate : Certificate or None
        How many missing outcomes and wrong answer keys the order of the first two models survives; None if there is
        no ranking of two models, or if the two share no question of some benchmark.
    title, command, date, link : str
        Heading, command, date and address, as stated or by default.
    sources : tuple of str
        Sources of the log, a line each, as they were stated.
    replicates : int
        Replicates of the bootstrap.
    """

    schema: ClassVar[str] = "scorio.report/1"
    leaderboard: Leaderboard
    comparisons: Mapping[str, Comparisons]
    averages: Mapping[str, Mapping[str, MetricInterval]]
    parts: tuple[Part, ...]
    texts: Mapping[tuple[str, str], str]
    certificate: Certificate | None
    title: str
    command: str
    date: str
    link: str
    sources: tuple[str, ...]
    replicates: int

    def rows(self) -> Sequence[Any]:
        """Rows of the leaderboard."""
        return self.leaderboard.table

    def to_html(self) -> str:
        """HTML page of the report, which needs no network and no other file; the same report gives the same page."""
        return str(import_module("scorio.render.report").page(self))

    def _repr_html_(self) -> str:
        """The page without its script, as a part of a notebook that has its own style."""
        return str(import_module("scorio.render.report").fragment(self))

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


def _check_link(link: str) -> None:
    """Refuse an address that would run code, such as javascript:..., when a reader of the page clicks on it."""
    scheme = re.match(r"[^/?#]*:", link)
    if not link.isprintable() or link != link.strip() or (scheme and scheme[0].lower() not in SCHEMES):
        reason = f"link = {shown(link)} is neither a relative address nor one of {', '.join(SCHEMES)}"
        raise InvalidInput("format", "link", reason)


def report(
    e: EvaluationData,
    path: str | Path | None = None,
    *,
    questions: Target | None = None,
    confidence: float = 0.95,
    k: int | Iterable[int] | None = None,
    title: str = "",
    command: str = "",
    sources: Sequence[str] = (),
    date: str | None = None,
    replicates: int = 1000,
    seed: int = 0,
    link: str = "",
    texts: bool = True,
) -> Report:
    """Make a report: several analyses of an evaluation, each computed once.

    Parameters
    ----------
    e : Evaluation
        The report shows the stability of the ranking if the evaluation was read with ``trials=True``.
    path : path, optional
        File to which the HTML page is written; default: none.
    questions : {"fixed", "sampled"}, optional
        The target of the leaderboard. Comparisons are made for both targets where the data allow both. Default:
        "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        Nominal coverage of all intervals; 1 - confidence is the family-wise level over all pairs.
    k : int or iterable of int, optional
        Numbers of trials for Pass@k, as for the leaderboard.
    title, command : str
        The heading, default the name of the log; and the command that made the page.
    sources : sequence of str
        Sources of the log, a line each, such as names of files with their hashes.
    date : str, optional
        When the report was made; default today.
    replicates : int, 1 <= replicates < 2^31
        Bootstrap replicates for the stability of the ranking.
    seed : int, 0 <= seed < 2^64
        Seed of the bootstrap.
    link : str
        An address in which {question} stands for the id of a question, such as that of its transcript.
    texts : bool
        Whether listed questions show the first line of their text, where the files of the log have it; False for
        questions that must stay secret.

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
    _check_link(link)
    board = leaderboard(e, k=k, questions=questions, confidence=confidence, pairs=True)
    request = Request(questions=board.about.questions, confidence=board.about.confidence)
    order = [row.model for row in board.table]
    models = [*order, *(m for m in e.models if m not in order)]
    n_curves = max(1, MOST_CURVES // len(e.benchmarks))
    parts = tuple(_part(x, models, board, n_curves, request, replicates, seed) for x in e.benchmarks.values())
    result = Report(
        about=board.about, leaderboard=board, comparisons=_comparisons(e, board, order, request),
        averages=_averages(e, board, order, request),
        parts=parts, texts=prompts(e.provenance.files, {x.benchmark: x.listed for x in parts}) if texts else {},
        certificate=certificate_of_leaders(e, order),
        title=title or without_folder(e.name), command=command,
        date=day.today().isoformat() if date is None else date, link=link,
        sources=tuple(sources), replicates=replicates,
    )  # fmt: skip
    if path is not None:
        result.save(path)
    return result


def _comparisons(e: EvaluationData, board: Leaderboard, order: list[str], request: Request) -> dict[str, Comparisons]:
    """Comparisons of every pair for each target that the data allow."""
    if board.pairs is None:
        return {}
    data, by_target = e.select(order), {request.questions: (request, board.pairs)}
    if other := _other_request(e, request):
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


def _other_request(e: EvaluationData, request: Request) -> Request | None:
    """Request for the other target; None for fixed questions if no question has two trials."""
    target = "fixed" if request.questions == "sampled" else "sampled"
    exists = target == "sampled" or target_of(e, None) == "fixed"
    return Request(questions=target, confidence=request.confidence) if exists else None


def _averages(
    e: EvaluationData, board: Leaderboard, order: list[str], request: Request
) -> dict[str, dict[str, MetricInterval]]:
    """Averages with their intervals for each target that the data allow, the target of the leaderboard first."""
    averages = {request.questions: {row.model: row.average for row in board.table}}
    if other := _other_request(e, request):
        with suppress(InvalidInput):  # a single question, or cluster, shows no variance between them
            averages[other.questions] = {m: macro(e, m, other) for m in order}
    return averages


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
    return Part(part.name, part.metric, table, item_analysis, curves or {}, no_curves, stable, no_stability)


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
