"""Ledgers of builds: the file, merges of branches, interrupted writes, and the commands that read and write it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from lengths import scaled

import scorio
from scorio import sinf
from scorio.cli import main
from scorio.errors import InvalidInput
from scorio.ledger import Build, Ledger, append, digest_of, file_of, hold, key_of, lines_of, read_ledger

pytestmark = pytest.mark.usefixtures("plain_terminal")
RATES = np.random.default_rng(7).beta(5, 1.5, 60)


def write_log(path: Path, seed: int, loss: float = 0.0, names: str = "q", n: int = 4) -> str:
    """Write a log of one model: n trials of 60 questions, each of which has lost so much."""
    R = np.random.default_rng(seed).random((60, n)) < np.clip(RATES - loss, 0, 1)[:, None]
    rows = [f"m,{names}{q},{t},{int(R[q, t])}" for q in range(60) for t in range(n)]
    path.write_text("\n".join(["model,question,trial,outcome", *rows]) + "\n")
    return path.name


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command in a new folder; return its exit code, what it printed, and its errors."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        code = main([str(x) for x in args])
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def pinned(call, tmp_path):
    """Set a baseline of three evaluations with the margin .15; return the command."""
    logs = [write_log(tmp_path / f"a{i}.csv", i) for i in range(3)]
    code, out, _ = call("baseline", "set", *logs, "--margin", ".15", "--id", "pin")
    assert code == 0
    assert "Recorded in .scorio/ledger.jsonl: pin, pin-2 and pin-3." in out
    return call


def gate(call, tmp_path: Path, name: str, seed: int, loss: float = 0.0, *more: str) -> tuple[int, str, str]:
    """Gate a new build."""
    log = write_log(tmp_path / f"{name}.csv", seed, loss)
    return call("gate", log, "--baseline", "main", "--id", name, *more)


def build(name: str, second: int, successes: list[int], key: str, **more: object) -> Build:
    """A build with four trials of each question."""
    counts = [[4 - s for s in successes], successes]
    fields = {"commit": None, "branch": "main", "model": "m", "w": None, "gate": None} | more
    return Build(id=name, time=f"2026-01-01T00:00:{second:02d}.000Z", questions=key, counts=counts, **fields)


def signed(line: dict[str, object]) -> dict[str, object]:
    """A line with its digest."""
    return {**line, "digest": digest_of(line)}


def small_ledger(folder: Path, *builds: Build, ids: tuple[str, ...] = ("a", "b", "c")) -> Ledger:
    """A ledger of builds on three questions."""
    ledger = read_ledger(folder, missing_ok=True)
    for x in builds:
        append(ledger, lines_of(ledger, x, ids))
        ledger = read_ledger(folder)
    return ledger


# --- the file ----------------------------------------------------------------------------------------

IDS = ("a", "b", "c")
KEY = key_of(IDS)


def test_builds_are_read_as_they_were_written(tmp_path):
    """Check that a list of questions is stored once, and that the order is by time, then id."""
    x, y, z = build("x", 2, [1, 2, 3], KEY), build("y", 1, [4, 4, 4], KEY), build("a", 2, [0, 0, 1], KEY)
    ledger = small_ledger(tmp_path, x, y, z)
    assert list(ledger.builds.values()) == [y, z, x]
    assert ledger.questions == {KEY: IDS}
    assert ledger.path.read_text().count('"ids"') == 1
    assert not ledger.remarks
    assert ledger.aligned([x]).counts[0].table.tolist() == [[3, 1], [2, 2], [1, 3]]


def test_every_torn_write_loses_only_itself(tmp_path):
    """Cut the last line at each byte: the builds before it are read, and the next append repairs the file."""
    ledger = small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY), build("y", 2, [1, 2, 3], KEY))
    whole = ledger.path.read_bytes()
    first = whole.rindex(b"\n", 0, -1) + 1
    for end in range(first + 1, len(whole)):
        ledger.path.write_bytes(whole[:end])
        torn = read_ledger(tmp_path)
        complete = end == len(whole) - 1  # only the line feed is missing
        assert list(torn.builds) == (["x", "y"] if complete else ["x"])
        assert ["interrupted" in r for r in torn.remarks] == ([] if complete else [True])
        append(torn, [build("z", 3, [1, 2, 3], KEY).line()])
        after = read_ledger(tmp_path)
        assert list(after.builds) == (["x", "y", "z"] if complete else ["x", "z"])
        assert after.path.read_bytes().count(b"\n") == len(after.path.read_bytes().splitlines())


def test_equal_lines_are_one_and_equal_ids_are_told_apart(tmp_path):
    ledger = small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY), build("y", 2, [4, 2, 3], KEY))
    ledger.path.write_bytes(2 * ledger.path.read_bytes())
    assert list(read_ledger(tmp_path).builds) == ["x", "y"]
    assert not read_ledger(tmp_path).remarks
    append(ledger, [build("x", 3, [0, 0, 0], KEY).line()])
    ledger = read_ledger(tmp_path)
    assert list(ledger.builds) == ["x", "y", "x-2"]
    assert ledger.remarks == ["Two builds have the id x: the later one is x-2 here."]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("model,question,outcome", "format", "line 4 of"),
        ('{"question": "q1", "outcome": 1}', "format", "line 4 of"),
        ("[1, 2]", "format", "line 4 of"),
        ("<<<<<<< HEAD", "format", "merge=union"),
        ('{"scorio":"build/9"}', "format", "line 4 of"),
        ('{"scorio":"questions/1","key":"000000000000","ids":["a"]}', "conflict", "line 4 of"),
        ('{"scorio":"questions/1","key":3,"ids":["a"]}', "type", "key of line 4"),
        (json.dumps(signed(build("z", 3, [1, 1, 1], "0" * 12).line())), "missing", "'z'"),
        (
            json.dumps(signed(build("z", 3, [1, 1, 1], KEY).line()) | {"w": [0, 2]}),
            "conflict",
            "line 4 of .*'z', was edited",
        ),
        (json.dumps(build("z", 3, [1, 1, 1], KEY).line()), "conflict", "line 4 of .*'z', was edited"),
        (
            json.dumps(signed(build("z", 3, [1, 1, 1], KEY).line()), separators=(",", ":"))[:-1] + ',"id":"y"}',
            "conflict",
            "line 4 of .*'y', was edited",
        ),
        (json.dumps(build("z", 3, [1, 1, 1], KEY).line() | {"time": "2026-02-30T00:00:00Z"}), "format", "'2026-02-30"),
        (json.dumps(build("z", 3, [1, 1, 1], KEY).line() | {"time": "yesterday"}), "format", "'yesterday'"),
        (json.dumps(build("z", 3, [1, 1, 1], KEY).line() | {"branch": True}), "type", "branch of line 4"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path, line, code, words):
    ledger = small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY), build("y", 2, [1, 2, 3], KEY))
    with ledger.path.open("a") as f:
        f.write(line + "\n")
    with pytest.raises(InvalidInput, match=words) as e:
        read_ledger(tmp_path)
    assert e.value.code == code


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ([[1, 1], [3, 3]], "shape"), ([[1, 1, 1], [3, 3]], "type"), ([[1, 1, 1.5], [3, 3, 3]], "type"),
        ([[1, 1, -1], [3, 3, 3]], "type"), ([[1, 1, "1"], [3, 3, 3]], "type"), ([], "type"),
        ([[1, 1, 1]] * 3, "length"),
    ],
)  # fmt: skip
def test_wrong_counts_are_refused(tmp_path, counts, code):
    ledger = small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY))
    append(ledger, [build("y", 2, [1, 2, 3], KEY).line() | {"counts": counts}])
    ledger = read_ledger(tmp_path)
    with pytest.raises(InvalidInput, match="build 'y'") as e:
        ledger.aligned(ledger.builds.values())
    assert e.value.code == code


def test_a_question_without_a_trial_is_named(tmp_path):
    ledger = small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY))
    append(ledger, [build("y", 2, [1, 2, 3], KEY).line() | {"counts": [[1, 0, 1], [1, 0, 1]]}])
    ledger = read_ledger(tmp_path)
    with pytest.raises(InvalidInput, match=r"build 'y' of .* has no trial of question 'b'"):
        ledger.aligned(ledger.builds.values())


def test_builds_on_different_questions_are_aligned_by_id(tmp_path):
    other = ("c", "d", "a")
    small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY))
    ledger = small_ledger(tmp_path, build("y", 2, [4, 0, 2], key_of(other)), ids=other)
    data = ledger.aligned(ledger.builds.values())
    assert data.ids == ("a", "c")
    assert [x.table[:, 1].tolist() for x in data.counts] == [[1, 3], [2, 4]]
    assert data.others == 2


def test_scores_are_joined_only_on_one_scale(tmp_path):
    x = build("x", 1, [1, 2, 3], KEY)
    graded = Build(**{**vars(x), "id": "y", "w": (0.0, 0.5, 1.0), "counts": [[1, 1, 1], [2, 2, 2], [1, 1, 1]]})
    ledger = small_ledger(tmp_path, x, graded)
    data = ledger.aligned(ledger.builds.values())
    assert data.w == (0.0, 0.5, 1.0)
    assert data.counts[0].table.tolist() == [[3, 0, 1], [2, 0, 2], [1, 0, 3]]
    append(ledger, [Build(**{**vars(graded), "id": "z", "w": (0.0, 5.0, 10.0)}).line()])
    ledger = read_ledger(tmp_path)
    with pytest.raises(InvalidInput, match="the same scale") as e:
        ledger.aligned(ledger.builds.values())
    assert e.value.code == "conflict"


def test_a_clock_that_is_behind_does_not_change_the_order(tmp_path):
    """Check that a build after one of the future is the last one all the same."""
    ledger = small_ledger(tmp_path, Build(**{**vars(build("x", 1, [1, 2, 3], KEY)), "time": "2999-01-01T00:00:00Z"}))
    assert ledger.next_time() == "2999-01-01T00:00:00.001Z"
    (remark,) = ledger.remarks
    assert "before the last build (2999-01-01T00:00:00Z): this build has the moment after that" in remark


WRITER = """
import sys
from scorio.ledger import Build, append, hold, key_of, lines_of
ids = [f"question {i}" for i in range(300)]
print("ready", flush=True)
for i in range(int(sys.argv[2])):
    with hold(sys.argv[1]) as x:
        y = Build(x.new_id("b"), x.next_time(), None, "main", "m", key_of(ids), None, [[1] * 300, [3] * 300])
        append(x, lines_of(x, y, ids))
    print(y.id, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no locks there")
def test_two_writers_lose_nothing(tmp_path):
    """Append 200 builds by each of two processes at once: every one is there, and each writer saw those before it."""
    call = [sys.executable, "-c", WRITER, tmp_path, "200"]
    writers = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    reported = [p.communicate()[0].split()[1:] for p in writers]
    ledger = read_ledger(tmp_path)
    assert not ledger.remarks
    assert (
        sorted(ledger.builds) == sorted(reported[0] + reported[1]) == sorted(["b", *(f"b-{i}" for i in range(2, 401))])
    )
    assert [x.number for x in ledger.builds.values()] == list(range(2, 402))


def test_a_writer_waits_for_another(tmp_path):
    """Check that a second writer begins when the first one has ended, and that a full disk leaves no part of a line."""
    small_ledger(tmp_path, build("x", 1, [1, 2, 3], KEY))
    with hold(tmp_path) as ledger:
        call = [sys.executable, "-c", WRITER, tmp_path, "1"]
        other = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        time.sleep(0.2)
        append(ledger, [build("b", 2, [1, 2, 3], KEY).line()])
    assert other.communicate()[0] == "b-2\n"
    before = file_of(tmp_path).read_bytes()
    with hold(tmp_path) as ledger:
        whole = ledger.held
        ledger.held = SimpleNamespace(
            seek=whole.seek, read=whole.read, fileno=whole.fileno, truncate=whole.truncate,
            write=lambda data: whole.write(data[:9]),
        )  # fmt: skip
        with pytest.raises(OSError, match="only 9 of"):
            append(ledger, [build("z", 3, [1, 2, 3], KEY).line()])
    assert file_of(tmp_path).read_bytes() == before


@pytest.mark.slow
def test_a_killed_writer_loses_nothing(tmp_path):
    """Kill a process that appends builds, many times: every build that it reported is in the ledger."""
    reported = set()
    for i in range(12):
        p = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, "100000"], stdout=subprocess.PIPE, text=True)
        assert p.stdout is not None
        assert p.stdout.readline() == "ready\n"
        time.sleep(0.05 + 0.013 * i)
        p.send_signal(signal.SIGKILL)
        text = p.communicate()[0]
        reported |= {*text[: text.rfind("\n") + 1].split()}
    ledger = read_ledger(tmp_path)
    assert len(reported) > 20
    assert reported <= ledger.builds.keys()
    assert {tuple(x.counts[1]) for x in ledger.builds.values()} == {(3,) * 300}


