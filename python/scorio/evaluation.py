"""Evaluations: outcomes of models in benchmarks, with the analyses as their methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import arguments
from .analysis import cost as _cost
from .commands import agreement as _agreement
from .commands import changes as _changes
from .commands import compare as _compare
from .commands import converge as _converge
from .commands import convert as _convert
from .commands import design as _design
from .commands import each as _each
from .commands import evaluate as _metrics
from .commands import extrapolate as _extrapolate
from .commands import gate as _gate
from .commands import gate_ledger as _gate_ledger
from .commands import items as _items
from .commands import judge as _judge
from .commands import labels as _labels
from .commands import leaderboard as _leaderboard
from .commands import plan as _plan
from .commands import plan_runs as _plan_runs
from .commands import plot as _plot
from .commands import rank as _rank
from .commands import receipt as _receipt
from .commands import report as _report
from .commands import runs as _runs
from .display.text import nearest
from .readers import sources
from .readers.evaluation import EvaluationData


class Evaluation(EvaluationData):
    """Outcomes of models in benchmarks, as :func:`scorio.read` returns them; its methods correspond to the commands.

    An evaluation is immutable. ``e.models`` and ``e.benchmarks`` list the names, ``e[model]`` and
    ``e[model, benchmark]`` are :class:`scorio.Counts`, ``e.select(models, benchmarks)`` gives a part, ``e + other`` has
    the models and the benchmarks of both. Most methods return a frozen result: ``print(x)`` shows what the command
    prints, and the result has ``to_dict``, ``to_markdown``, ``to_latex``, ``to_csv`` and ``to_frame``. ``pareto``
    returns a tuple of points, ``receipt`` and ``every_eval_ever`` dictionaries for JSON, ``plot`` Axes of matplotlib.

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

    leaderboard = _leaderboard.leaderboard
    compare = _compare.compare
    changes = _changes.changes
    rank = _rank.rank
    gate = _gate.gate
    gate_each = _each.gate_each
    gate_build = _gate_ledger.gate_build
    plan = _plan.plan
    plan_runs = _plan_runs.plan_runs
    design = _design.design
    metrics = _metrics.metrics
    extrapolate = _extrapolate.extrapolate
    converge = _converge.converge
    items = _items.items
    runs = _runs.runs
    agreement = _agreement.agreement
    sample_outputs = _labels.sample_outputs
    judge = _judge.judge
    report = _report.report
    convert = _convert.convert
    pareto = _cost.pareto
    every_eval_ever = _convert.every_eval_ever
    receipt = _receipt.receipt

    plot = _plot.plot

    if not TYPE_CHECKING:  # type checkers know the attributes

        def __getattr__(self, name: str) -> Any:
            """Raise the error about an unknown attribute, which names a similar one."""
            known = [x for x in dir(type(self)) if not x.startswith("_")]
            hint = "" if name.startswith("_") else nearest(name, known)
            raise AttributeError(f"an Evaluation has no attribute {name!r}{hint}", name=name)


