"""An evaluation: outcomes of models in benchmarks, and the questions that one asks of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from . import arguments
from .analysis import compare as _compare
from .analysis import converge as _converge
from .analysis import convert as _convert
from .analysis import design as _design
from .analysis import extrapolate as _extrapolate
from .analysis import gate as _gate
from .analysis import items as _items
from .analysis import judge as _judge
from .analysis import labels as _labels
from .analysis import leaderboard as _leaderboard
from .analysis import metrics as _metrics
from .analysis import plan as _plan
from .analysis import rank as _rank
from .analysis import report as _report
from .analysis import sharing as _sharing
from .io import sources
from .io.evaluation import EvaluationData


class Evaluation(EvaluationData):
    """Models by benchmarks, as :func:`scorio.read` returns them; its methods are the commands.

    Immutable. ``e.models`` and ``e.benchmarks`` name what it holds, ``e[model]`` and ``e[model, benchmark]`` are
    :class:`scorio.Counts`, ``e.select(models, benchmarks)`` is a part of it, ``e + other`` has the models and the
    benchmarks of both. Each method returns a frozen result: ``print(x)`` shows what the command prints, and it has
    ``to_dict``, ``to_markdown``, ``to_latex``, ``to_csv`` and ``to_frame``.

    Examples
    --------
    >>> import scorio
    >>> e = scorio.read("spec/examples/coins.csv")
    >>> e
    Evaluation of 4 models (large, medium, small and tiny) in 1 benchmark
    outcomes: 40 questions, 8 trials, outcome
    >>> e.models
    ('large', 'medium', 'small', 'tiny')
    """

    def leaderboard(
        self,
        *,
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        bayes: bool = False,
    ) -> _leaderboard.Leaderboard:
        """Models by their average, with Pass@k, intervals and rank ranges: :func:`analysis.leaderboard.leaderboard`."""
        return _leaderboard.leaderboard(self, k=k, questions=questions, confidence=confidence, bayes=bayes)

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        power: float = 0.8,
        by: str | None = None,
    ) -> _compare.Comparison:
        """Two models, question by question, for both targets: :func:`analysis.compare.compare`."""
        return _compare.compare(
            self, a, b, k=k, questions=questions, confidence=confidence, power=power, by=by
        )  # fmt: skip

    def report(
        self,
        path: str | Path | None = None,
        *,
        questions: str | None = None,
        confidence: float = 0.95,
        k: int | Iterable[int] | None = None,
        title: str = "",
        command: str = "",
        sources: Sequence[str] = (),
        date: str | None = None,
        replicates: int = 1000,
        seed: int = 0,
        link: str = "",
    ) -> _report.Report:
        """Several analyses on one HTML page, written to path if it is given: :func:`analysis.report.report`."""
        made = _report.report(
            self, questions=questions, confidence=confidence, k=k, title=title, command=command, sources=sources,
            date=date, replicates=replicates, seed=seed, link=link,
        )  # fmt: skip
        if path is not None:
            made.save(path)
        return made

    def metrics(
        self,
        names: str | Iterable[str] | None = None,
        *,
        k: int | Iterable[int] | None = None,
        tau: float | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        answers: bool = False,
    ) -> _metrics.Metrics:
        """Metrics of every model in every benchmark, with intervals: :func:`analysis.metrics.metrics`."""
        return _metrics.metrics(self, names, k=k, tau=tau, questions=questions, confidence=confidence, answers=answers)

    def plot(self, kind: str, **options: Any) -> Any:
        """One picture, by a function of :mod:`scorio.plot`: ``e.plot("forest", questions="sampled")``; its Axes."""
        pictures = import_module("scorio.plot")
        kinds = [name for name in pictures.__all__ if name != "schemata"]
        return getattr(pictures, arguments.choice(kind, "kind", kinds))(self, **options)

    def extrapolate(
        self,
        k: int | None = None,
        *,
        metric: str = "pass@k",
        width: float | None = None,
        confidence: float = 0.95,
    ) -> _extrapolate.Extrapolations:
        """Pass@k or Pass^k for more trials than there are: :func:`analysis.extrapolate.extrapolate`."""
        return _extrapolate.extrapolate(self, k, metric=metric, width=width, confidence=confidence)

    def converge(
        self,
        *,
        metric: str = "bayes",
        k: int | None = None,
        tau: float | None = None,
        replicates: int = 10_000,
        scheme: str = "columns",
        seed: int = 0,
    ) -> _converge.Convergence:
        """Stability of the ranking as trials are added: :func:`analysis.converge.converge`."""
        return _converge.converge(self, metric=metric, k=k, tau=tau, replicates=replicates, scheme=scheme, seed=seed)

    def items(self, *, fdr: float = 0.1, confidence: float = 0.95, most: int = 20) -> _items.Questions:
        """Dead, suspect and decisive questions, and the reliability of the ranking: :func:`analysis.items.items`."""
        return _items.items(self, fdr=fdr, confidence=confidence, most=most)

    def design(
        self,
        *,
        se: float | None = None,
        coefficient: float | None = None,
        cost_question: float = 0.0,
        cost_trial: float = 1.0,
        max_trials: int = 1000,
    ) -> _design.Designs:
        """Questions and trials that reach a target, and what they cost: :func:`analysis.design.design`."""
        return _design.design(
            self, se=se, coefficient=coefficient, cost_question=cost_question, cost_trial=cost_trial,
            max_trials=max_trials,
        )  # fmt: skip

    def sample_outputs(self, n: int, *, by_verdict: bool = False, seed: int = 0) -> _labels.OutputsToLabel:
        """n outputs of each model, sampled at random for people to label: :func:`analysis.labels.sample_outputs`."""
        return _labels.sample_outputs(self, n, by_verdict=by_verdict, seed=seed)

    def judge(
        self,
        labels: _labels.Labels,
        *,
        label_scale: Sequence[float] | None = None,
        half_width: float | None = None,
        questions: str = "fixed",
        confidence: float = 0.95,
    ) -> _judge.Judgement:
        """Mean human scores from a judge's verdicts and some human labels: :func:`analysis.judge.judge`."""
        return _judge.judge(
            self, labels, label_scale=label_scale, half_width=half_width, questions=questions, confidence=confidence
        )

    def convert(self, form: str | None = None) -> _convert.OutcomeTable:
        """All outcomes, or counts, as a table that every command reads: :func:`analysis.convert.convert`."""
        return _convert.convert(self, form)

    def every_eval_ever(
        self,
        *,
        organization: str,
        relationship: str = "third_party",
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        timestamp: str | None = None,
    ) -> dict[str, dict[str, Any]]:
        """Documents in the schema of every_eval_ever, by model: :func:`analysis.sharing.every_eval_ever`."""
        return _sharing.every_eval_ever(
            self, organization=organization, relationship=relationship, k=k, questions=questions,
            confidence=confidence, timestamp=timestamp,
        )  # fmt: skip

    def rank(
        self,
        metric: str = "mean",
        k: int | None = None,
        tau: float | None = None,
        *,
        questions: str | None = None,
        confidence: float = 0.95,
        correction: str | None = "holm",
    ) -> _rank.Ranking:
        """The range of ranks that each model may have: :func:`analysis.rank.rank`."""
        return _rank.rank(
            self, metric, k, tau, questions=questions, confidence=confidence, correction=correction
        )  # fmt: skip

    def gate(
        self,
        candidate: str | None = None,
        baseline: str | None = None,
        metric: str = "mean",
        k: int | None = None,
        tau: float | None = None,
        *,
        margin: float,
        questions: str | None = None,
        confidence: float = 0.95,
        rule: _gate.Rule = "mean",
        weights: Mapping[str, float] | None = None,
        looks: Sequence[float] | None = None,
        spending: _gate.Spending = "obrien-fleming",
        power: float = 0.8,
    ) -> _gate.Gate:
        """Whether a candidate is non-inferior to a baseline by a margin: :func:`analysis.gate.gate`."""
        return _gate.gate(
            self, candidate, baseline, metric, k, tau, margin=margin, questions=questions, confidence=confidence,
            rule=rule, weights=weights, looks=looks, spending=spending, power=power,
        )  # fmt: skip

    def plan(
        self,
        *,
        difference: float | None = None,
        margin: float | None = None,
        half_width: float | None = None,
        power: float = 0.8,
        confidence: float = 0.95,
    ) -> _plan.Plan:
        """The sample size that a difference, a gate or a narrow interval needs: :func:`analysis.plan.plan`."""
        return _plan.plan(
            self, difference=difference, margin=margin, half_width=half_width, power=power, confidence=confidence
        )  # fmt: skip


