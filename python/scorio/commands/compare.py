"""``scorio compare`` and ``Evaluation.compare``: two models, in each benchmark and over all, for both targets."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from .. import arguments
from ..analysis.measure import Request, check_k, checked_ks, checked_runs, macro, target_of, value, where_variance_shows
from ..analysis.pairs import certificate, compare_pairs
from ..analysis.sample_size import POWER, sample_size
from ..display.terms import MACRO, MARKS, alpha, interval
from ..display.text import among, listed, number, printable, score_format, short_names
from ..errors import InvalidInput, shown
from ..outcomes.identity import first_few
from ..page.columns import names_column, number_column, p_values, with_ends
from ..page.document import Column, Document, Lines, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import MetricInterval, RunTarget, Target, VarianceSource
from ..sinf.compare import Certificate
from ..sinf.suite import SuitePair
from . import notes, options
from .base import Pair, Result, about_of
from .notes import benchmarks, title
from .verdicts import NAME, Verdict, certificate_sentences, verdict

T = TypeVar("T", bound=EvaluationData)


@dataclass(frozen=True)
class Row:
    """A metric of both models, and their difference.

    Attributes
    ----------
    benchmark : str or None; None: over all benchmarks
    metric : str, "mean", "pass@k", ...
    k : int or None, number of trials of the metric; None for the average
    shared_questions : int, questions that both answered
    a, b : MetricInterval; the metric of each model on the shared questions
    difference, sigma, lo, hi : float
        The metric of a minus that of b, its standard error and its interval. With several benchmarks, the intervals
        of the benchmarks cover their differences at once; the interval over all benchmarks is that of one comparison.
    p_value, p_adjusted : float
        Two-sided p-value, unadjusted and adjusted for the number of benchmarks (Holm). The two are equal in the row
        over all benchmarks, which is one comparison.
    df, p_above : float; degrees of freedom; P(a > b) under a flat prior
    significant : bool, whether p_adjusted is at most 1 - confidence
    variance_source : str, how the variance was obtained, as in :class:`scorio.results.MetricInterval`
    """

    benchmark: str | None
    metric: str
    k: int | None
    shared_questions: int
    a: MetricInterval
    b: MetricInterval
    difference: float
    sigma: float
    lo: float
    hi: float
    p_value: float
    p_adjusted: float
    df: float
    p_above: float
    significant: bool
    variance_source: VarianceSource


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """Comparison of two models.

    Attributes
    ----------
    shared_questions : int, questions that both answered, in all benchmarks
    a, b : str; names of the models
    table : tuple of Row
        The average, then Pass@k for each k: over all benchmarks, then in each if there are several. There is no row
        over all subgroups, or over benchmarks on different scales.
    verdicts : tuple of Verdict
        On these questions, then on similar ones, where both targets are possible. Empty where scales differ, or where
        subgroups are compared.
    by : str or None, the column that names the subgroups, which take the place of benchmarks
    left_out : tuple of str, benchmarks or subgroups in which the models share too few questions, or none
    certificate : Certificate or None
        How many wrong answer keys and missing outcomes the order of the averages survives, as in
        :func:`scorio.sinf.certificate`; with several benchmarks, the order of the macro-averages. None where scales
        differ, or where subgroups are compared.
    """

    schema: ClassVar[str] = "scorio.compare/3"
    computed: ClassVar[tuple[str, ...]] = ("unshared_questions",)
    shared_questions: int
    a: str
    b: str
    table: tuple[Row, ...]
    verdicts: tuple[Verdict, ...]
    by: str | None = None
    left_out: tuple[str, ...] = ()
    certificate: Certificate | None = None

    def document(self) -> Document:
        about, several = self.about, self.about.several
        form = score_format(about.w)
        sentences = [verdict(y, self.a, self.b, about.confidence, form, macro=several) for y in self.verdicts]
        if several:
            sentences.append(_benchmark_sentence(self))
        if self.certificate is not None and self.certificate.mu:
            sentences.append(certificate_sentences(self.certificate, self.a, self.b, binary=about.w is None))
        if self.left_out:
            sentences.append(f"Left out, with too few shared questions: {listed(self.left_out)}.")
        shared = number(self.shared_questions, "shared question")
        groups = benchmarks(about, "subgroup" if self.by else "benchmark")
        lead = Lines([f"{letter}  {printable(name)}" for letter, name in zip("AB", (self.a, self.b), strict=True)])
        sources = {y.variance_source for y in self.table}
        explanations = [*_meanings(self), *notes.meanings(about, sources)]
        head = title(about, groups + (f" by {self.by}" if self.by else ""), shared)
        several_metrics = [notes.SEVERAL_METRICS] if any(y.k for y in self.table) else []
        shows_fixed = any(y.questions == "fixed" for y in self.verdicts)
        doubts = [*notes.marks(sources), *several_metrics, *notes.gaps(about, shows_fixed=shows_fixed)]
        return Document(head, [lead, _table(self, form)], sentences, doubts, explanations)


def compare(
    e: EvaluationData, a: str | None = None, b: str | None = None, *, k: int | Iterable[int] | None = None,
    questions: Target | None = None, runs: RunTarget = "fixed", confidence: float = 0.95, power: float = POWER,
    by: str | None = None, shared: bool = False, guard: float = 0.0,
) -> Comparison:  # fmt: skip
    """Compare two models, question by question, on the questions that both answered.

    Parameters
    ----------
    e : Evaluation
    a, b : str, optional; the models; may be left out where there are only two
    k : int or iterable of int, optional; also compare Pass@k (Max@k of scores)
    questions : {"fixed", "sampled"}, optional
        Target of the table. Default: "fixed", or "sampled" where every question has one trial. There is a verdict for
        each of the two targets, where the data allow both.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1)
        1 - confidence is the two-sided level of the verdicts, and the family-wise level over the benchmarks.
    power : float in [1/2, 1); power with which the stated sample size would detect the observed difference
    by : str, optional
        Name of the column of subgroups of questions, if e was read with the subgroups as its benchmarks:
        ``columns={"task": by}``. The table then has no row over all subgroups, and there is no verdict.
    shared : bool
        Compare the questions that both models answered although one of them answered others too, which is refused
        otherwise.
    guard : float in [0, 1]
        On similar questions: the largest difference of a question that was not sampled, as a share of the scale.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInput
        An argument is invalid; choice: an unknown model, or not two models; empty: no shared question; missing: one
        of them did not answer a question of the other; conflict: ``by`` although there is one benchmark only.
    """
    if by is not None and len(e.benchmarks) < 2:
        read_with = f"read the log with columns={{'task': {by!r}}}"
        raise InvalidInput("conflict", "by", f"the subgroups are the benchmarks of the log, which has one: {read_with}")
    confidence, target = arguments.confidence(confidence), target_of(e, questions)
    first, second = two_models(e, a, b)
    common, excluded = restrict_to_shared(e, first, second, target)
    pair = check_pair(e, first, second, shared)
    runs = checked_runs(runs)
    mean = Request(questions=target, confidence=confidence, guard=guard, runs=runs)
    at_ks = [replace(mean, metric="pass_at_k", k=x) for x in checked_ks(k) or ()]
    table = [row for x in (mean, *at_ks) for row in _rows(common, x, overall=by is None)]
    # one trial per question does not show the trial-to-trial variance, on which a verdict on these questions rests
    targets: list[Target] = [target] if target_of(common, None) == "sampled" else ["fixed", "sampled"]
    power = arguments.power(power)
    verdicts = list[Verdict]()
    for x in targets if by is None and common.comparable else ():
        request = replace(mean, questions=x)
        with where_variance_shows(request):
            verdicts.append(_verdict(common, x, request, power))
    about = about_of(common, target, confidence, bounds=True, pair=pair, runs=runs)
    return Comparison(
        about=about, shared_questions=sum(map(_n_questions, common.benchmarks.values())), a=first, b=second,
        table=tuple(table), verdicts=tuple(verdicts), by=by, left_out=tuple(excluded),
        certificate=certificate(e.select(benchmarks=common.benchmarks), first, second) if by is None else None,
    )  # fmt: skip


def two_models(e: EvaluationData, a: str | None, b: str | None) -> tuple[str, str]:
    """Names of the two models to compare: a and b, or the only two models of the evaluation."""
    names = [x for x in (a, b) if x is not None]
    if not names and len(e.models) == 2:
        names = list(e.models)
    if len(names) != 2:
        raise InvalidInput("choice", "models", f"name two models; the log has {listed(e.models)}")
    if names[0] == names[1]:
        raise InvalidInput("choice", "models", f"{names[0]!r} is named twice")
    first, second = map(e.check_model, names)
    tasks = {m: [name for name, part in e.benchmarks.items() if m in part.logs] for m in (first, second)}
    if not set(tasks[first]) & set(tasks[second]):
        raise different_tasks("logs", tasks)
    return first, second


def restrict_to_shared(e: T, a: str, b: str, target: str) -> tuple[T, list[str]]:
    """Restrict an evaluation to the questions that both models answered; also return the benchmarks with too few.

    Two shared questions are needed. One is enough in a single benchmark, or for "fixed" if both models have two trials
    of it.
    """
    benchmarks, excluded = {}, []
    for name, part in e.benchmarks.items():
        try:
            common = part.shared([a, b]) if a in part.logs and b in part.logs else None
        except InvalidInput as error:
            if error.code != "empty":
                raise
            common = None
        most_trials = [int(log.counts.trials.max()) for log in common.logs.values()] if common else []
        one_suffices = len(e.benchmarks) == 1 or (target == "fixed" and min(most_trials, default=0) > 1)
        if common is not None and _n_questions(common) >= (1 if one_suffices else 2):
            benchmarks[name] = common
        else:
            excluded.append(name)
    if not benchmarks:
        names = [shown(name) for name in e.benchmarks if name]
        of_benchmark = f" of benchmark {names[0]}" if names else ""
        questions = f"no question{of_benchmark}" if len(e.benchmarks) == 1 else "too few questions of every benchmark"
        raise InvalidInput("empty", "logs", f"models {shown(a)} and {shown(b)} share {questions}", "shared")
    return replace(e, benchmarks=benchmarks), excluded


def different_tasks(argument: str, tasks: Mapping[str, Iterable[str]]) -> InvalidInput:
    """The error of two logs or models whose tasks have different names; tasks: of each, by its name."""
    a, b = tasks.values()
    alone = [[x for x in own if x not in other] for own, other in ((a, b), (b, a))]
    names = [listed([x or "one without a name" for x in own or ["no further one"]]) for own in alone]
    what = f"different tasks: {'; '.join(f'{x} in {who}' for x, who in zip(names, tasks, strict=True))}"
    one_of_each = [len(x) for x in alone] == [1, 1]
    return InvalidInput("conflict", argument, what, f"rename:{alone[1][0]}={alone[0][0]}" if one_of_each else None)


def check_pair(e: EvaluationData, a: str, b: str, shared: bool) -> Pair:
    """The questions that only one of two models answered, which are refused unless ``shared`` is true."""
    alone = {a: list[str](), b: list[str]()}
    for part in e.benchmarks.values():
        if a in part.logs and b in part.logs:
            for m, other in ((a, b), (b, a)):
                known = part.tried(other)
                alone[m] += [q for q in part.tried(m) if q not in known]
    if not arguments.flag(shared, "shared"):
        for m, other in ((a, b), (b, a)):
            if alone[m]:
                n = number(len(alone[m]), "question")
                what = f"model {shown(other)} did not answer {n} that {shown(m)} answered, {first_few(alone[m])}"
                raise InvalidInput("missing", "logs", what, "unshared")
    return Pair(e.select((a, b)), {m: len(questions) for m, questions in alone.items() if questions})


def all_shared(e: T, a: str, b: str) -> T:
    """Restrict an evaluation to the questions that both models answered; a benchmark with too few is refused."""
    common, excluded = restrict_to_shared(e, a, b, "fixed")
    if excluded:
        what = f"models {shown(a)} and {shown(b)} share too few questions of benchmark {shown(excluded[0])}"
        raise InvalidInput("empty", "logs", what, "tasks")
    return common


def _rows(e: EvaluationData, request: Request, overall: bool) -> list[Row]:
    """Rows: the difference over all benchmarks, where it is defined, then in each benchmark if there are several."""
    for part in e.benchmarks.values():
        for model, log in part.logs.items():
            check_k(part, model, log, request)
    pairs, first = compare_pairs(e, request), next(iter(e.benchmarks.values()))
    rows = list[tuple[str | None, Benchmark, int, list[MetricInterval], SuitePair]]()
    if pairs.overall and overall:
        M, values = sum(map(_n_questions, e.benchmarks.values())), [macro(e, m, request) for m in e.models]
        rows.append((None, first, M, values, pairs.overall[0]))
    if len(e.benchmarks) > 1 or not rows:
        for x in pairs.each:
            part = e.benchmarks[x.benchmark]
            rows.append((x.benchmark, part, _n_questions(part), [value(part, m, request) for m in e.models], x))
    return [
        Row(name, request.name_in(part), request.k, M, values[0], values[1], x.mu, x.sigma, x.lo, x.hi, x.p_value,
            x.p_adjusted, x.df, x.p_above, x.significant, x.variance_source) for name, part, M, values, x in rows
    ]  # fmt: skip


def _n_questions(part: Benchmark) -> int:
    return next(iter(part.logs.values())).counts.M


def _verdict(e: EvaluationData, target: Target, request: Request, power: float) -> Verdict:
    """Verdict about the averages over all benchmarks."""
    a, b = e.models
    (pair,) = compare_pairs(e, request).overall
    better = None if not pair.significant else a if pair.mu > 0.0 else b
    bound = pair.variance_source == "upper bound"
    if e.bounds:
        scenarios = [compare_pairs(e.filled(favoured), request).overall[0] for favoured in (None, (a,), (b,))]
        depends = not pair.significant and any(scenario.significant for scenario in scenarios)
        ends = pair.lo, pair.hi, pair.p_value, pair.significant, better
        return Verdict(target, pair.mu, *ends, None, depends, runs=request.runs)
    is_open = not pair.significant and request.runs == "fixed"
    size = sample_size(e, a, b, request, pair.mu, pair.sigma, power, bound) if is_open else None
    guarded = None
    if pair.significant and target == "sampled" and request.guard < 1.0:
        guarded = compare_pairs(e, replace(request, guard=1.0)).overall[0].significant
    return Verdict(target, pair.mu, pair.lo, pair.hi, pair.p_value, pair.significant, better, size, None, guarded,
                   request.runs)  # fmt: skip


def _table(x: Comparison, form: str) -> Table:
    about, rows, several = x.about, x.table, x.about.several
    labels = ["average" if y.k is None else f"{'Max' if y.metric == 'max_at_k' else 'Pass'}@{y.k}" for y in rows]
    lead = metric = [Column("metric", labels, "left")]
    if several:
        names = names_column(x.by or "benchmark", [MACRO if row.benchmark is None else row.benchmark for row in rows])
        sizes = Column("questions", [f"{row.shared_questions:,}" for row in rows])
        lead = [names, *(metric if len({y.k for y in rows}) > 1 else []), sizes]
    marks = [MARKS[row.variance_source] for row in rows]
    ends = with_ends(form, [(row.difference, row.lo, row.hi) for row in rows], marks)
    label = f"{interval(about.confidence)} ({about.target})"
    if several:  # the interval of the macro-average is that of a single comparison
        label += "; benchmarks at once" if _has_macro_average(x) else ", all at once"
    models = {letter: [getattr(row, letter.lower()) for row in rows] for letter in "AB"}
    if several:
        sets = [[number_column(letter, [y.mu for y in values], form) for letter, values in models.items()]]
    else:
        sets = [[notes.interval_column(about, letter, values)] for letter, values in models.items()]
    p = Column("p\nadjusted" if several else "p", p_values(row.p_adjusted for row in rows))
    return Table(lead, [*sets, [Column(f"A - B\n{label}", ends, "left"), p]], "Comparison")


def _has_macro_average(x: Comparison) -> bool:
    """Whether the table has a row over all benchmarks."""
    return any(row.benchmark is None for row in x.table)


def _benchmark_sentence(x: Comparison) -> str:
    """Sentence that names the benchmarks, or subgroups, in which the averages differ significantly."""
    rows = [row for row in x.table if row.benchmark is not None and row.k is None]
    a_better, b_better = (
        [row.benchmark or "" for row in rows if row.significant and row.difference * sign > 0] for sign in (1.0, -1.0)
    )
    groups = number(len(rows), "subgroup" if x.by else "benchmark")
    a, b = short_names((x.a, x.b), NAME).short
    level_text = f"at {alpha(x.about.confidence)}, one error rate for all {groups}"
    parts = [f"{better} is significantly better than {other} in {listed(names)}"
             for better, other, names in ((a, b, a_better), (b, a, b_better)) if names]  # fmt: skip
    if not parts:
        return f"{a} and {b} are not significantly different in any of {groups} ({level_text})."
    return f"{'; '.join(parts)} ({level_text})."


def _meanings(x: Comparison) -> list[str]:
    several, rate = x.about.several, alpha(x.about.confidence)
    out = [
        f"p: two-sided p-value of the difference; the difference is significant where p is at most {rate}"
        + ("." if several else ", which is exactly when its interval excludes 0.")
    ]
    if any(row.difference == 0.0 for row in x.table):
        out.append(
            "A difference of 0 has an interval too, even where all outcomes are the same: it contains the differences "
            "that so few questions and trials cannot exclude."
        )
    if several:
        out.append(
            "p adjusted: for the number of " + (f"subgroups by {x.by}" if x.by else "benchmarks") + " (Holm), so that "
            f"equal models differ significantly in any of them with a nominal probability of at most {rate}. Their "
            "intervals cover the differences in all of them at once: one may contain 0 where p is below the level."
            + (" The macro-average is one comparison, with its own p and interval." if _has_macro_average(x) else "")
        )
    return out


EXAMPLES = """examples:
  scorio compare 47/50 52/60               rates from counts: help interval
  scorio compare runs.csv gpt-4 claude     two models of a log
  scorio compare runs.csv                  a log of exactly two models
  scorio compare old.csv new.csv           a log of one model each
  scorio compare runs.csv --by subject     two models in each subgroup
  scorio compare runs.csv gpt-4 claude --questions sampled --k 2,4

