"""Files that are compressed: gzip, and zstd with the package zstandard. Whatever is cut short or broken is an error."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, cast

from ..errors import InvalidInput

PACKED = {".gz": "gzip", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def plain_suffix(file: Path) -> str:
    """The ending of a file's name, without that of its compression."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix in PACKED else suffix


@contextmanager
def unpacked(file: Path, data: bytes | None = None) -> Iterator[IO[bytes]]:
    """The bytes of a file, or those given, as they were before they were compressed."""
    how = _packed(data) if data is not None else PACKED.get(file.suffix.lower())
    try:
        if how == "zstd":
            yield BytesIO(_zstd(file.read_bytes() if data is None else data))
            return
        with file.open("rb") if data is None else BytesIO(data) as raw:
            if how is None:
                yield raw
            else:
                with gzip.GzipFile(fileobj=raw) as f:
                    yield cast("IO[bytes]", f)
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise InvalidInput("format", "path", f"no whole gzip file: {e}") from None


def _packed(data: bytes) -> str | None:
    return next((how for magic, how in MAGIC.items() if data.startswith(magic)), None)


def _zstd(data: bytes) -> bytes:
    """All frames of it."""
    try:
        import zstandard  # an extra
    except ImportError:
        hint = "pip install zstandard"
        raise InvalidInput("format", "path", f"it is compressed with zstd: to read it, {hint}") from None
    found = []
    try:
        while data:
            frame = zstandard.ZstdDecompressor().decompressobj()
            found.append(frame.decompress(data))
            if not frame.eof:
                raise InvalidInput("format", "path", "no whole zstd file: it is cut short")
            data = frame.unused_data
    except (zstandard.ZstdError, MemoryError) as e:
        raise InvalidInput("format", "path", f"no whole zstd file: {e}") from None
    return b"".join(found)
