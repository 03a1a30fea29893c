"""Frames of any engine (pandas, polars, Arrow, DuckDB, PySpark, Dask), which narwhals wraps.

The engine selects the columns that are read; their cells are fetched and coded, and counted as those of files are.
Not all engines keep the order of rows: models, tasks, questions and trials are sorted, as numbers where all of them
are whole numbers, else as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import assembly, backends, summary, table, values, wide
from .accumulator import TrialAccumulator
from .columns import IDS, Column, Keys, RowError, Rows, grouped_rows, rows_of
from .counting import CountedTask, count
from .evaluation import EvaluationData
from .options import ReadOptions, mapping_of
from .text_files import SourceLocation, joined

MAX_ROWS = 10**6  # number of rows up to which a frame is fetched for costs that were not requested
MODEL = "model"  # the name of the only model, where the frame names none


def of_native(frame: Any, options: ReadOptions, columns: Any = None, name: str = "frame") -> EvaluationData:
    """The evaluation in a data frame of any engine; error messages begin with its name."""
    location = SourceLocation(Path(name))
    try:
        wrapped = backends.wrap(frame)
        if options.wide:
            return _wide(wrapped, location, options, columns)
        return evaluation(backends.with_joined_ids(wrapped, columns), location, options, columns)
    except InvalidInput as e:
        argument = "frame" if e.argument == "path" else e.argument
        if e.hint == "columns:question=COLUMN,outcome=COLUMN":  # table.columns knows no column: perhaps a wide frame
            e.hint = "wide"
        if e.hint == "columns:question=COLUMN":  # a wide frame: its index may have the questions
            e.hint = "ids"
        raise e.of(str(location), argument) from None
    except UnicodeEncodeError as e:  # raised for pandas: other engines cannot store such text
        what = f"{location}: {shown(e.object)} is not Unicode text: {e.reason}"
        raise InvalidInput("format", "frame", what) from None


def evaluation(
    frame: Any,
    location: SourceLocation,
    options: ReadOptions,
    columns: Any = None,
    model: str = MODEL,
    format: str = "frame",
    dataset: Any = None,
) -> EvaluationData:
    """The evaluation in a narwhals frame; model names the only model if there is no column model.

    dataset : a data set of Arrow, whose first rows are the frame.
    """
    accumulator = TrialAccumulator(location, options)
    take(accumulator, frame, columns, model, None, dataset)
    return assembly.evaluation(accumulator, format)


def take(
    accumulator: TrialAccumulator, frame: Any, columns: Any, model: str, task: str | None = None, dataset: Any = None
) -> None:
    """Count the rows of a frame, or of the data set that it is the beginning of.

    task : unless it is None, the frame is of this model and task only.
    """
    options = accumulator.options
    mapping = backends.column_names(frame, columns)
    accumulator.unit = _unit(frame, options.cost, dataset) if "c" not in mapping else ""
    header = list(map(str, frame.collect_schema().names()))
    question = mapping.get("question", "")
    if question.lower() in summary.RUN_NAMES:
        summary.refuse_averages(
            header, backends.collect(frame.lazy().head(summary.MOST_RUN_ROWS + 1)).to_pylist(), question
        )
    if columns is None:
        known = table.columns(header) | ({accumulator.unit: header.index(accumulator.unit)} if accumulator.unit else {})
        table.remark_unread(header, known, accumulator.location)
    costs = {"cost": accumulator.unit} if accumulator.unit else {}
    if options.runs_by and options.runs_by not in frame.collect_schema().names():
        names = list(map(str, frame.collect_schema().names()))
        what = f"no column {shown(options.runs_by)}; the columns are {joined(names)}{nearest(options.runs_by, names)}"
        raise InvalidInput("choice", "runs_by", what)
    runs_of_trials = options.runs_by if "trial" in mapping else None
    others = backends.unread(frame, mapping, [options.runs_by, *values.UNITS])
    runs = backends.run_columns(frame, mapping, options.runs_by)
    run, run_fields = next(iter(runs), None), () if options.runs_by else runs
    if run and "c" in mapping and "trial" not in mapping:  # counts of a run have its name as their id
        mapping = {**mapping, "trial": run}
    of_run = {f"run{i}": x for i, x in enumerate(runs)} if "c" not in mapping else {}
    sources = mapping | costs | others | of_run
    names = backends.prepared(frame, sources, runs_of_trials).collect_schema().names()
    if task is not None and {"model", "task"} & set(names):
        raise InvalidInput("conflict", "path", "a table of one model that has a column model or task: read it alone")
    if options.trials and not {"trial", "c"} & set(names) and not backends.ordered(frame):
        what = f"{frame.implementation.value} does not keep the order of rows: a column trial must number the trials"
        raise InvalidInput("conflict", "trials", what)
    parts = (
        [frame] if dataset is None else backends.parts(dataset, {*sources.values(), *filter(None, [runs_of_trials])})
    )
    rows = (backends.collect(backends.prepared(part, sources, runs_of_trials)) for part in parts)
    coded = _coded(accumulator, rows, names, model)
    if not len(coded["question"].codes):
        return
    if "outcome" in coded and any(map(values.fraction, coded["outcome"].labels)):
        _count_fractions(coded)
    _leave_out_summaries(accumulator, coded)
    stated = {name: x for name, x in mapping.items() if name != x}
    _count(accumulator, coded, model, task or "", stated, run_fields)


def _coded(accumulator: TrialAccumulator, tables: Iterable[Any], names: Iterable[str], model: str) -> dict[str, Column]:
    """The columns of Arrow tables as codes; an error names the question."""
    columns = {name: Column(name) for name in names}
    for rows in tables:
        try:
            for name, column in columns.items():
                column.add(*_labels_and_codes(rows.column(name)))
        except RowError as e:
            known = {x: rows.column(x)[e.row].as_py() for x in ("question", "model") if x in columns and x != name}
            if known.get("question") is not None:
                question, its_model = (str(known.get(x) or model).strip() for x in ("question", "model"))
                accumulator.location.entry = f"question {shown(question)} of {shown(its_model)}"
            raise e.error from None
    return columns


def _count_fractions(columns: dict[str, Column]) -> None:
    """Put columns c and n in the place of outcomes that are counts such as 3/4."""
    pairs = [values.fraction(x) for x in columns["outcome"].labels]
    if None in pairs or "trial" in columns:
        what = "outcomes such as 3/4 count trials: all of a table do, or none, and there is no column trial beside them"
        raise InvalidInput("conflict", "path", what)
    codes = columns.pop("outcome").codes
    for name, labels in zip("cn", zip(*filter(None, pairs), strict=True), strict=True):
        columns[name] = Column(name)
        columns[name].add(list(labels), codes)


def _leave_out_summaries(accumulator: TrialAccumulator, columns: Mapping[str, Column]) -> None:
    """Remove the rows of questions that sum up others."""
    if not any(map(summary.is_named, columns["question"].labels)):
        return
    options = accumulator.options
    cells = {x: column.cells() for x, column in columns.items() if x in ("model", "task", "question", "outcome", *"cn")}
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    sums: dict[Any, tuple[float, int, int]] = {}  # by model and task: successes or scores, trials, rows
    for row in rows:
        if not summary.is_named(row["question"]):
            x = summary.number_in(row["outcome"], options) if "outcome" in row else values.count(row["c"], "c")
            n = values.count(row["n"], "n") if "n" in row else 1
            if x is not None and n is not None and x == x:
                total, trials, number = sums.get(key := (row.get("model"), row.get("task")), (0.0, 0, 0))
                sums[key] = total + float(x), trials + n, number + 1
    verdicts = []
    for row in rows:
        if summary.is_named(row["question"]):
            total, trials, number = sums.get((row.get("model"), row.get("task")), (0.0, 0, 0))
            verdicts.append((
                (row.get("task"), row["question"]),
                summary.adds_up((row["c"], row["n"]), (total, trials), number)
                if "c" in row
                else summary.verdict(row["outcome"], total, trials, options),
            ))  # fmt: skip
    left_out = summary.left_out(verdicts)
    for _, name in left_out:
        accumulator.location.remarks[summary.remark(name)] = 1
    keep = np.array([(row.get("task"), row["question"]) not in left_out for row in rows])
    for column in columns.values():
        column.take(keep)


def _wide(frame: Any, location: SourceLocation, options: ReadOptions, columns: Any) -> EvaluationData:
    """The evaluation in a wide frame."""
    accumulator = TrialAccumulator(location, options)
    rows = backends.collect(frame.lazy()).to_pylist()
    names = None if columns is None else mapping_of(columns, True)
    accumulator.take(wide.records(rows, location, options, names))
    return assembly.evaluation(accumulator, "frame")


def _unit(frame: Any, requested: str | None, dataset: Any) -> str:
    """The column of costs: the requested one, else a usual one unless the frame is large; "" where there is none."""
    names = list(map(str, frame.collect_schema().names()))
    if requested and requested not in names:
        what = f"no column {shown(requested)}; the columns are {joined(names)}{nearest(requested, names)}"
        raise InvalidInput("choice", "cost", what)
    usual = next((name for name in values.UNITS if name in names), "")
    if requested or not usual:
        return requested or ""
    return usual if (backends.size(frame) if dataset is None else dataset.count_rows()) <= MAX_ROWS else ""


def _costs(column: Column, unit: str, strict: bool) -> Any:
    """The cost of each row; an invalid cost is an error if strict, otherwise missing."""
    numbers = []
    for x in column.labels:
        try:
            numbers.append(values.cost(x, unit))
        except InvalidInput:
            if strict:
                raise
            numbers.append(nan)
    return np.array(numbers)[column.codes]


def _count(
    accumulator: TrialAccumulator, columns: dict[str, Column], model: str, task: str, stated: Mapping[str, str],
    run_fields: tuple[str, ...],
) -> None:  # fmt: skip
    """Count rows in the order of their ids; errors name the question.

    Sorting the rows takes longer than counting them: it is done only where the order of trials or costs matters, and
    for an error, which is about the first row that has it.
    """
    for name in columns.keys() & IDS:
        columns[name].sort()
    is_sorted = accumulator.options.trials or "cost" in columns
    if is_sorted:
        _sort(columns)
    try:
        counted, remark, has_counts = _counted_rows(accumulator, columns, model, task, stated, run_fields)
    except InvalidInput:
        if is_sorted:
            raise
        _sort(columns)
        counted, remark, has_counts = _counted_rows(accumulator, columns, model, task, stated, run_fields)
    if remark:
        accumulator.location.remarks[remark] = 1
    accumulator.take_counts(counted, has_counts)
    if "task" in columns:
        accumulator.unwanted_tasks |= dict.fromkeys(columns["task"].labels)


def _sort(columns: Mapping[str, Column]) -> None:
    """Sort rows by model, task, question and trial."""
    order = np.lexsort([columns[name].codes for name in IDS[3::-1] if name in columns])  # the first key is the last
    for column in columns.values():
        column.take(order)


def _counted_rows(
    accumulator: TrialAccumulator, columns: dict[str, Column], model: str, task: str, stated: Mapping[str, str],
    run_fields: tuple[str, ...],
) -> tuple[list[CountedTask], str, bool]:  # fmt: skip
    """The counts of rows in any order, the remark on runs, and whether the rows state c and n."""
    try:
        rows = rows_of(columns, model, accumulator.options, accumulator.outcome_code, task)
        rows = rows._replace(stated=stated, by_code=True)
        if "cost" in columns:
            rows = rows._replace(costs=_costs(columns["cost"], accumulator.unit, accumulator.options.cost is not None))
    except RowError as e:
        question, its_model = (columns[x].cells([e.row])[0] if x in columns else model for x in ("question", "model"))
        accumulator.location.entry = f"question {shown(question)} of {shown(its_model)}"
        raise e.error from None
    try:
        rows = _with_runs_of(rows, columns)._replace(run_fields=run_fields)
        counted, _, remark = count(rows, accumulator.options.trials)
    except RowError as e:
        if e.error.code != "duplicate":
            raise e.error from None
        what = e.error.reason.removesuffix(": already in")
        raise InvalidInput("duplicate", "path", what, e.error.hint) from None
    return counted, remark, rows.has_counts


def _with_runs_of(rows: Rows, columns: Mapping[str, Column]) -> Rows:
    """The rows with the values of the columns run0, run1, ... as labels of runs."""
    runs = [x for name, x in columns.items() if name.startswith("run")]
    if not runs:
        return rows
    first, run = grouped_rows(Keys(*((x.codes, len(x.labels)) for x in runs)))
    texts = [["" if x is None else str(x).strip() for x in column.labels] for column in runs]
    parts = [tuple(text[x.codes[i]] for text, x in zip(texts, runs, strict=True)) for i in first.tolist()]
    are_numbers = all(values.is_number(y) for x in parts for y in x)
    ordered = sorted({*parts}, key=lambda x: [*map(int, x)] if are_numbers else [*x])  # type: ignore[arg-type]
    index = {x: i for i, x in enumerate(ordered)}
    labels = [x if len(runs) > 1 else x[0] for x in index]
    return rows._replace(run=np.array([index[x] for x in parts], np.int64)[run], labels={**rows.labels, "run": labels})


def _labels_and_codes(column: Any) -> tuple[list[Any], Any]:
    """The distinct cells of a column, and for each row the index of its cell among them."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_string(column.type):
            column = column.cast(pa.large_string())  # a chunk of string holds at most 2 GB
        column = column.dictionary_encode()
    cells = column.unify_dictionaries().combine_chunks()
    labels, codes = cells.dictionary.to_pylist(), cells.indices
    if codes.null_count:
        codes, labels = codes.fill_null(len(labels)), [*labels, None]
    return labels, codes.to_numpy()