"""
MEANING = """The two models are compared question by question, on the questions that both
answered. Columns: the value of A and of B, the difference A - B with its
confidence interval, its two-sided p-value. With several benchmarks there is a
row for each, and one for the macro-average.

The verdicts below the table test the averages at the two-sided level 1 - P of
--confidence P: on these questions, and on similar ones. Where a difference is
not significant, they state the sample size that would detect a difference of
this size with 80% power.

With --by, and with several benchmarks, p-values are adjusted for their number
(Holm): the nominal probability that equal models are significantly different in
any of them is at most 1 - P.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run, several=False)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two models of the log, or a second log")
    parser.add_argument("--by", metavar="COLUMN",
        help="compare in each subgroup of questions, named by this column of a table, for example subject")  # fmt: skip
    options.add(parser, "shared")
    options.add_target(parser, "also compare Pass@k (Max@k of scores), for example 2,4")
    options.add(parser, guard={"default": 0.0})
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Comparison:
    e, a, b = two_models_of(args, read, _subgroups(args, read) if args.by else read(args))
    return compare(e, a, b, **options.chosen(args, "by", "k", "questions", "runs", "confidence", "shared", "guard"))


def two_models_of(
    args: Namespace, read: options.Read, e: EvaluationData
) -> tuple[EvaluationData, str | None, str | None]:
    """Evaluation and names of the models to compare: two of one log, or the models of two logs with one each.

    Both names are None if no model is named.
    """
    names = list(args.models)
    if len(names) == 1 and names[0] not in e:
        if not os.path.exists(names[0]):
            reason = f"{names[0]!r} is neither a file nor a model; the log has {among(names[0], e.models)}"
            raise InvalidInput("choice", "models", reason)
        e = join_logs(args, read, e, names[0])
        names = list(e.models)
    if names and len(names) != 2:
        raise InvalidInput("choice", "models", f"name two models, or a second log; this log has {listed(e.models)}")
    return e, *(names or (None, None))