@pytest.mark.slow
def test_ten_thousand_builds_are_read_in_seconds(tmp_path):
    """Read 10,000 builds of 500 questions, 2 s when the machine is idle; without --long 1,000."""
    n = scaled(10_000, 1_000)
    rng, ids = np.random.default_rng(0), [f"question-{i}" for i in range(500)]
    ledger, rates = Ledger(file_of(tmp_path)), rng.random(500)
    lines = [{"scorio": "questions/1", "key": key_of(ids), "ids": ids}]
    for i in range(n):
        s = rng.binomial(4, rates)
        moment = f"2026-01-{1 + i // 500:02d}T{i % 500 // 60:02d}:{i % 60:02d}:00.000Z"
        lines.append(Build(f"b{i}", moment, "c" * 40, "main", "m", key_of(ids), None,
                           [(4 - s).tolist(), s.tolist()]).line())  # fmt: skip
    append(ledger, lines)
    start = time.perf_counter()
    ledger = read_ledger(tmp_path)
    assert time.perf_counter() - start < 6.0
    assert len(ledger.builds) == n


def git(folder: Path, *words: str) -> str:
    """Run git without the configuration of the machine."""
    env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    named = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
    return subprocess.run(named, check=True, capture_output=True, text=True, env=env).stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@pytest.mark.parametrize("torn", [False, True])
