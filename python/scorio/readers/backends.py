"""Work done by the engine of a frame: selecting columns, checking their types and fetching rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import check, table
from .columns import MOST_LEVELS, REST
from .text_files import joined

NEEDS = "frames and Parquet need narwhals and pyarrow: pip install narwhals pyarrow"
IDS = ("model", "task", "question", "trial", "cluster")
SAMPLE = 5000  # rows by which columns that may be factors are chosen
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "pyspark", "dask", "modin", "cudf", "ibis", "sqlframe", "daft")
ORDERED = ("pandas", "polars", "pyarrow", "modin", "cudf")  # engines that keep the order of rows
BATCH = 10_000  # rows of a streamed data set that are read at once
BATCHES = 8  # of a data set of Arrow that are coded at once


def is_frame(x: Any) -> bool:
    """Whether x is a data frame or a data set, judged by the module of its type, so that nothing is imported."""
    return is_dataset(x) or any(
        t.__module__.partition(".")[0] in LIBRARIES or t.__module__.startswith("narwhals") for t in type(x).__mro__
    )


def is_dataset(x: Any) -> bool:
    """Whether x is a data set of the library datasets, or a dictionary of its splits."""
    return any(t.__module__.partition(".")[0] == "datasets" for t in type(x).__mro__)


def _rows_of(dataset: Any) -> Any:
    """The rows of a data set as an Arrow table."""
    if isinstance(dataset, dict):
        what = f"a dictionary of several splits, {joined(list(map(str, dataset)))}: choose one, data[split]"
        raise InvalidInput("type", "path", what)
    if not hasattr(dataset, "with_format"):
        raise InvalidInput("type", "path", f"{shown(type(dataset).__name__)} is not a data set of rows")
    rows = dataset.with_format("arrow")
    if hasattr(rows, "__len__"):  # a stream has no length
        return rows[:]
    import pyarrow as pa

    return pa.concat_tables(rows.iter(BATCH))


def wrap(frame: Any) -> Any:
    """A data frame of any engine, wrapped by narwhals."""
    try:
        import narwhals as nw
        import pyarrow  # noqa: F401
    except ImportError as e:
        raise ImportError(f"{NEEDS} ({e})") from None
    if is_dataset(frame):
        frame = _rows_of(frame)
    try:
        wrapped = nw.from_native(frame, pass_through=True)
        if isinstance(wrapped, (nw.DataFrame, nw.LazyFrame)):
            return wrapped
    except nw.exceptions.DuplicateError as e:
        raise InvalidInput("duplicate", "path", f"duplicate column: {_one_line(e)}") from None
    except (TypeError, AttributeError, ValueError) as e:
        raise InvalidInput("type", "path", f"narwhals cannot use it: {_one_line(e)}") from None
    raise InvalidInput("type", "path", f"{shown(type(frame).__name__)} is not a data frame that narwhals knows")


def with_index(frame: Any) -> Any:
    """A frame of pandas with the named levels of its index as columns; any other frame as it is."""
    names = getattr(getattr(frame, "index", None), "names", None) if hasattr(frame, "reset_index") else None
    if not names or not hasattr(frame, "columns"):
        return frame
    if getattr(frame.columns, "nlevels", 1) > 1:
        what = "the columns have several levels: keep one of them, such as by frame.droplevel(0, axis=1)"
        raise InvalidInput("format", "path", what)
    levels = [x for x in names if x is not None and x not in frame.columns]
    return frame.reset_index(level=levels) if levels else frame


def _one_line(e: Exception) -> str:
    """The message of an engine's error, on one line."""
    return " ".join(str(e).split())[:200]


def column_names(frame: Any, columns: Any) -> dict[str, str]:
    """The name in the frame of each column that scorio reads."""
    names = frame.collect_schema().names()
    if columns is None:
        return {name: names[i] for name, i in table.columns(list(map(str, names))).items()}
    if not isinstance(columns, Mapping):
        raise InvalidInput("type", "columns", f"columns must be a mapping of names to names, not {shown(columns)}")
    mapping: dict[str, Any] = dict(table.own_columns(names, columns))
    for name, column in columns.items():
        if name not in table.COLUMNS:
            what = f"{shown(name)} in columns is not one of {joined(table.COLUMNS)}{nearest(name, table.COLUMNS)}"
            raise InvalidInput("choice", "columns", what)
        if column is not None and column not in names:
            known = list(map(str, names))
            what = f"no column {shown(column)} for {name}; the columns are {joined(known)}{nearest(str(column), known)}"
            raise InvalidInput("choice", "columns", what)
        mapping[name] = column
    mapping = {name: column for name, column in mapping.items() if column is not None}
    if "question" not in mapping or not ("outcome" in mapping or {"c", "n"} <= mapping.keys()):
        what = f"the columns are {joined(list(map(str, names)))}; {table.NEEDED}, by these names or as columns= states"
        raise InvalidInput("format", "path", what)
    table.columns(list(mapping))  # refuses columns that cannot be read together
    return mapping


