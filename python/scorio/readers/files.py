"""Files of a log: the bytes of compressed ones, the files below a folder, and their state."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from glob import glob
from hashlib import file_digest
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from ..errors import InvalidInput

LARGEST = 1 << 30  # bytes of a member or of a packed document: a decompression bomb must not fill the memory
CHUNK = 1 << 20  # bytes compared at once
ZIP_TAIL = (1 << 16) + 22  # bytes at the end of a zip file that contain the end of its directory
PACKED = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2"}
READERS: dict[str, Any] = {"gzip": gzip.GzipFile, "xz": lzma.LZMAFile, "bzip2": bz2.BZ2File}


@lru_cache(1024)
def plain_suffix(name: str) -> str:
    """The ending of a file's name, without that of its compression."""
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in PACKED else suffix


def packed_copies(files: Iterable[Path]) -> dict[Path, Path]:
    """Each file that differs from an earlier one only in its compression, with that earlier file."""
    first, copies = dict[Path, Path](), dict[Path, Path]()
    for file in files:
        plain = file.with_suffix("") if file.suffix.lower() in PACKED else file
        other = first.setdefault(plain, file)
        with suppress(OSError, InvalidInput):  # reading the file reports its error
            if other != file and _same_content(other, file):
                copies[file] = other
    return copies


def _same_content(a: Path, b: Path) -> bool:
    with unpacked(a) as x, unpacked(b) as y:
        while chunk := x.read(CHUNK):
            rest = chunk
            while rest:  # a compressed file may return fewer bytes than asked for
                if not (part := y.read(len(rest))) or not rest.startswith(part):
                    return False
                rest = rest[len(part) :]
        return not y.read(1)


def without_endings(name: str) -> str:
    """The name of a file without its ending and that of its compression."""
    stem, suffix = os.path.splitext(name)
    return os.path.splitext(stem)[0] if suffix.lower() in PACKED else stem


MAX_HEADER = 18  # bytes of the longest header of a zstd frame
REPEATED_BYTE = 1  # the type of a block of one repeated byte


LFS = b"version https://git-lfs.github.com/spec/"  # the start of a pointer of Git LFS


@contextmanager
def naming_file(file: Path) -> Iterator[None]:
    """Add the name of the file to reading errors that do not name it."""
    try:
        yield
    except OSError as e:
        if e.errno is None or e.filename is not None:
            raise
        raise OSError(e.errno, e.strerror, str(file)) from None


def refuse_pointer(start: bytes) -> None:
    """Refuse a file, by its first bytes, that Git LFS puts in the place of a large one."""
    if start.startswith(LFS):
        raise InvalidInput("format", "path", "a pointer of Git LFS, not the file itself: git lfs pull")


@contextmanager
def unpacked(file: Path, data: bytes | None = None) -> Iterator[IO[bytes]]:
    """A stream of the uncompressed bytes of a file, or of the given data."""
    compression = PACKED.get(file.suffix.lower())
    if data is not None:
        compression = next((x for magic, x in MAGIC.items() if data.startswith(magic)), None)
    try:
        with naming_file(file), file.open("rb") if data is None else BytesIO(data) as raw:
            refuse_pointer(raw.peek(len(LFS)) if data is None else data)  # type: ignore[union-attr]
            if compression is None:
                yield raw
            elif compression == "zstd":
                yield cast("IO[bytes]", _zstd(raw))
            else:
                with READERS[compression](**{"fileobj" if compression == "gzip" else "filename": raw}) as f:
                    yield cast("IO[bytes]", f)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as e:
        raise InvalidInput("format", "path", f"not a complete {compression} file: {e}") from None
    except OSError as e:
        if e.errno is None and compression == "bzip2":
            raise InvalidInput("format", "path", f"not a complete {compression} file: {e}") from None
        raise


def disk_failed(e: Exception) -> bool:
    """Whether the disk failed; EINVAL does not count: libraries cause it when they seek by a broken file's offsets."""
    return isinstance(e, OSError) and e.errno not in (None, errno.EINVAL)


