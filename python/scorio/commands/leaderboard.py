"""``scorio leaderboard`` and ``Evaluation.leaderboard``: averages and Pass@k with intervals, and rank ranges."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any, ClassVar

from .. import arguments, eval
from ..analysis import cost
from ..analysis.measure import (
    Request,
    checked_ks,
    checked_runs,
    in_every_benchmark,
    macro,
    only_benchmark,
    ranks_by_value,
    refuse_bounds,
    target_of,
    value,
)  # fmt: skip
from ..analysis.pairs import Pairs, Ranges, certificate_of_leaders, compare_pairs, rank_ranges_by_benchmark
from ..display.terms import MACRO, interval
from ..display.text import listed, number, printable, score, score_format, span
from ..errors import InvalidInput
from ..items.cost_per_solved import CostPerSolved
from ..page.columns import drawn_intervals, names_column, number_column
from ..page.document import Block, Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData, Scale, scales_in_words
from ..results import Estimate, MetricInterval, RunTarget, Target
from ..sinf.compare import Certificate
from . import notes, options
from .base import HIDDEN, OPTIONAL, PRIMARY, Result, about_of
from .notes import benchmarks, heading
from .verdicts import certificate_sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RANKED = 200  # most models of which all pairs are compared for rank ranges
MOST_BOUNDED = 50  # the same limit where missing outcomes are bounded: every pair is then compared three times or more


@dataclass(frozen=True)
class Row:
    """Average and ranks of a model over all benchmarks.

    Attributes
    ----------
    rank : int, rank by average, best first; equal averages share the better rank (1, 2, 2, 4)
    model : str
    n_questions : int, questions with at least one trial
    trials_min, trials_max : int; fewest and most trials of these questions
    missing : int, outcomes that the log does not contain, however they were treated
    average : MetricInterval, average score with its interval; over several benchmarks the macro-average
    best, worst : int or None; the range of ranks that the model may have; None where pairs were not compared
    at_k : mapping of str to MetricInterval, Pass@k (Max@k of scores) with its interval, under a name such as "pass@2"
    bayes : Estimate or None, Bayes@N, if requested
    cost_per_solved : CostPerSolved or None
        Cost of a solved task, in a single benchmark of binary outcomes whose log states what each trial cost; None
        elsewhere, and where :func:`scorio.analysis.cost.per_solved` is None, as without a success.
    shrunken : float or None, the average shrunken to the mean of all models (James-Stein), of five models or more
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
    shrunken: float | None = field(default=None, metadata={OPTIONAL: True})


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
    each : tuple of Cell, every model in every benchmark that it answered
    incomplete : tuple of str, models without a macro-average, since they have no trial in some benchmark
    scales : mapping of str to (float, float); the lowest and the highest score of each benchmark
    cost_unit : str, the unit of the costs of trials: "cost", "tokens"; "" where the log states none
    selection_bias : float or None
        By how much the first average, the highest of five or more, would be too high if all models were equally good.
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
    selection_bias: float | None = None
    pairs: Pairs | None = field(default=None, repr=False, metadata={HIDDEN: True})
    certificate: Certificate | None = field(default=None, repr=False, metadata={HIDDEN: True})

    def plot(self, ax: Any = None) -> Axes:
        """Draw the averages and, with several benchmarks, the scores in each of them, on ``ax`` or on new Axes."""
        from ..plot.forest import draw_forest
        from ..plot.maps import draw_suite

        about, averages = self.about, {row.model: row.average for row in self.table}
        if about.several:
            cells = {(cell.benchmark, cell.model): cell.average for cell in self.each}
            target = about.questions, about.confidence
            return draw_suite(about.models, self.scales, cells, averages, "average score", *target, ax)
        return draw_forest(averages, "average score", about.confidence, next(iter(self.scales.values())), ax)

    def document(self) -> Document:
        about = self.about
        blocks: list[Block] = [_models(self)] if self.table else []
        if about.several or not self.table:
            blocks += [_benchmarks(self)]
        rows: list[Row | Cell] = [*self.table, *self.each]
        values = [y for row in rows for y in (row.average, *row.at_k.values())]
        sources = {y.variance_source for y in values}
        doubts = [*notes.marks(sources), *_selection(self), *_left_out(self), *notes.doubts(about)]
        explanations = [*notes.meanings(about, sources, any(row.at_k for row in rows)), *_meanings(self)]
        sentences = []
        if self.certificate is not None and self.certificate.mu:
            first, second = self.table[0].model, self.table[1].model
            sentences = [certificate_sentences(self.certificate, first, second, binary=about.w is None)]
        head = heading(about, benchmarks(about) or _sizes(self.each))
        return Document(head, blocks, sentences, doubts, explanations)


