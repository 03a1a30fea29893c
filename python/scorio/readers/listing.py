"""The files of a log with their formats, or with their hashes; outcomes are not counted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import copies, parquet
from .detect import Source, source
from .evaluation import Provenance
from .formats.fields import UnknownFormat
from .formats.inspect_retries import superseded
from .options import read_options
from .packed import packed_copies
from .sources import locations
from .text_files import SourceLocation
from .tree import check_unchanged, excluded, is_link_out, may_be_log, name_and_kind, roots_of, walked

RECEIPT = b'{"schema": "scorio.receipt/'  # the start of a receipt, which may be in the folder of a log


def listed(path: Any, **kwargs: Any) -> list[dict[str, Any]]:
    r"""List the files of a log: the format of each, and its fields in a layout.

    Parameters
    ----------
    path : str, os.PathLike, file object, or a list of these
        A source of :func:`scorio.io.read`, other than an archive or a URL.
    **kwargs
        Options of :func:`scorio.io.read`.

    Returns
    -------
    list of dict
        For each file its name (file), whether it would be read (read), its format or why it is skipped (format), and
        the fields of the layout. Files are read only as far as it takes to recognise them; their outcomes are not
        counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a", "1.csv")
    ...     path.parent.mkdir()
    ...     _ = path.write_text("question,outcome\nq1,1\n")
    ...     io.listed(folder, layout="{model}/{run}.csv")
    [{'file': 'a/1.csv', 'read': True, 'format': 'table', 'model': 'a', 'run': '1'}]
    """
    options, entries = read_options(**kwargs), []
    for location in locations(path):
        files = [(location.file.parent, location.file, True)]
        if location.data is None and location.file.is_dir():
            files = [(location.file, file, is_candidate) for file, is_candidate in walked(location.file)]
        candidates = [file for _, file, is_candidate in files if is_candidate and location.data is None]
        retried, packed = superseded(candidates), packed_copies(candidates)
        for root, file, is_candidate in files:
            if excluded(options.exclude, file.relative_to(root).as_posix()):
                entries.append({"file": file.relative_to(root).as_posix(), "read": False, "format": "excluded"})
                continue
            fields = options.layout.match(root, file) if options.layout else {}
            entry = {"file": name_and_kind(file, file.relative_to(root).as_posix(), root)}
            if fields is None or not is_candidate:
                what = "not of this layout" if is_candidate else _skip_reason(file, root)
                entries.append(entry | {"read": False, "format": what})
            elif file in retried:
                entries.append(entry | {"read": False, "format": f"retried: {retried[file].name}"})
            elif file in packed:
                entries.append(entry | {"read": False, "format": f"a packed copy of {packed[file].name}"})
            else:
                entries.append(entry | _format_of(location, file, options) | fields)
    return entries


def _skip_reason(file: Path, root: Path) -> str:
    """The reason why a file is not opened."""
    if file.is_symlink() and file.is_dir():
        return "a link to a folder"
    if copies.is_archive(file.name):
        return "an archive: read it by itself"
    if file.name.startswith("."):
        return "hidden"
    if is_link_out(file, root):
        return "name the target of the link to read it"
    return "not a regular file" if may_be_log(file.name) else "not a log by its name"


def _format_of(location: SourceLocation, file: Path, options: Any) -> dict[str, Any]:
    """Whether a file would be read, and its format or the reason why not."""
    file_location = SourceLocation(file, location.data)
    try:
        if (
            options.columns is None
            and not options.wide
            and options.rows is None
            and file.suffix.lower() == ".parquet"
            and not parquet.is_lighteval(file)
        ):
            return {"read": True, "format": "parquet"}
        recognised = source(file_location, options)
    except UnknownFormat as e:
        # formats.unknown_format lists the formats before these words, and describes the file after them
        return {"read": False, "format": f"unknown: {e.reason.rpartition(': it is ')[2]}"}
    except InvalidInput as e:
        return {"read": False, "format": f"error: {e.reason}"}
    return {
        "read": isinstance(recognised, Source),
        "format": recognised.format if isinstance(recognised, Source) else recognised,
    }


def hashed(paths: Iterable[str]) -> list[dict[str, Any]]:
    """Name, size and SHA-256 of the files of a log as they are now.

    In a folder, only the files whose names may be those of logs are listed; receipts never are. A pattern stands for
    the files that it matches. The entry of a stream or a URL has a name only, since it cannot be read again.
    """
    entries: list[dict[str, Any]] = []
    for path in paths:
        roots = roots_of(path)
        if not roots:
            entries.append({"file": path})
        for root, file in _files(roots):
            with open(file, "rb") as f:
                digest = file_digest(f, "sha256").hexdigest()
            name = file.relative_to(root).as_posix() if root.is_dir() else file.name
            entries.append({"file": name, "bytes": file.stat().st_size, "sha256": digest})
    return entries


def hashed_unchanged(provenance: Provenance) -> list[dict[str, Any]]:
    """The entries of :func:`hashed`, of files that have not changed since they were read."""
    entries = hashed(provenance.files)
    check_unchanged(provenance.states, provenance.files, "since it was read")
    return entries


def is_file_of_log(path: str, paths: Iterable[str]) -> bool:
    """Whether a path is a file of the log at these paths, as :func:`hashed` finds them."""
    if not os.path.isfile(path):
        return False
    return any(os.path.samefile(path, file) for root in paths for _, file in _files(roots_of(root)))


def _files(roots: Iterable[str]) -> Iterator[tuple[Path, Path]]:
    """Each root with its files: those of a folder whose names may be those of logs; receipts are left out."""
    for root in map(Path, roots):
        for file in [x for x, is_candidate in walked(root) if is_candidate] if root.is_dir() else [root]:
            with open(file, "rb") as f:
                if f.read(len(RECEIPT)) != RECEIPT:
                    yield root, file