def run_columns(frame: Any, mapping: Mapping[str, str], runs_by: str | None) -> tuple[str, ...]:
    """The columns that tell runs apart, where trials have no ids: that of runs_by, or usual ones."""
    import narwhals as nw

    schema = frame.collect_schema()
    if "trial" in mapping:
        return ()
    usual = table.run_fields(x for x in map(str, schema.names()) if x not in mapping.values())
    names = (runs_by,) if runs_by else usual
    return tuple(x for x in names if schema[x].is_integer() or schema[x] in (nw.String, nw.Object))


def unread(frame: Any, mapping: Mapping[str, str], excluded: Iterable[str | None]) -> dict[str, str]:
    """The columns that may be factors: none of the mapping, with few values among the first rows; keys begin with REST.

    A column that says the same as the ids of trials is none.
    """
    used, trial = {*mapping.values(), *excluded}, mapping.get("trial")
    schema = frame.collect_schema()
    names = [x for x in schema.names() if x not in used and check.is_candidate(str(x)) and not schema[x].is_nested()]
    if not names:
        return {}
    head = frame.lazy().head(SAMPLE).select(*names, *([trial] if trial else []))
    sample = collect(head)
    cells = {x: list(map(str, sample.column(str(x)).to_pylist())) for x in [*names, *([trial] if trial else [])]}
    candidates = {}
    for x in names:
        levels = set(cells[x])
        in_step = trial and len(levels) == len(set(cells[trial])) == len({*zip(cells[x], cells[trial], strict=True)})
        follows = in_step and check.may_number_trials(str(x), levels)
        is_short = len(levels) <= MOST_LEVELS and all(len(y) <= check.LONGEST_TEXT for y in levels)
        if is_short and not follows and check.are_levels(str(x), levels):
            candidates[REST + str(x)] = x
    return candidates


def with_fields(frame: Any) -> Any:
    """The frame with a column for each plain field of its objects, such as config.temperature, in place of these."""
    import narwhals as nw

    schema = frame.collect_schema()
    objects = [name for name, dtype in schema.items() if dtype == nw.Struct]
    added = [
        column.alias(x)
        for name in objects
        for x, column in _fields(name, schema[name], nw.col(name))
        if x not in schema
    ]
    return frame.with_columns(*added).drop(*objects) if added else frame


