"""The files of a log: what would be read, and as what, without counting it; their hashes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from . import archives, parquet
from .asking import asked
from .detect import Source, source
from .formats.fields import Unknown
from .formats.inspect_retries import superseded
from .sources import places
from .text_files import Place
from .tree import excluded, named, walked


def listed(path: Any, **given: Any) -> list[dict[str, Any]]:
    r"""Every file of a log: what it is, and what a layout says of it.

    Parameters
    ----------
    path : as for :func:`scorio.io.read`
    **given
        Its options.

    Returns
    -------
    list of dict
        Of each file its name, whether it would be read, its format or why it is passed by, and the fields of the
        layout. Files are looked into, as far as it takes to know them, but their outcomes are not counted.

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
    options, found = asked(**given), []
    for place in places(path):
        files = [(place.file.parent, place.file, True)]
        if place.data is None and place.file.is_dir():
            files = [(place.file, file, log) for file, log in walked(place.file)]
        old = superseded([file for _, file, log in files if log and place.data is None])
        for root, file, log in files:
            if excluded(options.exclude, file.relative_to(root).as_posix()):
                found.append({"file": file.relative_to(root).as_posix(), "read": False, "format": "excluded"})
                continue
            said = options.layout.match(root, file) if options.layout else {}
            record = {"file": named(file, file.relative_to(root).as_posix())}
            if said is None or not log:
                what = "not of this layout" if log else _passed_by(file)
                found.append(record | {"read": False, "format": what})
            elif file in old:
                found.append(record | {"read": False, "format": f"retried: {old[file].name}"})
            else:
                found.append(record | _told(place, file, options) | said)
    return found


def _passed_by(file: Path) -> str:
    """Why a file is none that is looked into."""
    if file.is_symlink() and file.is_dir():
        return "a link to a folder"
    if archives.is_archive(file.name):
        return "an archive: read it by itself"
    return "hidden" if file.name.startswith(".") else "not a log by its name"


def _told(place: Place, file: Path, options: Any) -> dict[str, Any]:
    here = Place(file, place.data)
    try:
        if (
            options.columns is None
            and not options.wide
            and file.suffix.lower() == ".parquet"
            and not parquet.of_lighteval(file)
        ):
            return {"read": True, "format": "parquet"}
        told = source(here, options)
    except Unknown as e:
        return {"read": False, "format": f"unknown: {e.reason.rpartition(': it is ')[2]}"}
    except InvalidInput as e:
        return {"read": False, "format": f"error: {e.reason}"}
    return {"read": isinstance(told, Source), "format": told.format if isinstance(told, Source) else told}


def hashed(paths: Iterable[str]) -> list[dict[str, Any]]:
    """Name, size and SHA-256 of the files of a log, as they are now; of a folder those that are logs by their name."""
    found = []
    for place in (place for path in paths if path != "-" and Path(path).exists() for place in places(path)):
        folder = place.file.is_dir()
        for file in [x for x, log in walked(place.file) if log] if folder else [place.file]:
            with open(file, "rb") as f:
                digest = file_digest(f, "sha256").hexdigest()
            name = file.relative_to(place.file).as_posix() if folder else file.name
            found.append({"file": name, "bytes": file.stat().st_size, "sha256": digest})
    return found
