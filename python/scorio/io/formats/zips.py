"""Members of a zip file, also of those that are compressed with zstd, which zipfile reads from Python 3.14 on."""

from __future__ import annotations

import struct
import zipfile
import zlib
from bz2 import BZ2Decompressor
from typing import IO, Any, NamedTuple

from ...errors import InvalidInput
from .. import packed
from ..text_files import shown
from .fields import wrong

STORED, DEFLATED, BZIPPED, ZSTD = 0, 8, 12, 93
HEADER = 30  # bytes of a local header before the name, whose length and that of what follows it are its last four
ENTRY = struct.Struct("<4s4x2H4x3L3H8xL")  # of the directory, before the name
END = struct.Struct("<4s4x2H2LH")  # of the file, before a comment
FLAGS = 0x80E  # how well it is deflated, sizes behind the data too, names in UTF-8
SAMPLES, SAMPLE_BYTES = "samples/", b"samples/"
ODD = 0xFFFFFFFF  # what a zip file says elsewhere, as one of more than 4 GB does


def head(names: list[str]) -> str:
    """The member that says what was evaluated."""
    return "header.json" if "header.json" in names else "_journal/start.json"


class Member(NamedTuple):
    """Where a file stands in a zip file."""

    method: int
    crc: int
    packed: int
    size: int
    offset: int


class Members:
    """The files in an open zip file, but for those whose name starts with samples/: there is one for each sample.

    documents : of members that were read before, by name.
    """

    def __init__(self, file: IO[bytes], members: dict[str, Member] | None = None) -> None:
        self._file = file
        self._zip: zipfile.ZipFile | None = None
        found = _directory(file) if members is None else members  # what zipfile does too, in ten times the time
        if found is None:
            self._zip = _opened(file)
            found = {x.filename: _member(x) for x in self._zip.infolist() if not x.filename.startswith(SAMPLES)}
        self._members = found
        self.documents: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """The names of all."""
        return list(self._members)

    def of(self, file: IO[bytes]) -> Members:
        """The same, of the file when it is opened again."""
        found = Members(file, None if self._zip else self._members)
        found.documents = self.documents
        return found

    def read(self, name: str) -> bytes:
        """All of a member."""
        if name not in self._members:
            raise wrong(f"there is no {name} in it")
        member = self._members[name]
        if member.size > packed.LARGEST:
            raise wrong(f"{name} would be {member.size:,} bytes, more than {packed.LARGEST:,}")
        if member.method == ZSTD:
            return self._zstd(name, member)
        if member.method not in (STORED, DEFLATED, BZIPPED):
            raise wrong(f"{name} is compressed in a way (method {member.method}) that is not read: pack it anew")
        found = self._plain(name, member)
        return self._careful(name, member) if found is None else found

    def _plain(self, name: str, member: Member) -> bytes | None:
        """A member as it stands, or deflated; None where anything is odd."""
        raw = self._raw(name, member)
        if member.method == STORED:
            found = raw
        elif member.method in (DEFLATED, BZIPPED) and raw is not None:
            unpacker: Any = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == DEFLATED else BZ2Decompressor()
            try:
                found = unpacker.decompress(raw, member.size + 1)
            except (zlib.error, OSError):
                return None
            if not unpacker.eof:
                return None
        else:
            return None
        return found if found is not None and _whole(found, member) else None

    def _raw(self, name: str, member: Member) -> bytes | None:
        """The packed bytes of a member; None where its header says otherwise."""
        self._file.seek(member.offset)
        head = self._file.read(HEADER)
        if len(head) < HEADER or not head.startswith(b"PK\x03\x04"):
            return None
        length, extra = struct.unpack("<HH", head[-4:])
        if self._file.read(length + extra)[:length] != name.encode():
            return None
        return self._file.read(member.packed)

    def _careful(self, name: str, member: Member) -> bytes:
        """What zipfile makes of a member, or of what is wrong with it."""
        self._zip = self._zip or _opened(self._file)
        if member.method == BZIPPED:
            raise wrong(f"{name} is broken")
        try:
            with self._zip.open(name) as f:
                return f.read(member.size + 1)  # all would be as much as there is, whatever it says
        except Exception as e:
            raise wrong(f"{name}: {e}" if isinstance(e, NotImplementedError) else f"{name} is broken: {e}") from None

    def _zstd(self, name: str, member: Member) -> bytes:
        try:
            import zstandard  # an extra
        except ImportError:
            raise wrong(f"{name} is compressed with zstd: to read it, pip install zstandard") from None
        try:
            self._file.seek(member.offset)
            length, extra = struct.unpack("<HH", self._file.read(HEADER)[-4:])
            self._file.seek(length + extra, 1)
            with zstandard.ZstdDecompressor().stream_reader(self._file.read(member.packed)) as reader:
                data = reader.read(member.size + 1)
        except (zstandard.ZstdError, struct.error, ValueError, MemoryError) as e:
            raise wrong(f"{name} is broken: {e}") from None
        if not _whole(data, member):
            raise InvalidInput("format", "path", f"{shown(name)} is broken: not what its checksum says")
        return data


def _whole(data: bytes, member: Member) -> bool:
    return len(data) == member.size and zlib.crc32(data) == member.crc


def _member(info: zipfile.ZipInfo) -> Member:
    return Member(info.compress_type, info.CRC, info.compress_size, info.file_size, info.header_offset)


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except Exception as e:  # zipfile has many ways to say that a file is broken
        raise wrong(f"not a zip file, or cut short: {e}") from None


def _directory(file: IO[bytes]) -> dict[str, Member] | None:
    """The members of a plain zip file: not large, encrypted or in parts, with nothing before, behind or between."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END.size))
    end = file.read()
    if len(end) < END.size:
        return None
    mark, here, n, length, start, comment = END.unpack(end)
    if mark != b"PK\x05\x06" or comment or here != n or start + length != size - END.size:
        return None
    file.seek(start)
    directory, at, unpack = file.read(length), 0, ENTRY.unpack_from
    found: dict[str, Member] = {}
    passed = 0
    for _ in range(n):
        if at + ENTRY.size > length:
            return None
        mark, flags, method, crc, packed_size, size, name, extra, comment, offset = unpack(directory, at)
        first = at + ENTRY.size
        at = first + name + extra + comment
        if mark != b"PK\x01\x02" or flags & ~FLAGS or packed_size == ODD or size == ODD or offset == ODD:
            return None
        text = directory[first : first + name]
        if text.startswith(SAMPLE_BYTES):
            passed += 1
        elif not text.isascii() or b"\0" in text:
            return None
        else:
            found[text.decode()] = Member(method, crc, packed_size, size, offset)
    return found if at == length and len(found) + passed == n else None
