"""Comparison of two models in each benchmark and over all of them, on these questions and on similar ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from .. import arguments
from ..display.text import listed, number
from ..errors import InvalidInput, shown
from ..io.evaluation import Benchmark, EvaluationData
from ..outcomes.identity import first_few
from ..results import MetricInterval, Target, VarianceSource
from ..sinf.certificate import Certificate
from ..sinf.suite import SuitePair
from .certificate import certificate
from .measure import Request, check_k, checked_ks, macro, value
from .pairs import compare_pairs
from .result import Pair, Result, about_of, target_of
from .sample_size import POWER, SampleSize, sample_size

T = TypeVar("T", bound=EvaluationData)


@dataclass(frozen=True)
class Row:
    """A metric of both models, and their difference.

    Attributes
    ----------
    benchmark : str or None
        None: over all benchmarks.
    metric : str
        "mean", "pass@k", ...
    k : int or None
        Number of trials of the metric; None for the average.
    shared_questions : int
        Questions that both answered.
    a, b : MetricInterval
        The metric of each model on the shared questions.
    difference, sigma, lo, hi : float
        The metric of a minus that of b, its standard error and its interval. With several benchmarks, the intervals
        of the benchmarks cover their differences at once; the interval over all benchmarks is that of one comparison.
    p_value, p_adjusted : float
        Two-sided p-value, unadjusted and adjusted for the number of benchmarks (Holm). The two are equal in the row
        over all benchmarks, which is one comparison.
    df, p_above : float
        Degrees of freedom; P(a > b) under a flat prior.
    significant : bool
        Whether p_adjusted is at most 1 - confidence.
    variance_source : str
        How the variance was obtained, as in :class:`scorio.results.MetricInterval`.
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


