"""Files made to exhaust memory or the stack are refused with a message; long and packed ones use little memory."""

from __future__ import annotations

import gzip
import http.server
import io as streams
import os
import tarfile
import tempfile
import threading
import tracemalloc
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from scorio import InvalidInput
from scorio.io import read
from scorio.readers import engine, files, sources, text_files

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
    monkeypatch.setattr(files, "LARGEST", 4 * MB)
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
    monkeypatch.setattr(files, "LARGEST", 4 * MB)
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


def test_many_distinct_scores_take_no_table_of_all_scores_of_all_questions(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"q{i},{i % 9000 / 9001}\n" for i in range(18_000))
    path.write_text("question,outcome\n" + rows)
    assert len(read(path, w="levels", missing="drop").w) == 9001  # a table of int64 would take 1.3 GB


# --- archives and URLs: where their files land, and how large they may be ---------------------------


@pytest.mark.parametrize("name", ["../{}/x.csv", "a/../../{}/x.csv", "{full}/x.csv", "a\\..\\..\\{}\\x.csv"])
@pytest.mark.parametrize("kind", ["zip", "tar", "zip://", "tar://"])
def test_no_member_is_written_outside_of_its_folder(tmp_path, monkeypatch, name, kind):
    """Check archives whose members are named like files elsewhere: reading zip:// wrote them there."""
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    victim = tmp_path / "victim"
    victim.mkdir()
    name = name.format("../../../../" + str(victim).lstrip("/"), full=victim)
    path = tmp_path / f"runs.{kind[:3]}"
    data = b"question,outcome\nx,1\n"
    if kind[:3] == "zip":
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("runs/ok.csv", data)
            z.writestr("runs/" + name, data)
    else:
        with tarfile.open(path, "w") as tar:
            for member in ("runs/ok.csv", "runs/" + name):
                info = tarfile.TarInfo(member)
                info.size = len(data)
                tar.addfile(info, streams.BytesIO(data))
    source = path if "://" not in kind else f"{kind}runs::file://{path}"
    if ".." in name:
        with pytest.raises(InvalidInput, match="would be outside of its folder"):
            read(source)
    else:  # runs//full/path is below runs
        read(source)
    assert not list(victim.iterdir())


def test_a_sparse_tar_and_a_zip_are_refused_by_what_they_state(tmp_path, monkeypatch):
    """Check that files which state more than they may are refused before anything is written: 10 kB wrote 4 GiB."""
    monkeypatch.setattr(sources, "SLACK", MB)
    written = []
    opened = Path.open

    def recorded(self, mode="r", *args):
        written.extend([str(self)] if "x" in mode else [])
        return opened(self, mode, *args)

    monkeypatch.setattr(Path, "open", recorded)
    sparse, packed_zip = tmp_path / "a.tar", tmp_path / "a.zip"
    header = tarfile.TarInfo("a.csv")
    header.type, header.size = tarfile.GNUTYPE_SPARSE, 0
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"%011o\0%011o\0" % (1 << 33, 0)  # one piece without data
    block[483:495] = b"%011o\0" % (1 << 33)  # the stated size
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    sparse.write_bytes(bytes(block) + bytes(9 * 512))
    with zipfile.ZipFile(packed_zip, "w", zipfile.ZIP_BZIP2) as z, z.open("a.csv", "w") as f:
        write_spaces(f.write, 64 * MB)
    for path, size in ((sparse, "8,589,934,592"), (packed_zip, "67,108,864")):
        refused(path, f"{size} bytes are too many: unpack it first", 16 * MB)
    assert not written


def test_url_copies_have_the_limits_of_archives(tmp_path, monkeypatch):
    """Check the number and the size of the files at a URL, stated and false."""
    import fsspec

    system = fsspec.filesystem("memory")
    for i in range(3):
        system.pipe(
            f"/limits/{i}.csv", b"model,question,outcome\n" + b"".join(b"m%d,q%d,1\n" % (i, q) for q in range(9))
        )
    assert len(read("memory://limits").models) == 3
    with monkeypatch.context() as m:
        m.setattr(sources, "MAX_FILES", 2)
        with pytest.raises(InvalidInput, match="memory://limits: 3 files are too many: copy it first"):
            read("memory://limits")
    with monkeypatch.context() as m:
        m.setattr(sources, "MAX_BYTES", 200)
        with pytest.raises(InvalidInput, match="bytes are too many"):
            read("memory://limits")
        m.setattr(type(system), "info", lambda self, path, **_: {"name": path, "size": 0, "type": "file"})
        m.setattr(sources, "MAX_BYTES", 50)
        with pytest.raises(InvalidInput, match="too many bytes"):
            read("memory://limits/0.csv")
    system.rm("/limits", recursive=True)


