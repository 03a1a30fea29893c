"""Frames of any engine, counted where they live: pandas, polars, Arrow, DuckDB, PySpark, Dask, through narwhals.

The engine groups the rows by model, question, cluster and outcome; only the table of these groups comes to Python, so a
log may be larger than memory. Engines promise no order of rows: models, questions and trials are sorted, as numbers
where all of them are whole numbers, else as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput
from . import assembly, backends, table, values
from .accumulator import Gather
from .asking import Asked
from .columns import IDS, Column, RowError, count, rows_of
from .evaluation import EvaluationData
from .text_files import Place, listed, shown

LARGEST = 10**6  # rows of a frame that are fetched for their costs unasked
MODEL = "model"  # what the only one is called that has no name


def of_native(frame: Any, options: Asked, columns: Any = None, name: str = "frame") -> EvaluationData:
    """The evaluation in a data frame of any engine; errors begin with its name."""
    place = Place(Path(name))
    try:
        return evaluation(backends.known(frame), place, options, columns)
    except InvalidInput as e:
        argument = "frame" if e.argument == "path" else e.argument
        raise e.of(str(place), argument) from None
    except UnicodeEncodeError as e:  # of pandas, for no other engine could hold it
        raise InvalidInput("format", "frame", f"{place}: {shown(e.object)} is not Unicode text: {e.reason}") from None


def evaluation(
    frame: Any, place: Place, options: Asked, columns: Any = None, model: str = MODEL, said: str = "frame"
) -> EvaluationData:
    """The evaluation in a frame of narwhals; model is the name of the only one if there is no such column."""
    gather = Gather(place, options)
    take(gather, frame, columns, model)
    return assembly.evaluation(gather, said)


def take(gather: Gather, frame: Any, columns: Any, model: str, task: str | None = None) -> None:
    """Count a frame by its engine, unless the trials are to be kept. With a task it is of this one and this model."""
    options = gather.options
    read = backends.chosen(frame, columns)
    gather.unit = _unit(frame, options.cost) if "c" not in read else ""
    if columns is None:
        header = list(map(str, frame.collect_schema().names()))
        known = table.columns(header) | ({gather.unit: header.index(gather.unit)} if gather.unit else {})
        table.remark_unread(header, known, gather.place)
    chosen = backends.prepared(frame, read | ({"cost": gather.unit} if gather.unit else {}))
    names = chosen.collect_schema().names()
    if task is not None and {"model", "task"} & set(names):
        raise InvalidInput("conflict", "path", "a table of one model that has a column model or task: read it alone")
    grouped = "outcome" in names and not options.trials and not gather.unit
    if not grouped and options.trials and not {"trial", "c"} & set(names) and not backends.ordered(frame):
        what = f"{frame.implementation.value} keeps no order of rows: a column trial must give that of the trials"
        raise InvalidInput("conflict", "trials", what)
    groups = backends.counted(chosen) if grouped else backends.fetched(chosen)
    if len(groups):
        _count(gather, groups, model, task or "")
    if grouped and "trial" in names and (twice := backends.twice(chosen, groups)):
        trial = f"trial {shown(twice['trial'])} of question {shown(twice['question'])}"
        what = f"{trial} of {shown(twice.get('model', model))} stands twice"
        raise InvalidInput("duplicate", "path", what)


def _unit(frame: Any, asked: str | None) -> str:
    """The column of costs: the one that is asked for, else a usual one of a frame that is not too large."""
    names = list(map(str, frame.collect_schema().names()))
    if asked and asked not in names:
        what = f"no column {shown(asked)}; the columns are {listed(names)}{nearest(asked, names)}"
        raise InvalidInput("choice", "cost", what)
    usual = next((name for name in values.UNITS if name in names), "")
    return asked or (usual if usual and backends.size(frame) <= LARGEST else "")


def _costs(column: Column, unit: str, asked: bool) -> Any:
    """The cost of each row; what is no cost is an error where it was asked for, else not stated."""
    numbers = []
    for x in column.labels:
        try:
            numbers.append(values.cost(x, unit))
        except InvalidInput:
            if asked:
                raise
            numbers.append(nan)
    return np.array(numbers)[column.codes]


def _count(gather: Gather, table: Any, model: str, task: str) -> None:
    """Count the rows of an Arrow table in the order of their ids; an error names the question that it is about."""
    columns: dict[str, Column] = {}
    try:
        for name in table.column_names:
            columns[name] = Column(name)
            columns[name].add(*_coded(table.column(name)))
        for name in columns.keys() & IDS:
            columns[name].sort()
        order = np.lexsort([columns[name].codes for name in IDS[3::-1] if name in columns])
        for column in columns.values():
            column.take(order)
        if "named" in columns:
            named, there = (columns[name].numbers(int) for name in ("named", "rows"))
            if (gone := named != there).any():
                raise RowError(int(gone.argmax()), InvalidInput("missing", "trial", "trial is missing"))
        rows = rows_of(columns, model, gather.options, gather.category, task)
        if "cost" in columns:
            rows = rows._replace(costs=_costs(columns["cost"], gather.unit, gather.options.cost is not None))
    except RowError as e:
        question, whose = (_label(columns, table, name, e.row) for name in ("question", "model"))
        if question is not None:
            gather.place.spot = f"question {shown(question)} of {shown(whose or model)}"
        raise e.error from None
    try:
        found, _ = count(rows, gather.options.trials)
    except RowError as e:
        twice = e.error.code == "duplicate"
        raise e.error if not twice else InvalidInput("duplicate", "path", f"{rows.named(e.row)} stands twice") from None
    gather.whole(found, rows.stated)
    if "task" in columns:
        gather.passed_by |= dict.fromkeys(columns["task"].labels)


def _coded(column: Any) -> tuple[list[Any], Any]:
    """The distinct cells of a column, and which of them each row has."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        column = column.cast(pa.large_string())  # so that one chunk can hold them
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy()


def _label(columns: Mapping[str, Column], table: Any, name: str, row: int) -> Any:
    """The cell of a row, which may not be coded yet; None where there is no such column, or it is the one at fault."""
    if name in columns and columns[name].filled:
        return list(columns[name].labels)[columns[name].codes[row]]
    return None if name in columns or name not in table.column_names else table.column(name)[row].as_py()
