"""Frames of any engine (pandas, polars, Arrow, DuckDB, PySpark, Dask), counted by that engine through narwhals.

The engine groups the rows by all columns that are read but trial. Only the table of these groups is fetched, and
so a log may be larger than memory; if trials or costs are kept, or the log states c and n, all rows are fetched. Not
all engines keep the order of rows: models, tasks, questions and trials are sorted, as numbers where all of them are
whole numbers, else as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import assembly, averages, backends, summary, table, values, wide
from .accumulator import TrialAccumulator
from .columns import IDS, Column, RowError, Rows, rows_of
from .counting import MOST_REPEATED, CountedTask, RunCodes, count
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
) -> EvaluationData:
    """The evaluation in a narwhals frame; model names the only model if there is no column model."""
    accumulator = TrialAccumulator(location, options)
    take(accumulator, frame, columns, model)
    return assembly.evaluation(accumulator, format)


def take(accumulator: TrialAccumulator, frame: Any, columns: Any, model: str, task: str | None = None) -> None:
    """Count a frame: its engine groups the rows, unless trials, costs or runs are kept, or c and n are stated.

    task : unless it is None, the frame is of this model and task only.
    """
    options = accumulator.options
    mapping = backends.column_names(frame, columns)
    accumulator.unit = _unit(frame, options.cost) if "c" not in mapping else ""
    header = list(map(str, frame.collect_schema().names()))
    question = mapping.get("question", "")
    if question.lower() in averages.RUNS:
        averages.refuse(header, backends.collect(frame.lazy().head(averages.MOST_ROWS + 1)).to_pylist(), question)
    if columns is None:
        known = table.columns(header) | ({accumulator.unit: header.index(accumulator.unit)} if accumulator.unit else {})
        table.remark_unread(header, known, accumulator.location)
    costs = {"cost": accumulator.unit} if accumulator.unit else {}
    if options.runs_by and options.runs_by not in frame.collect_schema().names():
        names = list(map(str, frame.collect_schema().names()))
        what = f"no column {shown(options.runs_by)}; the columns are {joined(names)}{nearest(options.runs_by, names)}"
        raise InvalidInput("choice", "runs_by", what)
    if options.runs_by and "trial" in mapping:
        frame = backends.with_trials_of_runs(frame, mapping["trial"], options.runs_by)
    others = backends.unread(frame, mapping, [options.runs_by, *values.UNITS])
    runs = backends.run_columns(frame, mapping, options.runs_by)
    run, run_fields = next(iter(runs), None), () if options.runs_by else runs
    if run and "c" in mapping and "trial" not in mapping:  # counts of a run have its name as their id
        mapping = {**mapping, "trial": run}
    one_by_one = options.trials or accumulator.unit or options.runs_by or len(runs) > 1
    grouped = "outcome" in mapping and not one_by_one
    of_run = {f"run{i}": x for i, x in enumerate(runs)} if not grouped and "c" not in mapping else {}
    selected = backends.prepared(frame, mapping | costs | others | of_run)
    names = selected.collect_schema().names()
    if task is not None and {"model", "task"} & set(names):
        raise InvalidInput("conflict", "path", "a table of one model that has a column model or task: read it alone")
    if not grouped and options.trials and not {"trial", "c"} & set(names) and not backends.ordered(frame):
        what = f"{frame.implementation.value} does not keep the order of rows: a column trial must number the trials"
        raise InvalidInput("conflict", "trials", what)
    groups = backends.counted(selected) if grouped else backends.collect(selected)
    if "outcome" in names and any(map(values.fraction, groups.column("outcome").unique().to_pylist())):
        groups, grouped = _with_counts(backends.collect(selected)), False
    if len(groups):
        stated = {name: x for name, x in mapping.items() if name != x}
        margins = _margins(frame, mapping, selected, run, run_fields, groups, model, accumulator) if grouped else None
        _count(accumulator, _without_summaries(accumulator, groups), model, task or "", stated, run_fields, margins)
    if grouped and "trial" in names and (duplicate := backends.duplicate_trial(selected, groups)):
        trial = f"trial {shown(duplicate['trial'])} of question {shown(duplicate['question'])}"
        what = f"duplicate {trial} of {shown(duplicate.get('model', model))}"
        raise InvalidInput("duplicate", "path", what)


def _margins(
    frame: Any, mapping: Mapping[str, str], selected: Any, run: str | None, run_fields: tuple[str, ...], groups: Any,
    model: str, accumulator: TrialAccumulator,
) -> Any:  # fmt: skip
    """The numbers of rows by run and outcome; None where the frame has no runs, or a question has two rows of one.

    run_fields : the run, where its usual name says that it is one: the rules are those of counting.
    """
    if "trial" in mapping:
        return backends.counted_by_run(selected)
    if run is None:
        return None
    by_run = backends.prepared(frame, {**mapping, "trial": run})
    margins, kind = backends.counted_by_run(by_run), "trial"
    if run_fields and backends.follows_outcome(margins):
        margins, kind = None, ""
    elif duplicate := backends.duplicate_trial(by_run, groups):
        if run_fields and backends.share_repeated(by_run) <= MOST_REPEATED:
            what = f"{run} {shown(duplicate['trial'])} of question {shown(duplicate['question'])}"
            what = f"duplicate {what} of {shown(duplicate.get('model', model))}"
            raise InvalidInput("duplicate", "path", what, f"of_run:{run}")
        margins, kind = None, ""  # rows are counted without their runs
    if run_fields:
        accumulator.location.remarks[table.told_apart(run_fields, kind)] = 1
    return margins


def _with_counts(rows: Any) -> Any:
    """An Arrow table whose outcomes are counts such as 3/4, with columns c and n in their place."""
    cells = [values.fraction(x) for x in rows.column("outcome").to_pylist()]
    if None in cells or "trial" in rows.column_names:
        what = "outcomes such as 3/4 count trials: all of a table do, or none, and there is no column trial beside them"
        raise InvalidInput("conflict", "path", what)
    c, n = zip(*cells, strict=True)
    return rows.drop_columns(["outcome"]).append_column("c", [c]).append_column("n", [n])


def _without_summaries(accumulator: TrialAccumulator, groups: Any) -> Any:
    """The rows of an Arrow table without those of questions that sum up others."""
    if not any(summary.is_named(str(x)) for x in groups.column("question").unique().to_pylist()):
        return groups
    options, rows = accumulator.options, groups.to_pylist()
    keys = [(x.get("task"), str(x["question"])) for x in rows]
    named = [summary.is_named(question) for _, question in keys]
    sums: dict[Any, tuple[float, int, int]] = {}  # by model and task: successes or scores, trials, rows
    for row, is_named in zip(rows, named, strict=True):
        if not is_named:
            times = row.get("rows", 1)
            x = summary.number_in(row["outcome"], options) if "outcome" in row else values.count(row["c"], "c")
            n = values.count(row["n"], "n") if "n" in row else 1
            if x is not None and n is not None and x == x:
                total, trials, number = sums.get(key := (row.get("model"), row.get("task")), (0.0, 0, 0))
                sums[key] = total + float(x) * times, trials + n * times, number + 1
    verdicts = []
    for row, key, is_named in zip(rows, keys, named, strict=True):
        if is_named:
            total, trials, number = sums.get((row.get("model"), row.get("task")), (0.0, 0, 0))
            verdicts.append((
                key,
                summary.adds_up((row["c"], row["n"]), (total, trials), number)
                if "c" in row
                else summary.verdict(row["outcome"], total, trials, options),
            ))  # fmt: skip
    left_out = summary.left_out(verdicts)
    for _, name in left_out:
        accumulator.location.remarks[summary.remark(name)] = 1
    return groups.filter(np.array([key not in left_out for key in keys]))


def _wide(frame: Any, location: SourceLocation, options: ReadOptions, columns: Any) -> EvaluationData:
    """The evaluation in a wide frame."""
    accumulator = TrialAccumulator(location, options)
    rows = backends.collect(frame.lazy()).to_pylist()
    names = None if columns is None else mapping_of(columns, True)
    accumulator.take(wide.records(rows, location, options, names))
    return assembly.evaluation(accumulator, "frame")


def _unit(frame: Any, requested: str | None) -> str:
    """The column of costs: the requested one, else a usual one unless the frame is large; "" where there is none."""
    names = list(map(str, frame.collect_schema().names()))
    if requested and requested not in names:
        what = f"no column {shown(requested)}; the columns are {joined(names)}{nearest(requested, names)}"
        raise InvalidInput("choice", "cost", what)
    usual = next((name for name in values.UNITS if name in names), "")
    return requested or (usual if usual and backends.size(frame) <= MAX_ROWS else "")


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


def _with_runs(
    accumulator: TrialAccumulator, counted: list[CountedTask], margins: Any, model: str, task: str
) -> list[CountedTask]:
    """The counts with outcomes by run, where every question has a trial in every run."""
    tables: dict[tuple[str, str], dict[str, dict[int, int]]] = {}
    for row in margins.to_pylist():
        if row["trial"] is None:
            return counted
        key = values.id_of(row.get("model", model), "model"), values.id_of(row.get("task") or task or "-", "task")
        run = tables.setdefault(key, {}).setdefault(values.id_of(row["trial"], "trial"), {})
        code = accumulator.outcome_code(row["outcome"])
        run[code] = run.get(code, 0) + row["rows"]
    out = []
    for x in counted:
        runs = tables.get((x.model, x.task or "-"), {})
        is_complete = all(sum(run.values()) == len(x.counts.questions) and -1 not in run for run in runs.values())
        if len(runs) > 1 and is_complete:
            names = sorted(runs, key=int) if all(map(values.is_number, runs)) else sorted(runs)
            table = np.zeros((len(names), 2 + max(code for run in runs.values() for code in run)), np.int64)
            for i, name in enumerate(names):
                for code, n in runs[name].items():
                    table[i, code + 1] = n
            x = x._replace(counts=x.counts._replace(runs=RunCodes(names, table, True, None)))
        out.append(x)
    return out


def _count(
    accumulator: TrialAccumulator, arrow_table: Any, model: str, task: str, stated: Mapping[str, str],
    run_fields: tuple[str, ...],
    margins: Any = None,
) -> None:  # fmt: skip
    """Count the rows of an Arrow table, sorted by their ids; errors name the question.

    margins : the numbers of rows by run and outcome, where rows are counted without their trials.
    """
    columns: dict[str, Column] = {}
    try:
        for name in arrow_table.column_names:
            columns[name] = Column(name)
            columns[name].add(*_coded(arrow_table.column(name)))
        for name in columns.keys() & IDS:
            columns[name].sort()
        # by model, task, question and trial: lexsort takes the first key last
        order = np.lexsort([columns[name].codes for name in IDS[3::-1] if name in columns])
        for column in columns.values():
            column.take(order)
        if "rows_with_trial" in columns:
            with_trial, total = (columns[name].numbers(int) for name in ("rows_with_trial", "rows"))
            if (incomplete := with_trial != total).any():
                raise RowError(int(incomplete.argmax()), InvalidInput("missing", "trial", "trial is missing"))
        rows = rows_of(columns, model, accumulator.options, accumulator.outcome_code, task)._replace(stated=stated)
        if "cost" in columns:
            rows = rows._replace(costs=_costs(columns["cost"], accumulator.unit, accumulator.options.cost is not None))
    except RowError as e:
        question, its_model = (_label(columns, arrow_table, name, e.row) for name in ("question", "model"))
        if question is not None:
            accumulator.location.entry = f"question {shown(question)} of {shown(its_model or model)}"
        raise e.error from None
    try:
        rows = _with_runs_of(rows, columns)._replace(run_fields=run_fields)
        counted, _, remark = count(rows, accumulator.options.trials)
    except RowError as e:
        if e.error.code != "duplicate":
            raise e.error from None
        what = e.error.reason.removesuffix(": already in")
        raise InvalidInput("duplicate", "path", what, e.error.hint) from None
    if remark:
        accumulator.location.remarks[remark] = 1
    if margins is not None and not accumulator.options.runs_in_ids:
        counted = _with_runs(accumulator, counted, margins, model, task)
    accumulator.take_counts(counted, rows.has_counts)
    if "task" in columns:
        accumulator.unwanted_tasks |= dict.fromkeys(columns["task"].labels)


def _with_runs_of(rows: Rows, columns: Mapping[str, Column]) -> Rows:
    """The rows with the values of the columns run0, run1, ... as labels of runs."""
    runs = [x for name, x in columns.items() if name.startswith("run")]
    if not runs:
        return rows
    texts = [["" if x is None else str(x).strip() for x in column.labels] for column in runs]
    parts = [*zip(*([text[i] for i in x.codes.tolist()] for text, x in zip(texts, runs, strict=True)), strict=True)]
    index = {x: i for i, x in enumerate(dict.fromkeys(parts))}
    labels = [x if len(runs) > 1 else x[0] for x in index]
    return rows._replace(run=np.array([index[x] for x in parts]), labels={**rows.labels, "run": labels})


def _coded(column: Any) -> tuple[list[Any], Any]:
    """The distinct cells of a column, and for each row the index of its cell among them."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        column = column.cast(pa.large_string())  # a chunk of string holds at most 2 GB
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy()


def _label(columns: Mapping[str, Column], arrow_table: Any, name: str, row: int) -> Any:
    """The cell of a row in a column; None where there is no such column, or the column itself is invalid."""
    if name in columns and columns[name].filled:
        return list(columns[name].labels)[columns[name].codes[row]]
    if name in columns or name not in arrow_table.column_names:
        return None
    return arrow_table.column(name)[row].as_py()