def read(
    source: Any,
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | str | None = None,
    trials: bool = False,
    task: str | Sequence[str] | None = None,
    which: str | Sequence[str] | Mapping[str, str] | None = None,
    format: str | None = None,
    runs: bool = False,
    scale: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
    layout: str | None = None,
    answers: bool = False,
) -> Evaluation:
    r"""Read the outcomes of one or more models: files, folders, a stream, a data frame, or what is in memory.

    Parameters
    ----------
    source : path, pattern, binary stream, data frame, array or mapping, or a list of paths
        A file, whose ending and content say the format; ``.gz`` and ``.zst`` are unpacked. Of a folder, every file
        below it in sorted order; a file that is no log is passed by and listed in ``provenance.skipped``, but one that
        is broken is an error. A pattern such as ``runs/*.jsonl``, and a list, are read as one folder. ``-`` is the
        standard input; of a stream, what is in it says how it is read. Parquet may also be a folder or a pattern
        (``runs/*.parquet``) of files with a column model, which folders such as ``model=a`` give too. URLs
        (``s3://bucket/runs``) need fsspec. A data frame is read as :func:`scorio.io.from_frame` says.

        A mapping of models to their outcomes, or of benchmarks to such mappings, where outcomes are an array
        (M questions, N trials), :class:`Counts`, :class:`Answers`, or a data frame: a row a trial, with the columns
        question and outcome, or a row a question, whose index is the ids if it is not the default one. An array
        (L, M, N) is L models, (M, N) is one.
    missing : {"raise", "drop"} or int, default "raise"
        What to do with missing outcomes, and with questions of fewer trials than others of their model: refuse them;
        leave missing outcomes out of the trials; or count what is missing as this category, short questions filled
        up to the longest. c and n are taken as they stand.
    missing_code : int, optional
        An outcome, such as -1, that the file uses for "missing", also if it is a category.
    weights : sequence of C+1 floats, or "levels", optional
        Score of each category. Given, outcomes are 0..C, of which logs of tools have no more than 0 and 1; "levels":
        outcomes are scores themselves, such as 0.5 for partial credit, -1, or 7 of 10, and each distinct one is a
        category (``missing`` as a number is then a score too); where all are within 0 and 1, these are the ends of the
        scale, else the lowest and the highest that were seen, unless ``scale`` says them. Otherwise outcomes are 0
        and 1.
    trials : bool, default False
        Keep the trials in their order too, which convergence needs.
    task : str or sequence of str, optional
        Only these tasks (benchmarks), by name or pattern: ``"mmlu_*"``.
    which : str, sequence of str, or mapping of tasks to str, optional
        Which outcome, where a task has several: the metric of lm-evaluation-harness ("exact_match", "strict-match"
        or "exact_match,strict-match"), the scorer of inspect_ai ("match", or "scorer/part"), "base" or "plus" of
        evalplus, "tests" of terminal-bench for the share of tests passed, "score" of verl, "infra-missing" of
        SWE-bench (what the infrastructure broke is missing), the metric of lighteval ("avg@n:n=16"). "TASK=METRIC" is
        for one task; METRIC is for every task that has it, and of no account where a task has only one. Never chosen
        silently: the error lists them.
    format : str, optional
        The name of the format, where it is not to be recognised.
    runs : bool, default False
        The files of a folder are runs of one model, named by itself or else by the folder: each is one more trial, or
        adds further ones. Without it, only files of tools that state no trial are, where folder, model and task are
        the same.
    scale : (float, float), optional
        The lowest and the highest score that there may be, such as (1, 10): intervals take them for the ends. Outcomes
        are then scores, as with ``weights="levels"``.
    columns : mapping of str to str, optional
        What scorio's columns are called in a table: ``{"question": "example_id", "outcome": "feedback.correct"}``, with
        dots into JSON. Other columns are then ignored.
    layout : str, optional
        What the paths below a folder say: ``"{model}/{run}/results.json"``, of {model}, {task}, {run}, {question},
        {trial}, and {_} or * for any part. Other files are passed by.
    answers : bool, default False
        Keep the answer of each trial too, as :class:`scorio.Answers` in ``answers`` of each log: filtered_resps of
        lm-evaluation-harness, the answer of the scorer of inspect_ai, predicted_answer of NeMo-Skills, pred of verl.
        Any other log is an error, as is an answer to one question that is a success in one trial and a failure in
        another. Null, nothing and "[invalid]" are no answer.

    Returns
    -------
    Evaluation
        The outcomes of every model in every benchmark; ``provenance`` says what was read and what was passed by.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, shape, duplicate,
        conflict, choice; the message starts with the file and the line, or the place in it.
    OSError
        A file cannot be opened.
    ImportError
        Parquet needs narwhals and pyarrow: ``pip install narwhals pyarrow``; URLs need fsspec.

    Examples
    --------
    >>> import scorio
    >>> e = scorio.read({"a": [[1, 0, 1], [1, 1, 1]], "b": [[0, 0, 1], [1, 0, 0]]})
    >>> e["a"]
    Counts(2 questions, 3 trials, categories 0..1, ids '0', '1')
    """
    given: dict[str, Any] = {"weights": weights, "missing": missing, "missing_code": missing_code, "trials": trials}
    more: dict[str, Any] = {
        "task": task,
        "which": which,
        "format": format,
        "runs": runs,
        "scale": scale,
        "layout": layout,
        "answers": answers,
    }
    e = sources.read(source, columns, **given, **more)
    return Evaluation(e.benchmarks, e.provenance)