def opened_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """An open zip file; raises OSError where the disk fails."""
    file.seek(max(0, file.seek(0, 2) - ZIP_TAIL))
    file.read()  # a failure here zipfile would report as "not a zip file"
    return zipfile.ZipFile(file)


def read_all(file: IO[bytes]) -> bytes:
    """All bytes of a document; raises for a compressed one of more than LARGEST, which could fill the memory."""
    if isinstance(file, tuple(READERS.values())) or isinstance(getattr(file, "raw", None), _Unpacked):
        data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise InvalidInput("format", "path", f"more than {LARGEST:,} bytes when it is unpacked: unpack it first")
        return data
    return file.read()


def _zstd(file: Any) -> BufferedReader:
    """A stream of the uncompressed frames of a zstd file."""
    try:
        import zstandard  # optional
    except ImportError:
        hint = "it is compressed with zstd: to read it, pip install zstandard"
        raise InvalidInput("format", "path", hint) from None
    try:
        _check_frames(file, zstandard)
    except zstandard.ZstdError as e:
        raise InvalidInput("format", "path", f"not a complete zstd file: {e}") from None
    return BufferedReader(_Unpacked(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)))


def _check_frames(file: Any, zstandard: Any) -> None:
    """Check that the blocks of all frames are complete: the library reads a truncated file without an error."""
    size = file.seek(0, 2)
    position = 0
    while position < size:
        file.seek(position)
        head = file.read(MAX_HEADER)
        if head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5:  # a frame without data
            position += 8 + int.from_bytes(head[4:8], "little")
            continue
        checksum = 4 if zstandard.get_frame_parameters(head).has_checksum else 0
        position += zstandard.frame_header_size(head)
        is_last = False
        while not is_last:
            file.seek(position)
            header = file.read(3)  # of a block: whether it is the last (1 bit), its type (2 bits) and its size
            value = int.from_bytes(header, "little")
            is_last = bool(value & 1) or len(header) < 3
            position += 3 + (1 if value >> 1 & 3 == REPEATED_BYTE else value >> 3)
        position += checksum
    if position > size:
        raise InvalidInput("format", "path", "not a complete zstd file: it is cut short")
    file.seek(0)


class _Unpacked(RawIOBase):
    """A stream of the uncompressed bytes of a zstd file that raises the errors of this package."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """The stream is readable."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer."""
        try:
            return int(self._stream.readinto(buffer))
        except (ValueError, MemoryError) as e:
            raise InvalidInput("format", "path", f"not a complete zstd file: {e}") from None
        except Exception as e:
            if type(e).__name__ != "ZstdError":
                raise
            raise InvalidInput("format", "path", f"not a complete zstd file: {e}") from None


# --- members of zip files: also those compressed with zstd, which zipfile reads only from Python 3.14 on ---


STORED, DEFLATED, BZIPPED, ZSTD = 0, 8, 12, 93
HEADER = 30  # bytes of a local header before the name; the last four are the lengths of the name and of the extra field
ENCRYPTED = 1  # the bit that is set in the flags of an encrypted member


