"""Sources of logs: files, folders, archives, patterns, lists of these, the standard input and open files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce
from glob import glob
from io import BytesIO
from operator import add
from pathlib import Path
from typing import Any

from .. import arguments
from ..display.text import among
from ..errors import InvalidInput, shown
from . import advice, assembly, backends, copies, detect, engine, folders, frames, memory, parquet
from .accumulator import NeedsRowReader, TrialAccumulator
from .evaluation import EvaluationData
from .formats import NAMES
from .options import ReadOptions, read_options
from .packed import plain_suffix
from .records import Runs
from .text_files import SourceLocation, path_of
from .tree import FileState, check_unchanged, excluded, file_states

STDIN = "-"


def read(
    source: Any, columns: Mapping[str, str | None] | None = None, *, framed: bool = False, **kwargs: Any
) -> EvaluationData:
    """The evaluation in a source of any kind, with the options of :func:`scorio.read`.

    framed : whether the source must be a data frame.
    """
    framed = framed or backends.is_frame(source)
    if framed or memory.holds_outcomes(source):
        for name in ("which", "format", "files_are_runs", "layout", "exclude", "wide", "rows", "outcomes"):
            if kwargs.get(name) and not (framed and name in ("wide", "outcomes")):
                raise InvalidInput("conflict", name, f"{name} applies to files, and these outcomes are in memory")
        if kwargs.get("cost") and not framed:
            raise InvalidInput("conflict", "cost", "cost names a column, and arrays have none: read a table or a frame")
        if kwargs.pop("answers", False):
            raise InvalidInput(
                "missing", "answers", "answers=True reads the answers of a file; Answers in memory need no option"
            )
        options = read_options(**kwargs)
        data = (frames.of_native if framed else memory.evaluation)(source, options, columns)
        names, states = tuple[str, ...](), tuple[FileState, ...]()
    else:
        options = read_options(columns=columns, **kwargs)
        if options.format is not None:
            arguments.choice(options.format, "format", NAMES)
        names = tuple(_name(x) if hasattr(x, "read") else str(x) for x in _as_list(source))
        if "" in names:  # which would be the current folder, where a variable is not set
            raise InvalidInput("empty", "path", "the path is empty: name a file or a folder (. is the current one)")
        states = file_states(names)
        try:
            data = advice.read_or_advise(evaluation, source, options)
        finally:  # also where the change caused an error
            check_unchanged(states, names, "while it was read")
        for part in data.benchmarks.values() if options.answers else ():
            if any(log.answers is None for log in part.logs.values()):
                what = f"{data.provenance.format} has outcomes, not the answers of trials"
                raise InvalidInput("missing", "answers", what)
    for old, new in options.renames.items():
        if new not in data.benchmarks:
            known = among(old, [x for x in data.benchmarks if x]) if any(data.benchmarks) else "none with a name"
            raise InvalidInput("choice", "task", f"no task is called {shown(old)}; the log has {known}")
    used_options: dict[str, Any] = {
        "files": names,
        "states": states,
        "missing": options.missing,
        "missing_code": kwargs.get("missing_code"),
    }
    return replace(data, provenance=replace(data.provenance, **used_options))


def _as_list(source: Any) -> list[Any]:
    return list(source) if isinstance(source, (list, tuple)) else [source]


def evaluation(path: Any, options: ReadOptions) -> EvaluationData:
    """The evaluation in files, folders, patterns, URLs or streams."""
    sources = _as_list(path)
    for needs_copy, read_copies in ((copies.is_url, copies.read_urls), (copies.is_archive, copies.read_archives)):
        if to_copy := [x for x in sources if needs_copy(x)]:
            others = [x for x in sources if not needs_copy(x)]
            return read_copies(to_copy, others, partial(evaluation, options=options))
    inputs = locations(path)
    tables = [x for x in inputs if x.data is None and parquet.is_table(x.file)] if len(inputs) > 1 else []
    single = [x for x in inputs if x.data is not None or x in tables]  # each is an evaluation by itself
    read_together = [x for x in inputs if x not in single]
    groups = [*([x] for x in single), *([read_together] if read_together else [])]
    return reduce(add, (_read_group(group, options) for group in groups))


def locations(path: Any) -> list[SourceLocation]:
    """The location of every file, folder and stream that a path names."""
    if isinstance(path, (list, tuple)):
        if not path:
            raise InvalidInput("empty", "path", "no path is given")
        return [location for x in path for location in locations(x)]
    if hasattr(path, "read"):
        return [SourceLocation(Path(_name(path)), _bytes(path))]
    if path == STDIN:
        if sys.stdin is None:
            raise InvalidInput("empty", "path", "there is no standard input")
        return [SourceLocation(Path("stdin"), _bytes(getattr(sys.stdin, "buffer", sys.stdin)))]
    file = path_of(path)
    if file.is_fifo():  # a pipe can be read only once, so it is read as a stream
        return [SourceLocation(file, file.read_bytes())]
    if any(c in str(file) for c in "*?[") and not file.exists():
        files = [Path(x) for x in sorted(glob(str(file), recursive=True))]
        if not files or all(x.suffix.lower() == ".parquet" for x in files):
            return [SourceLocation(file)]
        return [SourceLocation(x) for x in files]
    return [SourceLocation(file)]


def _name(stream: Any) -> str:
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and name else "stream"


def _bytes(stream: Any) -> bytes:
    """All bytes of an open file."""
    data = stream.read()
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if not isinstance(data, (bytes, bytearray)):
        what = f"read() of {shown(type(stream).__name__)} gives {shown(type(data).__name__)}, not bytes or text"
        raise InvalidInput("type", "path", what)
    return bytes(data)


def _read_group(group: list[SourceLocation], options: ReadOptions) -> EvaluationData:
    """The evaluation at these locations; errors name the location."""
    location = group[0]
    if len(group) > 1:
        location = SourceLocation(Path(f"{location.file} and {len(group) - 1} more"))
    try:
        return (
            _read_several(location, [x.file for x in group], options)
            if len(group) > 1
            else _read_one(location, options)
        )
    except NeedsRowReader:
        return _read_group([SourceLocation(x.root, x.data) for x in group], options._replace(engine=False))
    except InvalidInput as e:
        raise e.of(str(location)) from None
    except RecursionError:
        raise InvalidInput("format", "path", f"{location}: nested too deeply") from None


def _read_several(location: SourceLocation, files: Iterable[Path], options: ReadOptions) -> EvaluationData:
    roots = list(files)
    for file in roots:
        if not file.exists():
            raise FileNotFoundError(2, "No such file or directory", str(file))
    return folders.read(location, options, roots)


def _read_one(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in one file, folder, stream or pattern of Parquet files."""
    if location.data is not None and detect.kind_of(location) == "parquet":
        return _streamed(location, options)
    folder = location.data is None and location.file.is_dir()
    if location.data is None and options.columns is None and not options.wide and options.rows is None:
        below = [file for file, _ in location.below(location.file)] if folder else None
        if folder and options.exclude:
            below = [x for x in below or [] if not excluded(options.exclude, x.relative_to(location.file).as_posix())]
        if parquet.is_table(location.file, below):
            return _tables(location, options)
    if folder:
        return folders.read(location, options)
    for name, value in (
        ("files_are_runs", options.files_are_runs),
        ("layout", options.layout),
        ("exclude", options.exclude),
    ):
        if value:
            raise InvalidInput("conflict", name, f"{name} applies to the files of a folder, and this is one file")
    ending = plain_suffix(location.file.name)
    is_plain_array = ending in (".npy", ".npz") and options.format in (None, "array") and options.C is not None
    is_plain_array = is_plain_array and not options.words and options.rows is None
    if is_plain_array and not options.which.requests and not options.tasks:
        return memory.array_evaluation(location, options)
    source = detect.source(location, options)
    if isinstance(source, str):
        raise InvalidInput("format", "path", f"this is {source}: it has no outcomes of questions")
    accumulator = TrialAccumulator(location, options)
    # iter: the records of one file need no check against those of others
    if source.table is None or not engine.try_count(location, *source.table, accumulator, iter):
        accumulator.take(
            Runs(location, pooled=False).records(source.records, source.is_one_trial),
            source.metric,
            source.format != "table",
        )
    return assembly.evaluation(accumulator, source.format)


def _tables(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a Parquet table, or in those of a folder or pattern."""
    detect.check_plain("table", options)
    skipped = folders.other_files(location.file, ".parquet") if location.file.is_dir() else []
    for name, value in (
        ("files_are_runs", options.files_are_runs),
        ("layout", options.layout),
        ("exclude", options.exclude),
    ):
        if value:
            what = f"{name} does not apply to Parquet tables, which are one log whose columns state model and trial"
            raise InvalidInput("conflict", name, what)
    data = parquet.evaluation(location, options)
    return replace(data, provenance=replace(data.provenance, skipped=tuple(skipped)))


def _streamed(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a stream of Parquet."""
    import pyarrow.parquet as pq

    detect.check_plain("table", options)
    with parquet.errors(), location.opened() as f:
        table = pq.read_table(BytesIO(f.read()))
    return frames.evaluation(backends.wrap(table), location, options, options.columns, location.stem, "parquet")
