"""Work done by the engine of a frame: selecting columns, counting rows and finding duplicate trials."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import check, table
from .columns import MOST_LEVELS, REST
from .counting import MOST_RUNS
from .text_files import joined

NEEDS = "frames and Parquet need narwhals and pyarrow: pip install narwhals pyarrow"
IDS = ("model", "task", "question", "trial", "cluster")
SAMPLE = 5000  # rows by which columns that may be factors are chosen
MAX_SCORES = 10**6  # the most distinct outcomes
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "pyspark", "dask", "modin", "cudf", "ibis", "sqlframe", "daft")
ORDERED = ("pandas", "polars", "pyarrow", "modin", "cudf")  # engines that keep the order of rows
SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)  # the characters that str.strip() removes; engines strip fewer of them
BATCH = 10_000  # rows of a streamed data set that are read at once
PER_SUM, SUMS = 32, 4  # trials in a sum and sums in a block, in the search for duplicate trials


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
    mapping: dict[str, Any] = {name: name for name in table.own_names(columns) if name in names}
    for name, column in columns.items():
        if name not in table.COLUMNS:
            what = f"{shown(name)} in columns is not one of {joined(table.COLUMNS)}{nearest(name, table.COLUMNS)}"
            raise InvalidInput("choice", "columns", what)
        if column is not None and column not in names:
            known = list(map(str, names))
            what = f"no column {shown(column)} for {name}; the columns are {joined(known)}{nearest(str(column), known)}"
            raise InvalidInput("choice", "columns", what)
        mapping[name] = column
    mapped = {column for column in columns.values() if column is not None}
    mapping = {name: column for name, column in mapping.items() if name in columns or column not in mapped}
    mapping = {name: column for name, column in mapping.items() if column is not None}
    if "question" not in mapping or not ("outcome" in mapping or {"c", "n"} <= mapping.keys()):
        what = f"the columns are {joined(list(map(str, names)))}; {table.NEEDED}, by these names or as columns= states"
        raise InvalidInput("format", "path", what)
    table.columns(list(mapping))  # refuses columns that cannot be read together
    return mapping


def with_trials_of_runs(frame: Any, trial: str, runs_by: str) -> Any:
    """The frame with the run before the id of each trial."""
    import narwhals as nw

    parts = [nw.col(name).cast(nw.String) for name in (runs_by, trial)]
    return frame.with_columns(nw.concat_str(parts, separator="/").alias(trial))


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
        follows = trial and len(levels) == len(set(cells[trial])) == len({*zip(cells[x], cells[trial], strict=True)})
        is_short = len(levels) <= MOST_LEVELS and all(len(y) <= check.LONGEST_LEVEL for y in levels)
        if is_short and not follows and check.are_levels(str(x), levels):
            candidates[REST + str(x)] = x
    return candidates


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


def prepared(frame: Any, mapping: Mapping[str, str]) -> Any:
    """A lazy frame of the columns under scorio's names, with types that every engine groups alike."""
    import narwhals as nw

    columns = []
    for name, source in mapping.items():
        if name.startswith(REST):  # compared as text
            columns.append(nw.col(source).cast(nw.String).alias(name))
            continue
        frame = _plain(frame, source, name)
        dtype, column = frame.collect_schema()[source], nw.col(source)
        if dtype == nw.Unknown and not _first(frame.lazy().select(x=column.count()))["x"]:
            column, dtype = nw.lit(None, nw.String), nw.String()  # all cells are null
        elif isinstance(dtype, (nw.Categorical, nw.Enum)):
            column, dtype = column.cast(nw.String), nw.String()
        is_id_type = dtype.is_integer() or dtype == nw.String or (dtype.is_float() and name == "task")
        if not is_id_type and (name in IDS or not (dtype.is_numeric() or dtype == nw.Boolean)):
            needs = "integers or text" if name in IDS else "numbers, booleans or text"
            raise InvalidInput("type", name, f"column {shown(source)} holds {dtype}, {name} needs {needs}: cast it")
        if name == "trial" and dtype == nw.String:
            column = column.str.strip_chars(SPACES)
            column = nw.when(column != "").then(column)
        columns.append(column.alias(name))
    return frame.lazy().select(*columns)


def _plain(frame: Any, source: str, name: str) -> Any:
    """The frame with one column made plain: Python objects (also as categories) as text, Arrow categories as values."""
    import narwhals as nw

    if not isinstance(frame, nw.DataFrame):
        return frame
    native = frame.to_native()
    if frame.implementation.is_pyarrow() and hasattr(kind := native.schema.field(source).type, "value_type"):
        column = native.column(source)
        if frame.collect_schema()[source] == nw.Categorical:
            column = column.cast(kind.value_type)
        return frame.with_columns(nw.from_native(column, series_only=True).alias(source))
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


# --- counting -----------------------------------------------------------------------------------------


def ordered(frame: Any) -> bool:
    """Whether the engine keeps the rows of a frame in order."""
    return frame.implementation.value in ORDERED


def size(frame: Any) -> int:
    """Number of rows of a frame."""
    import narwhals as nw

    return int(_first(frame.lazy().select(x=nw.len()))["x"])


def counted(frame: Any) -> Any:
    """The number of rows in each group that agrees in all columns but trial, and of its rows with a trial id."""
    import narwhals as nw

    schema, sums = frame.collect_schema(), [nw.len().alias("rows")]
    names = schema.names()
    if schema["outcome"] != nw.Boolean:
        kinds = collect(frame.select("outcome").unique().head(MAX_SCORES + 1), streaming=True)
        if kinds.num_rows > MAX_SCORES:  # each would be at least one row of the counts
            raise InvalidInput("range", "outcome", f"more than {MAX_SCORES} distinct outcomes: round them")
    if "trial" in names:
        sums.append(nw.col("trial").count().alias("rows_with_trial"))
    return collect(frame.group_by([name for name in names if name != "trial"]).agg(sums), streaming=True)


