"""Files made to exhaust memory or the stack are refused with a message; long and packed ones use little memory."""

from __future__ import annotations

import gzip
import io as streams
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from scorio import InvalidInput
from scorio.io import engine, packed, read, text_files

pytestmark = pytest.mark.slow

MB = 1 << 20


def refused(path: Path, message: str, max_bytes: int) -> None:
    """Check that reading fails with this message and uses fewer than this many bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=message):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < max_bytes
    finally:
        tracemalloc.stop()


def write_spaces(write, n: int) -> None:
    for _ in range(n // MB):
        write(b" " * MB)


def test_a_very_long_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "LONGEST_LINE", MB)
    monkeypatch.setattr(engine, "CHUNK", MB)
    for name in ("a.csv", "a.jsonl", "a.csv.gz"):
        path = tmp_path / name
        with gzip.open(path, "wb") if name.endswith("gz") else path.open("wb") as f:
            f.write(b"question,outcome\nx,1\n" if "csv" in name else b'{"question": "x", "outcome": 1}\n')
            write_spaces(f.write, 64 * MB)
        refused(path, "a line of more than", 24 * MB)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_large_compressed_document_is_refused(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(packed, "LARGEST", 4 * MB)
    path = tmp_path / f"a.json{suffix}"
    if suffix == ".gz":
        with gzip.open(path, "wb") as f:
            write_spaces(f.write, 128 * MB)
    else:
        zstandard = pytest.importorskip("zstandard")
        path.write_bytes(zstandard.compress(b" " * (128 * MB)))
    refused(path, "when it is unpacked", 48 * MB)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("false_size", [False, True])
def test_a_zip_file_with_a_large_member_is_refused(tmp_path, monkeypatch, method, false_size):
    monkeypatch.setattr(packed, "LARGEST", 4 * MB)
    out = streams.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z, z.open("header.json", "w") as f:
        write_spaces(f.write, 64 * MB)
    raw = out.getvalue()
    if false_size:  # write a false size into the directory and before the data
        raw = raw.replace((64 * MB).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    path = tmp_path / "a.eval"
    path.write_bytes(raw)
    refused(path, "is broken" if false_size else "would be 67,108,864 bytes", 16 * MB)


@pytest.mark.parametrize("text", ["[" * 10**6, '{"a":' * 10**6, '{"eval": {}, "samples": ' + "[" * 10**6])
def test_deeply_nested_json_is_refused(tmp_path, text):
    for name in ("a.json", "a.jsonl"):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(InvalidInput):
            read(path)


def test_too_many_distinct_scores_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"q{i},{i % 9000 / 9001}\n" for i in range(18_000))
    path.write_text("question,outcome\n" + rows)
    with pytest.raises(InvalidInput, match="distinct scores of 18000 questions are too many"):
        read(path, w="levels", missing="drop")
