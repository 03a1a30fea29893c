"""Remarks and refusals of reading: copies, files not read, stated totals, and runs that may not be merged."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written as tools

import scorio
from scorio import InvalidInput

STAMP = "2026-11-21T22-44-13.365731"


def refused(code: str, path: Path, pattern: str, **options: object) -> None:
    with pytest.raises(InvalidInput, match=pattern) as e:
        scorio.read(path, **options)
    assert e.value.code == code


def terminal_bench(folder: Path, wins: list[int], **metadata: object) -> None:
    tools.save(folder / "results.json", tools.terminal_log({"t": wins}))
    tools.save(folder / "run_metadata.json", {"run_id": folder.name, "agent_name": "droid"} | metadata)


def test_attempts_of_terminal_bench_without_a_result_are_missing(tmp_path):
    listed = {"task_ids": ["t", "u"], "n_attempts": 2, "accuracy": 1 / 2}
    terminal_bench(tmp_path / "r", [1, 0], **listed)
    refused("missing", tmp_path, "run_metadata.json has task 'u', and attempt 1 at it has no result")
    e = scorio.read(tmp_path, missing="drop")
    assert (e["droid"].ids, e["droid"].table.tolist()) == (("t", "u"), [[1, 1], [0, 0]])
    assert e.provenance.remarks[0] == "Attempts of terminal-bench at tasks of run_metadata.json without a result: 2."
    assert not any("states" in x for x in e.provenance.remarks)
    assert scorio.read(tmp_path, missing=0)["droid"].table.tolist() == [[1, 1], [2, 0]]
    terminal_bench(tmp_path / "r", [1], **listed)
    assert scorio.read(tmp_path, missing=0)["droid"].table.tolist() == [[1, 1], [2, 0]]
    for unlisted in ({"task_ids": None}, {"task_ids": ["t"]}, {"n_attempts": None}):
        terminal_bench(tmp_path / "r", [1, 0], **listed | unlisted)
        assert scorio.read(tmp_path)["droid"].table.tolist() == [[1, 1]]


def test_submissions_of_one_agent_without_a_model_are_not_one_model(tmp_path):
    terminal_bench(tmp_path / "one" / "r1", [1, 1], model_name=None)
    terminal_bench(tmp_path / "two" / "r2", [0, 0], model_name=None)
    refused("conflict", tmp_path, "'droid' may be a different model")
    e = scorio.read(tmp_path, layout="{model}/{run}/results.json")
    assert {m: e[m].table.tolist() for m in e} == {"one": [[0, 2]], "two": [[2, 0]]}


def test_runs_of_an_agent_without_a_model_are_merged_on_request(tmp_path):
    for run, wins in (("r1", [1, 1]), ("r2", [0, 0])):
        terminal_bench(tmp_path / "one" / run, wins, model_name=None)
    refused("conflict", tmp_path, "'droid' may be a different model")
    assert scorio.read(tmp_path / "one", files_are_runs=True)["one"].table.tolist() == [[2, 2]]


def test_documents_in_other_rows_are_the_same_questions(tmp_path):
    lm_eval(tmp_path / "a", {0: 1, 1: 0, 2: 1}, {0: "x" * 64, 1: "y" * 64, 2: "y" * 64})
    lm_eval(tmp_path / "b", {0: 0, 1: 1, 2: 1}, {0: "y" * 64, 1: "x" * 64, 2: "y" * 64})
    e = scorio.read(tmp_path)
    tables = {m: dict(zip(e.log(m).ids, e[m].table.tolist(), strict=True)) for m in e}
    assert tables["a"] == {"0#xxxxxxxx": [0, 1], "1#yyyyyyyy": [1, 0], "2#yyyyyyyy": [0, 1]}
    assert tables["b"] == {"1#yyyyyyyy": [1, 0], "0#xxxxxxxx": [0, 1], "2#yyyyyyyy": [0, 1]}


def test_runs_of_different_versions_are_remarked(tmp_path):
    for i, version in enumerate(("1.0", "2.0")):
        terminal_bench(tmp_path / f"r{i}", [1, 0], model_name="m", dataset_version=version)
    e = scorio.read(tmp_path)
    assert e["droid/m"].table.tolist() == [[2, 2]]
    assert any("differ in dataset_version, '\"1.0\"' and '\"2.0\"'" in x for x in e.provenance.remarks)


def helm(folder: Path, splits: list[str]) -> Path:
    rows = [
        {"instance_id": f"id{i}", "train_trial_index": 0,
         "stats": [{"name": {"name": "f1", "split": split}, "count": 1, "sum": x, "mean": x}]}
        for i, (split, x) in enumerate((s, x) for s in splits for x in (0, 1 if s == "test" else 0))
    ]  # fmt: skip
    tools.save(folder / "run_spec.json", {"name": "nqa:model=m", "adapter_spec": {"model": "m"}})
    return tools.save(folder / "per_instance_stats.json", rows)


def test_helm_reads_the_test_split(tmp_path):
    path = helm(tmp_path, ["valid", "test"])
    e = scorio.read(path)
    assert (e["m"].table.tolist(), len(e.log("m").ids)) == ([[1, 0], [0, 1]], 2)
    assert e.provenance.remarks == ("Only HELM's split 'test' is read; --which f1:valid reads another.",)
    assert scorio.read(path, which="f1:valid")["m"].table.tolist() == [[1, 0], [1, 0]]
    one_split = scorio.read(helm(tmp_path / "x", ["valid"]))
    assert (one_split["m"].M, one_split.provenance.remarks) == (2, ())


def lm_eval(folder: Path, values: dict[int, int], hashes: dict[int, str], stamp: str = STAMP) -> None:
    lines = [tools.lm_eval_line(i, x, doc_hash=hashes[i]) for i, x in values.items()]
    tools.save(folder / f"samples_toy_{stamp}.jsonl", lines)


def test_documents_that_changed_are_different_questions(tmp_path):
    lm_eval(tmp_path / "a", {0: 1, 1: 0}, {0: "x" * 64, 1: "y" * 64})
    lm_eval(tmp_path / "b", {0: 1, 1: 0}, {0: "x" * 64, 1: "z" * 64})
    e = scorio.read(tmp_path)
    names = (["0#xxxxxxxx", "1#yyyyyyyy"], ["0#xxxxxxxx", "1#zzzzzzzz"])
    assert (e.log("a").ids, e.log("b").ids) == names
    added = scorio.read(tmp_path / "a") + scorio.read(tmp_path / "b")
    assert (added.log("a").ids, added.log("b").ids) == names
    assert e.provenance.remarks[0].startswith("Lines whose document differs from that of the first file (doc_hash): 1.")


def lm_eval_runs(folder: Path, n_shots: tuple[int | None, ...], *prompts: str) -> None:
    for i, n in enumerate(n_shots):
        stamp = STAMP.replace("44-13", f"44-2{i}")
        lines = [tools.lm_eval_line(q, (q + i) % 2, prompt_hash=f"{prompts[i]}{q}") for q in range(3)]
        tools.save(folder / "a" / f"samples_toy_{stamp}.jsonl", lines)
        if n is not None:
            results = {"results": {"toy": {}}, "versions": {}, "n-shot": {"toy": n}, "chat_template_sha": None}
            tools.save(folder / "a" / f"results_{stamp}.json", results)


def test_runs_of_other_settings_are_no_trials(tmp_path):
    lm_eval_runs(tmp_path, (0, 5), "x", "y")
    for options in ({}, {"files_are_runs": True}, {"layout": "{model}/samples_{task}_{run}.jsonl"}):
        with pytest.raises(scorio.InvalidInput) as e:
            scorio.read(tmp_path, **options)
        assert (e.value.code, e.value.argument) == ("conflict", "path")
        assert "n-shot of task 'toy' and model" in str(e.value)
        assert "is 5 here, but 0 in" in str(e.value)
        pattern = str(e.value).rsplit('exclude="', 2)[1].split('"')[0]
        assert len(scorio.read(tmp_path, exclude=[pattern], **options).models) == 1
    as_models = scorio.read(tmp_path, layout="{_}/samples_{task}_{model}.jsonl")
    assert len(as_models.models) == 2


@pytest.mark.parametrize("n_shots", [(0, 0), (None, None), (None, 5)])
def test_further_runs_of_the_same_settings_are_trials_and_a_note_says_so(tmp_path, n_shots):
    lm_eval_runs(tmp_path, n_shots, "x", "x")
    e = scorio.read(tmp_path)
    assert e["a"].trials.tolist() == [2, 2, 2]
    (note,) = e.provenance.remarks
    assert note.startswith("Files that were read as one more trial of each question")
    assert not scorio.read(tmp_path, files_are_runs=True).provenance.remarks
    lm_eval_runs(tmp_path, n_shots, "x", "y")
    assert any("prompts of the same questions differ" in x for x in scorio.read(tmp_path).provenance.remarks)


def test_a_copy_of_a_run_is_remarked(tmp_path):
    again = STAMP.replace("44-13", "59-00")
    for stamp in (STAMP, again):
        lm_eval(tmp_path / "a", {0: 1, 1: 1}, {0: "x" * 64, 1: "y" * 64}, stamp)
    e = scorio.read(tmp_path, files_are_runs=True)
    assert e[e.models[0]].table.tolist() == [[0, 2], [0, 2]]
    assert e.provenance.remarks[0] == (
        f"Runs whose file is identical to that of another run: 1, such as 'a/samples_toy_{again}.jsonl' "
        "(copies, or deterministic runs: each counts as further trials, unless --exclude leaves it out)."
    )
    lm_eval(tmp_path / "a", {0: 1, 1: 0}, {0: "x" * 64, 1: "y" * 64}, again)
    assert not scorio.read(tmp_path, files_are_runs=True).provenance.remarks


TEXT = "def f(x):\n    return x + {}  # a completion of some length\n"
WITHOUT_TRIAL_IDS = (
    "human_eval",
    "verl",
    "deepeval",
    "mlflow",
    "verifiers",
    "every_eval_ever",
    "evalplus",
    "bigcodebench",
)


def repeated(path: Path) -> list[str]:
    """Remarks that every record of a file occurs several times."""
    remarks = scorio.read(path, missing="drop").provenance.remarks
    return [x for x in remarks if "every record occurs" in x]


def answers(n: int, equal: bool = False) -> list[dict[str, object]]:
    """Rows with n answers to each of 4 tasks, which differ unless they are to be equal."""
    return [{"task_id": f"T/{q}", "completion": TEXT.format(q if equal else (q, i)), "passed": i % 2 == 0}
            for q in range(4) for i in range(n)]  # fmt: skip


@pytest.mark.parametrize("order", ["file after file", "line by line"])
@pytest.mark.parametrize("times", [2, 3])
def test_a_file_that_was_appended_to_itself_is_remarked(order, times, tmp_path):
    path, lines = tmp_path / "m_results.jsonl", [*answers(2), *answers(2)[:1]]  # one answer occurs twice
    assert repeated(tools.save(path, lines)) == []
    tools.save(path, lines * times if order == "file after file" else [x for x in lines for _ in range(times)])
    assert repeated(path) == [
        f"m_results.jsonl: every record occurs {times} times (or a multiple of that), word for word: the file was "
        "appended to itself, or the model is deterministic. The repetitions count as further trials."
    ]


def test_equal_answers_are_not_taken_for_a_copy(tmp_path):
    path = tmp_path / "m_results.jsonl"
    same = [*answers(2, equal=True), answers(1)[0] | {"completion": "a completion that occurs once"}]
    assert repeated(tools.save(path, [x | {"passed": True} for x in same])) == []
    short = [{"task_id": q, "passed": True} for q in "abcd"]
    assert repeated(tools.save(path, short * 2)) == []  # outcomes without any text are often equal


@pytest.mark.parametrize("kind", WITHOUT_TRIAL_IDS)
def test_copied_records_are_remarked_in_every_format_without_ids_of_trials(kind, tmp_path):
    R = {f"a question with a long name, {i}": [1, 0, 1] for i in range(4)}
    path = tools.LOG_WRITERS[kind](tmp_path, R)
    file = path if path.is_file() else next(x for x in path.rglob("*.jsonl"))
    if file.suffix == ".jsonl":
        file.write_bytes(b"".join(x * 2 for x in file.read_bytes().splitlines(True)))
    elif file.suffix == ".csv":
        header, *rows = file.read_bytes().splitlines(True)
        file.write_bytes(header + b"".join(rows) * 2)
    else:
        log = json.loads(file.read_text())
        lists = log["eval"] if "eval" in log else log.get("testRunData", log)
        for name, x in lists.items():
            lists[name] = x * 2 if type(x) is list else x
        file.write_text(json.dumps(log))
    assert len(repeated(path)) == 1


def test_answers_without_results_and_unknown_layouts_are_remarked(tmp_path):
    for name in ("alpha", "beta"):
        tools.save(tmp_path / f"{name}.jsonl", [{"task_id": "T/0", "completion": "x"}])
        tools.save(tmp_path / f"{name}.jsonl_results.jsonl", answers(2))
    tools.save(tmp_path / "config.json", {"temperature": 0.5, "score": {"of": "x"}})
    assert scorio.read(tmp_path).provenance.remarks == ()
    (tmp_path / "beta.jsonl_results.jsonl").unlink()
    tools.save(tmp_path / "odd.json", {"rows": [{"idx": 1, "is_correct": True}]})
    tools.save(tmp_path / "odd.jsonl", [{"idx": 1, "reward": 0.5}])
    assert scorio.read(tmp_path).provenance.remarks == (
        "Files of answers without results, which are not read: 1, such as 'beta.jsonl' "
        "(--dry-run gives the reason for each).",
        "Files of unknown layout that may hold outcomes: 2, such as 'odd.json' (--dry-run gives the reason for each).",
    )


def test_the_results_file_names_the_model(tmp_path):
    other = STAMP.replace("44-13", "59-00")
    for stamp, model, x in ((STAMP, "org/a", 1), (other, "org/b", 0)):
        lm_eval(tmp_path / "out", {0: x}, {0: "h"}, stamp)
        tools.save(tmp_path / "out" / f"results_{stamp}.json", {"results": {}, "versions": {}, "model_name": model})
    e = scorio.read(tmp_path)
    assert {m: e[m].table.tolist() for m in e} == {"org/a": [[0, 1]], "org/b": [[1, 0]]}
    pattern = "a run of model 'org/b', but .* is of 'org/a': if these are several models, leave out files_are_runs=True"
    refused("conflict", tmp_path, pattern, files_are_runs=True)


def test_samples_that_were_invalidated_are_missing(tmp_path):
    log = tools.inspect_log({"q": [1, 0], "p": [1, 1]})
    for sample in log["samples"]:
        sample["invalidation"] = {"author": "x"} if sample["id"] == "p" else None
    path = tools.save(tmp_path / "a.json", log | {"invalidated": True})
    refused("missing", path, "outcome is missing")
    e = scorio.read(path, missing="drop")
    assert sorted(e["model"].trials.tolist()) == [0, 2]
    remark = "Samples of inspect_ai that were invalidated: 2. They are missing; --which match:invalidated keeps them."
    assert (e.provenance.remarks, e.provenance.unfinished) == ((remark,), ())
    for missing in ("raise", "drop"):
        kept = scorio.read(path, missing=missing, which="match:invalidated")
        assert (kept["model"].trials.tolist(), kept.provenance.remarks) == ([2, 2], ())
    members = tools.eval_members({"q": [1, 0], "p": [1, 1]})
    members["header.json"]["invalidated"] = True
    for name, member in members.items():
        if name.startswith("samples/p"):
            member["invalidation"] = {"author": "x"}
            members["summaries.json"] = [{k: v for k, v in x.items() if k != "invalidation"}
                                         for x in members["summaries.json"]]  # fmt: skip
    zipped = tools.save(tmp_path / "a.eval", tools.zipped(members, zipfile.ZIP_DEFLATED))
    assert sorted(scorio.read(zipped, missing="drop")["model"].trials.tolist()) == [0, 2]
    (tmp_path / "a.json").unlink()
    assert sorted(scorio.read(tmp_path, missing="drop")["model"].trials.tolist()) == [0, 2]


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_samples_that_are_not_in_the_file_are_missing(tmp_path, kind):
    results = {"results": {"total_samples": 79, "completed_samples": 79}}
    if kind == "json":
        path = tools.save(tmp_path / "a.json", tools.inspect_log({"q": [1, 0]}) | results)
    else:
        members = tools.eval_members({"q": [1, 0]})
        members["header.json"] |= results
        path = tools.save(tmp_path / "a.eval", tools.zipped(members))
    refused("missing", path, "the header counts 79 completed samples, the file has 2")
    for source in (path, tmp_path):
        assert "79 completed samples" in scorio.read(source, missing="drop").provenance.unfinished[0]


def test_runs_of_different_configurations_are_remarked(tmp_path):
    for i, temperature in enumerate((0.2, 0.9)):
        log = tools.inspect_log({"q": [1, i]})
        log["eval"]["model_generate_config"] = {"temperature": temperature}
        tools.save(tmp_path / f"{i}.json", log)
    e = scorio.read(tmp_path, files_are_runs=True)
    assert e["model"].table.tolist() == [[1, 3]]
    assert any("differ in model_generate_config" in x for x in e.provenance.remarks)


def test_a_duplicate_column_of_parquet_is_refused(tmp_path):
    table = pa.table([pa.array(["q"]), pa.array([1]), pa.array([0])], names=["question", "outcome", "outcome"])
    pq.write_table(table, tmp_path / "a.parquet")
    refused("duplicate", tmp_path / "a.parquet", "duplicate column in a.parquet")


def test_models_of_opencompass_without_results_are_remarked(tmp_path):
    details = {"details": [{"example_abbr": "q", "correct": [True]}]}
    tools.save(tmp_path / "results" / "alpha" / "toy.json", details)
    for model in ("alpha", "beta"):
        tools.save(tmp_path / "predictions" / model / "toy.json", {"0": {"prediction": "4"}})
    e = scorio.read(tmp_path / "results")
    assert (e.models, "but no results, which are not read: beta." in e.provenance.remarks[0]) == (("alpha",), True)


def test_files_that_a_layout_leaves_out_are_not_listed_as_skipped(tmp_path):
    for name in ("a/1.csv", "b.csv"):
        tools.save(tmp_path / name, b"question,outcome\nq,1\n")
    tools.save(tmp_path / "a" / "notes.json", {})
    e = scorio.read(tmp_path, layout="{model}/{run}.csv")
    assert e.provenance.skipped == ()
    assert e.provenance.remarks[0] == (
        "Files that the layout leaves out: 2, such as 'a/notes.json' (--dry-run gives the reason for each)."
    )


def test_invalidated_samples_are_kept_beside_a_log_without_any(tmp_path):
    logs = {m: tools.inspect_log({"q": [1, 0]}) for m in "ab"}
    for m, log in logs.items():
        log["eval"]["model"] = m
        log["samples"][0]["invalidation"] = {"author": "x"} if m == "a" else None
        tools.save(tmp_path / f"{m}.json", log)
    e = scorio.read(tmp_path, which="match:invalidated")
    assert {m: e[m].table.tolist() for m in e} == {m: [[1, 1]] for m in "ab"}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_a_column_in_two_capitalisations_is_refused_in_every_format(tmp_path, ending):
    frame = pd.DataFrame({"question": ["p", "q"], "outcome": [1, 0], "Outcome": [0, 1]})
    path = tmp_path / f"a.{ending}"
    writers = {"csv": frame.to_csv, "parquet": frame.to_parquet}
    if ending in writers:
        writers[ending](path, index=False)
    else:
        frame.to_json(path, orient="records", lines=ending == "jsonl")
    for source in (path, frame):
        with pytest.raises(InvalidInput, match="'outcome' and 'Outcome': rename one of them"):
            scorio.read(source)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_json_that_is_nested_too_deeply_is_not_said_to_be_no_json(tmp_path, name):
    (tmp_path / name).write_text('{"question": "q", "outcome": 1, "x": ' + "[" * 5000 + "]" * 5000 + "}\n")
    with pytest.raises(InvalidInput, match="nested too deeply: hundreds of brackets"):
        scorio.read(tmp_path / name)


SECRETS = [
    "AKIA0SECRET", "root:x:0:0:SECRET:/root:/bin/bash", "hunter2,SECRET", "SECRET;1;2;3;4;5", "SECRET SECRET",
    "123456,789012,SECRET", '["SECRET"]', '"SECRET"', '{"SECRET": 1}', '[{"SECRET": 1}]', '{"a": ["SECRET"', "{SECRET",
]  # fmt: skip


@pytest.mark.parametrize("command", ["leaderboard", "rubric", "battles", "verify", "judge"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json"])
def test_no_message_quotes_a_file_that_is_no_log(tmp_path, run, command, ending):
    """Check files as a link or a mistaken path may name them: a log of continuous integration is public."""
    log = tmp_path / "log.csv"
    log.write_text("question,outcome\np,1\nq,0\n")
    for i, text in enumerate(SECRETS):
        path = tmp_path / f"{i}.{ending}"
        path.write_text(f"{text}\n{text}\n")
        line = [command, log, "--labels", path] if command == "judge" else [command, path]
        code, out, err = run(*line)
        assert (code, out, "SECRET" in err) == (2, "", False), (text, err)
        if command == "leaderboard":
            assert "SECRET" not in str(run(command, tmp_path, "--exclude", "log.csv", "--dry-run"))


def test_a_misspelt_method_of_an_evaluation_is_answered_with_the_right_one():
    e = scorio.read({"a": [[0, 1]]})
    with pytest.raises(AttributeError, match="no attribute 'leadrboard', did you mean 'leaderboard'"):
        e.leadrboard()
    assert not hasattr(e, "_repr_png_")
