"""Archives and URLs, copied to a temporary folder and read there; messages name the sources, not the copies."""

from __future__ import annotations

import lzma
import os
import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from ..errors import InvalidInput, shown
from .evaluation import EvaluationData
from .packed import LARGEST, naming_file
from .text_files import path_of

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
MAX_BYTES = 4 * LARGEST  # of all members of an archive: a decompression bomb must not fill the disk
CHUNK = 1 << 20  # bytes copied at once
TAIL = (1 << 16) + 22  # bytes at the end of a zip file that contain the end of its directory
NEEDS = "a URL needs fsspec, and the driver of its kind (s3fs, gcsfs, huggingface_hub): pip install fsspec"


def renamed(text: str, names: dict[str, str]) -> str:
    """A message with the names of the sources instead of the paths of their copies."""
    for path, source in names.items():
        text = text.replace(path, source)
    return text


def _with_names_of_sources(data: EvaluationData, names: dict[str, str]) -> EvaluationData:
    """The evaluation with the names of the sources in its notes and remarks."""
    provenance = data.provenance
    unfinished, remarks = (
        tuple(renamed(x, names) for x in texts) for texts in (provenance.unfinished, provenance.remarks)
    )
    return replace(data, provenance=replace(provenance, unfinished=unfinished, remarks=remarks))


# --- archives ----------------------------------------------------------------------------------------


def is_archive(path: Any) -> bool:
    """Whether a path is that of a file whose name has the ending of an archive."""
    return isinstance(path, (str, os.PathLike)) and str(path).lower().endswith(ENDINGS) and not os.path.isdir(path)


def read_archives(paths: list[Any], others: list[Any], read: Callable[[list[Any]], EvaluationData]) -> EvaluationData:
    """Read the unpacked members of archives and the other sources; messages and remarks name the archives."""
    with TemporaryDirectory(prefix="scorio-") as folder:
        names, roots = dict[str, str](), list[Path]()
        for i, path in enumerate(map(path_of, paths)):
            stem = next(path.name[: -len(x)] for x in sorted(ENDINGS, key=len)[::-1] if path.name.lower().endswith(x))
            root = Path(folder, str(i), stem or "archive")
            root.mkdir(parents=True)
            try:
                with naming_file(path):
                    files = list(_unpacked(path, root))
            except (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, RuntimeError) as e:
                raise InvalidInput("format", "path", f"{path}: not a complete archive: {e}") from None
            except NotImplementedError as e:
                raise InvalidInput("format", "path", f"{path}: {e}: pack it again") from None
            if not files:
                raise InvalidInput("empty", "path", f"{path}: the archive has no file")
            names[str(root)] = str(path)
            roots.append(files[0] if len(files) == 1 else root)
        try:
            data = read([*others, *roots])
        except InvalidInput as error:
            # a hint with a path of the temporary folder is of no use
            hint = None if error.hint and folder in error.hint else error.hint
            raise InvalidInput(error.code, error.argument, renamed(error.reason, names), hint) from None
        return _with_names_of_sources(data, names)


def _unpacked(path: Path, root: Path) -> Iterator[Path]:
    """Unpack an archive below the root and yield its files; links and devices in a tar file are skipped."""
    remaining = MAX_BYTES
    for name, open_member in _members(path):
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or parts[0].startswith("/") or re.match("[A-Za-z]:", parts[0]):
            raise InvalidInput("format", "path", f"{path}: member {shown(name)} would be outside of the archive")
        target = root.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            out = target.open("xb")
        except (FileExistsError, NotADirectoryError):
            raise InvalidInput("duplicate", "path", f"{path}: two members are named {shown(name)}") from None
        with open_member() as member, out:
            while chunk := member.read(CHUNK):
                remaining -= len(chunk)
                if remaining < 0:
                    raise InvalidInput("format", "path", f"{path}: more than {MAX_BYTES:,} bytes: unpack it first")
                out.write(chunk)
        yield target


def _members(path: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """The name of each file in an archive, and a function that opens it."""
    if path.name.lower().endswith(".zip"):
        with path.open("rb") as f:
            f.seek(max(0, f.seek(0, 2) - TAIL))
            f.read()  # fails on a disk error, which zipfile would report as "not a zip file"
        with zipfile.ZipFile(path) as z:
            for x in z.infolist():
                if not x.is_dir():
                    yield x.filename, lambda x=x: z.open(x)  # type: ignore[misc]
        return
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isfile():
                yield member.name, lambda member=member: tar.extractfile(member)  # type: ignore[misc]
        assert tar.fileobj is not None
        tar.fileobj.seek(tar.offset)
        # tarfile stops at a missing block without an error
        if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it is cut short")


# --- URLs ---------------------------------------------------------------------------------------------


def is_url(path: Any) -> bool:
    """Whether a path is text such as s3://bucket/runs; one letter before :// may be the drive of a file."""
    scheme, separator, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return bool(separator) and scheme.replace("+", "").replace("::", "").isalnum() and len(scheme) > 1


def read_urls(urls: list[Any], others: list[Any], read: Callable[[list[Any]], EvaluationData]) -> EvaluationData:
    """Read copies of these URLs and the other sources; messages and remarks name the URLs."""
    with TemporaryDirectory(prefix="scorio-") as folder:
        names: dict[str, str] = {}
        paths = []
        for i, url in enumerate(urls):
            subfolder = Path(folder, str(i))
            subfolder.mkdir()
            for path in _copied(url, subfolder):
                names[str(path)] = url if path.name == url.rstrip("/").rpartition("/")[2] else f"{url} ({path.name})"
                paths.append(path)
        try:
            return _with_names_of_sources(read([*others, *paths]), names)
        except InvalidInput as e:
            hint = None if e.hint and folder in e.hint else e.hint  # a path of the temporary folder is of no use
            raise InvalidInput(e.code, e.argument, renamed(e.reason, names), hint) from None


def _copied(url: str, folder: Path) -> list[Path]:
    """Copy the files and folders at a URL into a folder, under their own names; the paths of the copies."""
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{url}: {NEEDS}") from None
    try:
        system, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as e:
        raise ImportError(f"{url}: {e}") from None
    roots = sorted(system.glob(root)) if any(c in root for c in "*?[") else [root]
    if not roots or not all(system.exists(x) for x in roots):
        raise FileNotFoundError(2, "No such file or directory", url)
    copies = []
    parent = posixpath.commonpath([posixpath.dirname(x.rstrip("/")) for x in roots])
    for x in roots:
        source = x.rstrip("/")
        target = folder / source[len(parent) :].lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if system.isdir(x):
            for file in system.find(x):
                copy = target / file[len(source) :].lstrip("/")
                copy.parent.mkdir(parents=True, exist_ok=True)
                system.get_file(file, str(copy))
        else:
            system.get_file(x, str(target))
        copies.append(target)
    return copies
