"""Parquet files as lazy frames of DuckDB or polars, else read into memory by Arrow.

DuckDB is preferred, and the extra for frames installs it, because it keeps to a limit of memory (``duckdb.sql("set
memory_limit = '1GB'")``) and spills the rest to disk: 100 million rows in 1.2 GB, with polars 8.8 GB. If single
trials are requested, polars is preferred, because the order of its rows is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, shown
from . import backends, frames, table
from .columns import MOST_LEVELS
from .evaluation import EvaluationData
from .options import ReadOptions
from .packed import LFS, naming_file, refuse_pointer
from .text_files import SourceLocation, joined
from .tree import walked
from .values import UNITS

ENGINES = ("duckdb", "polars")  # the preferred one first, unless single trials are requested
DETAILS = ("doc", "metric", "model_response")  # columns of lighteval's details that are read
GLOB = re.compile(r"[*?[]")
BATCH = 256  # rows of details at once: each may contain a whole response
MAGIC = b"PAR1"  # the first and the last bytes of a Parquet file


def is_table(path: Path, below: Iterable[Path] | None = None) -> bool:
    """Whether a path is a Parquet table, a pattern of them or a folder with one; details of lighteval are not.

    below : the files below the folder, if they are known.
    """
    if path.suffix.lower() == ".parquet":
        files = _files(path)
        return not files or not any(map(is_lighteval, files))
    if below is not None and not any(file.suffix.lower() == ".parquet" for file in below):
        return False
    return path.is_dir() and not all(map(is_lighteval, _files(path)))


def is_lighteval(file: Path) -> bool:
    """Whether a file holds the details that lighteval writes, rather than a table of outcomes."""
    return {"doc", "metric"} <= set(_columns(file))


def rows(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The rows of a file of lighteval's details, with the location set to each."""
    return _rows(location, {plain: name for plain, name in _columns(location.file).items() if plain in DETAILS})