class Members:
    """The members of an open zip file.

    documents : the members that were parsed before, by name.
    """

    def __init__(self, file: IO[bytes], earlier: Members | None = None) -> None:
        self.documents: dict[str, Any] = {} if earlier is None else earlier.documents
        self._file = file
        self._members: dict[str, zipfile.ZipInfo]
        try:
            self._members = opened_zip(file).NameToInfo if earlier is None else earlier._members
        except Exception as e:  # zipfile raises many kinds of errors for a broken file
            if disk_failed(e):
                raise
            raise InvalidInput("format", "path", f"not a zip file, or cut short: {e}") from None

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        if name not in self._members:
            raise InvalidInput("format", "path", f"there is no {name} in it")
        member = self._members[name]
        if member.file_size > LARGEST:
            raise InvalidInput("format", "path", f"{name} would be {member.file_size:,} bytes, more than {LARGEST:,}")
        if member.compress_type not in (STORED, DEFLATED, BZIPPED, ZSTD) or member.flag_bits & ENCRYPTED:
            raise InvalidInput(
                "format",
                "path",
                f"{name} is encrypted, or compressed by an unsupported method ({member.compress_type}): pack it again",
            )
        try:
            data = _inflated(member.compress_type, self._raw(member), member.file_size + 1)
        except ImportError:
            raise InvalidInput(
                "format", "path", f"{name} is compressed with zstd: to read it, pip install zstandard"
            ) from None
        except Exception as e:
            if disk_failed(e):
                raise
            raise InvalidInput("format", "path", f"{name} is broken: {e}") from None
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise InvalidInput("format", "path", f"{name} is broken: its checksum differs")
        return data

    def _raw(self, member: zipfile.ZipInfo) -> bytes:
        """The compressed bytes of a member, which follow its local header."""
        self._file.seek(member.header_offset)
        length, extra = struct.unpack("<HH", self._file.read(HEADER)[-4:])
        self._file.seek(length + extra, 1)
        return self._file.read(member.compress_size)


def _inflated(method: int, raw: bytes, max_bytes: int) -> bytes:
    """The uncompressed bytes of a member; decompression ends at a limit, which zipfile does not set for bzip2."""
    if method == STORED:
        return raw
    if method == DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, max_bytes)
    if method == BZIPPED:
        return bz2.BZ2Decompressor().decompress(raw, max_bytes)
    import zstandard  # optional

    with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
        return reader.read(max_bytes)


LINK_OUT = "a link that leads out of the folder"
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")  # of files that hold others
FileState = tuple[str, int, int, int]  # path, size, time of change in ns, inode
ENDINGS = {  # how files with these endings are read
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".eval": "eval",
    ".parquet": "parquet",
    ".npy": "array",
    ".npz": "array",
}


NAMED = {"result.txt": "text"}  # how files with these names are read
HIDDEN = (".deepeval", ".latest_test_run.json", ".report.json", ".aider.results.json")  # logs that tools hide


def walked(root: Path, homes: Sequence[str] = ()) -> Iterator[tuple[Path, bool]]:
    """Every file, link and hidden folder below a folder, and whether it may be a log.

    homes : the folders in which links may end, see :func:`_homes`.
    """
    homes = homes or _homes(root)
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        name, path = entry.name, root / entry.name
        is_shown = not name.startswith(".") or name in HIDDEN
        if entry.is_dir(follow_symlinks=False) and is_shown:  # a link may lead to a folder above
            yield from walked(path, homes)
            continue
        is_candidate = is_shown and not (entry.is_symlink() and _leads_out(path, homes))
        is_file = False
        with suppress(OSError):  # a link to itself
            is_file = is_candidate and entry.is_file()
        yield path, is_file and may_be_log(name)


def _homes(root: Path) -> list[str]:
    """The folders in which a link below a root may end: the root itself, and the blobs of its Hugging Face cache.

    The cache has snapshots/REVISION/FILE, a link to blobs/HASH, for each repository.
    """
    real = Path(os.path.realpath(root))
    return [str(x) for x in (real, *(y.parent / "blobs" for y in (real, *real.parents) if y.name == "snapshots"))]


def _leads_out(link: Path, homes: Iterable[str]) -> bool:
    """Whether a link leads out of all these folders: its target is not of the log, and may be of anybody."""
    target = os.path.realpath(link)
    return not any(target.startswith(os.path.join(home, "")) for home in homes)


def is_link_out(path: Path, root: Path) -> bool:
    """Whether a file below a folder is not read because it is a link to a file elsewhere."""
    return path.is_symlink() and may_be_log(path.name) and path.is_file() and _leads_out(path, _homes(root))


