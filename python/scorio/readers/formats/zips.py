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
ENCRYPTED = 1  # the bit that is set in the flags of an encrypted member


def head(names: list[str]) -> str:
    """The name of the member that describes the evaluation."""
    return "header.json" if "header.json" in names else "_journal/start.json"


class Members:
    """The members of an open zip file.

    documents : the members that were parsed before, by name.
    """

    def __init__(self, file: IO[bytes], earlier: Members | None = None) -> None:
        self.documents: dict[str, Any] = {} if earlier is None else earlier.documents
        self._file = file
        self._members: dict[str, zipfile.ZipInfo]
        try:
            self._members = packed.opened_zip(file).NameToInfo if earlier is None else earlier._members
        except Exception as e:  # zipfile raises many kinds of errors for a broken file
            if packed.disk_failed(e):
                raise
            raise wrong(f"not a zip file, or cut short: {e}") from None

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
