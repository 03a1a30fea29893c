"""Sources of logs: files, folders, archives, URLs, patterns, lists of these, the standard input and open files."""

from __future__ import annotations

import lzma
import re
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial, reduce
from glob import glob
from io import BytesIO
from itertools import takewhile
from operator import add
from pathlib import Path, PurePosixPath
from typing import IO, Any

from .. import arguments, saving
from ..display.text import among
from ..errors import InvalidInput, shown
from . import advice, backends, detect, engine, folders, frames, memory
from .accumulator import NeedsRowReader, TrialAccumulator
from .evaluation import EvaluationData
from .files import (
    ARCHIVES,
    LARGEST,
    FileState,
    check_unchanged,
    excluded,
    file_states,
    is_archive,
    is_url,
    naming_file,
    opened_zip,
    plain_suffix,
)
from .formats import NAMES
from .options import ReadOptions, read_options
from .records import Runs
from .text_files import SourceLocation, path_of

STDIN = "-"
OF_FOLDERS = ("files_are_runs", "layout", "exclude")  # options that only folders have


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
    provenance = replace(data.provenance, files=names, states=states, missing=options.missing)
    return replace(data, provenance=replace(provenance, missing_code=kwargs.get("missing_code")))


def _as_list(source: Any) -> list[Any]:
    return list(source) if isinstance(source, (list, tuple)) else [source]


def evaluation(path: Any, options: ReadOptions) -> EvaluationData:
    """The evaluation in files, folders, patterns, URLs or streams."""
    sources = _as_list(path)
    for needs_copy, copied in ((is_url, _copied), (is_archive, _unpacked)):
        if to_copy := [x for x in sources if needs_copy(x)]:
            others = [x for x in sources if not needs_copy(x)]
            return _read_copies(to_copy, others, copied, options)
    inputs = locations(path)
    tables = [x for x in inputs if x.data is None and frames.is_table(x.file)] if len(inputs) > 1 else []
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
        if len(group) == 1:
            return _read_one(location, options)
        roots = [x.file for x in group]
        for file in roots:
            if not file.exists():
                raise FileNotFoundError(2, "No such file or directory", str(file))
        return folders.read(location, options, roots)
    except NeedsRowReader:
        return _read_group([SourceLocation(x.root, x.data) for x in group], options._replace(engine=False))
    except InvalidInput as e:
        raise e.of(str(location)) from None
    except RecursionError:
        raise InvalidInput("format", "path", f"{location}: nested too deeply") from None