def test_two_branches_merge_without_a_conflict(pinned, tmp_path, torn):
    """Gate a build on each of two branches, merge them by git: both builds are there, also after a torn write."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".scorio")
    git(tmp_path, "commit", "-qm", "pin")
    git(tmp_path, "checkout", "-qb", "other")
    assert gate(pinned, tmp_path, "theirs", 10)[0] in (0, 3)
    git(tmp_path, "commit", "-qam", "theirs")
    git(tmp_path, "checkout", "-q", "main")
    assert gate(pinned, tmp_path, "ours", 11)[0] in (0, 3)
    if torn:
        with (tmp_path / ".scorio" / "ledger.jsonl").open("a") as f:
            f.write('{"scorio":"build/1","id":"lost","time":"20')
    git(tmp_path, "commit", "-qam", "ours")
    git(tmp_path, "merge", "-q", "other", "-m", "merged")
    ledger = read_ledger(".scorio")
    assert {*ledger.builds} == {"pin", "pin-2", "pin-3", "ours", "theirs"}
    assert ledger.builds["theirs"].branch == "other"
    assert ledger.builds["ours"].branch == "main"
    assert len(ledger.builds["ours"].commit or "") == 40
    _, out, _ = pinned("history")
    assert "branch main: 1 build of other branches was only gated" in " ".join(out.split())
    assert ("interrupted" in out) == torn


# --- the commands ------------------------------------------------------------------------------------


def test_the_history_is_that_of_the_functions(pinned, tmp_path):
    """Check verdicts, floor, alarms and steps of the commands against calls of sinf on the logs."""
    seeds = [(20 + i, 0.0) for i in range(4)] + [(30 + i, 0.3) for i in range(4)]
    codes = [gate(pinned, tmp_path, f"b{seed}", seed, loss)[0] for seed, loss in seeds]
    files = [f"b{seed}" for seed, _ in seeds]
    counts = {x: scorio.read(f"{x}.csv")["m"] for x in files}
    pins = [scorio.read(f"a{i}.csv")["m"] for i in range(3)]
    gates = sinf.gate_builds(counts, pins, margin=0.15)
    assert codes == [{"pass": 0, "fail": 1, "inconclusive": 3}[row.verdict] for row in gates.builds]
    assert {0, 1} <= {*codes}
    code, out, _ = pinned("history", "--json")
    x = json.loads(out)
    rows = x["rows"][3:]
    assert code == 0
    assert [row["pinned"] for row in x["rows"]] == [True] * 3 + [False] * 8
    assert [row["build"] for row in rows] == files
    for name in ("mu", "floor", "p_worse", "level", "verdict"):
        assert [row[name] for row in rows] == [getattr(y, name) for y in gates.builds], name
    assert [row["recorded"] for row in rows] == [row["verdict"] for row in rows]
    assert (x["floor"], x["pin"]) == (gates.next_floor, gates.pin)
    alarms = {y.build: (y.alarm, y.since) for y in sinf.alarms(counts, pins).builds if y.alarm}
    assert alarms
    assert {row["build"]: (row["alarm"], row["since"]) for row in rows if row["alarm"]} == alarms
    steps = sinf.steps({"": sum(pins[1:], pins[0])} | counts)
    assert [(row["build"], row["step"], row["step_lo"]) for row in rows if row["step"]] == [
        (y.build, y.mu, y.lo) for y in steps
    ]
    text = " ".join(x["sentences"])
    first = next(iter(alarms))
    assert f"Alarm at build {first}: the score has fallen since build {alarms[first][1]}." in text
    assert f"The score changed with build {steps[0].build}" in text
    sampled = json.loads(pinned("history", "--runs", "sampled", "--json")[1])
    watched = sinf.alarms(counts, pins, runs="sampled").builds
    assert [row["alarm"] for row in sampled["rows"][3:]] == [y.alarm for y in watched]


def test_the_forms_of_a_history(pinned, tmp_path):
    gate(pinned, tmp_path, "x", 40)
    _, text, _ = pinned("history", "--baseline", "main")
    assert "ledger.jsonl: baseline main, 1 gated build, 60 questions" in text
    assert "| build | time |" in pinned("history", "--format", "markdown")[1]
    assert pinned("history", "--csv")[1].startswith('"build","time","commit"')
    assert "3 earlier builds not shown" in pinned("history", "--top", "1")[1]
    code, out, _ = pinned("plot", "history", ".scorio", "-o", "h.png")
    assert (code, out) == (0, "h.png: history of 4 builds\n")
    assert (tmp_path / "h.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_the_picture_shows_alarms_and_steps(pinned, tmp_path):
    from scorio.commands.history import history

    for seed in range(50, 56):
        gate(pinned, tmp_path, f"b{seed}", seed, 0.35 * (seed > 52))
    ax = history(read_ledger(".scorio")).plot()
    labels = {x.get_label() for x in [*ax.lines, *ax.patches]}
    assert {"pin", "fail", "floor", "step", "alarm (loss)"} <= labels
    fails = next(x for x in ax.lines if x.get_label() == "fail")
    assert list(fails.get_xdata()) == [6, 7, 8]


def test_a_build_is_recorded_once_with_its_verdict(pinned, tmp_path):
    """Check that --no-record leaves the file as it is, and that the same evaluation again adds no build."""
    path = tmp_path / ".scorio" / "ledger.jsonl"
    before = path.read_bytes()
    code, out, _ = gate(pinned, tmp_path, "x", 60, 0.0, "--no-record")
    assert "Not recorded." in out
    assert path.read_bytes() == before
    again, out, _ = gate(pinned, tmp_path, "x", 60, 0.0, "--branch", "main", "--commit", "abc", "--json")
    assert code == again == {"pass": 0, "fail": 1, "inconclusive": 3}[json.loads(out)["verdict"]]
    line = json.loads(path.read_text().splitlines()[-1])
    assert (line["id"], line["commit"], line["branch"], line["model"]) == ("x", "abc", "main", "m")
    assert line["gate"]["verdict"] == json.loads(out)["verdict"]
    written = path.read_bytes()
    third, out, _ = gate(pinned, tmp_path, "x", 60, 0.0, "--commit", "abc")
    assert third == code
    assert "is in the ledger already, as x" in " ".join(out.split())
    assert path.read_bytes() == written


def test_an_evaluation_is_gated_and_recorded(pinned, tmp_path):
    """Check that the method gives the verdict of the command, records it, and says what is unusual about the build."""
    text = (tmp_path / write_log(tmp_path / "x.csv", 60)).read_text()
    (tmp_path / "y.csv").write_text(text.replace("\nm,", "\nother,"))
    before = read_ledger(".scorio").path.read_bytes()
    want = json.loads(pinned("gate", "x.csv", "--baseline", "main", "--id", "pin", "--no-record", "--json")[1])
    x = scorio.read("x.csv").gate_build(id="pin", record=False)
    assert read_ledger(".scorio").path.read_bytes() == before
    assert (x.verdict, x.row.p_worse, x.candidate) == (want["verdict"], want["rows"][-1]["p_worse"], "pin-4")
    assert "A build has the id pin already: this one is pin-4." in str(x)
    y = scorio.read("y.csv").gate_build("main", tmp_path / ".scorio", commit="c", branch="b", id="y")
    assert "The pin is of m; of other models: y (other)." in str(y)
    recorded = read_ledger(".scorio").builds["y"]
    assert (recorded.commit, recorded.branch, recorded.model) == ("c", "b", "other")
    assert recorded.gate
    assert recorded.gate["verdict"] == y.verdict


def test_reports_of_a_gate(pinned, tmp_path):
    gate(pinned, tmp_path, "x", 61, 0.4, "--junit", "g.xml", "--markdown", "g.md")
    assert 'failures="1"' in (tmp_path / "g.xml").read_text()
    assert "FAIL: the score of x is below the floor of baseline main" in (tmp_path / "g.md").read_text()


def test_a_build_before_others_is_said_with_the_verdicts_that_change(pinned, tmp_path):
    """Append, as a merge does, a build of an earlier time that raises the floor."""
    assert gate(pinned, tmp_path, "x", 62)[0] == 0
    assert "The order is by time" not in pinned("history")[1]
    ledger = read_ledger(".scorio")
    pin, x = ledger.builds["pin-3"], ledger.builds["x"]
    early = replace(pin, id="early", time=pin.time.replace("Z", "9Z"), counts=[[0] * 60, [4] * 60], gate=x.gate)
    append(ledger, [early.line()])
    text = " ".join(pinned("history")[1].split())
    assert "The order is by time: 1 build (early) came into the ledger after later ones, as by a merge" in text
    assert "others when the builds were gated, since builds were added before them" in text
    assert "x (pass, now inconclusive)" in text
    assert "raised by a build that passed" in " ".join(pinned("baseline", "show")[1].split())


@pytest.mark.parametrize(
    ("number", "old", "new"), [(3, '"counts":[[', '"counts":[[1'), (6, '"verdict":"fail"', '"verdict":"pass"')]
)
def test_edited_lines_are_refused(pinned, tmp_path, number, old, new):
    """Edit counts of the pin, or the verdict of a gate: every command names the line and the build, and stops."""
    gate(pinned, tmp_path, "x", 62, 0.4)
    path = tmp_path / ".scorio" / "ledger.jsonl"
    lines = path.read_text().splitlines()
    name = json.loads(lines[number - 1])["id"]
    path.write_text("\n".join(json.dumps(json.loads(x)) for x in lines) + "\n")
    assert pinned("history")[0] == 0  # only written in another way
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    path.write_text("\n".join(lines) + "\n")
    for call in ("history", "baseline show", "gate x.csv --baseline main", "changes --baseline main"):
        code, out, err = pinned(*call.split())
        assert (code, out) == (2, "")
        assert f"line {number} of .scorio/ledger.jsonl, build '{name}', was edited" in err


def test_a_new_pin_is_a_new_promise(pinned, tmp_path):
    """Check that a baseline that is set again begins anew, and that its builds may be those of the ledger."""
    gate(pinned, tmp_path, "x", 63)
    code, out, _ = pinned("baseline", "set", "x.csv", "--margin", ".2")
    assert code == 0
    assert "Recorded" not in out  # the evaluation is in the ledger already
    assert "The pin of main is one evaluation" in out
    assert "0 gated builds" in pinned("history")[1]
    assert "1 build gated against an earlier pin" in pinned("history")[1]
    _, out, _ = pinned("baseline", "show", "--json")
    (row,) = json.loads(out)["rows"]
    assert (row["builds"], row["margin"], row["gated"]) == (["x"], 0.2, 0)
    assert (tmp_path / ".scorio" / ".gitattributes").read_text() == "ledger.jsonl merge=union\n"


def test_a_pin_with_runs_sampled_states_the_ratio_to_the_gate(call, tmp_path):
    logs = [write_log(tmp_path / f"a{i}.csv", i) for i in range(3)]
    assert call("baseline", "set", *logs, "--margin", ".15", "--runs", "sampled")[0] == 0
    pins = [scorio.read(x)["m"] for x in logs]
    noise = sinf.noise_floor(pins)
    _, out, _ = call("gate", write_log(tmp_path / "x.csv", 70), "--baseline", "main", "--json")
    want = sinf.gate_builds([scorio.read("x.csv")["m"]], pins, margin=0.15, runs={"ratio": noise.ratio, "df": noise.df})
    assert json.loads(out)["rows"][-1]["p_worse"] == want.builds[0].p_worse
    code, _, err = call("baseline", "set", "x.csv", "--margin", ".15", "--runs", "sampled", "--name", "one")
    assert code == 2
    assert "from one" in err
    assert "one" not in {x.name for x in read_ledger(".scorio").baselines}


def test_noise_of_evaluations(call, tmp_path):
    logs = [write_log(tmp_path / f"a{i}.csv", i) for i in range(4)]
    _, out, _ = call("baseline", "noise", *logs, "--margin", ".001", "--json")
    x, want = json.loads(out), sinf.noise_floor([scorio.read(y)["m"] for y in logs])
    for name in ("mu", "sigma", "ratio", "df", "p_value", "sd", "margin_gate", "margin_builds", "margin_gate_runs"):
        assert x[name] == getattr(want, name), name
    assert len(x["flaky"]) == len(want.flaky)
    assert x["sentences"][0].startswith("A margin of 0.001 is out of reach")
    assert not (tmp_path / ".scorio").exists()
    _, out, _ = call("baseline", "noise", *logs, "--margin", ".9")
    assert "A margin of 0.9 can be held" in out


def test_changes_name_the_build_since_which_a_question_fails(call, tmp_path):
    """Break a question in the second of four builds; it fails in the second, the third and the fourth."""

    def log(name: str, broken: bool) -> str:
        rows = [f"m,q{q},{t},{int(q != 3 or not broken)}" for q in range(12) for t in range(8)]
        (tmp_path / name).write_text("\n".join(["model,question,trial,outcome", *rows]) + "\n")
        return name

    call("baseline", "set", log("a.csv", False), "--margin", ".3")
    for i, broken in enumerate([True, False, True, True]):
        call("gate", log(f"b{i}.csv", broken), "--baseline", "main", "--id", f"b{i}", "--commit", f"c{i}")
    code, out, _ = call("changes", "--baseline", "main", "--json", "--fail-on", "regressed")
    x = json.loads(out)
    assert code == 1
    assert (x["old"], x["new"]) == ("pin of main", "b3")
    assert [(row["question"], row["since"]) for row in x["rows"] if row["status"] == "regressed"] == [("q3", "b2")]
    assert all("since" not in row for row in x["rows"] if row["status"] != "regressed")
    assert "b2" in call("changes", "--baseline", "main")[1]


def test_questions_that_were_renamed_or_added(pinned, tmp_path):
    """Check that a build that lacks questions of the pin is refused, but for --shared, and added ones are left out."""
    whole = (tmp_path / write_log(tmp_path / "x.csv", 80)).read_text()
    (tmp_path / "renamed.csv").write_text(whole.replace("m,q7,", "m,seven,"))
    code, _, err = pinned("gate", "renamed.csv", "--baseline", "main")
    assert code == 2
    assert "lacks 1 question of the pin of 'main': 'q7': --missing 0 counts them as wrong" in err
    code, out, _ = pinned("gate", "renamed.csv", "--baseline", "main", "--missing", "0", "--id", "filled")
    assert "Gate on 60 questions" in out
    assert "Missing: 4 of 244 outcomes, counted as 0" in out
    ledger = read_ledger(".scorio")
    counts = dict(
        zip(
            ledger.questions[ledger.builds["filled"].questions],
            zip(*ledger.builds["filled"].counts, strict=True),
            strict=True,
        )
    )
    assert counts["q7"] == (4, 0)
    assert sum(counts["seven"]) == 4
    code, out, _ = pinned("gate", "renamed.csv", "--baseline", "main", "--shared", "--no-record")
    assert code in (0, 3)
    assert "Left out: 2 questions" in out
    assert "Gate on 59 questions" in out
    (tmp_path / "more.csv").write_text(whole + "".join(f"m,new,{t},1\n" for t in range(4)))
    code, out, _ = pinned("gate", "more.csv", "--baseline", "main")
    assert "Gate on 60 questions" in out
    assert "Left out: 2 questions that only some of the builds have" in out
    write_log(tmp_path / "other.csv", 81, names="z")
    assert "no question in common" in pinned("gate", "other.csv", "--baseline", "main", "--shared")[2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gate x.csv --baseline main --margin .1", "margin 0.15, not 0.1"),
        ("gate x.csv --baseline main --confidence .9", "confidence 0.95, not 0.9"),
        ("gate x.csv --baseline other", "no baseline 'other'"),
        ("gate x.csv --baseline main --ledger elsewhere", "scorio baseline set LOG"),
        ("gate x.csv --baseline main --each .5", "leave out --each"),
        ("gate x.csv --baseline main --metric pass@k --k 2", "leave out --metric and --k"),
        ("gate x.csv --baseline main --look 1/2", "leave out --look"),
        ("gate x.csv a0.csv --baseline main", "no model 'a0.csv'"),
        ("gate a0.csv --baseline main", "an evaluation of the pin"),
        ("gate x.csv a0.csv --margin .1 --no-record", "--no-record is for a gate by a ledger"),
        ("gate x.csv", "one of --margin, --at-least, --each and --baseline"),
        ("gate two.csv --baseline main", "name one model"),
        ("gate tasks.csv --baseline main", "--task"),
        ("gate gap.csv --baseline main", "lacks 59 questions"),
        ("baseline set x.csv", "--margin is required"),
        ("baseline set x.csv --margin 2", "margin"),
        ("baseline set x.csv --margin .1 --confidence 2", "confidence"),
        ("baseline set x.csv x.csv --margin .1", "named twice"),
        ("baseline set x.csv copy.csv --margin .1", "outcomes of another log"),
        ("baseline set --margin .1", "no log to read"),
        ("baseline show x.csv", "leave"),
        ("baseline show --margin .1", "leave out --margin"),
        ("baseline show --runs sampled --missing 0", "leave out --missing and --runs"),
        ("baseline set two.csv --margin .1", "model"),
        ("baseline noise x.csv a0.csv --branch b", "leave out --branch"),
        ("baseline show --ledger elsewhere", "there is no ledger"),
        ("baseline noise x.csv", "one evaluation"),
        ("baseline noise x.csv a0.csv --margin -1", "margin = -1"),
        ("history elsewhere", "there is no ledger"),
        ("history x.csv", "no line of a ledger"),
        ("changes --ledger .scorio", "--baseline main"),
        ("changes --baseline main", "no build of branch"),
        ("changes --baseline main --task a", "leave out --task"),
        ("gate x.csv --baseline main --id ", "is no name of a build"),
        ("gate gap0.csv --baseline main --missing drop", "--missing 0"),
        ("changes x.csv --baseline main", "leave out x.csv"),
    ],
)
def test_what_is_refused_leaves_the_ledger_as_it_is(pinned, tmp_path, line, words):
    text = (tmp_path / write_log(tmp_path / "x.csv", 90)).read_text()
    (tmp_path / "copy.csv").write_text(text)
    (tmp_path / "two.csv").write_text(text + text.partition("\n")[2].replace("m,q", "other,q"))
    (tmp_path / "tasks.csv").write_text("model,task,question,outcome\nm,a,q1,1\nm,b,q1,0\n")
    (tmp_path / "gap.csv").write_text("model,question,outcome\nm,q1,1\n")
    blank = "\n".join(x[:-1] if x.startswith("m,q0,") else x for x in text.split("\n"))
    (tmp_path / "gap0.csv").write_text(blank)
    path = tmp_path / ".scorio" / "ledger.jsonl"
    before = path.read_bytes()
    code, out, err = pinned(*line.split(" "))
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert not out
    assert path.read_bytes() == before


def test_a_build_with_few_questions_does_not_shrink_those_of_others(pinned, tmp_path):
    """A --shared gate of one question had all later builds judged on it: a build that fails was inconclusive."""
    before = gate(pinned, tmp_path, "bad", 40, 0.35)
    assert before[0] == 1
    write_log(tmp_path / "few.csv", 41)
    lines = (tmp_path / "few.csv").read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(lines[:5]) + "\n")
    code, out, _ = pinned("gate", "few.csv", "--baseline", "main", "--id", "few", "--shared")
    assert code in (0, 3)
    code, out, _ = gate(pinned, tmp_path, "worse", 42, 0.35)
    assert (code, "on 60 questions" in out) == (1, True)
    assert "Left out: 1 build (few) that lacked questions of the pin" in " ".join(out.split())


def test_another_margin_is_another_pin(pinned, tmp_path):
    assert gate(pinned, tmp_path, "bad", 40, 0.35)[0] == 1
    ledger = read_ledger(".scorio")
    append(ledger, [replace(ledger.baseline("main"), margin=0.9).line()])
    _, out, _ = pinned("history")
    assert "Not shown: 1 build gated against an earlier pin" in " ".join(out.split())


@pytest.mark.parametrize("name", ["--name=", "--name=a\nb"])
def test_a_baseline_needs_a_name(call, tmp_path, name):
    code, _, err = call("baseline", "set", write_log(tmp_path / "a.csv", 1), "--margin", ".2", name)
    assert (code, "is no name of a baseline" in err) == (2, True)


def test_a_checkout_of_a_commit_needs_a_branch(call, tmp_path, monkeypatch):
    for name in ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILD_SOURCEBRANCHNAME", "BRANCH_NAME"):
        monkeypatch.delenv(name, raising=False)
    log = write_log(tmp_path / "a.csv", 1)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "x")
    git(tmp_path, "checkout", "-q", "--detach")
    code, _, err = call("baseline", "set", log, "--margin", ".3")
    assert (code, "is on no branch" in err) == (2, True)
    monkeypatch.setenv("GITHUB_REF_NAME", "main")
    assert call("baseline", "set", log, "--margin", ".3")[0] == 0
    assert [x.branch for x in read_ledger(tmp_path / ".scorio").baselines] == ["main"]
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    new = write_log(tmp_path / "sub" / "b.csv", 2)
    assert call("gate", new, "--baseline", "main")[0] in (0, 3)  # by the ledger of the folder above


def test_missing_questions_of_an_evaluation_are_counted(call, tmp_path):
    """Check that an evaluation of the pin that lacks a question counts it as its missing outcomes are."""
    logs = [write_log(tmp_path / f"a{i}.csv", i) for i in range(2)]
    text = (tmp_path / "a1.csv").read_text().splitlines()
    (tmp_path / "a1.csv").write_text("\n".join(x for x in text if not x.startswith("m,q7,")) + "\n")
    assert "question" in call("baseline", "noise", *logs)[2]
    out = call("baseline", "noise", *logs, "--missing", "0")[1]
    assert "60 questions" in out
    assert "Missing: 4 of 240 outcomes, counted as 0" in out
    code, out, _ = call("baseline", "set", *logs, "--margin", ".2", "--missing", "0")
    assert code == 0
    assert "Missing: 4 of 240 outcomes, counted as 0" in out
    ledger = read_ledger(".scorio")
    assert [sum(map(sum, x.counts)) for x in ledger.builds.values()] == [240, 240]
    before = ledger.path.read_bytes()
    for action in (
        ["baseline", "set", *logs, "--margin", ".2"],
        ["gate", "a0.csv", "--baseline", "main", "--commit", "x"],
    ):
        assert call(*action, "--missing", "bounds")[0] == 2
    assert ledger.path.read_bytes() == before


def test_evaluations_that_do_not_vary(call, tmp_path):
    """Check that equal trials are no proof of a margin of 0."""
    text = "".join(f"m,q{q},{t},{int(q > 3)}\n" for q in range(12) for t in range(4))
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("model,question,trial,outcome\n" + text)
    _, out, _ = call("baseline", "noise", "a.csv", "b.csv", "--margin", ".01")
    assert "Nothing varies" in out
    assert "can be held:" not in out
    for name in ("a", "b"):
        assert call("baseline", "set", f"{name}.csv", "--margin", ".3", "--commit", name, "--name", name)[0] == 0
    assert call("baseline", "set", "a.csv", "b.csv", "--margin", ".3")[0] == 2
    x = read_ledger(".scorio")
    pins = list(x.builds.values())
    append(x, [replace(x.baseline("a"), builds=("a", "b"), digests=tuple(y.digest for y in pins)).line()])
    assert "Nothing varies: in the pin of a all trials" in call("baseline", "show")[1]


def test_pins_are_their_own_evaluations_after_a_merge(call, tmp_path):
    """Set a baseline of other evaluations under the same ids in two folders, and join the lines of both."""
    for i, name in enumerate(("one", "two")):
        log = write_log(tmp_path / f"{name}.csv", i, 0.2 * i)
        assert call("baseline", "set", log, "--margin", ".2", "--id", "pin", "--name", name, "--ledger", name)[0] == 0
    with (tmp_path / "one" / "ledger.jsonl").open("ab") as f:
        f.write((tmp_path / "two" / "ledger.jsonl").read_bytes().replace(b"\n", b"\r\n"))
        f.write((tmp_path / "one" / "ledger.jsonl").read_bytes().replace(b"\n", b"\r\n"))
    _, out, _ = call("baseline", "show", "--ledger", "one", "--json")
    rows = json.loads(out)["rows"]
    assert [row["builds"] for row in rows] == [["pin"], ["pin-2"]]
    for row in rows:
        assert row["mu"] == scorio.read(f"{row['baseline']}.csv").leaderboard().table[0].average.mu


def test_missing_outcomes_of_a_pin_are_reported(call, tmp_path):
    text = (tmp_path / write_log(tmp_path / "a.csv", 1)).read_text()
    (tmp_path / "a.csv").write_text(text.replace("m,q3,2,1", "m,q3,2,").replace("m,q3,2,0", "m,q3,2,"))
    assert call("baseline", "set", "a.csv", "--margin", ".2")[0] == 2
    assert not (tmp_path / ".scorio").exists()
    code, out, _ = call("baseline", "set", "a.csv", "--margin", ".2", "--missing", "drop")
    assert code == 0
    assert "Missing: 1 of 240 outcomes, left out." in out


def test_an_edited_line_that_is_no_json_is_refused(pinned, tmp_path):
    """Check that a line that was written whole is not taken for a torn one, with the number of the line."""
    gate(pinned, tmp_path, "b0", 40)
    path = tmp_path / ".scorio" / "ledger.jsonl"
    lines = path.read_text().splitlines()
    for number in (1, len(lines)):
        edited = lines[number - 1].replace("[", "[,", 1)
        path.write_text("\n".join([*lines[: number - 1], edited, *lines[number:]]) + "\n")
        assert f"line {number} of .scorio/ledger.jsonl was edited: it is no JSON" in pinned("history")[2]


def test_a_pin_has_no_shared_runs(call, tmp_path, capsys):
    """Check that --runs shared, which no gate of a ledger takes, is refused where a baseline is set."""
    with pytest.raises(SystemExit, match="2"):
        call("baseline", "set", write_log(tmp_path / "a.csv", 1), "--margin", ".1", "--runs", "shared")
    assert "choose from fixed, sampled" in capsys.readouterr().err


def test_attributes_of_git_keep_their_last_line(call, tmp_path):
    """Append to a file of attributes whose last line has no end."""
    (tmp_path / ".scorio").mkdir()
    (tmp_path / ".scorio" / ".gitattributes").write_text("*.txt text")
    call("baseline", "set", write_log(tmp_path / "a.csv", 1), write_log(tmp_path / "b.csv", 2), "--margin", ".2")
    assert (tmp_path / ".scorio" / ".gitattributes").read_text() == "*.txt text\nledger.jsonl merge=union\n"


def test_noise_of_scores_of_which_some_logs_lack_one(call, tmp_path):
    """Read two logs with the levels 0, .5, 1 and 0, .25, .5, 1: they are on one scale."""
    rows = [[0, 0.5], [1, 0.5], [0.5, 1]], [[0, 0.5], [1, 0.25], [1, 0.5]]
    for name, table in zip("ab", rows, strict=True):
        text = "".join(f"m,{q},{t},{x}\n" for q, of in enumerate(table) for t, x in enumerate(of))
        (tmp_path / f"{name}.csv").write_text("model,question,trial,outcome\n" + text)
    code, out, err = call("baseline", "noise", "a.csv", "b.csv", "--w", "levels", "--scale", "0,1")
    assert (code, err) == (0, "")
    assert "Smallest margin at 80% power" in out
    (tmp_path / "b.csv").write_text((tmp_path / "b.csv").read_text().replace("0.25", "7"))
    assert "the logs have different scores" in call("baseline", "noise", "a.csv", "b.csv", "--w", "levels")[2]


def test_alarms_of_another_branch(pinned, tmp_path):
    """Gate builds of a branch that is not the baseline's: that nothing was watched is said, and --branch watches."""
    for i in range(4):
        gate(pinned, tmp_path, f"b{i}", 50 + i, 0.5 * (i > 1), "--branch", "feature")
    out = pinned("history")[1]
    assert "branch main, of which no build was gated" in out
    assert "No alarm" not in out
    watched = pinned("history", "--branch", "feature")[1]
    assert "Alarm at build b" in watched
    assert json.loads(pinned("history", "--branch", "feature", "--json")[1])["branch"] == "feature"
    assert "there are builds of 'feature': --branch names another" in pinned("changes", "--baseline", "main")[2]
    assert pinned("changes", "--baseline", "main", "--branch", "feature")[0] == 0
    again = pinned("gate", "b3.csv", "--baseline", "main", "--branch", "main", "--id", "b3")[1]
    assert "A build has the id b3 already: this one is b3-2" in again
    assert "of which no build" not in pinned("history")[1]


