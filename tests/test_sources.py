"""Sources of logs: lists, patterns, streams, compressed files, layouts, and tables with other names of columns."""

from __future__ import annotations

import gzip
import io as streams
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written as tools

from scorio import InvalidInput
from scorio.io import from_frame, listed, read

CSV = "model,question,trial,outcome\na,q,0,1\na,q,1,0\na,p,0,1\na,p,1,1\n"
TABLE = {"a": {"q": [1, 1], "p": [0, 2]}}


def refused(code, argument, path, **options):
    """Message of the error with this code and argument that reading must raise."""
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    return str(e.value)


def zstd(data: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


def compressed(tmp_path, suffix):
    data = {".gz": gzip.compress, ".zst": zstd}[suffix](CSV.encode())
    path = tmp_path / f"runs.csv{suffix}"
    path.write_bytes(data)
    return path, data


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_are_read(tmp_path, suffix):
    path, data = compressed(tmp_path, suffix)
    assert tools.tables(read(path)) == tools.tables(read(tmp_path)) == TABLE
    for end in range(0, len(data)):
        path.write_bytes(data[:end])
        assert not tools.can_read(path), end
    for i in range(len(data)):
        path.write_bytes(data[:i] + bytes([data[i] ^ 255]) + data[i + 1 :])
        tools.can_read(path)  # the file is read or refused, with an error of one line
    (tmp_path / "m.jsonl.gz").write_bytes(gzip.compress(b'{"question": "q", "outcome": 1}'))
    assert list(read(tmp_path / "m.jsonl.gz")) == ["m"]


@pytest.mark.parametrize("kind", list(tools.WRITERS))
def test_every_format_is_read_from_a_stream_or_compressed(tmp_path, kind):
    """Check each format of one file, except Parquet: as a stream that has a name and, except for .eval, compressed."""
    path, file = tools.write_log(tmp_path, kind)
    expected = read(path)
    if path != file or file.suffix == ".parquet":
        return
    data = file.read_bytes()
    stream = streams.BytesIO(data)
    stream.name = str(file)
    assert tools.tables(read(stream)) == tools.tables(expected)
    if file.suffix != ".eval":
        file.unlink()
        other = file.with_name(file.name + ".gz")
        other.write_bytes(gzip.compress(data))
        assert tools.tables(read(other)) == tools.tables(expected)


def test_streams_are_read(tmp_path, monkeypatch):
    assert tools.tables(read(streams.BytesIO(CSV.encode()))) == TABLE
    assert tools.tables(read(streams.StringIO(CSV))) == TABLE
    assert tools.tables(read(streams.BytesIO(gzip.compress(CSV.encode())))) == TABLE
    assert tools.tables(read(streams.BytesIO(CSV.replace(",", "\t").encode()))) == TABLE
    lines = b'{"model": "a", "question": "q", "outcome": 1}\n{"model": "a", "question": "p", "outcome": 0}\n'
    for data in (lines, lines.splitlines()[0]):
        assert list(read(streams.BytesIO(data))) == ["a"]
    document = json.dumps(tools.inspect_log({"q": [1]}), indent=1).encode()
    assert list(read(streams.BytesIO(document))) == ["model"]
    out = streams.BytesIO()
    pq.write_table(pa.table({"model": ["a"], "question": ["q"], "outcome": [1]}), out)
    assert list(read(streams.BytesIO(out.getvalue()))) == ["a"]
    with (tmp_path / "x.csv").open("wb") as f:
        f.write(CSV.encode())
    with (tmp_path / "x.csv").open("rb") as f:
        assert tools.tables(read(f)) == TABLE

    class NotText:
        def read(self):
            return 3

    assert "of 'NotText' gives 'int', not bytes or text" in refused("type", "path", NotText())
    for data in (b"", b"\xff\xfe", b"{", b"[", b"PK\x03\x04", b"PAR1", b"\x93NUMPY", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        with pytest.raises(InvalidInput):
            read(streams.BytesIO(data))

    class Stdin:
        buffer = streams.BytesIO(CSV.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert tools.tables(read("-")) == TABLE


def test_several_logs_and_patterns_are_read_together(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(CSV.replace("a,", f"{name},"))
    both = [tmp_path / "a.csv", str(tmp_path / "b.csv")]
    for path in (both, str(tmp_path / "*.csv"), [tmp_path / "*.csv"], tmp_path, [tmp_path, both[0]]):
        assert list(read(path)) == ["a", "b"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").write_text(CSV)
    assert ": already in" in refused("duplicate", "path", [*both, tmp_path / "sub"])
    assert list(read([both[0], streams.BytesIO(CSV.replace("a,", "c,").encode())])) == ["c", "a"]
    pq.write_table(pa.table({"model": ["d"], "question": ["q"], "outcome": [1]}), tmp_path / "d.parquet")
    assert set(read([both[0], tmp_path / "d.parquet"])) == {"a", "d"}
    for path in ([*both, tmp_path / "none.csv"], tmp_path / "none"):
        with pytest.raises(FileNotFoundError):
            read(path)
    refused("empty", "path", [])


def test_files_in_a_list_are_runs_on_request(tmp_path):
    for i in range(3):
        tools.save(tmp_path / f"{i}" / "m.json", [{"task_id": "q", "trial": 0, "reward": i % 2}])
    paths = [tmp_path / f"{i}" / "m.json" for i in range(3)]
    assert "files_are_runs=True" in refused("conflict", "path", paths)
    (log,) = read(paths, files_are_runs=True).pooled().logs.values()
    assert log.counts.table.tolist() == [[2, 1]]


def test_layouts_name_models_runs_and_tasks(tmp_path):
    for model in ("x", "y"):
        for run in ("r1", "r2"):
            tools.save(tmp_path / model / run / "results.json", tools.terminal_log({"t": [1, 0], "u": [0, 0]}))
    tools.save(tmp_path / "x" / "notes" / "other.json", tools.terminal_log({"t": [1]}))
    logs = read(tmp_path, layout="{model}/{run}/results.json", trials=True)
    assert tools.tables(logs) == {m: {"t": [2, 2], "u": [4, 0]} for m in "xy"}
    assert logs.log("x").outcomes.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]
    assert logs.provenance.skipped == ()
    assert logs.provenance.remarks == (
        "Runs whose file is identical to that of another run: 2, such as 'x/r2/results.json' (copies, or "
        "deterministic runs: each counts as further trials, unless --exclude leaves it out).",
        "Files that the layout leaves out: 1, such as 'x/notes/other.json' (--dry-run gives the reason for each).",
    )
    assert set(read(tmp_path, layout="{_}/{model}/ot*.json")) == {"notes"}
    assert set(read(tmp_path, layout="**/{model}/other.json")) == {"notes"}
    tasks = read(tmp_path, layout="{task}/{model}/results.json")
    assert (list(tasks), list(tasks.benchmarks)) == (["r1", "r2"], ["x", "y"])
    assert "no file is laid out as" in refused("empty", "path", tmp_path, layout="{model}.json")
    for bad in ("results.json", "{modell}/x", "{model", "}{model}", ""):
        refused("format", "layout", tmp_path, layout=bad)
    refused("type", "layout", tmp_path, layout=3)
    refused("conflict", "layout", tmp_path / "x" / "r1" / "results.json", layout="{model}")
    files = {x["file"]: x for x in listed(tmp_path, layout="{model}/{run}/results.json")}
    assert files["x/r1/results.json"] == {"file": "x/r1/results.json", "read": True, "format": "terminal-bench",
                                          "model": "x", "run": "r1"}  # fmt: skip
    assert files["x/notes/other.json"]["read"] is False


def test_layouts_may_name_the_question_and_the_trial(tmp_path):
    for q in ("q1", "q2"):
        for t in range(2):
            (tmp_path / q).mkdir(exist_ok=True)
            (tmp_path / q / f"{t}.csv").write_text(f"model,question,outcome\nm,x,{int(q == 'q1')}\n")
    logs = read(tmp_path, layout="{question}/{trial}.csv")
    assert tools.tables(logs) == {"m": {"q1": [0, 2], "q2": [2, 0]}}


ROWS = [
    {"example_id": "e1", "feedback": {"correct": True}, "metadata": {"model": "m"}, "x.y": 1},
    {"example_id": "e2", "feedback": {"correct": None}, "metadata": {"model": "m"}, "more": [1]},
    {"example_id": "e2", "feedback": {"correct": False}, "metadata": {"model": "m"}},
]
COLUMNS = {"question": "example_id", "outcome": "feedback.correct", "model": "metadata.model"}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "tsv", "jsonl.gz"])
def test_columns_are_read_under_other_names(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    if kind.startswith("jsonl"):
        data = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
        path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
    elif kind == "parquet":
        pq.write_table(
            pa.Table.from_pylist([{x: row[x] for x in ("example_id", "feedback", "metadata")} for row in ROWS]), path
        )
    else:
        sep = "," if kind == "csv" else "\t"
        lines = [["example_id", "feedback", "metadata", "metadata2", "twice", "twice"]]
        lines += [[r["example_id"], json.dumps(r["feedback"]), json.dumps(r["metadata"]), "", "", ""] for r in ROWS]
        path.write_text("".join(sep.join('"' + x.replace('"', '""') + '"' for x in row) + "\n" for row in lines))
    logs = read(path, columns=COLUMNS, missing="drop")
    assert tools.tables(logs) == {"m": {"e1": [0, 1], "e2": [1, 0]}}
    assert "no row has 'feedback.corect'" in refused(
        "choice", "columns", path, columns=COLUMNS | {"outcome": "feedback.corect"}, missing="drop"
    )
    refused("choice", "columns", path, columns=COLUMNS | {"answer": "x"})
    refused("type", "columns", path, columns=["question"])
    refused("missing", "outcome", path, columns=COLUMNS)
    refused("format", "path", path, columns={"question": "example_id"})


def test_a_renamed_column_is_not_read_under_its_own_name(tmp_path):
    rows = [{"task": "t", "outcome": 1}, {"task": "u", "outcome": 0}]
    names = {"question": "task"}
    for logs in (
        read(tools.save(tmp_path / "a.jsonl", rows), columns=names),
        from_frame(pa.Table.from_pylist(rows), columns=names),
    ):
        assert [(log.ids, list(logs.benchmarks)) for log in logs.pooled().logs.values()] == [(["t", "u"], [""])]


def test_columns_may_have_objects_and_lists(tmp_path):
    rows = [
        {"inputs": {"q": 1}, "ok": 1},
        {"inputs": {"q": 1}, "ok": 0},
        {"inputs": {"q": 2}, "ok": 1},
        {"inputs": {"q": 2}, "ok": 1},
    ]
    path = tools.save(tmp_path / "a.jsonl", rows)
    logs = read(path, columns={"question": "inputs", "outcome": "ok"})
    assert [x.counts.table.tolist() for x in logs.pooled().logs.values()] == [[[1, 1], [0, 2]]]
    path = tools.save(tmp_path / "a.jsonl", [{"x.y": "q", "a": [{"b": 1}]}])
    assert tools.tables(read(path, columns={"question": "x.y", "outcome": "a.0.b"})) == {"a": {"q": [0, 1]}}


def test_a_column_task_names_benchmarks(tmp_path):
    (tmp_path / "a.csv").write_text("model,task,question,outcome\nm,x,1,1\nm,x,2,0\nm,y,1,1\nm,y,1,0\n")
    logs = read(tmp_path / "a.csv", trials=True)
    frame = from_frame(
        pa.table({"model": ["m"] * 4, "task": list("xxyy"), "question": [1, 2, 1, 1], "outcome": [1, 0, 1, 0]})
    )
    for e in (logs, frame):
        assert tools.tables(e) == {"m": {"x/1": [0, 1], "x/2": [1, 0], "y/1": [1, 1]}}
        assert list(e.benchmarks) == ["x", "y"]
    assert list(
        from_frame(pa.table({"question": [1], "outcome": [1], "task": ["t"]}), columns={"task": None}).benchmarks
    ) == [""]


# --- the command line --------------------------------------------------------------------------------------------


def test_convert_writes_the_column_task(run, tmp_path):
    source = tmp_path / "x" / "a.csv"
    source.parent.mkdir()
    source.write_text("model,task,question,outcome\nm,x,1,1\nm,x,2,0\nm,y,1,1\nm,y,1,0\n")
    code, out, _ = run("convert", source)
    assert (code, out.splitlines()[:2]) == (0, ["model,task,question,trial,outcome", "m,x,1,1,1"])
    converted = tmp_path / "converted.csv"
    converted.write_text(out)
    assert tools.tables(read(converted)) == tools.tables(read(source))


def test_the_leaderboard_of_a_suite_has_a_macro_average(run, tmp_path):
    for task, n in (("toy", 4), ("toy1", 1)):
        rows = [{"example_abbr": f"q{i}", "correct": [i % 2 == 0] * n} for i in range(4)]
        tools.save(tmp_path / "results" / "m" / f"{task}.json", {"details": rows})
    code, out, _ = run("leaderboard", tmp_path)
    assert code == 0
    assert "macro-average" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "Missing" not in out
    _, out, _ = run("leaderboard", tmp_path, "--json", "--k", "1")
    result = json.loads(out)
    assert [(x["benchmark"], x["average"], x["pass@1"]) for x in result["each"]] == [
        ("toy", 0.5, 0.5), ("toy1", 0.5, 0.5)]  # fmt: skip
    (row,) = result["rows"]
    assert (row["average"], row["pass@1"], row["n_questions"], row["trials_min"]) == (0.5, 0.5, 8, 1)
    assert run("evaluate", tmp_path)[0] == 0
    code, _, err = run("leaderboard", tmp_path, "--bayes")
    assert (code, "--task" in err) == (2, True)
    code, out, _ = run("leaderboard", tmp_path, "--task", "toy")
    assert (code, "macro" in out) == (0, False)


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "json", "text"])
def test_names_are_escaped_in_each_output_format(run, tmp_path, form):
    path = tmp_path / "a.csv"
    path.write_text(CSV.replace("a,", "a_b|c$,"))
    code, out, _ = run("leaderboard", path, "--format", form)
    assert code == 0
    if form == "markdown":
        assert r"`a_b\|c$`" in out
        assert "| --- |" in out
    elif form == "latex":
        assert r"a\_b|c\$" in out
        assert r"\begin{tabular}" in out
        assert r"95\% CI" in out
    else:
        assert "a_b|c$" in out


def test_the_command_takes_columns_and_dry_runs(run, tmp_path):
    path = tools.save(tmp_path / "a.jsonl", [{"id": "q", "ok": {"x": 1}}])
    assert run("leaderboard", path, "--columns", "question=id,outcome=ok.x")[0] == 0
    code, out, _ = run("leaderboard", tmp_path, "--dry-run")
    assert (code, "0 files would be read, 1 skipped" in out) == (0, True)
    assert run("leaderboard", path, "--columns", "question=id,outcome=ok.x", "--dry-run", "--json")[0] == 0
    for bad in ("question", "=x", "question="):
        with pytest.raises(SystemExit):
            run("leaderboard", path, "--columns", bad)
    code, _, err = run("leaderboard", tmp_path / "nothing.xyz")
    assert (code, "No such file" in err) == (2, True)


def test_commands_take_several_logs(run, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(CSV.replace("a,", f"{name},"))
    code, out, _ = run("leaderboard", tmp_path / "a.csv", tmp_path / "b.csv")
    assert (code, "a.csv and 1 more: 2 models" in out) == (0, True)
    assert run("compare", tmp_path / "a.csv", tmp_path / "b.csv")[0] == 0
    code, _, err = run("convert", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "b.csv")
    assert (code, "overwrite" in err) == (2, True)
