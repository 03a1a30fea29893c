"""Folders of logs: runs, names of models, several formats and metrics beside each other."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from written import (
    COUNTS,
    DATE,
    EACH_FORMAT,
    HASH,
    LOG_WRITERS,
    R,
    evalplus_log,
    human_eval,
    inspect_json,
    inspect_log,
    lm_eval,
    lm_eval_file,
    lm_eval_line,
    refused,
    save,
    tables,
    tau,
    tau2_log,
    terminal_log,
    zipped,
)

import scorio
from scorio import InvalidInput
from scorio.io import listed, read

# --- folders --------------------------------------------------------------------------------------------------


def test_files_are_runs_of_one_model_on_request(tmp_path):
    folder = tmp_path / "gpt-9"
    for run in range(3):
        runs = [{"task_id": q, "trial": 0, "reward": float(x[run])} for q, x in R.items()]
        save(folder / f"run{run}.json", runs)
    logs = read(folder)  # each file is a model of its own, named after the file
    assert list(logs) == ["run0", "run1", "run2"]
    logs = read(folder, files_are_runs=True, trials=True)
    assert tables(logs) == {"gpt-9": COUNTS}
    assert logs.log("gpt-9").outcomes.tolist() == list(R.values())
    with pytest.raises(InvalidInput) as e:
        read(folder / "run0.json", files_are_runs=True)
    assert (e.value.code, e.value.argument) == ("conflict", "files_are_runs")


def test_tables_are_runs_on_request(tmp_path):
    for run in range(2):
        (tmp_path / f"{run}.csv").write_text("question,outcome\nq,1\nq,0\np,1\np,1\n")
    logs = read(tmp_path, files_are_runs=True, trials=True)
    assert logs.log(tmp_path.name).outcomes.tolist() == [[1, 0, 1, 0], [1, 1, 1, 1]]
    (tmp_path / "2.csv").write_text("question,c,n\nq,1,2\n")
    refused(tmp_path, "conflict", "path", "2.csv", files_are_runs=True)
    for run in range(2):
        (tmp_path / f"{run}.csv").write_text("question,c,n\nq,1,3\n")
    assert tables(read(tmp_path, files_are_runs=True)) == {tmp_path.name: {"q": [5, 3]}}


def test_runs_of_several_tasks_are_trials_of_their_questions(tmp_path):
    for run, date in enumerate((DATE, DATE.replace("10-", "11-"))):
        for task in ("a", "b"):
            lm_eval_file(tmp_path / "m", [lm_eval_line(0, run)], task, f"run{run}", date)
    logs = read(tmp_path / "m", files_are_runs=True, trials=True)
    ids = [HASH.sub("", q) for q in logs.log("m").ids]
    assert (ids, logs.log("m").outcomes.tolist()) == (["a/0", "b/0"], [[0, 1], [0, 1]])


def test_runs_must_be_of_one_model(tmp_path):
    save(tmp_path / "a.json", inspect_log(R))
    save(tmp_path / "b.json", inspect_log(R))
    refused(tmp_path / "b.json", "conflict", "files_are_runs", files_are_runs=True)
    message = refused(tmp_path, "duplicate", "path", "b.json, samples[")
    assert "a.json" in message
    # both files name the same model, whose runs they are
    assert sum(map(sum, tables(read(tmp_path, files_are_runs=True))["model"].values())) == 12
    log = inspect_log(R)
    log["eval"]["model"] = "other"
    save(tmp_path / "b.json", log)
    assert list(read(tmp_path)) == ["model", "other"]
    refused(tmp_path, "conflict", "files_are_runs", "a run of model 'other', but", files_are_runs=True)


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        human_eval(tmp_path / folder, R)
    assert "a/model.jsonl_results.jsonl" in refused(tmp_path, "conflict", "path", "files_are_runs=True")
    assert tables(read(tmp_path, files_are_runs=True)) == {tmp_path.name: {"q1": [2, 4], "q2": [4, 2]}}


def unnamed_tau2(folder: Path) -> None:
    """Write a log of tau2-bench that names neither its model nor its trial."""
    log = tau2_log({"q": [1]})
    del log["info"]["agent_info"]
    log["simulations"][0]["trial"] = None
    save(folder / "results.json", log)


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: lm_eval_file(folder, [lm_eval_line("q", 1)], model="m"),
        lambda folder: unnamed_tau2(folder / "m"),
        lambda folder: save(folder / "m" / "gsm8k.json", {"details": [{"example_abbr": "q", "correct": True}]}),
        lambda folder: save(folder / "m" / "eval_results.json", evalplus_log({"q": [1]})),
        lambda folder: save(folder / "m" / "results.json", terminal_log({"q": [1]})),
    ],
)
def test_folders_of_one_name_are_not_one_model(tmp_path, write):
    write(tmp_path / "0shot"), write(tmp_path / "5shot")
    message = refused(tmp_path, "conflict", "path", "'m' may be a different model in")
    assert str(tmp_path / "0shot" / "m") in message
    assert message.startswith(str(tmp_path / "5shot" / "m"))
    (log,) = read(tmp_path, files_are_runs=True).pooled().logs.values()
    assert log.counts.table.tolist() == [[0, 2]]
    assert list(read(tmp_path / "5shot")) == ["m"]


def test_files_that_name_their_model_may_be_anywhere(tmp_path):
    for i, folder in enumerate("ab"):
        log = inspect_log(R)
        log["eval"]["task"] = f"task{i}"
        save(tmp_path / folder / "x.json", log)
    assert tables(read(tmp_path)) == {"model": {f"task{i}/{q}": c for i in range(2) for q, c in COUNTS.items()}}
    lm_eval_file(tmp_path, [lm_eval_line("q", 1)])  # in a folder with the name of that model
    refused(tmp_path, "conflict", "path", "'model' may be a different model in")


def test_trials_without_ids_must_be_in_one_file(tmp_path):
    text = "model,question,outcome\nm,q,1\nm,q,0\n"
    (tmp_path / "runs.csv").write_text(text)
    (tmp_path / "other.csv").write_text(text.replace("m,", "k,"))
    assert set(read(tmp_path)) == {"m", "k"}
    for name, content in [
        ("runs copy.csv", text), ("runs.tsv", text.replace(",", "\t")),
        ("z.jsonl", '{"model": "m", "question": "p", "outcome": 1}'),
        ("z.csv", "model,question,trial,outcome\nm,q,7,1\n"), ("a.csv", "model,question,trial,outcome\nm,q,7,1\n"),
    ]:  # fmt: skip
        (tmp_path / name).write_text(content)
        message = refused(tmp_path, "conflict", "path", "(a column trial)")
        way = 'layout="{run}.csv"' if name.endswith("csv") else "files_are_runs=True"
        assert all(x in message for x in ("runs.csv", name, way))
        (tmp_path / name).unlink()
    (tmp_path / "runs2.csv").write_text(text)
    (tmp_path / "other2.csv").write_text(text.replace("m,", "k,"))
    e = scorio.read(tmp_path, layout="{run}.csv")  # of several models
    assert {model: int(e[model].table.sum()) for model in e.models} == {"k": 4, "m": 4}
    log = tau2_log({"q": [1]})
    log["simulations"][0]["trial"] = None
    for name in "ab":
        save(tmp_path / "tau2" / f"{name}.json", log)
    refused(tmp_path / "tau2", "conflict", "path", "not both files have ids of trials")


def test_arrays_of_a_model_must_be_in_one_file(tmp_path):
    np.savez(tmp_path / "a.npz", m=np.array([[1, 0]]))
    np.savez(tmp_path / "copy.npz", m=np.array([[1, 0]]))
    refused(tmp_path, "duplicate", "path", "copy.npz, m[0, 0]: duplicate trial '0' of question '0' of 'm'")
    (tmp_path / "copy.npz").unlink()
    np.save(tmp_path / "m.npy", np.array([[1, 0]]))
    refused(tmp_path, "conflict", "path", "'m' may be a different model in")


def test_trials_with_ids_may_be_in_two_files(tmp_path):
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text(f"model,question,trial,outcome\nm,q,{i},1\n")
        (tmp_path / f"c{i}.csv").write_text(f"model,question,trial,outcome\nk,{i},0,1\n")
    assert tables(read(tmp_path)) == {"m": {"q": [0, 2]}, "k": {"0": [0, 1], "1": [0, 1]}}
    (tmp_path / "copy.csv").write_text((tmp_path / "c1.csv").read_text())
    refused(tmp_path, "duplicate", "path", "copy.csv")


@pytest.mark.parametrize("name", ["a.csv", "b.csv", "x/a.csv"])
def test_a_model_named_by_its_file_is_not_a_model_of_a_column(tmp_path, name):
    (tmp_path / "all.csv").write_text("model,question,trial,outcome\na,q,0,1\nb,q,0,1\n")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("question,trial,outcome\nq,1,1\n")
    refused(tmp_path, "conflict", "path", f"model {path.stem!r} may be a different model in")
    path.rename(path.parent / "c.csv")
    assert list(read(tmp_path)) == ["a", "b", "c"]


def two_metrics(kind: str, folder: Path) -> tuple[str, str]:
    """Write two files of one format with different metrics; return the names of these metrics."""
    if kind == "inspect_ai":
        log = inspect_log({"q": [1]})
        save(folder / "a.json", log)
        log["samples"][0]["scores"] = {"model_graded": log["samples"][0]["scores"]["match"]}
        log["eval"]["model"] = "b"
        save(folder / "b.eval", zipped({"header.json": log, "summaries.json": log.pop("samples")}))
        return "match", "model_graded"
    if kind == "lm_eval":
        lm_eval_file(folder, [lm_eval_line(0, 1)], model="a")
        lm_eval_file(folder, [lm_eval_line(0, 1, metrics=["acc"], acc=0)], model="b")
        return "exact_match,strict-match", "acc,strict-match"
    if kind == "verl":
        line = {"input": "q", "output": "o", "gts": "4", "score": 0, "step": 1}
        save(folder / "a.jsonl", [line | {"acc": 1}]), save(folder / "b.jsonl", [line])
        return "acc", "score"
    for model, name in (("a", "correct"), ("b", "cascade_correct")):
        save(folder / model / "d.json", {"details": [{"example_abbr": "q", name: [True]}]})
    return "correct", "cascade_correct"


@pytest.mark.parametrize("kind", ["inspect_ai", "lm_eval", "verl", "opencompass"])
def test_different_metrics_in_one_folder_are_refused(tmp_path, kind):
    first, other = two_metrics(kind, tmp_path)
    files = [x for x in sorted(tmp_path.rglob("*")) if x.is_file()]
    for runs in (False, True):
        message = refused(
            tmp_path, "conflict", "which", f"outcomes are {other!r} here, but {first!r} in", files_are_runs=runs
        )
        assert all(str(x) in message for x in files)
    assert len([read(file) for file in files]) == 2
    if kind == "verl":
        assert set(read(tmp_path, which="score")) == {"a", "b"}
    else:
        refused(tmp_path, "conflict", "which", f"outcomes are {other!r} here, but", which=first)


def test_two_names_of_one_metric_are_accepted(tmp_path):
    for model, name in (("a", "correct"), ("b", "is_correct")):
        save(tmp_path / model / "d.json", {"details": [{"example_abbr": "q", name: [True]}]})
    assert tables(read(tmp_path)) == {"a": {"q": [0, 1]}, "b": {"q": [0, 1]}}


@EACH_FORMAT
def test_outcomes_of_tools_are_not_categories(tmp_path, kind):
    path = LOG_WRITERS[kind](tmp_path, R)
    refused(path, "conflict", "w", 'w="levels"', w=[0, 0.5, 1])
    assert tables(read(path, w=[0, 1])) == tables(read(path, w="levels")) == tables(read(path))


def test_tables_and_arrays_of_categories_can_be_in_one_folder(tmp_path):
    (tmp_path / "a.csv").write_text("question,outcome\n0,2\n0,0\n")
    np.save(tmp_path / "b.npy", np.array([[1, 2]]))
    assert tables(read(tmp_path, w=[0, 0.5, 1])) == {"a": {"0": [1, 0, 1]}, "b": {"0": [0, 1, 1]}}
    tau(tmp_path, R)
    message = refused(tmp_path, "conflict", "w", w=[0, 0.5, 1])
    assert message.startswith(str(tmp_path / "model.json"))


@pytest.mark.parametrize("id_", ["q\ud800", "\udc00", "ä\udfff", " \ud800"])
def test_ids_are_unicode(tmp_path, id_):
    line = {"model": "m", "question": "q", "trial": "1", "cluster": "c", "outcome": 1}
    for name in ("model", "question", "trial", "cluster"):
        path = save(tmp_path / "a.jsonl", [line, line | {"question": "p", name: id_}])
        message = refused(path, "format", name, f":2: {name} '")
        assert "not Unicode text" in message
        message.encode()
    refused(save(tmp_path / "a.json", evalplus_log({id_: [1]})), "format", "question", "not Unicode text")
    path = save(tmp_path / "a.jsonl", [line, line | {"question": "p", "cluster": "ä\U00010000"}])
    assert read(path).log("m").clusters == ["c", "ä\U00010000"]


def test_other_files_in_a_folder_are_skipped_or_refused(tmp_path):
    tau(tmp_path, R)
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    (tmp_path / "plot.PNG").write_bytes(b"\x89PNG")
    (tmp_path / "README").write_text("runs")
    logs = read(tmp_path)
    assert (list(logs), logs.provenance.skipped) == (["model"], (".DS_Store", "README", "plot.PNG"))
    for name, content in (("notes.json", '{"a": 1'), ("a.csv", "question,b\n1,2\n"), ("a.csv.gz", "x")):
        (tmp_path / name).write_text(content)
        with pytest.raises((InvalidInput, OSError)):
            read(tmp_path)
        (tmp_path / name).unlink()
    others = {
        "scores.xlsx": "",
        "noending": "x",
        "a.csv": "a,b\n1,2\n",
        "a.jsonl": '{"a": 1}',
        "run.out": "",
        "a.zip": "x",
    }
    for name, content in others.items():
        (tmp_path / name).write_text(content)
        logs = read(tmp_path)
        assert (list(logs), name in logs.provenance.skipped) == (["model"], True)
        (tmp_path / name).unlink()
    assert list(read(tmp_path)) == ["model"]
    refused(save(tmp_path / "none" / "a.md", b"").parent, "empty", "path", "no log of a known format")


def test_a_folder_may_have_logs_of_several_formats(tmp_path):
    tau(tmp_path, R)
    inspect_json(tmp_path / "sub", {"q1": [1, 1], "q2": [0, 0]})
    (tmp_path / "sub" / "log.json").rename(tmp_path / "z.json")
    text = (tmp_path / "z.json").read_text().replace('"model": "model"', '"model": "other"')
    (tmp_path / "z.json").write_text(text)
    np.save(tmp_path / "third.npy", np.array([[1.0, np.nan], [0, 1]]))
    logs = read(tmp_path, missing="drop")
    assert set(logs) == {"model", "other", "third"}
    assert logs.provenance.format == "tau-bench, array, inspect_ai"
    assert {x: (set(part.logs), part.metric) for x, part in logs.benchmarks.items()} == {
        "": ({"model", "third"}, "reward"), "gsm8k": ({"other"}, "match")}  # fmt: skip
    assert logs["third"].table.tolist() == [[0, 1], [1, 1]]  # both are on the scale 0 to 1
    logs = logs.benchmarks[""]
    assert (logs.log("third").counts.table.tolist(), logs.log("third").missing) == ([[0, 1], [1, 1]], 1)
    refused(tmp_path, "missing", "outcome", "third[0, 1]")


def test_links_to_folders_are_not_followed_and_links_to_files_are(tmp_path):
    tau(tmp_path, R)
    try:
        (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    assert read(tmp_path).provenance.skipped == ("again",)
    (tmp_path / "linked.json").symlink_to(tmp_path / "model.json")
    (tmp_path / "broken.json").symlink_to(tmp_path / "none.json")
    logs = read(tmp_path)
    assert set(logs) == {"model", "linked"}
    assert logs.provenance.skipped == ("again", "broken.json (a link that leads nowhere)")
    assert {x["file"]: x["format"] for x in listed(tmp_path) if not x["read"]} == {
        "again": "a link to a folder",
        "broken.json (a link that leads nowhere)": "not a regular file",
    }


def test_a_packed_copy_beside_a_file_is_counted_once(tmp_path):
    """Check that samples of lm-eval beside their .gz are one run, whose outcomes are not counted twice."""
    lm_eval(tmp_path, {"a": [1], "b": [0], "c": [1]})
    expected = tables(read(tmp_path))
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    packed = samples.with_name(f"{samples.name}.gz")
    packed.write_bytes(gzip.compress(samples.read_bytes()))
    (samples.with_name(f"{samples.name}.xz")).write_bytes(lzma.compress(samples.read_bytes()))
    e = read(tmp_path)
    assert tables(e) == expected
    assert [x for x in e.provenance.remarks if "Packed copies of files beside them: 2" in x]
    by_name = {x["file"].rpartition("/")[2]: x for x in listed(tmp_path)}
    assert by_name[packed.name]["format"] == f"a packed copy of {samples.name}"
    packed.write_bytes(gzip.compress(samples.read_bytes()[:-1] + b" "))
    assert "differs only in its ending from that of another run: 1" in str(read(tmp_path).provenance.remarks)


@pytest.mark.parametrize("other", ["runs.jsonl", "runs.tsv"])
def test_a_copy_in_another_format_is_refused_or_remarked(tmp_path, other):
    """Check the same outcomes as CSV and in another format: an error, or with files_are_runs=True a remark."""
    rows = [{"model": "m", "question": f"q{i}", "outcome": i % 2} for i in range(4)]
    for name, separator in (("runs.csv", ","), ("runs.tsv", "\t")):
        lines = [separator.join(map(str, x)) for x in (rows[0], *(x.values() for x in rows))]
        (tmp_path / name).write_text("\n".join(lines))
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for path in tmp_path.iterdir():
        if path.name not in ("runs.csv", other):
            path.unlink()
    with pytest.raises(InvalidInput, match="if it is a copy"):
        read(tmp_path)
    assert "differs only in its ending from that of another run: 1" in str(
        read(tmp_path, files_are_runs=True).provenance.remarks
    )


def test_links_that_lead_out_of_a_folder_are_not_read_and_named(tmp_path, run):
    log, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    for folder in (log / "a", elsewhere):
        folder.mkdir(parents=True)
        (folder / "t.csv").write_text("question,outcome\n" + "".join(f"{q},{q % 2}\n" for q in range(9)))
    (log / "b.csv").symlink_to("a/t.csv")
    (log / "out.csv").symlink_to(elsewhere / "t.csv")
    (log / "out.parquet").symlink_to(elsewhere / "t.csv")
    e = scorio.read(log)
    assert e.models == ("t", "b")
    assert {f"{x} (a link that leads out of the folder)" for x in ("out.csv", "out.parquet")} == {*e.provenance.skipped}
    assert "Links that lead out of the folder, which are not read: 2, such as 'out.csv'" in run("leaderboard", log)[1]
    assert [x["file"] for x in scorio.io.listed(log) if x["read"]] == ["a/t.csv", "b.csv"]
    assert scorio.read(log / "out.csv").models == ("out",)  # named by the user
    for file in (log / "b.csv", log / "a" / "t.csv"):
        file.unlink()
    message = run("leaderboard", log)[2]
    assert "out.parquet is a link that leads out of the folder" in message
    assert "name its target" in message


def test_a_snapshot_of_a_hugging_face_cache_is_read_through_its_links(tmp_path):
    snapshot, blobs = tmp_path / "datasets--o--r" / "snapshots" / "1f2e", tmp_path / "datasets--o--r" / "blobs"
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    (blobs / "deadbeef").write_text("question,outcome\np,1\nq,0\n")
    (tmp_path / "secret.csv").write_text("question,outcome\np,1\nq,0\n")
    (snapshot / "a.csv").symlink_to("../../blobs/deadbeef")
    (snapshot / "b.csv").symlink_to("../../../secret.csv")
    assert scorio.read(snapshot).models == ("a",)