def read(
    source: Any, *, missing: str | int = "raise", missing_code: int | str | None = None,
    w: Sequence[float] | str | None = None, trials: bool = False,
    task: str | Sequence[str] | Mapping[str, str] | None = None,
    which: str | Sequence[str] | Mapping[str, str] | None = None, format: str | None = None,
    files_are_runs: bool = False, scale: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None, layout: str | None = None, answers: bool = False,
    exclude: str | Sequence[str] | None = None, wide: bool = False, cost: str | None = None, rows: str | None = None,
    runs_by: str | None = None, outcomes: Mapping[str, float | None] | None = None,
) -> Evaluation:  # fmt: skip
    r"""Read the outcomes of one or more models: files, folders, a stream, a data frame, or objects in memory.

    Parameters
    ----------
    source : path, pattern, binary stream, data frame, array or mapping, or a list of paths
        A file; its ending and content give the format; ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` are unpacked,
        ``.zip`` and ``.tar`` (also compressed) are read as the folder that they contain. Every file below a folder is
        read, in sorted order; a file that is not a log is skipped and listed in ``provenance.skipped``, but a
        broken log is an error. A pattern such as ``runs/*.jsonl``, and a list, are read as one folder. ``-`` is the
        standard input; the format of a stream is recognised by its content. Parquet may also be a folder or a pattern
        (``runs/*.parquet``) of files with a column model, or in folders that state it, such as ``model=a``. URLs
        (``s3://bucket/runs``) need fsspec. A data frame is read as by :func:`scorio.io.from_frame`.

        Or a mapping of models to their outcomes, or of benchmarks to such mappings. Outcomes are an array
        (M questions, N trials), :class:`Counts`, :class:`Answers`, or a data frame: one row per trial, with the columns
        question and outcome, or one row per question, whose index has the ids unless it is the default one. An array
        (L, M, N) is L models, (M, N) is one.
    missing : {"raise", "drop", "bounds"} or int, default "raise"
        What to do with missing outcomes, and with questions of fewer trials than others of their model: "raise"
        refuses them; "drop" leaves missing outcomes out of the trials; "bounds" bounds their effect, from all at the
        lowest score to all at the highest (``leaderboard``, ``compare``, ``rank``, ``metrics``); an integer counts
        missing outcomes as this category, and fills questions with fewer trials up to the longest. An integer and
        "bounds" also hold for the questions that a model lacks and another one has, with as many trials as the model
        has of the longest of its own. The other counts of tables with columns c and n are read unchanged.
    missing_code : int or str, optional
        An outcome, such as -1 or "error", that the file uses for "missing", even if it is also a category.
    w : sequence of C+1 floats, or "levels", optional
        Score of each category. If set, outcomes are 0..C (logs of tools have only 0 and 1); "levels":
        outcomes are scores themselves, such as 0.5 for partial credit, -1, or 7 of 10, and each distinct score is a
        category (a number as ``missing`` is then a score too). The ends of the scale are 0 and 1 if all scores are
        within them, else the lowest and the highest score that occur in any model of the benchmark, unless ``scale``
        states them. Without w outcomes are 0 and 1.
    trials : bool, default False
        Keep the trials in their order too, as ``converge``, ``sample_outputs``, ``judge`` and ``convert`` to "long"
        need them.
    task : str, sequence of str, or mapping of str to str, optional
        Only these tasks (benchmarks), by name or pattern: ``"mmlu_*"``. ``{"old": "new"}``, or "old=new", renames one
        while reading, so that two logs of a renamed benchmark compare.
    which : str, sequence of str, or mapping of tasks to str, optional
        Which outcome to read, where a task has several: the metric of lm-evaluation-harness ("exact_match",
        "strict-match" or "exact_match,strict-match"), the scorer of inspect_ai ("match", or "scorer/part"), "base" or
        "plus" of evalplus, "tests" of terminal-bench for the share of tests passed, "score" of verl, "infra-missing" of
        SWE-bench (trials that ended in an infrastructure error are missing), "SCORER:invalidated" of inspect_ai
        (invalidated samples keep their score), the metric of lighteval ("avg@n:n=16"). "TASK=METRIC" is for one task;
        METRIC is for every task that has it, and is ignored where a task has only one. A metric is never chosen
        silently: the error lists those of the task.
    format : str, optional; the name of the format; default: it is recognised
    files_are_runs : bool, default False
        The files of a folder are runs of one model, named as in the files or else as the folder: each file adds one or
        more trials. By default only files that state no trial and have the same folder, model and task are runs.
    scale : (float, float), optional
        The lowest and the highest possible score, such as (1, 10): the ends of the scale for intervals. Outcomes
        are then scores, as with ``w="levels"``.
    columns : mapping of str to str, optional
        Names of scorio's columns in a table: ``{"question": "example_id", "outcome": "feedback.correct"}``, with
        dots into JSON. Other columns are then ignored. An id of several columns is their values joined by "/":
        ``{"question": "question_id+turn"}``. See ``wide`` for wide tables.
    layout : str, optional
        Meaning of the parts of paths below a folder: ``"{model}/{run}/results.json"``, of {model}, {task}, {run},
        {question}, {trial}, and {_} or * for any part. Other files are skipped. With {question} and ``columns``, the
        object in a JSON file is one row.
    answers : bool, default False
        Keep the answer of each trial too, as :class:`scorio.Answers` in ``answers`` of each log: filtered_resps of
        lm-evaluation-harness, the answer of the scorer of inspect_ai, predicted_answer of NeMo-Skills, pred of MMLU-Pro
        and verl. Any other log is an error, as is an answer to one question that is a success in one trial and a
        failure in another. Null, an empty text and "[invalid]" count as no answer.
    exclude : str or sequence of str, optional
        Files of a folder that are left out: patterns of paths below it, of folders, or of names: ``"copy/*"``.
    wide : bool, default False
        Tables are wide: a row is a question, a column a model and a cell an outcome (or rows are models, which a column
        model names, and columns questions). Further rows of a question are further trials, as are columns such as
        a_run1 and a_run2. ``columns`` says which columns are question, task, cluster, trial (or model), or that one is
        left out, ``{"difficulty": None}``; without it they are columns named so, and the question also the only one of
        distinct texts. No model is called trial, run, seed or epoch: such columns number trials, or are not read.
        Columns of text are not read; a column of other numbers than outcomes is an error.
    cost : str, optional
        The column with the cost of each trial, or the tool's name for it: "cost", "tokens", "seconds". Default: the
        first of cost, tokens and latency that the log states; the leaderboard then has the cost of a solved task.
    rows : str, optional
        Where the rows of a document of JSON (JSONL: of each line), XML or YAML are: ``"results[*]"`` is each entry of
        the list under the key results, ``"{question}"`` each value of an object whose keys are the questions,
        ``"{model}.docs.{question}.outcomes[{trial}]"`` each entry of lists, by the names and the index on the way;
        ``"try_{trial}"`` is each key that begins so, ``{_}``, ``*`` any key, ``[0]`` one entry, ``**`` any depth and
        ``"$"`` the document itself. The keys of an object are its columns, and any other value is the outcome.
        Fields in braces are columns of their names; a field that occurs twice is its parts joined by "/", and {run}
        is (the first part of) the trial. What a row lacks, except its outcome, is looked up in the objects around it,
        the nearest first; ``$.model`` in ``columns`` is the key of the document. XML is objects of attributes (and
        ``text``) and lists of children; YAML needs PyYAML.
    runs_by : str, optional
        The field whose values are repetitions of the evaluation, such as a temperature: its rows are trials. Without
        it, rows of a question that differ by design in a field are refused as conditions. Ids of trials are of a run.
    outcomes : mapping of str to float or None, optional
        What words or labels of outcomes are worth, None where they are missing: ``{"good": 1, "bad": 0, "timeout":
        None}``. Without it words such as passed and failed, yes and no, C, P and I, ✓ and ✗ are known (error and
        skipped beside them are missing), as are 50% (a share, or of 100 on such a scale) and the decimal comma of 0,5,
        where all cells of a column are of one kind.

    Returns
    -------
    Evaluation
        The outcomes of every model in every benchmark; ``provenance`` lists what was read and what was skipped.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, shape, duplicate,
        conflict, choice; the message starts with the file and the line or entry in it.
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
    bounds = arguments.bounded(missing)
    e = sources.read(
        source, columns, w=w, missing="drop" if bounds else missing, missing_code=missing_code,
        trials=trials, task=task, which=which, format=format, files_are_runs=files_are_runs, scale=scale, layout=layout,
        answers=answers, exclude=exclude, wide=wide, cost=cost, rows=rows, runs_by=runs_by, outcomes=outcomes,
    )  # fmt: skip
    evaluation = Evaluation(e.benchmarks, e.provenance)
    return evaluation.bounded() if bounds else evaluation.completed()


def from_frame(
    frame: Any, *, missing: str | int = "raise", missing_code: int | str | None = None,
    w: Sequence[float] | str | None = None, trials: bool = False,
    task: str | Sequence[str] | Mapping[str, str] | None = None, scale: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None, cost: str | None = None, runs_by: str | None = None,
    outcomes: Mapping[str, float | None] | None = None,
) -> EvaluationData:  # fmt: skip
    """Read the outcomes of one or more models from a data frame, eager or lazy, of any size.

    Parameters
    ----------
    frame : data frame
        A frame of pandas, polars, Arrow (a table), DuckDB (a relation), PySpark, Dask, a ``Dataset`` of the library
        datasets, or of another engine of narwhals, with the columns of :mod:`scorio.io`: question and outcome,
        or question, c and n, and perhaps model (without it there is one, called "model"), task, trial and cluster.
        Other columns are listed in ``provenance.remarks``. Ids are columns of integers or text; outcomes are of
        booleans, numbers, or text for one of these; null and NaN are missing.
    missing, missing_code, w
        As for :func:`scorio.read`.
    trials : bool, default False
        Keep the trials too, which takes more memory; where an engine promises no order of rows (DuckDB, PySpark, Dask)
        a column trial must give it.
    task, scale, outcomes
        As for :func:`scorio.read`.
    columns : mapping of str to str, optional
        Names of the columns in the frame: ``{"question": "doc_id"}``; None for a column to be ignored.
    cost : str, optional
        The column with the cost of each trial; default cost, tokens or latency, in frames of up to a million rows.
    runs_by : str, optional; as for :func:`scorio.read`

    Returns
    -------
    Evaluation
        Models and questions are sorted, as numbers where all are whole numbers.

    Raises
    ------
    InvalidInput
        format, ragged, empty, type, category, fractional, missing, not_finite, range, length, duplicate, conflict,
        choice; the message names the question, since rows of a frame have no number.
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
    options: dict[str, Any] = {"w": w, "missing": missing, "missing_code": missing_code, "trials": trials}
    options |= {"cost": cost, "runs_by": runs_by, "outcomes": outcomes}
    e = sources.read(frame, columns, framed=True, scale=scale, task=task, **options)
    return Evaluation(e.benchmarks, e.provenance).completed()