def test_a_build_of_another_task_is_refused(call, tmp_path):
    """Set a baseline of one task of a log, and gate another one whose questions have the same ids."""
    for name in ("a", "b", "c"):
        text = "".join(f"{task},{x}" for x in (tmp_path / write_log(tmp_path / f"{name}.csv", ord(name))).read_text()
                       .splitlines(keepends=True)[1:] for task in ("A", "B"))  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("task,model,question,trial,outcome\n" + text)
    assert call("baseline", "set", "a.csv", "b.csv", "--task", "A", "--margin", ".3")[0] == 0
    code, _, err = call("gate", "c.csv", "--task", "B", "--baseline", "main")
    assert code == 2
    assert "is of task 'A', this log of 'B'" in err
    assert call("gate", "c.csv", "--task", "A", "--baseline", "main")[0] in (0, 3)


def test_missing_outcomes_of_a_build_stay_known(pinned, tmp_path):
    """Gate a build that lacks outcomes: the history says so, and a question without any is left out by --shared."""
    text = (tmp_path / write_log(tmp_path / "m.csv", 60)).read_text()
    (tmp_path / "m.csv").write_text(text.replace("m,q0,0,0", "m,q0,0,").replace("m,q0,0,1", "m,q0,0,"))
    pinned("gate", "m.csv", "--baseline", "main", "--missing", "drop", "--id", "m")
    assert "Missing outcomes were left out in m (1)" in pinned("history")[1]
    blank = "\n".join(x[:-1] if x.startswith("m,q0,") else x for x in text.split("\n"))
    (tmp_path / "n.csv").write_text(blank)
    code, out, _ = pinned("gate", "n.csv", "--baseline", "main", "--missing", "drop", "--shared", "--id", "n")
    assert code in (0, 3)
    assert "Gate on 59 questions" in out
    assert "beside the error rate over all builds" in out