def name_and_kind(path: Path, name: str, root: Path) -> str:
    """The name of an entry below a root, and its kind if it is neither a file nor a folder, or a link that is not read.

    The kind is the reason why such an entry is skipped: opening a pipe, for example, would wait for a writer.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return f"{name} (a link that leads nowhere)"
    if is_link_out(path, root):
        return f"{name} ({LINK_OUT})"
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return f"{name} ({kinds[stat.S_IFMT(mode)]})" if stat.S_IFMT(mode) in kinds else name


def excluded(patterns: Iterable[str], path: str) -> bool:
    """Whether a pattern names a file by its path below the folder, a folder above it, or its name alone."""
    parts = path.split("/")
    names = {parts[-1], *("/".join(parts[: i + 1]) for i in range(len(parts)))}
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in patterns for name in names)


def may_be_log(name: str) -> bool:
    """Whether a file may be a log, by its name."""
    return plain_suffix(name) in ENDINGS or name in NAMED


def is_archive(path: Any) -> bool:
    """Whether a path is that of a file whose name has the ending of an archive."""
    return isinstance(path, (str, os.PathLike)) and str(path).lower().endswith(ARCHIVES) and not os.path.isdir(path)


def is_url(path: Any) -> bool:
    """Whether a path is text such as s3://bucket/runs; one letter before :// may be the drive of a file."""
    scheme, separator, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return bool(separator) and scheme.replace("+", "").replace("::", "").isalnum() and len(scheme) > 1


# --- the state of files ---


def roots_of(path: str) -> list[str]:
    """The files and folders that a path or a pattern stands for."""
    return [path] if Path(path).exists() else sorted(glob(path, recursive=True)) if path != "-" else []


def file_states(paths: Iterable[str]) -> tuple[FileState, ...]:
    """Path, size, time of change and inode of each regular file of a log, by which a change is noticed."""
    states = []
    for root in (Path(x) for path in paths for x in roots_of(path)):
        for file in [x for x, is_candidate in walked(root) if is_candidate] if root.is_dir() else [root]:
            with suppress(OSError):  # reading the file reports its error
                x = os.stat(file)
                if stat.S_ISREG(x.st_mode):
                    states.append((str(file), x.st_size, x.st_mtime_ns, x.st_ino))
    return tuple(states)


def check_unchanged(before: tuple[FileState, ...], paths: Iterable[str], since: str) -> None:
    """Refuse a log whose files are not as they were: its numbers would be of no state that it ever had."""
    if changed := [*{*before} ^ {*file_states(paths)}]:
        what = f"{min(changed)[0]} changed {since}: read it again when it is complete"
        raise InvalidInput("conflict", "path", what)


RECEIPT = b'{"schema": "scorio.receipt/'  # the start of a receipt, which may be in the folder of a log


def hash_of(file: Path) -> str:
    """The SHA-256 of a file."""
    with naming_file(file), file.open("rb") as f:
        return file_digest(f, "sha256").hexdigest()


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
        for root, file in _logs_below(roots):
            digest = hash_of(file)
            name = file.relative_to(root).as_posix() if root.is_dir() else file.name
            entries.append({"file": name, "bytes": file.stat().st_size, "sha256": digest})
    return entries


def hashed_unchanged(paths: Iterable[str], states: tuple[FileState, ...]) -> list[dict[str, Any]]:
    """The entries of :func:`hashed`, of files that have not changed since they were read in these states."""
    entries = hashed(paths)
    check_unchanged(states, paths, "since it was read")
    return entries


def is_file_of_log(path: str, paths: Iterable[str]) -> bool:
    """Whether a path is a file of the log at these paths, as :func:`hashed` finds them."""
    if not os.path.isfile(path):
        return False
    return any(os.path.samefile(path, file) for root in paths for _, file in _logs_below(roots_of(root)))


def _logs_below(roots: Iterable[str]) -> Iterator[tuple[Path, Path]]:
    """Each root with its files: those of a folder whose names may be those of logs; receipts are left out."""
    for root in map(Path, roots):
        for file in [x for x, is_candidate in walked(root) if is_candidate] if root.is_dir() else [root]:
            with open(file, "rb") as f:
                if f.read(len(RECEIPT)) != RECEIPT:
                    yield root, file