def objects(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The rows of any file, as dictionaries."""
    return _rows(location, {name: name for name in _columns(location.file).values()})


def _rows(location: SourceLocation, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    with errors(), pq.ParquetFile(location.file) as file:
        i = 0
        for batch in file.iter_batches(BATCH, columns=list(names.values())):
            for row in batch.to_pylist():
                i += 1
                location.entry = f"row {i}"
                yield {plain: row[name] for plain, name in names.items()}


def _columns(file: Path) -> dict[str, str]:
    """The columns in a file, by their names without the underscores that lighteval puts around them."""
    _check(file)
    try:
        import pyarrow.parquet as pq
    except ImportError as e:
        raise ImportError(f"{file}: {backends.NEEDS} ({e})") from None
    with errors():
        names = pq.read_schema(file).names
    if len(set(names)) < len(names):  # engines silently take the first of them
        raise InvalidInput("duplicate", "path", f"duplicate column in {file.name}: {joined(names)}")
    return {name.removeprefix("__").removesuffix("__"): name for name in names}


def _check_folder_columns(files: list[Path], keys: list[str]) -> None:
    """Refuse a file with a column that the name of its folder states too, such as model=a/."""
    for file in files if set(keys) & set(table.COLUMNS) else ():
        if duplicates := [key for key in keys if key in table.COLUMNS and key in _columns(file).values()]:
            what = f"{duplicates[0]} is a column of {file} and in the name of its folder: leave one of them out"
            raise InvalidInput("conflict", "path", what)


def evaluation(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a Parquet file, in the files that a pattern names, or in those of a folder."""
    files = _files(location.file)
    if not files:
        raise InvalidInput("empty", "path", "no file matches it")
    if details := [file.name for file in files if is_lighteval(file)]:
        raise InvalidInput(
            "format", "path", f"tables beside the details of lighteval ({shown(details[0])}): read the two separately"
        )
    for file in files:  # engines ignore capitals, and would read one of Outcome and outcome
        table.positions_of(list(_columns(file).values()))
    keys = _folder_columns(location.file, files)
    _check_folder_columns(files, keys)
    with errors():
        engine = _engine(options, bool(keys) and "=" in str(location.file))
        frame = backends.wrap(_scan(engine, [str(file) for file in files], keys, str(location.file), options.cost))
        if len(files) > 1 and "model" not in frame.collect_schema():
            what = f"{len(files)} files without a column model: scorio cannot know whether they are of one model"
            raise InvalidInput("format", "path", what)
        return frames.evaluation(frame, location, options, None, files[0].stem, "parquet")


def _engine(options: ReadOptions, partitioned: bool) -> str:
    """The engine to read with: Arrow if no other is installed, or if it is to read a `partitioned` folder.

    partitioned : whether folders below the path name columns, and the path itself may name one too, as in day=1/. The
        other engines, which look for columns in the whole path, would add such a column.
    """
    available = (name for name in ENGINES[:: -1 if options.trials else 1] if find_spec(name) and not partitioned)
    return next(available, "pyarrow")


def _files(path: Path) -> list[Path]:
    """The Parquet files that a path names."""
    if path.is_dir():
        if (path / "_delta_log").exists():
            what = "a Delta table, whose files may contain deleted rows: give its frame to from_frame"
            raise InvalidInput("format", "path", what)
        return sorted(_visible(path))
    if not path.exists() and any(c in str(path) for c in "*?["):
        return [Path(x) for x in sorted(glob(str(path), recursive=True))]
    return [path]


def _visible(folder: Path) -> Iterator[Path]:
    """All Parquet files below a folder, except hidden ones and those in folders of engines such as _temporary/."""
    for file, is_candidate in walked(folder):
        in_engine_folder = any(part.startswith("_") for part in file.relative_to(folder).parts)
        if is_candidate and file.suffix.lower() == ".parquet" and not in_engine_folder:
            yield file


def _folder_columns(path: Path, files: list[Path]) -> list[str]:
    """The columns that the names of folders state, such as model in model=gpt-9/."""
    if not path.is_dir():
        return []
    parts = (part for file in files for part in file.relative_to(path).parts[:-1])
    return list(dict.fromkeys(part.partition("=")[0] for part in parts if "=" in part))


def _check(file: Path) -> None:
    """Raise unless a file begins and ends as a Parquet file does."""
    with naming_file(file), file.open("rb") as f:
        refuse_pointer(f.read(len(LFS)))
        f.seek(0)
        first = f.read(len(MAGIC))
        f.seek(max(0, f.seek(0, 2) - len(MAGIC)))
        if first != MAGIC or f.read() != MAGIC:
            raise InvalidInput("format", "path", f"{file.name} is not a Parquet file, or not a complete one")


def _scan(engine: str, files: list[str], keys: list[str], folder: str, cost: str | None) -> Any:
    """The rows of the files, with the columns in the names of their folders as text; * in a file name is literal."""
    if engine == "duckdb":
        import duckdb

        files = [GLOB.sub(r"[\g<0>]", file) for file in files]
        hive = f"hive_partitioning = {bool(keys)}, hive_types_autocast = false"
        cursor = duckdb.cursor()  # keeps the limits that the caller may have set
        cursor.execute("set enable_progress_bar = false")  # it would be drawn on the standard output
        return cursor.sql(f"select * from read_parquet($files, {hive})", params={"files": files})
    if engine == "polars":
        import polars as pl

        hive_schema = dict.fromkeys(keys, pl.String) or None
        return pl.scan_parquet(files, glob=False, hive_partitioning=bool(keys), hive_schema=hive_schema)
    import pyarrow as pa
    import pyarrow.dataset

    hive = pa.dataset.partitioning(pa.schema([(key, pa.string()) for key in keys]), flavor="hive")
    base = {"partitioning": hive, "partition_base_dir": folder} if keys else {}
    dataset = pa.dataset.dataset(files, **base)
    names = dataset.schema.names
    head = dataset.head(backends.SAMPLE)
    flat = [x for x in names if not pa.types.is_nested(head.schema.field(x).type)]
    few = {x for x in flat if len(head[x].unique()) <= MOST_LEVELS}
    wanted = {*table.COLUMNS, *UNITS}
    rows = dataset.to_table([name for name in names if name.lower() in wanted or name == cost or name in few] or None)
    for name in set(names) - set(rows.column_names):
        rows = rows.append_column(name, pa.nulls(len(rows)))  # only its name is needed, for remarks
    return rows


@contextmanager
def errors() -> Iterator[None]:
    """Turn errors of an engine about broken or inconsistent files into errors of this package."""
    try:
        yield
    except (InvalidInput, ImportError):
        raise
    except Exception as e:
        if getattr(e, "errno", None) or "memory" in type(e).__name__.lower():
            raise  # the system failed, not the file
        what = " ".join(str(e).split())[:200]
        raise InvalidInput("format", "path", f"cannot be read as Parquet: {type(e).__name__}: {what}") from e