def test_what_a_new_pin_replaces_is_said(pinned, tmp_path):
    """Set a baseline again, of two models, at a margin that no score can be below."""
    text = (tmp_path / write_log(tmp_path / "z.csv", 70, 1.0)).read_text()
    (tmp_path / "z.csv").write_text(text.replace("m,", "other,"))
    write_log(tmp_path / "y.csv", 71, 1.0)
    out = pinned("baseline", "set", "z.csv", "y.csv", "--margin", ".2")[1]
    assert "This replaces the pin of" in out
    assert "The pin pools evaluations of different models: m and other." in out
    assert "No build can fail: the floor is not above the lowest score" in out
    assert "Alarms and steps will be about builds of branch main." in out


@pytest.mark.slow
def test_the_example_is_that_of_the_script(tmp_path):
    """Check that bench/example.py writes the ledger of spec/examples."""
    path = Path(__file__).parents[1] / "bench" / "example.py"
    module: dict[str, object] = {"__file__": str(path), "__name__": "example"}
    exec(compile(path.read_text(), str(path), "exec"), module)
    module["ledger"](tmp_path / "ledger.jsonl")  # type: ignore[operator]
    assert (tmp_path / "ledger.jsonl").read_text() == (path.parents[1] / "spec/examples/ledger.jsonl").read_text()