def counted_by_run(frame: Any) -> Any:
    """The number of rows in each group that agrees in all columns but the question; None if ids of trials are many."""
    import narwhals as nw

    names = [name for name in frame.collect_schema().names() if name in ("model", "task", "trial", "outcome")]
    head = collect(frame.select("trial").head(SAMPLE).unique())
    if head.num_rows > MOST_RUNS or head.num_rows == SAMPLE:
        return None
    groups = collect(frame.select(names).group_by(names).agg(nw.len().alias("rows")), streaming=True)
    return groups if groups.num_rows <= MAX_SCORES else None


def follows_outcome(margins: Any) -> bool:
    """Whether the runs of counts by run are the outcomes themselves, by other names."""
    if margins is None:
        return False
    pairs = {(x["trial"], x["outcome"]) for x in margins.select(["trial", "outcome"]).to_pylist()}
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


def share_repeated(frame: Any) -> float:
    """The number of further rows of trials, per trial."""
    import narwhals as nw

    ids = [name for name in IDS[:4] if name in frame.collect_schema()]
    trials = frame.filter(~nw.col("trial").is_null()).group_by(*ids).agg(rows=nw.len())
    x = _first(trials.select(trials=nw.len(), rows=nw.col("rows").sum()))
    return (int(x["rows"]) - int(x["trials"])) / int(x["trials"]) if x["trials"] else 0.0


def duplicate_trial(frame: Any, groups: Any) -> dict[str, str]:
    """The ids of a trial that has several rows; empty if there is none.

    groups : the result of :func:`counted` for this frame.
    """
    import narwhals as nw

    schema = frame.collect_schema()
    ids = [name for name in IDS[:4] if name in schema]  # all but cluster
    column = {name: nw.col(name) for name in ids}
    for name in ids:  # removing spaces is slow, so it is done only where there are any
        if schema[name] == nw.String and name != "trial" and _has_spaces(groups.column(name)):
            column[name] = column[name].str.strip_chars(SPACES)
    frame = frame.select(*column.values())
    keys = [name for name in ids if name != "trial"]
    if schema["trial"] in (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32):
        block = _block_with_duplicate(frame.with_columns(nw.col("trial").cast(nw.Int64)), keys)
        if not block:
            return {}
        repeated = _repeated(frame.filter(*(nw.col(name) == block[name] for name in keys)), ids)
        if repeated:
            return repeated
        # a filter finds no rows with a null key: look for the duplicate among all rows
    return _repeated(frame, ids)


def _repeated(frame: Any, ids: Iterable[str]) -> dict[str, str]:
    """The ids of one trial that has several rows; empty if there is none."""
    import narwhals as nw

    first = _first(frame.group_by(*ids).agg(rows=nw.len()).filter(nw.col("rows") > 1))
    return {name: str(first[name]) for name in ids if first}


def _has_spaces(column: Any) -> bool:
    """Whether a cell of the column has spaces around its text."""
    return any(x != x.strip() for x in column.unique().to_pylist() if x is not None)


def _block_with_duplicate(frame: Any, keys: Iterable[str]) -> dict[str, Any]:
    """The keys and the number of a block of neighbouring trials with a duplicate; empty if there is none.

    Grouping by all ids of a trial would give a table as long as the log. Instead, each trial becomes a power of
    two, and a block of 128 trials keeps four sums of 32 powers each. Powers are distinct if and only if their sum has
    as many ones in binary as there are powers. The number of ones of x is x - x // 2 - x // 4 - ...
    """
    import narwhals as nw

    names, size = [f"sum{i}" for i in range(SUMS)], SUMS * PER_SUM
    position = nw.col("position")
    frame = frame.with_columns(block=nw.col("trial") // size)
    frame = frame.with_columns(position=nw.col("trial") - nw.col("block") * size)
    bits = {name: position - i * PER_SUM for i, name in enumerate(names)}
    powers = {
        x: nw.when((bit >= 0) & (bit < PER_SUM)).then(nw.lit(2.0) ** bit).otherwise(0.0) for x, bit in bits.items()
    }
    groups = frame.with_columns(**powers).group_by(*keys, "block").agg(nw.len().alias("rows"), nw.col(*names).sum())
    table = collect(groups.select("rows", *names), streaming=True)
    rows, *sums = (table.column(name).to_numpy().astype(np.int64) for name in table.column_names)
    n_ones = sum(x - sum(x >> i for i in range(1, 2 * PER_SUM)) for x in sums)
    with_duplicate = np.flatnonzero((rows > size) | (rows != n_ones))
    if not with_duplicate.size:
        return {}
    first = {"rows": int(rows[with_duplicate[0]])}
    if first["rows"] <= size:  # else the sums may not be exact
        first |= {name: int(x[with_duplicate[0]]) for name, x in zip(names, sums, strict=True)}
    return _first(groups.filter(*(nw.col(name) == x for name, x in first.items())))


def _first(frame: Any) -> dict[str, Any]:
    """The first row of a lazy frame; empty if there is none."""
    rows = collect(frame.head(1), streaming=True).to_pylist()
    return rows[0] if rows else {}


def collect(frame: Any, streaming: bool = False) -> Any:
    """A lazy frame as an Arrow table."""
    options = {}
    if (
        streaming
        and frame.implementation.is_polars()
        and "engine" in inspect.signature(frame.to_native().collect).parameters
    ):
        options["engine"] = "streaming"  # else polars may hold all rows of a file
    collected = frame.collect(**options)
    return collected.to_arrow().select(collected.columns)  # not the index that pandas may add