def _fields(name: str, dtype: Any, column: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The plain fields of a column of objects, and of the objects within these, by dotted names."""
    if not dtype.is_nested():
        yield name, column
    elif hasattr(dtype, "fields") and depth < check.DEEPEST and len(dtype.fields) <= check.MOST_INNER:
        for x in dtype.fields:
            yield from _fields(f"{name}.{x.name}", x.dtype, column.struct.field(x.name), depth + 1)


def with_joined_ids(frame: Any, columns: Any) -> Any:
    """The frame with a column for each id of several columns, such as question_id+turn, whose parts "/" joins."""
    import narwhals as nw

    names, added = frame.collect_schema().names(), []
    for name, column in columns.items() if isinstance(columns, Mapping) else ():
        parts = [x.strip() for x in column.split("+")] if isinstance(column, str) else []
        if name not in IDS or column in names or len(parts) < 2 or not set(parts) <= set(names):
            continue
        for part in parts:
            if not ((dtype := frame.collect_schema()[part]).is_integer() or dtype == nw.String):
                raise InvalidInput("type", name, f"column {shown(part)} holds {dtype}, {name} needs integers or text")
        texts = [nw.col(x).cast(nw.String) for x in parts]
        added.append(nw.concat_str(*texts, separator="/").alias(column))
    return frame.with_columns(*added) if added else frame


# --- types of columns ---------------------------------------------------------------------------------


def prepared(frame: Any, mapping: Mapping[str, str], runs_by: str | None = None) -> Any:
    """A lazy frame of the columns under scorio's names, whose types are checked.

    runs_by : the column of the run that is put before the ids of trials.
    """
    import narwhals as nw

    columns = []
    if runs_by:
        parts = [nw.col(x).cast(nw.String) for x in (runs_by, mapping["trial"])]
        frame = frame.with_columns(nw.concat_str(parts, separator="/").alias(mapping["trial"]))
    for name, source in mapping.items():
        if name.startswith(REST):  # compared as text
            columns.append(nw.col(source).cast(nw.String).alias(name))
            continue
        frame = _plain(frame, source, name)
        dtype, column = frame.collect_schema()[source], nw.col(source)
        if dtype == nw.Unknown and not _first(frame.lazy().select(x=column.count()))["x"]:
            column, dtype = nw.lit(None, nw.String), nw.String()  # all cells are null
        elif isinstance(dtype, (nw.Categorical, nw.Enum)):
            is_coded = frame.implementation.is_pyarrow()  # as cells are counted
            column, dtype = column if is_coded else column.cast(nw.String), nw.String()
        is_id_type = dtype.is_integer() or dtype == nw.String or (dtype.is_float() and name == "task")
        if not is_id_type and (name in IDS or not (dtype.is_numeric() or dtype == nw.Boolean)):
            needs = "integers or text" if name in IDS else "numbers, booleans or text"
            raise InvalidInput("type", name, f"column {shown(source)} holds {dtype}, {name} needs {needs}: cast it")
        columns.append(column.alias(name))
    return frame.lazy().select(*columns)


def _plain(frame: Any, source: str, name: str) -> Any:
    """The frame with one column made plain: Python objects (also as categories) as text, Arrow categories as values."""
    import narwhals as nw

    if not isinstance(frame, nw.DataFrame):
        return frame
    native = frame.to_native()
    if frame.implementation.is_pyarrow() and frame.collect_schema()[source] == nw.Categorical:
        kind = native.schema.field(source).type.value_type
        if "string" in str(kind):
            return frame
        return frame.with_columns(nw.from_native(native.column(source).cast(kind), series_only=True).alias(source))
    if not frame.implementation.is_pandas_like():
        return frame
    needs_text = native[source].dtype == object
    if native[source].dtype == "category":
        needs_text = not all(isinstance(x, str) for x in native[source].dtype.categories)
    if not needs_text:
        return frame
    texts = [_text(x, source, name) for x in native[source].astype(object).tolist()]
    return frame.with_columns(nw.new_series(source, texts, nw.String, backend=frame.implementation))


def _text(x: Any, source: str, name: str) -> str | None:
    """A Python object as the text of an id or of an outcome; None where it is missing."""
    if isinstance(x, str):
        return x
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return str(x)
    if x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, (float, Decimal)) and x != x):
        return None
    if name not in IDS and isinstance(x, (bool, np.bool_, float, np.floating, Decimal)):
        return str(x)
    needs = "neither text nor an integer" if name in IDS else "not a number"
    raise InvalidInput("type", name, f"{name} {shown(x)}, in column {shown(source)}, is {needs}")


# --- rows ---------------------------------------------------------------------------------------------


def ordered(frame: Any) -> bool:
    """Whether the engine keeps the rows of a frame in order."""
    return frame.implementation.value in ORDERED


def size(frame: Any) -> int:
    """Number of rows of a frame."""
    import narwhals as nw

    return int(_first(frame.lazy().select(x=nw.len()))["x"])


def _first(frame: Any) -> dict[str, Any]:
    """The first row of a lazy frame; empty if there is none."""
    rows = collect(frame.head(1)).to_pylist()
    return rows[0] if rows else {}


def parts(dataset: Any, names: Iterable[str]) -> Iterator[Any]:
    """The rows of a data set of Arrow as frames of a few batches, with these columns, or with the fields of these."""
    import pyarrow as pa

    columns = dict.fromkeys(x if x in dataset.schema.names else x.partition(".")[0] for x in names)
    batches = iter(dataset.to_batches(columns=list(columns)))
    while several := list(islice(batches, BATCHES)):
        yield with_fields(wrap(pa.Table.from_batches(several)))


def collect(frame: Any) -> Any:
    """A lazy frame as an Arrow table."""
    collected = frame.collect()
    return collected.to_arrow().select([*map(str, collected.columns)])  # no index of pandas; integers are positions
