"""Leaderboard: averages and Pass@k with intervals, in each benchmark and over all; rank ranges over all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from .. import arguments, eval
from ..errors import InvalidInput
from ..io.evaluation import Benchmark, EvaluationData, Scale
from ..items.cost_per_solved import CostPerSolved
from ..results import Estimate, MetricInterval, Target
from ..sinf.certificate import Certificate
from . import cost
from .certificate import certificate_of_leaders
from .measure import Request, checked_ks, in_every_benchmark, macro, only_benchmark, ranks_by_value, value
from .pairs import Pairs, Ranges, compare_pairs, rank_ranges_by_benchmark
from .records import HIDDEN, OPTIONAL, PRIMARY
from .result import Result, about_of, refuse_bounds, target_of

MOST_RANKED = 200  # most models of which all pairs are compared for rank ranges
MOST_BOUNDED = 50  # the same limit where missing outcomes are bounded: every pair is then compared three times or more


@dataclass(frozen=True)
class Row:
    """Average and ranks of a model over all benchmarks.

    Attributes
    ----------
    rank : int
        Rank by average, best first; equal averages share the better rank (1, 2, 2, 4).
    model : str
    n_questions : int
        Questions with at least one trial.
    trials_min, trials_max : int
        Fewest and most trials of these questions.
    missing : int
        Outcomes that the log does not contain, however they were treated.
    average : MetricInterval
        Average score with its interval; over several benchmarks the macro-average.
    best, worst : int or None
        The range of ranks that the model may have; None where pairs were not compared.
    at_k : mapping of str to MetricInterval
        Pass@k (Max@k of scores) with its interval, under a name such as "pass@2".
    bayes : Estimate or None
        Bayes@N, if requested.
    cost_per_solved : CostPerSolved or None
        Cost of a solved task, in a single benchmark of binary outcomes whose log states what each trial cost; None
        elsewhere, and where :func:`scorio.analysis.cost.per_solved` is None, as without a success.
    """

    rank: int
    model: str
    n_questions: int
    trials_min: int
    trials_max: int
    missing: int
    average: MetricInterval = field(metadata={PRIMARY: "average"})
    best: int | None
    worst: int | None
    at_k: Mapping[str, MetricInterval]
    bayes: Estimate | None = field(metadata={OPTIONAL: True})
    cost_per_solved: CostPerSolved | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True)
class Cell:
    """Average of a model in one benchmark; metric is the name of the outcomes, the others are as in Row."""

    benchmark: str
    metric: str
    model: str
    n_questions: int
    trials_min: int
    trials_max: int
    missing: int
    average: MetricInterval = field(metadata={PRIMARY: "average"})
    at_k: Mapping[str, MetricInterval]
    cost_per_solved: CostPerSolved | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Result):
    """Models ranked by their average.

    Attributes
    ----------
    table : tuple of Row
        Best model first. Empty where benchmarks are on different scales, so that no average over them has a meaning.
    each : tuple of Cell
        Every model in every benchmark that it answered.
    incomplete : tuple of str
        Models without a macro-average, since they have no trial in some benchmark.
    scales : mapping of str to (float, float)
        The lowest and the highest score of each benchmark.
    cost_unit : str
        The unit of the costs of trials: "cost", "tokens"; "" where the log states none.
    pairs : Pairs or None
        Comparisons of all pairs, from which the rank ranges follow; None if they were not requested, or not made.
    certificate : Certificate or None
        Where missing outcomes are bounded: how many missing outcomes and wrong answer keys the order of the first two
        models survives.
    """

    schema: ClassVar[str] = "scorio.leaderboard/3"
    table: tuple[Row, ...]
    each: tuple[Cell, ...]
    incomplete: tuple[str, ...]
    scales: Mapping[str, Scale]
    cost_unit: str = ""
    pairs: Pairs | None = field(default=None, repr=False, metadata={HIDDEN: True})
    certificate: Certificate | None = field(default=None, repr=False, metadata={HIDDEN: True})


def leaderboard(
    e: EvaluationData,
    *,
    k: int | Iterable[int] | None = None,
    questions: Target | None = None,
    confidence: float = 0.95,
    bayes: bool = False,
    pairs: bool = False,
) -> Leaderboard:
    """Rank models by their average, over all benchmarks.

    Parameters
    ----------
    e : Evaluation
    k : int or iterable of int, optional
        Numbers of trials for Pass@k (Max@k of scores). Default: those of 2, 4 and 8 for which the fewest trials of any
        question are at least 2k, so that the variance is measured.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones. Default: "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        Nominal coverage of the intervals; 1 - confidence is the family-wise level of the rank ranges.
    bayes : bool
        Add Bayes@N. Its uniform prior on every question shrinks it towards the middle of the scale.
    pairs : bool
        Also return the comparisons of all pairs, with their intervals.

    Returns
    -------
    Leaderboard

    Raises
    ------
    InvalidInput
        An argument is invalid; range: k above the trials of a question; no_trials: a model has no trial; conflict:
        Bayes@N of several benchmarks; choice: Bayes@N where missing outcomes are bounded.
    """
    confidence, target = arguments.confidence(confidence), target_of(e, questions)
    with_bayes = arguments.flag(bayes, "bayes")
    if with_bayes:
        only_benchmark(e, "Bayes@N")
        refuse_bounds(e)
    ks = checked_ks(k)
    ks = default_ks(e) if ks is None else ks
    mean = Request(questions=target, confidence=confidence)
    at_ks = [Request("pass_at_k", x, None, target, confidence) for x in ks]
    cells = tuple(_cell(part, model, mean, at_ks) for part in e.benchmarks.values() for model in part.logs)
    by_model: dict[str, list[Cell]] = {}
    for cell in cells:
        by_model.setdefault(cell.model, []).append(cell)
    complete = [m for m in e.models if in_every_benchmark(e, m)] if e.comparable else []
    averages = {m: _over_benchmarks(e, m, mean, by_model[m]) for m in complete}
    ranks = ranks_by_value({m: x.mu for m, x in averages.items()})
    compared, ranges = _comparisons(e, complete, mean, pairs)
    table = tuple(_row(e, m, ranks[m], averages[m], ranges.get(m), at_ks, by_model[m], with_bayes) for m in ranks)
    incomplete = tuple(m for m in e.models if m not in averages) if e.comparable else ()
    about = about_of(e, target, confidence, bounds=True)
    return Leaderboard(about=about, table=table, each=cells, incomplete=incomplete, scales=e.scales,
                       cost_unit=cost.unit_of(e), pairs=compared,
                       certificate=certificate_of_leaders(e, list(ranks)) if e.bounds else None)  # fmt: skip


def default_ks(e: EvaluationData) -> list[int]:
    """Default values of k for Pass@k: those of 2, 4 and 8 for which every question with a trial has at least 2k."""
    logs = [log for part in e.benchmarks.values() for log in part.logs.values()]
    min_trials = min((int(n[n > 0].min()) for n in (log.counts.trials for log in logs) if n.any()), default=0)
    return [k for k in (2, 4, 8) if 2 * k <= min_trials]


def _cell(part: Benchmark, model: str, mean: Request, at_ks: Sequence[Request]) -> Cell:
    log = part.answered(model)
    n = log.counts.trials
    return Cell(
        part.name, part.metric, model, log.counts.M, int(n.min()), int(n.max()), part.logs[model].missing,
        value(part, model, mean), {_at_k_name(part, x): value(part, model, x) for x in at_ks},
        cost.per_solved(part, model, mean.questions, mean.confidence),
    )  # fmt: skip


def _at_k_name(part: Benchmark, request: Request) -> str:
    return f"{'max' if part.w is not None else 'pass'}@{request.k}"


def _over_benchmarks(e: EvaluationData, model: str, request: Request, cells: Sequence[Cell]) -> MetricInterval:
    """Macro-average of a model; in a single benchmark the value of its cell."""
    if len(e.benchmarks) > 1:
        return macro(e, model, request)
    (cell,) = cells
    return cell.average if request.k is None else cell.at_k[_at_k_name(e.benchmark(), request)]


def _comparisons(
    e: EvaluationData, models: Sequence[str], request: Request, with_pairs: bool
) -> tuple[Pairs | None, Ranges]:
    """Comparisons of all pairs, if ``with_pairs``, and rank ranges of the models.

    None and an empty mapping for fewer than two models, too many models, or too few shared questions.
    """
    if not 2 <= len(models) <= (MOST_BOUNDED if e.bounds else MOST_RANKED):
        return None, {}
    data = e.select(models)
    try:
        if not with_pairs:
            return None, rank_ranges_by_benchmark(data, request, each=False)[None]
        pairs = compare_pairs(data, request)
        return pairs, pairs.ranges
    except InvalidInput as error:
        if error.argument in ("models", "benchmarks"):
            return None, {}
        raise


def _row(
    e: EvaluationData,
    model: str,
    rank: int,
    average: MetricInterval,
    rank_range: tuple[int, int] | None,
    at_ks: Sequence[Request],
    cells: Sequence[Cell],
    with_bayes: bool,
) -> Row:
    # any benchmark would do: on one scale all have one name for Pass@k, and Bayes@N is for a single benchmark
    first = e.on_one_scale().benchmark(next(iter(e.benchmarks)))
    bayes = eval.bayes(first.answered(model).counts, first.w) if with_bayes else None
    best, worst = rank_range or (None, None)
    return Row(
        rank, model, sum(x.n_questions for x in cells), min(x.trials_min for x in cells),
        max(x.trials_max for x in cells), sum(x.missing for x in cells), average, best, worst,
        {_at_k_name(first, x): _over_benchmarks(e, model, x, cells) for x in at_ks}, bayes,
        cells[0].cost_per_solved if len(e.benchmarks) == 1 else None,
    )  # fmt: skip
