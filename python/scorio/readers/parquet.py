"""Parquet files, read by Arrow and counted as frames are; ids of text stay coded as they are in the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, shown
from . import backends, frames, table
from .evaluation import EvaluationData
from .options import ReadOptions
from .packed import LFS, naming_file, refuse_pointer
from .text_files import SourceLocation, joined
from .tree import walked

DETAILS = ("doc", "metric", "model_response")  # columns of lighteval's details that are read
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
        dataset = _dataset([str(file) for file in files], keys, str(location.file))
        few = {"batch_size": backends.SAMPLE, "batch_readahead": 0, "fragment_readahead": 0}
        frame = backends.wrap(dataset.head(backends.SAMPLE, **few))
        if len(files) > 1 and "model" not in frame.collect_schema():
            what = f"{len(files)} files without a column model: scorio cannot know whether they are of one model"
            raise InvalidInput("format", "path", what)
        return frames.evaluation(frame, location, options, None, files[0].stem, "parquet", dataset)


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


def _dataset(files: list[str], keys: list[str], folder: str) -> Any:
    """The files as a data set of Arrow, with the columns in the names of their folders as text."""
    import pyarrow as pa
    import pyarrow.dataset

    hive = pa.dataset.partitioning(pa.schema([(key, pa.string()) for key in keys]), flavor="hive")
    base = {"partitioning": hive, "partition_base_dir": folder} if keys else {}
    schema = pa.dataset.dataset(files, **base).schema
    ids = [x.name for x in schema if x.name.lower() in table.COLUMNS and x.name not in keys]
    texts = [name for name in ids if "string" in str(schema.field(name).type)]
    form = pa.dataset.ParquetFileFormat(read_options={"dictionary_columns": texts})  # coded as they are in the files
    return pa.dataset.dataset(files, format=form, **base)


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
