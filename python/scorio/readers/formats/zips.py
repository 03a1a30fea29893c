"""Members of a zip file, including those compressed with zstd, which zipfile reads only from Python 3.14 on."""

from __future__ import annotations

import struct
import zipfile
import zlib
from bz2 import BZ2Decompressor
from typing import IO, Any

from .. import packed
from .fields import wrong

STORED, DEFLATED, BZIPPED, ZSTD = 0, 8, 12, 93
HEADER = 30  # bytes of a local header before the name; the last four are the lengths of the name and of the extra field
ENTRY = struct.Struct("<4s4xH18x3H8xL")  # an entry of the directory, before its name
END = struct.Struct("<4s4x2H2LH")  # the end of the file, before a comment
ENCRYPTED = 1  # the bit that is set in the flags of an encrypted member
SAMPLES = "samples/"


def head(names: list[str]) -> str:
    """The name of the member that describes the evaluation."""
    return "header.json" if "header.json" in names else "_journal/start.json"


class Members:
    """The members of an open zip file, except those below samples/, which hold one sample each.

    documents : the members that were parsed before, by name.
    """

    def __init__(self, file: IO[bytes], earlier: Members | None = None) -> None:
        self.documents: dict[str, Any] = {} if earlier is None else earlier.documents
        self._file = file
        self._zip: zipfile.ZipFile
        try:
            self._zip = zipfile.ZipFile(_WithoutSamples(file)) if earlier is None else earlier._zip  # type: ignore[arg-type]
        except Exception as e:  # zipfile raises many kinds of errors for a broken file
            if packed.disk_failed(e):
                raise
            raise wrong(f"not a zip file, or cut short: {e}") from None
        self._zip.fp = file
        self._members = {x.filename: x for x in self._zip.infolist() if not x.filename.startswith(SAMPLES)}

    @property
    def names(self) -> list[str]:
        """The names of the members, without samples unless :meth:`sample` has read the whole directory."""
        return list(self._members)

    def reopened(self, file: IO[bytes]) -> Members:
        """These members, read from the file opened again."""
        return Members(file, self)

    def sample(self, name: str) -> bytes:
        """The bytes of a sample; the first call reads the whole directory."""
        if name not in self._members:
            try:
                self._zip = zipfile.ZipFile(self._file)
            except Exception as e:
                if packed.disk_failed(e):
                    raise
                raise wrong(f"its directory is broken: {e}") from None
            self._members = {x.filename: x for x in self._zip.infolist()}
        return self.read(name)

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        if name not in self._members:
            raise wrong(f"there is no {name} in it")
        member = self._members[name]
        if member.file_size > packed.LARGEST:
            raise wrong(f"{name} would be {member.file_size:,} bytes, more than {packed.LARGEST:,}")
        if member.compress_type not in (STORED, DEFLATED, BZIPPED, ZSTD) or member.flag_bits & ENCRYPTED:
            raise wrong(
                f"{name} is encrypted, or compressed by an unsupported method ({member.compress_type}): pack it again"
            )
        try:
            data = _unpacked(member.compress_type, self._raw(member), member.file_size + 1)
        except ImportError:
            raise wrong(f"{name} is compressed with zstd: to read it, pip install zstandard") from None
        except Exception as e:
            if packed.disk_failed(e):
                raise
            raise wrong(f"{name} is broken: {e}") from None
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise wrong(f"{name} is broken: its checksum differs")
        return data

    def _raw(self, member: zipfile.ZipInfo) -> bytes:
        """The compressed bytes of a member, which follow its local header."""
        self._file.seek(member.header_offset)
        length, extra = struct.unpack("<HH", self._file.read(HEADER)[-4:])
        self._file.seek(length + extra, 1)
        return self._file.read(member.compress_size)


def _unpacked(method: int, raw: bytes, max_bytes: int) -> bytes:
    """The uncompressed bytes of a member; decompression ends at a limit, which zipfile does not set for bzip2."""
    if method == STORED:
        return raw
    if method == DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, max_bytes)
    if method == BZIPPED:
        return BZ2Decompressor().decompress(raw, max_bytes)
    import zstandard  # optional

    with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
        return reader.read(max_bytes)


class _WithoutSamples:
    """A zip file whose directory omits the samples: zipfile takes 20 us for each of tens of thousands of entries.

    Its bytes are those of the file up to the directory, then a directory of the other entries and the end record; for a
    file that is not a plain zip file, those of the whole file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._at = file, 0
        self._start, self._shortened = _directory(file)

    def seekable(self) -> bool:
        """The stream is seekable."""
        return True

    def tell(self) -> int:
        """The current position."""
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position."""
        self._at = offset + (0, self._at, self._start + len(self._shortened))[whence]
        if self._at < 0:
            raise OSError("before the start of the file")
        return self._at

    def read(self, n: int = -1) -> bytes:
        """Read the next bytes."""
        end = self._start + len(self._shortened) if n < 0 else self._at + n
        self._file.seek(self._at)
        data = self._file.read(max(0, min(end, self._start) - self._at))
        if end > self._start:
            data += self._shortened[max(0, self._at - self._start) : end - self._start]
        self._at += len(data)
        return data


def _directory(file: IO[bytes]) -> tuple[int, bytes]:
    """The start of a plain zip file's directory, and the directory without samples; (file size, b"") otherwise."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END.size))
    end = file.read()
    if len(end) < END.size:
        return size, b""
    mark, n_here, n, length, start, comment_size = END.unpack(end)
    if mark != b"PK\x05\x06" or comment_size or n_here != n or start + length != size - END.size:
        return size, b""
    file.seek(start)
    directory, at, unpack, samples = file.read(length), 0, ENTRY.unpack_from, SAMPLES.encode()
    entries = []
    for _ in range(n):
        if at + ENTRY.size > length:
            return size, b""
        mark, flags, name_size, extra_size, comment_size, _ = unpack(directory, at)
        if mark != b"PK\x01\x02" or flags & ENCRYPTED:
            return size, b""
        entry = at
        at += ENTRY.size + name_size + extra_size + comment_size
        if not directory.startswith(samples, entry + ENTRY.size):
            entries.append(directory[entry:at])
    if at != length:
        return size, b""
    joined = b"".join(entries)  # then the end record with the new numbers of entries (here, in all) and of bytes
    return start, joined + end[:8] + struct.pack("<HHL", len(entries), len(entries), len(joined)) + end[16:]