def test_a_chained_archive_has_the_ratio_of_archives(tmp_path, monkeypatch):
    """Check zip:// and tar:// whose directory states far more than their bytes, also cached and in another archive."""
    monkeypatch.setattr(sources, "SLACK", MB)
    bomb, outer, packed_tar = tmp_path / "a.zip", tmp_path / "b.zip", tmp_path / "c.tar.gz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_BZIP2) as z, z.open("a.csv", "w") as f:
        write_spaces(f.write, 64 * MB)
    with zipfile.ZipFile(outer, "w") as z:
        z.write(bomb, "a.zip")
    with tarfile.open(packed_tar, "w:gz") as tar:
        info = tarfile.TarInfo("a.csv")
        info.size = 64 * MB
        tar.addfile(info, streams.BytesIO(b" " * info.size))
    monkeypatch.setattr(sources, "MAX_RATIO", 100)
    for url in ("zip://a.csv::file://{}", "zip://*::file://{}", "simplecache::zip://a.csv::file://{}"):
        refused(url.format(bomb), "67,108,864 bytes are too many: copy it first", 16 * MB)
    refused(f"zip://a.csv::zip://a.zip::file://{outer}", "67,108,864 bytes are too many: copy it first", 16 * MB)
    refused(f"tar://a.csv::file://{packed_tar}", "67,108,864 bytes are too many: copy it first", 16 * MB)


def test_a_zip_of_an_unknown_compression_is_to_be_packed_again(tmp_path):
    """Check the method 99: its error was called that of a cut archive."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a.csv", b"question,outcome\nx,1\n")
    data = bytearray(path.read_bytes())
    for at in (8, data.index(b"PK\1\2") + 10):
        data[at : at + 2] = (99).to_bytes(2, "little")
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match="compression method is not supported: pack it again"):
        read(path)


def test_archives_of_other_faults_are_refused_in_one_line(tmp_path):
    """Check a member without a name, a sparse file without its map, and drivers that raise errors of other kinds."""
    nameless, sparse = tmp_path / "a.zip", tmp_path / "b.tar"
    info = zipfile.ZipInfo("x")
    info.filename = ""
    with zipfile.ZipFile(nameless, "w") as z:
        z.writestr(info, b"question,outcome\nx,1\n")
    with tarfile.open(sparse, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("r.csv")
        member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "r.csv",
                              "GNU.sparse.realsize": "x"}  # fmt: skip
        member.size = 3
        tar.addfile(member, streams.BytesIO(b"abc"))
    for source in (nameless, sparse, "zip://r.csv::zip://r.csv::file://" + str(nameless), "reference://none/r.csv"):
        with pytest.raises((InvalidInput, OSError, ImportError)):
            read(source)


def test_a_url_of_a_folder_leaves_out_pipes_and_devices(tmp_path):
    """Check a named pipe, which was waited for, and a device, which was copied until the disk was full."""
    (tmp_path / "r.csv").write_text("question,outcome\nx,1\n")
    os.mkfifo(tmp_path / "p")
    assert next(iter(read(f"file://{tmp_path}").pooled().logs.values())).counts.table.tolist() == [[0, 1]]
    with pytest.raises(InvalidInput, match="there is no file"):
        read("file:///dev/zero")


def test_files_of_a_web_server_are_read(tmp_path):
    """Check a file, a folder and an archive by http, whose driver names files by whole URLs."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "r.csv").write_text("question,outcome\nx,1\n")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for path in ("runs/r.csv", "runs/"):
            e = read(f"http://127.0.0.1:{server.server_port}/{path}")
            assert next(iter(e.pooled().logs.values())).counts.table.tolist() == [[0, 1]]
        server.shutdown()


class Endless(http.server.BaseHTTPRequestHandler):
    """Sends an endless body without its length, or closes the connection without an answer."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if "gone" in self.path:
            self.close_connection = True
            return
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while self.command == "GET":
                self.wfile.write(b"q,1\n" * 25_000)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_an_endless_body_is_copied_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that no question about a URL reads its body: 7 GB of memory were used in 12 seconds."""
    monkeypatch.setattr(sources, "MAX_BYTES", 10**7)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        with pytest.raises(InvalidInput, match="too many bytes: copy it first"):
            read(f"{url}/x.csv")
        with pytest.raises(InvalidInput, match="cannot be read: ServerDisconnected"):
            read(f"{url}/gone.csv")
        server.shutdown()
