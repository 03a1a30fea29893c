"""Faults of the machine and of input: Ctrl-C, failing reads, writes, pipes and links; hostile text; limited memory."""

from __future__ import annotations

import builtins
import bz2
import errno
import gzip
import io
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest
from lengths import part, scaled
from written import WRITERS

import scorio
from scorio import Counts, saving
from scorio.cli import main
from scorio.page import markdown as markdown_pages
from scorio.page.document import Document, Lines, Paragraph

pytestmark = pytest.mark.slow

COINS = Path(__file__).resolve().parents[1] / "spec" / "examples" / "coins.csv"
COMMAND = [sys.executable, "-c", "import sys; from scorio.__main__ import main; sys.exit(main())"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(scorio.__file__).parents[1])}


# --- writes ------------------------------------------------------------------------------------------

OUTPUTS: dict[str, Callable[[Path], list[str]]] = {
    "report": lambda out: ["report", str(COINS), "--replicates", "10", "-o", str(out)],
    "convert": lambda out: ["convert", str(COINS), "-o", str(out)],
    "plot": lambda out: ["plot", "forest", str(COINS), "-o", str(out)],
    "junit": lambda out: ["gate", str(COINS), "small", "large", "--margin", ".1", "--junit", str(out)],
    "labels": lambda out: ["judge", str(COINS), "--draw", "3", "-o", str(out)],
    "rubric": lambda out: ["rubric", str(COINS.with_name("attempts.csv")), "--plot", str(out)],
}
CALLS = ("open", "write", "flush", "fsync", "close", "chmod", "replace")


