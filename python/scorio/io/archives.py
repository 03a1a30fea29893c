"""Archives (zip, tar, compressed tar), unpacked to a temporary folder and read like that folder."""

from __future__ import annotations

import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from ..errors import InvalidInput
from .evaluation import EvaluationData
from .packed import LARGEST, naming
from .remote import renamed
from .text_files import path_of, shown

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
MOST = 4 * LARGEST  # bytes of all members together: a bomb must not fill the disk
CHUNK = 1 << 20
END = (1 << 16) + 22  # bytes at the end of a zip file, in which its directory is looked for


def is_archive(path: Any) -> bool:
    """Whether a path is that of a file whose name ends as archives do."""
    return isinstance(path, (str, os.PathLike)) and str(path).lower().endswith(ENDINGS) and not os.path.isdir(path)


def opened(paths: list[Any], read: Callable[[list[Path]], EvaluationData]) -> EvaluationData:
    """Read the unpacked members of archives; messages and remarks name the archives."""
    with TemporaryDirectory(prefix="scorio-") as folder:
        names, roots = dict[str, str](), list[Path]()
        for i, path in enumerate(map(path_of, paths)):
            stem = next(path.name[: -len(x)] for x in sorted(ENDINGS, key=len)[::-1] if path.name.lower().endswith(x))
            root = Path(folder, str(i), stem or "archive")
            root.mkdir(parents=True)
            try:
                with naming(path):
                    files = list(_unpacked(path, root))
            except (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, RuntimeError) as e:
                raise InvalidInput("format", "path", f"{path}: no whole archive: {e}") from None
            except NotImplementedError as e:
                raise InvalidInput("format", "path", f"{path}: {e}: pack it anew") from None
            if not files:
                raise InvalidInput("empty", "path", f"{path}: the archive holds no file")
            names[str(root)] = str(path)
            roots.append(files[0] if len(files) == 1 else root)
        try:
            data = read(roots)
        except InvalidInput as error:
            hint = None if error.hint and folder in error.hint else error.hint  # no option names a member
            raise InvalidInput(error.code, error.argument, renamed(error.reason, names), hint) from None
        provenance = data.provenance
        unfinished, remarks = (
            tuple(renamed(x, names) for x in texts) for texts in (provenance.unfinished, provenance.remarks)
        )
        return replace(data, provenance=replace(provenance, unfinished=unfinished, remarks=remarks))


def _unpacked(path: Path, root: Path) -> Iterator[Path]:
    """Unpack an archive below the root and yield its files; links and devices are skipped."""
    left = MOST
    for name, open_member in _members(path):
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or parts[0].startswith("/") or ":" in parts[0]:
            raise InvalidInput("format", "path", f"{path}: member {shown(name)} would be outside of the archive")
        target = root.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_member() as member, target.open("xb") as out:
            while chunk := member.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise InvalidInput("format", "path", f"{path}: more than {MOST:,} bytes: unpack it first")
                out.write(chunk)
        yield target


def _members(path: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    if path.name.lower().endswith(".zip"):
        with path.open("rb") as f:
            f.seek(max(0, f.seek(0, 2) - END))
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
        if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(
            tarfile.BLOCKSIZE
        ):  # tarfile stops at a missing block without an error
            raise tarfile.ReadError("it is cut short")
