"""Archives and URLs, copied to a temporary folder and read there; messages name the sources, not the copies."""

from __future__ import annotations

import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO, Any

from .. import saving
from ..errors import InvalidInput, shown
from .evaluation import EvaluationData
from .packed import LARGEST, naming_file, opened_zip
from .text_files import path_of

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
MAX_BYTES = 4 * LARGEST  # of all files of an archive or a URL: a decompression bomb must not fill the disk
MAX_FILES = 1_000_000  # files of an archive or a URL
SLACK, MAX_RATIO = 1 << 26, 1000  # of an archive: bytes that any may have, and bytes per byte of a larger one
CHUNK = 1 << 20  # bytes copied at once
BROKEN = (  # what zipfile and tarfile raise for a broken archive
    zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, RuntimeError, IndexError, KeyError,
    ValueError, OverflowError,
)  # fmt: skip
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


def is_archive(path: Any) -> bool:
    """Whether a path is that of a file whose name has the ending of an archive."""
    return isinstance(path, (str, os.PathLike)) and str(path).lower().endswith(ENDINGS) and not os.path.isdir(path)


def read_archives(paths: list[Any], others: list[Any], read: Callable[[list[Any]], EvaluationData]) -> EvaluationData:
    """Read the unpacked members of archives and the other sources; messages and remarks name the archives."""
    with saving.temporary_folder() as folder:
        names, roots = dict[str, str](), list[Path]()
        for i, path in enumerate(map(path_of, paths)):
            stem = next(path.name[: -len(x)] for x in sorted(ENDINGS, key=len)[::-1] if path.name.lower().endswith(x))
            root = Path(folder, str(i), stem or "archive")
            root.mkdir(parents=True)
            try:
                with naming_file(path):
                    files = list(_unpacked(path, root))
            except InvalidInput:  # which is a ValueError
                raise
            except NotImplementedError as e:  # which is a RuntimeError
                raise InvalidInput("format", "path", f"{path}: {e}: pack it again") from None
            except BROKEN as e:
                raise InvalidInput("format", "path", f"{path}: not a complete archive: {e}") from None
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
    landing = Landing(root, str(path), "unpack it first", path.stat().st_size)
    for name, size, open_member in _members(path, landing):
        yield landing.copy(name, size, open_member)


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


def is_url(path: Any) -> bool:
    """Whether a path is text such as s3://bucket/runs; one letter before :// may be the drive of a file."""
    scheme, separator, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return bool(separator) and scheme.replace("+", "").replace("::", "").isalnum() and len(scheme) > 1


def read_urls(urls: list[Any], others: list[Any], read: Callable[[list[Any]], EvaluationData]) -> EvaluationData:
    """Read copies of these URLs and the other sources; messages and remarks name the URLs."""
    with saving.temporary_folder() as folder:
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
        return _copied_files(url, system, root, folder)
    except InvalidInput:  # which is a ValueError
        raise
    except (ImportError, ValueError) as e:
        raise ImportError(f"{url}: {e}") from None
    except (OSError, MemoryError):
        raise
    except Exception as e:  # drivers of fsspec raise errors of many kinds
        raise InvalidInput("format", "path", f"{url} cannot be read: {type(e).__name__}: {e}") from None


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


def _info(system: Any, path: str, url: str) -> dict[str, Any]:
    """Facts about a file; drivers say of all that fails that there is no file, and keep the reason as the cause."""
    try:
        return dict(system.info(path))
    except FileNotFoundError as e:
        if e.__cause__ is None or getattr(e.__cause__, "status", None) == 404:
            raise FileNotFoundError(2, "No such file or directory", url) from None
        reason = f"{type(e.__cause__).__name__}: {e.__cause__}"
        raise InvalidInput("format", "path", f"{url} cannot be read: {reason}") from None


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
        entries = system.find(x, detail=True) if is_folder else {x.rstrip("/"): _info(system, x, url)}
        files = {file: info for file, info in entries.items() if info.get("type", "file") == "file"}
        if not files:
            raise InvalidInput("empty", "path", f"{url}: there is no file")
        landing.check(len(files), sum(info.get("size") or 0 for info in files.values()))
        for file, info in files.items():
            if not file.startswith(parent):
                raise InvalidInput("format", "path", f"{url}: member {shown(file)} would be outside of its folder")
            landing.copy(file[len(parent) :].lstrip("/"), info.get("size") or 0, partial(system.open, file, "rb"))
    return [folder / x.rstrip("/")[len(parent) :].lstrip("/") for x in roots]