@dataclass(frozen=True)
class Verdict:
    """Verdict on which of two models has the higher average, for one target.

    Attributes
    ----------
    questions : {"fixed", "sampled"}
        On these questions, or on similar ones.
    difference, lo, hi : float
        The difference of the averages over all benchmarks, and its interval.
    p_value : float
    significant : bool
    better : str or None
        The model whose average is significantly higher.
    sample_size : SampleSize or None
        Sample size that would detect a difference of this size; None where the difference is significant or missing
        outcomes are bounded.
    depends : bool or None
        Where missing outcomes are bounded: whether the difference is significant without them, or with all of them in
        favour of one of the models, but not for all their values.
    """

    questions: Target
    difference: float
    lo: float
    hi: float
    p_value: float
    significant: bool
    better: str | None
    sample_size: SampleSize | None
    depends: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """Comparison of two models.

    Attributes
    ----------
    shared_questions : int
        Questions that both answered, in all benchmarks.
    a, b : str
        Names of the models.
    table : tuple of Row
        The average, then Pass@k for each k: over all benchmarks, then in each if there are several. There is no row
        over all subgroups, or over benchmarks on different scales.
    verdicts : tuple of Verdict
        On these questions, then on similar ones, where both targets are possible. Empty where scales differ, or where
        subgroups are compared.
    by : str or None
        The column that names the subgroups, which take the place of benchmarks.
    left_out : tuple of str
        Benchmarks or subgroups in which the models share too few questions, or none.
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


def compare(
    e: EvaluationData,
    a: str | None = None,
    b: str | None = None,
    *,
    k: int | Iterable[int] | None = None,
    questions: Target | None = None,
    confidence: float = 0.95,
    power: float = POWER,
    by: str | None = None,
    shared: bool = False,
) -> Comparison:
    """Compare two models, question by question, on the questions that both answered.

    Parameters
    ----------
    e : Evaluation
    a, b : str, optional
        The models; may be left out where there are only two.
    k : int or iterable of int, optional
        Also compare Pass@k (Max@k of scores).
    questions : {"fixed", "sampled"}, optional
        Target of the table. Default: "fixed", or "sampled" where every question has one trial. There is a verdict for
        each of the two targets, where the data allow both.
    confidence : float in (0, 1)
        1 - confidence is the two-sided level of the verdicts, and the family-wise level over the benchmarks.
    power : float in [1/2, 1)
        Power with which the stated sample size would detect the observed difference.
    by : str, optional
        Name of the column of subgroups of questions, if e was read with the subgroups as its benchmarks:
        ``columns={"task": by}``. The table then has no row over all subgroups, and there is no verdict.
    shared : bool
        Compare the questions that both models answered although one of them answered others too, which is refused
        otherwise.

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
    mean = Request(questions=target, confidence=confidence)
    table = [row for x in _requests(mean, checked_ks(k)) for row in _rows(common, x, overall=by is None)]
    # one trial per question does not show the trial-to-trial variance, on which a verdict on these questions rests
    targets: list[Target] = [target] if target_of(common, None) == "sampled" else ["fixed", "sampled"]
    power = arguments.power(power)
    verdicts = [_verdict(common, x, confidence, power) for x in targets] if by is None and common.comparable else []
    about = about_of(common, target, confidence, bounds=True, pair=pair)
    return Comparison(
        about=about, shared_questions=sum(map(_n_questions, common.benchmarks.values())), a=first, b=second,
        table=tuple(table),
        verdicts=tuple(x for x in verdicts if x is not None), by=by, left_out=tuple(excluded),
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
    return e.check_model(names[0]), e.check_model(names[1])


def restrict_to_shared(e: T, a: str, b: str, target: str) -> tuple[T, list[str]]:
    """Restrict an evaluation to the questions that both models answered; also return the benchmarks with too few.

    Two shared questions are needed. One is enough in a single benchmark, or for "fixed" if both models have two trials
    of it.
    """
    benchmarks, excluded = {}, []
    for name, part in e.benchmarks.items():
        common = _restricted_benchmark(part, a, b)
        one_suffices = common is not None and target == "fixed" and _most_trials(common) > 1
        min_shared = 1 if len(e.benchmarks) == 1 or one_suffices else 2
        if common is not None and min_shared <= _n_questions(common):
            benchmarks[name] = common
        else:
            excluded.append(name)
    if not benchmarks:
        names = [shown(name) for name in e.benchmarks if name]
        of_benchmark = f" of benchmark {names[0]}" if names else ""
        questions = f"no question{of_benchmark}" if len(e.benchmarks) == 1 else "too few questions of every benchmark"
        raise InvalidInput("empty", "logs", f"models {shown(a)} and {shown(b)} share {questions}", "shared")
    return replace(e, benchmarks=benchmarks), excluded


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


def _restricted_benchmark(part: Benchmark, a: str, b: str) -> Benchmark | None:
    if a not in part.logs or b not in part.logs:
        return None
    try:
        return part.shared([a, b])
    except InvalidInput as error:
        if error.code != "empty":
            raise
        return None


def _most_trials(part: Benchmark) -> int:
    """Largest number of trials of a question, of the model for which this number is smallest."""
    return min(int(log.counts.trials.max()) for log in part.logs.values())


def _requests(mean: Request, ks: list[int] | None) -> list[Request]:
    return [mean, *(Request("pass_at_k", k, None, mean.questions, mean.confidence) for k in ks or ())]


def _rows(e: EvaluationData, request: Request, overall: bool) -> list[Row]:
    """Rows: the difference over all benchmarks, where it is defined, then in each benchmark if there are several."""
    for part in e.benchmarks.values():
        for model, log in part.logs.items():
            check_k(part, model, log, request)
    pairs, (a, b) = compare_pairs(e, request), e.models
    rows = []
    if pairs.overall and overall:
        values = [macro(e, m, request) for m in (a, b)]
        rows.append(_row(None, request, sum(map(_n_questions, e.benchmarks.values())), values, pairs.overall[0], e))
    if len(e.benchmarks) > 1 or not rows:
        for pair in pairs.each:
            part = e.benchmarks[pair.benchmark]
            values = [value(part, m, request) for m in (a, b)]
            rows.append(_row(pair.benchmark, request, _n_questions(part), values, pair, e))
    return rows


def _n_questions(part: Benchmark) -> int:
    return next(iter(part.logs.values())).counts.M


def _row(
    name: str | None, request: Request, M: int, values: Sequence[MetricInterval], pair: SuitePair, e: EvaluationData
) -> Row:
    part = next(iter(e.benchmarks.values())) if name is None else e.benchmarks[name]
    return Row(
        name, request.name_in(part), request.k, M, values[0], values[1], pair.mu, pair.sigma, pair.lo, pair.hi,
        pair.p_value, pair.p_adjusted, pair.df, pair.p_above, pair.significant, pair.variance_source,
    )  # fmt: skip


def _verdict(e: EvaluationData, target: Target, confidence: float, power: float) -> Verdict | None:
    """Verdict about the averages over all benchmarks; None for similar questions with one question, or one cluster."""
    a, b = e.models
    request = Request(questions=target, confidence=confidence)
    try:
        (pair,) = compare_pairs(e, request).overall
    except InvalidInput as error:
        if target == "sampled" and error.code == "shape":  # a single question, or cluster, shows no variance
            return None
        raise
    better = None if not pair.significant else a if pair.mu > 0.0 else b
    bound = pair.variance_source == "upper bound"
    if e.bounds:
        scenarios = [compare_pairs(e.filled(favoured), request).overall[0] for favoured in (None, (a,), (b,))]
        depends = not pair.significant and any(scenario.significant for scenario in scenarios)
        return Verdict(target, pair.mu, pair.lo, pair.hi, pair.p_value, pair.significant, better, None, depends)
    size = None if pair.significant else sample_size(e, a, b, request, pair.mu, pair.sigma, power, bound)
    return Verdict(target, pair.mu, pair.lo, pair.hi, pair.p_value, pair.significant, better, size)