def _read_one(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in one file, folder, stream or pattern of Parquet files."""
    if location.data is not None and detect.kind_of(location) == "parquet":
        return _streamed(location, options)
    folder = location.data is None and location.file.is_dir()
    if location.data is None and options.columns is None and not options.wide and options.rows is None:
        below = [file for file, _ in location.below(location.file)] if folder else None
        if folder and options.exclude:
            below = [x for x in below or [] if not excluded(options.exclude, x.relative_to(location.file).as_posix())]
        if frames.is_table(location.file, below):
            return _tables(location, options)
    if folder:
        return folders.read(location, options)
    for name in OF_FOLDERS:
        if getattr(options, name):
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
        records = Runs(location, pooled=False).records(source.records, source.is_one_trial)
        accumulator.take(records, source.metric, source.format != "table")
    return accumulator.evaluation(source.format)


def _tables(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a Parquet table, or in those of a folder or pattern."""
    detect.check_plain("table", options)
    skipped = folders.other_files(location.file, ".parquet") if location.file.is_dir() else []
    for name in OF_FOLDERS:
        if getattr(options, name):
            what = f"{name} does not apply to Parquet tables, which are one log whose columns state model and trial"
            raise InvalidInput("conflict", name, what)
    data = frames.parquet_evaluation(location, options)
    return replace(data, provenance=replace(data.provenance, skipped=tuple(skipped)))


def _streamed(location: SourceLocation, options: ReadOptions) -> EvaluationData:
    """The evaluation in a stream of Parquet."""
    import pyarrow.parquet as pq

    detect.check_plain("table", options)
    with frames.parquet_errors(), location.opened() as f:
        table = pq.read_table(BytesIO(f.read()))
    return frames.evaluation(backends.wrap(table), location, options, options.columns, location.stem, "parquet")


MAX_BYTES = 4 * LARGEST  # of all files of an archive or a URL: a decompression bomb must not fill the disk
MAX_FILES = 1_000_000  # files of an archive or a URL
SLACK, MAX_RATIO = 1 << 26, 1000  # of an archive: bytes that any may have, and bytes per byte of a larger one
CHUNK = 1 << 20  # bytes copied at once
BROKEN = (  # what zipfile and tarfile raise for a broken archive
    zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, RuntimeError, IndexError, KeyError,
    ValueError, OverflowError,
)  # fmt: skip
NEEDS = "a URL needs fsspec, and the driver of its kind (s3fs, gcsfs, huggingface_hub): pip install fsspec"


def _read_copies(
    sources: list[Any],
    others: list[Any],
    copied: Callable[[Any, Path], dict[str, tuple[str, Path]]],
    options: ReadOptions,
) -> EvaluationData:
    """The evaluation in copies of these sources and in the others; messages and remarks name the sources.

    copied : a function that copies a source below a folder; it returns the source and the path to read for each copy.
    """
    with saving.temporary_folder() as folder:
        names, paths = dict[str, str](), list[Path]()
        for i, source in enumerate(sources):
            for copy, (name, path) in copied(source, Path(folder, str(i))).items():
                names[copy] = name
                paths.append(path)

        def renamed(text: str) -> str:
            for path, source in names.items():
                text = text.replace(path, source)
            return text

        try:
            data = evaluation([*others, *paths], options)
        except InvalidInput as e:
            hint = None if e.hint and folder in e.hint else e.hint  # a path of the temporary folder is of no use
            raise InvalidInput(e.code, e.argument, renamed(e.reason), hint) from None
        unfinished, remarks = (tuple(map(renamed, x)) for x in (data.provenance.unfinished, data.provenance.remarks))
        return replace(data, provenance=replace(data.provenance, unfinished=unfinished, remarks=remarks))


class Landing:
    """The folder in which copies of an archive's members, or of the files at a URL, are written: nowhere else.

    A copy is refused before it is written where its stated size exceeds what is left of the limits, and while it is
    written where the statement was false.
    """

    def __init__(self, root: Path, source: str, advice: str, packed_size: int | None = None) -> None:
        self.root, self.source, self.advice = root, source, advice
        # a sparse tar file, or one repeated byte, states far more than logs that are compressed well
        most = MAX_BYTES if packed_size is None else min(MAX_BYTES, SLACK + MAX_RATIO * packed_size)
        self.bytes_left, self.files_left = most, MAX_FILES

    def check(self, n_files: int, n_bytes: int) -> None:
        """Refuse this many more files, or bytes, if they are too many."""
        if n_bytes > self.bytes_left or n_files > self.files_left:
            reason = f"{n_files:,} files" if n_files > self.files_left else f"{n_bytes:,} bytes"
            raise InvalidInput("format", "path", f"{self.source}: {reason} are too many: {self.advice}")

    def copy(self, name: str, size: int, open_source: Callable[[], IO[bytes]]) -> Path:
        """Write a copy of a file under its name, which must be below the root; the path of the copy."""
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or parts[0].startswith("/") or re.match("[A-Za-z]:", parts[0]):
            raise InvalidInput("format", "path", f"{self.source}: member {shown(name)} would be outside of its folder")
        self.check(1, size)
        self.files_left -= 1
        target = self.root.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            out = target.open("xb")
        except (FileExistsError, NotADirectoryError):
            raise InvalidInput("duplicate", "path", f"{self.source}: two members are named {shown(name)}") from None
        with open_source() as source, out:
            while chunk := source.read(CHUNK):
                if len(chunk) > self.bytes_left:
                    raise InvalidInput("format", "path", f"{self.source}: too many bytes: {self.advice}")
                self.bytes_left -= len(chunk)
                out.write(chunk)
        return target


# --- archives ----------------------------------------------------------------------------------------


def _unpacked(path: Any, folder: Path) -> dict[str, tuple[str, Path]]:
    """Unpack an archive below a folder, see :func:`_read_copies`; links and devices in a tar file are skipped."""
    path = path_of(path)
    stem = next(path.name[: -len(x)] for x in sorted(ARCHIVES, key=len)[::-1] if path.name.lower().endswith(x))
    root = folder / (stem or "archive")
    root.mkdir(parents=True)
    try:
        with naming_file(path):
            landing = Landing(root, str(path), "unpack it first", path.stat().st_size)
            files = [landing.copy(*member) for member in _members(path, landing)]
    except InvalidInput:  # which is a ValueError
        raise
    except NotImplementedError as e:  # which is a RuntimeError
        raise InvalidInput("format", "path", f"{path}: {e}: pack it again") from None
    except BROKEN as e:
        raise InvalidInput("format", "path", f"{path}: not a complete archive: {e}") from None
    if not files:
        raise InvalidInput("empty", "path", f"{path}: the archive has no file")
    return {str(root): (str(path), files[0] if len(files) == 1 else root)}


def _members(path: Path, landing: Landing) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    """The name of each file in an archive, its stated size, and a function that opens it."""
    if path.name.lower().endswith(".zip"):
        with path.open("rb") as f, opened_zip(f) as z:
            files = [x for x in z.infolist() if not x.is_dir()]
            landing.check(len(files), sum(x.file_size for x in files))
            for x in files:
                yield x.filename, x.file_size, lambda x=x: z.open(x)  # type: ignore[misc]
        return
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isfile():
                yield member.name, member.size, lambda member=member: tar.extractfile(member)  # type: ignore[misc]
        assert tar.fileobj is not None
        tar.fileobj.seek(tar.offset)
        # tarfile stops at a missing block without an error
        if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it is cut short")


# --- URLs ---------------------------------------------------------------------------------------------


def _copied(url: str, folder: Path) -> dict[str, tuple[str, Path]]:
    """Copy the files and folders at a URL into a folder, under their own names, see :func:`_read_copies`."""
    folder.mkdir()
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{url}: {NEEDS}") from None
    try:
        system, root = fsspec.core.url_to_fs(url)
        paths = _copied_files(url, system, root, folder)
    except InvalidInput:  # which is a ValueError
        raise
    except (ImportError, ValueError) as e:
        raise ImportError(f"{url}: {e}") from None
    except (OSError, MemoryError):
        raise
    except Exception as e:  # drivers of fsspec raise errors of many kinds
        raise InvalidInput("format", "path", f"{url} cannot be read: {type(e).__name__}: {e}") from None
    own = url.rstrip("/").rpartition("/")[2]
    return {str(x): (url if x.name == own else f"{url} ({x.name})", x) for x in paths}


def _packed_size(url: str) -> int | None:
    """The size of the archive in a chained URL such as zip://runs::file://x.zip; None: none, or its size is unknown."""
    import fsspec

    parts = url.split("::")
    archives = [i for i, part in enumerate(parts[:-1]) if part.partition("://")[0] in ("zip", "tar", "libarchive")]
    if not archives:
        return None
    # of archives in archives the outermost, whose size nothing states but storage
    system, path = fsspec.core.url_to_fs("::".join(parts[archives[-1] + 1 :]))
    size: int | None = system.info(path).get("size")
    return size


def _copied_files(url: str, system: Any, root: str, folder: Path) -> list[Path]:
    """Copy what a file system of fsspec has at a root."""
    roots = sorted(system.glob(root)) if any(c in root for c in "*?[") else [root]
    web = "http" in system.protocol  # a body may be endless: no question about it may read it
    if not web and (not roots or not all(system.exists(x) for x in roots)):
        raise FileNotFoundError(2, "No such file or directory", url)
    folders = [x.rstrip("/").split("/")[:-1] for x in roots]  # a root may be a URL, whose // counts
    parent = "/".join(x[0] for x in takewhile(lambda x: len({*x}) == 1, zip(*folders, strict=False)))
    landing = Landing(folder, url, "copy it first", _packed_size(url))
    for x in roots:
        # pipes and devices, which would be waited for or never end, are left out
        is_folder = x.endswith("/") if web else system.isdir(x)
        if is_folder:
            entries = system.find(x, detail=True)
        else:
            try:
                entries = {x.rstrip("/"): dict(system.info(x))}
            except FileNotFoundError as e:  # drivers say so of all that fails, and keep the reason as the cause
                if e.__cause__ is None or getattr(e.__cause__, "status", None) == 404:
                    raise FileNotFoundError(2, "No such file or directory", url) from None
                reason = f"{type(e.__cause__).__name__}: {e.__cause__}"
                raise InvalidInput("format", "path", f"{url} cannot be read: {reason}") from None
        files = {file: info for file, info in entries.items() if info.get("type", "file") == "file"}
        if not files:
            raise InvalidInput("empty", "path", f"{url}: there is no file")
        landing.check(len(files), sum(info.get("size") or 0 for info in files.values()))
        for file, info in files.items():
            if not file.startswith(parent):
                raise InvalidInput("format", "path", f"{url}: member {shown(file)} would be outside of its folder")
            landing.copy(file[len(parent) :].lstrip("/"), info.get("size") or 0, partial(system.open, file, "rb"))
    return [folder / x.rstrip("/")[len(parent) :].lstrip("/") for x in roots]
