"""Compressed files: gzip, xz, bzip2, zstd (with zstandard), zip. A truncated or broken file is an error."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
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
    compression = _compression_of(data) if data is not None else PACKED.get(file.suffix.lower())
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


def _compression_of(data: bytes) -> str | None:
    return next((compression for magic, compression in MAGIC.items() if data.startswith(magic)), None)


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

    def reopened(self, file: IO[bytes]) -> Members:
        """These members, read from the file opened again."""
        return Members(file, self)

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