def from_frame(
    frame: Any,
    *,
    missing: str | int = "raise",
    missing_code: int | None = None,
    weights: Sequence[float] | str | None = None,
    trials: bool = False,
    task: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> EvaluationData:
    """Read the outcomes of one or more models from a data frame, eager or lazy, of any size.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars, Arrow (a table), DuckDB (a relation), PySpark, Dask, a ``Dataset`` of the library datasets,
        or of another engine that narwhals knows,
        with the columns of :mod:`scorio.io`: question and outcome, or question, c and n, and perhaps model (without
        it there is one, called "model"), task, trial and cluster. Other columns are ignored. Ids are columns of
        integers or text; outcomes are of booleans, numbers, or text that says one; null and NaN are missing.
    missing, missing_code, weights
        As for :func:`scorio.read`.
    trials : bool, default False
        Keep the trials too. All rows are collected for it, at some 300 bytes a row; where an engine promises no order
        of rows (DuckDB, PySpark, Dask) a column trial must give it.
    task, scale
        As for :func:`scorio.read`.
    columns : mapping of str to str, optional
        What a column is called in the frame: ``{"question": "doc_id"}``; None for one that is to be ignored.

    Returns
    -------
    Evaluation
        Models and questions are sorted, as numbers where all are whole numbers.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, duplicate, conflict,
        choice; the message names the question, for rows of a frame have no number.
    ImportError
        narwhals or pyarrow is not installed: ``pip install narwhals pyarrow``.

    Examples
    --------
    >>> import polars as pl
    >>> from scorio import io
    >>> frame = pl.DataFrame({"doc_id": [1, 1, 2, 2], "acc": [True, False, True, True]})
    >>> io.from_frame(frame, columns={"question": "doc_id", "outcome": "acc"})["model"]
    Counts(2 questions, 2 trials, categories 0..1, ids '1', '2')
    """
    given: dict[str, Any] = {"weights": weights, "missing": missing, "missing_code": missing_code, "trials": trials}
    e = sources.read(frame, columns, framed=True, scale=scale, task=task, **given)
    return Evaluation(e.benchmarks, e.provenance)