def join_logs(args: Namespace, read: options.Read, e: EvaluationData, path: str) -> EvaluationData:
    """Join two logs of one model each; two models of the same name get the names of their files."""
    other = read(Namespace(**{**vars(args), "file": path, "files": [path]}))
    for file, x in ((args.file, e), (path, other)):
        if len(x.models) != 1:
            reason = f"{file} has {len(x.models)} models, {listed(x.models)}: give the files of one model"
            raise InvalidInput("shape", "models", f"{reason}, or name two models of one log")
    if set(e.benchmarks) != set(other.benchmarks):
        raise different_tasks("models", {args.file: e.benchmarks, path: other.benchmarks})
    if "array" in (e.provenance.format, other.provenance.format):
        sizes = [len(x.log(x.models[0]).ids) for x in (e, other)]
        if sizes[0] != sizes[1]:
            raise InvalidInput("shape", "models", f"{sizes[0]} questions in {args.file}, {sizes[1]} in {path}")
    if e.models == other.models:
        e, other = e.renamed({e.models[0]: str(args.file)}), other.renamed({other.models[0]: str(path)})
    return e + other


def _subgroups(args: Namespace, read: options.Read) -> EvaluationData:
    """Read the log with the column of --by as the task."""
    if "-" in args.files:
        raise InvalidInput("conflict", "by", "--by reads the log twice: a file is needed, not the standard input")
    # the first reading takes the column for clusters, so that the tasks remain as they are and can be counted
    if args.by != "task" and len(_read_by(args, read, "cluster").benchmarks) > 1:
        raise InvalidInput("conflict", "by", "--by is for one task, and the log has several: choose one with --task")
    e = _read_by(args, read, "task")
    if len(e.benchmarks) < 2:
        raise InvalidInput("empty", "by", f"the column {args.by!r} has fewer than two subgroups")
    return e.on_one_scale()


def _read_by(args: Namespace, read: options.Read, role: str) -> EvaluationData:
    """Read the log with the column of --by in a role, "task" or "cluster"."""
    try:
        return read(Namespace(**{**vars(args), "columns": {**(args.columns or {}), role: args.by}}))
    except InvalidInput as e:
        raise e.of(f"--by {args.by}") from None