@pytest.fixture
def fail_output(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Function that makes one kind of call fail, as on a full disk, when an output file is written."""

    def fail(call: str) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        class FullDisk(io.FileIO):
            def write(self, data: object) -> int:
                if call == "write":
                    full()
                return super().write(data)  # type: ignore[arg-type]

            def close(self) -> None:
                was_open = not self.closed
                super().close()
                if was_open and call == "close":
                    full()

            def flush(self) -> None:
                if call == "flush" and not self.closed:
                    full()
                super().flush()

        def opened(path: object, mode: str = "r", *rest: object, **more: object) -> object:
            if "w" not in mode:
                return real(path, mode, *rest, **more)  # type: ignore[call-overload]
            return full() if call == "open" else FullDisk(path, "w")  # type: ignore[arg-type]

        real = builtins.open
        monkeypatch.setattr(saving, "open", opened, raising=False)
        if call in ("fsync", "chmod"):
            monkeypatch.setattr(saving.os, call, full)
        if call == "replace":  # for output files only, since caches are written too
            rename = os.replace
            monkeypatch.setattr(saving.os, call, lambda a, b: full() if str(a).endswith(".part") else rename(a, b))

    return fail


@pytest.mark.parametrize("output, call", [*((x, "write") for x in OUTPUTS), *(("convert", x) for x in CALLS)])
def test_a_write_that_fails_leaves_the_old_file(output, call, fail_output, tmp_path, capsys):
    out = tmp_path / f"out{'.svg' if output in ('plot', 'rubric') else ''}"
    out.write_text("old")
    fail_output(call)
    code = main(OUTPUTS[output](out))
    assert (code, capsys.readouterr().err) == (2, f"scorio: error: {out}: No space left on device\n")
    assert (out.read_text(), os.listdir(tmp_path)) == ("old", [out.name])


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_write_replaces_the_old_file(output, tmp_path):
    out = tmp_path / f"out{'.svg' if output in ('plot', 'rubric') else ''}"
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    out.symlink_to(tmp_path / "old")
    assert main(OUTPUTS[output](out)) in (0, 1, 3)  # a gate's exit code is its verdict
    assert sorted(os.listdir(tmp_path)) == sorted(["old", out.name])
    assert out.is_symlink()
    assert (tmp_path / "old").read_text() != "old"
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("call", CALLS)
def test_a_failing_save_of_counts_leaves_the_old_file(call, fail_output, tmp_path):
    path = tmp_path / "counts.csv"
    Counts.from_successes(np.array([1, 2]), np.array([3, 3])).save(path)
    before = path.read_bytes()
    fail_output(call)
    with pytest.raises(OSError, match=f"No space left on device: '{re.escape(str(path))}'"):
        Counts.from_successes(np.array([0, 0]), np.array([3, 3])).save(path)
    assert (path.read_bytes(), os.listdir(tmp_path)) == (before, ["counts.csv"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_device_is_written_in_place(output, tmp_path, capsys):
    full = tmp_path / f"full{'.svg' if output in ('plot', 'rubric') else ''}"
    full.symlink_to("/dev/full")
    assert main(OUTPUTS[output](full)) == 2
    assert capsys.readouterr().err == f"scorio: error: {full}: No space left on device\n"
    assert os.path.exists("/dev/full")


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout")
def test_a_pipe_is_written_in_place():
    command = [*COMMAND, "convert", str(COINS), "-o", "/dev/stdout"]
    process = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=120, check=False)
    lines = process.stdout.splitlines()
    assert (process.returncode, lines[0][:6], len(lines)) == (0, b"model,", 1 + 1280)  # the header and 1280 outcomes


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("size", [1, 4096, 12288])
def test_a_disk_that_fills_up_leaves_the_old_file(size, tmp_path):
    """Check a full disk, simulated by a limit on the size of files that the process writes."""
    out = tmp_path / "out.csv"
    out.write_text("old")
    limit = f"import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "\
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "  # fmt: skip
    command = [sys.executable, "-c", limit + COMMAND[2], "convert", str(COINS), "-o", str(out)]
    process = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)
    assert (process.returncode, process.stderr) == (2, f"scorio: error: {out}: File too large\n")
    assert (out.read_text(), os.listdir(tmp_path)) == ("old", ["out.csv"])


# --- reads -------------------------------------------------------------------------------------------


def logs(folder: Path) -> list[Path]:
    """Files of many kinds with the same outcomes."""
    rows = [
        {"model": "m", "question": f"q{i}", "trial": j, "outcome": (i * j) % 2} for i in range(400) for j in range(4)
    ]
    text = "model,question,trial,outcome\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    tau = json.dumps([{"task_id": x["question"], "trial": x["trial"], "reward": float(x["outcome"])} for x in rows])
    (folder / "a.csv").write_text(text)
    (folder / "a.tsv").write_text(text.replace(",", "\t"))
    (folder / "a.jsonl").write_text(lines)
    (folder / "a.json").write_text(tau)
    for ending, compress in (("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)):
        (folder / f"b.csv.{ending}").write_bytes(compress(text.encode()))
    with zipfile.ZipFile(folder / "c.zip", "w") as z:
        z.writestr("a.csv", text)
    with tarfile.open(folder / "c.tar.gz", "w:gz") as t:
        t.add(folder / "a.csv", "a.csv")
    np.save(folder / "a.npy", np.array([x["outcome"] for x in rows]).reshape(400, 4))
    with zipfile.ZipFile(folder / "a.eval", "w", zipfile.ZIP_DEFLATED) as z:
        samples = [
            {"id": x["question"], "epoch": x["trial"] + 1, "scores": {"match": {"value": "CI"[x["outcome"]]}}}
            for x in rows
        ]
        z.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success", "version": 2}))
        z.writestr("summaries.json", json.dumps(samples))
    return sorted(folder.iterdir())


def fail_reads_beyond(monkeypatch: pytest.MonkeyPatch, target: Path, offset: int) -> list[int]:
    """Make every read of a file beyond an offset fail; return a list to which each failed read adds its position."""
    failed: list[int] = []

    class FailingFile(io.FileIO):
        def _check_offset(self, n: int) -> None:
            if self.tell() + max(n, 1) > offset:
                failed.append(self.tell())
                raise OSError(errno.EIO, "Input/output error")

        def readinto(self, buffer: object) -> int:
            part = memoryview(buffer)[: max(1, offset - self.tell())]  # type: ignore[arg-type]
            self._check_offset(1)
            return super().readinto(part)

        def read(self, n: int = -1) -> bytes:  # type: ignore[override]
            if n is None or n < 0:
                return self.readall()
            self._check_offset(1)
            return super().read(min(n, max(1, offset - self.tell())))

        def readall(self) -> bytes:
            self._check_offset(os.fstat(self.fileno()).st_size - self.tell())
            return super().readall()

    real = io.open

    def opened(file: object, mode: str = "r", buffering: int = -1, *rest: object, **more: object) -> object:
        if isinstance(file, (str, os.PathLike)) and Path(file) == target and "b" in mode:
            raw = FailingFile(file, "r")
            return raw if buffering == 0 else io.BufferedReader(raw)
        return real(file, mode, buffering, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(io, "open", opened)
    monkeypatch.setattr(builtins, "open", opened)
    return failed


OFFSETS = (0, 1, 10, 0.25, 0.5, 0.999, -1)  # bytes from the start, shares of the size, or (-1) from the end
KINDS = {
    **dict.fromkeys(("a.csv", "a.tsv", "a.jsonl", "a.json", "b.csv.gz", "b.csv.xz", "b.csv.bz2"), OFFSETS),
    **dict.fromkeys(("c.zip", "c.tar.gz", "a.eval"), OFFSETS),
    "a.npy": (0, 1, 10),  # the rest is read by NumPy
}


@pytest.mark.parametrize("kind, where", part(((kind, x) for kind, offsets in KINDS.items() for x in offsets), 3))
def test_a_read_that_fails_is_an_error_that_names_the_file(kind, where, tmp_path, monkeypatch, capsys):
    """Check reads that fail at the first byte, in the header, in the middle and at the end: errors, never numbers."""
    path = next(x for x in logs(tmp_path) if x.name == kind)
    size = path.stat().st_size
    offset = size + where if where < 0 else int(where * size) if isinstance(where, float) else where
    failed = fail_reads_beyond(monkeypatch, path, offset)
    code = main(["leaderboard", str(path), "--json"])
    out, err = capsys.readouterr()
    assert failed
    assert (code, out, err) == (2, "", f"scorio: error: {path}: Input/output error\n")


@pytest.mark.parametrize("kind, share", part(((kind, x) for kind in WRITERS for x in (0, 0.5, 1)), 4))
def test_a_read_that_fails_is_an_error_in_every_format(kind, share, tmp_path, monkeypatch, capsys):
    """Check failing reads of the largest file of each format: an error that names it, and never a number."""
    path = WRITERS[kind][1](tmp_path, {f"q{i}": [(i * j) % 2 for j in range(3)] for i in range(60)})
    files = [x for x in (path, *path.rglob("*")) if x.is_file()]
    target = max(files, key=lambda x: x.stat().st_size)
    failed = fail_reads_beyond(monkeypatch, target, int(share * (target.stat().st_size - 1)))
    code = main(["leaderboard", str(path), "--json", "--missing", "drop"])
    out, err = capsys.readouterr()
    assert failed
    assert (code, out, err) == (2, "", f"scorio: error: {target}: Input/output error\n")


# --- folders -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX")
@pytest.mark.parametrize("kind", ["coins.csv", "coins.parquet"])
def test_pipes_and_links_in_folders_are_skipped_and_reported(kind, tmp_path, capsys):
    if kind.endswith("parquet"):
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pd.read_csv(COINS).to_parquet(tmp_path / kind)
    else:
        (tmp_path / kind).write_bytes(COINS.read_bytes())
    (tmp_path / "sub").mkdir()
    for name in ("pipe.csv", "sub/pipe.jsonl", "pipe.parquet"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "gone.json").symlink_to("nowhere")
    (tmp_path / "sub" / "self").symlink_to(tmp_path)
    process = subprocess.run(
        [*COMMAND, "leaderboard", str(tmp_path), "--json"], env=ENVIRONMENT, capture_output=True, timeout=60
    )
    assert (process.returncode, process.stderr) == (0, b"")
    assert [x for x in json.loads(process.stdout)["notes"] if "(a link that leads nowhere)" in x]
    skipped = scorio.read(tmp_path).provenance.skipped
    assert {"pipe.csv (a pipe)", "loop.csv (a link that leads nowhere)", "sub/pipe.jsonl (a pipe)"} <= set(skipped)
    assert {"sub/self", "gone.json (a link that leads nowhere)"} <= set(skipped)
    listed = {x["file"]: x["read"] for x in scorio.io.listed(tmp_path)}
    assert [name for name, read in listed.items() if read] == [kind]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX")
def test_a_pipe_given_as_the_log_is_read(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with subprocess.Popen([*COMMAND, "leaderboard", str(pipe), "--json"], env=ENVIRONMENT, stdout=subprocess.PIPE) as p:
        pipe.write_bytes(COINS.read_bytes())
        assert len(json.loads(p.communicate(timeout=60)[0])["rows"]) == 4


# --- Ctrl-C ------------------------------------------------------------------------------------------

LONG_COMMANDS = {
    "converge": ["converge", str(COINS), "--replicates", "20000000"],
    "report": ["report", str(COINS), "--replicates", "20000000"],
}
WORK = {
    "python": "[0 for _ in iter(int, 1)]",
    "a library": "__import__('hashlib').pbkdf2_hmac('sha256', b'x', b'x', 2**30)",
}


def interrupted(command: list[str], seconds: float, folder: Path) -> tuple[int, float, bytes, bytes]:
    """Exit code of a command after Ctrl-C, seconds until its end, and its output."""
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as p:
        while not (folder / ".ready").exists():
            assert p.poll() is None, p.communicate()
            time.sleep(0.05)
        time.sleep(seconds)
        start = time.perf_counter()
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        return p.returncode, time.perf_counter() - start, out, err


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("command", part(LONG_COMMANDS, 2))
def test_ctrl_c_ends_a_command_without_a_table(command, tmp_path):
    ready = "from scorio.converge import bootstrap as b; f = b._run_blocks; "\
            "b._run_blocks = lambda *a: (open('.ready', 'w').close(), f(*a))[1]; "  # fmt: skip
    line = [sys.executable, "-c", ready + COMMAND[2], *LONG_COMMANDS[command]]
    code, seconds, out, err = interrupted(line, 1, tmp_path)
    assert (code, out, err) == (130, b"", b"")
    assert seconds < 3  # 0.2 s to 0.6 s on an idle machine, up to 1.6 s beside six other processes


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_ends_a_loop_and_a_library_that_checks_no_signals(work, tmp_path):
    """Check Ctrl-C where the main thread runs a loop or a library, while a file is being written."""
    half = "from scorio import saving; open('.half', 'w').close(); saving.unfinished.add('.half'); "
    wait = f"e.read = lambda *_, **__: (open('.ready', 'w').close(), {WORK[work]}); "
    code = f"import scorio.evaluation as e; {half}{wait}{COMMAND[2]}"
    status, seconds, out, err = interrupted([sys.executable, "-c", code, "leaderboard", "x"], 0.2, tmp_path)
    assert (status, out, err) == (130, b"", b"")
    assert seconds < 1.5
    assert os.listdir(tmp_path) == [".ready"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", part([signal.SIGINT, signal.SIGTERM], 2))
def test_a_signal_at_any_moment_ends_a_command_without_a_word_and_leaves_nothing(tmp_path, number):
    """Send a signal at each of 12 moments of a command, from its first line to its end.

    After the modules of Python are taken apart, the signal ends the process itself, with code -number, which is 130 or
    143 in a shell as well. Before the first line of scorio, Python prints a traceback of its own.
    """
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as z:
        for i in range(30):
            z.writestr(f"{i}.csv", "question,outcome\n" + "".join(f"{j},{i * j % 2}\n" for j in range(20)))
    started = "import sys; from scorio import saving; saving.watch(); open('.ready', 'w').close(); "
    line = [sys.executable, "-c", started + COMMAND[2], "convert", "runs.zip", "-o", "all.csv"]
    (tmp_path / "t").mkdir()
    environment, seconds, codes = {**ENVIRONMENT, "TMPDIR": str(tmp_path / "t")}, 0.0, set()
    for i in range(-1, 12):
        for name in (".ready", "all.csv"):
            (tmp_path / name).unlink(missing_ok=True)
        with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as p:
            while not (tmp_path / ".ready").exists():
                assert p.poll() is None
                time.sleep(0.001)
            start = time.perf_counter()
            if i >= 0:  # the first run tells how long it takes
                time.sleep(seconds * i / 12)
                p.send_signal(number)
            out, err = p.communicate(timeout=60)
            seconds = seconds or time.perf_counter() - start
            codes.add(p.returncode)
            assert err in (b"", b"note: 600 rows written to all.csv\n"), (i, p.returncode)
            assert os.listdir(tmp_path / "t") == []
            assert {*os.listdir(tmp_path)} <= {".ready", "runs.zip", "t", "all.csv"}
            assert p.returncode == 0 or not out
            if (tmp_path / "all.csv").exists():
                assert (tmp_path / "all.csv").read_text().count("\n") == 601
    assert codes <= {0, 128 + number, -number}
    assert 128 + number in codes


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupted_convergence_has_no_result(tmp_path):
    code = f"""
import os, signal, threading, scorio
e = scorio.read({str(COINS)!r}, trials=True)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    print(e.converge(replicates=200_000_000).replicates)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert process.stdout == "interrupted\n", process.stderr


# --- text that other programs would run --------------------------------------------------------------

HOSTILE = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-1", "'=1", "plain", "'quoted'", "-"]


def test_no_csv_cell_is_a_formula_and_names_are_restored(tmp_path, capsys):
    import csv

    path = tmp_path / "runs.jsonl"
    rows = [{"model": x, "question": x, "trial": 0, "outcome": i % 2} for i, x in enumerate(HOSTILE)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "out.csv"
    for command in (["convert"], ["convert", "--to", "counts"], ["leaderboard", "--csv"], ["judge", "--draw", "1"]):
        assert main([command[0], str(path), *command[1:]]) == 0
        out.write_text(capsys.readouterr().out)
        cells = [x for row in csv.reader(out.open(newline="")) for x in row]
        assert not [x for x in cells if x[:1] in ("=", "+", "-", "@", "\t", "\r")]
        if command[0] == "convert":
            assert sorted(scorio.read(out).models) == sorted(HOSTILE)
    assert main(["convert", str(path), "--keep-formulas", "-o", str(out)]) == 0
    assert "\n=cmd|' /C calc'!A0,=cmd" in out.read_text()


def test_labels_in_a_spreadsheet_find_their_outputs(tmp_path, capsys):
    path, out = tmp_path / "runs.jsonl", tmp_path / "labels.csv"
    rows = [
        {"model": m, "question": f"={q}", "trial": t, "outcome": (q + t) % 2}
        for m in "=@"
        for q in range(9)
        for t in (0, 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["judge", str(path), "--draw", "6", "-o", str(out)]) == 0
    lines = out.read_text().splitlines()
    out.write_text("\n".join([lines[0], *(f"{x}{i % 2}" for i, x in enumerate(lines[1:]))]) + "\n")  # the last column
    assert main(["judge", str(path), "--labels", str(out), "--json"]) == 0
    assert {x["model"] for x in json.loads(capsys.readouterr().out)["rows"]} == {"=", "@"}


def test_both_readers_restore_names(tmp_path, monkeypatch):
    from scorio.readers import engine

    path = tmp_path / "runs.csv"
    path.write_text(
        "model,question,trial,outcome\n"
        + "".join(f"'={m},'@q{q},{t},1\n" for m in "ab" for q in range(40) for t in range(40))
    )
    slow = scorio.read(path)
    monkeypatch.setattr(engine, "MIN_BYTES", 0)
    fast = scorio.read(path)
    assert slow.models == fast.models == ("=a", "=b")
    assert [x.counts() for x in slow.benchmarks.values()] == [x.counts() for x in fast.benchmarks.values()]


@pytest.mark.parametrize("name", ["![x](http://e.com/p.png)", "[x](javascript:alert)", "@torvalds", "me@host.org",
                                  "www.e.com", "<img src=x>", "#12", "a `code` @b", "``@b`", "GH-1", "$x$", "$x y$",
                                  "0123456789abcdef0123456789abcdef01234567", "deadbee1"])  # fmt: skip
def test_names_are_inert_in_markdown(name, tmp_path, capsys):
    markdown = pytest.importorskip("markdown_it")
    path = tmp_path / "runs.jsonl"
    path.write_text(
        json.dumps({"model": name, "question": "q", "outcome": 1})
        + "\n"
        + json.dumps({"model": "b", "question": "q", "outcome": 0})
        + "\n"
    )
    assert main(["leaderboard", str(path), "--format", "markdown"]) == 0
    html = markdown.MarkdownIt("commonmark").enable("table").render(capsys.readouterr().out)
    bare = re.sub(r"<code>.*?</code>", "", html)
    assert not re.search(r"<(a|img)\b|(?<!\w)@\w|\w@\w+\.\w|://|www\.|#\d|\$|GH-\d|[\da-f]{7}", bare), html
    assert escape(name, quote=False).replace('"', "&quot;") in re.sub(r"</?code>", "", html)


@pytest.mark.parametrize("start", ["- a", "+ a", "---", "===", "1. a", "12) a", "-", "# a", "> a", "* a"])
def test_a_line_of_markdown_begins_no_list_and_no_rule(start):
    markdown = pytest.importorskip("markdown_it")
    page = markdown_pages.page(Document(start, [Lines([start, start]), Paragraph(start)]))
    html = markdown.MarkdownIt("commonmark").render(page)
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "br"}, html
    assert unescape(re.sub(r"<[^>]*>", "", html)).split() == start.split() * 4


def test_no_output_has_control_characters(tmp_path, capsys):
    """Check names of models, benchmarks and questions with escapes of terminals, and keys of a receipt."""
    path = tmp_path / "runs.csv"
    rows = [f"m{m}\x1b[31m,t{t}\x1b]0;x\x07,q{q}\x1b,{(m + q + t + i) % 2}" for m in (0, 1) for t in (0, 1)
            for q in range(4) for i in range(3)]  # fmt: skip
    path.write_text("model,task,question,outcome\n" + "\n".join(rows) + "\n")
    receipt = tmp_path / "r.json"
    receipt.write_text(json.dumps({"schema": "scorio.receipt/1", "a\x1b[31m": 1}))
    names = [f"m{m}\x1b[31m" for m in (0, 1)]
    for command in (
        ["leaderboard"], ["rank"], ["plan"], ["compare"], ["items"], ["changes", *names],
        ["gate", *names, "--margin", ".1"],
    ):  # fmt: skip
        for form in ("text", "markdown", "latex"):
            main([command[0], str(path), *command[1:], "--format", form])
            out, err = capsys.readouterr()
            assert "\n".join(x for x in (out + err).split("\n") if not x.isprintable()) == "", (command, form)
    main(["verify", str(receipt)])
    assert "\x1b" not in "".join(capsys.readouterr())


def test_errors_print_no_control_characters(tmp_path, capsys):
    for name in ("a\x1b[31mb.csv", "a\u202eb.csv"):
        for args in ([str(tmp_path / name)], [str(COINS), "--missing", name]):
            assert main(["leaderboard", *args]) == 2
            err = capsys.readouterr().err
            assert err.rstrip("\n").isprintable()


# --- memory ------------------------------------------------------------------------------------------

LIMITED = """
import re, resource, sys
import duckdb, narwhals, numpy, pyarrow.csv, pyarrow.json, pyarrow.parquet, zstandard
import scorio.readers.formats, scorio.readers.sources
used = int(re.search(r"VmData:\\s*(\\d+)", open("/proc/self/status").read())[1])
resource.setrlimit(resource.RLIMIT_DATA, ((used + {more} * 1024) * 1024,) * 2)
duckdb.sql("set memory_limit = '100MB'; set threads = 1")
for path in sys.argv[1:]:
    e = scorio.read(path, missing="drop")
    print(path, sum(int(x.trials.sum()) for part in e.benchmarks.values() for x in part.counts().values()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_every_reader_stays_within_a_limit_of_memory(tmp_path):
    """Check every format with 1,200 trials, and tables of 1,000,000, within 600 MB in addition to the libraries."""
    for name in ("duckdb", "narwhals", "pyarrow", "zstandard"):
        pytest.importorskip(name)
    pl = pytest.importorskip("polars")
    R = {f"q{i}": [(i * j) % 2 for j in range(10)] for i in range(120)}
    paths = {}
    for kind, (_, write, _, _) in WRITERS.items():
        (tmp_path / kind).mkdir()
        paths[str(write(tmp_path / kind, R))] = 1200
    i = pl.int_range(1_000_000)
    table = pl.select(model=pl.lit("m"), question=i // 100, trial=i % 100, outcome=i % 3 // 2)
    table.write_csv(tmp_path / "runs.csv")
    table.write_ndjson(tmp_path / "runs.jsonl")
    table.write_parquet(tmp_path / "runs.parquet")
    more = table.with_columns(response=pl.format("an answer, {}, of some length", i))
    more.write_csv(tmp_path / "more.csv")
    more.write_ndjson(tmp_path / "more.jsonl")
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress((tmp_path / "runs.csv").read_bytes(), 1))
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as z:
        z.write(tmp_path / "runs.csv", "runs.csv")
    np.save(tmp_path / "runs.npy", np.arange(1_000_000).reshape(10_000, 100) % 3 // 2)
    paths |= {str(tmp_path / f"runs.{form}"): 1_000_000 for form in ("csv", "jsonl", "parquet", "npy")}
    others = ("more.csv", "more.jsonl", "packed.csv.gz", "archive.zip")  # each alone, since Arrow keeps memory
    for batch in (paths, *({str(tmp_path / name): 1_000_000} for name in others[: scaled(4, 1)])):
        command = [sys.executable, "-c", LIMITED.format(more=600), *batch]
        process = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False)
        assert process.returncode == 0, process.stderr[-2000:]
        assert dict(x.rsplit(" ", 1) for x in process.stdout.splitlines()) == {x: str(n) for x, n in batch.items()}