def leaderboard(
    e: EvaluationData, *, k: int | Iterable[int] | None = None, questions: Target | None = None,
    runs: RunTarget = "fixed", confidence: float = 0.95, bayes: bool = False, pairs: bool = False, guard: float = 0.0,
) -> Leaderboard:  # fmt: skip
    """Rank models by their average, over all benchmarks.

    Parameters
    ----------
    e : Evaluation
    k : int or iterable of int, optional
        Numbers of trials for Pass@k (Max@k of scores). Default: those of 2, 4 and 8 for which the fewest trials of any
        question are at least 2k, so that the variance is measured.
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones. Default: "fixed", or "sampled" where every question has one trial.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1)
        Nominal coverage of the intervals; 1 - confidence is the family-wise level of the rank ranges.
    bayes : bool; add Bayes@N. Its uniform prior on every question shrinks it towards the middle of the scale.
    pairs : bool, also return the comparisons of all pairs, with their intervals
    guard : float in [0, 1], as in :func:`scorio.commands.compare`; for the rank ranges

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
    runs = checked_runs(runs)
    mean = Request(questions=target, confidence=confidence, guard=guard, runs=runs)
    at_ks = [replace(mean, metric="pass_at_k", k=x) for x in ks]
    cells, by_model = list[Cell](), dict[str, list[Cell]]()
    for part in e.benchmarks.values():
        for model in part.logs:
            log = part.answered(model)
            n = log.counts.trials
            cells.append(Cell(
                part.name, part.metric, model, log.counts.M, int(n.min()), int(n.max()), part.logs[model].missing,
                value(part, model, mean), {_at_k_name(part, x): value(part, model, x) for x in at_ks},
                cost.per_solved(part, model, target, confidence),
            ))  # fmt: skip
            by_model.setdefault(model, []).append(cells[-1])
    complete = [m for m in e.models if in_every_benchmark(e, m)] if e.comparable else []
    averages = {m: _over_benchmarks(e, m, mean, by_model[m]) for m in complete}
    ranks = ranks_by_value({m: x.mu for m, x in averages.items()})
    compared, ranges = _comparisons(e, complete, mean, pairs)
    bias, shrunken = (
        selected(e, {m: averages[m].mu for m in ranks}, mean, compared)
        if len(ranks) >= FEWEST
        else (None, dict[str, float]())
    )
    table = list[Row]()
    for m, rank in ranks.items():
        # any benchmark would do: on one scale all have one name for Pass@k, and Bayes@N is for a single benchmark
        first = e.on_one_scale().benchmark(next(iter(e.benchmarks)))
        own, (best, worst) = by_model[m], ranges.get(m) or (None, None)
        table.append(Row(
            rank, m, sum(x.n_questions for x in own), min(x.trials_min for x in own), max(x.trials_max for x in own),
            sum(x.missing for x in own), averages[m], best, worst,
            {_at_k_name(first, x): _over_benchmarks(e, m, x, own) for x in at_ks},
            eval.bayes(first.answered(m).counts, first.w) if with_bayes else None,
            own[0].cost_per_solved if len(e.benchmarks) == 1 else None, shrunken.get(m),
        ))  # fmt: skip
    incomplete = tuple(m for m in e.models if m not in averages) if e.comparable else ()
    about = about_of(e, target, confidence, bounds=True, runs=runs)
    return Leaderboard(about=about, table=tuple(table), each=tuple(cells), incomplete=incomplete, scales=e.scales,
                       cost_unit=cost.unit_of(e), selection_bias=bias or None, pairs=compared,
                       certificate=certificate_of_leaders(e, list(ranks)) if e.bounds else None)  # fmt: skip


def default_ks(e: EvaluationData) -> list[int]:
    """Default values of k for Pass@k: those of 2, 4 and 8 for which every question with a trial has at least 2k."""
    logs = [log for part in e.benchmarks.values() for log in part.logs.values()]
    min_trials = min((int(n[n > 0].min()) for n in (log.counts.trials for log in logs) if n.any()), default=0)
    return [k for k in (2, 4, 8) if 2 * k <= min_trials]


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
        pairs = compare_pairs(data, request) if with_pairs else None
        return pairs, pairs.ranges if pairs else rank_ranges_by_benchmark(data, request, each=False)[None]
    except InvalidInput as error:
        if error.argument in ("models", "benchmarks"):
            return None, {}
        raise


def _sizes(cells: tuple[Cell, ...]) -> str:
    """Numbers of questions and trials in words, if they are the same for all cells; else empty."""
    first = cells[0]
    if len({(y.n_questions, y.trials_min, y.trials_max) for y in cells}) > 1:
        return ""
    trials = f"{span(first.trials_min, first.trials_max)} {'trial' if first.trials_max == 1 else 'trials'}"
    return f"{number(first.n_questions, 'question')}, {trials} per question"


def _models(x: Leaderboard) -> Table:
    """Table with a row for each model: its average, ranks, Pass@k, Bayes@N and cost."""
    about, rows, form = x.about, x.table, score_format(x.about.w)
    several = about.several
    aliases = [name.capitalize() for name in rows[0].at_k if name.endswith("@1")]  # Pass@1 and Max@1 are the average
    heading = " = ".join([MACRO if several else "average", *aliases])
    first = [notes.interval_column(about, heading, [row.average for row in rows])]
    if not several and not _sizes(x.each):
        first = [Column("questions", [f"{row.n_questions:,}" for row in rows]),
                 Column("trials", [span(row.trials_min, row.trials_max) for row in rows]), *first]  # fmt: skip
    if any(row.best is not None for row in rows):
        first.append(Column("ranks", [span(row.best, row.worst, "-") for row in rows]))
    at_k = [[notes.interval_column(about, name.capitalize(), [row.at_k[name] for row in rows])]
            for name in rows[0].at_k if not name.endswith("@1")]  # fmt: skip
    bayes = [row.bayes for row in rows if row.bayes is not None]
    extra = [[number_column("Bayes\nmu", [y.mu for y in bayes], form),
             number_column("Bayes\nsigma", [y.sigma for y in bayes], form)]] if bayes else []  # fmt: skip
    if any(row.cost_per_solved for row in rows):
        numbers = [row.cost_per_solved and [f"{y:,.0f}" if y >= 999.5 else f"{y:.3g}" for y in row.cost_per_solved[:3]]
                   for row in x.table]  # fmt: skip
        cells = ["" if y is None else f"{y[0]} [{y[1]}, {y[2]}]" for y in numbers]
        level = f"{interval(x.about.confidence)} ({x.about.questions})"
        extra.append([Column(f"{printable(x.cost_unit)} per solved\n{level}", cells, "left")])
    lead = [Column("#", [str(row.rank) for row in rows]),
            names_column("model", [row.model for row in rows])]  # fmt: skip
    return Table(lead, [first, *at_k, *extra], "Models", drawn_intervals([row.average for row in rows], form))


def _benchmarks(x: Leaderboard) -> Table:
    """Table with a row for each benchmark and a column for each model."""
    about, names = x.about, x.about.benchmarks
    cells = {(cell.benchmark, cell.model): cell for cell in x.each}
    metrics = {cell.benchmark: cell.metric for cell in x.each}
    in_benchmark = [[cell for cell in x.each if cell.benchmark == name] for name in names]
    models = [row.model for row in x.table] + [m for m in about.models if m not in {row.model for row in x.table}]
    form = score_format([end for ends in x.scales.values() for end in ends])
    questions = [span(min(c.n_questions for c in y), max(c.n_questions for c in y)) for y in in_benchmark]
    trials = [span(min(c.trials_min for c in y), max(c.trials_max for c in y)) for y in in_benchmark]
    lead = [names_column("benchmark", [name or "(no name)" for name in names])]
    first = [Column("metric", [metrics[name] for name in names], "left"), Column("questions", questions),
             Column("trials", trials)]  # fmt: skip
    columns = []
    for model in models:
        values = [cells[name, model].average if (name, model) in cells else None for name in names]
        columns.append([notes.interval_column(about, printable(model), values, form)])
    return Table(lead, [first, *columns], "Benchmarks")


def _selection(x: Leaderboard) -> list[str]:
    """Note that the first of five or more averages is selected."""
    if x.selection_bias is None:
        return []
    form = score_format(x.about.w)
    return [
        f"The first score is the highest of {len(x.table)}: if these models were equally good, it would be too high by "
        f"about {score(x.selection_bias, form)}. Shrunken to their mean (James-Stein) it is "
        f"{score(x.table[0].shrunken or 0.0, form)}."
    ]


def _left_out(x: Leaderboard) -> list[str]:
    """Notes on why a macro-average or a cost is not shown."""
    if not x.table and len(set(x.scales.values())) > 1:
        return [f"No macro-average: the benchmarks are on different scales, {scales_in_words(x.scales)}."]
    out = [f"No macro-average of {', '.join(x.incomplete)}: no trial in some benchmark."] if x.incomplete else []
    if (costly := [row.cost_per_solved for row in x.table]) and any(costly) and not all(costly):
        names = listed([row.model for row in x.table if row.cost_per_solved is None])
        reason = f"no trial succeeded, or the log lacks the {x.cost_unit} of a trial"
        out.append(f"No {x.cost_unit} per solved of {names}: {reason}.")
    return out


def _meanings(x: Leaderboard) -> list[str]:
    out = []
    if x.about.several and x.table:
        out.append(
            f"The {MACRO} is the plain mean over {number(len(x.about.benchmarks), 'benchmark')}, each of which weighs "
            "the same whatever number of questions it has."
        )
    if any(row.cost_per_solved for row in x.table):
        out.append(
            f"{x.cost_unit} per solved: the mean {x.cost_unit} of a trial, failed ones too, divided by the success "
            "rate, both averaged over questions."
        )
    if any(row.best is not None for row in x.table):
        out.append(
            "ranks: the ranks that a model may have, from 1 + the number of models that are significantly better to "
            "the number of models that are not significantly worse, with one error rate for all pairs (Holm)."
        )
    return out


FEWEST = 5  # models of a leaderboard whose first score is reported to be selected


def selected(
    e: EvaluationData, averages: Mapping[str, float], request: Request, compared: Pairs | None
) -> tuple[float, dict[str, float]]:
    """Bias of the highest of these averages if all models were equally good, and all of them shrunken to their mean.

    averages : the averages of at least five models, the highest first
    compared : the comparisons of all pairs, where they are known

    The standard error s is that of the difference between the first two models, over the square root of 2: what all
    models have in common, such as hard questions, selects none. The bias is s times the expected largest of as many
    normal deviates (Blom's approximation). The shrunken averages are the positive-part estimates of James and Stein.
    0 and an empty mapping where these two models cannot be compared, or where missing outcomes are bounded.
    """
    if e.bounds:
        return 0.0, {}
    L, leaders = len(averages), list(averages)[:2]
    try:
        known = (compared or compare_pairs(e.select(leaders), request)).overall
    except InvalidInput:
        known = ()
    pairs = [pair for pair in known if {pair.a, pair.b} == {*leaders}]
    if not pairs:
        return 0.0, {}
    s, mean = pairs[0].sigma / sqrt(2.0), fmean(averages.values())
    spread = sum((x - mean) ** 2 for x in averages.values())
    kept = max(0.0, 1.0 - (L - 3) * s * s / spread) if spread else 0.0
    bias = s * NormalDist().inv_cdf((L - 0.375) / (L + 0.25))
    return bias, {m: mean + kept * (x - mean) for m, x in averages.items()}


EXAMPLES = """examples:
  scorio leaderboard runs.csv
  scorio leaderboard runs.jsonl --questions sampled --k 1,5,10
  scorio leaderboard graded.tsv --w 0,0.5,1 --missing drop
  scorio leaderboard runs.npz --json > board.json

"""
MEANING = """columns of the table (average and Pass@k with confidence intervals):
  average  average score over trials and questions; for several benchmarks,
           their macro-average (the plain mean) above a table of each
  ranks    the ranks that a model may have; one error rate for all pairs
  Pass@k   probability that at least one of k trials succeeds; for scores
           Max@k, the expected best score of k trials
  Bayes    with --bayes: Bayes@N, for ranking. Its uniform prior on every
           question shrinks mu towards the middle of the scale: mu does not
           estimate the average, and mu +/- 2 sigma is not an interval for it
Intervals are marked (fixed) or (sampled): (fixed) for this question set,
accounting for trial-to-trial variance; (sampled) for the population of similar
questions, accounting for question-sampling variance too. A mark says that a
variance could not be measured: ~ it is modelled, * it is an upper bound.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up(parser, EXAMPLES, options.SEE_FILES + MEANING, run)
    options.add_log(parser)
    options.add_target(parser, options.PASS_AT_K_HELP)
    options.add(parser, guard={"default": 0.0})
    parser.add_argument("--bayes", action="store_true", help="add Bayes@N")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Leaderboard:
    return leaderboard(read(args), **options.chosen(args, "k", "questions", "runs", "confidence", "bayes", "guard"))
