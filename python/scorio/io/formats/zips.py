"""Members of a zip file, also of those that are compressed with zstd, which zipfile reads from Python 3.14 on."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import IO

from ...errors import InvalidInput
from ..text_files import shown
from .fields import wrong

ZSTD = 93
HEADER = 30  # bytes of a local header before the name, whose length and that of what follows it are its last four


class Members:
    """The files in an open zip file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        except Exception as e:  # zipfile has many ways to say that a file is broken
            raise wrong(f"not a zip file, or cut short: {e}") from None
        self.names = list(dict.fromkeys(self._zip.namelist()))

    def read(self, name: str) -> bytes:
        """All of a member."""
        if name not in self.names:
            raise wrong(f"there is no {name} in it")
        info = self._zip.getinfo(name)
        try:
            return self._zip.read(info)
        except NotImplementedError as e:
            if info.compress_type != ZSTD:
                raise wrong(f"{name}: {e}") from None
        except Exception as e:
            raise wrong(f"{name} is broken: {e}") from None
        return self._zstd(info)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        try:
            import zstandard  # an extra
        except ImportError:
            raise wrong(f"{info.filename} is compressed with zstd: to read it, pip install zstandard") from None
        try:
            self._file.seek(info.header_offset)
            name, extra = struct.unpack("<HH", self._file.read(HEADER)[-4:])
            self._file.seek(name + extra, 1)
            data = zstandard.ZstdDecompressor().decompressobj().decompress(self._file.read(info.compress_size))
        except (zstandard.ZstdError, struct.error, ValueError, MemoryError) as e:
            raise wrong(f"{info.filename} is broken: {e}") from None
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise InvalidInput("format", "path", f"{shown(info.filename)} is broken: not what its checksum says")
        return data
